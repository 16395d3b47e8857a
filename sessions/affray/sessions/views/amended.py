"""What an amend does, in words: what is done again, what comes out otherwise, how the fight stands then, what is next.

Pure over the plan and the log's events. Steps are told by their own sentences, before and after, each in its own fight.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple

from affray.kernel import (
    AmendPlan,
    Ask,
    ChangedStep,
    Choose,
    Difference,
    Json,
    Outcome,
    Refused,
    Rewind,
    State,
    Step,
    Stopped,
    slot,
)

from .refusals import why
from .scene import when_text
from .texts import Texts, listed, printable, words
from .transcript import sentences

SHOWN = 20
"""How many steps, and how many values, are told before the rest is only counted."""

_WHY: Mapping[str, str] = {
    "dropped": "left out",
    "gone": "nobody asks for it any more",
    "never-came": "its turn does not come any more",
    "turn-over": "its turn is over by then",
    "unfit": "it cannot be said there any more",
}
"""Why a command is not done again; any other code is a refusal's."""


class Told(NamedTuple):
    """One line: how deep it stands, what it says, how it is printed."""

    depth: int
    text: str
    style: str = ""


class Recording(NamedTuple):
    """What a plan is told beside: every event of the log, the fight as it stood before, and the words of its rules."""

    events: Sequence[tuple[int, Any]]
    state: State
    texts: Texts


def told(plan: AmendPlan, recording: Recording, *, everything: bool = False) -> Iterator[Told]:
    """The whole of a plan, without its end (`ending`)."""
    telling = _Telling(plan, recording)
    yield Told(0, telling.beginning(), "bold")
    most = None if everything else SHOWN
    yield from _section("Not done again:", [telling.dropped(one) for one in plan.outcomes if one.code != "done"], most)
    changes = [list(telling.change(step)) for step in plan.changed]
    yield from _section("Comes out otherwise:", changes, most)
    title = "How the fight stands then:" if plan.stopped is None else "How the fight stands where it stops:"
    yield from _section(title, [[telling.difference(one)] for one in plan.differences], most)
    if not (plan.changed or plan.differences or any(one.code != "done" for one in plan.outcomes)):
        yield Told(0, "Nothing comes out otherwise.")
    if plan.drawn:
        yield Told(0, f"{_many(len(plan.drawn), 'roll')} needed dice that nobody had thrown: {listed(map(_key, plan.drawn))}.")


def ending(plan: AmendPlan, recording: Recording, session: str, *, is_stored: bool) -> Iterator[Told]:
    """Why it stops before the record ends, and what is to be done."""
    stopped = plan.stopped
    if stopped is None:
        return
    yield Told(0, f"It stops there: {printable(_reason(stopped, recording)).removesuffix('.')}.", "bold")
    events = (*plan.events[::-1], *(event for _, event in reversed(recording.events)))
    ask = next((one for one in events if isinstance(one, Ask) and slot(one) == stopped.what), None)
    if ask is not None and ask.options:
        yield Told(1, f"Possible answers: {listed([option.code for option in ask.options], 'or')}.")
    if plan.left:
        yield Told(1, f"{_many(plan.left, 'command')} of the record {'is' if plan.left == 1 else 'are'} still to come.")
    if stopped.why == "die" and not is_stored:
        yield Told(1, "Only --apply throws them.")
    if is_stored and (step := _next(stopped, session)):
        yield Told(1, f"Next: {step}")
        if plan.left:
            yield Told(1, f"Then: affray amend {session} --continue --apply")
    elif stopped.why in ("prompt", "option") and ask is not None and ask.plan is None:
        yield Told(1, f"An answer can be given along: --supply '{stopped.what}' {stopped.who[0]} CODE")


def _reason(stopped: Stopped, recording: Recording) -> str:
    people = listed([_name(recording.state, who) for who in stopped.who]) or "somebody"
    has = "has" if len(stopped.who) == 1 else "have"
    what = _key(stopped.what)
    match stopped.why:
        case "prompt":
            return f"{people} {has} to {'roll' if '|roll.' in stopped.what else 'answer'}, and the record has nothing for it ({what})"
        case "option":
            return f"{people} cannot answer {stopped.text} any more ({what})"
        case "turn":
            return f"it is {people}'s turn, and the record has nothing done in it"
        case "die":
            return f"dice are needed that nobody has thrown ({what}{f', {people}' if stopped.who else ''})"
        case "dice":
            code, *args = stopped.text.split(" ")
            return f"dice cannot be thrown now ({what}). {why(recording.texts, Refused(code, tuple(args)), recording.state)}"
        case "witness":
            return f"{people} {has} to witness dice ({what})"
        case _:
            return f"the rules cannot go on at {what}: {stopped.text}"


