"""What follows from a sheet: every value with rows that add up, pins, armour, the pools a combatant brings."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from affray.kernel import Pool, exact, total
from affray.plugins.primer import derived
from affray.plugins.primer.figures import derive, factor, pools, speed, stats_of, value, value_rows
from affray.plugins.primer.gear import arm_of, armor_rows, over, suit
from affray.plugins.primer.options import PrimerOptions
from affray.plugins.primer.sheet import Sheet

from .table import AREAS, HTK, SWORD, average, pack

OPTIONS = msgspec.convert({"pack": pack()}, PrimerOptions)


def sheet(**fields: Any) -> Sheet:
    return msgspec.convert(average(**{"pinned": {}, **fields}), Sheet)


def values(found: Sheet, options: PrimerOptions = OPTIONS) -> dict[str, Any]:
    return {one.code: one.value for one in derive(found, options)}


KNIGHT: dict[str, Any] = {
    "skills": {
        "sword": {"rank": 14, "factor": "PCF", "secondary": ["shield"]},
        "shield": {"rank": 6, "factor": "PCF"},
        "climb": {"rank": 4, "factor": "AGF", "stats": ["STR", "AGL"]},
        "WearHeavy": {"rank": 10},
        "WearLight": {"rank": 6},
    },
    "factors": {"SCF": 12, "KIF": 6},
    "worn": [{"item": "byrnie", "a": 12, "magic": 1}, {"item": "armings", "a": 5}],
    "POW": 30,
}


@pytest.mark.parametrize("fields", [{}, KNIGHT, {"pinned": average()["pinned"]}, {"HTK": None, "area_HTK": {}}])
def test_the_rows_of_every_value_add_up_to_it_and_no_value_comes_twice(fields: Any) -> None:
    found = list(derive(sheet(**fields), OPTIONS))
    assert [one.code for one in found if total(row.amount for row in one.trace) != exact(one.value)] == []
    codes = [one.code for one in found]
    assert len({*codes}) == len(codes)
    assert {*derived.VALUES, *derived.SPEEDS, *[f"{name}_save" for name in derived.SAVES]} <= {*codes}
    assert {"MLF", "PLF", "TLF", "mana-a-count", "mana-around"} <= {*codes}


def test_a_value_is_its_formula() -> None:
    found = sheet(**{**KNIGHT, "worn": []})
    for name in derived.FORMULAS:
        assert value(found, name) == derived.value(name, found.traits())


def test_armour_is_part_of_def_mvm_and_the_agility_save_alone() -> None:
    bare, worn = sheet(**{**KNIGHT, "worn": []}), sheet(**KNIGHT)
    changed = {name: value(worn, name) - value(bare, name) for name in derived.FORMULAS}
    mods = {name: changed[name] for name in changed if changed[name]}
    # heavy chain -4/-15/-2 and heavy leather -2/-10/-1, less the better wearing skill, rank 10: 2, 5 and 1
    assert mods == {"DEF": -20, "MVM": -2, "AGL": 4 * -4}


def test_armour_hinders_a_stat_base_that_uses_agility() -> None:
    assert stats_of(sheet(**KNIGHT), "climb") == [10, 6]
    assert stats_of(sheet(**KNIGHT), "sword") == [10]


def test_structured_armour_that_is_no_suit_hinders_twice() -> None:
    plate = {"worn": [{"item": "byrnie", "a": 13}], "skills": {"sword": {"rank": 1, "factor": "PCF"}}}
    assert values(sheet(**plate))["DEF_mod"] == -25
    assert values(sheet(**plate, fitted=False))["DEF_mod"] == -50


def test_a_pinned_value_is_that_value_and_says_why() -> None:
    pinned = {"DEF": {"value": 33, "reason": "the old sheet"}, "AGL_mod": {"value": -1, "reason": "half a suit"}}
    found = sheet(**KNIGHT, pinned=pinned)
    (row,) = value_rows(found, "DEF")
    assert (row.code, row.amount, row.source) == ("pinned", 33, "the old sheet")
    assert values(found)["DEF"] == 33
    assert values(found)["AGL_mod"] == -1
    assert stats_of(found, "climb") == [10, 9]


def test_a_skill_has_its_chance_and_what_it_adds_to_init_and_act() -> None:
    found = values(sheet(**KNIGHT))
    lvf = 8 + 2
    assert found["sword-chance"] == 30 + 70 + lvf + 6
    spd = exact(found["SPD_physical"])
    assert exact(found["sword-ACT"]) == spd / 2 + 1 + 6
    assert exact(found["sword-INIT"]) == exact(found["sword-ACT"]) + 1
    assert found["sword-DAM"] == 6
    assert "WearHeavy-chance" not in found
    assert (factor(sheet(**KNIGHT), "sword"), speed(sheet(**KNIGHT), "sword")) == (lvf, spd)


def test_a_speed_printed_beside_the_factor_is_not_added_twice() -> None:
    skills = {"sword": {"rank": 6, "factor": "PCF", "lvf_spd": 4}}
    assert values(sheet(skills=skills))["sword-ACT"] == 4 + 2


def test_what_armour_weighs_and_protects() -> None:
    found = values(sheet(**KNIGHT))
    assert found["encumbrance"] == "87/5"
    assert (found["byrnie-points"], found["armings-points"]) == (36, 15)
    assert (found["byrnie-slicing"], found["armings-slicing"]) == (11, 5)
    assert "encumbrance" not in values(sheet())


def test_rows_of_armour_are_named_by_the_piece() -> None:
    found = sheet(worn=[{"item": "great-helm", "a": 14, "craft": 3, "magic": 5}, {"item": "coif", "a": 12}])
    rows = [(row.code, row.amount) for row in armor_rows(found.worn, 2, "slicing", OPTIONS)]
    assert rows == [("great-helm", 12), ("great-helm-craft", 3), ("great-helm-magic", 5), ("coif", 10)]
    assert [one.item for one in over(found.worn, 5)] == ["great-helm"]
    assert [layer.a for layer in suit(found.worn)] == [14, 12]


# -- weapons


def test_a_weapon_takes_from_its_base_what_it_does_not_say() -> None:
    options = msgspec.convert({"pack": pack(weapons={"axe": {"dice": "1d8", "types": ["chopping"], "wsd": 11, "plus": 2}})}, PrimerOptions)
    found = sheet(weapons=[{"key": "mine", "base": "axe", "magic": 1, "wsd": 9}, SWORD])
    mine = arm_of(found.weapons[0], options)
    assert (mine.dice, mine.types, mine.wsd, mine.plus, mine.magic) == ("1d8", ("chopping",), 9, 2, 1)
    assert arm_of(found.weapons[1], options).plus == 4


# -- pools


def test_the_pools_of_a_combatant() -> None:
    found = pools(sheet(POW=30), OPTIONS)
    assert found["htk"] == Pool(start=HTK, low=None, high=HTK)
    assert found["pow"] == Pool(start=30, low=None, high=30)
    assert found["act"] == Pool(start=0, low=None)
    assert [name for name in found if name.startswith("area-")] == [f"area-{area['area']}" for area in AREAS]
    assert "mana" not in found
    assert "mana" in pools(sheet(factors={"SCF": 5}), OPTIONS)


def test_what_is_missing_brings_no_pool() -> None:
    bare = msgspec.convert({}, PrimerOptions)
    assert [*pools(sheet(HTK=None), bare)] == ["act"]
    shares = pools(sheet(HTK=60, area_HTK={"arms": 7}), OPTIONS)
    assert (shares["area-head"].high, shares["area-arms"].high) == (30, 7)


def test_htk_and_pow_may_follow_from_the_pack() -> None:
    options = msgspec.convert({"pack": pack(htk={"times": {"CON": 2}}, pow={"base": 7})}, PrimerOptions)
    found = pools(sheet(HTK=None, area_HTK={}), options)
    assert (found["htk"].high, found["pow"].high, found["area-head"].high) == (20, 7, 10)
    assert values(sheet(HTK=None), options)["HTK"] == 20


def test_armour_has_points_where_they_count() -> None:
    options = msgspec.convert({"pack": pack(), "armor_wear": True}, PrimerOptions)
    worn = [{"item": "byrnie", "a": 5, "left": 9}, {"item": "cap", "a": 5}]
    found = pools(sheet(worn=worn), options)
    assert (found["wear-byrnie"], found["wear-cap"]) == (Pool(start=9, high=9), Pool(start=10, high=10))
    assert not [name for name in pools(sheet(worn=worn), OPTIONS) if name.startswith("wear-")]
