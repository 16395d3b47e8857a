"""A host that rewrites its own log: events changed, then every seal and digest made good again.

Knows the format from sessions/FORMAT.md, not from the ledger, so that a mistake of the one is not repeated here.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Any

_REFERS = {"rewind": "to", "reveal": "version", "roll": "reused"}
"""Kind -> the field that names the version of another event."""


def reseal(lines: Sequence[bytes], change: Callable[[int, dict[str, Any]], None]) -> list[bytes]:
    """Lines, header first, with every event gone through `change(version, event)`, which edits it in place."""
    header, *rest = lines
    found, previous, version = [header], sha256(header).hexdigest(), 0
    for line in rest:
        commit = json.loads(line)
        for event in commit["events"]:
            version += 1
            change(version, event)
        commit["envelope"]["seals"] = [sha256(_bytes(event)).hexdigest() for event in commit["events"]]
        commit["envelope"]["previous"] = previous
        commit["digest"] = previous = sha256(_bytes(commit["envelope"])).hexdigest()
        found.append(_bytes(commit))
    return found


@dataclass(eq=False)
class Piece:
    """An event with its kept part, and the version at which it was recorded (0: it is new). Bytes are made when they are wanted."""

    event: dict[str, Any]
    part: dict[str, Any] | None = None
    version: int = 0
    _data: tuple[bytes, bytes] = field(default=(b"", b""), repr=False)

    @property
    def data(self) -> tuple[bytes, bytes]:
        """The event's bytes and those of its part (b"" for none)."""
        if not self._data[0]:
            part = b"" if self.part is None else _bytes(self.part)
            if part:
                self.event["kept"] = sha256(part).hexdigest()
            self._data = (_bytes(self.event), part)
        return self._data

    @property
    def kind(self) -> str:
        """The kind of event, also of one that is kept as a whole."""
        name = self.inner["kind"]
        assert isinstance(name, str)
        return name

    @property
    def inner(self) -> dict[str, Any]:
        """The event, the kept one where it is kept as a whole."""
        kept: dict[str, Any] | None = None if self.part is None else self.part.get("event")
        return self.event if kept is None else kept

    def again(self) -> Piece:
        """A piece like this one that may be changed."""
        return Piece(copy.deepcopy(self.event), copy.deepcopy(self.part), self.version)


@dataclass(eq=False)
class Loose:
    """A commit taken apart. `part` is that of its sender, where that is kept; `line` its bytes while nothing is changed."""

    envelope: dict[str, Any]
    pieces: tuple[Piece, ...]
    part: dict[str, Any] | None = None
    line: bytes = field(default=b"", repr=False)

    @property
    def sender(self) -> dict[str, Any]:
        """Who sent it, open or kept."""
        found: dict[str, Any] = self.envelope["sender"] if self.part is None else self.part["sender"]
        return found

    def again(self) -> Loose:
        """A commit like this one whose envelope and sender may be changed; its pieces are the same."""
        return Loose(copy.deepcopy(self.envelope), self.pieces, copy.deepcopy(self.part))

    def of(self, *pieces: Piece) -> Loose:
        """This commit with other pieces."""
        return replace(self, pieces=pieces, line=b"")


def take_apart(lines: Sequence[bytes]) -> list[Loose]:
    """The commits of a log, every kept part with its owner."""
    found, version = [], 0
    for line in lines[1:]:
        raw = json.loads(line)
        parts = {sha256(_bytes(part)).hexdigest(): part for part in raw["kept"]}
        pieces = []
        for event in raw["events"]:
            version += 1
            pieces.append(Piece(event, parts.get(event.get("kept")), version))
        envelope = raw["envelope"]
        found.append(Loose(envelope, tuple(pieces), parts.get(envelope.get("kept")), line))
    return found


def put_together(header: bytes, commits: Sequence[Loose]) -> Iterator[bytes]:
    """Lines again: parts hashed, versions counted, events sealed, commits chained.

    What names a version of an event that moved follows it, and a part that is opened later is opened as it is now.
    """
    moved, parts = {0: 0}, {}
    for version, piece in enumerate((piece for commit in commits for piece in commit.pieces), 1):
        moved.setdefault(piece.version, version)
        parts[version] = piece.data[1]
    previous, first = sha256(header).hexdigest(), 1
    yield header
    for commit in commits:
        line = commit.line
        if not line or (commit.envelope["first"], commit.envelope["previous"]) != (first, previous):
            line = _sealed(commit, first, previous, moved, parts)
        yield line
        previous = line[11:75].decode()
        first += len(commit.pieces)


def _sealed(commit: Loose, first: int, previous: str, moved: dict[int, int], parts: dict[int, bytes]) -> bytes:
    """A commit's line."""
    data = [_followed(piece, moved, parts).data for piece in commit.pieces]
    envelope = {**commit.envelope, "first": first, "previous": previous}
    envelope["seals"] = [sha256(event).hexdigest() for event, _ in data]
    kept = [part for _, part in data if part]
    if commit.part is not None:
        part = _bytes({**commit.part, "sender": _seen(commit.part["sender"], moved)})
        kept.insert(0, part)
        envelope["kept"] = sha256(part).hexdigest()
    elif envelope["sender"]:
        envelope["sender"] = _seen(envelope["sender"], moved)
    told = _bytes(envelope)
    digest = sha256(told).hexdigest().encode()
    bodies = b",".join([event for event, _ in data])
    return b'{"digest":"%s","envelope":%s,"events":[%s],"kept":[%s]}' % (digest, told, bodies, b",".join(kept))


def _followed(piece: Piece, moved: dict[int, int], parts: dict[int, bytes]) -> Piece:
    name = _REFERS.get(piece.kind)
    if name is None or not piece.version:
        return piece
    to = moved.get(piece.inner[name], piece.inner[name])
    part = parts.get(to, b"").decode() if piece.kind == "reveal" else ""
    if to == piece.inner[name] and part in ("", piece.inner.get("part")):
        return piece
    changed = piece.again()
    changed.inner[name] = to
    if part:
        changed.inner["part"] = part
    return changed


def _seen(sender: dict[str, Any], moved: dict[int, int]) -> dict[str, Any]:
    return {**sender, "seen": moved.get(sender["seen"], sender["seen"])}


def _bytes(value: Any) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


__all__ = ["Loose", "Piece", "put_together", "reseal", "take_apart"]
