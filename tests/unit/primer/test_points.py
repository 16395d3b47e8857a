"""Action points: what speeds cost, what points are sold and bought for, two actions in one count, and pools that fill up slowly."""

from __future__ import annotations

from typing import Any

import pytest

from affray.kernel import ApplyDamage, Change, Condition, Defend, Judge, Wait, exact

from .table import AREAS, BODY, SIX, SWORD, Sheet, Table, duel, pins

QUICK: Sheet = {"factors": {"PCF": 60}, "skills": {"sword": {"rank": 20, "factor": "PCF"}}}
"""INIT is below 0 with two 1s, so that there are many points to spend. The chance is 30 + 100 + 60."""


def quick(*faces: int, **how: Any) -> Table:
    """Quick Ann acts at count 0."""
    return duel(*faces, first={**QUICK, **how.pop("first", {})}, **how)


def points(table: Table) -> Any:
    return exact(table.pool("ann", "act") or 0)


def test_points_make_quicker_and_what_is_left_can_be_sold() -> None:
    table = quick()
    have = points(table)
    assert table.count == 0
    table.attack("ann", "bob", speed=4, ap_sold={"sc": 3, "dam": 2, "passive": 1})
    assert (table.last(Judge, "speed").goal, table.last(Judge, "speed").margin) == (4, 10)
    assert table.last(Wait, "resolve").when[:3] == (4, 0, 2)
    assert table.rows(Change, "action-points") == {"speed": -10, "sold-sc": -3, "sold-dam": -2, "sold-passive": -1}
    assert points(table) == have - 16


def test_the_fastest_whole_count_that_can_be_paid_is_taken_where_none_is_named() -> None:
    table = quick()
    table.attack("ann", "bob")
    assert (table.last(Judge, "speed").goal, table.last(Judge, "speed").margin) == (3, 20)
    left = int(points(table))
    table = quick()
    table.attack("ann", "bob", ap_sold={"sc": left + 15})
    assert (table.last(Judge, "speed").goal, table.last(Judge, "speed").margin) == (6, 5)


def test_sold_points_raise_the_chance_and_the_damage() -> None:
    table = quick(90, *SIX, BODY, 1, 1)
    table.attack("ann", "bob", speed=8, ap_sold={"sc": 3, "dam": 4})
    table.answer("aware-defending")
    assert table.rows(Judge, "attack")["ap-sold"] == 6
    assert table.rows(Judge, "base-damage") == {"dice": 6, "weapon": 4, "rank": 9, "bought": 2}
    table.verify()


def test_what_is_bought_is_at_most_what_there_is_without_it() -> None:
    """P-36: a chance of 5 takes 5 more, whatever was sold."""
    table = quick(10, *SIX, BODY, 1, 1, second=pins(DEF=190 - 5))
    table.attack("ann", "bob", speed=8, ap_sold={"sc": 5})
    table.answer("aware-defending")
    assert (table.rows(Judge, "attack")["ap-sold"], table.last(Judge, "attack").goal) == (5, 10)
    table.verify()


def test_points_can_be_bought_for_chance_and_damage() -> None:
    table = duel(20, *SIX, BODY, 1, 1)
    table.attack("ann", "bob", speed=7, ap_bought={"sc": 2, "dam": 1})
    assert table.rows(Change, "action-points") == {"speed": -2, "bought-sc": 2, "bought-dam": 1}
    table.answer("aware-defending")
    assert table.rows(Judge, "attack")["ap-bought"] == -20
    assert table.rows(Judge, "base-damage")["ap-bought"] == -2
    assert table.last(Judge, "base-damage").goal == 10
    table.verify()


TWICE: Sheet = {"factors": {"PCF": 300}, "weapons": [{**SWORD, "wsd": 4}]}
"""Points for two blows within one count."""

TOUGH: Sheet = {"HTK": 1000, "area_HTK": {area["area"]: 1000 for area in AREAS}}


def test_two_blows_in_one_count_are_never_taken_by_default() -> None:
    table = quick(first=TWICE, second=TOUGH)
    table.attack("ann", "bob")
    assert (table.last(Judge, "speed").goal, table.last(Judge, "speed").margin) == (1, 30)


