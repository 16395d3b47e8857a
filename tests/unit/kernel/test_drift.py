"""Rules that no longer make what a log recorded: found when it is resumed, whatever kind of step it is."""

from __future__ import annotations

from typing import Any

import pytest

from affray.kernel import (
    GM,
    Act,
    Action,
    Ask,
    DicePlan,
    EndTurn,
    Entry,
    Fight,
    Judge,
    Modifier,
    Option,
    Roll,
    RulesDrifted,
    SetOrder,
    Stop,
    dice,
    hookimpl,
)
from affray.sessions import MemoryStore

from ...support.broken import Told
from ...support.table import answer_all, engine, must, tiny_catalog, tiny_session
from ...support.tiny import attack

D6 = dice(1, 6)
STAND = (Option(code="stand"),)


def resolver_of(*steps: Any, outcome: str = "done") -> Any:
    def resolver(fight: Fight, action: Action) -> Any:
        if action.is_nested:
            return "nested"
        for step in steps:
            yield step(fight, action) if callable(step) else step
        yield Ask("last", who=("bob",), options=STAND)
        return outcome

    return resolver


def roll(key: str = "x", plan: DicePlan = D6) -> Any:
    return lambda f, a: Roll(key, by=a.actor, plan=plan)


def act(target: str = "bob", **params: int) -> Any:
    return lambda f, a: Act("x", actor=a.actor, name="attack", targets=(target,), params=dict(params))


def end(who: str = "ann") -> Any:
    return lambda f, a: EndTurn("x", who=who)


def stop(code: str = "stopped") -> Any:
    return lambda f, a: Stop("x", target="w1", code=code)


DRIFTS: dict[str, tuple[tuple[Any, ...], tuple[Any, ...]]] = {
    "another key": ((roll(),), (roll("y"),)),
    "another plan": ((roll(),), (roll(plan=dice(2, 6)),)),
    "another kind": ((roll(),), (lambda f, a: Judge("x", by="ann", code="x"),)),
    "another code": ((lambda f, a: Judge("x", by="ann", code="hit"),), (lambda f, a: Judge("x", by="ann", code="miss"),)),
    "another goal": ((lambda f, a: Judge("x", by="ann", code="hit", goal=1),), (lambda f, a: Judge("x", by="ann", code="hit", goal=2),)),
    "one step more": ((roll(),), (roll(), roll())),
    "one step fewer": ((roll(), roll()), (roll(),)),
    "nothing at all": ((roll(),), ()),
    "a nested action more": ((roll(),), (act(), roll())),
    "a nested action fewer": ((act(), roll()), (roll(),)),
    "another nested action": ((act("bob"),), (act("cy"),)),
    "other parameters of a nested action": ((act(power=1),), (act(power=2),)),
    "a turn's end more": ((roll(),), (end(), roll())),
    "a turn's end fewer": ((end(), roll()), (roll(),)),
    "the end of another's turn": ((end("ann"),), (end("bob"),)),
    "another stop": ((stop(),), (stop("broken"),)),
    "a stop fewer": ((stop(), roll()), (roll(),)),
    "other options": (
        (lambda f, a: Ask("q", who=("cy",), options=STAND),), (lambda f, a: Ask("q", who=("cy",), options=(Option(code="sit"),)),),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", DRIFTS)
def test_rules_that_no_longer_make_what_was_recorded_are_found_when_they_are_resumed(name: str) -> None:
    """Law 6: a step that differs from its record stops, whatever kind of step it is."""
    then, now = DRIFTS[name]
    store = MemoryStore()
    session = tiny_session(engine(store, tiny_catalog(lambda: Told(resolver_of(*then)))), people=3)
    must(session.declare("ann", "blow", "cy", id="w1"))
    must(session.overrule("ann is quick", SetOrder(entries=(Entry(key="ann", when=(2, 0), who="ann"),))))
    while session.state().turn != "ann":
        must(session.declare(session.state().turn, "end-turn"))
    must(session.declare("ann", "attack", "bob", id="a1"))
    same = engine(store, tiny_catalog(lambda: Told(resolver_of(*then))), seed="x").load("s")
    assert same.problem is None
    drifted = engine(store, tiny_catalog(lambda: Told(resolver_of(*now))), seed="x").load("s")
    assert isinstance(drifted.problem, RulesDrifted), drifted.problem
    assert drifted.state(reader=GM) == session.state(reader=GM)
    with pytest.raises(RulesDrifted):
        drifted.declare("bob", "end-turn")
    must(drifted.note("hm"))


def test_a_record_of_other_rows_drifts_and_the_same_rows_do_not() -> None:
    class Helped:
        amount = 1

        @hookimpl
        def contribute(self, fight: Fight, action: Action, place: str) -> list[Modifier]:
            return [Modifier(place, self.amount, "help")] if place == "attack.skill" else []

    store = MemoryStore()
    rule = Helped()
    catalog = tiny_catalog(helped=lambda: rule)
    session = tiny_session(engine(store, catalog), house=["helped"])
    must(session.declare("ann", "attack", "bob", id="a1", rows=(Modifier("attack.skill", 20, "sure"),)))
    assert engine(store, catalog).load("s").problem is None
    rule.amount = 2
    assert isinstance(engine(store, catalog).load("s").problem, RulesDrifted)


def test_a_closed_action_is_never_run_again() -> None:
    """Only what is open is executed when a session is loaded; the rest is folded."""
    ran: list[str] = []

    def notes(fight: Fight, action: Action) -> Any:
        ran.append(action.id)
        return attack(fight, action)

    store = MemoryStore()
    session = tiny_session(engine(store, tiny_catalog(lambda: Told(notes))))
    must(session.declare("ann", "attack", "bob", id="a1"))
    answer_all(session)
    ran.clear()
    again = engine(store, tiny_catalog(lambda: Told(notes))).load("s")
    assert (ran, again.state(reader=GM)) == ([], session.state(reader=GM))
