"""One roll of a skill: the chance with every term, the d100, the success level; and what a critical miss brings (primer.md, 1.3 and 1.4).

The margin of the verdict is the success level, and it is what counts afterwards. ROLL - SC, which a table sometimes asks for, stands
in the log as the roll and the goal (P-18).
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from affray.kernel import Action, Exact, Fight, Judge, Num, Roll, Row, Step, Steps, dice, exact, number

from .action_speed import buy, sell
from .chance import CRITICAL_EFFECT_EACH, critical_effect, success_chance, success_level
from .figures import factor, stats_of
from .options import PrimerOptions
from .pack import PACK
from .places import CHANCE, held_rows, sound_rows
from .rows import HERE, ROLL, RULE, points, rows_of
from .sheet import Sheet
from .states import hindrances
from .tables import D100, Difficulty
from .timing import Timed

PERCENT = dice(1, D100)

NO_TABLE = "no-table"
"""What is recorded where the table that would say more is missing from the pack: the game master says it."""


def rolled(roll: Roll) -> int:
    """Give the reading of a roll of whole numbers."""
    return int(exact(roll.total or 0))


def level_of(verdict: Judge) -> int:
    """Give the success level of a verdict."""
    return int(exact(verdict.margin or 0))


def name_of(level: int) -> str:
    """Give what a success level is called (1.4)."""
    if level < 0:
        return "critical-miss"
    return {0: "miss", 1: "graze", 2: "hit"}.get(level, "critical")


def try_skill(
    fight: Fight,
    action: Action,
    key: str,
    skill: str,
    *,
    difficulty: Difficulty = "standard",
    opponent: Exact = 0,
    extra: tuple[Row, ...] = (),
) -> Generator[Step, Any, Judge]:
    """Let the actor roll a skill. Action points that were traded count; what they bring at most as much as the chance without (P-36)."""
    who = action.actor
    mods = (*extra, *sound_rows(action, CHANCE), *hindrances(fight, action, who))
    rows = chance_rows(fight, who, skill, difficulty, opponent, mods)
    if isinstance(action.params, Timed):
        bonus = sell(action.params.ap_sold.sc, "sc", base=points(rows))
        rows = (*rows, *rows_of(HERE, ("ap-sold", bonus), ("ap-bought", -buy(action.params.ap_bought.sc).sc)))
    return (yield from throw(fight, key, who, rows, against=action.target))


def foe_tries(
    fight: Fight, action: Action, key: str, skill: str, difficulty: Difficulty
) -> Generator[Step, Any, Judge]:
    """Let the target roll a skill of its own, in a contest."""
    who = action.target
    mods = (*held_rows(fight, who, CHANCE), *hindrances(fight, action, who))
    rows = chance_rows(fight, who, skill, difficulty, 0, mods)
    return (yield from throw(fight, key, who, rows, against=action.actor))


def chance_rows(
    fight: Fight, who: str, skill: str, difficulty: Difficulty, opponent: Exact, mods: tuple[Row, ...]
) -> tuple[Row, ...]:
    """Explain somebody's chance with a skill."""
    sheet: Sheet = fight.sheet(who)
    return success_chance(
        stats=stats_of(sheet, skill),
        rank=sheet.rank(skill),
        lvf=factor(sheet, skill),
        options=fight.options,
        difficulty=difficulty,
        opponent=opponent,
        mods=mods,
        secondary_ranks=sheet.secondary_ranks(skill),
    ).rows


def throw(
    fight: Fight, key: str, who: str, rows: tuple[Row, ...], *, against: str = ""
) -> Generator[Step, Any, Judge]:
    """Throw the d100 against a chance."""
    roll = yield from Roll(key, by=who, plan=PERCENT)
    level = success_level(points(rows), rolled(roll), fight.options)
    goal: Num = number(points(rows))
    return (
        yield from Judge(key, by=who, against=against, code=name_of(level), goal=goal, margin=level, trace=rows)
    )


def unfamiliar_rows(fight: Fight, who: str, skill: str, *, unfamiliar: bool) -> tuple[Row, ...]:
    """Give what an unfamiliar task costs the untrained, which the pack says (P-10); nothing once there is any rank."""
    options: PrimerOptions = fight.options
    sheet: Sheet = fight.sheet(who)
    if not unfamiliar or sheet.rank(skill) or options.pack.unfamiliar is None:
        return ()
    return rows_of(PACK, ("unfamiliar", exact(options.pack.unfamiliar)))


def critical_miss(fight: Fight, action: Action, level: int) -> Steps:
    """Roll on the table of critical misses, 20 more for each level (P-20). Its effect is the game master's to bring about."""
    options: PrimerOptions = fight.options
    roll = yield from Roll("critical-miss", by=action.actor, plan=PERCENT)
    total = critical_effect(level, rolled(roll))
    yield Judge(
        "critical-miss",
        by=action.actor,
        code=options.pack.critical_miss(total) or NO_TABLE,
        goal=total,
        trace=(*rows_of(ROLL, ("dice", rolled(roll))), *rows_of(RULE, ("levels", -CRITICAL_EFFECT_EACH * level))),
    )
