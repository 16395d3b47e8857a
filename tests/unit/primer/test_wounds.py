"""What a hit does to a body: system shock and its states, crippling, wounds that hinder, armour that wears, knockback."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from affray.kernel import (
    ApplyDamage,
    Change,
    Condition,
    Held,
    Judge,
    Modifier,
    Roll,
    Row,
    Save,
    SetCondition,
    exact,
)

from ...support.table import must
from .table import AREAS, CLUB, HTK, Sheet, Table, kinds, pack, struck

BODY, HEAD = 30, 5
HURT: Sheet = {"HTK": 40}
"""12 of 40 are more than a quarter: one system shock, without a penalty, against a SYS of 42."""


# -- system shock


def test_a_shock_is_told_in_all_its_terms() -> None:
    table = struck(20, 3, 3, BODY, 50, second={"HTK": 23, "skills": {"sword": {"rank": 6, "factor": "PCF"}, "Resilience": {"rank": 2}}})
    judged, level, save = table.last(Judge, "quarters"), table.last(Judge, "system-shock"), table.last(Save, "system-shock")
    assert (judged.goal, judged.margin, judged.trace) == (2, 2, (Row("wound", 2, "fight"),))
    assert {row.code: row.amount for row in save.trace} == {"CON": 20, "DRV": 20, "TLF": 2, "Resilience": 10}
    assert (save.name, save.goal, save.margin, save.code, save.consequences) == ("SYS", 52, 0, "dazed", ("dazed",))
    assert (level.goal, level.margin, level.trace) == (0, 1, (Row("level", 1, "roll"), Row("quarters", -1, "primer")))
    assert table.until("bob", "dazed") == 10 + 40 - 10
    table.verify()


def test_no_roll_is_due_where_no_new_quarter_is_passed() -> None:
    table = struck(20, 3, 3, BODY, 1, after=(1, 1, 70, 1, 1, BODY, 1, 1), second=HURT)
    table.attack("ann", "bob")
    table.answer("aware-defending")
    assert table.taken("bob") == 16
    assert len(table.found(Roll, "system-shock")) == 1
    table.verify()


def test_a_withstood_shock_brings_nothing() -> None:
    table = struck(20, 3, 3, BODY, 42, second=HURT)
    assert (table.last(Save, "system-shock").code, table.last(Save, "system-shock").consequences) == ("no-effect", ())
    assert table.conditions("bob") == {}


@pytest.mark.parametrize(
    ("roll", "state", "die", "until"),
    [
        (43, "dazed", (), 40),
        (82, "stunned", (), 70),
        (92, "2x-stunned", (), 130),
        (60, "unconscious", (7,), 10 + 7 * 300),
        (82, "comatose", (7,), 10 + 7 * 18000),
        (92, "dead", (2,), 10 + (4 + 2) * 300),
    ],
)
def test_every_state_lasts_as_long_as_the_page_says(roll: int, state: str, die: tuple[int, ...], until: int) -> None:
    htk = 12 if die else 40
    table = struck(20, 3, 3, BODY, roll, *die, after=() if die else (1, 1), second={"HTK": htk})
    assert [*table.conditions("bob")] == [state]
    assert table.until("bob", state) == until
    assert table.conditions("bob")[state] == until - 10
    assert [roll.plan.terms[0].sides for roll in table.found(Roll, "duration")] == ([4] if state == "dead" else [100] * len(die))
    table.verify()


def test_a_state_that_lasts_no_count_is_not_entered() -> None:
    table = struck(20, 3, 3, BODY, 100, second={**HURT, "DRV": 40, "CON": 1})
    assert table.last(Save, "system-shock").margin == 0
    assert table.conditions("bob") == {}
    assert not table.found(Condition, "state")
    table.verify()


def test_a_milder_state_is_ignored_the_same_begins_anew_and_a_worse_one_replaces() -> None:
    """P-65."""
    held = (Held(id="stunned", value=500, until=(500,)),)
    for roll, state, until in ((20, "stunned", 500), (52, "stunned", 70), (62, "2x-stunned", 130)):
        table = Table(1, 1, 6, 5, 20, 3, 3, BODY, roll, 1, 1)
        table.join("ann", "red")
        table.join("bob", "blue", **HURT, race={"PSM": -25}, conditions=held)
        table.begin()
        table.attack("ann", "bob")
        table.answer("aware-defending")
        assert table.rows(Save, "system-shock")["stunned"] == -30
        assert ([*table.conditions("bob")], table.until("bob", state)) == ([state], until)
        codes = [(event.id, event.code) for event in table.found(Condition, "state")]
        expected = {500: [], 70: [("stunned", "renewed")], 130: [("stunned", "ended"), ("2x-stunned", "gained")]}
        assert codes == expected[until]
        table.verify()


@pytest.mark.parametrize(("option", "before", "quarters"), [("strict", 0, 0), ("inclusive", 0, 1)])
def test_exactly_a_quarter_is_one_by_option(option: str, before: int, quarters: int) -> None:
    faces = (20, 3, 3, BODY, *((1,) if quarters else ()))
    table = struck(*faces, second={"HTK": 48}, options={"shock_first_breakpoint": option})
    assert len(table.found(Judge, "quarters")) == quarters
    table.verify()


def test_the_penalty_follows_the_option() -> None:
    table = struck(20, 3, 3, BODY, 1, second=HURT, options={"shock_penalty": "saves_section"})
    assert table.rows(Judge, "system-shock") == {"level": 3, "quarters": -1}


def test_a_wound_of_somebody_who_is_dead_by_then_calls_for_no_save() -> None:
    table = Table(1, 2, 1, 2, 6, 6, 20, 3, 3, BODY, 20, 3, 3, BODY, 1, 1, 1, 1)
    table.join("ann", "red")
    table.join("bob", "red")
    table.join("cy", "blue", HTK=12, race={"PSM": -25})
    table.join("dee", "blue", skills={}, weapons=[])
    table.begin()
    table.attack("ann", "cy")
    table.attack("bob", "cy")
    table.answer("aware-defending")
    must(table.session.overrule("a stroke", SetCondition(target="cy", held=Held(id="dead", until=(9000,)))))
    table.answer("aware-defending")
    assert table.taken("cy") == 24
    assert not table.found(Roll, "system-shock")
    assert table.until("cy", "dead") == 9000
    table.verify()


def test_power_has_quarters_of_its_own() -> None:
    mage = {"skills": {"magic": {"rank": 6, "factor": "SCF"}}, "factors": {"SCF": 10}}
    bolt = {"key": "bolt", "dice": "1d6", "plus": 4, "types": ["energy"], "wsd": 10}
    second = {"POW": 20, "pinned": {name: {"value": 0, "reason": "a test"} for name in ("MDF", "MAB")}}
    table = struck(20, 2, BODY, 42, first={**mage, "weapons": [bolt]}, second=second, params={"weapon": "bolt"})
    assert table.taken("bob", "pow") == 8
    assert table.last(Judge, "quarters").goal == 1
    table.verify()


# -- crippling

def crippled(roll: int, *, table: Any = (), weapon: Sheet | None = None) -> Table:
    """A blow of 12 takes more than half of the 20 HTK of Bob's arms; HLTH is 41."""
    second = {"area_HTK": {**{area["area"]: HTK for area in AREAS}, "arms": 20}}
    first = {} if weapon is None else {"weapons": [weapon]}
    return struck(20, 3, 3, 45, roll, second=second, first=first, options={"pack": pack(crippling=table)})


