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
        """Describe the system (one).

        Called: when the rules of a manifest are built, and whenever somebody lists what is installed.
        Return: a System: id, release, title, the types of options and of every action's parameters, places, step keys,
            saves, bundles.
        House rules: cannot give it.
        Errors: anything else than a System, or an id that is not the entry point's, is a breach.
        """
        raise AssertionError

    @hookspec
    def sheet_type(self) -> type:
        """Return the frozen Struct type of a combatant's sheet (one).

        Called: once, when the rules are built.
        Return: the type; sheets from outside are converted to it, and `fight.sheet(who)` is one of it.
        House rules: cannot give it.
        Errors: anything but a type is a breach.
        """
        raise AssertionError

    @hookspec
    def check_sheet(self, sheet: Any) -> Iterable[tuple[str, str]]:
        """Return (path, problem) for everything wrong with a sheet that has the right type (list).

        Called: for every sheet that comes in, before the combatant joins.
        Return: pairs such as ("$.skills.Swords", "must be 1 to 10"); nothing where all is well.
        House rules: may refuse more; nobody can allow what another refuses.
        Errors: an InputError raised here is the sheet's fault, anything else a breach.
        """
        raise AssertionError

    @hookspec
    def pools(self, sheet: Any, options: Any) -> Mapping[str, Pool]:
        """Return the pools a combatant with this sheet brings (one).

        Called: when a combatant joins.
        Return: a mapping of names to Pool: where it starts, its range, the direction in which damage moves it.
        House rules: cannot give it; `options` are the system's.
        Errors: an InputError is the sheet's fault; a name that is no id, or a number that is not exact, is a breach.
        """
        raise AssertionError

    @hookspec
    def derive(self, sheet: Any, options: Any) -> Iterable[Derived]:
        """Return every value that follows from a sheet, with the rows that explain it (list).

        Called: when somebody looks at a sheet (`affray sheet`); never while a fight is decided.
        Return: Derived values whose traces add up to them, in the order in which they are to be shown.
        House rules: may add values of their own.
        Errors: a trace that does not add up is a breach.
        """
        raise AssertionError

    @hookspec
    def begin(self, fight: Fight) -> Steps | None:
        """Return the generator of the first moment: initiative, order or clock (one).

        Called: when the fight begins.
        Return: a generator of steps that seats everybody on the agenda.
        House rules: the last one that returns a generator replaces the system's; None leaves it.
        Errors: what it raises is a breach, and the fight has not begun.
        """
        raise AssertionError

    @hookspec
    def actions(self, fight: Fight, who: str) -> Iterable[Form]:
        """Return what a combatant may declare now, in or out of turn (list).

        Called: when somebody asks what there is, and for every declaration, which has to fit one of the forms.
        Return: Forms: an action's name, who may be targeted, how many, and the choices of its parameters.
        House rules: may offer more of the actions that the system describes; to take one away, refuse it in `check`.
        Errors: a form of an action that is not described is a breach.
        """
        raise AssertionError

    @hookspec
    def check(self, fight: Fight, action: Action) -> Refused | None:
        """Return a reason to refuse a declaration before any cost or die, or None (list; nested actions too).

        Called: for every declaration that fits a form, and for nested ones, whose parent hears the code by their `done`.
        Return: Refused(code, args), or None. The first refusal counts.
        House rules: may refuse what the system would allow, which is how they forbid something.
        Errors: a DiceError is the declaration's fault (notation that was typed), anything else a breach.
        """
        raise AssertionError

    @hookspec
    def resolve(self, fight: Fight, action: Action) -> Steps | None:
        """Return the resolver of a declared action; a house rule returns None to leave it to the system (one).

        Called: when an action is declared, when it is resumed, and by every truth tool.
        Return: a generator of steps whose return value is the action's outcome code. Before its first step it may return
            Refused, and nothing has happened then.
        House rules: the last one that returns a generator replaces the system's. It must be a plain function: a generator
            function could never fall through.
        Errors: what it raises is a breach; nothing of the command is appended.
        """
        raise AssertionError

    @hookspec
    def upkeep(self, fight: Fight, moment: Moment) -> Steps | None:
        """Return the generator of what happens at a moment, or None (list; each under an id of its own).

        Called: at the start and end of a turn, at an expiry, when a latecomer is to be seated, at a system's own moments.
        Return: a generator of steps, or None.
        House rules: add their own after the system's.
        Errors: what it raises is a breach.
        """
        raise AssertionError

    @hookspec
    def contribute(self, fight: Fight, action: Action, place: str) -> Iterable[Modifier] | None:
        """Return modifier rows that act at a place (list).

        Called: whenever a resolver asks for the rows at a place, `action.rows(place)`.
        Return: Modifiers of that place, each with an amount and a code; rows of other places are left out.
        House rules: this is how they add to a number. The row stands in the trace under the rule's name.
        Errors: a place that the system does not publish, or an amount that is not exact, is a breach.
        """
        raise AssertionError

    @hookspec
    def ruling(self, fight: Fight, action: Action, step: Step) -> Step | None:
        """Return a changed copy of a step before it is recorded; None or the same object for no change (chain).

        Called: for every step, after before, after and overflow are filled in, and before dice are thrown.
        Return: `replace(step, ...)`: any field but its kind, key and person. The number and its trace must go together.
        House rules: this is how they change a plan, options, a verdict or a consequence. Each is given what the one before
            left, in the manifest's order, and the event names those who changed it.
        Errors: another kind or slot, or a trace that does not add up, is a breach that names the rule.
        """
        raise AssertionError

    @hookspec
    def follow(self, fight: Fight, action: Action, step: Step) -> Steps | None:
        """Return the generator of extra steps after a recorded step, or None (list).

        Called: after every step of a run, with the step as it was recorded.
        Return: a generator of steps, which run before the action goes on.
        House rules: this is how they add a consequence: a fumble table, a reaction.
        Errors: what it raises is a breach.
        """
        raise AssertionError

    @hookspec
    def is_over(self, fight: Fight) -> str | None:
        """Return the code of an ending, or None; asked when nothing can go on (list).

        Called: when no action can go on, no prompt is open and nobody holds the turn yet.
        Return: a code such as "won-by-red", or None. The first ending counts.
        House rules: may end a fight that the system would go on with.
        Errors: anything but a code or None is a breach.
        """
        raise AssertionError

    @hookspec
    def texts(self, locale: str) -> Mapping[str, str] | None:
        """Return sentence templates by code for a locale such as "en", or None (list).

        Called: when a log is shown.
        Return: a mapping such as {"judge.attack.hit": "{by} hits {against}"}.
        House rules: theirs go over those of the system.
        Errors: anything but a mapping is a breach; a missing text is read as plain words.
        """
        raise AssertionError


HOOK_NAMES = tuple(name for name in vars(Hooks) if not name.startswith("_"))
