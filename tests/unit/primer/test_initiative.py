"""Initiative (primer.md, 1.6)."""

from __future__ import annotations

from fractions import Fraction
from math import ceil
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from affray.kernel import Exact, InputError, Row
from affray.plugins.primer.initiative import count_of, initiative, speed_rows
from affray.plugins.primer.options import PrimerOptions
from affray.plugins.primer.rows import points

from .numbers import DEFAULTS, choices, quarters, ranks, tenths

MODS = (Row("surprise", -3, "fight"), Row("reflexes", "1/2", "sheet"))
DAZED = (Row("dazed", 4, "fight"),)
dice = st.tuples(st.integers(1, 6), st.integers(1, 6))


def test_a_speed_names_its_terms() -> None:
    rows = speed_rows("mental", dsc=12, other=15, psm=-5, factor=6, tlf=10)
    assert [("DSC", 6), ("INT", "15/2"), ("average", -10), ("PSM", -5), ("MLF", 2), ("TLF", "1/2")] == [
        (row.code, row.amount) for row in rows
    ]
    assert "AGL" in [row.code for row in speed_rows("physical", dsc=12, other=15, psm=-5, factor=6, tlf=10)]


@given(quarters(-20, 30), tenths(0, 60), ranks, dice, st.lists(ranks, max_size=2), st.sampled_from([(), MODS]), st.booleans(), choices)
def test_the_rows_add_up_and_the_terms_are_the_formulas(
    spd: Exact, lvf: Exact, rank: Exact, dice: Any, seconds: Any, mods: Any, is_dazed: bool, options: PrimerOptions
) -> None:
    state = DAZED if is_dazed else ()
    found = initiative(
        spd=spd, lvf=lvf, rank=rank, dice=dice, secondary_ranks=seconds, mods=mods, state=state, options=options
    )
    assert found.lvf_term == Fraction(lvf, 10)
    assert found.init_mod == Fraction(spd, 2) + found.lvf_term + found.rank_term + found.mods + found.secmods
    assert found.init == sum(dice) - found.init_mod + found.state_init
    assert found.act == Fraction(spd, 2) + found.lvf_term + found.rank_term + max(0, -found.init)
    assert (found.init, found.act) == (points(found.init_rows), points(found.act_rows))
    assert found.excess == max(0, -found.init)
    assert (found.mods, found.state_init) == (points(mods), points(state))


@given(quarters(-20, 30), tenths(0, 60), ranks, dice)
def test_a_point_of_speed_is_half_a_count_and_beyond_0_a_whole_ap(spd: Exact, lvf: Exact, rank: Exact, dice: Any) -> None:
    """1.6: 1/2 in ACT, and 1/2 more through the excess."""
    before, after = [
        initiative(spd=spd + more, lvf=lvf, rank=rank, dice=dice, options=DEFAULTS) for more in (0, 1)
    ]
    assert before.init - after.init == Fraction(1, 2)
    assert before.init > 0 or after.act - before.act == 1
    assert after.init < 0 or after.act - before.act == Fraction(1, 2)


def test_what_is_gained_through_the_excess() -> None:
    """P-27: modifiers and secondary skills reach ACT only where INIT is below 0."""
    fields: Any = {"spd": 10, "lvf": 20, "rank": 6, "options": DEFAULTS}
    plain = initiative(dice=(1, 1), **fields)
    helped = initiative(dice=(1, 1), mods=(Row("charm", 3, "fight"),), secondary_ranks=(6,), **fields)
    assert (plain.init, plain.act) == (-7, 9 + 7)
    assert helped.act - plain.act == 3 + 1
    slow = initiative(dice=(6, 6), mods=(Row("charm", 3, "fight"),), **fields)
    assert (slow.init, slow.act) == (0, 9)


def test_a_sheet_whose_level_factor_holds_the_speed() -> None:
    """P-28: the printed number stands for both terms."""
    both = initiative(spd=4, lvf=30, rank=6, dice=(3, 4), options=DEFAULTS)
    one = initiative(spd=4, lvf=30, rank=6, dice=(3, 4), lvf_spd=5, options=DEFAULTS)
    assert (both.init, both.act) == (one.init, one.act)
    assert [row.code for row in one.act_rows] == ["level-factor-speed", "rank"]
    assert one.lvf_term == 5


@given(quarters(-30, 30))
def test_nobody_declares_before_his_time(init: Exact) -> None:
    """P-24."""
    counts = {way: count_of(init, PrimerOptions(init_to_count=way)) for way in ("floor", "half_up", "ceil")}
    assert counts["ceil"] == max(0, ceil(init)) >= init
    assert 0 <= counts["floor"] <= counts["half_up"] <= counts["ceil"] <= counts["floor"] + 1


@pytest.mark.parametrize(
    ("dice", "path"), [((3,), r"\$\.dice:"), ((3, 4, 5), r"\$\.dice:"), ((3, 7), r"\$\.dice\[1\]:"), ((0, 1), r"\$\.dice\[0\]:")]
)
def test_init_takes_two_d6(dice: Any, path: str) -> None:
    with pytest.raises(InputError, match=path):
        initiative(spd=0, lvf=0, rank=5, dice=dice, options=DEFAULTS)
