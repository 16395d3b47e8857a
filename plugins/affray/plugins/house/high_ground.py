"""High ground: whoever has the condition `high-ground` strikes and defends better against those below (every system).

The game master gives the condition, or somebody joins with it. What it is worth is a row at the places that the systems publish.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from affray.kernel import Action, Fight, Modifier, hookimpl

NAME = "high-ground"
"""The name of the rule, of the condition and of its rows."""

BLOWS = ("strike", "attack", "disarm")


class Worth(NamedTuple):
    """What a place gets when the attacker stands higher, and when the target does."""

    attacker: int
    target: int


PLACES: Mapping[str, Worth] = {
    "attack.skill": Worth(1, 0),  # nyra: the skill that is struck with
    "defence.skill": Worth(0, 1),  # nyra: the skill that the target defends with
    "dv.ground": Worth(-1, 1),  # exalted: the target's Defense Value; 1 is usual for ground (ambiguity 8)
    "chance": Worth(5, -5),  # primer: the chance of the blow
}


class HighGround:
    """Whoever stands higher has +1 on skill or Defense Value, in the primer +5 on the chance; who strikes upward has it against them."""

    title = "High ground"
    release = "1"
    systems = ("nyra", "exalted", "primer")

    @hookimpl
    def contribute(self, fight: Fight, action: Action, place: str) -> Iterable[Modifier] | None:
        """Give a row to a blow between two of whom one stands higher."""
        if place not in PLACES or not isinstance(action, Action) or action.name not in BLOWS:
            return None
        above, below = fight.has(action.actor, NAME), fight.has(action.target, NAME)
        amount = 0 if above == below else PLACES[place].attacker if above else PLACES[place].target
        return [Modifier(place, amount, NAME)] if amount else None

    @hookimpl
    def texts(self, locale: str) -> Mapping[str, str] | None:
        """Word the condition and its rows."""
        return {"code.high-ground": "high ground"} if locale == "en" else None
