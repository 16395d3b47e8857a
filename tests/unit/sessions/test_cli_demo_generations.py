"""`affray demo --generation`: another generation of a demo's rules, found by names of files and by nothing else."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from affray.kernel import InputError
from affray.sessions.cli import demo
from affray.sessions.encounter import parse_encounter

from ...support.cli import NYRA, TINY, affray, document, find_plugins

NO_DEMO = "no such demo; there are match (chess), shogi-siege (shogi), skirmish (go)"

PAGE = (Path(__file__).parents[3] / "sessions" / "COMMANDS.md").read_text("utf-8")


THICK = EntryPoint("thick-skin", "affray.plugins.house.thick_skin:ThickSkin", "affray.house_rules")
EXPLODING = EntryPoint("exploding-damage", "affray.plugins.house.exploding_damage:ExplodingDamage", "affray.house_rules")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data folder of its own, the nyra plugin and two house rules."""
    monkeypatch.setenv("AFFRAY_HOME", str(tmp_path / "home"))
    find_plugins(monkeypatch, NYRA, THICK, EXPLODING)
    return tmp_path / "home"


@pytest.fixture
def demos(monkeypatch: pytest.MonkeyPatch) -> None:
    """Demo files of rules that do not exist.

    A skirmish of `go` with two older generations, a match of `chess`, and of `shogi` nothing but a file named after it.
    """
    systems: Mapping[str, str] = {
        "go-ancient": "go",
        "go-stone": "go",
        "match": "chess",
        "shogi-siege": "shogi",
        "skirmish": "go",
    }
    people = '[[combatants]]\nid = "ann"\nside = "red"\n'
    read = {
        stem: parse_encounter(f'system = "{system}"\ntitle = "{stem}"\n{people}'.encode(), stem)
        for stem, system in systems.items()
    }
    monkeypatch.setattr(demo, "read_demos", lambda: read)


def test_the_claymore_is_swung_as_its_source_tells_and_the_fight_ends(home: Path) -> None:
    result = affray("demo", "nyra", "--generation", "bank")
    assert result.exit_code == 0, result.stderr
    told = [line.strip() for line in result.stdout.splitlines()]
    expected = [
        "The swing takes Cleo's energy from 38 to 31.",
        "Cleo attacks: d10 shows 3 against 3, margin 0 (3 = 7 (Swords) - 4 (halved in battle)).",
        "The strike finds its place: d6 shows 4.",
        "Dorn takes 20 cleaving damage to the right arm: 20 = 7 + 10 (2d10) + 3 (STR 7).",
        "Cleo attacks: d10 shows 4 against 3, a miss (3 = 7 (Swords) - 4 (halved in battle)).",
        "The fight is over: Dorn wins.",
        "dice: 15 from a script",
    ]
    assert expected == [line for line in told if line in expected]
    assert re.search(r"^nyra-bank-\w+: clean; ", result.stdout, re.MULTILINE)


def test_the_end_of_the_claymore_is_the_same_every_time(home: Path) -> None:
    for _ in range(2):
        played = document("demo", "duel", "--generation", "bank")
        assert (played["over"], played["waiting"]) == ("won-by-dorn", 0)
        shown = document("show", played["session"])
        pools = {one["id"]: one["pools"] for one in shown["combatants"]}
        assert (pools["cleo"]["energy"]["now"], pools["dorn"]["energy"]["now"]) == (24, 21)
        assert pools["dorn"]["right-arm"]["now"] == 20
        assert document("verify", played["session"])["clean"]


def test_without_a_generation_the_demo_is_what_it_was(home: Path) -> None:
    for args in ((), ("nyra",), ("duel",), ("nyra", "--generation", "duel")):
        assert affray("demo", *args).stdout.startswith("A friendly duel: ")


def test_a_name_that_is_none_lists_what_there_is(home: Path) -> None:
    result = affray("demo", "nyra", "--generation", "chess")
    problem = "no such generation of nyra; there are duel, bank (got 'chess')"
    assert (result.exit_code, result.stdout, result.stderr) == (2, "", f"affray: --generation: {problem}\n")
    assert not (home / "sessions").exists()


def test_the_commands_of_the_page_run(home: Path) -> None:
    section = PAGE.partition("\n## run, demo, play\n")[2].partition("\n## ")[0]
    lines = re.findall(r"^affray .*$", section, re.MULTILINE)
    assert "affray demo nyra --generation bank" in lines
    for line in lines:
        assert affray(*shlex.split(line)[1:]).exit_code == 0, line


@pytest.mark.parametrize(
    ("name", "generation", "stem"),
    [
        ("go", None, "skirmish"),
        ("skirmish", None, "skirmish"),
        ("go", "skirmish", "skirmish"),
        ("go", "ancient", "go-ancient"),
        ("skirmish", "stone", "go-stone"),
        ("chess", None, "match"),
        ("shogi", None, "shogi-siege"),
        ("shogi-siege", None, "shogi-siege"),
    ],
)
def test_a_generation_is_a_file_named_after_the_system(
    demos: None, name: str, generation: str | None, stem: str
) -> None:
    found, encounter = demo.find_demo(name, generation)
    assert (stem, stem) == (found, encounter.title)


@pytest.mark.parametrize(
    ("name", "generation", "path", "problem"),
    [
        ("draughts", None, "NAME", NO_DEMO),
        ("go-stone", None, "NAME", NO_DEMO),
        ("draughts", "stone", "NAME", NO_DEMO),
        ("go", "new", "--generation", "no such generation of go; there are skirmish, ancient, stone"),
        ("go", "", "--generation", "no such generation of go; there are skirmish, ancient, stone"),
        ("go", "go-stone", "--generation", "no such generation of go; there are skirmish, ancient, stone"),
        ("chess", "stone", "--generation", "no such generation of chess; there are match"),
    ],
)
def test_what_is_not_there_is_said_with_what_is(
    demos: None, name: str, generation: str | None, path: str, problem: str
) -> None:
    with pytest.raises(InputError) as caught:
        demo.find_demo(name, generation)
    assert (path, problem) == (caught.value.path, caught.value.problem)


def test_a_generation_needs_the_rules_like_any_demo(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    find_plugins(monkeypatch, TINY)
    result = affray("demo", "nyra", "--generation", "bank")
    assert result.exit_code == 1
    assert result.stderr.startswith("affray: plugin 'nyra': is not installed")
