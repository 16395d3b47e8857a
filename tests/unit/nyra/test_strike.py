"""One strike, step by step (nyra.md, 1.3 and 1.7)."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from affray.kernel import (
    Ask,
    Change,
    Declare,
    Defend,
    Judge,
    Row,
    Step,
    root,
)

from .table import SHORT_SWORD, Table, duel, outcomes, reasons

BOTH = {"Swords": 7, "Dodge": 4, "Defense": 6}


def last_strike(table: Table) -> list[Any]:
    """The events of the strike declared last."""
    action = table.found(Declare)[-1].action
    return [event for event in table.events if root(getattr(event, "action", "")) == action]


def steps(events: list[Any]) -> list[str]:
    return [f"{type(event).__name__} {event.key}" for event in events if isinstance(event, Step)]


def test_the_steps_of_a_hit_stand_in_the_order_of_the_book() -> None:
    table = duel(3, 4, 3, 3, 4, 2)
    assert table.strike("ann", "bob", guard="defense") is None
    assert steps(last_strike(table)) == [
        "Change delay",
        "Roll attack",
        "Judge attack",
        "Ask defence",
        "Defend defence",
        "Roll defence",
        "Judge defence",
        "Judge contest",
        "Roll location",
        "Roll damage",
        "ApplyDamage damage",
        "Condition slight-wound",
    ]
    assert outcomes(table) == ["hit"]
    assert table.all_dice_used()


def test_the_seed_duel() -> None:
    """The seed's first turn: 12 cleaving damage to the left arm, then an aimed slash that is blocked."""
    table = duel(3, 4, 3, 3, 4, 2, 2, 2)
    assert table.strike("ann", "bob", guard="defense") is None
    assert table.pool("bob", "left-arm") == 12
    assert table.strike("ann", "bob", guard="defense", strike="aimed", type="S", aim="head") is None
    assert outcomes(table) == ["hit", "blocked"]
    assert reasons(table) == ["blocked"]
    assert table.state.turn == "bob"


def test_a_miss_asks_for_no_defence_and_costs_the_delay() -> None:
    table = duel(8)
    assert table.strike("ann", "bob") is None
    assert steps(last_strike(table)) == ["Change delay", "Roll attack", "Judge attack"]
    assert (outcomes(table), table.pool("ann", "delay"), table.state.turn) == (["miss"], 3, "ann")


def test_the_halving_of_an_aimed_strike_is_a_row() -> None:
    table = duel(3, 9, 1, 1)
    assert table.strike("ann", "bob", guard="defense", strike="aimed", type="S", aim="chest") is None
    (verdict,) = table.found(Judge, "attack")
    assert (Row("Swords", 7, "sheet"), Row("aimed", -4, "nyra")) == verdict.trace
    assert (verdict.goal, verdict.margin, verdict.code) == (3, 0, "success")
    assert table.pool("bob", "chest") == 5


def test_the_target_is_offered_what_it_owns_or_nothing() -> None:
    table = duel(3, second={"skills": BOTH})
    table.strike("ann", "bob", guard="nonsense")
    (prompt,) = table.state.prompts.values()
    assert [
        (option.code, option.value) for option in prompt.ask.options or ()
    ] == [("dodge", 4), ("defense", 6), ("none", None)]


def test_who_owns_no_defence_is_not_asked() -> None:
    table = duel(3, 3, 1, 1, 1, second={"skills": {"Swords": 7}})
    assert table.strike("ann", "bob") is None
    assert table.found(Ask) == []
    assert outcomes(table) == ["hit"]


def test_no_defence_is_an_answer() -> None:
    table = duel(3, 3, 1, 1, 1)
    assert table.strike("ann", "bob", guard="none") is None
    assert table.found(Defend) == []
    assert outcomes(table) == ["hit"]


def test_who_leaves_instead_of_defending_does_not_defend() -> None:
    table = duel(3, 3, 1, 1, 1)
    table.strike("ann", "bob", guard="nonsense")
    table.leave("bob")
    assert outcomes(table) == ["hit"]
    assert table.state.over == "won-by-red"


def test_a_dodge_does_not_end_the_volley_and_a_block_names_the_end() -> None:
    """NY68: the block is the reason although the delay is spent too."""
    table = duel(5, 1, 6, 4, second={"skills": BOTH})
    assert table.strike("ann", "bob", guard="dodge") is None
    assert table.state.turn == "ann"
    assert table.strike("ann", "bob", guard="defense") is None
    assert (outcomes(table), reasons(table)) == (["dodged", "blocked"], ["blocked"])


def test_a_block_takes_the_delay_that_was_left() -> None:
    table = duel(7, 1)
    assert table.strike("ann", "bob", guard="defense") is None
    (lost,) = table.found(Change, "forfeit")
    assert (lost.before, lost.after) == (3, 0)
    assert reasons(table) == ["blocked"]


def test_a_turn_ends_by_itself_when_no_weapon_owned_can_be_paid() -> None:
    knife = {"key": "knife", "delay": 2, "modifier": "STR", "durability": 20, "damage": {"P": {"n": 1, "sides": 6}}}
    table = duel(8, 8, first={"AGI": 5, "weapons": [SHORT_SWORD, knife]})
    assert table.strike("ann", "bob") is None
    assert (reasons(table), table.pool("ann", "delay")) == ([], 2)
    assert table.strike("ann", "bob", weapon="knife", type="P") is None
    assert reasons(table) == ["delay-spent"]


