"""The kit says what is wrong with a plugin, whatever the plugin does: it never fails itself."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from affray.kernel import Action, Fight, Form, Pool, Roll, Step, System, dice, hookimpl
from affray.kernel.testing import check_house_rule, check_rules

from ...support.faults import FEW
from ...support.faulty import Told, described
from ...support.sound import Sound


def giving(hook: str, value: Any) -> type[Sound]:
    """A system whose hook gives, or raises, a value, whatever it is asked."""
    parameters = {
        "describe": "self", "sheet_type": "self", "check_sheet": "self, sheet", "pools": "self, sheet, options", "derive": "self, sheet, options",
        "begin": "self, fight", "actions": "self, fight, who", "check": "self, fight, action", "resolve": "self, fight, action",
        "upkeep": "self, fight, moment", "contribute": "self, fight, action, place", "ruling": "self, fight, action, step",
        "follow": "self, fight, action, step", "is_over": "self, fight", "texts": "self, locale",
    }[hook]  # fmt: skip
    space: dict[str, Any] = {"value": value}
    exec(f"def {hook}({parameters}):\n    if isinstance(value, BaseException):\n        raise value\n    return value\n", space)
    return type("Nasty", (Sound,), {hook: hookimpl(space[hook])})


ODD = (ValueError("no"), 3, "text", object(), SystemExit(2))
HOOKS = ("describe", "sheet_type", "check_sheet", "pools", "derive", "begin", "actions", "check", "resolve", "upkeep", "contribute", "ruling", "follow", "is_over", "texts")


@pytest.mark.parametrize("hook", HOOKS)
def test_whatever_a_hook_gives_is_told_in_its_name(hook: str) -> None:
    """Law 10: a plugin's fault is told by plugin and hook."""
    for value in ODD:
        is_allowed = (hook, value) in (("is_over", "text"),)
        report = check_rules(giving(hook, value), fights=1, commands=6, processes=False)
        assert is_allowed or any(finding.hook == hook for finding in report.findings), (value, str(report))


class Meddler(Sound):
    """Changes whatever it is given."""

    @hookimpl
    def ruling(self, fight: Fight, action: Action, step: Step) -> None:
        fight.state.combatants.clear()
        fight.state.agenda.clear()


class Vanisher(Told):
    def told(self, fight: Fight, action: Action) -> Any:
        yield Roll("attack", by=action.actor, plan=dice(1, 20))
        fight.state.open.clear()
        yield Roll("attack", by=action.actor, plan=dice(1, 20))


class OddPools(Sound):
    @hookimpl
    def pools(self, sheet: Any, options: Any) -> dict[str, Pool]:
        return {"hp": Pool(start=2**60)}


class OddForms(Sound):
    @hookimpl
    def actions(self, fight: Fight, who: str) -> list[Form]:
        return [Form(name="attack", targets=("nobody",), least=1, most=1, choices={"effort": (), "other": (1,)})]


class OddWords(Sound):
    @hookimpl
    def texts(self, locale: str) -> Any:
        return {1: "one", "declare.attack": 2}


class OddPlaces(Sound):
    describe = described(places={"attack.skill": 3, "damage.flat": None}, saves={"balance": b"x"})


class OddActions(Sound):
    @hookimpl
    def describe(self) -> System:
        return replace(Sound().describe(), actions={"attack": 3, "shove": int, "charge": None, "rest": dict})


@pytest.mark.parametrize("system", [Meddler, Vanisher, OddPools, OddForms, OddWords, OddPlaces, OddActions])
def test_whatever_a_system_is_or_does_is_a_finding(system: type[Sound]) -> None:
    report = check_rules(system, **FEW, processes=False)
    assert report.findings, str(report)


class Nothing:
    """A house rule that does nothing."""


def test_a_rule_that_does_nothing_is_allowed() -> None:
    assert check_house_rule(Nothing, over=Sound, **FEW, processes=False).is_clean
