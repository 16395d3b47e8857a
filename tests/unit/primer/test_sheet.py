"""Sheets: what is refused, with its path, and what a sheet says of its skills, factors and gear."""

from __future__ import annotations

from typing import Any, get_args

import msgspec
import pytest

from affray.kernel import InputError, Manifest, Pin, RuleSet, exact
from affray.plugins.primer import make
from affray.plugins.primer.derived import FORMULAS
from affray.plugins.primer.gear import ItemName
from affray.plugins.primer.options import PrimerOptions
from affray.plugins.primer.pack import LIST_MAX, SCORE_MAX
from affray.plugins.primer.sheet import BACKGROUND, KNOWN, REASON_MAX, WEARING, PinName, Sheet, problems
from affray.plugins.primer.tables import ITEMS, LEVEL_FACTORS

from .table import SWORD, average, pack


def sheet(**fields: Any) -> Sheet:
    return msgspec.convert(average(**fields), Sheet)


def rules(**options: Any) -> RuleSet:
    spelt = msgspec.to_builtins(msgspec.convert({"pack": pack(), **options}, PrimerOptions))
    return RuleSet(Manifest(system=Pin(id="primer", distribution="", release="1"), options=spelt), make())


def skill(**fields: Any) -> Any:
    return {"skills": {"sword": {"rank": 6, "factor": "PCF", **fields}, "knife": {"rank": 1, "factor": "DXF"}}}


WRONG: list[tuple[dict[str, Any], str, str]] = [
    ({"STR": -1}, "$.STR", "must be 0 or more"),
    ({"STR": SCORE_MAX + 1}, "$.STR", "must lie between"),
    ({"BLD": "1/3"}, "$.BLD", "two digits after the point"),
    ({"WGT": "heavy"}, "$.WGT", "not an exact number"),
    ({"race": {"PSM": "1/1000"}}, "$.race.PSM", "two digits"),
    ({"aptitudes": {"Sorcery": -1}}, "$.Sorcery_Aptitude", "must lie between"),
    ({"factors": {"PCF": -1}}, "$.factors.PCF", "must be 0 or more"),
    ({"HTK": 0}, "$.HTK", "must be 1 or more"),
    ({"POW": "1/2"}, "$.POW", "must be 1 or more"),
    ({"area_HTK": {"head": 0}}, "$.area_HTK.head", "must be 1 or more"),
    ({"area_HTK": {"the head": 5}}, "$.area_HTK.the head", "a name must be"),
    ({"wards": [{"key": "w", "amount": -1}]}, "$.wards[0].amount", "must be 0 or more"),
    ({"wards": [{"key": "w", "amount": 1}, {"key": "w", "amount": 2}]}, "$.wards[1].key", "already"),
    ({"wards": [{"key": "a ward", "amount": 1}]}, "$.wards[0].key", "a name must be"),
    ({"weapons": [SWORD, SWORD]}, "$.weapons[1].key", "already"),
    ({"weapons": [{**SWORD, "key": ""}]}, "$.weapons[0].key", "a name must be"),
    ({"weapons": [{**SWORD, "plus": "x"}]}, "$.weapons[0].plus", "not an exact number"),
    ({"weapons": [{**SWORD, "skill": "axes"}]}, "$.weapons[0].skill", "no skill of the sheet"),
    ({"weapons": [{**SWORD, "name": "a" * 201}]}, "$.weapons[0].name", "characters"),
    (skill(rank="1/100"), "$.skills.sword.rank", "at most one digit"),
    (skill(rank="1/3"), "$.skills.sword.rank", "two digits"),
    (skill(rank=-1), "$.skills.sword.rank", "must lie between"),
    (skill(rank=1001), "$.skills.sword.rank", "must lie between"),
    (skill(secondary=["sword"]), "$.skills.sword.secondary", "names other skills"),
    (skill(secondary=["knife", "knife"]), "$.skills.sword.secondary", "names other skills"),
    (skill(secondary=["axe"]), "$.skills.sword.secondary", "names other skills"),
    (skill(lvf_spd="1/3"), "$.skills.sword.lvf_spd", "two digits"),
    ({"skills": {"a skill": {"rank": 1}}}, "$.skills.a skill", "a name must be"),
    ({"pinned": {"DEF": {"value": "1/7", "reason": "x"}}}, "$.pinned.DEF.value", "two digits"),
    ({"pinned": {"DEF": {"value": 1, "reason": "  "}}}, "$.pinned.DEF.reason", "must say why"),
    ({"pinned": {"DEF": {"value": 1, "reason": "a" * (REASON_MAX + 1)}}}, "$.pinned.DEF.reason", "must say why"),
    ({"worn": [{"item": "cap", "a": 5, "left": -1}]}, "$.worn[0].left", "must be 0 or more"),
    ({"worn": [{"item": "cap", "a": 5}, {"item": "cap", "a": 12}]}, "$.worn[1].item", "another cap"),
    ({"worn": [{"item": "cap", "a": 5}, {"item": "boots", "a": 4}]}, "$.worn", "must differ in class"),
    ({"worn": [{"item": i, "a": a} for i, a in (("cap", 5), ("boots", 12), ("gauntlets", 14))]}, "$.worn", "at most 2"),
    ({"worn": [{"item": "coif", "a": 12}, {"item": "great-helm", "a": 12}]}, "$.worn", "over position 1 "),
]


