"""What is refused, before any cost or die: sheets, charms, rows and declarations, each with what is at fault."""

from __future__ import annotations

from typing import Any

import pytest

from affray.kernel import Defend, Held, InputError, Modifier, Refused, Row, SetCondition

from .table import Table, duel

CAST = {"key": "fire", "use": "attack", "effects": [{"op": "add", "value": -2}], "motes": 3}


@pytest.mark.parametrize(
    ("fields", "path", "problem"),
    [
        pytest.param({"being": "mortal", "charms": [{"key": "a", "effects": [{"op": "add", "value": 1}]}]}, "$.sheet.cap", "no preset", id="cap"),
        pytest.param({"cap": "many"}, "$.sheet.cap", "'none'", id="cap-no-number"),
        pytest.param({"cap": -1}, "$.sheet.cap", "0 or more", id="cap-below-0"),
        pytest.param({"charms": [{"key": "a", "effects": [{"op": "mul", "value": 0}]}]}, "$.sheet.charms[0].effects[0]", "above 0", id="factor-0"),
        pytest.param({"charms": [{"key": "a", "effects": [{"op": "add", "value": "2/4"}]}]}, "$.sheet.charms[0].effects[0]", "lowest terms", id="not-lowest"),
        pytest.param({"charms": [{"key": "a", "effects": [{"op": "add", "value": 1000}]}]}, "$.sheet.charms[0].effects[0]", "within 100", id="too-large"),
        pytest.param({"charms": [{"key": "a", "use": "attack", "effects": [{"op": "add", "value": 1}]}]}, "$.sheet.charms[0]", "0 or less", id="enemy-adds"),
        pytest.param({"charms": [{"key": "a", "use": "attack", "effects": [{"op": "ignore", "penalties": ["wound"]}]}]}, "$.sheet.charms[0]", "helps a defender", id="attack-ignores"),
        pytest.param({"charms": [{"key": "a", "use": "attack", "uncapped": True, "effects": [{"op": "add", "value": -1}]}]}, "$.sheet.charms[0]", "ignore the cap", id="uncapped-attack"),
        pytest.param({"charms": [{"key": "a", "effects": [{"op": "add", "on": "attack", "value": 1}]}]}, "$.sheet.charms[0]", "use attack", id="on-attack"),
        pytest.param({"charms": [{"key": "a", "use": "attack", "effects": [{"op": "mul", "on": "damage", "value": 2}]}]}, "$.sheet.charms[0].effects[0]", "must be `add`", id="damage-times"),
        pytest.param({"charms": [{"key": "a", "use": "attack", "effects": [{"op": "add", "on": "damage", "value": "1/2"}]}]}, "$.sheet.charms[0].effects[0]", "whole", id="half-a-die"),
        pytest.param({"charms": [{"key": "a", "effects": [{"op": "dice", "value": 2}]}]}, "$.sheet.charms[0]", "not always", id="dice-always"),
        pytest.param({"charms": [{"key": "a", "use": "defence", "effects": [{"op": "dice", "value": 0}]}]}, "$.sheet.charms[0].effects[0]", "1 to", id="no-dice"),
        pytest.param({"charms": [{"key": "a", "use": "defence", "uncapped": True, "effects": [{"op": "dice", "value": 1}]}]}, "$.sheet.charms[0]", "under the cap", id="dice-uncapped"),
        pytest.param({"charms": [{"key": "a", "use": "after-roll", "effects": [{"op": "applicable"}]}]}, "$.sheet.charms[0]", "before step A", id="late-applicable"),
        pytest.param({"charms": [{"key": "a", "use": "reroll", "effects": [{"op": "add", "value": 1}]}]}, "$.sheet.charms[0]", "no effects", id="reroll-effect"),
        pytest.param({"charms": [{"key": "a", "effects": [{"op": "set", "value": 3}]}]}, "$.sheet.charms[0]", "is used", id="set-always"),
        pytest.param({"charms": [{"key": "a", "use": "defence", "effects": [{"op": "set", "value": -1}]}]}, "$.sheet.charms[0].effects[0]", "0 or more", id="set-below-0"),
        pytest.param({"charms": [{"key": "a", "use": "reroll", "times": 2}]}, "$.sheet.charms[0]", "times must be 1", id="reroll-times"),
        pytest.param({"charms": [{"key": "a", "use": "defence", "times": 34, "effects": [{"op": "add", "value": 1}] * 3}]}, "$.sheet.charms", "effects", id="effects-times"),
        pytest.param({"charms": [{"key": "a", "effects": [{"op": "ignore"}]}]}, "$.sheet.charms[0].effects[0]", "penalties", id="ignores-nothing"),
        pytest.param({"charms": [{"key": "a", "effects": [{"op": "ignore", "penalties": ["cover"]}]}]}, "$.sheet.charms[0].effects[0].penalties[0]", "cover", id="R07"),
        pytest.param({"charms": [{"key": "a"}, {"key": "a"}]}, "$.sheet.charms[1].key", "already", id="twice"),
        pytest.param({"charms": [{"key": "a b"}]}, "$.sheet.charms[0].key", "ASCII", id="key"),
        pytest.param({"charms": [{"key": f"a{n}", "effects": [{"op": "mul", "value": 2}]} for n in range(7)]}, "$.sheet.charms", "factors", id="factors"),
        pytest.param({"charms": [{"key": f"a{n}", "effects": [{"op": "add", "value": 1}] * 3} for n in range(34)]}, "$.sheet.charms", "effects", id="effects"),
        pytest.param(
            {
                "charms": [{"key": f"a{n}", "use": "counterattack"} for n in range(50)],
                "weapons": [{"key": f"w{n}", "speed": 5} for n in range(3)],
            },
            "$.sheet.charms",
            "strike back",
            id="counters",
        ),
        pytest.param({"artifacts": [{"key": "a", "op": "mul", "value": -2}]}, "$.sheet.artifacts[0]", "above 0", id="artifact"),
        pytest.param({"armor": {"mobility": 1}}, "$.sheet.armor.mobility", "<= 0", id="mobility"),
        pytest.param({"shield": {"bonus": -1}}, "$.sheet.shield.bonus", ">= 0", id="R09"),
        pytest.param({"health": [-1, 1]}, "$.sheet.health[1]", "<= 0", id="R02"),
        pytest.param({"health": [-2, -1]}, "$.sheet.health[1]", "lighter", id="health"),
        pytest.param({"essence": 0}, "$.sheet.essence", ">= 1", id="essence"),
        pytest.param({"being": "dragon"}, "$.sheet.being", "dragon", id="being"),
    ],
)  # fmt: skip
def test_a_sheet_that_cannot_be_names_what_is_at_fault(fields: dict[str, Any], path: str, problem: str) -> None:
    table = Table()
    with pytest.raises(InputError) as refused:
        table.join("ann", "red", **fields)
    assert (refused.value.path, problem in refused.value.problem) == (path, True), refused.value
    assert table.state.combatants == {}


