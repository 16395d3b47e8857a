"""Action speed: what action points (AP) buy, and what they are sold for (primer.md, 1.7, L289-335).

An action takes WSD counts. A schedule lists every faster speed with its whole price, down to half a count, which is two
such actions inside one count, each with a roll of its own (P-34). The four printed columns are data (P-32); other base speeds
follow the rule of thumb (P-33).
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from math import floor
from typing import Literal, NamedTuple

from affray.kernel import Exact

from .bounds import WSD_MAX, one_of, whole, within
from .options import PrimerOptions, Rounding
from .rounding import rounded
from .tables import (
    ACTION_SPEEDS,
    AP_EACH_COUNT,
    AP_HALF_COUNT,
    BUY,
    FIRST_HALVING,
    HALF_COUNT,
    SECOND_HALVING,
    SELL,
    Speed,
)

AP_LEAST = 1
"""AP that each count faster costs at least where it has to be reckoned; rounding would give some away free (P-33)."""

Goods = Literal["sc", "dam", "passive"]
"""What AP are sold for: points of chance, points of damage, counts of passive action."""

GOODS: tuple[Goods, ...] = ("sc", "dam", "passive")


def rule(wsd: int) -> tuple[Speed, ...]:
    """Give the break points of the rule of thumb, from the base speed to half a count (L289-295).

    Half the counts (rounded up) cost 10, or 8 where they were odd; half of them again 20 or 16; every further count down to
    one 20; half a count 40. A base speed of 1 has nothing to halve.
    """
    return tuple([Speed(counts, ap) for counts, ap, _ in _breaks(whole(wsd, "$.wsd", 1, WSD_MAX))])


def schedule(wsd: int, options: PrimerOptions) -> tuple[Speed, ...]:
    """Give every speed of a base speed: the printed column where there is one, else as generated."""
    printed = ACTION_SPEEDS.get(whole(wsd, "$.wsd", 1, WSD_MAX))
    return generated(wsd, options) if printed is None else printed


def generated(wsd: int, options: PrimerOptions) -> tuple[Speed, ...]:
    """Give every speed by the rule of thumb, printed or not.

    Inside a halving a speed costs its share of it, rounded (option `ap_interior`), at least 1 above the base (P-33).
    """
    return _generated(whole(wsd, "$.wsd", 1, WSD_MAX), options.ap_interior)


def price(wsd: int, counts: Exact, options: PrimerOptions) -> int | None:
    """Give the AP that a speed costs in all; None where the base speed cannot come to it."""
    return next((speed.ap for speed in schedule(wsd, options) if speed.counts == counts), None)


class Spent(NamedTuple):
    """A speed, what it cost, the exact AP left, and how many of them can be traded: whole ones only (P-38)."""

    speed: Exact
    cost: int
    left: Exact
    left_whole: int


def available(act: Exact, options: PrimerOptions) -> Exact:
    """Give the AP of an ACT. A negative one is 0, or under `negative_act` keep a debt, to be bought up first (P-25)."""
    return within(act, "$.act") if options.negative_act == "keep" else max(within(act, "$.act"), 0)


def spend(wsd: int, counts: Exact, act: Exact, options: PrimerOptions) -> Spent | None:
    """Take a speed. Costs compare with the exact AP (P-38).

    The base speed costs nothing and can always be had. None where the speed does not exist or is too dear.
    """
    cost, pool = price(wsd, counts, options), available(act, options)
    if cost is None or (cost and cost > pool):
        return None
    return Spent(counts, cost, pool - cost, floor(pool - cost))


def best(wsd: int, act: Exact, options: PrimerOptions) -> Spent:
    """Take the fastest speed that the AP of an ACT pay for; of speeds at one price the fastest too."""
    pool = available(act, options)
    speed = [one for one in schedule(wsd, options) if not one.ap or one.ap <= pool][-1]
    return Spent(speed.counts, speed.ap, pool - speed.ap, floor(pool - speed.ap))


def sell(ap: int, what: Goods, base: Exact | None = None) -> Exact:
    """Give what left-over AP bring: 2 points of chance each, or 1/2 of damage, or a count of passive action (L299, P-35).

    `base` is the chance or the base damage without it, which the bonus may not exceed (P-36); None is no cap. On top of 0
    or less nothing can be bought (P-91).
    """
    one_of(what, GOODS, "$.what")
    each: Exact = {"sc": SELL.sc, "dam": SELL.dam, "passive": SELL.counts}[what]
    bonus = whole(ap, "$.ap", 0) * each
    return bonus if base is None else min(bonus, max(within(base, "$.base"), 0))


class Price(NamedTuple):
    """What AP cost: points of chance, or points of damage, or counts by which INIT is below 0."""

    sc: int
    dam: Exact
    negative_init: int


def buy(ap: int) -> Price:
    """Give what whole AP cost, in any one of three goods (L301, P-35).

    Negative initiative turns into AP by itself (`Initiative.excess`); the third price is that, never a second time (P-37).
    """
    count = whole(ap, "$.ap", 0)
    return Price(count * BUY.sc, count * BUY.dam, count * BUY.counts)


class _Break(NamedTuple):
    """A speed the rule of thumb names. `is_halved` says that it halves the one before, so that speeds lie between."""

    counts: Exact
    ap: int
    is_halved: bool


def _breaks(wsd: int) -> Iterator[_Break]:
    """Walk the break points."""
    counts, ap = wsd, 0
    yield _Break(counts, ap, False)
    for halving in (FIRST_HALVING, SECOND_HALVING):
        if counts > 1:
            ap += halving.odd if counts % 2 else halving.even
            counts = -(-counts // 2)
            yield _Break(counts, ap, True)
    while counts > 1:
        counts, ap = counts - 1, ap + AP_EACH_COUNT
        yield _Break(counts, ap, False)
    yield _Break(HALF_COUNT, ap + AP_HALF_COUNT, False)


@lru_cache(maxsize=1024)
def _generated(wsd: int, way: Rounding) -> tuple[Speed, ...]:
    speeds: list[Speed] = []
    for counts, ap, is_halved in _breaks(wsd):
        if is_halved:
            speeds += _inside(speeds[-1], Speed(counts, ap), way)
        speeds.append(Speed(counts, ap))
    return tuple(speeds)


def _inside(start: Speed, end: Speed, way: Rounding) -> list[Speed]:
    """List the speeds between two break points."""
    counts, ap = int(start.counts - end.counts), end.ap - start.ap
    shares = [rounded(Fraction(ap * done, counts), way) for done in range(1, counts)]
    return [
        Speed(start.counts - done, start.ap + max(share, AP_LEAST)) for done, share in enumerate(shares, 1)
    ]
