"""Time: reactions and their order, what is pending, what a state does to it, who perceives something when, and how it ends."""

from __future__ import annotations

from typing import Any

import pytest

from affray.kernel import (
    ApplyDamage,
    Change,
    Close,
    Condition,
    Done,
    Held,
    Judge,
    Order,
    Roll,
    Row,
    SetCondition,
    SetOrder,
    Turn,
    Wait,
    exact,
    total,
)

from ...support.table import must
from .table import SLOW, SWORD, Sheet, Table, duel, struck

BODY = 30


def party(*faces: int, sides: str = "rbb", fields: dict[str, Any] | None = None, **how: Any) -> Table:
    """Ann, Bob and Cy on the sides named; each reacts with the next two faces."""
    table = Table(*faces, **how)
    for who, side in zip(("ann", "bob", "cy", "dee"), sides, strict=False):
        table.join(who, side, **(fields or {}))
    table.begin()
    return table


def seats(table: Table) -> list[tuple[str, Any]]:
    """Who comes next, and at which count."""
    return [(entry.who, entry.when[0]) for entry in sorted(table.state.agenda.values(), key=lambda e: tuple(map(exact, e.when)))]


# -- reacting


def test_everybody_perceives_the_beginning_in_the_order_of_joining() -> None:
    table = party(1, 1, 6, 5, 3, 3)
    assert table.stimuli == [(0, "ann"), (0, "bob"), (0, "cy")]
    (order,) = table.found(Order, "stimulus")
    assert [entry.who for entry in order.entries] == ["ann", "bob", "cy"]
    assert [event.by for event in table.found(Roll, "initiative")] == ["ann", "bob", "cy"]
    assert table.turn == "ann"
    assert seats(table) == [("cy", 6), ("bob", 11)]
    table.verify()


def test_an_initiative_explains_init_act_and_the_count() -> None:
    table = duel()
    judged = table.found(Judge, "initiative")[0]
    assert (judged.goal, judged.margin, judged.code) == ("157/120", 0, "waits")
    assert judged.trace == (
        Row("dice", 2, "roll"),
        Row("speed", "277/120", "sheet"),
        Row("level-factor", -1, "sheet"),
        Row("rank", -2, "sheet"),
    )
    order = table.found(Order, "reaction")[0]
    assert total(row.amount for row in order.trace) == order.entries[0].when[0] == 2
    assert table.pool("ann", "act") == "83/120"


def test_what_init_has_below_zero_goes_to_the_points() -> None:
    table = duel(first={"factors": {"PCF": 60}, "skills": {"sword": {"rank": 20, "factor": "PCF"}}})
    judged, change = table.found(Judge, "initiative")[0], table.found(Change, "action-points")[0]
    assert judged.code == "at-once"
    assert exact(judged.goal) < 0
    assert exact(judged.margin) == -exact(judged.goal)
    assert {row.code: row.amount for row in change.trace}["excess"] == judged.margin
    assert (table.turn, table.state.at[:3]) == ("ann", (0, 1, 1))


def test_a_negative_act_is_no_points_or_a_debt() -> None:
    table = duel()
    assert table.pool("bob", "act") == 0
    assert {row.code: row.amount for row in table.last(Change, "action-points").trace}["no-debt"] == "1117/120"
    table = duel(options={"negative_act": "keep"})
    assert table.pool("bob", "act") == "-1117/120"


def test_a_debt_is_to_be_bought_up_first() -> None:
    table = Table(1, 1, 6, 5, options={"negative_act": "keep"})
    table.join("ann", "red", **SLOW)
    table.join("bob", "blue", race={"PSM": -100})
    table.begin()
    refused = table.attack("ann", "bob", ap_sold={"sc": 1})
    assert refused is not None
    assert (refused.code, refused.args) == ("not-enough-points", (1, "-1117/120"))
    assert table.attack("ann", "bob", speed=7, ap_bought={"sc": 11}) is not None
    assert table.attack("ann", "bob", speed=7, ap_bought={"sc": 12}) is None


def test_points_left_over_lapse_at_the_next_reaction() -> None:
    table = struck(71)
    rows = [{row.code: row.amount for row in event.trace} for event in table.found(Change, "action-points")]
    assert rows[-1]["left-over"] == "-83/120"
    assert table.pool("ann", "act") == "83/120"