ROWS = [
    {"code": "gash", "grade": "minor", "types": ["slicing"], "action": -5},
    {"code": "lost", "grade": "major", "sl": -1, "types": ["slicing"], "action": -25},
    {"code": "bruise", "grade": "minor", "types": ["crushing"]},
]


def test_a_passed_health_save_cripples_nobody() -> None:
    table = crippled(41, table=ROWS)
    save = table.last(Save, "health")
    assert (save.name, save.goal, save.code, save.margin) == ("HLTH", 41, "passed", 1)
    assert table.conditions("bob") == {}
    table.verify()


@pytest.mark.parametrize(
    ("roll", "level", "source", "cost"), [(42, 0, "minor-gash", -5), (81, -1, "major-lost", -25), (99, -2, "major-lost", -25)]
)
def test_a_failed_one_cripples_as_the_table_says(roll: int, level: int, source: str, cost: int) -> None:
    table = crippled(roll, table=ROWS)
    held = table.state.combatants["bob"].conditions["crippled-arms"]
    assert (held.value, held.source) == (level, source)
    assert held.rows == (Modifier("action", cost, "crippled-arms"),)
    table.verify()


@pytest.mark.parametrize("rows", [(), ROWS[2:]])
def test_without_a_row_the_game_master_says_what_it_means(rows: Any) -> None:
    held = crippled(42, table=rows).state.combatants["bob"].conditions["crippled-arms"]
    assert (held.source, held.rows) == ("no-table", ())


