"""Rows: what they name as their source, and what they add up to. Every number of this system is explained by some.

Codes are the sheet's own names ("AGL", "PCF") or words in kebab-case. A row that adds nothing is left out.
"""

from __future__ import annotations

from collections.abc import Iterable

from affray.kernel import Exact, Row, exact, number, total

RULE = "primer"
"""Source of rows that the rules make."""

SHEET = "sheet"
"""Source of rows whose number a sheet states."""

HERE = "fight"
"""Source of rows that come from how the fight stands."""

ROLL = "roll"
"""Source of rows that dice gave."""


def points(rows: Iterable[Row]) -> Exact:
    """Add up rows."""
    return total(row.amount for row in rows)


def rows_of(source: str, *terms: tuple[str, Exact]) -> tuple[Row, ...]:
    """Make rows of terms (code, amount), in order, without those that add nothing."""
    return tuple([Row(code, number(amount), source) for code, amount in terms if amount])


def negated(rows: Iterable[Row]) -> tuple[Row, ...]:
    """Turn the sign of rows: what makes somebody quicker lowers INIT."""
    return tuple([Row(row.code, number(-exact(row.amount)), row.source) for row in rows])
