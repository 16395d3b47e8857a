"""The JSONL store when the world gets in the way: full disks, failing calls, interrupts, processes killed."""

from __future__ import annotations

import errno
import os
import random
import resource
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Barrier, Thread

import pytest

from affray.kernel import Chain, Commit, NoSuchSession, SessionExists, StoreError
from affray.kernel.testing import Scribe
from affray.sessions.stores.jsonl import JsonlStore

KILLS = 20
SEED = 20240229


@pytest.fixture
def scribe() -> Scribe:
    return Scribe()


@pytest.fixture
def store(tmp_path: Path, scribe: Scribe) -> Iterator[JsonlStore]:
    """A store with one session at version 1."""
    store = JsonlStore(tmp_path)
    store.create(scribe.header, [scribe.note("one — 剣")], b"secret")
    yield store
    store.close()


def bytes_of(store: JsonlStore) -> bytes:
    return (store.folder / "fight.affray").read_bytes()


def head(folder: Path) -> Chain:
    """Verify the whole commits of the session."""
    header, *lines = JsonlStore(folder).read("fight")
    chain = Chain(header)
    for line in lines:
        chain.accept(line)
    return chain


def failing_write(error: int, after: int) -> Callable[[int, bytes], int]:
    """A write that takes `after` bytes in one turn, and then fails for good (0: takes nothing more)."""
    real, left = os.write, [after]

    def write(fd: int, data: bytes) -> int:
        if left[0]:
            taken = real(fd, data[: left[0]])
            left[0] -= taken
            return taken
        if error:
            raise OSError(error, os.strerror(error))
        return 0

    return write


@pytest.mark.parametrize("error", [errno.ENOSPC, errno.EIO, errno.EDQUOT, 0])
@pytest.mark.parametrize("after", [0, 1, 300, 900, 1400])
def test_a_failing_write_leaves_nothing(
    store: JsonlStore, scribe: Scribe, monkeypatch: pytest.MonkeyPatch, error: int, after: int
) -> None:
    """Also in the middle of a group, of which one commit is then written whole; and the store goes on."""
    before = bytes_of(store)
    group = scribe.group("g", ["zwei", "drei ✓", "vier"])
    assert after < sum(len(commit.line) + 1 for commit in group)
    with monkeypatch.context() as patch:
        patch.setattr(os, "write", failing_write(error, after))
        with pytest.raises(StoreError, match=r"cannot append to .*fight.affray: "):
            store.append("fight", group, 1)
    assert before == bytes_of(store)
    assert group == store.append("fight", group, 1)
    assert before + b"".join(commit.line + b"\n" for commit in group) == bytes_of(store)


