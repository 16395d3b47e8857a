"""Damage in nine steps (primer.md, 1.8, L337-418).

    1 base damage BD      2 location (the table's chart)     3 reductions      4 armour
    5 soft damage         6 success level                    7 the pool        8 bleeding, and what is taken
    9 knockback, saves

The order is the rule: the success level multiplies what armour and the soft part left, not BD (P-50), and soft damage is a part of
what armour left, found in step 5 (P-45). Nothing is rounded, BD and pool points are fractions where they fall so (P-42, P-52).
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import floor
from typing import Literal

import msgspec

from affray.kernel import Exact, Row

from .action_speed import sell
from .bounds import entry, whole, within
from .chance import damage_factor
from .options import PrimerOptions
from .ranks import dam_bonus, secondaries, secondary_dam
from .rounding import HALF
from .rows import HERE, ROLL, RULE, SHEET, points, rows_of
from .tables import (
    AWARENESS,
    BLEED_EACH,
    DAMAGE_TYPES,
    KNOCKBACK_LOCATIONS,
    POOL_HURT,
    SOFT_RATE,
    Awareness,
    DamageType,
    KnockbackLocation,
)

FOOT_STEP = HALF
"""Feet of one step of knockback (1.8, L402-418)."""

# -- step 1


class BaseDamage(msgspec.Struct, frozen=True, kw_only=True):
    """Base damage. `rows` add up to `bd`, whose bought part is `bought_dam`."""

    rank_dam: int
    secondary_dam: int
    bought_dam: Exact
    bd: Exact
    rows: tuple[Row, ...]


def base_damage(
    *,
    rolled: int,
    weapon: Exact,
    rank: Exact,
    options: PrimerOptions,
    material: Exact = 0,
    magic: Exact = 0,
    secondary_ranks: Sequence[Exact] = (),
    ap_for_dam: int = 0,
    wdb: Exact = 0,
    mods: Sequence[Row] = (),
) -> BaseDamage:
    """Step 1: what a hit starts with, before any success level (L343).

    `rolled` is the sum of the dice; `rank` and `secondary_ranks` bring their DAM (P-13), `wdb` (0 or less) is that of the
    attacker's own state (P-63), `mods` whatever else a table adds. The sum counts at least 0 (P-91), and `ap_for_dam` AP buy at
    most that much again (P-36). What was bought is part of BD, so that it knocks back too (P-39).
    """
    rank_dam = dam_bonus(rank, options)
    extra = [secondary_dam(one, options) for one in secondaries(secondary_ranks)]
    rows = (
        *rows_of(ROLL, ("dice", whole(rolled, "$.rolled"))),
        *rows_of(SHEET, ("weapon", within(weapon, "$.weapon")), ("material", within(material, "$.material"))),
        *rows_of(SHEET, ("magic", within(magic, "$.magic")), ("rank", rank_dam)),
        *rows_of(SHEET, *[("secondary", one) for one in extra]),
        *rows_of(HERE, ("state", within(wdb, "$.wdb", high=0))),
        *mods,
    )
    plain = max(points(rows), 0)
    bought = sell(ap_for_dam, "dam", plain)
    end = (*rows_of(RULE, ("no-healing", plain - points(rows))), *rows_of(HERE, ("bought", bought)))
    return BaseDamage(
        rank_dam=rank_dam, secondary_dam=sum(extra), bought_dam=bought, bd=plain + bought, rows=(*rows, *end)
    )


# -- steps 3 to 8


def pool_factor(awareness: Awareness, options: PrimerOptions) -> Exact:
    """Give what is left of PAB or MAB: all, half for who reacts or does not defend, for the unaware a quarter (L396).

    Option `unaware_factor` reads "cut in a quarter" as three quarters left (P-48).
    """
    share = entry(AWARENESS, awareness, "$.awareness")
    return Fraction(3, 4) if awareness == "unaware" and options.unaware_factor == "3/4" else share


def pool_left(full: Exact, used_this_count: Exact, used_this_fight: Exact, options: PrimerOptions) -> Exact:
    """Give the PAB or MAB that stands against the next hit, before the awareness factor (option `pab_refresh`, P-47).

    The pool is full again for each hit, or has lost the points used in this count, or in this fight.
    """
    used = {"per_hit": 0, "per_count": used_this_count, "per_fight": used_this_fight}[options.pab_refresh]
    return max(within(full, "$.full") - within(used, "$.used", 0), 0)


class Harm(msgspec.Struct, frozen=True, kw_only=True):
    """Every stage of steps 1 to 8, in order; None for one that was not reached.

    A field is named by its step: `step4_abd` is the running damage (ABD) after step 4. `rows` turn BD into the damage taken:
    bd + rows = step8_damage. `step8_pool` is what the damage is taken from, HTK or POW.
    """

    step1_bd: Exact
    pool_available: Exact | None = None
    step3_abd: Exact | None = None
    step4_stopped: Exact | None = None
    step4_abd: Exact | None = None
    step5_soft: Exact | None = None
    step5_hard: Exact | None = None
    step5_absorbed: Exact | None = None
    step5_pool_used: Exact | None = None
    step5_pool_left: Exact | None = None
    step5_abd: Exact | None = None
    step6_factor: Exact | None = None
    step6_abd: Exact | None = None
    step7_absorbed: Exact | None = None
    step7_pool_used: Exact | None = None
    step7_pool_left: Exact | None = None
    step7_abd: Exact | None = None
    step8_bleed: Exact | None = None
    step8_damage: Exact
    step8_pool: Literal["HTK", "POW"] | None = None
    ended: Literal["miss", "step-3", "step-4", "step-8"]
    rows: tuple[Row, ...]

    @property
    def pool_used(self) -> Exact:
        """Points of PAB or MAB that this hit used."""
        return (self.step5_pool_used or 0) + (self.step7_pool_used or 0)


def damage(
    *,
    bd: Exact,
    kind: DamageType,
    sl: int,
    options: PrimerOptions,
    armor: Exact = 0,
    pool: Exact = 0,
    reductions: Exact = 0,
    awareness: Awareness = "aware-defending",
) -> Harm:
    """Take a hit through the steps.

    `sl` of 0 or less is a miss and enters none of them (P-51). `armor` is the protection of the place against `kind`, `pool`
    PAB or MAB before the awareness factor (a PAB or MAB below 0 absorbs nothing), `reductions` what wards take off. Steps 3 and 4
    end the hit at 0 (P-40); after them step 8 always comes.
    """
    known = entry(DAMAGE_TYPES, kind, "$.kind")
    bd, armor, reductions = (
        within(bd, "$.bd", 0),
        within(armor, "$.armor", 0),
        within(reductions, "$.reductions", 0),
    )
    available = max(within(pool, "$.pool"), 0) * pool_factor(awareness, options)
    if whole(sl, "$.sl") < 1:
        return Harm(step1_bd=bd, step8_damage=0, ended="miss", rows=rows_of(RULE, ("miss", -bd)))

    abd3 = max(0, bd - reductions)
    rows = rows_of(HERE, ("reductions", abd3 - bd))
    if not abd3:
        return Harm(
            step1_bd=bd, pool_available=available, step3_abd=abd3, step8_damage=0, ended="step-3", rows=rows
        )

    stopped = min(abd3, armor)
    abd4 = abd3 - stopped
    rows += rows_of(HERE, ("armor", -stopped))
    if not abd4:
        return Harm(
            step1_bd=bd,
            pool_available=available,
            step3_abd=abd3,
            step4_stopped=stopped,
            step4_abd=abd4,
            step8_damage=0,
            ended="step-4",
            rows=rows,
        )

    soft = min(armor, abd4)
    absorbed5, used5 = _absorbed(soft, available, SOFT_RATE)
    abd5 = abd4 - absorbed5  # soft that the pool could not take stays, and is multiplied with the hard (P-43)

    factor = damage_factor(sl)
    abd6 = abd5 * factor

    left5 = available - used5
    absorbed7, used7 = _absorbed(abd6, left5, known.rate)
    abd7 = abd6 - absorbed7

    bleed = _bleed(absorbed5, absorbed7, used5 + used7, abd7, options)
    return Harm(
        step1_bd=bd,
        pool_available=available,
        step3_abd=abd3,
        step4_stopped=stopped,
        step4_abd=abd4,
        step5_soft=soft,
        step5_hard=abd4 - soft,
        step5_absorbed=absorbed5,
        step5_pool_used=used5,
        step5_pool_left=left5,
        step5_abd=abd5,
        step6_factor=factor,
        step6_abd=abd6,
        step7_absorbed=absorbed7,
        step7_pool_used=used7,
        step7_pool_left=left5 - used7,
        step7_abd=abd7,
        step8_bleed=bleed,
        step8_damage=abd7 + bleed,
        step8_pool=POOL_HURT[known.pool],
        ended="step-8",
        rows=(
            *rows,
            *rows_of(HERE, (f"{known.pool}-soft", -absorbed5)),
            *rows_of(RULE, ("success-level", abd6 - abd5)),
            *rows_of(HERE, (known.pool, -absorbed7)),
            *rows_of(RULE, ("bleed", bleed)),
        ),
    )


def _absorbed(amount: Exact, pool: Exact, rate: Exact) -> tuple[Exact, Exact]:
    """Give the damage a pool takes at so much a point, and the points it uses for that."""
    taken = min(amount, rate * pool)
    return taken, Fraction(taken) / rate


def _bleed(soft: Exact, last: Exact, used: Exact, left: Exact, options: PrimerOptions) -> Exact:
    """Give what of the absorbed damage is taken all the same, a tenth of the basis (L357, P-41)."""
    if not left and not options.bleed_when_absorbed_to_zero:
        return 0
    basis: Exact = {
        "step7_only": last,
        "damage_absorbed": soft + last,
        "pool_points": used,
        "soft_only": soft,
        "none": 0,
    }[options.bleed_basis]
    return Fraction(basis) / BLEED_EACH


# -- step 9


class Knockback(msgspec.Struct, frozen=True, kw_only=True):
    """How far somebody is knocked back. `points` make half a foot, `steps` is how many half feet there are before factors."""

    points: int
    steps: Exact
    location_factor: int
    item_pct: int
    feet: Exact


def knockback(
    *, bd: Exact, kind: DamageType, options: PrimerOptions, location: KnockbackLocation = "other", item_pct: int = 0
) -> Knockback:
    """Work out knockback from BD, before reductions, armour and success level (L345, L392).

    It is known in step 1 and applied in step 9, when the location is (P-58); also for a hit that wards or armour stopped (P-57),
    never for a miss. Whole half feet, or exactly (option `knockback_steps`, P-53), doubled for head and lower leg, less the share
    of an armour item (`armour.knockback_pct`, 0 or less).
    """
    each = entry(DAMAGE_TYPES, kind, "$.kind").knockback
    factor = entry(KNOCKBACK_LOCATIONS, location, "$.location")
    exact_steps = Fraction(within(bd, "$.bd", 0)) / each
    steps: Exact = floor(exact_steps) if options.knockback_steps == "floor" else exact_steps
    share = Fraction(100 + whole(item_pct, "$.item_pct", -100, 0), 100)
    return Knockback(
        points=each, steps=steps, location_factor=factor, item_pct=item_pct, feet=steps * FOOT_STEP * factor * share
    )
