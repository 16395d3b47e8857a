"""Checks: a d10 against a skill, its difficulty, margin and criticals (nyra.md, 1.3 steps 3 to 6 and 1.7)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple

from affray.kernel import Exact, Num, Roll, Row, dice, exact, number, total

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

class Check(NamedTuple):
    """How difficult a check is, and the code of the row that says what the difficulty takes off the skill."""

    difficulty: Difficulty
    row: str = ""


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


def derived(rows: tuple[Row, ...], check: Check) -> tuple[Exact, tuple[Row, ...]]:
    """Turn rows that add up to a skill into the effective skill, and rows that add up to that."""
    skill = total(row.amount for row in rows)
    goal = effective(skill, check.difficulty)
    return goal, rows if goal == skill else (*rows, Row(check.row, number(goal - skill), RULE))


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
