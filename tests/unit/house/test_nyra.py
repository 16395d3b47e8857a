"""Every house rule that is for nyra, alone: what it changes, that the numbers say so, and that the log stands by itself."""

from __future__ import annotations

from typing import Any

import pytest

from affray.kernel import (
    ApplyDamage,
    Ask,
    Change,
    Close,
    CloseAction,
    Condition,
    Defend,
    InputError,
    Judge,
    Order,
    Roll,
    Row,
    Turn,
)

from ...support.table import must
from .table import Table, duel

HIT = (3, 9)
"""Ann strikes at 7 by 4, Bob's defence at 5 fails."""

LEFT_ARM = 3

BANK: dict[str, Any] = {"options": {"variant": "bank"}}
CLAYMORE: dict[str, Any] = {
    "energy": 38,
    "shield": True,
    "weapons": [{"key": "sword", "base": "claymore", "durability": 20}],
    "skills": {"Swords": 7, "Defense": 8},
}


def parts(hit: ApplyDamage) -> list[tuple[str, Any]]:
    (part,) = hit.parts or ()
    return [(row.code, row.amount) for row in part.rows]


def bank(*faces: int, **how: Any) -> Table:
    return duel("nyra", *faces, first=CLAYMORE, second=CLAYMORE, **BANK, **how)


# -- ties-to-defender


def test_a_tie_is_the_defender_s() -> None:
    table = duel("nyra", 5, 3, house=["ties-to-defender"])
    table.strike("ann", "bob", "defense")
    assert table.ruled == [("Judge", "contest", ("ties-to-defender",))]
    assert (table.outcomes, table.one(Judge, "contest").margin) == (["blocked"], 0)
    table.verify()


def test_a_tie_by_the_rule_is_a_tie_by_the_option() -> None:
    """The ladder's lowest rung does the same: nothing but the manifest and the name on the verdict is different."""
    ruled, opted = duel("nyra", 5, 3, house=["ties-to-defender"]), duel("nyra", 5, 3, options={"tie": "defender"})
    for table in (ruled, opted):
        table.strike("ann", "bob", "defense")
        table.verify()
    assert (ruled.outcomes, ruled.state.combatants) == (opted.outcomes, opted.state.combatants)


# -- high-ground


def test_high_ground_helps_a_blow() -> None:
    table = duel("nyra", 8, 9, LEFT_ARM, 1, 1, 1, first={"conditions": ["high-ground"]}, house=["high-ground"])
    table.strike("ann", "bob", "defense")
    attack = table.one(Judge, "attack")
    assert (attack.goal, attack.trace) == (8, (Row("Swords", 7, "sheet"), Row("high-ground", 1, "high-ground")))
    assert table.one(Defend, "defence").value == 5
    table.verify()


def test_high_ground_helps_a_defence() -> None:
    table = duel("nyra", 3, 1, second={"conditions": ["high-ground"]}, house=["high-ground"])
    table.strike("ann", "bob", "defense")
    guard = table.one(Defend, "defence")
    assert (guard.value, guard.trace[-1]) == (6, Row("high-ground", 1, "high-ground"))
    assert table.one(Judge, "attack").goal == 7
    table.verify()


def test_on_the_same_height_nobody_is_helped() -> None:
    there = {"conditions": ["high-ground"]}
    table = duel("nyra", 4, 1, first=there, second=there, house=["high-ground"])
    table.strike("ann", "bob", "defense")
    assert (table.one(Judge, "attack").goal, table.one(Defend, "defence").value) == (7, 5)


# -- maximum-damage


def test_a_critical_blow_does_all_it_can_without_a_die() -> None:
    """3d6 are 18, doubled by the rules of a critical success, and 3 for STR 7."""
    table = duel("nyra", 1, 9, LEFT_ARM, house=["maximum-damage"])
    table.strike("ann", "bob", "defense")
    (hit,) = table.found(ApplyDamage)
    assert (hit.value, parts(hit)) == (39, [("critical", 18), ("STR", 3)])
    assert table.ruled == [("Roll", "damage", ("maximum-damage",))]
    assert table.conditions("ann") == {}
    table.verify()


