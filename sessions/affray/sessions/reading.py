"""A session as one reader may see it: the same lines without the kept parts that are not theirs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import msgspec
from msgspec import UNSET

from affray.kernel import Chain, Commit, Log, Sender, State, fold_all, redact


class Recorded(msgspec.Struct, frozen=True, kw_only=True):
    """One event of the log as a reader may see it. `sender` is None where that is kept; `undone` marks other branches."""

    version: int
    event: Any
    sender: Sender | None
    undone: bool


class Known(NamedTuple):
    """A state that is known already, and its version."""

    version: int
    state: State


class Folding:
    """The states of one log, folded from a state that is known where one is on the way."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self._known: Known | None = None

    def know(self, known: Known) -> None:
        """Begin here from now on."""
        self._known = known

    def state(self, version: int | None = None) -> State:
        """The state at a version (default: now)."""
        known, log = self._known, self._log
        pairs = None if known is None else log.line_behind(known.version, version)
        state = fold_all(log.line(version)) if known is None or pairs is None else fold_all(pairs, known.state)
        if version is None:
            self._known = Known(log.head, state)
        return state


class ReaderLog:
    """The log as one reader may see it, kept up with the lines of the session."""

    def __init__(self, reader: str, header: bytes) -> None:
        self.reader = reader
        self.log = Log()
        self.folding = Folding(self.log)
        self.senders: list[tuple[int, Sender | None]] = []
        self._chain = Chain(header)
        self._taken = 0

    def catch_up(self, lines: Sequence[bytes]) -> None:
        """Take in the lines since the last time."""
        for line in lines[self._taken :]:
            self._add(self._chain.accept(redact(line, self.reader)))

    def follow(self, commit: Commit, lines: int) -> None:
        """Take in a commit that was just written as the last of so many lines, if those before it are here."""
        if self._taken != lines - 1:
            return
        if commit.envelope.kept is UNSET and not any(commit.kept):  # there is nothing to leave out
            self._chain.advance(commit)
            self._add(commit)
        else:
            self._add(self._chain.accept(redact(commit.line, self.reader)))

    def _add(self, commit: Commit) -> None:
        self.log.add(commit)
        self.senders += [(version, commit.sender) for version in range(commit.first, commit.last + 1)]
        self._taken += 1

    def state(self, version: int | None = None) -> State:
        """The state at a version (default: now)."""
        return self.folding.state(version)

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
