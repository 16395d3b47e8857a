"""Dice notation that a person typed, through a session (cases DICE-1 to DICE-5)."""

from __future__ import annotations

from typing import Any

import pytest

from affray.kernel import GM, Done, Roll, Steps, hookimpl, limits
from affray.sessions import Session

from ...support.table import engine, must, tiny_catalog, tiny_session
from ...support.tiny import Tiny


def scripted(*faces: int) -> Session:
    """A fight whose dice after initiative are these."""
    return tiny_session(people=2, dice="scripted", script=(1, 1, *faces))


def roll(session: Session, notation: str) -> Roll:
    must(session.declare("ann", "roll", notation=notation))
    return next(r.event for r in reversed(session.history(reader=GM)) if isinstance(r.event, Roll))


def refused(session: Session, notation: str) -> tuple[str, ...]:
    """Refuse a notation; nothing is appended, and the session plays on."""
    before = session.head, session.digest
    answer = session.declare("ann", "roll", notation=notation)
    assert answer.refused is not None
    assert (session.head, session.digest) == before
    return (answer.refused.code, *[str(arg) for arg in answer.refused.args])


@pytest.mark.parametrize("notation", ["1d1!", "1d6!>=1", "1d6r<7"])
def test_a_condition_that_every_face_meets_is_refused_before_any_die(notation: str) -> None:
    """DICE-1: no draw, no roll in the log, and the session stays usable."""
    session = scripted(5)
    assert refused(session, notation)[0] == "bad-dice"
    assert roll(session, "1d6").faces == ((5,),), "the script still holds its only face"


@pytest.mark.parametrize(("notation", "face"), [("1d20!", 20), ("1d10000r>1", 7)])
def test_a_die_that_does_not_stop_is_refused_at_the_cap(notation: str, face: int) -> None:
    """DICE-1, law 9: never a quiet truncation; at the cap of links, and one face more is never asked for."""
    session = scripted(*[face] * limits.CHAIN_LINKS, 3)
    code, text = refused(session, notation)
    assert code == "dice-capped"
    assert str(limits.CHAIN_LINKS) in text
    assert roll(session, "1d20").faces == ((face,),), "nothing of the script was used up"


@pytest.mark.parametrize(
    "notation",
    [
        "9999999d999999999",
        "2147483647d2147483647",
        "+".join(["999d20"] * 600),
        "(" * 5000 + "1",
        "1d" + "9" * 5000,
    ],
)
def test_a_huge_notation_is_refused_before_any_die(notation: str) -> None:
    """DICE-2: one family of errors, no RecursionError, no ValueError."""
    session = scripted(4)
    assert refused(session, notation)[0] == "bad-dice"
    assert roll(session, "1d6").total == 4


@pytest.mark.parametrize("notation", ["²d6", "١d6", "１d6", "((0+1)d6 + 3 + )", "1d20 please don't break"])
def test_odd_characters_are_refused_with_a_position(notation: str) -> None:
    """DICE-3."""
    code, text = refused(scripted(1), notation)
    assert code == "bad-dice"
    assert "character" in text


def test_a_typographic_minus_counts_and_the_original_text_is_kept() -> None:
    """DICE-3."""
    thrown = roll(scripted(3), "1d4 − 1")
    assert (thrown.total, thrown.notation) == (2, "1d4 − 1")


@pytest.mark.parametrize(
    ("notation", "faces", "total"), [("2d6ro<3", (2, 5, 6), 11), ("2d6ro<3", (1, 5, 2), 7), ("2d6ro<=2", (2, 5, 6), 11)]
)
def test_reroll_once_keeps_the_replaced_die_and_does_not_count_it(
    notation: str, faces: tuple[int, int, int], total: int
) -> None:
    """DICE-4: the chain is first face, replacement; exactly three draws, in the order of the dice."""
    first, other, again = faces
    session = scripted(first, again, other)
    thrown = roll(session, notation)
    assert thrown.total == total
    assert thrown.faces == ((first, again), (other,))
    assert thrown.dropped == ((0, 0),)


@pytest.mark.parametrize(
    ("notation", "faces", "total"),
    [("4d20/4", (17, 4, 18, 16), "55/4"), ("7/2", (), "7/2"), ("-7/2", (), "-7/2"), ("(1d6-10)/2", (3,), "-7/2")],
)
def test_division_keeps_the_exact_fraction(notation: str, faces: tuple[int, ...], total: str) -> None:
    """DICE-5, law 7: rounding is the rules' business, so nothing is rounded here."""
    assert roll(scripted(*faces), notation).total == total


def test_division_by_zero_after_a_die_is_an_outcome_with_its_rolls() -> None:
    """DICE-5, law 10: recorded with the faces, the action fails, no damage, and the fight goes on."""
    session = scripted(4, 1, 6)
    thrown = roll(session, "1d6/(1d6-1)")
    assert (thrown.faces, thrown.total, thrown.fault) == (((4,), (1,)), 0, "division-by-zero")
    done = [r.event for r in session.history(reader=GM) if isinstance(r.event, Done)]
    assert done[-1].code == "failed"
    assert session.state(reader=GM).turn == "ann"
    assert roll(session, "1d6").total == 6
    assert session.verify().is_clean


class Brittle(Tiny):
    """Fails in a nested action and in a follow-up, to see how far a failure reaches."""

    @hookimpl
    def follow(self, fight: Any, action: Any, step: Any) -> Steps | None:
        return faulty(step.by) if isinstance(step, Roll) and step.key == "damage" else None


def faulty(who: str) -> Steps:
    from affray.kernel import parse

    yield Roll("faulty", by=who, plan=parse("1/0"))
    raise AssertionError("a resolver never goes on with a roll that has no value")


def test_a_fault_in_a_follow_up_closes_the_action_it_belongs_to() -> None:
    """Law 10."""
    for attempt in range(20):
        made = engine(catalog=tiny_catalog(Brittle), seed=f"b{attempt}")
        session = tiny_session(made)
        answer = must(session.declare("ann", "attack", "bob", id="a1"))
        if session.state(reader=GM).prompts:
            answer = must(session.answer("a1|ask.guard.0", "bob", "stand"))
            dones = [e for e in answer.events if isinstance(e, Done)]
            assert [(e.action, e.code) for e in dones] == [("a1", "failed")]
            assert made.load("s").state(reader=GM) == session.state(reader=GM)
            return
    raise AssertionError("no attack hit in twenty fights")


