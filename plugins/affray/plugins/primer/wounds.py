"""What a hit does to a body, phase by phase: wound, saves, states, knockback (primer.md, 1.8 to 1.10, part 4, steps 8 to 12).

Where several actions resolve in one count, all of them roll before any wounds, and so on phase by phase (P-30).
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any, NamedTuple

from affray.kernel import (
    Action,
    ApplyDamage,
    Change,
    Condition,
    Exact,
    Fight,
    Judge,
    Part,
    Step,
    Steps,
    When,
    exact,
    number,
)

from .armour import OUTCOMES, knockback_pct
from .armour import Worn as WornItem
from .armour import wear as worn_by
from .clock import KNOCKBACK, SAVE, SPENT, STATE, WOUND, count, phase
from .defence import spent
from .figures import AREA, HTK, WEAR
from .gear import over
from .harm import FOOT_STEP, knockback
from .hits import Hit
from .options import PrimerOptions
from .rows import HERE, ROLL, RULE, SHEET, rows_of
from .saves import HEALTH, cripple, is_beyond_saves, save, shock, take_state
from .sheet import Sheet
from .shock import area_check, shock_check
from .states import EXPIRE, taken_of
from .tables import StateName


class Wound(NamedTuple):
    """What a wound took: the pool's damage taken before and after, and the damage itself."""

    before: Exact
    after: Exact
    damage: Exact


class Fate(NamedTuple):
    """What the saves of a wound brought, before either applies (P-72). `health` is the level of a failed health save, None for none."""

    state: StateName
    health: int | None


def consequences(fight: Fight, action: Action, hit: Hit) -> Steps:
    """Let a hit do what it does."""
    who = action.target
    yield from phase(fight, action, "wounds", WOUND)
    if who not in fight.ids:
        return
    wound = yield from hurt(fight, action, hit)
    yield from phase(fight, action, "saves", SAVE)
    fate = yield from roll_saves(fight, action, hit, wound)
    yield from phase(fight, action, "states", STATE)
    if who in fight.ids:
        yield from take_state(fight, who, fate.state)
        if fate.health is not None:
            yield from cripple(fight, who, hit.area.area, hit.kind, fate.health)
    yield from phase(fight, action, "knockback", KNOCKBACK)
    if who in fight.ids:
        yield from knock_back(fight, action, hit)


# -- wounds


def hurt(fight: Fight, action: Action, hit: Hit) -> Generator[Step, Any, Wound]:
    """Take the damage from HTK or POW, and what is taken from HTK from the area too; wear armour, use up the absorbing pool."""
    who = action.target
    yield from wear(fight, who, hit)
    yield from spend(fight, who, hit)
    before, _ = taken_of(fight, who, hit.pool)
    bd, value = number(hit.harm.step1_bd), number(hit.harm.step8_damage)
    applied = yield from ApplyDamage(
        "damage",
        target=who,
        pools=(hit.pool,),
        value=value,
        type=hit.kind,
        roll=hit.roll,
        parts=(Part(type=hit.kind, rolled=bd, rows=hit.harm.rows, value=value),),
    )
    area = AREA + hit.area.area
    if exact(applied.value) and hit.pool == HTK and area in fight.combatant(who).pools:
        rows = rows_of(RULE, ("damage", exact(applied.value)))
        yield ApplyDamage("area", target=who, pools=(area,), value=applied.value, type=hit.kind, roll=hit.roll, trace=rows)
    after, _ = taken_of(fight, who, hit.pool)
    return Wound(before, after, exact(applied.value))


def wear(fight: Fight, who: str, hit: Hit) -> Steps:
    """Let the outermost piece over the place lose points (option `armor_wear`, P-56)."""
    options: PrimerOptions = fight.options
    sheet: Sheet = fight.sheet(who)
    pools = fight.combatant(who).pools
    worn = [
        WornItem(name=one.item, left=fight.pool(who, WEAR + one.item)) for one in sheet.worn if WEAR + one.item in pools
    ]
    found = worn_by(worn, hit.position, OUTCOMES[hit.harm.ended])
    if options.armor_wear and found.item is not None:
        outcome = OUTCOMES[hit.harm.ended]
        rows = rows_of(RULE, (outcome, -found.loss))
        yield Change("wear", target=who, pool=WEAR + found.item, value=number(-found.loss), trace=rows)


def spend(fight: Fight, who: str, hit: Hit) -> Steps:
    """Remember the points of PAB or MAB that are used up until the next count, or for the fight (option `pab_refresh`, P-47)."""
    options: PrimerOptions = fight.options
    if options.pab_refresh == "per_hit" or not hit.harm.pool_used:
        return
    condition = SPENT[hit.absorbed_by]
    until: When | None = (number(count(fight) + 1), 0, EXPIRE) if options.pab_refresh == "per_count" else None
    code = "renewed" if fight.has(who, condition) else "gained"
    used = number(spent(fight, who, hit.absorbed_by) + hit.harm.pool_used)
    yield Condition("spent", target=who, id=condition, code=code, value=used, until=until)


# -- saves


def roll_saves(fight: Fight, action: Action, hit: Hit, wound: Wound) -> Generator[Step, Any, Fate]:
    """Roll SYS where a quarter line was passed, then HLTH where the area has passed half of its HTK; neither applies yet."""
    who = action.target
    options: PrimerOptions = fight.options
    if is_beyond_saves(fight, who) or not wound.damage:
        return Fate("no-effect", None)
    state: StateName = "no-effect"
    _, most = taken_of(fight, who, hit.pool)
    check = shock_check(maximum=most, before=wound.before, after=wound.after, options=options)
    if check.roll_needed:
        passed = check.quarters_after - check.quarters_before
        yield Judge(
            "quarters",
            by=who,
            code="passed",
            goal=check.quarters_after,
            margin=passed,
            trace=rows_of(HERE, ("before", check.quarters_before), ("wound", passed)),
        )
        state = yield from shock(fight, action, who, quarters_taken=check.quarters_after)
    area = AREA + hit.area.area
    if hit.pool != HTK or area not in fight.combatant(who).pools:
        return Fate(state, None)
    taken, htk = taken_of(fight, who, area)
    if not area_check(area_htk=htk, area_taken=taken):
        return Fate(state, None)
    saved = yield from save(fight, action, who, "HLTH", key=HEALTH)
    return Fate(state, None if saved.code == "passed" else int(exact(saved.margin or 0)))


# -- step 9


def knock_back(fight: Fight, action: Action, hit: Hit) -> Steps:
    """Work out how far the target is knocked back, 0 feet included. Where it lands is the table's to say."""
    sheet: Sheet = fight.sheet(action.target)
    found = knockback(
        bd=hit.harm.step1_bd,
        kind=hit.kind,
        options=fight.options,
        location=hit.area.knockback,
        item_pct=knockback_pct([one.item for one in over(sheet.worn, hit.position)], hit.position),
    )
    plain = found.steps * FOOT_STEP
    placed = plain * found.location_factor
    rows = (
        *rows_of(ROLL, ("base-damage", plain)),
        *rows_of(RULE, (hit.area.knockback, placed - plain)),
        *rows_of(SHEET, ("armor", found.feet - placed)),
    )
    yield Judge(
        "knockback", by=action.actor, against=action.target, code="feet", goal=number(found.feet), trace=rows
    )
