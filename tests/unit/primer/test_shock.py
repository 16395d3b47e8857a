"""System shock, states, healing, crippling (primer.md, 1.9 and 1.10)."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from affray.kernel import Exact, InputError
from affray.plugins.primer.bounds import ROLLS_MAX
from affray.plugins.primer.chance import success_level
from affray.plugins.primer.options import PrimerOptions
from affray.plugins.primer.shock import (
    LASTING,
    RECOVERED,
    REVIVAL_MOD,
    Duration,
    Standing,
    area_check,
    cascade,
    healing,
    penalty,
    quarters,
    save_mods,
    shock_check,
    shock_duration,
    shock_result,
    state_at,
    state_change,
    state_interrupts,
)
from affray.plugins.primer.tables import EXERTION, STATES, StateName

from .numbers import DEFAULTS, choices
from .numbers import quarters as in_quarters

INCLUSIVE = PrimerOptions(shock_first_breakpoint="inclusive")
SAVES = PrimerOptions(shock_penalty="saves_section")
states = st.sampled_from(list(STATES))
taken = in_quarters(0, 100)


# -- the roll


@pytest.mark.parametrize(
    ("amount", "strict", "inclusive"),
    [(0, 0, 0), (10, 0, 1), (Fraction(101, 10), 1, 1), (20, 2, 2), (29, 2, 2), (30, 3, 3), (40, 4, 4), (50, 5, 5), (61, 6, 6)],
)
def test_quarters_of_40(amount: Exact, strict: int, inclusive: int) -> None:
    """P-60."""
    assert (strict, inclusive) == (quarters(amount, 40, DEFAULTS), quarters(amount, 40, INCLUSIVE))


@given(taken, taken, st.integers(1, 50), choices)
def test_quarters_never_skip_backward(one: Exact, other: Exact, maximum: int, options: PrimerOptions) -> None:
    low, high = sorted((one, other))
    found = shock_check(maximum=maximum, before=low, after=high, options=options)
    assert found.quarters_before <= found.quarters_after
    assert found.roll_needed == (found.quarters_before < found.quarters_after)
    assert found.penalty == penalty(found.quarters_after, options)


@pytest.mark.parametrize(("passed", "damage", "saves"), [(0, 0, 0), (1, 0, -1), (2, -1, -2), (4, -3, -4), (6, -5, -6)])
def test_what_quarters_cost(passed: int, damage: int, saves: int) -> None:
    """P-59."""
    assert (damage, saves) == (penalty(passed, DEFAULTS), penalty(passed, SAVES))


def test_a_pool_may_be_less_than_a_point() -> None:
    assert quarters(Fraction(1, 4), Fraction(1, 2), DEFAULTS) == 2


@pytest.mark.parametrize("fields", [{"maximum": 0}, {"maximum": -4}, {"before": -1}, {"after": -1}])
def test_what_is_no_pool_is_refused(fields: Any) -> None:
    with pytest.raises(InputError, match=r"^\$\.(maximum|taken): must"):
        shock_check(**{"maximum": 40, "before": 0, "after": 1, "options": DEFAULTS, **fields})


@given(st.integers(-9, 9))
def test_the_state_of_a_level(final: int) -> None:
    """P-69, and every level of -5 or less is death."""
    state = state_at(final)
    assert STATES[state].sl == min(max(final, -5), 1)


@given(in_quarters(0, 150), st.integers(1, 100), st.integers(-5, 0), st.sampled_from([0, -15, -60]), st.sampled_from(list(EXERTION)), choices)
def test_penalty_and_exertion_change_the_level_and_modifiers_the_chance(
    sys: Exact, roll: int, passed: int, mods: int, exertion: Any, options: PrimerOptions
) -> None:
    found = shock_result(
        sys=sys, roll=roll, shock_penalty=passed, action_mods=mods, exertion=EXERTION[exertion], options=options
    )
    assert found.sc == sys + mods
    assert found.base_sl == success_level(sys + mods, roll, options)
    assert found.final_sl == found.base_sl + passed + EXERTION[exertion]
    assert found.state == state_at(found.final_sl)


def test_a_plain_roll_has_neither_penalty_nor_modifier() -> None:
    found = shock_result(sys=50, roll=60, options=DEFAULTS)
    assert (found.sc, found.base_sl, found.final_sl) == (50, 0, 0)
    assert shock_duration("dead", drv=15, die=1) == Duration("minutes", 4)


def test_a_penalty_is_0_or_less() -> None:
    with pytest.raises(InputError, match=r"^\$\.shock_penalty: must"):
        shock_result(sys=50, roll=60, shock_penalty=1, options=DEFAULTS)


def test_the_dead_may_roll_once_more() -> None:
    """P-67: at -60 beside the quarters' penalty; a level above -5 brings them back."""
    found = shock_result(sys=90, roll=5, action_mods=REVIVAL_MOD, shock_penalty=-3, options=DEFAULTS)
    assert (found.sc, found.base_sl, found.final_sl, found.state) == (30, 3, 0, "dazed")


@pytest.mark.parametrize(("save", "all_saves", "sys_only"), [("SYS", -15, -15), ("HLTH", -15, 0), ("AGL", -15, 0)])
def test_which_saves_take_the_modifiers_of_a_state(save: str, all_saves: int, sys_only: int) -> None:
    """P-92."""
    told = [save_mods(save, -15, PrimerOptions(state_mods_on_saves=one)) for one in ("all_saves", "sys_only")]
    assert told == [all_saves, sys_only]


