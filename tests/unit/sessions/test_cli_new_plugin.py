"""`affray new-plugin`: names that are refused, folders that are left alone, and what is written works at once."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from affray.kernel import System, hookimpl, limits
from affray.sessions import Catalog
from affray.sessions.cli import new_plugin
from affray.sessions.cli.templates import toml_value

from ...docs.test_commands import compare
from ...support.cli import affray, document, environment
from ...support.loose import Loose
from ...support.table import tiny_catalog


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("My_Game", "small ASCII letters and digits with single hyphens, a letter first; write my-game"),
        ("my.game", "; write my-game"),
        ("my--game", "; write my-game"),
        ("-game", "a letter first (got '-game')"),
        ("game-", "a letter first (got 'game-')"),
        ("2nd", "a letter first (got '2nd')"),
        ("spiel-für-alle", "a letter first (got 'spiel-für-alle')"),
        ("my game", "a letter first (got 'my game')"),
        ("../game", "a letter first (got '../game')"),
        ("", "a letter first (got '')"),
        ("class", "is a word of Python's own"),
        ("match", "is a word of Python's own"),
        ("json", "is the name of something else already"),
        ("affray", "is the name of something else already"),
        ("pytest", "a distribution or module of that name is installed already"),
        ("x" * (limits.ID_LENGTH + 1), f"has {limits.ID_LENGTH + 1} characters, more than {limits.ID_LENGTH}"),
    ],
)
def test_a_bad_name_is_refused_in_one_sentence(name: str, told: str, tmp_path: Path) -> None:
    """PEP 503 and 508; a name that is one in every place (PLUG-1)."""
    result = affray("new-plugin", "--into", tmp_path, "--", name)
    assert (result.exit_code, result.stdout) == (2, "")
    assert told in result.stderr
    assert len(result.stderr.splitlines()) == 1
    assert list(tmp_path.iterdir()) == []


def test_a_name_that_an_installed_plugin_has_is_refused(tmp_path: Path) -> None:
    taken = Catalog().offers()[0]
    result = affray("new-plugin", taken.id, "--into", tmp_path)
    assert result.exit_code == 2
    assert f"a plugin of that name is installed already ({taken.distribution} {taken.version})" in result.stderr


def test_the_longest_name_passes(tmp_path: Path) -> None:
    name = "x" * limits.ID_LENGTH
    told = document("new-plugin", name, "--into", tmp_path)
    assert (told["plugin"], told["folder"]) == (name, str(tmp_path / name))
    compare("new-plugin", told)


def test_what_exists_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "other").symlink_to("nowhere")
    for name in ("mine", "other"):
        result = affray("new-plugin", name, "--into", tmp_path)
        assert (result.exit_code, result.stdout) == (2, "")
        assert f"{name}: exists already, and nothing in it is touched" in result.stderr
    assert "is no folder to put it in" in affray("new-plugin", "third", "--into", tmp_path / "gone").stderr

    def full(self: Path, *args: Any, **kwargs: Any) -> int:
        raise OSError(28, "No space left on device", str(self))

    monkeypatch.setattr(Path, "write_text", full)
    result = affray("new-plugin", "fourth", "--into", tmp_path)
    assert result.exit_code == 2
    assert "No space left on device" in result.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["mine", "other"]


def test_a_house_rule_needs_its_system(tmp_path: Path) -> None:
    for args in (["--house-rule"], ["--over", "nyra"]):
        result = affray("new-plugin", "mine", "--into", tmp_path, *args)
        assert result.exit_code == 2
        assert "--house-rule and --over SYSTEM go together" in result.stderr
    result = affray("new-plugin", "mine", "--into", tmp_path, "--house-rule", "--over", "nope")
    assert result.exit_code == 1
    assert "plugin 'nope': is not installed; there are" in result.stderr


def test_a_rule_for_a_system_without_places_or_a_demo(tmp_path: Path) -> None:
    """It follows on damage then, and its people are made by the type of the system's sheet."""
    names = {"name": "mine", "module": "mine", "class_name": "Mine", "title": "Mine", "affray": "0"}
    texts = new_plugin.house_rule_texts(names, "tiny", tiny_catalog())
    assert 'PLACE = "attack.skill"' in texts["mine/__init__.py"]
    fight = tomllib.loads(texts["fight.toml"])
    assert [one["id"] for one in fight["combatants"]] == ["ann", "bob"]
    bare = new_plugin.house_rule_texts(names, "tiny", tiny_catalog(Placeless))
    assert "def follow(" in bare["mine/__init__.py"]
    compile(bare["mine/__init__.py"], "mine", "exec")


