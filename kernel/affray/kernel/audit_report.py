"""What an audit tells: divergences, what could not be checked, and what a table should know of its log."""

from __future__ import annotations

from bisect import bisect_right
from hashlib import sha256
from typing import Any

import msgspec
from msgspec import to_builtins

from .canonical import canonical, decode, encode
from .events import Overrule, Rewind, Rules
from .ledger import Commit
from .names import slot
from .reenact import Failed
from .state import State
from .steps import Roll
from .values import Json
from .verify import DiceReport, Finding, Verdict


class Divergence(msgspec.Struct, frozen=True, kw_only=True):
    """Where the record and the rules part.

    `code` is differs (the rules would have made another event), missing (the rules go on, the record does not), unfounded
    (no rule and no command makes this event), refused, breach or raised (the rules could not go on). `expected` and
    `recorded` are events with their traces, None where there is none; a roll that is expected has no faces. `action`
    is the root action, "" for the clock and for commands; what else was recorded of it was only folded.
    """

    version: int
    code: str
    action: str
    text: str
    expected: Json = None
    recorded: Json = None


class Unchecked(msgspec.Struct, frozen=True, kw_only=True):
    """What could not be checked, and why: from which version on, how many actions it concerns (1: no action's own).

    `code` is rules (they are not installed, or another release), another (they publish something else under the same
    release: what they make is compared all the same) or kept (this copy lacks parts).
    """

    version: int
    code: str
    reason: str
    count: int


class Undone(msgspec.Struct, frozen=True, kw_only=True):
    """A stretch of the log that was taken back, and the versions of the rolls in it."""

    version: int
    why: str
    first: int
    last: int
    rolls: tuple[int, ...]


class Repeated(msgspec.Struct, frozen=True, kw_only=True):
    """A slot in which dice were thrown more than once, because the first throw was taken back."""

    slot: str
    versions: tuple[int, ...]


class Overruled(msgspec.Struct, frozen=True, kw_only=True):
    """The game master's word, with its reason. `effect` None: it is kept from this copy."""

    version: int
    reason: str
    effect: Json


class Reported(msgspec.Struct, frozen=True, kw_only=True):
    """Dice that were not thrown by the engine: for whom, by which caller ("" where that is kept), from where."""

    version: int
    by: str
    caller: str
    source: str


class RulesChange(msgspec.Struct, frozen=True, kw_only=True):
    """The rules changed from here on."""

    version: int
    reason: str
    before: Json
    after: Json


class Audit(msgspec.Struct, frozen=True, kw_only=True):
    """The result of an audit. `findings` are those of `verify`, of `checked` events the rules said the same."""

    session: str
    version: int
    digest: str
    commits: int
    hidden: int
    checked: int
    findings: tuple[Finding, ...]
    divergences: tuple[Divergence, ...]
    unchecked: tuple[Unchecked, ...]
    undone: tuple[Undone, ...]
    repeated: tuple[Repeated, ...]
    overrules: tuple[Overruled, ...]
    reported: tuple[Reported, ...]
    rules: tuple[RulesChange, ...]
    dice: DiceReport
    notes: tuple[str, ...] = ()

    @property
    def is_clean(self) -> bool:
        """Whether nothing is wrong, as far as it could be checked."""
        return not self.findings and not self.divergences

    @classmethod
    def unreadable(cls, finding: Finding) -> Audit:
        """The audit of what is no ledger at all."""
        return Tally().report(
            Verdict(session="", version=0, digest="", commits=0, hidden=0, findings=(finding,), dice=DiceReport())
        )


