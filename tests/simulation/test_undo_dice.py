"""Dice after an undo, by the session's policy: drawn anew, kept, or no such undo (`undo_dice`)."""

from __future__ import annotations

from typing import Any

import pytest

from affray.kernel import GM, Refused
from affray.sessions import Engine, MemoryStore, Session

from ..support.table import answer_all, must, play, tiny_session
from .known_secret import CATALOG, KnownSecret, faces, rolls


def attack_twice(undo_dice: str) -> Session:
    """Ann attacks, it is undone, and she attacks again with another command and another nonce."""
    session = tiny_session(Engine(MemoryStore(), CATALOG, KnownSecret()), undo_dice=undo_dice)
    must(session.declare("ann", "attack", "bob", caller="ann", nonce="1", id="first"))
    answer_all(session, 1)
    must(session.undo())
    must(session.declare("ann", "attack", "bob", caller="ann", nonce="2", id="second"))
    answer_all(session, 1)
    return session


def shown(session: Session, key: str, by: str = "ann") -> list[tuple[Any, bool]]:
    """Faces of every roll of a key, and whether they were kept from an earlier one."""
    return [(roll.faces, roll.reused > 0) for roll in rolls(session, key, by)]


def close(session: Session) -> None:
    if not session.state().over:
        must(session.close())


def test_redraw_throws_new_dice_under_the_next_number() -> None:
    session = attack_twice("redraw")
    first, second = (faces("open", 1, sent, run, "|roll.attack.1.0", 20) for sent, run in ((("1",), 3), (("1", "2"), 5)))

    assert first != second
    assert [(first, False), (second, False)] == shown(session, "attack")
    assert session.verify().is_clean


def test_keep_gives_the_actors_nth_action_its_recorded_faces() -> None:
    session = attack_twice("keep")
    first = faces("open", 1, ("1",), 3, "|roll.attack.1.0", 20)
    close(session)
    report = session.verify()

    assert [(first, False), (first, True)] == shown(session, "attack")
    assert report.is_clean
    assert report.dice.unrevealed == 0


def test_keep_knows_an_action_whatever_was_undone_before_it() -> None:
    session = attack_twice("keep")
    must(session.undo())
    must(session.declare("ann", "attack", "bob", caller="ann", nonce="3"))

    assert [face for face, _ in shown(session, "attack")] == [rolls(session, "attack")[0].faces] * 3
    assert session.verify().is_clean


def test_keep_throws_new_dice_for_the_actors_next_action() -> None:
    session = tiny_session(Engine(MemoryStore(), CATALOG, KnownSecret()), undo_dice="keep")
    play(session, 6)

    assert not any(roll.reused for key in ("attack", "damage", "grit") for roll in rolls(session, key))


def test_forbid_refuses_an_undo_past_a_roll() -> None:
    session = tiny_session(Engine(MemoryStore(), CATALOG, KnownSecret()), undo_dice="forbid")
    must(session.note("Words can be taken back."))
    must(session.undo())
    must(session.declare("ann", "attack", "bob", caller="ann", nonce="1"))
    answer_all(session, 1)
    head = session.head

    assert Refused("dice-thrown") == session.undo().refused
    assert head == session.head


@pytest.mark.parametrize(("undo_dice", "same"), [("redraw", False), ("keep", True)])
def test_upkeep_dice_after_a_rewind(undo_dice: str, same: bool) -> None:
    """Bob's first turn begins twice: after Ann's action, and after it was undone and declared again."""
    session = attack_twice(undo_dice)
    (first, was_kept), (second, is_kept) = shown(session, "grit", "bob")

    assert (False, same) == (was_kept, is_kept)
    assert same == (first == second)
    close(session)
    assert session.verify().is_clean


def test_an_undo_that_is_redone_throws_no_dice() -> None:
    session = tiny_session(Engine(MemoryStore(), CATALOG, KnownSecret()))
    must(session.declare("ann", "attack", "bob", caller="ann", nonce="1"))
    answer_all(session, 1)
    before = session.state(reader=GM)
    for _ in range(3):
        must(session.undo())
        must(session.redo())

    assert before == session.state(reader=GM)
    assert len(rolls(session, "attack")) == 1
    must(session.declare("bob", "attack", "ann"))
    assert faces("open", 1, ("1",), 5, "|roll.attack.2.0", 20) == rolls(session, "attack")[-1].faces



def test_a_command_named_like_its_action_keeps_its_faces_too() -> None:
    """What an action is, its declaration says, and no id."""
    session = tiny_session(Engine(MemoryStore(), CATALOG, KnownSecret()), undo_dice="keep")
    for name in ("one", "attack", "start"):
        must(session.declare("ann", "attack", "bob", caller="ann", nonce=name, id=name))
        must(session.undo())

    assert len({face for face, _ in shown(session, "attack")}) == 1
    assert session.verify().is_clean


def test_an_action_that_waits_keeps_its_own_number_while_its_actor_declares_another() -> None:
    """Ann's blow is her first action, however many she declares before it lands."""
    session = tiny_session(Engine(MemoryStore(), CATALOG, KnownSecret()), undo_dice="keep")
    for name in ("b1", "b2"):
        must(session.declare("ann", "blow", "bob", id=name))
        while session.state().open.get(name):
            must(session.declare(session.state().turn, "end-turn"))
        assert session.state().declared["ann"] > 1
        while name == "b1" and session.state().declared:
            must(session.undo())

    (first, was_kept), (second, is_kept) = shown(session, "damage")
    assert (False, True, first) == (was_kept, is_kept, second)
    assert session.verify().is_clean


def test_kept_faces_are_proven_with_the_epoch() -> None:
    session = attack_twice("keep")
    close(session)
    report = session.verify().dice

    assert report.proven == report.engine == len(rolls(session, ""))


def test_an_action_that_was_undone_is_not_counted() -> None:
    """Ann's first action is a sweep at last, whatever she tried before: it has its own dice, and keeps them."""
    session = tiny_session(Engine(MemoryStore(), CATALOG, KnownSecret()), undo_dice="keep")
    for nonce, name in enumerate(("attack", "sweep", "attack", "sweep")):
        must(session.declare("ann", name, "bob", caller="ann", nonce=f"{nonce}"))
        must(session.undo())

    for key in ("attack", "sweep"):
        (first, was_kept), (second, is_kept) = shown(session, key)
        assert (False, True, first) == (was_kept, is_kept, second)
    assert session.verify().is_clean
