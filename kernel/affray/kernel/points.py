"""Where commits of a log end, kept with their states so that going back to one folds little again.

The newest are all there; older ones are kept at intervals where the log can be read again. State is immutable and
shares what did not change, so one kept state costs what its commit changed.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from .ledger import Chain, Group
from .limits import POINTS_APART, POINTS_RECENT
from .log import Pair
from .state import State

Reread = Callable[[int], Iterable[bytes]]
"""Gives a log's lines again, without its header and without so many commits."""


class Point(NamedTuple):
    """Where a commit ends: the state before the oldest action open there, and the events since.

    These are the first `length` of `pairs`, which points behind this one share and add to: an action that is open for long
    is kept once. `commits` counts those of the log up to here, `digest` and `group` are the last one's. Version 0 is the empty log.
    """

    version: int = 0
    base: State = State()
    pairs: Sequence[Pair] = ()
    length: int = 0
    commits: int = 0
    digest: str = ""
    group: Group | None = None


class Points:
    """The ends of commits, for whoever follows a log and has to go back in it.

    Without `reread` every one is kept. `events_read_again` counts what going back cost.
    """

    def __init__(self, header: bytes, reread: Reread | None = None, where: str = "") -> None:
        self.events_read_again = 0
        self._header, self._reread, self._where = header, reread, where
        self._ends: list[int] = []
        self._kept: dict[int, Point] = {}
        self._recent: list[tuple[int, bool]] = []
        self.add(Point())

    def add(self, point: Point, *, went_back: bool = False) -> None:
        """Keep the next end; `went_back` says that its commit is a rewind, so that it is never dropped."""
        self._ends.append(point.version)
        self._kept[point.version] = point
        if self._reread is None:
            return
        self._recent.append((point.version, went_back or (len(self._ends) - 1) % POINTS_APART == 0))
        if len(self._recent) == 2 * POINTS_RECENT:
            for version, is_needed in self._recent[:POINTS_RECENT]:
                if not is_needed:
                    del self._kept[version]
            del self._recent[:POINTS_RECENT]

    def is_end(self, version: int) -> bool:
        """Whether a commit ends at a version, or the log begins there."""
        index = bisect_right(self._ends, version) - 1
        return index >= 0 and self._ends[index] == version

    def find(self, version: int) -> tuple[Point, list[Pair]]:
        """The newest point on the way to an end, and the events from there to it. Raises KeyError where none ends."""
        index = bisect_right(self._ends, version) - 1
        if index < 0 or self._ends[index] != version:
            raise KeyError(version)
        while (point := self._kept.get(self._ends[index])) is None:
            index -= 1  # no rewind lies in between: where one stands, the end is kept
        return point, [] if point.version == version else self._between(point, version)

    def _between(self, point: Point, version: int) -> list[Pair]:
        assert self._reread is not None, "without it every point is kept"
        chain = Chain(self._header, where=self._where)
        if point.version:
            chain.version, chain.digest, chain.line = point.version, point.digest, point.commits + 1
            chain._group = point.group
        found: list[Pair] = []
        for line in self._reread(point.commits):
            commit = chain.accept(line)
            found += enumerate(commit.events, commit.first)
            if commit.last >= version:
                break
        self.events_read_again += len(found)
        if chain.version < version:
            raise chain.damaged("is no longer there when it is read again")
        return found


__all__ = ["Point", "Points", "Reread"]
