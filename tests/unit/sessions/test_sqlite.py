"""The SQLite store: its files, its secret, readers beside writers, what each append asks the database."""

from __future__ import annotations

import os
import sqlite3
import stat
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from threading import Thread

import apsw
import pytest

from affray.kernel import (
    Busy,
    Chain,
    Commit,
    InputError,
    NoSuchSession,
    SessionExists,
    StoreError,
    VersionConflict,
    header_line,
    verify,
)
from affray.kernel.testing import STORE_CHECKS, Scribe, Store, StoreCheck
from affray.sessions.stores import sqlite, sqlite_database
from affray.sessions.stores.sqlite import SqliteStore
from affray.sessions.stores.sqlite_database import check_release

from ...support.power import RecordingVfs
from ...support.ram import ram_folder


@pytest.fixture
def folder() -> Iterator[Path]:
    with ram_folder() as folder:
        yield folder


@pytest.fixture
def store(folder: Path) -> Iterator[SqliteStore]:
    store = SqliteStore(folder)
    yield store
    store.close()


def again(store: Store) -> SqliteStore:
    assert isinstance(store, SqliteStore)
    store.close()
    return SqliteStore(store.folder)


@pytest.mark.parametrize("check", STORE_CHECKS)
def test_passes_the_published_check(check: StoreCheck, folder: Path) -> None:
    check(lambda: SqliteStore(folder / "new" / "folder"), again)


def test_files_of_a_session(store: SqliteStore) -> None:
    """A database, a head record and a secret; SQLite's own two while it is open, and none of them after `close`."""
    scribe = Scribe()
    store.create(scribe.header, [scribe.note("one")], b"s3cret-chain")
    assert {"fight.sqlite", "fight.head", "fight.private"} == set(os.listdir(store.folder))
    store.append("fight", [scribe.note("two")], 1)
    assert {"fight.sqlite-wal", "fight.sqlite-shm"} <= set(os.listdir(store.folder))
    store.close()
    for ask in (lambda: list(store.read("fight")), lambda: store.head("fight"), lambda: store.secret("fight")):
        assert ask()
        assert {"fight.sqlite", "fight.head", "fight.private"} == set(os.listdir(store.folder))


def test_the_secret_is_private_and_comes_first(store: SqliteStore, monkeypatch: pytest.MonkeyPatch) -> None:
    """Mode 0600 whatever the umask; on the disk before the database appears; in no file that is the session's."""
    scribe = Scribe()
    path, hidden = store.folder / "fight.sqlite", store.folder / "fight.private"
    real = os.link
    seen: list[tuple[bytes, bool]] = []

    def link(source: Path, target: Path) -> None:
        seen.append((hidden.read_bytes(), path.exists()))
        real(source, target)

    monkeypatch.setattr(os, "link", link)
    before = os.umask(0)
    try:
        store.create(scribe.header, [scribe.note("one")], b"s3cret-chain")
    finally:
        os.umask(before)
    store.append("fight", [scribe.note("two")], 1)
    assert seen == [(b"s3cret-chain", False)]
    assert stat.S_IMODE(hidden.stat().st_mode) == 0o600
    assert b"s3cret-chain" not in (store.folder / "fight.sqlite-wal").read_bytes()
    store.close()
    assert b"s3cret-chain" not in path.read_bytes() + (store.folder / "fight.head").read_bytes()


def test_what_a_creation_left_behind_is_not_taken_over(store: SqliteStore) -> None:
    """Neither a secret nor a log of a database that is not there belongs to the next session of that name."""
    other = Scribe()
    store.create(other.header, [other.note("older"), other.note("two")], b"older")
    lines = list(store.read("fight"))
    store.append("fight", [other.note("three")], 2)
    log = (store.folder / "fight.sqlite-wal").read_bytes()
    store.close()
    for name in ("fight.sqlite", "fight.head"):
        (store.folder / name).unlink()
    (store.folder / "fight.sqlite-wal").write_bytes(log)
    (store.folder / ".fight.sqlite.new").write_bytes(b"half a database")
    (store.folder / ".fight.sqlite.new-journal").write_bytes(b"half a journal")
    with pytest.raises(NoSuchSession):
        store.secret("fight")
    scribe = Scribe()
    one = scribe.note("one")
    store.create(scribe.header, [one])
    assert store.secret("fight") is None
    assert [*lines[:1], one.line] == list(store.read("fight"))
    assert not any(name.startswith(".") for name in os.listdir(store.folder))


