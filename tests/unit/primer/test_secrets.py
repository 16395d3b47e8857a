"""What secret numbers leak: nothing but when somebody acts, before whom, what is declared openly, and how the dice fall."""

from __future__ import annotations

import re
from typing import Any

import msgspec
import pytest

from affray.kernel import PUBLIC, ApplyDamage, Ask, Change, Defend, Judge, Order, Save

from .table import AREAS, SWORD, Table, pack

NUMBERS: dict[str, Any] = {
    "STR": 911,
    "CON": 919,
    "AGL": 929,
    "BLD": 937,
    "DSC": 6941,
    "HTK": 9467,
    "area_HTK": {area["area"]: 9533 for area in AREAS},
    "pinned": {"DEF": {"value": 2039, "reason": "thick-skinned"}, "PAB": {"value": 1013, "reason": "fat"}},
    "skills": {"claws": {"rank": 547, "factor": "PCF"}},
    "factors": {"PCF": 3557},
    "weapons": [{**SWORD, "key": "claws", "plus": 2563}],
    "worn": [{"item": "byrnie", "a": 5}],
}
OWN = ("911", "919", "929", "937", "6941", "9467", "9533", "2039", "1013", "547", "3557", "2563", "thick-skinned", "fat")


def ambush(*faces: int) -> Table:
    """A secret ogre and Ann attack one another."""
    table = Table(1, 1, 6, 5, *faces, options={"pack": pack(), "armor_wear": True})
    table.join("ogre", "blue", secret=True, **NUMBERS)
    table.join("ann", "red", HTK=9999, factors={"PCF": 60}, area_HTK={area["area"]: 9999 for area in AREAS})
    table.begin()
    return table


def fought() -> Table:
    table = ambush(*[1] * 60)
    for _ in range(4):
        if table.asked:
            table.answer("aware-defending")
        elif table.turn == "ogre":
            assert table.declare("ogre", "attack", "ann", weapon="claws") is None
        elif table.turn == "ann":
            assert table.attack("ann", "ogre") is None
    return table


def seen(table: Table, reader: str) -> str:
    return msgspec.json.encode([recorded.event for recorded in table.session.history(reader=reader)]).decode()


def found(text: str) -> list[str]:
    """The secrets in a text; digits within a digest are none."""
    return [secret for secret in OWN if re.search(rf"(?<![0-9a-z]){secret}(?![0-9a-z])", text)]


@pytest.mark.parametrize("reader", [PUBLIC, "ann"])
def test_the_numbers_of_a_secret_sheet_are_in_no_open_byte(reader: str) -> None:
    table = fought()
    assert table.found(Judge, "attack")
    assert found(seen(table, reader)) == []
    assert found(seen(table, "ogre")) == [*OWN]


def test_what_is_kept_is_unknown_to_others_and_known_to_its_player() -> None:
    table = fought()
    events = {reader: [r.event for r in table.session.history(reader=reader)] for reader in (PUBLIC, "ogre")}
    for kind, field in ((Judge, "goal"), (Defend, "value"), (Change, "value"), (Order, "trace")):
        mine = [event for event in events["ogre"] if type(event) is kind and "ogre" in msgspec.json.encode(event).decode()]
        theirs = [event for event in events[PUBLIC] if type(event) is kind and "ogre" in msgspec.json.encode(event).decode()]
        assert mine
        assert all(getattr(event, field) is not None for event in mine)
        assert all(getattr(event, field) is None for event in theirs)
    asks = [event for event in events[PUBLIC] if isinstance(event, Ask) and event.who == ("ogre",)]
    assert all(event.options is None for event in asks)
    assert not [event for event in events[PUBLIC] if isinstance(event, Save | ApplyDamage) and event.trace]
