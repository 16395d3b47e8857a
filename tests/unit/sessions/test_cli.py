"""The command line: what it prints, in text and JSON, and with which code it ends."""

from __future__ import annotations

import json
import re
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from affray.kernel import GM
from affray.sessions import JsonlStore, Session
from affray.sessions.cli import COMMANDS, app

from ...golden.samples import fight
from ...support.cli import NYRA, affray, document, edit, find_plugins, json_lines, put
from ...support.table import answer_all, engine, must, tiny_session

DUEL = Path(__file__).parents[3] / "sessions" / "affray" / "sessions" / "demos" / "duel.toml"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data folder of its own, the nyra plugin and no other, and nothing of the caller's environment."""
    monkeypatch.setenv("AFFRAY_HOME", str(tmp_path / "home"))
    for name in ("AFFRAY_DEBUG", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    find_plugins(monkeypatch, NYRA)
    return tmp_path / "home"


def short(home: Path) -> tuple[Session, Path]:
    """A stored session of the tiny system, with an action that was undone."""
    session = tiny_session(dice="scripted", script=(1, 2, 19, 7, 3, 4))
    must(session.declare("ann", "attack", "bob", id="a1"))
    must(session.undo())
    must(session.declare("ann", "attack", "bob", id="a2"))
    answer_all(session, 1)
    return session, put(session, home)


# -- the program


def test_help_lists_every_command_and_imports_none(home: Path) -> None:
    result = affray("--help")
    assert result.exit_code == 0
    for name in COMMANDS:
        assert re.search(rf"^  {name} ", result.stdout, re.MULTILINE)
    assert affray().stdout == result.stdout
    assert affray("-h").stdout == result.stdout


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help(home: Path, name: str) -> None:
    result = affray(name, "--help")
    assert result.exit_code == 0
    assert result.stdout.startswith(f"Usage: affray {name}")
    assert ("--json" in result.stdout) == (name != "completion")


def test_the_release_is_told(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.metadata.version", lambda name: f"1.2.3 of {name}")
    result = affray("--version")
    assert (result.exit_code, result.stdout) == (0, "affray 1.2.3 of affray\n")


# -- reading commands


def test_log_lists_events_and_leaves_undone_ones_out(home: Path) -> None:
    session, _ = short(home)
    listed = affray("log", "s").stdout.splitlines()
    assert listed[0] == " 1  open          s: rules tiny 1; dice scripted."
    assert not [line for line in listed if "shows 19" in line]
    every = affray("log", "s", "--all").stdout.splitlines()
    assert len(every) == session.head
    assert [line for line in every if line.endswith("undone: Ann, attack: d20 shows 19.")]
    assert affray("log", "s", "--since", str(session.head - 2)).stdout.splitlines() == listed[-2:]


def test_log_in_json_is_a_document_a_line(home: Path) -> None:
    session, path = short(home)
    events = json_lines("log", path, "--all")
    assert [event["version"] for event in events] == list(range(1, session.head + 1))
    assert all(set(event) == {"version", "kind", "undone", "text", "event", "sender"} for event in events)
    undone = {event["version"] for event in events if event["undone"]}
    present = {event["version"] for event in json_lines("log", path)}
    assert undone
    assert undone.isdisjoint(present)
    roll = next(event for event in events if event["kind"] == "roll" and event["event"]["key"] == "attack")
    assert roll["event"]["faces"] == [[19]]
    assert roll["sender"]["command"] == "a1"


def test_show_gives_the_state_at_any_version(home: Path) -> None:
    session, _ = short(home)
    now = document("show", "s")
    assert (now["version"], now["turn"]) == (session.head, "bob")
    assert now["combatants"][1]["pools"]["hp"] == {"now": 4, "low": 0, "high": 12}
    then = document("show", "s", "--at", "3")
    assert (then["version"], then["turn"], then["began"]) == (3, "", False)
    assert affray("show", "s", "--at", "0").exit_code == 0
    assert "hp         12/12      4/12" in affray("show", "s").stdout


def test_replay_tells_the_present_line_and_the_state_it_ends_in(home: Path) -> None:
    session, _ = short(home)
    text = affray("replay", "s").stdout
    assert "\n\n1: Ann's turn\n  Ann: attack at Bob.\n    Ann, attack: d20 shows 7 against 10 — hit by 3.\n" in text
    assert "shows 19" not in text
    assert text.endswith(affray("show", "s").stdout)
    every = affray("replay", "s", "--every").stdout
    told = document("replay", "s")
    assert [f"{one['version']}: {one['text']}" for one in told["events"]] == every.split("\n\n")[0].splitlines()
    assert told["digest"] == session.digest
    assert told["state"] == document("show", "s")


def test_verify_prints_a_head_that_it_can_be_held_to(home: Path) -> None:
    session, path = short(home)
    result = affray("verify", "s")
    assert result.exit_code == 0
    assert "s: clean; " in result.stdout
    head = f"{session.head}:{session.digest}"
    assert result.stdout.endswith(f"head: {head}\n")
    assert affray("verify", "s", "--against", head).exit_code == 0
    assert document("verify", "s")["head"] == head
    edit(path, lambda lines: lines[:-1])
    assert affray("verify", "s").exit_code == 0, "a clean cut shows only to those who know the head"
    cut = affray("verify", "s", "--against", head)
    assert cut.exit_code == 1
    assert f"version {session.head}: head:" in cut.stdout
    found = document("verify", "s", "--against", head, code=1)
    assert (found["clean"], found["findings"][0]["code"]) == (False, "head")


def test_plugins_are_listed_with_what_is_wrong(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert document("plugins")[0]["title"] == "Nyra, the Dark Age"
    assert affray("plugins").stdout.startswith("system nyra — Nyra, the Dark Age, release 1")
    broken = EntryPoint("chess", "no.such.module:make", "affray.systems")
    house = EntryPoint("luck", "json:dumps", "affray.house_rules")
    find_plugins(monkeypatch, NYRA, broken, house)
    result = affray("plugins")
    assert result.exit_code == 1
    assert "system chess: cannot be loaded: ModuleNotFoundError" in result.stdout
    listed = {one["id"]: one for one in document("plugins", code=1)}
    assert set(listed) == {"nyra", "chess", "luck"}
    assert (listed["luck"]["kind"], bool(listed["luck"]["problem"])) == ("house-rule", True)
    find_plugins(monkeypatch)
    assert affray("plugins").stdout == "no rules plugin is installed\n"


# -- export


def test_an_export_is_the_bytes_of_the_ledger(home: Path, tmp_path: Path) -> None:
    session, path = short(home)
    assert affray("export", "s", "--for", "gm").stdout_bytes == path.read_bytes()
    target = tmp_path / "copy.affray"
    assert affray("export", "s", "-o", target).exit_code == 0
    assert affray("verify", target).stdout.endswith(f"head: {session.head}:{session.digest}\n")
    assert affray("replay", target).stdout == affray("replay", "s").stdout


def test_an_export_takes_nothing_over_unless_told(home: Path, tmp_path: Path) -> None:
    _, path = short(home)
    target = tmp_path / "copy.affray"
    target.write_text("mine")
    refused = affray("export", "s", "-o", target)
    assert (refused.exit_code, target.read_text()) == (1, "mine")
    assert refused.stderr == f"affray: {target} exists; --force writes over it\n"
    told = document("export", "s", "-o", target, "--force")
    assert told["bytes"] == len(target.read_bytes())
    before = path.read_bytes()
    own = affray("export", "s", "-o", path, "--force")
    assert (own.exit_code, path.read_bytes()) == (2, before)
    assert affray("export", "s", "--json").exit_code == 2
    assert affray("export", "s", "-o", tmp_path / "no" / "where").exit_code == 2
    assert sorted(file.name for file in tmp_path.iterdir()) == ["copy.affray", "home"]


def test_no_export_has_the_secret(home: Path, tmp_path: Path) -> None:
    store = JsonlStore(home / "sessions")
    session = tiny_session(engine(store))
    secret = store.secret("s")
    store.close()
    assert secret is not None
    for reader in ("public", "gm", "ann"):
        out = affray("export", "s", "--for", reader).stdout_bytes
        for value in json.loads(secret).values():
            assert not value or str(value).encode() not in out
    assert session.head


# -- playing


def test_the_demo_plays_tells_verifies_and_says_what_to_try(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    result = affray("demo")
    assert result.exit_code == 0, result.stderr
    for needle in (
        "d10 shows 3 against 7",
        "d10 shows 4 against 5",
        "left arm: 12 = 3 + 4 + 2 (3d6) + 3 (STR 7)",
        "d10 shows 2 against 3",
        "d10 shows 2 against 5",
        "The fight is over: ",
        ": clean; ",
        "Try next:",
    ):
        assert needle in result.stdout, needle
    (path,) = (home / "sessions").glob("*.sqlite")
    assert f"log: {path}\n" in result.stdout
    tried = [line.split()[1:] for line in result.stdout.partition("Try next:\n")[2].splitlines()]
    assert len(tried) >= 3
    monkeypatch.chdir(home)
    for args in tried:
        name = next(arg for arg in args if arg in COMMANDS)
        assert affray(*args[args.index(name) :]).exit_code == 0, args


def test_a_demo_is_found_by_its_name_or_by_its_system(home: Path) -> None:
    assert document("demo", "duel")["over"]
    assert document("demo", "nyra")["over"]
    missing = affray("demo", "chess")
    assert missing.exit_code == 2
    assert re.fullmatch(r"affray: NAME: no such demo; there are duel \(nyra\), exalted \(exalted\).* \(got 'chess'\)\n", missing.stderr)


def test_run_plays_a_file_and_stores_it(home: Path) -> None:
    result = affray("run", DUEL, "--session", "mine")
    assert result.exit_code == 0, result.stderr
    assert result.stdout.rstrip().endswith(f"in {home / 'sessions' / 'mine.sqlite'}")
    replayed = affray("replay", "mine").stdout
    assert replayed.partition("\nA friendly duel — ")[0].strip() == result.stdout.rpartition("\n\nmine: ")[0].strip()
    told = document("run", DUEL)
    assert told["session"].startswith("duel-")
    assert told["over"].startswith("won-by-")
    assert Path(told["file"]).exists()
    again = affray("run", DUEL, "--session", "mine")
    assert again.exit_code == 1
    assert "exists already" in again.stderr


def test_a_refused_line_says_why_and_where_the_session_stands(home: Path, tmp_path: Path) -> None:
    path = tmp_path / "bad.toml"
    path.write_text(DUEL.read_text().replace('type = "C" }\n\n[[script]]\ndo = "answer"', 'type = "B" }\n\n[[script]]\ndo = "answer"'))
    result = affray("run", path, "--session", "s")
    assert result.exit_code == 1
    assert "bad.toml, $.script[0]: refused: Short Sword cannot be used for bludgeoning damage; " in result.stderr
    assert f"session s stands at version 9 in {home / 'sessions' / 's.sqlite'}" in result.stderr
    assert "Traceback" not in result.output
    assert affray("verify", "s").exit_code == 0


# -- misuse and damage


@pytest.mark.parametrize(
    ("args", "code", "told"),
    [
        (["dance"], 2, "No such command 'dance' (see 'affray --help')"),
        (["--loud"], 2, "No such option"),
        (["log"], 2, "Missing argument 'SESSION' (see 'affray log --help')"),
        (["log", "s", "--loud"], 2, "No such option"),
        (["log", "s", "--since", "-1"], 2, "Invalid value for '--since'"),
        (["log", "nope"], 2, "no session 'nope' in"),
        (["log", "a b"], 2, "a session's id must be"),
        (["log", "./nope.affray"], 2, "nope.affray: No such file or directory"),
        (["log", "/"], 2, "Is a directory"),
        (["show", "s", "--at", "999"], 2, "--at: no such version; the log ends at"),
        (["show", "s", "--at", "x"], 2, "Invalid value for '--at'"),
        (["show", "s", "--for", "zed"], 2, "there are ann, bob, gm, public (got 'zed')"),
        (["show", "s", "--for", "a b"], 2, "Invalid value for '--for'"),
        (["verify", "s", "--against", "7"], 2, "must be VERSION:DIGEST"),
        (["run", "nope.toml"], 2, "nope.toml: No such file or directory"),
        (["run", str(DUEL), "--for", "zed"], 2, "there are ada, bram, gm, public"),
        (["run", str(DUEL), "--session", "a b"], 2, "a session's id must be"),
    ],
)
def test_misuse_is_one_sentence_and_code_2(home: Path, args: list[str], code: int, told: str) -> None:
    short(home)
    result = affray(*args)
    assert result.exit_code == code
    assert result.stdout == ""
    assert result.stderr.startswith("affray: ")
    assert told in result.stderr
    assert result.stderr.count("\n") == 1
    assert [path.name for path in (home / "sessions").iterdir()] == ["s.affray"]


@pytest.mark.parametrize("name", ["log", "show", "replay", "export"])
def test_damage_is_one_sentence_and_code_1(home: Path, name: str) -> None:
    _, path = short(home)
    edit(path, lambda lines: [*lines[:3], lines[3].replace(b"Bob", b"Bab"), *lines[4:]])
    result = affray(name, "s")
    assert (result.exit_code, result.stdout) == (1, "")
    assert re.search(r"^affray: s, line 4, version 3: the event does not match its seal; .*'affray verify'", result.stderr)


def test_verify_names_damage_wherever_it_is(home: Path) -> None:
    _, path = short(home)
    good = path.read_bytes().splitlines()
    for number in range(len(good)):
        damaged = [line[:40] + bytes([line[40] ^ 1]) + line[41:] if i == number else line for i, line in enumerate(good)]
        edit(path, lambda lines, damaged=damaged: damaged)  # type: ignore[misc]
        result = affray("verify", path)
        assert result.exit_code == 1
        assert f"line {number + 1}" in result.stdout
        (finding,) = document("verify", path, code=1)["findings"]
        assert finding["code"] == "damaged"
        assert affray("verify", "s").exit_code == 1


def test_a_torn_end_is_dropped_with_a_note(home: Path) -> None:
    session, path = short(home)
    path.write_bytes(path.read_bytes()[:-5])
    for name in ("s", path):
        result = affray("log", name)
        assert result.exit_code == 0
        assert "no whole commit" in result.stderr
    empty = path.with_name("empty.affray")
    empty.write_bytes(b"")
    assert (affray("log", empty).exit_code, affray("verify", empty).exit_code) == (1, 1)
    assert session.head


def test_a_plugin_that_is_missing_or_breaks_is_one_sentence(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    find_plugins(monkeypatch)
    result = affray("demo")
    assert result.exit_code == 1
    assert result.stderr == "affray: plugin 'nyra': is not installed; there are none ('affray plugins' lists what is)\n"
    assert not (home / "sessions").exists()


def test_what_nobody_thought_of_is_a_sentence_too(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    short(home)
    monkeypatch.setattr("affray.sessions.cli.show.board", lambda *args: 1 // 0)
    result = affray("show", "s")
    assert result.exit_code == 1
    assert result.stderr.startswith("affray: something went wrong inside: ZeroDivisionError(")
    monkeypatch.setenv("AFFRAY_DEBUG", "1")
    assert isinstance(affray("show", "s").exception, ZeroDivisionError)


def test_the_data_folder_follows_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from affray.sessions.cli.places import folder

    monkeypatch.delenv("AFFRAY_HOME", raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "xdg"))
    assert folder() == tmp_path / "xdg" / "affray" / "sessions"
    monkeypatch.delenv("XDG_DATA_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert folder() == tmp_path / ".local" / "share" / "affray" / "sessions"
    monkeypatch.setenv("AFFRAY_HOME", str(tmp_path / "mine"))
    put(tiny_session(), tmp_path / "mine")
    assert affray("show", "s").exit_code == 0


def test_reading_takes_no_lock_and_writes_nothing(home: Path) -> None:
    store = JsonlStore(home / "sessions")
    session = tiny_session(engine(store))
    before = {path: path.read_bytes() for path in (home / "sessions").iterdir()}
    for name in ("log", "show", "replay", "verify", "export"):
        assert affray(name, "s").exit_code == 0
    assert before == {path: path.read_bytes() for path in (home / "sessions").iterdir()}
    must(session.end_turn("ann"))
    store.close()
    assert session.state(reader=GM).turn == "bob"


def test_every_event_kind_can_be_read(home: Path) -> None:
    session = fight()
    put(session, home)
    for reader in ("public", "ann", "gm"):
        assert len(json_lines("log", session.id, "--all", "--for", reader)) == session.head
        assert document("replay", session.id, "--for", reader)["version"] == session.head
    assert app.name == "app"