@pytest.mark.parametrize("bad", ["../fight", "/tmp/fight", "a/b", "..", "", "fight.sqlite", "fight\x00", "fight\n"])
def test_no_id_leads_out_of_the_folder(folder: Path, bad: str) -> None:
    store = SqliteStore(folder / "inner")
    commit = Scribe(bad).note("x")
    for act in (
        lambda: store.create(header_line(bad), [commit], b"x"),
        lambda: store.append(bad, [commit], 0),
        lambda: store.read(bad),
        lambda: store.secret(bad),
        lambda: store.head(bad),
    ):
        with pytest.raises(InputError, match="a session's id must be"):
            act()
    assert os.listdir(folder) == []


def test_cases_and_strangers_in_the_folder(store: SqliteStore) -> None:
    """Files that are no sessions are let alone, files of the other store too; an id in another case is refused."""
    for name in ("notes.txt", "a b.sqlite", ".hidden.sqlite", "x.sqlite.bak", "Fight.affray", "Fight.secret"):
        (store.folder / name).write_text("mine\n")
    upper = Scribe("Fight")
    store.create(upper.header, [], b"ours")
    with pytest.raises(SessionExists, match="'fight' differs from the existing 'Fight' in case only"):
        store.create(Scribe("fight").header, [])
    assert store.sessions() == ("Fight",)
    assert (store.folder / "Fight.secret").read_text() == "mine\n"


def test_an_absent_folder_is_made_by_writing_only(folder: Path) -> None:
    store = SqliteStore(folder / "a" / "b")
    assert store.sessions() == ()
    assert store.heads() == {}
    with pytest.raises(NoSuchSession):
        store.read("fight")
    assert os.listdir(folder) == []
    store.create(Scribe().header, [])
    assert store.sessions() == ("fight",)


def test_the_head_is_a_checkpoint_for_verify(store: SqliteStore) -> None:
    """Who keeps it finds out later whether this is still the same session."""
    scribe = Scribe()
    store.create(scribe.header, [scribe.note("one")])
    store.append("fight", [scribe.note("two")], 1)
    kept = store.head("fight")
    assert (2, scribe.digest) == kept
    assert f"2:{scribe.digest}" == str(kept)
    store.append("fight", [scribe.note("three")], 2)
    assert verify(store.read("fight"), kept).is_clean
    assert [(one.code, one.version) for one in verify(store.read("fight"), (2, "0" * 64)).findings] == [("head", 2)]


def test_head_records_are_the_folder_s_index(store: SqliteStore) -> None:
    """They tell every head without opening a database, and are made anew from one that has none."""
    scribes = {name: Scribe(name) for name in ("b", "a", "c")}
    for name, scribe in scribes.items():
        store.create(scribe.header, [scribe.note(name)])
    store.append("a", [scribes["a"].note("more")], 1)
    heads = {name: (scribe.version, scribe.digest) for name, scribe in scribes.items()}
    assert heads == store.heads()
    assert list(store.heads()) == ["a", "b", "c"]
    store.close()
    (store.folder / "a.head").unlink()
    assert list(store.heads()) == ["b", "c"]
    store.append("a", [scribes["a"].note("and more")], 2)
    assert (3, scribes["a"].digest) == store.heads()["a"]


def test_columns_are_for_sql(store: SqliteStore) -> None:
    """Any SQLite can look for what the lines hold; the bytes of a line are those that were written."""
    scribe = Scribe()
    commits = [scribe.note("one", caller="ann", command="hit"), scribe.note("two", caller="bo", secret=True, command="hide")]
    store.create(scribe.header, commits)
    three = scribe.group("g", ["three", "four"])
    store.append("fight", three, 2)
    store.close()
    with sqlite3.connect(store.folder / "fight.sqlite") as plain:
        rows = plain.execute("SELECT first, last, digest, caller, command, part, line FROM lines ORDER BY last").fetchall()
    expected = [
        (c.first, c.last, c.digest, c.sender.caller, c.sender.command, c.sender.part, c.line)
        for c in (*commits, *three)
        if c.sender is not None
    ]
    assert expected == rows[1:]
    assert (0, 0, None, scribe.header) == (*rows[0][:2], rows[0][3], rows[0][6])


