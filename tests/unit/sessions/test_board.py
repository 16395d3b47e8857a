"""The board: what it shows, what it does not know, and how it fits."""

from __future__ import annotations

import msgspec
import pytest

from affray.kernel import GM, PUBLIC, Held, SetCondition
from affray.sessions import Session
from affray.sessions.views.board import Board, board, lines, table
from affray.sessions.views.texts import Texts, columns

from ...golden.samples import fight
from ...support.table import answer_all, must, tiny_session

PLAIN = Texts()


def shown(session: Session, reader: str = PUBLIC, at: int | None = None) -> Board:
    return board(session.state(at, reader=reader), session.head if at is None else at, reader, PLAIN)


def text(session: Session, reader: str = PUBLIC) -> list[str]:
    return list(lines(shown(session, reader), PLAIN))


def secret_fight() -> Session:
    session = tiny_session(begun=False, dice="scripted", script=(1, 1, 1, 2, 3, 3))
    must(session.join("gob", "Goblin", side="goblins", sheet={"hp": 971, "init": 1, "skill": 653}))
    must(session.begin())
    must(session.declare("ann", "attack", "gob"))
    answer_all(session, 1)
    return session


def test_a_board_has_everybody_with_what_they_have_now() -> None:
    session = tiny_session(dice="scripted", script=(1, 2, 7, 3, 4))
    must(session.declare("ann", "attack", "bob"))
    answer_all(session, 1)
    must(session.overrule("luck", SetCondition(target="ann", held=Held(id="blessed", value=3, until=(9,)))))
    found = shown(session)
    ann, bob = found.combatants
    assert (found.turn, found.at[0], found.over, found.version) == ("bob", 1, "", session.head)
    assert (bob.pools["hp"].now, bob.pools["hp"].high) == (4, 12)
    assert [held.id for held in bob.conditions] == ["bleeding"]
    assert [(held.id, held.value, held.until) for held in ann.conditions] == [("blessed", 3, (9,))]
    assert [entry.who for entry in found.clock] == ["ann", "bob", "ann"]
    told = text(session)
    assert told[:2] == ["s — tiny 1, version " + str(session.head), "Bob's turn at 1"]
    assert "side    side ann  side bob" in told
    assert "hp         12/12      4/12" in told
    assert "Bob: bleeding" in told
    assert "Ann: blessed 3 until 9" in told


def test_a_pool_that_is_kept_is_not_empty() -> None:
    session = tiny_session(people=1, begun=False)
    must(session.join("gob", "Goblin", side="goblins", sheet={"hp": 971}))
    rows = [row.split() for row in table(shown(session), PLAIN)]
    assert ["hp", "12/12", "?"] in rows


def test_what_a_reader_may_not_know_is_unknown_and_no_guess() -> None:
    session = secret_fight()
    goblin = shown(session).combatants[-1]
    assert not goblin.known
    assert goblin.sheet is None
    assert {pool: gauge.now for pool, gauge in goblin.pools.items()} == {"hp": None, "temp": None}
    printed = "\n".join(text(session))
    assert "?" in printed
    assert "971" not in printed + msgspec.json.encode(shown(session)).decode()
    master = shown(session, GM).combatants[-1]
    assert master.known
    assert master.sheet == {"hp": 971, "init": 1, "skill": 653}
    assert master.pools["hp"].now == 965
    assert "965/971" in "\n".join(text(session, GM))


def test_an_open_prompt_says_who_is_waited_for() -> None:
    session = tiny_session(dice="scripted", script=(1, 2, 7))
    must(session.declare("ann", "attack", "bob", id="a1"))
    (question,) = shown(session).prompts
    assert (question.slot, question.waiting, question.options) == ("a1|ask.guard.0", ("bob",), ("dodge", "stand"))
    assert text(session)[-1] == "Waiting: Bob is to choose, guard: dodge or stand."
    (running,) = shown(session).actions
    assert (running.id, running.what, running.actor) == ("a1", "attack", "ann")


def test_dice_to_report_are_named() -> None:
    session = tiny_session(dice={"*": "scripted", "ann": "reported"}, script=(1,), begun=False)
    must(session.begin())
    (question,) = shown(session).prompts
    assert (question.dice, question.waiting) == ("d6", ("ann",))
    assert text(session)[-1] == "Waiting: Ann is to roll d6 for initiative."


@pytest.mark.parametrize("reader", [PUBLIC, "ann", GM])
def test_every_version_can_be_shown(reader: str) -> None:
    session = fight()
    for version in range(session.head + 1):
        found = shown(session, reader, version)
        assert found.version == version
        assert all("None" not in line for line in lines(found, PLAIN))


def test_who_left_and_how_it_ended_are_told() -> None:
    session = tiny_session(people=3)
    must(session.leave("cy"))
    must(session.close("truce"))
    told = text(session)
    assert told[1] == "The fight is over: truce"
    assert "Cy (gone)" in "\n".join(told)
    assert not [line for line in told if line.startswith("Next")]


def test_a_wide_table_goes_on_below_and_stays_aligned() -> None:
    session = tiny_session(begun=False)
    for number in range(20):
        must(session.join(f"p{number}", f"李Person{number}", side="many", controller=f"p{number}", sheet={"hp": 5}))
    found = shown(session)
    rows = list(table(found, PLAIN, 60))
    assert max(columns(row) for row in rows) <= 60
    assert "Ann" in rows[0]
    assert sum(row.startswith("hp") for row in rows) > 1
    assert "".join(rows).count("Person") == 20
    block = rows[: rows.index("")]
    assert len({columns(row) for row in block if row.startswith(("side", "hp"))}) == 1


def test_before_anything_happened_there_is_an_empty_board() -> None:
    session = tiny_session(begun=False)
    assert shown(session, at=0).combatants == ()
    assert list(lines(shown(session, at=0), PLAIN))[1] == "The fight has not begun"