def _next(stopped: Stopped, session: str) -> str:
    """The command that gives what is missing, "" where none does."""
    who = stopped.who[0] if stopped.who else "WHO"
    match stopped.why:
        case "prompt" if "|roll." in stopped.what:
            return f"affray report {session} {who} FACES"
        case "prompt" | "option":
            return f"affray answer {session} {who} VALUE"
        case "turn":
            return f"affray declare {session} {who} ACTION"
        case "witness":
            return f"affray answer {session} {who} witness --as CONTROLLER --nonce TEXT"
        case "dice" if stopped.text.startswith("dice-wait-for-nonce"):
            return f"affray note {session} TEXT --as CONTROLLER --nonce TEXT"
        case _:
            return ""


class _Telling:
    """The sentences of a plan."""

    def __init__(self, plan: AmendPlan, recording: Recording) -> None:
        self.plan = plan
        self.state, self.texts = recording.state, recording.texts
        rewind = (plan.head + 1, Rewind(to=plan.to, why="amend"))
        again = enumerate(plan.events, plan.head + 2)
        before = (pair for pair in recording.events if pair[0] <= plan.head)
        self.old: dict[int, str] = {}
        self.new: dict[str, str] = {}
        for one in sentences(chain(before, [rewind], again), self.texts):
            if one.version <= plan.head:
                self.old[one.version] = one.text
            elif isinstance(one.event, Step):
                self.new[slot(one.event)] = one.text

    def beginning(self) -> str:
        """How far back it goes, and how much is done again."""
        old = [one for one in self.plan.outcomes if one.version]
        done = sum(one.code == "done" for one in old)
        new = sum(one.code == "done" for one in self.plan.outcomes) - done
        added = f", {new} new" if new else ""
        begin = "Goes on from" if self.plan.to == self.plan.head else "Back to"
        return f"{begin} version {self.plan.to}; {done} of {_many(len(old), 'command')} since done again{added}."

    def dropped(self, one: Outcome) -> list[Told]:
        """A command that is not done again, and why."""
        new = "an answer that was given along:" if isinstance(one.event, Choose) else "a word that was to be put in:"
        what = f"version {one.version}: {self.old[one.version]}" if one.version else new
        return [Told(1, f"{what} ({printable(_WHY.get(one.code, words(one.code)))})")]

    def change(self, step: ChangedStep) -> Iterator[Told]:
        """A step before and after."""
        after = self.new.get(step.slot, "") if step.after is not None else ""
        if step.before is None:
            yield Told(1, f"new: {after}")
            return
        before = self.old[step.version]
        yield Told(1, f"version {step.version}: {before}")
        yield Told(2, "→ does not happen" if step.after is None else f"→ {after}" if after != before else "→ the same, made of something else")

    def difference(self, one: Difference) -> Told:
        """A value of the fight before and after."""
        return Told(1, printable(f"{self.where(one.where)}: {self.value(one, one.before)} → {self.value(one, one.after)}"))

    def where(self, where: str) -> str:
        """What a value is called."""
        who, _, what = where.partition(".")
        kind, _, name = what.partition(".")
        texts = self.texts
        if not what:
            return {"at": "the clock", "over": "the end", "turn": "whose turn"}.get(who, _name(self.state, who))
        if who == "agenda":
            return f"{texts.word(what.rpartition(':')[2])} comes up"
        if who in ("open", "prompt"):
            return f"{'action' if who == 'open' else 'question'} {what}"
        if kind == "condition":
            return f"{_name(self.state, who)}, {texts.word(name, 'condition')}"
        if kind == "sheet":
            return f"{_name(self.state, who)}'s sheet, {name}"
        return f"{_name(self.state, who)}'s {texts.word(what, 'pool')}"

    def value(self, one: Difference, value: Json) -> str:
        """A value in a word or two."""
        if value is None or value == "":
            return "none"
        if one.where == "at" or one.where.startswith("agenda."):
            return when_text(tuple(value))
        if one.where == "turn":
            return _name(self.state, value)
        if isinstance(value, bool):
            return "yes" if value else "no"
        if isinstance(value, dict) and "id" in value:
            return "has it" if value.get("value") in (None, 1) else str(value["value"])
        return words(value) if isinstance(value, str) else str(value)


def _section(title: str, entries: Iterable[list[Told]], most: int | None) -> Iterator[Told]:
    found = list(entries)
    if not found:
        return
    yield Told(0, title, "bold")
    for entry in found[:most]:
        yield from entry
    if most is not None and len(found) > most:
        yield Told(1, f"... and {len(found) - most} more (--all)")


def _key(name: str) -> str:
    """A slot, as short as it can be told: the step's key."""
    place = name.rpartition("|")[2]
    return words(place.split(".")[1]) if place.count(".") else words(place)


def _name(state: State, who: str) -> str:
    someone = state.combatants.get(who)
    return printable(someone.name) if someone is not None else words(who)


def _many(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"


__all__ = ["Recording", "Told", "ending", "told"]
