"""Actions that are no single attack: flurry, coordinated attack, aim, guard, what breaks them off, and the rest (exalted.md, 3.3)."""

from __future__ import annotations

from fractions import Fraction

import msgspec
from msgspec.structs import replace

from affray.kernel import Act, Action, Condition, Fight, Modifier, Order, Row, Steps, number

from . import timing
from .actions import Coordinate, Flurry
from .clock import (
    AIMING,
    BROKEN_OFF,
    DASHING,
    DECLARE,
    GUARDING,
    end_turn,
    entry_of,
    no_earlier,
    spend_time,
    tick,
)
from .dice_pools import successes, throw
from .health import is_down
from .rows import SHEET, sound_rows
from .saves import PRONE
from .sheet import Sheet
from .situation import COORDINATED, ONSLAUGHT
from .timing import ATTACK, ATTACK_DV, TIMINGS, Timing

ONSLAUGHT_EACH = -1
"""What each earlier attack of the same flurry costs the target's DV; gone when the flurry ends (3.3, [own] M)."""


def flurry(fight: Fight, action: Action) -> Steps:
    """Attack several times. The first of n actions loses n dice, each later one another; speed is the slowest (3.3)."""
    params: Flurry = action.params
    sheet: Sheet = fight.sheet(action.actor)
    others = [TIMINGS[name] for name in params.also]
    speeds = [weapon.speed for weapon in sheet.weapons if weapon.key in [attack.weapon for attack in params.attacks]]
    speed = max([*speeds, *[other.speed for other in others]])
    dv = ATTACK_DV * len(params.attacks) + sum(other.dv for other in others)
    yield from spend_time(fight, action, speed, dv)
    if timing.DASH in params.also:
        yield Condition("dash", target=action.actor, id=DASHING)
    count = len(params.attacks) + len(params.also)
    was_down = is_down(fight, action.actor)  # on this tick, after it was declared: that stops nothing
    for index, (attack, target) in enumerate(zip(params.attacks, action.targets, strict=True)):
        if is_down(fight, action.actor) and not was_down:
            break
        yield from onslaught(fight, action.targets[:index], target)
        lost = Modifier("attack.dice", -count - index, "flurry")
        yield from Act(
            "flurry",
            actor=action.actor,
            name=ATTACK,
            targets=(target,),
            params=msgspec.to_builtins(attack),
            rows=(*action.event.rows, lost),
        )
        if fight.has(target, ONSLAUGHT):
            yield Condition("onslaught", target=target, id=ONSLAUGHT, code="ended")
    if timing.RISE in params.also and fight.has(action.actor, PRONE):
        yield Condition("rise", target=action.actor, id=PRONE, code="ended")
    yield from end_turn(fight, action)
    return "done"


def onslaught(fight: Fight, earlier: tuple[str, ...], target: str) -> Steps:
    """Let the earlier attacks of this flurry on the same target count against it."""
    if target in earlier and target in fight.ids:
        yield Condition("onslaught", target=target, id=ONSLAUGHT, value=ONSLAUGHT_EACH * earlier.count(target))


def coordinate(fight: Fight, action: Action) -> Steps:
    """Coordinate an attack: Charisma + War against half the helpers; each success takes 1 off the target's DV (3.3, M).

    It counts, against attacks of the leader's side, until the leader acts again; at most the number of helpers.
    """
    params: Coordinate = action.params
    me = action.actor
    sheet: Sheet = fight.sheet(me)
    now = tick(fight)
    speed, dv = TIMINGS[timing.COORDINATE]
    yield from spend_time(fight, action, speed, dv)
    roll = yield from throw(fight, "coordinate", me, (*coordination_rows(sheet), *sound_rows(action, "dice")))
    found = successes(roll)
    helpers = len(params.helpers)
    is_done = found > 0 and found >= Fraction(helpers, 2) and action.target in fight.ids
    if is_done:
        code = "renewed" if fight.has(action.target, COORDINATED) else "gained"
        until = (number(now + speed), DECLARE, number(0))
        yield Condition(
            "coordinated",
            target=action.target,
            id=COORDINATED,
            code=code,
            value=-min(found, helpers),
            until=until,
            source=me,
        )
    yield from end_turn(fight, action)
    return "coordinated" if is_done else "failed"


def coordination_rows(sheet: Sheet) -> tuple[Row, ...]:
    """List the dice of coordinating an attack."""
    return (Row("charisma", sheet.charisma, SHEET), Row("War", sheet.ability("War"), SHEET))


def aim(fight: Fight, action: Action) -> Steps:
    """Aim at a target: a die a tick, for the next attack on it. Who aims on at the same target keeps what it has."""
    me = action.actor
    held = fight.conditions(me).get(AIMING)
    now = tick(fight)
    yield from spend_time(fight, action, *TIMINGS[timing.AIM])
    if held is None or held.source != action.target:
        code = "gained" if held is None else "renewed"
        yield Condition("aim", target=me, id=AIMING, code=code, value=number(now), source=action.target)
    yield from end_turn(fight, action)
    return "done"


def simple(fight: Fight, action: Action) -> Steps:
    """Do anything else: guard, dash, jump, rise, a Simple charm, something miscellaneous."""
    me = action.actor
    speed, dv = cost(action)
    if action.name == timing.MOVE:
        return "done"
    yield from lower_weapon(fight, me)
    yield from spend_time(fight, action, speed, dv)
    if action.name == timing.GUARD:
        yield Condition("guard", target=me, id=GUARDING)
    elif action.name == timing.DASH:
        yield Condition("dash", target=me, id=DASHING, code="renewed" if fight.has(me, DASHING) else "gained")
    elif action.name == timing.RISE and fight.has(me, PRONE):
        yield Condition("rise", target=me, id=PRONE, code="ended")
    yield from end_turn(fight, action)
    return "done"


def cost(action: Action) -> Timing:
    """Give what an action costs: the table's, or what its parameters say where it varies."""
    listed = TIMINGS[action.name]
    speed, dv = getattr(action.params, "speed", None), getattr(action.params, "dv", None)
    return Timing(listed.speed if speed is None else speed, listed.dv if dv is None else dv)


def lower_weapon(fight: Fight, who: str) -> Steps:
    """Stop aiming: any other action but a move ends it."""
    if fight.has(who, AIMING):
        yield Condition("aimed", target=who, id=AIMING, code="ended")


def break_off(fight: Fight, action: Action) -> Steps:
    """Break off a guard or an aim to act at this tick. The DV does not refresh, and what was aimed stays for the attack."""
    me = action.actor
    yield Condition("broken-off", target=me, id=BROKEN_OFF)
    entry = entry_of(fight, me, tick(fight))
    yield Order("broken-off", entries=(replace(entry, when=no_earlier(fight, entry.when)),))
    return "done"
