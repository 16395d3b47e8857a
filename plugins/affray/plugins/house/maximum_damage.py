"""Maximum damage on a critical: the dice of the blow count their highest faces and are not thrown (nyra, primer).

A ruling sees one step and knows nothing of earlier ones, so what the verdict said is remembered where everybody can read it:
in a condition of the attacker, whose source is the action. It ends with the damage roll, or with the defence that stops the blow.
"""

from __future__ import annotations

from msgspec.structs import replace

from affray.kernel import (
    Action,
    Condition,
    DicePlan,
    Fight,
    Judge,
    Roll,
    Step,
    Steps,
    Successes,
    Term,
    hookimpl,
)

NAME = "maximum-damage"
CRITICAL = "critical-blow"
"""The condition of who has struck critically."""

STOPPED = ("defended", "avoided")
"""Verdicts that let a blow come to nothing."""


class MaximumDamage:
    """On a critical success every die of damage counts its highest face."""

    title = "Maximum damage on a critical"
    release = "1"
    systems = ("nyra", "primer")

    @hookimpl
    def follow(self, fight: Fight, action: Action, step: Step) -> Steps | None:
        """Remember a critical success until the blow has done its damage, or none."""
        if isinstance(step, Judge) and step.key == "attack" and step.code == "critical":
            return self.remember(fight, action)
        is_rolled = isinstance(step, Roll) and step.key == "damage"
        is_stopped = isinstance(step, Judge) and step.code in STOPPED
        return self.forget(action) if (is_rolled or is_stopped) and is_critical(fight, action) else None

    @hookimpl
    def ruling(self, fight: Fight, action: Action, step: Step) -> Step | None:
        """Plan the highest faces in place of dice."""
        if not isinstance(step, Roll) or step.key != "damage" or not is_critical(fight, action):
            return None
        plan = highest(step.plan)
        return None if plan == step.plan else replace(step, plan=plan)

    def remember(self, fight: Fight, action: Action) -> Steps:
        """Give the condition to the attacker."""
        code = "renewed" if fight.has(action.actor, CRITICAL) else "gained"
        yield Condition(NAME, target=action.actor, id=CRITICAL, code=code, source=action.id)

    def forget(self, action: Action) -> Steps:
        """End it."""
        yield Condition(NAME, target=action.actor, id=CRITICAL, code="ended")

    @hookimpl
    def texts(self, locale: str) -> dict[str, str] | None:
        """Leave out what only the rule has to know."""
        return {"condition.maximum-damage": ""} if locale == "en" else None


def is_critical(fight: Fight, action: Action) -> bool:
    """Tell whether this very action has struck critically."""
    held = fight.conditions(action.actor).get(CRITICAL)
    return held is not None and held.source == action.id


def highest(plan: DicePlan) -> DicePlan:
    """Give a plan without dice that comes to the most the dice could show, none of them exploding."""
    if isinstance(plan.reading, Successes):
        return plan
    most = {f"#{index}": str(counting(term) * term.sides) for index, term in enumerate(plan.terms)}
    return replace(plan, terms=(), formula=tuple([most.get(token, token) for token in plan.formula]))


def counting(term: Term) -> int:
    """Count the dice of a term that are kept."""
    if not term.keep:
        return term.count
    return term.keep_count if term.keep in ("kh", "kl") else term.count - term.keep_count
