"""Data packs: what is refused, what is looked up, and the one that is shipped."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import msgspec
import pytest

from affray.kernel import InputError, total
from affray.plugins import primer
from affray.plugins.primer.options import PrimerOptions
from affray.plugins.primer.pack import LIST_MAX, SCORE_MAX, Pack, body_rows, damage_plan
from affray.plugins.primer.sample_pack import BUNDLES, SAMPLE_PACK
from affray.plugins.primer.tables import DAMAGE_TYPES
from affray.sessions.encounter_file import read_encounter

from .table import AREAS, Table, catalog, pack

WHOLE = {"area": "all", "positions": [[1, 100]]}
ARM = {"dice": "2d6", "types": ["slicing"], "wsd": 10}


def read(**fields: Any) -> Pack:
    return msgspec.convert(fields, Pack)


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ({"areas": [{**WHOLE, "positions": [[1, 99]]}]}, "position 100 must lie in exactly one area, it lies in 0"),
        ({"areas": [WHOLE, {"area": "nose", "positions": [[6, 6]]}]}, "position 6 .* it lies in 2"),
        ({"areas": [{**WHOLE, "positions": [[1, 50]]}, {**WHOLE, "positions": [[51, 100]]}]}, "two of the same name"),
        ({"areas": [{**WHOLE, "positions": [[100, 1]]}]}, "the wrong way round"),
        ({"areas": [{**WHOLE, "positions": [[0, 100]]}]}, r"areas\[0\].positions"),
        ({"areas": [{**WHOLE, "area": "a b"}]}, "an area must be"),
        ({"areas": [{**WHOLE, "htk_share": 0}]}, "htk_share must be above 0"),
        ({"areas": [{**WHOLE, "htk_share": "1/3"}]}, "two digits after the point"),
        ({"areas": [{**WHOLE, "knockback": "tail"}]}, "knockback"),
        ({"weapons": {"a b": ARM}}, "a weapon's key must be"),
        ({"weapons": {"axe": {**ARM, "dice": "axe"}}}, "'axe' are no dice"),
        ({"weapons": {"axe": {**ARM, "dice": "2d6/2"}}}, "not divided"),
        ({"weapons": {"axe": {**ARM, "dice": "8d10>=7"}}}, "are added up"),
        ({"weapons": {"axe": {**ARM, "dice": "101d6"}}}, "at most 100 dice"),
        ({"weapons": {"axe": {**ARM, "dice": "1d1001"}}}, "at most 1000 sides"),
        ({"weapons": {"axe": {**ARM, "types": []}}}, "types"),
        ({"weapons": {"axe": {**ARM, "types": ["SL"]}}}, "types"),
        ({"weapons": {"axe": {**ARM, "wsd": 0}}}, "wsd"),
        ({"weapons": {"axe": {**ARM, "plus": SCORE_MAX + 1}}}, "must lie between"),
        ({"weapons": {"axe": {**ARM, "chance": "1.5"}}}, "not an exact number"),
        ({"critical_misses": [{"code": "a"}, {"code": "b"}]}, "totals must ascend"),
        ({"critical_misses": [{"code": "a", "upto": 5}, {"code": "b", "upto": 5}]}, "totals must ascend"),
        ({"critical_misses": [{"code": "a", "upto": 9}, {"code": "b", "upto": 5}, {"code": "c"}]}, "totals must ascend"),
        ({"critical_misses": [{"code": "falls over"}]}, "a code must be"),
        ({"crippling": [{"code": "a b", "grade": "minor"}]}, "a code must be"),
        ({"crippling": [{"code": "a", "grade": "worse"}]}, "grade"),
        ({"crippling": [{"code": "a", "grade": "minor", "sl": 1}]}, "sl"),
        ({"wounds": [{"quarters": 2, "action": -5}, {"quarters": 1, "action": -9}]}, "quarters must ascend"),
        ({"wounds": [{"quarters": 0, "action": -5}]}, "quarters"),
        ({"htk": {"times": {"LUCK": 1}}}, "times"),
        ({"htk": {"base": "1/3"}}, "two digits"),
        ({"unfamiliar": "many"}, "not an exact number"),
        ({"armour": []}, "unknown field `armour`"),
        ({"wounds": [{"quarters": n + 1, "action": 0} for n in range(LIST_MAX + 1)]}, "wounds"),
    ],
)
def test_what_cannot_be_is_refused_with_its_path(fields: Any, problem: str) -> None:
    with pytest.raises(msgspec.ValidationError, match=problem):
        read(**fields)


def test_a_bad_pack_starts_no_session() -> None:
    with pytest.raises(InputError, match=r"\$\.options\.pack") as caught:
        Table(options={"pack": {"areas": [{**WHOLE, "positions": [[1, 99]]}]}})
    assert "position 100" in caught.value.problem


def test_an_area_is_found_by_its_position() -> None:
    found = read(areas=AREAS)
    names = [found.area_at(at) for at in (1, 10, 11, 39, 40, 100)]
    assert [area.area for area in names if area] == ["head", "head", "upper-body", "upper-body", "arms", "feet"]
    assert read().area_at(50) is None


def test_the_worst_row_that_is_met_cripples() -> None:
    rows = [
        {"code": "a", "grade": "minor", "types": ["slicing"]},
        {"code": "b", "grade": "major", "sl": -2, "types": ["slicing"]},
        {"code": "c", "grade": "minor"},
    ]
    found = read(crippling=rows)
    met = [found.crippled("slicing", level) for level in (0, -1, -2, -9)]
    assert [row.code for row in met if row] == ["a", "a", "b", "b"]
    other = found.crippled("crushing", -9)
    assert other is not None
    assert other.code == "c"
    assert read(crippling=rows[:1]).crippled("crushing", 0) is None
    assert found.crippled("slicing", 1) is None


def test_a_body_follows_from_a_formula() -> None:
    body = read(htk={"base": 3, "times": {"CON": 2, "BLD": "1/2"}}).htk
    assert body is not None
    rows = body_rows(body, [("STR", 9), ("CON", 10), ("BLD", 11)])
    assert [(row.code, row.amount) for row in rows] == [("base", 3), ("CON", 20), ("BLD", "11/2")]
    assert total(row.amount for row in rows) == 28 + total(["1/2"])


def test_dice_may_keep_and_explode() -> None:
    assert damage_plan("3d6kh2+1").terms[0].keep_count == 2
    assert damage_plan("1d6!").terms[0].explode is not None


# -- the one that is shipped

FILE = Path(primer.__file__).parent / "sample-pack.toml"


def test_the_file_and_the_bundle_are_the_same_and_a_pack() -> None:
    assert tomllib.loads(FILE.read_text("utf-8")) == {"pack": SAMPLE_PACK}
    assert {"sample-pack": {"pack": SAMPLE_PACK}} == BUNDLES
    options = msgspec.convert(BUNDLES["sample-pack"], PrimerOptions)
    assert options.pack.areas
    assert options.pack.weapons
    assert options.pack.critical_misses[-1].upto is None
    assert [kind for kind in DAMAGE_TYPES if options.pack.crippled(kind, 0) is None] == []


def test_it_says_that_it_is_ours() -> None:
    assert "not the source's" in SAMPLE_PACK["title"]


def test_an_encounter_takes_it_from_a_file_beside_it(tmp_path: Path) -> None:
    (tmp_path / FILE.name).write_bytes(FILE.read_bytes())
    fight = tmp_path / "fight.toml"
    fight.write_text('system = "primer"\noptions_files = ["sample-pack.toml"]\n[[combatants]]\nid = "ann"\nside = "red"\n')
    assert read_encounter(fight).options["pack"] == SAMPLE_PACK


def test_the_bundle_is_the_systems() -> None:
    manifest = catalog().manifest("primer", {"armor_wear": True}, (), bundle="sample-pack")
    assert manifest.options["pack"]["title"] == SAMPLE_PACK["title"]
    assert manifest.options["armor_wear"] is True
    assert len(manifest.options["pack"]["areas"]) == len(pack()["areas"])
