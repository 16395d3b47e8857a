"""Undo of what stands behind an amend."""

from __future__ import annotations

from affray.kernel import GM, Refused, canonical, commands

from ...support.table import answer_all, must, tiny_session


def test_an_amend_that_was_answered_is_still_taken_back_as_a_whole() -> None:
    """First the answer, then all of the amend: undo does not stop in the middle of one."""
    session = tiny_session(dice="scripted-then-fair", script=(1, 2, 1, 3, 4))
    must(session.declare("ann", "attack", "bob"))
    answered = session.head + 1
    answer_all(session, 1)
    before, head = session.state(reader=GM), session.head
    must(session.request(commands.Amend(edits=(commands.Drop(at=answered),), reason="asked again")))
    stopped = session.state(reader=GM)
    assert stopped.prompts
    answer_all(session, 1)

    must(session.undo())
    assert canonical(stopped) == canonical(session.state(reader=GM))
    must(session.undo())
    assert canonical(before) == canonical(session.state(reader=GM))
    assert head == session.history(reader=GM)[-1].event.to
    assert session.verify().is_clean
    assert session.audit().is_clean


def test_a_player_does_not_take_back_an_answer_behind_an_amend() -> None:
    session = tiny_session(dice="scripted-then-fair", script=(1, 2, 1, 3, 4))
    must(session.declare("ann", "attack", "bob", caller="ann"))
    answered = session.head + 1
    answer_all(session, 1)
    must(session.request(commands.Amend(edits=(commands.Drop(at=answered),), reason="asked again")))
    answer_all(session, 1)

    assert Refused("not-yours", ("ann",)) == session.undo(caller="ann").refused
