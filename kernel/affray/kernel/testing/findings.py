"""What a check of rules tells: findings with stable codes, what to do about each, and a report that prints well.

`RULE_CHECKS` is the closed list of what is looked for. A code keeps its meaning; new ones may come with any release.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

import msgspec

from .bounds import FOUND_ALIKE


class Check(msgspec.Struct, frozen=True):
    """Something that is looked for: what is wrong then, and what to do."""

    wrong: str
    remedy: str


RULE_CHECKS: Mapping[str, Check] = MappingProxyType(
    {
        "unloadable": Check(
            "it cannot be imported, or its factory raises or gives nothing",
            "import the module by hand; the factory takes no argument and returns a new plugin object",
        ),
        "rude": Check(
            "importing it changes something of the whole process: chance, an encoder, a builtin, the environment",
            "let a module define things and do nothing",
        ),
        "unbuildable": Check(
            "no rules can be built of it: a hook is missing, misspelt, or not the plain function that it has to be",
            "kernel/HOOKS.md tells every hook's name, parameters and what it returns",
        ),
        "unplayed": Check(
            "no fight could be played: no sheet is valid, nobody can be seated, or nobody can do anything",
            "give sheets that are valid, and see that the begin puts everybody on the agenda",
        ),
        "breach": Check(
            "a hook raised, or gave something that the contract does not allow",
            "the text says what was given; kernel/HOOKS.md says what is allowed",
        ),
        "endless": Check(
            "it goes on and on: too many steps, or no step at all for too long",
            "give every loop an end that dice or people cannot put off for ever",
        ),
        "world": Check(
            "it touches the world: a clock, chance, a file, the network, the environment",
            "dice come from Roll, time from fight.at; whatever else is needed is an option or stands on the sheet",
        ),
        "hidden-state": Check(
            "the same plugin object, used a second time, does something else",
            "keep nothing in the plugin object, its class or its module; what has to be remembered is a pool or a condition",
        ),
        "not-repeatable": Check(
            "new plugin objects do something else with the same commands and dice",
            "look for what is kept in the module, for id() and for objects that are told apart by where they lie in memory",
        ),
        "hash-order": Check(
            "another process, in which texts hash otherwise, does something else",
            "sort what comes out of a set before it decides anything, and never use hash()",
        ),
        "resume": Check(
            "an action that is resumed by another process goes on otherwise than one that was not interrupted",
            "keep nothing across a yield but local names of the generator; read the rest from the fight when it is needed",
        ),
        "unfolded": Check(
            "the events cannot be read back, or do not fold to the state that was played on",
            "change nothing that a hook is given, and give parameters and texts only such values as the log may hold",
        ),
        "audit": Check(
            "the log of a fight is not clean when it is carried out again",
            "the text says where the record and the rules part; what decides must stand in the log",
        ),
        "inexact": Check(
            "a float, or another number that is not exact",
            "compute with int and Fraction, and write number(value) into a step",
        ),
        "mutable": Check(
            "a value that can be changed afterwards: a list or set in a step, a type that is not frozen",
            "use tuples and frozen Structs",
        ),
        "unexplained": Check(
            "a number that is not 0 and has no trace",
            "give rows that add up to it; one row with a code is enough where it is the rules' own",
        ),
        "dice-unused": Check(
            "dice are thrown and nothing depends on how they fall",
            "use the reading of the roll, as it was recorded, or do not roll",
        ),
        "verdict-ignored": Check(
            "nothing that follows depends on a verdict, so a house rule that changes it changes nothing",
            "go on with what `yield from` gave back, not with the numbers that it was made of",
        ),
        "finally-yield": Check(
            "a `finally`, a `with` or a bare `except` stands around a yield",
            "an action may be left at any step for ever; nothing may depend on its being ended",
        ),
        "form-refused": Check(
            "a form offers what is always refused, or what cannot be read",
            "offer only what may be declared, or refuse less; the choices of a form are values of its parameters",
        ),
        "unasked-place": Check(
            "rows are contributed at a place where nobody asks for any",
            "the system's describe().places tells the places; a system asks for each by action.rows(place)",
        ),
        "undocumented": Check(
            "an action, a step's key, a place or a save is not told in describe(), or told without a word",
            "describe() tells what each is for, so that tables and house rules can name it",
        ),
        "text-missing": Check(
            "there is no English sentence for something that happens",
            "texts(\"en\") gives a sentence by code; the empty one says that there is nothing worth telling",
        ),
        "upcaster": Check(
            "an upgrade of old events loses something, changes what it was given, or gives what is no event",
            "return a new dict that is an event of the next schema, whatever it is made of",
        ),
        "exemption": Check(
            "an exemption that nothing needs any more",
            "take it out of the list",
        ),
    }
)  # fmt: skip
"""Code -> what is looked for."""


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """Something that is wrong: `code` of RULE_CHECKS, whose plugin and hook, what, and where ("" for everywhere)."""

    code: str
    plugin: str
    hook: str
    text: str
    where: str = ""

    def __str__(self) -> str:
        at = f" ({self.where})" if self.where else ""
        return f"{self.code}: plugin {self.plugin!r}, hook {self.hook}: {self.text}{at}"


class Exempt(msgspec.Struct, frozen=True):
    """A finding that is to be lived with, and why: its code, a text that it holds, and the reason."""

    code: str
    text: str
    because: str

    def covers(self, finding: Finding) -> bool:
        """Whether a finding is the one that is meant."""
        return finding.code == self.code and self.text in f"{finding.plugin} {finding.hook}: {finding.text} {finding.where}"


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """What a check found. `notes` tell what could not be looked at, and what never came up; they are no findings."""

    plugin: str
    findings: tuple[Finding, ...]
    notes: tuple[str, ...] = ()
    fights: int = 0
    commands: int = 0
    events: int = 0

    @property
    def is_clean(self) -> bool:
        """Whether nothing was found."""
        return not self.findings

    def codes(self) -> tuple[str, ...]:
        """The codes that were found, each once, in the order of RULE_CHECKS."""
        found = {finding.code for finding in self.findings}
        return tuple([code for code in RULE_CHECKS if code in found])

    def assert_clean(self) -> None:
        """Raise AssertionError that tells every finding and what to do about it."""
        __tracebackhide__ = True
        if self.findings:
            raise AssertionError(str(self))

    def __str__(self) -> str:
        lines = [f"{self.plugin}: {_counted(len(self.findings), 'finding')} in {_counted(self.fights, 'fight')}, {self.events} events"]
        for finding in self.findings:
            lines += [f"  {finding}", f"    -> {RULE_CHECKS[finding.code].remedy}"]
        return "\n".join([*lines, *[f"  note: {note}" for note in self.notes]])


class Tally:
    """Collects findings, each once."""

    def __init__(self) -> None:
        self._found: dict[tuple[str, str, str, str], Finding] = {}

    def add(self, code: str, plugin: str, hook: str, text: str, where: str = "") -> None:
        """Note a finding."""
        assert code in RULE_CHECKS, code
        found = Finding(code=code, plugin=plugin, hook=hook, text=text, where=where)
        self._found.setdefault((code, plugin, hook, text), found)

    def has(self, *codes: str) -> bool:
        """Whether anything of these codes was found."""
        return any(key[0] in codes for key in self._found)

    def take(self, findings: Iterable[Finding]) -> None:
        """Note findings that were made elsewhere."""
        for one in findings:
            self._found.setdefault((one.code, one.plugin, one.hook, one.text), one)

    def findings(self) -> tuple[Finding, ...]:
        """All of them, in the order of RULE_CHECKS."""
        order = {code: index for index, code in enumerate(RULE_CHECKS)}
        return tuple(sorted(self._found.values(), key=lambda one: order[one.code]))


def condensed(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Findings of which no more than FOUND_ALIKE are alike; of the others only the number is told."""
    left: list[Finding] = []
    alike: dict[tuple[str, str, str], int] = {}
    for one in findings:
        key = (one.code, one.plugin, one.hook)
        alike[key] = alike.get(key, 0) + 1
        if alike[key] <= FOUND_ALIKE:
            left.append(one)
    more = {key: count - FOUND_ALIKE for key, count in alike.items() if count > FOUND_ALIKE}
    for (code, plugin, hook), count in more.items():
        index = max(index for index, one in enumerate(left) if (one.code, one.plugin, one.hook) == (code, plugin, hook))
        left.insert(index + 1, Finding(code=code, plugin=plugin, hook=hook, text=f"and {count} more of the kind"))
    return tuple(left)


def exempted(findings: Iterable[Finding], exempt: Iterable[Exempt], plugin: str) -> tuple[Finding, ...]:
    """Findings without those that are exempt; an exemption that covers none is a finding itself."""
    listed = tuple(findings)
    given = tuple(exempt)
    left = [one for one in listed if not any(other.covers(one) for other in given)]
    stale = [
        Finding(code="exemption", plugin=plugin, hook=other.code, text=f"nothing is found that it covers: {other.text!r}")
        for other in given
        if not any(other.covers(one) for one in listed)
    ]
    return (*left, *stale)


def _counted(number: int, what: str) -> str:
    return f"{number or 'no'} {what}{'' if number == 1 else 's'}"


__all__ = ["RULE_CHECKS", "Check", "Exempt", "Finding", "Report", "Tally", "condensed", "exempted"]
