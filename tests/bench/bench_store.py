"""What the SQLite store does in a second, beside bare apsw with the same pragmas and the same bytes in the same run.

Run it as `python -m tests.bench.bench_store [--quick] [FOLDER]`. Nothing here is a test: what a flush costs depends on
the disk, and a minute later it may cost ten times as much, so the two sides take turns, and what counts is their ratio.
Times are wall-clock times. Without FOLDER the files go where temporary files go.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from threading import Thread
from typing import Any

import apsw

from affray.kernel import Chain, Commit, Exchange, State
from affray.kernel.testing import Scribe
from affray.sessions import Engine, MemoryStore, Session
from affray.sessions.snapshots import SNAPSHOT_EVENTS
from affray.sessions.stores.sqlite import SqliteStore
from affray.sessions.stores.sqlite_database import SETTINGS

from .bench import fight, strike

Pairs = list[tuple[int, Any]]

TEXT = "x" * 1800
"""Makes a commit of the size that a command of a fight makes."""


class Raw:
    """Bare apsw: a line a row, a row a transaction, nothing checked."""

    def __init__(self, path: Path) -> None:
        self.connection = apsw.Connection(str(path))
        self.connection.execute("PRAGMA journal_mode=WAL")
        self.connection.execute(SETTINGS)
        self.connection.execute("CREATE TABLE lines (version INTEGER PRIMARY KEY, line BLOB NOT NULL) STRICT")

    def append(self, version: int, line: bytes) -> None:
        """Store one line, durable."""
        self.connection.execute("BEGIN IMMEDIATE")
        self.connection.execute("INSERT INTO lines VALUES (?, ?)", (version, line))
        self.connection.execute("COMMIT")


def timed(work: Callable[[], object]) -> float:
    """Seconds that a piece of work takes."""
    before = time.perf_counter()
    work()
    return time.perf_counter() - before


def report(name: str, value: float, unit: str, beside: str = "") -> None:
    """Print one line."""
    print(f"{name:<58} {value:>10,.1f} {unit:<12} {beside}", flush=True)


def flush_cost(folder: Path, times: int) -> float:
    """Milliseconds of one small write and flush of a plain file."""
    fd = os.open(folder / "plain", os.O_RDWR | os.O_CREAT | os.O_APPEND)

    def go() -> None:
        for _ in range(times):
            os.write(fd, b"x" * 2000)
            os.fsync(fd)

    seconds = timed(go)
    os.close(fd)
    return 1000 * seconds / times


def strikes(session: Session, start: int, count: int) -> None:
    """So many strikes, two commands each."""
    for number in range(start, start + count):
        strike(session, number)


def one_session(folder: Path, rounds: int) -> None:
    """A whole fight, the store alone, and bare apsw, a round of each in turn."""
    store, raw = SqliteStore(folder / "one"), Raw(folder / "raw.sqlite")
    session = fight(Engine(store), "bench")
    alone = SqliteStore(folder / "alone")
    commits = read(store, "bench")
    alone.create(session.header, commits)
    alone.append("bench", commits[:1], 0)  # opens it
    spent = {"whole": 0.0, "store": 0.0, "raw": 0.0}
    count = 0
    for number in range(rounds):
        done = len(session.lines)
        spent["whole"] += timed(partial(strikes, session, number * 10, 10))
        fresh = read(store, "bench")[done:]
        spent["raw"] += timed(partial(append_raw, raw, fresh))
        spent["store"] += timed(partial(append, alone, fresh, []))
        count += len(fresh)
    bytes_each = sum(len(line) for line in session.lines) / len(session.lines)
    report("bytes of a commit", bytes_each, "bytes")
    report("bare apsw, same pragmas, same bytes", count / spent["raw"], "commits/s")
    report("store alone", count / spent["store"], "commits/s", f"{spent['store'] / spent['raw']:.2f} x raw time")
    report("whole command path", count / spent["whole"], "commands/s", f"{spent['whole'] / spent['raw']:.2f} x raw time")
    report("  of which not raw", 1000 * (spent["whole"] - spent["raw"]) / count, "ms/command")
    store.close()
    alone.close()


def read(store: SqliteStore | MemoryStore, session: str) -> list[Commit]:
    """Every commit of a session."""
    header, *lines = store.read(session)
    chain = Chain(header)
    return [chain.accept(line) for line in lines]


def several_sessions(folder: Path, sessions: int, each: int) -> None:
    """As many threads as sessions, each appending to its own, and the same with bare apsw."""
    store = SqliteStore(folder / f"several-{sessions}")
    scribes = [Scribe(f"s{number}") for number in range(sessions)]
    raws = [Raw(folder / f"raw-{sessions}-{number}.sqlite") for number in range(sessions)]
    ledgers = [[scribe.note(TEXT) for _ in range(each)] for scribe in scribes]
    for scribe, ledger in zip(scribes, ledgers, strict=True):
        store.create(scribe.header, ledger[:1])
        store.append(scribe.session, ledger[:1], 0)
    waits: list[float] = []
    raw = ours = 0.0
    for start in range(1, each, 50):
        parts = [ledger[start : start + 50] for ledger in ledgers]
        pairs = zip(raws, parts, strict=True)
        raw += timed(partial(side_by_side, [partial(append_raw, one, part) for one, part in pairs]))
        ours += timed(partial(side_by_side, [partial(append, store, part, waits) for part in parts]))
    count = sessions * (each - 1)
    report(f"{sessions} sessions, bare apsw", count / raw, "commits/s")
    report(f"{sessions} sessions, store", count / ours, "commits/s", f"{ours / raw:.2f} x raw time")
    report("  the longest wait of one commit", 1000 * max(waits), "ms")
    store.close()


def append(store: SqliteStore, commits: Sequence[Commit], waits: list[float]) -> None:
    """Append commits one by one, and note how long each took."""
    for commit in commits:
        waits.append(timed(partial(store.append, commit.envelope.session, [commit], commit.first - 1)))


def append_raw(raw: Raw, commits: Sequence[Commit]) -> None:
    """The same with bare apsw."""
    for commit in commits:
        raw.append(commit.last, commit.line)


def side_by_side(works: Sequence[Callable[[], None]]) -> None:
    """All at once, each in a thread."""
    threads = [Thread(target=work) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def long_sessions(folder: Path, goals: Sequence[int], count: int) -> None:
    """The command rate behind so many events, taking turns, and what loading and the first append cost there."""
    store = SqliteStore(folder / "long")
    raw = Raw(folder / "raw-long.sqlite")
    sessions: dict[int, tuple[Session, int]] = {}
    for goal in goals:
        name = f"long-{goal}"
        memory = MemoryStore()
        played, number = fight(Engine(memory), name), 0
        while played.head < goal:
            strike(played, number)
            number += 1
        store.create(played.header, read(memory, name), memory.secret(name))
        fresh = SqliteStore(folder / "long")
        load = timed(partial(Engine(fresh).load, name))
        report(f"load and verify {played.head:,} events", 1000 * load, "ms", f"{played.head / load:,.0f} events/s")
        if played.head >= SNAPSHOT_EVENTS:
            with_snapshot(Engine(fresh), name)
        commits = read(store, name)
        opening = timed(partial(fresh.append, name, commits[:1], 0))
        report("  first append: open and verify for writing", 1000 * opening, "ms")
        fresh.close()
        sessions[goal] = (Engine(store).load(name), number)
        sessions[goal][0].note("opens it")
    spent = dict.fromkeys(goals, 0.0)
    raw_spent = 0.0
    scribe = Scribe()
    for turn in range(count):
        for goal, (session, number) in sessions.items():
            spent[goal] += timed(partial(strikes, session, number + turn * 10, 10))
        raw_spent += timed(partial(append_raw, raw, [scribe.note(TEXT) for _ in range(20)]))
    for goal in goals:
        report(f"commands at {goal:,} events", 20 * count / spent[goal], "commands/s", f"{spent[goal] / raw_spent:.2f} x raw time")
    store.close()


def with_snapshot(engine: Engine, name: str) -> None:
    """Loading again, now that the first load left a snapshot, and the part of it that a snapshot saves."""
    again = min(timed(partial(engine.load, name)) for _ in range(3))
    report("  with the snapshot that the first load left", 1000 * again, "ms")
    session = engine.load(name)
    log, catalog = session._log, engine.catalog

    def resume(base: State | None, pairs: Pairs) -> None:
        Exchange.resume(catalog.rules, pairs, head=log.head, openings=log.openings, base=base)

    whole = min(timed(lambda: resume(None, log.line())) for _ in range(3))
    short = min(timed(lambda: resume(*session._record.resumable())) for _ in range(3))
    report("  of which folding and resuming without it", 1000 * whole, "ms", f"{1000 * short:.2f} ms with it")


def a_list(folder: Path, sessions: int, events: int) -> None:
    """What a list of sessions costs, the first time and from then on."""
    store = SqliteStore(folder / "list")
    for number in range(sessions):
        name, memory = f"fight-{number:03}", MemoryStore()
        played, strikes = fight(Engine(memory), name), 0
        while played.head < events:
            strike(played, strikes)
            strikes += 1
        store.create(played.header, read(memory, name), memory.secret(name))
    names = store.sessions()
    engine = Engine(store)
    for what in ("first, read whole", "again, by their snapshots"):
        seconds = timed(lambda: [engine.summary(name) for name in names])
        each = f"{1000 * seconds / sessions:.1f} ms each"
        report(f"list {sessions} sessions of {events:,} events: {what}", 1000 * seconds, "ms", each)
    store.close()


def main(quick: bool, place: str | None) -> None:
    """Print every number."""
    with tempfile.TemporaryDirectory(dir=place) as name:
        folder = Path(name)
        print(f"SQLite {apsw.sqlite_lib_version()}, {os.cpu_count()} cores, files in {folder.parent}")
        report("a small write and flush of a plain file", flush_cost(folder, 100 if quick else 500), "ms")
        one_session(folder, 5 if quick else 50)
        for sessions in (1, 8):
            several_sessions(folder, sessions, 51 if quick else 301)
        long_sessions(folder, (100, 1_000) if quick else (100, 10_000), 5 if quick else 30)
        a_list(folder, 10 if quick else 200, 1_000)


if __name__ == "__main__":
    arguments = [one for one in sys.argv[1:] if one != "--quick"]
    main("--quick" in sys.argv, arguments[0] if arguments else None)
