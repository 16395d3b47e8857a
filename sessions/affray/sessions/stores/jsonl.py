"""A store of portable files: one `<session>.affray` for each session in a folder, its secret beside it.

A file is UTF-8 JSON lines: the header, then one commit a line. The first write to a session locks its file
(`flock`, so POSIX only), verifies it and drops what was torn off at its end; the lock is held until `close`. Readers need
no lock, and flush what they show: a writer that was killed may have left it unflushed, and nobody must see what a failing
power supply could still take away. `<session>.secret` (mode 0600) is durable before its session exists and is part of no
export; nor is `<session>.cache`, which may be deleted at any time.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from threading import Lock
from typing import BinaryIO

from affray.kernel import Commit, InputError, NoSuchSession, SessionExists, check_id, limits

from .folder import CACHE, keep_secret, make_folder, open_folder, open_fresh, read_cache, write_cache
from .index import SessionIndex, units
from .lines import check_header, end_of_commits, lines_to, never_began, newest_of, tail_of
from .writer import Writer, lock, open_writer, os_errors, write_all

LEDGER = ".affray"
SECRET = ".secret"


class _Session:
    """A session somebody writes to: the lock its writers wait for, and its open file."""

    def __init__(self) -> None:
        self.lock = Lock()
        self.writer: Writer | None = None

    def close(self) -> None:
        if self.writer is not None:
            self.writer.close()
            self.writer = None


class JsonlStore:
    """A `Store` that keeps each session in a file of its own.

    `on_note` is told, in one sentence, what is left out at the end of a file. After `close` the store may be used
    again and takes its locks anew; that is also how a session is reopened whose file came into doubt.
    """

    def __init__(self, folder: str | os.PathLike[str], *, on_note: Callable[[str], None] | None = None) -> None:
        self.folder = Path(folder)
        self._on_note = on_note or _ignore
        self._guard = Lock()
        self._sessions: dict[str, _Session] = {}

    def create(self, header: bytes, commits: Sequence[Commit], secret: bytes | None = None) -> None:
        """Create a session with its first commits. Raises SessionExists, also for an id that differs only in case."""
        index = SessionIndex.of_new(header, commits)
        path = self._path(index.session)
        length = len(header) + 1
        for unit in units(commits):
            index.check_order(unit, index.version)
            end = length + sum(len(commit.line) + 1 for commit in unit)
            index.add(unit, length, end)
            length = end
        session = self._session(index.session)
        with session.lock, os_errors(f"create {path}"):
            make_folder(self.folder)
            with open_folder(self.folder) as folder:
                fcntl.flock(folder, fcntl.LOCK_EX)  # no other store creates a session here meanwhile
                _make_room(path)
                fd = _create_file(path, folder, [header, *[commit.line for commit in commits]], secret)
            session.close()
            session.writer = Writer(fd, path, index, length)

    def append(self, session: str, commits: Sequence[Commit], expected_version: int) -> tuple[Commit, ...]:
        """Append one commit, or all of a group; or answer a repeat with what is stored (see `Store.append`)."""
        path = self._path(session)
        if session not in self._sessions and not path.exists():
            raise NoSuchSession(f"no session {session!r} in {self.folder}")
        held = self._session(session)
        with held.lock:
            if held.writer is None:
                held.writer = open_writer(path, session, self._on_note)
            return held.writer.append(commits, expected_version)

    def read(self, session: str) -> Iterator[bytes]:
        """The header line, then the line of every whole commit there is when this is called (see `Store.read`)."""
        with self._looked_at(session) as (_, _, end):
            return _lines(self._path(session), session, end)

    def tail(self, session: str, version: int) -> Iterator[bytes]:
        """The header line, then the line of the commit that ends at a version and those behind it (see `Store.tail`)."""
        if not version:
            return self.read(session)
        with self._looked_at(session) as (file, header, end):
            return iter([header, *tail_of(file, end, version)])

    def secret(self, session: str) -> bytes | None:
        """What `create` was given as secret; None where the file was brought here without one."""
        path = self._path(session)
        with _opened(path, session):
            try:
                return path.with_suffix(SECRET).read_bytes()
            except FileNotFoundError:
                return None

    def sessions(self) -> tuple[str, ...]:
        """The ids of all sessions, sorted. A damaged file counts, so that its damage is seen."""
        with os_errors(f"list {self.folder}"):
            try:
                paths = list(self.folder.iterdir())
            except FileNotFoundError:
                return ()
            return tuple(sorted(path.stem for path in paths if path.suffix == LEDGER and _is_session(path)))

    def cached(self, session: str) -> bytes | None:
        """What `cache` was given last, from a file of its own."""
        return read_cache(self._path(session).with_suffix(CACHE))

    def cache(self, session: str, data: bytes) -> None:
        """Keep something that can be made again in a file of its own (see `Store.cache`)."""
        path = self._path(session)
        write_cache(path.with_suffix(CACHE), data, path)

    def close(self) -> None:
        """Give up all locks and files."""
        with self._guard:
            held = list(self._sessions.values())
        for session in held:
            with session.lock:
                session.close()

    def _path(self, session: str) -> Path:
        return self.folder / (check_id(session, "a session's id") + LEDGER)

    def _session(self, session: str) -> _Session:
        with self._guard:
            return self._sessions.setdefault(session, _Session())

    @contextmanager
    def _looked_at(self, session: str) -> Generator[tuple[BinaryIO, bytes, int], None, None]:
        """A session's file, its header, and the offset behind the last commit that may be shown."""
        path = self._path(session)
        held = self._sessions.get(session)
        writer = held.writer if held is not None else None
        with _opened(path, session) as file:
            header = file.readline(limits.LINE_BYTES + 1).removesuffix(b"\n")
            check_header(header, session, str(path), lambda: newest_of(file, end_of_commits(file, str(path))))
            if writer is not None:
                end = writer.length  # nobody is shown what is not yet on the disk
            else:
                end = end_of_commits(file, str(path))
                if surplus := os.fstat(file.fileno()).st_size - end:
                    self._on_note(f"{path}: left out {surplus} bytes at the end that are no whole commit")
                os.fsync(file.fileno())  # a writer that was killed may have left commits that are not on the disk
            yield file, header, end


