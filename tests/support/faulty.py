"""Faulty plugins, one fault each; all but the fault is `Sound`. `faults.py` says which check finds which."""

from __future__ import annotations

import contextlib
import datetime
import random
from collections.abc import Callable, Iterator
from decimal import Decimal
from time import time as now
from typing import Any

import msgspec
from msgspec.structs import replace

from affray.kernel import (
    Action,
    Change,
    Condition,
    Derived,
    Fight,
    Form,
    Judge,
    Modifier,
    Refused,
    Roll,
    Row,
    Save,
    Step,
    Steps,
    System,
    dice,
    hookimpl,
)

from .sound import Sheet, Sound, act, attack, guard, swing, wound

TEN = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def described(**changes: Any) -> Callable[[Sound], System]:
    def describe(self: Sound) -> System:
        return replace(Sound().describe(), **changes)

    return hookimpl(describe)


# -- loading and building


def nothing() -> None:
    """A factory that forgets to return."""


def raising() -> object:
    raise ValueError("not today")


def leaving() -> object:
    raise SystemExit(3)


class Misspelt(Sound):
    @hookimpl
    def upkeeps(self, fight: Fight, moment: Any) -> None:
        """Nobody calls this."""


class Beginless(Sound):
    begin = None  # type: ignore[assignment]


class Wrapping:
    @hookimpl(wrapper=True)
    def ruling(self, fight: Fight, action: Action, step: Step) -> Any:
        return (yield)


# -- playing


class Picky(Sound):
    @hookimpl
    def check_sheet(self, sheet: Sheet) -> list[tuple[str, str]]:
        return [("$", "is never good enough")]


class Idle(Sound):
    @hookimpl
    def actions(self, fight: Fight, who: str) -> list[Form]:
        return []


class Told(Sound):
    """Attacks as it is told to, before or instead of the real attack."""

    def attack(self, fight: Fight, action: Action) -> Steps:
        return self.told(fight, action)

    def told(self, fight: Fight, action: Action) -> Steps:
        raise NotImplementedError


class Raising(Told):
    def told(self, fight: Fight, action: Action) -> Steps:
        yield Roll("attack", by=action.actor, plan=dice(1, 20))
        raise KeyError("missing")


class Leaving(Told):
    def told(self, fight: Fight, action: Action) -> Steps:
        raise SystemExit(1)


class Derives(Sound):
    @hookimpl
    def derive(self, sheet: Sheet, options: Any) -> list[Derived]:
        return [Derived(code="twice", value=2 * sheet.skill, trace=(Row("skill", sheet.skill, "sheet"),))]


class Sentence(Told):
    def told(self, fight: Fight, action: Action) -> Steps:
        yield Judge("attack", by=action.actor, code="hit", goal=3, trace=())
        return ("not", "a", "code")


class Rolls(Told):
    def told(self, fight: Fight, action: Action) -> Steps:
        while True:
            yield Roll("attack", by=action.actor, plan=dice(1, 20))


class Spins(Sound):
    @hookimpl
    def check(self, fight: Fight, action: Action) -> Refused | None:
        while action:
            pass
        return None


class SpinsBetween(Told):
    def told(self, fight: Fight, action: Action) -> Steps:
        yield Roll("attack", by=action.actor, plan=dice(1, 20))
        while action:
            with contextlib.suppress(Exception):
                fight.pool("nobody", "hp")


# -- the world


class ReadsClock(Told):
    def told(self, fight: Fight, action: Action) -> Steps:
        now()
        return attack(fight, action)


class ReadsDate(Sound):
    @hookimpl
    def is_over(self, fight: Fight) -> str | None:
        return "tomorrow" if datetime.datetime.now().year < 1970 else None


class Shuffles(Sound):
    @hookimpl
    def actions(self, fight: Fight, who: str) -> list[Form]:
        forms = super().actions(fight, who)
        random.shuffle(forms)
        return forms


class OwnChance(Sound):
    chance = random.Random(1)

    @hookimpl
    def check(self, fight: Fight, action: Action) -> Refused | None:
        return Refused("exhausted") if self.chance.random() < 0 else None


