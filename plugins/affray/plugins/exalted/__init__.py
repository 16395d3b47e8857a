"""Exalted, second edition, with the nicer-math speed-hybrid Defense Value (system `exalted`; README.md tells how to play it).

Open `defense_value.py` with the seed in hand, steps A to F; `attack.py` keeps the order of an attack. The rest by
subject: `sheet.py`, `gear.py` and `charms.py` say what a combatant brings, `situation.py` how that becomes the inputs of
a Defense Value, `defence.py` what a defender chooses, `damage.py`, `health.py` and `saves.py` what a hit does, `clock.py`,
`timing.py` and `maneuvers.py` who acts when; `beings.py` is tables, `derived.py` what a sheet comes to.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from affray.kernel import Action, Derived, Fight, Form, Moment, Pool, Refused, Steps, System, hookimpl

from . import clock, maneuvers, timing
from .actions import PARAMS, forms, refusal
from .attack import attack
from .derived import derived
from .glossary import PLACES, STEPS
from .options import BUNDLES, Options
from .sheet import Sheet, pools, problems
from .texts import TEXTS

RESOLVERS: Mapping[str, Callable[[Fight, Action], Steps]] = {
    timing.ATTACK: attack,
    timing.FLURRY: maneuvers.flurry,
    timing.COORDINATE: maneuvers.coordinate,
    timing.AIM: maneuvers.aim,
    timing.BREAK_OFF: maneuvers.break_off,
}
"""What resolves an action; `maneuvers.simple` does all others."""


class Exalted:
    """The rules system: every hook, answered by the module that knows."""

    @hookimpl
    def describe(self) -> System:
        """Describe the system."""
        return System(
            id="exalted",
            release="1",
            title="Exalted 2e, nicer-math speed-hybrid",
            options=Options,
            actions=dict(PARAMS),
            places=dict(PLACES),
            steps=dict(STEPS),
            saves={"stun": "Stamina + Resistance", "knockdown": "Dexterity or Stamina + Athletics or Resistance"},
            bundles={name: dict(options) for name, options in BUNDLES.items()},
            attribution="SuturedDefenseValue/NicerMathSpeedHybrid, exalted.xi.co.nz",
        )

    @hookimpl
    def sheet_type(self) -> type[Sheet]:
        """Give the type of a sheet."""
        return Sheet

    @hookimpl
    def check_sheet(self, sheet: Sheet) -> Iterable[tuple[str, str]]:
        """Find what is wrong with a sheet."""
        return list(problems(sheet))

    @hookimpl
    def pools(self, sheet: Sheet, options: Options) -> Mapping[str, Pool]:
        """List the pools a combatant brings."""
        return pools(sheet)

    @hookimpl
    def derive(self, sheet: Sheet, options: Options) -> Iterable[Derived]:
        """List what follows from a sheet."""
        return list(derived(sheet, options))

    @hookimpl
    def begin(self, fight: Fight) -> Steps:
        """Begin the fight."""
        return clock.begin(fight)

    @hookimpl
    def actions(self, fight: Fight, who: str) -> Iterable[Form]:
        """List what may be declared."""
        return list(forms(fight, who))

    @hookimpl
    def check(self, fight: Fight, action: Action) -> Refused | None:
        """Give a reason to refuse a declaration."""
        return refusal(fight, action)

    @hookimpl
    def resolve(self, fight: Fight, action: Action) -> Steps:
        """Resolve an action."""
        return RESOLVERS.get(action.name, maneuvers.simple)(fight, action)

    @hookimpl
    def upkeep(self, fight: Fight, moment: Moment) -> Steps | None:
        """Give what happens at a moment."""
        return clock.upkeep(fight, moment)

    @hookimpl
    def is_over(self, fight: Fight) -> str | None:
        """Say how the fight ended."""
        return clock.is_over(fight)

    @hookimpl
    def texts(self, locale: str) -> Mapping[str, str] | None:
        """Give the sentences of a locale."""
        return TEXTS.get(locale)


def make() -> Exalted:
    """Make the plugin (entry point `affray.systems`)."""
    return Exalted()