def test_an_older_sqlite_is_refused() -> None:
    for found in ("3.40.1", "3.51.2", "3.9.0"):
        with pytest.raises(StoreError, match=rf"SQLite {found} can lose commits .* install apsw 3\.51\.3 or newer"):
            check_release(found)
    for found in ("3.51.3", "3.54.1", "4.0.0"):
        check_release(found)


def test_a_reader_holds_up_nobody(store: SqliteStore, monkeypatch: pytest.MonkeyPatch) -> None:
    """A reading that was begun and is not gone on with lets others append, sees what it saw, and keeps no log from ending."""
    monkeypatch.setattr(sqlite_database, "BUSY_SECONDS", 0.0)
    monkeypatch.setattr(sqlite_database, "BATCH_BYTES", 2000)
    scribe = Scribe()
    store.create(scribe.header, [scribe.note("x" * 500) for _ in range(20)])
    before = list(store.read("fight"))
    lines = store.read("fight")
    found = [next(lines) for _ in range(3)]
    for _ in range(300):
        store.append("fight", [scribe.note("x" * 20_000)], scribe.version - 1)
    assert (store.folder / "fight.sqlite-wal").stat().st_size < 8_000_000, "the log was begun anew"
    assert before == found + list(lines)
    assert len(list(store.read("fight"))) == 321


