"""Lines of a ledger file: forwards, and from its end.

Only whole commits count: what stands behind the last line end was torn off while it was written, and a group whose
last commits are missing was never finished. Both are found from the end, in the last lines only. Whether the lines
are good is not asked here; that is for the chain.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

import msgspec

from affray.kernel import Damaged, Group, NoSuchSession, is_whole, limits, read_header

_BLOCK = 64 * 1024


class _Envelope(msgspec.Struct):
    group: Group | None


class _Line(msgspec.Struct):
    envelope: _Envelope


_peek = msgspec.json.Decoder(_Line).decode


def never_began(file: BinaryIO) -> bool:
    """Tell whether the file ends within its first line: then nothing was ever committed to it."""
    file.seek(0)
    line = file.readline(limits.LINE_BYTES + 1)
    return not line.endswith(b"\n") and len(line) <= limits.LINE_BYTES


def check_header(line: bytes, session: str, where: str) -> None:
    """Check that a header names the session asked for. Raises NoSuchSession, Damaged."""
    found = read_header(line, where).session
    if found == session:
        return
    if found.lower() == session.lower():  # a file system to which case does not matter
        raise NoSuchSession(f"no session {session!r}, only {found!r}")
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
    return group_of(file.read(min(end - start, limits.LINE_BYTES + 1)))


def group_of(line: bytes) -> Group | None:
    """The group of the commit in a line; None for a header, and for what the chain will refuse."""
    try:
        return _peek(line).envelope.group
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return None
