"""Tables of bodies: locations, the damage each can take, and what it bleeds (nyra.md, 1.3 step 8 and 1.6).

Numbers only; `wounds.py` plays with them. Another species is another entry of SPECIES.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Share(NamedTuple):
    """The top of a band as a sum: how often CON, STR and the modifier of CON count towards it."""

    CON: int
    STR: int
    modifier: int


class Build(NamedTuple):
    """How locations of one kind are built.

    `tops` are the inclusive upper ends of the bands (0.85 for the table, I 0.85 for *inclusive*); `tiers` names what
    a location is at no damage, then in each band, then beyond the last.
    """

    tops: tuple[Share, ...]
    tiers: tuple[str, ...]


BUILDS: Mapping[str, Build] = {
    "head": Build(
        (Share(1, 0, 0), Share(2, 0, 0), Share(2, 0, 1)),
        ("unhurt", "slight", "serious", "critical", "dead"),
    ),
    "chest": Build(
        (Share(2, 1, 0), Share(4, 1, 0), Share(4, 1, 1)),
        ("unhurt", "slight", "serious", "critical", "dead"),
    ),
    # The fourth band of a limb: mangled, but a doctor can still restore it (damage chapter, 0.85).
    "limb": Build(
        (Share(1, 1, 0), Share(2, 2, 0), Share(2, 2, 1), Share(2, 2, 2)),
        ("unhurt", "slight", "serious", "critical", "mangled", "severed"),
    ),
}
"""Human bands on accumulated damage (1.6)."""

BLEEDS: Mapping[str, int] = {"serious": 1, "critical": 2}
"""Bleeding that begins when a location enters a tier; the second adds to the first (damage chapter, 0.95).

No tier beyond critical adds any: a mangled or severed limb goes on bleeding 3 (I 0.7, NY84).
"""


class Species(NamedTuple):
    """A body: the die that finds a location at random, and (location, build) in the order of the die's faces."""

    sides: int
    locations: tuple[tuple[str, str], ...]


SPECIES: Mapping[str, Species] = {
    "human": Species(
        sides=6,
        locations=(
            ("head", "head"),
            ("chest", "chest"),
            ("left-arm", "limb"),
            ("right-arm", "limb"),  # contradiction 1: the table, not the three sentences that say left
            ("left-leg", "limb"),
            ("right-leg", "limb"),
        ),
    ),
}
"""Bodies by species (seed). Other creatures have tables and dice of their own."""

BUILD: Mapping[str, Mapping[str, str]] = {name: dict(species.locations) for name, species in SPECIES.items()}
"""The build of every location, by species."""
