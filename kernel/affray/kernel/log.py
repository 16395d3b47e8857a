"""A log in memory: every event of a session, and what belongs to the log itself and is never rewound.

Reveals, dice epochs, players' nonces, command ids and the count of runs live here; what a rewind changes is `State`.
"""

from __future__ import annotations

from bisect import bisect_right
from hashlib import sha256
from typing import Any

import msgspec
from msgspec import UNSET

from .errors import Damaged, InputError
from .events import Choose, Declare, Open, Reveal, RevealDice, Rewind, Turn
from .ledger import Commit, canonical, open_part
from .names import WITNESS, root
from .steps import Event, Roll

Pair = tuple[int, Any]
"""(version, event)"""


_NOTED = frozenset({Choose, Declare, Turn, Reveal, RevealDice, Open})


class Answered(msgspec.Struct, frozen=True, kw_only=True):
    """What a command id was used for: the digest of its command, and the versions it appended."""

    digest: str
    first: int
    last: int
    parts: int


def opens_run(event: Event) -> bool:
    """Whether an event opens a root run: a declared action or a moment of the clock."""
    if type(event) is Declare:
        return not event.parent
    return type(event) is Turn and event.moment != "resume" and ">" not in event.action


def next_nonce_digest(before: str, nonce: str) -> str:
    """The digest over all players' nonces so far, one more included."""
    return sha256(canonical([before, nonce])).hexdigest()


class Log:
    """The log of one session, commit by commit.

    `choices` holds, for every root action, version and person of the last declaration or answer in it; `nonce_trail` the
    version and sender of every nonce.
    """

    def __init__(self) -> None:
        self.events: list[Any] = []
        self.ends: list[int] = [0]
        self.openings: list[int] = []
        self.commands: dict[tuple[str, str], Answered] = {}
        self.commits: list[tuple[int, int, str, str]] = []
        self.nonce_digest = ""
        self.nonces = 0
        self.nonces_since = {"open": 0, "kept": 0}
        self.epochs = {"open": 1, "kept": 1}
        self.reveals: dict[int, str] = {}
        self.kept: dict[int, str] = {}
        self.is_partial = False
        self.action_ids: set[str] = set()
        self.choices: dict[str, tuple[int, str]] = {}
        self.nonce_trail: list[tuple[int, str]] = []
        self.opened: Open | None = None

    @property
    def head(self) -> int:
        """The newest version."""
        return len(self.events)

    def run_number(self, version: int) -> int:
        """The number, in the whole log, of the run that an event at this version opened."""
        return bisect_right(self.openings, version)

    def add(self, commit: Commit) -> None:
        """Take in the next commit."""
        envelope = commit.envelope
        if envelope.nonce:
            self.nonce_digest = next_nonce_digest(self.nonce_digest, envelope.nonce)
            self.nonces += 1
            self.nonce_trail.append((commit.first, commit.sender.caller if commit.sender else ""))
            for chain in self.nonces_since:
                self.nonces_since[chain] += 1
        version = commit.first
        for offset, name in enumerate(commit.kept):
            if name:
                self.kept[version + offset] = name
        for event in commit.events:
            self.events.append(event)
            kind = type(event)
            if kind not in _NOTED:
                pass
            elif kind is Declare or kind is Turn:
                if opens_run(event):
                    self.openings.append(version)
                self.action_ids.add(event.action)
                if kind is Declare and not event.parent:
                    self.choices[event.action] = (version, event.actor)
            elif kind is Choose:
                if not event.key.startswith(WITNESS):
                    self.choices[root(event.action)] = (version, event.who)
            elif kind is Reveal:
                self._reveal(event, version)
            elif kind is RevealDice:
                self.epochs[event.chain] = event.epoch + 1
                self.nonces_since[event.chain] = 0
            elif kind is Open:
                self.opened = event
            if event.kept is not UNSET:
                self.is_partial = True
            version += 1
        group = envelope.group
        if group is None or group.index == group.size:
            self.ends.append(commit.last)
        sender = commit.sender
        self.commits.append(
            (commit.first, commit.last, sender.caller if sender else "", sender.command if sender else "")
        )
        if sender is not None:
            key = (sender.caller, sender.command)
            before = self.commands.get(key)
            self.commands[key] = Answered(
                digest=sender.digest,
                first=before.first if before else commit.first,
                last=commit.last,
                parts=sender.part,
            )

    def _reveal(self, event: Reveal, version: int) -> None:
        wanted = self.kept.get(event.version)
        if wanted is None or sha256(event.part.encode()).hexdigest() != wanted:
            raise Damaged(f"does not reveal what version {event.version} keeps", version=version)
        if self.events[event.version - 1].kept is not UNSET:
            try:
                open_part(self.events[event.version - 1], event.part)
            except InputError as error:
                raise Damaged(error.problem, version=version) from None
        self.reveals[event.version] = event.part

    def event(self, version: int) -> Any:
        """The event at a version, as far as it was kept or has been revealed since."""
        event = self.events[version - 1]
        if event.kept is not UNSET and version in self.reveals:
            return open_part(event, self.reveals[version])
        return event

    def line(self, head: int | None = None) -> list[Pair]:
        """The (version, event) pairs that make the state at `head`, in order.

        A rewind jumps, so undo of an undo needs no case of its own. Kept parts revealed up to `head` are opened.
        """
        at = self.head if head is None else head
        opened = {v: part for v, part in self.reveals.items() if self._revealed_by(v, at)}
        found: list[Pair] = []
        events = self.events
        while at:
            event = events[at - 1]
            if type(event) is Rewind:
                at = event.to
                continue
            if opened and event.kept is not UNSET and at in opened:
                event = open_part(event, opened[at])
            found.append((at, event))
            at -= 1
        found.reverse()
        return found

    def _revealed_by(self, version: int, head: int) -> bool:
        if head >= self.head:
            return True
        return any(type(e) is Reveal and e.version == version for e in self.events[:head])

    def is_end(self, version: int) -> bool:
        """Whether a version is the end of a commit (or of a whole group), or 0."""
        index = bisect_right(self.ends, version) - 1
        return index >= 0 and self.ends[index] == version

    def scripted_faces(self) -> int:
        """How many faces a script has handed out in the whole log."""
        return sum(
            len(chain)
            for event in self.events
            if type(event) is Roll and event.source == "scripted" and not event.reused
            for chain in event.faces or ()
        )


__all__ = ["Answered", "Log", "Pair", "next_nonce_digest", "opens_run"]
