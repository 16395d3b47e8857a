"""The sheet of a combatant: what it holds, what is wrong with it, and the pools it brings (nyra.md, 1.1).

The game's own terms:

- STR, AGI, CON: the statistics strength, agility and constitution, each with a *modifier* (`modifier` below).
- skill rank: what a d10 has to stay at or below. Swords is the weapon skill, Dodge and Defense are the two defences.
- sequence: how early somebody acts, higher first; rolled when a character is made, so it is an input here.
- delay: what a turn is spent on. A turn has as much as AGI; every weapon names its price.
- flat: the part of a weapon's damage that is not rolled.
- trait: Swiftness, Impact or Mastercraft, an ability of a weapon.
- armor: how much of a hit a location stops, by damage type (positive here; the books print it negative).

The older generation, the bank, has terms of its own, which the duel does not read (section 8):

- energy: the full energy bank, which swings are paid from (`energy.py`).
- health: the one number of a location that damage is taken from; a location without one has the bands of 1.6.
- shield: whether a shield is wielded, which Defense needs there.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Annotated

import msgspec

from affray.kernel import InputError, Pool

from . import weapons
from .armoury import DamageType
from .bodies import SPECIES
from .bounds import ENERGY_MAX, HEALTH_MAX, SCORE_MAX
from .options import ModifierTable, Options
from .weapons import Bonus, Built, Weapon

Score = Annotated[int, msgspec.Meta(ge=1, le=SCORE_MAX)]
Rank = Annotated[int, msgspec.Meta(ge=0, le=SCORE_MAX)]

Energy = Annotated[int, msgspec.Meta(ge=0, le=ENERGY_MAX)]
Health = Annotated[int, msgspec.Meta(ge=1, le=HEALTH_MAX)]

DELAY = "delay"
"""The pool of delay left in the present turn (duel)."""

ENERGY = "energy"
"""The pool of energy left in the bank, for the whole fight (bank)."""

TIE_DIE = "tie-die"
"""The pool that remembers, for the whole combat, the dice that settled a tie of sequence and AGI (`order.py`)."""


class Skills(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Skill ranks, 0 or more. A defence that is None is not owned and never offered.

    The book does not say what becomes of a weapon without its skill; here it is struck with at rank 0.
    """

    Swords: Rank = 0
    Dodge: Rank | None = None
    Defense: Rank | None = None


class Sheet(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, dict=True):
    """A combatant. Statistics are 1 or more; an absent location or type of `armor` stops nothing.

    `energy` None is no bank: nothing that costs energy can be swung. `health` is stated location by location; None is
    nowhere. Both, and `shield`, are read in the bank only.
    """

    STR: Score
    AGI: Score
    CON: Score
    sequence: Bonus
    skills: Skills = Skills()
    armor: dict[str, dict[DamageType, Rank]] = {}
    weapons: tuple[Weapon, ...] = ()
    species: str = "human"
    energy: Energy | None = None
    health: dict[str, Health] | None = None
    shield: bool = False

    @cached_property
    def locations(self) -> tuple[str, ...]:
        """The locations of the body, in the order of their numbers."""
        return tuple([location for location, _ in SPECIES[self.species].locations])

    @cached_property
    def arms(self) -> tuple[Built, ...]:
        """The weapons owned, ready for use."""
        return tuple([weapons.build(weapon) for weapon in self.weapons])

    def arm(self, key: str) -> Built | None:
        """The weapon of that key; None where none is owned."""
        return next((weapon for weapon in self.arms if weapon.key == key), None)


def modifier(statistic: int, table: ModifierTable) -> int:
    """Turn a statistic into its modifier, by the table that option `modifier` names (1.1)."""
    if table == "floor_half":
        return statistic // 2
    if table == "floor_half_minus":
        return (statistic - 1) // 2
    return statistic - 5


def pools(sheet: Sheet, options: Options) -> dict[str, Pool]:
    """List the pools a combatant brings: delay or energy, damage by location, durability by weapon, the tie die.

    Raises InputError for a weapon that no strike of a duel can be paid with.
    """
    return {
        **(bank(sheet) if options.is_bank else turn_delay(sheet)),
        **{location: Pool(start=0, damage=1) for location in sheet.locations},
        **{weapon.pool: Pool(start=weapon.durability) for weapon in sheet.arms},
        TIE_DIE: Pool(start=0),
    }


def bank(sheet: Sheet) -> dict[str, Pool]:
    """Give the pool of the older generation: a bank that begins full."""
    full = sheet.energy or 0
    return {ENERGY: Pool(start=full, high=full)}


def turn_delay(sheet: Sheet) -> dict[str, Pool]:
    """Give the pool of the duel: as much delay as AGI. Raises InputError for a weapon whose delay nobody knows."""
    for index, weapon in enumerate(sheet.arms):
        if weapon.delay is None:
            raise InputError("must be stated for a duel: no list gives it", path=f"$.weapons[{index}].delay")
    return {DELAY: Pool(start=sheet.AGI, high=sheet.AGI)}


def problems(sheet: Sheet) -> Iterator[tuple[str, str]]:
    """Find what is wrong with a sheet whose types are right, as (path, problem)."""
    if sheet.species not in SPECIES:
        yield "$.species", f"no such species, there are {', '.join(SPECIES)}; got {sheet.species!r}"
        return
    for field, stated in (("armor", sheet.armor), ("health", sheet.health or {})):
        for location in stated:
            if location not in sheet.locations:
                yield f"$.{field}.{location}", f"no such location; there are {', '.join(sheet.locations)}"
    seen: set[str] = set()
    for index, weapon in enumerate(sheet.weapons):
        path = f"$.weapons[{index}]"
        if weapon.key in seen:
            yield f"{path}.key", f"another weapon has the key {weapon.key!r} already"
        seen.add(weapon.key)
        yield from weapons.problems(weapon, path)
