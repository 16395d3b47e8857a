"""README.md: its program runs and prints what it says, its links lead somewhere, its commands exist."""

from __future__ import annotations

import contextlib
import io
import re
import tomllib
from pathlib import Path

from affray.sessions.cli import COMMANDS

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text("utf-8")


def block(language: str, number: int = 0) -> str:
    found: list[str] = re.findall(rf"^```{language}\n(.*?)^```$", README, re.DOTALL | re.MULTILINE)
    return found[number]


def test_the_program_prints_what_stands_below_it() -> None:
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(block("python"), "README.md", "exec"), {})
    assert block("text") == printed.getvalue()


def test_every_link_leads_to_a_file() -> None:
    links = re.findall(r"\]\(([^)#]+)\)", README)
    assert links
    assert [link for link in links if not (ROOT / link).exists()] == []


def test_every_command_is_told_and_exists() -> None:
    told = README.partition("\n## At the table\n")[2].partition("\n## ")[0]
    named = set(re.findall(r"`affray ([a-z-]+)", told))
    assert named <= set(COMMANDS)
    one_by_one = set(re.findall(r"`([a-z-]+)`", told.partition("\n`declare`")[2]))
    assert sorted(set(COMMANDS) - named - one_by_one - {"declare"}) == []


def test_what_is_counted_is_there() -> None:
    points = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["entry-points"]
    assert (len(points["affray.systems"]), len(points["affray.house_rules"])) == (3, 19)
    assert "three systems and nineteen house rules" in README


def test_the_two_commands_are_one_line_each() -> None:
    assert block("sh", 0).count("\n") == 1
    assert block("sh", 1).count("\n") == 1
