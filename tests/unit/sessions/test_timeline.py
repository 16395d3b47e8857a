"""The timeline of `show`: what is pending and what comes, drawn by the first part of its moment."""

from __future__ import annotations

from msgspec.structs import replace

from affray.kernel import GM, Held, SetCondition, SetPool
from affray.sessions import Session
from affray.sessions.views.board import TIMELINE_WIDTH, Board, board, lines, table, timeline
from affray.sessions.views.texts import Texts

from ...support.table import must, tiny_session

PLAIN = Texts()
TO_THE_END = f"|{'-' * (TIMELINE_WIDTH - 1)}*"


def shown(session: Session) -> Board:
    return board(session.state(reader=GM), session.head, GM, PLAIN)


def drawn(found: Board) -> list[str]:
    return list(timeline(found, PLAIN))


def pending() -> Session:
    """Blows of Ann and of Bob land at 6; Ann is blessed until 9."""
    session = tiny_session()
    must(session.declare("ann", "blow", "bob", id="first"))
    must(session.declare("bob", "blow", "ann", id="second"))
    must(session.overrule("luck", SetCondition(target="ann", held=Held(id="blessed", until=(9,)))))
    return session


def test_what_is_pending_and_what_comes_is_drawn_to_scale() -> None:
    quarter = f"|{'-' * (TIMELINE_WIDTH // 4 - 1)}*"
    assert drawn(shown(pending())) == [
        "2  | now",
        "2  * Bob",
        f"3  {quarter} Ann",
        f"6  {TO_THE_END} Ann: blow",
        f"6  {TO_THE_END} Bob: blow",
        f"9  |{'-' * TIMELINE_WIDTH}> Ann: blessed ends",
    ]


def test_moments_stand_in_one_column_and_may_be_fractions_or_far_off() -> None:
    found = shown(pending())
    late = tuple([replace(entry, when=(1206,)) if entry.moment == "resume" else entry for entry in found.clock])
    early = tuple([replace(entry, when=("9/2",)) if entry.who == "ann" else entry for entry in late])
    assert [line[:4] for line in drawn(replace(found, clock=late))] == ["   2", "   2", "   3", "1206", "1206", "   9"]
    assert [line[:4] for line in drawn(replace(found, clock=early))] == ["   2", "   2", " 9/2", " 9/2", "1206", " 9/2"]


def test_other_moments_are_told_in_words() -> None:
    found = shown(pending())
    clock = tuple([replace(entry, moment="join-in", key="join:ann") for entry in found.clock[:1]])
    assert drawn(replace(found, clock=clock))[1:] == ["2  * Bob: join in"]
    assert drawn(replace(found, clock=(replace(clock[0], who=""),)))[1:] == ["2  * join:ann: join in"]


def test_the_timeline_takes_the_place_of_the_line_of_who_is_next() -> None:
    plain = list(lines(shown(tiny_session()), PLAIN))
    assert [line for line in plain if line.startswith("Next: ")]
    assert not [line for line in plain if line.endswith("| now")]
    told = list(lines(shown(pending()), PLAIN))
    assert not [line for line in told if line.startswith("Next: ")]
    assert [line for line in told if line.endswith("| now")]


def test_a_fight_that_is_over_has_no_timeline() -> None:
    session = pending()
    must(session.close("truce"))
    assert not [line for line in lines(shown(session), PLAIN) if line.endswith("| now")]


def test_a_fraction_of_a_pool_does_not_read_as_another_fraction() -> None:
    session = tiny_session()
    must(session.overrule("a scratch", SetPool(target="bob", pool="hp", value="23/2")))
    (hp,) = [row.split("  ") for row in table(shown(session), PLAIN) if row.startswith("hp")]
    assert "23/2 of 12" in [cell.strip() for cell in hp]
    assert "12/12" in [cell.strip() for cell in hp]
