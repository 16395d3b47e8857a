"""Upgrades of old events: raw dict to raw dict, one schema at a time per kind, never deleted (law 1).

An upgrade runs when an event is read, after its bytes were checked; the stored bytes never change. An event of schema
1 has its plain kind as tag, later ones "kind.N".
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from .events import KINDS
from .values import Json

Upgrade = Callable[[dict[str, Json]], dict[str, Json]]


class Upcasters:
    """The upgrades a reader knows. Raises ValueError when they form a ring, jump, or lead nowhere."""

    def __init__(self, upgrades: Mapping[tuple[str, str], Upgrade], current: Iterable[str]) -> None:
        self.current = frozenset(current)
        self._next: dict[str, tuple[str, Upgrade]] = {}
        for (old, new), upgrade in upgrades.items():
            if old in self._next:
                raise ValueError(f"two upgrades of {old!r}")
            self._next[old] = (new, upgrade)
        for tag in self._next:
            if tag in self.current:
                raise ValueError(f"{tag!r} is current and has an upgrade")
            seen = {tag}
            while tag not in self.current:
                if tag not in self._next:
                    raise ValueError(f"no upgrade leads on from {tag!r}")
                tag = self._next[tag][0]
                if tag in seen:
                    raise ValueError(f"the upgrades of {tag!r} form a ring")
                seen.add(tag)

    def knows(self, tag: str) -> bool:
        """Whether events of this tag can be upgraded."""
        return tag in self._next

    def upgrade(self, raw: dict[str, Json]) -> dict[str, Json]:
        """An event in its current schema; one that is current already is returned as it is."""
        while (step := self._next.get(str(raw.get("kind")))) is not None:
            tag, upgrade = step
            raw = {**upgrade(dict(raw)), "kind": tag}
        return raw


UPCASTERS = Upcasters({}, KINDS)
"""No event has changed its schema yet."""
