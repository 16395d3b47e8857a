"""The script that checks a log without importing affray says the same as the library, and finds what was changed."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from affray.kernel import GM, Roll, redact, verify
from affray.sessions import Session

from ... import standalone_verify
from ...support.dicey import Dicey
from ...support.reseal import reseal
from ...support.table import answer_all, engine, must, play, tiny_catalog, tiny_session

SCRIPT = Path(standalone_verify.__file__)


def finished_fight() -> list[bytes]:
    """Players' nonces, nested strikes, upkeep dice, undo and redo in the middle, a blind roll, and later epochs."""
    session = tiny_session(engine(catalog=tiny_catalog(Dicey)), people=3, begun=False)
    must(session.begin())
    turn(session, "flurry", "bob", "cy", nonce="ann's 2nd")
    must(session.undo())
    must(session.redo())
    turn(session, "attack", "ann", nonce="bob's 1st")
    must(session.undo())
    turn(session, "peek", nonce="bob's 2nd")
    turn(session, "attack", "ann", nonce="bob's 3rd")
    must(session.reveal_dice())
    turn(session, "flurry", "ann", "bob", nonce="cy's 1st ✓")
    must(session.reveal_dice())
    turn(session, "attack", "bob", nonce="ann's 3rd")
    play(session, 100)
    assert session.state(reader=GM).over
    must(session.reveal_dice("kept"))
    return [session.header, *session.lines]


def turn(session: Session, name: str, *targets: str, nonce: str) -> None:
    who = session.state(reader=GM).turn
    must(session.declare(who, name, *targets, caller=who, nonce=nonce, seen=session.head))
    answer_all(session, 1)


@pytest.fixture(scope="module")
def lines() -> list[bytes]:
    return finished_fight()


def run(path: Path, lines: Sequence[bytes]) -> subprocess.CompletedProcess[str]:
    """The script as a stranger would run it: alone, on a file."""
    path.write_bytes(b"".join(line + b"\n" for line in lines))
    return subprocess.run([sys.executable, "-I", str(SCRIPT), str(path)], capture_output=True, text=True, check=False)


def test_the_script_does_not_import_affray() -> None:
    tree = ast.parse(SCRIPT.read_text("utf-8"))
    imported = {
        name
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in ([node.module] if isinstance(node, ast.ImportFrom) else [alias.name for alias in node.names])
    }

    assert {"json", "sys", "hashlib", "pathlib", "typing"} == imported


def test_the_script_proves_every_face_of_a_finished_fight(lines: list[bytes], tmp_path: Path) -> None:
    verdict = verify(lines)
    result = run(tmp_path / "s.affray", lines)
    rolls = [event for line in lines[1:] for event in json.loads(line)["events"] if event["kind"] == "roll"]
    faces = sum(len(chain) for roll in rolls for chain in roll["faces"] or ([0] * 5,))

    assert verdict.is_clean
    assert (len(rolls), 0) == (verdict.dice.proven, verdict.dice.unrevealed)
    assert (
        result.returncode,
        result.stdout,
        result.stderr,
    ) == (
        0,
        f"s: {verdict.version} events, {faces} faces proven, 0 rolls not opened, head {verdict.digest}\n",
        "",
    )


def test_the_fight_holds_what_it_is_meant_to_hold(lines: list[bytes]) -> None:
    events = [event for line in lines[1:] for event in json.loads(line)["events"]]
    rolls = [event for event in events if event["kind"] == "roll"]

    assert {"undo", "redo"} == {event["why"] for event in events if event["kind"] == "rewind"}
    assert [
        (event["chain"], event["epoch"]) for event in events if event["kind"] == "reveal-dice"
    ] == [("open", 1), ("open", 2), ("open", 3), ("kept", 1)]
    assert {True, False} == {">strike." in roll["action"] for roll in rolls}
    assert {True, False} == {roll["blind"] for roll in rolls}
    assert "grit" in {roll["key"] for roll in rolls}


def number_of_rolls(lines: Sequence[bytes]) -> int:
    return sum(is_open_roll(event) for line in lines[1:] for event in json.loads(line)["events"])


def is_open_roll(event: dict[str, Any]) -> bool:
    return event["kind"] == "roll" and bool(event["faces"])


def another_face(nth: int) -> Callable[[int, dict[str, Any]], None]:
    """Change the last face of the n-th roll that is not blind, and its total with it."""
    left = nth

    def change(version: int, event: dict[str, Any]) -> None:
        nonlocal left
        left -= is_open_roll(event)
        if is_open_roll(event) and left == -1:
            sides = event["plan"]["terms"][-1]["sides"]
            event["faces"][-1][-1] = event["faces"][-1][-1] % sides + 1
            event["total"] = sum(face for chain in event["faces"] for face in chain)

    return change


@pytest.mark.parametrize("nth", [0, 3, 6, 12, -1])
def test_a_changed_face_is_found_although_every_seal_is_good(lines: list[bytes], tmp_path: Path, nth: int) -> None:
    forged = reseal(lines, another_face(nth % number_of_rolls(lines)))
    result = run(tmp_path / "s.affray", forged)

    assert (result.returncode, result.stderr[:11]) == (1, "wrong: die ")
    assert [finding.code for finding in verify(forged).findings] == ["dice"]


