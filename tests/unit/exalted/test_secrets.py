"""What a secret combatant's numbers leak in events: nothing but when it acts, before whom, and how many dice it throws."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from .table import Table

NUMBERS: dict[str, Any] = {"dexterity": 41, "stamina": 43, "strength": 47}
OWN = {41, 43, 47, "41/2", "43/2"}


def ambush() -> Table:
    """A secret ogre and Ann attack one another; the ogre dodges with 41 halves, and Ann cannot be missed."""
    table = Table(9, 2, *[2] * 7, *[9] * 40, 2, *[2] * 85, *[9] * 12)
    table.join("ann", "red", health=[0] * 20)
    table.join("ogre", "blue", secret=True, abilities={}, **NUMBERS)
    table.begin()
    table.attack("ann", "ogre", "dodge")
    table.attack("ogre", "ann", "dodge")
    return table


def open_values(event: Any) -> Iterator[object]:
    """Every number and text of an event that stands in its open bytes; dice aside."""
    fields = msgspec.to_builtins(event)
    veil = fields.pop("veil", None)
    fields.pop("plan", None)
    if veil is not None:
        if not veil["fields"]:
            return
        for field in veil["fields"]:
            del fields[field]
    work: list[Any] = [fields]
    while work:
        item = work.pop()
        if isinstance(item, dict):
            work += item.values()
        elif isinstance(item, list | tuple):
            work += item
        else:
            yield item


def test_no_number_of_a_secret_sheet_stands_in_the_open() -> None:
    leaks = [(event, value) for event in ambush().events for value in open_values(event) if value in OWN]
    assert leaks == []


def test_the_agenda_says_no_more_than_ticks_and_ranks() -> None:
    assert {entry.when[1:] for entry in ambush().state.agenda.values()} <= {(0, 1), (0, 2)}
