"""With snapshots and without: the same states, the same bytes, whatever was done, undone or opened, and whoever reads.

The fights here leave a snapshot every few events. After every command a new process loads the session, once with what
the store cached and once with nothing, and both must be the same to the last byte.
"""

from __future__ import annotations

import random
from collections import Counter

import msgspec
import pytest

from affray.kernel import GM, Chain, Request, Reveal, Rewind, commands, decode_snapshot
from affray.sessions import MemoryStore, Session
from affray.sessions import record as records
from affray.sessions.summary import summary

from ..support.fights import Mortal, Table, seats
from .test_lineage import READERS, Player, sent
from .test_resume import FIGHTS, warm

SEEDS = range(12)
COMMANDS = 50

encoded = msgspec.json.Encoder().encode
"""Bytes that tell an order of keys from another."""


class Bare(MemoryStore):
    """The same session, of which nothing was ever cached."""

    def __init__(self, store: MemoryStore) -> None:
        super().__init__()
        header, *lines = store.read("s")
        chain = Chain(header)
        self.create(header, [chain.accept(line) for line in lines], store.secret("s"))


def loaded(table: Table, store: MemoryStore) -> Session:
    """The session as a new process sees it, that does nothing but look."""
    session = Table.__new__(Table)
    session.store, session.catalog, session.entropy = store, table.catalog, table.entropy
    return session.engine.load("s")


def compare(table: Table, found: Counter[str]) -> None:
    """One process with the cache and one without must see the same."""
    store = table.store
    assert isinstance(store, MemoryStore)
    data = store.cached("s")
    bare_store = Bare(store)
    bare = loaded(table, bare_store)
    short = summary(store, "s")  # may leave a snapshot where there was none that fits
    assert short == summary(Bare(store), "s")
    if data is not None:
        store.cache("s", data)
    session = loaded(table, store)
    for reader in READERS:
        expected = encoded(bare.state(reader=reader))
        assert expected == encoded(session.state(reader=reader)), reader
        assert expected == encoded(session._record.state(reader=reader)), reader
        assert expected == encoded(table.session.state(reader=reader)), reader
        assert bare.history(reader=reader) == table.session.history(reader=reader) or reader == GM
        if data is not None:
            version = decode_snapshot(data, "s").version
            for at in {max(version - 1, 0), version, session.head}:
                assert encoded(bare.state(at, reader=reader)) == encoded(session.state(at, reader=reader)), (reader, at)
    assert repr(bare.problem) == repr(session.problem)
    base, pairs = session._record.resumable()
    found["loads"] += 1
    found["from a snapshot"] += base is not None
    found["pairs"] += len(pairs)
    found["events"] += session.head


@pytest.fixture(autouse=True)
def often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(records, "SNAPSHOT_EVENTS", 9)


FOUND: Counter[str] = Counter()


def next_request(name: str, player: Player, session: Session, chance: random.Random) -> Request:
    """What the player of the lineage tests would do, but that more is undone and what is kept is opened now and then."""
    state, log = session.state(reader=GM), session._log
    hidden = sorted(log.kept.keys() - log.reveals.keys())
    if hidden and chance.random() < 0.1:
        return Request(id=name, command=commands.Reveal(version=chance.choice(hidden)))
    if chance.random() < 0.15 or state.over or all(one.gone for one in state.combatants.values()):
        return Request(id=name, command=commands.Undo())
    return player.request()


@pytest.mark.parametrize("seed", SEEDS)
def test_the_state_with_a_snapshot_is_the_state_without(seed: int) -> None:
    """Law 1 and STORE-4 e: a cache changes what nobody sees, through undo, redo, secrets, reveals and restarts."""
    chance = random.Random(seed)
    policy = chance.choice(["fair", "reported", {"ann": "reported"}, "scripted-then-fair"])
    table = Table(MemoryStore(), dice=policy, script=(3,) * 9, undo_dice=chance.choice(["redraw", "keep"]))
    player = Player(seed, table.session)
    table.play(seats("ann", "bob", "cy"))
    for number in range(COMMANDS):
        request = next_request(f"r{number}", player, table.session, chance)
        table.entropy.tell(request.id)
        if chance.random() < 0.3:
            player.session = table.restart()
        answer = sent(table.session, request)
        if answer:
            FOUND["back"] += isinstance(answer.events[0], Rewind)
            FOUND["opened"] += isinstance(answer.events[0], Reveal)
            compare(table, FOUND)
    assert table.session.verify().findings == ()


def test_the_fights_above_reach_what_they_are_to_test() -> None:
    print(dict(FOUND))
    assert FOUND["back"] > 3 * len(SEEDS)
    assert FOUND["opened"] > len(SEEDS) // 2
    assert FOUND["from a snapshot"] > FOUND["loads"] // 2
    assert FOUND["from a snapshot"] < FOUND["loads"], "and some could not be used"
    assert FOUND["pairs"] < FOUND["events"] // 2, "so it saves something"


@pytest.mark.parametrize("every", [1, 4])
@pytest.mark.parametrize("name", FIGHTS)
def test_a_new_process_for_every_command_writes_the_same_bytes_from_snapshots(
    name: str, every: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Law 6: resuming begins at a snapshot or before it, as open actions want."""
    monkeypatch.setattr(records, "SNAPSHOT_EVENTS", every)
    fought = FIGHTS[name]
    assert warm(name) == Table(catalog=fought.catalog, **fought.start).play(fought.moves, cold=True)


@pytest.mark.parametrize("name", ["flurry", "several-blows-at-once", "undo-and-redo", "one-throws-real-dice"])
def test_a_process_that_dies_is_followed_by_the_same_bytes_from_snapshots(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Law 10: at any append, before or after it was stored."""
    monkeypatch.setattr(records, "SNAPSHOT_EVENTS", 3)
    fought = FIGHTS[name]
    for stored in (False, True):
        for at in range(1, len(warm(name)) - 1):
            store = Mortal(at, stored=stored)
            assert warm(name) == Table(store, fought.catalog, **fought.start).play(fought.moves), f"died at append {at}"
