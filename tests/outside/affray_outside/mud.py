"""Mud: whoever has been dragged halfway to the line stands in mud, and pulls worse."""

from __future__ import annotations

from collections.abc import Mapping

from affray.kernel import Action, Fight, Modifier, hookimpl

NAME = "mud"
WORTH = -1


class Mud:
    """Who has been dragged halfway to the line pulls at 1 less."""

    title = "Mud in the middle"
    release = "1"
    systems = ("tug-of-war",)

    @hookimpl
    def contribute(self, fight: Fight, action: Action, place: str) -> list[Modifier]:
        """Give a row to a puller in the mud."""
        halfway = place == "pull.strength" and 2 * fight.pool(action.actor, "dragged") >= fight.options.line
        return [Modifier(place, WORTH, NAME)] if halfway else []

    @hookimpl
    def texts(self, locale: str) -> Mapping[str, str] | None:
        """Word the row."""
        return {"row.mud": "stands in mud"} if locale == "en" else None
