"""One attack, step by step (exalted.md, 3.1, 3.4 and 3.6)."""

from __future__ import annotations

import pytest

from affray.kernel import (
    ApplyDamage,
    Ask,
    Change,
    Declare,
    Defend,
    Held,
    Judge,
    Modifier,
    Roll,
    Row,
    Save,
    SetCondition,
    SetPool,
)

from .table import BOW, HANDS, SWORD, Sheet, Table, dice_of, duel, outcomes, steps

HIT = (9, 9, 9, 9, 9, 9, 9)
"""Ann's seven dice, all successes: 7 against a DV of 5 leave 2, so raw damage is 2 + 3 + 2 = 7, soak 1, pool 6."""

NO_LEVELS = (2, 2, 2, 2, 2, 2)
STANDS = (9, 9, 9, 9, 9, 9)
"""Bob's knockdown roll (4 + 2 dice), passed."""

DODGE: Sheet = {"key": "leaf", "use": "defence", "effects": [{"op": "add", "value": 2}], "motes": 3}
LATE: Sheet = {"key": "late", "use": "after-roll", "effects": [{"op": "add", "value": 1}], "motes": 2}
COUNTER: Sheet = {"key": "riposte", "use": "counterattack", "motes": 4}
AGAIN: Sheet = {"key": "again", "use": "reroll", "willpower": 1}


def test_the_steps_of_a_hit_stand_in_the_order_of_the_book() -> None:
    table = duel(*HIT, *NO_LEVELS, *STANDS)
    assert table.attack("ann", "bob", "dodge") is None
    assert steps(table) == [
        "Condition dv-penalty",
        "Order next-action",
        "Ask defence",
        "Roll attack",
        "Defend defence",
        "Judge attack",
        "Judge damage",
        "Roll damage",
        "ApplyDamage damage",
        "Roll knockdown",
        "Save knockdown",
    ]
    assert outcomes(table) == ["hit"]
    table.verify()


def test_the_worked_attack_of_the_page() -> None:
    """3.6: A 4, B 4, C 4, X 4, capped from 10 to 8; 11 successes leave 3; raw 8, soak 3, pool 5, 3 levels; knockdown."""
    defender: Sheet = {
        "stamina": 3,
        "weapons": [],
        "motes": 5,
        "armor": {"mobility": -2, "soak": {"lethal": 2}},
        "shield": {"bonus": 1},
        "charms": [{"key": "six", "use": "defence", "effects": [{"op": "add", "value": 6}], "motes": 5}],
    }
    blade = {"key": "sword", "speed": 5, "damage": 5, "adds_strength": False, "accuracy": 3}
    faces = (10, 10, 10, 9, 9, 8, 7, 7, 4, 1, 10, 8, 7, 6, 2, 7, 7, 1, 1, 1, 1)
    rows = (Modifier("dv.stunt", 1, "stunt"),)
    # two levels are filled, -0 and -1; Bob was attacked before in this flurry
    table = duel(*faces, first={"weapons": [blade]}, second=defender)
    table.session.overrule("before", SetPool(target="bob", pool="lethal", value=2))
    onslaught(table, "bob")
    assert table.attack("ann", "bob", "charm-six", rows=rows) is None
    (guard,) = table.found(Defend)
    assert guard.value == 8
    assert [(row.code, row.amount) for row in guard.trace] == [
        ("A-dexterity", 2),
        ("A-ability", 2),
        ("A-essence", 1),
        ("A-mobility", -1),
        ("A-wound", "-1/2"),
        ("A-stunt", "1/2"),
        ("B-unchanged", 0),
        ("C-onslaught", -1),
        ("C-shield", 1),
        ("D-unchanged", 0),
        ("E-self-six", 6),
        ("E-limit", 0),
        ("E-cap", -2),
        ("F-unchanged", 0),
    ]
    (judged,) = table.found(Judge, "damage")
    assert (table.found(Roll, "attack")[0].total, table.found(Judge, "attack")[0].margin) == (11, 3)
    assert (judged.goal, judged.margin) == (5, 8)
    assert table.found(ApplyDamage)[0].value == 3
    assert table.conditions("bob")["wound-penalty"] == -2
    assert [(save.name, save.code) for save in table.found(Save)] == [("knockdown", "passed")]
    table.verify()


def onslaught(table: Table, who: str) -> None:
    table.session.overrule("before", SetCondition(target=who, held=Held(id="onslaught", value=-1)))


