"""From a fight to the inputs of a Defense Value: sheet, wounds, conditions, rows, charms of all sides (exalted.md, 1 and 3.4)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from affray.kernel import Action, Exact, Fight, Row, exact, number, root, total

from .bounds import EFFECTS_MAX, FACTORS_MAX, SCORE_MAX
from .charms import Charm, CharmRow, MagicRow, Op, Penalty, SetRow, Who
from .clock import DASHING, DV_PENALTY, held_value
from .defense_value import STUNT_MAX, Inputs
from .gear import RANGED
from .health import is_down, wound_of
from .rows import RULE, SHEET, sound_rows, whole
from .rows import problem as row_problem
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

SCENE: frozenset[str] = frozenset({"dv.stunt", "dv.terrain", "dv.ground", "dv.cover"})
"""Places of what everybody at the table sees, whoever gave the row."""

OTHER_PLACES: tuple[str, ...] = (
    "dice", "save.dice", "attack.dice", "attack.successes", "damage.raw", "damage.hardness", "damage.soak",
)  # fmt: skip
"""Places whose rows may be anything within bounds."""


class Stance(NamedTuple):
    """What a defender has chosen so far: a guard, with which weapon, and what supports it.

    `charms` has a key once for each use, `thrown` the dice of charms as (key, dice, successes).
    """

    guard: str
    weapon: str = ""
    charms: tuple[str, ...] = ()
    virtue: str = ""
    willpower: bool = False
    thrown: tuple[tuple[str, int, int], ...] = ()
    stunt_successes: int | None = None
    virtue_successes: int | None = None

    @property
    def code(self) -> str:
        """The name of the guard as an answer."""
        return f"{self.guard}-{self.weapon}" if self.weapon else self.guard


def inputs(fight: Fight, action: Action, stance: Stance, *, own: bool = False) -> Inputs:
    """Gather what the Defense Value of the target against this attack is made of, as the fight stands (ambiguity 23).

    With `own`, only what the defender knows of: nothing that the attacker or the game master brings against it. Low
    ground is cancelled by the weapon that parries, for a dodge by any that is carried.
    """
    who = action.target
    sheet: Sheet = fight.sheet(who)
    weapon = sheet.weapon(stance.weapon)
    charms = supporting(sheet, stance)
    stunt = stunt_dice(fight, action)
    found: list[MagicRow | CharmRow] = [*own_magic(sheet, stance, charms), *table_magic(action, own=own)]
    found += [*own_charms(stance, charms), *table_charms(fight, action, own=own)]
    magic, acting = within_bounds(found, is_capped=sheet.knows_cap)
    return replace(
        of_sheet(sheet, stance),
        wound=wound_of(fight, who),
        stunt_dice=stunt,
        virtue_dice=virtue_dice(sheet, stance),
        willpower=stance.willpower,
        adj_other=whole(rows_on(action, "dv.dice", own=own)),
        inapplicable=is_inapplicable(fight, action, stance, charms, stunt, own=own),
        action=penalty(held_value(fight, who, DV_PENALTY)),
        onslaught=penalty(held_value(fight, who, ONSLAUGHT)),
        terrain=whole(rows_on(action, "dv.terrain", own=own)),
        ground=whole(rows_on(action, "dv.ground", own=own)),
        ground_exempt=any(one.cancels_low_ground for one in ([weapon] if weapon is not None else sheet.weapons)),
        cover=max([int(exact(row.amount) // 1) for row in rows_on(action, "dv.cover", own=own)] + [0]),
        c_other=whole(rows_on(action, "dv.other", own=own)) + coordinated(fight, action),
        magic=magic,
        charms=acting,
        sets=sets_of(charms),
        stunt_successes=stance.stunt_successes or 0,
        virtue_successes=stance.virtue_successes or 0,
    )


def of_sheet(sheet: Sheet, stance: Stance) -> Inputs:
    """Give what a sheet alone makes of a defence, unhurt and with nobody around: traits, gear, and charms of the stance."""
    weapon = sheet.weapon(stance.weapon)
    ability = weapon.ability if weapon is not None else "Dodge"
    charms = supporting(sheet, stance)
    magic, acting = within_bounds(
        [*own_magic(sheet, stance, charms), *own_charms(stance, charms)], is_capped=sheet.knows_cap
    )
    return Inputs(
        defense="parry" if stance.guard == "parry" else "dodge",
        rounding=sheet.rounds,
        dexterity=sheet.dexterity,
        ability=sheet.ability(ability),
        essence=sheet.essence,
        weapon_defense=(weapon.defense or 0) if weapon is not None else 0,
        specialties=sheet.specialty(ability),
        mobility=sheet.armor.mobility,
        shield_mobility=sheet.shield.mobility,
        bracers=sheet.bracers,
        shield=sheet.shield.bonus,
        ignore=ignored(charms),
        magic=magic,
        charms=acting,
        cap=limit_of(sheet, ability),
    )


# -- what the defender knows of


def is_veiled(fight: Fight, action: Action) -> bool:
    """Tell whether the attacker's numbers are kept from the defender: by a secret combatant, or in a secret action."""
    return fight.combatant(action.actor).secret or is_in_secret(fight, action)


