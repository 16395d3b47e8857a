"""Who is told of a session's commits: every commit once, in order, once it is stored, as each subscriber may read it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from typing import Any

import msgspec

from affray.kernel import GM

from .logs import get_logger
from .record import Record


class Notice(msgspec.Struct, frozen=True, kw_only=True):
    """What a subscriber gets for every commit: its versions and its events as the subscriber may read them."""

    session: str
    first: int
    last: int
    events: tuple[Any, ...]


class Notices:
    """The subscribers of one session, and how far they were told."""

    def __init__(self, record: Record) -> None:
        self._record = record
        self._told = record.log.head
        self._subscribers: list[tuple[Callable[[Notice], None], str]] = []
        self._is_telling = False

    def subscribe(self, callback: Callable[[Notice], None], reader: str) -> Callable[[], None]:
        """Call back after every commit from now on. Returns what ends the subscription."""
        entry = (callback, reader)
        self._subscribers.append(entry)

        def stop() -> None:
            if entry in self._subscribers:
                self._subscribers.remove(entry)

        return stop

    def tell(self) -> None:
        """Tell of every commit that was not told of, other writers' included."""
        if self._is_telling:  # a subscriber gave a command: whoever tells goes on with it
            return
        self._is_telling = True
        record = self._record
        try:
            while self._told < record.log.head:
                commits = record.log.commits
                first, last, _, _ = commits[bisect_right(commits, (self._told + 1,))]
                self._told = last
                for callback, reader in tuple(self._subscribers):
                    self._tell_one(callback, reader, first, last)
        finally:
            self._is_telling = False

    def _tell_one(self, callback: Callable[[Notice], None], reader: str, first: int, last: int) -> None:
        record = self._record
        log = record.log if reader == GM else record.reader(reader).log
        events = tuple([log.event(version) for version in range(first, last + 1)])
        try:
            callback(Notice(session=record.session, first=first, last=last, events=events))
        except Exception as error:  # a subscriber's fault is not the fight's
            get_logger().error("subscriber failed", session=record.session, version=last, problem=repr(error))


__all__ = ["Notice", "Notices"]
