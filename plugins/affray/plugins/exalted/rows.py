"""Rows of a trace: where their numbers come from, those that a table gives at the system's places, and how many fit.

Whatever a table gives is held to bounds, so that it stays countable (law 9).
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from affray.kernel import Action, Row, exact, limits, number, total

from .bounds import PART_MAX, SCORE_MAX

RULE = "exalted"
"""Source of rows that the rules make."""

SHEET = "sheet"
"""Source of rows whose number a sheet states."""

HERE = "fight"
"""Source of rows that come from how the fight stands."""

ROWS_MAX = limits.ROWS - 10
"""Most rows of a pool or a sum before the rules' own last ones; there is room for those in a trace."""


def sound_rows(action: Action, place: str, of: str = "") -> tuple[Row, ...]:
    """Give the rows at a place (of the actor, or of somebody else) that are within bounds.

    Others are refused with a declaration; those that come up later are left out.
    """
    return tuple([row for row in action.rows(place, of=of) if not problem(row)])


def problem(row: Row) -> str:
    """Say why a row is beyond the bounds; "" for nothing."""
    amount = Fraction(exact(row.amount))
    if abs(amount) > SCORE_MAX or amount.denominator > PART_MAX:
        return f"must lie within {SCORE_MAX} either way, q at most {PART_MAX}, got {row.amount}"
    return ""


def whole(rows: tuple[Row, ...]) -> int:
    """Add up rows where only whole numbers count; a fraction of the sum is cut."""
    return int(total(row.amount for row in rows) // 1)


def fitted(rows: Iterable[Row]) -> list[Row]:
    """Give rows that change something; what a trace has no room for stands together in a last row, "others"."""
    found = [row for row in rows if row.amount != 0]
    if len(found) <= ROWS_MAX:
        return found
    rest = total(row.amount for row in found[ROWS_MAX - 1 :])
    return [*found[: ROWS_MAX - 1], Row("others", number(rest), RULE)]
