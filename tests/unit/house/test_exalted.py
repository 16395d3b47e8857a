"""Every house rule that is for exalted, alone: what it changes, that the numbers say so, and that the log stands by itself."""

from __future__ import annotations

from typing import Any

import pytest

from affray.kernel import ApplyDamage, Change, Condition, Defend, InputError, Judge, Order, Roll

from .table import Table, duel

HIT = (9,) * 7
"""Ann's seven dice: 7 successes against a Defense Value of 5 leave 2, so 6 dice of damage."""

MISS = (2,) * 7
BOTCH = (1, *MISS[1:])
STANDS = (9,) * 6
"""Bob's six dice against a knockdown."""


def rows(step: Defend | Judge | Roll | ApplyDamage) -> list[tuple[str, object, str]]:
    return [(row.code, row.amount, row.source) for row in step.trace or ()]


# -- high-ground


@pytest.mark.parametrize(("ann", "bob", "value", "row"), [((), ("high-ground",), 6, 1), (("high-ground",), (), 4, -1)])
def test_high_ground_counts_in_the_defense_value(ann: tuple[str, ...], bob: tuple[str, ...], value: int, row: int) -> None:
    table = duel("exalted", *MISS, house=["high-ground"], first={"conditions": ann}, second={"conditions": bob})
    table.attack("ann", "bob", "dodge")
    guard = table.one(Defend, "defence")
    assert guard.value == value
    assert ("C-ground", row) in [(code, amount) for code, amount, _ in rows(guard)]
    table.verify()


def test_on_the_same_height_nobody_is_helped() -> None:
    there = {"conditions": ["high-ground"]}
    table = duel("exalted", *MISS, house=["high-ground"], first=there, second=there)
    table.attack("ann", "bob", "dodge")
    assert table.one(Defend, "defence").value == 5
    table.verify()


# -- exploding-damage


def test_a_ten_is_a_level_and_brings_another_die() -> None:
    table = duel("exalted", *HIT, 10, 10, 3, 2, 2, 7, 2, 2, *STANDS, house=["exploding-damage"])
    table.attack("ann", "bob", "dodge")
    roll = table.one(Roll, "damage")
    assert (roll.total, roll.faces[0], roll.by_rules) == (3, (10, 10, 3), ("exploding-damage",))
    assert sum(row.amount for row in roll.trace) == 6, "the dice of the pool, not those that exploded"
    assert table.found(ApplyDamage)[0].value == 3
    table.verify()


# -- minimum-damage


def test_a_blow_that_lands_does_a_level() -> None:
    table = duel("exalted", *HIT, *[2] * 6, *STANDS, house=["minimum-damage"])
    table.attack("ann", "bob", "dodge")
    (hit,) = table.found(ApplyDamage)
    assert (hit.value, hit.by_rules) == (1, ("minimum-damage",))
    assert rows(hit) == [("damage-roll", 0, "damage"), ("minimum-damage", 1, "minimum-damage")]
    assert table.pool("bob", "lethal") == 1
    table.verify()


def test_a_blow_that_bounces_does_nothing() -> None:
    hard = {"armor": {"hardness": {"lethal": 9}}}
    table = duel("exalted", *HIT, second=hard, house=["minimum-damage"])
    table.attack("ann", "bob", "dodge")
    assert (table.outcomes, table.found(ApplyDamage)) == (["bounced"], [])
    table.verify()


# -- last-stand


def test_a_blow_leaves_the_last_level() -> None:
    """Four of six levels before Incapacitated are filled: of four more, two are left to take."""
    table = duel("exalted", *HIT, 7, 7, 7, 7, 2, 2, 2, *STANDS, house=["last-stand"])
    table.set_pool("bob", "lethal", 4)
    table.attack("ann", "bob", "dodge")
    (hit,) = table.found(ApplyDamage)
    assert rows(hit) == [("damage-roll", 4, "damage"), ("last-stand", -2, "last-stand")]
    assert (table.pool("bob", "lethal"), "incapacitated" in table.conditions("bob")) == (6, False)
    table.verify()


def test_the_next_blow_fells() -> None:
    table = duel("exalted", *HIT, 7, *[2] * 7, house=["last-stand"])
    table.set_pool("bob", "lethal", 6)
    table.attack("ann", "bob", "dodge")
    assert (table.ruled, "incapacitated" in table.conditions("bob"), table.state.over) == ([], True, "won-by-red")
    table.verify()


# -- side-initiative


def test_one_side_acts_before_the_other() -> None:
    table = Table("exalted", 4, 9, house=["side-initiative"])
    for who, side in (("ann", "red"), ("bob", "blue"), ("cy", "red")):
        table.join(who, side)
    table.begin()
    order = table.one(Order, "side-initiative")
    assert [(entry.who, entry.when) for entry in order.entries] == [("bob", (0, 0, 1)), ("ann", (0, 0, 2)), ("cy", (0, 0, 3))]
    assert [(change.target, change.after) for change in table.found(Change, "side-initiative")] == [("bob", 1), ("ann", 2), ("cy", 3)]
    for who in ("bob", "ann", "cy", "bob", "ann", "cy"):
        assert table.state.turn == who
        table.declare(who, "guard")
    table.verify()


