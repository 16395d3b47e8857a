"""A store of SQLite databases: for each session one `<session>.sqlite` in a folder, its head record and secret beside it.

Any number of processes may append to a session and read it; sessions share no lock. What an append acknowledged
survives a failing power supply. `<session>.head` tells how far the session was known to reach, `<session>.private`
(mode 0600) holds the host's secret, durable before its session exists and part of no export; nor is `<session>.cache`, which
may be deleted at any time. The folder needs no index beyond its names and head records: both are true or found out, and
a missing record is made anew. POSIX only.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, suppress
from itertools import chain
from pathlib import Path
from threading import Lock

from affray.kernel import Busy, Commit, Damaged, InputError, NoSuchSession, SessionExists, check_id

from . import sqlite_database
from .folder import CACHE, keep_secret, make_folder, open_folder, open_fresh, read_cache, write_cache
from .heads import HEAD, Head, HeadRecord, read_head
from .index import SessionIndex, units
from .sqlite_database import Database, Row, write_database
from .sqlite_writer import SqliteWriter, open_writer
from .writer import os_errors

DATABASE = ".sqlite"
PRIVATE = ".private"

HELD_SESSIONS = 100
"""How many databases are kept open for appending, at four files each; beyond that the one unused longest is closed."""


class _Session:
    """A session somebody writes to: the lock its writers wait for, and its open database."""

    def __init__(self) -> None:
        self.lock = Lock()
        self.writer: SqliteWriter | None = None

    def close(self) -> None:
        with self.lock:
            self.close_locked()

    def close_locked(self) -> None:
        writer, self.writer = self.writer, None
        if writer is not None:
            writer.close()


class SqliteStore:
    """A `Store` that keeps each session in a database of its own.

    The first append to a session verifies all of it and keeps its database open (see HELD_SESSIONS). `on_note` is told,
    in one sentence, what can be gone on without. After `close` the store may be used again; that is also how a session
    is reopened that came into doubt.
    """

    def __init__(self, folder: str | os.PathLike[str], *, on_note: Callable[[str], None] | None = None) -> None:
        self.folder = Path(folder).absolute()
        self._on_note = on_note or _ignore
        self._guard = Lock()
        self._sessions: dict[str, _Session] = {}

    def create(self, header: bytes, commits: Sequence[Commit], secret: bytes | None = None) -> None:
        """Create a session with its first commits. Raises SessionExists, also for an id that differs only in case."""
        index = SessionIndex.of_new(header, commits)
        path = self._path(index.session)
        rows = [Row.of_header(header)]
        for unit in units(commits):
            index.check_order(unit, index.version)
            index.add(unit, 0, 0)
            rows.extend(map(Row.of, unit))
        with os_errors(f"create {path}"):
            make_folder(self.folder)
            with open_folder(self.folder) as folder:
                fcntl.flock(folder, fcntl.LOCK_EX)  # no other store creates a session here meanwhile
                _make_room(path)
                _create_files(path, folder, rows, secret)
        self._tell(path, index.session, Head(index.version, index.digest))

    def append(self, session: str, commits: Sequence[Commit], expected_version: int) -> tuple[Commit, ...]:
        """Append one commit, or all of a group; or answer a repeat with what is stored (see `Store.append`)."""
        held = self._take(session)
        try:
            if held.writer is None:
                path = self._path(session)
                self._check_exists(path)
                held.writer = open_writer(path, path.with_suffix(HEAD), session, self._recorded(path), self._on_note)
            answer = held.writer.append(commits, expected_version)
        finally:
            held.lock.release()
        self._close_unused(session)
        return answer

    def read(self, session: str) -> Iterator[bytes]:
        """The header line, then the line of every commit there is when this is called (see `Store.read`).

        Lines are read a batch at a time, so whoever stops reading holds up nobody. What is missing or damaged behind
        the last good line, by the database or by its head record, is raised there.
        """
        database, recorded = self._looking_at(session)
        return _lines(database, database.rows(recorded, database.newest()))

    def tail(self, session: str, version: int) -> Iterator[bytes]:
        """The header line, then the line of the commit that ends at a version and those behind it (see `Store.tail`)."""
        if not version:
            return self.read(session)
        database, recorded = self._looking_at(session)
        return chain((database.header(session),), _lines(database, database.tail(recorded, database.newest(), version)))

    def secret(self, session: str) -> bytes | None:
        """What `create` was given as secret; None where the files were brought here without it."""
        self._looking_at(session)[0].close()
        path = self._path(session)
        with os_errors(f"read {path.with_suffix(PRIVATE)}"):
            try:
                return path.with_suffix(PRIVATE).read_bytes()
            except FileNotFoundError:
                return None

    def sessions(self) -> tuple[str, ...]:
        """The ids of all sessions, sorted. A damaged one counts, so that its damage is seen; a head record is enough."""
        with os_errors(f"list {self.folder}"):
            return tuple(sorted({Path(name).stem for name in _names(self.folder)}))

    def head(self, session: str) -> Head:
        """The newest version and its digest: a checkpoint that somebody else may keep, for `verify --against`.

        Raises NoSuchSession, Damaged.
        """
        database, recorded = self._looking_at(session)
        try:
            return database.head(recorded)
        finally:
            database.close()

    def heads(self) -> dict[str, Head]:
        """The recorded head of every session that has one, opening no database: at most a few commits behind."""
        found: dict[str, Head] = {}
        for session in self.sessions():
            with suppress(Damaged):
                if (head := self._recorded(self._path(session), quiet=True)) is not None:
                    found[session] = head
        return found

    def cached(self, session: str) -> bytes | None:
        """What `cache` was given last, from a file beside the database."""
        return read_cache(self._path(session).with_suffix(CACHE))

    def cache(self, session: str, data: bytes) -> None:
        """Keep something that can be made again in a file beside the database (see `Store.cache`)."""
        path = self._path(session)
        write_cache(path.with_suffix(CACHE), data, path)

    def close(self) -> None:
        """Give up all databases, whatever becomes of one of them."""
        with self._guard:
            held = list(self._sessions.values())
        with ExitStack() as closing:
            for session in held:
                closing.callback(session.close)

    def _path(self, session: str) -> Path:
        return self.folder / (check_id(session, "a session's id") + DATABASE)

    def _session(self, session: str) -> _Session:
        with self._guard:
            return self._sessions.setdefault(session, _Session())

    def _looking_at(self, session: str) -> tuple[Database, Head | None]:
        """A session's database, for reading, and what its head record told before: so the record cannot be ahead of it.

        Raises NoSuchSession, Damaged.
        """
        path = self._path(session)
        self._check_exists(path)
        recorded = self._recorded(path)
        database = Database(path)
        try:
            database.header(session)
            held = self._sessions.get(session)
            if held is None or held.writer is None:
                database.sync_log()
        except BaseException:
            database.close()
            raise
        return database, recorded

    def _take(self, session: str) -> _Session:
        """A session that this thread has the lock of. Raises NoSuchSession, Busy."""
        while True:
            held = self._sessions.get(session)
            if held is None:
                self._check_exists(self._path(session))
                held = self._session(session)
            if not held.lock.acquire(timeout=sqlite_database.BUSY_SECONDS):
                raise Busy(f"{self._path(session)} is kept busy by other threads; nothing was stored, try again")
            if self._sessions.get(session) is held:
                return held
            held.lock.release()  # it was closed for lack of use while this thread waited

    def _close_unused(self, session: str) -> None:
        """Remember that a session was used just now, and close those beyond the bound that nobody is busy with."""
        with self._guard:
            if (held := self._sessions.pop(session, None)) is not None:
                self._sessions[session] = held  # to the end, so that the unused ones come first
            surplus = max(0, len(self._sessions) - HELD_SESSIONS)
            unused = list(self._sessions.items())[:surplus] if surplus else []
        for name, one in unused:
            if one.lock.acquire(blocking=False):
                try:
                    with self._guard:
                        del self._sessions[name]
                    one.close_locked()
                finally:
                    one.lock.release()

    def _check_exists(self, path: Path) -> None:
        with os_errors(f"read {path}"):
            if path.exists():
                return
            if path.with_suffix(HEAD).exists():
                problem = "it is gone, its head record is still there (to be rid of the session, delete that too)"
                raise Damaged(problem, version=1, where=str(path))
        raise NoSuchSession(f"no session {path.stem!r} in {path.parent}")

    def _recorded(self, path: Path, *, quiet: bool = False) -> Head | None:
        record = path.with_suffix(HEAD)
        with os_errors(f"read {record}"):
            found = read_head(record, path.stem)
        if found is None and not quiet:
            self._on_note(f"{record}: no head record that can be read, so a lost end of the session would not be noticed")
        return found

    def _tell(self, path: Path, session: str, head: Head) -> None:
        """Make the head record of a new session; without one it is a session all the same."""
        try:
            record = HeadRecord(path.with_suffix(HEAD), session)
            try:
                record.write(head)
            finally:
                record.close()
        except OSError as error:
            self._on_note(f"{path}: it has no head record yet ({error.strerror or error})")


def _ignore(note: str) -> None:
    """Tell nobody."""


def _lines(database: Database, rows: Iterator[Row]) -> Iterator[bytes]:
    try:
        for row in rows:
            yield row.line
    finally:
        database.close()


def _names(folder: Path) -> list[str]:
    """The databases and head records of sessions."""
    try:
        names = os.listdir(folder)
    except FileNotFoundError:
        return []
    return [name for name in names if Path(name).suffix in (DATABASE, HEAD) and _is_id(Path(name).stem)]


def _is_id(text: str) -> bool:
    try:
        check_id(text, "a session's id")
    except InputError:
        return False
    return True


def _make_room(path: Path) -> None:
    """Refuse a session that exists, also under an id that differs in case only: some file systems see no difference."""
    for stem in sorted({Path(name).stem for name in _names(path.parent)}):
        if stem == path.stem:
            raise SessionExists(f"session {path.stem!r} exists already in {path.parent}")
        if stem.lower() == path.stem.lower():
            raise SessionExists(f"session {path.stem!r} differs from the existing {stem!r} in case only")


def _create_files(path: Path, folder: int, rows: Sequence[Row], secret: bytes | None) -> None:
    """Make a session's database appear, whole or not at all, its secret before it."""
    fresh = path.with_name(f".{path.name}.new")
    hidden = path.with_suffix(PRIVATE)
    with ExitStack() as undo:
        undo.callback(hidden.unlink, missing_ok=True)
        keep_secret(hidden, folder, secret)
        path.with_suffix(CACHE).unlink(missing_ok=True)
        for side in ("-wal", "-shm", "-journal"):  # of a database that somebody deleted: not of this one
            path.with_name(path.name + side).unlink(missing_ok=True)
            fresh.with_name(fresh.name + side).unlink(missing_ok=True)
        undo.callback(fresh.unlink, missing_ok=True)
        fd = open_fresh(fresh, 0o666)
        try:
            write_database(fresh, rows)
            os.fsync(fd)
        finally:
            os.close(fd)  # before anybody else can open it: closing gives up every lock of this process
        os.link(fresh, path)  # unlike a rename, this never takes the place of another file
        undo.callback(path.unlink, missing_ok=True)
        fresh.unlink()
        os.fsync(folder)
        undo.pop_all()
