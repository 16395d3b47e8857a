"""What may be declared: the parameters, the forms to choose from, and the reasons to refuse (exalted.md, 3.1 step 1, 3.3)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated

import msgspec

from affray.kernel import Action, Fight, Form, NoParams, Refused, number

from . import timing
from .bounds import EFFECTS_MAX, FACTORS_MAX, FLURRY_MAX, LIST_MAX
from .clock import AIMING, GUARDING
from .defence import can_pay
from .health import DEAD, is_down
from .sheet import MOTES, WILLPOWER, Sheet
from .situation import CHARM_PLACES, row_problems
from .timing import InFlurry, Simple

Keys = Annotated[tuple[str, ...], msgspec.Meta(max_length=LIST_MAX)]


class Attack(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An attack: `weapon` and `charms` are keys of owned ones, `stunt` the dice the table awards the attacker.

    `unblockable`, `undodgeable` and `unexpected` say what makes a defence inapplicable; `counter` marks a counterattack,
    which only the rules declare.
    """

    weapon: str
    stunt: Annotated[int, msgspec.Meta(ge=0, le=3)] = 0
    charms: Keys = ()
    unblockable: bool = False
    undodgeable: bool = False
    unexpected: bool = False
    counter: bool = False


class Flurry(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A flurry: one attack for each target named, in order, then the other actions in `also`."""

    attacks: Annotated[tuple[Attack, ...], msgspec.Meta(min_length=1, max_length=FLURRY_MAX)]
    also: Annotated[tuple[InFlurry, ...], msgspec.Meta(max_length=FLURRY_MAX)] = ()


class Coordinate(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A coordinated attack: who helps, the leader not among them."""

    helpers: Annotated[tuple[str, ...], msgspec.Meta(min_length=1, max_length=LIST_MAX)]


PARAMS: Mapping[str, type] = {
    timing.ATTACK: Attack,
    timing.FLURRY: Flurry,
    timing.COORDINATE: Coordinate,
    timing.AIM: NoParams,
    timing.GUARD: NoParams,
    timing.DASH: NoParams,
    timing.MOVE: NoParams,
    timing.JUMP: NoParams,
    timing.RISE: NoParams,
    timing.MISC: Simple,
    timing.CHARM: Simple,
    timing.BREAK_OFF: NoParams,
}
"""The actions and their parameters."""

AGAINST_SOMEBODY = (timing.ATTACK, timing.FLURRY, timing.AIM, timing.COORDINATE)


def forms(fight: Fight, who: str) -> Iterator[Form]:
    """List what may be declared: everything by the holder of the turn, out of turn the end of a guard or an aim."""
    if is_down(fight, who):
        return
    if fight.state.turn != who:
        if fight.has(who, GUARDING, AIMING) and who in fight.state.agenda:
            yield Form(name=timing.BREAK_OFF)
        return
    sheet: Sheet = fight.sheet(who)
    targets = tuple([other for other in fight.ids if other != who and not fight.has(other, DEAD)])
    weapons = tuple([weapon.key for weapon in sheet.weapons])
    if targets and weapons:
        yield Form(name=timing.ATTACK, targets=targets, least=1, most=1, choices={"weapon": weapons, "stunt": (0, 1, 2, 3)})
        yield Form(name=timing.FLURRY, targets=targets, least=1, most=FLURRY_MAX)
    if targets:
        yield Form(name=timing.AIM, targets=targets, least=1, most=1)
        yield Form(name=timing.COORDINATE, targets=targets, least=1, most=1)
    for name in PARAMS:
        if name not in AGAINST_SOMEBODY and name != timing.BREAK_OFF:
            yield Form(name=name)


def refusal(fight: Fight, action: Action) -> Refused | None:
    """Give a reason to refuse a declaration, before any cost or die."""
    if is_down(fight, action.actor) and not action.is_nested:  # an open action looks after itself
        return Refused("down", (action.actor,))
    for who in action.targets:
        if who not in fight.ids or fight.has(who, DEAD) or who == action.actor:
            return Refused("not-a-target", (who,))
    match action.params:
        case Attack():
            if len(action.targets) != 1:
                return Refused("wrong-number-of-targets", (len(action.targets),))
            if action.params.counter and not action.is_nested:
                return Refused("not-a-counterattack", (action.actor,))
            attack = action.params
            return (
                _of_attack(fight, action, attack)
                or _of_cost(fight, action, (attack,))
                or _of_rows(fight, action, attack, action.target)
            )
        case Flurry():
            return _of_flurry(fight, action, action.params)
        case Coordinate():
            return _of_helpers(fight, action, action.params)
    return None


def _of_attack(fight: Fight, action: Action, attack: Attack) -> Refused | None:
    sheet: Sheet = fight.sheet(action.actor)
    if sheet.weapon(attack.weapon) is None:
        return Refused("no-such-weapon", (attack.weapon, *[weapon.key for weapon in sheet.weapons]))
    if attack.stunt and sheet.is_extra:
        return Refused("extras-do-not-stunt", (action.actor,))
    for key in attack.charms:
        charm = sheet.charm(key)
        if charm is None or charm.use != "attack" or attack.charms.count(key) > charm.times:
            return Refused("no-such-charm", (key, *[one.key for one in sheet.charms if one.use == "attack"]))
    named = [charm for key in attack.charms if (charm := sheet.charm(key)) is not None]
    on_dv = [effect.op for charm in named for effect in charm.effects if effect.on == "dv"]
    if len(on_dv) > EFFECTS_MAX or len([op for op in on_dv if op != "add"]) > FACTORS_MAX:
        return Refused("too-many-effects", (EFFECTS_MAX, FACTORS_MAX))
    return None


def _of_cost(fight: Fight, action: Action, attacks: tuple[Attack, ...]) -> Refused | None:
    sheet: Sheet = fight.sheet(action.actor)
    charms = [charm for attack in attacks for key in attack.charms if (charm := sheet.charm(key)) is not None]
    if can_pay(fight, action.actor, *charms):
        return None
    left = [number(fight.pool(action.actor, pool)) for pool in (MOTES, WILLPOWER)]
    return Refused("cannot-pay", (sum(c.motes for c in charms), sum(c.willpower for c in charms), *left))


def _of_rows(fight: Fight, action: Action, attack: Attack, who: str) -> Refused | None:
    """Rows that contradict their place, and charms against somebody whose L nobody knows (ambiguity 14)."""
    for place, problem in row_problems(action, who):
        return Refused("bad-row", (place, problem))
    target: Sheet = fight.sheet(who)
    if target.knows_cap:
        return None
    own: Sheet = fight.sheet(action.actor)
    named = [charm for key in attack.charms if (charm := own.charm(key)) is not None]
    if any(charm.is_on_dv for charm in named) or any(action.rows(place, of=who) for place in CHARM_PLACES):
        return Refused("cap-unknown", (who, target.being))
    return None


def _of_flurry(fight: Fight, action: Action, flurry: Flurry) -> Refused | None:
    """A flurry needs a target for each attack, at least two actions, and weapons that are quick enough (Rate, [own])."""
    if len(flurry.attacks) != len(action.targets):
        return Refused("wrong-number-of-targets", (len(action.targets),))
    count = len(flurry.attacks) + len(flurry.also)
    if not 2 <= count <= FLURRY_MAX:
        return Refused("no-flurry", (count, FLURRY_MAX))
    sheet: Sheet = fight.sheet(action.actor)
    used = [attack.weapon for attack in flurry.attacks]
    for attack, who in zip(flurry.attacks, action.targets, strict=True):
        if attack.counter:
            return Refused("not-a-counterattack", (action.actor,))
        if refused := _of_attack(fight, action, attack) or _of_rows(fight, action, attack, who):
            return refused
        weapon = sheet.weapon(attack.weapon)
        assert weapon is not None, "refused above"
        if used.count(weapon.key) > weapon.rate:
            return Refused("rate-exceeded", (weapon.name or weapon.key, weapon.rate))
    return _of_cost(fight, action, flurry.attacks)


def _of_helpers(fight: Fight, action: Action, params: Coordinate) -> Refused | None:
    side = fight.combatant(action.actor).side
    for who in params.helpers:
        is_fit = who in fight.ids and not is_down(fight, who) and fight.combatant(who).side == side
        if not is_fit or who == action.actor or params.helpers.count(who) > 1:
            return Refused("not-a-helper", (who,))
    return None
