"""Saves: the nine of them, system shock and its states, crippling, revival (primer.md, 1.9, 1.10, 1.13).

A save is the value of the sheet, with the modifiers of states, wounds and exhaustion (P-92). The eight others are passed at level 1.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from affray.kernel import (
    Action,
    Condition,
    Exact,
    Fight,
    Judge,
    Modifier,
    Roll,
    Row,
    Save,
    Step,
    Steps,
    Stop,
    dice,
    exact,
    number,
    slot,
)

from .chance import success_level
from .checks import NO_TABLE, PERCENT, rolled
from .clock import count, delay, is_waiting, leave_the_clock, pending, stimulus
from .derived import SaveName
from .figures import HTK, POW, value_rows
from .options import PrimerOptions
from .places import ACTION, SAVE, sound_rows
from .rows import ROLL, RULE, points, rows_of
from .sheet import Sheet
from .shock import SOUL_SIDES, penalty, quarters, shock_duration, shock_result, state_at, state_interrupts
from .states import (
    CRIPPLED,
    SOUL_GONE,
    can_act,
    enter,
    hindrances,
    leave,
    state_named,
    state_of,
    taken_of,
    would_stand,
)
from .tables import D100, EXERTION, STATES, DamageType, Exertion, StateName

SHOCK = "system-shock"
"""Key of the steps of a system shock save."""

HEALTH = "health"
"""Key of the steps of a health save against crippling."""

PASSED = 1
"""Level from which a save other than system shock is passed (P-70)."""

DURATION_DICE = {"unconscious": dice(1, D100), "comatose": dice(1, D100), "dead": dice(1, SOUL_SIDES)}
"""The dice of how long a state lasts, where there are any (L528-534)."""


def save_rows(fight: Fight, scope: Action, who: str, name: SaveName, extra: tuple[Row, ...] = ()) -> tuple[Row, ...]:
    """Explain the chance of a save."""
    options: PrimerOptions = fight.options
    is_hindered = name == "SYS" or options.state_mods_on_saves == "all_saves"
    hindering = hindrances(fight, scope, who) if is_hindered else ()
    return (*value_rows(fight.sheet(who), name), *hindering, *extra, *sound_rows(scope, SAVE, of=who))


def save(
    fight: Fight, scope: Action, who: str, name: SaveName, *, key: str = "save", extra: tuple[Row, ...] = ()
) -> Generator[Step, Any, Save]:
    """Roll one of the eight saves: `passed` or `failed`; the margin is the level."""
    rows = save_rows(fight, scope, who, name, extra)
    roll = yield from Roll(key, by=who, plan=PERCENT)
    level = success_level(points(rows), rolled(roll), fight.options)
    code = "passed" if level >= PASSED else "failed"
    goal = number(points(rows))
    return (
        yield from Save(key, who=who, name=name, code=code, goal=goal, margin=level, trace=rows, roll=slot(roll))
    )


# -- system shock


def shock(
    fight: Fight,
    scope: Action,
    who: str,
    *,
    quarters_taken: int | None = None,
    exertion: Exertion | None = None,
    extra: tuple[Row, ...] = (),
) -> Generator[Step, Any, StateName]:
    """Roll SYS, and give the state it brings, which is not entered yet (P-72).

    `quarters_taken` None: as many as are taken now, of HTK or POW, whichever is worse. `exertion` counts for repeated rolls over time only (P-62). The margin of the save
    is the final level, the verdict before it says how that comes about.
    """
    options: PrimerOptions = fight.options
    if quarters_taken is None:
        quarters_taken = quarters_now(fight, who)
    rows = save_rows(fight, scope, who, "SYS", extra)
    roll = yield from Roll(SHOCK, by=who, plan=PERCENT)
    found = shock_result(
        sys=points(rows),
        roll=rolled(roll),
        options=options,
        shock_penalty=penalty(quarters_taken, options),
        exertion=0 if exertion is None else EXERTION[exertion],
    )
    terms = (("quarters", penalty(quarters_taken, options)), (exertion or "", EXERTION.get(exertion or "light", 0)))
    judged = yield from Judge(
        SHOCK,
        by=who,
        code=found.state,
        goal=found.final_sl,
        margin=found.base_sl,
        trace=(*rows_of(ROLL, ("level", found.base_sl)), *rows_of(RULE, *terms)),
    )
    final = int(exact(judged.goal or 0))
    state = state_at(final)
    saved = yield from Save(
        SHOCK,
        who=who,
        name="SYS",
        code=state,
        goal=number(points(rows)),
        margin=final,
        trace=rows,
        roll=slot(roll),
        consequences=() if state == "no-effect" else (state,),
    )
    return state_named(saved.code) or state


def quarters_now(fight: Fight, who: str) -> int:
    """Give the quarters that are taken now: of HTK or of POW, whichever is worse."""
    pools = [pool for pool in (HTK, POW) if pool in fight.combatant(who).pools]
    return max([quarters(*taken_of(fight, who, pool), fight.options) for pool in pools], default=0)


def take_state(fight: Fight, who: str, state: StateName, *, replaces: bool = False) -> Steps:
    """Let a state be entered where it stands against the one before (P-65), and do what it does to what is going on (P-66).

    `replaces` puts it in place of any other, as a roll of the dead does (P-67).
    """
    if state == "no-effect" or not (replaces or would_stand(fight, who, state)):
        yield from leave(fight, who) if replaces else ()
        return
    sheet: Sheet = fight.sheet(who)
    face = 0
    if state in DURATION_DICE:
        roll = yield from Roll("duration", by=who, plan=DURATION_DICE[state])
        face = rolled(roll)
    lasts: Exact = shock_duration(state, drv=sheet.stat("DRV"), con=sheet.stat("CON"), die=face).counts
    if not lasts:  # P-68
        yield from leave(fight, who) if replaces else ()
        return
    yield from enter(fight, who, state, count(fight) + lasts, lasts, source=SHOCK)
    yield from interrupt(fight, who, state)


def interrupt(fight: Fight, who: str, state: StateName) -> Steps:
    """Cancel or delay what somebody has begun who enters a state (P-66 and part 4, steps 3 and 5)."""
    if state_interrupts(state, fight.options):
        for run in [run for run in pending(fight) if run.actor == who]:
            yield Stop("interrupted", target=run.id, code=state)
            yield from stimulus(fight, who)  # none for the helpless
    if not can_act(fight, who):
        yield from leave_the_clock(fight, who)
    elif is_waiting(fight, who) and STATES[state].init:
        yield from delay(fight, who, STATES[state].init, state)


# -- crippling


def cripple(fight: Fight, who: str, area: str, kind: DamageType, level: int) -> Steps:
    """Cripple an area after a failed health save, as the pack's table says; without one the game master says how (1.10)."""
    options: PrimerOptions = fight.options
    row = options.pack.crippled(kind, level)
    condition = CRIPPLED + area
    cost = 0 if row is None else row.action
    yield Condition(
        "crippled",
        target=who,
        id=condition,
        code="renewed" if fight.has(who, condition) else "gained",
        value=level,
        rows=(Modifier(ACTION, cost, condition),) if cost else (),
        source=NO_TABLE if row is None else f"{row.grade}-{row.code}",
    )


def is_beyond_saves(fight: Fight, who: str) -> bool:
    """Tell whether somebody is dead, so that a wound calls for no more saves, or has left."""
    return who not in fight.ids or state_of(fight, who) == "dead" or fight.has(who, SOUL_GONE)
