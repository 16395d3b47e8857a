"""A log in memory: every event of a session, and what belongs to the log itself and is never rewound.

Reveals, dice epochs, players' nonces, command ids and the count of runs live here; what a rewind changes is `State`.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from hashlib import sha256
from operator import itemgetter
from typing import Any

import msgspec
from msgspec import UNSET

from .errors import Damaged, InputError
from .events import Choose, Declare, Join, Open, Reveal, RevealDice, Rewind, Turn
from .ledger import Commit, canonical, open_part
from .names import WITNESS
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


def is_fork(event: Open) -> bool:
    """Whether a session opens as the fork of another, with whose commits it begins."""
    return event.origin is not None and event.origin.how == "fork"


def run_number(openings: Sequence[int], secret_openings: Sequence[int], version: int, *, secret: bool) -> int:
    """The number of the run that was opened at a version, among its own kind: 1, 2, ... if it is open, -1, -2, ... if secret.

    Counted apart, so that who sees no secret declaration numbers the open runs no less.
    """
    return -bisect_right(secret_openings, version) if secret else bisect_right(openings, version)


def next_nonce_digest(before: str, nonce: str) -> str:
    """The digest over all players' nonces so far, one more included."""
    return sha256(canonical([before, nonce])).hexdigest()


def known_to(seen: int, head: int, *, is_witness: bool) -> int:
    """The newest version that a sender knew of: what it says it had seen, or all where it answers a prompt of now."""
    return head if is_witness else seen if seen <= head else -1


