"""What a secret combatant's numbers leak: nothing, but who acts before whom and what dice everybody sees."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from .table import Table

SEQUENCE, AGILITY, SKILL = 77, 55, 33


def ambush() -> Table:
    """A secret ogre, a late one, and Ann; everybody strikes once."""
    table = Table(5, 5, 5, 3, 1, 1, 1, 5, 5, 3, 1, 1, 1)
    numbers: dict[str, Any] = {"sequence": SEQUENCE, "AGI": AGILITY, "skills": {"Swords": SKILL, "Dodge": SKILL}}
    table.join("ann", "red", sequence=5)
    table.join("ogre", "blue", secret=True, **numbers)
    table.begin()
    table.join("troll", "blue", secret=True, **{**numbers, "sequence": 1})
    table.strike("ogre", "ann", guard="defense")
    table.end_turn("ogre")
    table.strike("ann", "ogre", guard="dodge")
    table.end_turn("ann")
    return table


def open_values(event: Any) -> Iterator[object]:
    """Every number and text of an event that stands in its open bytes."""
    fields = msgspec.to_builtins(event)
    veil = fields.pop("veil", None)
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
    table = ambush()
    assert table.state.turn == "troll"
    secret = {SEQUENCE, AGILITY, SKILL, AGILITY - 3}
    leaks = [(event, value) for event in table.events for value in open_values(event) if value in secret]
    assert leaks == []


def test_no_number_of_a_secret_bank_stands_in_the_open() -> None:
    """Of a swing only its price is open, as a weapon's delay is in a duel."""
    table = Table(5, 3, 1, 5, 3, 2, 2, 2, options={"variant": "bank"})
    numbers: dict[str, Any] = {"skills": {"Swords": SKILL, "Dodge": SKILL}, "energy": AGILITY, "health": {"left-arm": SEQUENCE}}
    club = {"key": "sword", "modifier": "STR", "durability": 66, "energy_cost": 8, "damage": {"C": {"n": 1, "sides": 44}}}
    table.join("ogre", "blue", secret=True, sequence=5, weapons=[club], **numbers)
    table.join("ann", "red", skills={"Swords": 14, "Dodge": 5}, energy=20)
    table.begin()
    assert table.strike("ogre", "ann", guard="none") is None
    assert table.strike("ann", "ogre", guard="none") is None
    secret = {SKILL, SKILL // 2, AGILITY, AGILITY - 8, AGILITY // 2, SEQUENCE, 66}
    leaks = [(event, value) for event in table.events for value in open_values(event) if value in secret]
    assert leaks == []


def test_the_agenda_says_no_more_than_ranks() -> None:
    assert {
        entry.who: entry.when for entry in ambush().state.agenda.values()
    } == {"ogre": (2, 1), "ann": (2, 2), "troll": (2, 3)}
