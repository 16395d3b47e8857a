"""One attack, in the order of part 4 of the page (primer.md, 1.3 to 1.12).

    declared -> pending -> the target's awareness -> d100 and success level -> a critical miss, or
    nine steps of damage -> wound -> saves -> states -> knockback -> a new stimulus

What a step says counts as it was recorded, after every house rule: the resolver reads the margin of the verdict, never a copy.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from affray.kernel import Action, Fight, Step, Steps, exact

from .actions import Attack, Disarm, reacted_with, skill_of, wielded
from .checks import critical_miss, level_of, try_skill, unfamiliar_rows
from .clock import free_again
from .defence import declare_defence
from .hits import resolve_damage
from .pack import Against, Arm
from .rows import SHEET, rows_of
from .sheet import Sheet
from .states import SOUL_GONE, can_act
from .timing import take_time, times
from .wounds import consequences

DISARM_EACH = 2
"""What each rank of the weapon that is to be disarmed takes off the chance (1.3, L143)."""

NO_TARGET = "no-target"
NO_SKILL = "no-skill"
"""Outcomes of what came to nothing: the target is gone or dead, or a game master took the reaction away."""


def attack(fight: Fight, action: Action) -> Steps:
    """Attack once, or twice within one count. Outcomes: the name of the last success level, no-target or no-skill."""
    params: Attack = action.params
    arm = wielded(fight, action, params.weapon)
    yield from take_time(fight, action, arm.wsd)
    outcome = yield from blow(fight, action, arm)
    if times(action) > 1 and can_act(fight, action.actor):
        outcome = yield from blow(fight, action, arm)
    yield from free_again(fight, action)
    return outcome


def blow(fight: Fight, action: Action, arm: Arm) -> Generator[Step, Any, str]:
    """Strike once."""
    params: Attack = action.params
    who, skill = action.actor, reacted_with(fight, action.actor)
    if not skill:
        return NO_SKILL
    if is_out_of_reach(fight, action.target):
        return NO_TARGET
    stance, opponent = yield from declare_defence(fight, action, against_of(fight, who, skill, arm))
    if action.target not in fight.ids:
        return NO_TARGET
    extra = (
        *rows_of(SHEET, ("weapon", exact(arm.chance))),
        *unfamiliar_rows(fight, who, skill, unfamiliar=params.unfamiliar),
    )
    verdict = yield from try_skill(
        fight, action, "attack", skill, difficulty=params.difficulty, opponent=opponent, extra=extra
    )
    level = level_of(verdict)
    if level < 0:
        yield from critical_miss(fight, action, level)
    if level >= 1 and action.target in fight.ids:
        hit = yield from resolve_damage(fight, action, level, stance)
        yield from consequences(fight, action, hit)
    return verdict.code


def disarm(fight: Fight, action: Action) -> Steps:
    """Try to disarm: twice the rank of the weapon that is held takes off the chance. What a success does is the table's to say."""
    params: Disarm = action.params
    arm = wielded(fight, action, params.weapon)
    yield from take_time(fight, action, arm.wsd)
    outcome = NO_TARGET
    for _ in range(times(action)):
        skill = reacted_with(fight, action.actor)
        if is_out_of_reach(fight, action.target) or not skill or not can_act(fight, action.actor):
            break
        foe: Sheet = fight.sheet(action.target)
        opponent = DISARM_EACH * foe.rank(skill_of(fight, action.target, params.held))
        verdict = yield from try_skill(
            fight, action, "disarm", skill, difficulty=params.difficulty, opponent=opponent
        )
        if level_of(verdict) < 0:
            yield from critical_miss(fight, action, level_of(verdict))
        outcome = "disarmed" if level_of(verdict) >= 1 else verdict.code
    yield from free_again(fight, action)
    return outcome


def is_out_of_reach(fight: Fight, who: str) -> bool:
    """Tell whether a target has left since the declaration, or is dead."""
    return who not in fight.ids or fight.has(who, "dead", SOUL_GONE)


def against_of(fight: Fight, who: str, skill: str, arm: Arm) -> Against:
    """Give what of the target counts against a weapon: as it says, else MDF against a mental skill and DEF against any other."""
    sheet: Sheet = fight.sheet(who)
    return arm.against or ("MDF" if sheet.kind_of(skill) == "mental" else "DEF")
