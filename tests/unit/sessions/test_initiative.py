"""Whose turn it is: leaving, falling, joining late, ties and new rolls (cases INIT-1, INIT-2 and INIT-3)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from affray.kernel import GM, Change, Entry, Held, Order, Roll, SetOrder, Turn
from affray.sessions import Catalog, Engine, JsonlStore, MemoryStore, Session, Store

from ...support.ranks import Ranks
from ...support.table import Fixed, must

TABLE = Catalog(systems={"ranks": Ranks}, points=())


@pytest.fixture(params=["memory", "jsonl"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    made: Store = MemoryStore() if request.param == "memory" else JsonlStore(tmp_path)
    yield made
    made.close()


def engine(store: Store | None) -> Engine:
    return Engine(store or MemoryStore(), TABLE, Fixed())


def started(store: Store | None = None, script: tuple[int, ...] = (), **ranks: int) -> Session:
    """Everybody joins in the order given, with a rank already rolled (0: still to roll)."""
    session = engine(store).start("ranks", session="s", dice="scripted", script=script)
    for who, rank in ranks.items():
        must(session.join(who, side=who, sheet={}, pools={"rank": rank}))
    must(session.begin())
    return session


def end(session: Session) -> None:
    must(session.declare(session.state().turn, "end-turn"))


def now(session: Session) -> tuple[str, Any]:
    """Whose turn it is, and the round."""
    state = session.state(reader=GM)
    return state.turn, state.at[0]


def order(session: Session, count: int) -> list[str]:
    seen = []
    for _ in range(count):
        seen.append(session.state().turn)
        end(session)
    return seen


def starts(session: Session) -> dict[str, Any]:
    return {who: one.pools["started"] for who, one in session.state(reader=GM).combatants.items()}


def second_round(until: str, store: Store | None = None) -> Session:
    """A 20, B 15, C 10 in round 2, at somebody's turn."""
    session = started(store, A=20, B=15, C=10)
    while now(session) != (until, 2):
        end(session)
    return session


def test_nothing_happens_before_the_beginning() -> None:
    """Also where somebody brings along what ends in time, or the game master has set the agenda already."""
    session = engine(None).start("ranks", session="s", dice="scripted", script=(5,))
    must(session.join("A", side="A", sheet={}, conditions=(Held(id="blessed", until=(1,)),)))
    must(session.overrule("so", SetOrder(entries=(Entry(key="A", when=(1,), who="A"),))))
    must(session.leave("A"))
    must(session.join("B", side="B", sheet={}))
    must(session.overrule("so", SetOrder(entries=(Entry(key="B", when=(0,), who="B"),))))
    assert not any(isinstance(r.event, Turn) for r in session.history())
    assert session.state().over == ""
    must(session.begin())
    assert session.state().turn == "B"


def test_equal_moments_go_by_who_joined_first_whatever_was_set_first() -> None:
    """Law 8: the order is total; neither a map nor a name that somebody chose decides it."""
    for names in (("A", "B", "C"), ("C", "B", "A"), ("B", "C", "A")):
        session = started(C=20, B=15, A=10)
        entries = tuple(Entry(key=who, when=(5, 0, 0), who=who) for who in names)
        must(session.overrule("so", SetOrder(entries=entries, drop=("A", "B", "C"))))
        assert order(session, 4)[1:] == ["C", "B", "A"]


# -- INIT-1


def test_init_1_a_the_last_leaves_on_the_own_turn(store: Store) -> None:
    session = second_round("C", store)
    before = starts(session)
    must(session.leave("C"))
    assert now(session) == ("A", 3)
    assert starts(session) == {**before, "A": before["A"] + 1}, "start-of-turn effects ran exactly once"


def test_init_1_b_one_in_the_middle_leaves_on_the_own_turn(store: Store) -> None:
    session = second_round("B", store)
    before = starts(session)
    must(session.leave("B"))
    assert now(session) == ("C", 2)
    assert starts(session) == {**before, "C": before["C"] + 1}


def test_init_1_c_somebody_else_leaves(store: Store) -> None:
    """The turn points to an id and not to a place in a list."""
    session = second_round("C", store)
    before = (session.state(reader=GM).turns, starts(session))
    must(session.leave("A"))
    assert now(session) == ("C", 2)
    assert before == (session.state(reader=GM).turns, starts(session))
    end(session)
    assert now(session) == ("B", 3)


def test_init_1_d_the_first_of_the_next_round_has_fallen(store: Store) -> None:
    session = second_round("C", store)
    must(session.declare("A", "fall"))
    end(session)
    assert now(session) == ("B", 3)
    assert order(session, 3) == ["B", "C", "B"]


def test_init_1_e_all_have_fallen(store: Store) -> None:
    """A defined answer at once: no loop, and no round counts up."""
    session = second_round("C", store)
    for who in ("A", "B"):
        must(session.declare(who, "fall"))
    assert now(session) == ("C", 2)
    must(session.declare("C", "fall"))
    state = session.state(reader=GM)
    assert (state.over, state.turn, state.at[0]) == ("nobody-can-act", "", 2)