class Log:
    """The log of one session, commit by commit.

    `openings` and `secret_openings` are the versions that opened root runs of either kind, `epoch_since` the version of each
    chain's last `reveal-dice`, `nonces_since` how many nonces came since from senders who knew of it. `nonce_trail` holds
    for every nonce its version, its sender and the newest version the sender knew of; `choice` version and sender of the last
    declaration or answer. A sender that is kept here is "", and is taken to have known everything.
    """

    def __init__(self) -> None:
        self.events: list[Any] = []
        self.ends: list[int] = [0]
        self.openings: list[int] = []
        self.secret_openings: list[int] = []
        self.commands: dict[tuple[str, str], Answered] = {}
        self.commits: list[tuple[int, int, str, str]] = []
        self.nonce_digest = ""
        self.nonces = 0
        self.nonces_since = {"open": 0, "kept": 0}
        self.nonces_used: set[tuple[str, str]] = set()
        self.nonce_trail: list[tuple[int, str, int]] = []
        self.epochs = {"open": 1, "kept": 1}
        self.epoch_since = {"open": 0, "kept": 0}
        self.reveals: dict[int, str] = {}
        self.kept: dict[int, str] = {}
        self.is_partial = False
        self.action_ids: set[str] = set()
        self.choice = (0, "")
        self.opened: Open | None = None
        self.is_fork = False
        self.opened_at = 0
        self.session = ""
        self._is_another = False
        self._caller = ""

    @property
    def head(self) -> int:
        """The newest version."""
        return len(self.events)

    @classmethod
    def behind(cls, version: int) -> Log:
        """A log of which what comes behind a version is at hand and nothing before: for `line_behind`, and no more."""
        log = cls()
        log.events = [None] * version
        return log

    def run_number(self, version: int, *, secret: bool = False) -> int:
        """The number, in the whole log and among its own kind, of the run that an event at this version opened."""
        return run_number(self.openings, self.secret_openings, version, secret=secret)

    def waits_for_nonce(self, chain: str, nonce: str = "", seen: int = -1) -> bool:
        """Whether no die of a chain may be thrown: an epoch ended, and nobody who knew of it has sent a nonce since.

        `nonce` is one that comes now, from somebody who has seen the log up to `seen`. Nothing waits in a log without nonces.
        """
        is_first = self.epochs[chain] == 1 and not self.is_fork
        if is_first or not (nonce or self.nonces) or self.nonces_since[chain]:
            return False
        return not (nonce and self.epoch_since[chain] <= seen <= self.head)

    def add(self, commit: Commit) -> None:
        """Take in the next commit."""
        self.begin(commit)
        events = self.events
        for event in commit.events:
            if type(event) in _NOTED or event.kept is not UNSET:
                self.take(event)
            else:
                events.append(event)
        self.end(commit)

    def begin(self, commit: Commit) -> None:
        """Take in what comes with the next commit: its nonce and the hashes of what it keeps."""
        sender, nonce = commit.sender, commit.envelope.nonce
        self._is_another = self.session not in ("", commit.envelope.session)
        self.session = commit.envelope.session
        self._caller = sender.caller if sender is not None else ""
        if nonce:
            self.nonce_digest = next_nonce_digest(self.nonce_digest, nonce)
            self.nonces += 1
            self.nonces_used.add((self._caller, nonce))
            seen = self.head if sender is None else sender.seen
            for chain, since in self.epoch_since.items():
                self.nonces_since[chain] += since <= seen <= self.head
            is_witness = type(commit.events[0]) is Choose and commit.events[0].key.startswith(WITNESS)
            self.nonce_trail.append((commit.first, self._caller, known_to(seen, self.head, is_witness=is_witness)))
        if any(commit.kept):
            self.kept.update({version: name for version, name in enumerate(commit.kept, commit.first) if name})

    def take(self, event: Any) -> None:
        """Take in the next event of the commit that was begun."""
        self.events.append(event)
        kind = type(event)
        if event.kept is not UNSET and not (kind is Join and event.sheet is not None):
            self.is_partial = True  # a name that was erased from an open join is missed by nobody
        if kind not in _NOTED:
            return
        version = len(self.events)
        if kind is Declare or kind is Turn:
            self.action_ids.add(event.action)
            if opens_run(event):
                (self.secret_openings if kind is Declare and event.secret else self.openings).append(version)
                if kind is Declare:
                    self.choice = (version, self._caller)
        elif kind is Choose:
            if event.value is not None and not event.key.startswith(WITNESS):
                self.choice = (version, self._caller)
        elif kind is Reveal:
            self._reveal(event, version)
        elif kind is Open:
            self._open(event, version)
        elif event.chain in self.epochs:
            self.epochs[event.chain] += 1
            self.epoch_since[event.chain] = version
            self.nonces_since[event.chain] = 0

    def _open(self, event: Open, version: int) -> None:
        """The session opens, or one that forks from it, whose dice have secrets of their own.

        Those were chosen when all nonces so far were known, so a fork's dice wait for another as after an epoch.
        """
        if self.opened is not None and not (self._is_another and is_fork(event)):
            return
        self._is_another = False
        if self.opened is not None:
            self.is_fork = True
            self.epochs = {"open": 1, "kept": 1}
            self.epoch_since = {"open": version, "kept": version}
            self.nonces_since = {"open": 0, "kept": 0}
        self.opened = event
        self.opened_at = version

    def end(self, commit: Commit) -> None:
        """Take in that the commit which was begun is whole."""
        group = commit.envelope.group
        if group is None or group.index == group.size:
            self.ends.append(commit.last)
        sender = commit.sender
        self.commits.append((commit.first, commit.last, self._caller, sender.command if sender is not None else ""))
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
        return self._line(0, head)[1]

    def line_behind(self, version: int, head: int | None = None) -> list[Pair] | None:
        """The pairs of `line(head)` behind a version; None where what makes the state there is not how that line begins.

        So it is where a rewind led to before the version, and where a part of an event up to it was revealed since.
        """
        at = self.head if head is None else head
        if any(type(event) is Reveal and event.version <= version for event in self.events[version:at]):
            return None
        end, found = self._line(version, head)
        return found if end == version else None

    def _line(self, start: int, head: int | None) -> tuple[int, list[Pair]]:
        """The pairs of the line that makes the state at `head` which are newer than `start`, and where it goes on before them."""
        at = self.head if head is None else head
        opened = {v: part for v, part in self.reveals.items() if self._revealed_by(v, at)}
        found: list[Pair] = []
        events = self.events
        while at > start:
            event = events[at - 1]
            if type(event) is Rewind:
                at = min(event.to, at - 1)  # a forged one may point forwards
                continue
            if opened and event.kept is not UNSET and at in opened:
                event = open_part(event, opened[at])
            found.append((at, event))
            at -= 1
        found.reverse()
        return at, found

    def _revealed_by(self, version: int, head: int) -> bool:
        if head >= self.head:
            return True
        return any(type(e) is Reveal and e.version == version for e in self.events[:head])

    def group_of(self, version: int) -> int:
        """The first version of the group that a version belongs to, 0 for one whose commit stands alone."""
        index = bisect_left(self.ends, version)
        first = self.ends[index - 1] + 1 if index else 1
        at = bisect_right(self.commits, version, key=itemgetter(0)) - 1
        is_alone = self.commits[at][0] == first and self.commits[at][1] == self.ends[index]
        return 0 if is_alone else first

    def is_present(self, action: str) -> bool:
        """Whether a root action or moment was opened on the present line."""
        return any(opens_run(event) and event.action == action for _, event in self.line())

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


__all__ = ["Answered", "Log", "Pair", "is_fork", "known_to", "next_nonce_digest", "opens_run", "run_number"]
