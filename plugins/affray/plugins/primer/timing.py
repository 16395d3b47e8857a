"""What an action costs in time: the speed, the action points spent on it, sold and bought (primer.md, 1.7, L289-335).

AP are spent when an action is declared, and what they bring is fixed then (part 4, step 4). What is left over is worth nothing
after that: the next reaction brings new ones (P-26).
"""

from __future__ import annotations

from typing import Annotated, Literal, NamedTuple

import msgspec

from affray.kernel import Action, Change, Exact, Fight, Judge, Refused, Steps, exact, number

from .action_speed import best, price
from .bounds import WSD_MAX
from .clock import pend
from .figures import ACT
from .options import PrimerOptions
from .rows import HERE, RULE, SHEET, points, rows_of
from .tables import HALF_COUNT

AP_MAX = 10_000
"""Most action points traded in one declaration."""

AP = Annotated[int, msgspec.Meta(ge=0, le=AP_MAX)]


class Sold(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """AP sold: each for 2 points of the chance, 1/2 point of damage, or a count of passive action (L299)."""

    sc: AP = 0
    dam: AP = 0
    passive: AP = 0

    @property
    def total(self) -> int:
        """All of them."""
        return self.sc + self.dam + self.passive


class Bought(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """AP bought: each for 10 points of the chance or 2 points of damage (L301). The third price, negative INIT, is paid by itself (P-37)."""

    sc: AP = 0
    dam: AP = 0

    @property
    def total(self) -> int:
        """All of them."""
        return self.sc + self.dam


class Timed(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What every action that takes time has.

    `speed` is in counts, "1/2" for two such actions inside one count; None is the fastest whole count that the points left by the
    trade pay.
    """

    speed: Annotated[int, msgspec.Meta(ge=1, le=WSD_MAX)] | Literal["1/2"] | None = None
    ap_sold: Sold = Sold()
    ap_bought: Bought = Bought()


class Spending(NamedTuple):
    """What a declaration does with the points it has: the speed it takes, what that costs, what is left."""

    speed: Exact
    cost: int
    left: Exact


def spending(fight: Fight, who: str, wsd: int, timed: Timed) -> Spending | Refused:
    """Work out speed and points. Refused where the speed does not exist or the points do not pay for it.

    Costs compare with the exact points; only whole ones are traded (P-38).
    """
    options: PrimerOptions = fight.options
    have = fight.pool(who, ACT) + timed.ap_bought.total
    left = have - timed.ap_sold.total
    if timed.ap_sold.total and left < 0:
        return Refused("not-enough-points", (timed.ap_sold.total, number(have)))
    if timed.speed is None:
        fastest = best(wsd, left, options)
        whole = max(fastest.speed, 1)
        paid = price(wsd, whole, options) or 0
        return Spending(whole, paid, left - paid)
    speed: Exact = HALF_COUNT if timed.speed == "1/2" else timed.speed
    cost = price(wsd, speed, options)
    if cost is None:
        return Refused("no-such-speed", (timed.speed, wsd))
    if cost and cost > left:
        return Refused("not-enough-points", (cost, number(left)))
    return Spending(speed, cost, left - cost)


def times(action: Action) -> int:
    """Tell how often an action is done: twice in half a count each (P-34)."""
    timed: Timed = action.params
    return 2 if timed.speed == "1/2" else 1


def take_time(fight: Fight, action: Action, wsd: int) -> Steps:
    """Pay for an action and let it pend until it resolves. Two in half a count each resolve at the end of that count."""
    timed: Timed = action.params
    spent = spending(fight, action.actor, wsd, timed)
    assert isinstance(spent, Spending), "refused before"
    speed = yield from Judge(
        "speed",
        by=action.actor,
        code="counts",
        goal=number(spent.speed),
        margin=spent.cost,
        trace=(*rows_of(SHEET, ("base-speed", wsd)), *rows_of(RULE, ("faster", spent.speed - wsd))),
    )
    rows = (
        *rows_of(RULE, ("speed", -spent.cost)),
        *rows_of(HERE, *[(f"sold-{name}", -getattr(timed.ap_sold, name)) for name in Sold.__struct_fields__]),
        *rows_of(HERE, *[(f"bought-{name}", getattr(timed.ap_bought, name)) for name in Bought.__struct_fields__]),
    )
    if rows:
        yield Change("action-points", target=action.actor, pool=ACT, value=number(points(rows)), trace=rows)
    yield from pend(fight, action, max(exact(speed.goal or 0), 1))
