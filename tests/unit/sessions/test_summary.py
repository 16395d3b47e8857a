"""A session in a few words, and lists of many: what they say, and that they read little of long sessions."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import msgspec
import pytest

from affray.kernel import GM, Chain, Close, Damaged, NoSuchSession, Note, SetPool
from affray.kernel.testing import Scribe
from affray.sessions import Engine, JsonlStore, MemoryStore, Session, SqliteStore
from affray.sessions import record as records
from affray.sessions.cli.places import Place
from affray.sessions.cli.sessions import listing
from affray.sessions.snapshots import SNAPSHOT_EVENTS
from affray.sessions.stores import folder as folders
from affray.sessions.stores import jsonl
from affray.sessions.stores.sqlite_database import Database
from affray.sessions.summary import Summary, summary

from ...support.ram import ram_folder
from ...support.table import engine, must, tiny_session

encoded = msgspec.json.Encoder().encode

EVENTS, LONG = 1_000, 6_000
EACH = 10
"""Events of one commit."""

SESSIONS = 30


@pytest.fixture
def often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(records, "SNAPSHOT_EVENTS", 10)


def ledger(name: str, events: int) -> tuple[Scribe, list[Any]]:
    """A session of a tiny fight of which so many events are recorded, written directly."""
    opened = tiny_session(engine(), people=0, begun=False).history(reader=GM)[0].event
    scribe = Scribe(name)
    commits = [scribe.write(opened)]
    while scribe.version < events:
        count = min(EACH, events - scribe.version)
        commits.append(scribe.write(*[Note(text=f"{scribe.version + n} " + "x" * 200) for n in range(count)]))
    return scribe, commits


def test_it_says_how_a_session_stands_as_everybody_may_see_it(often: None) -> None:
    store = MemoryStore()
    session = tiny_session(engine(store), people=3, title="Ambush")
    must(session.join("gob", side="x", sheet={"hp": 9}))
    must(session.declare("ann", "sweep", "bob", "cy"))
    expected = Summary(
        session="s", system="tiny", title="Ambush", version=session.head, turn="ann", over="", waiting=("bob", "cy")
    )
    assert expected == Engine(store).summary("s")
    slot = next(iter(session.prompts()))
    must(session.answer(slot, "cy", "duck"))
    assert Engine(store).summary("s").waiting == ("bob",)
    must(session.answer(slot, "bob", "duck"))
    must(session.declare("bob", "sweep", "ann", secret=True))
    shown, known = Engine(store).summary("s"), session.state(reader=GM)
    assert (shown.waiting, shown.turn) == ((), "bob")
    assert known.prompts
    must(session.close("rain"))
    shown = Engine(store).summary("s")
    assert (shown.over, shown.turn, shown.version) == ("rain", "", session.head)
    with pytest.raises(NoSuchSession):
        Engine(store).summary("t")


def test_it_is_the_same_at_every_version_with_and_without_a_snapshot(often: None) -> None:
    """STORE-4 e: also where the log went back before the snapshot, or opened what was kept before it."""
    store = MemoryStore()
    session = tiny_session(engine(store))
    must(session.note("psst", secret=True))
    kept = session.head

    def check() -> None:
        bare = MemoryStore()
        bare.create(session.header, [*map(Chain(session.header).accept, session.lines)])
        found, state = summary(store, "s"), session.state()
        assert found == summary(bare, "s")
        assert (found.version, found.turn, found.over) == (session.head, state.turn, state.over)

    for number in range(12):
        must(session.declare(session.state().turn, "end-turn", id=f"e{number}"))
        check()
    for _ in range(8):
        must(session.undo())
        check()
    must(session.redo())
    check()
    must(session.reveal(kept))
    check()
    must(session.overrule("so", SetPool(target="ann", pool="hp", value=1)))
    check()


def test_a_fork_is_told_by_a_snapshot_before_or_behind_the_place_where_it_forked(often: None) -> None:
    store = MemoryStore()
    made = engine(store)
    session = tiny_session(made)
    for number in range(8):
        must(session.declare(session.state().turn, "end-turn", id=f"e{number}"))
    fork = made.fork(session, session="t", title="Otherwise")
    for number in range(8):
        found, state = made.summary("t"), fork.state()
        assert (found.session, found.title, found.version, found.turn) == ("t", "Otherwise", fork.head, state.turn)
        assert encoded(state) == encoded(made.load("t").state())
        must(fork.declare(state.turn, "end-turn", id=f"f{number}"))
    before = store.cached("t")
    reads: list[str] = []
    store.read = reads.append  # type: ignore[assignment,method-assign]  # all of it is read only in doubt
    assert made.summary("t").version == fork.head
    assert before == store.cached("t")
    assert reads == []


# -- how much is read


class Reads:
    """What stores read from their files meanwhile."""

    def __init__(self) -> None:
        self.bytes = 0

    def file(self, file: BinaryIO) -> Any:
        reads = self

        class Counting:
            def __getattr__(self, name: str) -> Any:
                return getattr(file, name)

            def read(self, size: int = -1) -> bytes:
                return self._count(file.read(size))

            def readline(self, size: int = -1) -> bytes:
                return self._count(file.readline(size))

            def _count(self, data: bytes) -> bytes:
                reads.bytes += len(data)
                return data

        return Counting()


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> Reads:
    counted = Reads()
    opened, typed, cached = jsonl._opened, Database.typed, folders.read_cache

    @contextmanager
    def counting(path: Path, session: str) -> Generator[Any, None, None]:
        with opened(path, session) as file:
            yield counted.file(file)

    def counting_row(self: Database, values: object) -> Any:
        row = typed(self, values)
        counted.bytes += len(row.line)
        return row

    def counting_cache(path: Path) -> bytes | None:
        data = cached(path)
        counted.bytes += len(data or b"")
        return data

    monkeypatch.setattr(jsonl, "_opened", counting)
    monkeypatch.setattr(Database, "typed", counting_row)
    for module in ("jsonl", "sqlite"):
        monkeypatch.setattr(f"affray.sessions.stores.{module}.read_cache", counting_cache)
    return counted


@pytest.fixture(params=["jsonl", "sqlite"])
def place(request: pytest.FixtureRequest) -> Iterator[Place]:
    with ram_folder() as folder:
        yield Place(request.param, folder)


def made(place: Place, name: str, events: int) -> tuple[int, int]:
    """Store a session; how many bytes it has, and how many its last events that no snapshot may hold."""
    scribe, commits = ledger(name, events)
    store = place.open()
    store.create(scribe.header, commits)
    store.close()
    lines = [len(commit.line) + 1 for commit in commits]
    return sum(lines), sum(lines[-(SNAPSHOT_EVENTS // EACH + 1) :])


SMALL = 40 * 1024
"""The snapshot of such a session, its header, and blocks where a file is read block by block."""


def test_a_list_of_long_sessions_reads_little_of_each(place: Place, reads: Reads) -> None:
    """Law 9: not more than SNAPSHOT_EVENTS, the snapshot and a few blocks, however long a session is."""
    sizes = [made(place, f"s{number:03}", EVENTS) for number in range(SESSIONS)]
    whole, tail = sum(size for size, _ in sizes), sum(size for _, size in sizes)
    first = list(listing(place))
    assert reads.bytes > 0.99 * whole, "nothing was known of them"
    reads.bytes = 0
    assert first == list(listing(place))
    assert [(one.id, one.version, one.system) for one in first] == [(f"s{n:03}", EVENTS, "tiny") for n in range(SESSIONS)]
    assert reads.bytes <= tail + SESSIONS * SMALL
    assert reads.bytes < whole / 3


def test_what_is_read_of_a_session_does_not_grow_with_it(place: Place, reads: Reads) -> None:
    """Law 9: at the most events behind a snapshot that a session leaves there."""
    read: dict[int, int] = {}
    for events in (EVENTS, LONG):
        made(place, f"s{events}", events)
        store = place.open()
        session = Engine(store).load(f"s{events}")  # leaves a snapshot at the head; the copy goes on elsewhere
        assert session.is_copy
        tail = append(place, f"s{events}", SNAPSHOT_EVENTS - 1, events)
        reads.bytes = 0
        assert summary(store, f"s{events}").version == events + SNAPSHOT_EVENTS - 1
        read[events] = reads.bytes
        assert reads.bytes <= tail + SMALL
        store.close()
    assert abs(read[LONG] - read[EVENTS]) < 64 * 1024


def append(place: Place, name: str, events: int, head: int) -> int:
    """Events appended by somebody else than a session, one a commit; how many bytes they have."""
    scribe, _ = ledger(name, head)
    store = place.open()
    commits = [scribe.note(f"later {number} " + "x" * 200) for number in range(events)]
    for commit in commits:
        store.append(name, [commit], commit.first - 1)
    store.close()
    return sum(len(commit.line) for commit in commits)


def test_what_is_damaged_behind_the_snapshot_is_told(place: Place) -> None:
    """Law 10: where a list cannot know, it reads all of the log and says what it finds."""
    scribe, commits = ledger("s", EVENTS)
    store = place.open()
    store.create(scribe.header, commits)
    summary(store, "s")
    store.append("s", [scribe.write(Close(code="won"))], EVENTS)
    store.close()
    assert [one.over for one in listing(place)] == ["won"]
    path = place.file_of("s")
    path.write_bytes(path.read_bytes().replace(b'"won"', b'"wun"'))
    (one,) = listing(place)
    assert f"version {EVENTS + 1}" in one.problem
    assert (one.version, one.system) == (0, "")
    with pytest.raises(Damaged):
        summary(place.open(), "s")


def test_a_lost_end_is_told_though_the_snapshot_is_there(place: Place) -> None:
    """Nothing is said of a session by what is cached of it alone."""
    scribe, commits = ledger("s", EVENTS)
    store = place.open()
    store.create(scribe.header, commits)
    summary(store, "s")
    store.close()
    path = place.file_of("s")
    if place.kind == "jsonl":
        path.write_bytes(path.read_bytes()[: -len(commits[-1].line) - 1])
        (one,) = listing(place)
        assert (one.version, one.problem) == (EVENTS - len(commits[-1].events), "")
    path.unlink()
    found = list(listing(place))
    if place.kind == "jsonl":
        assert found == []
    else:
        assert "it is gone, its head record is still there" in found[0].problem


def test_stores_of_other_kinds_say_the_same(often: None) -> None:
    found = set()
    with ram_folder() as folder:
        for store in (MemoryStore(), JsonlStore(folder / "a"), SqliteStore(folder / "b")):
            session: Session = tiny_session(engine(store))
            for number in range(9):
                must(session.declare(session.state().turn, "end-turn", id=f"e{number}"))
            must(session.undo("e8"))
            found.add(Engine(store).summary("s"))
            store.close()
    assert len(found) == 1
