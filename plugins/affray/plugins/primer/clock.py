"""Time: counts, the fixed order within a count, who perceives something, what is pending (primer.md, 1.6 and part 4).

A moment is (count, wave, phase, rank). The phases are the order within a count. What an event of a count causes in the same
count (an initiative of 0 and the declaration it allows) comes after its cause, in the next wave. The rank tells who of one phase is
first, by exact INIT and then by joining (P-24, P-30); it tells the order and nothing of the numbers behind it.

    0 states end   1 declarations   2 resolutions   3 wounds   4 saves   5 states   6 knockback   7 new stimuli
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from affray.kernel import (
    Action,
    Condition,
    EndTurn,
    Entry,
    Exact,
    Fight,
    Moment,
    Num,
    OpenAction,
    Order,
    Row,
    Steps,
    Stop,
    Wait,
    When,
    exact,
    limits,
    moment,
    number,
)

from .rows import RULE
from .states import EXPIRE, can_act, recovery, standing
from .tables import AbsorbPool

DECLARE, RESOLVE, WOUND, SAVE, STATE, KNOCKBACK, STIMULUS = range(EXPIRE + 1, EXPIRE + 8)
"""The phases of a count after that in which states end."""

REACTION = "reaction"
"""The condition of who has reacted: its value is INIT, 0 at least, its source the skill. It lasts until the next reaction."""

SPENT: dict[AbsorbPool, str] = {"PAB": "PAB-spent", "MAB": "MAB-spent"}
"""The conditions whose value is how many points of a pool were used in this count or this fight (option `pab_refresh`)."""


def count(fight: Fight) -> Exact:
    """Give the present count, 0 before the first."""
    return fight.at[0] if fight.at else 0


def wave(fight: Fight) -> Exact:
    """Give the present wave of the count."""
    return fight.at[1] if len(fight.at) > 1 else 0


def in_phase(fight: Fight, phase: int, rank: Exact) -> When:
    """Give a moment of a phase of this count and wave."""
    return (number(count(fight)), number(wave(fight)), phase, number(rank))


# -- ranks


def init_of(fight: Fight, who: str) -> Exact:
    """Give somebody's INIT, 0 where there was no reaction."""
    held = fight.conditions(who).get(REACTION)
    return 0 if held is None or held.value is None else exact(held.value)


def rank_among(fight: Fight, who: str, others: Sequence[tuple[str, Exact]]) -> Exact:
    """Give a rank above 0 among others of the same phase, who have theirs: by INIT, then by joining."""
    mine = _order(fight, who)
    ranked = sorted(others, key=lambda other: other[1])
    index = next((at for at, (other, _) in enumerate(ranked) if _order(fight, other) > mine), len(ranked))
    before = ranked[index - 1][1] if index else None
    after = ranked[index][1] if index < len(ranked) else None
    return _between(before, after)


def _order(fight: Fight, who: str) -> tuple[Exact, int]:
    return init_of(fight, who), fight.combatant(who).number


def _between(before: Exact | None, after: Exact | None) -> Exact:
    """Give a rank above 0 between two, where None is no end: their mediant, which stays short when many come."""
    if before is None:
        return 1 if after is None else Fraction(after.numerator, after.denominator + 1)
    if after is None:
        return before + 1
    return Fraction(before.numerator + after.numerator, before.denominator + after.denominator)


def _is_at(when: When, place: Sequence[Num]) -> bool:
    return len(when) > len(place) and moment(when[: len(place)]) == moment(tuple(place))


# -- turns and pending actions


def seat(fight: Fight, who: str, later: Exact) -> Entry:
    """Make the entry of somebody's declaration so many counts from now: in this count, after what caused it."""
    place = (number(count(fight) + later), 0 if later else number(wave(fight) + 1), DECLARE)
    agenda = fight.state.agenda.values()
    others = [(e.who, exact(e.when[3])) for e in agenda if e.moment == "start" and e.who != who and _is_at(e.when, place)]
    return Entry(key=who, who=who, when=(*place, number(rank_among(fight, who, others))))


def pend(fight: Fight, action: Action, counts: Exact) -> Steps:
    """End the turn and let the action resolve so many counts from now."""
    who = action.actor
    place = (number(count(fight) + counts), 0, RESOLVE)
    running = [run for run in fight.state.open.values() if run.due is not None and _is_at(run.due, place)]
    others = [(run.actor, exact(run.due[3])) for run in running if run.due is not None]
    if fight.state.turn == who:
        yield EndTurn("declared", who=who)
    yield Wait("resolve", when=(*place, number(rank_among(fight, who, others))))


def is_shared(fight: Fight, action: Action) -> bool:
    """Tell whether another action resolves in this count, so that both roll before either applies (P-30)."""
    place = (number(count(fight)), number(wave(fight)))
    others = [run.due for run in fight.state.open.values() if run.id != action.id and run.due is not None]
    return any(_is_at(due, place) for due in others)


