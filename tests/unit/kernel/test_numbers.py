"""Exact numbers to and from the log (law 7, case STORE-3)."""

from __future__ import annotations

import time
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from affray.kernel import InputError, exact, is_number, moment, number, total
from affray.kernel.limits import NUMBER_MAX

TOP = NUMBER_MAX


@pytest.mark.parametrize("value", [0, 1, -1, TOP, -TOP, "1/2", "-1/2", f"{TOP}/2", f"-{TOP}/{TOP - 1}", f"1/{TOP}"])
def test_a_number_of_the_log_comes_back_as_it_was(value: Any) -> None:
    """Law 7: an int, or p/q in lowest terms, within 2^53 - 1."""
    assert value == number(exact(value))
    assert is_number(value)


NO_NUMBERS: list[Any] = [
    TOP + 1, -TOP - 1, 2**63, 2**64, 10**5000,
    0.0, -0.0, 1.0, 0.5, float("nan"), float("inf"), 1e308,
    True, False, None, b"1/2", [1], (1, 2), Fraction(1, 2), object(),
    "", "1", "0", "1.5", "14.08", "1e2", "NaN", "Infinity", "1e999", "one",
    "2/4", "0/2", "1/1", "1/0", "-0/3", "1/-2", "+1/2", "01/2", "1/02", " 1/2", "1/2 ", "1 /2", "1/2/3", "½", "١/٢", "1/2\n",
    f"{TOP + 1}/2", f"1/{TOP + 1}", "9" * 5000 + "/2", "1/" + "9" * 5000,
]  # fmt: skip


@pytest.mark.parametrize("value", NO_NUMBERS, ids=lambda v: repr(v)[:20] if not isinstance(v, int) or abs(v) < 2**70 else "huge")
def test_what_is_no_number(value: Any) -> None:
    """STORE-3: NaN, floats, booleans and what a browser would bend are refused; so is a second way to write a number."""
    assert not is_number(value)
    with pytest.raises(InputError):
        exact(value)


@pytest.mark.parametrize("value", [0.5, True, None, "1/2", Fraction(TOP + 1), Fraction(1, TOP + 1), TOP + 1, -TOP - 1, Fraction(TOP + 2, 2)])
def test_what_a_system_cannot_write(value: Any) -> None:
    with pytest.raises(InputError):
        number(value)


def test_whole_fractions_are_written_as_ints() -> None:
    assert (number(Fraction(4, 2)), type(number(Fraction(4, 2)))) == (2, int)
    assert number(Fraction(2, 4)) == "1/2"


def test_a_long_text_is_refused_at_once() -> None:
    """Reading it with `Fraction(text)` could take minutes: a short exponent is a long number."""
    start = time.perf_counter()
    for text in ("1e999999999", "1/1e999999999", "9" * 1_000_000, "1/" + "9" * 1_000_000):
        assert not is_number(text)
    assert time.perf_counter() - start < 0.1


def test_a_refusal_shows_what_it_got_and_stays_short() -> None:
    with pytest.raises(InputError) as error:
        exact("9" * 5000)
    assert len(str(error.value)) < 250
    with pytest.raises(InputError):
        exact(10**5000)


ratios = st.fractions(min_value=-1000, max_value=1000, max_denominator=999)


@given(st.lists(ratios, max_size=8))
def test_adding_is_exact(values: list[Fraction]) -> None:
    assert sum(values, Fraction(0)) == total([number(value) for value in values])


@given(ratios)
def test_every_fraction_has_one_spelling(value: Fraction) -> None:
    spelt = number(value)
    assert value == exact(spelt)
    assert isinstance(spelt, int) == (value.denominator == 1)


@given(st.lists(st.lists(ratios, max_size=3), min_size=2, max_size=2))
def test_moments_compare_part_by_part(moments: list[list[Fraction]]) -> None:
    """Law 8: a total order over tuples of exact numbers, whatever mixture of ints and fractions."""
    first, second = (tuple(number(part) for part in when) for when in moments)
    assert (moments[0] < moments[1]) == (moment(first) < moment(second))
