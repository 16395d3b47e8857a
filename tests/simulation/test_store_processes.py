"""Several processes on one store: one of each conflicting pair is stored, nothing is lost or doubled, nobody is told
that a database is locked.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import apsw
import pytest

from affray.kernel import Busy, Chain, Commit, VersionConflict
from affray.kernel.testing import Scribe
from affray.sessions.stores import sqlite_database
from affray.sessions.stores.sqlite import SqliteStore
from affray.sessions.stores.sqlite_writer import SqliteWriter

RACER = """
import json, sys
from affray.kernel import VersionConflict
from affray.kernel.testing import Scribe
from affray.sessions.stores.sqlite import SqliteStore

store, name = SqliteStore(sys.argv[1]), sys.argv[2]
print("ready", flush=True)
for line in sys.stdin:  # one race: append behind this head, like everybody else
    version, digest = line.split()
    scribe = Scribe()
    scribe.version, scribe.digest = int(version), digest
    try:
        commit = store.append("fight", [scribe.note(f"by {name}", command=f"{name}-{version}")], int(version))[0]
        print(json.dumps(["stored", commit.last, commit.digest]), flush=True)
    except VersionConflict as conflict:
        print(json.dumps(["conflict", conflict.current, ""]), flush=True)
store.close()
"""

WORKER = """
import json, random, sys
from affray.kernel import Chain, VersionConflict
from affray.kernel.testing import Scribe
from affray.sessions.stores.sqlite import SqliteStore

folder, name, sessions, count = sys.argv[1], sys.argv[2], sys.argv[3].split(","), int(sys.argv[4])
chance = random.Random(name)
store, conflicts, stored = SqliteStore(folder), 0, []
print("ready", flush=True)
sys.stdin.readline()
for turn in range(count):
    session = sessions[turn % len(sessions)]
    while True:
        scribe = Scribe(session)
        scribe.version, scribe.digest = store.head(session)
        try:
            version, command = scribe.version, f"{name}-{turn}"
            unit = scribe.group(command, ["x", "y"]) if turn % 3 == 2 else [scribe.note("x", command=command)]
            commits = store.append(session, unit, version)
        except VersionConflict as conflict:
            assert conflict.current > version, conflict
            conflicts += 1
            continue
        stored += [[session, commit.last, commit.digest] for commit in commits]
        if len(sys.argv) > 5:
            store.close()  # like so many commands of a shell
        break
store.close()
print(json.dumps({"conflicts": conflicts, "stored": stored}), flush=True)
"""

Process = subprocess.Popen[str]


@contextmanager
def processes(program: str, folder: Path, count: int, *arguments: str) -> Iterator[list[Process]]:
    """Several running programs that are ready, given the folder, a name of their own and more arguments."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    started = [
        subprocess.Popen(
            [sys.executable, "-c", program, str(folder), f"p{number}", *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=environment,
        )
        for number in range(count)
    ]
    try:
        for one in started:
            assert hear(one) == "ready\n"
        yield started
        for one in started:
            rest, errors = one.communicate(timeout=60)
            assert (one.returncode, rest) == (0, ""), errors
    finally:
        for one in started:
            one.kill()
            one.wait()
            for stream in (one.stdin, one.stdout, one.stderr):
                if stream is not None:
                    stream.close()


def tell(process: Process, text: str) -> None:
    assert process.stdin is not None
    process.stdin.write(f"{text}\n")
    process.stdin.flush()


def hear(process: Process) -> str:
    assert process.stdout is not None
    line = process.stdout.readline()
    if not line:
        assert process.stderr is not None
        pytest.fail(process.stderr.read())
    return line


def commits_of(store: SqliteStore, session: str) -> list[Commit]:
    header, *lines = store.read(session)
    chain = Chain(header)
    return [chain.accept(line) for line in lines]


def commands(count: int, turns: Sequence[int]) -> dict[str, int]:
    """The command ids that so many workers use in these turns, each once."""
    names = [f"p{one}-{turn}{end}" for one in range(count) for turn in turns for end in (("-1", "-2") if turn % 3 == 2 else ("",))]
    return dict.fromkeys(names, 1)


def commands_of(store: SqliteStore, session: str) -> Counter[str]:
    return Counter([commit.sender.command for commit in commits_of(store, session) if commit.sender])


@pytest.mark.parametrize(("count", "races"), [(2, 40), (8, 20)])
def test_one_of_each_race_is_stored(tmp_path: Path, count: int, races: int) -> None:
    """All expect the same version at the same time: one is stored, every other is told the version it made."""
    store, scribe = SqliteStore(tmp_path), Scribe()
    store.create(scribe.header, [])
    version, digest = store.head("fight")
    winners = Counter[int]()
    with processes(RACER, tmp_path, count) as racers:
        for race in range(races):
            order = racers[race % count :] + racers[: race % count]
            for racer in order:
                tell(racer, f"{version} {digest}")
            answers = [json.loads(hear(racer)) for racer in racers]
            stored = [answer for answer in answers if answer[0] == "stored"]
            assert len(stored) == 1, answers
            assert [version + 1] * count == [answer[1] for answer in answers], answers
            winners[answers.index(stored[0])] += 1
            version, digest = stored[0][1:]
    assert (version, digest) == store.head("fight")
    assert races == len(commits_of(store, "fight"))
    assert len(winners) > 1, "everybody races"


