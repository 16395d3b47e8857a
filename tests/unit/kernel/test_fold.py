"""Folding: one function a kind, no plugin, and never an error for an event that could be read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from affray.kernel import (
    GM,
    KINDS,
    ApplyDamage,
    Ask,
    Change,
    Choose,
    Close,
    Condition,
    Declare,
    Done,
    Entry,
    Event,
    GiveModifier,
    Held,
    Join,
    Judge,
    Leave,
    Modifier,
    Note,
    Option,
    Order,
    Overrule,
    Pool,
    Rewind,
    Roll,
    SetCondition,
    SetOrder,
    SetPool,
    SetStep,
    State,
    Touch,
    Turn,
    Wait,
    dice,
    fold,
    fold_all,
)
from affray.kernel.events import AnyEvent

HP = {"hp": Pool(start=9, low=0, high=9)}


def join(who: str = "ann", **fields: Any) -> Join:
    whole: dict[str, Any] = {
        "id": who, "name": who.title(), "side": who, "controller": who, "secret": False, "sheet": {"hp": 9},
        "pools": HP, "conditions": (), "player": "",
    }  # fmt: skip
    return Join(**{**whole, **fields})


def turn(moment: str, who: str, when: Any = (1,), *, entry: str | None = None, action: str = "") -> Turn:
    entry = who if entry is None else entry
    return Turn(action=action or f"{moment}:{entry}.1", moment=moment, who=who, when=when, entry=entry)


BEGIN = Turn(action="begin", moment="begin", who="", when=(), entry="")


def declare(action: str = "a1", actor: str = "ann", **fields: Any) -> Declare:
    whole: dict[str, Any] = {"name": "x", "targets": (), "params": {}, "rows": (), "parent": "", "secret": False}
    return Declare(action=action, actor=actor, **{**whole, **fields})


def done(action: str = "a1", cause: str = "") -> Done:
    return Done(action=action, code="", cause=cause)


def after(*events: Event, state: State | None = None) -> State:
    return fold_all(enumerate(events, 1), state)


# -- tolerance


def samples() -> dict[str, Any]:
    folder = Path(__file__).parents[2] / "golden" / "events"
    return {path.stem: json.loads(path.read_text())["event"] for path in sorted(folder.glob("*.json"))}


@pytest.mark.parametrize("tag", sorted(KINDS))
def test_an_event_that_was_read_folds_whatever_stood_before(tag: str) -> None:
    """Law 2: what is missing is unknown, and somebody first heard of in the middle is a combatant of whom nothing is known."""
    event: Any = msgspec.convert(samples()[tag], AnyEvent)
    for state in (State(), after(join(), join("bob"), BEGIN, declare())):
        folded = fold(state, event, 99)
        assert isinstance(folded, State)
        assert fold(state, event, 99) == folded


def test_every_kind_folds_without_its_kept_fields() -> None:
    for tag, raw in samples().items():
        event: Any = msgspec.convert(raw, AnyEvent)
        bare = msgspec.structs.replace(event, **dict.fromkeys(type(event).KEPT))
        assert isinstance(fold(after(join()), bare, 9), State), tag


@pytest.mark.parametrize("event", [Note(text="hm"), Judge("x", action="a1", by="ann", code="hit"), Rewind(to=0, why="undo")])
def test_some_kinds_say_something_and_change_nothing(event: Event) -> None:
    state = after(join())
    assert fold(state, event, 9) is state


def test_somebody_who_never_joined_is_unknown() -> None:
    state = after(Change("x", action="a1", target="zed", pool="hp", value=1, before=3, after=4))
    zed = state.combatants["zed"]
    assert (zed.pools, zed.sheet, zed.ranges, zed.secret, zed.number) == ({"hp": 4}, None, None, True, 0)


def test_a_state_is_never_changed_in_place() -> None:
    state = after(join(), join("bob"), BEGIN)
    before = msgspec.json.encode(state)
    for raw in samples().values():
        event: Any = msgspec.convert(raw, AnyEvent)
        fold(state, event, 9)
    assert before == msgspec.json.encode(state)


# -- people


def test_joining_is_numbered_and_brings_pools_and_conditions() -> None:
    held = Held(id="blessed", until=(5,))
    state = after(join(), join("bob", conditions=(held,), secret=True))
    ann, bob = state.combatants.values()
    assert (ann.number, bob.number, ann.pools, bob.conditions) == (1, 2, {"hp": 9}, {"blessed": held})
    assert state.has_secrets
    assert state.agenda == {"condition:bob:blessed": Entry(key="condition:bob:blessed", when=(5,), who="bob", moment="expiry")}


def test_who_joins_late_is_seated_when_the_clock_next_moves() -> None:
    state = after(BEGIN, turn("start", "x", (3, 7)), join())
    assert state.agenda == {"join:ann": Entry(key="join:ann", when=(3, 7), who="ann", moment="join")}


def test_leaving_marks_and_deletes_nobody() -> None:
    order = Order("o", action="x", entries=(Entry(key="ann", when=(1,), who="ann"), Entry(key="z", when=(2,), who="bob")))
    state = after(join(), join("bob"), BEGIN, order, turn("start", "ann"), Leave(id="ann"))
    assert state.combatants["ann"].gone
    assert (state.turn, list(state.agenda)) == ("", ["z"])
    assert after(Leave(id="bob"), state=state).agenda == {}


def test_what_a_leaver_began_is_closed_by_its_own_event() -> None:
    state = after(join(), BEGIN, declare(), Wait("w", action="a1", when=(5,)), Leave(id="ann"))
    assert list(state.agenda) == ["resume:a1"]
    assert after(done(), state=state).agenda == {}


# -- the clock


def test_a_moment_takes_its_entry_and_moves_the_present() -> None:
    order = Order("o", action="x", entries=(Entry(key="ann", when=(2, "1/2"), who="ann"),))
    state = after(join(), BEGIN, order, turn("start", "ann", (2, "1/2")))
    assert (state.at, state.turn, state.agenda, state.turns) == ((2, "1/2"), "ann", {}, {"begin:": 1, "start:ann": 1})


def test_the_end_of_a_turn_leaves_the_clock_alone() -> None:
    state = after(join(), BEGIN, turn("start", "ann", (2,)), turn("end", "ann", (9,), entry="", action="a1>end.0"))
    assert (state.at, state.turn, state.turns["end:ann"]) == ((2,), "", 1)
    assert "a1>end.0" not in state.open


def test_waiting_puts_an_action_on_the_agenda_and_resuming_takes_it_off() -> None:
    state = after(join(), BEGIN, declare(), Wait("w", action="a1>x.0", when=(5,)))
    assert state.open["a1"].due == (5,)
    entry = state.agenda["resume:a1"]
    assert (entry.moment, entry.who, entry.when) == ("resume", "ann", (5,))
    resumed = Turn(action="a1", moment="resume", who="ann", when=(5,), entry="resume:a1")
    state = after(resumed, state=state)
    assert (state.open["a1"].due, state.agenda, state.at) == (None, {}, (5,))
    assert "resume:resume:a1" not in state.turns


def test_order_sets_and_drops() -> None:
    first = Order("o", action="x", entries=(Entry(key="a", when=(1,)), Entry(key="b", when=(1,))))
    second = Order("o", action="x", entries=(Entry(key="a", when=(2,)),), drop=("b", "nobody"))
    assert after(first, second).agenda == {"a": Entry(key="a", when=(2,))}
    overruled = Overrule(reason="so", effect=SetOrder(entries=(Entry(key="c", when=(3,)),), drop=("a",)))
    assert list(after(first, second, overruled).agenda) == ["c"]


def test_the_end_is_the_end_of_every_turn() -> None:
    state = after(join(), BEGIN, turn("start", "ann"), Close(code="won"))
    assert (state.over, state.turn) == ("won", "")


# -- actions and prompts


def test_an_action_is_open_until_it_is_done() -> None:
    state = after(join(), declare(), declare("a1>x.0", parent="a1"), done("a1>x.0"))
    assert (list(state.open), state.open["a1"].since, state.declared) == (["a1"], 2, {"ann": 1})
    assert after(done(), state=state).open == {}


def test_a_prompt_is_open_until_everybody_answered() -> None:
    ask = Ask("q", action="a1", who=("ann", "bob"), options=(Option(code="y"),))
    choose = [Choose(action="a1", key="q", occurrence=0, who=who, value="y") for who in ("bob", "ann")]
    state = after(declare(), ask, choose[0])
    assert state.prompts["a1|ask.q.0"].answers == {"bob": "y"}
    assert after(choose[1], state=state).prompts == {}
    assert after(Choose(action="a9", key="q", occurrence=0, who="ann", value=None), state=state) == state


def test_a_reported_roll_answers_its_prompt() -> None:
    ask = Ask("q", action="a1", who=("ann",), plan=dice(1, 6))
    state = after(declare(), ask)
    assert list(state.prompts) == ["a1|roll.q.ann.0"]
    assert after(Roll("q", action="a1", by="ann", plan=dice(1, 6)), state=state).prompts == {}


def test_with_an_action_go_its_prompts_and_modifiers_and_those_below_it() -> None:
    given = Overrule(reason="so", effect=GiveModifier(action="a1", rows=(Modifier("p", 1, "x"),)))
    asks = [Ask("q", action=a, who=("ann",), options=(Option(code="y"),)) for a in ("a1", "a1>x.0>y", "a10", "a1x")]
    state = after(declare(), declare("a10"), given, given, *asks)
    assert len(state.given["a1"]) == 2
    state = after(done(cause="close"), state=state)
    assert (state.given, list(state.prompts)) == ({}, ["a10|ask.q.0", "a1x|ask.q.0"])


# -- pools and conditions


def test_after_is_the_authority() -> None:
    """What an event says stands, also where its arithmetic is wrong: that is a finding, and folding goes on."""
    hit = ApplyDamage("h", action="a", target="ann", pools=("hp",), value=2, touched=(Touch("hp", 9, 1),), overflow=0)
    odd = Change("c", action="a", target="ann", pool="hp", value=1, before=100, after="7/2")
    assert after(join(), hit).combatants["ann"].pools == {"hp": 1}
    assert after(join(), hit, odd).combatants["ann"].pools == {"hp": "7/2"}


def test_a_pool_that_was_touched_unseen_is_unknown() -> None:
    hidden = ApplyDamage("h", action="a", target="ann", pools=("hp",), value=2, touched=None, kept="0" * 64)
    assert after(join(), hidden).combatants["ann"].pools == {"hp": None}
    known = Overrule(reason="so", effect=SetPool(target="ann", pool="hp", value=4, before=7, after=4))
    assert after(join(), hidden, known).combatants["ann"].pools == {"hp": 4}


def condition(code: str = "gained", until: Any = None, value: Any = 1) -> Condition:
    return Condition("c", action="a", target="ann", id="cursed", code=code, value=value, until=until, after=value)


def test_a_condition_that_ends_in_time_stands_on_the_agenda() -> None:
    state = after(join(), condition(until=(4,)))
    assert state.agenda["condition:ann:cursed"].when == (4,)
    assert after(condition("renewed", until=(6,)), state=state).agenda["condition:ann:cursed"].when == (6,)
    for event in (condition("renewed", until=None), condition("ended")):
        assert after(event, state=state).agenda == {}
    assert after(condition("ended"), state=state).combatants["ann"].conditions == {}


def test_the_game_master_gives_and_ends_conditions() -> None:
    given = Overrule(reason="so", effect=SetCondition(target="ann", held=Held(id="cursed", value=2, until=(4,))))
    ended = Overrule(reason="so", effect=SetCondition(target="ann", ended="cursed"))
    assert after(join(), given).combatants["ann"].conditions["cursed"].value == 2
    assert list(after(join(), given).agenda) == ["condition:ann:cursed"]
    assert (after(join(), given, ended).agenda, after(join(), given, ended).combatants["ann"].conditions) == ({}, {})


def test_what_the_game_master_set_of_a_coming_step_waits_under_its_slot() -> None:
    steps = [Overrule(reason="so", effect=SetStep(slot="a1|judge.x.ann.0", fields={"goal": n})) for n in (1, 2)]
    assert after(*steps).coming == {"a1|judge.x.ann.0": {"goal": 2}}


def test_folding_in_one_go_and_one_by_one_is_the_same() -> None:
    events = [join(), join("bob"), BEGIN, declare(), condition(until=(4,)), Wait("w", action="a1", when=(5,)), done()]
    state = State()
    for version, event in enumerate(events, 1):
        state = fold(state, event, version)
    assert state == after(*events)
    assert state.policy("ann") == "fair"
    assert GM not in state.combatants
