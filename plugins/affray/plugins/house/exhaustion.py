"""Exhaustion: every third turn of somebody's makes whatever it does harder, for the rest of the fight (every system)."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec.structs import replace

from affray.kernel import Condition, Fight, Modifier, Moment, Steps, exact, hookimpl, number

from .amounts import system_of

NAME = "exhaustion"
TIRED = "tired"
EVERY = 3
"""Turns that tire somebody once."""

COSTS: Mapping[str, Modifier] = {
    "nyra": Modifier("attack.skill", -1, TIRED, NAME),
    "exalted": Modifier("dice", -1, TIRED, NAME),
    "primer": Modifier("action", -5, TIRED, NAME),
}
"""What being tired once costs."""


class Exhaustion:
    """Every third turn takes 1 off the skill or the dice, in the primer 5 off every chance, until the fight is over."""

    title = "Exhaustion"
    release = "1"
    systems = tuple(COSTS)

    @hookimpl
    def upkeep(self, fight: Fight, moment: Moment) -> Steps | None:
        """Tire whoever begins a third turn."""
        turns = fight.state.turns.get(f"start:{moment.who}", 0)
        return self.tire(fight, moment.who) if moment.name == "start" and turns and turns % EVERY == 0 else None

    def tire(self, fight: Fight, who: str) -> Steps:
        """Let somebody be more tired, unless the turn was over before it began."""
        if fight.state.turn != who:
            return
        held = fight.conditions(who).get(TIRED)
        times = 1 if held is None else exact(held.value or 0) + 1
        cost = COSTS[system_of(fight)]
        row = replace(cost, amount=number(exact(cost.amount) * times))
        code = "gained" if held is None else "renewed"
        yield Condition(NAME, target=who, id=TIRED, code=code, value=number(times), rows=(row,), source=NAME)

    @hookimpl
    def texts(self, locale: str) -> Mapping[str, str] | None:
        """Word the condition."""
        return {"condition.exhaustion": "{target} tires ({value})."} if locale == "en" else None