def test_a_sheet_at_the_bounds_is_one() -> None:
    charms = [{"key": f"a{n}", "effects": [{"op": "mul", "value": 12}]} for n in range(6)]
    charms += [{"key": f"b{n}", "effects": [{"op": "add", "value": 100}] * 3} for n in range(31)]
    table = duel(*[2] * 7, second={"charms": charms, "cap": "none", "weapons": []})
    table.attack("ann", "bob")
    table.verify()


@pytest.mark.parametrize(
    ("params", "refused"),
    [
        ({"weapon": "spoon"}, Refused("no-such-weapon", ("spoon", "sword"))),
        ({"charms": ["ice"]}, Refused("no-such-charm", ("ice", "fire"))),
        ({"charms": ["fire", "fire"]}, Refused("no-such-charm", ("fire", "fire"))),
        ({"charms": ["fire"]}, Refused("cannot-pay", (3, 0, 2, 0))),
        ({"counter": True}, Refused("not-a-counterattack", ("ann",))),
        ({"rows": (Modifier("dv.charm.ally", -1, "x"),)}, Refused("bad-row", ("dv.charm.ally", "value of an ally's `add` must be 0 or more, got -1"))),
        ({"rows": (Modifier("dv.charm.enemy", 1, "x"),)}, Refused("bad-row", ("dv.charm.enemy", "value of an enemy's `add` must be 0 or less, got 1"))),
        ({"rows": (Modifier("dv.charm.by", 0, "x"),)}, Refused("bad-row", ("dv.charm.by", "value of a factor must be above 0, p and q at most 12, got 0"))),
        ({"rows": (Modifier("dv.magic.times", -1, "x"),)}, Refused("bad-row", ("dv.magic.times", "value of a factor must be above 0, p and q at most 12, got -1"))),
        ({"rows": (Modifier("dv.other", 1001, "x"),)}, Refused("bad-row", ("dv.other", "must lie within 1000 either way, q at most 12, got 1001"))),
        ({"rows": (Modifier("damage.raw", "1/13", "x"),)}, Refused("bad-row", ("damage.raw", "must lie within 1000 either way, q at most 12, got 1/13"))),
        ({"rows": (Modifier("dv.cover", -1, "x"),)}, Refused("bad-row", ("dv.cover", "must be 0 or more, got -1"))),
        ({"rows": (Modifier("dv.terrain", "1/2", "x"),)}, Refused("bad-row", ("dv.terrain", "must be whole, got 1/2"))),
        ({"rows": (Modifier("dv.stunt", 2, "x"), Modifier("dv.stunt", 2, "y"))}, Refused("bad-row", ("dv.stunt", "must be 3 or less together"))),
    ],
)  # fmt: skip
def test_a_refused_attack_changes_nothing(params: dict[str, Any], refused: Refused) -> None:
    table = duel(first={"charms": [CAST], "motes": 2})
    assert refused == table.attack("ann", "bob", **params)
    assert table.state.turn == "ann"


