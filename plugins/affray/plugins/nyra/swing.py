"""One swing of the older generation, the bank, in the order of its source: the seed's Claymore (nyra.md, section 2).

    pay -> attack roll -> location -> defence, pass or fail -> damage, armour, health -> end of the turn

All skills are halved in battle. Nobody compares margins: the attack passes or fails, then the defence does. One swing is
a turn. What both generations have in common is written in `strike.py` and used from there: how a d10 is rolled against a
skill, how a defence is chosen, what a miss costs, how a hit wounds. The branch that the seed names beside Swords has no
number of its own on any page, so Swords is the skill here too.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from typing import Any

from affray.kernel import Action, EndTurn, Fight, Judge, Step, Steps

from . import energy
from .checks import SUCCEEDED, Check
from .sheet import Sheet
from .strike import (
    GUARDS,
    NO_GUARD,
    Guard,
    attack_roll,
    choose_guard,
    defence_roll,
    find_location,
    hit,
    miss,
    reveal,
    wielded,
)
from .turns import is_opening

ATTACKS: Mapping[str, Check] = {
    "wild": Check("difficult", "in-battle"),  # seed, NY52: 3 passes on Swords 7 and 4 would not (contradictions 3 and 4)
    "aimed": Check("impossible", "aimed"),  # no page describes it: one step harder (I 0.6, NY74)
}
"""How difficult a swing is: always half the skill, a quarter where it is aimed."""

DEFENCE = Check("difficult", "in-battle")
"""A defender's skill is halved as well, since the seed halves all of them (I 0.6; NY54, NY56, NY74)."""

NEEDS_SHIELD = frozenset({"defense"})
"""Defences that only somebody with a shield may roll (seed, contradiction 11; NY55, NY56)."""


def swing(fight: Fight, action: Action) -> Steps:
    """Swing once. Outcomes: hit, miss, critical-miss, blocked, dodged."""
    weapon = wielded(fight, action)
    yield from energy.spend(action.actor, weapon)
    yield from reveal(fight, action.actor)
    attack = yield from attack_roll(fight, action, ATTACKS)
    if attack.code not in SUCCEEDED:  # criticals are not mentioned: a 1 and a 10 are what they are in a duel (NY57)
        result = yield from miss(fight, action, weapon, attack)
    else:
        location = yield from find_location(fight, action)  # before the defence, so a swing that is avoided has one (contradiction 12)
        result = yield from avoid(fight, action, attack)
        if result == "hit":
            yield from hit(fight, action, weapon, attack, location)
    yield from end_of_swing(fight, action.actor)
    return result


def avoid(fight: Fight, action: Action, attack: Judge) -> Generator[Step, Any, str]:
    """Let the target roll a defence: one that passes avoids all damage (NY54). Gives hit, blocked or dodged.

    Under option `crit_auto_hit` a critical success cannot be avoided; the defence is rolled all the same (NY17, NY18).
    """
    choice = yield from choose_guard(fight, action.target, guards(fight.sheet(action.target)), DEFENCE)
    if choice == NO_GUARD:
        return "hit"
    guard, defence = yield from defence_roll(fight, action, choice, DEFENCE)
    verdict = yield from Judge(
        "avoid",
        by=action.actor,
        against=action.target,
        code=of_both(attack.code, defence.code, is_certain=fight.options.crit_auto_hit),
    )
    return GUARDS[guard.code].stops if verdict.code == "avoided" else "hit"


def of_both(attack: str, defence: str, *, is_certain: bool) -> str:
    """Say what two checks that are judged each for itself come to: avoided, unavoidable or hit.

    `is_certain` says that a critical attack cannot be avoided.
    """
    if defence not in SUCCEEDED:
        return "hit"
    return "unavoidable" if is_certain and attack == "critical" else "avoided"


def guards(sheet: Sheet) -> Mapping[str, Guard]:
    """List the defences of somebody with or without a shield; which of them are owned is asked later."""
    return {code: guard for code, guard in GUARDS.items() if sheet.shield or code not in NEEDS_SHIELD}


def end_of_swing(fight: Fight, who: str) -> Steps:
    """End the turn: one swing is a turn, whatever came of it (seed). A refused swing is none (NY58)."""
    if fight.state.turn == who:
        yield EndTurn("opening" if is_opening(fight) else "one-swing", who=who)
