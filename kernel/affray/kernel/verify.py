"""Verify a ledger without any rules plugin: bytes, chain, arithmetic, order and dice (laws 1 and 2).

What it cannot know is whether the rules would have said the same: that is the audit's question. What a copy does not show is
counted as unknown, and held against nobody.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import msgspec
from msgspec import UNSET

from .errors import Damaged
from .events import Open, RevealDice, Rewind
from .fold import fold
from .ledger import Chain, Commit
from .log import Log
from .state import State
from .verify_claims import Sight, claims
from .verify_dice import DiceCheck, DiceReport


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """Something that is not as it should be. `version` is where, `code` what kind of thing, `text` the details.

    Codes of the log: damaged, head, open, rewind, command-repeated, unreadable; of what an event says: arithmetic, before,
    trace, faces, reading, nobody, joined-twice, turn; of nonces: nonce-of-the-gm, nonce-of-nobody, nonce-repeated; of dice:
    dice, dice-epoch, dice-nonce, dice-secret, dice-undone, dice-witness, no-action, reused, source.
    """

    version: int
    code: str
    text: str


class Verdict(msgspec.Struct, frozen=True, kw_only=True):
    """The result of `verify`. `version` and `digest` are the head that was verified."""

    session: str
    version: int
    digest: str
    commits: int
    hidden: int
    findings: tuple[Finding, ...]
    dice: DiceReport
    notes: tuple[str, ...] = ()

    @property
    def is_clean(self) -> bool:
        """Whether nothing was found."""
        return not self.findings


class Verifier:
    """Goes through a log event by event. `state_at` gives the state at the end of a commit, or raises KeyError."""

    def __init__(self, session: str, log: Log, state_at: Callable[[int], State]) -> None:
        self.session = session
        self.log = log
        self._state_at = state_at
        self.findings: list[Finding] = []
        self.hidden = 0
        self.state = State()
        self.sight = Sight()
        self.dice = DiceCheck(self.log, self.sight, self.find)
        self.commands: set[tuple[str, str, int]] = set()

    def find(self, version: int, code: str, text: str) -> None:
        """Note a finding."""
        self.findings.append(Finding(version=version, code=code, text=text))

    def begin(self, commit: Commit) -> None:
        """Look at what comes with the next commit."""
        sender = commit.sender
        if sender is not None:
            key = (sender.caller, sender.command, sender.part)
            if key in self.commands:
                self.find(commit.first, "command-repeated", f"caller {sender.caller} used {sender.command} twice")
            self.commands.add(key)
        self.dice.commit(commit, self.state)
        self.log.begin(commit)

    def event(self, event: Any, version: int) -> None:
        """Look at the next event of the commit."""
        self._try(self._claims, event, version)
        self.log.take(event)
        self._try(self._follow, event, version)

    def end(self, commit: Commit) -> None:
        """The commit is whole."""
        self.log.end(commit)

    def verdict(self, chain: Chain, commits: int) -> Verdict:
        """What was found so far."""
        return Verdict(
            session=chain.session,
            version=chain.version,
            digest=chain.digest,
            commits=commits,
            hidden=self.hidden,
            findings=tuple(self.findings),
            dice=self.dice.report(),
            notes=self.dice.notes(),
        )

    def _try(self, check: Callable[[Any, int], None], event: Any, version: int) -> None:
        """Check an event; what a host wrote may be anything."""
        try:
            check(event, version)
        except Exception as error:
            self.find(version, "unreadable", f"cannot be checked: {error!r}")

    def _claims(self, event: Any, version: int) -> None:
        """Look at what an event says, in the state before it."""
        kind = type(event)
        if event.kept is not UNSET:
            self.hidden += 1
            self.sight.take(event)
        if kind is Open and version == 1 and event.session != self.session:
            self.find(version, "open", f"names session {event.session!r} in a log of {self.session!r}")
        for code, text in claims(event, self.state, self.sight):
            self.find(version, code, text)
        if kind is RevealDice:
            self.dice.reveal_dice(event, version)

    def _follow(self, event: Any, version: int) -> None:
        """Go on to the state behind an event that the log has taken in."""
        is_opening = type(event) is Open and self.log.opened_at == version and (version == 1 or self.log.is_fork)
        if type(event) is Open and not is_opening:
            self.find(version, "open", "a log begins with its only `open`, and a fork with one of its own")
        if type(event) is Rewind and event.to < self.log.opened_at:
            self.find(version, "rewind", f"goes to {event.to}, before the session's `open` at {self.log.opened_at}")
        elif type(event) is Rewind:
            try:
                self.state = self._state_at(event.to)
            except KeyError:
                self.find(version, "rewind", f"goes to {event.to}, which is not the end of a commit")
        elif type(event) is not Open or is_opening:
            self.state = fold(self.state, event, version)
        self.dice.event(event, version, self.state)


def verify(lines: Iterable[bytes], against: tuple[int, str] | None = None, where: str = "") -> Verdict:
    """Check a ledger's lines, header first. Damage is a finding, and nothing behind it is looked at.

    `against` is a version and the digest it must have (or be the whole of), as an earlier `verify` printed them: only so
    is a tail found that was cut off cleanly.
    """
    stream: Iterator[bytes] = iter(lines)
    commits = 0
    digests: dict[int, str] = {}
    try:
        chain = Chain(next(stream, b""), where=where)
    except Damaged as damage:
        found = Finding(version=damage.version, code="damaged", text=str(damage))
        return Verdict(session="", version=0, digest="", commits=0, hidden=0, findings=(found,), dice=DiceReport())
    states: dict[int, State] = {0: State()}
    verifier = Verifier(chain.session, Log(), states.__getitem__)
    try:
        for line in stream:
            commit = chain.accept(line)
            commits += 1
            digests[commit.last] = commit.digest
            verifier.begin(commit)
            for version, event in enumerate(commit.events, commit.first):
                verifier.event(event, version)
            verifier.end(commit)
            states[commit.last] = verifier.state
    except Damaged as damage:
        verifier.find(damage.version, "damaged", str(damage))
    digests[0] = digests.get(0, chain.digest if not commits else "")
    if against is not None and digests.get(against[0]) != against[1]:
        has = digests.get(against[0])
        told = f"has digest {has}" if has else f"does not exist: the log ends at version {chain.version}"
        verifier.find(against[0], "head", f"version {against[0]} should have digest {against[1]}, it {told}")
    return verifier.verdict(chain, commits)


__all__ = ["DiceReport", "Finding", "Verdict", "Verifier", "verify"]