def is_in_secret(fight: Fight, action: Action) -> bool:
    """Tell whether the action, or the one it is nested in, was declared in secret."""
    run = fight.state.open.get(root(action.id))
    return run is not None and run.secret


def rows_on(action: Action, place: str, *, own: bool) -> tuple[Row, ...]:
    """Give the sound rows that act on the target; with `own` its conditions' alone, and what the scene gives."""
    who = action.target
    if not own or place in SCENE:
        return sound_rows(action, place, of=who)
    held = [row for one in action.fight.conditions(who).values() for row in one.rows if row.place == place]
    rows = [Row(row.code, row.amount, row.source or "declared") for row in held]
    return tuple([row for row in rows if not row_problem(row)])


def save_rows(fight: Fight, action: Action) -> tuple[Row, ...]:
    """Give the rows on the target's saves; what a secret attacker brings is one row without a name."""
    rows = sound_rows(action, "save.dice", of=action.target)
    if not is_veiled(fight, action):
        return rows
    known = rows_on(action, "save.dice", own=True)
    rest = total(row.amount for row in rows) - total(row.amount for row in known)
    return (*known, Row("others", number(rest), RULE))


# -- parts


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
    """List the own charms that act on this defence: those that always do, and those chosen, once for each use."""
    found: list[Charm] = []
    for charm in sheet.charms:
        if charm.helps(stance.guard):
            found += [charm] * (1 if charm.use == "always" else stance.charms.count(charm.key))
    return tuple(found)


def is_inapplicable(
    fight: Fight, action: Action, stance: Stance, charms: Sequence[Charm], stunt: int, *, own: bool = False
) -> bool:
    """Tell whether this defence is inapplicable to this attack; step B is given the answer (ambiguity 6).

    Nothing helps who is down, but cover still counts (ambiguity 27). A charm that says so helps against everything
    else; a stunt helps a parry against what bare hands, arrows and a dash forbid, not against an attack that is
    declared beyond it or unexpected ([own], M). With `own`, how a secret attack was declared is not known.
    """
    who = action.target
    if is_down(fight, who):
        return True
    if any(effect.op == "applicable" for charm in charms for effect in charm.effects):
        return False
    if any(row.amount for row in rows_on(action, "dv.inapplicable", own=own)):
        return True
    is_known = not own or not is_in_secret(fight, action)
    if is_known and (action.params.unexpected or forbids(action, stance)):
        return True
    is_hard = fight.has(who, DASHING) or (is_known and is_hard_to_parry(fight, action, stance))
    return stance.guard == "parry" and not stunt and is_hard


def forbids(action: Action, stance: Stance) -> bool:
    """Tell whether the attack was declared beyond this kind of defence."""
    return bool(action.params.undodgeable if stance.guard == "dodge" else action.params.unblockable)


