"""Time: joining battle, ticks, when somebody acts next, and what an action costs until then (exalted.md, 3.3 and 3.5).

A place on the agenda is (tick, phase, rank). The rank settles who of one tick is first, by the successes of joining
battle and then by joining; it tells the order and nothing of the numbers behind it. In phase 1 resolve actions that
were declared in phase 0, where the option `same_tick` lets everybody of a tick declare first.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from affray.kernel import (
    Action,
    Change,
    Condition,
    EndTurn,
    Entry,
    Exact,
    Fight,
    Moment,
    Order,
    Row,
    Steps,
    Wait,
    When,
    exact,
    limits,
    moment,
    number,
    total,
)

from .dice_pools import successes, throw
from .health import is_down, settle, standing
from .rows import SHEET
from .sheet import JOIN_BATTLE, PLACE, Sheet
from .timing import REACTION_MAX

DECLARE = 0
RESOLVE = 1

DV_PENALTY = "dv-penalty"
"""The condition whose value is what the own actions since the last refresh cost the DV."""

BROKEN_OFF = "broken-off"
"""The condition of who broke off an action: the DV does not refresh at the action that follows (3.3)."""

STUNNED = "stunned"
DASHING = "dashing"
GUARDING = "guarding"
AIMING = "aiming"

UNTIL_NEXT_ACTION: tuple[str, ...] = (DV_PENALTY, DASHING)
"""Conditions that a refresh ends."""

ONLY_UNTIL_NEXT_ACTION: tuple[str, ...] = (STUNNED, GUARDING)
"""Conditions that the next action ends even where the DV does not refresh."""


def begin(fight: Fight) -> Steps:
    """Begin: wounds that people came with count, and everybody joins battle."""
    people = fight.ids
    for who in people:
        yield from settle(fight, who)
        if fight.has(who, AIMING):  # at a time of another clock
            yield Condition("aimed", target=who, id=AIMING, code="ended")
    rolling = [who for who in people if not is_down(fight, who)]
    for who in rolling:
        yield from join_battle(fight, who)
    present = [who for who in rolling if who in fight.ids]
    order = sorted(present, key=lambda who: fight.pool(who, JOIN_BATTLE), reverse=True)  # then by joining
    for rank, who in enumerate(order, 1):
        yield from take_place(fight, who, rank)
    yield from seat(fight, order, 0)


def join_battle(fight: Fight, who: str) -> Steps:
    """Roll Wits + Awareness, and remember the successes."""
    roll = yield from throw(fight, "join-battle", who, join_rows(fight.sheet(who)))
    missing = successes(roll) - fight.pool(who, JOIN_BATTLE)
    if missing:
        yield Change("join-battle", target=who, pool=JOIN_BATTLE, value=number(missing))


def join_rows(sheet: Sheet) -> tuple[Row, ...]:
    """List the dice of joining battle."""
    return (Row("wits", sheet.wits, SHEET), Row("Awareness", sheet.ability("Awareness"), SHEET))


def take_place(fight: Fight, who: str, rank: Exact) -> Steps:
    """Remember the rank among those of one tick."""
    missing = rank - fight.pool(who, PLACE)
    if missing:
        yield Change("place", target=who, pool=PLACE, value=number(missing))


def seat(fight: Fight, people: Sequence[str], now: Exact) -> Steps:
    """Give people their first action: as much later as they had fewer successes than the most, 6 ticks at most."""
    most = max([fight.pool(who, JOIN_BATTLE) for who in fight.ids], default=0)
    for first in range(0, len(people), limits.ROWS):
        some = people[first : first + limits.ROWS]
        yield Order(
            "join-battle",
            entries=tuple(
                [entry_of(fight, who, now + min(most - fight.pool(who, JOIN_BATTLE), REACTION_MAX)) for who in some]
            ),
            trace=tuple([Row(JOIN_BATTLE, number(fight.pool(who, JOIN_BATTLE)), who) for who in some]),
        )


def entry_of(fight: Fight, who: str, tick: Exact) -> Entry:
    """Make the entry of somebody's action at a tick."""
    return Entry(key=who, when=(number(tick), DECLARE, number(fight.pool(who, PLACE))), who=who)


