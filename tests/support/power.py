"""A disk that forgets what was not flushed: records what SQLite does to its files, and tells what a failing power
supply would leave of it.

`RecordingVfs` passes everything on to the real file system and keeps a journal. `Disk` goes along that journal; at any
point `Disk.after_loss` gives one of the many sets of files that might be found then: of every file what was flushed,
and of what was written since nothing, everything, the beginning or any part, each write perhaps in some of its sectors
only. A new name is durable once its file was flushed (SQLite flushes the folder with it), a deletion perhaps.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import apsw

SECTOR = 512


class Op(NamedTuple):
    """What was done to a file (`create`, `write`, `truncate`, `sync`, `delete`), or `ack`: `at` commits acknowledged."""

    what: str
    name: str = ""
    at: int = 0
    data: bytes = b""


class RecordingVfs(apsw.VFS):
    """The real file system, made the default until `unregister`, with a journal of every file it opens."""

    def __init__(self, name: str = "recording") -> None:
        self.journal: list[Op] = []
        super().__init__(name, "", makedefault=True)

    def xOpen(self, name: str | apsw.URIFilename | None, flags: list[int]) -> apsw.VFSFile:
        path = name.filename() if isinstance(name, apsw.URIFilename) else str(name)
        is_new = not os.path.exists(path)
        file = _File(self, Path(path).name, name, flags)
        if is_new:
            self.journal.append(Op("create", Path(path).name))
        return file

    def xDelete(self, filename: str, syncdir: bool) -> None:
        super().xDelete(filename, syncdir)
        self.journal.append(Op("delete", Path(filename).name, int(syncdir)))


    def flushing(self, name: str) -> None:
        """A file is about to be flushed: for those who want to do something then, or to fail."""


class _File(apsw.VFSFile):
    def __init__(
        self, vfs: RecordingVfs, short: str, name: str | apsw.URIFilename | None, flags: list[int]
    ) -> None:
        self._vfs, self._journal, self._short = vfs, vfs.journal, short
        super().__init__("unix", name, flags)

    def xWrite(self, data: Any, offset: int) -> None:
        super().xWrite(data, offset)
        self._journal.append(Op("write", self._short, offset, bytes(data)))

    def xTruncate(self, newsize: int) -> None:
        super().xTruncate(newsize)
        self._journal.append(Op("truncate", self._short, newsize))

    def xSync(self, flags: int) -> None:
        self._vfs.flushing(self._short)
        super().xSync(flags)
        self._journal.append(Op("sync", self._short))


class _Inode:
    """A file: the bytes that were flushed, and what was done since."""

    def __init__(self, data: bytes = b"", *, is_named: bool = False) -> None:
        self.data = bytearray(data)
        self.is_named = is_named
        self.pending: list[Op] = []

    def flush(self) -> None:
        for op in self.pending:
            _apply(self.data, op)
        self.pending.clear()

    def left(self, chance: Random) -> bytes:
        data = bytearray(self.data)
        for op in _survivors(self.pending, chance):
            _apply(data, op)
        return bytes(data)


class Disk:
    """Files by name, as far as the journal was followed. `acknowledged` is the count of the last `ack`."""

    def __init__(self, files: dict[str, bytes]) -> None:
        self.acknowledged = 0
        self._now = {name: _Inode(data, is_named=True) for name, data in files.items()}
        self._durable = dict(self._now)
        self._entries: list[tuple[str, _Inode | None]] = []

    def do(self, op: Op) -> None:
        """Follow the journal by one step."""
        if op.what == "ack":
            self.acknowledged = op.at
        elif op.what == "create":
            self._now[op.name] = _Inode()
            self._entries.append((op.name, self._now[op.name]))
        elif op.what == "delete":
            del self._now[op.name]
            self._entries.append((op.name, None))
            if op.at:
                self._flush_entries()
        elif op.what == "sync":
            inode = self._now[op.name]
            inode.flush()
            if not inode.is_named:
                self._flush_entries()
        else:
            self._now[op.name].pending.append(op)

    def after_loss(self, chance: Random) -> dict[str, bytes]:
        """Files as they might be found if the power failed here."""
        names = dict(self._durable)
        for name, inode in self._entries[: chance.randint(0, len(self._entries))]:
            _name(names, name, inode)
        return {name: inode.left(chance) for name, inode in names.items()}

    def _flush_entries(self) -> None:
        for name, inode in self._entries:
            _name(self._durable, name, inode)
            if inode is not None:
                inode.is_named = True
        self._entries.clear()


def _name(names: dict[str, _Inode], name: str, inode: _Inode | None) -> None:
    if inode is None:
        names.pop(name, None)
    else:
        names[name] = inode


def _apply(data: bytearray, op: Op) -> None:
    if op.what == "truncate":
        if op.at < len(data):
            del data[op.at :]
        else:
            data.extend(bytes(op.at - len(data)))
        return
    if op.at > len(data):
        data.extend(bytes(op.at - len(data)))
    data[op.at : op.at + len(op.data)] = op.data


def _survivors(pending: Sequence[Op], chance: Random) -> list[Op]:
    """Those of the operations that reach the disk after all."""
    fate = chance.choice(("none", "all", "some", "beginning"))
    if fate == "none":
        return []
    if fate == "all":
        return list(pending)
    if fate == "beginning":
        kept = list(pending[: chance.randint(0, len(pending))])
        return [*kept[:-1], *_torn(kept[-1], chance)] if kept else []
    return [part for op in pending if chance.random() < 0.5 for part in _torn(op, chance)]


def _torn(op: Op, chance: Random) -> list[Op]:
    """A write, whole or in some of its sectors."""
    if op.what != "write" or chance.random() < 0.5:
        return [op]
    parts, at, end = [], op.at, op.at + len(op.data)
    while at < end:
        upto = min(end, at - at % SECTOR + SECTOR)
        parts.append(op._replace(at=at, data=op.data[at - op.at : upto - op.at]))
        at = upto
    return [part for part in parts if chance.random() < 0.5]
