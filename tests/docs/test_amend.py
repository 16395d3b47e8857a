"""sessions/COMMANDS.md on amends: what it shows can be sent and prints what it says, and every option is told."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from affray.sessions.cli.amend import command

from ..support.cli import NYRA, affray, document, find_plugins
from .test_commands import TEXT, compare

PAGE = TEXT.partition("\n## amend\n")[2].partition("\n## ")[0]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The duel of `affray demo` under the name that the page gives it."""
    monkeypatch.setenv("AFFRAY_HOME", str(tmp_path))
    names = iter(["1", *[f"c{number:07d}" for number in range(10_000)]])
    monkeypatch.setattr("affray.sessions.entropy.SystemEntropy.name", lambda self: next(names))
    find_plugins(monkeypatch, NYRA)
    assert document("demo")["session"] == "duel-1"
    return tmp_path


def test_what_the_page_shows_is_what_is_printed(home: Path) -> None:
    shown = PAGE.partition("```console\n")[2].partition("```")[0].splitlines()
    result = affray(*shlex.split(shown[0])[2:])
    assert result.exit_code == 0, result.stderr
    printed = iter(result.stdout.splitlines())
    for one in shown[1:]:
        wanted = ".*".join(re.escape(part) for part in one.split("..."))
        assert one == "..." or any(re.fullmatch(wanted, line) for line in printed), one


def test_the_commands_of_the_page_can_be_sent(home: Path) -> None:
    lines = re.findall(r"^affray .*$", PAGE.partition("```sh\n")[2].partition("```")[0], re.MULTILINE)
    assert len(lines) > 5
    for line in lines:
        result = affray(*shlex.split(line)[1:])
        assert result.exit_code == 0, (line, result.stderr)
    assert "clean" in affray("verify", "duel-1").stdout


def test_a_plan_is_the_document_that_the_page_shows(home: Path) -> None:
    printed = document("amend", "duel-1", "--at", "15", "--drop")
    plan = printed["plan"]
    for step in plan["changed"]:
        step["before"] = step["after"] = {}
    for value in plan["differences"]:
        value["before"] = value["after"] = 0
    for one in plan["outcomes"]:
        one["event"] = {}
    plan["events"] = [{}]
    plan["drawn"] = []
    compare("amend", printed)


def test_every_option_is_told() -> None:
    own = {name for option in command.params for name in option.opts if name.startswith("--")}
    shared = {"--as", "--id", "--seen", "--nonce", "--json", "--db", "--all"}
    assert sorted(name for name in own - shared if name not in PAGE) == []
