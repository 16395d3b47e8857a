"""The hooks of a rules system and of a house rule (design, section 4). pluggy registers them and checks their signatures.

`one`: the system's alone, first answer counts (a house rule may replace `resolve` and `begin`). `list`: everybody is
asked, in manifest order. `chain`: each is given what the one before left.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping
from typing import Any

import pluggy

from .describe import Derived, Form, System
from .errors import Refused
from .runs import Action, Moment
from .state import Fight
from .steps import Step
from .values import Modifier, Pool

PROJECT = "affray"
hookspec = pluggy.HookspecMarker(PROJECT)
hookimpl = pluggy.HookimplMarker(PROJECT)

Steps = Generator[Step, Any, Any]
"""What a resolver is: a generator of steps that returns the action's outcome code."""


class Hooks:
    """Every hook, with what to return."""

    @hookspec
    def describe(self) -> System:
        """Describe the system (one)."""
        raise AssertionError

    @hookspec
    def sheet_type(self) -> type:
        """Return the frozen Struct type of a combatant's sheet (one)."""
        raise AssertionError

    @hookspec
    def check_sheet(self, sheet: Any) -> Iterable[tuple[str, str]]:
        """Return (path, problem) for everything wrong with a sheet that has the right type (list)."""
        raise AssertionError

    @hookspec
    def pools(self, sheet: Any, options: Any) -> Mapping[str, Pool]:
        """Return the pools a combatant with this sheet brings (one)."""
        raise AssertionError

    @hookspec
    def derive(self, sheet: Any, options: Any) -> Iterable[Derived]:
        """Return every value that follows from a sheet, with the rows that explain it (list)."""
        raise AssertionError

    @hookspec
    def begin(self, fight: Fight) -> Steps | None:
        """Return the generator of the first moment: initiative, order or clock (one)."""
        raise AssertionError

    @hookspec
    def actions(self, fight: Fight, who: str) -> Iterable[Form]:
        """Return what a combatant may declare now, in or out of turn (list)."""
        raise AssertionError

    @hookspec
    def check(self, fight: Fight, action: Action) -> Refused | None:
        """Return a reason to refuse a declaration before any cost or die, or None (list; nested actions too)."""
        raise AssertionError

    @hookspec
    def resolve(self, fight: Fight, action: Action) -> Steps | None:
        """Return the resolver of a declared action; a house rule returns None to leave it to the system (one)."""
        raise AssertionError

    @hookspec
    def upkeep(self, fight: Fight, moment: Moment) -> Steps | None:
        """Return the generator of what happens at a moment, or None (list; each under an id of its own)."""
        raise AssertionError

    @hookspec
    def contribute(self, fight: Fight, action: Action, place: str) -> Iterable[Modifier] | None:
        """Return modifier rows that act at a place (list)."""
        raise AssertionError

    @hookspec
    def ruling(self, fight: Fight, action: Action, step: Step) -> Step | None:
        """Return a changed copy of a step before it is recorded; None or the same object for no change (chain)."""
        raise AssertionError

    @hookspec
    def follow(self, fight: Fight, action: Action, step: Step) -> Steps | None:
        """Return the generator of extra steps after a recorded step, or None (list)."""
        raise AssertionError

    @hookspec
    def is_over(self, fight: Fight) -> str | None:
        """Return the code of an ending, or None; asked when nothing can go on (list)."""
        raise AssertionError

    @hookspec
    def texts(self, locale: str) -> Mapping[str, str] | None:
        """Return sentence templates by code for a locale such as "en", or None (list)."""
        raise AssertionError


HOOK_NAMES = tuple(name for name in vars(Hooks) if not name.startswith("_"))