def test_a_turn_ends_by_choice() -> None:
    table = duel(8)
    table.strike("ann", "bob")
    assert table.end_turn("ann") is None
    assert (outcomes(table), reasons(table)) == (["miss", "ended-by-choice"], ["choice"])
    assert (table.pool("ann", "delay"), table.state.turn) == (3, "bob")


def test_delay_is_refilled_and_never_saved_up() -> None:
    table = duel(8, 8)
    table.strike("ann", "bob")
    table.end_turn("ann")
    table.end_turn("bob")
    assert table.pool("ann", "delay") == 6
    table.end_turn("ann")
    table.end_turn("bob")
    assert table.pool("ann", "delay") == 6
    assert len(table.found(Change, "refill")) == 1


def test_a_fumble_costs_durability_and_does_not_end_the_turn() -> None:
    table = duel(10, first={"skills": {"Swords": 12}})
    assert table.strike("ann", "bob") is None
    assert (outcomes(table), table.pool("ann", "durability-sword"), table.state.turn) == (["critical-miss"], 15, "ann")


def test_a_fumble_may_cost_nothing() -> None:
    table = duel(10, options={"fumble_durability": 0})
    assert table.strike("ann", "bob") is None
    assert (table.found(Change, "fumble"), table.pool("ann", "durability-sword")) == ([], 20)


def test_durability_stops_at_nothing() -> None:
    table = duel(10, options={"fumble_durability": 30})
    assert table.strike("ann", "bob") is None
    assert table.pool("ann", "durability-sword") == 0


# -- comparing margins


@pytest.mark.parametrize(
    ("tie", "faces", "outcome"),
    [
        ("reroll", (7, 5, 3, 4, 1, 1, 1, 1), "hit"),
        ("reroll", (7, 5, 3, 1, 6, 2), "blocked"),
        ("attacker", (7, 5, 1, 1, 1, 1), "hit"),
        ("defender", (7, 5), "blocked"),
    ],
)
def test_ties(tie: str, faces: tuple[int, ...], outcome: str) -> None:
    """NY10 to NY12: margins 0 and 0; the second reroll case ties again at 4 and 4."""
    table = duel(*faces, options={"tie": tie})
    assert table.strike("ann", "bob", guard="defense") is None
    assert [outcome] == outcomes(table)
    assert table.all_dice_used()


def test_tiebreak_dice_are_never_critical() -> None:
    """A 10 and a 1 count by their margins only (I 0.5)."""
    table = duel(7, 5, 10, 9, 3, 1, 1, 1)
    assert table.strike("ann", "bob", guard="defense") is None
    assert [verdict.code for verdict in table.found(Judge, "contest")] == ["tie", "hit"]
    assert [(v.goal, v.margin) for v in table.found(Judge, "contest")] == [(0, 0), (-4, 1)]
    assert table.pool("bob", "left-arm") == 6


def test_a_critical_success_can_be_defended_unless_the_option_says_no() -> None:
    """NY17, NY18: the defence die is rolled all the same."""
    by_default = duel(1, 2, second={"skills": {"Swords": 7, "Defense": 10}})
    by_option = duel(1, 2, 4, 1, 1, 2, second={"skills": {"Swords": 7, "Defense": 10}}, options={"crit_auto_hit": True})
    for table in (by_default, by_option):
        assert table.strike("ann", "bob", guard="defense") is None
        assert table.all_dice_used()
    assert (outcomes(by_default), outcomes(by_option)) == (["blocked"], ["hit"])
    assert by_option.pool("bob", "right-arm") == 4 * 2 + 3


def test_a_verdict_says_what_its_future_depends_on() -> None:
    """Guard and critical decide what follows a contest; the dice before it do not."""
    table = duel(7, 5, 4, 2, 6, 3)
    table.strike("ann", "bob", guard="defense")
    assert [
        verdict.renews for verdict in table.found(Judge, "contest")
    ] == ["tie-success-defense", "tie-success-defense", "defended-success-defense"]


@pytest.mark.parametrize(
    ("strike", "tie", "odds"),
    [
        ("wild", "defender", (Fraction(11, 20), Fraction(3, 20), Fraction(3, 10))),
        ("wild", "attacker", (Fraction(3, 5), Fraction(1, 10), Fraction(3, 10))),
        ("aimed", "defender", (Fraction(9, 50), Fraction(3, 25), Fraction(7, 10))),
        ("aimed", "attacker", (Fraction(21, 100), Fraction(9, 100), Fraction(7, 10))),
    ],
)
def test_odds_of_skill_7_against_5(strike: str, tie: str, odds: tuple[Fraction, ...]) -> None:
    """1.9: every pair of dice, counted."""
    counts = dict.fromkeys(("hit", "blocked", "miss"), 0)
    for attack in range(1, 11):
        for defence in range(1, 11):
            table = duel(attack, defence, 3, 1, 1, 1, options={"tie": tie})
            aim = {"aim": "chest"} if strike == "aimed" else {}
            assert table.strike("ann", "bob", guard="defense", strike=strike, **aim) is None
            counts[outcomes(table)[0].removeprefix("critical-")] += 1
    assert odds == tuple(Fraction(count, 100) for count in counts.values())


def test_a_strike_that_is_answered_after_a_restart_is_the_same() -> None:
    warm, cold = (duel(3, 4, 3, 3, 4, 2, 2, 2, cold=cold) for cold in (False, True))
    for table in (warm, cold):
        table.strike("ann", "bob", guard="defense")
        table.strike("ann", "bob", guard="defense", strike="aimed", type="S", aim="head")
    assert warm.events == cold.events
