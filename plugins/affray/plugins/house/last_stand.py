"""Last stand: no blow takes the last point of somebody who has more than one; the next blow does (exalted, primer).

In exalted the last point is the last health level before Incapacitated, in the primer the last point of HTK or POW.
"""

from __future__ import annotations

from affray.kernel import Action, ApplyDamage, Exact, Fight, Step, exact, hookimpl

from .amounts import harder

NAME = "last-stand"
LEVELS = ("bashing", "lethal", "aggravated")
"""The pools that together fill a health track."""


class LastStand:
    """A blow leaves the last point of somebody who has more."""

    title = "Last stand"
    release = "1"
    systems = ("exalted", "primer")

    @hookimpl
    def ruling(self, fight: Fight, action: Action, step: Step) -> Step | None:
        """Cut the damage of a blow to what leaves one point."""
        if isinstance(step, ApplyDamage) and step.key == "damage":
            spare = to_spare(fight, step.target, step.pools[0])
            if 0 < spare < exact(step.value):
                return harder(step, spare - exact(step.value), NAME)
        return None

    @hookimpl
    def texts(self, locale: str) -> dict[str, str] | None:
        """Word the row."""
        return {"row.last-stand": "last stand"} if locale == "en" else None


def to_spare(fight: Fight, who: str, pool: str) -> Exact:
    """Give what somebody has above the last point."""
    if pool in LEVELS:
        return len(fight.sheet(who).track) - sum(fight.pool(who, level) for level in LEVELS)
    return fight.pool(who, pool) - 1