# -- fumble-table


@pytest.mark.parametrize(("die", "held"), [(1, {}), (4, {"off-balance": -2}), (6, {"wide-open": -1})])
def test_a_botch_sends_to_the_table(die: int, held: dict[str, int]) -> None:
    table = duel("exalted", *BOTCH, die, house=["fumble-table"])
    table.attack("ann", "bob", "dodge")
    assert {name: value for name, value in table.conditions("ann").items() if name != "dv-penalty"} == held
    assert table.outcomes == ["botched"]
    table.verify()


def test_off_balance_takes_dice_and_ends_after_six_ticks() -> None:
    table = duel("exalted", *BOTCH, 3, *[2] * 5, house=["fumble-table"])
    table.attack("ann", "bob", "dodge")
    for _ in range(2):
        table.declare("bob", "guard")
    assert table.state.turn == "ann", "on tick 5"
    table.attack("ann", "bob", "dodge")
    assert ("off-balance", -2, "fumble-table") in rows(table.found(Roll, "attack")[-1])
    while "off-balance" in table.conditions("ann"):
        table.declare(table.state.turn, "guard")
    assert table.found(Condition, "expired")[0].id == "off-balance"
    table.verify()


def test_wide_open_takes_from_the_defense_value() -> None:
    table = duel("exalted", *BOTCH, 6, *MISS, house=["fumble-table"])
    table.attack("ann", "bob", "dodge")
    table.attack("bob", "ann", "dodge")
    guard = table.found(Defend, "defence")[-1]
    assert (guard.value, [row.amount for row in guard.trace if row.code == "C-other"]) == (3, [-1])
    table.verify()


# -- exhaustion


def test_every_third_turn_takes_a_die() -> None:
    table = duel("exalted", *[2] * 6, house=["exhaustion"])
    while table.state.turns.get("start:ann", 0) < 3:
        table.declare(table.state.turn, "guard")
    table.attack("ann", "bob", "dodge")
    roll = table.one(Roll, "attack")
    assert (rows(roll)[-1], len(roll.faces)) == (("tired", -1, "exhaustion"), 6)
    table.verify()


# -- vetoes


def test_nobody_attacks_a_friend_in_a_flurry_either() -> None:
    table = duel("exalted", house=["no-friendly-fire"])
    table.join("cy", "red")
    for refused in (
        table.attack("ann", "cy"),
        table.declare("ann", "flurry", "bob", "cy", attacks=[{"weapon": "sword"}] * 2),
        table.declare("ann", "aim", "cy"),
    ):
        assert refused is not None
        assert (refused.code, refused.args) == ("no-friendly-fire", ("ann", "cy"))


@pytest.mark.parametrize(
    ("fields", "path"), [({"abilities": {"Dodge": 6}}, r"abilities\.Dodge"), ({"essence": 4}, "essence")]
)
def test_an_elder_does_not_join_beginners(fields: dict[str, Any], path: str) -> None:
    table = Table("exalted", house=["starting-characters"])
    table.join("ann", "red", essence=3, abilities={"Dodge": 5})
    with pytest.raises(InputError, match=rf"\$\.sheet\.{path}: a starting character has"):
        table.join("bob", "blue", **fields)


# -- first-blood


def test_the_first_level_ends_it() -> None:
    table = duel("exalted", *HIT, 7, *[2] * 5, *STANDS, house=["first-blood"])
    table.attack("ann", "bob", "dodge")
    assert (table.state.over, table.conditions("bob")["bled"]) == ("first-blood", 1)
    table.verify()


def test_it_ends_what_others_of_the_tick_have_declared() -> None:
    """Everybody of tick 0 declares first; Bob is hurt before his own blow comes about."""
    table = Table("exalted", 9, 9, *HIT, 7, *[2] * 6, *STANDS, options={"same_tick": "together"}, house=["first-blood"])
    for who, side in (("ann", "red"), ("bob", "blue")):
        table.join(who, side)
    table.begin()
    table.attack("ann", "bob")
    table.attack("bob", "ann")
    table.answer("dodge")
    assert (table.outcomes, table.state.over, table.state.open) == (["first-blood", "hit"], "first-blood", {})
    table.verify()


# -- riposte


def test_who_is_missed_strikes_back() -> None:
    table = duel("exalted", *MISS, *MISS, house=["riposte"])
    table.attack("ann", "bob", "dodge", "dodge")
    assert table.outcomes == ["missed", "missed"]
    assert (table.state.turn, table.conditions("bob")) == ("bob", {}), "it cost him no time"
    table.verify()


def test_a_botch_is_answered_too() -> None:
    table = duel("exalted", *BOTCH, *MISS, house=["riposte"])
    table.attack("ann", "bob", "dodge", "dodge")
    assert table.outcomes == ["missed", "botched"]
    table.verify()


def test_the_unarmed_do_not_strike_back() -> None:
    table = duel("exalted", *MISS, second={"weapons": []}, house=["riposte"])
    table.attack("ann", "bob")
    assert table.outcomes == ["missed"]
    table.verify()