def test_a_critical_blow_that_is_stopped_is_forgotten() -> None:
    table = duel("nyra", 1, 1, 3, 9, LEFT_ARM, 1, 1, 1, second={"skills": {"Swords": 7, "Defense": 9}}, house=["maximum-damage"])
    table.strike("ann", "bob", "defense")
    assert ([one.code for one in table.found(Condition, "maximum-damage")], table.ruled) == (["gained", "ended"], [])
    table.strike("bob", "ann", "dodge")
    assert table.found(ApplyDamage)[0].value == 6
    table.verify()


def test_a_critical_blow_that_was_closed_means_nothing_to_the_next() -> None:
    table = duel("nyra", 1, 3, 9, LEFT_ARM, 1, 1, 1, house=["maximum-damage"])
    table.declare("ann", "strike", "bob", weapon="sword", strike="wild", type="C", id="a1")
    must(table.session.overrule("it never happened", CloseAction(action="a1", code="cancelled")))
    assert table.conditions("ann") == {"critical-blow": 1}
    table.strike("ann", "bob", "defense")
    assert (table.found(ApplyDamage)[0].value, table.ruled) == (6, [])
    table.verify()


def test_in_the_bank_too() -> None:
    """2d10 are 20, doubled, and 3 for STR 7."""
    table = bank(1, 3, house=["maximum-damage"])
    table.strike("ann", "bob", "none")
    assert table.found(ApplyDamage)[0].value == 43
    table.verify()


# -- no-hit-locations


def test_every_blow_strikes_the_chest() -> None:
    table = duel("nyra", *HIT, 1, 1, 1, house=["no-hit-locations"])
    table.strike("ann", "bob", "defense")
    assert (table.one(Roll, "location").faces, table.one(Roll, "location").total) == ((), 2)
    assert (table.pool("bob", "chest"), table.ruled) == (6, [("Roll", "location", ("no-hit-locations",))])
    table.verify()


def test_nobody_aims() -> None:
    table = duel("nyra", house=["no-hit-locations"])
    refused = table.strike("ann", "bob", strike="aimed", aim="head")
    assert refused is not None
    assert (refused.code, refused.args) == ("no-hit-locations", ("head",))


# -- exploding-damage


def test_a_six_brings_another_die() -> None:
    table = duel("nyra", *HIT, LEFT_ARM, 6, 6, 2, 1, 5, house=["exploding-damage"])
    table.strike("ann", "bob", "defense")
    roll = table.one(Roll, "damage")
    assert (roll.faces, roll.total, roll.by_rules) == (((6, 6, 2), (1,), (5,)), 20, ("exploding-damage",))
    assert table.found(ApplyDamage)[0].value == 23
    table.verify()


def test_a_die_of_one_side_does_not_explode() -> None:
    club = {"key": "sword", "delay": 3, "modifier": "STR", "durability": 9, "damage": {"C": {"n": 2, "sides": 1}}}
    table = duel("nyra", *HIT, LEFT_ARM, 1, 1, first={"weapons": [club]}, house=["exploding-damage"])
    table.strike("ann", "bob", "defense")
    assert (table.one(Roll, "damage").total, table.ruled) == (2, [])
    table.verify()


# -- popcorn-initiative


def test_whoever_has_acted_names_the_next() -> None:
    table = Table("nyra", house=["popcorn-initiative"])
    for who in ("ann", "bob", "cy"):  # equal in everything: the system would have them roll
        table.join(who, who)
    table.begin()
    asked = []
    for name in ("cy", "", "bob", "ann", "", "bob"):
        table.declare(table.state.turn, "end-turn")
        if name:
            asked.append([option.code for option in next(iter(table.state.prompts.values())).ask.options or ()])
            table.answer(name)
    assert asked == [["bob", "cy"], ["ann", "cy", "bob"], ["ann", "cy"], ["ann", "bob", "cy"]]
    turns = [(event.when[0], event.who) for event in table.found(Turn) if event.moment == "start"]
    assert turns == [(1, "ann"), (1, "cy"), (1, "bob"), (2, "bob"), (2, "ann"), (2, "cy"), (3, "bob")]
    assert table.found(Roll) == []
    table.verify()


