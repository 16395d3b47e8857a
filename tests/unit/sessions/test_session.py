"""A session at work: what may be asked, who is told, and what happens when the world around it fails."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from affray.kernel import (
    GM,
    PUBLIC,
    Action,
    Breach,
    Busy,
    Close,
    CloseAction,
    Commit,
    Fight,
    GiveModifier,
    InputError,
    Modifier,
    Note,
    PluginUnavailable,
    Refused,
    Roll,
    RulesDrifted,
    SessionExists,
    SetPool,
    Steps,
    StoreError,
    commands,
    dice,
    hookimpl,
)
from affray.sessions import Answer, Catalog, Engine, MemoryStore, Notice, Session, Store

from ...support.fights import Died, Mortal, prompt_for
from ...support.table import Fixed, answer_all, engine, must, play, tiny_catalog, tiny_session
from ...support.tiny import Tiny

SURE = (Modifier("attack.skill", 20, "sure"),)


def code(answer: Answer) -> str:
    assert answer.refused is not None
    return answer.refused.code


# -- starting and loading


@pytest.mark.parametrize(
    ("how", "path"),
    [
        ({"dice": "loaded"}, "$.dice.*"),
        ({"dice": {"ann": "loaded"}}, "$.dice.ann"),
        ({"dice": {"a b": "fair"}}, "$.dice"),
        ({"undo_dice": "never"}, "$.undo_dice"),
        ({"session": "a/b"}, "$.session"),
        ({"title": "x" * 201}, "$.title"),
        ({"title": "\ud800"}, "$.title"),
        ({"script": (1, 0)}, "$.script"),
        ({"script": (1.0,)}, "$.script"),
        ({"options": {"counts": float("nan")}}, "$.options.counts"),
    ],
)
def test_what_cannot_be_started_stores_nothing(how: dict[str, Any], path: str) -> None:
    store = MemoryStore()
    with pytest.raises(InputError) as error:
        engine(store).start("tiny", **how)
    assert path == error.value.path
    assert store.sessions() == ()


def test_a_session_is_started_once() -> None:
    made = engine()
    made.start("tiny", session="s")
    with pytest.raises(SessionExists):
        made.start("tiny", session="s")
    with pytest.raises(SessionExists, match="in case only"):
        made.start("tiny", session="S")


def test_unknown_rules_are_unavailable() -> None:
    with pytest.raises(PluginUnavailable, match="'huge': is not installed; there are tiny"):
        engine().start("huge")
    with pytest.raises(PluginUnavailable, match="'grim': is not installed"):
        engine().start("tiny", house=["grim"])


# -- refusals: values, and nothing appended


REFUSED: dict[str, tuple[commands.Command, str, str]] = {
    "begin twice": (commands.Begin(), GM, "already-begun"),
    "begin by a player": (commands.Begin(), "ann", "gm-only"),
    "close by a player": (commands.Close(), "ann", "gm-only"),
    "overrule by a player": (
        commands.Overrule(reason="so", effect=SetPool(target="ann", pool="hp", value=99)), "ann", "gm-only",
    ),
    "reveal by a player": (commands.Reveal(version=1), "ann", "gm-only"),
    "reveal dice by a player": (commands.RevealDice(), "ann", "gm-only"),
    "no such chain": (commands.RevealDice(chain="gold"), GM, "no-such-chain"),
    "join again": (commands.Join(id="ann", name="Ann", side="x", sheet={"hp": 3}), GM, "already-joined"),
    "join for another": (commands.Join(id="z", name="Z", side="x", controller="bob", sheet={"hp": 3}), "ann", "not-yours"),
    "join with a bonus": (
        commands.Join(id="z", name="Z", side="x", controller="ann", sheet={"hp": 3}, pools={"hp": 2}), "ann", "gm-only",
    ),
    "leave for another": (commands.Leave(id="bob"), "ann", "not-yours"),
    "leave of nobody": (commands.Leave(id="z"), GM, "no-such-combatant"),
    "declare for another": (commands.Declare(actor="ann", name="end-turn"), "bob", "not-yours"),
    "declare out of turn": (commands.Declare(actor="bob", name="end-turn"), "bob", "not-your-turn"),
    "declare at nobody": (commands.Declare(actor="ann", name="attack", targets=("z",)), "ann", "no-such-combatant"),
    "declare at oneself": (commands.Declare(actor="ann", name="attack", targets=("ann",)), "ann", "not-a-target"),
    "declare at too few": (commands.Declare(actor="ann", name="attack"), "ann", "wrong-number-of-targets"),
    "declare at one twice": (
        commands.Declare(actor="ann", name="attack", targets=("bob", "bob")), "ann", "wrong-number-of-targets",
    ),
    "declare with a bonus": (
        commands.Declare(actor="ann", name="attack", targets=("bob",), rows=SURE), "ann", "gm-only",
    ),
    "vetoed": (commands.Declare(actor="ann", name="attack", targets=("bob",), params={"power": 10}), "ann", "too-much-power"),
    "answer to nothing": (commands.Answer(slot="a1|ask.guard.0", who="ann", value="stand"), "ann", "no-such-prompt"),
    "modifier to nothing": (
        commands.Overrule(reason="so", effect=GiveModifier(action="a1", rows=())), GM, "no-such-action",
    ),
    "close nothing": (commands.Overrule(reason="so", effect=CloseAction(action="a1")), GM, "no-such-action"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_not_allowed_is_refused_and_changes_nothing(name: str) -> None:
    """Law 10: a refusal is a value, with a stable code (law 11) and what it is about."""
    command, caller, expected = REFUSED[name]
    session = tiny_session()
    before = (session.head, session.digest, session.state(reader=GM))
    answer = session.request(command, caller=caller)
    assert expected == code(answer)
    assert before == (session.head, session.digest, session.state(reader=GM))
    must(session.declare("ann", "end-turn", caller="ann"))


def test_before_the_beginning_and_after_the_end() -> None:
    session = tiny_session(begun=False)
    assert code(session.declare("ann", "end-turn")) == "not-begun"
    assert code(engine().start("tiny").begin()) == "nobody-there"
    must(session.begin())
    must(session.close("rain"))
    assert session.state().over == "rain"
    for answer in (
        session.declare("ann", "end-turn"),
        session.close(),
        session.begin(),
        session.join("z", side="z", sheet={"hp": 1}),
    ):
        assert answer.refused == Refused("over", ("rain",))
    must(session.note("the rain goes on"))
    assert session.actions("ann") == ()


def test_nothing_is_declared_while_somebody_is_asked() -> None:
    session = tiny_session()
    must(session.declare("ann", "attack", "bob", rows=SURE, id="a1"))
    assert code(session.declare("ann", "end-turn")) == "prompt-open"
    assert session.actions("ann") == ()
    assert code(session.answer("a1|ask.guard.0", "ann", "stand")) == "not-asked"
    assert code(session.answer("a1|ask.guard.0", "bob", "fly")) == "no-such-option"
    assert code(session.answer("a1|ask.guard.0", "bob", "stand", caller="ann")) == "not-yours"
    must(session.answer("a1|ask.guard.0", "bob", "stand", caller="bob"))


def test_an_answer_is_given_once() -> None:
    session = tiny_session(people=3)
    must(session.declare("ann", "sweep", "bob", "cy", id="a1"))
    must(session.answer("a1|ask.sweep.0", "cy", "duck"))
    assert code(session.answer("a1|ask.sweep.0", "cy", "stand")) == "already-answered"
    assert set(session.prompts("bob")) == {"a1|ask.sweep.0"}
    assert set(session.prompts("cy")) == set()


def test_forms_say_what_may_be_declared() -> None:
    session = tiny_session()
    forms = {form.name: form for form in session.actions("ann")}
    assert (forms["attack"].targets, forms["attack"].least, forms["attack"].most) == (("bob",), 1, 1)
    assert session.actions("bob") == ()
    with pytest.raises(InputError):
        session.actions("z")


# -- subscribers


def watched(session: Session, reader: str = PUBLIC) -> list[Notice]:
    heard: list[Notice] = []
    session.subscribe(heard.append, reader=reader)
    return heard


def test_every_commit_is_told_once_in_order_after_it_is_stored() -> None:
    store = MemoryStore()
    session = tiny_session(engine(store), dice={"ann": "reported"}, begun=False)
    stored: list[int] = []
    heard = watched(session)
    session.subscribe(lambda notice: stored.append(len(list(store.read("s")))))
    head = session.head
    must(session.begin())
    must(session.report(prompt_for(session, "ann"), "ann", [[3]]))
    must(session.note("hm"))
    assert code(session.begin()) == "already-begun"
    assert [notice.first for notice in heard] == [head + 1, *[notice.last + 1 for notice in heard[:-1]]]
    assert len(heard) == 4, "a report makes two commits"
    assert heard[-1].last == session.head
    assert [r.event for r in session.history(head)] == [event for notice in heard for event in notice.events]
    assert len(list(store.read("s"))) == stored[-1]


def test_a_subscriber_is_told_what_its_reader_may_see() -> None:
    session = tiny_session()
    heard = {reader: watched(session, reader) for reader in (PUBLIC, "ann", "bob", GM)}
    must(session.note("psst", secret=True, caller="ann"))
    texts = {reader: notices[0].events[0].text for reader, notices in heard.items()}
    assert texts == {PUBLIC: None, "ann": "psst", "bob": None, GM: "psst"}


def test_a_subscriber_that_raises_hurts_nobody() -> None:
    session = tiny_session()
    before = watched(session)

    def raises(notice: Notice) -> None:
        raise RuntimeError("deaf")

    session.subscribe(raises)
    after = watched(session)
    must(session.note("one"))
    must(session.note("two"))
    assert len(before) == len(after) == 2


def test_who_unsubscribes_hears_no_more() -> None:
    session = tiny_session()
    heard: list[Notice] = []
    stop = session.subscribe(heard.append)
    must(session.note("one"))
    stop()
    stop()
    must(session.note("two"))
    assert len(heard) == 1


def test_a_subscriber_may_give_commands_and_all_hear_them_in_order() -> None:
    session = tiny_session(dice={"ann": "reported"})

    def chatty(notice: Notice) -> None:
        if not isinstance(notice.events[0], Note):
            must(session.note(f"after {notice.last}"))

    session.subscribe(chatty)
    heard = watched(session)
    must(session.report(prompt_for(session, "ann"), "ann", [[3]]))
    must(session.declare("ann", "attack", "bob"))
    assert [notice.first for notice in heard][1:] == [notice.last + 1 for notice in heard[:-1]]
    assert heard[-1].last == session.head
    assert session.state(reader=GM) == engine(session._store).load("s").state(reader=GM)
    assert session.verify().is_clean


def test_commits_of_another_process_are_told_too_once_they_are_seen() -> None:
    store = MemoryStore()
    one = tiny_session(engine(store))
    other = engine(store, seed="x").load("s")
    heard = watched(other)
    must(one.note("first"))
    with pytest.raises(StoreError):
        other.note("second")
    must(other.note("second"))
    assert [event.text for notice in heard for event in notice.events] == ["first", "second"]


# -- a world that fails


class Failing(MemoryStore):
    """Raises at an append, before or after it has stored."""

    def __init__(self, error: BaseException, *, stored: bool) -> None:
        super().__init__()
        self.error: BaseException | None = None
        self.next, self.stored = error, stored

    def append(self, session: str, commits: Sequence[Commit], expected_version: int) -> tuple[Commit, ...]:
        error, self.error = self.error, None
        if error is None or self.stored:
            done = super().append(session, commits, expected_version)
        if error is not None:
            raise error
        return done


@pytest.mark.parametrize("error", [StoreError("full"), OSError("gone"), KeyboardInterrupt(), MemoryError()])
@pytest.mark.parametrize("stored", [False, True])
def test_after_a_failed_append_the_session_goes_by_what_is_stored(error: BaseException, stored: bool) -> None:
    store = Failing(error, stored=stored)
    session = tiny_session(engine(store))
    heard = watched(session)
    head = session.head
    request = commands.Declare(actor="ann", name="attack", targets=("bob",))
    store.error = error
    with pytest.raises(type(error)):
        session.request(request, id="a1")
    assert (head < session.head) is stored
    assert len(heard) == stored
    answer = must(session.request(request, id="a1"))
    assert answer.repeated is stored
    assert session.lines == tuple(list(store.read("s"))[1:])
    assert session.state(reader=GM) == engine(store).load("s").state(reader=GM)
    assert session.verify().is_clean


class Interrupted(Tiny):
    """Somebody presses Control-C in the middle of a resolver."""

    error: BaseException | None = KeyboardInterrupt()

    @hookimpl
    def resolve(self, fight: Fight, action: Action) -> Steps:
        steps: Steps = self.slow(action) if self.error is not None else super().resolve(fight, action)
        return steps

    def slow(self, action: Action) -> Any:
        yield Roll("slow", by=action.actor, plan=dice(1, 6))
        assert self.error is not None
        raise self.error


@pytest.mark.parametrize("error", [KeyboardInterrupt(), SystemExit(3), RuntimeError("no")])
def test_a_command_that_was_interrupted_leaves_nothing_behind(error: BaseException) -> None:
    plugin = Interrupted()
    session = tiny_session(engine(catalog=tiny_catalog(lambda: plugin)))
    before = (session.head, session.digest, session.state(reader=GM))
    plugin.error = error
    with pytest.raises(Breach if isinstance(error, Exception) else type(error)):
        session.declare("ann", "attack", "bob")
    assert before == (session.head, session.digest, session.state(reader=GM))
    plugin.error = None
    must(session.declare("ann", "attack", "bob"))
    answer_all(session)
    assert session.verify().is_clean
    assert session.state(reader=GM) == engine(session._store).load("s").state(reader=GM)


class Calling(Tiny):
    """Calls back into the session that is deciding (PLUG-2)."""

    session: Session | None = None

    @hookimpl
    def resolve(self, fight: Fight, action: Action) -> Steps:
        steps: Steps = self.call(action)
        return steps

    def call(self, action: Action) -> Any:
        yield Roll("first", by=action.actor, plan=dice(1, 6))
        assert self.session is not None
        self.session.note("from within")


def test_a_plugin_that_calls_back_into_the_session_is_a_breach() -> None:
    plugin = Calling()
    session = tiny_session(engine(catalog=tiny_catalog(lambda: plugin)))
    plugin.session = session
    before = (session.head, session.digest)
    with pytest.raises(Breach, match=r"plugin 'tiny', hook resolve: .*in the middle of another command") as breach:
        session.declare("ann", "attack", "bob")
    assert isinstance(breach.value.__cause__, Busy)
    assert before == (session.head, session.digest)
    must(session.note("from outside"))


def test_reading_a_session_that_another_process_is_writing_to_needs_no_lock() -> None:
    """Loading would complete a report; where the store is busy it is left to who holds it."""
    store = Mortal(8, stored=False)
    session = tiny_session(engine(store), dice={"ann": "reported"})
    must(session.report(prompt_for(session, "ann"), "ann", [[1]]))
    must(session.declare("ann", "attack", "bob", rows=SURE, id="a1"))
    with pytest.raises(Died):
        session.report("a1|roll.attack.ann.0", "ann", [[1]])

    class Held(MemoryStore):
        def append(self, session: str, commits: Sequence[Commit], expected_version: int) -> tuple[Commit, ...]:
            raise Busy("somebody else writes")

    held: Any = Held()
    held.__dict__.update(store.__dict__)
    reader = engine(held, seed="x").load("s")
    assert reader.state(reader=GM).open.keys() == {"a1"}
    assert engine(store, seed="y").load("s").state(reader=GM).prompts.keys() == {"a1|ask.guard.0"}


# -- without the plugin


def bare(store: Store) -> Session:
    """The session where no rules are installed at all."""
    return Engine(store, Catalog(points=()), Fixed("bare")).load("s")


def test_without_its_plugin_a_session_is_read_noted_on_and_undone() -> None:
    """Law 2: only deciding needs the plugin."""
    store = MemoryStore()
    session = tiny_session(engine(store))
    play(session, 4)
    must(session.declare(session.state().turn, "blow", "ann" if session.state().turn == "bob" else "bob", id="w1"))
    gone = bare(store)
    assert isinstance(gone.problem, PluginUnavailable)
    for reader in (GM, PUBLIC, "ann"):
        assert session.state(reader=reader) == gone.state(reader=reader)
        assert session.history(reader=reader) == gone.history(reader=reader)
    assert gone.verify().is_clean
    must(gone.note("where are the rules?"))
    must(gone.reveal_dice())
    head = gone.head
    for attempt in (
        lambda: gone.declare("ann", "end-turn"),
        lambda: gone.join("z", side="z", sheet={"hp": 3}),
        lambda: gone.overrule("so", SetPool(target="ann", pool="hp", value=3)),
        lambda: gone.actions("ann"),
    ):
        with pytest.raises(PluginUnavailable, match="'tiny': is not installed"):
            attempt()
    assert head == gone.head
    must(gone.undo("w1"))
    must(gone.redo())
    back = engine(store, seed="back").load("s")
    assert back.problem is None
    assert gone.state(reader=GM) == back.state(reader=GM)
    must(back.declare(back.state().turn, "end-turn"))


@pytest.mark.parametrize("pending", ["asked", "waiting"])
def test_without_its_plugin_the_game_master_closes_what_is_open(pending: str) -> None:
    store = MemoryStore()
    session = tiny_session(engine(store))
    must(session.declare("ann", "attack" if pending == "asked" else "blow", "bob", rows=SURE, id="a1"))
    gone = bare(store)
    answer = must(gone.overrule("the rules are gone", CloseAction(action="a1")))
    assert [type(event).__name__ for event in answer.events] == ["Overrule", "Done"]
    assert (gone.state().open, gone.state().prompts) == ({}, {})
    back = engine(store, seed="back").load("s")
    turn = back.state().turn
    assert turn == ("ann" if pending == "asked" else "bob")
    must(back.declare(turn, "end-turn"))
    assert back.verify().is_clean


class Drifted(Tiny):
    """The same release, other rules."""

    @hookimpl
    def resolve(self, fight: Fight, action: Action) -> Steps:
        steps: Steps = self.other(action)
        return steps

    def other(self, action: Action) -> Any:
        yield Roll("other", by=action.actor, plan=dice(1, 6))


def test_where_the_rules_drifted_nothing_is_decided_until_the_action_is_closed() -> None:
    store = MemoryStore()
    session = tiny_session(engine(store))
    must(session.declare("ann", "attack", "bob", rows=SURE, id="a1"))
    drifted = engine(store, tiny_catalog(Drifted), seed="x").load("s")
    assert isinstance(drifted.problem, RulesDrifted)
    assert drifted.state(reader=GM) == session.state(reader=GM)
    with pytest.raises(RulesDrifted):
        drifted.answer("a1|ask.guard.0", "bob", "stand")
    must(drifted.note("hm"))
    must(drifted.overrule("other rules", CloseAction(action="a1")))
    assert drifted.problem is None
    must(drifted.declare("ann", "sweep", "bob"))
    assert drifted.verify().is_clean


def test_closing_an_action_lets_the_clock_go_on() -> None:
    session = tiny_session()
    must(session.declare("ann", "blow", "bob", id="a1"))
    must(session.declare("bob", "blow", "ann", id="a2"))
    while session.state().turn != "":
        must(session.declare(session.state().turn, "end-turn"))
        if session.state().over:
            break
    assert session.state().over
    assert isinstance(session.history()[-2].event, Close)
