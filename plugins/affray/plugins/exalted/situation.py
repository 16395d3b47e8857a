"""From a fight to the inputs of a Defense Value: sheet, wounds, conditions, rows, charms of all sides (exalted.md, 1 and 3.4)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from affray.kernel import Action, Exact, Fight, Row, exact

from .bounds import EFFECTS_MAX, FACTORS_MAX, SCORE_MAX
from .charms import Charm, CharmRow, MagicRow, Op, Penalty, Who
from .clock import DASHING, DV_PENALTY, held_value
from .defense_value import STUNT_MAX, Inputs
from .gear import RANGED, Weapon
from .health import is_down, wound_of
from .rows import problem as row_problem
from .rows import sound_rows, whole
from .sheet import Sheet

ONSLAUGHT = "onslaught"
"""The condition whose value is what earlier attacks of the same flurry cost the target's DV."""

COORDINATED = "coordinated"
"""The condition whose value is what a coordinated attack costs the target's DV; its source is the leader."""

CHARM_PLACES: dict[str, tuple[Who, Op]] = {
    "dv.charm.self": ("self", "add"),
    "dv.charm.ally": ("ally", "add"),
    "dv.charm.enemy": ("enemy", "add"),
    "dv.charm.times": ("ally", "mul"),
    "dv.charm.by": ("enemy", "div"),
}
"""Places of charm rows that no sheet of this attack holds: from whom, and what they do. Factors of friend and foe are
one kind: an enemy's comes where its kind comes (1 E)."""

MAGIC_PLACES: dict[str, Op] = {"dv.magic": "add", "dv.magic.times": "mul"}

WHOLE_PLACES: tuple[str, ...] = (
    "dv.stunt", "dv.dice", "dv.terrain", "dv.ground", "dv.cover", "dv.other", "dv.inapplicable",
)  # fmt: skip
"""Places whose rows are whole numbers. How much ground and terrain are worth is the table's word; 1 is usual for ground
(ambiguity 8)."""


OTHER_PLACES: tuple[str, ...] = (
    "dice", "save.dice", "attack.dice", "attack.successes", "damage.raw", "damage.hardness", "damage.soak",
)  # fmt: skip
"""Places whose rows may be anything within bounds."""


class Stance(NamedTuple):
    """What a defender has chosen so far: a guard, with which weapon, and what supports it."""

    guard: str
    weapon: str = ""
    charms: tuple[str, ...] = ()
    virtue: str = ""
    willpower: bool = False
    excellency: tuple[tuple[str, int], ...] = ()
    stunt_successes: int | None = None
    virtue_successes: int | None = None

    @property
    def code(self) -> str:
        """The name of the guard as an answer."""
        return f"{self.guard}-{self.weapon}" if self.weapon else self.guard