class Tally:
    """Collects what an audit tells."""

    def __init__(self) -> None:
        self.checked = 0
        self.divergences: list[Divergence] = []
        self.undone: list[Undone] = []
        self.overrules: list[Overruled] = []
        self.reported: list[Reported] = []
        self.rules: list[RulesChange] = []
        self._told: set[tuple[str, str, str]] = set()
        self._clock: set[bytes] = set()
        self._unchecked: dict[tuple[str, str], tuple[int, set[str]]] = {}
        self._rolls: list[int] = []
        self._slots: list[int] = []
        self._taken_back: dict[int, list[int]] = {}
        self._repeated: dict[str, list[int]] = {}

    def take(self, event: Any, version: int, commit: Commit, state: State) -> None:
        """Note what a table should know of an event, in the state before it."""
        kind = type(event)
        if kind is Roll:
            self._thrown(event, version)
            if event.source not in ("engine", ""):
                caller = commit.sender.caller if commit.sender is not None else ""
                self.reported.append(Reported(version=version, by=event.by, caller=caller, source=event.source))
        elif kind is Overrule:
            self.overrules.append(Overruled(version=version, reason=event.reason, effect=shown(event.effect)))
        elif kind is Rules:
            before = None if state.manifest is None else shown(state.manifest)
            self.rules.append(RulesChange(version=version, reason=event.reason, before=before, after=shown(event.manifest)))
        elif kind is Rewind:
            rolls = self._took_back(event.to)
            self.undone.append(Undone(version=version, why=event.why, first=event.to + 1, last=version - 1, rolls=rolls))

    def _thrown(self, roll: Roll, version: int) -> None:
        """Note a roll; of its slot no more than a number stands for it until it is taken back."""
        name = slot(roll)
        number = int.from_bytes(sha256(name.encode()).digest()[:7], "big")
        self._rolls.append(version)
        self._slots.append(number)
        if roll.reused:
            return  # an amend's, or a policy's: the dice that were thrown then lie as they lay
        if self._taken_back and (before := self._taken_back.get(number)) is not None:
            self._repeated.setdefault(name, list(before)).append(version)

    def _took_back(self, to: int) -> tuple[int, ...]:
        """Note that everything behind a version was taken back; the versions of the rolls there."""
        index = bisect_right(self._rolls, to)
        rolls = tuple(self._rolls[index:])
        for number, version in zip(self._slots[index:], rolls, strict=True):
            found = self._taken_back.setdefault(number, [])
            if version not in found:
                found.append(version)
        return rolls

    def diverged(self, version: int, action: str, expected: Any, recorded: Any, *, is_clock: bool = False) -> None:
        """The rules have another event next than was recorded (None: nothing more was); `is_clock` says that the clock has it."""
        code = "missing" if recorded is None else "differs"
        want, have = shown(expected), shown(recorded)
        if is_clock:
            event = canonical(want)
            if event in self._clock:
                return  # what the clock waits for, it goes on waiting for
            self._clock.add(event)
        text = f"the rules go on with {words(want)}" if recorded is None else difference(want, have)
        self._add(Divergence(version=version, code=code, action=action, text=text, expected=want, recorded=have))

    def unfounded(self, version: int, event: Any, text: str, action: str) -> None:
        """Neither the rules nor a command make this event."""
        self._add(Divergence(version=version, code="unfounded", action=action, text=text, recorded=shown(event)))

    def failed(self, version: int, failed: Failed) -> None:
        """The rules could not go on."""
        self._add(Divergence(version=version, code=failed.code, action=failed.action, text=failed.text))

    def _add(self, found: Divergence) -> None:
        told = (found.code, found.action, found.text)
        if not found.action and found.code in ("breach", "raised") and told in self._told:
            return  # a clock that fails, fails at every event
        self._told.add(told)
        self.divergences.append(found)

    def skip(self, version: int, code: str, action: str, reason: str) -> None:
        """Something could not be checked."""
        _, actions = self._unchecked.setdefault((code, reason), (version, set()))
        if action:
            actions.add(action)

    def report(self, verdict: Verdict) -> Audit:
        """Everything together."""
        return Audit(
            session=verdict.session,
            version=verdict.version,
            digest=verdict.digest,
            commits=verdict.commits,
            hidden=verdict.hidden,
            checked=self.checked,
            findings=verdict.findings,
            divergences=tuple(self.divergences),
            unchecked=tuple(
                [
                    Unchecked(version=version, code=code, reason=reason, count=max(len(actions), 1))
                    for (code, reason), (version, actions) in self._unchecked.items()
                ]
            ),
            undone=tuple(self.undone),
            repeated=tuple([Repeated(slot=name, versions=tuple(found)) for name, found in self._repeated.items()]),
            overrules=tuple(self.overrules),
            reported=tuple(self.reported),
            rules=tuple(self.rules),
            dice=verdict.dice,
            notes=verdict.notes,
        )


def shown(value: Any) -> Json:
    """A value as plain JSON, as the log would hold it; None stays None."""
    return None if value is None else decode(encode(value)) if isinstance(value, msgspec.Struct) else to_builtins(value)


def words(event: Json) -> str:
    """An event in a few words."""
    parts = [str(event.get("kind", ""))] + [str(event[name]) for name in ("key", "action", "code", "moment", "who") if event.get(name)]
    return " ".join(parts)


def difference(expected: Json, recorded: Json) -> str:
    """Where two events differ: other kinds, or the fields that are not equal."""
    if not isinstance(expected, dict) or not isinstance(recorded, dict) or expected.get("kind") != recorded.get("kind"):
        return f"the rules make {words(expected)}, recorded is {words(recorded)}"
    names = [name for name in sorted({*expected, *recorded}) if expected.get(name) != recorded.get(name)]
    return "; ".join([f"{name} is {_short(recorded.get(name))}, the rules make it {_short(expected.get(name))}" for name in names])


def _short(value: Json) -> str:
    text = "nothing" if value is None else encode(value).decode()
    return text if len(text) <= 120 else text[:117] + "..."


__all__ = ["Audit", "Divergence", "Overruled", "Repeated", "Reported", "RulesChange", "Tally", "Unchecked", "Undone"]
