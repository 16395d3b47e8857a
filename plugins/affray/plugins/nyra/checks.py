"""Checks: a d10 against a skill, its difficulty, margin and criticals (nyra.md, 1.3 steps 3 to 6 and 1.7)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from affray.kernel import Action, Exact, Fight, Num, Roll, Row, dice, exact

D10 = dice(1, 10)

SHEET = "sheet"
"""Source of rows whose number a sheet states."""

RULE = "nyra"
"""Source of rows that the rules make."""

Difficulty = Literal["easy", "normal", "difficult", "impossible"]

DIFFICULTIES: Mapping[Difficulty, tuple[int, int]] = {
    "easy": (2, 1),
    "normal": (1, 1),
    "difficult": (1, 2),
    "impossible": (1, 4),
}
"""Effective skill as (times, divided by) of the skill (page difficulty-thresholds, 0.95). Quotients are rounded down:
the seed halves 7 to 3 (contradiction 3)."""

CRITICAL_FACE = 1
"""Always succeeds, and is a critical success (page skill-checks, 0.9; at an effective skill of 0 too, I 0.7)."""

FUMBLE_FACE = 10
"""Always fails, and is a critical failure, even against a skill above 10 (page skill-checks, 0.9)."""

SUCCEEDED = frozenset({"critical", "success"})
"""The codes of `outcome` that succeed."""


def effective(skill: Exact, difficulty: Difficulty) -> Exact:
    """Turn a skill into the number the die has to stay at or below. Equal passes (contradiction 5)."""
    times, by = DIFFICULTIES[difficulty]
    return skill if times == by else skill * times // by


def outcome(die: Exact, goal: Exact) -> str:
    """Judge a die against an effective skill: critical, fumble, success or failure."""
    if die == CRITICAL_FACE:
        return "critical"
    if die == FUMBLE_FACE:
        return "fumble"
    return "success" if die <= goal else "failure"


def face(roll: Roll) -> Exact:
    """Give what a recorded roll reads."""
    return given(roll.total)


def given(value: Num | None) -> Exact:
    """Give a number of a step that was decided here, where nothing is unknown."""
    assert value is not None, "the rules never decide on a redacted log"
    return exact(value)


def rows_of_target(fight: Fight, action: Action, place: str) -> tuple[Row, ...]:
    """Give the rows at a place that belongs to the target of an action, not to its actor.

    `action.rows` takes those of the actor's conditions; here the target's conditions stand in their place.
    """
    rows = list(action.rows(place))
    for row in _conditions_at(fight, action.actor, place):
        rows.remove(row)
    return (*rows, *_conditions_at(fight, action.target, place))


def _conditions_at(fight: Fight, who: str, place: str) -> list[Row]:
    return [
        Row(row.code, row.amount, row.source or "declared")
        for held in fight.conditions(who).values()
        for row in held.rows
        if row.place == place
    ]
