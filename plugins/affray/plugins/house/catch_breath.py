"""Catch breath: in the bank, whoever ends a turn by choice wins energy back (nyra; the duel has no energy).

The text of the bank says nothing of rest, so a table has to: without a rule the exhausted end their turns for ever. This one
resolves the declared end of a turn in the system's place.
"""

from __future__ import annotations

from collections.abc import Mapping

from affray.kernel import Action, Change, EndTurn, Fight, Row, Steps, hookimpl

NAME = "catch-breath"
ENERGY = "energy"
BREATH = 5
"""Energy that a turn without a swing gives back."""


class CatchBreath:
    """A turn that is ended by choice gives 5 energy back."""

    title = "Catch breath"
    release = "1"
    systems = ("nyra",)

    @hookimpl
    def resolve(self, fight: Fight, action: Action) -> Steps | None:
        """Resolve the end of a turn where there is energy to win back; leave everything else to the system."""
        is_rest = action.name == "end-turn" and ENERGY in fight.combatant(action.actor).pools
        return self.rest(action) if is_rest else None

    def rest(self, action: Action) -> Steps:
        """Win energy back, up to the full bank, and end the turn."""
        yield Change(NAME, target=action.actor, pool=ENERGY, value=BREATH, trace=(Row(NAME, BREATH, NAME),))
        yield EndTurn("choice", who=action.actor)
        return "ended-by-choice"

    @hookimpl
    def texts(self, locale: str) -> Mapping[str, str] | None:
        """Word what is won back."""
        words = {"change.catch-breath": "{target} catches breath: energy {before} → {after}."}
        return words if locale == "en" else None
