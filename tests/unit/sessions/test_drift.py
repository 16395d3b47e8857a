"""Sessions whose rules are missing, newer, older or changed: always read, decided only as they were pinned or as was accepted."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from msgspec.structs import replace

from affray.kernel import (
    GM,
    Action,
    Audit,
    CloseAction,
    Done,
    Fight,
    Judge,
    Manifest,
    Modifier,
    PluginUnavailable,
    Rewind,
    Rules,
    SetPool,
    State,
    System,
    Turn,
    audit,
    commands,
    hookimpl,
)
from affray.sessions import Catalog, Engine, MemoryStore, Session
from affray.sessions.whatif import OtherRules, what_if_ledger

from ...support.table import Fixed, answer_all, must, tiny_session
from ...support.tiny import Tiny

SURE = (Modifier("attack.skill", 20, "sure"),)
"""A row with which an attack hits, so that its target is asked."""

Factory = Callable[[], object]
Installed = Mapping[str, Factory | None]
"""What is installed otherwise than at first; None: no more."""

AS_AT_FIRST: Installed = {}


def system(release: str = "1", *, title: str = "Tiny", **steps: str) -> Factory:
    """The tiny system in some release; `steps` are step keys that it tells about itself."""

    class Released(Tiny):
        @hookimpl
        def describe(self) -> System:
            return replace(super().describe(), release=release, title=title, steps=steps)

    return Released


def luck(release: str = "1", amount: int = 1) -> Factory:
    """A house rule that adds to every attack, in some release."""

    class Luck:
        @hookimpl
        def contribute(self, fight: Fight, action: Action, place: str) -> list[Modifier]:
            return [Modifier(place, amount, "luck")] if place == "attack.skill" else []

    made = Luck()
    made.release = release  # type: ignore[attr-defined]
    return lambda: made


ALL: Mapping[str, Factory] = {"tiny": system(), "luck": luck()}


def books(changed: Installed = AS_AT_FIRST) -> Catalog:
    """Tiny and luck as they are at first, but for what is changed (None: not installed)."""
    found = {name: made for name, made in {**ALL, **changed}.items() if made is not None}
    return Catalog(
        systems={name: made for name, made in found.items() if name == "tiny"},
        house={name: made for name, made in found.items() if name != "tiny"},
        points=(),
    )


class World:
    """One store, in environments that have other plugins installed."""

    def __init__(self, *, house: tuple[str, ...] = ("luck",), **start: Any) -> None:
        self.store = MemoryStore()
        self.count = 0
        self.first = tiny_session(self.engine(), house=house, **start)

    def engine(self, changed: Installed = AS_AT_FIRST) -> Engine:
        self.count += 1
        return Engine(self.store, books(changed), Fixed(f"world-{self.count}"))

    def load(self, changed: Installed = AS_AT_FIRST) -> Session:
        return self.engine(changed).load("s")

    def audit(self, changed: Installed = AS_AT_FIRST) -> Audit:
        return audit(self.store.read("s"), books(changed).rules)


def manifest(
    changed: Installed = AS_AT_FIRST, house: tuple[str, ...] = ("luck",), options: Mapping[str, Any] | None = None
) -> Manifest:
    """What is installed, as a manifest."""
    return books(changed).manifest("tiny", options or {}, house)


def struck(session: Session, id: str = "a1") -> None:
    """Ann attacks Bob and hits; he is asked how he meets it."""
    must(session.declare("ann", "attack", "bob", rows=SURE, id=id))
    assert session.prompts("bob", reader=GM)


def accept(session: Session, made: Manifest, id: str = "accepted") -> Any:
    return session.request(commands.SetRules(manifest=made, reason="accepted"), id=id)


def close(session: Session, action: str = "a1") -> Any:
    return session.overrule("its rules are gone", CloseAction(action=action, code="cancelled"))


OTHERS: Mapping[str, tuple[Installed, str]] = {
    "a newer system": ({"tiny": system("2")}, "'tiny': release 2 is installed, the session was decided under 1"),
    "an older system": ({"tiny": system("0")}, "'tiny': release 0 is installed, the session was decided under 1"),
    "no system": ({"tiny": None}, "'tiny': is not installed; there are none"),
    "a newer house rule": ({"luck": luck("2")}, "'luck': release 2 is installed, the session was decided under 1"),
    "an older house rule": ({"luck": luck("0")}, "'luck': release 0 is installed, the session was decided under 1"),
    "no house rule": ({"luck": None}, "'luck': is not installed; there are none"),
}
"""What is installed beside what was pinned, and what is said of it."""


@pytest.mark.parametrize("name", OTHERS)
@pytest.mark.parametrize("open_", [False, True], ids=["at rest", "in an action"])
def test_it_is_read_and_not_decided(name: str, open_: bool) -> None:
    """Law 2: reading, folding and verifying need no plugin; deciding needs the very ones that are pinned."""
    changed, problem = OTHERS[name]
    world = World()
    if open_:
        struck(world.first)
    other = world.load(changed)
    before: tuple[State, int] = (world.first.state(reader=GM), world.first.head)
    assert (other.state(reader=GM), other.head) == before
    assert len(other.history(reader=GM)) == world.first.head
    assert other.verify().is_clean
    deciding: list[Callable[[], Any]] = [
        lambda: other.declare("ann", "end-turn"),
        lambda: other.join("cy", side="green", sheet={"hp": 1}),
        lambda: other.actions("ann"),
        lambda: other.overrule("x", SetPool(target="ann", pool="hp", value=3)),
    ]
    if open_:
        assert str(other.problem) == f"plugin {problem}"
        slot = next(iter(other.prompts(reader=GM)))
        deciding += [lambda: other.answer(slot, "bob", "stand"), other.close]
    for decide in deciding:
        with pytest.raises(PluginUnavailable, match=problem):
            decide()
    assert other.head == before[1]
    must(other.note("what now?"))
    must(other.undo())
    if not open_:
        must(other.close("adjourned"))
    assert other.verify().is_clean


@pytest.mark.parametrize("name", [name for name in OTHERS if name != "no system"])
def test_it_is_decided_under_what_was_accepted(name: str) -> None:
    """The `rules` event records it; each stretch of the log is audited under its own rules, as far as they are installed."""
    changed, problem = OTHERS[name]
    house = () if name == "no house rule" else ("luck",)
    world = World()
    struck(world.first)
    answer_all(world.first)
    other = world.load(changed)
    answer = must(accept(other, manifest(changed, house)))
    (event,) = answer.events
    assert (type(event), event.reason) == (Rules, "accepted")
    must(other.declare("bob", "attack", "ann", rows=SURE, id="b1"))
    answer_all(other)
    assert other.verify().is_clean
    found = world.audit(changed)
    assert found.is_clean, found.divergences
    assert [one.reason for one in found.unchecked] == [f"plugin {problem}"]
    assert [one.version for one in found.rules] == [answer.first]
    before = world.audit()
    assert before.is_clean
    assert before.checked > 0
    assert all(one.version >= answer.first for one in before.unchecked), "the first stretch is checked where its rules are"
    assert found.checked + before.checked >= other.head - 4


def test_the_new_rules_are_those_that_count() -> None:
    world = World()
    other = world.load({"luck": luck("2", 5)})
    must(accept(other, manifest({"luck": luck("2", 5)})))
    must(other.declare("ann", "attack", "bob", id="a1"))
    (verdict,) = [one.event for one in other.history(reader=GM) if isinstance(one.event, Judge) and one.event.key == "attack"]
    assert [(row.code, row.amount, row.source) for row in verdict.trace or ()] == [("skill", 10, "sheet"), ("luck", 5, "luck")]


def test_a_manifest_that_is_not_installed_is_not_accepted() -> None:
    world = World()
    other = world.load({"tiny": system("2")})
    head = other.head
    for made in (manifest(), manifest({"tiny": system("3")}), replace(manifest({"tiny": system("2")}), house=(replace(manifest().house[0], id="pluck"),))):
        with pytest.raises(PluginUnavailable):
            accept(other, made)
    assert other.head == head
    assert accept(other, manifest({"tiny": system("2")})).refused is None


def test_only_the_game_master_accepts() -> None:
    world = World()
    other = world.load({"tiny": system("2")})
    answer = other.request(commands.SetRules(manifest=manifest({"tiny": system("2")})), caller="ann")
    assert answer.refused is not None
    assert answer.refused.code == "gm-only"


# -- an action that is open


NEWER: Installed = {"tiny": system("2")}


def test_whoever_installs_the_old_rules_goes_on() -> None:
    world = World()
    struck(world.first)
    slot = next(iter(world.first.prompts(reader=GM)))
    with pytest.raises(PluginUnavailable):
        world.load(NEWER).answer(slot, "bob", "stand")
    again = world.load()
    assert again.problem is None
    must(again.answer(slot, "bob", "stand"))
    assert (_outcome(again, "a1"), again.state().turn) == ("hit", "bob")
    assert world.audit().unchecked == ()


@pytest.mark.parametrize("first", ["accepts", "closes"])
def test_else_the_game_master_closes_what_is_open(first: str) -> None:
    """Accepting others does not touch an open action: it goes on under its own rules or not at all. Either may come first."""
    world = World()
    struck(world.first)
    other = world.load(NEWER)
    if first == "accepts":
        must(accept(other, manifest(NEWER)))
        slot = next(iter(other.prompts(reader=GM)))
        for session in (other, world.load(NEWER)):
            with pytest.raises(PluginUnavailable, match="the session was decided under 1"):
                session.answer(slot, "bob", "stand")
        must(close(other))
    else:
        must(close(other))
        assert (other.prompts(reader=GM), other.state().turn) == ({}, "ann")
        with pytest.raises(PluginUnavailable):
            other.end_turn("ann")
        must(accept(other, manifest(NEWER)))
    assert _outcome(other, "a1") == "cancelled"
    must(other.end_turn("ann"))
    assert other.state().turn == "bob"
    assert other.verify().is_clean
    assert world.audit(NEWER).is_clean
    assert world.audit().is_clean
    assert world.load(NEWER).state(reader=GM) == other.state(reader=GM)


def test_what_follows_by_itself_comes_once_rules_can_run() -> None:
    """Ann's blow comes down and waits for her dice, in nobody's turn. Closed, the clock stands still until rules are there."""
    world = World(dice={"ann": "reported"}, options={"counts": 1}, begun=False)
    session = world.first
    must(session.begin())
    must(session.report(next(iter(session.prompts("ann"))), "ann", [[3]]))
    must(session.declare("ann", "blow", "bob", id="w1"))
    while not session.prompts():
        must(session.end_turn(session.state().turn))
    assert session.state().turn == ""
    other = world.load(NEWER)
    must(close(other, "w1"))
    assert (other.state().turn, other.prompts()) == ("", {})
    answer = must(accept(other, manifest(NEWER, (), {"counts": 1})))
    assert [type(event) for event in answer.events][:2] == [Rules, Turn]
    assert other.state().turn != ""
    parts = [(one.sender.command, one.sender.part) for one in other.history(answer.first - 1, reader=GM) if one.sender]
    assert {part for command, part in parts if command == "accepted"} == {1, 2}
    assert other.verify().is_clean
    assert world.load(NEWER).state(reader=GM) == other.state(reader=GM)
    found = world.audit(NEWER)
    assert found.is_clean, found.divergences


def _outcome(session: Session, action: str) -> str:
    (done,) = [one.event for one in session.history(reader=GM) if isinstance(one.event, Done) and one.event.action == action]
    return str(done.code)


# -- the same release, and something else


def test_another_fingerprint_under_the_same_release_is_noticed_and_hinders_nothing(caplog: pytest.LogCaptureFixture) -> None:
    """The release is what a plugin's author answers for; the fingerprint shows that something was published anew."""
    world = World()
    must(world.first.end_turn("ann"))
    other = world.load({"tiny": system("1", attack="an attack")})
    with caplog.at_level(logging.WARNING, logger="affray"):
        must(other.end_turn("bob"))
        must(other.end_turn("ann"))
    noticed = [record for record in caplog.records if "rules publish something else under the same release" in record.message]
    assert len(noticed) == 1, "once"
    found = world.audit({"tiny": system("1", attack="an attack")})
    assert found.is_clean
    assert [one.reason for one in found.unchecked] == ["the rules installed publish something else under the same release"]


