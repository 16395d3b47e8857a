"""The record of a session: its log as a store keeps it, every byte checked, and what each reader may see of it.

It knows no rules, dice or clients: whoever decides hands it commits. It leaves snapshots in the store now and then and
begins folding at the last one; that changes what an answer costs and never what it is.
"""

from __future__ import annotations

from bisect import bisect_left
from operator import itemgetter
from typing import Any

from affray.kernel import (
    GM,
    PUBLIC,
    Chain,
    Commit,
    Done,
    InputError,
    Log,
    Reveal,
    Rewind,
    Snapshot,
    State,
    part_of,
)

from .reading import Folding, Known, ReaderLog
from .snapshots import SNAPSHOT_EVENTS, drop_snapshot, find_snapshot, leave_snapshot
from .stores import Store


class Record:
    """A session's chain, log and lines, and the first commits of commands whose second one is not there (`halves`)."""

    def __init__(self, store: Store, session: str) -> None:
        self.store = store
        self.session = session
        self.read()

    def read(self) -> None:
        """Read it from the store, at first or again. Raises Damaged, NoSuchSession; then nothing has changed."""
        snapshot, doubt = None, ""
        try:
            snapshot = find_snapshot(self.store, self.session)
        except InputError as error:
            doubt = error.problem
        stream = iter(self.store.read(self.session))
        chain, log, lines, halves = Chain(next(stream)), Log(), list[bytes](), dict[tuple[str, str], Commit]()
        digest = ""
        for line in stream:
            commit = chain.accept(line)
            log.add(commit)
            lines.append(line)
            _note_half(halves, commit)
            if snapshot is not None and commit.last == snapshot.version:
                digest = commit.digest
        self.chain, self.log, self.lines, self.halves = chain, log, lines, halves
        self._readers: dict[str, ReaderLog] = {}
        self._folding = Folding(log)
        self._base: Known | None = None
        self._remembered, self._is_due = 0, False
        if snapshot is not None:
            doubt = self._begin_at(snapshot, digest)
        if doubt:
            drop_snapshot(self.session, doubt)
            self._is_due = True

    def append(self, *commits: Commit) -> bool:
        """Append a commit, or all of a group. False: the first one's command was stored from elsewhere, and nothing was appended.

        Raises what `Store.append` raises; then, and after False, what is stored is to be read again.
        """
        stored = self.store.append(self.session, commits, self.log.head)
        if stored[0].digest != commits[0].digest:
            return False
        for commit in commits:
            self.chain.advance(commit)
            self.log.add(commit)
            self.lines.append(commit.line)
            _note_half(self.halves, commit)
            for reader in self._readers.values():
                reader.follow(commit, len(self.lines))
            self._is_due = self._is_due or self._leads_before_snapshot(commit)
        return True

    # -- what stands there

    @property
    def hides_nothing(self) -> bool:
        """Whether no event keeps anything, so that every reader sees the same."""
        return not self.log.kept

    def state(self, at: int | None = None, reader: str = GM) -> State:
        """The state at a version (default: now) as a reader may see it."""
        if reader == GM or self.hides_nothing:
            return self._folding.state(at)
        return self.reader(reader).state(at)

    def reader(self, reader: str) -> ReaderLog:
        """The log as one reader may see it."""
        if reader not in self._readers:
            self._readers[reader] = ReaderLog(reader, self.chain.header)
        self._readers[reader].catch_up(self.lines)
        return self._readers[reader]

    def part(self, version: int) -> str:
        """The text of the kept part at a version. Raises InputError where there is none."""
        if not 0 < version <= self.log.head:
            raise InputError("no such version", value=version)
        return part_of(self.lines[bisect_left(self.log.commits, version, key=itemgetter(1))], version)

    # -- snapshots

    def resumable(self) -> tuple[State | None, list[tuple[int, Any]]]:
        """What to resume from: a state in which nothing is open that still is, and the line behind it; None and the whole line."""
        base = self._base
        if base is not None and (pairs := self.log.line_behind(base.version)) is not None:
            closed = {event.action for _, event in pairs if type(event) is Done}
            if base.state.open.keys() <= closed:
                return base.state, pairs
        return None, self.log.line()

    def remember(self, state: State | None = None) -> None:
        """Leave a snapshot in the store where the last one is far behind, or no longer on the way. Fails nobody.

        `state` is the full one at the head, where somebody has it.
        """
        head = self.log.head
        if head - self._remembered < SNAPSHOT_EVENTS and not self._is_due:
            return
        self._remembered, self._is_due = head, False
        try:
            if state is not None:
                self._folding.know(Known(head, state))
            full = None if self.log.is_partial else self.state()
            public = self.state(reader=PUBLIC)
            digest = self.chain.digest
            snapshot = Snapshot(session=self.session, version=head, digest=digest, public=public, full=full)
            leave_snapshot(self.store, snapshot)
        except Exception as error:  # nothing depends on a snapshot
            drop_snapshot(self.session, f"could not be made: {error!r}")
        else:
            self._base = None if full is None else Known(head, full)

    def _begin_at(self, snapshot: Snapshot, digest: str) -> str:
        """Begin at a snapshot. The reason why not, where the log has another commit than that of `digest` there, or none."""
        version = snapshot.version
        if snapshot.digest != digest:
            return f"the log has no such commit at version {version}; it ends at {self.log.head}"
        self._remembered = version
        self._is_due = self.log.line_behind(version) is None
        if snapshot.full is not None and not self.log.is_partial:  # else it knows what this copy does not
            self._base = Known(version, snapshot.full)
            self._folding.know(self._base)
        return ""

    def _leads_before_snapshot(self, commit: Commit) -> bool:
        """Whether a commit makes the last snapshot useless: it goes back before it, or opens a part of what was before."""
        match commit.events[0]:  # both stand at the beginning of their commits
            case Rewind(to=version):
                return version < self._remembered
            case Reveal(version=version):
                return version <= self._remembered
        return False


def _note_half(halves: dict[tuple[str, str], Commit], commit: Commit) -> None:
    """Keep in mind the first commit of a command whose second one is not there yet."""
    sender = commit.sender
    if sender is not None and sender.part:
        if sender.part == 1:
            halves[sender.caller, sender.command] = commit
        else:
            halves.pop((sender.caller, sender.command), None)


__all__ = ["Record"]
