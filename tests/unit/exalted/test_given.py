"""Whom the game master's rows reach, and what charms that are used several times or set a value do."""

from __future__ import annotations

from typing import Any

import pytest

from affray.kernel import Declare, Defend, GiveModifier, Modifier, Refused, Roll, Row

from .table import Sheet, Table, dice_of, duel

COUNTER: Sheet = {"key": "riposte", "use": "counterattack"}
TWICE = [{"weapon": "sword"}, {"weapon": "sword"}]


def give(table: Table, action: str, place: str, amount: int) -> None:
    assert table.session.overrule("so", GiveModifier(action=action, rows=(Modifier(place, amount, "given"),)))


def dice(table: Table) -> list[int]:
    return [dice_of(roll) for roll in table.found(Roll, "attack")]


# -- what the game master gives


def test_a_stunt_awarded_while_the_defence_is_asked_for_counts() -> None:
    table = duel(*[2] * 7)
    table.attack("ann", "bob")
    (action,) = table.state.open
    give(table, action, "dv.stunt", 2)
    table.answer("dodge")
    assert table.found(Defend)[0].value == 6
    table.verify()


def test_what_is_given_to_a_flurry_reaches_its_attacks() -> None:
    table = duel(*[2] * (5 + 3), *[2] * (4 + 3))
    table.declare("ann", "flurry", "bob", "bob", attacks=TWICE)
    (action,) = table.state.open
    give(table, action, "attack.dice", 3)
    give(table, action, "dv.other", 1)
    table.answer("dodge", "dodge")
    assert (dice(table), [guard.value for guard in table.found(Defend)]) == ([8, 7], [6, 5])
    table.verify()


def test_one_attack_of_a_flurry_is_given_rows_by_its_own_id() -> None:
    table = duel(*[2] * 5, *[2] * 7)
    table.declare("ann", "flurry", "bob", "bob", attacks=TWICE)
    table.answer("dodge")
    give(table, f"{table.found(Declare)[0].action}>flurry.bob.1", "attack.dice", 3)
    table.answer("dodge")
    assert dice(table) == [5, 7]
    table.verify()


def test_what_is_given_to_an_attack_does_not_reach_the_counterattack() -> None:
    table = duel(*[2] * 9, *[2] * 7, second={"charms": [COUNTER]})
    table.attack("ann", "bob")
    (action,) = table.state.open
    give(table, action, "attack.dice", 2)
    give(table, action, "dv.other", 1)
    table.answer("dodge", "charm-riposte/sword")
    give(table, f"{action}>counterattack.ann.0", "dv.stunt", 1)
    table.answer("dodge")
    assert (dice(table), [guard.value for guard in table.found(Defend)]) == ([9, 7], [6, 5])
    assert Row("A-stunt", "1/2", "fight") in table.found(Defend)[1].trace, "(10 + 1) / 2, less Ann's own attack"
    table.verify()


# -- charms that are used several times


def second(**more: Any) -> Sheet:
    return {"key": "second", "use": "defence", "motes": 2, "times": 3, "effects": [{"op": "add", "value": 1}], **more}


def test_a_charm_is_used_as_often_as_the_sheet_says() -> None:
    table = duel(*[2] * 7, second={"charms": [second()], "motes": 9})
    table.attack("ann", "bob", "dodge", "charm-second", "charm-second")
    assert table.options() == {"ready": 7, "charm-second": 8}
    table.answer("charm-second")
    (guard,) = table.found(Defend)
    assert [row for row in guard.trace if row.code == "E-self-second"] == [Row("E-self-second", 1, "sheet")] * 3
    assert (guard.value, table.pool("bob", "motes")) == (8, 3)
    table.verify()


def test_a_charm_is_used_as_often_as_it_can_be_paid() -> None:
    table = duel(*[2] * 7, second={"charms": [second()], "motes": 3})
    table.attack("ann", "bob", "dodge", "charm-second")
    assert (table.found(Defend)[0].value, table.pool("bob", "motes")) == (6, 1)