# -- how long


@given(st.integers(0, 60))
def test_a_worse_stun_lasts_twice_as_long(drv: int) -> None:
    """P-68: and none less than 0."""
    dazed, stunned, twice = [shock_duration(state, drv=drv) for state in LASTING[:3]]
    assert dazed == Duration("counts", max(0, 40 - drv))
    assert (stunned.amount, twice.amount) == (2 * dazed.amount, 4 * dazed.amount)


@pytest.mark.parametrize(
    ("unit", "amount", "counts"), [("counts", 7, 7), ("minutes", 2, 600), ("hours", 1, 18000), ("minutes", Fraction(1, 5), 60)]
)
def test_counts_of_a_duration(unit: Any, amount: Exact, counts: Exact) -> None:
    assert counts == Duration(unit, amount).counts


@pytest.mark.parametrize(
    ("state", "die"), [("unconscious", 0), ("unconscious", 101), ("comatose", 0), ("dead", 0), ("dead", 5)]
)
def test_a_duration_takes_the_die_of_its_state(state: Any, die: int) -> None:
    with pytest.raises(InputError, match=r"^\$\.die: must lie between 1 and (100|4)"):
        shock_duration(state, drv=10, con=10, die=die)


@given(st.sampled_from(RECOVERED), st.integers(0, 500), st.integers(0, 90), st.sampled_from(["counts", "minutes", "hours"]))
def test_a_recovery_goes_through_every_milder_state_for_as_long_as_the_first(
    state: StateName, start: int, amount: int, unit: Any
) -> None:
    """P-64."""
    length = Duration(unit, amount).counts
    found = cascade(state, start=start, duration=Duration(unit, amount))
    assert [one.state for one in found] == [*RECOVERED[: RECOVERED.index(state) + 1]][::-1]
    assert [one.until - one.start for one in found] == [length] * len(found)
    assert [one.start for one in found] == [start, *[one.until for one in found[:-1]]]


def test_a_coma_ends_in_four_milder_states() -> None:
    found = cascade("comatose", start=0, duration=Duration("counts", 3))
    assert ["comatose", "unconscious", "2x-stunned", "stunned", "dazed"] == [one.state for one in found]


@pytest.mark.parametrize("state", ["dead", "no-effect", "asleep"])
def test_nobody_recovers_from_another_state(state: Any) -> None:
    with pytest.raises(InputError, match=r"^\$\.state: must be one of dazed,"):
        cascade(state, start=0, duration=Duration("counts", 1))


def test_no_effect_does_not_last() -> None:
    with pytest.raises(InputError, match=r"^\$\.state"):
        shock_duration("no-effect", drv=10)
    assert (*LASTING,) == tuple(STATES)[1:]


# -- what a state does


@given(states, st.integers(0, 90), states, st.integers(0, 90))
def test_of_two_states_the_worse_stands_with_its_own_end(one: StateName, until: int, other: StateName, then: int) -> None:
    """P-65."""
    found = state_change(Standing(one, until), Standing(other, then))
    worse = STATES[other].sl <= STATES[one].sl
    assert found == (Standing(other, then) if worse else Standing(one, until))


@pytest.mark.parametrize(
    ("option", "told"), [(False, ["unconscious", "comatose", "dead"]), (True, ["stunned", "2x-stunned", "unconscious", "comatose", "dead"])]
)
def test_which_states_cancel_a_running_action(option: bool, told: list[str]) -> None:
    """P-66."""
    assert told == [name for name in STATES if state_interrupts(name, PrimerOptions(stun_interrupts=option))]


@pytest.mark.parametrize("reads", [lambda name: state_interrupts(name, DEFAULTS), lambda name: state_change(Standing(name, 0), Standing("dazed", 0))])
def test_a_state_that_is_none_is_refused(reads: Any) -> None:
    with pytest.raises(InputError, match=r"^\$\.(state|current): must be one of no-effect,"):
        reads("DAZED")


# -- healing and crippling


@given(in_quarters(0, 120), st.lists(st.integers(1, 100), max_size=6), choices)
def test_healing_rolls_after_the_first_are_at_10_once(hlth: Exact, rolls: list[int], options: PrimerOptions) -> None:
    """P-94."""
    found = healing(hlth=hlth, rolls=rolls, options=options)
    assert [one.sc for one in found] == [hlth + (10 if index else 0) for index in range(len(rolls))]
    assert [one.is_healed for one in found] == [one.sl >= 1 for one in found]
    assert [one.sl for one in found] == [success_level(one.sc, roll, options) for one, roll in zip(found, rolls, strict=True)]


def test_so_many_healing_rolls_at_most() -> None:
    """Law 9."""
    assert len(healing(hlth=50, rolls=(50,) * ROLLS_MAX, options=DEFAULTS)) == ROLLS_MAX
    with pytest.raises(InputError, match=r"^\$\.rolls: at most"):
        healing(hlth=50, rolls=(50,) * (ROLLS_MAX + 1), options=DEFAULTS)


@pytest.mark.parametrize(("htk", "area_taken", "told"), [(15, Fraction(15, 2), False), (15, Fraction(76, 10), True), (0, 0, False), (0, 1, True)])
def test_an_area_past_half_of_its_htk(htk: Exact, area_taken: Exact, told: bool) -> None:
    """P-70."""
    assert told == area_check(area_htk=htk, area_taken=area_taken)
