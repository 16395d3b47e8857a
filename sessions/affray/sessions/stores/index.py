"""What a store has to know of a session it appends to: where the ledger ends, and which command ids are used up.

Knows no file, lock or thread: a store calls it under its own lock. It holds no event and no line, so a long session
costs a few hundred bytes a commit, and every question is answered in the same time however long the session is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from affray.kernel import (
    Chain,
    CommandConflict,
    Commit,
    Damaged,
    Sender,
    StoreError,
    VersionConflict,
    continues,
    is_whole,
    read_header,
    sha256,
)

from .lines import glance


class Place(NamedTuple):
    """Where the commits of one append stand: the head before them, and `start` to `end` as the store measures."""

    version: int
    digest: str
    line: int
    start: int
    end: int


def units(commits: Iterable[Commit]) -> Iterator[tuple[Commit, ...]]:
    """Cut commits into what is stored as a whole: single commits and groups. Raises StoreError for half a group."""
    unit: list[Commit] = []
    for commit in commits:
        group = commit.envelope.group
        if not continues(unit[-1].envelope.group if unit else None, group):
            raise StoreError(f"the commit at version {commit.first} is out of place in its group: {group}")
        unit.append(commit)
        if is_whole(group):
            yield tuple(unit)
            unit.clear()
    if unit:
        raise StoreError(f"the group at version {unit[0].first} ends after {len(unit)} commits: {unit[-1].envelope.group}")


class SessionIndex:
    """The head of one session, and the place of every command id it has seen.

    `session` is the one that is stored; of a fork the header and the first commits name its origin.
    """

    def __init__(self, header: bytes, session: str = "", where: str = "") -> None:
        self.session = session or read_header(header, where).session
        self._in_origin = False
        self.version = 0
        self.digest = sha256(header)
        self.line = 1
        self._header = header
        self._where = where
        self._commands: dict[tuple[str, str], str] = {}
        self._places: dict[tuple[str, str, int], Place] = {}

    @classmethod
    def of_new(cls, header: bytes, commits: Sequence[Commit]) -> SessionIndex:
        """The index of a session that is created with these commits: that of the last one. Raises StoreError.

        Of a fork every line is read, since what stands before it belongs to another session.
        """
        index = cls(header, commits[-1].envelope.session if commits else "")
        if {read_header(header).session, *[commit.envelope.session for commit in commits]} != {index.session}:
            chain = Chain(header)
            try:
                for commit in commits:
                    chain.accept(commit.line)
            except Damaged as error:
                raise StoreError(error.problem) from error
            index._in_origin = True
        return index

    def earlier(self, commits: Sequence[Commit]) -> Place | None:
        """Find where the first commit's command is stored already. Raises CommandConflict for another command of that id."""
        if not commits:
            raise StoreError("nothing to append")
        sender = commits[0].sender
        if sender is None:
            return None
        self._refuse_other_command(sender)
        return self._places.get((sender.caller, sender.command, sender.part))

    def check(self, commits: Sequence[Commit], expected_version: int) -> None:
        """Refuse commits that may not be appended now as one unit; the errors are those of `Store.append`."""
        self.check_order(commits, expected_version)
        if len(list(units(commits))) != 1:
            raise StoreError(f"{len(commits)} commits at once that are not one group")
        fresh: dict[tuple[str, str], str] = {}
        for commit in commits:
            sender = commit.sender
            if sender is None:
                continue
            self._refuse_other_command(sender)
            is_stored = (sender.caller, sender.command, sender.part) in self._places
            if is_stored or fresh.setdefault((sender.caller, sender.command), sender.digest) != sender.digest:
                raise CommandConflict(self.session, sender.caller, sender.command)

    def check_order(self, commits: Sequence[Commit], expected_version: int) -> None:
        """Refuse commits that do not follow the head, one after the other."""
        for commit in commits:
            if problem := line_problem(commit, commit.envelope.session if self._in_origin else self.session):
                raise StoreError(problem)
        if expected_version != self.version:
            raise VersionConflict(self.session, expected_version, self.version)
        version, digest = self.version, self.digest
        for commit in commits:
            if commit.first != version + 1 or commit.envelope.previous != digest:
                raise VersionConflict(self.session, commit.first - 1, self.version)
            version, digest = commit.last, commit.digest

    def add(self, commits: Sequence[Commit], start: int, end: int) -> None:
        """Take in one unit that is stored from `start` to `end`."""
        place = Place(self.version, self.digest, self.line, start, end)
        for commit in commits:
            if (sender := commit.sender) is not None:
                self.know(sender.caller, sender.command, sender.part, sender.digest, place)
            self.version, self.digest = commit.last, commit.digest
            self.line += 1
            self._in_origin = self._in_origin and commit.envelope.session != self.session

    def know(self, caller: str, command: str, part: int, digest: str, place: Place) -> None:
        """Take in that a command is stored. Of a ledger that holds an id twice, the first use is the one to be answered."""
        self._commands.setdefault((caller, command), digest)
        self._places.setdefault((caller, command, part), place)

    def commits_at(self, place: Place, lines: Iterable[bytes]) -> tuple[Commit, ...]:
        """Read the commits of a place again from its lines, checked against the chain like any others."""
        chain = Chain(self._header, where=self._where)
        chain.version, chain.digest, chain.line = place.version, place.digest, place.line
        found: list[Commit] = []
        for line in lines:
            if not found and (seen := glance(line)) is not None:
                chain.session = seen.session
            found.append(chain.accept(line))
        return tuple(found)

    def _refuse_other_command(self, sender: Sender) -> None:
        """Raise CommandConflict when the caller has used this command id, in whichever part, for another command."""
        if self._commands.get((sender.caller, sender.command), sender.digest) != sender.digest:
            raise CommandConflict(self.session, sender.caller, sender.command)


def line_problem(commit: Commit, session: str) -> str:
    """Say what would be stored as something else than it says; nothing where all is well."""
    if commit.envelope.session != session:
        return f"a commit of session {commit.envelope.session!r} cannot be stored in {session!r}"
    if b"\n" in commit.line or not commit.line.startswith(b'{"digest":"%s"' % commit.digest.encode()):
        return f"the commit at version {commit.first} does not hold the line of its digest"
    return ""