def test_the_rules_that_were_pinned_are_not_noticed(caplog: pytest.LogCaptureFixture) -> None:
    world = World()
    with caplog.at_level(logging.WARNING, logger="affray"):
        must(world.load({"tiny": system("1", title="Another title")}).end_turn("ann"))
    assert caplog.records == []


def test_accepting_it_pins_the_new_fingerprint(caplog: pytest.LogCaptureFixture) -> None:
    world = World()
    changed: Installed = {"tiny": system("1", attack="an attack")}
    other = world.load(changed)
    (event,) = must(accept(other, manifest(changed))).events
    assert event.fingerprint == books(changed).rules(event.manifest).fingerprint
    caplog.clear()
    with caplog.at_level(logging.WARNING, logger="affray"):
        must(world.load(changed).end_turn("ann"))
    assert caplog.records == []
    assert [one.version for one in world.audit(changed).unchecked] == [1]


# -- going back across it


def test_undo_returns_to_the_rules_before_and_redo_to_those_after() -> None:
    world = World()
    other = world.load(NEWER)
    must(accept(other, manifest(NEWER)))
    must(other.undo())
    assert other.manifest == world.first.manifest
    with pytest.raises(PluginUnavailable, match="release 2 is installed, the session was decided under 1"):
        other.end_turn("ann")
    must(other.redo())
    assert other.manifest == manifest(NEWER)
    must(other.end_turn("ann"))
    assert [type(one.event) for one in other.history(reader=GM) if isinstance(one.event, Rewind)] == [Rewind, Rewind]
    assert world.audit(NEWER).is_clean
    assert world.audit().is_clean
    assert world.load(NEWER).state(reader=GM) == other.state(reader=GM)


