"""What `verify` proves about dice, and what it finds when a host rewrites its own log and seals it again."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from hashlib import sha256
from typing import Any

import pytest

from affray.kernel import Finding, Roll, redact, verify
from affray.sessions import Session

from ... import standalone_verify
from ...support.dicey import Dicey
from ...support.reseal import reseal
from ...support.table import answer_all, engine, must, tiny_catalog, tiny_session


def fight(*, nonces: bool = True, close: bool = True, **start: Any) -> Session:
    """One attack by each of two players, dice at the start of their turns."""
    session = tiny_session(engine(catalog=tiny_catalog(Dicey)), **start)
    for who, foe in (("ann", "bob"), ("bob", "ann")):
        must(session.declare(who, "attack", foe, caller=who, nonce=f"{who}'s" if nonces else ""))
        answer_all(session, 1)
    if close and not session.state().over:
        must(session.close())
    return session


def log(session: Session) -> list[bytes]:
    return [session.header, *session.lines]


def rolls(session: Session) -> list[Roll]:
    return [found.event for found in session.history() if isinstance(found.event, Roll)]


def found(lines: Sequence[bytes], change: Callable[[int, dict[str, Any]], None]) -> tuple[Finding, ...]:
    return verify(reseal(lines, change)).findings


def test_rolls_are_proven_once_their_epoch_is_opened() -> None:
    session = fight(close=False)
    count = len(rolls(session))

    assert (0, count) == (session.verify().dice.proven, session.verify().dice.unrevealed)
    must(session.reveal_dice())
    assert session.verify().is_clean
    assert (count, 0) == (session.verify().dice.proven, session.verify().dice.unrevealed)


@pytest.mark.parametrize("nth", range(6))
def test_a_changed_face_is_a_finding_at_its_version(nth: int) -> None:
    lines = log(fight())
    at = [n for n, event in enumerate(events(lines), 1) if event["kind"] == "roll"][nth]

    def change(version: int, event: dict[str, Any]) -> None:
        if version == at:
            sides = event["plan"]["terms"][0]["sides"]
            event["faces"][0][0] = event["faces"][0][0] % sides + 1
            event["total"] = sum(face for (face,) in event["faces"])

    assert [(at, "dice")] == [(finding.version, finding.code) for finding in found(lines, change)]


def events(lines: Sequence[bytes]) -> list[dict[str, Any]]:
    return [event for line in lines[1:] for event in json.loads(line)["events"]]


def test_a_changed_face_is_no_finding_before_its_epoch_is_opened() -> None:
    """Nothing could be recomputed yet: the report counts it as not revealed, never as proven."""

    def change(version: int, event: dict[str, Any]) -> None:
        if event["kind"] == "roll" and event["key"] == "attack":
            event["faces"], event["total"] = [[20]], 20

    verdict = verify(reseal(log(fight(close=False)), change))

    assert (verdict.findings, verdict.dice.proven) == ((), 0)
    assert verdict.dice.engine == verdict.dice.unrevealed > 0


@pytest.mark.parametrize("secret", ["00" * 32, "", "no hex", sha256(b"").hexdigest()])
def test_a_false_secret_is_a_finding_and_proves_nothing(secret: str) -> None:
    lines = log(fight())

    def change(version: int, event: dict[str, Any]) -> None:
        if event["kind"] == "reveal-dice":
            event["secret"] = secret

    verdict = verify(reseal(lines, change))

    assert [finding.code for finding in verdict.findings] == ["dice-secret"]
    assert verdict.dice.proven == 0


def test_a_secret_of_the_other_chain_is_a_finding() -> None:
    def change(version: int, event: dict[str, Any]) -> None:
        if event["kind"] == "reveal-dice":
            event["chain"] = "kept"

    assert [finding.code for finding in found(log(fight()), change)] == ["dice-secret"]


def test_another_commitment_in_open_is_a_finding() -> None:
    def change(version: int, event: dict[str, Any]) -> None:
        if event["kind"] == "open":
            event["chain"] = sha256(b"another").hexdigest()

    assert [finding.code for finding in found(log(fight()), change)] == ["dice-secret"]


@pytest.mark.parametrize(
    ("kind", "field", "value"), [("roll", "occurrence", 7), ("roll", "by", "bob"), ("open", "session", "t")]
)
def test_a_changed_input_of_the_faces_is_a_finding(kind: str, field: str, value: object) -> None:
    def change(version: int, event: dict[str, Any]) -> None:
        if event["kind"] == kind and (kind == "open" or event["by"] == "ann"):
            event[field] = value

    assert "dice" in {finding.code for finding in found(log(fight()), change)}


def test_a_roll_that_is_called_blind_afterwards_is_not_proven() -> None:
    """The kept chain would have to be opened, and that one gave other faces."""

    def change(version: int, event: dict[str, Any]) -> None:
        if event["kind"] == "roll" and event["key"] == "attack" and event["by"] == "ann":
            event["blind"] = True

    session = fight()
    must(session.reveal_dice("kept"))
    lines = log(session)

    assert verify(lines).is_clean
    assert [finding.code for finding in found(lines, change)] == ["dice"]
    assert verify(reseal(lines[:-1], change)).dice.unrevealed == 1


def test_changed_nonces_are_found_by_the_faces_they_went_into() -> None:
    lines = log(fight())
    forged = [lines[0]]
    for line in lines[1:]:
        commit = json.loads(line)
        commit["envelope"]["nonce"] = commit["envelope"]["nonce"].replace("ann's", "the host's")
        forged.append(standalone_verify.canonical(commit))
    before = sum(roll.action.startswith(("begin", "start:ann.1")) for roll in rolls(fight()))
    verdict = verify(reseal(forged, lambda version, event: None))

    assert before == verdict.dice.proven
    assert {"dice"} == {finding.code for finding in verdict.findings}


def test_with_no_players_nonce_every_roll_counts_as_before_one() -> None:
    report = fight(nonces=False).verify().dice

    assert (0, report.engine) == (report.nonces, report.before_nonce)
    assert report.proven == report.engine > 0


def test_rolls_before_the_first_nonce_are_counted() -> None:
    session = fight()
    first = [roll.key for roll in rolls(session)][:3]

    assert (first, session.verify().dice.before_nonce) == (["initiative", "initiative", "grit"], 3)
    assert session.verify().dice.nonces == 2


def test_a_nonce_of_the_game_master_is_a_finding() -> None:
    lines = log(fight())
    forged = [lines[0]]
    for line in lines[1:]:
        commit = json.loads(line)
        if commit["events"][0]["kind"] == "join":
            commit["envelope"]["nonce"] = "free choice"
        forged.append(standalone_verify.canonical(commit))
    findings = verify(reseal(forged, lambda version, event: None)).findings

    assert "nonce-of-the-gm" in {finding.code for finding in findings}


def test_other_sources_are_counted_apart() -> None:
    scripted = fight(dice={"ann": "scripted-then-fair"}, script=[2, 3, 4])
    report = scripted.verify().dice

    assert (3, len(rolls(scripted)) - 3) == (report.scripted, report.engine)
    assert report.proven == report.engine


def test_a_blind_roll_stands_in_the_kept_chain() -> None:
    session = tiny_session(engine(catalog=tiny_catalog(Dicey)))
    must(session.declare("ann", "peek", caller="ann", nonce="x"))
    must(session.reveal_dice())

    assert (session.verify().dice.proven, session.verify().dice.unrevealed) == (3, 1)
    must(session.reveal_dice("kept"))
    assert (session.verify().dice.proven, session.verify().dice.unrevealed) == (4, 0)
    assert session.verify().is_clean


def test_a_blind_roll_is_unknown_in_a_players_copy() -> None:
    session = tiny_session(engine(catalog=tiny_catalog(Dicey)))
    must(session.declare("ann", "peek", caller="ann", nonce="x"))
    must(session.reveal_dice("kept"))
    verdict = verify([session.header, *(redact(line, "ann") for line in session.lines)])

    assert (session.digest, ()) == (verdict.digest, verdict.findings)
    assert (verdict.dice.unknown, verdict.hidden) == (1, 1)
