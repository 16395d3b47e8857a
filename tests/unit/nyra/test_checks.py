"""Checks: difficulties, criticals, margins (nyra.md, 1.3 and 1.7)."""

from __future__ import annotations

from fractions import Fraction

import pytest

from affray.plugins.nyra.checks import Difficulty, effective, outcome


@pytest.mark.parametrize(
    ("skill", "difficulty", "goal"),
    [(7, "easy", 14), (7, "normal", 7), (7, "difficult", 3), (7, "impossible", 1), (3, "impossible", 0)],
)
def test_effective_skill(skill: int, difficulty: Difficulty, goal: int) -> None:
    assert goal == effective(skill, difficulty)


def test_a_fraction_from_a_house_rule_is_rounded_only_where_the_skill_is_divided() -> None:
    skill = Fraction(15, 2)
    assert (skill, 3) == (effective(skill, "normal"), effective(skill, "difficult"))


@pytest.mark.parametrize(
    ("die", "goal", "code"),
    [
        (1, 0, "critical"),  # a 1 succeeds at an effective skill of 0 (I 0.7)
        (2, 0, "failure"),
        (7, 7, "success"),  # equal passes (contradiction 5)
        (8, 7, "failure"),
        (9, 15, "success"),
        (10, 15, "fumble"),  # a 10 fails even against a skill above it
    ],
)
def test_outcome(die: int, goal: int, code: str) -> None:
    assert code == outcome(die, goal)
