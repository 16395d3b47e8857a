"""The health track, wound penalties, dying and death (exalted.md, 3.4)."""

from __future__ import annotations

import msgspec
import pytest

from affray.kernel import Ask, Change, Condition, Defend, Held, Modifier, SetCondition, SetPool
from affray.plugins.exalted.health import Marks, filled, state_of, wound_penalty
from affray.plugins.exalted.sheet import Sheet

from .table import Table, duel, sheet

SOLAR = msgspec.convert(sheet(), Sheet)
EXTRA = msgspec.convert(sheet(is_extra=True), Sheet)


@pytest.mark.parametrize(
    ("before", "kind", "levels", "after"),
    [
        pytest.param((0, 0, 0), "lethal", 3, (0, 3, 0), id="lethal"),
        pytest.param((2, 1, 0), "bashing", 2, (4, 1, 0), id="beside"),
        pytest.param((7, 0, 0), "bashing", 1, (6, 1, 0), id="bashing-turns"),
        pytest.param((6, 0, 0), "bashing", 2, (6, 1, 0), id="fills-then-turns"),
        pytest.param((7, 0, 0), "lethal", 1, (6, 1, 0), id="lethal-pushes"),
        pytest.param((7, 0, 0), "aggravated", 2, (5, 0, 2), id="aggravated-pushes"),
        pytest.param((0, 7, 0), "bashing", 1, (0, 8, 0), id="bashing-on-a-dying-body"),
        pytest.param((0, 7, 0), "lethal", 2, (0, 9, 0), id="dying"),
        pytest.param((0, 9, 0), "lethal", 5, (0, 10, 0), id="dead-is-dead"),
    ],
)
def test_the_track_fills(
    before: tuple[int, int, int], kind: str, levels: int, after: tuple[int, int, int]
) -> None:
    assert Marks(*after) == filled(SOLAR, Marks(*before), kind, levels)


def test_the_penalty_is_that_of_the_worst_level_filled() -> None:
    assert [wound_penalty(SOLAR, Marks(0, n, 0)) for n in range(9)] == [0, 0, -1, -1, -2, -2, -4, -4, -4]
    assert [wound_penalty(EXTRA, Marks(n, 0, 0)) for n in range(4)] == [0, -1, -3, -3]


def test_seven_levels_incapacitate_and_stamina_more_kill() -> None:
    assert [state_of(SOLAR, Marks(0, n, 0)) for n in (6, 7, 9, 10)] == ["", "incapacitated", "incapacitated", "dead"]
    assert state_of(SOLAR, Marks(7, 0, 0)) == "incapacitated"
    assert [state_of(EXTRA, Marks(0, n, 0)) for n in (2, 3)] == ["", "incapacitated"]


def test_wounds_that_people_come_with_count_from_the_beginning() -> None:
    table = Table(2, 2)
    table.join("ann", "red")
    table.join("bob", "blue", pools={"lethal": 7})
    table.join("cy", "blue", pools={"bashing": 2})
    table.begin()
    assert set(table.conditions("bob")) == {"wound-penalty", "incapacitated"}
    assert table.conditions("cy") == {"wound-penalty": -1}
    assert "bob" not in table.state.agenda
    table.verify()


def test_marks_that_are_pushed_are_changes_and_the_fallen_leave_the_clock() -> None:
    table = duel(*[9] * 7, 9, 9, 9, 9, 2, 2, 2)
    table.session.overrule("bruises", SetPool(target="bob", pool="bashing", value=5))
    table.attack("ann", "bob", "dodge")
    assert [(change.pool, change.before, change.after) for change in table.found(Change, "pushed")] == [("bashing", 5, 3)]
    assert [gained.id for gained in table.found(Condition) if gained.target == "bob"] == ["wound-penalty", "incapacitated"]
    assert table.state.over == "won-by-red"


def test_who_is_down_defends_with_cover_alone_and_is_not_asked() -> None:
    """Ambiguity 27."""
    table = duel(2, *[2] * 7)
    table.join("cy", "blue")
    table.session.overrule("down", SetCondition(target="bob", held=Held(id="incapacitated")))
    table.attack("ann", "bob", rows=(Modifier("dv.cover", 1, "wall"),))
    assert table.found(Ask) == []
    assert table.found(Defend)[0].value == 1
    table.verify()
