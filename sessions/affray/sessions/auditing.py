"""Auditing sessions: their lines carried out again with the rules that are installed, and told as one reader may know it.

Everything is checked with every kept part there is. What is found is named to everybody, its details to those who may
read the events it is about. Opens what it is given, and nothing else: no lock, no secret.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Raw

from affray.kernel import GM, Audit, Damaged, Divergence, Finding, Json, audit, may_read, sha256

from .deciding import Rulebooks
from .stores import Store
from .stores.lines import lines_to

KEPT = "what is wrong there is kept from this reader"

Again = Callable[[int], Iterable[bytes]]
"""Gives a log's lines again, without its header and without so many commits."""


def audit_ledger(
    lines: Iterable[bytes], books: Rulebooks, *, again: Again | None = None, where: str = "", reader: str = GM
) -> Audit:
    """Audit lines, header first, and tell it as a reader may know it.

    With `again` little is remembered of a long log. Damage, rules that are missing and rules that fail are told in the
    audit; what the lines' source raises otherwise is raised.
    """
    sight = Sight(reader)
    return for_reader(audit(sight.looking_at(lines), books.rules, reread=again, where=where), sight)


def audit_stored(store: Store, session: str, books: Rulebooks, *, reader: str = GM) -> Audit:
    """Audit a stored session. Raises NoSuchSession."""
    try:
        lines = store.read(session)
    except Damaged as damage:
        return unreadable("damaged", str(damage), session=session, version=damage.version)
    again = again_from(lambda: store.read(session))
    return audit_ledger(lines, books, again=again, where=session, reader=reader)


def again_from_file(path: Path, end: int) -> Again:
    """The lines of a portable file up to an offset, again."""

    def lines() -> Iterator[bytes]:
        with path.open("rb") as file:
            yield from lines_to(file, end)

    return again_from(lines)


def again_from(read: Callable[[], Iterator[bytes]]) -> Again:
    """The lines that a function reads from the header on, again."""
    return lambda commits: islice(read(), 1 + commits, None)


def unreadable(code: str, problem: str, *, session: str = "", version: int = 0) -> Audit:
    """The audit of what cannot be read at all."""
    found = Audit.unreadable(Finding(version=version, code=code, text=problem))
    return msgspec.structs.replace(found, session=session)


def was_checked(audit: Audit) -> bool:
    """Whether the rules were asked: not where those that the log opens with are missing."""
    return all((left.code, left.version) != ("rules", 1) for left in audit.unchecked)


# -- what a reader may know


class _Event(msgspec.Struct):
    kind: str
    kept: str = ""


class _Envelope(msgspec.Struct):
    first: int
    kept: str = ""


class _Line(msgspec.Struct):
    envelope: _Envelope
    events: tuple[_Event, ...]
    kept: tuple[Raw, ...]


class _Part(msgspec.Struct):
    audience: tuple[str, ...]


_decode = msgspec.json.Decoder(_Line).decode
_decode_part = msgspec.json.Decoder(_Part).decode


class Sight:
    """What a reader may not see of lines that go by: versions that lack something, those that are sealed, kept senders."""

    def __init__(self, reader: str) -> None:
        self.reader = reader
        self.lacking: set[int] = set()
        self.sealed: set[int] = set()
        self.unsent: set[int] = set()

    def looking_at(self, lines: Iterable[bytes]) -> Iterator[bytes]:
        """The lines as they are."""
        for line in lines:
            if self.reader != GM and not line.endswith(b'"kept":[]}'):
                self._look(line)
            yield line

    def may_see(self, audience: Iterable[str]) -> bool:
        """Whether the reader belongs to an audience."""
        return may_read(tuple(audience), self.reader)

    def _look(self, line: bytes) -> None:
        try:
            raw = _decode(line)
            hidden = {sha256(bytes(part)) for part in raw.kept if not self.may_see(_decode_part(part).audience)}
        except (msgspec.MsgspecError, ValueError, RecursionError):
            return  # a header, or damage: whoever reads it on says so
        for version, event in enumerate(raw.events, raw.envelope.first):
            if event.kept in hidden:
                self.lacking.add(version)
                if event.kind == "sealed":
                    self.sealed.add(version)
            if raw.envelope.kept in hidden:
                self.unsent.add(version)


def for_reader(found: Audit, sight: Sight) -> Audit:
    """An audit without what the reader may not know: details of what is wrong in events of which something is kept."""
    if not sight.lacking and not sight.unsent:
        return found
    return msgspec.structs.replace(
        found,
        findings=tuple([_finding(one, sight) for one in found.findings]),
        divergences=tuple([_divergence(one, sight) for one in found.divergences]),
        undone=tuple(
            [msgspec.structs.replace(one, rolls=tuple([v for v in one.rolls if v not in sight.sealed])) for one in found.undone]
        ),
        repeated=tuple([one for one in found.repeated if sight.sealed.isdisjoint(one.versions)]),
        overrules=tuple(
            [msgspec.structs.replace(one, effect=None) if one.version in sight.lacking else one for one in found.overrules]
        ),
        reported=tuple(
            [
                msgspec.structs.replace(one, caller="") if one.version in sight.unsent else one
                for one in found.reported
                if one.version not in sight.sealed
            ]
        ),
    )


def _finding(finding: Finding, sight: Sight) -> Finding:
    return msgspec.structs.replace(finding, text=KEPT) if finding.version in sight.lacking else finding


def _divergence(found: Divergence, sight: Sight) -> Divergence:
    """A divergence as the reader may know it. What rules raise or refuse may tell of anything, where anything is kept."""
    expected, recorded = _seen(found.expected, sight), _seen(found.recorded, sight)
    is_told = found.version not in sight.lacking and (expected, recorded) == (found.expected, found.recorded)
    if sight.lacking and found.expected is None:
        is_told = False
    text = found.text if is_told else KEPT
    return msgspec.structs.replace(found, text=text, expected=expected, recorded=recorded)


def _seen(event: Json, sight: Sight) -> Json:
    """An event of a divergence as the reader may see it; None where all of it is kept."""
    veil: Any = event.get("veil") if isinstance(event, dict) else None
    if not veil or sight.may_see(veil["audience"]):
        return event
    return {**event, **dict.fromkeys(veil["fields"])} if veil.get("fields") else None


__all__ = [
    "KEPT",
    "Again",
    "Sight",
    "again_from",
    "again_from_file",
    "audit_ledger",
    "audit_stored",
    "for_reader",
    "unreadable",
    "was_checked",
]
