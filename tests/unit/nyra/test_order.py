"""The order of play: sequence, AGI, the tie die, late arrivals (nyra.md, 1.2)."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from affray.kernel import Change, Entry, Origin, Roll, Turn, exact, number
from affray.kernel import Order as OrderStep
from affray.plugins.nyra.order import BASE, TIE_DICE, between, tie_dice, undecided

from .table import Table, duel


def crowd(*people: tuple[str, int, int], faces: tuple[int, ...] = ()) -> Table:
    """People by name, sequence and AGI, each on a side of the own name; begun."""
    table = Table(*faces)
    for who, sequence, agility in people:
        table.join(who, who, sequence=sequence, AGI=agility)
    table.begin()
    return table


def turns(table: Table) -> list[tuple[object, str]]:
    """Phase and holder of every turn so far."""
    return [(e.when[0], e.who) for e in table.found(Turn) if e.moment == "start"]


def play_until(table: Table, phase: int) -> list[tuple[object, str]]:
    while table.state.turn and exact(table.state.at[0]) < phase:
        assert table.end_turn(table.state.turn) is None
    return turns(table)


def test_sequence_then_agility() -> None:
    table = crowd(("a", 4, 6), ("b", 4, 8), ("c", 6, 2))
    assert play_until(table, 3) == [(1, "c"), (1, "b"), (1, "a"), (2, "c"), (2, "b"), (2, "a"), (3, "c")]


def test_the_tied_roll_in_the_order_of_joining_and_the_equal_again() -> None:
    """NY48, NY73; case INIT-3: everybody has a turn of the own, and the order holds for the whole combat."""
    table = crowd(("b", 4, 6), ("c", 4, 6), ("x", 5, 1), ("a", 4, 6), faces=(3, 3, 8, 2, 9))
    assert [(e.by, e.total) for e in table.found(Roll, "tie")] == [("b", 3), ("c", 3), ("a", 8), ("b", 2), ("c", 9)]
    assert play_until(table, 3)[:8] == [(phase, who) for phase in (1, 2) for who in ("x", "a", "c", "b")]
    assert table.all_dice_used()


def test_two_ties_roll_in_one_round() -> None:
    table = crowd(("a", 4, 6), ("b", 5, 6), ("c", 4, 6), ("d", 5, 6), faces=(1, 2, 3, 4))
    assert [roll.by for roll in table.found(Roll, "tie")] == ["a", "b", "c", "d"]
    assert [who for _, who in play_until(table, 2)[:4]] == ["d", "b", "c", "a"]


def test_a_die_rolled_before_the_fight_is_kept() -> None:
    """Case INIT-3: starting the combat keeps what was rolled already."""
    table = Table(9)
    table.join("a", "red", pools={"tie-die": 5})
    table.join("b", "blue")
    table.begin()
    assert [(e.by, e.total) for e in table.found(Roll, "tie")] == [("b", 9)]
    assert table.state.turn == "b"


def test_a_place_tells_a_rank_and_no_number_of_a_sheet() -> None:
    table = crowd(("a", 40, 60), ("b", 70, 90))
    (order,) = table.found(OrderStep, "order")
    assert [(entry.who, entry.when) for entry in order.entries] == [("b", (1, 1)), ("a", (1, 2))]


def test_what_a_place_came_from_stands_in_the_trace() -> None:
    table = crowd(("a", 4, 6), ("b", 4, 6), faces=(2, 9))
    (order,) = table.found(OrderStep, "order")
    assert [(row.code, row.amount, row.source) for row in order.trace] == [
        ("sequence", 4, "b"),
        ("AGI", 6, "b"),
        ("tie-die", 9, "b"),
        ("sequence", 4, "a"),
        ("AGI", 6, "a"),
        ("tie-die", 2, "a"),
    ]


def test_a_crowd_is_seated_in_several_orders() -> None:
    table = crowd(*((f"p{number}", 200 - number, 6) for number in range(70)))
    assert [len(order.entries) for order in table.found(OrderStep, "order")] == [66, 4]
    assert [f"p{number}" for number in range(70)] == [who for _, who in play_until(table, 2)[:70]]


@pytest.mark.parametrize(
    ("sequence", "faces", "phase"),
    [
        pytest.param(6, (), 2, id="before-the-present-turn"),
        pytest.param(5, (4, 9), 2, id="tie-won"),
        pytest.param(5, (9, 4), 1, id="tie-lost"),
        pytest.param(4, (), 1, id="after-the-present-turn"),
        pytest.param(1, (), 1, id="last"),
    ],
)
def test_a_late_arrival_acts_in_this_phase_only_if_its_place_is_to_come(
    sequence: int, faces: tuple[int, ...], phase: int
) -> None:
    """Case INIT-2: Q (5) is current and stays so, R (3) comes after; P joins in the middle of Q's turn."""
    table = crowd(("q", 5, 6), ("r", 3, 6), faces=faces)
    table.join("p", "p", sequence=sequence)
    assert table.state.turn == "q"
    found = play_until(table, 3)
    assert phase == next(at for at, who in found if who == "p")
    for round_ in (phase, 2):
        assert found.count((round_, "p")) == 1
    for who in ("q", "r"):
        assert (found.count((1, who)), found.count((2, who))) == (1, 1)
    assert table.all_dice_used()


