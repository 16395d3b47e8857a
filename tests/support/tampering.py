"""Every way to change one value of a log, or to drop, double, swap, join and part its events and commits.

Whatever is changed is sealed again, so that bytes, seals and digests are good (`reseal.py`).
"""

from __future__ import annotations

import copy
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from affray.kernel import Auditor, Damaged, RuleSet
from affray.kernel.values import Manifest

from .reseal import Loose, Piece, put_together, take_apart

Book = Callable[[Manifest], RuleSet]

FREE = frozenset({"sheet", "params", "options", "fields"})
"""Free JSON: what is below has no names of its own here."""

DIGEST = 64


class Tampered(NamedTuple):
    """A log that was tampered with: what was changed, where first, and how."""

    what: str
    version: int
    how: str
    commits: list[Loose]
    at: int

    def lines(self, header: bytes) -> Iterator[bytes]:
        return put_together(header, self.commits)


def verdict(header: bytes, tampered: Tampered, book: Book) -> str:
    """Who finds it first: the `chain`, `verify`, the `audit`; "" for nobody. What comes behind is not looked at."""
    stream = tampered.lines(header)
    auditor = Auditor(book, next(stream))
    try:
        for index, line in enumerate(stream):
            auditor.take(line)
            if index >= tampered.at and not (found := auditor.report()).is_clean:
                return "verify" if found.findings else "audit"
    except Damaged:
        return "chain"
    return ""


# -- one value


def values(lines: Sequence[bytes], most: int = 1) -> Iterator[Tampered]:
    """One value of an event changed, open or kept, for so many events of every kind and field."""
    commits = take_apart(lines)
    yield from _values(commits, most, "", lambda piece: None if piece.event["kind"] == "sealed" else piece.event)
    yield from _values(commits, most, "kept ", lambda piece: (piece.part or {}).get("fields"))
    yield from _values(commits, most, "kept ", lambda piece: (piece.part or {}).get("event"))


def _values(
    commits: list[Loose], most: int, prefix: str, of: Callable[[Piece], dict[str, Any] | None]
) -> Iterator[Tampered]:
    found: dict[str, list[tuple[int, int, tuple[Any, ...], Any]]] = defaultdict(list)
    for at, commit in enumerate(commits):
        for index, piece in enumerate(commit.pieces):
            for path, value in _leaves(of(piece) or {}):
                found[f"{prefix}{piece.kind}.{_named(path)}"].append((at, index, path, value))
    for what, places in found.items():
        seen = [value for _, _, _, value in places]
        for at, index, path, value in places[:most]:
            for other in _others(value, seen):
                pieces = list(commits[at].pieces)
                piece = pieces[index] = pieces[index].again()
                if piece.kind == "reveal":
                    piece.version = 0  # so that its part does not follow the event it is of
                inner = of(piece)
                assert inner is not None
                _put(inner, path, other)
                changed = [*commits[:at], commits[at].of(*pieces), *commits[at + 1 :]]
                yield Tampered(what, commits[at].pieces[index].version, f"{value!r} -> {other!r}", changed, at)


def _leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    if path and path[0] not in ("kind", "kept"):
        yield path, value
    below = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, inner in below:
        yield from _leaves(inner, (*path, name))


def _named(path: tuple[Any, ...]) -> str:
    """A path without numbers, and without the names that are not the format's: pools, dice of controllers, free JSON."""
    names: list[str] = []
    for name in path:
        is_free = bool(names) and names[-1] in FREE
        names.append("*" if isinstance(name, int) or (names and names[-1] in ("pools", "dice")) else name)
        if is_free:
            return ".".join([*names[:-1], "**"])
    return ".".join(names)


def _others(value: Any, seen: list[Any]) -> list[Any]:
    """Other values that could stand there: the next one, and one that stands in the same place elsewhere."""
    found: list[Any] = []
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, int):
        found.append(value + 1)
    elif isinstance(value, str):
        is_digest = len(value) == DIGEST and set(value) <= set("0123456789abcdef")
        found.append(("1" if value[0] == "0" else "0") + value[1:] if is_digest else f"{value}x")
    elif isinstance(value, list):
        found += [value[:-1], [*value, value[-1]]] if value else [["x"]]
    elif isinstance(value, dict):
        found.append(dict(list(value.items())[1:]) if value else {"x": 1})
    others = [other for other in seen if other not in (value, *found) and not isinstance(other, bool)]
    return [*found, *others[:1]]


def _put(value: Any, path: tuple[Any, ...], new: Any) -> None:
    for name in path[:-1]:
        value = value[name]
    value[path[-1]] = copy.deepcopy(new)


SENDER: dict[str, tuple[Any, ...]] = {
    "caller": ("gm", "ann", "bob"),
    "command": ("never-used",),
    "digest": ("0" * DIGEST,),
    "on_behalf": ("x",),
    "part": (0, 1, 2),
    "seen": (-1, 0),
    "time": ("x",),
}
"""Other values of a sender's fields."""


