"""The ledger: commits, canonical bytes, kept parts, seals and the digest chain. The only encoder and decoder.

One line is one commit: `{"digest":..., "envelope":{...}, "events":[...], "kept":[...]}`. Bytes are RFC 8785 (sorted
keys, no blanks) and are hashed as stored; a reader refuses bytes that are not their own canonical form. An event's
seal is the SHA-256 of its bytes; a commit's digest is the SHA-256 of its envelope, which holds the seals and the
previous digest. `sessions/FORMAT.md` says all of this for a reader in another language.

Nothing here knows a file: lines come in and go out as bytes. Keeps laws 1, 7 and 10.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

import msgspec
from msgspec import UNSET, Raw, UnsetType

from .canonical import canonical, decode, no_float, sha256
from .canonical import encode as _encode
from .errors import Damaged, InputError, UnknownKind
from .events import AnyEvent, Declare, Join, Open, Overrule, Rules, Sealed, SetStep
from .inputs import check_json
from .kept import Sender, hide, hide_sender, may_read, opened, read_part
from .kept import open_part as _open_part
from .limits import EVENTS_PER_COMMIT, LINE_BYTES
from .steps import Event
from .upcast import UPCASTERS, Upcasters
from .values import GM, Json, Origin

FORMAT = 1
"""Number of the file format, in the header and in every envelope."""

_decode_event = msgspec.json.Decoder(AnyEvent, float_hook=no_float).decode
_TAG = re.compile(r"[a-z]+(-[a-z]+)*(\.[1-9][0-9]*)?", re.ASCII)

_JSON: dict[type, Callable[[Any], Json]] = {
    Open: lambda event: event.manifest.options,
    Rules: lambda event: event.manifest.options,
    Join: lambda event: event.sheet,
    Declare: lambda event: event.params,
    Overrule: lambda event: event.effect.fields if isinstance(event.effect, SetStep) else None,
}
"""Where events hold free JSON: read under the same rule as at the door (law 7)."""


def through_bytes(event: Event) -> tuple[Any, bytes]:
    """An event as a reader of the log would see it, and its bytes.

    Every step goes this way before it is folded, live too, so that a resolver never sees an order or a type that
    the log does not have. Raises ValueError or msgspec errors for what cannot be written.
    """
    data = _encode(event)
    return _decode_event(data), data


class Group(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A commit's place in a group that counts as a whole: `index` from 1 to `size`."""

    id: str
    index: int
    size: int


