"""The ledger: commits, canonical bytes, kept parts, seals and the digest chain. The only encoder and decoder.

One line is one commit: `{"digest":..., "envelope":{...}, "events":[...], "kept":[...]}`. Bytes are RFC 8785 (sorted
keys, no blanks) and are hashed as stored; a reader refuses bytes that are not their own canonical form. An event's
seal is the SHA-256 of its bytes; a commit's digest is the SHA-256 of its envelope, which holds the seals and the
previous digest. `sessions/FORMAT.md` says all of this for a reader in another language.

Nothing here knows a file: lines come in and go out as bytes. Keeps laws 1, 7 and 10.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from hashlib import sha256 as _sha256
from typing import Any, NoReturn

import msgspec
from msgspec import UNSET, Raw, UnsetType
from msgspec.structs import replace

from .errors import Damaged, InputError, UnknownKind
from .events import AnyEvent, Sealed
from .limits import EVENTS_PER_COMMIT, LINE_BYTES
from .steps import Event
from .upcast import UPCASTERS, Upcasters
from .values import GM, Json

FORMAT = 1
"""Number of the file format, in the header and in every envelope."""


def _no_float(text: str) -> NoReturn:
    raise ValueError(f"a number with a point or an exponent: {text[:40]}")


_encode = msgspec.json.Encoder(order="sorted").encode
_decode_event = msgspec.json.Decoder(AnyEvent, float_hook=_no_float).decode
_decode_json = msgspec.json.Decoder(float_hook=_no_float).decode


def canonical(value: object) -> bytes:
    """The RFC 8785 bytes of a value made of structs, dicts with ASCII keys, tuples, lists, text, ints, bools and None."""
    return _encode(value)


def sha256(data: bytes) -> str:
    """SHA-256 in lower-case hex."""
    return _sha256(data).hexdigest()


def through_bytes(event: Event) -> tuple[Any, bytes]:
    """An event as a reader of the log would see it, and its bytes.

    Every step goes this way before it is folded, live too, so that a resolver never sees an order or a type that
    the log does not have. Raises ValueError or msgspec errors for what cannot be written.
    """
    data = _encode(event)
    return _decode_event(data), data


class Sender(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Who asked for a commit: caller, on whose behalf, the head the caller had seen, the command's id and digest.

    `part` is 0, or 1 and 2 for the two commits of a dice report. `time` is UTC as recorded, for people only.
    """

    caller: str
    on_behalf: str
    seen: int
    command: str
    digest: str
    part: int
    time: str


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
    """One commit, read or about to be written. `line` is its bytes without the line's end."""

    envelope: Envelope
    events: tuple[Any, ...]
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


