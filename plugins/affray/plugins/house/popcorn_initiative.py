"""Popcorn initiative: nobody rolls for a place in the order; whoever has acted names who acts next (nyra).

Everybody acts once a phase. The first phase begins with whoever joined first, every later one with whom the last of the phase
before names, who may be the one that names.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from affray.kernel import (
    Ask,
    Entry,
    Fight,
    Moment,
    Option,
    Order,
    Steps,
    by_time,
    hookimpl,
    limits,
    moment,
    number,
)

NEXT = "next"


class PopcornInitiative:
    """Whoever has acted names who of the others acts next in this phase, and the last names the first of the next."""

    title = "Popcorn initiative"
    release = "1"
    systems = ("nyra",)

    @hookimpl
    def begin(self, fight: Fight) -> Steps:
        """Seat everybody in the order of joining, in place of the system's order."""
        return self.seat(fight)

    @hookimpl
    def upkeep(self, fight: Fight, moment: Moment) -> Steps | None:
        """Ask at the end of a turn."""
        return self.pass_on(fight, moment.who) if moment.name == "end" else None

    def seat(self, fight: Fight) -> Steps:
        """Give everybody a first turn."""
        seats = [Entry(key=who, when=(1, place), who=who) for place, who in enumerate(fight.ids, 1)]
        for first in range(0, len(seats), limits.ROWS):
            yield Order("popcorn-initiative", entries=tuple(seats[first : first + limits.ROWS]))

    def pass_on(self, fight: Fight, who: str) -> Steps:
        """Let `who` name the next; those not named keep their order behind. The dead name nobody."""
        waiting = waiting_now(fight)
        if len(waiting) < 2 or who not in fight.ids or fight.has(who, "dead"):
            return
        options = tuple([Option(code=entry.who) for entry in waiting[: limits.OPTIONS]])
        named: Any = yield from Ask(NEXT, who=(who,), options=options)
        waiting = sorted(waiting_now(fight), key=lambda entry: entry.who != named)
        phase, here = waiting[0].when[0], fight.state.at
        first = moment(here)[1] if here[:1] == (phase,) else 1
        seats = [Entry(key=entry.key, when=(phase, number(first + place)), who=entry.who) for place, entry in enumerate(waiting)]
        for begin in range(0, len(seats), limits.ROWS):
            yield Order(NEXT, entries=tuple(seats[begin : begin + limits.ROWS]))

    @hookimpl
    def texts(self, locale: str) -> Mapping[str, str] | None:
        """Word the question."""
        words = {
            "order.popcorn-initiative": "{who} act as they are named.",
            "ask.next": "Whom does {who} name to act next?",
            "choose.next": "{who} names {value}.",
            "order.next": "",
        }
        return words if locale == "en" else None


def waiting_now(fight: Fight) -> list[Entry]:
    """List the turns of the earliest phase that has any, in their order."""
    turns = [entry for entry in by_time(fight.state) if entry.moment == "start" and entry.who]
    return [entry for entry in turns if entry.when[0] == turns[0].when[0]]
