"""Dice: pools of d10 that count 7 and more, 10 twice unless said otherwise, each with where its dice come from (exalted.md, 3.2)."""

from __future__ import annotations

from collections.abc import Iterable

from affray.kernel import Exact, Fight, Num, Roll, Row, exact, number, pool, total

from .bounds import DICE_MAX
from .rows import RULE, fitted
from .sheet import Sheet

TARGET = 7
DOUBLE = 10


def throw(fight: Fight, key: str, who: str, rows: Iterable[Row]) -> Roll:
    """Make the roll of a pool. An extra's 10s count once, whatever it rolls (3.2, F10)."""
    sheet: Sheet = fight.sheet(who)
    return roll_of(key, who, rows, doubles=not sheet.is_extra)


def roll_of(key: str, who: str, rows: Iterable[Row], *, doubles: bool) -> Roll:
    """Make a roll whose rows add up to its dice; `doubles` says whether a 10 counts twice.

    Fewer than no dice are none; a fraction of a die is none; more than DICE_MAX are not thrown. What that adds or
    takes is the row "dice-limits".
    """
    trace = fitted(rows)
    wanted = total(row.amount for row in trace)
    dice = int(min(max(wanted, 0), DICE_MAX) // 1)
    if dice != wanted:
        trace.append(Row("dice-limits", number(dice - wanted), RULE))
    return Roll(key, by=who, plan=pool(dice, 10, TARGET, DOUBLE if doubles else 0), trace=tuple(trace))


def again(key: str, roll: Roll) -> Roll:
    """Make a roll of the same dice as one that was thrown, as it was recorded: what the table ruled on it counts again."""
    return Roll(key, by=roll.by, plan=roll.plan, trace=roll.trace)


def successes(roll: Roll) -> int:
    """Give what a recorded pool shows."""
    return int(given(roll.total))


def given(value: Num | None) -> Exact:
    """Give a number of a step that was decided here, where nothing is unknown."""
    assert value is not None, "the rules never decide on a redacted log"
    return exact(value)
