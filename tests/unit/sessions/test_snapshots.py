"""Snapshots as caches: when one is left, when it is dropped, that nobody reads by it what is not theirs, and lists by it."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from affray.kernel import (
    GM,
    PUBLIC,
    Chain,
    Damaged,
    SetPool,
    Snapshot,
    State,
    decode_snapshot,
    encode_snapshot,
    limits,
    redact,
    sha256,
)
from affray.sessions import Engine, JsonlStore, MemoryStore, Session, SqliteStore, Store
from affray.sessions import record as records
from affray.sessions.snapshots import SNAPSHOT_EVENTS

from ...support.fights import prompt_for
from ...support.ram import ram_folder
from ...support.table import answer_all, engine, must, tiny_session

encoded = msgspec.json.Encoder().encode

EVERY = 10

KINDS: dict[str, Callable[[Path], JsonlStore | SqliteStore]] = {"jsonl": JsonlStore, "sqlite": SqliteStore}


@pytest.fixture
def often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(records, "SNAPSHOT_EVENTS", EVERY)


@pytest.fixture(params=["memory", "jsonl", "sqlite"])
def store(request: pytest.FixtureRequest) -> Iterator[Store]:
    with ram_folder() as folder:
        made: Store = MemoryStore() if request.param == "memory" else KINDS[request.param](folder)
        yield made
        made.close()


def cached(store: Store) -> Snapshot:
    data = store.cached("s")
    assert data is not None
    return decode_snapshot(data, "s")


def noted(session: Session, head: int) -> None:
    """Notes until the session stands at a version."""
    while session.head < head:
        must(session.note(f"at {session.head}"))


def fight(store: Store) -> Session:
    """A fight with a secret foe and a secret note: everybody's view is not the game master's."""
    session = tiny_session(engine(store))
    must(session.join("gob", side="goblins", sheet={"hp": 12, "init": 1}))
    must(session.note("psst", secret=True))
    must(session.declare("ann", "attack", "gob"))
    answer_all(session, 1)
    must(session.overrule("so", SetPool(target="gob", pool="hp", value=7)))
    noted(session, 60)
    while (data := store.cached("s")) is not None and decode_snapshot(data, "s").version != session.head:
        must(session.note("until there is one at the head"))
    return session


# -- when one is left


def test_one_is_left_at_the_bound_and_not_one_event_before() -> None:
    """Law 9: SNAPSHOT_EVENTS behind the last one, wherever commits end."""
    store = MemoryStore()
    session = tiny_session(engine(store))
    noted(session, SNAPSHOT_EVENTS - 1)
    assert store.cached("s") is None
    noted(session, SNAPSHOT_EVENTS)
    first = cached(store)
    assert (first.version, first.digest) == (SNAPSHOT_EVENTS, session.digest)
    noted(session, 2 * SNAPSHOT_EVENTS - 1)
    assert cached(store) == first
    noted(session, 2 * SNAPSHOT_EVENTS)
    assert cached(store).version == 2 * SNAPSHOT_EVENTS


def test_loading_leaves_one_where_the_last_is_far_and_none_otherwise(store: Store, often: None) -> None:
    session = fight(store)
    last = store.cached("s")
    engine(store).load("s")
    assert store.cached("s") == last
    bare = MemoryStore()
    bare.create(session.header, [*map(Chain(session.header).accept, session.lines)], store.secret("s"))
    engine(bare).load("s")
    assert cached(bare).version == session.head


def test_a_rewind_or_a_reveal_before_it_leaves_a_new_one(often: None) -> None:
    """So that nobody has to read the whole log of a session in which something was undone."""
    store = MemoryStore()
    session = tiny_session(engine(store))
    must(session.note("psst", secret=True))
    secret = session.head
    must(session.declare("ann", "attack", "bob", id="a1"))
    answer_all(session, 1)
    noted(session, 3 * EVERY)
    while (before := cached(store).version) != session.head:
        must(session.note("until there is one at the head"))
    must(session.undo("a1"))
    assert cached(store).version == session.head > before
    must(session.reveal(secret))
    assert cached(store).version == session.head
    left = store.cached("s")
    must(session.note("one more"))
    assert store.cached("s") == left


@pytest.mark.parametrize("how", ["load", "summary"])
def test_whoever_finds_one_that_is_no_longer_on_the_way_leaves_a_new_one(store: Store, often: None, how: str) -> None:
    session = fight(store)
    old = store.cached("s")
    must(session.undo())
    assert old is not None
    store.cache("s", old)
    if how == "load":
        engine(store).load("s")
    else:
        assert Engine(store).summary("s").version == session.head
    assert cached(store).version == session.head


@pytest.mark.parametrize("newer", [0, 1])
def test_with_a_snapshot_at_or_just_before_the_newest_event(store: Store, often: None, newer: int) -> None:
    """STORE-4 e: the state with it is the state without it."""
    session = fight(store)
    noted(session, cached(store).version + EVERY)
    for _ in range(newer):
        must(session.overrule("last", SetPool(target="bob", pool="hp", value=1)))
    assert cached(store).version == session.head - newer
    again = engine(store).load("s")
    assert again._record.resumable()[0] is not None
    for reader in (GM, PUBLIC, "ann"):
        assert encoded(session.state(reader=reader)) == encoded(again.state(reader=reader))
    assert again.state(reader=GM).combatants["bob"].pools["hp"] == (1 if newer else 12)


def test_an_action_that_was_open_in_it_is_resumed_from_before_it(store: Store, often: None) -> None:
    """Law 6: its steps are needed from the first on."""
    session = tiny_session(engine(store))
    must(session.declare("ann", "sweep", "bob", id="a1"))
    slot = prompt_for(session, "bob")
    noted(session, session.head + EVERY)
    full = cached(store).full
    assert full is not None
    assert list(full.open) == ["a1"]
    again = engine(store, seed="x").load("s")
    assert again._record.resumable()[0] is None
    must(again.answer(slot, "bob", "duck"))
    noted(again, again.head + 1)
    assert engine(store).load("s")._record.resumable()[0] is not None, "it is closed since"
    assert again.verify().is_clean


# -- when one is dropped


def bent(**more: Any) -> Callable[[bytes], bytes]:
    return lambda data: encode_snapshot(replace(decode_snapshot(data, "s"), **more))


def of_another_shape(data: bytes) -> bytes:
    stored = msgspec.json.decode(data.partition(b"\n")[2])
    stored["fold"] = "0" * 64
    body = encoded(stored)
    return sha256(body).encode() + b"\n" + body


DOUBTS: dict[str, tuple[Callable[[bytes], bytes], str]] = {
    "of another fold": (of_another_shape, "was folded by another release"),
    "garbage": (lambda data: os.urandom(100), "is torn"),
    "torn": (lambda data: data[:-7], "is torn"),
    "empty": (lambda data: b"", "is torn"),
    "of another digest": (bent(digest="0" * 64), "no such commit at version"),
    "of another session": (bent(session="t"), "is of session 't', not of 's'"),
    "beyond the head": (bent(version=10_000), "no such commit at version 10000; it ends at"),
    "within a commit": (bent(version=3), "no such commit at version 3"),
    "of nothing": (bent(version=0), "no such commit at version 0"),
}


@pytest.mark.parametrize("name", DOUBTS)
def test_a_doubtful_one_is_dropped_with_a_warning_and_made_anew_from_the_events(
    store: Store, often: None, name: str, caplog: pytest.LogCaptureFixture
) -> None:
    """STORE-4 d."""
    session = fight(store)
    change, problem = DOUBTS[name]
    good = store.cached("s")
    assert good is not None
    wrong = replace(State(), title="a lie")  # would be seen, if it were used
    lie = bent(public=wrong, full=wrong)(good)
    store.cache("s", change(lie))
    with caplog.at_level(logging.WARNING, logger="affray"):
        again = engine(store).load("s")
    (warned,) = [one.getMessage() for one in caplog.records if "snapshot dropped" in one.getMessage()]
    assert problem in warned
    for reader in (GM, PUBLIC):
        assert encoded(session.state(reader=reader)) == encoded(again.state(reader=reader))
    fresh = cached(store)
    assert (fresh.version, fresh.digest) == (session.head, session.digest)
    store.cache("s", change(lie))
    assert Engine(store).summary("s") == replace(Engine(store).summary("s"), title="", version=session.head)
    assert encoded(cached(store).public) == encoded(fresh.public)
    must(again.note("goes on"))


def test_the_lie_above_would_be_seen(often: None) -> None:
    store = MemoryStore()
    fight(store)
    wrong = replace(State(), title="a lie")
    store.cache("s", bent(public=wrong, full=wrong)(store.cached("s") or b""))
    assert Engine(store).summary("s").title == "a lie"


def test_damage_in_the_log_is_found_though_the_snapshot_is_whole(often: None) -> None:
    """Law 10: what is read is checked, whatever a cache says of it."""
    with ram_folder() as folder:
        store = JsonlStore(folder)
        session = fight(store)
        store.close()
        path = folder / "s.affray"
        data = path.read_bytes()
        path.write_bytes(data.replace(b"Bob", b"Bab"))
        with pytest.raises(Damaged, match="version"):
            engine(store).load("s")
        assert Engine(store).summary("s").version == session.head, "a list reads the end only"
        path.write_bytes(data[:-80] + b"x" + data[-79:])
        with pytest.raises(Damaged, match="version"):
            Engine(store).summary("s")


# -- whose it is


def copy_for(store: Store, reader: str) -> MemoryStore:
    """A store of the copy that a reader would be given, beside the host's snapshot."""
    header, *lines = store.read("s")
    chain = Chain(header)
    copy = MemoryStore()
    copy.create(header, [chain.accept(redact(line, reader)) for line in lines], store.secret("s"))
    copy.cache("s", store.cached("s") or b"")
    return copy


