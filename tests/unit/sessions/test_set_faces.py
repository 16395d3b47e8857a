"""Faces that the game master sets for a coming roll, and faces that nobody may give any more."""

from __future__ import annotations

from typing import Any

import pytest

from affray.kernel import InputError, Modifier, Refused, SetStep
from affray.sessions import Session

from ...support.forged import ann_attacks, attacks, closed, dicey, say
from ...support.table import answer_all, must

SLOT = "a1|roll.attack.ann.0"


def set_faces(session: Session, faces: Any) -> None:
    must(session.overrule("mercy", SetStep(slot=SLOT, fields={"faces": faces})))


def test_faces_that_the_game_master_set_are_called_so_and_are_no_forgery() -> None:
    session = dicey()
    must(say(session, "ann", "first"))
    set_faces(session, [[1]])
    must(ann_attacks(session))
    answer_all(session, 1)
    closed(session)
    (roll,) = attacks(session)

    assert (roll.faces, roll.source) == (((1,),), "overruled")
    assert session.verify().is_clean
    assert session.verify().dice.overruled == 1


@pytest.mark.parametrize("faces", ["abc", 5, [[True]], [1], [["1"]], None])
def test_what_is_no_list_of_chains_of_faces_cannot_be_set(faces: Any) -> None:
    session = dicey()
    head = session.head

    with pytest.raises(InputError):
        session.overrule("mercy", SetStep(slot=SLOT, fields={"faces": faces}))
    assert head == session.head


@pytest.mark.parametrize("faces", [[[99]], [[0]], [[-1]], [[21]], [[1], [2]], [], [[]], [[1, 2]]])
def test_a_roll_whose_dice_do_not_have_the_faces_that_were_set_is_refused(faces: list[list[int]]) -> None:
    session = dicey()
    set_faces(session, faces)
    head = session.head

    refused = ann_attacks(session).refused
    assert refused is not None
    assert (refused.code, head) == ("bad-dice", session.head)
    set_faces(session, [[20]])
    must(ann_attacks(session))
    assert attacks(session)[0].faces == ((20,),)


def test_a_report_is_refused_while_impossible_faces_are_set_for_it() -> None:
    session = dicey(dice={"ann": "reported"}, begun=False)
    must(session.begin())
    answer_all(session)
    must(ann_attacks(session))
    set_faces(session, [[99]])
    head = session.head

    refused = session.report(SLOT, "ann", [[3]]).refused
    assert refused is not None
    assert (refused.code, head) == ("wrong-dice", session.head)
    set_faces(session, [[9]])
    must(session.report(SLOT, "ann", [[3]]))
    assert attacks(session)[0].faces == ((9,),)


def test_nobody_may_set_whom_a_nested_action_is_against() -> None:
    """Two rolls would stand in one slot, and meet the same dice."""
    session = dicey(people=3)

    with pytest.raises(InputError, match="cannot be set"):
        session.overrule("x", SetStep(slot="a1|act.strike.cy.0", fields={"targets": ["bob"]}))


def test_a_script_gives_no_face_that_the_die_does_not_have() -> None:
    session = dicey(dice={"*": "scripted"}, script=(6, 7), begun=False)
    head = session.head

    assert Refused("bad-dice", ("dice: the script gives 7 to a d6",)) == session.begin().refused
    assert head == session.head


def test_dice_that_one_who_left_was_to_report_are_the_engines_and_nobody_reports_them() -> None:
    session = dicey(people=3, dice={"bob": "reported"}, begun=False, witness=True)
    must(session.begin())
    answer_all(session)
    must(session.declare("ann", "attack", "bob", id="a1", rows=(Modifier("attack.skill", 10, "sure"),)))
    must(session.answer("a1|ask.witness-attack.0", "ann", "witness", caller="ann", nonce="1"))
    must(session.answer("a1|ask.guard.0", "bob", "dodge", caller="bob", nonce="2"))
    slot = "a1|roll.dodge.bob.0"
    assert [slot] == list(session.prompts())
    must(session.leave("bob"))

    assert Refused("gone", ("bob",)) == session.report(slot, "bob", [[1]]).refused
    must(session.answer("a1|ask.witness-dodge.0", "ann", "witness", caller="ann", nonce="3"))
    assert [roll.source for roll in attacks(session, "bob", "dodge")] == ["engine"]
    assert session.verify().is_clean
