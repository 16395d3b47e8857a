"""Ties go to the defender (nyra, the duel; the bank compares no margins, so nothing ties there).

Nyra has an option for this as well, `tie = "defender"`, which is the lower rung of the ladder. The rule is here to be read, and for
tables that change it.
"""

from __future__ import annotations

from msgspec.structs import replace

from affray.kernel import Action, Fight, Judge, Step, hookimpl


class TiesToDefender:
    """Equal margins are a defence that holds: nobody rolls again."""

    title = "Ties go to the defender"
    release = "1"
    systems = ("nyra",)

    @hookimpl
    def ruling(self, fight: Fight, action: Action, step: Step) -> Step | None:
        """Let a tied contest be won by who is struck."""
        if isinstance(step, Judge) and step.key == "contest" and step.code == "tie":
            return replace(step, code="defended")
        return None
