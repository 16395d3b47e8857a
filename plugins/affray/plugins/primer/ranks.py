"""Ranks, and what they give: speed, damage, and the level factors (primer.md, 1.1 and 1.2, L11-109).

A rank is a decimal, 0 for untrained. Tables are read by the whole rank; formulas take it exactly (P-04).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from math import ceil
from typing import NamedTuple

from affray.kernel import Exact, InputError, Row

from .bounds import RANK_MAX, one_of, ranked, stated, whole
from .options import PrimerOptions
from .rounding import trunc
from .rows import SHEET, rows_of
from .tables import (
    LEVEL_FACTORS,
    LVF,
    MLF_WEIGHTS,
    PLF_WEIGHTS,
    RANKS,
    TERTIARY_DIVISOR,
    LevelFactor,
    RankRow,
)

SECONDARIES_MAX = 2
"""Most closely related skills that help one skill (1.3, L155-159, P-12)."""

SPEED_OFFSET = 2
"""Speed of a rank is (rank - 2)/2, in INIT, in ACT and, halved once more, in SECMODS (1.6, L243)."""

TABLE_SPEED_BELOW = 3
"""Ranks below this one have another speed in the table than by the formula (1.1, P-02)."""


def rank_row(whole_rank: int) -> RankRow:
    """Give the row of a whole rank, 1 or more. Above 20 the last ten rows go on: (R-2)/2, its ceiling, 10(R-12) (P-01)."""
    whole(whole_rank, "$.rank", 1, RANK_MAX)
    if whole_rank <= len(RANKS):
        return RANKS[whole_rank - 1]
    spd = Fraction(whole_rank - SPEED_OFFSET, 2)
    return RankRow(spd, spd, ceil(spd), 10 * (whole_rank - 12))


def rank_speed(of: Exact, options: PrimerOptions) -> Exact:
    """Give what the rank of a skill adds to INIT_MOD and ACT, in counts and AP alike.

    (rank - 2)/2 of the exact rank. Whole ranks 1 and 2 have the table's speed under `rank_speed_source` table; below 1
    the formula holds under either (P-02).
    """
    row = trunc(ranked(of))
    if options.rank_speed_source == "table" and 1 <= row < TABLE_SPEED_BELOW:
        return RANKS[row - 1].spd
    return Fraction(of - SPEED_OFFSET) / 2


def dam_bonus(of: Exact, options: PrimerOptions) -> int:
    """Give what the rank of a skill adds to base damage: the DAM column, the one thing that is always rounded up (L37, P-03).

    The row of the whole rank, of rank 1 below it, 0 included. Under `fractional_rank_dam` ceil a fractional rank above
    2 gives (rank - 2)/2 rounded up (P-04).
    """
    row = trunc(ranked(of))
    if options.fractional_rank_dam == "ceil" and of > SPEED_OFFSET and row != of:
        return ceil(Fraction(of - SPEED_OFFSET) / 2)
    return rank_row(max(row, 1)).dam


def secondary_dam(of: Exact, options: PrimerOptions) -> int:
    """Give what the rank of a secondary skill adds to base damage; untrained it is no secondary skill and adds 0 (L343).

    Its whole DAM, or (whole rank - 2)/4 rounded up (option `secondary_dam`, P-13).
    """
    if not ranked(of):
        return 0
    if options.secondary_dam == "half":
        return ceil(Fraction(trunc(of) - SPEED_OFFSET, 4))
    return dam_bonus(of, options)


def secondaries(ranks: Sequence[Exact]) -> tuple[Exact, ...]:
    """Return the ranks of the secondary skills, of those that are trained (P-31).

    Raises InputError for more than two.
    """
    if len(ranks) > SECONDARIES_MAX:
        raise InputError(f"at most {SECONDARIES_MAX} secondary skills help", path="$.secondary_ranks", value=len(ranks))
    return tuple([one for index, one in enumerate(ranks) if ranked(one, f"$.secondary_ranks[{index}]")])


# -- level factors


def lvf_contribution(of: Exact) -> Exact:
    """Give what a skill adds to its pool, by its whole rank (1.2). Above 20 it goes on with 1 a rank (P-01)."""
    row = trunc(ranked(of))
    if row > len(LVF):
        return LVF[-1].total + row - len(LVF)
    return LVF[row - 1].total if row else 0


def lvf_pool(ranks: Iterable[Exact]) -> Exact:
    """Give the level factor that skills of one domain make together."""
    return sum([lvf_contribution(one) for one in ranks], 0)


class Tertiary(NamedTuple):
    """Mental, physical and total level factor."""

    MLF: Exact
    PLF: Exact
    TLF: Exact


def tertiary(pools: Mapping[LevelFactor, Exact]) -> Tertiary:
    """Give MLF, PLF and their sum TLF, in which KIF therefore counts twice (1.2, L103-107). An absent pool is 0."""
    mental, physical = _weighted(pools, MLF_WEIGHTS), _weighted(pools, PLF_WEIGHTS)
    return Tertiary(mental, physical, mental + physical)


def tertiary_rows(name: str, pools: Mapping[LevelFactor, Exact]) -> tuple[Row, ...]:
    """Explain MLF, PLF or TLF by the pools that make it."""
    weights = {"MLF": MLF_WEIGHTS, "PLF": PLF_WEIGHTS, "TLF": None}[one_of(name, ("MLF", "PLF", "TLF"), "$.name")]
    if weights is None:
        three = tertiary(pools)
        return rows_of(SHEET, ("MLF", three.MLF), ("PLF", three.PLF))
    return rows_of(
        SHEET, *[(code, Fraction(pools.get(code, 0) * weight) / TERTIARY_DIVISOR) for code, weight in weights.items()]
    )


def _weighted(pools: Mapping[LevelFactor, Exact], weights: Mapping[LevelFactor, int]) -> Exact:
    for code, amount in pools.items():
        stated(amount, f"$.{one_of(code, LEVEL_FACTORS, '$.pools')}")
    return Fraction(sum([pools.get(code, 0) * weight for code, weight in weights.items()], 0)) / TERTIARY_DIVISOR
