"""Tables of beings: how they round, what they soak, how their charms are capped, and their health (exalted.md, 1 E, 1 F, 3.4)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple

Rounding = Literal["up", "down"]

Kind = Literal[
    "solar", "abyssal", "infernal", "dragon-blooded", "lunar", "sidereal", "spirit", "mortal"
]

CapRule = Literal["attribute+ability", "ability+specialty", "dexterity", "essence"]
"""What half of the usual dice limit is half of."""


class Being(NamedTuple):
    """`cap` is None where the page has no preset for L: a sheet has to state it."""

    rounding: Rounding
    is_supernatural: bool
    cap: CapRule | None


BEINGS: Mapping[Kind, Being] = {
    # seed: half of Attribute + Ability; no specialty, no Essence (ambiguity 19)
    "solar": Being("up", True, "attribute+ability"),
    # by mirror of the Solar (1 E, H)
    "abyssal": Being("up", True, "attribute+ability"),
    "infernal": Being("up", True, "attribute+ability"),
    # ambiguity 14: M, M-L and M
    "dragon-blooded": Being("up", True, "ability+specialty"),
    "lunar": Being("up", True, "dexterity"),
    "sidereal": Being("up", True, "essence"),
    # ambiguity 24: gods, elementals and demons round as a property of the being; up unless the sheet says otherwise (M)
    "spirit": Being("up", True, None),
    "mortal": Being("down", False, None),
}

TRACK: tuple[int, ...] = (0, -1, -1, -2, -2, -4)
"""Wound penalties of the health levels before Incapacitated (3.4, H)."""

EXTRA_TRACK: tuple[int, ...] = (-1, -3)
"""The same of an extra (3.4, H)."""
