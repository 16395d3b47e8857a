"""`affray why` at the command line: what it prints in text and JSON, and with which code it ends."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from affray.kernel import GM, ApplyDamage, Judge
from affray.sessions.views.texts import Texts
from affray.sessions.views.why import explanation, lines

from ...support.cli import NYRA, ROOT, affray, document, find_plugins, hidden, put
from ...support.explained import SKILL, hunt, log_of, nyra_duel, pool, told, where

PLAIN = Texts()


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data folder of its own, and the nyra plugin and no other."""
    monkeypatch.setenv("AFFRAY_HOME", str(tmp_path / "home"))
    find_plugins(monkeypatch, NYRA)
    return tmp_path / "home"


def why(*args: object) -> Result:
    return affray("why", *map(str, args))


def why_document(*args: object) -> Any:
    return document("why", *map(str, args))



def test_an_event_is_explained(home: Path) -> None:
    session, texts = nyra_duel()
    path = put(session, home)
    log = log_of(session)
    version = where(log, ApplyDamage, nth=0)
    result = why("duel-1", version)
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.splitlines() == told(log, version, texts)
    assert why(path, version).stdout == result.stdout
    assert why("duel-1", version, "--db", path.parent).stdout == result.stdout
    found = why_document("duel-1", version)
    assert list(found) == ["session", "version", "reader", "at", "number", "sentence", "undone", "tree"]
    assert (found["session"], found["version"], found["reader"], found["at"]) == ("duel-1", session.head, "public", version)
    assert (found["number"], found["undone"], found["sentence"]) == (12, False, result.stdout.splitlines()[0])
    assert [leaf["amount"] for leaf in leaves(found["tree"])] == [3, 4, 2, 3]


def leaves(branch: Any) -> list[Any]:
    return [leaf for term in branch["terms"] for leaf in leaves(term)] if branch["terms"] else [branch]


def test_a_pool_is_explained_at_any_version(home: Path) -> None:
    session, _ = nyra_duel()
    put(session, home)
    log = log_of(session)
    version = where(log, ApplyDamage, nth=0)
    assert [why_document("duel-1", "bram", "left-arm", "--at", at)["number"] for at in (version - 1, version)] == [0, 12]
    now = why_document("duel-1", "bram", "left-arm")
    assert (now["at"], now["number"]) == (session.head, session.state().combatants["bram"].pools["left-arm"])
    assert now["tree"]["terms"][1]["because"][0]["more"]
    opened = why_document("duel-1", "bram", "left-arm", "--open")
    assert not opened["tree"]["terms"][1]["because"][0]["more"]
    assert why("duel-1", "bram", "left-arm", "--at", version).stdout.startswith("12 = 12 (version ")


@pytest.mark.parametrize(
    ("args", "code", "needle"),
    [
        (("9999",), 1, "There is no version 9999; the log ends at "),
        (("0",), 1, "There is no version 0; the log ends at "),
        (("bram", "hp"), 1, "bram has no pool hp; there are chest, "),
        (("carl", "hp"), 1, "Nobody in this fight has the id carl; there are ada and bram."),
        (("bram", "head", "--at", "9999"), 1, "There is no version 9999"),
        (("bram", "head", "--at", "0"), 1, "there is nobody"),
        (("1",), 1, "There is nothing to explain at version 1: A friendly duel"),
        ((), 2, "Missing argument"),
        (("bram",), 2, "must be a version, or a combatant and a pool"),
        (("-1",), 2, "No such option"),
        (("9" * 16,), 2, "must be a version"),
        (("a", "b", "c"), 2, "must be a version, or a combatant and a pool"),
        (("12", "--at", "3"), 2, "--at and --open are for a pool"),
        (("12", "--open"), 2, "--at and --open are for a pool"),
        (("bram", "head", "--at", "-1"), 2, "--at"),
        (("12", "--for", "nobody"), 2, "nobody of that name reads here"),
    ],
)
def test_what_cannot_be_explained_is_one_sentence(home: Path, args: tuple[str, ...], code: int, needle: str) -> None:
    session, _ = nyra_duel()
    put(session, home)
    for more in ((), ("--json",)):
        result = why("duel-1", *args, *more)
        assert (result.exit_code, result.stdout) == (code, "")
        assert needle in result.stderr
        assert result.stderr.count("\n") == 1


def test_no_such_session_is_misuse(home: Path) -> None:
    assert why("no-such", "1").exit_code == 2
    assert why("no/such.affray", "1").exit_code == 2


def test_a_reader_gets_no_more_than_is_theirs(home: Path) -> None:
    session = hunt()
    put(session, home)
    version = where(log_of(session), Judge, nth=-1)
    by_gob = next(v for v in range(1, session.head + 1) if isinstance(e := log_of(session).event(v), Judge) and e.by == "gob")
    assert why_document("s", by_gob)["number"] is None
    assert why_document("s", by_gob)["tree"]["kept"]
    assert why_document("s", by_gob, "--for", GM)["number"] == SKILL
    assert version >= by_gob
    assert why_document("s", "gob", "hp")["number"] is None
    assert "kept from you" in why("s", "gob", "hp", "--for", "ann").stdout
    copy = home / "copy.affray"
    assert affray("export", "s", "-o", copy).exit_code == 0
    assert why(copy, by_gob).stdout == why("s", by_gob).stdout
    assert why(copy, by_gob, "--for", GM).stdout == why(copy, by_gob).stdout


def test_it_works_where_no_plugin_is_installed(home: Path, tmp_path: Path) -> None:
    """Law 2: in a process that can import none; the numbers are the same, the words plainer (law 11)."""
    session, _ = nyra_duel()
    put(session, tmp_path)
    log = log_of(session)
    version = where(log, ApplyDamage, nth=0)
    result = hidden(tmp_path, "why", "duel-1", str(version))
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout.splitlines() == told(log, version)


def test_a_pipe_gets_whole_lines_and_no_colour(home: Path) -> None:
    session, _ = nyra_duel()
    put(session, home)
    result = why("duel-1", "bram", "left-arm")
    assert "\x1b" not in result.stdout
    assert max(map(len, result.stdout.splitlines())) > 100
    assert len(result.stdout.splitlines()) == len(list(lines(explanation(log_of(session), pool(log_of(session), "bram", "left-arm"), PLAIN))))


def test_the_page_shows_what_the_command_prints(home: Path) -> None:
    """sessions/COMMANDS.md: every command of its section is run, the document has the keys that are shown."""
    page = (ROOT / "sessions" / "COMMANDS.md").read_text("utf-8")
    section = page.partition("\n## why\n")[2].partition("\n## ")[0]
    session, _ = nyra_duel()
    put(session, home)
    blocks = re.findall(r"^\$ (affray why .*)\n((?:(?!\$ |```).*\n)*)", section, re.MULTILINE)
    assert len(blocks) >= 2
    for line, shown in blocks:
        result = affray(*shlex.split(line)[1:])
        assert (result.exit_code, result.stdout) == (0, shown), line
    shape = re.search(r"^```json why\n(.*?)^```", page, re.DOTALL | re.MULTILINE)
    assert shape
    told_shape, printed = json.loads(shape[1]), why_document("duel-1", where(log_of(session), ApplyDamage, nth=0))
    assert list(told_shape) == list(printed)
    assert list(told_shape["tree"]) == list(printed["tree"])
