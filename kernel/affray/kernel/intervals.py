"""How far an estimate may be from the truth: intervals that hold it 95 times in 100, as exact fractions (law 7).

Roots are taken of whole numbers and rounded outward, so an interval is never narrower than its formula says.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from math import isqrt

import msgspec

from .numbers import Exact

Z = Fraction(49, 25)
"""Standard errors to either side: 1.96, for 95 in 100."""

_FINE = 10**9
"""Parts of one to which a root is worked out."""


class Interval(msgspec.Struct, frozen=True):
    """A value, and between what it lies; an exact one is all three."""

    value: Fraction
    low: Fraction
    high: Fraction

    @classmethod
    def exactly(cls, value: Exact) -> Interval:
        """A value that is no estimate."""
        return cls(Fraction(value), Fraction(value), Fraction(value))


def share(count: int, of: int) -> Interval:
    """The probability of what came up `count` times of `of`, by Wilson's score interval. `of` is at least 1."""
    spare = Z * Z
    middle = (2 * count + spare) / Fraction(2 * (of + spare))
    half = Z * root(spare + Fraction(4 * count * (of - count), of)) / Fraction(2 * (of + spare))
    return Interval(Fraction(count, of), max(middle - half, Fraction(0)), min(middle + half, Fraction(1)))


def mean(values: Iterable[tuple[Exact, int]]) -> Interval:
    """The mean of values that came up so often each, by the normal interval of its standard error; two of them at least."""
    counted = [(Fraction(value), count) for value, count in values]
    size = sum(count for _, count in counted)
    average = sum((value * count for value, count in counted), Fraction(0)) / Fraction(size)
    squares = sum(((value - average) ** 2 * count for value, count in counted), Fraction(0))
    half = Z * root(squares / Fraction(size * (size - 1)))
    return Interval(average, average - half, average + half)


def root(value: Fraction) -> Fraction:
    """A root of a number that is not below 0, too large by at most a thousand-millionth."""
    if not value:
        return Fraction(0)
    return Fraction(isqrt(value.numerator * _FINE**2 // value.denominator) + 1, _FINE)


__all__ = ["Interval", "Z", "mean", "root", "share"]