@pytest.mark.parametrize(
    ("field", "value", "problem"),
    [("secret", "00" * 32, "wrong: the secret at version"), ("epoch", 700, "wrong: the epoch at version")],
)
def test_a_changed_opening_of_dice_is_found(
    lines: list[bytes], tmp_path: Path, field: str, value: object, problem: str
) -> None:
    def change(version: int, event: dict[str, Any]) -> None:
        if event["kind"] == "reveal-dice":
            event[field] = value

    result = run(tmp_path / "s.affray", reseal(lines, change))

    assert (1, problem) == (result.returncode, result.stderr[: len(problem)])


@pytest.mark.parametrize(
    ("field", "problem"),
    [
        ("seals", "wrong: a seal behind version 1"),
        ("previous", "wrong: what follows version 1"),
        ("first", "wrong: what follows version 1"),
    ],
)
def test_a_changed_envelope_is_found(lines: list[bytes], tmp_path: Path, field: str, problem: str) -> None:
    commit = json.loads(lines[2])
    broken = {"seals": ["0" * 64], "previous": "0" * 64, "first": 3}[field]
    commit["envelope"][field] = broken
    commit["digest"] = standalone_verify.digest(commit["envelope"])
    result = run(tmp_path / "s.affray", [*lines[:2], standalone_verify.canonical(commit), *lines[3:]])

    assert (1, problem) == (result.returncode, result.stderr.strip()[: len(problem)])


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        (b'{"digest":"', b'{"digest":"0', "wrong: the digest of the commit behind version 1"),
        (b'{"digest":', b'{ "digest":', "wrong: the line behind version 1 is not canonical"),
        (b'"kind":"join"', b'"kind":"leave","kind":"join"', "wrong: the line behind version 1 is not canonical"),
        (b'"name":"Ann"', b'"name":"Anna"', "wrong: a seal behind version 1"),
    ],
)
def test_changed_bytes_are_found(lines: list[bytes], tmp_path: Path, old: bytes, new: bytes, problem: str) -> None:
    assert old in lines[2]
    result = run(tmp_path / "s.affray", [*lines[:2], lines[2].replace(old, new, 1), *lines[3:]])

    assert (1, problem) == (result.returncode, result.stderr.strip())


def test_a_removed_commit_is_found(lines: list[bytes], tmp_path: Path) -> None:
    result = run(tmp_path / "s.affray", [*lines[:4], *lines[5:]])

    assert (result.returncode, result.stderr[:19]) == (1, "wrong: what follows")


def test_a_torn_last_line_is_left_out(lines: list[bytes], tmp_path: Path) -> None:
    path = tmp_path / "s.affray"
    whole = run(path, lines[:-1]).stdout
    path.write_bytes(b"".join(line + b"\n" for line in lines)[:-1])

    assert whole == subprocess.run([sys.executable, "-I", str(SCRIPT), str(path)], capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize("seed", range(5))
def test_the_script_agrees_with_the_library_on_other_fights(seed: int) -> None:
    session = tiny_session(engine(catalog=tiny_catalog(Dicey), seed=f"fight {seed}"), people=2 + seed % 3)
    play(session, 40, "flurry" if seed % 2 else "attack")
    must(session.close()) if not session.state(reader=GM).over else None
    verdict = session.verify()
    faces = sum(len(chain) for event in session._log.events if type(event) is Roll for chain in event.faces or ())

    assert verdict.is_clean
    assert standalone_verify.verify(session.header, *session.lines) == (
        f"s: {verdict.version} events, {faces} faces proven, 0 rolls not opened, head {verdict.digest}"
    )


def kept_and_secret() -> list[bytes]:
    """An action that is undone and keeps its faces, then a secret one, all epochs opened."""
    session = tiny_session(engine(catalog=tiny_catalog(Dicey)), undo_dice="keep")
    for nonce in ("1", "2"):
        must(session.declare("ann", "attack", "bob", caller="ann", nonce=nonce))
        answer_all(session, 1)
        if nonce == "1":
            must(session.undo())
    must(session.declare("bob", "attack", "ann", secret=True, caller="bob", nonce="3"))
    answer_all(session, 1)
    must(session.close()) if not session.state(reader=GM).over else None
    must(session.reveal_dice("kept"))
    return [session.header, *session.lines]


def test_the_script_follows_kept_faces_and_secret_runs() -> None:
    lines = kept_and_secret()
    verdict = verify(lines)
    rolls = [event for line in lines[1:] for event in events_of(line) if event["kind"] == "roll"]
    faces = sum(len(chain) for roll in rolls for chain in roll["faces"])

    assert verdict.is_clean
    assert {True, False} == {roll["reused"] > 0 for roll in rolls}
    assert f"{verdict.version} events, {faces} faces proven, 0 rolls not opened" in standalone_verify.verify(*lines)
    standalone_verify.verify(lines[0], *[redact(line, "public") for line in lines[1:]])


def events_of(line: bytes) -> list[dict[str, Any]]:
    """The events of a commit with everything that is kept of them beside them."""
    commit = json.loads(line)
    parts = {standalone_verify.digest(part): part for part in commit["kept"]}
    return [{**event, **parts.get(event.get("kept"), {}).get("event", {})} for event in commit["events"]]


def test_the_script_finds_a_kept_face_that_is_not_the_recorded_one() -> None:
    def change(version: int, event: dict[str, Any]) -> None:
        if event["kind"] == "roll" and event["reused"] and event["key"] == "attack":
            face = event["faces"][0][0] % 20 + 1
            event.update(faces=[[face]], total=face)

    with pytest.raises(SystemExit, match="wrong: die 1 of version"):
        standalone_verify.verify(*reseal(kept_and_secret(), change))
