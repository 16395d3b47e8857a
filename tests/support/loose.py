"""A system that lets every JSON value through, so that nothing but the kernel refuses one."""

from __future__ import annotations

from typing import Any

import msgspec

from affray.kernel import Entry, Fight, Form, Order, Pool, Steps, System, hookimpl

from .tiny import Tiny


class Anything(msgspec.Struct, frozen=True):
    """A sheet, parameters or options that look at nothing."""

    hp: int = 3
    more: Any = None


class Loose(Tiny):
    """The plugin object: everybody may say anything at any time, and nothing comes of it."""

    @hookimpl
    def describe(self) -> System:
        actions: dict[str, type] = {"say": Anything, "end-turn": Anything}
        return System(id="tiny", release="1", title="Loose", options=Anything, actions=actions, places={"attack.skill": "x"})

    @hookimpl
    def sheet_type(self) -> type:
        return Anything

    @hookimpl
    def pools(self, sheet: Any, options: Any) -> dict[str, Pool]:
        return {"hp": Pool(start=sheet.hp)}

    @hookimpl
    def check_sheet(self, sheet: Any) -> list[tuple[str, str]]:
        return []

    @hookimpl
    def begin(self, fight: Fight) -> Steps:
        steps: Steps = self.order(fight)
        return steps

    def order(self, fight: Fight) -> Any:
        yield Order("order", entries=tuple(Entry(key=who, when=(1,), who=who) for who in fight.ids))

    @hookimpl
    def upkeep(self, fight: Any, moment: Any) -> None:
        """Nothing happens at any moment."""

    @hookimpl
    def actions(self, fight: Any, who: str) -> list[Form]:
        return [Form(name="say"), Form(name="end-turn")]

    @hookimpl
    def check(self, fight: Any, action: Any) -> None:
        """Everything may be said."""

    @hookimpl
    def resolve(self, fight: Any, action: Any) -> Steps:
        steps: Steps = self.say()
        return steps

    def say(self) -> Any:
        return "said"
        yield


__all__ = ["Anything", "Loose"]