@pytest.mark.parametrize(
    ("count", "sessions", "turns", "close"),
    [(2, 1, 60, []), (8, 1, 25, []), (2, 8, 80, []), (8, 8, 40, []), (4, 1, 25, ["close"])],
    ids=["2 on 1", "8 on 1", "2 on 8", "8 on 8", "4 on 1, closed every time"],
)
def test_nothing_is_lost_or_doubled(tmp_path: Path, count: int, sessions: int, turns: int, close: list[str]) -> None:
    """Everybody appends as fast as possible and tries again after a conflict: each command is stored once."""
    store = SqliteStore(tmp_path)
    names = [f"s{number}" for number in range(sessions)]
    for name in names:
        store.create(Scribe(name).header, [])
    with processes(WORKER, tmp_path, count, ",".join(names), str(turns), *close) as workers:
        for worker in workers:
            tell(worker, "go")
        told = [json.loads(hear(worker)) for worker in workers]
    for number, name in enumerate(names):
        assert commands(count, range(number, turns, sessions)) == commands_of(store, name)
        digests = {commit.last: commit.digest for commit in commits_of(store, name)}
        acknowledged = [(last, digest) for one in told for session, last, digest in one["stored"] if session == name]
        assert sorted(acknowledged) == sorted(digests.items())
        assert (len(digests), digests[len(digests)]) == store.head(name)
        assert 0 <= len(digests) - store.heads()[name].version <= 1, "a head record may lag, and is hardly ever left to"
    if sessions == 1:
        assert sum(one["conflicts"] for one in told) > 0, "they did meet"


# -- STORE-2


def test_who_read_first_does_not_fail_for_it(tmp_path: Path) -> None:
    """STORE-2: one has read, another commits, the first appends: a conflict or a success, at once, and never a lock."""
    first, second, scribe = SqliteStore(tmp_path), SqliteStore(tmp_path), Scribe()
    first.create(scribe.header, [scribe.note("one")])
    first.append("fight", [scribe.note("two")], 1)
    lines = first.read("fight")
    assert scribe.header == next(lines)  # in the middle of reading
    stale = scribe.fork().note("stale")
    second.append("fight", [scribe.note("three")], 2)
    before = time.monotonic()
    with pytest.raises(VersionConflict) as caught:
        first.append("fight", [stale], 2)
    first.append("fight", [scribe.note("four")], 3)
    assert time.monotonic() - before < 2.5
    assert caught.value.current == 3
    assert len(list(lines)) == 2
    assert [commit.last for commit in commits_of(second, "fight")] == [1, 2, 3, 4]
    first.close()
    second.close()


@pytest.mark.parametrize(("method", "texts"), [("_commit", ["ours"]), ("_insert", ["ours", "too"])])
def test_who_checked_first_is_stored_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, method: str, texts: list[str]
) -> None:
    """STORE-2: from the check to the commit nobody else gets in, however long that takes."""
    first, second, scribe = SqliteStore(tmp_path), SqliteStore(tmp_path), Scribe()
    first.create(scribe.header, [scribe.note("one")])
    ours, theirs = scribe.fork().group("g", texts), scribe.fork().note("theirs")
    if len(texts) == 1:
        ours = (scribe.fork().note("ours"),)
    real = getattr(SqliteWriter, method)
    refused: list[type[Exception]] = []

    def held_up(writer: SqliteWriter, *arguments: object) -> None:
        monkeypatch.setattr(SqliteWriter, method, real)
        monkeypatch.setattr(sqlite_database, "BUSY_SECONDS", 0.05)
        with pytest.raises(Busy) as caught:
            second.append("fight", [theirs], 1)
        refused.append(caught.type)
        real(writer, *arguments)

    monkeypatch.setattr(SqliteWriter, method, held_up)
    first.append("fight", ours, 1)
    with pytest.raises(VersionConflict):
        second.append("fight", [theirs], 1)
    assert refused == [Busy]
    assert [one.line for one in ours] == [commit.line for commit in commits_of(second, "fight")[1:]]
    first.close()
    second.close()


def test_a_lock_of_two_seconds_delays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """STORE-2: 4 processes make 200 appends each to 4 sessions, one of which is locked for 2 s: every version once.

    A lock that lasts longer than BUSY_SECONDS gives Busy, with nothing stored.
    """
    store, names = SqliteStore(tmp_path), ["s0", "s1", "s2", "s3"]
    for name in names:
        store.create(Scribe(name).header, [])
    holder = apsw.Connection(str(tmp_path / "s2.sqlite"))
    with processes(WORKER, tmp_path, 4, ",".join(names), "200") as workers:
        holder.execute("BEGIN IMMEDIATE")
        before = time.monotonic()
        for worker in workers:
            tell(worker, "go")
        time.sleep(2)
        waiting = [store.head(name).version for name in names]
        holder.execute("ROLLBACK")
        told = [json.loads(hear(worker)) for worker in workers]
    assert time.monotonic() - before > 2
    assert waiting[2] == 0, "readers do not wait, writers do"
    assert waiting[0] > 0, "other sessions go on"
    for number, name in enumerate(names):
        expected = commands(4, range(number, 200, 4))
        assert expected == commands_of(store, name)
        assert list(range(1, len(expected) + 1)) == [commit.last for commit in commits_of(store, name)]
    assert sum(len(one["stored"]) for one in told) == 4 * (134 + 2 * 66)

    holder.execute("BEGIN IMMEDIATE")
    monkeypatch.setattr(sqlite_database, "BUSY_SECONDS", 0.5)
    scribe = Scribe("s2")
    scribe.version, scribe.digest = store.head("s2")
    commit = scribe.note("late")
    before = time.monotonic()
    with pytest.raises(Busy, match=r"others have kept it busy for 0\.5 seconds; nothing was stored, try again"):
        store.append("s2", [commit], commit.first - 1)
    assert 0.5 <= time.monotonic() - before < 4
    assert commit.first - 1 == store.head("s2").version
    holder.close()
    assert (commit,) == store.append("s2", [commit], commit.first - 1)
    store.close()
