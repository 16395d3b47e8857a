"""Flurries: several attacks of one action, each nested (exalted.md, 3.3)."""

from __future__ import annotations

from typing import Any

import pytest

from affray.kernel import Declare, Defend, Refused, Roll

from .table import SWORD, Sheet, dice_of, duel, outcomes

TWICE = [{"weapon": "sword"}, {"weapon": "sword"}]
KNIFE: Sheet = {"key": "knife", "speed": 6, "rate": 1}


def test_dice_fall_and_onslaught_grows_from_attack_to_attack() -> None:
    """Three actions: 7 dice less 3, 4 and 5; DV 5, 4 and 3."""
    table = duel(*[2] * 9)
    assert table.declare("ann", "flurry", "bob", "bob", "bob", attacks=[*TWICE, *TWICE[:1]]) is None
    table.answer("dodge", "dodge", "dodge")
    assert [dice_of(roll) for roll in table.found(Roll, "attack")] == [4, 3, 2]
    assert [guard.value for guard in table.found(Defend)] == [5, 4, 3]
    assert table.conditions("bob") == {}, "gone when the flurry ends"
    assert table.conditions("ann") == {"dv-penalty": -3}
    assert outcomes(table) == ["missed", "missed", "missed", "done"]
    table.verify()


def test_onslaught_counts_for_each_target_alone() -> None:
    table = duel(2, *[2] * 9)
    table.join("cy", "blue")
    table.declare("ann", "flurry", "bob", "cy", "bob", attacks=[*TWICE, *TWICE[:1]])
    table.answer("dodge", "dodge", "dodge")
    assert [guard.value for guard in table.found(Defend)] == [5, 5, 4]


def test_the_slowest_sets_the_speed_and_other_actions_count() -> None:
    table = duel(*[2] * 4, *[2] * 3, first={"weapons": [SWORD, KNIFE]})
    attacks = [{"weapon": "sword"}, {"weapon": "knife"}]
    assert table.declare("ann", "flurry", "bob", "bob", attacks=attacks, also=["dash"]) is None
    table.answer("dodge", "dodge")
    assert table.next_tick("ann") == 6
    assert table.conditions("ann") == {"dv-penalty": -4, "dashing": 1}
    table.verify()


def test_every_attack_of_a_flurry_is_an_action_inside_it() -> None:
    table = duel(*[2] * 9)
    table.declare("ann", "flurry", "bob", "bob", attacks=TWICE)
    table.answer("dodge", "dodge")
    flurry, *attacks = table.found(Declare)
    assert [attack.parent for attack in attacks] == [flurry.action] * 2
    assert [attack.action for attack in attacks] == [f"{flurry.action}>flurry.bob.{n}" for n in (0, 1)]


def test_who_is_struck_down_in_between_attacks_no_more() -> None:
    counter: Sheet = {"key": "riposte", "use": "counterattack"}
    table = duel(*[2] * 5, *[10] * 7, *[9] * 16, first={"health": []}, second={"charms": [counter], "weapons": [{**SWORD, "defense": None}]})
    table.declare("ann", "flurry", "bob", "bob", attacks=TWICE)
    table.answer("charm-riposte/sword", "dodge")
    assert outcomes(table) == ["hit", "missed", "done"]
    assert table.state.over == "won-by-blue"


@pytest.mark.parametrize(
    ("targets", "params", "refused"),
    [
        pytest.param(("bob",), {"attacks": TWICE}, Refused("wrong-number-of-targets", (1,)), id="targets"),
        pytest.param(("bob",), {"attacks": TWICE[:1]}, Refused("no-flurry", (1, 20)), id="one-action"),
        pytest.param(
            ("bob", "bob"),
            {"attacks": [{"weapon": "knife"}] * 2},
            Refused("rate-exceeded", ("knife", 1)),
            id="rate",
        ),
        pytest.param(
            ("bob", "bob"),
            {"attacks": [{"weapon": "sword"}, {"weapon": "spoon"}]},
            Refused("no-such-weapon", ("spoon", "sword", "knife")),
            id="weapon",
        ),
        pytest.param(
            ("bob", "bob"),
            {"attacks": [{"weapon": "sword"}, {"weapon": "sword", "counter": True}]},
            Refused("not-a-counterattack", ("ann",)),
            id="counter",
        ),
    ],
)
def test_what_is_no_flurry(targets: tuple[str, ...], params: dict[str, Any], refused: Refused) -> None:
    table = duel(first={"weapons": [SWORD, KNIFE]})
    assert refused == table.declare("ann", "flurry", *targets, **params)
    assert table.state.turn == "ann"
