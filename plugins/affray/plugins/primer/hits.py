"""The nine steps of damage as they are recorded, up to what is taken (primer.md, 1.8).

    1 base damage -> 2 location -> 3 reductions -> 4 armour -> 5 to 8 the pool, the success level, what bleeds through
"""

from __future__ import annotations

from collections.abc import Generator
from fractions import Fraction
from typing import Any, NamedTuple

from affray.kernel import Action, Defend, Exact, Fight, Judge, Roll, Row, Step, exact, number, slot

from .action_speed import buy
from .actions import Attack, damage_type, hurt_pool, reacted_with, wielded
from .checks import PERCENT, rolled
from .defence import absorption
from .gear import armor_rows, over, ward_rows
from .harm import Harm, base_damage, damage, pool_factor
from .options import PrimerOptions
from .pack import Arm, HitArea, damage_plan
from .places import ARMOR, DAMAGE, REDUCTION, sound_rows
from .rows import HERE, ROLL, RULE, points, rows_of
from .sheet import Sheet
from .states import state_rows
from .tables import D100, DAMAGE_TYPES, AbsorbPool, Awareness, DamageType


class Hit(NamedTuple):
    """A blow that landed: what it does, where, to which pool, and the slot of its damage roll.

    `absorbed_by` is the pool that stood against it, of which `harm.pool_used` points were used.
    """

    harm: Harm
    kind: DamageType
    position: int
    area: HitArea
    pool: str
    absorbed_by: AbsorbPool
    roll: str


def resolve_damage(fight: Fight, action: Action, level: int, stance: Awareness) -> Generator[Step, Any, Hit]:
    """Take a hit of a success level of 1 or more through steps 1 to 8."""
    params: Attack = action.params
    arm = wielded(fight, action, params.weapon)
    kind = damage_type(arm, params)
    options: PrimerOptions = fight.options
    bd, used = yield from _base_damage(fight, action, arm, kind)  # 1
    position, area = yield from _location(fight, action)  # 2
    reductions = yield from _guard(action, "reductions", area, _reduction_rows(fight, action, kind, area))  # 3
    armor = yield from _guard(action, "armor", area, _armor_rows(fight, action, kind, position))  # 4
    absorbed_by = DAMAGE_TYPES[kind].pool
    available = yield from absorption(fight, action, absorbed_by, stance)
    harm = damage(  # 5 to 8
        bd=bd,
        kind=kind,
        sl=level,
        options=options,
        armor=armor,
        pool=Fraction(available) / pool_factor(stance, options),
        reductions=reductions,
        awareness=stance,
    )
    return Hit(harm, kind, position, area, hurt_pool(arm, kind), absorbed_by, used)


def _base_damage(
    fight: Fight, action: Action, arm: Arm, kind: DamageType
) -> Generator[Step, Any, tuple[Exact, str]]:
    """Step 1. Gives the base damage and the slot of its roll."""
    params: Attack = action.params
    skill = reacted_with(fight, action.actor)
    sheet: Sheet = fight.sheet(action.actor)
    roll = yield from Roll("damage", by=action.actor, plan=damage_plan(arm.dice))
    base = base_damage(
        rolled=rolled(roll),
        weapon=exact(arm.plus),
        material=exact(arm.material),
        magic=exact(arm.magic),
        rank=sheet.rank(skill),
        options=fight.options,
        secondary_ranks=sheet.secondary_ranks(skill) if skill else (),
        ap_for_dam=params.ap_sold.dam,
        mods=(
            *state_rows(fight, action.actor, DAMAGE),
            *sound_rows(action, DAMAGE),
            *rows_of(HERE, ("ap-bought", -buy(params.ap_bought.dam).dam)),
        ),
    )
    judged = yield from Judge(
        "base-damage", by=action.actor, against=action.target, code=kind, goal=number(base.bd), trace=base.rows
    )
    return max(exact(judged.goal or 0), 0), slot(roll)


def _location(fight: Fight, action: Action) -> Generator[Step, Any, tuple[int, HitArea]]:
    """Step 2: called, or rolled on the chart of the pack. Gives position and area."""
    params: Attack = action.params
    options: PrimerOptions = fight.options
    position, source = params.called, HERE
    if position is None:
        roll = yield from Roll("location", by=action.actor, plan=PERCENT)
        position, source = rolled(roll), ROLL
    area = _area_at(options, position)
    judged = yield from Judge(
        "location",
        by=action.actor,
        against=action.target,
        code=area.area,
        goal=position,
        trace=(Row("called" if source == HERE else "dice", position, source),),
    )
    position = min(max(int(exact(judged.goal or 0)), 1), D100)
    return position, _area_at(options, position)


def _area_at(options: PrimerOptions, position: int) -> HitArea:
    area = options.pack.area_at(position)
    assert area is not None, "an attack without a chart is refused, and a chart has every position"
    return area


def _guard(action: Action, key: str, area: HitArea, rows: tuple[Row, ...]) -> Generator[Step, Any, Exact]:
    """Record what stands between a hit and its target; nothing where nothing does."""
    if not rows:
        return 0
    total = points(rows)
    rows = (*rows, *rows_of(RULE, ("nothing-below", max(total, 0) - total)))
    step = yield from Defend(
        key, who=action.target, code=area.area, value=number(points(rows)), trace=rows, against=action.actor
    )
    return max(exact(step.value or 0), 0)


def _reduction_rows(fight: Fight, action: Action, kind: DamageType, area: HitArea) -> tuple[Row, ...]:
    sheet: Sheet = fight.sheet(action.target)
    return (*ward_rows(sheet.wards, kind, area.area), *sound_rows(action, REDUCTION, of=action.target))


def _armor_rows(fight: Fight, action: Action, kind: DamageType, position: int) -> tuple[Row, ...]:
    sheet: Sheet = fight.sheet(action.target)
    rows = tuple(armor_rows(sheet.worn, position, kind, fight.options)) if over(sheet.worn, position) else ()
    return (*rows, *sound_rows(action, ARMOR, of=action.target))