@pytest.mark.parametrize(("fields", "path", "problem"), WRONG, ids=[f"{path}-{n}" for n, (_, path, _) in enumerate(WRONG)])
def test_what_is_wrong_has_a_path(fields: dict[str, Any], path: str, problem: str) -> None:
    found = list(problems(sheet(**fields)))
    assert path in [where for where, _ in found]
    assert [text for where, text in found if where == path and problem in text]
    with pytest.raises(InputError) as caught:
        rules().read_sheet(average(**fields))
    assert caught.value.path == found[0][0]


@pytest.mark.parametrize(
    ("fields", "path"),
    [
        ({"STR": 1.5}, "$.STR"),
        ({"luck": 1}, "$"),
        ({"factors": {"XYZ": 1}}, "$.factors"),
        ({"pinned": {"THB": {"value": 1, "reason": "x"}}}, "$.pinned"),
        ({"worn": [{"item": "hat", "a": 1}]}, "$.worn[0].item"),
        ({"worn": [{"item": "cap", "a": 15}]}, "$.worn[0].a"),
        ({"weapons": [{**SWORD, "dice": "lots"}]}, "$.weapons[0]"),
        ({"skills": {"sword": {}}}, "$.skills"),
        (skill(stats=["STR", "AGL", "DEX", "CON"]), "$.skills"),
        (skill(secondary=["knife"] * 3), "$.skills"),
        ({"weapons": [{**SWORD, "key": f"w{n}"} for n in range(LIST_MAX + 1)]}, "$.weapons"),
    ],
)
def test_what_has_the_wrong_type_has_a_path(fields: dict[str, Any], path: str) -> None:
    with pytest.raises(InputError) as caught:
        rules().read_sheet(average(**fields))
    assert path in caught.value.path


@pytest.mark.parametrize(
    ("weapon", "problem", "path"),
    [
        ({"key": "axe"}, "needs dice, types, wsd", "$.weapons[0]"),
        ({"key": "axe", "dice": "1d6"}, "needs types, wsd", "$.weapons[0]"),
        ({"key": "axe", "base": "axe"}, "the pack has no such weapon; there are none", "$.weapons[0].base"),
    ],
)
def test_a_weapon_without_its_numbers_cannot_join(weapon: Any, problem: str, path: str) -> None:
    read = rules().read_sheet(average(weapons=[weapon]))
    with pytest.raises(InputError, match=problem) as caught:
        rules().pools(read)
    assert caught.value.path == path


