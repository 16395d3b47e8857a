"""Snapshots in a store: found, dropped at any doubt with a warning, and left behind where the last one is far away."""

from __future__ import annotations

from affray.kernel import InputError, Snapshot, decode_snapshot, encode_snapshot

from .stores import Store

SNAPSHOT_EVENTS = 200
"""How many events behind its last snapshot a session leaves the next: what a list reads of a log at most, a commit aside."""


def find_snapshot(store: Store, session: str) -> Snapshot | None:
    """A session's snapshot. Raises InputError for one that is not to be used.

    To be called before the log is read: a snapshot is made of what is stored, so the log is no shorter then.
    """
    data = store.cached(session)
    return None if data is None else decode_snapshot(data, session)


def drop_snapshot(session: str, problem: str) -> None:
    """Say that a session goes on without its snapshot."""
    from .logs import get_logger

    get_logger().warning("snapshot dropped", session=session, problem=problem)


def leave_snapshot(store: Store, snapshot: Snapshot) -> None:
    """Leave a snapshot in the store. One that takes too much room is not kept."""
    try:
        data = encode_snapshot(snapshot)
    except InputError:
        return
    store.cache(snapshot.session, data)


__all__ = ["SNAPSHOT_EVENTS", "drop_snapshot", "find_snapshot", "leave_snapshot"]