def test_both_defences_are_offered_with_what_they_are_worth_the_better_first() -> None:
    table = duel(*HIT, second={"abilities": {"Dodge": 4, "Melee": 5}})
    table.attack("ann", "bob")
    assert table.options() == {"parry-sword": 6, "dodge": 5}
    (ask,) = table.found(Ask)
    assert Row("A-weapon-defense", 1, "sheet") in ask.options[0].trace


def test_of_equal_defences_the_parry_is_first() -> None:
    """Ambiguity 22."""
    table = duel()
    table.attack("ann", "bob")
    assert list(table.options()) == ["parry-sword", "dodge"]


def test_who_has_one_defence_only_is_not_asked() -> None:
    table = duel(2, 2, 2, 2, 2, 2, 2, second={"weapons": []})
    table.attack("ann", "bob")
    assert table.found(Ask) == []
    assert outcomes(table) == ["missed"]
    table.verify()


def test_the_pool_of_an_attack_tells_where_its_dice_come_from() -> None:
    attacker: Sheet = {"weapons": [{**SWORD, "accuracy": 1}], "specialties": {"Melee": 2}}
    table = duel(*[2] * 12, first=attacker)
    table.session.overrule("a wound", SetPool(target="ann", pool="lethal", value=4))
    table.attack("ann", "bob", "dodge", stunt=2, rows=(Modifier("attack.dice", 2, "bless"),))
    (roll,) = table.found(Roll, "attack")
    assert [(row.code, row.amount) for row in roll.trace] == [
        ("dexterity", 4),
        ("Melee", 3),
        ("specialty", 2),
        ("accuracy", 1),
        ("stunt", 2),
        ("wound", -2),
        ("bless", 2),
    ]
    assert dice_of(roll) == 12
    table.verify()


def test_a_charm_is_paid_for_and_previewed_before_it_is_used() -> None:
    table = duel(*HIT, second={"charms": [DODGE], "motes": 5})
    table.attack("ann", "bob", "dodge")
    assert table.options() == {"ready": 5, "charm-leaf": 7}
    table.answer("charm-leaf")
    assert (table.pool("bob", "motes"), table.found(Defend)[0].value) == (2, 7)
    assert outcomes(table) == ["missed"]
    table.verify()


def test_a_charm_that_cannot_be_paid_is_not_offered() -> None:
    table = duel(*HIT, *NO_LEVELS, *STANDS, second={"charms": [DODGE], "motes": 2})
    table.attack("ann", "bob", "dodge")
    assert [ask.key for ask in table.found(Ask)] == ["defence"]


def test_a_virtue_or_willpower_but_not_both() -> None:
    """Ambiguity 3: an answer takes the others off the list."""
    table = duel(*HIT, second={"virtues": {"valor": 3}, "willpower": 5})
    table.attack("ann", "bob", "dodge")
    assert table.options() == {"ready": 5, "channel-valor": 7, "willpower": 6}
    table.answer("channel-valor")
    assert (table.pool("bob", "willpower"), table.pool("bob", "channels-valor")) == (4, 2)
    assert table.found(Defend)[0].value == 7
    table.verify()


def test_a_charm_after_the_roll_makes_a_second_defence_and_verdict() -> None:
    table = duel(*HIT, *NO_LEVELS[:5], *STANDS, second={"charms": [LATE], "motes": 2})
    table.attack("ann", "bob", "dodge")
    assert table.options() == {"stand": 5, "charm-late": 6}
    table.answer("charm-late")
    assert [guard.value for guard in table.found(Defend)] == [5, 6]
    assert [guard.occurrence for guard in table.found(Defend)] == [0, 1]
    assert [(verdict.code, verdict.margin) for verdict in table.found(Judge, "attack")] == [("hit", 2), ("hit", 1)]
    table.verify()


def test_nobody_is_asked_after_a_miss() -> None:
    table = duel(9, 9, 9, 9, 9, 2, 2, second={"charms": [LATE], "motes": 2})
    table.attack("ann", "bob", "dodge")
    assert outcomes(table) == ["missed"]