def test_a_formula_that_leaves_nothing_cannot_join() -> None:
    game = rules(pack=pack(htk={"base": -1000}))
    with pytest.raises(InputError, match="above 0"):
        game.pools(game.read_sheet(average(HTK=None)))


def test_the_names_are_those_of_the_tables() -> None:
    assert set(get_args(ItemName)) == set(ITEMS)
    assert set(get_args(PinName)) == {*FORMULAS, "AGL_mod", "DEF_mod", "MVM_mod"}
    assert {*KNOWN, *WEARING.values()} <= BACKGROUND


# -- what it says


def test_a_skill_takes_its_stat_and_kind_from_its_factor() -> None:
    skills = {f"s-{code}": {"rank": 1, "factor": code} for code in LEVEL_FACTORS}
    found = sheet(skills=skills)
    stats = {code: found.stats_of(f"s-{code}") for code in LEVEL_FACTORS}
    assert stats == {code: () if row.stat is None else (row.stat,) for code, row in LEVEL_FACTORS.items()}
    physical = [code for code in LEVEL_FACTORS if found.kind_of(f"s-{code}") == "physical"]
    assert physical == ["PCF", "MCF", "AGF", "DXF", "VHF"]


def test_a_skill_may_say_otherwise() -> None:
    found = sheet(skills={"aim": {"rank": 1, "factor": "MCF", "stats": ["DEX", "DSC"], "kind": "mental"}})
    assert (found.stats_of("aim"), found.kind_of("aim")) == (("DEX", "DSC"), "mental")


def test_a_skill_of_no_known_factor_feeds_none_and_rests_on_no_stat() -> None:
    found = sheet(skills={"DEF_SKILL": {"rank": 12}}, factors={})
    assert (found.factor_of("DEF_SKILL"), found.stats_of("DEF_SKILL")) == (None, ())
    assert not [code for code in LEVEL_FACTORS if found.factor_rows(code)]


def test_a_level_factor_is_stated_or_fed_by_skills() -> None:
    skills = {"sword": {"rank": 12, "factor": "PCF"}, "axe": {"rank": "47/10", "factor": "PCF"}, "Resilience": {"rank": 3}}
    fed = sheet(skills=skills, factors={})
    assert [(row.code, row.amount) for row in fed.factor_rows("PCF")] == [("axe", 1), ("sword", 6)]
    assert [(row.code, row.amount) for row in fed.factor_rows("KIF")] == [("Resilience", "1/2")]
    assert (fed.traits().PCF, fed.traits().KIF) == (7, exact("1/2"))
    stated = sheet(skills=skills, factors={"PCF": 33})
    assert [(row.code, row.amount) for row in stated.factor_rows("PCF")] == [("PCF", 33)]
    assert stated.traits().PCF == 33


def test_reactions_are_skills_that_somebody_acts_with() -> None:
    skills = {
        "sword": {"rank": 1, "factor": "PCF"},
        "Resilience": {"rank": 1},
        "WearHeavy": {"rank": 1},
        "Lifting": {"rank": 1, "kind": "physical"},
    }
    assert sheet(skills=skills).reactions == ("Lifting", "sword")


def test_race_and_aptitudes_go_into_the_traits() -> None:
    found = sheet(
        race={"PSM": -3, "NMD": 30, "PAB": 1, "MAB": 2, "MVM": 3},
        aptitudes={"PAB": 4, "MAB": 5, "PSM": 2, "Sorcery": 6},
    ).traits()
    assert (found.PSM, found.NMD) == (-1, 30)
    assert (found.BASE_PAB_MOD, found.Base_MAB_MOD, found.BASE_MVM_MOD) == (1, 2, 3)
    assert (found.PAB_Aptitude, found.MAB_Aptitude, found.Sorcery_Aptitude) == (4, 5, 6)
    human = sheet().traits()
    assert (human.PSM, human.NMD) == (-5, 20)