def is_hard_to_parry(fight: Fight, action: Action, stance: Stance) -> bool:
    """Tell whether to parry this weapon needs a stunt: bare hands against more than bashing, anything against arrows."""
    arm = fight.sheet(action.actor).weapon(action.params.weapon)
    weapon = fight.sheet(action.target).weapon(stance.weapon)
    is_bare = weapon is None or weapon.is_bare
    return arm.ability in RANGED or (is_bare and arm.type != "bashing")


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


def own_magic(sheet: Sheet, stance: Stance, charms: Sequence[Charm]) -> Iterator[MagicRow]:
    """Make the rows of step D that a sheet holds: artifacts, and charms that ignore the cap."""
    for artifact in sheet.artifacts:
        if artifact.guard in ("both", stance.guard):
            yield MagicRow(op=artifact.op, value=artifact.value, code=artifact.key)
    for charm in charms:
        for effect in charm.effects:
            if charm.uncapped and effect.op in ("add", "mul", "div"):
                yield MagicRow(op=effect.op, value=effect.value, code=charm.key)


def table_magic(action: Action, *, own: bool) -> Iterator[MagicRow]:
    """Make the rows of step D that the table gives."""
    for place, op in MAGIC_PLACES.items():
        for row in rows_on(action, place, own=own):
            if not magic_problem(row, op):
                yield MagicRow(op=op, value=row.amount, code=row.code, source=row.source)


def own_charms(stance: Stance, charms: Sequence[Charm]) -> Iterator[CharmRow]:
    """Make the rows of step E that the defender's charms give."""
    for charm in charms:
        for effect in charm.effects:
            if not charm.uncapped and effect.op in ("add", "mul", "div"):
                yield CharmRow(who="self", op=effect.op, value=effect.value, code=charm.key)
    for key, _, successes in stance.thrown:
        yield CharmRow(who="self", op="add", value=successes, code=key, source="roll")


def table_charms(fight: Fight, action: Action, *, own: bool) -> Iterator[CharmRow]:
    """Make the rows of step E of everybody else: the attacker's charms, and those that the table gives."""
    for charm in () if own else attack_charms(fight, action):
        for effect in charm.effects:
            if effect.on == "dv" and effect.op in ("add", "mul", "div"):
                yield CharmRow(who="enemy", op=effect.op, value=effect.value, code=charm.key, source=action.actor)
    for place, (who, op) in CHARM_PLACES.items():
        for row in rows_on(action, place, own=own):
            if not charm_problem(row, who, op):
                yield CharmRow(who=who, op=op, value=row.amount, code=row.code, source=row.source)


def sets_of(charms: Sequence[Charm]) -> tuple[SetRow, ...]:
    """List what charms set the value to. Nobody is offered one where the option `set_charms` is off (ambiguity 18)."""
    return tuple([SetRow(value=effect.value, code=c.key) for c in charms for effect in c.effects if effect.op == "set"])


def attack_charms(fight: Fight, action: Action) -> list[Charm]:
    """List the charms that the attack names."""
    sheet: Sheet = fight.sheet(action.actor)
    return [charm for key in action.params.charms if (charm := sheet.charm(key)) is not None]


def charm_rows(fight: Fight, action: Action, on: str) -> Iterator[Row]:
    """List what the attack's charms add on its dice (`attack`), successes or damage, one row a charm."""
    for charm in attack_charms(fight, action):
        yield Row(charm.key, number(total(effect.value for effect in charm.effects if effect.on == on)), SHEET)


def within_bounds(
    rows: Sequence[MagicRow | CharmRow], *, is_capped: bool
) -> tuple[tuple[MagicRow, ...], tuple[CharmRow, ...]]:
    """Split rows by step; leave out what is beyond the bounds, and charms where L is not known.

    A sheet or a declaration with either is refused before, so this meets what the table gives to an open action, and factors of both
    sides that are more than FACTORS_MAX together.
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
