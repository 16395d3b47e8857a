"""Undo and redo at the table: what is taken back, by whom, and what is refused. Random ones are in tests/simulation."""

from __future__ import annotations

import pytest

from affray.kernel import GM, Join, Modifier, Note, Rewind, Roll, SetPool, State, canonical
from affray.sessions import Answer, Session

from ...support.fights import prompt_for
from ...support.table import answer_all, engine, must, tiny_session

SURE = (Modifier("attack.skill", 20, "sure"),)


def now(session: Session) -> bytes:
    return canonical(session.state(reader=GM))


def code(answer: Answer) -> str:
    assert answer.refused is not None
    return answer.refused.code


def to(answer: Answer) -> int:
    (event,) = must(answer).events
    assert isinstance(event, Rewind)
    return event.to


def end_turn(session: Session, who: str, id: str = "") -> None:
    must(session.declare(who, "end-turn", id=id, caller=who))


def test_undo_takes_back_the_last_action_with_all_its_commits() -> None:
    session = tiny_session()
    before, head = now(session), session.head
    must(session.declare("ann", "attack", "bob", rows=SURE))
    must(session.answer(prompt_for(session, "bob"), "bob", "dodge"))
    assert before != now(session)
    assert head == to(session.undo())
    assert before == now(session)


def test_nothing_is_taken_out_of_the_log() -> None:
    """Law 1: what was undone is marked, and every version before can still be shown."""
    session = tiny_session()
    head = session.head
    must(session.declare("ann", "attack", "bob", rows=SURE))
    answer_all(session)
    lines, played, last = session.lines, now(session), session.head
    must(session.undo())
    assert lines == session.lines[: len(lines)]
    assert played == canonical(session.state(last, reader=GM))
    undone = [recorded.version for recorded in session.history() if recorded.undone]
    assert list(range(head + 1, session.head + 1)) == undone


def test_an_action_that_somebody_stepped_into_is_taken_back_command_by_command() -> None:
    session = tiny_session()
    must(session.declare("ann", "attack", "bob", rows=SURE, id="a1"))
    asked = now(session)
    must(session.overrule("so", SetPool(target="bob", pool="hp", value=3)))
    overruled = now(session)
    must(session.answer("a1|ask.guard.0", "bob", "stand"))
    must(session.undo())
    assert overruled == now(session)
    must(session.undo())
    assert asked == now(session)
    must(session.undo())
    assert session.state().open == {}


def test_notes_do_not_step_in() -> None:
    session = tiny_session()
    before = now(session)
    must(session.declare("ann", "attack", "bob", rows=SURE, id="a1"))
    must(session.note("hm", caller="bob"))
    must(session.answer("a1|ask.guard.0", "bob", "stand"))
    must(session.undo())
    assert before == now(session)


def test_an_own_note_is_the_last_thing_one_did_another_s_is_not() -> None:
    session = tiny_session()
    before = now(session)
    end_turn(session, "ann", "a1")
    must(session.note("wrong fight"))
    assert session.head - 1 == to(session.undo())
    assert session.state().turn == "bob"
    must(session.note("haha", caller="bob"))
    must(session.undo())
    assert before == now(session)


def test_everything_but_the_opening_can_be_taken_back() -> None:
    session = tiny_session()
    end_turn(session, "ann")
    for _ in range(4):  # the turn, the beginning, two joins
        must(session.undo())
    state = session.state(reader=GM)
    assert (state.began, state.combatants, state.session) == (False, {}, "s")
    assert code(session.undo()) == "nothing-to-undo"
    for _ in range(4):
        must(session.redo())
    assert session.state().turn == "bob"
    assert code(session.redo()) == "nothing-to-redo"


# -- by name


def test_the_last_action_can_be_named() -> None:
    session = tiny_session()
    before = now(session)
    end_turn(session, "ann", "a1")
    must(session.note("hm"))
    must(session.undo("a1"))
    assert before == now(session)


@pytest.mark.parametrize("name", ["a0", "begin", "start:ann.1", "a1>choice.0>x", "n1", "open", "ann", "join"])
def test_what_is_no_action_cannot_be_named(name: str) -> None:
    session = tiny_session()
    end_turn(session, "ann", "a1")
    must(session.note("hm"))
    assert code(session.undo(name)) == "no-such-action"


def test_a_nested_action_stands_for_the_whole() -> None:
    session = tiny_session()
    before = now(session)
    must(session.declare("ann", "flurry", "bob", id="a1"))
    answer_all(session)
    must(session.undo("a1>strike.bob.0"))
    assert before == now(session)