def test_the_dead_name_nobody_and_are_not_named() -> None:
    table = Table("nyra", house=["popcorn-initiative"])
    for who in ("ann", "bob", "cy"):
        table.join(who, who)
    table.join("dee", "ann", pools={"chest": 99})
    table.begin()
    table.give("ann", "dead")
    table.declare("ann", "end-turn")
    assert (table.found(Ask), table.state.turn) == ([], "bob")
    table.declare("bob", "end-turn")
    table.answer("dee")
    assert table.state.turn == "cy", "she dies of her wounds as her turn begins"
    table.verify()


# -- side-initiative


def test_one_side_acts_before_the_other() -> None:
    table = Table("nyra", 3, 8, house=["side-initiative"])
    for who, side in (("ann", "red"), ("bob", "blue"), ("cy", "red"), ("dee", "blue")):
        table.join(who, side, sequence=9 if side == "red" else 1)
    table.begin()
    order = table.one(Order, "side-initiative")
    assert [(entry.who, entry.when) for entry in order.entries] == [("bob", (1, 1)), ("dee", (1, 2)), ("ann", (1, 3)), ("cy", (1, 4))]
    assert order.trace[0] == Row("side-initiative", 8, "bob")
    table.verify()


def test_of_equal_sides_the_first_to_join_begins() -> None:
    table = Table("nyra", 5, 5, house=["side-initiative"])
    for who, side in (("ann", "red"), ("bob", "blue"), ("cy", "red")):
        table.join(who, side)
    table.begin()
    assert [entry.who for entry in table.one(Order, "side-initiative").entries] == ["ann", "cy", "bob"]
    table.verify()


# -- fumble-table


@pytest.mark.parametrize(("die", "held"), [(2, {}), (3, {"off-balance": -2}), (6, {"wide-open": -2})])
def test_a_fumble_sends_to_the_table(die: int, held: dict[str, int]) -> None:
    table = duel("nyra", 10, die, house=["fumble-table"])
    table.strike("ann", "bob")
    assert (table.conditions("ann"), table.outcomes) == (held, ["critical-miss"])
    table.verify()


def test_off_balance_takes_from_the_next_turn_and_ends() -> None:
    table = duel("nyra", 10, 4, 6, house=["fumble-table"])
    table.strike("ann", "bob")
    for who in ("ann", "bob"):
        table.declare(who, "end-turn")
    table.strike("ann", "bob")
    assert table.found(Judge, "attack")[-1].trace == (Row("Swords", 7, "sheet"), Row("off-balance", -2, "fumble-table"))
    assert table.outcomes[-1] == "miss", "6 misses 5"
    for who in ("ann", "bob"):
        table.declare(who, "end-turn")
    assert (table.conditions("ann"), table.state.turn) == ({}, "ann")
    table.verify()


def test_wide_open_takes_from_a_defence() -> None:
    table = duel("nyra", 10, 5, 3, 4, LEFT_ARM, 1, 1, 1, house=["fumble-table"])
    table.strike("ann", "bob")
    table.declare("ann", "end-turn")
    table.strike("bob", "ann", "dodge")
    assert table.one(Defend, "defence").trace == (Row("Dodge", 5, "sheet"), Row("wide-open", -2, "fumble-table"))
    table.verify()


# -- minimum-damage and thick-skin


