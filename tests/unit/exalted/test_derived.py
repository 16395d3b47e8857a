"""What follows from a sheet: the values a fight would begin with, each with the rows that add up to it (hook `derive`)."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from affray.kernel import Derived, Json, Judge, Num, Roll, RuleSet, exact, number, total
from affray.plugins.exalted.health import Marks, wound_penalty

from .table import BOW, HANDS, SWORD, catalog, dice_of, duel, sheet

FULL: dict[str, Any] = {
    "wits": 3,
    "charisma": 2,
    "abilities": {"Dodge": 4, "Melee": 3, "Resistance": 2, "Awareness": 1, "War": 2, "Athletics": 3},
    "specialties": {"Melee": 1},
    "weapons": [{**SWORD, "accuracy": 2, "overwhelming": 4}, BOW, HANDS],
    "armor": {"soak": {"lethal": 4, "bashing": 6}, "hardness": {"lethal": 2}, "mobility": -2},
    "shield": {"bonus": 1, "mobility": -1},
    "bracers": 3,
    "artifacts": [{"key": "disk", "value": 2, "guard": "parry"}],
    "charms": [
        {"key": "always", "effects": [{"op": "add", "value": 1}], "guard": "dodge"},
        {"key": "used", "use": "defence", "effects": [{"op": "add", "value": 3}]},
    ],
}


def rules(**options: Json) -> RuleSet:
    found = catalog()
    return found.rules(found.manifest("exalted", options, ()))


def derived(options: dict[str, Json] | None = None, **fields: Any) -> dict[str, Derived]:
    """The derived values of a sheet by code, as the kernel takes them: each adds up, or it is a breach."""
    made = rules(**(options or {}))
    values = made.derive(made.read_sheet(sheet(**fields)))
    assert len({one.code for one in values}) == len(values)
    return {one.code: one for one in values}


def values(*codes: str, **fields: Any) -> list[Num]:
    found = derived(**fields)
    return [found[code].value for code in codes]


def rows(one: Derived) -> list[tuple[str, Num]]:
    return [(row.code, row.amount) for row in one.trace]


def test_every_value_of_a_sheet() -> None:
    assert {code: one.value for code, one in derived(**FULL).items()} == {
        "join-battle": 4,
        "coordinate": 4,
        "dodge": 7,  # (4 + 4 + 2 + 3 - 2 - 1) / 2, shield 1, charm 1
        "limit-dodge": 4,
        "parry-sword": 8,  # (4 + 3 + 2 + 1) / 2, shield 1, artifact 2
        "limit-parry-sword": "7/2",
        "parry-hands": 5,
        "limit-parry-hands": 2,
        "attack-sword": 10,
        "damage-sword": 5,
        "least-damage-sword": 4,
        "attack-bow": 4,
        "damage-bow": 4,
        "least-damage-bow": 2,
        "attack-hands": 4,
        "damage-hands": 2,
        "least-damage-hands": 2,
        "soak-bashing": 9,
        "soak-lethal": 5,
        "soak-aggravated": 0,
        "hardness-bashing": 0,
        "hardness-lethal": 2,
        "hardness-aggravated": 0,
        "stun-threshold": 3,
        "stun": 5,
        "knockdown-threshold": 5,
        "knockdown": 7,
        "health-levels": 7,
        "wound-penalty-1": 0,
        "wound-penalty-2": -1,
        "wound-penalty-3": -1,
        "wound-penalty-4": -2,
        "wound-penalty-5": -2,
        "wound-penalty-6": -4,
        "dying-levels": 3,
    }


def test_a_value_tells_where_it_comes_from() -> None:
    found = derived(**FULL)
    assert rows(found["attack-sword"]) == [("dexterity", 4), ("Melee", 3), ("specialty", 1), ("accuracy", 2)]
    assert rows(found["damage-sword"]) == [("strength", 2), ("weapon", 3)]
    assert rows(found["soak-lethal"]) == [("stamina", 1), ("armor", 4)]
    assert rows(found["knockdown"]) == [("dexterity", 4), ("Athletics", 3)]
    assert rows(found["least-damage-sword"]) == [("overwhelming", 4)]
    assert rows(found["limit-parry-sword"]) == [("dexterity", 2), ("Melee", "3/2")]
    assert rows(found["dodge"])[:5] == [
        ("A-dexterity", 2), ("A-ability", 2), ("A-essence", 1), ("A-bracers", "3/2"), ("A-mobility", -1)
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("options", "dodge", "parry"),
    [({}, 7, 8), ({"mobility_mode": "direct"}, 6, 8), ({"bracers_on_parry": True}, 7, 10), ({"cap_model": "dice"}, 7, 8)],
)
def test_the_options_of_the_table_count(options: dict[str, Json], dodge: int, parry: int) -> None:
    found = derived(options, **FULL)
    assert (found["dodge"].value, found["parry-sword"].value) == (dodge, parry)


@pytest.mark.parametrize(
    ("fields", "limit"),
    [
        ({"being": "mortal"}, None),
        ({"cap": "none"}, None),
        ({"cap": "5/2"}, [("cap", "5/2")]),
        ({"being": "sidereal", "essence": 3}, [("essence", "3/2")]),
        ({"being": "lunar"}, [("dexterity", 2)]),
        ({"being": "dragon-blooded", "specialties": {"Dodge": 5}}, [("Dodge", 2), ("specialty", "3/2")]),
    ],
)
def test_a_limit_stands_where_one_is_known(fields: dict[str, Any], limit: list[tuple[str, Num]] | None) -> None:
    """Ambiguity 14."""
    found = derived(**fields)
    assert ("limit-dodge" in found) == (limit is not None)
    if limit is not None:
        assert rows(found["limit-dodge"]) == limit


def test_an_extra_has_a_short_track() -> None:
    assert values("health-levels", "wound-penalty-1", "wound-penalty-2", is_extra=True) == [3, -1, -3]
    assert values("health-levels", "soak-lethal", being="mortal", health=[]) == [1, 0]


def test_a_fight_begins_with_them() -> None:
    """Ann hits with ten dice: the pools, both defences and what is soaked are the sheet's."""
    fields: dict[str, Any] = {**FULL, "wits": 1, "abilities": {"Dodge": 4, "Melee": 3, "Resistance": 2}, "weapons": FULL["weapons"][:1]}
    found = derived(**fields)
    table = duel(*[10] * 10, *[2] * 13, *[2] * 6, first=fields, second=fields)
    table.attack("ann", "bob")
    assert table.options() == {name: found[name].value for name in ("parry-sword", "dodge")}
    table.answer("dodge", "ready")
    assert dice_of(table.found(Roll, "attack")[0]) == found["attack-sword"].value
    (judged,) = table.found(Judge, "damage")
    assert judged.goal == number(5 + (20 - 7) - exact(found["soak-lethal"].value))
    assert dice_of(table.found(Roll, "knockdown")[0]) == found["knockdown"].value
    table.verify()


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 5), st.integers(0, 5), st.integers(0, 5), st.integers(1, 5), st.integers(0, 9))
def test_each_adds_up(dexterity: int, stamina: int, dodge: int, essence: int, levels: int) -> None:
    fields: dict[str, Any] = {"dexterity": dexterity, "stamina": stamina, "abilities": {"Dodge": dodge}, "essence": essence}
    found = derived(**fields, health=[-n for n in range(levels)])
    for one in found.values():
        assert total(row.amount for row in one.trace) == exact(one.value)
    made = rules()
    typed = made.read_sheet(sheet(**fields, health=[-n for n in range(levels)]))
    penalties = [wound_penalty(typed, Marks(0, n, 0)) for n in range(1, levels + 1)]
    assert penalties == [found[f"wound-penalty-{n}"].value for n in range(1, levels + 1)]
