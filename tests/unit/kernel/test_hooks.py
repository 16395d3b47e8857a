"""What each hook of a house rule may give, and in whose name it fails when it gives something else."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from affray.kernel import (
    Action,
    Breach,
    Change,
    Fight,
    Form,
    InputError,
    Judge,
    Modifier,
    Moment,
    Pool,
    Refused,
    Roll,
    Row,
    Step,
    hookimpl,
)

from ...support.broken import assert_breach, session_of
from ...support.table import engine, tiny_catalog, tiny_session
from ...support.tiny import Tiny


class Told:
    """A house rule that gives what it is told to at one hook, until it is mended."""

    value: Any = None

    def give(self) -> Any:
        if isinstance(self.value, BaseException):
            raise self.value
        return self.value() if callable(self.value) else self.value


class AtCheck(Told):
    @hookimpl
    def check(self, fight: Fight, action: Action) -> Any:
        return self.give()


class AtActions(Told):
    @hookimpl
    def actions(self, fight: Fight, who: str) -> Any:
        return self.give()


class AtContribute(Told):
    @hookimpl
    def contribute(self, fight: Fight, action: Action, place: str) -> Any:
        return self.give()


class AtRuling(Told):
    @hookimpl
    def ruling(self, fight: Fight, action: Action, step: Step) -> Any:
        if isinstance(step, Judge) and not isinstance(self.value, BaseException):
            return self.value(step) if callable(self.value) else self.value
        return self.give() if isinstance(step, Judge) else None


class AtFollow(Told):
    @hookimpl
    def follow(self, fight: Fight, action: Action, step: Step) -> Any:
        return self.give() if isinstance(step, Roll) and step.key == "attack" else None


class AtUpkeep(Told):
    @hookimpl
    def upkeep(self, fight: Fight, moment: Moment) -> Any:
        return self.give() if moment.name == "end" else None


class AtIsOver(Told):
    @hookimpl
    def is_over(self, fight: Fight) -> Any:
        return self.give()


class AtResolve(Told):
    @hookimpl
    def resolve(self, fight: Fight, action: Action) -> Any:
        return self.give()


def raising() -> Any:
    raise LookupError("no such page")
    yield


def odd_step() -> Any:
    yield 5


def endless() -> Any:
    while True:
        yield Judge("x", by="ann", code="x")


def half_text() -> Any:
    yield Judge("x", by="ann", code="\ud800")


def late_error() -> Any:
    yield Form(name="attack")
    raise LookupError("no such page")


BROKEN: dict[str, tuple[type[Told], Any, str, str]] = {
    "check raises": (AtCheck, LookupError("no"), "check", "raised LookupError"),
    "check gives a truth": (AtCheck, True, "check", "not Refused or None"),
    "check gives a text": (AtCheck, "no", "check", "not Refused or None"),
    "check gives a list": (AtCheck, [Refused("no")], "check", "not Refused or None"),
    "check looks at nobody": (AtCheck, InputError("no such combatant"), "check", "raised InputError"),
    "actions raise": (AtActions, LookupError("no"), "actions", "raised LookupError"),
    "actions give a number": (AtActions, 5, "actions", "which is no list"),
    "actions give a text": (AtActions, "attack", "actions", "which is no list"),
    "actions give a text in a list": (AtActions, ["attack"], "actions", "not a Form"),
    "actions give an unknown action": (AtActions, [Form(name="fly")], "actions", "not a Form of an action"),
    "actions raise later": (AtActions, late_error, "actions", "raised LookupError"),
    "contribute raises": (AtContribute, LookupError("no"), "contribute", "raised LookupError"),
    "contribute gives a number": (AtContribute, 3, "contribute", "which is no list"),
    "contribute gives a row": (AtContribute, [Row("a", 1, "b")], "contribute", "places are"),
    "contribute gives an unknown place": (AtContribute, [Modifier("nowhere", 1, "x")], "contribute", "places are"),
    "contribute gives no number": (AtContribute, [Modifier("attack.skill", float("nan"), "x")], "contribute", "exact number"),  # type: ignore[arg-type]
    "contribute gives a text": (AtContribute, [Modifier("attack.skill", "3", "x")], "contribute", "exact number"),
    "contribute gives no code": (AtContribute, [Modifier("attack.skill", 3, None)], "contribute", "without a code"),  # type: ignore[arg-type]
    "ruling raises": (AtRuling, LookupError("no"), "ruling", "raised LookupError"),
    "ruling gives a number": (AtRuling, 3, "ruling", "the same kind of step"),
    "ruling changes the kind": (AtRuling, lambda s: Change(s.key, target="bob", pool="hp", value=1), "ruling", "same kind"),
    "ruling changes the key": (AtRuling, lambda s: msgspec.structs.replace(s, key="other"), "ruling", "same slot"),
    "ruling changes the person": (AtRuling, lambda s: msgspec.structs.replace(s, by="bob"), "ruling", "same slot"),
    "ruling changes the run": (AtRuling, lambda s: msgspec.structs.replace(s, action="a9"), "ruling", "same slot"),
    "ruling changes the occurrence": (AtRuling, lambda s: msgspec.structs.replace(s, occurrence=7), "ruling", "same slot"),
    "ruling leaves the trace behind": (AtRuling, lambda s: msgspec.structs.replace(s, goal=99), "ruling", "not to the goal of 99"),
    "ruling gives a float": (AtRuling, lambda s: msgspec.structs.replace(s, margin=0.5), "ruling", "not an exact number"),
    "follow raises": (AtFollow, LookupError("no"), "follow", "raised LookupError"),
    "follow gives a step": (AtFollow, Judge("x", by="ann", code="x"), "follow", "not a generator"),
    "follow raises within": (AtFollow, raising, "follow", "raised LookupError"),
    "follow yields no step": (AtFollow, odd_step, "follow", "which is no step"),
    "follow never ends": (AtFollow, endless, "follow", "more than 2000 steps"),
    "follow yields what cannot be written": (AtFollow, half_text, "follow", ""),
    "upkeep raises": (AtUpkeep, LookupError("no"), "upkeep", "raised LookupError"),
    "upkeep gives a list": (AtUpkeep, [], "upkeep", "not a generator"),
    "upkeep raises within": (AtUpkeep, raising, "upkeep", "raised LookupError"),
    "is_over raises": (AtIsOver, LookupError("no"), "is_over", "raised LookupError"),
    "is_over gives a truth": (AtIsOver, True, "is_over", "not a code or None"),
    "is_over gives nothing in particular": (AtIsOver, "", "is_over", "not a code or None"),
    "resolve raises": (AtResolve, LookupError("no"), "resolve", "raised LookupError"),
    "resolve gives a list": (AtResolve, [], "resolve", "not a generator"),
    "resolve raises within": (AtResolve, raising, "resolve", "raised LookupError"),
}  # fmt: skip


@pytest.mark.parametrize("name", BROKEN)
def test_a_hook_that_breaks_the_contract_is_named_with_its_plugin(name: str) -> None:
    """Law 10 and PLUG-2: the command fails as a whole, the next one works."""
    kind, value, hook, problem = BROKEN[name]
    rule = kind()
    session = session_of(Tiny(), house={"rude": rule})
    rule.value = value

    def mend() -> None:
        rule.value = None

    assert_breach(session, lambda: session.declare("ann", "attack", "bob"), "rude", hook, problem, mend=mend)


@pytest.mark.parametrize("give", [None, [], (), 5, {"hp": 5}, {"h p": Pool(start=5)}, {5: Pool(start=5)}])
def test_pools_are_a_mapping_of_names_to_pools(give: Any) -> None:
    class Odd(Tiny):
        @hookimpl
        def pools(self, sheet: Any, options: Any) -> Any:
            return give

    session = tiny_session(engine(catalog=tiny_catalog(Odd)), people=0, begun=False)
    with pytest.raises(Breach, match="plugin 'tiny', hook pools: "):
        session.join("ann", side="a", sheet={"hp": 3})
    assert session.head == 1


@pytest.mark.parametrize("wrong", [{"start": 1.5}, {"start": True}, {"low": float("nan")}, {"high": "x"}, {"damage": 2}])
def test_pools_hold_exact_numbers(wrong: dict[str, Any]) -> None:
    class Odd(Tiny):
        @hookimpl
        def pools(self, sheet: Any, options: Any) -> dict[str, Pool]:
            return {"hp": Pool(**{"start": 5, **wrong})}

    session = tiny_session(engine(catalog=tiny_catalog(Odd)), people=0, begun=False)
    with pytest.raises(Breach, match="plugin 'tiny', hook pools: "):
        session.join("ann", side="a", sheet={"hp": 3})


@pytest.mark.parametrize("give", [5, "$.hp", ["$.hp"], [("$.hp",)], [("$.hp", 5)], [("$.hp", "no", "really")]])
def test_problems_of_a_sheet_are_paths_and_sentences(give: Any) -> None:
    class Odd(Tiny):
        @hookimpl
        def check_sheet(self, sheet: Any) -> Any:
            return give

    session = tiny_session(engine(catalog=tiny_catalog(Odd)), people=0, begun=False)
    with pytest.raises(Breach, match="plugin 'tiny', hook check_sheet: "):
        session.join("ann", side="a", sheet={"hp": 3})


class Gives:
    """Adds a row, or raises."""

    def __init__(self, amount: int | None) -> None:
        self.amount = amount

    @hookimpl
    def contribute(self, fight: Fight, action: Action, place: str) -> list[Modifier]:
        if self.amount is None:
            raise LookupError("no such page")
        return [Modifier("attack.skill", self.amount, "x")]


@pytest.mark.parametrize("order", [("a", "b", "c"), ("c", "b", "a"), ("b", "a", "c")])
def test_one_that_raises_between_two_that_answer_fails_the_command_as_a_whole(order: tuple[str, ...]) -> None:
    """PLUG-2: whatever the order, nothing of what the others gave is used."""
    rules = {"a": Gives(3), "b": Gives(None), "c": Gives(5)}
    session = session_of(Tiny(), house={name: rules[name] for name in order})

    def mend() -> None:
        for rule in rules.values():
            rule.amount = 0

    assert_breach(session, lambda: session.declare("ann", "attack", "bob"), "b", "contribute", "LookupError", mend=mend)


class Grasping:
    """Tries to change in place what it was given."""

    is_mended = False

    @hookimpl
    def ruling(self, fight: Fight, action: Action, step: Step) -> Step | None:
        if isinstance(step, Judge) and not self.is_mended:
            step.code = "miss"  # type: ignore[misc]
        return None


def test_steps_and_events_are_read_only() -> None:
    """PLUG-2: a step is changed by giving back another one."""
    rule = Grasping()
    session = session_of(Tiny(), house={"grasping": rule})

    def mend() -> None:
        rule.is_mended = True

    assert_breach(session, lambda: session.declare("ann", "attack", "bob"), "grasping", "ruling", "immutable", mend=mend)
