"""One session's SQLite database: how it is opened, what stands in it, and what its errors mean.

Every line of the ledger is a row, the header the first at version 0, byte for byte as it was written; the other columns
are taken from the line so that SQL can look for them. The columns of a secret command's sender are filled as well: a
database holds every kept part, so it is the host's own, and only an export is for others.

A database is in WAL mode with synchronous=FULL: a commit that anybody can see is on the disk, readers never wait for
writers, and `sqlite3` can read what is there. Nobody may open the file but through SQLite: whatever closes it otherwise
gives up the locks this process has on it.
"""

from __future__ import annotations

import os
import time
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

import apsw

from affray.kernel import AffrayError, Busy, Commit, Damaged, StoreError, UnknownKind, is_whole, sha256

from .heads import Head
from .lines import check_header, glance
from .writer import os_errors

OLDEST_RELEASE = (3, 51, 3)
"""The first SQLite in which resetting a write-ahead log cannot lose commits of another process."""

BUSY_SECONDS = 5.0
"""How long to wait for whoever else uses a database before Busy is raised."""

BATCH_BYTES = 1024 * 1024
"""How much of a ledger is read in one transaction, at least a line."""

SETTINGS = """
PRAGMA synchronous=FULL;
PRAGMA fullfsync=ON;
PRAGMA checkpoint_fullfsync=ON;
"""
"""What every connection sets. Anything less than FULL loses acknowledged commits when the power fails."""

APPLICATION = 0x41666679
"""Marks our databases for `file` and the like ("Affy")."""

LAYOUT = 1
"""Number of the tables' layout."""

TABLES = (
    "CREATE TABLE lines (last INTEGER PRIMARY KEY, first INTEGER NOT NULL, digest TEXT NOT NULL, caller TEXT, "
    "command TEXT, part INTEGER, command_digest TEXT, line BLOB NOT NULL) STRICT",
    "CREATE INDEX lines_by_command ON lines (caller, command) WHERE command IS NOT NULL",
)
"""`last` is the version of a line's last event and `first` that of its first; both are 0 for the header."""

COLUMNS = "last, first, digest, caller, command, part, command_digest, line"

NEWEST = 2**63 - 1

ANOTHER_TYPE = "a column has another type than its table"

_BUSY = (apsw.BusyError, apsw.LockedError, apsw.ProtocolError)
_DAMAGE = (apsw.CorruptError, apsw.NotADBError, apsw.FormatError, apsw.SQLError, apsw.MismatchError)
_IO_DAMAGE = (apsw.SQLITE_IOERR_CORRUPTFS, apsw.SQLITE_IOERR_DATA, apsw.SQLITE_IOERR_SHORT_READ)


def check_release(found: str) -> None:
    """Refuse a SQLite that may lose commits. Raises StoreError."""
    if tuple(int(part) for part in found.split(".")) < OLDEST_RELEASE:
        wanted = ".".join(str(part) for part in OLDEST_RELEASE)
        raise StoreError(f"SQLite {found} can lose commits of a write-ahead log; install apsw {wanted} or newer")


check_release(apsw.sqlite_lib_version())


class Row(NamedTuple):
    """A line as it is stored. The four columns before it are None where the sender is not known."""

    last: int
    first: int
    digest: str
    caller: str | None
    command: str | None
    part: int | None
    command_digest: str | None
    line: bytes

    @classmethod
    def of_header(cls, header: bytes) -> Row:
        """The first row."""
        return cls(0, 0, sha256(header), None, None, None, None, header)

    @classmethod
    def of(cls, commit: Commit) -> Row:
        """The row of a commit."""
        sender = commit.sender
        if sender is None:
            return cls(commit.last, commit.first, commit.digest, None, None, None, None, commit.line)
        keys = (sender.caller, sender.command, sender.part, sender.digest)
        return cls(commit.last, commit.first, commit.digest, *keys, commit.line)


class StoreErrors:
    """A context that turns what SQLite and the system raise into errors of a store, and names the database.

    `version` and `line` are the first that cannot be read, where the error turns out to be damage.
    """

    def __init__(self, doing: str, path: Path, version: int = 0, line: int = 0) -> None:
        self._doing, self._path, self._version, self._line = doing, path, version, line

    def __enter__(self) -> None:
        """Nothing to do."""

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        """Raise the error that is meant."""
        if error is None or not isinstance(error, apsw.Error | OSError | UnicodeDecodeError):
            return
        raise self._meant(error) from error

    def _meant(self, error: apsw.Error | OSError | UnicodeDecodeError) -> AffrayError:
        attempt = f"cannot {self._doing} {self._path}"
        if isinstance(error, OSError):
            return StoreError(f"{attempt}: {error.strerror or error}")
        if isinstance(error, UnicodeDecodeError):
            return self._damaged(f"a text is not UTF-8 ({error.reason})")
        if isinstance(error, _BUSY):
            others = f"others have kept it busy for {BUSY_SECONDS:g} seconds"
            return Busy(f"{attempt}: {others}; nothing was stored, try again")
        if isinstance(error, _DAMAGE) or extended(error) in _IO_DAMAGE:
            return self._damaged(f"SQLite finds it damaged ({error})")
        return StoreError(f"{attempt}: {error}")

    def _damaged(self, problem: str) -> Damaged:
        return Damaged(problem, version=self._version, line=self._line, where=str(self._path))