def test_a_redacted_copy_learns_nothing_from_the_hosts_snapshot(store: Store, often: None) -> None:
    session = fight(store)
    assert cached(store).full is not None
    for reader in (PUBLIC, "ann"):
        copy = copy_for(store, reader)
        shown = engine(copy).load("s")
        assert shown.is_copy
        state = shown.state(reader=GM)
        assert (state.combatants["gob"].sheet, state.combatants["gob"].pools.get("hp")) == (None, None)
        assert encoded(session.state(reader=reader)) == encoded(shown.state(reader=GM))
        assert encoded(session.state()) == encoded(shown.state())
        assert shown._record.resumable()[0] is None


def test_a_copy_leaves_no_state_of_the_host_behind(often: None) -> None:
    store = MemoryStore()
    session = fight(store)
    copy = copy_for(store, PUBLIC)
    copy.cache("s", b"")
    engine(copy).load("s")
    left = cached(copy)
    assert left.full is None
    assert encoded(left.public) == encoded(session.state())
    store.cache("s", copy.cached("s") or b"")  # and whoever has all of it folds it from the events
    assert encoded(engine(store).load("s").state(reader=GM)) == encoded(session.state(reader=GM))


# -- what a store cannot do


class Broken(MemoryStore):
    """Fails at whatever has to do with the cache, in a way no store should."""

    def cache(self, session: str, data: bytes) -> None:
        raise RuntimeError("no")