def test_short_writes_are_gone_on_with(
    store: JsonlStore, scribe: Scribe, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.write
    before = bytes_of(store)
    commit = scribe.note("zwei")
    monkeypatch.setattr(os, "write", lambda fd, data: real(fd, data[:7]))
    store.append("fight", [commit], 1)
    assert before + commit.line + b"\n" == bytes_of(store)


def test_an_interrupt_leaves_nothing(store: JsonlStore, scribe: Scribe, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.write
    before = bytes_of(store)
    commit = scribe.note("zwei")

    def write(fd: int, data: bytes) -> int:
        real(fd, data[:100])
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(os, "write", write)
        with pytest.raises(KeyboardInterrupt):
            store.append("fight", [commit], 1)
    assert before == bytes_of(store)
    store.append("fight", [commit], 1)


def test_what_cannot_be_taken_back_is_not_gone_on_with(
    store: JsonlStore, scribe: Scribe, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The session must be reopened, which drops the half line; other sessions go on, and readers see whole commits."""

    def ftruncate(fd: int, length: int) -> None:
        raise OSError(errno.EIO, "Input/output error")

    commit = scribe.note("zwei")
    with monkeypatch.context() as patch:
        patch.setattr(os, "write", failing_write(errno.ENOSPC, 100))
        patch.setattr(os, "ftruncate", ftruncate)
        with pytest.raises(StoreError, match="No space left on device"):
            store.append("fight", [commit], 1)
    assert not bytes_of(store).endswith(b"\n")
    for _ in range(2):
        with pytest.raises(StoreError, match="must be closed and opened again: half an append could not be taken back"):
            store.append("fight", [commit], 1)
    assert len(list(store.read("fight"))) == 2
    other = Scribe("other")
    store.create(other.header, [other.note("one")])
    store.append("other", [other.note("two")], 1)
    store.close()
    store.append("fight", [commit], 1)
    store.close()
    assert head(store.folder).version == 2


def test_a_failing_fsync_is_no_success(
    store: JsonlStore, scribe: Scribe, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Asked a second time the system may say yes without having written, so nobody asks: the session is in doubt."""

    def fsync(fd: int) -> None:
        raise OSError(errno.EIO, "Input/output error")

    before = bytes_of(store)
    commit = scribe.note("zwei")
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", fsync)
        with pytest.raises(StoreError, match="Input/output error"):
            store.append("fight", [commit], 1)
    assert before == bytes_of(store)
    with pytest.raises(StoreError, match="nobody knows whether the last append reached the disk"):
        store.append("fight", [commit], 1)
    store.close()
    assert (commit,) == store.append("fight", [commit], 1)


def test_a_file_changed_by_somebody_else_is_not_appended_to(store: JsonlStore, scribe: Scribe) -> None:
    commit = scribe.note("zwei")
    with (store.folder / "fight.affray").open("ab") as file:
        file.write(b"by hand\n")
    changed = bytes_of(store)
    with pytest.raises(StoreError, match="somebody else wrote to it"):
        store.append("fight", [commit], 1)
    assert changed == bytes_of(store)


def test_a_deleted_file_is_not_appended_to(store: JsonlStore, scribe: Scribe) -> None:
    """What goes into a file that has no name any more is lost, so it is not acknowledged."""
    (store.folder / "fight.affray").unlink()
    with pytest.raises(StoreError, match="it was deleted or replaced"):
        store.append("fight", [scribe.note("zwei")], 1)
    store.close()
    with pytest.raises(NoSuchSession):
        store.append("fight", [scribe.note("zwei")], 1)


@pytest.mark.parametrize(
    ("call", "turn"), [*[(call, turn) for call in ("write", "fsync") for turn in (1, 2, 3, 4)], ("link", 1)]
)
def test_a_creation_that_fails_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str, turn: int
) -> None:
    """Whichever of its calls fails, no session and no secret is left, and the next attempt succeeds."""
    store, scribe = JsonlStore(tmp_path), Scribe()
    commits = [scribe.note("one"), scribe.note("two")]
    real, turns = getattr(os, call), [0]

    def fails(*arguments: object) -> object:
        turns[0] += 1
        if turns[0] == turn:
            raise OSError(errno.EIO, "Input/output error")
        return real(*arguments)

    with monkeypatch.context() as patch:
        patch.setattr(os, call, fails)
        with pytest.raises(StoreError, match=r"cannot create .*fight.affray: Input/output error"):
            store.create(scribe.header, commits, b"secret")
    assert os.listdir(tmp_path) == []
    assert store.sessions() == ()
    store.create(scribe.header, commits, b"secret")
    with pytest.raises(SessionExists):
        store.create(scribe.header, commits)
    assert sorted(os.listdir(tmp_path)) == ["fight.affray", "fight.secret"]
    store.close()
    assert head(tmp_path).version == 2


def test_two_stores_create_one_session(tmp_path: Path) -> None:
    """Stores that create at the same time: one session, with the secret of the one who made it."""
    for turn in range(10):
        folder = tmp_path / str(turn)
        barrier = Barrier(4)
        won: list[int] = []

        def create(number: int, folder: Path = folder, barrier: Barrier = barrier, won: list[int] = won) -> None:
            scribe, store = Scribe(), JsonlStore(folder)
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
        store = JsonlStore(folder)
        assert f"{won[0]}".encode() == store.secret("fight")
        assert f"by {won[0]}".encode() in list(store.read("fight"))[1]


BOUNDED = """
import os, resource, signal, sys
from affray.kernel import StoreError
from affray.kernel.testing import Scribe
from affray.sessions.stores.jsonl import JsonlStore
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
folder = sys.argv[1]
store, scribe = JsonlStore(folder), Scribe()
store.create(scribe.header, [scribe.note("one")])
path = os.path.join(folder, "fight.affray")
size = os.path.getsize(path)
group = scribe.group("g", ["two", "three", "four"])
hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
for room in (0, 1, 500, 1000, 1500):
    resource.setrlimit(resource.RLIMIT_FSIZE, (size + room, hard))
    try:
        store.append("fight", group, 1)
    except StoreError as error:
        print(error)
    assert os.path.getsize(path) == size
resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
store.append("fight", group, 1)
"""


def test_a_file_that_may_not_grow(tmp_path: Path) -> None:
    """The system itself refuses, in the middle of a line: nothing half written, and the store appends again."""
    done = run(BOUNDED, str(tmp_path))
    assert done.stdout.count("fight.affray: File too large") == 5
    assert head(tmp_path).version == 4


APPENDS = """
import sys
from affray.kernel import Chain
from affray.kernel.testing import Scribe
from affray.sessions.stores.jsonl import JsonlStore
store, scribe = JsonlStore(sys.argv[1]), Scribe()
header, *lines = store.read("fight")
chain = Chain(header)
for line in lines:
    chain.accept(line)
scribe.version, scribe.digest = chain.version, chain.digest
while True:
    version = scribe.version
    if version % 3:
        commits = [scribe.note("schlägt zu " * 20)]
    else:
        commits = scribe.group(f"g{version}", ["eins — 🐉" * 30, "zwei", "drei" * 50])
    store.append("fight", commits, version)
    print(scribe.version, scribe.digest, flush=True)
"""


def test_killed_in_the_middle(tmp_path: Path) -> None:
    """kill -9 of a process that appends in a loop: every commit it acknowledged is there, in its place."""
    print(f"seed {SEED}")
    chance = random.Random(SEED)
    store, scribe = JsonlStore(tmp_path), Scribe()
    store.create(scribe.header, [scribe.note("one")])
    store.close()
    acknowledged: dict[int, str] = {}
    for _ in range(KILLS):
        with subprocess.Popen(
            [sys.executable, "-c", APPENDS, str(tmp_path)], stdout=subprocess.PIPE, env=environment(), text=True
        ) as child:
            assert child.stdout is not None
            told = [child.stdout.readline() for _ in range(chance.randint(1, 12))]
            child.kill()
            told += child.stdout.readlines()
        for line in told:
            if line.endswith("\n"):
                version, digest = line.split()
                acknowledged[int(version)] = digest
    assert len(acknowledged) > KILLS
    header, *lines = JsonlStore(tmp_path).read("fight")
    chain = Chain(header)
    digests = {commit.last: commit.digest for commit in (chain.accept(line) for line in lines)}
    assert acknowledged == {version: digests.get(version) for version in acknowledged}


def environment() -> dict[str, str]:
    return os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}


def run(program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments], env=environment(), capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return done


def test_opening_costs_once(store: JsonlStore, scribe: Scribe, monkeypatch: pytest.MonkeyPatch) -> None:
    """An append reads nothing of the session, however long it is; only the first one does."""
    store.close()
    accepted: list[Commit] = []
    real = Chain.accept

    def accept(chain: Chain, line: bytes) -> Commit:
        accepted.append(real(chain, line))
        return accepted[-1]

    monkeypatch.setattr(Chain, "accept", accept)
    for version in range(1, 20):
        store.append("fight", [scribe.note("x")], version)
    assert len(accepted) == 1


def test_many_open_files_end_in_a_store_error(tmp_path: Path) -> None:
    """Each session written to keeps a file open; where the system gives no more, nothing is half created."""
    store = JsonlStore(tmp_path)
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (len(os.listdir("/proc/self/fd")) + 20, hard))
    try:
        with pytest.raises(StoreError, match="Too many open files"):
            create_many(store, 100)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    made = len(store.sessions())
    assert 0 < made < 100
    assert 2 * made == len(os.listdir(tmp_path))
    store.close()


def create_many(store: JsonlStore, count: int) -> None:
    for number in range(count):
        scribe = Scribe(f"s{number}")
        store.create(scribe.header, [scribe.note("one")], b"secret")
