"""tests/outside, a distribution that knows Affray as anybody's does: built, installed beside it in a fresh environment, held to everything."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from ..support.fresh import ROOT, Fresh, wheel

TREE = ROOT / "tests" / "outside"


@pytest.fixture(scope="module")
def fresh(tmp_path_factory: pytest.TempPathFactory) -> Fresh:
    return Fresh(tmp_path_factory.mktemp("fresh"), wheel(TREE, tmp_path_factory.mktemp("built")))


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """A folder with the outside fight and tests, and none of its code."""
    shutil.copy(TREE / "fight.toml", tmp_path)
    shutil.copytree(TREE / "tests", tmp_path / "tests", ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path


def test_all_of_it_comes_from_the_installed_wheels(fresh: Fresh, table: Path) -> None:
    program = "import affray.kernel, affray.sessions, affray_outside as o; print(affray.kernel.__file__, affray.sessions.__file__, o.__file__)"
    places = fresh.must(f"python -c '{program}'", table).split()
    assert len(places) == 3
    assert [place for place in places if not place.startswith(str(fresh.site))] == []


def test_its_plugins_are_found_beside_those_of_affray(fresh: Fresh, table: Path) -> None:
    listed = json.loads(fresh.must("affray plugins --json", table))
    assert [(one["id"], one["problem"]) for one in listed if one["problem"]] == []
    own = {(one["kind"], one["id"], one["version"]) for one in listed if one["distribution"] == "affray-outside"}
    assert own == {("system", "tug-of-war", "0.3.0"), ("house-rule", "mud", "0.3.0")}
    assert {"nyra", "exalted", "primer"} < {one["id"] for one in listed}


def test_its_own_tests_pass(fresh: Fresh, table: Path) -> None:
    assert " passed" in fresh.must("python -m pytest -q -p no:cacheprovider", table)


def test_it_is_played_read_and_audited(fresh: Fresh, table: Path) -> None:
    played = json.loads(fresh.must("affray run fight.toml --session fair --json", table))
    assert played["over"].startswith("won-by-")
    assert "At the fair: rules tug-of-war 1, house rules mud" in fresh.must("affray log fair", table)
    found = json.loads(fresh.must("affray audit fair --json", table))
    assert (found["clean"], found["version"], found["checked"] > 0) == (True, played["version"], True)
    assert (found["findings"], found["divergences"], found["unchecked"]) == ([], [], [])
    assert "fair: clean; " in fresh.must("affray verify fair", table)
    assert "At the fair" in fresh.must("affray play fight.toml --session open < /dev/null", table)
    assert "exact, by " in fresh.must("affray odds open ines pull jory effort=1", table)


@pytest.mark.parametrize("words", ["tug-of-war", "tug-of-war --bundle schoolyard --fights 2", "mud --over tug-of-war"])
def test_nothing_is_wrong_with_it(words: str, fresh: Fresh, table: Path) -> None:
    told = fresh.must(f"affray check-plugin {words} --fight fight.toml", table)
    assert "(affray-outside 0.3.0): nothing is wrong in " in told
