"""`undo_dice` keep: which recorded roll gives another its faces (design, section 6).

A roll takes the faces of the first engine roll of its slot: in the same actor's n-th declaration of the present line,
or at the same moment of the clock.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import Any

from .events import Declare, Rewind
from .names import place, root
from .state import OpenAction
from .steps import Roll

Key = tuple[str, int, str]


class Keeping:
    """The first engine roll of every slot. Takes in a log event by event, undone ones too."""

    def __init__(self) -> None:
        self.version = 0
        self._first: dict[Key, int] = {}
        self._runs: dict[str, tuple[str, int]] = {}
        self._declared: dict[str, int] = {}
        self._changes: list[int] = [0]
        self._counts: list[dict[str, int]] = [{}]

    def catch_up(self, events: Sequence[Any]) -> None:
        """Take in what a log holds since the last time."""
        for version in range(self.version + 1, len(events) + 1):
            self.take(events[version - 1], version)

    def take(self, event: Any, version: int) -> None:
        """Take in the next event."""
        self.version = version
        kind = type(event)
        if kind is Roll:
            if event.source == "engine" and not event.reused:
                name = root(event.action)
                self._first.setdefault(_key(*self._runs.get(name, (name, 0)), event), self.version)
        elif kind is Declare and not event.parent:
            nth = self._declared.get(event.actor, 0) + 1
            self._runs[event.action] = (event.actor, nth)
            self._count({**self._declared, event.actor: nth})
        elif kind is Rewind:
            self._count(self._counts[bisect_right(self._changes, event.to) - 1])

    def _count(self, declared: dict[str, int]) -> None:
        self._declared = declared
        self._changes.append(self.version)
        self._counts.append(declared)

    def earlier(self, roll: Roll, run: OpenAction) -> int:
        """The version of the roll whose faces a roll of this run is to take, 0 for none."""
        return self._first.get(_key(run.actor, run.nth, roll) if run.nth else _key(run.id, 0, roll), 0)


def _key(whose: str, nth: int, roll: Roll) -> Key:
    return whose, nth, f"{roll.action.partition('>')[2]}|{place(roll)}"


__all__ = ["Keeping"]