def test_half_of_an_area_is_not_more_than_half() -> None:
    second = {"area_HTK": {**{area["area"]: HTK for area in AREAS}, "arms": 24}}
    table = struck(20, 3, 3, 45, second=second)
    assert not table.found(Save, "health")
    table.verify()


def test_a_crippled_area_hinders_and_a_second_blow_renews_it() -> None:
    second = {"area_HTK": {**{area["area"]: HTK for area in AREAS}, "arms": 20}}
    options = {"pack": pack(crippling=ROWS)}
    table = struck(20, 3, 3, 45, 42, after=(1, 1, 70, 1, 1, 45, 95, 1, 1), second=second, options=options)
    table.attack("ann", "bob")
    table.answer("aware-defending")
    assert table.rows(Save, "health")["crippled-arms"] == -5
    assert [(event.code, event.source) for event in table.found(Condition, "crippled")] == [
        ("gained", "minor-gash"),
        ("renewed", "major-lost"),
    ]
    table.verify()


def test_both_saves_are_rolled_before_either_applies() -> None:
    """P-72: the health save does not take the state that the shock brings."""
    second = {**HURT, "area_HTK": {**{area["area"]: HTK for area in AREAS}, "arms": 20}}
    table = struck(20, 3, 3, 45, 82, 42, second=second)
    assert "stunned" not in table.rows(Save, "health")
    order = [kind for kind in kinds(table.events) if kind in ("Save system-shock", "Save health", "Condition state", "Condition crippled")]
    assert order == ["Save system-shock", "Save health", "Condition state", "Condition crippled"]
    table.verify()


def test_which_saves_a_state_reaches_is_an_option() -> None:
    held = (Held(id="dazed", value=500, until=(500,)),)
    for option, reached in (("all_saves", True), ("sys_only", False)):
        table = Table(1, 1, 6, 5, 20, 3, 3, 45, 20, 20, 1, 1, options={"state_mods_on_saves": option})
        table.join("ann", "red")
        areas = {**{area["area"]: HTK for area in AREAS}, "arms": 20}
        table.join("bob", "blue", **HURT, race={"PSM": -25}, area_HTK=areas, conditions=held)
        table.begin()
        table.attack("ann", "bob")
        table.answer("aware-defending")
        assert table.rows(Save, "system-shock")["dazed"] == -15
        assert ("dazed" in table.rows(Save, "health")) == reached
        table.verify()


# -- wounds that hinder


def test_wounds_hinder_as_the_table_of_the_pack_says() -> None:
    wounds = [{"quarters": 1, "action": -5}, {"quarters": 3, "action": -20}]
    table = Table(1, 1, 6, 6, 71, 1, 1, options={"pack": pack(wounds=wounds)})
    table.join("ann", "red", HTK=40, pools={"htk": 5})
    table.join("bob", "blue", race={"PSM": -25})
    table.begin()
    table.attack("ann", "bob")
    table.answer("aware-defending")
    assert table.rows(Judge, "attack")["wounds"] == -20
    table.verify()