def test_a_cache_that_fails_fails_nobody(often: None, caplog: pytest.LogCaptureFixture) -> None:
    """Law 10: nothing depends on it."""
    store = Broken()
    with caplog.at_level(logging.WARNING, logger="affray"):
        session = fight(store)
    assert "could not be made" in caplog.text
    assert session.verify().is_clean
    assert encoded(session.state(reader=GM)) == encoded(engine(store).load("s").state(reader=GM))


@pytest.mark.parametrize("kind", [JsonlStore, SqliteStore])
@pytest.mark.parametrize("call", ["replace", "write_bytes"])
def test_a_cache_file_that_cannot_be_written_is_forgotten(
    kind: type[JsonlStore] | type[SqliteStore], call: str, often: None, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fails(*arguments: Any) -> None:
        raise OSError(28, "No space left on device")

    with ram_folder() as folder:
        store = kind(folder)
        monkeypatch.setattr(Path, call, fails)
        with caplog.at_level(logging.INFO, logger="affray"):
            session = fight(store)
        assert "No space left on device" in caplog.text
        assert [one for one in caplog.records if one.levelno > logging.INFO] == []
        assert store.cached("s") is None
        assert not [path.name for path in folder.iterdir() if "cache" in path.name]
        assert session.verify().is_clean
        store.close()


@pytest.mark.parametrize("kind", [JsonlStore, SqliteStore])
def test_a_cache_file_at_the_bound_and_one_byte_past_it(
    kind: type[JsonlStore] | type[SqliteStore], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Law 9: no more is read than one byte too many, whatever lies there."""
    monkeypatch.setattr(limits, "SNAPSHOT_BYTES", 1_000)
    with ram_folder() as folder:
        store = kind(folder)
        tiny_session(engine(store))
        for size, read in ((1_000, 1_000), (1_001, 1_001), (5_000, 1_001)):
            (folder / "s.cache").write_bytes(b"x" * size)
            assert len(store.cached("s") or b"") == read
        store.close()


@pytest.mark.parametrize("kind", [JsonlStore, SqliteStore])
def test_a_cache_file_is_not_flushed_and_what_cannot_be_read_is_none(
    kind: type[JsonlStore] | type[SqliteStore], often: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ram_folder() as folder:
        store = kind(folder)
        fight(store)
        path = folder / "s.cache"
        flushed: list[int] = []
        monkeypatch.setattr(os, "fsync", flushed.append)
        store.cache("s", b"again")
        assert flushed == []
        assert path.read_bytes() == b"again"
        path.unlink()
        path.mkdir()
        assert store.cached("s") is None
        store.cache("s", b"nowhere")
        assert store.sessions() == ("s",)
        path.rmdir()
        store.close()
        for name in os.listdir(folder):
            (folder / name).unlink()
        path.write_bytes(b"of a session that is gone")
        assert store.sessions() == ()
        tiny_session(engine(kind(folder)), people=1, begun=False)
        assert kind(folder).cached("s") is None
