"""The states of system shock as conditions, and what hinders whoever is hurt (primer.md, 1.9, L504-546).

A state is the condition of its name; at most one stands. Its value is how many counts the first state of a recovery lasted, which
is how long every later one lasts (P-64). What a state does follows from its name, so that one the game master gives is like
any other.
"""

from __future__ import annotations

from affray.kernel import Action, Condition, Exact, Fight, Moment, Row, Steps, When, exact, number

from .figures import HTK
from .options import PrimerOptions
from .pack import PACK
from .places import ACTION, DAMAGE, INITIATIVE, held_rows, sound_rows
from .rows import RULE, rows_of
from .shock import Duration, Standing, cascade, quarters, state_change
from .tables import STATES, StateName

SOUL_GONE = "soul-gone"
"""The condition of the dead whose soul has left: final (L534)."""

CRIPPLED = "crippled-"
"""Begins the condition of a crippled area."""

IN_STATE: tuple[StateName, ...] = tuple([name for name in STATES if name != "no-effect"])

HELPLESS: tuple[str, ...] = (*[name for name in IN_STATE if not STATES[name].can_act], SOUL_GONE)
"""Conditions in which nobody can act."""

EXPIRE = 0
"""The phase of a count in which states end: before anything else (part 4)."""


def state_of(fight: Fight, who: str) -> StateName:
    """Give the state somebody is in; the worst where a game master gave several."""
    found: list[StateName] = ["no-effect", *[name for name in IN_STATE if fight.has(who, name)]]
    return found[-1]


def can_act(fight: Fight, who: str) -> bool:
    """Tell whether somebody is in the fight and can act."""
    return who in fight.ids and not fight.has(who, *HELPLESS)


def standing(fight: Fight) -> tuple[str, ...]:
    """List everybody who can act, in the order of joining."""
    return tuple([who for who in fight.ids if can_act(fight, who)])


# -- what hinders


def state_rows(fight: Fight, who: str, place: str) -> tuple[Row, ...]:
    """Give what the state somebody is in adds at a place: to every action, to INIT, to base damage (P-22, P-63)."""
    state = state_of(fight, who)
    row = STATES[state]
    amount = {ACTION: row.action, INITIATIVE: row.init, DAMAGE: row.wdb}[place]
    return rows_of(RULE, (state, amount))


def wound_rows(fight: Fight, who: str) -> tuple[Row, ...]:
    """Give what somebody's wounds cost by the pack's table: nothing without one."""
    options: PrimerOptions = fight.options
    if not options.pack.wounds or HTK not in fight.combatant(who).pools:
        return ()
    taken, most = taken_of(fight, who, HTK)
    return rows_of(PACK, ("wounds", options.pack.wound(quarters(taken, most, options))))


def hindrances(fight: Fight, scope: Action, who: str) -> tuple[Row, ...]:
    """Give what reaches every action of somebody, and saves: the state, wounds, exhaustion and whatever else was given (P-92).

    Of somebody else than the actor, as a target that saves, only what the own conditions hold: the rows of a declaration and of
    house rules are the actor's.
    """
    given = sound_rows(scope, ACTION) if who == scope.actor else held_rows(fight, who, ACTION)
    return (*state_rows(fight, who, ACTION), *wound_rows(fight, who), *given)


def taken_of(fight: Fight, who: str, pool: str) -> tuple[Exact, Exact]:
    """Give the damage taken from a pool, 0 at least, and the most it can hold."""
    someone = fight.combatant(who)
    most = (someone.ranges or {})[pool].high
    assert most is not None, "pools of the body have an upper end"
    return max(exact(most) - fight.pool(who, pool), 0), exact(most)


# -- going from one to another


def until_of(count: Exact) -> When:
    """Give the moment at which a state ends."""
    return (number(count), 0, EXPIRE)


def would_stand(fight: Fight, who: str, state: StateName) -> bool:
    """Tell whether a new state replaces the one somebody is in, or begins it anew; when either ends decides nothing (P-65)."""
    new = Standing(state, 0)
    return state_change(Standing(state_of(fight, who), 0), new) is new


def enter(fight: Fight, who: str, state: StateName, until: Exact, length: Exact, source: str = "") -> Steps:
    """Put somebody into a state until a count, in place of any other."""
    yield from leave(fight, who, but=state)
    code = "renewed" if fight.has(who, state) else "gained"
    when = until_of(until)
    yield Condition("state", target=who, id=state, code=code, value=number(length), until=when, source=source)


def leave(fight: Fight, who: str, but: str = "") -> Steps:
    """End the states somebody is in, but one."""
    for name in [name for name in IN_STATE if name != but and fight.has(who, name)]:
        yield Condition("state", target=who, id=name, code="ended")


def recovery(fight: Fight, now: Moment) -> Steps | None:
    """Give what follows a state whose time is up, as it stands before it ends; None for any other condition."""
    held = fight.conditions(now.who).get(now.condition)
    state = state_named(now.condition)
    if held is None or state is None:
        return None
    return _recover(fight, now.who, state, None if held.value is None else exact(held.value))


def state_named(code: str) -> StateName | None:
    """Give the state of that name; None for none."""
    return _NAMED.get(code)


_NAMED: dict[str, StateName] = {str(name): name for name in STATES}


def _recover(fight: Fight, who: str, state: StateName, length: Exact | None) -> Steps:
    """Let the next milder state follow (L536); the dead are gone for good when their soul leaves (L534)."""
    if state == "dead":
        yield Condition("soul", target=who, id=SOUL_GONE)
        return
    if length is None:  # a game master's state says of no other
        return
    stretches = cascade(state, start=fight.at[0], duration=Duration("counts", length))
    if len(stretches) > 1:
        yield from enter(fight, who, stretches[1].state, fight.at[0] + length, length, source=state)
