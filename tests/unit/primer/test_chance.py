"""Success chance, success level, contest (primer.md, 1.3 to 1.5)."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from affray.kernel import Exact, InputError, Row
from affray.plugins.primer.chance import (
    Band,
    bands,
    contest,
    critical_effect,
    defends,
    difference,
    success_chance,
    success_level,
)
from affray.plugins.primer.options import PrimerOptions
from affray.plugins.primer.rows import points
from affray.plugins.primer.tables import AWARENESS, DIFFICULTIES

from .numbers import DEFAULTS, choices, quarters, ranks, tenths

faces = st.integers(1, 100)
chances = quarters(-120, 260)


@given(
    st.lists(tenths(-20, 30), max_size=3),
    ranks,
    tenths(0, 80),
    st.sampled_from(list(DIFFICULTIES)),
    tenths(-20, 120),
    st.lists(ranks, max_size=2),
    choices,
)
def test_every_term_of_a_chance_is_a_row(
    stats: Any, rank: Exact, lvf: Exact, difficulty: Any, opponent: Exact, seconds: Any, options: PrimerOptions
) -> None:
    mods = (Row("range", -5, "fight"), Row("sword", "1/2", "sheet"))
    found = success_chance(
        stats=stats,
        rank=rank,
        lvf=lvf,
        difficulty=difficulty,
        opponent=opponent,
        mods=mods,
        secondary_ranks=seconds,
        options=options,
    )
    assert found.fsc == found.bsc + found.lvf_used - found.diff + found.mods + found.secmods
    assert found.fsc == points(found.rows)
    assert 0 <= found.lvf_used <= max(found.bsc, 0)
    assert lvf == found.lvf_used or found.lvf_used == max(found.bsc, 0)
    assert -1 < found.bsc - found.bsc_raw < 1
    codes = [row.code for row in found.rows]
    assert 0 not in [row.amount for row in found.rows]
    assert ("untrained" in codes) == (not rank and found.sb != 0)
    assert ("level-factor-cap" in codes) == (found.lvf_used != lvf)


def test_rows_of_the_source_example() -> None:
    """L43: 22.5, rounded to 23, and so much of 50 points of INF."""
    found = success_chance(stats=(15,), rank=0, lvf=50, options=DEFAULTS)
    assert [
        ("stat-base", 45),
        ("untrained", "-45/2"),
        ("rounded", "1/2"),
        ("level-factor", 50),
        ("level-factor-cap", -27),
    ] == [(row.code, row.amount) for row in found.rows]
    assert found.fsc == 46


@pytest.mark.parametrize(
    "fields",
    [
        {"stats": (10, 10, 10, 10)},
        {"stats": (Fraction(1, 3),)},
        {"rank": -1},
        {"lvf": "20"},
        {"difficulty": "Hard"},
        {"opponent": 2**60},
        {"secondary_ranks": (1, 2, 3)},
    ],
    ids=lambda fields: next(iter(fields)),
)
def test_what_is_no_chance_is_refused_by_its_path(fields: Any) -> None:
    (name,) = fields
    with pytest.raises(InputError, match=rf"^\$\.{name}"):
        success_chance(**{"stats": (10,), "rank": 5, "lvf": 0, "options": DEFAULTS, **fields})


# -- success level


def test_levels_of_a_chance_of_60() -> None:
    """1.4: every face, as a distribution over a hundred."""
    told = [(1, 4, 4), (5, 14, 3), (15, 29, 2), (30, 60, 1), (61, 99, 0), (100, 100, -1)]
    assert told == [(one.first, one.last, one.sl) for one in bands(60, DEFAULTS)]
    counted = Counter(success_level(60, roll, DEFAULTS) for roll in range(1, 101))
    assert counted == {4: 4, 3: 10, 2: 15, 1: 31, 0: 39, -1: 1}


@given(chances, choices)
def test_bands_are_what_every_roll_gives(sc: Exact, options: PrimerOptions) -> None:
    found = bands(sc, options)
    spread = [one.sl for one in found for _ in range(one.first, one.last + 1)]
    assert spread == [success_level(sc, roll, options) for roll in range(1, 101)]
    assert [one.first for one in found] == [1, *[one.last + 1 for one in found[:-1]]]
    assert found[-1].last == 100


@given(chances, faces, faces, choices)
def test_a_higher_roll_never_gives_more(sc: Exact, one: int, other: int, options: PrimerOptions) -> None:
    low, high = sorted((one, other))
    assert success_level(sc, high, options) <= success_level(sc, low, options)


@given(chances, chances, faces, choices)
def test_a_higher_chance_never_gives_less(one: Exact, other: Exact, roll: int, options: PrimerOptions) -> None:
    low, high = sorted((one, other))
    assert success_level(low, roll, options) <= success_level(high, roll, options)


@given(chances)
def test_levels_from_3_up_and_from_minus_1_down_are_bands_of_ten(sc: Exact) -> None:
    """1.4: all but the band at either end of the die."""
    inner = bands(sc, DEFAULTS)[1:-1]
    assert [band for band in inner if (band.sl >= 3 or band.sl <= -1) and length(band) != 10] == []


def length(band: Band) -> int:
    return band.last - band.first + 1


@given(chances, faces)
def test_a_critical_miss_needs_a_chance_of_60_or_less(sc: Exact, roll: int) -> None:
    assert success_level(sc, roll, DEFAULTS) >= 0 or sc <= 60


@given(chances, faces, choices)
def test_thresholds_are_exact(sc: Exact, roll: int, options: PrimerOptions) -> None:
    level = success_level(sc, roll, options)
    if roll != sc:
        assert (level >= 1) == (roll < sc)
        assert (level >= 2) == (2 * roll < sc and roll < sc)
        assert (level >= 3) == (4 * roll < sc and roll < sc)
    if roll != sc + 40:
        assert (level <= -1) == (roll > sc + 40)


@pytest.mark.parametrize("roll", [0, 101, True])
def test_a_roll_is_1_to_100(roll: int) -> None:
    with pytest.raises(InputError, match=r"^\$\.roll"):
        success_level(50, roll, DEFAULTS)
    with pytest.raises(InputError, match=r"^\$\.roll"):
        difference(50, roll)
    with pytest.raises(InputError, match=r"^\$\.roll"):
        critical_effect(-1, roll)


def test_the_difference_is_what_the_roll_is_above_the_chance() -> None:
    """P-18."""
    assert difference(Fraction(388, 5), 18) == Fraction(-298, 5)


# -- the rest


@pytest.mark.parametrize("sl", [0, 2])
def test_only_a_critical_miss_has_a_critical_effect(sl: int) -> None:
    with pytest.raises(InputError, match=r"^\$\.sl"):
        critical_effect(sl, 50)


@given(st.integers(-9, 9), st.integers(-9, 9))
def test_a_contest_does_not_depend_on_who_is_named_first(one: int, other: int) -> None:
    there, back = contest(one, other), contest(other, one)
    assert there.sl == back.sl == abs(one - other)
    assert {there.winner, back.winner} == ({None} if one == other else {"a", "b"})
    assert one == other or there.winner == ("a" if one > other else "b")


def test_only_the_aware_and_defending_defend() -> None:
    """P-93."""
    assert [name for name in AWARENESS if defends(name)] == ["aware-defending"]