def test_of_several_skills_one_is_asked_for_and_fixes_the_initiative() -> None:
    skills = {
        "sword": {"rank": 6, "factor": "PCF"},
        "magic": {"rank": 12, "factor": "SCF"},
        "Resilience": {"rank": 5},
        "Lifting": {"rank": 5, "kind": "physical"},
    }
    table = Table(1, 1, 6, 5)
    table.join("ann", "red", skills=skills)
    table.join("bob", "blue")
    table.begin()
    assert table.asked == [("ann", "react")]
    assert list(table.options()) == ["Lifting", "magic", "sword"]
    table.answer("magic")
    assert {row.code: row.amount for row in table.found(Judge, "initiative")[0].trace}["rank"] == -5
    assert table.state.combatants["ann"].conditions["reaction"].source == "magic"
    table.verify()


def test_nobody_reacts_without_a_skill_or_after_leaving() -> None:
    table = Table(6, 5)
    table.join("ann", "red", skills={}, weapons=[])
    table.join("bob", "blue")
    table.begin()
    assert seats(table) == []
    assert table.turn == "bob"
    assert not table.session.actions("ann") or "react" not in [form.name for form in table.session.actions("ann")]
    skills = {"sword": {"rank": 6, "factor": "PCF"}, "axe": {"rank": 5, "factor": "PCF"}}
    table = Table(6, 5, 6, 5)
    table.join("ann", "red", skills=skills, weapons=[])
    table.join("bob", "blue")
    table.join("cy", "red")
    table.begin()
    must(table.session.leave("ann"))
    assert [event.by for event in table.found(Roll, "initiative")] == ["bob", "cy"]
    table.verify()


# -- who is first in one count


def test_of_one_count_the_lower_init_declares_first_and_then_who_joined_first() -> None:
    table = Table(1, 2, 1, 2, 1, 2)
    table.join("ann", "red")
    table.join("bob", "blue", factors={"PCF": 12})
    table.join("cy", "red")
    table.begin()
    assert (table.turn, seats(table)) == ("bob", [("ann", 3), ("cy", 3)])
    ranks = [exact(entry.when[3]) for entry in table.state.agenda.values()]
    assert all(rank > 0 for rank in ranks)
    table.attack("bob", "ann")
    assert table.turn == "ann"
    table.attack("ann", "bob")
    assert table.turn == "cy"
    table.attack("cy", "bob")
    assert [event.when[:3] for event in table.found(Wait, "resolve")] == [(11, 0, 2)] * 3
    assert [event.who for event in table.events if isinstance(event, Turn) and event.moment == "resume"] == ["bob"]
    assert table.asked == [("ann", "defence")]


def both(*faces: int) -> Table:
    """Ann and Bob strike each other in the same count, 11; their INIT is the same."""
    table = Table(1, 2, 1, 2, *faces)
    table.join("ann", "red")
    table.join("bob", "blue")
    table.begin()
    table.attack("ann", "bob")
    table.attack("bob", "ann")
    table.answer("aware-defending", "aware-defending")
    return table


def test_two_blows_of_one_count_are_both_rolled_before_either_wounds() -> None:
    table = both(20, 3, 3, BODY, 20, 3, 3, BODY, 1, 1, 6, 6)
    done = [type(e).__name__ for e in table.events if getattr(e, "key", "") in ("attack", "damage") and not isinstance(e, Roll)]
    assert done == ["Judge", "Judge", "ApplyDamage", "ApplyDamage"]
    assert [event.when[2] for event in table.found(Wait, "wounds")] == [3, 3]
    assert (table.taken("ann"), table.taken("bob")) == (12, 12)
    assert table.stimuli[-2:] == [(11, "ann"), (11, "bob")]
    table.verify()


def test_a_blow_that_fells_does_not_stop_the_one_of_the_same_count() -> None:
    """P-30: both roll, then both apply."""
    small: Sheet = {"HTK": 12}
    table = Table(1, 2, 1, 2, 20, 3, 3, BODY, 20, 3, 3, BODY, 60, 60, 50, 51)
    table.join("ann", "red", **small)
    table.join("bob", "blue", **small)
    table.begin()
    table.attack("ann", "bob")
    table.attack("bob", "ann")
    table.answer("aware-defending", "aware-defending")
    assert table.conditions("ann").keys() == table.conditions("bob").keys() == {"unconscious"}
    assert table.state.over == "nobody-left"
    assert [event.target for event in table.found(ApplyDamage, "damage")] == ["bob", "ann"]
    table.verify()


