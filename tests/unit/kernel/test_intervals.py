"""Intervals of estimates: exact fractions, never too narrow."""

from __future__ import annotations

from fractions import Fraction
from math import isclose, sqrt

import pytest

from affray.kernel import Interval
from affray.kernel.intervals import mean, root, share


@pytest.mark.parametrize(("count", "of"), [(0, 10), (3, 10), (10, 10), (37, 400), (5000, 10_000)])
def test_a_share_lies_within_wilsons_interval(count: int, of: int) -> None:
    z, p = 1.96, count / of
    middle = (p + z * z / (2 * of)) / (1 + z * z / of)
    half = z / (1 + z * z / of) * sqrt(p * (1 - p) / of + z * z / (4 * of * of))
    found = share(count, of)
    assert Fraction(count, of) == found.value
    assert isclose(max(middle - half, 0), found.low, abs_tol=1e-8)
    assert isclose(min(middle + half, 1), found.high, abs_tol=1e-8)
    assert 0 <= found.low <= found.value <= found.high <= 1


def test_a_mean_has_its_standard_error() -> None:
    found = mean([(0, 50), (1, 50)])
    assert Fraction(1, 2) == found.value
    assert isclose(1.96 * sqrt(0.25 * 100 / (100 * 99)), found.high - found.value, abs_tol=1e-8)
    assert Interval.exactly(3) == mean([(3, 10)])


@pytest.mark.parametrize("value", [Fraction(0), Fraction(2), Fraction(1, 9), Fraction(10**20, 3)])
def test_a_root_is_never_too_small(value: Fraction) -> None:
    """Law 7: of whole numbers, rounded up."""
    assert value <= root(value) ** 2 <= value + (2 * root(value) + 1) * Fraction(1, 10**9)
