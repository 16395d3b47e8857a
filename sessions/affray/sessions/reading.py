"""A session as one reader may see it: the same lines without the kept parts that are not theirs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from affray.kernel import Chain, Log, Sender, State, fold_all, redact


class Recorded(msgspec.Struct, frozen=True, kw_only=True):
    """One event of the log as a reader may see it. `sender` is None where that is kept; `undone` marks other branches."""

    version: int
    event: Any
    sender: Sender | None
    undone: bool


class ReaderLog:
    """The log as one reader may see it, kept up with the lines of the session."""

    def __init__(self, reader: str, header: bytes) -> None:
        self.reader = reader
        self.log = Log()
        self.senders: list[tuple[int, Sender | None]] = []
        self._chain = Chain(header)
        self._taken = 0

    def catch_up(self, lines: Sequence[bytes]) -> None:
        """Take in the lines since the last time."""
        for line in lines[self._taken :]:
            commit = self._chain.accept(redact(line, self.reader))
            self.log.add(commit)
            self.senders += [(version, commit.sender) for version in range(commit.first, commit.last + 1)]
        self._taken = len(lines)

    def state(self, version: int | None = None) -> State:
        """The state at a version (default: now)."""
        return fold_all(self.log.line(version))

    def history(self, since: int = 0) -> tuple[Recorded, ...]:
        """Every event after version `since`, in the log's order."""
        present = {version for version, _ in self.log.line()}
        return tuple(
            Recorded(
                version=version,
                event=self.log.event(version),
                sender=self.senders[version - 1][1],
                undone=version not in present,
            )
            for version in range(since + 1, self.log.head + 1)
        )
