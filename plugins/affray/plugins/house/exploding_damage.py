"""Exploding damage: a die of damage that shows its highest face is thrown again and added (every system).

In exalted, where damage counts dice of 7 and more, a 10 is a level and brings one more die.
"""

from __future__ import annotations

from msgspec.structs import replace

from affray.kernel import Action, FaceCondition, Fight, Roll, Step, Term, hookimpl


class ExplodingDamage:
    """A die of damage that shows its highest face brings one more, again and again."""

    title = "Exploding damage"
    release = "1"

    @hookimpl
    def ruling(self, fight: Fight, action: Action, step: Step) -> Step | None:
        """Let the dice of a damage roll explode."""
        if not isinstance(step, Roll) or step.key != "damage":
            return None
        terms = tuple([exploding(term) for term in step.plan.terms])
        return None if terms == step.plan.terms else replace(step, plan=replace(step.plan, terms=terms))


def exploding(term: Term) -> Term:
    """Let a term explode on its highest face, unless it explodes already or has one face only."""
    if term.explode is not None or term.sides < 2:
        return term
    return replace(term, explode=FaceCondition("=", term.sides))
