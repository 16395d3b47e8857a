"""Nyra, the Dark Age: duels by phases, delay, margins and wounds (system `nyra`; README.md tells how to play it).

Open `strike.py` with the rule book in hand: it follows the book's order. `swing.py` is the older generation, which option
`variant` chooses, with `energy.py` for its bank. The rest by subject: `sheet.py` and `weapons.py` say what a combatant
brings, `order.py` and `turns.py` who acts when, `checks.py` and `damage.py` how dice become numbers, `wounds.py` what
numbers do to people; `armoury.py` and `bodies.py` are tables.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from affray.kernel import Action, Fight, Form, Moment, NoParams, Pool, Refused, Steps, System, hookimpl

from . import turns
from .actions import END_TURN, STRIKE, StrikeParams, end_turn, forms, refusal
from .glossary import PLACES, STEPS
from .options import BUNDLES, Options
from .sheet import Sheet, pools, problems
from .strike import strike
from .swing import swing
from .texts import TEXTS


class Nyra:
    """The rules system: every hook, answered by the module that knows."""

    @hookimpl
    def describe(self) -> System:
        """Describe the system."""
        return System(
            id="nyra",
            release="1",
            title="Nyra, the Dark Age",
            options=Options,
            bundles={name: dict(options) for name, options in BUNDLES.items()},
            actions={STRIKE: StrikeParams, END_TURN: NoParams},
            places=dict(PLACES),
            steps=dict(STEPS),
            attribution="Nyra, the Dark Age, hobojunk.town",
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
        return pools(sheet, options)

    @hookimpl
    def begin(self, fight: Fight) -> Steps:
        """Begin the fight."""
        return turns.begin(fight)

    @hookimpl
    def actions(self, fight: Fight, who: str) -> Iterable[Form]:
        """List what may be declared."""
        return forms(fight, who)

    @hookimpl
    def check(self, fight: Fight, action: Action) -> Refused | None:
        """Give a reason to refuse a declaration."""
        return refusal(fight, action)

    @hookimpl
    def resolve(self, fight: Fight, action: Action) -> Steps:
        """Resolve a strike of the generation that is played, or the end of a turn by choice."""
        if action.name == END_TURN:
            return end_turn(action)
        return swing(fight, action) if fight.options.is_bank else strike(fight, action)

    @hookimpl
    def upkeep(self, fight: Fight, moment: Moment) -> Steps | None:
        """Give what happens at a moment."""
        return turns.upkeep(fight, moment)

    @hookimpl
    def is_over(self, fight: Fight) -> str | None:
        """Say how the fight ended."""
        return turns.is_over(fight)

    @hookimpl
    def texts(self, locale: str) -> Mapping[str, str] | None:
        """Give the sentences of a locale."""
        return TEXTS.get(locale)


def make() -> Nyra:
    """Make the plugin (entry point `affray.systems`)."""
    return Nyra()
