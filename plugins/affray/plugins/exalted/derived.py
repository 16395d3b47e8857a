"""What follows from a sheet before any fight: pools of dice, base Defense Values, L, soak, health (hook `derive`).

Every value has the rows that it has in a fight, less what only a fight adds: wounds, stunts, onslaught, charms that are
used. Dice and levels are counts, Defense Values and L points, penalties 0 or less.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from affray.kernel import Derived, Row, number, total

from .attack import weapon_rows
from .clock import join_rows
from .damage import base_rows, least_rows, soak_of
from .defense_value import defense_value
from .gear import DAMAGE_TYPES, Weapon
from .maneuvers import coordination_rows
from .options import Options
from .rows import RULE, SHEET, fitted
from .saves import knockdown_rows, threshold_rows
from .sheet import Sheet
from .situation import Stance, of_sheet


def derived(sheet: Sheet, options: Options) -> Iterator[Derived]:
    """List everything, in the order in which a fight asks for it."""
    yield summed("join-battle", join_rows(sheet))
    yield summed("coordinate", coordination_rows(sheet))
    yield from defences(sheet, options)
    for weapon in sheet.weapons:
        yield from of_weapon(sheet, weapon)
    yield from resilience(sheet)
    yield from track(sheet)


def summed(code: str, rows: Iterable[Row]) -> Derived:
    """Make a value of what its rows add up to; those that add nothing are left out."""
    trace = tuple(fitted(rows))
    return Derived(code=code, value=number(total(row.amount for row in trace)), trace=trace)


def defences(sheet: Sheet, options: Options) -> Iterator[Derived]:
    """Give the base Defense Value of a dodge and of a parry with each weapon that can, and L where a cap is in force."""
    arms = [weapon for weapon in sheet.weapons if weapon.defense is not None]
    for stance, ability in ((Stance("dodge"), "Dodge"), *[(Stance("parry", arm.key), arm.ability) for arm in arms]):
        value = defense_value(of_sheet(sheet, stance), options)
        yield summed(stance.code, value.trace)
        rows = sheet.limit_rows(ability)
        if rows is not None:
            yield summed(f"limit-{stance.code}", rows)


def of_weapon(sheet: Sheet, weapon: Weapon) -> Iterator[Derived]:
    """Give the dice of an attack, its raw damage before successes, and the least dice of damage of a hit."""
    yield summed(f"attack-{weapon.key}", weapon_rows(sheet, weapon))
    yield summed(f"damage-{weapon.key}", base_rows(sheet, weapon))
    yield summed(f"least-damage-{weapon.key}", least_rows(sheet, weapon))


def resilience(sheet: Sheet) -> Iterator[Derived]:
    """Give soak and Hardness by type of damage, and what stuns and knocks down: thresholds, and dice against it."""
    for kind in DAMAGE_TYPES:
        yield summed(f"soak-{kind}", soak_of(sheet, kind))
    for kind in DAMAGE_TYPES:
        yield summed(f"hardness-{kind}", [Row("armor", sheet.armor.hardness.get(kind, 0), SHEET)])
    yield summed("stun-threshold", [Row("stamina", sheet.stamina, SHEET)])
    yield summed("stun", threshold_rows(sheet))
    yield summed("knockdown-threshold", threshold_rows(sheet))
    yield summed("knockdown", knockdown_rows(sheet))


def track(sheet: Sheet) -> Iterator[Derived]:
    """Give the health levels: how many, the wound penalty of each before Incapacitated, and the dying levels."""
    source = RULE if sheet.health is None else SHEET
    yield summed("health-levels", [Row("levels", len(sheet.track), source), Row("incapacitated", 1, RULE)])
    for level, penalty in enumerate(sheet.track, 1):
        yield summed(f"wound-penalty-{level}", [Row("level", penalty, source)])
    yield summed("dying-levels", [Row("stamina", sheet.stamina, SHEET)])
