"""What a table may add: rows at places, rulings on steps, follow-ups; all of it counts."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from affray.kernel import (
    Act,
    Action,
    ApplyDamage,
    Breach,
    Defend,
    Fight,
    Held,
    Judge,
    Modifier,
    Roll,
    Row,
    Save,
    SetCondition,
    Step,
    hookimpl,
    pool,
)

from .table import dice_of, duel, outcomes

HIT = (9,) * 7
STANDS = (9,) * 6


class Word:
    """A house rule that changes one step."""

    def __init__(self, kind: type[Any], key: str, **fields: Any) -> None:
        self.kind, self.key, self.fields = kind, key, fields

    @hookimpl
    def ruling(self, fight: Fight, action: Action, step: Any) -> Any:
        is_meant = type(step) is self.kind and step.key == self.key and step.occurrence == 0
        return replace(step, **self.fields) if is_meant else None


@pytest.mark.parametrize(
    ("word", "faces", "outcome"),
    [
        pytest.param(Word(Roll, "attack", plan=pool(3, 10, 7, 10), trace=(Row("word", 3, "word"),)), (9, 9, 9), "missed", id="fewer-dice"),
        pytest.param(Word(Defend, "defence", value=9, trace=()), HIT, "missed", id="better-defence"),
        pytest.param(Word(Judge, "attack", code="miss"), HIT, "missed", id="misses"),
        pytest.param(Word(Judge, "attack", code="botch"), HIT, "botched", id="botches"),
        pytest.param(Word(Judge, "damage", code="bounced"), HIT, "bounced", id="bounces"),
        pytest.param(Word(Judge, "damage", goal=2, trace=()), (*HIT, 2, 2, *STANDS), "hit", id="less-damage"),
        pytest.param(Word(Judge, "damage", margin=5), (*HIT, *[2] * 6), "hit", id="raw-damage-fells-nobody"),
    ],
)
def test_what_the_table_rules_counts(word: Word, faces: tuple[int, ...], outcome: str) -> None:
    table = duel(*faces, house={"word": word})
    assert table.attack("ann", "bob", "dodge") is None
    assert [outcome] == outcomes(table)
    table.verify()


def test_a_ruling_on_damage_decides_the_wound_and_the_stun() -> None:
    word = Word(ApplyDamage, "damage", value=4, trace=(Row("word", 4, "word"),))
    table = duel(*HIT, *[2] * 6, *[9] * 5, *STANDS, house={"word": word})
    table.attack("ann", "bob", "dodge")
    assert table.conditions("bob") == {"wound-penalty": -2}
    assert [save.name for save in table.found(Save)] == ["stun", "knockdown"]
    table.verify()


def test_rows_act_where_the_system_says() -> None:
    table = duel(*[9] * 8, *[2] * 9, *[9] * 7)
    rows = {
        "ann": (Modifier("dice", 1, "bless"), Modifier("damage.raw", 2, "rage"), Modifier("dv.other", 9, "not-hers")),
        "bob": (
            Modifier("damage.soak", 1, "hide"),
            Modifier("damage.hardness", 1, "skin"),
            Modifier("save.dice", 1, "luck"),
            Modifier("dv.other", -1, "mud"),
        ),
    }
    for who, held in rows.items():
        table.session.overrule("rows", SetCondition(target=who, held=Held(id="rows", rows=held)))
    table.attack("ann", "bob", "dodge", rows=(Modifier("attack.successes", -1, "smoke"),))
    (verdict,) = table.found(Judge, "attack")
    assert [(row.code, row.amount) for row in verdict.trace] == [("defense-value", 4), ("smoke", 1)]
    (judged,) = table.found(Judge, "damage")
    assert [(row.code, row.amount) for row in judged.trace] == [
        ("strength", 2),
        ("weapon", 3),
        ("rage", 2),
        ("successes", 3),
        ("stamina", -1),
        ("hide", -1),
    ]
    assert (judged.goal, judged.margin) == (8, 9)


def test_more_rows_than_a_trace_has_room_for_stand_together() -> None:
    table = duel(*[2] * 7)
    table.attack("ann", "bob", rows=tuple([Modifier("attack.dice", (-1) ** n, f"row{n}") for n in range(200)]))
    held = Held(id="much", rows=tuple([Modifier("dice", (-1) ** n, f"held{n}") for n in range(200)]))
    table.session.overrule("much", SetCondition(target="ann", held=held))
    table.answer("dodge")
    (roll,) = table.found(Roll, "attack")
    assert (len(roll.trace), roll.trace[-1].code, dice_of(roll)) == (190, "others", 7)
    table.verify()


@pytest.mark.parametrize(("rows", "dice", "limits"), [(-9, 0, 2), (400, 300, -107), ("5/2", 9, "-1/2")])
def test_a_pool_is_held_to_what_can_be_thrown(rows: int | str, dice: int, limits: int | str) -> None:
    table = duel(*[2] * dice)
    table.attack("ann", "bob", "dodge", rows=(Modifier("attack.dice", rows, "x"),))
    (roll,) = table.found(Roll, "attack")
    assert (dice_of(roll), roll.trace[-1]) == (dice, Row("dice-limits", limits, "exalted"))
    table.verify()


def test_dice_that_a_ruling_gave_are_thrown_again_and_not_given_again() -> None:
    word = Word(Roll, "attack", plan=pool(3, 10, 7, 10), trace=(Row("word", 3, "word"),))
    again = {"charms": [{"key": "again", "use": "reroll"}]}
    table = duel(2, 2, 2, 9, 9, 2, first=again, house={"word": word})
    table.attack("ann", "bob", "dodge", "charm-again")
    (other,) = table.found(Roll, "attack-reroll")
    assert (dice_of(other), other.trace, other.by_rules) == (3, (Row("word", 3, "word"),), ())
    table.verify()


def test_a_ruling_whose_rows_are_not_its_dice_is_a_breach() -> None:
    table = duel(*[2] * 8, house={"word": Word(Roll, "attack", plan=pool(8, 10, 7, 10))})
    table.attack("ann", "bob")
    with pytest.raises(Breach, match="adds up to 7, not to the number of dice of 8"):
        table.answer("dodge")


class Riposte:
    """A house rule: whoever is missed strikes back without a charm."""

    @hookimpl
    def follow(self, fight: Fight, action: Action, step: Step) -> Any:
        if type(step) is Judge and step.key == "attack" and step.code == "miss" and not action.is_nested:
            return self.strike(step.against, step.by)
        return None

    def strike(self, who: str, foe: str) -> Any:
        yield Act("riposte", actor=who, name="attack", targets=(foe,), params={"weapon": "sword"})


def test_a_nested_attack_takes_no_time_and_ends_nobodys_turn() -> None:
    table = duel(*[2] * 14, house={"riposte": Riposte()})
    table.attack("ann", "bob", "dodge", "dodge")
    assert outcomes(table) == ["missed", "missed"]
    assert table.state.turn == "bob"
    assert table.conditions("bob") == {}
    table.verify()
