"""Wounds: tiers, bleeding, lost limbs and death (nyra.md, 1.6). CON 7, STR 7: head 7/14/17, chest 21/35/38, limb 14/28/31."""

from __future__ import annotations

import pytest

from affray.kernel import ApplyDamage, Condition, Held, Num, Origin, SetCondition, SetPool

from .table import Table, duel


def hurt(table: Table, location: str, damage: int) -> None:
    """Set somebody's damage by the game master's word."""
    table.overrule(SetPool(target="bob", pool=location, value=damage))


def hit(table: Table, location: str) -> None:
    """Ann hits an undefended location for 4 (a 1 on 1d6, STR 3)."""
    assert table.strike("ann", "bob", guard="none", strike="aimed", aim=location, type="P") is None


def duel_with_needle(*faces: int, **fields: Num) -> Table:
    """Ann's needle costs 1 delay and does 1d6; every strike of hers rolls 2 and then the damage."""
    needle = {"key": "sword", "delay": 1, "modifier": "STR", "durability": 9, "damage": {"P": {"n": 1, "sides": 6}}}
    table = Table(*faces)
    table.join("ann", "red", sequence=5, AGI=9, weapons=[needle])
    table.join("bob", "blue", pools={location.replace("_", "-"): damage for location, damage in fields.items()})
    table.begin()
    return table


@pytest.mark.parametrize(
    ("location", "damage", "conditions"),
    [
        ("left_arm", 10, {"wound-left-arm": 1}),
        ("left_arm", 11, {"wound-left-arm": 2, "bleeding-left-arm": 1}),
        ("left_arm", 25, {"wound-left-arm": 3, "bleeding-left-arm": 3}),
        ("left_arm", 28, {"wound-left-arm": 4, "bleeding-left-arm": 3, "mangled-left-arm": 1}),
        ("left_arm", 31, {"wound-left-arm": 5, "bleeding-left-arm": 3, "severed-left-arm": 1}),
        ("head", 13, {"wound-head": 3, "bleeding-head": 3}),
        ("head", 14, {"dead": 1, "wound-head": 2}),
        ("chest", 35, {"dead": 1, "wound-chest": 2}),
    ],
)
def test_a_hit_of_4_on_top(location: str, damage: int, conditions: dict[str, Num]) -> None:
    table = duel_with_needle(2, 1, **{location: damage})
    hit(table, location.replace("_", "-"))
    assert conditions == table.conditions("bob")


def test_a_limb_is_mangled_and_then_severed() -> None:
    table = duel_with_needle(2, 1, 2, 1, left_leg=28)
    hit(table, "left-leg")
    hit(table, "left-leg")
    assert table.conditions("bob") == {"wound-left-leg": 5, "bleeding-left-leg": 3, "severed-left-leg": 1}
    assert [
        (step.key, step.code) for step in table.found(Condition) if step.key in ("mangled", "severed")
    ] == [("mangled", "gained"), ("mangled", "ended"), ("severed", "gained")]


def test_a_tier_is_told_when_it_is_entered_and_not_again() -> None:
    table = duel_with_needle(2, 1, 2, 1)
    hit(table, "left-leg")
    hit(table, "left-leg")
    assert [step.key for step in table.found(Condition)] == ["slight-wound"]


def test_damage_brought_along_counts_from_the_beginning() -> None:
    table = duel_with_needle(head=8)
    assert table.conditions("bob") == {"wound-head": 2, "bleeding-head": 1}


def test_who_comes_dead_has_no_turn() -> None:
    table = duel_with_needle(chest=39)
    assert table.state.over == "won-by-red"
    assert "bob" not in table.state.agenda


def test_a_late_arrival_brings_its_wounds() -> None:
    table = duel()
    table.join("cy", "green", sequence=1, pools={"chest": 36})
    table.end_turn("ann")
    assert table.conditions("cy") == {"wound-chest": 3, "bleeding-chest": 3}


def test_wounds_carried_on_from_another_fight_do_not_begin_again() -> None:
    """A treated wound stays treated: the condition that came along says which tier it had."""
    table = Table(origin=Origin(how="carry-on", session="s0", version=9, digest="0" * 64))
    table.join("ann", "red", sequence=5)
    table.join("bob", "blue", pools={"head": 8}, conditions=(Held(id="wound-head", value=2),))
    table.begin()
    assert table.conditions("bob") == {"wound-head": 2}


