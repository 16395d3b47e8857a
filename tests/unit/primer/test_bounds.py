"""The bounds: what is at one passes, what is one past it is refused by its path (law 9)."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from affray.kernel import InputError
from affray.plugins.primer import bounds


@pytest.mark.parametrize("value", [bounds.AMOUNT_MAX, -bounds.AMOUNT_MAX, Fraction(1, 3)])
def test_an_amount_at_the_bound_passes(value: Any) -> None:
    """Law 9."""
    assert value == bounds.within(value, "$.sc")


@pytest.mark.parametrize(
    "value", [bounds.AMOUNT_MAX + 1, -bounds.AMOUNT_MAX - Fraction(1, 2), 1.5, True, "3", None]
)
def test_an_amount_past_the_bound_is_refused(value: Any) -> None:
    """Law 9 and law 7: neither too much nor inexact."""
    with pytest.raises(InputError, match=r"^\$\.sc: must "):
        bounds.within(value, "$.sc")


@pytest.mark.parametrize("value", [bounds.STATED_MAX, -bounds.STATED_MAX, Fraction(1, bounds.STATED_PARTS), Fraction(5, 4)])
def test_a_stated_number_at_the_bound_passes(value: Any) -> None:
    """Law 9."""
    assert value == bounds.stated(value, "$.STR")


@pytest.mark.parametrize("value", [bounds.STATED_MAX + 1, Fraction(1, 3), Fraction(1, 1000)])
def test_a_stated_number_past_the_bound_is_refused(value: Any) -> None:
    """Law 9."""
    with pytest.raises(InputError, match=r"^\$\.STR: must "):
        bounds.stated(value, "$.STR")


@pytest.mark.parametrize(("value", "is_good"), [(0, True), (bounds.RANK_MAX, True), (-1, False), (bounds.RANK_MAX + 1, False)])
def test_a_rank(value: int, is_good: bool) -> None:
    """Law 9."""
    if is_good:
        assert value == bounds.ranked(value)
        return
    with pytest.raises(InputError, match=r"^\$\.rank: must lie between 0 and 1000"):
        bounds.ranked(value)


@pytest.mark.parametrize("value", [0, 4, Fraction(2), True])
def test_what_is_not_a_whole_number_of_the_range_is_refused(value: Any) -> None:
    with pytest.raises(InputError, match=r"^\$\.die: must "):
        bounds.whole(value, "$.die", 1, 3)


def test_an_entry_is_looked_up_or_refused() -> None:
    assert bounds.entry({"a": 1}, "a", "$.kind") == 1
    with pytest.raises(InputError, match=r"^\$\.kind: must be one of a \(got 'b'\)$"):
        bounds.entry({"a": 1}, "b", "$.kind")


def test_a_name_that_is_unknown_is_refused_by_those_known() -> None:
    assert bounds.one_of("a", ("a", "b"), "$.kind") == "a"
    with pytest.raises(InputError, match=r"^\$\.kind: must be one of a, b \(got 'c'\)$"):
        bounds.one_of("c", ("a", "b"), "$.kind")
