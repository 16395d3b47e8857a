"""Every house rule that is for the primer, alone: what it changes, that the numbers say so, and that the log stands by itself."""

from __future__ import annotations

from typing import Any

import pytest

from affray.kernel import (
    ApplyDamage,
    Change,
    Condition,
    Declare,
    Defend,
    Done,
    InputError,
    Judge,
    Modifier,
    Roll,
    Row,
    Save,
)

from ..primer.table import pack
from .table import Table, duel

MISS, GRAZE, HIT, CRITICAL, FUMBLE = 71, 36, 20, 7, 100
"""A d100 against 70: a failure, levels 1, 2 and 4, and a critical miss."""

BODY = 30
SIX = (3, 3)
"""2d6 of damage: with 4 of the sword and 2 of the rank, base damage 12."""

AGAIN = (1, 1)
"""Ann reacts again."""

DARK = (Modifier("chance", -30, "dark"),)
"""A chance of 40, with which a 100 is a critical miss."""


def struck(*faces: int, rows: tuple[Modifier, ...] = (), **how: Any) -> Table:
    """Ann's sword comes down on Bob at count 10; she reacts again, and it is her turn at 12."""
    table = duel("primer", *faces, *AGAIN, **how)
    table.attack("ann", "bob", rows=rows)
    table.answer("aware-defending")
    return table


def parts(hit: ApplyDamage) -> list[tuple[str, Any]]:
    (part,) = hit.parts or ()
    return [(row.code, row.amount) for row in part.rows]


# -- high-ground


@pytest.mark.parametrize(("ann", "bob", "goal", "row"), [(("high-ground",), (), 75, 5), ((), ("high-ground",), 65, -5)])
def test_high_ground_counts_in_the_chance(ann: tuple[str, ...], bob: tuple[str, ...], goal: int, row: int) -> None:
    table = struck(99, house=["high-ground"], first={"conditions": ann}, second={"conditions": bob})
    verdict = table.one(Judge, "attack")
    assert (verdict.goal, Row("high-ground", row, "high-ground") in verdict.trace) == (goal, True)
    table.verify()


# -- maximum-damage


def test_a_critical_blow_does_all_it_can_without_a_die() -> None:
    """12, and 4 of the sword and 2 of the rank: 18, which level 4 doubles."""
    table = struck(CRITICAL, BODY, 1, house=["maximum-damage"])
    assert (table.one(Roll, "damage").faces, table.one(Roll, "damage").total) == ((), 12)
    assert table.one(ApplyDamage, "damage").value == 36
    assert (table.ruled, "critical-blow" in table.conditions("ann")) == ([("Roll", "damage", ("maximum-damage",))], False)
    table.verify()


def test_another_blow_is_rolled() -> None:
    table = struck(HIT, *SIX, BODY, house=["maximum-damage"])
    assert (table.one(ApplyDamage, "damage").value, table.ruled) == (12, [])
    table.verify()


# -- exploding-damage


def test_a_six_brings_another_die() -> None:
    table = struck(HIT, 6, 6, 1, 2, BODY, house=["exploding-damage"])
    assert table.one(Roll, "damage").faces == ((6, 6, 1), (2,))
    assert table.one(ApplyDamage, "damage").value == 21
    table.verify()


# -- minimum-damage, thick-skin, last-stand


def test_a_blow_without_force_does_one() -> None:
    table = struck(HIT, *SIX, BODY, rows=(Modifier("damage", -30, "weak"),), house=["minimum-damage"])
    hit, area = table.one(ApplyDamage, "damage"), table.one(ApplyDamage, "area")
    assert (hit.value, parts(hit)[-1], area.value) == (1, ("minimum-damage", 1), 1)
    assert table.ruled == [("ApplyDamage", "damage", ("minimum-damage",))]
    table.verify()


@pytest.mark.parametrize(("weak", "value"), [(-2, 5), (-3, 0)])
def test_a_small_blow_does_nothing(weak: int, value: int) -> None:
    """CON 10: what is less than 5. A graze does half."""
    table = struck(GRAZE, *SIX, BODY, rows=(Modifier("damage", weak, "weak"),), house=["thick-skin"])
    hit = table.one(ApplyDamage, "damage")
    assert (hit.value, hit.by_rules) == (value, () if value else ("thick-skin",))
    assert value or parts(hit)[-1] == ("thick-skin", "-9/2")
    table.verify()


def test_a_sheet_tells_its_threshold_behind_the_system_s_values() -> None:
    table = duel("primer", house=["thick-skin"])
    rules = table.books.rules(table.session.manifest)
    *_, derived = rules.derive(rules.read_sheet(dict(table.state.combatants["bob"].sheet or {})))
    assert (derived.code, derived.value) == ("thick-skin", 5)


def test_a_blow_leaves_the_last_point() -> None:
    table = duel("primer", HIT, *SIX, BODY, *AGAIN, house=["last-stand"])
    table.set_pool("bob", "htk", 5)
    table.attack("ann", "bob")
    table.answer("aware-defending")
    hit = table.one(ApplyDamage, "damage")
    assert (hit.value, parts(hit)[-1], table.pool("bob", "htk")) == (4, ("last-stand", -8), 1)
    table.verify()


def test_the_next_blow_takes_it() -> None:
    table = duel("primer", HIT, *SIX, BODY, 1, *AGAIN, house=["last-stand"])
    table.set_pool("bob", "htk", 1)
    table.attack("ann", "bob")
    table.answer("aware-defending")
    assert (table.ruled, table.pool("bob", "htk")) == ([], -11)
    table.verify()


# -- fumble-table


