"""What may be declared: the parameters, the forms to choose from, and the reasons to refuse (nyra.md, 1.3 step 1)."""

from __future__ import annotations

from typing import Literal

import msgspec

from affray.kernel import Action, EndTurn, Fight, Form, Refused, Steps, number

from . import energy
from .armoury import DAMAGE_TYPES, DamageType
from .sheet import DELAY, Sheet
from .weapons import Built
from .wounds import alive, is_dead

STRIKE = "strike"
END_TURN = "end-turn"


class StrikeParams(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A strike: `weapon` is the key of an owned one, `aim` the location of an aimed strike, null for a wild one."""

    weapon: str
    strike: Literal["wild", "aimed"]
    type: DamageType
    aim: str | None = None


def forms(fight: Fight, who: str) -> tuple[Form, ...]:
    """List what the holder of the turn may declare. Anybody alive may be struck: a duel has no friends."""
    if fight.state.turn != who:
        return ()
    ending = Form(name=END_TURN)
    sheet: Sheet = fight.sheet(who)
    targets = tuple([other for other in alive(fight) if other != who])
    if is_dead(fight, who) or not targets or not sheet.weapons:
        return (ending,)
    types = {kind for weapon in sheet.arms for kind in weapon.types}
    aims = dict.fromkeys([location for target in targets for location in fight.sheet(target).locations])
    choices = {
        "weapon": tuple([weapon.key for weapon in sheet.arms]),
        "strike": ("wild", "aimed"),
        "type": tuple([kind for kind in DAMAGE_TYPES if kind in types]),
        "aim": (None, *aims),
    }
    return (Form(name=STRIKE, targets=targets, least=1, most=1, choices=choices), ending)


def refusal(fight: Fight, action: Action) -> Refused | None:
    """Give a reason to refuse a declaration. A refusal costs nothing and never ends a turn (NY26, NY30, NY58)."""
    if action.name == END_TURN:
        is_own = fight.state.turn == action.actor
        return None if is_own else Refused("not-your-turn", (action.actor, END_TURN))
    if is_dead(fight, action.actor):
        return Refused("dead", (action.actor,))
    if len(action.targets) != 1:
        return Refused("wrong-number-of-targets", (len(action.targets),))
    if action.target == action.actor or action.target not in alive(fight):
        return Refused("not-a-target", (action.target,))
    return _of_weapon(fight, action) or _of_aim(fight, action)


def _of_weapon(fight: Fight, action: Action) -> Refused | None:
    """If type and price are both wrong, the type is the reason (1.3)."""
    sheet: Sheet = fight.sheet(action.actor)
    params: StrikeParams = action.params
    weapon = sheet.arm(params.weapon)
    if weapon is None:
        return Refused("no-such-weapon", (params.weapon, *[owned.key for owned in sheet.weapons]))
    if params.type not in weapon.types:
        return Refused("damage-type-not-available", (weapon.name, params.type, *weapon.types))
    cannot_pay = energy.exhaustion if fight.options.is_bank else _too_slow
    return cannot_pay(fight, action.actor, weapon)


def _too_slow(fight: Fight, who: str, weapon: Built) -> Refused | None:
    """The delay of a weapon has to be left in the turn."""
    assert weapon.delay is not None, "a weapon without a delay does not come into a duel"
    left = fight.pool(who, DELAY)
    return None if weapon.delay <= left else Refused("not-enough-delay", (weapon.name, weapon.delay, number(left)))


def _of_aim(fight: Fight, action: Action) -> Refused | None:
    params: StrikeParams = action.params
    locations = fight.sheet(action.target).locations
    if params.strike == "wild":
        return None if params.aim is None else Refused("aim-not-allowed", (params.aim,))
    if params.aim is None:
        return Refused("aim-missing", locations)
    return None if params.aim in locations else Refused("no-such-location", (params.aim, *locations))


def end_turn(action: Action) -> Steps:
    """End the turn by choice; what delay is left is not saved up."""
    yield EndTurn("choice", who=action.actor)
    return "ended-by-choice"
