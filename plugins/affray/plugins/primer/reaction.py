"""Reacting to a stimulus: choose a skill, roll INIT, wait for the count of the declaration (primer.md, 1.6 and part 4, steps 2 and 3).

    INIT = 2d6 - INIT_MOD + state      ACT = SPD/2 + LVF/10 + (RANK - 2)/2 + what INIT is below 0
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from affray.kernel import (
    Action,
    Ask,
    Change,
    Condition,
    Exact,
    Fight,
    Judge,
    Moment,
    Option,
    Order,
    Roll,
    Row,
    Step,
    Steps,
    dice,
    exact,
    number,
)

from .action_speed import available
from .clock import REACTION, is_idle, seat
from .figures import ACT, factor, speed
from .initiative import DICE, SIDES, Initiative, count_of, initiative
from .options import PrimerOptions
from .places import INITIATIVE, sound_rows
from .places import REACTION as REACTS
from .rows import ROLL, RULE, points, rows_of
from .sheet import Sheet
from .states import state_rows

PLAN = dice(DICE, SIDES)


def perceive(fight: Fight, now: Moment) -> Steps:
    """Take in a stimulus: whoever can act and has nothing to do reacts to it."""
    who = now.who
    if not is_idle(fight, who):
        return
    skill = yield from choose(fight, who)
    if skill:
        yield from react(fight, now, who, skill)


def choose(fight: Fight, who: str) -> Generator[Step, Any, str]:
    """Ask which skill is going to be used, where there are several: it fixes speed, rank and level factor. "" for none."""
    sheet: Sheet = fight.sheet(who)
    if len(sheet.reactions) < 2:
        return "".join(sheet.reactions)
    answer: str | None = yield from Ask("react", who=(who,), options=tuple([Option(code=name) for name in sheet.reactions]))
    return answer or ""


def react(fight: Fight, scope: Action | Moment, who: str, skill: str) -> Steps:
    """Roll INIT, take the action points of ACT, and wait for the count at which an action may be declared."""
    sheet: Sheet = fight.sheet(who)
    options: PrimerOptions = fight.options
    roll = yield from Roll("initiative", by=who, plan=PLAN)
    rolled = int(exact(roll.total or 0))
    rest = min(max(rolled, DICE), DICE * SIDES)  # what two dice can show; a house rule may have thrown otherwise
    least = rest // 2
    printed = sheet.skills[skill].lvf_spd
    found = initiative(
        spd=speed(sheet, skill),
        lvf=factor(sheet, skill),
        rank=sheet.rank(skill),
        dice=(least + rest % 2, least),
        options=options,
        secondary_ranks=sheet.secondary_ranks(skill),
        mods=sound_rows(scope, REACTS, of=who),
        state=(
            *rows_of(ROLL, ("dice", rolled - rest)),
            *state_rows(fight, who, INITIATIVE),
            *sound_rows(scope, INITIATIVE, of=who),
        ),
        lvf_spd=None if printed is None else exact(printed),
    )
    judged = yield from Judge(
        "initiative",
        by=who,
        code="waits" if found.count else "at-once",
        goal=number(found.init),
        margin=number(found.excess),
        trace=found.init_rows,
    )
    yield from _take_points(fight, who, found)
    yield from _wait(fight, who, skill, exact(judged.goal or 0))


def _take_points(fight: Fight, who: str, found: Initiative) -> Steps:
    """Set the pool to ACT. Points left over from the action before lapse; a negative ACT is none, or a debt (P-25)."""
    before = fight.pool(who, ACT)
    have = available(found.act, fight.options)
    rows = (*found.act_rows, *rows_of(RULE, ("left-over", -before), ("no-debt", have - found.act)))
    yield Change("action-points", target=who, pool=ACT, value=number(points(rows)), trace=rows)


def _wait(fight: Fight, who: str, skill: str, init: Exact) -> Steps:
    code = "renewed" if fight.has(who, REACTION) else "gained"
    yield Condition(REACTION, target=who, id=REACTION, code=code, value=number(max(init, 0)), source=skill)
    later = count_of(init, fight.options)
    rows = (Row("initiative", number(init), "roll"), *rows_of(RULE, ("whole-counts", later - init)))
    yield Order("reaction", entries=(seat(fight, who, later),), trace=rows)