def test_a_miss_waits_for_nobody() -> None:
    table = both(71, 20, 3, 3, BODY, 1, 1, 6, 6)
    assert not table.found(Wait, "wounds")
    assert (table.taken("ann"), table.taken("bob")) == (12, 0)
    table.verify()


# -- states and what is pending

HURT: Sheet = {"HTK": 40}
"""12 of 40 are more than a quarter: one system shock, without a penalty, against a SYS of 42."""

STATES = [(42, "", 0), (43, "dazed", 4), (82, "stunned", 8), (92, "2x-stunned", 16)]
"""What a d100 brings, and its figure."""


@pytest.mark.parametrize(("roll", "state", "counts"), STATES)
def test_a_state_puts_a_declaration_off_by_its_figure(roll: int, state: str, counts: int) -> None:
    table = struck(20, 3, 3, BODY, roll, second=HURT)
    assert [*table.conditions("bob")] == ([state] if state else [])
    assert seats(table)[0] == ("bob", 21 + counts)
    assert [event.trace for event in table.found(Order, "delayed")] == ([(Row(state, counts, "primer"),)] if state else [])
    reaction = table.state.combatants["bob"].conditions["reaction"]
    assert exact(reaction.value or 0) == exact("2437/120") + counts
    assert reaction.source == "sword"
    table.verify()


def test_a_second_state_puts_it_off_by_its_own_figure_again() -> None:
    """[ours]"""
    table = struck(20, 3, 3, BODY, 43, after=(1, 1, 20, 3, 3, BODY, 20, 1, 1), second={"HTK": 30})
    assert seats(table)[0] == ("bob", 25)
    table.attack("ann", "bob")
    table.answer("aware-defending")
    assert [*table.conditions("bob")] == ["stunned"]
    assert ("bob", 25 + 8) in seats(table)
    table.verify()


def three(*faces: int, bob: Sheet | None = None, **how: Any) -> Table:
    """Ann strikes Bob at count 10, who would act at 11; slow Cy is on his side and would act at 21."""
    table = Table(1, 1, 6, 5, 6, 5, *faces, **how)
    table.join("ann", "red")
    table.join("bob", "blue", **(bob or {}))
    table.join("cy", "blue", **SLOW)
    table.begin()
    table.attack("ann", "bob")
    return table


def test_whoever_waits_and_falls_leaves_the_clock() -> None:
    table = three(20, 3, 3, BODY, 60, 50, 1, 1, bob={"HTK": 12})
    table.answer("aware-defending")
    assert [*table.conditions("bob")] == ["unconscious"]
    assert "bob" not in table.state.agenda
    assert "reaction" not in table.state.combatants["bob"].conditions
    assert table.until("bob", "unconscious") == 10 + 50 * 300
    assert (table.turn, table.count) == ("ann", 12)
    table.verify()


def running(*faces: int, htk: int = 40, **how: Any) -> Table:
    """Bob's attack on Ann is pending until 14, when hers wounds him at count 10; slow Cy is on his side."""
    table = Table(1, 1, 4, 2, 6, 5, 20, 3, 3, BODY, *faces, **how)
    table.join("ann", "red")
    table.join("bob", "blue", HTK=htk)
    table.join("cy", "blue", **SLOW)
    table.begin()
    table.attack("ann", "bob")
    assert table.turn == "bob"
    table.attack("bob", "ann")
    table.answer("aware-defending")
    return table


@pytest.mark.parametrize("roll", [43, 82, 92])
def test_a_stun_lets_a_running_action_go_on(roll: int) -> None:
    table = running(roll, 1, 1)
    assert [run.actor for run in table.state.open.values()] == ["bob"]
    assert table.outcomes == ["hit"]
    assert not table.found(Order, "delayed")
    assert table.stimuli[3:] == [(10, "ann")]
    table.verify()


