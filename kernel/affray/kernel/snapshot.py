"""Snapshots: states at one version, encoded, so that folding can begin there. They are caches and nothing more.

A snapshot names the commit it was taken behind and how it was folded (`fingerprint`). Whoever uses one looks that the
log holds that commit; at any doubt it is dropped, and the events are folded as if it had never been: the state with a
snapshot is the state without it (law 1). It holds what the host may read, so it is the host's and part of no export.
"""

from __future__ import annotations

from functools import cache
from typing import Any, get_args

import msgspec
from msgspec import Raw

from .canonical import canonical, no_float, sha256
from .errors import InputError
from .events import KINDS
from .limits import SNAPSHOT_BYTES
from .state import State
from .values import Json

FOLD = 1
"""Number of the fold: raised when it makes something else of events that look the same."""


class Snapshot(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The state at `version`, the end of the commit that has `digest`: as everybody may read it, and as the host may.

    `full` is None where the log lacked kept parts: then nobody there knows it.
    """

    session: str
    version: int
    digest: str
    public: State
    full: State | None


class _Stored(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    fold: str
    snapshot: Raw


# Not sorted: the order of combatants is the order in which they joined.
_encode = msgspec.json.Encoder().encode
_decode_stored = msgspec.json.Decoder(_Stored).decode
_decode_snapshot = msgspec.json.Decoder(Snapshot, float_hook=no_float).decode


@cache
def fingerprint() -> str:
    """SHA-256 of all that a fold depends on: the shapes of state, of events and of the values in them, and FOLD."""
    return sha256(canonical([FOLD, shapes(State, *KINDS.values())]))


def shapes(*kinds: Any) -> dict[str, Json]:
    """What these types look like, and every Struct that is met in them."""
    found: dict[str, Json] = {}
    todo = list(kinds)
    while todo:
        kind = todo.pop()
        if not (isinstance(kind, type) and issubclass(kind, msgspec.Struct)):
            todo += get_args(kind)
        elif (name := f"{kind.__module__}.{kind.__qualname__}") not in found:
            fields = msgspec.structs.fields(kind)
            found[name] = [str(kind.__struct_config__.tag), [[field.encode_name, str(field.type)] for field in fields]]
            todo += [field.type for field in fields]
    return found


def encode(snapshot: Snapshot) -> bytes:
    """The bytes of a snapshot, their hash before them. Raises InputError for more than SNAPSHOT_BYTES."""
    body = _encode(_Stored(fold=fingerprint(), snapshot=Raw(_encode(snapshot))))
    data = b"%s\n%s" % (sha256(body).encode(), body)
    if len(data) > SNAPSHOT_BYTES:
        raise InputError(f"a snapshot of {len(data)} bytes, more than {SNAPSHOT_BYTES}")
    return data


def decode(data: bytes, session: str) -> Snapshot:
    """The snapshot in these bytes. Raises InputError, with the reason, at any doubt that needs no log to see."""
    if len(data) > SNAPSHOT_BYTES:
        raise InputError(f"a snapshot of more than {SNAPSHOT_BYTES} bytes")
    named, _, body = data.partition(b"\n")
    if named != sha256(body).encode():
        raise InputError("is torn, or something else than a snapshot")
    try:
        stored = _decode_stored(body)
        if stored.fold != fingerprint():
            raise InputError("was folded by another release")
        snapshot = _decode_snapshot(stored.snapshot)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise InputError(f"cannot be read ({error})") from None
    if snapshot.session != session:
        raise InputError(f"is of session {snapshot.session!r}, not of {session!r}")
    return snapshot


__all__ = ["FOLD", "Snapshot", "decode", "encode", "fingerprint"]
