"""A command id: sent again it is answered again, and nothing happens twice (cases API-1 and STORE-1)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from affray.kernel import (
    GM,
    Breach,
    CloseAction,
    Fight,
    InputError,
    Request,
    Roll,
    SetPool,
    Steps,
    Turn,
    VersionConflict,
    commands,
    dice,
    hookimpl,
)
from affray.sessions import Answer, JsonlStore, MemoryStore, Session, Store

from ...support.fights import Table, ask, declare, prompt_for, seats
from ...support.table import bare_request, engine, must, tiny_catalog, tiny_session
from ...support.tiny import Tiny

ATTACK = bare_request("a1", commands.Declare(actor="ann", name="attack", targets=("bob",)), "ann")
NOTE = bare_request("n1", commands.Note(text="hm"), "ann")
SECRET_NOTE = bare_request("n2", commands.Note(text="hm", secret=True), "ann")
SET = bare_request("o1", commands.Overrule(reason="so", effect=SetPool(target="bob", pool="hp", value=3)))
UNDO = bare_request("u1", commands.Undo())
REQUESTS = {"declare": ATTACK, "note": NOTE, "secret note": SECRET_NOTE, "overrule": SET, "undo": UNDO}


@pytest.fixture(params=["memory", "jsonl"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    made: Store = MemoryStore() if request.param == "memory" else JsonlStore(tmp_path)
    yield made
    made.close()


def reopened(store: Store) -> Store:
    if isinstance(store, JsonlStore):
        store.close()
        return JsonlStore(store.folder)
    return store


def content(answer: Answer) -> Any:
    return answer.refused, answer.first, answer.last, answer.events


def standing(session: Session) -> Any:
    return session.head, session.digest, session.lines


@pytest.mark.parametrize("name", REQUESTS)
def test_the_same_command_is_answered_again_and_appends_nothing(name: str, store: Store) -> None:
    session = tiny_session(engine(store))
    first = must(session.do(REQUESTS[name]))
    assert not first.repeated
    must(session.note("something else"))
    before = standing(session)
    for _ in range(3):
        again = session.do(REQUESTS[name])
        assert again.repeated
        assert content(first) == content(again)
    assert before == standing(session)


@pytest.mark.parametrize("name", REQUESTS)
def test_also_after_a_restart(name: str, store: Store) -> None:
    session = tiny_session(engine(store))
    first = must(session.do(REQUESTS[name]))
    store = reopened(store)
    restarted = engine(store, seed="another process").load("s")
    again = restarted.do(REQUESTS[name])
    assert again.repeated
    assert content(first) == content(again)
    assert standing(session) == standing(restarted)
    store.close()


def test_the_answer_is_what_its_caller_may_read() -> None:
    """A player who is told again is not told more than the first time."""
    session = tiny_session()
    must(session.join("ghost", side="ghost", sheet={"hp": 7}))
    attack = bare_request("a1", commands.Declare(actor="ann", name="attack", targets=("ghost",)), "ann")
    first = must(session.do(attack))
    again = session.do(attack)
    judge = next(event for event in first.events if getattr(event, "key", "") == "attack" and hasattr(event, "goal"))
    assert judge.goal is None
    assert content(first) == content(again)
    assert content(first)[1:3] == content(session.do(attack))[1:3]


@pytest.mark.parametrize(
    "other",
    [
        commands.Declare(actor="ann", name="attack", targets=("bob",), params={"power": 1}),
        commands.Declare(actor="ann", name="attack", targets=("bob",), secret=True),
        commands.Declare(actor="ann", name="heal", targets=("bob",)),
        commands.Note(text="hm"),
        commands.Undo(),
    ],
)
def test_the_same_id_with_other_content_is_refused(other: commands.Command) -> None:
    session = tiny_session()
    must(session.do(ATTACK))
    before = standing(session)
    answer = session.do(bare_request("a1", other, "ann"))
    assert answer.refused is not None
    assert (answer.refused.code, answer.refused.args) == ("command-id-used", ("a1",))
    assert before == standing(session)
    must(session.do(bare_request("a2", commands.Note(text="hm"), "ann")))


def test_spelling_a_default_out_is_not_other_content() -> None:
    session = tiny_session()
    must(session.do(ATTACK))
    spelt = commands.Declare(actor="ann", name="attack", targets=("bob",), params={}, rows=(), secret=False)
    assert session.do(bare_request("a1", spelt, "ann")).repeated


def test_another_caller_s_id_is_another_command() -> None:
    """Both may declare under one id: their actions are two, and each is undone by its own name."""
    session = tiny_session()
    must(session.do(bare_request("a1", commands.Declare(actor="ann", name="end-turn"), "ann")))
    must(session.do(bare_request("a1", commands.Declare(actor="bob", name="blow", targets=("ann",)), "bob")))
    assert set(session.state().open) == {"bob~a1"}
    assert session.do(bare_request("a1", commands.Declare(actor="ann", name="end-turn"), "ann")).repeated
    must(session.do(bare_request("a1", commands.Declare(actor="ann", name="end-turn"))))  # now the game master's
    events = [recorded.event for recorded in session.history()]
    names = [event.action for event in events if isinstance(event, Roll) or getattr(event, "parent", None) == ""]
    assert [name for name in names if "a1" in name] == ["a1", "bob~a1", "gm~a1"]
    must(session.undo())
    undone = session.undo("bob~a1")
    assert undone, undone.refused
    refused = session.undo("bob~a1").refused
    assert refused is not None
    assert refused.code == "already-undone"


NAMES = ["leave", "close", "overrule", "begin", "bob", "cy", "resume", "start", "kernel"]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("kind", ["attack", "blow"])
def test_whatever_id_a_client_chooses_is_no_word_of_the_kernel_s(name: str, kind: str) -> None:
    """A fight told with an odd action id goes as one with a plain id: only the id differs."""

    def fight(action: str) -> tuple[Any, ...]:
        table = Table(options={"counts": 2})
        moves = [
            *seats("ann", "bob", "cy", "dee"),
            declare("w0", "ann", "blow", "dee"),
            declare(action, "bob", kind, "cy"),
            *([declare("w1", "cy", "attack", "dee")] if kind == "blow" else []),
            ask("w2", commands.Overrule(reason="so", effect=CloseAction(action="w0"))),
            ask("w3", commands.Leave(id="ann")),
        ]
        table.play(moves)
        session = table.session
        assert len(session.prompts()) == 1
        asked = "dee" if kind == "blow" else "cy"
        must(session.answer(prompt_for(session, asked), asked, "stand", id="w4"))
        for count in range(12):
            if turn := session.state().turn:
                must(session.declare(turn, "end-turn", id=f"w5-{count}"))
        state = session.state(reader=GM)
        moments = [recorded.event.moment for recorded in session.history() if isinstance(recorded.event, Turn)]
        return state.over, state.turn, state.at, state.turns, moments, [one.pools for one in state.combatants.values()]

    plain = fight("plain")
    assert ("resume" in plain[4]) is (kind == "blow")
    assert plain == fight(name)


def test_a_refused_command_may_run_when_it_can() -> None:
    session = tiny_session()
    early = bare_request("a1", commands.Declare(actor="ann", name="attack", targets=("cy",)), "ann")
    refused = session.do(early).refused
    assert refused is not None
    assert (refused.code, refused.args) == ("no-such-combatant", ("cy",))
    must(session.join("cy", side="cy", sheet={"hp": 9}))
    answer = must(session.do(early))
    assert not answer.repeated
    assert answer.events[0].action == "a1"


def test_unreadable_input_uses_no_id_up() -> None:
    session = tiny_session()
    bad = bare_request("a1", commands.Declare(actor="ann", name="attack", targets=("bob",), params={"power": 1.5}))
    with pytest.raises(InputError):
        session.do(bad)
    must(session.do(ATTACK))


@pytest.mark.parametrize("policy", ["fair", "scripted"])
def test_a_command_that_met_a_breach_meets_the_same_dice_when_it_is_sent_again(policy: str) -> None:
    """Law 10: nothing was appended, so the same command runs once the plugin is mended, and nobody fished for a face."""
    store = MemoryStore()
    session = tiny_session(engine(store, tiny_catalog(Raising)), dice=policy, script=(1, 2, 17, 19))
    Raising.thrown.clear()
    before = standing(session)
    for _ in range(2):
        with pytest.raises(Breach, match="plugin 'tiny', hook resolve: a1: raised RuntimeError"):
            session.do(ATTACK)
        assert before == standing(session)
    seen = list(Raising.thrown)
    mended = engine(store, seed="another process").load("s")
    answer = must(mended.do(ATTACK))
    assert seen == [event.total for event in answer.events if isinstance(event, Roll)] * 2


class Raising(Tiny):
    thrown: list[Any] = []  # noqa: RUF012  # that a plugin keeps something is the point

    @hookimpl
    def resolve(self, fight: Fight, action: Any) -> Steps:
        steps: Steps = self.attack(fight, action)
        return steps

    def attack(self, fight: Fight, action: Any) -> Any:
        swing = yield from Roll("attack", by=action.actor, plan=dice(1, 20))
        self.thrown.append(swing.total)
        raise RuntimeError("after the die")


def test_two_processes_that_are_sent_the_same_command_store_it_once() -> None:
    """API-1: the client lost its answer and asked another process, which had not heard of it."""
    store = MemoryStore()
    one = tiny_session(engine(store))
    other = engine(store, seed="another process").load("s")
    first = must(one.do(ATTACK))
    must(one.note("meanwhile"))
    again = other.do(ATTACK)
    assert again.repeated
    assert content(first) == content(again)
    assert standing(one) == standing(other)
    must(other.note("and on"))
    assert other.verify().is_clean


def test_who_comes_second_is_told_so_and_may_send_the_same_again() -> None:
    """STORE-1: of two who both expect one version, one is stored; the other catches up and decides afresh."""
    store = MemoryStore()
    one = tiny_session(engine(store))
    other = engine(store, seed="another process").load("s")
    must(one.note("first"))
    with pytest.raises(VersionConflict) as conflict:
        other.do(ATTACK)
    assert (conflict.value.expected, conflict.value.current) == (one.head - 1, one.head)
    assert standing(one) == standing(other)
    answer = must(other.do(ATTACK))
    assert (not answer.repeated, answer.first) == (True, one.head + 1)
    assert other.verify().is_clean


def test_a_fresh_id_is_one_that_nobody_used() -> None:
    """Thirty-two random bits meet again in a long fight: then another id is drawn, and no command is swallowed."""

    class Stuck:
        def __init__(self) -> None:
            self.names = iter(["same"] * 4 + ["other"])

        def salt(self) -> str:
            return "00" * 16

        def seed(self) -> bytes:
            return b"seed"

        def name(self) -> str:
            return next(self.names)

        def now(self) -> str:
            return "now"

    made = engine()
    made.entropy = Stuck()
    session = made.start("tiny", session="s")
    assert not must(session.note("one")).repeated
    second = must(session.note("one"))
    assert not second.repeated
    assert session.head == 3


@pytest.mark.parametrize(
    ("field", "value"),
    [("id", ""), ("id", "a b"), ("id", "a>b"), ("id", "x" * 65), ("id", 5), ("caller", "a~b"), ("caller", "public")],
)
def test_ids_that_cannot_stand_in_a_log_are_refused_with_their_path(field: str, value: Any) -> None:
    session = tiny_session()
    request = Request(**{"id": "q", "command": commands.Note(text="hm"), field: value})
    with pytest.raises(InputError) as error:
        session.do(request)
    assert error.value.path == f"$.{field}"


@pytest.mark.parametrize("seen", [-2, 1.0, True, "3", 2**53, None])
def test_the_head_that_was_seen_is_a_version(seen: Any) -> None:
    session = tiny_session()
    with pytest.raises(InputError, match=r"^\$\.seen: must be a version"):
        session.do(Request(id="q", command=commands.Note(text="hm"), seen=seen))
    for good in (-1, 0, session.head):
        must(session.do(Request(id=f"q{good}", command=commands.Note(text="hm"), seen=good)))
    assert session.verify().is_clean