def test_a_writer_holds_up_no_reader(store: SqliteStore, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is written and not yet committed is waited for by nobody and seen by nobody."""
    monkeypatch.setattr(sqlite_database, "BUSY_SECONDS", 0.0)
    scribe = Scribe()
    store.create(scribe.header, [scribe.note("one")])
    other = apsw.Connection(str(store.folder / "fight.sqlite"))
    other.execute("BEGIN IMMEDIATE; UPDATE lines SET line = x'00'")
    assert len(list(store.read("fight"))) == 2
    assert store.head("fight").version == 1
    with pytest.raises(Busy):
        store.append("fight", [scribe.note("two")], 1)
    other.close()


class Watching(RecordingVfs):
    """Calls back, once, when a log is about to be flushed."""

    act: Callable[[], None] | None = None

    def flushing(self, name: str) -> None:
        if name.endswith("-wal") and self.act is not None:
            act, self.act = self.act, None
            act()


@pytest.fixture
def vfs() -> Iterator[Watching]:
    vfs = Watching("watching")
    yield vfs
    vfs.unregister()


def test_a_session_does_not_wait_for_another(vfs: Watching, store: SqliteStore) -> None:
    """While one session's append is on its way to the disk, another's is stored."""
    slow, quick = Scribe("slow"), Scribe("quick")
    for scribe in (slow, quick):
        store.create(scribe.header, [scribe.note("one")])
    done: list[str] = []

    def act() -> None:
        done.append("slow is on its way")
        store.append("quick", [quick.note("two")], 1)
        done.append("quick is stored")

    vfs.act = act
    store.append("slow", [slow.note("two")], 1)
    assert done == ["slow is on its way", "quick is stored"]
    store.close()


def test_nobody_reads_what_is_not_yet_on_the_disk(vfs: Watching, store: SqliteStore) -> None:
    scribe = Scribe()
    store.create(scribe.header, [scribe.note("one")])
    counts: list[int] = []
    vfs.act = lambda: counts.append(len(list(store.read("fight"))))
    store.append("fight", [scribe.note("two")], 1)
    assert counts == [2]
    assert len(list(store.read("fight"))) == 3
    store.close()


def test_another_process_decides_nothing_by_what_it_remembers(folder: Path, store: SqliteStore) -> None:
    """Two stores of one folder, each held open: each sees at every append what the other stored, ids included."""
    scribe, other = Scribe(), SqliteStore(folder)
    store.create(scribe.header, [scribe.note("one")])
    stale = scribe.fork().note("stale")
    for turn in range(10):
        writer, idle = (store, other) if turn % 2 else (other, store)
        commit = scribe.note(f"turn {turn}", command=f"turn-{turn}")
        assert (commit,) == writer.append("fight", [commit], turn + 1)
        with pytest.raises(VersionConflict) as caught:
            idle.append("fight", [stale], 1)
        assert turn + 2 == caught.value.current
        assert [commit.line] == [c.line for c in idle.append("fight", [commit], 0)]
    other.close()


def test_threads_append_to_one_session(store: SqliteStore) -> None:
    """Every commit is stored once, whatever conflicts on the way."""
    scribe = Scribe()
    store.create(scribe.header, [])

    def work(number: int) -> None:
        for turn in range(20):
            while True:
                head = store.head("fight")
                mine = Scribe()
                mine.version, mine.digest = head
                try:
                    store.append("fight", [mine.note("x", command=f"{number}-{turn}")], head.version)
                except VersionConflict:
                    continue
                break

    threads = [Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    commits = read(store)
    assert {f"{number}-{turn}" for number in range(4) for turn in range(20)} == {
        commit.sender.command for commit in commits if commit.sender
    }
    assert len(commits) == 80


def read(store: SqliteStore) -> list[Commit]:
    header, *lines = store.read("fight")
    chain = Chain(header)
    return [chain.accept(line) for line in lines]


def test_not_all_sessions_are_kept_open(store: SqliteStore, monkeypatch: pytest.MonkeyPatch) -> None:
    """At the bound and one past it: the one unused longest is closed, unless somebody is busy with it."""
    monkeypatch.setattr(sqlite, "HELD_SESSIONS", 3)
    scribes = {name: Scribe(name) for name in "abcde"}

    def append(name: str) -> set[str]:
        scribe = scribes[name]
        store.append(name, [scribe.note("x")], scribe.version - 1)
        return {path.name.removesuffix(".sqlite-wal") for path in store.folder.glob("*-wal")}

    for name, scribe in scribes.items():
        store.create(scribe.header, [scribe.note(name)])
    assert [append(name) for name in "abc"] == [{"a"}, {"a", "b"}, {"a", "b", "c"}]
    assert append("a") == {"a", "b", "c"}
    assert append("d") == {"a", "c", "d"}
    with store._sessions["c"].lock:
        assert append("b") == {"a", "b", "c", "d"}
    assert append("e") == {"b", "d", "e"}
    assert [append(name) for name in "abcde"][-1] == {"c", "d", "e"}
    for name, scribe in scribes.items():
        assert (scribe.version, scribe.digest) == store.head(name)
        assert len(list(store.read(name))) == 1 + scribe.version


def test_threads_and_few_open_sessions(store: SqliteStore, monkeypatch: pytest.MonkeyPatch) -> None:
    """A session that is closed for lack of use while somebody waits for it is opened again, once."""
    monkeypatch.setattr(sqlite, "HELD_SESSIONS", 1)
    scribes = [Scribe(f"s{number}") for number in range(4)]
    for scribe in scribes:
        store.create(scribe.header, [])

    def work(scribe: Scribe) -> None:
        for _ in range(40):
            commit = scribe.note("x")
            store.append(scribe.session, [commit], commit.first - 1)
            store.append(scribe.session, [commit], 0)

    threads = [Thread(target=work, args=(scribe,)) for scribe in scribes]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for scribe in scribes:
        assert (40, scribe.digest) == store.head(scribe.session)
    store.close()
    assert not list(store.folder.glob("*-wal"))


def test_an_append_costs_the_same_in_a_long_session(store: SqliteStore) -> None:
    """Counted in SQLite's own instructions, first appends and repeats alike; and no line is read again."""
    counts: list[tuple[int, int]] = []
    for name, length in (("short", 100), ("long", 10_000)):
        scribe = Scribe(name)
        store.create(scribe.header, [scribe.note("x") for _ in range(length)])
        store.append(name, [scribe.note("opens")], length)
        commit = scribe.note("counted")
        appending = instructions(store, name, partial(store.append, name, [commit], length + 1))
        repeating = instructions(store, name, partial(store.append, name, [commit], 0))
        counts.append((appending, repeating))
    short, long = counts
    assert short[0] > 20
    assert long[0] <= short[0] * 1.2
    assert long[1] <= short[1] * 1.2


def instructions(store: SqliteStore, session: str, work: Callable[[], object]) -> int:
    """How many instructions SQLite executes for a piece of work."""
    writer = store._sessions[session].writer
    assert writer is not None
    count = [0]

    def step() -> bool:
        count[0] += 1
        return False

    connection = writer._database.connection
    connection.set_progress_handler(step, 1)
    work()
    connection.set_progress_handler(None)
    return count[0]