def test_bleeding_at_the_start_of_the_own_turn_location_by_location() -> None:
    table = duel_with_needle(right_leg=29, head=8, chest=10)
    table.end_turn("ann")
    assert [
        (e.pools[0], e.value, e.after) for e in table.found(ApplyDamage, "bleeding")
    ] == [("head", 1, 9), ("right-leg", 3, 32)]
    assert {"mangled-right-leg", "wound-chest"} <= set(table.conditions("bob"))
    assert table.state.turn == "bob"


def test_bleeding_at_the_end_of_the_own_turn() -> None:
    table = Table(options={"bleed_timing": "own_turn_end"})
    table.join("ann", "red", sequence=5)
    table.join("bob", "blue", pools={"head": 8})
    table.begin()
    table.end_turn("ann")
    assert table.found(ApplyDamage) == []
    table.end_turn("bob")
    (loss,) = table.found(ApplyDamage)
    assert (loss.pools[0], loss.after) == ("head", 9)
    assert ">choice.0>" in loss.action


def test_who_bleeds_to_death_takes_no_turn_and_the_rest_is_not_asked() -> None:
    table = duel_with_needle(head=15, left_leg=15)
    table.join("cy", "green", sequence=1)
    table.end_turn("ann")
    assert [(e.pools[0], e.value) for e in table.found(ApplyDamage, "bleeding")] == [("head", 3)]
    assert table.conditions("bob") == {"dead": 1, "wound-head": 3, "wound-left-leg": 2}
    assert (table.state.turn, "bob" in table.state.agenda) == ("cy", False)


def test_who_bleeds_to_death_at_the_end_of_a_turn_has_no_other() -> None:
    table = Table(options={"bleed_timing": "own_turn_end"})
    table.join("ann", "red", sequence=5, pools={"head": 15})
    table.join("bob", "blue")
    table.begin()
    assert table.end_turn("ann") is None
    assert table.state.over == "won-by-blue"
    assert "ann" not in table.state.agenda


def test_a_treated_bleeding_begins_again_only_when_the_wound_gets_worse() -> None:
    """Entering critical adds a bleeding of 2; the first one was sutured."""
    table = duel_with_needle(2, 1, 2, 1, 2, 1, left_arm=15)
    table.overrule(SetCondition(target="bob", ended="bleeding-left-arm"))
    hit(table, "left-arm")
    assert table.conditions("bob") == {"wound-left-arm": 2}
    hurt(table, "left-arm", 25)
    hit(table, "left-arm")
    assert table.conditions("bob") == {"wound-left-arm": 3, "bleeding-left-arm": 2}


def test_damage_set_by_the_game_master_counts_from_the_own_turn_on() -> None:
    table = duel()
    hurt(table, "chest", 22)
    assert table.conditions("bob") == {}
    table.end_turn("ann")
    assert table.conditions("bob") == {"wound-chest": 2, "bleeding-chest": 1}
    assert table.pool("bob", "chest") == 23


def test_a_kill_ends_the_fight_and_takes_the_dead_off_the_agenda() -> None:
    table = duel_with_needle(2, 1, head=14)
    hit(table, "head")
    assert table.state.over == "won-by-red"
    assert "bob" not in table.state.agenda


def test_bleeding_stops_at_death() -> None:
    table = duel_with_needle(2, 1, 2, 1, head=14, chest=22)
    table.join("cy", "green", sequence=1)
    assert table.conditions("bob").keys() == {"wound-head", "bleeding-head", "wound-chest", "bleeding-chest"}
    hit(table, "head")
    assert {"wound-head", "wound-chest", "dead"} == table.conditions("bob").keys()


@pytest.mark.parametrize(("table_option", "top"), [("floor_half", 16), ("floor_half_minus", 15), ("minus_5", 14)])
def test_the_modifier_table_moves_the_bands(table_option: str, top: int) -> None:
    """CON 6, head: 12 + 3, 12 + 2 or 12 + 1 is the last point of the critical band."""
    for damage, is_dead in ((top - 1, False), (top, True)):
        table = Table(options={"modifier": table_option})
        table.join("ann", "red", sequence=5)
        table.join("bob", "blue", CON=6, pools={"head": damage})
        table.begin()
        assert is_dead == ("dead" in table.conditions("bob"))
