"""What a session can be asked about itself: its audit, and the odds of an action."""

from __future__ import annotations

from fractions import Fraction

from affray.kernel import Refused

from ...support.table import must, tiny_session


def test_a_session_audits_itself() -> None:
    session = tiny_session()
    must(session.declare("ann", "heal", "ann", power=1))
    found = session.audit()

    assert (True, session.head, session.digest) == (found.is_clean, found.version, found.digest)
    assert found.checked > 5


def test_the_odds_of_an_action_are_asked_without_touching_the_fight() -> None:
    """Law 6: a skill of 10 hits with half of a d20's faces."""
    session = tiny_session()
    before = session.lines
    found = session.odds("ann", "attack", "bob", answers={"guard": "stand"})
    assert not isinstance(found, Refused)
    (odds,) = found

    assert Fraction(1, 2) == odds.codes()["hit"].value
    assert before == session.lines


def test_what_would_be_refused_is_refused() -> None:
    found = tiny_session().odds("bob", "attack", "ann")

    assert isinstance(found, Refused)
    assert "not-your-turn" == found.code
