"""Forks: a session that begins as another did, byte for byte, and goes on with dice of its own."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from affray.kernel import GM, Chain, Damaged, InputError, SessionExists, audit, commands, redact, verify
from affray.sessions import Engine, JsonlStore, MemoryStore, Session, Store
from affray.sessions.stores.sqlite import SqliteStore

from ...support.ram import ram_folder
from ...support.reseal import reseal
from ...support.table import Fixed, answer_all, must, play, tiny_catalog, tiny_session

STORES = ("memory", "jsonl", "sqlite")


@pytest.fixture(params=STORES)
def store(request: pytest.FixtureRequest) -> Iterator[Store]:
    with ram_folder() as folder:
        made: dict[str, Any] = {"memory": MemoryStore, "jsonl": lambda: JsonlStore(folder), "sqlite": lambda: SqliteStore(folder)}
        found = made[request.param]()
        yield found
        found.close()


def engine_of(store: Store) -> Engine:
    return Engine(store, tiny_catalog(), Fixed())


def fight(engine: Engine, **start: Any) -> Session:
    session = tiny_session(engine, people=2, **start)
    play(session, 2)
    return session


def lines_of(session: Session) -> list[bytes]:
    return [session.header, *session.lines]


def test_a_fork_begins_byte_for_byte_and_goes_on_by_itself(store: Store) -> None:
    engine = engine_of(store)
    old = fight(engine)
    at = old.ends[-2]
    before = lines_of(old)
    fork = engine.fork(old, at, session="f")

    kept = [line for line in before if line in lines_of(fork)]
    assert before[: len(kept)] == lines_of(fork)[:-1]
    assert ("f", "fork", "s", at) == (fork.id, (origin := fork.state().origin) and origin.how, origin and origin.session, origin and origin.version)
    assert old.state(at).combatants == fork.state().combatants
    play(fork, 3)
    assert before == lines_of(old)
    assert fork.verify().is_clean
    assert audit(lines_of(fork), tiny_catalog().rules).is_clean
    assert ("f", "s") == store.sessions()


def test_a_fork_is_read_again_by_another_process(store: Store) -> None:
    engine = engine_of(store)
    fork = engine.fork(fight(engine), session="f")
    play(fork, 2)
    store.close()
    again = engine_of(store).load("f")

    assert (fork.head, fork.digest) == (again.head, again.digest)
    play(again, 1)
    assert again.verify().is_clean
    repeated = must(again.do(commands.Request(id="n", command=commands.Note(text="x"))))
    assert must(again.do(commands.Request(id="n", command=commands.Note(text="x")))).first == repeated.first


def test_a_fork_of_a_fork_names_the_one_it_came_from(store: Store) -> None:
    engine = engine_of(store)
    first = engine.fork(fight(engine), session="f")
    play(first, 1)
    second = engine.fork(first, session="g")
    play(second, 1)

    assert "f" == (second.state().origin or pytest.fail("none")).session
    assert second.verify().is_clean
    assert audit(lines_of(second), tiny_catalog().rules).is_clean
    assert ("f", "g", "s") == store.sessions()


def test_a_fork_throws_other_dice_than_its_origin_and_proves_them_by_its_own_secret() -> None:
    engine = engine_of(MemoryStore())
    old = fight(engine)
    fork = engine.fork(old, session="f")
    for session in (old, fork):
        turn = session.state().turn
        must(session.declare(turn, "roll", notation="9d1000", id="same"))
        must(session.close())
    rolls = [[one.event.faces for one in session.history() if getattr(one.event, "key", "") == "typed"] for session in (old, fork)]

    assert rolls[0] != rolls[1]
    dice = verify(lines_of(fork)).dice
    assert dice.proven == 1
    assert dice.unrevealed > 0  # the origin's rolls are proven there


def test_where_players_sent_nonces_a_forks_dice_wait_for_another_one() -> None:
    """Who forks chooses the new secret when all nonces so far are known, and might fish for faces."""
    engine = engine_of(MemoryStore())
    old = tiny_session(engine)
    must(old.note("hello", caller="ann", nonce="pebbles", seen=old.head))
    fork = engine.fork(old, session="f")
    turn = fork.state().turn

    assert (fork.declare(turn, "roll", notation="1d6").refused or pytest.fail("none")).code == "dice-wait-for-nonce"
    must(fork.note("go on", caller="ann", nonce="more pebbles", seen=fork.head))
    must(fork.declare(turn, "roll", notation="1d6"))
    assert fork.verify().is_clean


def test_what_the_origin_did_is_not_taken_back_or_amended_in_the_fork() -> None:
    engine = engine_of(MemoryStore())
    fork = engine.fork(fight(engine), session="f")

    assert (fork.undo().refused or pytest.fail("none")).code == "nothing-to-undo"
    answer = fork.request(commands.Amend(since=5, reason="x"))
    assert (answer.refused or pytest.fail("none")).code == "not-amendable"
    must(fork.note("mine"))
    must(fork.undo())
    assert audit(lines_of(fork), tiny_catalog().rules).is_clean


def test_open_actions_and_prompts_go_on_in_the_fork() -> None:
    engine = engine_of(MemoryStore())
    old = tiny_session(engine, dice="scripted-then-fair", script=(1, 1, 1))
    must(old.declare("ann", "attack", "bob"))
    assert old.prompts()
    fork = engine.fork(old, session="f")

    assert list(old.prompts()) == list(fork.prompts())
    answer_all(fork)
    answer_all(old)
    assert audit(lines_of(fork), tiny_catalog().rules).is_clean


def test_a_fork_begins_where_a_command_ended(store: Store) -> None:
    engine = engine_of(store)
    old = fight(engine)
    inside = next(version for version in range(old.head, 0, -1) if version not in old.ends)

    with pytest.raises(InputError, match="no command ends there"):
        engine.fork(old, inside, session="f")
    with pytest.raises(InputError, match="no command ends there"):
        engine.fork(old, old.head + 1, session="f")
    with pytest.raises(SessionExists):
        engine.fork(old, session="s")
    assert ("s",) == store.sessions()


def test_a_copy_without_its_kept_parts_is_not_forked() -> None:
    engine = engine_of(MemoryStore())
    old = fight(engine)
    copies = MemoryStore()
    chain = Chain(old.header)
    copies.create(old.header, [chain.accept(redact(line, "ann")) for line in old.lines])

    with pytest.raises(InputError, match="cannot be forked"):
        Engine(copies, tiny_catalog(), Fixed()).fork(Engine(copies, tiny_catalog(), Fixed()).load("s"))


@pytest.mark.parametrize("field", ["session", "version", "digest", "how"])
def test_a_fork_must_name_the_place_it_goes_on_from(field: str) -> None:
    engine = engine_of(MemoryStore())
    fork = engine.fork(fight(engine), session="f")
    where = fork.head

    def change(version: int, event: dict[str, Any]) -> None:
        if version == where:
            event["origin"][field] = event["origin"][field] + 1 if field == "version" else "other"

    (finding, *_) = verify(reseal(lines_of(fork), change)).findings
    assert ("damaged", where) == (finding.code, finding.version)


def test_a_file_of_a_fork_is_stored_under_the_forks_name(tmp_path: Path) -> None:
    store = JsonlStore(tmp_path)
    engine = engine_of(store)
    engine.fork(fight(engine), session="f")
    store.close()
    shutil.copy(tmp_path / "f.affray", tmp_path / "g.affray")

    with pytest.raises(Damaged, match="not 'g'"):
        list(JsonlStore(tmp_path).read("g"))
    assert engine_of(JsonlStore(tmp_path)).load("f").state(reader=GM).origin
