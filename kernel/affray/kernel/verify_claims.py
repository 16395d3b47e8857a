"""What an event claims and cannot be, as far as the state tells that it happens in. No rules, no dice, no log.

Every function gives pairs of a finding's code and its text. What a copy does not show is not held against it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from msgspec import UNSET

from .dice import check_faces, check_plan, read
from .errors import DiceError
from .events import Choose, Declare, Join, Leave, Overrule, Sealed, Turn
from .names import RESUME, root
from .numbers import exact, total
from .state import State, by_time
from .steps import ApplyDamage, Ask, Change, Condition, Defend, Judge, Roll, Save

Claims = Iterator[tuple[str, str]]

_PEOPLE: dict[type, tuple[str, ...]] = {
    ApplyDamage: ("target",),
    Ask: ("who",),
    Change: ("target",),
    Choose: ("who",),
    Condition: ("target",),
    Declare: ("actor", "targets"),
    Leave: ("id",),
    Roll: ("by",),
    Turn: ("who",),
}
"""The fields that name people who must have joined."""


class Sight:
    """How much of a log is seen: what is kept from a copy may have changed pools, conditions and the agenda.

    `is_whole` is lost to a sealed event and to a kept overrule. `has_conditions` is lost to a join that keeps its conditions:
    then the agenda may hold an expiry that nobody sees, but everything that is seen is there.
    """

    def __init__(self) -> None:
        self.is_whole = True
        self.has_conditions = True

    def take(self, event: Any) -> None:
        """Take in an event that keeps something from this copy."""
        kind = type(event)
        if kind is Sealed or (kind is Overrule and event.effect is None):
            self.is_whole = False
        elif kind is Join and event.conditions is None:
            self.has_conditions = False


def claims(event: Any, state: State, sight: Sight) -> Claims:
    """What an event claims and cannot be in the state before it."""
    kind = type(event)
    for name in _PEOPLE.get(kind, ()):
        people = getattr(event, name)
        for who in (people,) if isinstance(people, str) else people:
            if who and who not in state.combatants:
                yield "nobody", f"{who!r} never joined"
                return
    if kind is Judge or kind is Save:
        yield from _sum(event.trace, event.goal, "goal")
    elif kind is Defend:
        yield from _sum(event.trace, event.value, "value")
    elif kind is Roll:
        yield from roll_claims(event)
    elif kind is Change and event.after is not None:
        yield from _sum(event.trace, event.value, "value")
        yield from _before(state, sight, event.target, event.pool, event.before)
        if exact(event.before) + exact(event.value) - exact(event.overflow) != exact(event.after):
            yield "arithmetic", f"{event.before} + {event.value} - {event.overflow} is not {event.after}"
    elif kind is ApplyDamage and event.touched is not None:
        yield from _damage(state, sight, event)
    elif kind is Condition and event.kept is UNSET:
        held = state.combatants[event.target].conditions.get(event.id)
        if event.before != (None if held is None else held.value) and sight.is_whole:
            yield "before", f"{event.target} has {event.id} at {held and held.value}, recorded is {event.before}"
        if event.after != (None if event.code == "ended" else event.value):
            yield "arithmetic", f"{event.code} with value {event.value} does not leave {event.after}"
    elif kind is Join:
        if event.id in state.combatants:
            yield "joined-twice", f"{event.id!r} has joined before"
    elif kind is Turn and (problem := _turn(event, state, sight)):
        yield "turn", problem


def roll_claims(roll: Roll) -> Claims:
    """A plan that cannot be thrown or has other dice than its trace says, faces that it cannot give, a wrong reading."""
    yield from _sum(roll.trace, sum(term.count for term in roll.plan.terms), "number of dice")
    try:
        if roll.faces is None:
            check_plan(roll.plan)
            return
        check_faces(roll.plan, roll.faces)
        reading = read(roll.plan, roll.faces)
    except DiceError as error:
        yield "faces", str(error)
        return
    recorded = (roll.total, roll.botch, roll.fault, roll.dropped)
    if recorded != (reading.total, reading.botch, reading.fault, reading.dropped):
        yield "reading", f"the faces read {reading.total}, recorded is {roll.total}"


def _turn(turn: Turn, state: State, sight: Sight) -> str:
    """Why this moment was not due: it is the least entry of the agenda, when nothing else goes on."""
    if ">" in turn.action:
        if root(turn.action) not in state.open and sight.is_whole:
            return f"{turn.action} hangs below no open action"
        is_end = (turn.moment, turn.entry, turn.when) == ("end", "", state.at)
        return "" if is_end or not sight.is_whole else "is neither on the agenda nor the end of a turn"
    if turn.moment == "begin":
        is_first = not state.began and (turn.action, turn.entry, turn.when) == ("begin", "", ())
        return "" if is_first else "is not how a fight begins"
    if not sight.is_whole:
        return ""
    if not state.began or state.over or state.turn or state.prompts or any(run.due is None for run in state.open.values()):
        return "comes while something else goes on"
    if turn.entry not in state.agenda and turn.moment == "expiry" and not sight.has_conditions:
        return ""
    due = next(iter(by_time(state)), None)
    if due is None:
        return "was not on the agenda"
    if (turn.entry, turn.moment, turn.who, turn.when) != (due.key, due.moment, due.who, due.when):
        return f"was not due: {due.moment} of {due.key} at {due.when} was"
    counted = f"{due.moment}:{due.key}"
    name = f"{counted}.{state.turns.get(counted, 0) + 1}" if due.moment != "resume" else due.key.removeprefix(RESUME)
    return "" if turn.action == name else f"is {name}, not {turn.action}"


def _damage(state: State, sight: Sight, event: ApplyDamage) -> Claims:
    yield from _sum(event.trace, event.value, "value")
    if event.parts:
        for part in event.parts:
            yield from _sum((*part.rows,), total((part.value,)) - exact(part.rolled), f"part {part.type}")
        if total(part.value for part in event.parts) != exact(event.value):
            yield "trace", f"the parts do not add up to {event.value}"
    taken: Any = exact(event.overflow or 0)
    ranges = state.combatants[event.target].ranges
    for touch in event.touched or ():
        yield from _before(state, sight, event.target, touch.pool, touch.before)
        direction = ranges[touch.pool].damage if ranges is not None and touch.pool in ranges else 1
        taken += (exact(touch.after) - exact(touch.before)) * direction
    if ranges is not None and taken != exact(event.value):
        yield "arithmetic", f"the pools took {taken} of {event.value}"


def _before(state: State, sight: Sight, who: str, pool: str, before: Any) -> Claims:
    now = state.combatants[who].pools.get(pool)
    if now is not None and now != before and sight.is_whole:
        yield "before", f"{who}'s {pool} is {now}, recorded is {before}"


def _sum(trace: Any, value: Any, name: str) -> Claims:
    if trace and value is not None:
        wanted = exact(value) if isinstance(value, str) else value
        if (added := total(row.amount for row in trace)) != wanted:
            yield "trace", f"the rows add up to {added}, the {name} is {value}"


__all__ = ["Claims", "Sight", "claims", "roll_claims"]