def test_what_something_followed_needs_amend() -> None:
    session = tiny_session()
    end_turn(session, "ann", "a1")
    end_turn(session, "bob", "a2")
    head = session.head
    assert code(session.undo("a1")) == "needs-amend"
    assert head == session.head
    must(session.undo("a2"))
    must(session.undo("a1"))
    assert session.state().turn == "ann"


def test_an_overrule_in_the_middle_follows_the_action() -> None:
    session = tiny_session()
    must(session.declare("ann", "attack", "bob", rows=SURE, id="a1"))
    must(session.overrule("so", SetPool(target="bob", pool="hp", value=3)))
    must(session.answer("a1|ask.guard.0", "bob", "stand"))
    assert code(session.undo("a1")) == "needs-amend"


def test_what_is_undone_already_is_refused_until_it_is_redone() -> None:
    session = tiny_session()
    end_turn(session, "ann", "a1")
    must(session.undo("a1"))
    assert code(session.undo("a1")) == "already-undone"
    must(session.redo())
    must(session.undo("a1"))


# -- redo


def test_undo_of_an_undo_is_redo() -> None:
    session = tiny_session()
    stood = [now(session)]
    for count, who in enumerate(("ann", "bob", "ann")):
        end_turn(session, who, f"a{count}")
        stood.append(now(session))
    for _ in range(2):  # also a second time
        for back in (2, 1, 0):
            must(session.undo())
            assert stood[back] == now(session)
        for forth in (1, 2, 3):
            must(session.redo())
            assert stood[forth] == now(session)
    assert code(session.redo()) == "nothing-to-redo"


def test_redo_and_undo_may_alternate() -> None:
    session = tiny_session()
    end_turn(session, "ann")
    end_turn(session, "bob")
    both = now(session)
    must(session.undo())
    one = now(session)
    must(session.undo())
    for _ in range(3):
        must(session.redo())
        assert one == now(session)
        must(session.redo())
        assert both == now(session)
        must(session.undo())
        assert one == now(session)
        must(session.undo())


def test_redo_is_refused_once_anything_else_was_appended() -> None:
    session = tiny_session()
    assert code(session.redo()) == "nothing-to-redo"
    end_turn(session, "ann")
    must(session.undo())
    must(session.note("anything"))
    assert code(session.redo()) == "nothing-to-redo"
    must(session.undo())  # the note alone
    must(session.redo())
    assert (code(session.redo()), session.state().turn) == ("nothing-to-redo", "ann")


def test_another_branch_does_not_come_back() -> None:
    session = tiny_session()
    end_turn(session, "ann", "a1")
    must(session.undo())
    must(session.declare("ann", "attack", "bob", rows=SURE, id="a2"))
    must(session.undo())
    must(session.redo())
    assert set(session.state().open) == {"a2"}
    assert code(session.undo("a1")) == "already-undone"


def test_redo_returns_into_an_open_prompt() -> None:
    session = tiny_session()
    must(session.declare("ann", "attack", "bob", rows=SURE, id="a1"))
    asked = now(session)
    must(session.undo())
    must(session.redo())
    assert asked == now(session)
    must(session.answer("a1|ask.guard.0", "bob", "stand"))
    assert session.state().turn == "bob"


# -- players


def test_a_player_takes_back_the_own_last_action() -> None:
    session = tiny_session()
    before = now(session)
    end_turn(session, "ann")
    must(session.undo(caller="ann"))
    assert before == now(session)
    must(session.redo(caller="ann"))
    assert session.state().turn == "bob"


def test_also_by_name_and_while_others_only_talk() -> None:
    session = tiny_session()
    for name in ("", "a2"):
        end_turn(session, "ann", f"a{1 if not name else 2}")
        must(session.note("oh?", caller="bob"))
        must(session.undo(name, caller="ann"))
        assert session.state().turn == "ann"


@pytest.mark.parametrize("who", ["bob", "cy"])
def test_not_somebody_else_s(who: str) -> None:
    session = tiny_session(people=3)
    end_turn(session, "ann", "a1")
    assert code(session.undo(caller=who)) == "not-yours"
    assert code(session.undo("a1", caller=who)) == "not-yours"


def test_not_once_somebody_else_has_acted() -> None:
    session = tiny_session()
    must(session.declare("ann", "attack", "bob", rows=SURE, id="a1"))  # the game master's, for ann
    assert code(session.undo(caller="ann")) == "not-yours"
    session = tiny_session()
    must(session.overrule("so", SetPool(target="bob", pool="hp", value=3)))
    must(session.declare("ann", "sweep", "bob", id="a1", caller="ann"))
    must(session.answer("a1|ask.sweep.0", "bob", "duck", caller="bob"))
    assert code(session.undo(caller="ann")) == "not-yours"
    must(session.undo())