def envelopes(lines: Sequence[bytes], most: int = 1) -> Iterator[Tampered]:
    """What stands around the events of so many commits that begin with a kind, changed."""
    commits = take_apart(lines)
    kinds: Counter[str] = Counter()
    for at, commit in enumerate(commits):
        first = commit.pieces[0]
        kinds[first.kind] += 1
        if kinds[first.kind] <= most:
            for changes in (_senders, _whole_envelopes, _parts):
                for what, how, changed in changes(commit):
                    yield Tampered(what, first.version, f"{first.kind}: {how}", [*commits[:at], changed, *commits[at + 1 :]], at)


Around = Iterator[tuple[str, Any, Loose]]


def _senders(commit: Loose) -> Around:
    """Another sender in one respect."""
    for name, others in SENDER.items():
        for other in others:
            if commit.sender[name] != other:
                changed = commit.again()
                changed.sender[name] = other
                yield f"sender.{name}" + (f" of {commit.pieces[0].kind}" if name in ("caller", "part") else ""), other, changed


def _whole_envelopes(commit: Loose) -> Around:
    """A sender that is kept or open where it was not, another nonce, a group of its own."""
    changed = commit.again()
    if changed.part is None:
        changed.part = {"audience": ["gm"], "salt": "0" * 32, "sender": changed.envelope["sender"]}
        changed.envelope["sender"] = None
    else:
        changed.envelope["sender"], changed.part = changed.part["sender"], None
        del changed.envelope["kept"]
    yield "sender", "kept" if changed.part else "open", changed
    changed = commit.again()
    changed.envelope["nonce"] = "" if commit.envelope["nonce"] else "never-used"
    yield "nonce", changed.envelope["nonce"], changed
    changed = commit.again()
    changed.envelope["group"] = {"id": "g", "index": 1, "size": 1}
    yield "group", "alone", changed


def _parts(commit: Loose) -> Around:
    """Another salt and another audience of what is kept."""
    if commit.part is not None:
        for name, other in (("salt", "0" * 32), ("audience", ["bob", "gm"])):
            changed = commit.again()
            assert changed.part is not None
            changed.part[name] = other
            yield f"sender part.{name}", other, changed
    for index, piece in enumerate(commit.pieces):
        for name in ("salt", "audience") if piece.part is not None else ():
            pieces = list(commit.pieces)
            twin = pieces[index] = piece.again()
            assert twin.part is not None
            twin.part[name] = "0" * 32 if name == "salt" else sorted({*twin.part[name], "bob"})
            if twin.part != piece.part:
                yield f"part.{name}", twin.part[name], commit.of(*pieces)


# -- whole events and commits


def events(lines: Sequence[bytes], most: int = 6) -> Iterator[Tampered]:
    """An event dropped, doubled, or swapped with the next one of its commit: so many of a kind."""
    commits = take_apart(lines)
    kinds: Counter[str] = Counter()
    for at, commit in enumerate(commits):
        for index, piece in enumerate(commit.pieces):
            before, behind = commit.pieces[:index], commit.pieces[index + 1 :]
            changes = {"double": (*before, piece, Piece(piece.event, piece.part), *behind)}
            if before or behind:
                changes["drop"] = (*before, *behind)
            if behind:
                changes["swap"] = (*before, behind[0], piece, *behind[1:])
            for what, pieces in changes.items():
                name = f"{what} {piece.kind}"
                kinds[name] += 1
                if kinds[name] <= most:
                    yield Tampered(name, piece.version, "event", [*commits[:at], commit.of(*pieces), *commits[at + 1 :]], at)


def whole_commits(lines: Sequence[bytes]) -> Iterator[Tampered]:
    """A commit dropped, doubled (as it is, and under another command), swapped or joined with the next; some parted in two."""
    commits = take_apart(lines)
    kinds: Counter[str] = Counter()
    for at, commit in enumerate(commits):
        kind = commit.pieces[0].kind
        kinds[kind] += 1
        before, behind = commits[:at], commits[at + 1 :]
        twin = commit.of(*[Piece(piece.event, piece.part) for piece in commit.pieces])
        other = twin.again()
        other.sender["command"] += "-again"
        changes = {
            f"drop {kind}": [*before, *behind],
            f"double {kind}": [*before, commit, twin, *behind],
            f"repeat {kind}": [*before, commit, other, *behind],
        }
        if behind:
            following = behind[0]
            changes[f"swap {kind}, {following.pieces[0].kind}"] = [*before, following.again(), commit.again(), *behind[1:]]
            changes[f"join {kind}, {following.pieces[0].kind}"] = [*before, commit.of(*commit.pieces, *following.pieces), *behind[1:]]
        for cut in sorted({1, len(commit.pieces) // 2} - {0, len(commit.pieces)}):
            for parts in ((0, 0), (1, 2)) if kinds[kind] <= 4 else ():
                first, second = commit.of(*commit.pieces[:cut]).again(), commit.of(*commit.pieces[cut:]).again()
                first.sender["part"], second.sender["part"] = parts
                second.sender["command"] += "" if parts[1] else "-again"
                changes[f"part {kind} before {commit.pieces[cut].kind} {parts}"] = [*before, first, second, *behind]
        for what, changed in changes.items():
            yield Tampered(what, commit.pieces[0].version, "commit", changed, max(at - 1, 0))


__all__ = ["Book", "Tampered", "envelopes", "events", "values", "verdict", "whole_commits"]
