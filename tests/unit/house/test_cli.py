"""House rules at the command line: what is installed, and fights that are begun under some."""

from __future__ import annotations

from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from affray.kernel import Action, Fight, Step, hookimpl
from affray.sessions.cli import app

from ...support.cli import NYRA, affray, document, find_plugins, json_lines
from .table import RULES
from .test_readme import SAMPLES

POINTS = [EntryPoint(name, f"{make.__module__}:{make.__name__}", "affray.house_rules") for name, make in RULES.items()]

FIGHT = """
system = "nyra"
house = ["minimum-damage"]
dice = "scripted"
faces = [9]
[[combatants]]
id = "ada"
side = "red"
controller = "ada"
sheet = { STR = 7, AGI = 6, CON = 7, sequence = 5, skills = { Swords = 7 }, weapons = [{ key = "sword", base = "short-sword" }] }
[[combatants]]
id = "bram"
side = "blue"
controller = "bram"
sheet = { STR = 7, AGI = 6, CON = 7, sequence = 4, skills = { Swords = 7 } }
[[script]]
do = "declare"
actor = "ada"
action = "strike"
targets = ["bram"]
params = { weapon = "sword", strike = "wild", type = "C" }
"""


class Wrong:
    """A rule outside the contract."""

    title = "Wrong"

    @hookimpl(tryfirst=True)
    def ruling(self, fight: Fight, action: Action, step: Step) -> None:
        """Would like to be first."""


class Elsewhere:
    """A rule of a game that is not installed."""

    systems = ("chess",)

    @hookimpl
    def ruling(self, fight: Fight, action: Action, step: Step) -> None:
        """Change nothing."""


def here(name: str, plugin: type) -> EntryPoint:
    return EntryPoint(name, f"{plugin.__module__}:{plugin.__name__}", "affray.house_rules")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("AFFRAY_HOME", str(tmp_path / "home"))
    find_plugins(monkeypatch, NYRA, *POINTS)
    (tmp_path / "fight.toml").write_text(FIGHT)
    return tmp_path


def pinned(session: str) -> list[str]:
    return [one["id"] for one in document("rules", session)["plugins"] if one["kind"] == "house-rule"]


def test_plugins_tells_house_rules_and_where_their_order_counts(home: Path) -> None:
    listed = {one["id"]: one for one in document("plugins")}
    assert list(listed) == ["nyra", *sorted(RULES)], "systems first"
    assert set(listed["nyra"]["overlaps"]) == {"begin", "check", "upkeep", "ruling", "follow"}
    assert listed["nyra"]["overlaps"]["begin"] == ["popcorn-initiative", "side-initiative"]
    rule = listed["thick-skin"]
    assert (rule["title"], rule["release"], rule["systems"]) == ("Thick skin", "1", ["nyra", "primer"])
    assert (rule["summary"], rule["hooks"]) == ("A blow of less than half of the target's CON does no damage.", ["derive", "ruling", "texts"])
    assert listed["last-stand"]["hooks"] == [], "no system it is for is installed here"
    said = affray("plugins").stdout.splitlines()
    assert "    begin: popcorn-initiative, side-initiative (the last one that answers counts)" in said
    at = said.index("house-rule thick-skin — Thick skin, release 1, for nyra, primer")
    assert said[at + 1] == "  A blow of less than half of the target's CON does no damage."


def test_a_rule_outside_the_contract_is_told_and_hinders_nobody(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    find_plugins(monkeypatch, NYRA, *POINTS, here("wrong", Wrong), here("elsewhere", Elsewhere))
    listed = {one["id"]: one for one in document("plugins", code=1)}
    assert "uses tryfirst" in listed["wrong"]["problem"]
    assert {one["id"] for one in listed.values() if one["problem"]} == {"wrong"}
    assert (listed["elsewhere"]["systems"], listed["elsewhere"]["hooks"]) == (["chess"], [])
    assert "wrong" not in listed["nyra"]["overlaps"]["ruling"]


@pytest.mark.parametrize(
    ("args", "house"),
    [((), ["minimum-damage"]), (("--house", "thick-skin, riposte"), ["thick-skin", "riposte"]), (("--house", ""), [])],
)
@pytest.mark.parametrize("name", ["run", "play"])
def test_a_fight_is_begun_under_the_rules_that_are_named(home: Path, name: str, args: tuple[str, ...], house: list[str]) -> None:
    result: Any = CliRunner().invoke(app, [name, str(home / "fight.toml"), "--session", "s", *args], input="quit\n")
    assert result.exit_code == 0, result.stderr
    assert pinned("s") == house


def test_the_people_of_a_demo_fight_it_out_under_house_rules(home: Path) -> None:
    """What its script says would not fit: here the fight is over with the first wound."""
    found = document("demo", "--house", "first-blood,riposte")
    assert found["over"] == "first-blood"
    assert pinned(found["session"]) == ["first-blood", "riposte"]
    assert affray("audit", found["session"]).exit_code == 0
    told = affray("demo", "--house", "").stdout.splitlines()
    assert told[0] == "A friendly duel: rules nyra 1; dice scripted then fair.", "no rule is none, and it is played as written"


@pytest.mark.parametrize("name", ["run", "play"])
@pytest.mark.parametrize(("house", "problem"), [("pluck", "is not installed; there are "), ("last-stand", "is a house rule for exalted, primer")])
def test_what_is_not_there_or_for_another_system_is_refused_before_anything_is_stored(
    home: Path, name: str, house: str, problem: str
) -> None:
    result = affray(name, home / "fight.toml", "--session", "s", "--house", house)
    assert (result.exit_code, problem in result.stderr) == (1, True)
    assert document("sessions") == []


def test_a_sheet_shows_what_a_rule_derives(home: Path) -> None:
    (home / "sheet.toml").write_text('system = "nyra"\nhouse = ["thick-skin"]\n[sheet]\nSTR = 7\nAGI = 6\nCON = 7\nsequence = 1\n')
    assert affray("sheet", home / "sheet.toml").stdout.splitlines() == ["sheet", "  thick skin  7/2  = 7 (CON) - 7/2 (half)"]


def test_a_number_that_a_rule_changed_says_so(home: Path) -> None:
    (home / "armor.toml").write_text(SAMPLES[0])
    assert affray("run", home / "armor.toml", "--session", "s").exit_code == 0
    (hit,) = [one for one in json_lines("log", "s") if one["kind"] == "apply-damage"]
    assert hit["text"].endswith("(by minimum damage).")
    said = affray("why", "s", str(hit["version"])).stdout.splitlines()
    assert said[0].endswith(" + 1 (at least 1)")
    assert "  1: at least 1, by the house rule minimum damage" in said


def test_a_stored_session_changes_its_rules_elsewhere(home: Path) -> None:
    assert affray("run", home / "fight.toml", "--session", "s").exit_code == 0
    result = affray("play", "s", "--house", "thick-skin")
    assert (result.exit_code, result.stderr) == (
        2,
        "affray: --house: is for a new session; 'affray rules s --house' changes those of a stored one\n",
    )