def test_an_action_before_it_is_undone_with_it() -> None:
    """Command by command, as ever; the rules go with what stood under them."""
    world = World()
    must(world.first.end_turn("ann"))
    other = world.load(NEWER)
    must(accept(other, manifest(NEWER)))
    for _ in range(2):
        must(other.undo())
    assert (other.manifest, other.state().turn) == (world.first.manifest, "ann")
    must(world.load().end_turn("ann"))


def test_an_amend_across_a_change_of_rules_runs_each_stretch_under_its_own() -> None:
    """Options change in the middle; what comes before is put right, and the change is made again."""
    world = World()
    session = world.first
    first = must(session.declare("ann", "attack", "bob", rows=SURE, id="a1")).first
    answer_all(session)
    made = must(accept(session, manifest(options={"counts": 3}))).first
    must(session.declare("bob", "blow", "ann", id="b1"))
    due = session.state().open["b1"].due
    assert due is not None
    must(session.amend(commands.Word(at=first, effect=SetPool(target="bob", pool="hp", value=11)), reason="he was hurt"))
    events = [(one.version, one.event) for one in session.history(reader=GM) if not one.undone and isinstance(one.event, Rules)]
    assert [event.manifest.options for _, event in events] == [{"counts": 3}]
    assert events[0][0] > made
    assert session.state().open["b1"].due == due
    assert session.verify().is_clean
    assert world.audit().is_clean
    assert world.audit().unchecked == ()