@pytest.mark.parametrize(("left", "cost"), [(40, None), (31, None), (29, -5), (20, -5), (10, -20), (-5, -20)])
def test_a_row_holds_until_the_next(left: int, cost: int | None) -> None:
    wounds = [{"quarters": 1, "action": -5}, {"quarters": 3, "action": -20}]
    table = Table(1, 1, 6, 6, 60, options={"pack": pack(wounds=wounds)})
    table.join("ann", "red", HTK=40, pools={"htk": left})
    table.join("bob", "blue", race={"PSM": -25})
    table.begin()
    table.declare("ann", "save", save="WLP")
    assert table.rows(Save, "save").get("wounds") == cost


# -- armour that wears


@pytest.mark.parametrize(
    ("weapon", "loss", "left"), [({}, 2, 13), ({"plus": -3}, Fraction(1, 2), "29/2")], ids=["through", "stopped"]
)
def test_armour_wears_where_the_option_says_so(weapon: Sheet, loss: Any, left: Any) -> None:
    sword = {"key": "sword", "dice": "2d6", "plus": 4, "types": ["slicing"], "wsd": 8, **weapon}
    second = {"worn": [{"item": "byrnie", "a": 5}], "pinned": {"DEF": {"value": 0, "reason": "x"}}}
    table = struck(20, 3, 3, BODY, first={"weapons": [sword]}, second=second, options={"armor_wear": True})
    assert table.pool("bob", "wear-byrnie") == left
    assert exact(table.last(Change, "wear").value) == -loss
    table.verify()
    table = struck(20, 3, 3, BODY, first={"weapons": [sword]}, second=second)
    assert not table.found(Change, "wear")
    assert "wear-byrnie" not in table.state.combatants["bob"].pools


def test_nothing_wears_where_nothing_covers_or_a_ward_was_first() -> None:
    worn: Sheet = {"worn": [{"item": "great-helm", "a": 5, "left": "1/2"}], "pinned": {"DEF": {"value": 0, "reason": "x"}}}
    how: dict[str, Any] = {"options": {"armor_wear": True}}
    assert not struck(20, 3, 3, BODY, second=worn, **how).found(Change, "wear")
    warded = {**worn, "wards": [{"key": "wall", "amount": 50}]}
    assert not struck(20, 3, 3, HEAD, second=warded, **how).found(Change, "wear")
    table = struck(20, 3, 3, HEAD, second=worn, **how)
    assert (table.pool("bob", "wear-great-helm"), table.last(Change, "wear").overflow) == (0, "-3/2")
    table.verify()


# -- knockback


@pytest.mark.parametrize(
    ("position", "worn", "feet", "rows"),
    [
        (BODY, [], 1, {"base-damage": 1}),
        (HEAD, [], 2, {"base-damage": 1, "head": 1}),
        (96, [], 2, {"base-damage": 1, "lower-leg": 1}),
        (HEAD, ["great-helm"], "3/2", {"base-damage": 1, "head": 1, "armor": "-1/2"}),
        (60, ["byrnie"], 1, {"base-damage": 1}),
    ],
)
def test_a_hit_knocks_back_by_its_base_damage(position: int, worn: list[str], feet: Any, rows: Any) -> None:
    club = {**CLUB, "key": "sword", "plus": 6}
    second = {"worn": [{"item": item, "a": 2} for item in worn], "pinned": {"DEF": {"value": 0, "reason": "x"}}}
    table = struck(20, 4, position, first={"weapons": [club]}, second=second)
    assert table.last(Judge, "base-damage").goal == 12
    assert (table.last(Judge, "knockback").goal, table.rows(Judge, "knockback")) == (feet, rows)
    table.verify()


def test_a_blow_that_takes_nothing_knocks_back_all_the_same() -> None:
    second = {"wards": [{"key": "wall", "amount": 50}]}
    club = {**CLUB, "key": "sword", "plus": 6}
    table = struck(20, 4, BODY, first={"weapons": [club]}, second=second)
    assert table.last(ApplyDamage, "damage").value == 0
    assert table.last(Judge, "knockback").goal == 1
    assert not table.found(Judge, "quarters")
    table.verify()