@pytest.mark.parametrize(("roll", "outcome"), [(82, "stunned"), (92, "2x-stunned")])
def test_a_stun_cancels_it_where_the_option_says_so(roll: int, outcome: str) -> None:
    table = running(roll, 1, 1, 6, 6, options={"stun_interrupts": True})
    assert table.outcomes == [outcome, "hit"]
    assert table.stimuli[3:] == [(10, "ann"), (10, "bob")]
    table.verify()


def test_a_daze_cancels_nothing_even_then() -> None:
    table = running(43, 1, 1, options={"stun_interrupts": True})
    assert table.outcomes == ["hit"]


def test_whoever_falls_loses_a_running_action_and_perceives_nothing() -> None:
    table = running(60, 50, 1, 1, htk=12)
    assert table.outcomes == ["unconscious", "hit"]
    (done,) = [event for event in table.events if isinstance(event, Done) and event.cause]
    assert (done.code, done.cause) == ("unconscious", table.last(Judge, "attack").action)
    assert table.stimuli[3:] == [(10, "ann")]
    table.verify()


def test_a_running_action_takes_the_state_when_it_resolves() -> None:
    """P-66: -30 to the chance, -4 to the damage."""
    table = running(82, 6, 6, 20, 3, 3, 60, 6, 6)
    table.answer("aware-defending")
    assert table.rows(Judge, "attack")["stunned"] == -30
    assert table.rows(Judge, "base-damage")["stunned"] == -4
    assert table.taken("ann") == 4
    table.verify()


# -- recovery


def test_states_give_way_to_milder_ones_of_the_same_length() -> None:
    """P-64: 40 - DRV four times is 120 counts."""
    table = struck(20, 3, 3, BODY, 92, after=(1, 1, 1, 1), second=HURT)
    assert table.declare("ann", "wait", counts=1000) is None
    assert table.turn == "bob"
    assert table.declare("bob", "wait", counts=1000) is None
    changes = [(event.id, event.code, event.until[0]) for event in table.found(Condition, "state")]
    assert changes == [("2x-stunned", "gained", 130), ("stunned", "gained", 250), ("dazed", "gained", 370)]
    assert [event.id for event in table.found(Condition, "expired")] == ["2x-stunned", "stunned", "dazed"]
    assert table.conditions("bob") == {}


def test_whoever_wakes_is_stunned_twice_over_and_perceives_something() -> None:
    """[ours]: the page has no stimulus for it, and without one nobody who woke would ever act again."""
    table = three(20, 3, 3, BODY, 60, 2, 1, 1, 1, 1, bob={"HTK": 12})
    table.answer("aware-defending")
    table.declare("ann", "wait", counts=5000)
    assert table.turn == "cy"
    table.declare("cy", "wait", counts=5000)
    assert (610, "bob") in table.stimuli
    assert table.conditions("bob") == {"2x-stunned": 600}
    assert table.until("bob", "2x-stunned") == 1210
    assert {row.code: row.amount for row in table.last(Judge, "initiative").trace}["2x-stunned"] == 16
    assert (table.turn, table.count) == ("bob", 610 + 18)
    table.verify()


def test_the_soul_of_the_dead_leaves() -> None:
    table = three(20, 3, 3, BODY, 92, 3, 1, 1, 1, 1, bob={"HTK": 12})
    table.answer("aware-defending")
    assert [*table.conditions("bob")] == ["dead"]
    minutes = 4 + 3
    assert table.until("bob", "dead") == 10 + minutes * 300
    assert table.declare("ann", "wait", counts=9000) is None
    assert table.declare("cy", "wait", counts=9000) is None
    assert table.conditions("bob") == {"soul-gone": 1}
    assert [event.id for event in table.found(Condition, "soul")] == ["soul-gone"]


def test_a_state_the_game_master_gives_is_like_any_other_and_none_follows() -> None:
    table = struck(71, after=(1, 1, 20, 3, 3, BODY, 1, 1))
    must(table.session.overrule("a bell", SetCondition(target="ann", held=Held(id="stunned", until=(25,)))))
    table.attack("ann", "bob")
    table.answer("aware-defending")
    assert table.rows(Judge, "attack")["stunned"] == -30
    assert {row.code: row.amount for row in table.last(Judge, "initiative").trace}["stunned"] == 8
    table.declare("bob", "wait", counts=100)
    assert [event.id for event in table.found(Condition, "expired")] == ["stunned"]
    assert table.conditions("ann") == {}
    table.verify()