def _ignore(note: str) -> None:
    """Tell nobody."""


@contextmanager
def _opened(path: Path, session: str) -> Generator[BinaryIO, None, None]:
    """A session's file, for reading. Raises NoSuchSession also for one that was torn within its header."""
    with os_errors(f"read {path}"):
        try:
            file = path.open("rb")
        except FileNotFoundError:
            raise NoSuchSession(f"no session {session!r} in {path.parent}") from None
        with file:
            if never_began(file):
                raise NoSuchSession(f"no session {session!r}: {path} ends within its header")
            file.seek(0)
            yield file


def _lines(path: Path, session: str, end: int) -> Iterator[bytes]:
    with _opened(path, session) as file:
        yield from lines_to(file, end)


def _is_session(path: Path) -> bool:
    try:
        check_id(path.stem, "a session's id")
        with path.open("rb") as file:
            return not never_began(file)
    except (InputError, FileNotFoundError, IsADirectoryError):
        return False
    except OSError:
        return True


def _make_room(path: Path) -> None:
    """Refuse a session that exists, also under an id that differs in case only: some file systems see no difference."""
    for name in sorted(os.listdir(path.parent)):
        if name != path.name and name.lower() == path.name.lower():
            raise SessionExists(f"session {path.stem!r} differs from the existing {Path(name).stem!r} in case only")
    try:
        with path.open("rb") as file:
            if not never_began(file):
                raise SessionExists(f"session {path.stem!r} exists already in {path.parent}")
    except FileNotFoundError:
        return
    path.unlink()


def _create_file(path: Path, folder: int, lines: Sequence[bytes], secret: bytes | None) -> int:
    """Make a session's file appear, locked, whole or not at all. Returns it open for appending."""
    fresh = path.with_name(f".{path.name}.new")
    hidden = path.with_suffix(SECRET)
    with ExitStack() as undo:
        undo.callback(hidden.unlink, missing_ok=True)
        keep_secret(hidden, folder, secret)
        path.with_suffix(CACHE).unlink(missing_ok=True)
        fd = open_fresh(fresh, 0o666)
        undo.callback(os.close, fd)
        undo.callback(fresh.unlink, missing_ok=True)
        lock(fd, fresh)
        for line in lines:
            write_all(fd, line + b"\n")
        os.fsync(fd)
        os.link(fresh, path)  # unlike a rename, this never takes the place of another file
        undo.callback(path.unlink, missing_ok=True)
        fresh.unlink()
        os.fsync(folder)
        undo.pop_all()
    return fd
