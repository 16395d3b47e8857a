"""First blood: the fight is over as soon as somebody is hurt (every system). What others have begun comes to nothing."""

from __future__ import annotations

from collections.abc import Mapping

from affray.kernel import Action, ApplyDamage, Condition, Fight, Step, Steps, Stop, exact, hookimpl, root

NAME = "first-blood"
BLED = "bled"
"""The condition of who was hurt first."""


class FirstBlood:
    """The first wound ends the fight."""

    title = "First blood"
    release = "1"

    @hookimpl
    def follow(self, fight: Fight, action: Action, step: Step) -> Steps | None:
        """Mark whoever is hurt first, and stop what is pending."""
        is_wound = isinstance(step, ApplyDamage) and exact(step.value) > 0
        return self.bleed(fight, action, step.target) if isinstance(step, ApplyDamage) and is_wound else None

    def bleed(self, fight: Fight, action: Action, who: str) -> Steps:
        """Mark somebody, unless somebody is marked."""
        if is_bled(fight):
            return
        yield Condition(NAME, target=who, id=BLED)
        for run in tuple(fight.state.open.values()):
            if run.due is not None and run.id != root(action.id):
                yield Stop(NAME, target=run.id, code=NAME)

    @hookimpl
    def is_over(self, fight: Fight) -> str | None:
        """End the fight, once nothing of it resolves any more."""
        is_pending = any(run.due is not None for run in fight.state.open.values())
        return NAME if is_bled(fight) and not is_pending else None

    @hookimpl
    def texts(self, locale: str) -> Mapping[str, str] | None:
        """Word the mark and the end."""
        words = {"condition.first-blood": "First blood: {target} is hurt.", "close.first-blood": "The fight is over: first blood."}
        return words if locale == "en" else None


def is_bled(fight: Fight) -> bool:
    """Tell whether somebody was hurt."""
    return any(fight.has(who, BLED) for who in fight.ids)
