"""The energy bank: what a swing of the older generation costs, and who is exhausted (nyra.md, section 2).

Bank and cost are stored numbers, of the sheet and of the weapon: the seed gives 38 and 7 and no page a formula for either,
so none is here (any would be I 0.2). Nothing refills a bank; a rest is the game master's word, who sets the pool.
"""

from __future__ import annotations

from affray.kernel import Change, Fight, Refused, Steps, number

from .options import Options
from .sheet import ENERGY, Sheet
from .weapons import Built


def exhaustion(fight: Fight, who: str, weapon: Built) -> Refused | None:
    """Give the reason to refuse a swing that would take the bank below the floor. It changes nothing (NY58).

    Exactly at the floor is allowed (NY91). A swing that costs nothing takes nothing, so it is never refused.
    """
    sheet: Sheet = fight.sheet(who)
    left, least = fight.pool(who, ENERGY), floor(sheet, fight.options)
    if not weapon.energy_cost or left - weapon.energy_cost >= least:
        return None
    return Refused("exhausted", (weapon.name, weapon.energy_cost, number(left), least))


def floor(sheet: Sheet, options: Options) -> int:
    """Give the lowest energy that a swing may leave: half of the full bank, rounded down, or what the option says.

    The seed allows one more swing from 31 of 38, which every floor from 18 to 24 does; half is the tidiest (contradiction
    8, I 0.6; NY58, NY59, NY79, NY91).
    """
    return (sheet.energy or 0) // 2 if options.exhaustion_floor == "half_bank" else options.exhaustion_floor


def spend(who: str, weapon: Built) -> Steps:
    """Spend what a swing costs, whether or not it will hit (I 0.8; NY79, NY91)."""
    if weapon.energy_cost:
        yield Change("energy", target=who, pool=ENERGY, value=-weapon.energy_cost)