def test_nothing_but_actions() -> None:
    session = tiny_session(begun=False)
    must(session.join("zed", side="zed", controller="zed", sheet={"hp": 3}, caller="zed"))
    assert code(session.undo(caller="zed")) == "not-yours"


def test_a_player_redoes_the_own_undo_only() -> None:
    session = tiny_session()
    end_turn(session, "ann")
    must(session.undo())
    assert code(session.redo(caller="ann")) == "not-yours"
    must(session.redo())


# -- dice


def test_undo_past_a_roll_may_be_forbidden() -> None:
    session = tiny_session(undo_dice="forbid")
    assert code(session.undo()) == "dice-thrown"  # who goes first was thrown for
    end_turn(session, "ann", "a1")
    must(session.undo())
    must(session.declare("ann", "sweep", "bob", id="a2"))
    assert code(session.undo("a2")) == "dice-thrown"


def faces(session: Session) -> list[object]:
    events = [recorded.event for recorded in session.history() if not recorded.undone]
    return [(event.key, event.faces) for event in events if isinstance(event, Roll)]


@pytest.mark.parametrize(("policy", "same"), [("keep", True), ("redraw", False)])
def test_undone_dice_are_kept_or_drawn_anew(policy: str, same: bool) -> None:
    session = tiny_session(undo_dice=policy)
    must(session.declare("ann", "sweep", "bob", id="a1"))
    first = faces(session)
    seen = set()
    for count in range(6):
        must(session.undo())
        must(session.declare("ann", "sweep", "bob", id=f"b{count}"))
        seen.add(first == faces(session))
    assert ({True} if same else {True, False}) >= seen
    assert same is (False not in seen)


def test_a_script_is_not_rewound() -> None:
    session = tiny_session(dice="scripted", script=(1, 1, 5, 6, 3))
    must(session.declare("ann", "sweep", "bob", id="a1"))
    must(session.undo())
    must(session.declare("ann", "sweep", "bob", id="a2"))
    rolls = [recorded.event for recorded in session.history() if isinstance(recorded.event, Roll)]
    assert [roll.total for roll in rolls] == [1, 1, 5, 6]


# -- what is never rewound


def test_reveals_stay_open() -> None:
    session = tiny_session()
    must(session.join("ghost", side="ghost", sheet={"hp": 7}))
    joined = session.head
    must(session.reveal(joined))
    assert session.state().combatants["ghost"].pools["hp"] == 7
    must(session.undo())  # the reveal is no step of the fight: the join goes
    assert "ghost" not in session.state().combatants
    must(session.redo())
    assert session.state().combatants["ghost"].pools["hp"] == 7
    ghosts = [r.event for r in session.history() if isinstance(r.event, Join) and r.event.id == "ghost"]
    assert ghosts[0].sheet == {"hp": 7}


def test_a_reveal_in_between_needs_no_amend() -> None:
    session = tiny_session()
    must(session.note("psst", secret=True))
    noted = session.head
    end_turn(session, "ann", "a1")
    must(session.reveal(noted))
    must(session.reveal_dice())
    must(session.undo("a1"))
    assert session.state().turn == "ann"


def test_epochs_nonces_and_numbers_of_runs_go_on() -> None:
    session = tiny_session()
    must(session.declare("ann", "sweep", "bob", id="a1", caller="ann", nonce="n1"))
    must(session.reveal_dice())
    log = session._log
    runs, epochs, nonces = len(log.openings), dict(log.epochs), log.nonces
    must(session.undo("a1"))
    must(session.declare("ann", "sweep", "bob", id="a2", caller="ann", nonce="n2", seen=session.head))
    assert (runs + 1, epochs, nonces + 1) == (len(log.openings), log.epochs, log.nonces)
    restarted = engine(session._store, seed="x").load("s")._log
    assert (log.openings, log.epochs, log.nonces) == (restarted.openings, restarted.epochs, restarted.nonces)


def test_closing_is_undone_too_and_play_goes_on_in_the_next_epoch() -> None:
    session = tiny_session()
    must(session.close("rain"))
    assert session.state().over == "rain"
    must(session.undo())
    assert session.state().over == ""
    must(session.declare("ann", "sweep", "bob"))
    verdict = session.verify()
    assert verdict.is_clean
    assert (verdict.dice.proven, verdict.dice.unrevealed) == (2, 1)


def test_show_at_any_version() -> None:
    session = tiny_session()
    must(session.declare("ann", "attack", "bob", rows=SURE))
    answer_all(session)
    must(session.undo())
    states: list[State] = [session.state(version) for version in range(session.head + 1)]
    assert states[0] == State()
    assert states[-1] == session.state()
    assert len({canonical(state) for state in states}) > session.head // 2
    assert not any(isinstance(recorded.event, Note) for recorded in session.history())
