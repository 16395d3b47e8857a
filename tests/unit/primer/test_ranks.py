"""Ranks and level factors (primer.md, 1.1 and 1.2)."""

from __future__ import annotations

from fractions import Fraction
from math import ceil
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from affray.kernel import Exact, InputError
from affray.plugins.primer.bounds import RANK_MAX
from affray.plugins.primer.options import PrimerOptions
from affray.plugins.primer.ranks import (
    SECONDARIES_MAX,
    Tertiary,
    dam_bonus,
    lvf_contribution,
    lvf_pool,
    rank_row,
    rank_speed,
    secondaries,
    secondary_dam,
    tertiary,
    tertiary_rows,
)
from affray.plugins.primer.rows import points
from affray.plugins.primer.tables import LEVEL_FACTORS, LVF, RANKS

from .numbers import DEFAULTS, choices, ranks, tenths

TABLE = PrimerOptions(rank_speed_source="table")
CEIL = PrimerOptions(fractional_rank_dam="ceil")
HALF = PrimerOptions(secondary_dam="half")


def test_closed_forms_of_the_printed_rows() -> None:
    """1.1: DAM is SPD rounded up in every row, SPD the formula from rank 3, XTR 10 a rank from 13; LVF in two parts."""
    for rank, row in enumerate(RANKS, 1):
        assert row.act == row.spd
        assert row.dam == ceil(row.spd)
        assert (row.spd == Fraction(rank - 2, 2)) == (rank >= 3)
        assert row.xtr_pct == 10 * (rank - 12) or rank < 13
    assert [row.total for row in LVF[2:10]] == [Fraction(rank - 2, 2) for rank in range(3, 11)]
    assert [row.total for row in LVF[10:]] == [rank - 6 for rank in range(11, 21)]


def test_rows_above_the_table_go_on() -> None:
    """P-01."""
    assert tuple(rank_row(30)) == (14, 14, 14, 180)
    assert tuple(rank_row(21)) == (Fraction(19, 2), Fraction(19, 2), 10, 90)
    assert rank_row(RANK_MAX).dam == 499


@pytest.mark.parametrize("rank", [0, -1, RANK_MAX + 1, Fraction(3, 2)])
def test_there_is_no_other_row(rank: Any) -> None:
    with pytest.raises(InputError, match=r"^\$\.rank"):
        rank_row(rank)


@pytest.mark.parametrize(
    ("rank", "formula", "table"),
    [
        (0, -1, -1),
        (Fraction(1, 2), Fraction(-3, 4), Fraction(-3, 4)),
        (1, Fraction(-1, 2), -1),
        (Fraction(19, 10), Fraction(-1, 20), -1),
        (2, 0, Fraction(-1, 2)),
        (Fraction(29, 10), Fraction(9, 20), Fraction(-1, 2)),
        (3, Fraction(1, 2), Fraction(1, 2)),
        (Fraction(7, 2), Fraction(3, 4), Fraction(3, 4)),
        (Fraction(37, 5), Fraction(27, 10), Fraction(27, 10)),
    ],
)
def test_speed_of_a_rank(rank: Exact, formula: Exact, table: Exact) -> None:
    """P-02: the table differs at whole ranks 1 and 2 alone."""
    assert (formula, table) == (rank_speed(rank, DEFAULTS), rank_speed(rank, TABLE))


@pytest.mark.parametrize(
    ("rank", "trunc", "up"),
    [
        (0, -1, -1),
        (Fraction(1, 2), -1, -1),
        (1, -1, -1),
        (Fraction(3, 2), -1, -1),
        (2, 0, 0),
        (Fraction(21, 10), 0, 1),
        (3, 1, 1),
        (4, 1, 1),
        (Fraction(41, 10), 1, 2),
        (Fraction(49, 10), 1, 2),
        (20, 9, 9),
        (Fraction(201, 10), 9, 10),
    ],
)
def test_dam_of_a_rank(rank: Exact, trunc: int, up: int) -> None:
    """P-04: ranks below 2, and whole ones, are as printed under either."""
    assert (trunc, up) == (dam_bonus(rank, DEFAULTS), dam_bonus(rank, CEIL))


@pytest.mark.parametrize(
    ("rank", "full", "half"), [(0, 0, 0), (1, -1, 0), (2, 0, 0), (3, 1, 1), (6, 2, 1), (7, 3, 2), (9, 4, 2), (10, 4, 2)]
)
def test_dam_of_a_secondary_skill(rank: int, full: int, half: int) -> None:
    """P-13; an untrained skill is no secondary skill (P-31)."""
    assert (full, half) == (secondary_dam(rank, DEFAULTS), secondary_dam(rank, HALF))


def test_two_secondary_skills_at_most() -> None:
    assert (4, 6) == secondaries((4, 6))
    assert (6,) == secondaries((0, 6))
    with pytest.raises(InputError, match=r"^\$\.secondary_ranks: at most 2"):
        secondaries((4,) * (SECONDARIES_MAX + 1))
    with pytest.raises(InputError, match=r"^\$\.secondary_ranks\[1\]"):
        secondaries((4, -1))


@given(ranks, ranks, choices)
def test_a_higher_rank_never_gives_less(one: Exact, other: Exact, options: PrimerOptions) -> None:
    low, high = sorted((one, other))
    assert dam_bonus(low, options) <= dam_bonus(high, options)
    assert rank_speed(low, DEFAULTS) <= rank_speed(high, DEFAULTS)
    assert lvf_contribution(low) <= lvf_contribution(high)


@pytest.mark.parametrize(("rank", "contribution"), [(0, 0), (Fraction(29, 10), 0), (Fraction(109, 10), 4), (21, 15), (30, 24)])
def test_contribution_of_a_rank(rank: Exact, contribution: Exact) -> None:
    """By the whole rank; above 20 it goes on (P-01)."""
    assert contribution == lvf_contribution(rank)


def test_no_skills_make_no_pool() -> None:
    assert lvf_pool(()) == 0


@given(st.dictionaries(st.sampled_from(list(LEVEL_FACTORS)), tenths(0, 60)))
def test_tertiary_factors_are_explained(pools: Any) -> None:
    three = tertiary(pools)
    assert three == Tertiary(*[points(tertiary_rows(name, pools)) for name in ("MLF", "PLF", "TLF")])
    assert three.TLF == three.MLF + three.PLF


def test_ki_counts_twice_in_the_total_and_divinity_in_the_mental_factor() -> None:
    assert Tertiary(1, 1, 2) == tertiary({"KIF": 10})
    assert Tertiary(2, 0, 2) == tertiary({"DVF": 10})


@pytest.mark.parametrize("pools", [{"XYZ": 1}, {"PCF": Fraction(1, 3)}])
def test_a_pool_that_is_none_is_refused(pools: Any) -> None:
    with pytest.raises(InputError, match=r"^\$\.(pools|PCF): must"):
        tertiary(pools)
