"""The roundings of the system, exact. Nothing is rounded but where a rule says so (primer.md, part 1, conventions)."""

from __future__ import annotations

from fractions import Fraction
from math import ceil, floor
from typing import Literal

from affray.kernel import Exact

HALF = Fraction(1, 2)


def rounded(value: Exact, way: Literal["floor", "half_up", "ceil"]) -> int:
    """Round to a whole number: down, to the nearest with halves up, or up."""
    if way == "floor":
        return floor(value)
    return ceil(value) if way == "ceil" else floor(value + HALF)


def trunc(value: Exact) -> int:
    """Drop the fraction towards zero, as the source's TRUNC does."""
    return int(value)