def inputs(fight: Fight, action: Action, stance: Stance) -> Inputs:
    """Gather what the Defense Value of the target against this attack is made of, as the fight stands (ambiguity 23).

    Low ground is cancelled by the weapon that parries, for a dodge by any that is carried.
    """
    who = action.target
    sheet: Sheet = fight.sheet(who)
    weapon = sheet.weapon(stance.weapon)
    ability = weapon.ability if weapon is not None else "Dodge"
    charms = supporting(sheet, stance)
    stunt = stunt_dice(fight, action)
    found: list[MagicRow | CharmRow] = [*magic_of(action, sheet, stance, charms)]
    found += charms_of(fight, action, stance, charms)
    magic, acting = within_bounds(found, is_capped=sheet.knows_cap)
    return Inputs(
        defense="parry" if stance.guard == "parry" else "dodge",
        rounding=sheet.rounds,
        dexterity=sheet.dexterity,
        ability=sheet.ability(ability),
        essence=sheet.essence,
        weapon_defense=(weapon.defense or 0) if weapon is not None else 0,
        specialties=sheet.specialty(ability),
        wound=wound_of(fight, who),
        mobility=sheet.armor.mobility,
        shield_mobility=sheet.shield.mobility,
        stunt_dice=stunt,
        virtue_dice=virtue_dice(sheet, stance),
        willpower=stance.willpower,
        bracers=sheet.bracers,
        adj_other=whole(sound_rows(action, "dv.dice", of=who)),
        inapplicable=is_inapplicable(fight, action, stance, weapon, charms, stunt),
        action=penalty(held_value(fight, who, DV_PENALTY)),
        onslaught=penalty(held_value(fight, who, ONSLAUGHT)),
        terrain=whole(sound_rows(action, "dv.terrain", of=who)),
        ground=whole(sound_rows(action, "dv.ground", of=who)),
        ground_exempt=any(one.cancels_low_ground for one in ([weapon] if weapon is not None else sheet.weapons)),
        shield=sheet.shield.bonus,
        cover=max([int(exact(row.amount) // 1) for row in sound_rows(action, "dv.cover", of=who)] + [0]),
        c_other=whole(sound_rows(action, "dv.other", of=who)) + coordinated(fight, action),
        ignore=ignored(charms),
        magic=magic,
        charms=acting,
        cap=limit_of(sheet, ability),
        stunt_successes=stance.stunt_successes or 0,
        virtue_successes=stance.virtue_successes or 0,
    )


def penalty(value: Exact) -> int:
    """Hold a condition's value to what a penalty can be."""
    return max(min(int(value), 0), -SCORE_MAX)


def limit_of(sheet: Sheet, ability: str) -> int | str | None:
    """Write L for the inputs."""
    limit = sheet.limit(ability)
    if limit is None:
        return None
    return int(limit) if limit.denominator == 1 else f"{limit.numerator}/{limit.denominator}"


def stunt_dice(fight: Fight, action: Action) -> int:
    """Give the dice that the table awards the defender's stunt: rows at `dv.stunt`. An extra has none (3.4)."""
    if fight.sheet(action.target).is_extra:
        return 0
    return min(max(whole(sound_rows(action, "dv.stunt", of=action.target)), 0), STUNT_MAX)


def virtue_dice(sheet: Sheet, stance: Stance) -> int:
    """Give the dice of the Virtue that is channelled, 0 without one."""
    return next((dots for virtue, dots in sheet.virtues.items() if virtue == stance.virtue), 0)


def supporting(sheet: Sheet, stance: Stance) -> tuple[Charm, ...]:
    """List the own charms that act on this defence: those that always do, and those chosen."""
    return tuple(
        [
            charm
            for charm in sheet.charms
            if charm.helps(stance.guard) and (charm.use == "always" or charm.key in stance.charms)
        ]
    )


def is_inapplicable(
    fight: Fight, action: Action, stance: Stance, weapon: Weapon | None, charms: Sequence[Charm], stunt: int
) -> bool:
    """Tell whether this defence is inapplicable to this attack; step B is given the answer (ambiguity 6).

    Nothing helps who is down, but cover still counts (ambiguity 27). A charm that says so helps against everything else; a stunt helps a parry against what
    bare hands, arrows and a dash forbid, not against an attack that is declared beyond it or unexpected ([own], M).
    """
    who, params = action.target, action.params
    if is_down(fight, who):
        return True
    if any(effect.op == "applicable" for charm in charms for effect in charm.effects):
        return False
    if params.unexpected or any(row.amount for row in action.rows("dv.inapplicable", of=who)):
        return True
    if stance.guard == "dodge":
        return bool(params.undodgeable)
    return bool(params.unblockable) or (not stunt and is_hard_to_parry(fight, action, weapon))


def is_hard_to_parry(fight: Fight, action: Action, weapon: Weapon | None) -> bool:
    """Tell whether a parry needs a stunt: bare hands against more than bashing, anything against arrows, in a dash."""
    arm = fight.sheet(action.actor).weapon(action.params.weapon)
    bare = weapon is None or weapon.is_bare
    return arm.ability in RANGED or (bare and arm.type != "bashing") or fight.has(action.target, DASHING)


def coordinated(fight: Fight, action: Action) -> int:
    """Give what a coordinated attack costs, against attackers of the leader's side (3.3, M)."""
    held = fight.conditions(action.target).get(COORDINATED)
    if held is None or held.source not in fight.state.combatants:
        return 0
    same = fight.combatant(held.source).side == fight.combatant(action.actor).side
    return penalty(held_value(fight, action.target, COORDINATED)) if same else 0


def ignored(charms: Sequence[Charm]) -> tuple[Penalty, ...]:
    """List the penalties that charms let the defender ignore, each once."""
    return tuple(
        dict.fromkeys(
            [name for charm in charms for effect in charm.effects for name in effect.penalties]
        )
    )


def magic_of(action: Action, sheet: Sheet, stance: Stance, charms: Sequence[Charm]) -> Iterator[MagicRow]:
    """Make the rows of step D: artifacts, charms that ignore the cap, magic that the table gives."""
    for artifact in sheet.artifacts:
        if artifact.guard in ("both", stance.guard):
            yield MagicRow(op=artifact.op, value=artifact.value, code=artifact.key)
    for charm in charms:
        for effect in charm.effects:
            if charm.uncapped and effect.op in ("add", "mul", "div"):
                yield MagicRow(op=effect.op, value=effect.value, code=charm.key)
    for place, op in MAGIC_PLACES.items():
        for row in action.rows(place, of=action.target):
            if not magic_problem(row, op):
                yield MagicRow(op=op, value=row.amount, code=row.code, source=row.source)


def charms_of(fight: Fight, action: Action, stance: Stance, charms: Sequence[Charm]) -> Iterator[CharmRow]:
    """Make the rows of step E: own charms, the attacker's, and those of anybody else that the table gives."""
    for charm in charms:
        for effect in charm.effects:
            if not charm.uncapped and effect.op in ("add", "mul", "div"):
                yield CharmRow(who="self", op=effect.op, value=effect.value, code=charm.key)
    for key, successes in stance.excellency:
        yield CharmRow(who="self", op="add", value=successes, code=key, source="roll")
    for charm in attack_charms(fight, action):
        for effect in charm.effects:
            if effect.on == "dv" and effect.op in ("add", "mul", "div"):
                yield CharmRow(who="enemy", op=effect.op, value=effect.value, code=charm.key, source=action.actor)
    for place, (who, op) in CHARM_PLACES.items():
        for row in action.rows(place, of=action.target):
            if not charm_problem(row, who, op):
                yield CharmRow(who=who, op=op, value=row.amount, code=row.code, source=row.source)


def attack_charms(fight: Fight, action: Action) -> list[Charm]:
    """List the charms that the attack names."""
    sheet: Sheet = fight.sheet(action.actor)
    return [charm for key in action.params.charms if (charm := sheet.charm(key)) is not None]


def within_bounds(
    rows: Sequence[MagicRow | CharmRow], *, is_capped: bool
) -> tuple[tuple[MagicRow, ...], tuple[CharmRow, ...]]:
    """Split rows by step; leave out what is beyond the bounds, and charms where L is not known.

    A sheet or a declaration with either is refused before; this meets only what the table gives to an open action.
    """
    magic: list[MagicRow] = []
    charms: list[CharmRow] = []
    factors = 0
    for row in rows[:EFFECTS_MAX]:
        factors += row.op != "add"
        if row.op != "add" and factors > FACTORS_MAX:
            continue
        if isinstance(row, MagicRow):
            magic.append(row)
        elif is_capped:
            charms.append(row)
    return tuple(magic), tuple(charms)


# -- rows that cannot be


def charm_problem(row: Row, who: Who, op: Op) -> str:
    """Say what is wrong with a row at a place of charms; "" for nothing."""
    try:
        CharmRow(who=who, op=op, value=row.amount)
    except ValueError as error:
        return str(error)
    return ""


def magic_problem(row: Row, op: Op) -> str:
    """Say what is wrong with a row at a place of magic; "" for nothing."""
    try:
        MagicRow(op=op, value=row.amount)
    except ValueError as error:
        return str(error)
    return ""


def row_problems(action: Action, who: str) -> Iterator[tuple[str, str]]:
    """Find rows that act on a target's DV and cannot, as (place, problem).

    They are refused with the declaration; those that come up later are left out.
    """
    for place, (whose, op) in CHARM_PLACES.items():
        for row in action.rows(place, of=who):
            if problem := charm_problem(row, whose, op):
                yield place, problem
    for place, op in MAGIC_PLACES.items():
        for row in action.rows(place, of=who):
            if problem := magic_problem(row, op):
                yield place, problem
    for place in OTHER_PLACES:
        for row in (*action.rows(place), *action.rows(place, of=who)):
            if found := row_problem(row):
                yield place, found
    for place in WHOLE_PLACES:
        for row in action.rows(place, of=who):
            if found := row_problem(row):
                yield place, found
            elif type(row.amount) is not int:
                yield place, f"must be whole, got {row.amount}"
            elif place in ("dv.cover", "dv.stunt") and row.amount < 0:
                yield place, f"must be 0 or more, got {row.amount}"
    if sum(row.amount for row in action.rows("dv.stunt", of=who) if type(row.amount) is int) > STUNT_MAX:
        yield "dv.stunt", f"must be {STUNT_MAX} or less together"
