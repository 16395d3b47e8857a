"""sessions/COMMANDS.md: the documents it shows have the keys that the commands print."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest

from affray.sessions import JsonlStore
from affray.sessions.cli import COMMANDS
from affray.sessions.cli.overrule import EFFECTS, FILLED_IN
from affray.sessions.cli.table.words import WORDS

from ..golden.samples import fight
from ..support.cli import NYRA, TINY, affray, document, find_plugins, json_lines, put
from ..support.table import engine, must, tiny_session

TEXT = (Path(__file__).parents[2] / "sessions" / "COMMANDS.md").read_text("utf-8")

SHAPES: dict[str, Any] = {
    name: json.loads(text) for name, text in re.findall(r"^```json ([\w-]+)\n(.*?)^```", TEXT, re.DOTALL | re.MULTILINE)
}

AS_ANOTHER = {
    **dict.fromkeys(("answer", "report", "undo", "redo", "note", "overrule", "reveal", "reveal-dice"), "declare"),
    **dict.fromkeys(("demo", "play"), "run"),
    "copy": "import",
}
"""Command -> the command whose document it prints."""

OPEN = {"event", "sheet", "pools", "state"}
"""Keys whose contents are told elsewhere, or are names of the fight's own."""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("AFFRAY_HOME", str(tmp_path))
    find_plugins(monkeypatch, NYRA)
    return tmp_path


def keys(value: Any) -> Any:
    """The keys of a document, all the way down; lists by their first item."""
    if isinstance(value, dict):
        return {name: None if name in OPEN else keys(below) for name, below in value.items()}
    if isinstance(value, list):
        return [keys(value[0])] if value else []
    return None


def fill(shown: Any, printed: Any) -> Any:
    """What was printed, with an item of the page in lists that are empty here: nothing can be compared there."""
    if isinstance(shown, dict) and isinstance(printed, dict):
        return {name: fill(shown[name], below) if name in shown else below for name, below in printed.items()}
    return shown if shown and printed == [] else printed


def compare(name: str, printed: Any) -> None:
    shown = keys(SHAPES[name])
    assert shown == fill(shown, keys(printed)), name


def test_every_command_is_told() -> None:
    for name in COMMANDS:
        assert re.search(rf"^## .*\b{name}\b", TEXT, re.MULTILINE), name
    assert set(SHAPES) | set(AS_ANOTHER) | {"completion"} == set(COMMANDS)
    assert set(AS_ANOTHER.values()) <= set(SHAPES)


def test_reading_commands_print_what_the_page_says(home: Path, tmp_path: Path) -> None:
    session = fight()
    put(session, home)
    compare("log", next(one for one in json_lines("log", session.id) if one["sender"] and one["kind"] == "roll"))
    compare("replay", document("replay", session.id))
    compare("export", document("export", session.id, "-o", tmp_path / "copy.affray"))
    compare("verify", document("verify", session.id))
    against = f"{session.head + 1}:{'0' * 64}"
    compare("verify", document("verify", session.id, "--against", against, code=1))


def test_whatif_prints_what_the_page_says(home: Path) -> None:
    session = document("demo", "nyra")["session"]
    printed = document("whatif", session, "--rules", "variant=bank", code=1)
    shown = SHAPES["whatif"]["whatif"]
    for step in printed["whatif"]["changed"]:
        step["before"] = step["after"] = {}
    for one in printed["whatif"]["dropped"]:
        one["event"] = {}
    for one in printed["whatif"]["differences"]:  # any JSON value
        one["before"] = one["after"] = 0
    printed["whatif"]["stopped"] = printed["whatif"]["stopped"] or shown["stopped"]
    compare("whatif", printed)


def test_fork_and_diff_print_what_the_page_says(home: Path) -> None:
    session = document("demo", "nyra")["session"]
    compare("fork", document("fork", session))
    printed = document("diff", f"{session}@19", f"{session}@24", code=1)
    for step in printed["steps"]:
        step["after"] = {}
    for one in printed["state"]:  # any JSON value
        one["before"] = one["after"] = 0
    compare("diff", printed)