def phase(fight: Fight, action: Action, key: str, at: int) -> Steps:
    """Wait for a later phase of this count, where another action resolves in it too.

    The second blow within a count comes after the first, whatever phase that came to.
    """
    if is_shared(fight, action):
        yield Wait(key, when=max(in_phase(fight, at, fight.at[3]), fight.state.at, key=moment))


def pending(fight: Fight) -> list[OpenAction]:
    """List the actions that have begun and not resolved yet, in the order of their declarations."""
    return [run for run in fight.state.open.values() if run.due is not None and run.due[2:3] == (RESOLVE,)]


def is_waiting(fight: Fight, who: str) -> bool:
    """Tell whether somebody has reacted and waits to declare."""
    entry = fight.state.agenda.get(who)
    return entry is not None and entry.moment == "start"


def is_idle(fight: Fight, who: str) -> bool:
    """Tell whether somebody who can act does nothing and waits for nothing."""
    is_busy = fight.state.turn == who or who in fight.state.agenda
    return can_act(fight, who) and not is_busy and not any(run.actor == who and run.nth for run in fight.state.open.values())


# -- stimuli


def stimulus(fight: Fight, *people: str) -> Steps:
    """Let people perceive something worth reacting to, after all else in this count, in the order of joining (P-95).

    None for the helpless, and none once the fight is over.
    """
    able = [who for who in people if can_act(fight, who) and not is_waiting(fight, who)]
    if ending(fight) is not None:
        return
    for first in range(0, len(able), limits.ROWS):
        some = able[first : first + limits.ROWS]
        yield Order("stimulus", entries=tuple([_stimulus(fight, who) for who in some]))


def _stimulus(fight: Fight, who: str) -> Entry:
    when = in_phase(fight, STIMULUS, fight.combatant(who).number)
    return Entry(key=who, moment="stimulus", who=who, when=max(when, fight.state.at, key=moment))


def begin(fight: Fight) -> Steps:
    """Begin: what is left of an earlier fight's clock ends, and everybody who can act perceives the fight."""
    for who in fight.ids:
        for condition in (REACTION, *SPENT.values()):
            if fight.has(who, condition):
                yield Condition("begin", target=who, id=condition, code="ended")
    yield from stimulus(fight, *fight.ids)


# -- states and the clock


def delay(fight: Fight, who: str, counts: int, state: str) -> Steps:
    """Move the declaration of somebody who waits for it by what a state entered meanwhile adds to INIT (part 4, step 3).

    Each state that is entered moves it by its own figure, also one that replaces another ([ours], the page does not say).
    """
    entry = fight.state.agenda[who]
    held = fight.conditions(who).get(REACTION)
    if held is not None:
        slower = number(init_of(fight, who) + counts)
        yield Condition(REACTION, target=who, id=REACTION, code="renewed", value=slower, source=held.source)
    left = exact(entry.when[0]) - count(fight)
    yield Order("delayed", entries=(seat(fight, who, left + counts),), trace=(Row(state, counts, RULE),))


def leave_the_clock(fight: Fight, who: str) -> Steps:
    """Take somebody who can act no more off the agenda; the page tells of no event for it (part 4, step 3)."""
    if who in fight.state.agenda:
        yield Order("down", drop=(who,))
    if fight.has(who, REACTION):
        yield Condition(REACTION, target=who, id=REACTION, code="ended")


def stop_all(fight: Fight) -> Steps:
    """Cancel what has begun and not come about yet, where the fight is over."""
    if ending(fight) is None:
        return
    for run in pending(fight):
        yield Stop("over", target=run.id, code="fight-over")


def free_again(fight: Fight, action: Action) -> Steps:
    """Let who has acted perceive something again; or end what is pending, where the fight is over (part 4, step 13)."""
    yield from stimulus(fight, action.actor)
    yield from stop_all(fight)


def ending(fight: Fight) -> str | None:
    """Say how the fight ends as it stands: at most one side has anybody who can act. Never where there was no second side."""
    if len({one.side for one in fight.state.combatants.values()}) < 2:
        return None
    sides = {fight.combatant(who).side for who in standing(fight)}
    if len(sides) > 1:
        return None
    return f"won-by-{sides.pop()}" if sides else "nobody-left"


def is_over(fight: Fight) -> str | None:
    """Say how the fight ended; nothing while an action is pending."""
    if any(run.due is not None for run in fight.state.open.values()):
        return None
    return ending(fight)


def recovered(fight: Fight, now: Moment) -> Steps | None:
    """Give what the end of a state brings: the next milder one, and a stimulus for who can act again ([ours])."""
    following = recovery(fight, now)
    return None if following is None else _recovered(fight, now.who, following, was_able=can_act(fight, now.who))


def _recovered(fight: Fight, who: str, following: Steps, *, was_able: bool) -> Steps:
    yield from following
    if not was_able and can_act(fight, who):
        yield from stimulus(fight, who)
