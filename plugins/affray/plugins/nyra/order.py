"""The order of play: sequence, then AGI, then a die that is kept (nyra.md, 1.2).

A place in the agenda is (phase, place). `place` is a rank, 1, 2, 3 and so on, so that it tells the order and nothing
of the numbers behind it, which may be secret; whoever comes later gets a place between two others, as 3/2.

The dice that settle a tie hold for the whole combat, so a pool keeps them: one number, read in base 11, whose digit
before the point is the first die and whose digits behind it are the rerolls.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from affray.kernel import Change, Entry, Exact, Fight, Order, Roll, Row, Steps, exact, limits, moment, number

from .checks import D10, face
from .sheet import TIE_DIE, Sheet
from .wounds import alive

OPENING = 0
"""The phase of the stealth opening, before the first (1.2 step 1)."""

FIRST_PHASE = 1

HIDDEN = "hidden"
"""The condition of somebody who joins in hiding and so has a stealth opening."""

BASE = 11
"""One more than a d10 shows."""

TIE_DICE = 15
"""Dice that one number can keep. Who is still tied then acts in the order of joining."""

ROWS_EACH = 3
"""Rows of an order's trace for one combatant: sequence, AGI, tie die."""

Standing = tuple[int, ...]
"""Sequence, AGI, then the tie dice: what the order compares, higher first."""


def standing(fight: Fight, who: str) -> Standing:
    """Say where somebody stands."""
    sheet: Sheet = fight.sheet(who)
    return (sheet.sequence, sheet.AGI, *tie_dice(fight.pool(who, TIE_DIE)))


def tie_dice(kept: Exact) -> tuple[int, ...]:
    """Read the dice that one number keeps, first to last."""
    dice: list[int] = []
    while kept > 0 and len(dice) < TIE_DICE:
        dice.append(int(kept // 1))
        kept = kept % 1 * BASE
    return tuple(dice)


def break_ties(fight: Fight, people: Sequence[str]) -> Steps:
    """Let all who are tied roll, in the order of joining, and those with equal dice again (I 0.6; NY48, NY73).

    Dice that were rolled before stay. So a late arrival rolls until the dice tell it apart from everybody. Whoever
    leaves while people throw real dice rolls no more.
    """
    while rolling := undecided({who: standing(fight, who) for who in people if who in fight.ids}):
        for who in rolling:
            if who not in fight.ids:
                continue
            before = len(tie_dice(fight.pool(who, TIE_DIE)))
            die = yield from Roll("tie", by=who, plan=D10)
            yield Change("tie", target=who, pool=TIE_DIE, value=number(face(die) * Fraction(1, BASE**before)))


def undecided(standings: dict[str, Standing]) -> list[str]:
    """List who needs another die: whose dice so far are also those, or the first of those, of somebody tied."""
    return [
        who
        for who, mine in standings.items()
        if len(mine) < 2 + TIE_DICE
        and any(other != who and theirs[: len(mine)] == mine for other, theirs in standings.items())
    ]


def ranked(fight: Fight, people: Sequence[str]) -> list[str]:
    """Put people in order, first to act first; who is equal to the end acts in the order given."""
    return sorted(people, key=lambda who: standing(fight, who), reverse=True)


def seat(fight: Fight, people: Sequence[str]) -> Steps:
    """Give everybody a first turn, and who is hidden an opening before it."""
    order = ranked(fight, people)
    at_once = limits.ROWS // ROWS_EACH
    for first in range(0, len(order), at_once):
        entries: list[Entry] = []
        trace: list[Row] = []
        for place, who in enumerate(order[first : first + at_once], first + 1):
            if fight.has(who, HIDDEN):
                entries.append(Entry(key=f"opening:{who}", when=(OPENING, place), who=who))
            entries.append(Entry(key=who, when=(FIRST_PHASE, place), who=who))
            trace += derivation(fight, who)
        yield Order("order", entries=tuple(entries), trace=tuple(trace))


def seat_late(fight: Fight, who: str) -> Steps:
    """Seat a late arrival: before the first who stands lower, in this phase only if that place is still to come."""
    seated = sorted([(place, other) for other in alive(fight) if (place := place_of(fight, other)) is not None])
    yield from break_ties(fight, [other for other in alive(fight) if other == who or place_of(fight, other) is not None])
    if who not in alive(fight):  # left while the dice were out
        return
    index = next(
        (i for i, (_, other) in enumerate(seated) if standing(fight, other) < standing(fight, who)), len(seated)
    )
    before = seated[index - 1][0] if index else None
    after = seated[index][0] if index < len(seated) else None
    place = between(before, after)
    phase, *here = fight.at or (OPENING, 0)
    is_to_come = phase >= FIRST_PHASE and here[:1] < [place]
    when = (number(phase if is_to_come else phase + 1), number(place))
    yield Order("late", entries=(Entry(key=who, when=when, who=who),), trace=derivation(fight, who))


def place_of(fight: Fight, who: str) -> Exact | None:
    """Give the place in the order that somebody has; None for who has none."""
    entry = fight.state.agenda.get(who)
    return moment(entry.when)[1] if entry is not None and entry.moment == "start" and len(entry.when) > 1 else None


def between(before: Exact | None, after: Exact | None) -> Exact:
    """Give a place between two, where None is no end.

    Between two it is their mediant, (a+c)/(b+d): it stays short when many arrive one after the other.
    """
    if before is None:
        return FIRST_PHASE if after is None else after - 1
    if after is None:
        return before + 1
    return Fraction(before.numerator + after.numerator, before.denominator + after.denominator)


def derivation(fight: Fight, who: str) -> tuple[Row, ...]:
    """Tell what a place came from; the sources of these rows are the people, since there are several."""
    sheet: Sheet = fight.sheet(who)
    kept = fight.pool(who, TIE_DIE)
    rows = (Row("sequence", sheet.sequence, who), Row("AGI", sheet.AGI, who))
    return (*rows, Row("tie-die", number(kept), who)) if kept else rows


def next_turn(when: tuple[int | str, ...], who: str) -> Entry:
    """Make the entry of somebody's turn in the phase after this one, at the same place."""
    phase, *place = when
    return Entry(key=who, when=(number(exact(phase) + 1), *place), who=who)