class Placeless(Loose):
    @hookimpl
    def describe(self) -> System:
        return replace(Loose().describe(), places={})


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (True, "true"),
        (-3, "-3"),
        ('a "b"\n\x7f é', '"a \\"b\\"\\n\\u007f é"'),
        ([1, None, [2]], "[1, [2]]"),
        ({}, "{}"),
        ({"a": {"b c": "d"}, "n": None}, '{ a = { "b c" = "d" } }'),
    ],
)
def test_values_are_written_as_toml(value: Any, text: str) -> None:
    assert text == toml_value(value)
    tomllib.loads(f"x = {text}")
    with pytest.raises(TypeError):
        toml_value(0.5)


class Installed:
    """A system and a house rule that were written, built and installed into a folder of their own."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.site = folder, folder / "site"
        document("new-plugin", "fresh-game", "--into", folder)
        document("new-plugin", "fresh-rule", "--house-rule", "--over", "nyra", "--into", folder)
        offline = ["--no-index", "--no-build-isolation"] if find_spec("hatchling") else []
        self.run(
            "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", *offline, "--target", str(self.site),
            str(folder / "fresh-game"), str(folder / "fresh-rule"),
        )  # fmt: skip

    def run(self, *args: str, cwd: str = "") -> str:
        """Run Python beside what is installed; what it printed."""
        made = environment(self.folder)
        kept = {name: value for name, value in made.items() if not name.startswith(("PYTEST_", "CI"))}
        kept["PYTHONPATH"] = os.pathsep.join([str(self.site), kept["PYTHONPATH"]])
        done = subprocess.run(
            [sys.executable, *args], cwd=self.folder / cwd, env=kept, capture_output=True, text=True, timeout=120, check=False
        )
        assert done.returncode == 0, f"{args}: {done.stdout}{done.stderr}"
        return done.stdout


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    return Installed(tmp_path_factory.mktemp("fresh"))


@pytest.mark.parametrize("name", ["fresh-game", "fresh-rule"])
def test_what_is_written_passes_its_own_tests_and_plays(name: str, installed: Installed) -> None:
    assert " passed in " in installed.run("-m", "pytest", "-q", "-p", "no:cacheprovider", cwd=name)
    told = installed.run("-m", "affray.sessions.cli", "run", "fight.toml", cwd=name)
    assert "fight-" in told
    assert "over" in told.splitlines()[-1]
    listed = installed.run("-m", "affray.sessions.cli", "plugins")
    assert any(name in line and f"{name} 0.1.0" in line for line in listed.splitlines())


def test_what_is_written_is_a_whole_distribution(installed: Installed) -> None:
    for name, group in (("fresh-game", "affray.systems"), ("fresh-rule", "affray.house_rules")):
        folder = installed.folder / name
        project = tomllib.loads((folder / "pyproject.toml").read_text())["project"]
        assert (project["name"], list(project["entry-points"])) == (name, [group])
        assert all((folder / path).exists() for path in ("README.md", "fight.toml", f"{name.replace('-', '_')}/py.typed"))
        for path in folder.rglob("*"):
            assert not path.is_file() or "$" not in path.read_text().replace("$.", ""), path
