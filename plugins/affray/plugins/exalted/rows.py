"""Modifier rows at the places of the system, held to bounds, so that whatever a table gives stays countable (law 9)."""

from __future__ import annotations

from fractions import Fraction

from affray.kernel import Action, Row, exact, total

from .bounds import PART_MAX, SCORE_MAX


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
