"""Success chance, success level, contest and critical effect (primer.md, 1.3 to 1.5, L111-221).

    BSC = 3 SB + 5 RANK, rounded; LVF counts up to BSC; DIFF = opponent - difficulty
    FSC = BSC + LVF - DIFF + MODS + SECMODS, and the roll is against FSC (P-06)

A chance is in points of a hundred. It is not rounded again, and may exceed 100 or be negative.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import ceil, floor
from typing import Literal

import msgspec

from affray.kernel import Exact, InputError, Row

from .bounds import entry, one_of, ranked, stated, whole, within
from .options import PrimerOptions
from .ranks import secondaries
from .rounding import rounded
from .rows import HERE, RULE, SHEET, points, rows_of
from .tables import AWARENESS, D100, DIFFICULTIES, Awareness, Difficulty

STATS_MAX = 3
"""Most stats whose mean is a stat base (1.3, L113-117)."""

STAT_FACTOR = 3
RANK_FACTOR = 5
"""Points of chance a point of stat base and a rank are worth (1.3, L167)."""

UNTRAINED_DIVISOR = 2
"""What the stat part is divided by at rank 0; unfamiliarity is a modifier the table brings (1.3, L43, P-10)."""

CRITICAL_MISS_AT = 40
"""Points above the chance from which a miss is critical (1.4, L191, P-15)."""

BAND = 10
"""Rolls in every level from 3 up and from -1 down (1.4, L209-213)."""

CRITICAL_EFFECT_EACH = 20
"""What each negative level adds to the roll on a table of critical effects, which the table brings (1.4, L189, P-20)."""


class Chance(msgspec.Struct, frozen=True, kw_only=True):
    """A success chance and what it is made of. `rows` add up to `fsc`.

    `diff` is what difficulty and opponent take off, `lvf_used` what of the level factor counts under its cap.
    """

    sb: Exact
    bsc_raw: Exact
    bsc: Exact
    lvf_used: Exact
    diff: Exact
    mods: Exact
    secmods: Exact
    fsc: Exact
    rows: tuple[Row, ...]


def success_chance(
    *,
    stats: Sequence[Exact],
    rank: Exact,
    lvf: Exact,
    options: PrimerOptions,
    difficulty: Difficulty = "standard",
    opponent: Exact = 0,
    mods: Sequence[Row] = (),
    secondary_ranks: Sequence[Exact] = (),
) -> Chance:
    """Work out the chance of a skill.

    `stats` are one to three, whose mean is the stat base; none (a DVF skill) is a base of 0 (P-11). `lvf` is the pool of
    the skill, of which no more counts than the rounded base chance, before DIFF and MODS (L43, P-08). `opponent` is the DEF or MDF of a target that `defends`, twice the rank of the weapon for a disarm (L143), or 0.
    BSC is rounded before it caps (option `bsc_rounding`, P-09). The difficulty is printed as a bonus, so it is taken off DIFF (P-07). Each secondary skill, two at most, adds its rank
    (P-12: helper skills, not derived values; tertiary skills are abolished).
    """
    if len(stats) > STATS_MAX:
        raise InputError(f"a stat base is the mean of at most {STATS_MAX} stats", path="$.stats", value=len(stats))
    sum_of_stats = sum([stated(one, f"$.stats[{index}]") for index, one in enumerate(stats)], 0)
    sb = Fraction(sum_of_stats) / max(len(stats), 1)
    trained = ranked(rank)
    bonus = entry(DIFFICULTIES, difficulty, "$.difficulty")
    secmods = sum(secondaries(secondary_ranks), 0)

    stat_part = sb * STAT_FACTOR
    untrained = 0 if trained else Fraction(stat_part) / UNTRAINED_DIVISOR - stat_part
    raw = stat_part + untrained + trained * RANK_FACTOR
    bsc = raw if options.bsc_rounding == "none" else rounded(raw, options.bsc_rounding)
    lvf_used = min(stated(lvf, "$.lvf"), max(bsc, 0))
    rows = (
        *rows_of(SHEET, ("stat-base", stat_part)),
        *rows_of(RULE, ("untrained", untrained)),
        *rows_of(SHEET, ("rank", trained * RANK_FACTOR)),
        *rows_of(RULE, ("rounded", bsc - raw)),
        *rows_of(SHEET, ("level-factor", lvf)),
        *rows_of(RULE, ("level-factor-cap", lvf_used - lvf)),
        *rows_of(HERE, ("opponent", -within(opponent, "$.opponent")), (difficulty, bonus)),
        *mods,
        *rows_of(SHEET, *[("secondary", one) for one in secondaries(secondary_ranks)]),
    )
    return Chance(
        sb=sb,
        bsc_raw=raw,
        bsc=bsc,
        lvf_used=lvf_used,
        diff=opponent - bonus,
        mods=points(mods),
        secmods=secmods,
        fsc=points(rows),
        rows=rows,
    )


def defends(awareness: Awareness) -> bool:
    """Tell whether DEF or MDF counts against an attack: only for who is aware and defending (1.3, L143, P-93).

    A state takes nothing off it; who should count as undefending while stunned is the table's word (P-71).
    """
    return one_of(awareness, AWARENESS, "$.awareness") == "aware-defending"


def success_level(sc: Exact, roll: int, options: PrimerOptions) -> int:
    """Read a d100 against a chance (1.4, L179-213). No roll succeeds or fails by itself (P-21).

        ROLL <= SC       1; below SC/2 2; below SC/4 2 + ceil((SC/4 - ROLL)/10), so a quarter has to be undercut (P-17)
        ROLL >= SC + 40  -1 - floor((ROLL - SC - 40)/10)
        else             0

    Thresholds are exact. What equality means, and how the fractions from 3 up round, are options (P-14, P-15, P-16);
    below, a fraction goes towards zero, so that every band has ten rolls.
    """
    within(sc, "$.sc")
    _d100(roll)
    if roll < sc or (roll == sc and options.roll_equals_sc == "success"):
        quarter = Fraction(sc) / 4
        if roll < quarter:
            return _high_level(Fraction(quarter - roll) / BAND, options)
        return 2 if roll < 2 * quarter else 1
    beyond = roll - sc - CRITICAL_MISS_AT
    if beyond < 0:
        return 0
    return -1 - floor(Fraction(beyond) / BAND) if beyond else options.roll_equals_sc_plus_40


def _high_level(tens: Fraction, options: PrimerOptions) -> int:
    """Give the level of a roll that is so many tens, more than 0, below a quarter of the chance (P-16)."""
    if options.sl_high_rounding == "ceil_plus_2":
        return ceil(tens) + 2
    return floor(tens) + 3 if options.sl_high_rounding == "floor_plus_3" else max(3, floor(tens) + 2)


class Band(msgspec.Struct, frozen=True, kw_only=True):
    """The rolls, both ends included, that give a level."""

    first: int
    last: int
    sl: int


def bands(sc: Exact, options: PrimerOptions) -> tuple[Band, ...]:
    """List what every d100 gives against a chance, from the best level down (the chart of L219-221)."""
    found: list[Band] = []
    for roll in range(1, D100 + 1):
        sl = success_level(sc, roll, options)
        first = found.pop().first if found and found[-1].sl == sl else roll
        found.append(Band(first=first, last=roll, sl=sl))
    return tuple(found)


def difference(sc: Exact, roll: int) -> Exact:
    """Give ROLL - SC, which the table sometimes wants to know and the log always keeps (1.4, L205, P-18)."""
    return _d100(roll) - within(sc, "$.sc")


def damage_factor(sl: int) -> Exact:
    """Give the factor of a success level on damage, SL/2; 0 for a failure (1.4, L189-201)."""
    return Fraction(whole(sl, "$.sl"), 2) if sl >= 1 else 0


def critical_effect(sl: int, roll: int) -> int:
    """Give the total of a d100 on a table of critical effects: 20 more for each level of a critical miss (P-20).

    Raises InputError for an SL above -1, which is no critical miss.
    """
    return _d100(roll) - CRITICAL_EFFECT_EACH * whole(sl, "$.sl", high=-1)


class Contest(msgspec.Struct, frozen=True, kw_only=True):
    """Who wins, and with what level; nobody at level 0."""

    winner: Literal["a", "b"] | None
    sl: int


def contest(sl_a: int, sl_b: int) -> Contest:
    """Compare two skills: the higher level wins by what it is higher (1.5, L141 and L215-217).

    Equal levels have no effect. Where both fail the better failure still wins, as written (P-19).
    """
    ahead = whole(sl_a, "$.sl_a") - whole(sl_b, "$.sl_b")
    return Contest(winner=None if not ahead else "a" if ahead > 0 else "b", sl=abs(ahead))


def _d100(roll: int) -> int:
    return whole(roll, "$.roll", 1, D100)