class _Part(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    audience: tuple[str, ...]
    salt: str
    event: dict[str, Json] | UnsetType = UNSET
    fields: dict[str, Json] | UnsetType = UNSET
    sender: Sender | UnsetType = UNSET


_decode_line = msgspec.json.Decoder(_Line).decode
_decode_envelope = msgspec.json.Decoder(Envelope, float_hook=_no_float).decode
_decode_header = msgspec.json.Decoder(Header, float_hook=_no_float).decode
_decode_part = msgspec.json.Decoder(_Part, float_hook=_no_float).decode


def header_line(session: str) -> bytes:
    """The header of a session's file, without the line's end."""
    return _encode(Header(affray="ledger", format=FORMAT, session=session))


def read_header(line: bytes, where: str = "") -> Header:
    """Read a header line. Raises Damaged."""
    try:
        header = _decode_header(line)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise Damaged(f"not a header of an Affray ledger ({error})", line=1, where=where) from None
    if header.affray != "ledger" or _encode(header) != line:
        raise Damaged("the header is not in its canonical form", line=1, where=where)
    if header.format != FORMAT:
        raise UnknownKind(f"format {header.format}; this release reads format {FORMAT}", line=1, where=where)
    return header


def may_read(audience: Sequence[str], reader: str) -> bool:
    """Whether a reader belongs to the audience of a kept part; the game master belongs to every one."""
    return reader == GM or reader in audience


def hide(event: Any, salt: Callable[[], str], data: bytes | None = None) -> tuple[bytes, bytes | None]:
    """The open bytes of an event, and the kept part beside it (None for an event that everybody may read).

    `salt` gives 128 random bits in hex. A veil without fields seals the event as a whole. `data` may give the
    event's bytes where they are known already.
    """
    veil = event.veil
    if veil is UNSET:
        return (data if data is not None else _encode(event)), None
    if veil.fields:
        fields = {name: getattr(event, name) for name in veil.fields}
        part = _encode({"audience": veil.audience, "fields": fields, "salt": salt()})
        shown = replace(event, **dict.fromkeys(veil.fields), veil=UNSET, kept=sha256(part))
        return _encode(shown), part
    part = _encode({"audience": veil.audience, "event": replace(event, veil=UNSET), "salt": salt()})
    return _encode(Sealed(kept=sha256(part))), part


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
        part = _encode({"audience": sorted({sender.caller, GM}), "salt": salt(), "sender": sender})
        kept.append(part)
        sender_hash = sha256(part)
    bodies: list[bytes] = []
    for event, data in events:
        body, event_part = hide(event, salt, data)
        bodies.append(body)
        if event_part is not None:
            kept.append(event_part)
    envelope = Envelope(
        format=FORMAT,
        session=session,
        first=first,
        previous=previous,
        seals=tuple([_sha256(body).hexdigest() for body in bodies]),
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
        envelope=envelope, events=tuple([event for event, _ in events]), digest=digest, line=line, sender=sender
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
    names the line and the first version not to be trusted; the chain stays at the last good commit.
    """

    def __init__(self, header: bytes, *, where: str = "", upcasters: Upcasters = UPCASTERS) -> None:
        self.where = where
        self.session = read_header(header, where).session
        self.version = 0
        self.digest = sha256(header)
        self.line = 1
        self.header = header
        self._upcasters = upcasters

    def advance(self, commit: Commit) -> None:
        """Move on to a commit that was just written, without reading it again."""
        self.version, self.digest = commit.last, commit.digest
        self.line += 1

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
        known = {sha256(part): part for part in parts}
        if len(known) != len(parts):
            raise self.damaged("a kept part stands here twice")
        sender = self._sender(envelope, known)
        events = tuple([self._event(body, envelope.first + i, known) for i, body in enumerate(bodies)])
        if known:
            raise self.damaged("a kept part belongs to no event of its commit")
        self.version += len(events)
        self.digest = raw.digest
        self.line += 1
        return Commit(envelope=envelope, events=events, digest=raw.digest, line=line, sender=sender)

    def _check_envelope(self, envelope: Envelope, data: bytes, digest: str, bodies: list[bytes]) -> None:
        if sha256(data) != digest:
            raise self.damaged("the envelope does not match its digest")
        if envelope.format != FORMAT:
            raise self.damaged(f"format {envelope.format}; this release reads format {FORMAT}")
        if envelope.session != self.session:
            raise self.damaged(f"belongs to session {envelope.session!r}, not to {self.session!r}")
        if envelope.first != self.version + 1 or envelope.previous != self.digest:
            raise self.damaged(f"does not follow version {self.version}: a commit is missing, doubled or moved")
        if len(envelope.seals) != len(bodies) or not bodies:
            raise self.damaged(f"{len(bodies)} events under {len(envelope.seals)} seals")
        for index, body in enumerate(bodies):
            if _sha256(body).hexdigest() != envelope.seals[index]:
                raise self.damaged("the event does not match its seal", envelope.first + index)

    def _sender(self, envelope: Envelope, known: dict[str, bytes]) -> Sender | None:
        if envelope.kept is UNSET:
            return envelope.sender
        part = known.pop(envelope.kept, None)
        if part is None:
            return None
        sender = self._part(part, self.version + 1).sender
        if sender is UNSET:
            raise self.damaged("the kept sender is not a sender")
        return sender

    def _part(self, data: bytes, version: int) -> _Part:
        try:
            part = _decode_part(data)
        except (msgspec.MsgspecError, ValueError) as error:
            raise self.damaged(f"a kept part cannot be read ({error})", version) from None
        if _encode(_decode_json(data)) != data:
            raise self.damaged("a kept part is not in its canonical form", version)
        return part

    def _event(self, body: bytes, version: int, known: dict[str, bytes]) -> Any:
        try:
            event = _decode_event(body)
        except (msgspec.MsgspecError, ValueError) as error:
            return self._old_event(body, version, known, error)
        if _encode(event) != body:
            raise self.damaged("the event is not in its canonical form", version)
        if event.kept is UNSET:
            return event
        part = known.pop(event.kept, None)
        return event if part is None else self._opened(_decode_json(body), part, version)

    def _old_event(self, body: bytes, version: int, known: dict[str, bytes], error: Exception) -> Any:
        """An event of an older schema, upgraded; or the error that says why it cannot be read."""
        try:
            raw = _decode_json(body)
        except (msgspec.MsgspecError, ValueError):
            raise self.damaged(f"the event cannot be read ({error})", version) from None
        if not isinstance(raw, dict) or _encode(raw) != body:
            raise self.damaged("the event is not in its canonical form", version) from None
        tag = str(raw.get("kind"))
        if not self._upcasters.knows(tag):
            if tag in self._upcasters.current:
                raise self.damaged(f"the event cannot be read ({error})", version) from None
            raise UnknownKind(
                f"an event of kind {tag!r}, which this release does not know",
                line=self.line + 1,
                version=version,
                where=self.where,
            ) from None
        part = known.pop(raw["kept"], None) if "kept" in raw else None
        if part is not None:
            return self._opened(raw, part, version)
        return self._typed(self._upgraded(raw, version), version)

    def _opened(self, raw: dict[str, Json], data: bytes, version: int) -> Any:
        part = self._part(data, version)
        if part.event is not UNSET:
            if raw["kind"] != "sealed":
                raise self.damaged("a kept part holds a whole event, and the open event another", version)
            whole = self._upgraded(dict(part.event), version)
            return self._typed({**whole, "veil": {"audience": part.audience, "fields": []}}, version)
        if part.fields is UNSET:
            raise self.damaged("a kept part holds neither fields nor an event", version)
        if any(raw.get(name, 0) is not None for name in part.fields):
            raise self.damaged("a kept part says something else than the open event", version)
        del raw["kept"]
        merged = self._upgraded({**raw, **part.fields}, version)
        veil = {"audience": part.audience, "fields": sorted(part.fields)}
        return self._typed({**merged, "veil": veil}, version)

    def _upgraded(self, raw: dict[str, Json], version: int) -> dict[str, Json]:
        try:
            return self._upcasters.upgrade(raw)
        except Exception as error:
            raise self.damaged(f"the event of kind {raw.get('kind')!r} cannot be upgraded ({error!r})", version) from error

    def _typed(self, raw: dict[str, Json], version: int) -> Any:
        try:
            return msgspec.convert(raw, AnyEvent)
        except msgspec.MsgspecError as error:
            raise self.damaged(f"the event cannot be read ({error})", version) from None


def open_part(event: Any, text: str) -> Any:
    """An event with a kept part that was revealed later. Raises InputError when the part is not this event's."""
    data = text.encode()
    if event.kept is UNSET or sha256(data) != event.kept:
        raise InputError("the revealed part is not the one this event keeps")
    part = _decode_part(data)
    if part.event is not UNSET:
        return msgspec.convert(UPCASTERS.upgrade(dict(part.event)), AnyEvent)
    raw = _decode_json(_encode(event))
    del raw["kept"]
    return msgspec.convert(UPCASTERS.upgrade({**raw, **(part.fields or {})}), AnyEvent)


def part_of(line: bytes, version: int) -> str:
    """The text of the kept part that belongs to one version of a commit's line. Raises InputError when none stands there."""
    raw = _decode_line(line)
    first = _decode_envelope(raw.envelope).first
    if first <= version < first + len(raw.events):
        wanted = _decode_json(raw.events[version - first]).get("kept")
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
    allowed = [part for part in parts if may_read(_decode_part(part).audience, reader)]
    return _join(raw.digest, bytes(raw.envelope), [bytes(body) for body in raw.events], allowed)
