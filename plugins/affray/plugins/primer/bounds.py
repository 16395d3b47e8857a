"""The bounds of what may be given, by name (law 9), and how a number beyond them is refused.

They are ours, not the game's. Numbers that a sheet states are decimals of two digits at most, so that all sums of them
have denominators that stay far inside 2^53. Every check raises InputError with the path of what is wrong.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from fractions import Fraction
from typing import TypeVar

from affray.kernel import Exact, InputError

Name = TypeVar("Name", bound=str)
Entry = TypeVar("Entry")

STATED_MAX = 1_000_000
"""Largest number a sheet may state, either way."""

STATED_PARTS = 100
"""What the denominator of a stated number divides: two digits after the point (the game uses one, L13)."""

RANK_MAX = 1000
"""Highest rank of a skill; the game's own are 1 to 30 (L13)."""

WSD_MAX = 1000
"""Most counts an action may take before action points are spent."""

AMOUNT_MAX = 1_000_000_000
"""Largest number that others were summed into (a chance, damage, a pool, action points), either way."""

ROLLS_MAX = 1000
"""Most healing rolls read together."""

INCREASE_MAX = 1000
"""Largest craft or magic increase of armour; the rules themselves count little of it (1.11)."""


def within(value: Exact, path: str, low: int = -AMOUNT_MAX, high: int = AMOUNT_MAX) -> Exact:
    """Return a number from low to high."""
    if type(value) is not int and type(value) is not Fraction:
        raise InputError("must be an int or a Fraction", path=path, value=value)
    if not low <= value <= high:
        raise InputError(f"must lie between {low} and {high}", path=path, value=value)
    return value


def whole(value: int, path: str, low: int = -AMOUNT_MAX, high: int = AMOUNT_MAX) -> int:
    """Return a whole number from low to high."""
    if type(value) is not int:
        raise InputError("must be an int", path=path, value=value)
    if not low <= value <= high:
        raise InputError(f"must lie between {low} and {high}", path=path, value=value)
    return value


def stated(value: Exact, path: str, low: int = -STATED_MAX, high: int = STATED_MAX) -> Exact:
    """Return a number that a sheet states."""
    if STATED_PARTS % within(value, path, low, high).denominator:
        raise InputError("must have at most two digits after the point", path=path, value=value)
    return value


def ranked(value: Exact, path: str = "$.rank") -> Exact:
    """Return the rank of a skill, 0 for untrained."""
    return stated(value, path, 0, RANK_MAX)


def one_of(name: Name, known: Collection[str], path: str) -> Name:
    """Return a name that is among those known."""
    if name not in known:
        raise InputError(f"must be one of {', '.join(known)}", path=path, value=name)
    return name


def entry(table: Mapping[Name, Entry], name: Name, path: str) -> Entry:
    """Return what a table has under a name."""
    one_of(name, table, path)
    return table[name]