def arrive(fight: Fight, who: str) -> Steps:
    """Take in a late arrival: its reaction counts from this tick, its rank stands before the first with fewer successes."""
    yield from settle(fight, who)
    if is_down(fight, who):
        return
    yield from join_battle(fight, who)
    if who not in fight.ids:  # left while the dice were out
        return
    ranked = sorted([one for one in fight.ids if one != who and fight.pool(one, PLACE)], key=lambda one: fight.pool(one, PLACE))
    mine = fight.pool(who, JOIN_BATTLE)
    index = next((i for i, one in enumerate(ranked) if fight.pool(one, JOIN_BATTLE) < mine), len(ranked))
    before = fight.pool(ranked[index - 1], PLACE) if index else None
    after = fight.pool(ranked[index], PLACE) if index < len(ranked) else None
    yield from take_place(fight, who, between(before, after))
    yield from seat(fight, [who], tick(fight) + 1)  # this tick may be past its place already


def between(before: Exact | None, after: Exact | None) -> Exact:
    """Give a rank above 0 between two, where None is no end: their mediant, which stays short when many arrive."""
    if before is None:
        return 1 if after is None else Fraction(after.numerator, after.denominator + 1)
    if after is None:
        return before + 1
    return Fraction(before.numerator + after.numerator, before.denominator + after.denominator)


def tick(fight: Fight) -> Exact:
    """Give the present tick."""
    return fight.at[0] if fight.at else 0


def upkeep(fight: Fight, now: Moment) -> Steps | None:
    """Give what happens at a moment: when somebody acts again, and when somebody joins."""
    if now.name == "start":
        return refresh(fight, now.who)
    if now.name == "join":
        return arrive(fight, now.who)
    return None


def refresh(fight: Fight, who: str) -> Steps:
    """Refresh the DV: what the last actions cost vanishes when the fighter acts again, unless one was broken off."""
    if is_down(fight, who):  # by a game master's word, which took nobody off the agenda
        yield EndTurn("down", who=who)
        return
    is_broken_off = fight.has(who, BROKEN_OFF)
    ending = (*ONLY_UNTIL_NEXT_ACTION, BROKEN_OFF) if is_broken_off else (*ONLY_UNTIL_NEXT_ACTION, *UNTIL_NEXT_ACTION)
    for condition in ending:
        if fight.has(who, condition):
            yield Condition("refresh", target=who, id=condition, code="ended")


def dv_penalty(fight: Fight, who: str) -> Exact:
    """Give what the own actions cost somebody's DV: 0 or less."""
    return held_value(fight, who, DV_PENALTY)


def held_value(fight: Fight, who: str, condition: str) -> Exact:
    """Give the value of a condition, 0 for one that is not held."""
    held = fight.conditions(who).get(condition)
    return 0 if held is None or held.value is None else exact(held.value)


def spend_time(fight: Fight, action: Action, speed: int, dv: int) -> Steps:
    """Pay for an action of one's own turn: the DV falls, and the next action comes `speed` ticks later.

    Where everybody of a tick declares first, the action then waits for its place in the resolving phase.
    """
    me = action.actor
    if dv:
        code = "renewed" if fight.has(me, DV_PENALTY) else "gained"
        cost = number(total((dv,)) + dv_penalty(fight, me))
        yield Condition("dv-penalty", target=me, id=DV_PENALTY, code=code, value=cost)
    now = tick(fight)
    yield Order("next-action", entries=(entry_of(fight, me, now + speed),))
    if fight.options.same_tick == "together":
        yield EndTurn("declared", who=me)
        yield Wait("resolve", when=no_earlier(fight, (number(now), RESOLVE, number(fight.pool(me, PLACE)))))


def no_earlier(fight: Fight, when: When) -> When:
    """Give a moment, or the present one where that is past: the own rank of this tick may be over already."""
    return max(when, fight.state.at, key=moment)


def end_turn(fight: Fight, action: Action) -> Steps:
    """End the turn in which an action was declared, where it is still held."""
    if fight.state.turn == action.actor and not action.is_nested:
        yield EndTurn("acted", who=action.actor)


def is_over(fight: Fight) -> str | None:
    """Say how the fight ended: one side, or nobody, is left that can act.

    Nothing while something still resolves at this tick, or where there never was another side.
    """
    state = fight.state
    if len({one.side for one in state.combatants.values()}) < 2:
        return None
    if any(run.due is not None for run in state.open.values()):
        return None
    sides = {fight.combatant(who).side for who in standing(fight)}
    if len(sides) > 1:
        return None
    return f"won-by-{sides.pop()}" if sides else "nobody-left"