def test_the_dice_of_all_uses_are_thrown_together() -> None:
    first = second(key="first", effects=[{"op": "dice", "value": 2}])
    table = duel(*[2] * 7, 10, 9, 1, 1, second={"charms": [first], "motes": 4})
    table.attack("ann", "bob", "dodge", "charm-first", "charm-first")
    (roll,) = table.found(Roll, "excellency")
    assert (roll.trace, roll.total) == ((Row("first", 4, "sheet"),), 3)
    assert table.found(Defend)[0].value == 8
    table.verify()


def test_dice_that_were_thrown_are_not_thrown_again_after_the_roll() -> None:
    early, late = (second(key=key, use=use, effects=[{"op": "dice", "value": 1}]) for key, use in (("a", "defence"), ("b", "after-roll")))
    table = duel(*[9] * 7, 9, 9, second={"charms": [early, late], "motes": 4})
    table.attack("ann", "bob", "dodge", "charm-a", "ready", "charm-b")
    assert [guard.value for guard in table.found(Defend)] == [6, 7]
    assert [roll.trace for roll in table.found(Roll, "excellency")] == [(Row("a", 1, "sheet"),), (Row("b", 1, "sheet"),)]
    table.verify()


def test_an_attack_names_a_charm_once_for_each_use() -> None:
    more = {"key": "more", "use": "attack", "motes": 1, "times": 3, "effects": [{"op": "add", "on": "attack", "value": 1}]}
    table = duel(*[2] * 10, first={"charms": [more], "motes": 9})
    assert table.attack("ann", "bob", charms=["more"] * 4) == Refused("no-such-charm", ("more", "more"))
    assert table.attack("ann", "bob", "dodge", charms=["more"] * 3) is None
    assert (dice(table), table.pool("ann", "motes")) == ([10], 6)
    table.verify()


def test_an_attack_with_too_many_factors_is_refused() -> None:
    half = {"key": "half", "use": "attack", "times": 9, "effects": [{"op": "div", "value": 2}]}
    table = duel(*[2] * 7, first={"charms": [half]})
    assert table.attack("ann", "bob", charms=["half"] * 7) == Refused("too-many-effects", (100, 6))
    assert table.attack("ann", "bob", charms=["half"] * 6) is None


# -- charms that set a value

SET: Sheet = {"key": "still", "use": "defence", "motes": 3, "effects": [{"op": "set", "value": 9}]}
SET_LATE: Sheet = {"key": "stone", "use": "after-roll", "effects": [{"op": "set", "value": "15/2"}]}


def test_charms_that_set_a_value_are_not_offered_unless_the_table_says_so() -> None:
    """Ambiguity 18."""
    table = duel(*[2] * 7, second={"charms": [SET], "motes": 3})
    table.attack("ann", "bob", "dodge")
    assert table.found(Defend)[0].value == 5
    table.verify()


@pytest.mark.parametrize("being", ["solar", "mortal"])
def test_a_value_is_set_after_the_cap_and_needs_none(being: str) -> None:
    table = duel(*[2] * 7, options={"set_charms": True}, second={"being": being, "charms": [SET], "motes": 3})
    table.attack("ann", "bob", "dodge")
    assert table.options() == {"ready": 5, "charm-still": 9}
    table.answer("charm-still")
    (guard,) = table.found(Defend)
    assert Row("F-set-still", 4, "sheet") in guard.trace
    table.verify()


def test_the_higher_of_two_set_values_counts_and_is_rounded() -> None:
    table = duel(*[10] * 7, *[2] * 10, *[9] * 6, options={"set_charms": True}, second={"charms": [{**SET, "motes": 0, "effects": [{"op": "set", "value": 7}]}, SET_LATE]})
    table.attack("ann", "bob", "dodge", "charm-still", "charm-stone")
    assert [guard.value for guard in table.found(Defend)] == [7, 8]
    assert [row.code for row in table.found(Defend)[1].trace][-2:] == ["F-set-stone", "F-rounded-up"]


def test_an_inapplicable_defence_can_be_set_unless_that_is_final() -> None:
    for is_final, value in ((False, 9), (True, 0)):
        options = {"set_charms": True, "inapplicable_is_final": is_final}
        table = duel(*[2] * 7, options=options, second={"charms": [{**SET, "motes": 0}]})
        table.attack("ann", "bob", "dodge", "charm-still", unexpected=True)
        assert table.found(Defend)[0].value == value

