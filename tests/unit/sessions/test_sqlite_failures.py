"""The SQLite store when the world gets in the way: full disks, failing calls, interrupts, files that go away."""

from __future__ import annotations

import errno
import os
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Barrier, Thread

import apsw
import pytest

from affray.kernel import Busy, Chain, Commit, Damaged, NoSuchSession, SessionExists, StoreError
from affray.kernel.testing import Scribe
from affray.sessions.stores import sqlite_database
from affray.sessions.stores.sqlite import SqliteStore
from affray.sessions.stores.sqlite_writer import SqliteWriter

from ...support.power import RecordingVfs
from ...support.ram import ram_folder


@pytest.fixture
def scribe() -> Scribe:
    return Scribe()


@pytest.fixture
def folder() -> Iterator[Path]:
    with ram_folder() as folder:
        yield folder


@pytest.fixture
def store(folder: Path, scribe: Scribe) -> Iterator[SqliteStore]:
    """A store with one session at version 1."""
    store = SqliteStore(folder)
    store.create(scribe.header, [scribe.note("one — 剣")], b"secret")
    yield store
    store.close()


def verified(store: SqliteStore, session: str = "fight") -> list[Commit]:
    """Every commit of a session, through the chain."""
    header, *lines = store.read(session)
    chain = Chain(header)
    return [chain.accept(line) for line in lines]


def follow(store: SqliteStore) -> Scribe:
    """A scribe who goes on where the session stands."""
    scribe = Scribe()
    scribe.version, scribe.digest = store.head("fight")
    return scribe


# -- no room


@pytest.mark.parametrize("pages", [6, 8, 10, 14, 20, 24])
def test_a_database_that_may_not_grow(folder: Path, monkeypatch: pytest.MonkeyPatch, pages: int) -> None:
    """Wherever the bound cuts a group: a typed error, nothing half written, and what fits is stored."""
    store, scribe = SqliteStore(folder), Scribe()
    store.create(scribe.header, [scribe.note("one")])
    group = scribe.fork().group("g", ["zwei ✓" * 300, "drei" * 900, "x" * 80_000])
    with monkeypatch.context() as patch:
        patch.setattr(sqlite_database, "SETTINGS", f"{sqlite_database.SETTINGS}PRAGMA max_page_count={pages};")
        for _ in range(2):
            with pytest.raises(StoreError, match=r"cannot append to .*fight.sqlite: database or disk is full") as caught:
                store.append("fight", group, 1)
            assert type(caught.value) is StoreError
            assert [commit.last for commit in verified(store)] == [1]
        small = scribe.note("small")
        assert (small,) == store.append("fight", [small], 1)
        store.close()
    last = scribe.note("x" * 80_000)
    assert (last,) == store.append("fight", [last], 2)
    assert [commit.last for commit in verified(store)] == [1, 2, 3]
    store.close()


FILLS = """
import sys
from affray.kernel import StoreError
from affray.kernel.testing import Scribe
from affray.sessions.stores.sqlite import SqliteStore
store, scribe = SqliteStore(sys.argv[1]), Scribe()
scribe.version, scribe.digest = store.head("fight")
refused = 0
while refused < 3:
    version, before = scribe.version, scribe.fork()
    try:
        store.append("fight", scribe.group(f"g{version}", ["x" * 3000, "y", "z" * 5000]), version)
    except StoreError as error:
        assert type(error) is StoreError, error
        print(error)
        refused += 1
        scribe = before
print(scribe.version)
if len(sys.argv) > 2:
    store.close()
"""


@pytest.mark.parametrize("leave", [[], ["close"]], ids=["left", "closed"])
def test_files_that_may_not_grow(folder: Path, store: SqliteStore, leave: list[str]) -> None:
    """The system refuses to make any file bigger, in the middle of a group: what was acknowledged is there."""
    size = 200_000

    def bound() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    told = run(FILLS, str(folder), *leave, preexec=bound)
    assert sum("fight.sqlite: " in line for line in told) == 3
    settle(folder, int(told[-1]))


