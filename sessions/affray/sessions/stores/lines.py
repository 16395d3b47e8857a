"""Lines of a ledger file: forwards, and from its end.

Only whole commits count: what stands behind the last line end was torn off while it was written, and a group whose
last commits are missing was never finished. Both are found from the end, in the last lines only. Whether the lines
are good is not asked here; that is for the chain.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import BinaryIO, NamedTuple

import msgspec

from affray.kernel import Damaged, Group, NoSuchSession, is_whole, limits, read_header

_BLOCK = 8 * 1024
"""What is read at once from the end: a commit or two."""


class _Envelope(msgspec.Struct):
    session: str
    first: int
    seals: tuple[str, ...]
    group: Group | None


class _Line(msgspec.Struct):
    digest: str
    envelope: _Envelope


_decode = msgspec.json.Decoder(_Line).decode


class Glance(NamedTuple):
    """What a line says of its commit, its events unread."""

    first: int
    last: int
    digest: str
    group: Group | None
    session: str


def glance(line: bytes) -> Glance | None:
    """Glance at a commit's line; None for a header, and for what the chain will refuse."""
    try:
        found = _decode(line)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return None
    envelope = found.envelope
    last = envelope.first + len(envelope.seals) - 1
    return Glance(envelope.first, last, found.digest, envelope.group, envelope.session)


def never_began(file: BinaryIO) -> bool:
    """Tell whether the file ends within its first line: then nothing was ever committed to it."""
    file.seek(0)
    line = file.readline(limits.LINE_BYTES + 1)
    return not line.endswith(b"\n") and len(line) <= limits.LINE_BYTES


def check_header(line: bytes, session: str, where: str, newest: Callable[[], bytes | None]) -> None:
    """Check that a ledger is of the session asked for: its header names it, or, of a fork, its newest line does.

    Raises NoSuchSession, Damaged.
    """
    found = read_header(line, where).session
    if found == session:
        return
    if found.lower() == session.lower():  # a file system to which case does not matter
        raise NoSuchSession(f"no session {session!r}, only {found!r}")
    if (seen := glance(newest() or b"")) is not None and seen.session == session:
        return
    raise Damaged(f"the file holds session {found!r}, not {session!r}", line=1, where=where)


def lines_to(file: BinaryIO, end: int) -> Iterator[bytes]:
    """The lines from here to the offset `end`, without line ends.

    A line beyond the bound is given as far as one byte too many and is the last: no chain accepts it.
    """
    at = file.tell()
    while at < end:
        line = file.readline(limits.LINE_BYTES + 1)
        if not line.endswith(b"\n"):
            yield line
            return
        at += len(line)
        yield line[:-1]


def tail_of(file: BinaryIO, end: int, version: int) -> list[bytes]:
    """The line of the commit that ends at a version, and those behind it up to the offset `end`; nothing where none ends there.

    Read from the end, so that it costs no more than what is found and one block.
    """
    found: list[bytes] = []
    for line in _lines_back(file, end):
        seen = glance(line)
        if seen is None or seen.last < version:
            break
        found.append(line)
        if seen.last == version:
            return found[::-1]
    return []


def newest_of(file: BinaryIO, end: int) -> bytes | None:
    """The last line before the offset `end`."""
    return next(_lines_back(file, end), None)


def _lines_back(file: BinaryIO, end: int) -> Iterator[bytes]:
    """The lines before the offset `end`, the last one first. It stops where one is beyond the bound."""
    rest, at = b"", end - 1
    while at >= 0 and len(rest) <= limits.LINE_BYTES:
        start = max(0, at - max(_BLOCK, len(rest)))
        file.seek(start)
        rest, *whole = (file.read(at - start) + rest).split(b"\n")
        yield from reversed(whole)
        at = start if start else -1
    if at < 0:
        yield rest


def end_of_lines(file: BinaryIO) -> int:
    """The offset behind the last whole line; the end of the file where the rest is too long to be a torn line."""
    size = file.seek(0, 2)
    end = _line_start(file, size)
    return end if size - end <= limits.LINE_BYTES else size


def end_of_commits(file: BinaryIO, where: str) -> int:
    """The offset behind the last commit that counts. Raises Damaged for the end of a group without its beginning."""
    end = end_of_lines(file)
    start = _line_start(file, end - 1)
    group = _group(file, start, end)
    if group is None or is_whole(group):
        return end
    while group.index > 1:
        start_before = _line_start(file, start - 1)
        before = Group(id=group.id, index=group.index - 1, size=group.size)
        if _group(file, start_before, start) != before:
            raise Damaged(f"the commits before index {group.index} of group {group.id!r} are missing", where=where)
        start, group = start_before, before
    return start


def _line_start(file: BinaryIO, end: int) -> int:
    """The offset where the line that ends before `end` starts: behind the line end before it."""
    while end > 0:
        start = max(0, end - _BLOCK)
        file.seek(start)
        found = file.read(end - start).rfind(b"\n")
        if found >= 0:
            return start + found + 1
        end = start
    return 0


def _group(file: BinaryIO, start: int, end: int) -> Group | None:
    file.seek(start)
    return _group_of(file.read(min(end - start, limits.LINE_BYTES + 1)))


def _group_of(line: bytes) -> Group | None:
    seen = glance(line)
    return None if seen is None else seen.group
