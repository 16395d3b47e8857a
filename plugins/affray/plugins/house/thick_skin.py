"""Thick skin: a blow of less than half of the target's Constitution does nothing (nyra, primer).

The threshold follows from the sheet, so `affray sheet` shows it, also for nyra, which derives nothing itself.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from affray.kernel import Action, ApplyDamage, Derived, Exact, Fight, Row, Step, exact, hookimpl, number

from .amounts import harder

NAME = "thick-skin"


class ThickSkin:
    """A blow of less than half of the target's CON does no damage."""

    title = "Thick skin"
    release = "1"
    systems = ("nyra", "primer")

    @hookimpl
    def ruling(self, fight: Fight, action: Action, step: Step) -> Step | None:
        """Let a small blow do nothing."""
        if not isinstance(step, ApplyDamage) or step.key != "damage":
            return None
        value = exact(step.value)
        return harder(step, -value, NAME) if 0 < value < threshold(fight.sheet(step.target)) else None

    @hookimpl
    def derive(self, sheet: Any, options: Any) -> Iterable[Derived]:
        """Tell the threshold of a sheet."""
        half = threshold(sheet)
        rows = (Row("CON", number(2 * half), "sheet"), Row("half", number(-half), NAME))
        return [Derived(code=NAME, value=number(half), trace=rows)]

    @hookimpl
    def texts(self, locale: str) -> dict[str, str] | None:
        """Word the row."""
        return {"row.thick-skin": "thick skin"} if locale == "en" else None


def threshold(sheet: Any) -> Exact:
    """Give half of Constitution, exactly."""
    return Fraction(exact(sheet.CON), 2)