class ReadsFile(Sound):
    @hookimpl
    def upkeep(self, fight: Fight, moment: Any) -> Steps | None:
        with open(__file__):
            return super().upkeep(fight, moment)


# -- memory


class Counts(Told):
    """The third attack is a miracle."""

    def __init__(self) -> None:
        self.count = 0

    def told(self, fight: Fight, action: Action) -> Steps:
        self.count += 1
        yield Judge("attack", by=action.actor, code="miracle" if self.count % 3 == 0 else "miss")
        yield from act(action)


class CountsForAll(Told):
    count = 0

    def told(self, fight: Fight, action: Action) -> Steps:
        CountsForAll.count += 1
        yield Judge("attack", by=action.actor, code=f"number-{self.count}")
        yield from act(action)


class LooksWhereItLies(Told):
    kept: list[object] = []  # noqa: RUF012  # that is the fault

    def told(self, fight: Fight, action: Action) -> Steps:
        self.kept.append(object())
        yield Judge("attack", by=action.actor, code=f"at-{id(self.kept[-1])}")
        yield from act(action)


class TakesAny(Told):
    def told(self, fight: Fight, action: Action) -> Steps:
        yield Judge("attack", by=action.actor, code=next(iter(set(TEN))))
        yield from act(action)


class RemembersAnswers(Sound):
    """Counts how often it was asked to resolve; a resumed action is resolved again."""

    def __init__(self) -> None:
        self.begun: dict[str, int] = {}

    @hookimpl
    def resolve(self, fight: Fight, action: Action) -> Steps:
        self.begun[action.id] = self.begun.get(action.id, 0) + 1
        return self.count(fight, action) if action.name == "attack" else super().resolve(fight, action)

    def count(self, fight: Fight, action: Action) -> Steps:
        verdict = yield from swing(fight, action)
        verdict = yield from guard(fight, action, verdict)
        yield Judge("attack", by=action.actor, code=f"{verdict.code}-{len(self.begun)}")
        yield from act(action)


class Meddles(Sound):
    @hookimpl
    def upkeep(self, fight: Fight, moment: Any) -> Steps | None:
        for one in fight.state.combatants.values():
            one.pools["hp"] = 7
        return super().upkeep(fight, moment)


# -- values


class Halves(Told):
    def told(self, fight: Fight, action: Action) -> Steps:
        yield Judge("attack", by=action.actor, code="hit", goal=7 / 2)  # type: ignore[arg-type]  # that is the fault


class Weighs(Sound):
    @hookimpl
    def actions(self, fight: Fight, who: str) -> list[Form]:
        return [*super().actions(fight, who), Form(name="rest", choices={"weight": (Decimal("0.5"),)})]


class FloatSheet(msgspec.Struct, frozen=True):
    hp: int = 20
    skill: int = 10
    speed: int = 5
    weight: float | None = None


class Measured(Sound):
    @hookimpl
    def sheet_type(self) -> type:
        return FloatSheet


class OpenSheet(msgspec.Struct):
    hp: int = 20
    skill: int = 10
    speed: int = 5
    gear: tuple[list[int], ...] = ()


class Loose(Sound):
    @hookimpl
    def sheet_type(self) -> type:
        return OpenSheet


class Lists(Told):
    def told(self, fight: Fight, action: Action) -> Steps:
        save = yield from Save("balance", who=action.target, name="balance", code="failed", consequences=["prone"])  # type: ignore[arg-type]  # that is the fault
        yield from act(action)
        return save.code


class Unexplained(Told):
    def told(self, fight: Fight, action: Action) -> Steps:
        verdict = yield from Judge("attack", by=action.actor, code="hit", goal=12)
        if verdict.code == "hit":
            yield from wound(fight, action)
        yield from act(action)
        return verdict.code


class UnexplainedRule:
    @hookimpl
    def ruling(self, fight: Fight, action: Action, step: Step) -> Step | None:
        return replace(step, goal=9, trace=()) if isinstance(step, Judge) and step.key == "attack" else None


# -- what nothing depends on


class RollsForShow(Told):
    def told(self, fight: Fight, action: Action) -> Steps:
        yield Roll("initiative", by=action.actor, plan=dice(3, 6))
        return (yield from attack(fight, action))


