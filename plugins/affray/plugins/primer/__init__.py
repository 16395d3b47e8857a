"""The v9 "Gaming Primer", a percentile system of counts, success levels and nine steps of damage (system `primer`; README.md tells how to play it).

Open `attack.py` with the page in hand; `hits.py` and `wounds.py` are its nine steps, `clock.py` its order within a count. What is only
arithmetic stands by itself: `ranks.py`, `chance.py`, `initiative.py`, `action_speed.py`, `harm.py`, `shock.py`, `armour.py`, `derived.py`, on
the numbers of `tables.py`. `sheet.py`, `gear.py` and `pack.py` say what a combatant and a table bring, `figures.py` what follows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from affray.kernel import (
    Action,
    Derived,
    EndTurn,
    Fight,
    Form,
    Moment,
    Pool,
    Refused,
    Steps,
    System,
    hookimpl,
)

from . import actions, attack, clock, deeds, figures
from .actions import PARAMS, forms, refusal
from .glossary import SAVES, STEPS
from .options import PrimerOptions
from .places import PLACES
from .reaction import perceive
from .sample_pack import BUNDLES
from .sheet import Sheet, problems
from .states import can_act
from .texts import TEXTS

RESOLVERS: Mapping[str, Callable[[Fight, Action], Steps]] = {
    actions.ATTACK: attack.attack,
    actions.DISARM: attack.disarm,
    actions.SKILL: deeds.use,
    actions.DRAW: deeds.draw,
    actions.WAIT: deeds.wait,
    actions.REACT: deeds.react,
    actions.CONTEST: deeds.contest,
    actions.SAVE: deeds.asked_save,
    actions.HEAL: deeds.heal,
    actions.REVIVE: deeds.revive,
}
"""What resolves an action."""


class Primer:
    """The rules system: every hook, answered by the module that knows."""

    exempt = (
        ("verdict-ignored", "'critical-miss'", "the table of critical misses says what the game master has to do"),
        ("verdict-ignored", "'knockback'", "there is no map on which somebody could be knocked back"),
        ("verdict-ignored", "'quarters'", "it counts what leads to the save behind it"),
    )
    """What the page leaves to the table is told and has no effect that the rules could carry out (for `affray check-plugin`)."""

    @hookimpl
    def describe(self) -> System:
        """Describe the system."""
        return System(
            id="primer",
            release="1",
            title="Gaming Primer, version 9",
            options=PrimerOptions,
            actions=dict(PARAMS),
            places=dict(PLACES),
            steps=dict(STEPS),
            saves=dict(SAVES),
            bundles=dict(BUNDLES),
            attribution="a players' primer, version 9, of a home-made percentile system; author not named",
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
    def pools(self, sheet: Sheet, options: PrimerOptions) -> Mapping[str, Pool]:
        """List the pools a combatant brings."""
        return figures.pools(sheet, options)

    @hookimpl
    def derive(self, sheet: Sheet, options: PrimerOptions) -> Iterable[Derived]:
        """List every value that follows from a sheet."""
        return list(figures.derive(sheet, options))

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
        return RESOLVERS[action.name](fight, action)

    @hookimpl
    def upkeep(self, fight: Fight, moment: Moment) -> Steps | None:
        """Give what happens at a moment."""
        match moment.name:
            case "stimulus":
                return perceive(fight, moment)
            case "join":
                return clock.stimulus(fight, moment.who)
            case "expiry":
                return clock.recovered(fight, moment)
            case "start" if not can_act(fight, moment.who):
                return _pass_over(moment.who)
            case _:
                return None

    @hookimpl
    def is_over(self, fight: Fight) -> str | None:
        """Say how the fight ended."""
        return clock.is_over(fight)

    @hookimpl
    def texts(self, locale: str) -> Mapping[str, str] | None:
        """Give the sentences of a locale."""
        return TEXTS.get(locale)


def _pass_over(who: str) -> Steps:
    """Pass over somebody who cannot act: by a game master's word, which took nobody off the clock."""
    yield EndTurn("down", who=who)


def make() -> Primer:
    """Make the plugin (entry point `affray.systems`)."""
    return Primer()