@pytest.mark.parametrize("armor", [6, 9])
def test_a_blow_that_armor_stops_does_one(armor: int) -> None:
    table = duel("nyra", *HIT, LEFT_ARM, 1, 1, 1, second={"armor": {"left-arm": {"C": armor}}}, house=["minimum-damage"])
    table.strike("ann", "bob", "defense")
    (hit,) = table.found(ApplyDamage)
    assert (hit.value, parts(hit)[-1], hit.by_rules) == (1, ("minimum-damage", 1), ("minimum-damage",))
    assert (table.pool("bob", "left-arm"), table.conditions("bob")) == (1, {"wound-left-arm": 1})
    table.verify()


def test_a_blow_that_hurts_is_left_alone() -> None:
    table = duel("nyra", *HIT, LEFT_ARM, 1, 1, 1, second={"armor": {"left-arm": {"C": 5}}}, house=["minimum-damage"])
    table.strike("ann", "bob", "defense")
    assert (table.found(ApplyDamage)[0].value, table.ruled) == (1, [])


@pytest.mark.parametrize(("armor", "value"), [(2, 4), (3, 0), (6, 0)])
def test_a_small_blow_does_nothing(armor: int, value: int) -> None:
    """CON 7: what is less than 7/2."""
    table = duel("nyra", *HIT, LEFT_ARM, 1, 1, 1, second={"armor": {"left-arm": {"C": armor}}}, house=["thick-skin"])
    table.strike("ann", "bob", "defense")
    (hit,) = table.found(ApplyDamage)
    assert (hit.value, hit.by_rules) == (value, ("thick-skin",) if armor == 3 else ())
    assert value or table.conditions("bob") == {}
    table.verify()


def test_a_sheet_tells_its_threshold() -> None:
    table = duel("nyra", house=["thick-skin"])
    rules = table.books.rules(table.session.manifest)
    (derived,) = rules.derive(rules.read_sheet(dict(table.state.combatants["bob"].sheet or {})))
    assert (derived.code, derived.value) == ("thick-skin", "7/2")
    assert derived.trace == (Row("CON", 7, "sheet"), Row("half", "-7/2", "thick-skin"))


# -- exhaustion


def test_every_third_turn_tires() -> None:
    table = duel("nyra", 8, house=["exhaustion"])
    tired = []
    for _ in range(6):
        tired.append(table.conditions("ann").get("tired", 0))
        table.declare("ann", "end-turn")
        table.declare("bob", "end-turn")
    assert tired == [0, 0, 1, 1, 1, 2]
    table.strike("ann", "bob")
    (verdict,) = table.found(Judge, "attack")
    assert (verdict.goal, verdict.trace[-1]) == (5, Row("tired", -2, "exhaustion"))
    table.verify()


def test_who_dies_as_the_turn_begins_does_not_tire() -> None:
    table = duel("nyra", house=["exhaustion"])
    for who in ("ann", "bob", "ann"):
        table.declare(who, "end-turn")
    table.set_pool("ann", "chest", 99)
    table.declare("bob", "end-turn")
    assert table.conditions("ann") == {"dead": 1}
    assert table.state.over == "won-by-blue"


# -- vetoes


def test_nobody_strikes_a_friend() -> None:
    table = Table("nyra", 9, house=["no-friendly-fire"])
    for who, side in (("ann", "red"), ("bob", "red"), ("cy", "blue")):
        table.join(who, side, sequence=5 if who == "ann" else 4 if who == "bob" else 3, skills={"Swords": 7})
    table.begin()
    refused = table.strike("ann", "bob")
    assert refused is not None
    assert (refused.code, refused.args) == ("no-friendly-fire", ("ann", "bob"))
    assert table.strike("ann", "cy") is None
    table.verify()


def test_a_master_does_not_join_beginners() -> None:
    table = Table("nyra", house=["starting-characters"])
    table.join("ann", "red", skills={"Swords": 8})
    with pytest.raises(InputError, match=r"\$\.sheet\.skills\.Swords: a starting character has 8 at most"):
        table.join("bob", "blue", skills={"Swords": 9})


