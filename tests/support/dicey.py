"""The tiny system with more dice, for tests of fair dice: a blind roll, and one at the start of every turn."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from affray.kernel import Action, Fight, Form, Moment, NoParams, Roll, Steps, System, dice, hookimpl

from .tiny import Tiny, start


class Dicey(Tiny):
    """Adds `peek`, five blind d100, and `grit`, a d20 of the one whose turn starts."""

    @hookimpl
    def describe(self) -> System:
        tiny = super().describe()
        return replace(tiny, actions={**tiny.actions, "peek": NoParams})

    @hookimpl
    def actions(self, fight: Fight, who: str) -> list[Form]:
        return [*super().actions(fight, who), Form(name="peek")]

    @hookimpl
    def resolve(self, fight: Fight, action: Action) -> Steps:
        return peek(fight, action) if action.name == "peek" else super().resolve(fight, action)

    @hookimpl
    def upkeep(self, fight: Fight, moment: Moment) -> Steps | None:
        return grit(fight, moment) if moment.name == "start" else super().upkeep(fight, moment)


def peek(fight: Fight, action: Action) -> Any:
    yield from Roll("peek", by=action.actor, plan=dice(5, 100), blind=True)
    return "peeked"


def grit(fight: Fight, moment: Moment) -> Any:
    yield from Roll("grit", by=moment.who, plan=dice(1, 20))
    yield from start(fight, moment)
    return ""


__all__ = ["Dicey"]