def test_four_stunt_dice_are_refused_with_their_path() -> None:
    """R03."""
    table = duel()
    with pytest.raises(InputError) as refused:
        table.attack("ann", "bob", stunt=4)
    assert refused.value.path == "$.params.stunt"


def test_an_extra_does_not_stunt() -> None:
    table = duel(first={"is_extra": True})
    assert table.attack("ann", "bob", stunt=1) == Refused("extras-do-not-stunt", ("ann",))


def test_nobody_attacks_the_dead_or_the_own_flesh() -> None:
    table = duel(2)
    table.join("cy", "blue")
    table.session.overrule("dead", SetCondition(target="cy", held=Held(id="dead")))
    for target in ("cy", "ann"):
        assert table.attack("ann", target) == Refused("not-a-target", (target,))


@pytest.mark.parametrize(
    ("being", "cap", "is_refused"),
    [("mortal", None, True), ("spirit", None, True), ("mortal", "none", False), ("mortal", 2, False), ("solar", None, False)],
)
def test_charms_against_somebody_whose_cap_nobody_knows_are_refused(
    being: str, cap: object, is_refused: bool
) -> None:
    """Ambiguity 14: L is never guessed."""
    second = {"being": being, "weapons": []} | ({} if cap is None else {"cap": cap})
    by_row = duel(*[2] * 7, second=second)
    by_charm = duel(*[2] * 7, first={"charms": [CAST], "motes": 3}, second=second)
    in_flurry = duel(*[2] * 10, first={"charms": [CAST], "motes": 3}, second=second)
    refused = Refused("cap-unknown", ("bob", being)) if is_refused else None
    assert refused == by_row.attack("ann", "bob", rows=(Modifier("dv.charm.ally", 1, "x"),))
    assert refused == by_charm.attack("ann", "bob", charms=["fire"])
    attacks = [{"weapon": "sword"}, {"weapon": "sword", "charms": ["fire"]}]
    assert refused == in_flurry.declare("ann", "flurry", "bob", "bob", attacks=attacks)


def test_without_charms_nobody_asks_for_a_cap() -> None:
    table = duel(*[2] * 7, second={"being": "mortal", "weapons": []})
    assert table.attack("ann", "bob") is None


def test_rows_that_come_up_later_and_cannot_be_are_left_out() -> None:
    """A mortal's (4 + 4 + 2) / 2, 3 halves for stunts at most, and the one sound row of magic: 15/2, rounded down."""
    table = duel(*[2] * 7, second={"being": "mortal"})
    table.attack("ann", "bob")
    rows = (
        Modifier("dv.charm.ally", 2, "no-cap"),
        Modifier("dv.magic", 1, "fine"),
        Modifier("dv.magic.times", 0, "no-factor"),
        Modifier("dv.stunt", 9, "too-much"),
    )
    table.session.overrule("late", SetCondition(target="bob", held=Held(id="late", rows=rows)))
    table.answer("dodge")
    (guard,) = table.found(Defend)
    assert (guard.value, Row("D-fine", 1, "declared") in guard.trace) == (7, True)


def test_factors_that_come_up_later_stop_at_the_bound() -> None:
    table = duel(*[2] * 7)
    table.attack("ann", "bob")
    rows = tuple([Modifier("dv.charm.times", 12, f"x{n}") for n in range(9)])
    table.session.overrule("late", SetCondition(target="bob", held=Held(id="late", rows=rows)))
    table.answer("dodge")
    assert len([row for row in table.found(Defend)[0].trace if row.code.startswith("E-ally")]) == 6
    table.verify()


def test_numbers_that_are_too_large_to_count_are_left_out() -> None:
    table = duel(*[2] * 7)
    table.attack("ann", "bob")
    places = ("dv.other", "dv.cover", "dv.dice", "damage.soak", "attack.successes", "attack.dice", "dice")
    rows = tuple([Modifier(place, 2**53 - 1, "x") for place in places for _ in range(2)])
    for who in ("ann", "bob"):
        held = (Held(id="much", rows=rows), Held(id="dv-penalty", value=1 - 2**53), Held(id="onslaught", value=1 - 2**53))
        for one in held:
            table.session.overrule("late", SetCondition(target=who, held=one))
    table.answer("dodge")
    assert table.found(Defend)[0].value == 0
    table.verify()
