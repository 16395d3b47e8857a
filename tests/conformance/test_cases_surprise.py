"""The case INIT-4: surprise by three editions, as three plugins over the same log head. The kernel knows none of it."""

from __future__ import annotations

from typing import Any

import pytest

from affray.kernel import Held, Judge, Pin, Roll, Turn
from affray.kernel.testing import (
    Given,
    audited,
    combatant,
    declare,
    event,
    given,
    has,
    lacks,
    pool_is,
    refused,
    turn_of,
)

from .editions import Ambush, Surprise2014, Surprise2024, SurpriseLast

SURPRISED = (Held(id="surprised"),)


def ambush(system: type[Ambush], *faces: int) -> Given:
    """A and B ambush C; A rolls 11, B 15."""
    people = (
        combatant("a", {}, side="ambush"),
        combatant("b", {}, side="ambush"),
        combatant("c", {}, side="road", conditions=SURPRISED),
    )
    return given(system, *people, dice=(11, 15, *faces))


def starts(fight: Given) -> list[tuple[Any, str]]:
    """Whose turns began so far, with their rounds."""
    return [(one.when[0], one.who) for one in fight.table.events() if isinstance(one, Turn) and one.moment == "start"]


def dice_of(fight: Given, who: str) -> int:
    return sum(len(one.faces or ()) for one in fight.table.events() if isinstance(one, Roll) and one.by == who)


def test_of_2014_the_first_turn_is_passed() -> None:
    """INIT-4: one die, C 18; the turn of round 1 is marked as passed, reactions only after it, round 2 is normal."""
    with ambush(Surprise2014, 18) as fight:
        fight.then(
            event(Judge, by="c", key="surprise", code="passed"), pool_is("c", "initiative", 18), turn_of("b"), lacks("c", "surprised")
        )
        assert dice_of(fight, "c") == 1
        fight.when(declare("c", "react")).then(event(Judge, key="reaction"))
        fight.when(declare("b", "end-turn"), declare("a", "end-turn")).then(turn_of("c"), audited())
        assert starts(fight) == [(1, "c"), (1, "b"), (1, "a"), (2, "c")]


def test_of_2014_nobody_reacts_before_the_passed_turn() -> None:
    """INIT-4: C is last, and does not react to B and A before."""
    with ambush(Surprise2014, 2) as fight:
        fight.when(declare("c", "react")).then(refused("surprised", "c"), has("c", "surprised"))
        fight.when(declare("b", "end-turn"), declare("a", "end-turn")).then(event(Judge, by="c", code="passed"), turn_of("b"))
        fight.when(declare("c", "react")).then(event(Judge, key="reaction"))
        assert starts(fight) == [(1, "b"), (1, "a"), (1, "c"), (2, "b")]


def test_of_2024_the_lower_of_two_dice_counts() -> None:
    """INIT-4: two dice, C 4, acts normally."""
    with ambush(Surprise2024, 18, 4) as fight:
        fight.then(pool_is("c", "initiative", 4), turn_of("b"))
        assert dice_of(fight, "c") == 2
        fight.when(declare("c", "react")).then(event(Judge, key="reaction"))
        fight.when(declare("b", "end-turn"), declare("a", "end-turn")).then(turn_of("c"), audited())


def test_of_the_third_whoever_is_surprised_is_last_for_the_whole_combat() -> None:
    """INIT-4: C rolls 18 and is last in every round."""
    with ambush(SurpriseLast, 18) as fight:
        for _ in range(2):
            fight.when(declare("b", "end-turn"), declare("a", "end-turn"), declare("c", "end-turn")).then(audited())
        assert [who for _, who in starts(fight)] == ["b", "a", "c", "b", "a", "c", "b"]


@pytest.mark.parametrize(
    ("system", "faces", "order"),
    [
        (Surprise2014, (18, 12), ["c", "b", "d", "a"]),
        (Surprise2024, (18, 4, 12), ["b", "d", "a", "c"]),
        (SurpriseLast, (18, 12), ["b", "d", "a", "c"]),
    ],
)
def test_who_comes_late_is_not_surprised(system: type[Ambush], faces: tuple[int, ...], order: list[str]) -> None:
    """INIT-4: D joins in round 2 with a 12, one die, and from then on acts between B and A."""
    with ambush(system, *faces) as fight:
        while fight.state.at[0] != 2:
            fight.when(declare(fight.state.turn, "end-turn")).then()
        fight.when(combatant("d", {}, side="road")).then(lacks("d", "surprised"))
        while fight.state.at[0] != 4:
            fight.when(declare(fight.state.turn, "end-turn")).then()
        fight.then(audited())
        assert dice_of(fight, "d") == 1
        assert [who for turn, who in starts(fight) if turn == 3] == order


@pytest.mark.parametrize("system", [Surprise2014, Surprise2024, SurpriseLast])
def test_which_edition_it_was_stands_in_the_log(system: type[Ambush]) -> None:
    """INIT-4: id and release of the plugin."""
    fight = ambush(system, 18, *([4] if system is Surprise2024 else []))
    assert fight.table.events()[0].manifest.system == Pin(id=system.ID, distribution="", release=system.RELEASE)
