"""Tables of listed weapons and of materials (nyra.md, 1.5). Numbers only; `weapons.py` builds with them.

A damage type that is None is marked N/A and can never be chosen. A type that is absent exists, but nobody knows its
numbers; a field that is None is not known either, and a sheet has to state it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal, NamedTuple

import msgspec

from .bounds import DICE_MAX, FLAT_MAX, SIDES_MAX

DamageType = Literal["P", "S", "C", "B"]
"""Piercing, slashing, cleaving, bludgeoning. Weapons print them in this order, armour as P, C, S, B (1.8)."""

DAMAGE_TYPES: tuple[DamageType, ...] = ("P", "S", "C", "B")

Statistic = Literal["STR", "AGI", "CON"]
"""Strength, agility, constitution."""


class Dice(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Damage of one type, XdY+F: `n` dice of `sides` plus `flat` (seed, Base Weapon Damage)."""

    n: Annotated[int, msgspec.Meta(ge=1, le=DICE_MAX)]
    sides: Annotated[int, msgspec.Meta(ge=1, le=SIDES_MAX)]
    flat: Annotated[int, msgspec.Meta(ge=-FLAT_MAX, le=FLAT_MAX)] = 0


Damage = Mapping[DamageType, Dice | None]


class Listed(NamedTuple):
    """A weapon as the lists print it."""

    name: str
    modifier: Statistic
    delay: int | None
    durability: int | None
    damage: Damage
    energy_cost: int | None = None


WEAPONS: Mapping[str, Listed] = {
    # seed; the durability stands on the page of basic weapons
    "short-sword": Listed(
        "Short Sword",
        modifier="STR",
        delay=3,
        durability=20,
        damage={"P": Dice(n=2, sides=6, flat=2), "S": Dice(n=2, sides=6), "C": Dice(n=3, sides=6), "B": None},
    ),
    # seed
    "nodachi": Listed(
        "Nodachi",
        modifier="AGI",
        delay=5,
        durability=None,
        damage={"P": Dice(n=2, sides=10, flat=4), "S": Dice(n=3, sides=10, flat=4), "C": None, "B": None},
    ),
    # seed: it pierces and slashes too, without numbers; a swing costs 7 energy, and no page knows its delay
    "claymore": Listed(
        "Claymore",
        modifier="STR",
        delay=None,
        durability=None,
        damage={"C": Dice(n=2, sides=10), "B": None},
        energy_cost=7,
    ),
}
"""Listed weapons by id. Carnifex is no entry: it is a Nodachi of oscite, smith's bonus 5, Hone III."""

MATERIALS: Mapping[str, Mapping[DamageType, int]] = {
    "oscite": {"P": 3, "S": 3, "C": 1, "B": -3},
}
"""What a material adds to the flat part, by damage type (seed)."""
