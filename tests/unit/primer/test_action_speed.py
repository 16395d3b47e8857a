"""Action speed and action points (primer.md, 1.7)."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from affray.kernel import Exact, InputError
from affray.plugins.primer.action_speed import (
    available,
    best,
    buy,
    generated,
    price,
    rule,
    schedule,
    sell,
    spend,
)
from affray.plugins.primer.bounds import WSD_MAX
from affray.plugins.primer.options import PrimerOptions
from affray.plugins.primer.tables import ACTION_SPEEDS, HALF_COUNT

from .numbers import DEFAULTS, choices, quarters

KEEP = PrimerOptions(negative_act="keep")
acts = quarters(-20, 150)
speeds = st.integers(1, 60)


@pytest.mark.parametrize("wsd", ACTION_SPEEDS)
def test_the_rule_of_thumb_agrees_with_every_printed_speed_it_names(wsd: int) -> None:
    """1.7: 22 of the 39 printed entries."""
    printed = dict(ACTION_SPEEDS[wsd])
    assert dict(rule(wsd)) == {counts: printed[counts] for counts, _ in rule(wsd)}


def test_how_far_the_rule_speaks() -> None:
    named = sum(len(rule(wsd)) for wsd in ACTION_SPEEDS)
    assert (named, sum(map(len, ACTION_SPEEDS.values()))) == (22, 39)


def test_no_one_rounding_gives_what_is_printed() -> None:
    """P-32: so the printed columns are data. Of the 17 speeds inside a halving floor has 13, half up 12, ceil 11."""
    hits = {}
    for way in ("floor", "half_up", "ceil"):
        options = PrimerOptions(ap_interior=way)
        hits[way] = sum(
            reckoned == one
            for wsd, speeds in ACTION_SPEEDS.items()
            for one, reckoned in zip(speeds, generated(wsd, options), strict=True)
            if one.counts not in dict(rule(wsd))
        )
    assert hits == {"floor": 13, "half_up": 12, "ceil": 11}


@given(speeds, choices)
def test_a_schedule_lists_every_count_and_half_a_one(wsd: int, options: PrimerOptions) -> None:
    assert [one.counts for one in schedule(wsd, options)] == [*range(wsd, 0, -1), HALF_COUNT]
    assert schedule(wsd, options)[0].ap == 0


@given(speeds, choices)
def test_faster_is_dearer(wsd: int, options: PrimerOptions) -> None:
    """Strictly up to a base of 18, never cheaper above."""
    costs = [one.ap for one in schedule(wsd, options)]
    assert costs == sorted(costs)
    assert wsd > 18 or len(set(costs)) == len(costs)
    assert costs[1] >= 1


@given(speeds, choices)
def test_a_schedule_has_the_price_of_every_break_point(wsd: int, options: PrimerOptions) -> None:
    assert set(rule(wsd)) <= set(schedule(wsd, options))


@pytest.mark.parametrize(
    ("wsd", "costs"),
    [
        (1, (0, 40)),
        (2, (0, 10, 50)),
        (3, (0, 8, 28, 68)),
        (5, (0, 4, 8, 24, 44, 84)),
        (9, (0, 2, 4, 6, 8, 16, 24, 44, 64, 104)),
        (12, (0, 1, 3, 5, 6, 8, 10, 16, 23, 30, 50, 70, 110)),
    ],
)
def test_unprinted_columns(wsd: int, costs: tuple[int, ...]) -> None:
    """The examples of 1.7."""
    assert costs == tuple(one.ap for one in schedule(wsd, DEFAULTS))


def test_a_printed_column_is_taken_as_it_is() -> None:
    assert schedule(14, DEFAULTS) is ACTION_SPEEDS[14]
    assert [one.ap for one in schedule(14, DEFAULTS)][:4] == [0, 1, 2, 5]
    assert [one.ap for one in generated(14, DEFAULTS)][:4] == [0, 1, 2, 4]


@pytest.mark.parametrize("wsd", [0, WSD_MAX + 1, Fraction(1, 2)])
def test_a_base_speed_is_whole_counts(wsd: Any) -> None:
    """Law 9: at the bound there is a schedule."""
    assert len(schedule(WSD_MAX, DEFAULTS)) == WSD_MAX + 1
    for reads in (rule, lambda wsd: schedule(wsd, DEFAULTS), lambda wsd: generated(wsd, DEFAULTS)):
        with pytest.raises(InputError, match=r"^\$\.wsd"):
            reads(wsd)


# -- spending


@given(speeds, acts, choices)
def test_the_best_speed_is_the_fastest_that_can_be_paid(wsd: int, act: Exact, options: PrimerOptions) -> None:
    found = best(wsd, act, options)
    paid = [one for one in schedule(wsd, options) if spend(wsd, one.counts, act, options) is not None]
    assert found.speed == paid[-1].counts
    assert found == spend(wsd, found.speed, act, options)
    assert found.cost + found.left == available(act, options)
    assert found.left_whole <= found.left < found.left_whole + 1


def test_no_speed_that_is_too_dear_or_does_not_exist() -> None:
    assert spend(10, 5, 10, DEFAULTS) == (5, 10, 0, 0)
    assert spend(10, 5, Fraction(99, 10), DEFAULTS) is None
    assert spend(10, 11, 100, DEFAULTS) is None
    assert (price(10, HALF_COUNT, DEFAULTS), price(10, Fraction(3, 2), DEFAULTS)) == (106, None)


def test_a_debt_is_0_or_stays() -> None:
    """P-25: the base speed can be had all the same."""
    act = Fraction(-7, 2)
    assert best(10, act, DEFAULTS) == (10, 0, 0, 0)
    assert best(10, act, KEEP) == (10, 0, act, -4)
    assert spend(10, 9, act, KEEP) is None


# -- trading


@given(st.integers(0, 200), st.sampled_from(["sc", "dam", "passive"]), quarters(-20, 120))
def test_a_sale_never_doubles_more_than_the_base(ap: int, what: Any, base: Exact) -> None:
    """P-36, P-91."""
    bonus = sell(ap, what, base)
    assert 0 <= bonus <= max(base, 0)
    assert bonus == min(sell(ap, what), max(base, 0))


@given(st.integers(1, 200))
def test_round_trips_lose(ap: int) -> None:
    """1.7: what AP bring buys fewer of them back."""
    assert sell(ap, "sc") < buy(ap).sc
    assert sell(ap, "dam") < buy(ap).dam
    assert buy(ap).negative_init == ap


@pytest.mark.parametrize("ap", [-1, Fraction(1, 2)])
def test_whole_ap_are_traded(ap: Any) -> None:
    """P-38."""
    for trades in (lambda: sell(ap, "sc"), lambda: buy(ap)):
        with pytest.raises(InputError, match=r"^\$\.ap"):
            trades()


def test_what_ap_do_not_buy() -> None:
    what: Any = "speed"
    with pytest.raises(InputError, match=r"^\$\.what: must be one of sc, dam, passive"):
        sell(1, what)
