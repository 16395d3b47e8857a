"""A session's file, held open and locked for appending.

What an append acknowledged is on the disk; what it did not acknowledge is taken back at once, or is dropped by whoever
opens the file next. A file whose state is in doubt is not written to again by the writer that is in doubt.
"""

from __future__ import annotations

import errno
import fcntl
import os
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import BinaryIO

from affray.kernel import Busy, Chain, Commit, Damaged, NoSuchSession, StoreError, continues, is_whole

from .index import Place, SessionIndex
from .lines import check_header, end_of_lines, lines_to, never_began, newest_of


@contextmanager
def os_errors(doing: str) -> Generator[None, None, None]:
    """Turn errors of the operating system into a StoreError that says what could not be done."""
    try:
        yield
    except OSError as error:
        raise StoreError(f"cannot {doing}: {error.strerror or error}") from error


def lock(fd: int, path: Path) -> None:
    """Become the only writer of a file until it is closed. Raises Busy at once when there is one."""
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise Busy(f"{path} is held by another writer; it is free when that one closes it") from None


def write_all(fd: int, data: bytes) -> None:
    """Write every byte, in as many turns as the system wants."""
    view = memoryview(data)
    while view:
        written = os.write(fd, view)
        if not written:
            raise OSError(errno.EIO, "the system took no more bytes")
        view = view[written:]


class Writer:
    """Appends to one file. `length` is the offset behind the last commit that was acknowledged.

    Not for several threads at once: the store has a lock for each session.
    """

    def __init__(self, fd: int, path: Path, index: SessionIndex, length: int) -> None:
        self.length = length
        self._fd = fd
        self._path = path
        self._index = index
        self._doubt = ""

    def append(self, commits: Sequence[Commit], expected_version: int) -> tuple[Commit, ...]:
        """Append one unit, or answer a repeat with what is stored (see `Store.append`)."""
        with os_errors(f"append to {self._path}"):
            self._refuse_doubt()
            place = self._index.earlier(commits)
            if place is not None:
                return self._index.commits_at(place, self._stored(place))
            self._index.check(commits, expected_version)
            data = b"".join([commit.line + b"\n" for commit in commits])
            self._check_file()
            self._write(data)
            self._index.add(commits, self.length, self.length + len(data))
            self.length += len(data)
            return tuple(commits)

    def close(self) -> None:
        """Give up the lock and the file."""
        os.close(self._fd)

    def _stored(self, place: Place) -> list[bytes]:
        return os.pread(self._fd, place.end - place.start, place.start).split(b"\n")[:-1]

    def _refuse_doubt(self) -> None:
        if self._doubt:
            raise StoreError(f"{self._path} must be closed and opened again: {self._doubt}")

    def _check_file(self) -> None:
        """Make sure that what is appended follows what was verified, in a file that others can find."""
        now = os.fstat(self._fd)
        if now.st_size != self.length:
            self._doubt = f"it has {now.st_size} bytes instead of {self.length}, so somebody else wrote to it"
        elif not now.st_nlink:
            self._doubt = "it was deleted or replaced"
        self._refuse_doubt()

    def _write(self, data: bytes) -> None:
        try:
            write_all(self._fd, data)
        except BaseException:  # an interrupt, too, leaves no half line behind
            self._take_back()
            raise
        try:
            os.fsync(self._fd)
        except BaseException:
            # The system may have forgotten the bytes and would call the next attempt a success.
            self._doubt = "nobody knows whether the last append reached the disk"
            self._take_back()
            raise

    def _take_back(self) -> None:
        try:
            os.ftruncate(self._fd, self.length)
        except OSError as error:
            self._doubt = f"half an append could not be taken back ({error.strerror})"


def open_writer(path: Path, session: str, on_note: Callable[[str], None]) -> Writer:
    """Lock a file, verify all of it, and cut off what is no whole commit at its end.

    Raises NoSuchSession, Busy, StoreError, and Damaged for any other damage; then nothing was changed.
    """
    with os_errors(f"open {path} for writing"):
        try:
            fd = os.open(path, os.O_RDWR | os.O_APPEND)
        except FileNotFoundError:
            raise NoSuchSession(f"no session {session!r} in {path.parent}") from None
        try:
            lock(fd, path)
            with open(fd, "rb", closefd=False) as file:
                index, length = _verified(file, path, session)
            surplus = os.fstat(fd).st_size - length
            if surplus:
                os.ftruncate(fd, length)
            os.fsync(fd)  # a killed writer may have left whole lines unflushed, and repeats are answered from them
            if surplus:
                on_note(f"{path}: dropped {surplus} bytes behind version {index.version} that are no whole commit")
        except BaseException:
            os.close(fd)
            raise
    return Writer(fd, path, index, length)


def _verified(file: BinaryIO, path: Path, session: str) -> tuple[SessionIndex, int]:
    """Read a whole file through the chain; its index, and the offset behind its last whole commit or group."""
    if never_began(file):
        raise NoSuchSession(f"no session {session!r} in {path.parent}")
    end = end_of_lines(file)
    file.seek(0)
    lines = lines_to(file, end)
    header = next(lines)
    check_header(header, session, str(path), partial(newest_of, file, end))
    file.seek(len(header) + 1)
    chain = Chain(header, where=str(path))
    index = SessionIndex(header, session, str(path))
    unit: list[Commit] = []
    at = length = len(header) + 1
    for line in lines:
        commit = chain.accept(line)
        group = commit.envelope.group
        if not continues(unit[-1].envelope.group if unit else None, group):
            problem = f"the commit is out of place in its group: {group}"
            raise Damaged(problem, line=chain.line, version=commit.first, where=str(path))
        unit.append(commit)
        at += len(line) + 1
        if is_whole(group):
            index.add(unit, length, at)
            length = at
            unit.clear()
    return index, length
