"""Golden vectors of the primer's rules: whole fights through real sessions, warm and restarted before every command."""

from __future__ import annotations

import pytest

from .primer_fights import Fought, fights
from .primer_log import Teller
from .primer_vectors import Record

UNCOMPARED = ("seq", "cause", "what")
"""What numbers the page's list, or is a text of it."""

cases = pytest.mark.parametrize(
    "vector",
    [pytest.param(vector, id=f"primer-{vector['id']}") for vector in fights()]
    or [pytest.param(None, id="primer-no-fights")],
)
both = pytest.mark.parametrize("cold", [False, True], ids=["warm", "cold"])


def listed(row: Record, actual: Record) -> Record:
    """What was told, as far as a row lists it."""
    return {
        name: listed(value, actual[name]) if isinstance(value, dict) and isinstance(actual.get(name), dict) else actual.get(name)
        for name, value in row.items()
        if name not in UNCOMPARED
    }


def wanted(row: Record) -> Record:
    """What a row lists and is compared."""
    return {name: value for name, value in row.items() if name not in UNCOMPARED}


@both
@cases
def test_a_fight_is_recorded_row_by_row(vector: Record | None, cold: bool) -> None:
    if vector is None:
        return
    fought = Fought(vector, cold=cold)
    told = Teller(fought.events).tell()
    expected = vector["expected"]
    assert [row["event"] for row in expected["log"]] == [row["event"] for row in told]
    assert [wanted(row) for row in expected["log"]] == [
        listed(row, actual) for row, actual in zip(expected["log"], told, strict=True)
    ]
    assert expected["events"] == len(told)
    assert vector["inputs"]["dice"] == fought.dice
    fought.check()
