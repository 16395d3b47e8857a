"""What `verify` finds in rolls whose host threw other dice than its session says, or none."""

from __future__ import annotations

from typing import Any

import pytest

from affray.kernel import SetStep, verify

from ...support.forged import (
    Change,
    ann_attacks,
    changed,
    closed,
    codes,
    dicey,
    events,
    fight,
    findings,
    log,
    say,
    versions,
)
from ...support.table import answer_all, must


def set_face(source: str, face: int = 1) -> Change:
    return lambda event: event.update(source=source, faces=[[face]], total=face)


def called(source: str) -> Change:
    return lambda event: event.update(source=source)


# -- where faces come from


@pytest.mark.parametrize("source", ["reported", "scripted", "imported", "overruled", "whatever"])
def test_a_source_that_the_policy_does_not_give_is_found(source: str) -> None:
    lines = changed(fight(), "roll", set_face(source), key="attack")

    assert {"source"} == {code for _, code in codes(lines)}
    assert versions(lines, kind="roll", key="attack") == [version for version, _ in codes(lines)]


@pytest.mark.parametrize(
    ("dice", "allowed"),
    [("reported", ["reported"]), ("scripted", ["scripted"]), ("scripted-then-fair", ["scripted", "engine"])],
)
def test_every_policy_gives_its_own_sources(dice: str, allowed: list[str]) -> None:
    session = dicey(dice={"ann": dice}, begun=False, script=(3, 4, 10, 1, 2))
    must(session.begin())
    answer_all(session)
    must(session.declare("ann", "attack", "bob"))
    answer_all(session, 1)
    lines = log(session)
    found = {
        source: codes(changed(lines, "roll", called(source), key="attack"))
        for source in ("scripted", "engine", "reported", "imported")
    }

    assert allowed == [source for source, what in found.items() if not what]
    assert [(versions(lines, key="attack", kind="roll")[0], "source")] == found["imported"]


def test_dice_that_one_who_left_was_to_report_may_be_thrown() -> None:
    session = dicey(people=3, dice={"bob": "reported"}, begun=False)
    must(session.begin())
    answer_all(session)
    must(session.declare("ann", "sweep", "bob", "cy"))
    slot = next(iter(session.state().prompts))
    must(session.answer(slot, "cy", "stand"))
    must(session.answer(slot, "bob", "duck"))
    must(session.leave("bob"))

    (at,) = versions(log(session), kind="roll", key="save")
    assert events(log(session))[at - 1]["source"] == "engine"
    assert session.verify().is_clean


def test_other_faces_than_those_that_the_game_master_set_are_found() -> None:
    session = dicey()
    must(session.overrule("mercy", SetStep(slot="a1|roll.attack.ann.0", fields={"faces": [[7]]})))
    must(ann_attacks(session))
    answer_all(session, 1)
    lines = log(session)
    (at,) = versions(lines, kind="roll", key="attack")

    assert [] == codes(lines)
    assert [(at, "source")] == codes(changed(lines, "roll", set_face("overruled", 8), key="attack"))
    assert [(at, "source")] == codes(changed(lines, "roll", called("engine"), key="attack"))


# -- what a roll is


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (lambda e: e.update(action="nowhere", faces=[[1]], total=1), "no-action"),
        (lambda e: e.update(action=e["action"] + ">x.nobody.0"), "nobody"),
        (lambda e: e.update(by="nobody"), "nobody"),
        (lambda e: e["plan"]["terms"][0].update(count=2000), "faces"),
        (lambda e: e["plan"]["terms"][0].update(count=2**53 - 1), "faces"),
        (lambda e: e["plan"]["terms"][0].update(explode=[">=", 1]), "faces"),
        (lambda e: e.update(faces=[[1], [1]]), "faces"),
        (lambda e: e.update(faces=[[]]), "faces"),
        (lambda e: e.update(faces=[[21]], total=21), "faces"),
        (lambda e: e.update(total=e["total"] + 1), "reading"),
        (lambda e: e.update(dropped=[[0, 0]]), "reading"),
        (lambda e: e.update(faces=[[e["faces"][0][0] % 20 + 1]], total=e["faces"][0][0] % 20 + 1), "dice"),
    ],
)
def test_a_roll_that_cannot_be_is_found_and_raises_nothing(change: Change, code: str) -> None:
    lines = fight()
    (at,) = versions(lines, kind="roll", key="attack", by="ann")

    assert (at, code) in codes(changed(lines, "roll", change, key="attack", by="ann"))