def test_first_excellency_dice_are_rolled_after_the_attack_and_add_a_point_each() -> None:
    """Ambiguity 20; 3.5 for the order of the dice."""
    first = {"key": "first", "use": "after-roll", "effects": [{"op": "dice", "value": 3}], "motes": 3}
    table = duel(*HIT, 10, 8, 1, second={"charms": [first], "motes": 3})
    table.attack("ann", "bob", "dodge", "charm-first")
    assert [roll.key for roll in table.found(Roll)] == ["join-battle", "join-battle", "attack", "excellency"]
    assert Row("E-self-first", 3, "roll") in table.found(Defend)[1].trace
    assert [guard.value for guard in table.found(Defend)] == [5, 8]
    assert outcomes(table) == ["missed"]
    table.verify()


@pytest.mark.parametrize(
    ("again", "successes"), [((9, 9, 9, 9, 9, 9, 2), 6), ((9, 2, 2, 2, 2, 2, 2), 2)], ids=["better", "worse"]
)
def test_the_better_of_two_rolls_stands(again: tuple[int, ...], successes: int) -> None:
    more = (*[2] * 5, *STANDS) if successes == 6 else ()
    table = duel(9, 9, 2, 2, 2, 2, 2, *again, *more, first={"charms": [AGAIN], "willpower": 1})
    table.attack("ann", "bob", "dodge", "charm-again")
    assert table.found(Judge, "attack")[0].margin == successes - 5
    assert table.pool("ann", "willpower") == 0
    table.verify()


def test_rolled_stunts_add_their_successes_in_step_c() -> None:
    table = duel(*HIT, 10, 2, options={"stunt_mode": "rolled", "virtue_mode": "rolled"})
    table.attack("ann", "bob", "dodge", rows=(Modifier("dv.stunt", 2, "stunt"),))
    (guard,) = table.found(Defend)
    assert Row("C-stunt", 2, "fight") in guard.trace
    assert guard.value == 7
    table.verify()


def test_a_hit_that_hardness_stops_does_nothing() -> None:
    table = duel(*HIT, second={"armor": {"hardness": {"lethal": 7}}})
    table.attack("ann", "bob", "dodge")
    (judged,) = table.found(Judge, "damage")
    assert (judged.code, judged.goal, judged.margin) == ("bounced", 0, 0)
    assert (outcomes(table), table.pool("bob", "lethal")) == (["bounced"], 0)
    table.verify()


def test_levels_beyond_stamina_stun_until_the_next_action() -> None:
    faces = (*HIT, 9, 9, 9, 9, 9, 9, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 9)
    table = duel(*faces, second={"stamina": 3, "health": [0] * 9})
    table.attack("ann", "bob", "dodge")
    stun, knockdown = table.found(Save)
    assert (stun.name, stun.code, stun.goal, stun.margin) == ("stun", "failed", 3, -3)
    assert stun.consequences == ("stunned",)
    assert (knockdown.name, knockdown.goal, knockdown.code) == ("knockdown", 2, "failed")
    knocked = table.found(Roll, "knockdown")[0]
    assert dice_of(knocked) == 4, "stunned: 6 dice less 2"
    assert table.state.turn == "bob"
    assert set(table.conditions("bob")) == {"prone"}, "Bob acts again"


def test_a_counterattack_is_a_nested_attack_that_cannot_be_countered() -> None:
    counter: Sheet = {"charms": [COUNTER], "motes": 8}
    faces = (2, 2, 2, 2, 2, 2, 2, *[2] * 7)
    table = duel(*faces, first=counter, second=counter)
    table.attack("ann", "bob", "dodge", "charm-riposte/sword", "dodge")
    first, second = table.found(Declare)
    assert (second.actor, second.targets, second.parent) == ("bob", ("ann",), first.action)
    assert outcomes(table) == ["missed", "missed"]
    assert (table.pool("bob", "motes"), table.pool("ann", "motes")) == (4, 8)
    assert table.state.turn == "bob", "it takes no time: tick 1 is his"
    table.verify()


def test_who_is_countered_to_death_hits_all_the_same() -> None:
    """3.1 step 9: the counterattack ends before step 10, and takes nothing from the damage that is due."""
    counter: Sheet = {"charms": [COUNTER], "motes": 4, "abilities": {"Dodge": 4, "Melee": 2, "Resistance": 2}}
    table = duel(*HIT, *[9] * 6, 9, *[2] * 5, *NO_LEVELS, *STANDS, first={"health": []}, second=counter)
    table.attack("ann", "bob", "dodge", "charm-riposte/sword", "dodge")
    assert outcomes(table)[-1] == "hit"
    assert "incapacitated" in table.conditions("ann")
    assert table.state.over == "won-by-blue"
    table.verify()


