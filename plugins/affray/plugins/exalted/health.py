"""Health: filling the track, wound penalties, dying and death (exalted.md, 3.4).

Levels fill from left to right and worse damage pushes lesser to the right (M), so three pools say everything: how many
levels hold bashing, lethal and aggravated damage. The penalty is that of the worst level filled.
"""

from __future__ import annotations

from typing import NamedTuple

from affray.kernel import Change, Condition, Fight, Order, Steps, number

from .gear import DAMAGE_TYPES
from .sheet import Sheet

WOUND = "wound-penalty"
"""The condition whose value is the wound penalty, so that a log is read without these rules."""

INCAPACITATED = "incapacitated"
DEAD = "dead"


class Marks(NamedTuple):
    """Levels filled, by damage type."""

    bashing: int
    lethal: int
    aggravated: int


def marks(fight: Fight, who: str) -> Marks:
    """Read the pools."""
    return Marks(*[int(fight.pool(who, kind)) for kind in DAMAGE_TYPES])


def room(sheet: Sheet) -> int:
    """Count the levels of a track, Incapacitated included."""
    return len(sheet.track) + 1


def filled(sheet: Sheet, before: Marks, kind: str, levels: int) -> Marks:
    """Say what a track looks like after so many more levels of one type.

    On a full track another level of bashing turns a mark of bashing to lethal, and a worse level takes its place (3.4,
    M). Where no bashing is left, levels go on beyond Incapacitated: Stamina many dying levels.
    """
    bashing, lethal, aggravated = before
    for _ in range(levels):
        is_full = bashing + lethal + aggravated >= room(sheet)
        if is_full and bashing:
            bashing -= 1
        if kind == "aggravated":
            aggravated += 1
        elif kind == "lethal" or is_full:
            lethal += 1
        else:
            bashing += 1
        if lethal + aggravated >= room(sheet) + sheet.stamina:
            break
    return Marks(bashing, lethal, aggravated)


def wound_penalty(sheet: Sheet, held: Marks) -> int:
    """Give the penalty of the worst level filled: 0 or less. Incapacitated keeps that of the last level before it."""
    count = min(sum(held), len(sheet.track))
    return sheet.track[count - 1] if count else 0


def state_of(sheet: Sheet, held: Marks) -> str:
    """Say whether somebody with these marks is incapacitated or dead; "" for neither. Dead is who has filled every dying level (M)."""
    if held.lethal + held.aggravated >= room(sheet) + sheet.stamina:
        return DEAD
    return INCAPACITATED if sum(held) >= room(sheet) else ""


def is_down(fight: Fight, who: str) -> bool:
    """Tell whether somebody can act no more."""
    return fight.has(who, INCAPACITATED, DEAD)


def standing(fight: Fight) -> tuple[str, ...]:
    """List everybody present who can act, in the order of joining."""
    return tuple([who for who in fight.ids if not is_down(fight, who)])


def wound_of(fight: Fight, who: str) -> int:
    """Give somebody's present wound penalty."""
    return wound_penalty(fight.sheet(who), marks(fight, who))


def push(fight: Fight, who: str, wanted: Marks) -> Steps:
    """Move marks to where the track has them after damage was added to its pool: pushed off, or turned to lethal."""
    for kind, after, before in zip(DAMAGE_TYPES, wanted, marks(fight, who), strict=True):
        if after != before:
            yield Change("pushed", target=who, pool=kind, value=number(after - before))


def settle(fight: Fight, who: str) -> Steps:
    """Let the wound penalty, incapacity and death follow from the marks."""
    sheet: Sheet = fight.sheet(who)
    held = marks(fight, who)
    penalty = wound_penalty(sheet, held)
    known = fight.conditions(who).get(WOUND)
    if penalty != (0 if known is None else known.value):
        code = "gained" if known is None else "renewed" if penalty else "ended"
        yield Condition("wounds", target=who, id=WOUND, code=code, value=penalty or None)
    fate = state_of(sheet, held)
    if fate and not fight.has(who, DEAD, fate):
        yield Condition(fate, target=who, id=fate)
        yield from leave_the_clock(fight, who)


def leave_the_clock(fight: Fight, who: str) -> Steps:
    """Take somebody who is down off the agenda."""
    seats = [entry.key for entry in fight.state.agenda.values() if entry.who == who and entry.moment == "start"]
    if seats:
        yield Order("down", drop=tuple(seats))