# -- who joins late, who cannot act, how it ends


def test_a_late_arrival_perceives_something_in_the_same_count() -> None:
    table = Table(1, 1, 6, 5, 3, 3)
    table.join("ann", "red")
    table.join("bob", "blue")
    table.begin()
    table.join("cy", "blue")
    assert table.stimuli == [(0, "ann"), (0, "bob")]
    table.attack("ann", "bob")
    assert table.stimuli[2:] == [(2, "cy")]
    assert (table.turn, table.count) == ("cy", 8)
    table.verify()


def test_whoever_cannot_act_at_the_beginning_perceives_nothing() -> None:
    table = Table(1, 1, 6, 5)
    table.join("ann", "red")
    table.join("bob", "blue", conditions=(Held(id="unconscious"),))
    table.join("cy", "blue")
    table.begin()
    assert table.stimuli == [(0, "ann"), (0, "cy")]
    assert [form.name for form in table.session.actions("bob")] == ["save"]
    assert (table.turn, table.count) == ("ann", 2)


def test_what_is_left_of_another_fights_clock_ends_at_the_beginning() -> None:
    table = Table(1, 1, 6, 5)
    old = (Held(id="reaction", value=7, source="sword"), Held(id="PAB-spent", value=3))
    table.join("ann", "red", conditions=old)
    table.join("bob", "blue")
    table.begin()
    assert [event.id for event in table.found(Condition, "begin")] == ["reaction", "PAB-spent"]


def test_a_turn_that_cannot_be_taken_is_passed_over() -> None:
    table = three(71, 1, 1, 1, 1)
    must(table.session.overrule("a blow in the dark", SetCondition(target="cy", held=Held(id="comatose"))))
    table.answer("aware-defending")
    assert table.declare("bob", "wait", counts=1000) is None
    assert table.declare("ann", "wait", counts=900) is None
    ends = [event.action for event in table.events if isinstance(event, Turn) and event.moment == "end" and event.who == "cy"]
    assert [action.rpartition(">")[2] for action in ends] == ["down.0"]
    table.verify()


def test_the_fight_ends_when_one_side_has_nobody_who_can_act() -> None:
    table = struck(20, 3, 3, BODY, 60, 50, after=(), second={"HTK": 12})
    assert table.state.over == "won-by-red"
    assert isinstance(table.events[-2], Close)
    table.verify()


def test_what_is_pending_then_is_cancelled() -> None:
    table = Table(1, 1, 6, 5, 1, 1, 20, 3, 3, BODY, 60, 50)
    table.join("ann", "red")
    table.join("bob", "blue", **SLOW, HTK=12)
    table.join("cy", "red", weapons=[{**SWORD, "wsd": 20}])
    table.begin()
    table.attack("ann", "bob")
    table.attack("cy", "bob")
    table.answer("aware-defending")
    assert table.outcomes == ["fight-over", "hit"]
    assert table.state.over == "won-by-red"
    assert not table.state.open
    table.verify()


def test_a_fight_that_never_had_a_second_side_does_not_end() -> None:
    table = Table(1, 1, 6, 5)
    table.join("ann", "red")
    table.join("bob", "red")
    table.begin()
    must(table.session.overrule("sleep", SetCondition(target="bob", held=Held(id="unconscious"))))
    assert not table.state.over


def test_the_winners_action_that_is_pending_when_the_other_leaves_comes_to_nothing() -> None:
    table = duel(1, 1)
    table.attack("ann", "bob")
    must(table.session.leave("bob"))
    assert table.outcomes == ["no-target"]
    assert table.state.over == "won-by-red"


# -- what is declared out of turn


def test_somebody_idle_can_be_made_to_perceive_something() -> None:
    table = three(71, 1, 1, 6, 6)
    table.answer("aware-defending")
    must(table.session.overrule("looks away", SetOrder(drop=("cy",))))
    assert "react" in [form.name for form in table.session.actions("cy")]
    assert table.declare("cy", "react", skill="sword") is None
    assert seats(table)[-1][0] == "cy"
    assert "react" not in [form.name for form in table.session.actions("cy")]
    assert table.declare("cy", "react", skill="sword") is not None
    table.verify()