# -- first-blood


def test_the_first_wound_ends_it() -> None:
    table = duel("nyra", *HIT, LEFT_ARM, 1, 1, 1, house=["first-blood"])
    table.strike("ann", "bob", "defense")
    assert (table.state.over, table.conditions("bob")["bled"], table.outcomes) == ("first-blood", 1, ["hit"])
    assert table.found(Close)[0].code == "first-blood"
    table.verify()


def test_a_blow_that_does_nothing_ends_nothing() -> None:
    table = duel("nyra", *HIT, LEFT_ARM, 1, 1, 1, second={"armor": {"left-arm": {"C": 9}}}, house=["first-blood"])
    table.strike("ann", "bob", "defense")
    assert table.state.over == ""
    table.verify()


# -- riposte


def test_who_blocks_strikes_back() -> None:
    """Bob ripostes and hits; it is still Ann whose turn his block ends, and nobody ripostes a riposte."""
    table = duel("nyra", 7, 1, 3, 9, LEFT_ARM, 1, 1, house=["riposte"])
    table.strike("ann", "bob", "defense", "dodge")
    assert (table.outcomes, table.state.turn) == (["hit", "blocked"], "bob")
    assert table.pool("ann", "left-arm") == 7
    table.verify()


def test_a_fumble_is_answered() -> None:
    table = duel("nyra", 10, 9, house=["riposte"])
    table.strike("ann", "bob")
    assert table.outcomes == ["miss", "critical-miss"]
    table.verify()


def test_without_delay_there_is_no_riposte() -> None:
    table = duel("nyra", 7, 1, house=["riposte"])
    table.set_pool("bob", "delay", 0)
    table.strike("ann", "bob", "defense")
    assert table.outcomes == ["refused-not-enough-delay", "blocked"]
    table.verify()


def test_in_the_bank_a_riposte_costs_energy() -> None:
    table = bank(2, 3, 1, 9, house=["riposte"])
    table.strike("ann", "bob", "defense")
    assert (table.outcomes, table.pool("bob", "energy"), table.state.turn) == (["miss", "blocked"], 31, "bob")
    table.verify()


# -- catch-breath


def test_a_turn_ended_by_choice_gives_energy_back() -> None:
    table = bank(9, house=["catch-breath"])
    table.strike("ann", "bob")
    table.declare("bob", "end-turn")
    assert table.found(Change, "catch-breath")[0].overflow == 5, "his bank was full"
    table.declare("ann", "end-turn")
    change = table.found(Change, "catch-breath")[-1]
    assert (change.before, change.after, change.trace) == (31, 36, (Row("catch-breath", 5, "catch-breath"),))
    assert table.outcomes[-1] == "ended-by-choice"
    table.verify()


def test_the_duel_knows_no_breath() -> None:
    table = duel("nyra", house=["catch-breath"])
    table.declare("ann", "end-turn")
    assert (table.found(Change, "catch-breath"), table.state.turn) == ([], "bob")
    table.verify()


# -- parting-blow


def test_who_breaks_away_is_struck_out_of_turn() -> None:
    table = duel("nyra", *HIT, LEFT_ARM, 1, 1, 1, first={"skills": {"Swords": 7, "Defense": 5}}, house=["parting-blow"])
    assert table.session.actions("bob") == ()
    refused = table.strike("bob", "ann")
    assert refused is not None
    assert refused.code == "not-your-turn"
    table.give("ann", "breaking-away")
    (form,) = table.session.actions("bob")
    assert (form.name, form.targets, form.choices["weapon"]) == ("strike", ("ann",), ("sword",))
    table.strike("bob", "ann", "defense")
    assert (table.outcomes, table.pool("bob", "delay"), table.state.turn) == (["hit"], 3, "ann")
    table.give("bob", "breaking-away")
    assert [form.name for form in table.session.actions("ann")] == ["strike", "end-turn"], "in the own turn it is no other strike"
    table.verify()