@pytest.mark.parametrize("leave", [[], ["close"]], ids=["left", "closed"])
def test_a_small_file_system(leave: list[str]) -> None:
    """A disk that is full, where the system lets us have one; a disk with a quota on its files everywhere else."""
    with tempfile.TemporaryDirectory() as mountpoint:
        place = Path(mountpoint)
        if not mounted(place, "size=400k"):
            return  # the bound on files above is the same test
        try:
            store, scribe = SqliteStore(place / "store"), Scribe()
            store.create(scribe.header, [scribe.note("one")])
            told = run(FILLS, str(place / "store"), *leave)
            assert sum("database or disk is full" in line for line in told) == 3
            with pytest.raises(StoreError):
                create_many(store, 10)
            assert store.sessions() in {("fight",), ("fight", "s0"), ("fight", "s0", "s1")}
            assert mounted(place, "remount,size=4m")
            settle(place / "store", int(told[-1]))
            store.close()
        finally:
            subprocess.run(["umount", "--lazy", place], check=False)


def mounted(place: Path, options: str) -> bool:
    done = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", options, "none", place], check=False, capture_output=True
    )
    return done.returncode == 0


def settle(folder: Path, acknowledged: int) -> None:
    """With room again: everything acknowledged, nothing half written, and the next append goes in."""
    store = SqliteStore(folder)
    assert acknowledged == verified(store)[-1].last
    assert acknowledged > 10
    scribe = follow(store)
    store.append("fight", scribe.group("last", ["x" * 50_000, "y"]), acknowledged)
    assert acknowledged + 2 == verified(store)[-1].last
    store.close()


def run(program: str, *arguments: str, preexec: Callable[[], None] | None = None) -> list[str]:
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [sys.executable, "-c", f"import signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n{program}", *arguments],
        env=environment,
        capture_output=True,
        text=True,
        preexec_fn=preexec,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


# -- calls that fail


class Failing(RecordingVfs):
    """Refuses to flush a log as often as it is told to."""

    refusals = 0

    def flushing(self, name: str) -> None:
        if name.endswith("-wal") and self.refusals:
            self.refusals -= 1
            error = apsw.IOError("disk I/O error")
            error.extendedresult = apsw.SQLITE_IOERR_FSYNC  # type: ignore[attr-defined]
            raise error


@pytest.fixture
def vfs() -> Iterator[Failing]:
    vfs = Failing("failing")
    yield vfs
    vfs.unregister()


def as_found(store: SqliteStore, target: Path) -> SqliteStore:
    """The files as another process would find them if this one were killed now."""
    shutil.rmtree(target, ignore_errors=True)
    # `cp`, because closing the database here would give up this process's locks on it
    subprocess.run(["cp", "-r", str(store.folder), str(target)], check=True)
    return SqliteStore(target)


def test_a_flush_that_fails_once(
    vfs: Failing, store: SqliteStore, scribe: Scribe, tmp_path: Path
) -> None:
    """Nothing is stored, not even for whoever reads the log later, although the whole commit stood in it."""
    two, three = scribe.note("zwei"), scribe.fork()
    store.append("fight", [two], 1)
    commit = three.note("drei")
    vfs.refusals = 1
    with pytest.raises(StoreError, match=r"cannot append to .*fight.sqlite: disk I/O error"):
        store.append("fight", [commit], 2)
    killed = as_found(store, tmp_path / "killed")
    assert [found.last for found in verified(killed)] == [1, 2]
    assert [found.last for found in verified(store)] == [1, 2]
    other = scribe.note("drei, anders")
    assert (other,) == store.append("fight", [other], 2)
    store.close()


def test_a_flush_that_goes_on_failing(vfs: Failing, store: SqliteStore, scribe: Scribe) -> None:
    """Then nobody knows: the session is in doubt until it is opened again, and the same command settles it."""
    store.append("fight", [scribe.note("zwei")], 1)
    commit, other = scribe.note("drei"), Scribe("other")
    vfs.refusals = 1000
    with pytest.raises(StoreError, match="disk I/O error"):
        store.append("fight", [commit], 2)
    vfs.refusals = 0
    for _ in range(2):
        with pytest.raises(StoreError, match="must be closed and opened again: nobody knows whether the last append"):
            store.append("fight", [commit], 2)
    assert [found.last for found in verified(store)] == [1, 2]
    store.create(other.header, [other.note("one")])
    store.append("other", [other.note("two")], 1)
    store.close()
    assert [commit.line] == [found.line for found in store.append("fight", [commit], 2)]
    assert [found.last for found in verified(store)] == [1, 2, 3]
    store.close()


