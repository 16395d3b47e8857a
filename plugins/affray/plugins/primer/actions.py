"""What may be declared: the parameters, the forms to choose from, and the reasons to refuse (primer.md, part 4, step 4).

`attack`, `disarm`, `skill`, `draw` and `wait` take time and are declared by whoever's count has come. `react`, `contest`, `save`, `heal`
and `revive` are what the game master calls for, at any moment.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Literal

import msgspec

from affray.kernel import Action, Fight, Form, Num, Refused, exact, is_number, number

from .bounds import AMOUNT_MAX, STATED_PARTS, WSD_MAX
from .clock import REACTION, is_idle
from .derived import SAVES, SaveName
from .figures import AREA, HTK, MANA, POW
from .gear import arm_of
from .options import PrimerOptions
from .pack import Arm, Position
from .places import bad_rows
from .sheet import Sheet
from .states import SOUL_GONE, can_act
from .tables import DAMAGE_TYPES, DIFFICULTIES, EXERTION, DamageType, Difficulty, Exertion
from .timing import AP, Spending, Timed, spending

ATTACK, DISARM, SKILL, DRAW, WAIT = "attack", "disarm", "skill", "draw", "wait"
REACT, CONTEST, SAVE, HEAL, REVIVE = "react", "contest", "save", "heal", "revive"

SORCERY_WSD = 10
"""Counts that a sorcery usually takes, and the base speed of a skill that says no other (L227)."""

POINTS_MAX = 100
"""Most healing rolls of one declaration."""

COUNTS_MAX = 100_000
"""Most counts that somebody waits or draws mana in one go: more than five hours."""


class Attack(Timed, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An attack with an own weapon. `type` None: the weapon's first. `called` names the position of a called shot (None: it is rolled).

    `unfamiliar` says that the untrained attacker does not even know the task (P-10).
    """

    weapon: str
    type: DamageType | None = None
    called: Position | None = None
    difficulty: Difficulty = "standard"
    unfamiliar: bool = False