def test_a_late_arrival_stands_between_its_neighbours() -> None:
    table = crowd(("q", 5, 6), ("r", 3, 6))
    for who, sequence in (("p", 4), ("o", 9), ("s", 1)):
        table.join(who, who, sequence=sequence)
    play_until(table, 2)
    table.end_turn("o")
    places = {event.who: event.when[1] for event in table.found(Turn) if event.moment == "start"}
    assert places == {"o": 0, "q": 1, "p": "3/2", "r": 2, "s": 3}


def test_a_late_arrival_rolls_alone_against_those_who_have_rolled() -> None:
    """B and A were settled by 8 and 3; the newcomer's 8 ties with B, so both roll again."""
    table = crowd(("a", 4, 6), ("b", 4, 6), faces=(3, 8, 8, 2, 7))
    table.join("c", "c", sequence=4, AGI=6)
    found = play_until(table, 3)
    assert [(e.by, e.total) for e in table.found(Roll, "tie")] == [("a", 3), ("b", 8), ("c", 8), ("b", 2), ("c", 7)]
    assert [who for at, who in found if at == 2] == ["c", "b", "a"]


def test_a_late_arrival_who_leaves_while_the_dice_are_out_gets_no_place() -> None:
    table = Table(9, reporting=("q",))
    table.join("q", "q", sequence=5)
    table.join("r", "r", sequence=3)
    table.begin()
    table.join("p", "p", sequence=5)
    assert table.end_turn("q") is None
    assert list(table.state.prompts)
    table.leave("p")
    assert table.report("q", 4) is None
    assert table.state.turn == "r"
    assert "p" not in {entry.who for entry in table.state.agenda.values()}


def test_who_leaves_while_the_order_is_rolled_gets_no_place() -> None:
    table = Table(9, reporting=("a",))
    for who in ("a", "b", "c"):
        table.join(who, who)
    table.begin()
    table.leave("b")
    assert table.report("a", 4) is None
    assert {"a", "c"} == {entry.who for entry in table.state.agenda.values()} | {table.state.turn}


def test_a_tie_die_of_another_combat_is_forgotten() -> None:
    """1.2: the die holds for the whole combat, not for the next one that is carried on."""
    origin = Origin(how="carry-on", session="s0", version=9, digest="0" * 64)
    table = Table(2, 7, origin=origin)
    for who, kept in (("a", 8), ("b", 3)):
        table.join(who, who, pools={"tie-die": kept})
    table.begin()
    assert table.state.turn == "b"
    assert [
        (e.target, e.before, e.after) for e in table.found(Change, "tie")
    ] == [("a", 8, 0), ("b", 3, 0), ("a", 0, 2), ("b", 0, 7)]


def test_a_place_that_the_game_master_sets_is_kept_in_the_next_phase() -> None:
    table = crowd(("a", 5, 6), ("b", 4, 6))
    table.set_order(Entry(key="b", when=(1, 7), who="b"))
    table.end_turn("a")
    assert table.state.agenda["b"].when == (2, 7)


def test_who_was_given_a_moment_without_a_place_is_no_neighbour() -> None:
    table = crowd(("a", 5, 6), ("b", 4, 6))
    table.set_order(Entry(key="b", when=(2,), who="b"))
    table.join("c", "c", sequence=3)
    table.end_turn("a")
    assert table.state.turn == "c"
    table.end_turn("c")
    assert (table.state.turn, table.state.agenda["b"].when) == ("b", (3,))


@given(st.lists(st.integers(1, 10), max_size=TIE_DICE))
def test_a_number_keeps_the_dice(dice: list[int]) -> None:
    kept = sum((Fraction(die, BASE**index) for index, die in enumerate(dice)), Fraction(0))
    assert tuple(dice) == tie_dice(exact(number(kept)))


@given(st.fractions(min_value=0, max_value=100))
def test_any_number_reads_as_a_bounded_number_of_dice(kept: Fraction) -> None:
    assert len(tie_dice(kept)) <= TIE_DICE


def test_who_is_tied_after_the_last_die_rolls_no_more() -> None:
    full = (4, 6, *[5] * TIE_DICE)
    assert undecided({"a": full, "b": full}) == []
    assert undecided({"a": full[:-1], "b": full}) == ["a"]


@given(st.lists(st.integers(0, 60), max_size=60))
def test_there_is_always_a_place_between_two(picks: list[int]) -> None:
    """Seat sixty late arrivals anywhere: every place is new, between its neighbours, and fits the log."""
    places = [Fraction(1), Fraction(2)]
    for pick in picks:
        index = pick % (len(places) + 1)
        before = places[index - 1] if index else None
        after = places[index] if index < len(places) else None
        place = Fraction(between(before, after))
        number(place)
        places.insert(index, place)
    assert places == sorted(set(places))


def test_the_order_survives_a_restart() -> None:
    warm, cold = (
        duel(3, 8, 8, 2, 7, first={"sequence": 4}, cold=cold) for cold in (False, True)
    )
    for table in (warm, cold):
        table.join("cy", "green", sequence=4)
        play_until(table, 3)
    assert warm.events == cold.events