@pytest.mark.parametrize("method", ["_check_files", "_insert", "_commit"])
def test_an_interrupt_leaves_nothing(
    store: SqliteStore, scribe: Scribe, monkeypatch: pytest.MonkeyPatch, method: str
) -> None:
    """Ctrl-C at any time before the commit: nothing is stored, and nobody is locked out."""
    group = scribe.group("g", ["zwei", "drei"])
    real = getattr(SqliteWriter, method)

    def interrupted(writer: SqliteWriter, *arguments: object) -> None:
        if method == "_insert":
            real(writer, *arguments)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(SqliteWriter, method, interrupted)
        with pytest.raises(KeyboardInterrupt):
            store.append("fight", group, 1)
    assert [commit.last for commit in verified(store)] == [1]
    other = SqliteStore(store.folder)
    assert group == other.append("fight", group, 1)
    other.close()


def test_a_lock_of_somebody_else(store: SqliteStore, scribe: Scribe, monkeypatch: pytest.MonkeyPatch) -> None:
    """Busy says so in its own words, nothing is stored, and the next attempt goes in."""
    monkeypatch.setattr(sqlite_database, "BUSY_SECONDS", 0.1)
    holder = apsw.Connection(str(store.folder / "fight.sqlite"))
    holder.execute("BEGIN IMMEDIATE")
    commit = scribe.note("zwei")
    for _ in range(2):
        with pytest.raises(Busy, match=r"fight.sqlite: others have kept it busy for 0.1 seconds; nothing was stored"):
            store.append("fight", [commit], 1)
    assert [found.last for found in verified(store)] == [1]
    holder.execute("ROLLBACK")
    assert (commit,) == store.append("fight", [commit], 1)
    holder.close()


def test_a_thread_that_takes_its_time(store: SqliteStore, scribe: Scribe, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite_database, "BUSY_SECONDS", 0.1)
    commit = scribe.note("zwei")
    held = store._session("fight")
    with held.lock, pytest.raises(Busy, match="busy by other threads; nothing was stored"):
        store.append("fight", [commit], 1)
    assert (commit,) == store.append("fight", [commit], 1)


# -- files that go away


@pytest.mark.parametrize("names", [["fight.sqlite"], ["fight.sqlite-wal"], ["fight.sqlite", "fight.sqlite-wal"]])
def test_files_deleted_under_a_writer(store: SqliteStore, scribe: Scribe, names: list[str]) -> None:
    """What goes into a file that has no name any more is lost, so it is not acknowledged."""
    store.append("fight", [scribe.note("zwei")], 1)
    commit = scribe.note("drei")
    for name in names:
        (store.folder / name).unlink()
    for _ in range(2):
        with pytest.raises(StoreError, match=r"closed and opened again: it or its log was deleted or replaced"):
            store.append("fight", [commit], 2)
    store.close()
    if "fight.sqlite" in names:
        with pytest.raises(Damaged, match="it is gone, its head record is still there"):
            store.append("fight", [commit], 2)
    else:
        assert (commit,) == store.append("fight", [commit], 2), "closing saved what stood in the log"


def test_a_database_put_back_under_a_writer(store: SqliteStore, scribe: Scribe, tmp_path: Path) -> None:
    """An older copy that takes the file's place is not appended to, and is not mistaken for the session later."""
    store.close()
    shutil.copy(store.folder / "fight.sqlite", tmp_path / "older")
    store.append("fight", [scribe.note("zwei")], 1)
    os.replace(shutil.copy(tmp_path / "older", store.folder / "copy"), store.folder / "fight.sqlite")
    with pytest.raises(StoreError, match="it or its log was deleted or replaced"):
        store.append("fight", [scribe.fork().note("drei")], 2)
    store.close()
    for suffix in ("-wal", "-shm"):
        (store.folder / f"fight.sqlite{suffix}").unlink(missing_ok=True)
    with pytest.raises(Damaged, match="ends at version 1, its head record knows version 2") as caught:
        store.append("fight", [scribe.fork().note("drei")], 2)
    assert caught.value.version == 2
    (store.folder / "fight.head").unlink()  # as the message says
    other = follow(store)
    assert store.append("fight", [other.note("anders")], 1)


