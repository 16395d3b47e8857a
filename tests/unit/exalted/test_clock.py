"""Joining battle, ticks, what actions cost, guard, aim, and who of one tick is first (exalted.md, 3.3 and 3.5)."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from affray.kernel import Declare, Defend, Done, Held, Modifier, Refused, Roll, SetCondition, Turn
from affray.plugins.exalted.clock import between

from .table import BOW, Table, duel, outcomes


def turns(table: Table) -> list[tuple[object, str]]:
    return [(turn.when[0], turn.who) for turn in table.found(Turn) if turn.moment == "start"]


def three(*faces: int) -> Table:
    """Ann and Cy against Bob; each joins battle with a die."""
    table = Table(*faces)
    for who, side in (("ann", "red"), ("bob", "blue"), ("cy", "red")):
        table.join(who, side)
    table.begin()
    return table


def test_the_most_successes_set_the_count_and_act_first() -> None:
    table = three(2, 10, 9)
    assert {who: entry.when for who, entry in table.state.agenda.items()} == {"ann": (2, 0, 3), "cy": (1, 0, 2)}
    assert table.state.turn == "bob"


def test_nobody_waits_longer_than_six_ticks() -> None:
    table = Table(*[10] * 5, 2)
    table.join("ann", "red", wits=5)
    table.join("bob", "blue")
    table.begin()
    assert table.next_tick("bob") == 6


def test_an_extra_counts_its_tens_once_whatever_it_rolls() -> None:
    """3.2, F10."""
    table = Table(10, 10)
    table.join("ann", "red", is_extra=True)
    table.join("bob", "blue")
    table.begin()
    assert (table.pool("ann", "join-battle"), table.pool("bob", "join-battle")) == (1, 2)


def test_joining_battle_tells_where_the_dice_come_from() -> None:
    table = Table(*[2] * 6, 2)
    table.join("ann", "red", wits=4, abilities={"Awareness": 2})
    table.join("bob", "blue")
    table.begin()
    assert [[(row.code, row.amount) for row in roll.trace] for roll in table.found(Roll)] == [
        [("wits", 4), ("Awareness", 2)],
        [("wits", 1)],
    ]


def test_of_equal_successes_who_joined_first_is_first() -> None:
    table = three(9, 9, 9)
    for who in ("ann", "bob", "cy"):
        assert table.state.turn == who
        table.declare(who, "guard")
    assert turns(table)[:3] == [(0, "ann"), (0, "bob"), (0, "cy")]


def test_a_late_arrival_counts_from_the_next_tick_and_finds_a_rank() -> None:
    table = duel(9)
    table.join("cy", "blue")
    assert table.state.turn == "ann"
    table.declare("ann", "guard")
    assert (table.state.turn, table.state.at) == ("cy", (1, 0, "3/2")), "as good as Ann, better than Bob"


def test_a_rank_is_always_above_none() -> None:
    assert [between(None, None), between(1, None), between(None, 1), between(None, Fraction(1, 2)), between(1, 2)] == [
        1,
        2,
        Fraction(1, 2),
        Fraction(1, 3),
        Fraction(3, 2),
    ]


@pytest.mark.parametrize(
    ("name", "params", "speed", "dv"),
    [
        ("guard", {}, 3, None),
        ("dash", {}, 3, -2),
        ("jump", {}, 5, -1),
        ("rise", {}, 5, -1),
        ("misc", {}, 5, -1),
        ("misc", {"speed": 4, "dv": 0}, 4, None),
        ("charm", {}, 6, -1),
    ],
)
def test_the_table_of_actions(name: str, params: dict[str, Any], speed: int, dv: int | None) -> None:
    table = duel()
    assert table.declare("ann", name, **params) is None
    assert table.next_tick("ann") == speed
    assert table.conditions("ann").get("dv-penalty") == dv
    assert table.state.turn == "bob"


def test_a_move_takes_no_time() -> None:
    table = duel()
    assert table.declare("ann", "move") is None
    assert table.state.turn == "ann"


def test_an_attack_costs_its_speed_and_a_point_until_the_next_action() -> None:
    table = duel(*[2] * 14)
    table.attack("ann", "bob", "dodge")
    assert (table.next_tick("ann"), table.conditions("ann")) == (5, {"dv-penalty": -1})
    table.attack("bob", "ann", "dodge")
    assert [guard.value for guard in table.found(Defend)] == [5, 4]
    assert table.state.turn == "ann"
    assert table.conditions("ann") == {}


def test_aiming_gives_a_die_a_tick_three_at_most() -> None:
    table = duel(*[2] * 7, first={"weapons": [BOW], "abilities": {"Archery": 0}})
    assert table.declare("ann", "aim", "bob") is None
    assert table.conditions("ann") == {"aiming": 0, "dv-penalty": -1}
    table.declare("bob", "guard")
    assert table.state.turn == "ann"
    table.attack("ann", "bob", "dodge", weapon="bow")
    (roll,) = table.found(Roll, "attack")
    assert [(row.code, row.amount) for row in roll.trace] == [("dexterity", 4), ("aim", 3)]
    assert table.conditions("ann") == {"dv-penalty": -1}
    table.verify()


def test_aiming_on_gives_no_more_than_three_dice() -> None:
    table = duel(*[2] * 10)
    for who in ("ann", "bob", "ann"):
        table.declare(who, "aim", "bob" if who == "ann" else "ann")
    assert (table.state.turn, table.next_tick("ann")) == ("bob", 6)
    table.declare("bob", "misc")
    table.attack("ann", "bob", "dodge")
    assert table.found(Roll, "attack")[0].trace[-1].amount == 3


def test_aiming_at_somebody_else_gives_nothing() -> None:
    table = three(9, 2, 2, *[2] * 7)
    table.declare("ann", "aim", "cy")
    for who in ("bob", "cy"):
        table.declare(who, "misc")
    table.attack("ann", "bob", "dodge")
    assert "aim" not in [row.code for row in table.found(Roll, "attack")[0].trace]


def test_an_aim_that_is_broken_off_counts_its_ticks_and_the_dv_does_not_refresh() -> None:
    """Ann aims on tick 0; Bob acts on tick 1, then she breaks off: a die, and the aim's -1 stays below the attack's."""
    table = duel(*[2] * 8)
    table.declare("ann", "aim", "bob")
    assert table.state.turn == "bob"
    assert [form.name for form in table.session.actions("ann")] == ["break-off"]
    assert table.declare("ann", "break-off") is None
    assert table.state.turn == "bob", "one after the other"
    table.declare("bob", "guard")
    assert table.state.turn == "ann"
    assert table.conditions("ann") == {"aiming": 0, "dv-penalty": -1}
    table.attack("ann", "bob", "dodge")
    assert table.found(Roll, "attack")[0].trace[-1].amount == 1
    assert table.conditions("ann") == {"dv-penalty": -2}
    assert table.next_tick("ann") == 6
    table.verify()


def test_nobody_breaks_off_what_is_no_guard_and_no_aim() -> None:
    table = duel()
    table.declare("ann", "misc")
    assert table.declare("ann", "break-off") == Refused("not-your-turn", ("ann", "break-off"))


def test_a_dash_cannot_parry_without_a_stunt() -> None:
    table = duel()
    table.declare("ann", "dash")
    table.attack("bob", "ann")
    assert table.options() == {"dodge": 3, "parry-sword": 0}


def test_a_fighter_who_is_down_takes_no_turn() -> None:
    table = three(9, 2, 9)
    table.session.overrule("struck down", SetCondition(target="cy", held=Held(id="incapacitated")))
    table.declare("ann", "misc")
    assert table.state.turn == "bob"
    assert (0, "cy") in turns(table)


# -- the option `same_tick`


def test_in_turn_a_wound_counts_for_the_next_attack_of_the_tick() -> None:
    table = both_strike("in_turn")
    assert outcomes(table) == ["hit"]
    assert table.state.over == "won-by-red"


def test_together_everybody_of_a_tick_declares_before_anything_resolves() -> None:
    """Ann's blow takes Bob down, whose own was declared and lands all the same."""
    table = both_strike("together")
    declared = [(event.actor, index) for index, event in enumerate(table.events) if isinstance(event, Declare)]
    first_end = next(i for i, e in enumerate(table.events) if isinstance(e, Done) and e.code == "hit")
    assert [who for who, index in declared if index < first_end] == ["ann", "bob"]
    assert outcomes(table) == ["hit", "hit"]
    assert table.state.over == "nobody-left"
    table.verify()


