"""Verify a ledger without any rules plugin: bytes, chain, arithmetic and dice (laws 1 and 2).

What it cannot know is whether the rules would have said the same: that is the audit's question.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec
from msgspec import UNSET

from .dice import read
from .draws import draw, follows
from .errors import AffrayError, Damaged
from .events import Open, RevealDice, Rewind
from .fold import fold
from .ledger import Chain, Commit
from .log import Log
from .names import root
from .numbers import exact, total
from .state import State
from .steps import ApplyDamage, Change, Condition, Defend, Judge, Roll, Save
from .values import GM


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """Something that is not as it should be. `version` is where, `code` what kind of thing, `text` the details."""

    version: int
    code: str
    text: str


class DiceReport(msgspec.Struct, frozen=True, kw_only=True):
    """What could be said of the dice: rolls by source, engine rolls whose faces were recomputed, and what is open.

    `nonces` counts those of players; without any, nothing is proven against the host, who chose every input.
    """

    engine: int = 0
    scripted: int = 0
    reported: int = 0
    imported: int = 0
    proven: int = 0
    unrevealed: int = 0
    unknown: int = 0
    nonces: int = 0
    before_nonce: int = 0


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


class _Pending(msgspec.Struct, frozen=True):
    version: int
    roll: Roll
    run: int
    nonces: str
    numbers: dict[str, int]


class _Verifier:
    def __init__(self) -> None:
        self.log = Log()
        self.findings: list[Finding] = []
        self.hidden = 0
        self.state = State()
        self.states: dict[int, State] = {0: State()}
        self.secrets: dict[str, bytes] = {}
        self.pending: dict[tuple[str, int], list[_Pending]] = {}
        self.counts = dict.fromkeys(DiceReport.__struct_fields__, 0)
        self.commands: set[tuple[str, str, int]] = set()

    def find(self, version: int, code: str, text: str) -> None:
        self.findings.append(Finding(version=version, code=code, text=text))

    def commit(self, commit: Commit) -> None:
        sender = commit.sender
        if sender is not None:
            key = (sender.caller, sender.command, sender.part)
            if key in self.commands:
                self.find(commit.first, "command-repeated", f"caller {sender.caller} used {sender.command} twice")
            self.commands.add(key)
            if commit.envelope.nonce and sender.caller == GM:
                self.find(commit.first, "nonce-of-the-gm", "a nonce that no player sent")
        self.log.add(commit)
        for offset, event in enumerate(commit.events):
            self._event(event, commit.first + offset)
        self.states[commit.last] = self.state

    def _event(self, event: Any, version: int) -> None:
        if event.kept is not UNSET:
            self.hidden += 1
        if type(event) is Rewind:
            if event.to not in self.states:
                self.find(version, "rewind", f"goes to {event.to}, which is not the end of a commit")
                return
            self.state = self.states[event.to]
            return
        try:
            for problem in _problems(event, self.state):
                self.find(version, *problem)
        except (AffrayError, KeyError, IndexError, TypeError) as error:
            self.find(version, "arithmetic", f"cannot be checked: {error}")
        self.state = fold(self.state, event, version)
        if type(event) is Roll:
            self._roll(event, version)
        elif type(event) is Open:
            self.secrets = {"open": _bytes(event.chain), "kept": _bytes(event.kept_chain)}
        elif type(event) is RevealDice:
            self._reveal(event, version)

    def _roll(self, roll: Roll, version: int) -> None:
        if roll.faces is None:
            self.counts["unknown"] += 1
            return
        self.counts[roll.source if roll.source in self.counts else "imported"] += 1
        if roll.source != "engine":
            return
        if roll.reused:
            earlier = self.log.events[roll.reused - 1] if 0 < roll.reused < version else None
            if type(earlier) is not Roll or not _keeps(earlier, roll):
                self.find(version, "dice", f"does not keep the faces of version {roll.reused}")
            return
        if not self.log.nonces:
            self.counts["before_nonce"] += 1
        run = self.state.open.get(root(roll.action))
        if run is None:
            return
        chain = "kept" if roll.blind or run.secret else "open"
        numbers = {who: one.number for who, one in self.state.combatants.items()}
        pending = _Pending(version, roll, self.log.run_number(run.since), self.log.nonce_digest, numbers)
        self.pending.setdefault((chain, self._epoch(chain, version)), []).append(pending)

    def _epoch(self, chain: str, version: int) -> int:
        """The epoch a roll falls in: the log has taken in its whole commit, so a reveal behind it is not counted."""
        epoch = self.log.epochs[chain]
        later = self.log.events[version:]
        return epoch - sum(1 for event in later if type(event) is RevealDice and event.chain == chain)

    def _reveal(self, event: RevealDice, version: int) -> None:
        secret, known = _bytes(event.secret), self.secrets.get(event.chain, b"")
        if not known or not follows(secret, known):
            self.find(version, "dice-secret", f"is not the secret the {event.chain} chain was committed to")
            return
        self.secrets[event.chain] = secret
        for pending in self.pending.pop((event.chain, event.epoch), []):
            faces = draw(
                pending.roll, secret, self.state.session, event.epoch, pending.nonces, pending.run, pending.numbers
            )
            if faces == pending.roll.faces:
                self.counts["proven"] += 1
            else:
                self.find(pending.version, "dice", f"has faces {pending.roll.faces}, the secret gives {faces}")

    def report(self) -> DiceReport:
        self.counts["unrevealed"] = sum(len(rolls) for rolls in self.pending.values())
        self.counts["nonces"] = self.log.nonces
        return DiceReport(**self.counts)


def verify(lines: Iterable[bytes], against: tuple[int, str] | None = None, where: str = "") -> Verdict:
    """Check a ledger's lines, header first. Damage is a finding, and nothing behind it is looked at.

    `against` is a version and the digest it must have (or be the whole of), as an earlier `verify` printed them: only so
    is a tail found that was cut off cleanly.
    """
    stream: Iterator[bytes] = iter(lines)
    verifier = _Verifier()
    chain: Chain | None = None
    commits = 0
    digests: dict[int, str] = {}
    try:
        chain = Chain(next(stream, b""), where=where)
        for line in stream:
            commit = chain.accept(line)
            commits += 1
            digests[commit.last] = commit.digest
            verifier.commit(commit)
    except Damaged as damage:
        verifier.find(damage.version, "damaged", str(damage))
    if chain is None:
        return Verdict(
            session="", version=0, digest="", commits=0, hidden=0, findings=tuple(verifier.findings), dice=DiceReport()
        )
    digests[0] = digests.get(0, chain.digest if not commits else "")
    if against is not None and digests.get(against[0]) != against[1]:
        has = digests.get(against[0])
        told = f"has digest {has}" if has else f"does not exist: the log ends at version {chain.version}"
        verifier.find(against[0], "head", f"version {against[0]} should have digest {against[1]}, it {told}")
    return Verdict(
        session=chain.session,
        version=chain.version,
        digest=chain.digest,
        commits=commits,
        hidden=verifier.hidden,
        findings=tuple(verifier.findings),
        dice=verifier.report(),
    )


def _problems(event: Any, state: State) -> Iterator[tuple[str, str]]:
    """What an event claims and cannot be."""
    kind = type(event)
    if kind is Judge or kind is Save:
        yield from _sum(event.trace, event.goal, "goal")
    elif kind is Defend:
        yield from _sum(event.trace, event.value, "value")
    elif kind is Roll and event.faces is not None:
        reading = read(event.plan, event.faces)
        recorded = (event.total, event.botch, event.fault, event.dropped)
        if recorded != (reading.total, reading.botch, reading.fault, reading.dropped):
            yield "reading", f"the faces read {reading.total}, recorded is {event.total}"
    elif kind is Change and event.after is not None:
        yield from _sum(event.trace, event.value, "value")
        yield from _before(state, event.target, event.pool, event.before)
        if exact(event.before) + exact(event.value) - exact(event.overflow) != exact(event.after):
            yield "arithmetic", f"{event.before} + {event.value} - {event.overflow} is not {event.after}"
    elif kind is ApplyDamage and event.touched is not None:
        yield from _damage(state, event)
    elif kind is Condition and event.kept is UNSET:
        held = state.combatants[event.target].conditions.get(event.id)
        if event.before != (None if held is None else held.value):
            yield "before", f"{event.target} has {event.id} at {held and held.value}, recorded is {event.before}"
        if event.after != (None if event.code == "ended" else event.value):
            yield "arithmetic", f"{event.code} with value {event.value} does not leave {event.after}"


def _damage(state: State, event: ApplyDamage) -> Iterator[tuple[str, str]]:
    yield from _sum(event.trace, event.value, "value")
    if event.parts:
        for part in event.parts:
            yield from _sum((*part.rows,), total((part.value,)) - exact(part.rolled), f"part {part.type}")
        if total(part.value for part in event.parts) != exact(event.value):
            yield "trace", f"the parts do not add up to {event.value}"
    taken: Any = exact(event.overflow or 0)
    ranges = state.combatants[event.target].ranges or {}
    for touch in event.touched or ():
        yield from _before(state, event.target, touch.pool, touch.before)
        direction = ranges[touch.pool].damage if touch.pool in ranges else 1
        taken += (exact(touch.after) - exact(touch.before)) * direction
    if taken != exact(event.value):
        yield "arithmetic", f"the pools took {taken} of {event.value}"


def _before(state: State, who: str, pool: str, before: Any) -> Iterator[tuple[str, str]]:
    now = state.combatants[who].pools.get(pool)
    if now is not None and now != before:
        yield "before", f"{who}'s {pool} is {now}, recorded is {before}"


def _sum(trace: Any, value: Any, name: str) -> Iterator[tuple[str, str]]:
    if trace and value is not None:
        wanted = exact(value) if isinstance(value, str) else value
        if (added := total(row.amount for row in trace)) != wanted:
            yield "trace", f"the rows add up to {added}, the {name} is {value}"


def _keeps(earlier: Roll, roll: Roll) -> bool:
    """Whether a roll shows an earlier one's faces wherever both have a die and a link."""
    before, now = earlier.faces or (), roll.faces or ()
    return all(old[: len(new)] == new[: len(old)] for old, new in zip(before, now, strict=False))


def _bytes(text: str) -> bytes:
    try:
        return bytes.fromhex(text)
    except ValueError:
        return b""


__all__ = ["DiceReport", "Finding", "Verdict", "verify"]