class Envelope(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a digest covers. `sender` is None and `kept` its hash when the command was secret."""

    format: int
    session: str
    first: int
    previous: str
    seals: tuple[str, ...]
    nonce: str
    group: Group | None
    sender: Sender | None
    kept: str | UnsetType = UNSET


class Header(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The first line of a file."""

    affray: str
    format: int
    session: str


class Commit(msgspec.Struct, frozen=True, kw_only=True):
    """One commit, read or about to be written.

    `kept` holds the hash of each event's kept part ("" for none); `line` is its bytes without the line's end.
    """

    envelope: Envelope
    events: tuple[Any, ...]
    kept: tuple[str, ...]
    digest: str
    line: bytes
    sender: Sender | None

    @property
    def first(self) -> int:
        """The version of its first event."""
        return self.envelope.first

    @property
    def last(self) -> int:
        """The version of its last event."""
        return self.envelope.first + len(self.events) - 1


class _Line(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    digest: str
    envelope: Raw
    events: tuple[Raw, ...]
    kept: tuple[Raw, ...]


_decode_line = msgspec.json.Decoder(_Line).decode
_decode_envelope = msgspec.json.Decoder(Envelope, float_hook=no_float).decode
_decode_header = msgspec.json.Decoder(Header, float_hook=no_float).decode


def header_line(session: str) -> bytes:
    """The header of a session's file, without the line's end."""
    return _encode(Header(affray="ledger", format=FORMAT, session=session))


def read_header(line: bytes, where: str = "") -> Header:
    """Read a header line. Raises Damaged."""
    try:
        raw = decode(line)
        if isinstance(raw, dict) and raw.get("affray") == "ledger" and raw.get("format") != FORMAT:
            raise UnknownKind(f"format {raw.get('format')}; this release reads format {FORMAT}", line=1, where=where)
        header = _decode_header(line)
    except (msgspec.MsgspecError, ValueError) as error:
        raise Damaged(f"not a header of an Affray ledger ({error})", line=1, where=where) from None
    if header.affray != "ledger" or _encode(header) != line:
        raise Damaged("the header is not in its canonical form", line=1, where=where)
    return header


def is_whole(group: Group | None) -> bool:
    """Tell whether a commit with this group field ends a group, or stands alone."""
    return group is None or group.index == group.size


def continues(before: Group | None, group: Group | None) -> bool:
    """Tell whether a commit of `group` may stand right after one of `before`."""
    if before is None or is_whole(before):
        return group is None or 1 == group.index <= group.size
    return group == Group(id=before.id, index=before.index + 1, size=before.size)


def write_commit(
    *,
    session: str,
    first: int,
    previous: str,
    events: Sequence[tuple[Any, bytes | None]],
    sender: Sender,
    salt: Callable[[], str],
    secret: bool = False,
    nonce: str = "",
    group: Group | None = None,
) -> Commit:
    """Make a commit of events (each with its bytes where known). Raises InputError beyond a bound."""
    if not events:
        raise InputError("a commit without events")
    if len(events) > EVENTS_PER_COMMIT:
        raise InputError(f"{len(events)} events in one commit, more than {EVENTS_PER_COMMIT}")
    kept: list[bytes] = []
    sender_hash: str | UnsetType = UNSET
    if secret:
        part = hide_sender(sender, salt)
        kept.append(part)
        sender_hash = sha256(part)
    bodies: list[bytes] = []
    hashes: list[str] = []
    for event, data in events:
        body, event_part = hide(event, salt, data)
        bodies.append(body)
        hashes.append("" if event_part is None else sha256(event_part))
        if event_part is not None:
            kept.append(event_part)
    envelope = Envelope(
        format=FORMAT,
        session=session,
        first=first,
        previous=previous,
        seals=tuple([sha256(body) for body in bodies]),
        nonce=nonce,
        group=group,
        sender=None if secret else sender,
        kept=sender_hash,
    )
    envelope_bytes = _encode(envelope)
    digest = sha256(envelope_bytes)
    line = _join(digest, envelope_bytes, bodies, kept)
    if len(line) > LINE_BYTES:
        raise InputError(f"a commit of {len(line)} bytes, more than {LINE_BYTES}")
    return Commit(
        envelope=envelope,
        events=tuple([event for event, _ in events]),
        kept=tuple(hashes),
        digest=digest,
        line=line,
        sender=sender,
    )


def _join(digest: str, envelope: bytes, bodies: Sequence[bytes], kept: Sequence[bytes]) -> bytes:
    return b'{"digest":"%s","envelope":%s,"events":[%s],"kept":[%s]}' % (
        digest.encode(),
        envelope,
        b",".join(bodies),
        b",".join(kept),
    )


class Chain:
    """Reads commits one after the other and checks every byte of them against the chain.

    `version` and `digest` are those of the last commit accepted. Any mismatch raises Damaged (or UnknownKind) that
    names the line and the first version not to be trusted; the chain stays at the last good commit. A fork begins with
    the lines of its origin: `session` is that of the commits read last, `header` names the first.
    """

    def __init__(self, header: bytes, *, where: str = "", upcasters: Upcasters = UPCASTERS) -> None:
        self.where = where
        self.session = read_header(header, where).session
        self.version = 0
        self.digest = sha256(header)
        self.line = 1
        self.header = header
        self.upcasters = upcasters
        self._group: Group | None = None

    def advance(self, commit: Commit) -> None:
        """Move on to a commit that was just written, without reading it again."""
        self.version, self.digest, self.session = commit.last, commit.digest, commit.envelope.session
        self.line += 1
        self._group = commit.envelope.group

    def damaged(self, problem: str, version: int = 0) -> Damaged:
        """Damage in the line that is being read."""
        return Damaged(problem, line=self.line + 1, version=version or self.version + 1, where=self.where)

    def accept(self, line: bytes) -> Commit:
        """Read the next line."""
        try:
            return self._accept(line)
        except RecursionError:
            raise self.damaged("values nested too deeply") from None

    def _accept(self, line: bytes) -> Commit:
        if len(line) > LINE_BYTES:
            raise self.damaged(f"a line of {len(line)} bytes, more than {LINE_BYTES}")
        try:
            raw = _decode_line(line)
            envelope_bytes = bytes(raw.envelope)
            envelope = _decode_envelope(envelope_bytes)
        except (msgspec.MsgspecError, ValueError) as error:
            raise self.damaged(f"not a commit ({error})") from None
        bodies = [bytes(body) for body in raw.events]
        parts = [bytes(part) for part in raw.kept]
        if _join(raw.digest, envelope_bytes, bodies, parts) != line or _encode(envelope) != envelope_bytes:
            raise self.damaged("the commit is not in its canonical form")
        self._check_envelope(envelope, envelope_bytes, raw.digest, bodies)
        keeper = _Keeper(self, envelope, parts)
        sender = keeper.sender()
        events = tuple([keeper.event(body, envelope.first + i) for i, body in enumerate(bodies)])
        keeper.finish()
        if envelope.session != self.session and not self._forks(envelope.session, events[0]):
            raise self.damaged(f"belongs to session {envelope.session!r}, not to {self.session!r}")
        commit = Commit(
            envelope=envelope, events=events, kept=tuple(keeper.hashes), digest=raw.digest, line=line, sender=sender
        )
        self.advance(commit)
        return commit

    def _forks(self, session: str, event: Any) -> bool:
        """Whether a commit of another session goes on from here as a fork: its `open` names this very place."""
        origin = event.origin if type(event) is Open and event.session == session else None
        return origin == Origin(how="fork", session=self.session, version=self.version, digest=self.digest)

    def _check_envelope(self, envelope: Envelope, data: bytes, digest: str, bodies: list[bytes]) -> None:
        if sha256(data) != digest:
            raise self.damaged("the envelope does not match its digest")
        if envelope.format != FORMAT:
            raise self.damaged(f"format {envelope.format}; this release reads format {FORMAT}")
        if (envelope.sender is None) == (envelope.kept is UNSET):
            raise self.damaged("must hold its sender or the hash of its part, one of them")
        if envelope.session != self.session and not self.version:
            raise self.damaged(f"belongs to session {envelope.session!r}, not to {self.session!r}")
        if envelope.first != self.version + 1 or envelope.previous != self.digest:
            raise self.damaged(f"does not follow version {self.version}: a commit is missing, doubled or moved")
        if not continues(self._group, envelope.group):
            raise self.damaged(f"is out of place in its group: {envelope.group}")
        if len(envelope.seals) != len(bodies) or not bodies:
            raise self.damaged(f"{len(bodies)} events under {len(envelope.seals)} seals")
        for index, body in enumerate(bodies):
            if sha256(body) != envelope.seals[index]:
                raise self.damaged("the event does not match its seal", envelope.first + index)


class _Keeper:
    """Reads the events of one commit with the kept parts that stand beside them, in the order of their owners."""

    def __init__(self, chain: Chain, envelope: Envelope, parts: list[bytes]) -> None:
        self.hashes: list[str] = []
        self._chain = chain
        self._upcasters = chain.upcasters
        self._envelope = envelope
        self._parts = [(sha256(part), part) for part in parts]
        self._next = 0

    def _take(self, name: str) -> bytes | None:
        """The part of this hash, if it is the next one; a reader may lack any of them, but their order is one."""
        if self._next < len(self._parts) and self._parts[self._next][0] == name:
            self._next += 1
            return self._parts[self._next - 1][1]
        return None

    def finish(self) -> None:
        """Refuse parts that belong to no event, stand twice or out of order."""
        if self._next != len(self._parts):
            raise self._chain.damaged("a kept part belongs to no event of its commit, or is out of order")

    def sender(self) -> Sender | None:
        envelope = self._envelope
        if envelope.kept is UNSET:
            return envelope.sender
        part = self._take(envelope.kept)
        if part is None:
            return None
        try:
            sender = read_part(part).sender
        except InputError as error:
            raise self._chain.damaged(error.problem) from None
        if sender is UNSET:
            raise self._chain.damaged("the kept sender is not a sender")
        return sender

    def event(self, body: bytes, version: int) -> Any:
        damaged = self._chain.damaged
        try:
            event = _decode_event(body)
        except (msgspec.MsgspecError, ValueError, RecursionError) as error:
            event = self._old_event(body, version, error)
        else:
            if _encode(event) != body:
                raise damaged("the event is not in its canonical form", version)
            if event.veil is not UNSET or (event.kept is UNSET and type(event) is Sealed):
                raise damaged("the event says of itself who may read it", version)
            self.hashes.append("" if event.kept is UNSET else event.kept)
            if event.kept is not UNSET and (part := self._take(event.kept)) is not None:
                event = self._opened(decode(body), part, version)
        if (free := _JSON.get(type(event))) is not None:
            try:
                check_json(free(event))
            except InputError as error:
                raise damaged(str(error), version) from None
        return event

    def _old_event(self, body: bytes, version: int, error: Exception) -> Any:
        """An event of an older schema, upgraded; or the error that says why it cannot be read."""
        damaged = self._chain.damaged
        try:
            raw = decode(body)
        except (msgspec.MsgspecError, ValueError):
            raise damaged(f"the event cannot be read ({error})", version) from None
        if not isinstance(raw, dict) or _encode(raw) != body:
            raise damaged("the event is not in its canonical form", version) from None
        self._check_kind(raw, version, error)
        hashed = raw.get("kept", "")
        self.hashes.append(hashed if isinstance(hashed, str) else "")
        if (part := self._take(self.hashes[-1])) is not None:
            return self._opened(raw, part, version)
        return self._typed(self._upgraded(raw, version), version)

    def _check_kind(self, raw: dict[str, Json], version: int, error: Exception) -> None:
        tag = raw.get("kind")
        if isinstance(tag, str) and self._upcasters.knows(tag):
            return
        if not isinstance(tag, str) or not _TAG.fullmatch(tag) or tag in self._upcasters.current:
            raise self._chain.damaged(f"the event cannot be read ({error})", version)
        chain = self._chain
        problem = f"an event of kind {tag!r}, which this release does not know"
        raise UnknownKind(problem, line=chain.line + 1, version=version, where=chain.where)

    def _opened(self, raw: dict[str, Json], data: bytes, version: int) -> Any:
        try:
            part = read_part(data)
            if part.event is not UNSET:
                self._check_inner(part.event, version)
            merged = opened(raw, part, lambda old: self._upgraded(old, version))
        except InputError as error:
            raise self._chain.damaged(error.problem, version) from None
        return self._typed(merged, version)

    def _check_inner(self, event: dict[str, Json], version: int) -> None:
        if event.get("kind") not in self._upcasters.current:
            self._check_kind(event, version, ValueError("no kind"))

    def _upgraded(self, raw: dict[str, Json], version: int) -> dict[str, Json]:
        try:
            return self._upcasters.upgrade(raw)
        except Exception as error:
            problem = f"the event of kind {raw.get('kind')!r} cannot be upgraded ({error!r})"
            raise self._chain.damaged(problem, version) from error

    def _typed(self, raw: dict[str, Json], version: int) -> Any:
        try:
            return msgspec.convert(raw, AnyEvent)
        except msgspec.MsgspecError as error:
            raise self._chain.damaged(f"the event cannot be read ({error})", version) from None


def open_part(event: Any, text: str) -> Any:
    """An event with a kept part that was revealed later. Raises InputError when the part is not this event's."""
    return _open_part(event, text, UPCASTERS.upgrade)


def part_of(line: bytes, version: int) -> str:
    """The text of the kept part that belongs to one version of a commit's line. Raises InputError when none stands there."""
    raw = _decode_line(line)
    first = _decode_envelope(raw.envelope).first
    if first <= version < first + len(raw.events):
        wanted = decode(raw.events[version - first]).get("kept")
        for part in raw.kept:
            if sha256(bytes(part)) == wanted:
                return bytes(part).decode()
    raise InputError("no kept part stands at this version", value=version)


def redact(line: bytes, reader: str) -> bytes:
    """A commit's line without the kept parts that a reader may not see: same seals, digests and versions."""
    raw = _decode_line(line)
    parts = [bytes(part) for part in raw.kept]
    if not parts or reader == GM:
        return line
    allowed = [part for part in parts if may_read(read_part(part).audience, reader)]
    return _join(raw.digest, bytes(raw.envelope), [bytes(body) for body in raw.events], allowed)


__all__ = [
    "FORMAT",
    "Chain",
    "Commit",
    "Envelope",
    "Group",
    "Header",
    "Sender",
    "canonical",
    "continues",
    "header_line",
    "is_whole",
    "may_read",
    "open_part",
    "part_of",
    "read_header",
    "redact",
    "sha256",
    "through_bytes",
    "write_commit",
]