def test_half_a_count_is_two_blows_with_a_roll_each() -> None:
    table = quick(90, *SIX, BODY, 91, 1, 2, 60, 1, 1, first=TWICE, second=TOUGH)
    assert points(table) > 70
    table.attack("ann", "bob", speed="1/2")
    assert table.last(Wait, "resolve").when[:3] == (1, 0, 2)
    table.answer("aware-defending", "reacting")
    assert [event.code for event in table.found(Defend, "DEF")] == ["aware-defending", "reacting"]
    assert [event.occurrence for event in table.found(ApplyDamage, "damage")] == [0, 1]
    assert len(table.outcomes) == 1
    assert table.stimuli[-1] == (1, "ann")
    table.verify()


# -- pools that do not fill up at once


@pytest.mark.parametrize(("refresh", "second_has"), [("per_hit", 8), ("per_count", 8), ("per_fight", 0)])
def test_when_the_absorbing_pool_is_full_again(refresh: str, second_has: int) -> None:
    options = {"pab_refresh": refresh}
    table = duel(20, *SIX, BODY, 1, 1, 20, *SIX, BODY, 1, 1, second=pins(PAB=8), options=options)
    table.attack("ann", "bob")
    table.answer("aware-defending")
    assert [event.after for event in table.found(Condition, "spent")] == ([] if refresh == "per_hit" else [8])
    assert table.conditions("bob") == ({"PAB-spent": 8} if refresh == "per_fight" else {})
    table.attack("ann", "bob")
    table.answer("aware-defending")
    assert [event.value for event in table.found(Defend, "absorption")] == [8, second_has]
    table.verify()


def test_two_hits_of_one_count_share_a_pool_that_fills_each_count() -> None:
    how: dict[str, Any] = {"second": {**TOUGH, **pins(PAB=12)}, "options": {"pab_refresh": "per_count"}}
    table = quick(90, 1, 1, BODY, 91, 1, 1, 60, 1, 1, first=TWICE, **how)
    table.attack("ann", "bob", speed="1/2")
    table.answer("aware-defending", "aware-defending")
    first, second = table.found(Defend, "absorption")
    used = table.found(Condition, "spent")
    assert (first.value, exact(second.value)) == (12, 12 - exact(used[0].value))
    assert [event.code for event in used] == ["gained", "renewed"][: len(used)]
    assert table.until("bob", "PAB-spent") == 2
    table.verify()


# -- a shared count


def test_whoever_falls_in_the_same_count_does_not_strike_a_second_time() -> None:
    table = Table(1, 1, 1, 1, 90, *SIX, BODY, 90, *SIX, BODY, 30, 50)
    table.join("ann", "red", **{**QUICK, **TWICE}, HTK=12)
    table.join("bob", "blue", **{**QUICK, **TWICE, **TOUGH})
    table.begin()
    assert table.attack("ann", "bob", speed="1/2") is None
    assert table.attack("bob", "ann", speed=1) is None
    table.answer("aware-defending", "aware-defending")
    assert [*table.conditions("ann")] == ["unconscious"]
    assert [event.target for event in table.found(ApplyDamage, "damage")] == ["bob", "ann"]
    assert table.state.over == "won-by-blue"
    assert table.outcomes == ["hit", "hit"]
    table.verify()


def test_the_second_blow_of_a_shared_count_comes_after_all_of_the_first() -> None:
    table = Table(1, 1, 1, 1, 90, *SIX, BODY, 90, *SIX, BODY, 91, 1, 1, 60, 1, 1, 1, 1)
    table.join("ann", "red", **{**QUICK, **TWICE, **TOUGH})
    table.join("bob", "blue", **{**QUICK, **TWICE, **TOUGH})
    table.begin()
    assert table.attack("ann", "bob", speed="1/2") is None
    assert table.attack("bob", "ann", speed=1) is None
    table.answer("aware-defending", "aware-defending", "reacting")
    assert [event.target for event in table.found(ApplyDamage, "damage")] == ["bob", "ann", "bob"]
    assert table.stimuli[2:] == [(1, "ann"), (1, "bob")]
    table.verify()