def test_faces_that_the_die_does_not_have_are_found_whoever_reported_them() -> None:
    session = dicey(dice={"ann": "reported"}, begun=False)
    must(session.begin())
    answer_all(session)
    must(session.declare("ann", "attack", "bob"))
    answer_all(session, 1)
    lines = log(session)
    (at,) = versions(lines, kind="roll", key="attack")

    assert [(at, "faces")] == codes(changed(lines, "roll", set_face("reported", 99), key="attack"))


# -- dice that were to be kept, or not


def test_faces_kept_from_another_slot_are_found() -> None:
    """Under redraw nothing is kept, whatever the roll says."""
    lines = fight()
    (at,) = versions(lines, kind="roll", key="attack", by="ann")
    (other,) = versions(lines, kind="roll", key="attack", by="bob")
    earlier = events(lines)[at - 1]

    def reuse(event: dict[str, Any]) -> None:
        event.update(reused=at, faces=earlier["faces"], total=earlier["total"])

    assert (other, "reused") in codes(changed(lines, "roll", reuse, key="attack", by="bob"))


def test_faces_kept_from_a_roll_without_dice_are_found() -> None:
    session = dicey()
    say(session, "ann", "first")
    must(session.declare("ann", "roll", notation="0d6", caller="ann", nonce="x"))
    must(ann_attacks(session))
    answer_all(session, 1)
    lines = closed(session)
    (at,), (attack,) = versions(lines, kind="roll", key="typed"), versions(lines, kind="roll", key="attack")
    forged = changed(lines, "roll", lambda e: e.update(reused=at, faces=[[1]], total=1), key="attack")

    assert verify(lines).is_clean
    assert (attack, "reused") in codes(forged)


def twice(undo_dice: str) -> list[bytes]:
    """Ann attacks, takes it back, and attacks again."""
    session = dicey(undo_dice=undo_dice)
    say(session, "ann", "first")
    must(ann_attacks(session))
    answer_all(session, 1)
    must(session.undo())
    must(session.declare("ann", "attack", "bob", caller="ann", nonce="again"))
    answer_all(session, 1)
    return closed(session)


def test_new_dice_where_recorded_ones_were_to_be_kept_are_found() -> None:
    lines = changed(twice("redraw"), "open", lambda event: event.update(undo_dice="keep"))
    first, second = versions(lines, kind="roll", key="attack")

    assert [text for _, text in codes(lines)].count("reused") == len(codes(lines))
    assert (second, "reused") in codes(lines)
    assert f"keeps the faces of version 0, {first} were to be kept" in findings(lines)[0].text


@pytest.mark.parametrize("change", [lambda e: e.update(reused=0), lambda e: e.update(reused=e["reused"] - 1)])
def test_kept_faces_of_another_version_are_found(change: Change) -> None:
    lines = twice("keep")
    _, second = versions(lines, kind="roll", key="attack")

    assert verify(lines).is_clean
    assert (second, "reused") in codes(reused_only(lines, change))


def reused_only(lines: list[bytes], change: Change) -> list[bytes]:
    return changed(lines, "roll", lambda event: change(event) if event["reused"] else None, key="attack")


def test_faces_that_are_said_to_be_kept_and_are_not_are_found_before_the_epoch_is_opened() -> None:
    lines = [line for line in twice("keep") if b"reveal-dice" not in line]
    _, second = versions(lines, kind="roll", key="attack")

    def other(event: dict[str, Any]) -> None:
        face = event["faces"][0][0] % 20 + 1
        event.update(faces=[[face]], total=face)

    assert verify(lines).is_clean
    assert [(second, "reused")] == codes(reused_only(lines, other))


def test_an_undo_past_a_roll_that_is_forbidden_is_found() -> None:
    lines = changed(twice("redraw"), "open", lambda event: event.update(undo_dice="forbid"))

    assert [(version, "dice-undone") for version in versions(lines, kind="rewind")] == codes(lines)


def test_words_may_be_taken_back_where_dice_may_not() -> None:
    session = dicey(undo_dice="forbid")
    must(ann_attacks(session))
    answer_all(session, 1)
    for _ in range(2):
        must(session.note("hm"))
        must(session.undo())
        must(session.redo())
        must(session.undo())

    assert session.verify().is_clean