@pytest.mark.parametrize(("die", "held"), [(2, {}), (3, {"off-balance": -20}), (5, {"wide-open": -10})])
def test_a_critical_miss_without_a_table_of_the_pack_sends_to_this_one(die: int, held: dict[str, int]) -> None:
    table = struck(FUMBLE, 50, die, rows=DARK, house=["fumble-table"])
    assert {name: value for name, value in table.conditions("ann").items() if name != "reaction"} == held
    table.verify()


def test_off_balance_takes_from_the_chance_until_its_count() -> None:
    """Ann fumbles at count 10 and strikes again at 12; that blow comes at 20."""
    table = duel("primer", FUMBLE, 50, 4, *AGAIN, 85, *AGAIN, house=["fumble-table"])
    for rows in (DARK, ()):
        table.attack("ann", "bob", rows=rows)
        table.answer("aware-defending")
    assert table.one(Condition, "fumble-table").until[0] == 30
    verdict = table.found(Judge, "attack")[-1]
    assert (verdict.goal, Row("off-balance", -20, "fumble-table") in verdict.trace) == (50, True)
    table.verify()


def test_wide_open_takes_from_a_defence_that_counts() -> None:
    """Both blows come at count 10, Ann's first; then her DEF of 20 takes 10 off Bob's chance."""
    table = Table("primer", *AGAIN, *AGAIN, FUMBLE, 50, 5, 85, *AGAIN, *AGAIN, house=["fumble-table"])
    table.join("ann", "red", pinned={"DEF": {"value": 20, "reason": "a test"}})
    table.join("bob", "blue")
    table.begin()
    table.attack("ann", "bob", rows=DARK)
    table.attack("bob", "ann")
    table.answer("aware-defending", "aware-defending")
    assert table.found(Defend, "DEF")[-1].trace[-1] == Row("wide-open", -10, "fumble-table")
    assert table.found(Judge, "attack")[-1].goal == 60
    table.verify()


def test_a_pack_with_a_table_of_its_own_needs_none() -> None:
    own = {"pack": pack(critical_misses=[{"code": "drops-it"}])}
    table = struck(FUMBLE, 50, rows=DARK, house=["fumble-table"], options=own)
    assert table.found(Roll, "fumble-table") == []
    table.verify()


# -- exhaustion


def test_every_third_turn_costs_five_points() -> None:
    table = duel("primer", *AGAIN * 2, 99, *AGAIN, house=["exhaustion"])
    for _ in range(2):
        table.declare("ann", "wait", counts=1)
    table.attack("ann", "bob")
    table.answer("aware-defending")
    verdict = table.one(Judge, "attack")
    assert (verdict.goal, Row("tired", -5, "exhaustion") in verdict.trace) == (65, True)
    table.verify()


# -- vetoes


def test_nobody_attacks_a_friend() -> None:
    table = Table("primer", 1, 1, 6, 5, 6, 5, house=["no-friendly-fire"])
    for who, side in (("ann", "red"), ("bob", "blue"), ("cy", "red")):
        table.join(who, side, **({} if who == "ann" else {"race": {"PSM": -25}}))
    table.begin()
    refused = table.attack("ann", "cy")
    assert refused is not None
    assert (refused.code, refused.args) == ("no-friendly-fire", ("ann", "cy"))
    assert table.attack("ann", "bob") is None


def test_a_master_does_not_join_beginners() -> None:
    table = Table("primer", house=["starting-characters"])
    table.join("ann", "red")
    with pytest.raises(InputError, match=r"\$\.sheet\.skills\.sword\.rank: a starting character has 8 at most"):
        table.join("bob", "blue", skills={"sword": {"rank": 9, "factor": "PCF", "stats": ["STR"]}})


# -- first-blood


def test_the_first_wound_ends_it_and_what_was_begun() -> None:
    """Both have declared; Ann's blow comes first, and Bob's is stopped."""
    table = Table("primer", 1, 1, 1, 1, HIT, *SIX, BODY, house=["first-blood"])
    table.join("ann", "red")
    table.join("bob", "blue", weapons=[{"key": "sword", "dice": "2d6", "plus": 4, "types": ["slicing"], "wsd": 20}])
    table.begin()
    table.attack("ann", "bob")
    table.attack("bob", "ann")
    table.answer("aware-defending")
    assert [event.code for event in table.found(Done) if event.cause] == ["first-blood"]
    assert (table.state.over, table.state.open) == ("first-blood", {})
    table.verify()


# -- sure-healing


def test_points_that_are_due_heal_without_a_roll() -> None:
    table = duel("primer", house=["sure-healing"])
    for pool in ("htk", "area-head"):
        table.set_pool("bob", pool, 90)
    table.declare("ann", "heal", "bob", points=3, given=2, area="head")
    first, second = table.found(Change, "healing")
    assert (first.pool, first.after, first.trace) == ("htk", 95, (Row("points", 3, "sure-healing"), Row("given", 2, "fight")))
    assert (second.pool, second.after, table.found(Save)) == ("area-head", 95, [])
    assert table.outcomes == ["healed"]
    table.verify()


def test_what_is_only_given_and_the_dead_are_left_to_the_system() -> None:
    table = Table("primer", *AGAIN, 1, house=["sure-healing"])
    table.join("ann", "red")
    for who in ("bob", "cy"):
        table.join(who, "blue", skills={}, weapons=[])
    table.begin()
    table.give("bob", "dead")
    table.declare("ann", "heal", "bob", points=1)
    assert [save.code for save in table.found(Save)] == ["passed"]
    table.declare("ann", "heal", "ann", given=1)
    assert [event.name for event in table.found(Declare)] == ["heal", "heal"]
    table.verify()