class GoesByItsOwn(Told):
    """Goes on with its own number, not with what was recorded."""

    def told(self, fight: Fight, action: Action) -> Steps:
        die = yield from Roll("attack", by=action.actor, plan=dice(1, 20))
        margin = 10 - int(die.total or 0)
        yield Judge("attack", by=action.actor, code="hit" if margin >= 0 else "miss", margin=margin)
        if margin >= 0:
            yield from wound(fight, action)
        yield from act(action)
        return "hit" if margin >= 0 else "miss"


class Finally(Told):
    def told(self, fight: Fight, action: Action) -> Steps:
        try:
            yield from attack(fight, action)
        finally:
            del action


class With(Told):
    def told(self, fight: Fight, action: Action) -> Steps:
        with contextlib.nullcontext():
            yield from attack(fight, action)


class Inner(Told):
    def told(self, fight: Fight, action: Action) -> Steps:
        return (yield from self.inner(fight, action))

    def inner(self, fight: Fight, action: Action) -> Iterator[Any]:
        try:
            yield from attack(fight, action)
        except BaseException:
            raise


# -- what is told


class Tempts(Sound):
    """Offers a rest that it always refuses."""

    @hookimpl
    def check(self, fight: Fight, action: Action) -> Refused | None:
        return Refused("exhausted", (action.actor,)) if action.name == "shove" else super().check(fight, action)


class Unreadable(Sound):
    @hookimpl
    def actions(self, fight: Fight, who: str) -> list[Form]:
        return [replace(form, choices={"effort": ("much",)}) if form.name == "attack" else form for form in super().actions(fight, who)]


class Places(Sound):
    describe = described(places={**Sound().describe().places, "damage.armor": "nobody asks here"})


class Armours:
    @hookimpl
    def contribute(self, fight: Fight, action: Action, place: str) -> list[Modifier]:
        return [Modifier("damage.armor", 1, "skin")] if place == "damage.armor" else []


class Unkeyed(Sound):
    describe = described(steps={key: text for key, text in Sound().describe().steps.items() if key != "wound"})


class Speechless(Sound):
    describe = described(places={"attack.skill": " ", "damage.flat": "added to damage"})


class Unsaved(Sound):
    describe = described(saves={})


class Unworded(Sound):
    @hookimpl
    def texts(self, locale: str) -> dict[str, str] | None:
        return {key: text for key, text in (super().texts(locale) or {}).items() if key != "ask.guard"}


class UnwordedAction(Sound):
    @hookimpl
    def texts(self, locale: str) -> dict[str, str] | None:
        return {key: text for key, text in (super().texts(locale) or {}).items() if not key.startswith("declare.rest")}


class Mute:
    """A house rule that refuses, and adds a step, without a word."""

    @hookimpl
    def check(self, fight: Fight, action: Action) -> Refused | None:
        return Refused("too-loud") if action.name == "shove" and fight.at[0] == 2 else None

    @hookimpl
    def follow(self, fight: Fight, action: Action, step: Step) -> Steps | None:
        return self.shaken(step.by) if isinstance(step, Judge) and step.code == "miss" else None

    def shaken(self, who: str) -> Steps:
        yield Condition("shaken", target=who, id="shaken")


class Bleeds:
    """A house rule that gives a system a number that it cannot bear."""

    @hookimpl
    def contribute(self, fight: Fight, action: Action, place: str) -> list[Modifier]:
        return [Modifier("damage.flat", 3, "edge")] if place == "damage.flat" else []

    @hookimpl
    def follow(self, fight: Fight, action: Action, step: Step) -> Steps | None:
        return self.bleed(action) if step.key == "wound" and isinstance(step, Roll) else None

    def bleed(self, action: Action) -> Steps:
        yield Change("wound", target=action.target, pool="blood", value=-1)


def loses(raw: dict[str, Any]) -> dict[str, Any]:
    return {"kind": "note"}


def keeps(raw: dict[str, Any]) -> dict[str, Any]:
    raw["tags"].append("seen")
    return {"kind": "note", "text": raw["text"]}


OLD = {"kind": "note.0", "text": "hello", "tags": []}
