"""From a hit to health levels: raw damage, Hardness, soak, the minimum, the damage roll (exalted.md, 3.1 steps 7, 8 and 10).

    raw   = Strength + weapon + charms + successes that remain
    pool  = raw - soak, at least the attacker's Essence and the weapon's Overwhelming rating
    levels: a die of 7 or more each, a 10 once; against an extra a third of the pool, rounded up, unrolled
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from typing import Any

from affray.kernel import (
    Action,
    ApplyDamage,
    Exact,
    Fight,
    Judge,
    Row,
    Step,
    exact,
    number,
    slot,
    total,
)

from .beings import BEINGS
from .dice_pools import given, roll_of
from .gear import DamageType, Weapon
from .health import filled, marks, push, settle
from .rows import RULE, SHEET, fitted, sound_rows
from .sheet import Sheet
from .situation import charm_rows

EXTRA_DIVISOR = 3
"""Levels an extra takes: a third of the pool, rounded up (3.4, H)."""

DAMAGE_DOUBLES = False
"""Whether a 10 is two levels of damage: it is one (3.2, H)."""


def damage_pool(fight: Fight, action: Action, weapon: Weapon, net: Exact) -> Generator[Step, Any, Judge]:
    """Judge what gets through, `through` or `bounced`: the goal is the pool, the margin what raw damage has over Hardness.

    Hardness that equals the raw damage stops it (3.1 step 8: one source says so, the other is silent).
    """
    rows = fitted(raw_rows(fight, action, weapon, net))
    raw = total(row.amount for row in rows)
    hardness = max(hardness_of(fight, action, weapon), 0)
    is_bounced = hardness >= raw and hardness > 0
    if is_bounced:
        rows.append(Row("hardness", number(-raw), SHEET))
    else:
        rows = fitted([*rows, *soak_rows(fight, action, weapon)])
        least = total(row.amount for row in least_rows(fight.sheet(action.actor), weapon))
        missing = least - total(row.amount for row in rows)
        if missing > 0:
            rows.append(Row("minimum", number(missing), RULE))
    return (
        yield from Judge(
            "damage",
            by=action.actor,
            against=action.target,
            code="bounced" if is_bounced else "through",
            goal=number(total(row.amount for row in rows)),
            margin=number(raw - hardness),
            trace=tuple(rows),
        )
    )


def raw_rows(fight: Fight, action: Action, weapon: Weapon, net: Exact) -> Iterator[Row]:
    """Step 7: raw damage."""
    sheet: Sheet = fight.sheet(action.actor)
    yield from base_rows(sheet, weapon)
    yield from charm_rows(fight, action, "damage")
    yield from sound_rows(action, "damage.raw")
    yield Row("successes", number(net), "attack")


def base_rows(sheet: Sheet, weapon: Weapon) -> Iterator[Row]:
    """List what a weapon does before successes: Strength for most, and its own damage."""
    yield Row("strength", sheet.strength if weapon.adds_strength else 0, SHEET)
    yield Row("weapon", weapon.damage, SHEET)


def least_rows(sheet: Sheet, weapon: Weapon) -> tuple[Row]:
    """Name the least dice of damage of a hit: the attacker's Essence or the weapon's Overwhelming rating, if that is more."""
    is_more = weapon.overwhelming > sheet.essence
    return (Row("overwhelming", weapon.overwhelming, SHEET) if is_more else Row("essence", sheet.essence, SHEET),)


def raw_of(fight: Fight, action: Action, weapon: Weapon, judged: Judge) -> Exact:
    """Give the raw damage that a verdict on damage stands for."""
    return given(judged.margin) + max(hardness_of(fight, action, weapon), 0)


def hardness_of(fight: Fight, action: Action, weapon: Weapon) -> Exact:
    """Give the target's Hardness against a damage type."""
    sheet: Sheet = fight.sheet(action.target)
    rows = sound_rows(action, "damage.hardness", of=action.target)
    return sheet.armor.hardness.get(weapon.type, 0) + total(row.amount for row in rows)


def soak_rows(fight: Fight, action: Action, weapon: Weapon) -> Iterator[Row]:
    """Step 8: natural soak by type, armour, and rows; a row at `damage.soak` that is positive soaks."""
    sheet: Sheet = fight.sheet(action.target)
    for row in (*soak_of(sheet, weapon.type), *sound_rows(action, "damage.soak", of=action.target)):
        yield Row(row.code, number(-exact(row.amount)), row.source)


def soak_of(sheet: Sheet, kind: DamageType) -> Iterator[Row]:
    """List what a sheet soaks of a damage type."""
    yield Row("stamina", natural_soak(sheet, kind), SHEET)
    yield Row("armor", sheet.armor.soak.get(kind, 0), SHEET)


def natural_soak(sheet: Sheet, kind: DamageType) -> int:
    """Stamina against bashing, half of it (down) against lethal for the supernatural alone, none against aggravated (3.4)."""
    if kind == "bashing":
        return sheet.stamina
    if kind == "lethal" and BEINGS[sheet.being].is_supernatural:
        return sheet.stamina // 2
    return 0


def harm(fight: Fight, action: Action, weapon: Weapon, judged: Judge) -> Generator[Step, Any, int]:
    """Step 10: roll damage and fill the track. Gives the levels taken.

    The roll's trace names the pool and no more: the verdict before it says how the pool came about, to whom it may.
    """
    target = action.target
    pool = given(judged.goal)
    sheet: Sheet = fight.sheet(target)
    levels: Exact
    if sheet.is_extra:
        levels = max(-(-pool // EXTRA_DIVISOR), 0)
        used, trace = "", (Row("third-of-pool", number(levels), RULE),)
    else:
        rows = (Row("damage-pool", number(pool), "damage"),)
        roll = yield from roll_of("damage", action.actor, rows, doubles=DAMAGE_DOUBLES)
        levels = given(roll.total)
        used, trace = slot(roll), (Row("damage-roll", number(levels), "damage"),)
    before = marks(fight, target)
    hit = yield from ApplyDamage(
        "damage", target=target, pools=(weapon.type,), value=number(levels), type=weapon.type, roll=used, trace=trace
    )
    taken = int(exact(hit.value) // 1)
    yield from push(fight, target, filled(sheet, before, weapon.type, taken))
    yield from settle(fight, target)
    return taken