def test_show_prints_what_the_page_says(home: Path) -> None:
    session = tiny_session(dice="scripted", script=(1, 2, 7, 3, 4, 7))
    must(session.declare("ann", "attack", "bob", id="a1"))
    must(session.answer("a1|ask.guard.0", "bob", "stand"))
    must(session.declare("bob", "attack", "ann", id="b1"))
    put(session, home)
    printed = document("show", session.id)
    printed["combatants"].reverse()  # the one with a condition first
    assert printed["prompts"]
    assert printed["combatants"][0]["conditions"]
    compare("show", printed)
    assert keys(next(iter(printed["combatants"][0]["pools"].values()))) == keys({"now": 0, "low": 0, "high": 0})


def test_playing_commands_print_what_the_page_says(home: Path) -> None:
    compare("run", document("demo"))
    compare("run", document("play", "--session", "d"))
    compare("plugins", document("plugins"))


def test_commands_to_a_session_print_what_the_page_says(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    find_plugins(monkeypatch, TINY)
    store = JsonlStore(home / "sessions")
    tiny_session(engine(store), dice="scripted", script=(1, 2, 7, 3, 4, 7, 3, 4))
    store.close()
    compare("declare", document("declare", "s", "ann", "attack", "bob", "--id", "a1"))
    compare("sessions", document("sessions"))
    compare("declare", document("answer", "s", "bob", "stand"))
    for name, *args in (
        ("undo",),
        ("redo",),
        ("note", "hello", "--secret"),
        ("overrule", "pool", "target=bob", "pool=hp", "value=3", "--reason", "x"),
        ("reveal", "1"),
        ("reveal-dice",),
    ):
        code = 1 if name == "reveal" else 0
        printed = document(name, "s", *args, code=code)
        assert list(printed) == list(SHAPES["declare"]), name
        assert (printed["refused"] is None) == (code == 0)
    told = {**SHAPES["declare"], "refused": {"code": "over", "args": [], "text": ""}}
    assert keys(document("redo", "s", code=1)["refused"]) == keys(told["refused"])


def test_carrying_commands_print_what_the_page_says(home: Path, tmp_path: Path) -> None:
    path = put(fight(), home)
    compare("import", document("import", path, "--db", tmp_path / "a"))
    compare("import", document("copy", fight().id, "--to", tmp_path / "b"))


DUEL = """
system = "nyra"
dice = { ada = "reported" }
[[combatants]]
id = "ada"
side = "red"
controller = "ada"
sheet = { STR = 7, AGI = 6, CON = 7, sequence = 5, skills = { Swords = 7 }, weapons = [{ key = "sword", base = "short-sword" }] }
[[combatants]]
id = "bram"
side = "blue"
controller = "bram"
sheet = { STR = 7, AGI = 6, CON = 7, sequence = 4, skills = { Swords = 7, Defense = 5 } }
"""
"""A fight in which the page's commands mean something."""


def test_the_commands_of_the_page_can_be_sent(home: Path, tmp_path: Path) -> None:
    path = tmp_path / "duel.toml"
    path.write_text(DUEL)
    assert affray("run", path, "--session", "duel-1").exit_code == 0
    lines = re.findall(r"^affray .*$", TEXT.partition("```sh\n")[2].partition("```")[0], re.MULTILINE)
    assert len(lines) > 5
    for line in lines:
        result = affray(*shlex.split(line)[1:])
        assert result.exit_code == 0, (line, result.stderr)


def test_every_word_of_a_prompt_is_told() -> None:
    told = TEXT.partition("\n## play\n")[2].partition("\n## ")[0]
    assert [name for name in WORDS if f"`{name}" not in told] == []


def test_every_effect_is_told_with_its_keys() -> None:
    for name, kind in EFFECTS.items():
        row = re.search(rf"^\| `{name}` \|(.*)\|$", TEXT, re.MULTILINE)
        assert row, name
        fields = [field for field in kind.__struct_fields__ if field not in FILLED_IN]
        assert [field for field in fields if f"`{field}" not in row[1]] == [], name