class Disarm(Timed, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A disarm with an own weapon; `held` is the target's weapon, whose rank counts twice against it (L143)."""

    weapon: str
    held: str
    difficulty: Difficulty = "standard"


class Use(Timed, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The use of the skill that was reacted with: a spell, a feat. `wsd` is its base speed, `against` what of a target lowers the chance.

    `mana` is what it costs, of what is held.
    """

    wsd: Annotated[int, msgspec.Meta(ge=1, le=WSD_MAX)] = SORCERY_WSD
    difficulty: Difficulty = "standard"
    against: Literal["none", "DEF", "MDF"] = "none"
    mana: Num = 0
    unfamiliar: bool = False


class Draw(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Drawing mana for so many counts, a tenth of the spell limit each (L720)."""

    counts: Annotated[int, msgspec.Meta(ge=1, le=COUNTS_MAX)] = 1


class Wait(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Passive action for so many counts, of which `ap` are bought with action points and take no time (L299)."""

    counts: Annotated[int, msgspec.Meta(ge=1, le=COUNTS_MAX)] = 1
    ap: AP = 0


class React(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A stimulus out of turn for who does nothing; the skill to be used."""

    skill: str


class Contest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A contest of an own skill with a skill of the target, each at its difficulty."""

    skill: str
    against: str
    difficulty: Difficulty = "standard"
    against_difficulty: Difficulty = "standard"


class AskedSave(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A save that the game master asks for. `exertion` is for system shock over time alone (L510, P-62)."""

    save: SaveName
    exertion: Exertion | None = None


class Heal(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Healing: a health roll for each of `points` due, and `given` points that need none. `area` heals with HTK."""

    points: Annotated[int, msgspec.Meta(ge=0, le=POINTS_MAX)] = 0
    given: Num = 0
    pool: Literal["HTK", "POW"] = "HTK"
    area: str = ""


class Revive(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An extreme shock to somebody dead whose soul is still here (L538)."""


PARAMS: Mapping[str, type] = {
    ATTACK: Attack,
    DISARM: Disarm,
    SKILL: Use,
    DRAW: Draw,
    WAIT: Wait,
    REACT: React,
    CONTEST: Contest,
    SAVE: AskedSave,
    HEAL: Heal,
    REVIVE: Revive,
}
"""The actions and their parameters."""

IN_TURN: tuple[str, ...] = (ATTACK, DISARM, SKILL, DRAW, WAIT)
"""Actions of whoever's count has come; they take time."""


def forms(fight: Fight, who: str) -> Iterator[Form]:
    """List what may be declared."""
    sheet: Sheet = fight.sheet(who)
    able = can_act(fight, who)
    others = targets_of(fight, who)
    if fight.state.turn == who and able:
        yield from _in_turn(fight, who, sheet, others)
    if is_idle(fight, who) and sheet.reactions:
        yield Form(name=REACT, choices={"skill": sheet.reactions})
    if able and others and sheet.skills:
        theirs = _of_all(fight, others, "skills")
        if theirs:
            choices = {"skill": tuple(sorted(sheet.skills)), "against": theirs}
            yield Form(name=CONTEST, targets=others, least=1, most=1, choices=choices)
    if not fight.has(who, SOUL_GONE):
        yield Form(name=SAVE, choices={"save": tuple(SAVES), "exertion": (None, *EXERTION)})
    if able:
        yield Form(name=HEAL, targets=tuple([one for one in fight.ids if not fight.has(one, SOUL_GONE)]), least=1, most=1)
    dead = tuple([other for other in fight.ids if fight.has(other, "dead")])
    if able and dead:
        yield Form(name=REVIVE, targets=dead, least=1, most=1)


def _in_turn(fight: Fight, who: str, sheet: Sheet, others: tuple[str, ...]) -> Iterator[Form]:
    weapons = tuple([weapon.key for weapon in sheet.weapons])
    hard = {"difficulty": ("standard", *[name for name in DIFFICULTIES if name != "standard"])}
    if weapons and others:
        yield Form(name=ATTACK, targets=others, least=1, most=1, choices={"weapon": weapons, **hard})
        held = _of_all(fight, others, "weapons")
        if held:
            yield Form(name=DISARM, targets=others, least=1, most=1, choices={"weapon": weapons, "held": held, **hard})
    yield Form(name=SKILL, targets=others, least=0, most=1, choices={**hard, "against": ("none", "DEF", "MDF")})
    if MANA in fight.combatant(who).pools:
        yield Form(name=DRAW)
    yield Form(name=WAIT)


def targets_of(fight: Fight, who: str) -> tuple[str, ...]:
    """List everybody else who is alive: opponents who can act first, then helpless ones, then friends."""
    side = fight.combatant(who).side
    alive = [one for one in fight.ids if one != who and not fight.has(one, "dead", SOUL_GONE)]
    return tuple(sorted(alive, key=lambda one: (fight.combatant(one).side == side, not can_act(fight, one))))


def _of_all(fight: Fight, people: tuple[str, ...], what: Literal["skills", "weapons"]) -> tuple[str, ...]:
    """List the names of skills or weapons that any of these people have, each once."""
    found: dict[str, None] = {}
    for who in people:
        sheet: Sheet = fight.sheet(who)
        found |= dict.fromkeys(sorted(sheet.skills) if what == "skills" else [weapon.key for weapon in sheet.weapons])
    return tuple(found)


# -- refusals


def refusal(fight: Fight, action: Action) -> Refused | None:
    """Give a reason to refuse a declaration, before any cost or die."""
    for place, problem in bad_rows(action.event.rows):
        return Refused("bad-row", (place, problem))
    sheet: Sheet = fight.sheet(action.actor)
    match action.params:
        case Attack():
            return _of_weapon(fight, action, action.params.weapon) or _of_attack(fight, action, action.params)
        case Disarm():
            return _of_weapon(fight, action, action.params.weapon) or _of_disarm(fight, action, action.params)
        case Use():
            return _of_use(fight, action, action.params)
        case Wait():
            have = fight.pool(action.actor, "act")
            is_poor = action.params.ap and action.params.ap > have
            return Refused("not-enough-points", (action.params.ap, number(have))) if is_poor else None
        case React():
            known = sheet.reactions
            return None if action.params.skill in known else Refused("no-such-skill", (action.params.skill, *known))
        case Contest():
            foe: Sheet = fight.sheet(action.target)
            return _no_skill(sheet, action.params.skill) or _no_skill(foe, action.params.against)
        case AskedSave():
            return _of_save(fight, action, action.params)
        case Heal():
            return _of_heal(fight, action, action.params)
        case _:
            return None


def reacted_with(fight: Fight, who: str) -> str:
    """Give the skill that somebody reacted with, "" for none that is known."""
    held = fight.conditions(who).get(REACTION)
    sheet: Sheet = fight.sheet(who)
    return held.source if held is not None and held.source in sheet.skills else ""


def wielded(fight: Fight, action: Action, key: str) -> Arm:
    """Give a weapon that a declaration names; one that is not carried is refused."""
    sheet: Sheet = fight.sheet(action.actor)
    weapon = sheet.weapon(key)
    assert weapon is not None, "an unknown weapon is refused"
    return arm_of(weapon, fight.options)


def damage_type(arm: Arm, params: Attack) -> DamageType:
    """Give the type of an attack: the one that is named, or the weapon's first."""
    return arm.types[0] if params.type is None else params.type


def hurt_pool(arm: Arm, kind: DamageType) -> str:
    """Give the pool that a hit is taken from (P-49)."""
    pool = arm.hurts or ("POW" if DAMAGE_TYPES[kind].pool == "MAB" else "HTK")
    return HTK if pool == "HTK" else POW


def _no_skill(sheet: Sheet, name: str) -> Refused | None:
    return None if name in sheet.skills else Refused("no-such-skill", (name, *sorted(sheet.skills)))


def _of_weapon(fight: Fight, action: Action, key: str) -> Refused | None:
    """A weapon that is carried and goes with the skill reacted with, and points that pay for it."""
    sheet: Sheet = fight.sheet(action.actor)
    if sheet.weapon(key) is None:
        return Refused("no-such-weapon", (key, *[weapon.key for weapon in sheet.weapons]))
    arm = wielded(fight, action, key)
    skill = reacted_with(fight, action.actor)
    if not skill:
        return Refused("no-reaction", (action.actor,))
    if arm.skill and arm.skill != skill:
        return Refused("wrong-skill", (key, arm.skill, skill))
    return _of_time(fight, action, arm.wsd)


def _of_time(fight: Fight, action: Action, wsd: int) -> Refused | None:
    found = spending(fight, action.actor, wsd, action.params)
    return None if isinstance(found, Spending) else found


def _of_attack(fight: Fight, action: Action, params: Attack) -> Refused | None:
    """A type that the weapon has, and all data that a hit may need (beginning of the page: nothing is made up)."""
    arm = wielded(fight, action, params.weapon)
    if params.type is not None and params.type not in arm.types:
        return Refused("no-such-type", (params.type, *arm.types))
    options: PrimerOptions = fight.options
    if not options.pack.areas:
        return Refused("missing-data", ("hit-locations", ""))
    target = action.target
    pools = fight.combatant(target).pools
    pool = hurt_pool(arm, damage_type(arm, params))
    if pool not in pools:
        return Refused("missing-data", (pool.upper(), target))
    missing = [area.area for area in options.pack.areas if AREA + area.area not in pools] if pool == HTK else []
    if missing:
        return Refused("missing-data", ("area-HTK", target, *missing))
    return _of_familiarity(fight, params)


def _of_familiarity(fight: Fight, params: Attack | Use) -> Refused | None:
    options: PrimerOptions = fight.options
    is_missing = params.unfamiliar and options.pack.unfamiliar is None
    return Refused("missing-data", ("unfamiliar", "")) if is_missing else None


def _of_disarm(fight: Fight, action: Action, params: Disarm) -> Refused | None:
    foe: Sheet = fight.sheet(action.target)
    if foe.weapon(params.held) is None:
        return Refused("no-such-weapon", (params.held, *[weapon.key for weapon in foe.weapons]))
    if not skill_of(fight, action.target, params.held):
        return Refused("missing-data", ("weapon-skill", action.target))
    return None


def skill_of(fight: Fight, who: str, key: str) -> str:
    """Give the skill that somebody's weapon is used with: named by it, or of the same name; "" where nobody knows."""
    sheet: Sheet = fight.sheet(who)
    weapon = sheet.weapon(key)
    named = "" if weapon is None else arm_of(weapon, fight.options).skill
    return next((name for name in (named, key) if name in sheet.skills), "")


def _of_use(fight: Fight, action: Action, params: Use) -> Refused | None:
    if not reacted_with(fight, action.actor):
        return Refused("no-reaction", (action.actor,))
    if params.against != "none" and not action.targets:
        return Refused("wrong-number-of-targets", (0,))
    if not _is_amount(params.mana):
        return Refused("bad-amount", ("mana", params.mana))
    held = fight.pool(action.actor, MANA) if MANA in fight.combatant(action.actor).pools else 0
    if exact(params.mana) > held:
        return Refused("not-enough-mana", (params.mana, number(held)))
    return _of_familiarity(fight, params) or _of_time(fight, action, params.wsd)


def _is_amount(value: Num) -> bool:
    """Tell whether a number is 0 or more and short enough to be added for ever."""
    if not is_number(value):
        return False
    amount = exact(value)
    return 0 <= amount <= AMOUNT_MAX and STATED_PARTS % amount.denominator == 0


def _of_save(fight: Fight, action: Action, params: AskedSave) -> Refused | None:
    if params.exertion is not None and params.save != "SYS":
        return Refused("no-exertion", (params.save,))
    if params.save == "SYS" and HTK not in fight.combatant(action.actor).pools:
        return Refused("missing-data", ("HTK", action.actor))
    if params.save == "SYS" and fight.has(action.actor, "dead"):
        return Refused("dead", (action.actor,))
    return None


def _of_heal(fight: Fight, action: Action, params: Heal) -> Refused | None:
    pools = fight.combatant(action.target).pools
    pool = HTK if params.pool == "HTK" else POW
    if not _is_amount(params.given):
        return Refused("bad-amount", ("given", params.given))
    if pool not in pools:
        return Refused("missing-data", (params.pool, action.target))
    if params.area and (pool != HTK or AREA + params.area not in pools):
        return Refused("no-such-area", (params.area,))
    if not params.points and not exact(params.given):
        return Refused("nothing-to-heal", (action.target,))
    return None


