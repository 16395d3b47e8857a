"""Forks: a session that begins as another did, byte for byte, and goes on with dice of its own."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from affray.kernel import (
    GM,
    Chain,
    Damaged,
    Group,
    InputError,
    Open,
    Origin,
    Rewind,
    Sender,
    SessionExists,
    audit,
    commands,
    redact,
    through_bytes,
    verify,
    write_commit,
)
from affray.sessions import Engine, JsonlStore, MemoryStore, Session, Store
from affray.sessions.stores.sqlite import SqliteStore

from ...support.dicey import Dicey
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


# -- hosts that would have it otherwise, and halves


def one_more(session: Session, event: Any, name: str = "f", group: Group | None = None) -> list[bytes]:
    """A session's lines and one commit more, sealed by a host that may write what it likes."""
    chain = Chain(session.header)
    for line in session.lines:
        chain.accept(line)
    sender = Sender(caller=GM, on_behalf="", seen=-1, command="more", digest="", part=0, time="t")
    commit = write_commit(
        session=name,
        first=chain.version + 1,
        previous=chain.digest,
        events=[through_bytes(event)],
        sender=sender,
        salt=lambda: "0" * 32,
        group=group,
    )
    return [*lines_of(session), commit.line]


def test_a_session_that_forks_from_itself_does_not_get_rid_of_its_dice_secrets() -> None:
    """Law 1: the faces so far stay to be proven by the secrets that were promised."""
    session = fight(engine_of(MemoryStore()))
    opened = next(one.event for one in session.history(reader=GM) if isinstance(one.event, Open))
    origin = Origin(how="fork", session="s", version=session.head, digest=session.digest)
    forged = one_more(session, replace(opened, origin=origin, chain="0" * 64, kept_chain="1" * 64), "s")

    assert "open" in {finding.code for finding in verify(forged).findings}
    assert not audit(forged, tiny_catalog().rules).is_clean


@pytest.mark.parametrize(("why", "back"), [("amend", 3), ("amend", 0), ("undo", 3)])
def test_no_rewind_goes_back_behind_the_open_of_a_fork(why: str, back: int) -> None:
    engine = engine_of(MemoryStore())
    old = fight(engine)
    fork = engine.fork(old, session="f")
    play(fork, 1)
    group = Group(id="g", index=1, size=1) if why == "amend" else None
    forged = one_more(fork, Rewind(to=old.ends[-back] if back else 0, why=why), group=group)

    assert "rewind" in {finding.code for finding in verify(forged).findings}
    assert not audit(forged, tiny_catalog().rules).is_clean


def test_what_finishes_a_command_of_the_origin_is_not_undone_alone() -> None:
    """Reported dice are stored alone; a fork that begins behind them has what follows from them."""
    engine = engine_of(MemoryStore())
    old = tiny_session(engine, dice={"ann": "reported", "bob": "reported"}, begun=False)
    must(old.begin())
    answer_all(old)
    must(old.declare(old.state().turn, "attack", "bob" if old.state().turn == "ann" else "ann"))
    answer_all(old)
    halves = [end for end in old.ends if any(one.version == end and one.sender and one.sender.part == 1 for one in old.history(reader=GM))]
    fork = engine.fork(old, halves[-1], session="f")

    assert fork.head > halves[-1] + 1
    assert "nothing-to-undo" == (fork.undo().refused or pytest.fail("none")).code
    must(fork.join("zed", side="z", sheet={"hp": 3}))
    assert audit(lines_of(fork), tiny_catalog().rules).is_clean


def test_a_blind_roll_of_the_origin_may_be_opened_in_the_fork() -> None:
    """Its dice are proven by the origin's secrets; a copy holds nothing against it."""
    catalog = tiny_catalog(Dicey)
    engine = Engine(MemoryStore(), catalog, Fixed())
    old = tiny_session(engine)
    must(old.declare("ann", "peek"))
    version = next(one.version for one in old.history(reader=GM) if getattr(one.event, "key", "") == "peek")
    fork = engine.fork(old, session="f")
    must(fork.reveal_dice("kept"))
    must(fork.reveal(version))

    copy = [fork.header, *(redact(line, "public") for line in fork.lines)]
    assert ((), ()) == (verify(lines_of(fork)).findings, verify(copy).findings)


def test_there_is_nothing_before_the_first_version_to_fork() -> None:
    engine = engine_of(MemoryStore())
    with pytest.raises(InputError, match="begins with"):
        engine.fork(fight(engine), 0)