def test_a_head_record_that_cannot_be_written(
    store: SqliteStore, scribe: Scribe, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The commit is stored, so the append succeeds; the record stays behind, with a note, and is brought forward later."""
    notes: list[str] = []
    noting = SqliteStore(store.folder, on_note=notes.append)
    noting.append("fight", [scribe.note("zwei")], 1)

    def pwrite(fd: int, data: bytes, offset: int) -> int:
        raise OSError(errno.EIO, "Input/output error")

    with monkeypatch.context() as patch:
        patch.setattr(os, "pwrite", pwrite)
        noting.append("fight", [scribe.note("drei")], 2)
    assert [f"{store.folder / 'fight.sqlite'}: its head record stays behind (Input/output error)"] == notes
    assert noting.heads()["fight"].version == 2
    assert noting.head("fight").version == 3
    noting.close()
    noting.append("fight", [scribe.note("vier")], 3)
    assert noting.heads()["fight"].version == 4
    noting.close()


# -- creating


@pytest.mark.parametrize(
    ("call", "turn"), [*[("fsync", turn) for turn in (1, 2, 3, 4)], ("write", 1), ("link", 1)]
)
def test_a_creation_that_fails_leaves_nothing(
    folder: Path, monkeypatch: pytest.MonkeyPatch, call: str, turn: int
) -> None:
    """Whichever of its calls fails, no session and no secret is left, and the next attempt succeeds."""
    store, scribe = SqliteStore(folder), Scribe()
    commits = [scribe.note("one"), scribe.note("two")]
    real, turns = getattr(os, call), [0]

    def fails(*arguments: object) -> object:
        turns[0] += 1
        if turns[0] == turn:
            raise OSError(errno.EIO, "Input/output error")
        return real(*arguments)

    with monkeypatch.context() as patch:
        patch.setattr(os, call, fails)
        with pytest.raises(StoreError, match=r"cannot create .*fight.sqlite: Input/output error"):
            store.create(scribe.header, commits, b"secret")
    assert os.listdir(folder) == []
    assert store.sessions() == ()
    store.create(scribe.header, commits, b"secret")
    with pytest.raises(SessionExists):
        store.create(scribe.header, commits)
    assert [commit.last for commit in verified(store)] == [1, 2]


def test_two_stores_create_one_session(folder: Path) -> None:
    """Stores that create at the same time: one session, with the secret of the one who made it."""
    for turn in range(10):
        place = folder / str(turn)
        barrier = Barrier(4)
        won: list[int] = []

        def create(number: int, place: Path = place, barrier: Barrier = barrier, won: list[int] = won) -> None:
            scribe, store = Scribe(), SqliteStore(place)
            commit = scribe.note(f"by {number}")
            barrier.wait()
            try:
                store.create(scribe.header, [commit], f"{number}".encode())
                won.append(number)
            except SessionExists:
                pass
            store.close()

        threads = [Thread(target=create, args=(number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(won) == 1
        store = SqliteStore(place)
        assert f"{won[0]}".encode() == store.secret("fight")
        assert f"by {won[0]}".encode() in list(store.read("fight"))[1]


def test_many_open_files_end_in_a_store_error(folder: Path) -> None:
    """Each session appended to keeps files open; where the system gives no more, nothing is half done."""
    store = SqliteStore(folder)
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (len(os.listdir("/proc/self/fd")) + 40, hard))
    try:
        with pytest.raises(StoreError):
            create_many(store, 100)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    made = store.sessions()
    assert 3 < len(made) < 100
    store.close()
    assert [2] * (len(made) - 1) == [len(verified(store, name)) for name in made[:-1]]
    assert len(verified(store, made[-1])) in {1, 2}


def create_many(store: SqliteStore, count: int) -> None:
    for number in range(count):
        scribe = Scribe(f"s{number:02}")
        store.create(scribe.header, [scribe.note("one" * 10_000)], b"secret")
        store.append(scribe.session, [scribe.note("two")], 1)


@pytest.mark.parametrize("name", ["fight.sqlite", "fight.head"])
def test_a_file_that_cannot_be_opened(folder: Path, name: str) -> None:
    (folder / name).mkdir()
    store = SqliteStore(folder)
    for act in (lambda: store.read("fight"), lambda: store.append("fight", [Scribe().note("x")], 0)):
        with pytest.raises((StoreError, Damaged)):
            act()
    with pytest.raises(NoSuchSession):
        store.read("other")
