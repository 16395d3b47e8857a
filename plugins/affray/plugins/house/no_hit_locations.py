"""No hit locations: every blow strikes the chest, and nobody aims (nyra).

Locations are what a body's die says, so the ruling plans a roll that has no dice and shows the chest.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec.structs import replace

from affray.kernel import Action, DicePlan, Fight, Refused, Roll, Step, hookimpl

CHEST = DicePlan(terms=(), formula=("2",))
"""The chest is the second location of a body (nyra.md, 1.3 step 8)."""


class NoHitLocations:
    """Every blow strikes the chest; an aimed one is refused."""

    title = "No hit locations"
    release = "1"
    systems = ("nyra",)

    @hookimpl
    def check(self, fight: Fight, action: Action) -> Refused | None:
        """Refuse an aimed strike."""
        aim = getattr(action.params, "aim", None)
        return None if aim is None else Refused("no-hit-locations", (aim,))

    @hookimpl
    def ruling(self, fight: Fight, action: Action, step: Step) -> Step | None:
        """Find the chest without a die."""
        return replace(step, plan=CHEST) if isinstance(step, Roll) and step.key == "location" else None

    @hookimpl
    def texts(self, locale: str) -> Mapping[str, str] | None:
        """Word the refusal, and the roll that is none."""
        words = {
            "roll.location": "",
            "refused.no-hit-locations": "There are no hit locations at this table, so nobody aims at the {0}.",
        }
        return words if locale == "en" else None
