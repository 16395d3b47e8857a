"""Dice: pools of d10 that count 7 and more, 10 twice unless said otherwise (exalted.md, 3.2)."""

from __future__ import annotations

from affray.kernel import DicePlan, Exact, Num, Roll, exact, pool

from .bounds import DICE_MAX

TARGET = 7
DOUBLE = 10


def plan(dice: Exact, *, doubles: bool = True) -> DicePlan:
    """Plan a pool. Fewer than no dice are none; a fraction of a die is none; more than DICE_MAX are not thrown."""
    return pool(int(min(max(dice, 0), DICE_MAX) // 1), 10, TARGET, DOUBLE if doubles else 0)


def successes(roll: Roll) -> int:
    """Give what a recorded pool shows."""
    return int(given(roll.total))


def given(value: Num | None) -> Exact:
    """Give a number of a step that was decided here, where nothing is unknown."""
    assert value is not None, "the rules never decide on a redacted log"
    return exact(value)