def test_an_extra_takes_a_third_of_the_pool_and_does_not_stunt() -> None:
    """F11: nobody rolls damage; 6 dice are 2 levels."""
    table = duel(*HIT, *STANDS, second={"is_extra": True})
    table.attack("ann", "bob", "dodge", rows=(Modifier("dv.stunt", 2, "stunt"),))
    assert (table.found(Defend)[0].value, table.pool("bob", "lethal")) == (5, 2)
    assert table.found(Roll, "damage") == []
    table.verify()


@pytest.mark.parametrize(
    ("weapon", "arm", "rows", "parry"),
    [
        pytest.param(SWORD, SWORD, (), 5, id="sword-against-sword"),
        pytest.param(SWORD, HANDS, (), 0, id="hands-against-a-blade"),
        pytest.param(SWORD, HANDS, (Modifier("dv.stunt", 1, "stunt"),), 3, id="hands-with-a-stunt"),
        pytest.param(HANDS, HANDS, (), 2, id="hands-against-hands"),
        pytest.param(BOW, SWORD, (), 0, id="sword-against-an-arrow"),
        pytest.param(BOW, SWORD, (Modifier("dv.stunt", 2, "stunt"),), 6, id="an-arrow-with-a-stunt"),
    ],
)
def test_what_can_be_parried(weapon: Sheet, arm: Sheet, rows: tuple[Modifier, ...], parry: int) -> None:
    """3.4: bare hands against more than bashing, and anything against arrows, need a stunt."""
    table = duel(first={"weapons": [weapon]}, second={"weapons": [arm]})
    table.attack("ann", "bob", weapon=weapon["key"], rows=rows)
    assert table.options()[f"parry-{arm['key']}"] == parry


def test_an_unexpected_attack_meets_cover_alone_unless_a_charm_helps() -> None:
    aware = {"key": "aware", "use": "defence", "effects": [{"op": "applicable"}]}
    table = duel(*HIT, second={"charms": [aware]})
    table.attack("ann", "bob", unexpected=True, rows=(Modifier("dv.cover", 2, "wall"),))
    assert table.options() == {"parry-sword": 2, "dodge": 2}
    table.answer("dodge")
    assert table.options() == {"ready": 2, "charm-aware": 7}


def test_a_stunt_gives_motes_back() -> None:
    table = duel(*[2] * 9, first={"motes": 10, "charms": [{"key": "x", "use": "attack", "motes": 6}]})
    table.attack("ann", "bob", "dodge", stunt=2, charms=["x"])
    assert [change.after for change in table.found(Change) if change.pool == "motes"] == [4, 8]


def test_a_defenders_stunt_gives_motes_back_too() -> None:
    table = duel(*[2] * 7, second={"motes": 5, "charms": [DODGE]})
    table.attack("ann", "bob", "dodge", "charm-leaf", rows=(Modifier("dv.stunt", 1, "stunt"),))
    assert [(change.target, change.before, change.after) for change in table.found(Change) if change.pool == "motes"] == [
        ("bob", 5, 2),
        ("bob", 2, 4),
    ]
    table.verify()


def test_an_attackers_charms_act_on_dice_successes_damage_and_the_enemys_defence() -> None:
    charm = {
        "key": "fire",
        "use": "attack",
        "effects": [
            {"op": "add", "on": "attack", "value": 1},
            {"op": "add", "on": "successes", "value": 1},
            {"op": "add", "on": "damage", "value": 3},
            {"op": "div", "value": 2},
        ],
    }
    table = duel(*[9] * 8, *[2] * 14, *STANDS, first={"charms": [charm]})
    table.attack("ann", "bob", "dodge", charms=["fire"])
    (guard,) = table.found(Defend)
    assert Row("E-enemy-fire", "-5/2", "ann") in guard.trace
    assert (guard.value, table.found(Judge, "attack")[0].margin) == (3, 6)
    assert table.found(Judge, "damage")[0].goal == 2 + 3 + 3 + 6 - 1


def test_a_target_that_left_is_struck_as_it_stood() -> None:
    table = duel(*HIT, *NO_LEVELS)
    table.attack("ann", "bob")
    assert table.session.leave("bob")
    assert outcomes(table) == ["no-target"]
    assert table.state.over == "won-by-red"
