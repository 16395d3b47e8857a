"""Turns: openings, who is left, and how a fight ends (nyra.md, 1.2 and 1.3)."""

from __future__ import annotations

from typing import Any

import pytest

from affray.kernel import (
    Action,
    Change,
    Fight,
    Held,
    Roll,
    SetCondition,
    SetPool,
    Step,
    Turn,
    Wait,
    hookimpl,
    number,
)

from .table import Table, duel

HIDDEN = (Held(id="hidden"),)


def starts(table: Table) -> list[tuple[object, str]]:
    return [(e.when[0], e.who) for e in table.found(Turn) if e.moment == "start"]


def ambush(*faces: int, **how: Any) -> Table:
    """Bob (sequence 4) hides; Ann (5) does not know."""
    table = Table(*faces, **how)
    table.join("ann", "red", sequence=5)
    table.join("bob", "blue", conditions=HIDDEN)
    table.begin()
    return table


def test_a_hidden_combatant_has_an_opening_before_the_first_phase() -> None:
    """1.2 step 1: one strike, and its delay comes off the next turn."""
    table = ambush(2, 9, 3, 1, 1, 1, 8, 8)
    assert starts(table) == [(0, "bob")]
    assert table.strike("bob", "ann", guard="defense") is None
    assert table.pool("ann", "left-arm") == 6
    assert starts(table) == [(0, "bob"), (1, "ann")]
    assert table.conditions("bob") == {"delay-owed": 3}
    table.end_turn("ann")
    assert (table.pool("bob", "delay"), table.conditions("bob")) == (3, {})
    table.strike("bob", "ann")
    assert starts(table) == [(0, "bob"), (1, "ann"), (1, "bob"), (2, "ann")]
    table.end_turn("ann")
    assert table.pool("bob", "delay") == 6


def test_the_delay_of_an_opening_is_owed_whatever_the_pool_says() -> None:
    table = ambush(9)
    table.strike("bob", "ann")
    table.overrule(SetPool(target="bob", pool="delay", value=6))
    table.end_turn("ann")
    assert table.pool("bob", "delay") == 3


def test_a_blocked_opening_forfeits_nothing() -> None:
    table = ambush(7, 1)
    table.strike("bob", "ann", guard="defense")
    assert table.found(Change, "forfeit") == []
    assert table.conditions("bob") == {"delay-owed": 3}


def test_an_opening_may_be_let_go_and_the_hider_stays_hidden_until_the_first_strike() -> None:
    table = ambush(8)
    table.end_turn("bob")
    table.end_turn("ann")
    assert (starts(table), list(table.conditions("bob"))) == ([(0, "bob"), (1, "ann"), (1, "bob")], ["hidden"])
    table.strike("bob", "ann")
    assert table.conditions("bob") == {}


def test_openings_come_in_the_order_of_play_and_nobody_bleeds_in_one() -> None:
    table = Table(options={"bleed_timing": "own_turn_end"})
    table.join("ann", "red", conditions=HIDDEN, pools={"head": 8})
    table.join("bob", "blue", sequence=9, conditions=HIDDEN)
    table.begin()
    table.end_turn("bob")
    table.end_turn("ann")
    assert starts(table) == [(0, "bob"), (0, "ann"), (1, "bob")]
    assert table.pool("ann", "head") == 8


def test_who_joins_during_an_opening_acts_in_the_first_phase() -> None:
    table = ambush()
    table.join("cy", "green", sequence=9)
    table.end_turn("bob")
    assert starts(table) == [(0, "bob"), (1, "cy")]


def test_who_dies_in_an_opening_has_no_turn() -> None:
    table = Table(2, 6, 6, 6)
    table.join("ann", "red", sequence=5, pools={"head": 14})
    table.join("bob", "blue", conditions=HIDDEN)
    table.begin()
    table.strike("bob", "ann", guard="none", strike="aimed", aim="head")
    assert table.state.over == "won-by-blue"


def test_a_turn_that_can_pay_nothing_waits_for_its_end() -> None:
    """The end by itself is asked after a strike, so two combatants without weapons do not race through phases."""
    table = duel(first={"weapons": []}, second={"AGI": 2})
    assert table.state.turn == "ann"
    table.end_turn("ann")
    assert table.state.turn == "bob"


def test_the_dead_by_a_game_masters_word_take_no_turn() -> None:
    table = duel()
    table.join("cy", "green", sequence=1)
    table.overrule(SetCondition(target="bob", held=Held(id="dead")))
    table.end_turn("ann")
    assert (table.state.turn, "bob" in table.state.agenda) == ("cy", False)
    table.end_turn("cy")
    assert starts(table) == [(1, "ann"), (1, "bob"), (1, "cy"), (2, "ann")]