def test_init_1_f_the_only_one_leaves(store: Store) -> None:
    session = started(store, A=20)
    must(session.leave("A"))
    state = session.state(reader=GM)
    assert (state.over, state.turn, state.agenda) == ("nobody-can-act", "", {})
    assert engine(store).load("s").state(reader=GM) == state


def test_everybody_leaves_on_the_own_turn() -> None:
    session = started(A=20, B=15, C=10)
    for who in ("A", "B", "C"):
        assert session.state().turn == who
        must(session.leave(who))
    assert session.state().over == "nobody-can-act"
    assert starts(session) == {"A": 1, "B": 1, "C": 1}


# -- INIT-2


@pytest.mark.parametrize(
    ("roll", "after"),
    [
        (6, ["Q", "Z", "P", "Q", "Z"]),  # lies before the present moment: not before the next round
        (5, ["Q", "P", "Z", "Q", "P"]),  # a tie with who joined first: this system lets it come right behind
        (4, ["Q", "P", "Z", "Q", "P"]),  # still to come
    ],
)
def test_init_2_a_late_arrival_gets_its_turn_where_the_log_says(store: Store, roll: int, after: list[str]) -> None:
    session = started(store, (roll,), H=9, Q=5, Z=3)
    end(session)
    for step in ("joins", "rolls"):
        assert now(session) == ("Q", 1)
        must(session.join("P", side="P", sheet={}) if step == "joins" else session.declare("P", "roll-in"))
    assert now(session) == ("Q", 1)
    assert [who for who in order(session, 7) if who != "H"][:5] == after


def test_init_2_who_has_no_rank_comes_last_and_is_not_forgotten(store: Store) -> None:
    session = started(store, A=20, B=15)
    must(session.join("P", side="P", sheet={}))
    assert order(session, 6) == ["A", "B", "P", "A", "B", "P"]


def test_init_2_nobody_gets_two_turns_or_none_in_a_round(store: Store) -> None:
    session = started(store, (17, 1), A=20, B=15, C=10)
    end(session)
    must(session.join("P", side="P", sheet={}))
    must(session.declare("P", "roll-in"))  # 17: B is on, so P waits for round 2
    must(session.join("R", side="R", sheet={}))
    must(session.declare("R", "roll-in"))  # 1: last in this round
    for _ in range(14):
        end(session)
    rounds: dict[Any, list[str]] = {}
    for recorded in session.history():
        if isinstance(recorded.event, Turn) and recorded.event.moment == "start":
            rounds.setdefault(recorded.event.when[0], []).append(recorded.event.who)
    assert rounds[1] == ["A", "B", "C", "R"]
    assert rounds[2] == rounds[3] == ["A", "P", "B", "C", "R"]


# -- INIT-3


def test_init_3_tied_ones_keep_their_order_and_each_gets_a_turn(store: Store) -> None:
    session = started(store, B=13, C=13, A=13)
    seen = order(session, 3)
    if isinstance(store, JsonlStore):
        store.close()
        store = JsonlStore(store.folder)
    session = engine(store).load("s")
    seen += order(session, 3)
    assert seen == ["B", "C", "A"] * 2
    folded = [r.event.who for r in session.history() if isinstance(r.event, Turn) and r.event.moment == "start"]
    assert folded[:6] == seen
    (written,) = [r.event for r in session.history() if isinstance(r.event, Order) and r.event.key == "order"]
    assert [entry.when for entry in written.entries] == [(1, -13, 1), (1, -13, 2), (1, -13, 3)]
    store.close()


def test_init_3_both_stores_give_the_same_order(tmp_path: Path) -> None:
    """Law 8: no order comes from a store, a set or a clock."""
    file = JsonlStore(tmp_path)
    lines = []
    for place in (MemoryStore(), file):
        session = started(place, (13, 13, 13), B=0, C=0, A=0)
        order(session, 7)
        lines.append(session.lines)
    assert lines[0] == lines[1]
    file.close()


def test_init_3_starting_keeps_a_roll_that_was_made_before() -> None:
    session = started(script=(4, 6), A=13, B=0, C=0)
    rolls = [r.event.by for r in session.history() if isinstance(r.event, Roll)]
    assert rolls == ["B", "C"]
    assert order(session, 3) == ["A", "C", "B"]


def test_init_3_a_new_roll_is_a_new_event_and_undo_restores_the_old_place(store: Store) -> None:
    session = started(store, (18,), A=13, B=12, C=11)
    while now(session) != ("A", 2):
        end(session)
    before = session.state(reader=GM)
    must(session.declare("C", "reroll", id="again"))
    assert now(session) == ("A", 2), "the present turn does not jump"
    assert session.state(reader=GM).combatants["C"].pools["rank"] == 18
    ranks = [(r.event.before, r.event.after) for r in session.history(reader=GM) if isinstance(r.event, Change)]
    assert ranks[-1] == (11, 18), "the old roll stays readable"
    must(session.undo("again"))
    assert session.state(reader=GM) == before
    assert order(session, 4) == ["A", "B", "C", "A"]


def test_init_3_a_new_roll_counts_from_the_next_turn_on() -> None:
    session = started(script=(18,), A=13, B=12, C=11)
    assert order(session, 3) == ["A", "B", "C"]
    must(session.declare("C", "reroll"))
    assert order(session, 6) == ["A", "B", "C", "C", "A", "B"]
