"""A session's database, held open and verified for appending.

Others may append to it too, so every append asks the database where the session stands, inside a transaction that has
the write lock from its beginning: nothing that is kept in memory decides. What an append acknowledged is on the disk.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path

import apsw

from affray.kernel import Chain, Commit, Sender, StoreError, VersionConflict

from .heads import Head, HeadRecord
from .index import Place, SessionIndex, line_problem
from .lines import glance
from .sqlite_database import ANOTHER_TYPE, COLUMNS, Database, Row, extended, log_of
from .writer import os_errors

_HEAD = "SELECT last, digest FROM lines ORDER BY last DESC LIMIT 1"
_USES = "SELECT part, command_digest, last FROM lines WHERE caller = ? AND command = ? ORDER BY last"
_BEFORE = f"SELECT {COLUMNS} FROM lines WHERE last <= ? ORDER BY last DESC LIMIT ?"
_BEHIND = f"SELECT {COLUMNS} FROM lines WHERE last > ? ORDER BY last LIMIT ?"
_INSERT = f"INSERT INTO lines ({COLUMNS}) SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8 WHERE ({_HEAD}) = (?9, ?10)"
"""A line goes in where the ledger ends, with the digest that it names, and nowhere else."""

_INSERT_NEW = f"{_INSERT} AND NOT EXISTS (SELECT 1 FROM lines WHERE caller = ?4 AND command = ?5)"
"""The same for a command whose id its caller has not used."""


class SqliteWriter:
    """Appends to one database. Not for several threads at once: the store has a lock for each session."""

    def __init__(
        self, database: Database, header: bytes, session: str, record: HeadRecord, on_note: Callable[[str], None]
    ) -> None:
        self._database = database
        self._connection = database.connection
        self._header = header
        self._session = session
        self._record = record
        self._on_note = on_note
        self._names = (str(database.path), str(log_of(database.path)))
        self._files = self._standing()
        self._doubt = ""

    def append(self, commits: Sequence[Commit], expected_version: int) -> tuple[Commit, ...]:
        """Append one unit, or answer a repeat with what is stored (see `Store.append`)."""
        if self._doubt:
            raise StoreError(f"{self._database.path} must be closed and opened again: {self._doubt}")
        with self._database.errors("append to"):
            try:
                # A transaction that reads first is refused, whatever it would wait, when it writes after somebody else.
                self._connection.execute("BEGIN IMMEDIATE")
                self._check_files()
                if not self._goes_in(commits, expected_version):
                    index = self._index(commits)
                    place = index.earlier(commits)
                    if place is not None:
                        stored = self._unit(place.end)
                        self._connection.execute("ROLLBACK")
                        return stored
                    index.check(commits, expected_version)
                    self._insert(commits, index.version)
                self._commit()
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise
        self.tell(Head(commits[-1].last, commits[-1].digest))
        return tuple(commits)

    def _goes_in(self, commits: Sequence[Commit], expected_version: int) -> bool:
        """Insert what is neither a group, a repeat nor a conflict, as nearly everything; False: it was not inserted."""
        if len(commits) != 1:
            return False
        commit = commits[0]
        envelope = commit.envelope
        if envelope.group is not None or envelope.first != expected_version + 1 or line_problem(commit, self._session):
            return False
        self._connection.execute(_INSERT_NEW, (*Row.of(commit), expected_version, envelope.previous))
        return self._connection.changes() == 1

    def tell(self, head: Head) -> None:
        """Bring the head record up to a head. What is stored is stored, so a failure is only noted."""
        try:
            self._record.write(head)
        except OSError as error:
            self._on_note(f"{self._database.path}: its head record stays behind ({error.strerror or error})")

    def close(self) -> None:
        """Give up the database and the head record."""
        try:
            with self._database.errors("close"):
                self._database.close()
        finally:
            self._record.close()

    def _index(self, commits: Sequence[Commit]) -> SessionIndex:
        """Where the session stands now, and what is stored under the command ids of these commits."""
        index = SessionIndex(self._header, self._session, str(self._database.path))
        for head in self._connection.execute(_HEAD):
            match head:
                case (int() as last, str() as digest):
                    index.version, index.digest = last, digest
                case _:
                    raise apsw.CorruptError(ANOTHER_TYPE)
        for commit in commits:
            if (sender := commit.sender) is not None:
                self._note_uses(index, sender)
        return index

    def _note_uses(self, index: SessionIndex, sender: Sender) -> None:
        for use in self._connection.execute(_USES, (sender.caller, sender.command)):
            match use:
                case (int() as part, str() as digest, int() as last):
                    index.know(sender.caller, sender.command, part, digest, Place(0, "", 0, 0, last))
                case _:
                    raise apsw.CorruptError(ANOTHER_TYPE)

    def _insert(self, commits: Sequence[Commit], current: int) -> None:
        for commit in commits:
            self._connection.execute(_INSERT, (*Row.of(commit), commit.first - 1, commit.envelope.previous))
            if self._connection.changes() != 1:
                raise VersionConflict(commit.envelope.session, commit.first - 1, current)

    def _commit(self) -> None:
        try:
            self._connection.execute("COMMIT")
        except (apsw.FullError, apsw.BusyError):
            raise
        except apsw.Error as error:
            if extended(error) != apsw.SQLITE_IOERR_WRITE:
                self._forget_log()
            raise

    def _forget_log(self) -> None:
        """Undo a commit that may stand whole in the log although it failed: whoever reads the log later would believe it."""
        try:
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
            self._connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
        except apsw.Error as error:
            self._doubt = f"nobody knows whether the last append reached the disk ({error})"

    def _unit(self, last: int) -> tuple[Commit, ...]:
        """The commits that were stored together with the one whose last version is given, read through the chain."""
        typed = self._database.typed
        row = next(map(typed, self._connection.execute(_BEFORE, (last, 1))), None)
        seen = glance(row.line) if row is not None else None
        group = seen.group if seen is not None else None
        index, size = (group.index, group.size) if group is not None else (1, 1)
        found = [typed(values) for values in self._connection.execute(_BEFORE, (last, index + 1))]
        if len(found) < 2:
            raise apsw.CorruptError("an index knows of a row that is not there")
        before, *rows = reversed(found)
        rows += [typed(values) for values in self._connection.execute(_BEHIND, (last, size - index))]
        chain = Chain(self._header, where=str(self._database.path))
        chain.version, chain.digest = before.last, before.digest
        if (seen := glance(rows[0].line)) is not None:
            chain.session = seen.session  # an origin's, in what a fork began with
        chain.line = -1  # not counted, and so not named where the chain finds damage
        return tuple([chain.accept(row.line) for row in rows])

    def _standing(self) -> list[tuple[int, int]]:
        """Which files the names of the database and its log mean."""
        found = [os.stat(name) for name in self._names]
        return [(stat.st_dev, stat.st_ino) for stat in found]

    def _check_files(self) -> None:
        """Make sure that what is appended goes into files that others can find."""
        try:
            if self._standing() == self._files:
                return
        except FileNotFoundError:
            pass
        self._doubt = "it or its log was deleted or replaced"
        raise StoreError(f"{self._database.path} must be closed and opened again: {self._doubt}")


def open_writer(path: Path, head_path: Path, session: str, recorded: Head | None, on_note: Callable[[str], None]) -> SqliteWriter:
    """Open a database, verify all of it, and bring its head record forward.

    Raises NoSuchSession, Busy, StoreError, and Damaged; then nothing was changed.
    """
    database = Database(path, writable=True)
    try:
        header = database.header(session)
        chain = Chain(header, where=str(path))
        for row in database.rows(recorded):
            if row.last and row != Row.of(chain.accept(row.line)):
                raise database.damaged("the commit's row says something else than its line", row.first, chain.line)
        database.check_pages()
        database.sync_log()
        with os_errors(f"open {head_path}"):
            record = HeadRecord(head_path, session)
        try:
            with os_errors(f"open {path}"):
                writer = SqliteWriter(database, header, session, record, on_note)
        except BaseException:
            record.close()
            raise
    except BaseException:
        database.close()
        raise
    database.tidy_at_close(True)
    writer.tell(Head(chain.version, chain.digest))
    return writer


__all__ = ["SqliteWriter", "open_writer"]
