"""Side initiative: one die for each side, and the whole side acts before the next one does (nyra, exalted).

Takes the place of the system's own beginning. In exalted everybody acts first on tick 0, and the place among those of one tick is
the side's; nobody joins battle, so a late arrival counts from its own roll.
"""

from __future__ import annotations

from collections.abc import Mapping

from affray.kernel import (
    Change,
    Entry,
    Fight,
    Num,
    Order,
    Roll,
    Row,
    Steps,
    dice,
    exact,
    hookimpl,
    limits,
    number,
)

NAME = "side-initiative"
D10 = dice(1, 10)

FIRST: Mapping[bool, tuple[Num, ...]] = {True: (0, 0), False: (1,)}
"""The first moment but for the rank: tick and phase where there is a pool for the rank (exalted), else the phase (nyra)."""

PLACE = "place"
"""The pool in which exalted keeps somebody's rank among those of one tick."""


class SideInitiative:
    """Each side rolls a d10; the higher side acts first, all of it, in the order of joining. Of equals the side that joined first."""

    title = "Side initiative"
    release = "1"
    systems = ("nyra", "exalted")

    @hookimpl
    def begin(self, fight: Fight) -> Steps:
        """Roll for the sides and seat everybody."""
        return self.roll_for_sides(fight)

    def roll_for_sides(self, fight: Fight) -> Steps:
        """Roll once for every side; the first to join of a side throws."""
        rolled: dict[str, Num] = {}
        for who in fight.ids:
            side = fight.combatant(who).side
            if side not in rolled:
                die = yield from Roll(NAME, by=who, plan=D10)
                rolled[side] = die.total or 0
        sides = sorted(rolled, key=lambda side: exact(rolled[side]), reverse=True)  # of equals: the first to join
        order = [who for side in sides for who in fight.ids if fight.combatant(who).side == side]
        for rank, who in enumerate(order, 1):
            missing = rank - fight.pool(who, PLACE) if has_place(fight, who) else 0
            if missing:
                yield Change(NAME, target=who, pool=PLACE, value=number(missing), trace=(Row(NAME, number(missing), NAME),))
        seats = [Entry(key=who, who=who, when=(*FIRST[has_place(fight, who)], rank)) for rank, who in enumerate(order, 1)]
        for first in range(0, len(seats), limits.ROWS):
            some = seats[first : first + limits.ROWS]
            rows = [Row(NAME, rolled[fight.combatant(entry.who).side], entry.who) for entry in some]
            yield Order(NAME, entries=tuple(some), trace=tuple(rows))

    @hookimpl
    def texts(self, locale: str) -> Mapping[str, str] | None:
        """Word the rolls and what comes of them."""
        words = {
            "roll.side-initiative": "{by} rolls for the side: {dice}.",
            "change.side-initiative": "",
            "order.side-initiative": "Side by side: {who}.",
        }
        return words if locale == "en" else None


def has_place(fight: Fight, who: str) -> bool:
    """Tell whether the system keeps somebody's rank in a pool."""
    return PLACE in fight.combatant(who).pools
