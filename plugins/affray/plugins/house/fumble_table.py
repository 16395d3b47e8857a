"""A fumble table: whoever fumbles or botches rolls a d6 for what comes of it (every system).

    1-2 nothing more    3-4 off balance: worse blows for a while    5-6 wide open: worse defences for a while

In the primer it is rolled where the data pack has no table of critical misses, which is what the source asks for.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from affray.kernel import (
    Action,
    Condition,
    Fight,
    Judge,
    Modifier,
    Roll,
    Step,
    Steps,
    When,
    banded,
    hookimpl,
    number,
)

from .amounts import system_of

NAME = "fumble-table"
TABLE = banded(1, 6, (2, 4))
EFFECTS = ("", "off-balance", "wide-open")
"""The condition of each band of the table, "" for none."""

FUMBLES = (("attack", "fumble"), ("attack", "botch"), ("critical-miss", "no-table"))
"""Key and code of the verdicts that send somebody to the table."""


class Cost(NamedTuple):
    """Where an effect acts and by how much, and how long both last in the system's own measure: phases, ticks or counts."""

    off_balance: Modifier
    wide_open: Modifier
    lasts: int


COSTS: Mapping[str, Cost] = {
    "nyra": Cost(Modifier("attack.skill", -2, "off-balance", NAME), Modifier("defence.skill", -2, "wide-open", NAME), 2),
    "exalted": Cost(Modifier("attack.dice", -2, "off-balance", NAME), Modifier("dv.other", -1, "wide-open", NAME), 6),
    "primer": Cost(Modifier("chance", -20, "off-balance", NAME), Modifier("target.defence", -10, "wide-open", NAME), 20),
}


class FumbleTable:
    """Whoever fumbles rolls a d6: nothing more, off balance, or wide open for a while."""

    title = "A fumble table"
    release = "1"
    systems = tuple(COSTS)

    @hookimpl
    def follow(self, fight: Fight, action: Action, step: Step) -> Steps | None:
        """Roll on the table after a fumble."""
        is_fumble = isinstance(step, Judge) and (step.key, step.code) in FUMBLES
        return self.fumble(fight, step.by) if isinstance(step, Judge) and is_fumble else None

    def fumble(self, fight: Fight, who: str) -> Steps:
        """Roll, and let the effect begin, or begin again."""
        roll = yield from Roll(NAME, by=who, plan=TABLE)
        effect = EFFECTS[int(roll.total or 0)]
        if effect and who in fight.ids:
            cost = COSTS[system_of(fight)]
            row = cost.off_balance if effect == "off-balance" else cost.wide_open
            yield Condition(
                NAME,
                target=who,
                id=effect,
                code="renewed" if fight.has(who, effect) else "gained",
                value=row.amount,
                until=later(fight, cost.lasts),
                rows=(row,),
                source=NAME,
            )

    @hookimpl
    def texts(self, locale: str) -> Mapping[str, str] | None:
        """Word the roll and the effects."""
        words = {
            "roll.fumble-table": "{by} rolls on the fumble table: {dice}.",
            "condition.fumble-table": "{target} is {id} ({value}).",
            "code.off-balance": "off balance",
            "code.wide-open": "wide open",
        }
        return words if locale == "en" else None


def later(fight: Fight, lasts: int) -> When:
    """Give the moment that is so many phases, ticks or counts from now."""
    return (number(fight.at[0] + lasts), *fight.state.at[1:])
