"""No friendly fire: nobody attacks the own side (every system). A veto, before any cost or die."""

from __future__ import annotations

from collections.abc import Mapping

from affray.kernel import Action, Fight, Refused, hookimpl

HARMFUL = ("strike", "attack", "flurry", "disarm", "aim", "coordinate")
"""The actions of all systems that harm, or prepare to."""


class NoFriendlyFire:
    """An attack on somebody of the own side is refused."""

    title = "No friendly fire"
    release = "1"

    @hookimpl
    def check(self, fight: Fight, action: Action) -> Refused | None:
        """Refuse an attack whose target is on the attacker's side."""
        if action.name not in HARMFUL:
            return None
        side = fight.combatant(action.actor).side
        friend = next((who for who in action.targets if fight.combatant(who).side == side), None)
        return None if friend is None else Refused("no-friendly-fire", (action.actor, friend))

    @hookimpl
    def texts(self, locale: str) -> Mapping[str, str] | None:
        """Word the refusal."""
        return {"refused.no-friendly-fire": "{0} and {1} are on one side."} if locale == "en" else None
