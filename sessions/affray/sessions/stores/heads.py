"""Head records: beside each database of a store, how far its session was known to reach.

A digest chain cannot tell that its end is missing, and SQLite drops what it cannot read at the end of a write-ahead
log without a word. A record is one line in a file of its own, rewritten in place after the commit and not flushed: it
may lag behind the database, it never leads. So a database that ends before its record, or has another digest there,
has lost something. The records of a folder are its index, too: they tell every session's head without opening one, and
each is made anew from its database when it is missing.

Knows no SQL and no ledger; what a difference means is said by whoever compares.
"""

from __future__ import annotations

import fcntl
import os
import re
import time
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from affray.kernel import Damaged

HEAD = ".head"

LOCK_SECONDS = 0.05
"""How long a writer waits for another one's rewriting, which takes microseconds; then its own is left out."""

_LINE = re.compile(rb"affray-head 1 ([A-Za-z0-9_-]{1,64}) ([0-9]{15}):([0-9a-f]{64}) ([0-9a-f]{16})\n", re.ASCII)
_LINE_BYTES = 256


class Head(NamedTuple):
    """Where a session ends: its newest version and the digest there. What `verify --against` takes, as text."""

    version: int
    digest: str

    def __str__(self) -> str:
        return f"{self.version}:{self.digest}"


def read_head(path: Path, session: str) -> Head | None:
    """The head that a record tells; None where there is none, or none that can be read. Raises Damaged, OSError."""
    try:
        fd = os.open(path, os.O_RDONLY)
    except FileNotFoundError:
        return None
    try:
        found = _parsed(os.pread(fd, _LINE_BYTES, 0))
        if found is None and _locked(fd):  # perhaps it was being rewritten just then
            found = _parsed(os.pread(fd, _LINE_BYTES, 0))
    finally:
        os.close(fd)
    if found is None:
        return None
    name, head = found
    if name != session:
        raise Damaged(f"the head record is that of session {name!r}, not of {session!r}", where=str(path))
    return head


class HeadRecord:
    """A record that is kept open by whoever appends to its session. Not for several threads at once."""

    def __init__(self, path: Path, session: str) -> None:
        self._session = session
        self._told = b""
        self._fd = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)

    def write(self, head: Head) -> None:
        """Tell a head that is durable. One that is older than what stands there is left out. Raises OSError."""
        if not _locked(self._fd):
            return
        try:
            stands = os.pread(self._fd, _LINE_BYTES, 0)
            known = None if stands == self._told else _parsed(stands)
            if known is None or known[1].version < head.version:
                self._told = _written(self._session, head)
                os.pwrite(self._fd, self._told, 0)
        finally:
            fcntl.flock(self._fd, fcntl.LOCK_UN)

    def close(self) -> None:
        """Give up the file."""
        os.close(self._fd)


def _written(session: str, head: Head) -> bytes:
    """A line of one length for each session, within one sector, so that no half of it is ever on a disk."""
    text = b"affray-head 1 %s %015d:%s" % (session.encode(), head.version, head.digest.encode())
    return b"%s %s\n" % (text, _check(text))


def _parsed(line: bytes) -> tuple[str, Head] | None:
    match = _LINE.fullmatch(line)
    if match is None or _check(line[: match.start(4) - 1]) != match[4]:
        return None
    return match[1].decode(), Head(int(match[2]), match[3].decode())


def _check(text: bytes) -> bytes:
    return sha256(text).hexdigest()[:16].encode()


def _locked(fd: int) -> bool:
    """Keep other writers away, unless one of them takes its time."""
    deadline = time.monotonic() + LOCK_SECONDS
    while True:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= deadline:
                return False
            time.sleep(0.001)
        else:
            return True


__all__ = ["HEAD", "Head", "HeadRecord", "read_head"]