class Database:
    """A connection to a session's database. Not for several threads at once, and not across a fork."""

    def __init__(self, path: Path, *, writable: bool = False) -> None:
        self.path = path
        self._deadline = 0.0
        with self.errors("open", 1):
            self.connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)
            try:
                self._prepare()
                if not writable:
                    self.connection.execute("PRAGMA query_only=ON")
            except BaseException:
                self.connection.close()
                raise

    def _prepare(self) -> None:
        self.tidy_at_close(False)
        self.connection.set_busy_handler(self._wait)
        self.connection.execute(SETTINGS)
        if self.connection.pragma("application_id") != APPLICATION:
            raise self.damaged("it is not the database of a session", 1)
        if (layout := self.connection.pragma("user_version")) != LAYOUT:
            raise UnknownKind(f"layout {layout}; this release reads layout {LAYOUT}", version=1, where=str(self.path))
        found = self.connection.execute("SELECT sql FROM sqlite_schema ORDER BY rowid").fetchall()
        if found != [(sql,) for sql in TABLES] or self.connection.pragma("journal_mode") != "wal":
            raise self.damaged("its tables are not as they were made", 1)

    def tidy_at_close(self, wanted: bool) -> None:
        """Whether the last to close folds the log into the database. Not before it was verified: it may be evidence."""
        self.connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0 if wanted else 1)

    def close(self) -> None:
        """Give up the connection; a transaction that was not committed is undone, an empty log is taken away."""
        with suppress(OSError):
            if not os.stat(log_of(self.path)).st_size:
                self.tidy_at_close(True)
        self.connection.close()

    def _wait(self, tries: int) -> bool:
        if time.monotonic() >= self._deadline:
            return False
        time.sleep(0.001)
        return True

    def errors(self, doing: str, version: int = 0, line: int = 0) -> StoreErrors:
        """Wait for others from now on at most BUSY_SECONDS, and say what SQLite's errors mean (see `StoreErrors`)."""
        self._deadline = time.monotonic() + BUSY_SECONDS
        return StoreErrors(doing, self.path, version, line)

    def damaged(self, problem: str, version: int = 0, line: int = 0) -> Damaged:
        """Damage of this database."""
        return Damaged(problem, version=version, line=line, where=str(self.path))

    # -- what stands in it

    def header(self, session: str) -> bytes:
        """The header line of the session asked for. Raises NoSuchSession, Damaged."""
        with self.errors("read", 1, 1):
            row = next(self._some(-1, 0), None)
        if row is None:
            raise self.damaged("the header is missing", 1, 1)
        if row != Row.of_header(row.line):
            raise self.damaged("the header's row says something else than the header", 1, 1)
        check_header(row.line, session, str(self.path), self._newest_line)
        return row.line

    def _newest_line(self) -> bytes | None:
        version = self.newest()
        with self.errors("read"):
            row = next(self._some(version - 1, version), None)
        return None if row is None else row.line

    def newest(self) -> int:
        """The newest version there is now; more than any where that cannot be read and reading will find out why."""
        try:
            with self.errors("read"):
                last = self.connection.execute("SELECT max(last) FROM lines").get
        except Damaged:
            return NEWEST
        return last if isinstance(last, int) else NEWEST

    def rows(self, recorded: Head | None, upto: int = NEWEST, after: int = -1) -> Iterator[Row]:
        """Every row behind a version (-1: from the header on) and up to another, each checked as far as is possible without its events.

        `recorded` must have been read before the newest version was. Raises Damaged behind the last row that can be
        trusted, also where the head record knows of more, or of another, than stands here.
        """
        row, line = None, 0
        step = 1 if after < 0 else 0  # behind a version nobody knows the number of a line
        while True:
            with self.errors("read", max(after, 0) + 1, line + step):
                batch = self._batch(after, upto)
            if not batch:
                break
            for row in batch:
                line += step
                self._check_row(row, after, line)
                if recorded is not None and row.first <= recorded.version <= row.last and recorded != (row.last, row.digest):
                    problem = f"the head record has another digest at version {recorded.version}: this commit or one before"
                    raise self.damaged(f"{problem} it was replaced", max(row.first, 1), line)
                yield row
                after = row.last
        if row is None:
            raise self.damaged("the header is missing", 1, 1)
        seen = glance(row.line)
        if seen is not None and (group := seen.group) is not None and not is_whole(group):
            problem = f"the group {group.id!r} ends after {group.index} of {group.size}"
            raise self.damaged(problem, after + 1, line + step)
        if recorded is not None and recorded.version > after:
            raise self.damaged(self._cut_off(recorded, after), after + 1, line + step)

    def tail(self, recorded: Head | None, upto: int, version: int) -> Iterator[Row]:
        """The row that ends at a version, and those behind it; nothing where none ends there. Raises Damaged."""
        with self.errors("read"):
            row = next(self._some(version - 1, version), None)
        if row is not None:
            yield from self.rows(recorded, upto, row.first - 1)

    def head(self, recorded: Head | None) -> Head:
        """Where the ledger ends, compared with the head record. Raises Damaged."""
        version = self.newest()
        with self.errors("read"), self.snapshot():
            newest = next(self._some(version - 1, version), None)
            digest = None
            if recorded is not None:
                digest = self.connection.execute("SELECT digest FROM lines WHERE last = ?", (recorded.version,)).get
        if newest is None:
            raise self.damaged("its end cannot be read")
        self._check_row(newest, newest.first - 1, 0)
        if recorded is not None and recorded.version > newest.last:
            raise self.damaged(self._cut_off(recorded, newest.last), newest.last + 1)
        if recorded is not None and digest != recorded.digest:
            raise self.damaged(f"the head record has another digest at version {recorded.version}", recorded.version)
        return Head(newest.last, newest.digest)

    def check_pages(self) -> None:
        """Let SQLite look at every page and index. Raises Damaged."""
        with self.errors("check"):
            found = self.connection.execute("PRAGMA integrity_check(1)").get
        if found != "ok":
            raise self.damaged(f"SQLite finds it damaged ({found})")

    def sync_log(self) -> None:
        """Make what is seen durable: a process that was killed may have left a commit that is not on the disk."""
        with os_errors(f"flush {log_of(self.path)}"):
            try:
                fd = os.open(log_of(self.path), os.O_RDONLY)
            except FileNotFoundError:
                return
            try:
                if os.fstat(fd).st_size:
                    os.fsync(fd)
            finally:
                os.close(fd)

    @contextmanager
    def snapshot(self) -> Generator[None, None, None]:
        """One state of the database for several questions."""
        self.connection.execute("BEGIN")
        try:
            yield
        finally:
            if self.connection.in_transaction:
                self.connection.execute("ROLLBACK")

    def _cut_off(self, recorded: Head, last: int) -> str:
        return (
            f"the database ends at version {last}, its head record knows version {recorded.version}: the end was lost "
            f"(where an older copy was put back on purpose, delete {self.path.with_suffix('.head')})"
        )

    def _batch(self, after: int, upto: int) -> list[Row]:
        """Rows behind a version, until there are enough. An error behind the first is left for the next batch to meet."""
        found: list[Row] = []
        size = 0
        try:
            for row in self._some(after, upto):
                found.append(row)
                size += len(row.line)
                if size >= BATCH_BYTES:
                    break
        except (apsw.Error, UnicodeDecodeError):
            if not found:
                raise
        return found

    def _some(self, after: int, upto: int) -> Iterator[Row]:
        """Rows behind a version, in order."""
        sql = f"SELECT {COLUMNS} FROM lines WHERE last > ? AND last <= ? ORDER BY last"
        return (self.typed(values) for values in self.connection.execute(sql, (after, upto)))

    def typed(self, values: object) -> Row:
        """A row as SQLite gives it, its types checked. Raises CorruptError like SQLite itself."""
        match values:
            case (
                int() as last,
                int() as first,
                str() as digest,
                str() | None as caller,
                str() | None as command,
                int() | None as part,
                str() | None as command_digest,
                bytes() as line,
            ):
                return Row(last, first, digest, caller, command, part, command_digest, line)
        raise apsw.CorruptError(ANOTHER_TYPE)

    def _check_row(self, row: Row, after: int, count: int) -> None:
        version = max(after, 0) + 1
        if after < 0:
            if row != Row.of_header(row.line):
                raise self.damaged("the header is missing, or its row says something else", version, count)
        elif row.first != after + 1:
            problem = f"a row of versions from {row.first} does not follow version {after}: a commit is missing or moved"
            raise self.damaged(problem, version, count)
        elif (seen := glance(row.line)) is not None and seen[:3] != (row.first, row.last, row.digest):
            raise self.damaged("the row has other versions or another digest than its line", version, count)


def write_database(path: Path, rows: Iterable[Row]) -> None:
    """Fill an empty file that nobody else knows yet. Its bytes are the caller's to flush."""
    with StoreErrors("fill", path):
        connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)
        try:
            connection.execute("PRAGMA journal_mode=MEMORY; PRAGMA synchronous=OFF")
            with connection:
                connection.execute(f"PRAGMA application_id={APPLICATION}; PRAGMA user_version={LAYOUT}")
                for table in TABLES:
                    connection.execute(table)
                connection.executemany(f"INSERT INTO lines ({COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)", rows)
            connection.execute("PRAGMA journal_mode=WAL")
        finally:
            connection.close()


def extended(error: apsw.Error) -> int:
    """SQLite's extended result code, which apsw's types leave out; 0 where the error is apsw's own."""
    return int(getattr(error, "extendedresult", 0))


def log_of(path: Path) -> Path:
    """The write-ahead log of a database."""
    return path.with_name(f"{path.name}-wal")


__all__ = ["BUSY_SECONDS", "Database", "Row", "check_release", "extended", "log_of", "write_database"]
