"""A session in a few words, for lists: read from its snapshot and what came behind it, the whole log only in doubt.

So a list of long sessions reads little of each. It notices no damage before the snapshots; that is for `verify`.
"""

from __future__ import annotations

import msgspec

from affray.kernel import PUBLIC, AffrayError, Chain, Log, State, fold_all, redact

from .record import Record
from .snapshots import find_snapshot
from .stores import Store
from .stores.lines import glance


class Summary(msgspec.Struct, frozen=True, kw_only=True):
    """How a session stands, as everybody may see it.

    `turn` is who holds the turn, `over` how it ended ("" while it goes on), `waiting` who has to answer or to roll.
    """

    session: str
    system: str
    title: str
    version: int
    turn: str
    over: str
    waiting: tuple[str, ...]


def summary(store: Store, session: str) -> Summary:
    """How a session stands now. Raises NoSuchSession, Damaged, UnknownKind, StoreError.

    Where the snapshot does not answer it, a new one is left in its place.
    """
    try:
        found = _from_snapshot(store, session)
    except AffrayError:  # reading all of it tells what is wrong, or that only the snapshot was
        found = None
    if found is None:
        record = Record(store, session)
        record.remember()
        found = record.log.head, record.state(reader=PUBLIC)
    version, state = found
    prompts = state.prompts.values()
    waiting = dict.fromkeys([who for prompt in prompts for who in prompt.ask.who if who not in prompt.answers])
    return Summary(
        session=session,
        system=state.manifest.system.id if state.manifest is not None else "",
        title=state.title,
        version=version,
        turn=state.turn,
        over=state.over,
        waiting=tuple(waiting),
    )


def _from_snapshot(store: Store, session: str) -> tuple[int, State] | None:
    """The head and its public state by the snapshot and the commits behind it; None where it does not follow from them."""
    snapshot = find_snapshot(store, session)
    if snapshot is None:
        return None
    lines = store.tail(session, snapshot.version)
    chain, log = Chain(next(lines)), Log.behind(snapshot.version)
    base = glance(next(lines, b""))
    if base is None or base.digest != snapshot.digest:
        return None
    chain.version, chain.digest, chain.session = snapshot.version, snapshot.digest, base.session
    for line in lines:
        log.add(chain.accept(redact(line, PUBLIC)))
    pairs = log.line_behind(snapshot.version)
    return None if pairs is None else (log.head, fold_all(pairs, snapshot.public))


__all__ = ["Summary", "summary"]
