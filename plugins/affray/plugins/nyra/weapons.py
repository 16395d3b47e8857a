"""Weapons: how a sheet writes one down, and the numbers it is built to (nyra.md, 1.5).

    flat = listed flat + material + smith's roll-under bonus + Hone

The seed's label of Carnifex and its sum both give 15; its sentence that says 18 is not followed (contradiction 2).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Annotated, Any, Literal

import msgspec
from msgspec.structs import replace

from affray.kernel import InputError, check_id, limits

from .armoury import DAMAGE_TYPES, MATERIALS, WEAPONS, Damage, DamageType, Dice, Listed, Statistic
from .bounds import DURABILITY_MAX, ENERGY_MAX, SCORE_MAX

Trait = Literal["Swiftness", "Impact", "Mastercraft"]
"""An ability of a weapon; what each adds stands in `damage.py`."""

Bonus = Annotated[int, msgspec.Meta(ge=-SCORE_MAX, le=SCORE_MAX)]

STATED = ("modifier", "durability", "damage")
"""What has to be known of a weapon, from the sheet or from the list."""

PRICES = ("delay", "energy_cost")
"""What a strike is paid with: delay in the duel, energy in the bank. One of them has to be known of a weapon."""

DURABILITY = "durability-"
"""Prefix of the pool that holds a weapon's durability; the weapon's key follows."""


class Weapon(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A weapon as a sheet writes it down.

    `key` is its id in actions. Either `base` names a listed weapon and the fields left out are the list's, or the sheet
    states delay, modifier, durability and damage itself. `material`, `smith_bonus` and `hones` (bonuses in the order
    applied) change the flat part. In `damage` a type that is None is N/A; one that is absent has no known numbers.

    `delay` is what a strike of the duel costs; the bank does not read it. `energy_cost` is what a swing of the bank costs,
    None for nothing (section 8); the duel does not read it. A weapon that states the one may leave the other out.
    """

    key: str
    name: str = ""
    base: str = ""
    material: str = ""
    smith_bonus: Bonus = 0
    hones: tuple[Bonus, ...] = ()
    delay: Annotated[int, msgspec.Meta(ge=1, le=SCORE_MAX)] | None = None
    energy_cost: Annotated[int, msgspec.Meta(ge=0, le=ENERGY_MAX)] | None = None
    modifier: Statistic | None = None
    durability: Annotated[int, msgspec.Meta(ge=0, le=DURABILITY_MAX)] | None = None
    traits: tuple[Trait, ...] = ()
    damage: dict[DamageType, Dice | None] | None = None

    @property
    def pool(self) -> str:
        """The pool that holds its durability."""
        return DURABILITY + self.key


class Built(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """A weapon ready for use: every number known, `damage` with all that was done to it.

    `delay` is None only where the bank is played; `energy_cost` is 0 where nothing is known.
    """

    key: str
    pool: str
    name: str
    delay: int | None
    energy_cost: int
    modifier: Statistic
    durability: int
    traits: tuple[Trait, ...]
    damage: Damage

    def dice(self, kind: DamageType) -> Dice | None:
        """Give the damage of one type; None where it is N/A or its numbers are not known."""
        return self.damage.get(kind)

    @cached_property
    def types(self) -> tuple[DamageType, ...]:
        """The damage types it can be used for."""
        return tuple([kind for kind in DAMAGE_TYPES if self.dice(kind) is not None])


def build(weapon: Weapon) -> Built:
    """Build a weapon: what the sheet does not state comes from the list. The sheet must have passed `problems`."""
    listed = WEAPONS.get(weapon.base)
    stated = {field: _stated(weapon, listed, field) for field in (*STATED, *PRICES)}
    damage: Damage = stated["damage"]
    flats = base_flat(
        {kind: None if dice is None else dice.flat for kind, dice in damage.items()},
        MATERIALS.get(weapon.material, {}),
        weapon.smith_bonus,
        weapon.hones,
    )
    return Built(
        key=weapon.key,
        pool=weapon.pool,
        name=weapon.name or (weapon.key if listed is None else listed.name),
        delay=stated["delay"],
        energy_cost=stated["energy_cost"] or 0,
        modifier=stated["modifier"],
        durability=stated["durability"],
        traits=weapon.traits,
        damage={kind: dice and replace(dice, flat=flats[kind]) for kind, dice in damage.items()},
    )


def _stated(weapon: Weapon, listed: Listed | None, field: str) -> Any:
    """What the sheet states, else what the list states, else None."""
    own = getattr(weapon, field)
    return getattr(listed, field, None) if own is None else own


def base_flat(
    listed: Mapping[DamageType, int | None],
    material: Mapping[DamageType, int],
    smith_bonus: int,
    hones: tuple[int, ...],
) -> dict[DamageType, int | None]:
    """Add up the flat part for every type. A new Hone replaces the one before, whatever their sizes (seed, NY87).

    What is N/A stays N/A, whatever the material says (contradiction 13, I 0.85).
    """
    hone = hones[-1] if hones else 0
    return {
        kind: None if flat is None else flat + material.get(kind, 0) + smith_bonus + hone for kind, flat in listed.items()
    }


def damage_range(dice: Dice) -> tuple[int, int]:
    """Give the lowest and the highest of XdY+F, as the lists print them in brackets."""
    return dice.n + dice.flat, dice.n * dice.sides + dice.flat


def problems(weapon: Weapon, path: str) -> Iterator[tuple[str, str]]:
    """Find what is wrong with a weapon whose types are right, as (path, problem)."""
    try:
        check_id(weapon.key, "a weapon's key")
        check_id(weapon.pool, "a weapon's pool")
    except InputError:
        longest = limits.ID_LENGTH - len(DURABILITY)
        yield f"{path}.key", f"must be 1 to {longest} ASCII letters, digits, '_' or '-', got {weapon.key!r}"
    if weapon.material and weapon.material not in MATERIALS:
        yield f"{path}.material", f"no such material, there are {', '.join(MATERIALS)}; got {weapon.material!r}"
    if len(set(weapon.traits)) != len(weapon.traits):
        yield f"{path}.traits", "the same trait twice"
    if weapon.base and weapon.base not in WEAPONS:
        yield f"{path}.base", f"no such listed weapon, there are {', '.join(WEAPONS)}; got {weapon.base!r}"
        return
    listed = WEAPONS.get(weapon.base)
    if all(_stated(weapon, listed, field) is None for field in PRICES):
        yield f"{path}.delay", "must be stated: no list gives it (for the bank generation state energy_cost)"
    for field in STATED:
        if _stated(weapon, listed, field) is None:
            yield f"{path}.{field}", "must be stated: no list gives it"
