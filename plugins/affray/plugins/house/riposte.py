"""Riposte: whoever blocks a blow, or is fumbled at, strikes back at once (nyra, exalted).

A riposte is a whole attack nested in the one it answers, and costs what an attack costs: in nyra the delay or the energy that is
left, without which it is refused and nothing happens. It is never answered by another.
"""

from __future__ import annotations

from collections.abc import Mapping

from affray.kernel import Act, Action, Fight, Json, Judge, Step, Steps, hookimpl

from .amounts import system_of

NAME = "riposte"

OPENINGS: Mapping[str, tuple[tuple[str, str], ...]] = {
    "nyra": (("contest", "defended"), ("avoid", "avoided"), ("attack", "fumble")),
    "exalted": (("attack", "miss"), ("attack", "botch")),
}
"""Key and code of the verdicts that open an attacker to a riposte."""


class Riposte:
    """Whoever stops a blow, or is fumbled at, strikes back at once with the first weapon."""

    title = "Riposte"
    release = "1"
    systems = tuple(OPENINGS)

    @hookimpl
    def follow(self, fight: Fight, action: Action, step: Step) -> Steps | None:
        """Strike back after a verdict that opens the attacker."""
        is_blow = isinstance(action, Action) and not action.is_nested and isinstance(step, Judge) and step.by == action.actor
        if is_blow and isinstance(step, Judge) and (step.key, step.code) in OPENINGS[system_of(fight)]:
            return self.strike(fight, action.target, action.actor)
        return None

    def strike(self, fight: Fight, who: str, foe: str) -> Steps:
        """Attack with the first weapon, if there is one."""
        weapons = fight.sheet(who).weapons
        if not weapons or who not in fight.ids or foe not in fight.ids:
            return
        params: dict[str, Json] = {"weapon": weapons[0].key}
        if system_of(fight) == "nyra":
            params |= {"strike": "wild", "type": fight.sheet(who).arms[0].types[0]}
        yield Act(NAME, actor=who, name="strike" if system_of(fight) == "nyra" else "attack", targets=(foe,), params=params)
