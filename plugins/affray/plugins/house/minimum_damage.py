"""Minimum damage: a blow that lands does at least one point, whatever armour and dice say (every system)."""

from __future__ import annotations

from affray.kernel import Action, ApplyDamage, Fight, Step, exact, hookimpl

from .amounts import harder

NAME = "minimum-damage"
LEAST = 1


class MinimumDamage:
    """A blow that lands does at least 1 damage."""

    title = "Minimum damage"
    release = "1"

    @hookimpl
    def ruling(self, fight: Fight, action: Action, step: Step) -> Step | None:
        """Raise the damage of a blow to the least."""
        if isinstance(step, ApplyDamage) and step.key == "damage" and exact(step.value) < LEAST:
            return harder(step, LEAST - exact(step.value), NAME)
        return None

    @hookimpl
    def texts(self, locale: str) -> dict[str, str] | None:
        """Word the row."""
        return {"row.minimum-damage": "at least 1"} if locale == "en" else None
