"""Damage phases: from the dice to what a hit applies (nyra.md, 1.4).

    dice     the damage dice; doubled on a critical success
    raw      dice + flat + modifier of the weapon's statistic
    final    raw + traits (contradiction 16: the seed's other way was never written)
    applied  final - armor of the location, at least 0

Every number is a row of one `Part`, in this order.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from affray.kernel import Action, Exact, Fight, Part, Row, number, total

from .armoury import DamageType
from .checks import RULE, SHEET, Difficulty, effective
from .options import Options
from .sheet import Sheet, modifier
from .weapons import Built, Trait

CRITICAL_DICE = 2
"""How often the dice count on a critical success. Flat part and modifier count once (contradiction 10)."""

IMPACT_COUNTS_CRITICAL_DICE = False
"""Impact takes half of the dice as rolled, on a critical success too (I 0.65)."""


MASTERCRAFT_SKILL: Difficulty = "normal"
"""Mastercraft takes half of the full skill, on an aimed strike too (I 0.7), and in the bank, of which the page says nothing."""


def part(
    fight: Fight, action: Action, weapon: Built, kind: DamageType, location: str, rolled: Exact, *, is_critical: bool
) -> Part:
    """Work out the damage of a hit, where `rolled` is the sum of the damage dice."""
    sheet: Sheet = fight.sheet(action.actor)
    rows = [
        *raw(sheet, weapon, kind, rolled, is_critical, fight.options),
        *traits(sheet, weapon, rolled, is_critical, fight.options),
        *action.rows("damage.flat"),
        *armor(fight.sheet(action.target), location, kind),
        *action.rows("damage.armor", of=action.target),
    ]
    final = rolled + total(row.amount for row in rows)
    if final < 0:
        rows.append(Row("no-healing", number(-final), RULE))  # armour never heals (I 0.9)
    return Part(type=kind, rolled=number(rolled), rows=tuple(rows), value=number(max(final, 0)))


def raw(
    sheet: Sheet, weapon: Built, kind: DamageType, rolled: Exact, is_critical: bool, options: Options
) -> Iterator[Row]:
    """Add to the dice what every hit adds."""
    entry = weapon.damage[kind]
    assert entry is not None, "a type that is N/A is refused"
    if is_critical:
        yield Row("critical", number(rolled * (CRITICAL_DICE - 1)), RULE)
    if entry.flat:
        yield Row("flat", entry.flat, SHEET)
    if bonus := primary(sheet, weapon, options):
        yield Row(weapon.modifier, bonus, SHEET)


def primary(sheet: Sheet, weapon: Built, options: Options) -> int:
    """Give the modifier of the statistic that a weapon lists (seed)."""
    statistics = {"STR": sheet.STR, "AGI": sheet.AGI, "CON": sheet.CON}
    return modifier(statistics[weapon.modifier], options.modifier)


def traits(sheet: Sheet, weapon: Built, rolled: Exact, is_critical: bool, options: Options) -> Iterator[Row]:
    """Add what the weapon's traits give.

    Swiftness is the modifier once more (by elimination only, 0.75), Impact half of the dice (0.85), Mastercraft half of
    the weapon skill (0.85). Halves are rounded down one by one, or (option `trait_rounding`) by one row at the end.
    """
    counted = rolled * CRITICAL_DICE if is_critical and IMPACT_COUNTS_CRITICAL_DICE else rolled
    given: dict[Trait, Exact] = {
        "Swiftness": primary(sheet, weapon, options),
        "Impact": Fraction(counted, 2),
        "Mastercraft": Fraction(effective(sheet.skills.Swords, MASTERCRAFT_SKILL), 2),
    }
    left: Exact = 0
    for trait, amount in given.items():
        if trait not in weapon.traits:
            continue
        whole = amount if options.trait_rounding == "one_sum" else amount // 1
        left += whole
        if whole:
            yield Row(trait, number(whole), SHEET)
    if left % 1:
        yield Row("rounded-down", number(-(left % 1)), RULE)


def armor(sheet: Sheet, location: str, kind: DamageType) -> Iterator[Row]:
    """Take off what the armour stops: after final damage (0.9; NY76 in the bank)."""
    stops = sheet.armor.get(location, {}).get(kind, 0)
    if stops:
        yield Row("armor", -stops, SHEET)