def both_strike(same_tick: str) -> Table:
    """Two people whom one level takes down act on the same tick.

    Seven successes against a DV of 5 make a pool of 6; where both have declared, each DV is 4 and each pool 7.
    """
    hit = (*[9] * 7, 9, *[2] * (6 if same_tick == "together" else 5))
    table = Table(9, 9, *hit, *hit, options={"same_tick": same_tick})
    table.join("ann", "red", health=[], weapons=[{"key": "sword", "speed": 5, "damage": 3}])
    table.join("bob", "blue", health=[], weapons=[{"key": "sword", "speed": 5, "damage": 3}])
    table.begin()
    assert table.attack("ann", "bob") is None
    if not table.state.over:
        assert table.attack("bob", "ann") is None
    return table


def test_the_agenda_says_no_more_than_ticks_and_ranks() -> None:
    table = Table(*[2] * 12)
    table.join("ann", "red")
    table.join("ogre", "blue", secret=True, wits=6, abilities={"Awareness": 5})
    table.begin()
    assert {entry.when for entry in table.state.agenda.values()} <= {(0, 0, 1), (0, 0, 2)}


def test_a_coordinated_attack_takes_successes_off_the_dv_for_the_leaders_side() -> None:
    """Charisma 1 + War 2: two successes, two helpers."""
    table = Table(9, 2, 2, 2, 10, 2, 9, *[2] * 7)
    table.join("ann", "red", abilities={"War": 2})
    for who, side in (("bob", "blue"), ("cy", "red"), ("dee", "red")):
        table.join(who, side)
    table.begin()
    assert table.declare("ann", "coordinate", "bob", helpers=["cy", "dee"]) is None
    assert table.conditions("bob") == {"coordinated": -2}
    assert table.conditions("ann") == {"dv-penalty": -2}
    table.declare("bob", "misc")
    table.attack("cy", "bob")
    assert table.options() == {"parry-sword": 2, "dodge": 2}
    table.answer("dodge")
    table.declare("dee", "misc")
    assert table.state.turn == "ann"
    assert "coordinated" not in table.conditions("bob"), "until she acts again"