def test_the_dead_who_hold_a_turn_can_only_end_it() -> None:
    table = duel()
    table.join("cy", "green", sequence=1)
    table.overrule(SetCondition(target="ann", held=Held(id="dead")))
    assert [form.name for form in table.forms("ann")] == ["end-turn"]
    table.end_turn("ann")
    assert table.state.turn == "bob"


@pytest.mark.parametrize(
    ("gone", "over"),
    [(("ann",), "won-by-blue"), (("bob",), "won-by-red")],
)
def test_a_fight_is_over_when_one_side_is_left(gone: tuple[str, ...], over: str) -> None:
    table = duel()
    for who in gone:
        table.leave(who)
    assert over == table.state.over


def test_a_fight_is_over_when_nobody_is_left() -> None:
    table = Table()
    table.join("ann", "red", pools={"head": 18})
    table.join("bob", "blue", pools={"head": 18})
    table.begin()
    assert table.state.over == "nobody-left"


def test_a_fight_of_one_side_is_not_over_by_itself() -> None:
    table = Table()
    table.join("ann", "red", sequence=5)
    table.join("bob", "red")
    table.begin()
    assert (table.state.turn, table.state.over) == ("ann", "")


def test_several_of_one_side_may_be_left() -> None:
    table = duel()
    table.join("cy", "red", sequence=1)
    table.leave("bob")
    assert table.state.over == "won-by-red"


class Slow:
    """A house rule: a strike lands when its turn is over, or some phases later."""

    def __init__(self, phases: int = 0) -> None:
        self.phases = phases

    @hookimpl
    def follow(self, fight: Fight, action: Action, step: Step) -> Any:
        if type(step) is Change and step.key == "delay":
            return self._wait(fight)
        return None

    def _wait(self, fight: Fight) -> Any:
        phase, *place = fight.at
        yield Wait("slow", when=(number(phase + self.phases), *[number(part) for part in place]))


def test_a_fight_is_not_over_while_something_still_resolves_at_this_moment() -> None:
    table = duel(8, house={"slow": Slow()})
    table.strike("ann", "bob")
    table.leave("bob")
    assert (table.state.turn, table.state.over) == ("ann", "")
    table.end_turn("ann")
    assert [roll.total for roll in table.found(Roll)] == [8]
    assert table.state.over == "won-by-red"


def test_what_resolves_at_a_later_moment_holds_up_no_ending() -> None:
    table = duel(house={"slow": Slow(1)})
    table.strike("ann", "bob")
    table.leave("bob")
    assert table.state.over == "won-by-red"


@pytest.mark.parametrize(
    ("holder", "gone", "following"),
    [
        pytest.param("c", "c", (3, "a"), id="a-last-in-order-on-the-own-turn"),
        pytest.param("b", "b", (2, "c"), id="b-in-the-middle"),
        pytest.param("c", "a", (2, "c"), id="c-first-in-order-on-anothers-turn"),
    ],
)
def test_who_leaves_in_the_second_phase_moves_nobody_else(
    holder: str, gone: str, following: tuple[int, str]
) -> None:
    """Case INIT-1 (a) to (c)."""
    table = Table()
    for who, sequence in (("a", 20), ("b", 15), ("c", 10)):
        table.join(who, who, sequence=sequence)
    table.begin()
    while (table.state.at[0], table.state.turn) != (2, holder):
        table.end_turn(table.state.turn)
    table.leave(gone)
    assert following == starts(table)[-1]


def test_a_dead_first_in_order_is_left_out_of_the_next_phase() -> None:
    """Case INIT-1 (d): A is dead at the end of C's turn; B opens phase 3."""
    table = Table()
    for who, sequence in (("a", 20), ("b", 15), ("c", 10)):
        table.join(who, who, sequence=sequence)
    table.begin()
    while (table.state.at[0], table.state.turn) != (2, "c"):
        table.end_turn(table.state.turn)
    table.overrule(SetPool(target="a", pool="head", value=18))
    table.end_turn("c")
    assert starts(table)[-1] == (3, "b")
    assert "dead" in table.conditions("a")


def test_the_only_one_left_ends_the_fight_at_once() -> None:
    """Case INIT-1 (f): no loop, no phase counted up."""
    table = duel()
    table.leave("bob")
    assert table.state.over == "won-by-red"
    alone = Table()
    alone.join("ann", "red")
    alone.begin()
    alone.leave("ann")
    assert (alone.state.turn, len(starts(alone))) == ("", 1)
