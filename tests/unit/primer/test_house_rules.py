"""What a table may add: rows at every place, rulings on steps, overrules; all of it counts."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from affray.kernel import (
    Action,
    ApplyDamage,
    Change,
    Defend,
    Fight,
    Held,
    Judge,
    Modifier,
    Roll,
    Save,
    SetCondition,
    SetStep,
    dice,
    exact,
    hookimpl,
)
from affray.plugins.primer.places import PLACES

from ...support.table import must
from .table import SLOW, Table, duel, struck

BODY = 30
ARMS = 45


class Word:
    """A house rule that changes one step."""

    def __init__(self, kind: type[Any], key: str, **fields: Any) -> None:
        self.kind, self.key, self.fields = kind, key, fields

    @hookimpl
    def ruling(self, fight: Fight, action: Action, step: Any) -> Any:
        is_meant = type(step) is self.kind and step.key == self.key and step.occurrence == 0
        return replace(step, **self.fields) if is_meant else None


def ruled(*faces: int, word: Word, **how: Any) -> Table:
    return struck(*faces, house={"word": word}, **how)


# -- rulings


@pytest.mark.parametrize(("margin", "taken"), [(0, 0), (1, 6), (3, 18)])
def test_the_level_of_a_verdict_decides(margin: int, taken: int) -> None:
    faces = (20, 3, 3, BODY) if margin else (20,)
    table = ruled(*faces, word=Word(Judge, "attack", margin=margin))
    assert table.taken("bob") == taken
    table.verify()


def test_a_verdict_below_zero_is_a_critical_miss() -> None:
    table = ruled(20, 5, word=Word(Judge, "attack", margin=-1, code="critical-miss"))
    assert table.last(Judge, "critical-miss").goal == 25
    table.verify()


def test_base_damage_location_and_defences_count_as_they_were_recorded() -> None:
    table = ruled(20, 3, 3, BODY, word=Word(Judge, "base-damage", goal=7, trace=()))
    assert table.taken("bob") == 7
    table = ruled(20, 3, 3, BODY, word=Word(Judge, "location", goal=5, trace=()))
    assert table.taken("bob", "area-head") == 12
    table = ruled(20, 3, 3, BODY, word=Word(Judge, "location", goal=-40, trace=()))
    assert table.taken("bob", "area-head") == 12
    table = ruled(20, 3, 3, BODY, word=Word(Defend, "DEF", value=60, trace=()))
    assert table.last(Judge, "attack").goal == 10
    worn = {"worn": [{"item": "byrnie", "a": 5}], "pinned": {"DEF": {"value": 0, "reason": "x"}, "PAB": {"value": 0, "reason": "x"}}}
    table = ruled(20, 3, 3, BODY, word=Word(Defend, "armor", value=2, trace=()), second=worn)
    assert table.taken("bob") == 10
    table = ruled(20, 3, 3, BODY, word=Word(Defend, "absorption", value=4, trace=()), stance="unaware")
    assert table.taken("bob") == 12 - 2 + exact("1/5")


def test_damage_counts_as_it_was_recorded() -> None:
    word = Word(ApplyDamage, "damage", value=50, parts=(), trace=())
    table = ruled(20, 3, 3, BODY, 1, word=word)
    assert (table.taken("bob"), table.taken("bob", "area-upper-body")) == (50, 50)
    assert table.last(Judge, "quarters").goal == 2
    table.verify()


def test_the_final_level_and_the_save_decide_the_state() -> None:
    hurt = {"HTK": 40}
    table = ruled(20, 3, 3, BODY, 1, word=Word(Judge, "system-shock", goal=-1, trace=()), second=hurt)
    assert [*table.conditions("bob")] == ["stunned"]
    table = ruled(20, 3, 3, BODY, 1, word=Word(Save, "system-shock", code="dazed", consequences=("dazed",)), second=hurt)
    assert [*table.conditions("bob")] == ["dazed"]


def test_initiative_counts_as_it_was_recorded() -> None:
    table = Table(1, 1, 6, 5, house={"word": Word(Judge, "initiative", goal="9/2", trace=())})
    table.join("ann", "red")
    table.join("bob", "blue")
    table.begin()
    assert (table.turn, table.count) == ("ann", 5)
    assert table.state.combatants["ann"].conditions["reaction"].value == "9/2"


def test_other_dice_of_initiative_are_read_as_they_fall() -> None:
    word = Word(Roll, "initiative", plan=dice(3, 6))
    table = Table(6, 6, 6, 6, 5, 5, house={"word": word})
    table.join("ann", "red")
    table.join("bob", "blue")
    table.begin()
    assert [exact(event.goal) for event in table.found(Judge, "initiative")] == [18 - exact("83/120"), 16 - exact("83/120")]
    assert table.rows(Judge, "initiative")["dice"] == 4
    table.verify()


# -- rows


class Rows:
    """A house rule that gives one row at a place, to whoever it is asked for."""

    def __init__(self, place: str, amount: int) -> None:
        self.row = Modifier(place, amount, "house")

    @hookimpl
    def contribute(self, fight: Fight, action: Any, place: str) -> list[Modifier]:
        return [self.row] if place == self.row.place else []


EFFECTS: dict[str, Any] = {
    "action": lambda table: table.last(Judge, "attack").goal == 70 - 3,
    "chance": lambda table: table.last(Judge, "attack").goal == 70 - 3,
    "reaction": lambda table: exact(table.found(Judge, "initiative")[0].goal) == 2 - exact("83/120") + 3,
    "initiative": lambda table: exact(table.found(Judge, "initiative")[0].goal) == 2 - exact("83/120") - 3,
    "damage": lambda table: table.last(Judge, "base-damage").goal == 9,
    "save": lambda table: table.last(Save, "system-shock").goal == 42 - 3,
    "target.defence": lambda table: table.last(Judge, "attack").goal == 70 + 3,
    "target.armor": lambda table: table.taken("bob") == 12,
    "target.reduction": lambda table: table.taken("bob") == 12,
    "target.absorption": lambda table: table.last(Defend, "absorption").value == 0,
}


@pytest.mark.parametrize("place", PLACES)
def test_a_row_acts_at_its_place(place: str) -> None:
    table = Table(1, 1, 6, 5, 20, 3, 3, BODY, 1, 1, 1, house={"rows": Rows(place, -3)})
    table.join("ann", "red")
    table.join("bob", "blue", **SLOW, HTK=35)
    table.begin()
    table.attack("ann", "bob")
    table.answer("aware-defending")
    assert EFFECTS[place](table)


@pytest.mark.parametrize(
    ("place", "amount", "taken"), [("target.armor", 4, 8), ("target.reduction", 5, 7), ("target.absorption", 8, 8)]
)
def test_a_row_of_the_target_protects_it(place: str, amount: int, taken: int) -> None:
    held = Held(id="blessed", rows=(Modifier(place, amount, "blessed"),))
    table = Table(1, 1, 6, 5, 20, 3, 3, BODY, 1, 1)
    table.join("ann", "red")
    table.join("bob", "blue", **SLOW, conditions=(held,))
    table.begin()
    table.attack("ann", "bob")
    table.answer("aware-defending")
    assert int(table.taken("bob")) == taken
    table.verify()


def test_exhaustion_is_a_condition_with_rows_and_reaches_actions_and_saves() -> None:
    held = Held(id="exhausted", rows=(Modifier("action", -20, "exhausted"),))
    table = Table(1, 1, 6, 5, 20, 3, 3, ARMS, 20, 1, 1)
    table.join("ann", "red", conditions=(held,))
    table.join("bob", "blue", **SLOW, HTK=40, conditions=(held,))
    table.begin()
    table.attack("ann", "bob")
    table.answer("aware-defending")
    assert table.rows(Judge, "attack")["exhausted"] == -20
    assert table.rows(Save, "system-shock")["exhausted"] == -20
    table.verify()


def test_a_row_given_later_that_is_beyond_the_bounds_is_left_out() -> None:
    table = duel(20, 3, 3, BODY, 1, 1)
    table.attack("ann", "bob")
    rows = (Modifier("chance", "1/3", "odd"), Modifier("chance", 5, "even"))
    must(table.session.overrule("luck", SetCondition(target="ann", held=Held(id="lucky", rows=rows))))
    table.answer("aware-defending")
    assert (table.rows(Judge, "attack").get("odd"), table.rows(Judge, "attack")["even"]) == (None, 5)


# -- the game master sets a coming step


def test_a_coming_step_can_be_set() -> None:
    table = duel(20, 3, 3, BODY, 1, 1)
    answer = table.session.declare("ann", "attack", "bob", weapon="sword", id="a1")
    must(answer)
    must(table.session.overrule("a feint", SetStep(slot="a1|judge.attack.ann.0", fields={"margin": 1, "code": "graze"})))
    table.answer("aware-defending")
    assert table.taken("bob") == 6
    assert table.last(Judge, "attack").by_rules == ("overrule",)


def test_a_change_of_points_is_read_back_too() -> None:
    table = duel(house={"word": Word(Change, "action-points", value=50, trace=())})
    assert table.pool("ann", "act") == 50
    assert table.attack("ann", "bob", speed=1) is None
