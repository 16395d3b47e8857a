"""Kept parts: what only some may read, beside an event or a sender (design, section 6).

A part is canonical bytes with 128 bits of salt and its audience; the open event carries its SHA-256 in `kept`. Leaving
a part out changes no seal and no digest. A part may only fill in what the open event left null.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import msgspec
from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from .canonical import decode, encode, no_float, sha256
from .errors import InputError
from .events import KINDS, AnyEvent, Sealed
from .values import GM, Json


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


class Part(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A kept part: of its last three fields, exactly one is there."""

    audience: tuple[str, ...]
    salt: str
    event: dict[str, Json] | UnsetType = UNSET
    fields: dict[str, Json] | UnsetType = UNSET
    sender: Sender | UnsetType = UNSET


Upgrade = Callable[[dict[str, Json]], dict[str, Json]]
_decode_part = msgspec.json.Decoder(Part, float_hook=no_float).decode


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
        return (data if data is not None else encode(event)), None
    if veil.fields:
        fields = {name: getattr(event, name) for name in veil.fields}
        part = encode({"audience": veil.audience, "fields": fields, "salt": salt()})
        shown = replace(event, **dict.fromkeys(veil.fields), veil=UNSET, kept=sha256(part))
        return encode(shown), part
    part = encode({"audience": veil.audience, "event": replace(event, veil=UNSET), "salt": salt()})
    return encode(Sealed(kept=sha256(part))), part


def hide_sender(sender: Sender, salt: Callable[[], str]) -> bytes:
    """The kept part of a secret command's sender."""
    return encode({"audience": sorted({sender.caller, GM}), "salt": salt(), "sender": sender})


def read_part(data: bytes) -> Part:
    """Read a part. Raises InputError when it is not one in its canonical form."""
    try:
        part = _decode_part(data)
        again = encode(decode(data))
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise InputError(f"a kept part cannot be read ({error})") from None
    if again != data:
        raise InputError("a kept part is not in its canonical form")
    if sum(found is not UNSET for found in (part.event, part.fields, part.sender)) != 1:
        raise InputError("a kept part must hold an event, fields or a sender")
    return part


def opened(raw: dict[str, Json], part: Part, upgrade: Upgrade) -> dict[str, Json]:
    """The raw event that an open event and its part make together, upgraded, with its veil.

    Raises InputError when the part says something else than the open event.
    """
    if part.event is not UNSET:
        if raw.get("kind") != "sealed":
            raise InputError("a kept part holds a whole event, and the open event is another")
        if not {"kept", "veil"}.isdisjoint(part.event) or part.event.get("kind") == "sealed":
            raise InputError("a kept part holds an event that is itself hidden")
        return {**upgrade(dict(part.event)), "veil": {"audience": part.audience, "fields": []}}
    if part.fields is UNSET or not part.fields:
        raise InputError("a kept part of an event must hold fields or an event")
    if any(raw.get(name, 0) is not None for name in part.fields):
        raise InputError("a kept part says something else than the open event")
    kind = KINDS.get(str(raw.get("kind")))
    if kind is not None and not set(part.fields) <= set(kind.KEPT):
        raise InputError(f"a kept part holds fields that a {raw.get('kind')} never keeps")
    merged = upgrade({name: value for name, value in raw.items() if name != "kept"} | part.fields)
    return {**merged, "veil": {"audience": part.audience, "fields": sorted(part.fields)}}


def open_part(event: Any, text: str, upgrade: Upgrade) -> Any:
    """An event with a kept part that was revealed later. Raises InputError when the part is not this event's."""
    data = text.encode()
    if event.kept is UNSET or sha256(data) != event.kept:
        raise InputError("the revealed part is not the one this event keeps")
    raw = opened(decode(encode(event)), read_part(data), upgrade)
    del raw["veil"]  # everybody may read it now
    try:
        return msgspec.convert(raw, AnyEvent)
    except msgspec.MsgspecError as error:
        raise InputError(f"the revealed event cannot be read ({error})") from None