def test_an_amend_needs_the_rules_of_everything_it_runs_again() -> None:
    world = World()
    first = must(world.first.declare("ann", "attack", "bob", rows=SURE, id="a1")).first
    answer_all(world.first)
    other = world.load(NEWER)
    must(accept(other, manifest(NEWER)))
    must(other.end_turn("bob"))
    head = other.head
    edit = commands.Word(at=first, effect=SetPool(target="bob", pool="hp", value=11))
    plan = commands.Amend(edits=(edit,), reason="x")
    for ask in (lambda: other.amend(edit, reason="x"), lambda: other.amend_plan(plan)):
        with pytest.raises(PluginUnavailable, match="the session was decided under 1"):
            ask()
    assert other.head == head
    must(other.end_turn("ann"))


def test_what_if_plays_the_whole_fight_under_one() -> None:
    """The rules in force at its end, or others; it needs none of those that were in force before."""
    world = World()
    must(world.first.declare("ann", "attack", "bob", rows=SURE, id="a1"))
    answer_all(world.first)
    other = world.load(NEWER)
    must(accept(other, manifest(NEWER)))
    must(other.declare("bob", "attack", "ann", rows=SURE, id="b1"))
    answer_all(other)
    found = what_if_ledger(world.store.read("s"), books(NEWER), OtherRules())
    assert [step.slot for step in found.changed] == []
    unlucky = what_if_ledger(world.store.read("s"), books(NEWER), OtherRules(house=()))
    assert {step.slot.partition("|")[2] for step in unlucky.changed} >= {"judge.attack.ann.0", "judge.attack.bob.0"}


# -- side by side


def test_sessions_of_other_manifests_live_beside_each_other() -> None:
    engine = Engine(MemoryStore(), books(), Fixed("beside"))
    lucky, plain = engine.start("tiny", session="lucky", house=["luck"]), engine.start("tiny", session="plain", options={"counts": 2})
    for session in (lucky, plain):
        for number, who in enumerate(("ann", "bob")):
            must(session.join(who, side=who, sheet={"hp": 12, "init": 9 - number}))
        must(session.begin())
    for session in (lucky, plain, lucky, plain):  # in turns
        must(session.declare(session.state().turn, "attack", "bob" if session.state().turn == "ann" else "ann"))
        answer_all(session)
    found = {
        session.id: {row.code for one in session.history(reader=GM) if isinstance(one.event, Judge) for row in one.event.trace or ()}
        for session in (lucky, plain)
    }
    assert ("luck" in found["lucky"], "luck" in found["plain"]) == (True, False)
    assert (lucky.manifest.options, plain.manifest.options) == ({"counts": 5}, {"counts": 2})
    for session in (lucky, plain):
        assert audit(engine.store.read(session.id), books().rules).is_clean
    must(accept(plain, manifest()))
    assert (plain.manifest, lucky.manifest) == (manifest(), manifest())
