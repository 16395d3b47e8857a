"""Turns: how a fight begins, what happens at either end of a turn, and when it is over (nyra.md, 1.2, 1.3 and 1.6).

A phase is one round through the order; each turn puts the next one on the agenda. A combatant that joins under the
condition `hidden` holds an *opening* in phase 0, before the first: one strike, whose delay comes off its next turn.
"""

from __future__ import annotations

from affray.kernel import Change, Condition, EndTurn, Fight, Moment, Order, Steps, exact, number

from .order import OPENING, break_ties, next_turn, seat, seat_late
from .sheet import DELAY, TIE_DIE, Sheet
from .wounds import alive, bleed, is_dead, worsen_all

DELAY_OWED = "delay-owed"
"""The condition of who spent delay in the opening; its value is how much."""


def begin(fight: Fight) -> Steps:
    """Begin: wounds that people came with count, ties are broken, everybody gets a place."""
    people = fight.ids
    for who in people:
        yield from forget_tie(fight, who)
        yield from worsen_all(fight, who)
    yield from break_ties(fight, [who for who in people if not is_dead(fight, who)])
    yield from seat(fight, [who for who in alive(fight) if who in people])


def forget_tie(fight: Fight, who: str) -> Steps:
    """Forget the tie die of another combat: it holds for one only (1.2 step 3)."""
    origin, kept = fight.state.origin, fight.pool(who, TIE_DIE)
    if origin is not None and origin.how == "carry-on" and kept:
        yield Change("tie", target=who, pool=TIE_DIE, value=number(-kept))


def upkeep(fight: Fight, moment: Moment) -> Steps | None:
    """Give what happens at a moment: at the start or the end of a turn, and when somebody joins."""
    if moment.name == "start":
        return start(fight, moment)
    if moment.name == "end":
        return end(fight, moment.who)
    if moment.name == "join":
        return arrive(fight, moment.who)
    return None


def start(fight: Fight, moment: Moment) -> Steps:
    """Start a turn: delay is refilled, wounds bleed, and who lives has a turn in the next phase.

    Who dies of it takes no turn (1.6). The turn stays open even if no weapon can be paid: the rule that ends it by
    itself is asked after a strike, so a combatant without a weapon, or one that is exhausted (NY58), ends it by choice.
    """
    who = moment.who
    if is_dead(fight, who):  # by a game master's word, which took nobody off the agenda
        yield EndTurn("death", who=who)
        return
    if is_opening(fight):
        return
    if not fight.options.is_bank:  # no page says that a bank is ever refilled (section 2)
        yield from refill(fight, who)
    yield from worsen_all(fight, who)
    if fight.options.bleed_timing == "own_turn_start":
        yield from bleed(fight, who)
    if not is_dead(fight, who):
        yield Order("next-turn", entries=(next_turn(moment.when, who),))


def end(fight: Fight, who: str) -> Steps:
    """End a turn: wounds bleed now, where the option says so."""
    if fight.options.bleed_timing == "own_turn_end" and not is_opening(fight):
        yield from bleed(fight, who)


def arrive(fight: Fight, who: str) -> Steps:
    """Take in a late arrival."""
    yield from worsen_all(fight, who)
    if not is_dead(fight, who):
        yield from seat_late(fight, who)


def refill(fight: Fight, who: str) -> Steps:
    """Refill delay to AGI: nothing is saved up (0.95), and what an opening cost is still owed (0.9)."""
    sheet: Sheet = fight.sheet(who)
    debt = fight.conditions(who).get(DELAY_OWED)
    owed = exact(debt.value) if debt is not None and debt.value is not None else 0
    missing = sheet.AGI - owed - fight.pool(who, DELAY)
    if missing:
        yield Change("refill", target=who, pool=DELAY, value=number(missing))
    if debt is not None:
        yield Condition("delay-owed", target=who, id=DELAY_OWED, code="ended")


def is_opening(fight: Fight) -> bool:
    """Tell whether the present moment is a stealth opening."""
    return fight.at[:1] == (OPENING,)


def is_over(fight: Fight) -> str | None:
    """Say how the fight ended: one side, or nobody, is left standing.

    Nothing while something still resolves at this moment, or where there never was another side.
    """
    state = fight.state
    if len({one.side for one in state.combatants.values()}) < 2:
        return None
    if any(run.due is not None and run.due == state.at for run in state.open.values()):
        return None
    sides = {fight.combatant(who).side for who in alive(fight)}
    if len(sides) > 1:
        return None
    return f"won-by-{sides.pop()}" if sides else "nobody-left"