@pytest.mark.parametrize(("faces", "cost"), [((9, 9), -2), ((9, 2), None)])
def test_the_difficulty_is_half_the_helpers(faces: tuple[int, ...], cost: int | None) -> None:
    """Three helpers: two successes are enough, one is not."""
    table = Table(9, 2, 2, 2, 2, *faces)
    for who, side in (("ann", "red"), ("bob", "blue"), ("cy", "red"), ("dee", "red"), ("eve", "red")):
        table.join(who, side, abilities={"War": 1})
    table.begin()
    table.declare("ann", "coordinate", "bob", helpers=["cy", "dee", "eve"])
    assert table.conditions("bob").get("coordinated") == cost
    table.verify()


def test_too_few_successes_coordinate_nothing() -> None:
    table = Table(9, 2, 2, 2, 2)
    for who, side in (("ann", "red"), ("bob", "blue"), ("cy", "red")):
        table.join(who, side)
    table.begin()
    table.declare("ann", "coordinate", "bob", helpers=["cy"])
    assert outcomes(table) == ["failed"]
    assert table.conditions("bob") == {}


@pytest.mark.parametrize("helpers", [["bob"], ["ann"], ["cy", "cy"], ["nobody"]])
def test_helpers_are_others_of_the_own_side(helpers: list[str]) -> None:
    table = three(9, 2, 2)
    assert table.declare("ann", "coordinate", "bob", helpers=helpers) == Refused("not-a-helper", (helpers[0],))


def test_rows_reach_the_roll_of_a_coordination() -> None:
    table = three(9, 2, 2, 9, 9, 9)
    table.declare("ann", "coordinate", "bob", helpers=["cy"], rows=(Modifier("dice", 2, "banner"),))
    assert table.conditions("bob") == {"coordinated": -1}
    assert [(row.code, row.amount) for row in table.found(Roll, "coordinate")[0].trace] == [("charisma", 1), ("banner", 2)]
    table.verify()
