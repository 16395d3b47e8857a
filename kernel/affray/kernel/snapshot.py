"""Snapshots: the state at a commit's end, kept so that a long log need not be folded from its beginning.

A snapshot is a cache and never the truth (law 1): it names the version and digest it was taken at and the fold that made it,
and whatever does not fit is thrown away. State with a snapshot equals state without one.
"""

from __future__ import annotations

import msgspec

from .canonical import canonical, sha256
from .errors import InputError
from .state import State

FOLD = 1
"""Number of what folding makes of a log; raised whenever `fold.py` or `State` comes to mean something else."""


class Snapshot(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The state at `version`, whose commit has `digest`; `fold` is the fingerprint of the fold that made it."""

    version: int
    digest: str
    fold: str
    state: State


_decode = msgspec.json.Decoder(Snapshot).decode
_FOLD_NOW = sha256(canonical({"fold": FOLD, "state": msgspec.json.schema(State)}))


def write_snapshot(version: int, digest: str, state: State) -> bytes:
    """The bytes of a snapshot."""
    return canonical(Snapshot(version=version, digest=digest, fold=_FOLD_NOW, state=state))


def read_snapshot(data: bytes) -> Snapshot:
    """Read a snapshot. Raises InputError for one that another fold made, or that cannot be read."""
    try:
        snapshot = _decode(data)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise InputError(f"a snapshot cannot be read ({error})") from None
    if snapshot.fold != _FOLD_NOW:
        raise InputError("a snapshot was made by another release")
    return snapshot
