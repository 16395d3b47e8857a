"""Where modifier rows may act, and which rows count there (law 9: whatever a table gives stays countable).

A row at a place that begins with "target." acts on whoever is attacked.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction

from affray.kernel import Action, Fight, Modifier, Moment, Row, exact, number

from .bounds import STATED_PARTS
from .pack import SCORE_MAX

ACTION = "action"
CHANCE = "chance"
REACTION = "reaction"
INITIATIVE = "initiative"
DAMAGE = "damage"
SAVE = "save"
DEFENCE = "target.defence"
ARMOR = "target.armor"
REDUCTION = "target.reduction"
ABSORPTION = "target.absorption"

PLACES: Mapping[str, str] = {
    ACTION: "every action of the fighter and, by option `state_mods_on_saves`, every save: wounds, exhaustion (points of chance)",
    CHANCE: "the chance of the fighter who acts: light, footing, a good tool (points)",
    REACTION: "INIT_MOD of the fighter who reacts; a positive amount is quicker",
    INITIATIVE: "INIT of the fighter who reacts; a positive amount is slower",
    DAMAGE: "base damage of the fighter who strikes",
    SAVE: "the chance of the fighter who saves (points)",
    DEFENCE: "DEF or MDF of the target, where it defends",
    ARMOR: "protection of the target at the place that is hit",
    REDUCTION: "what wards and resistances take off in step 3",
    ABSORPTION: "PAB or MAB of the target, before the awareness factor",
}
"""Place -> what a row there does."""


def sound_rows(scope: Action | Moment, place: str, of: str = "") -> tuple[Row, ...]:
    """Give the rows at a place (of the actor, or of somebody else) that are within bounds.

    Others are refused with a declaration; those that come up later are left out.
    """
    return tuple([row for row in scope.rows(place, of=of) if not problem(row)])


def held_rows(fight: Fight, who: str, place: str) -> tuple[Row, ...]:
    """Give the rows of somebody's conditions at a place, whoever acts."""
    held = [row for one in fight.conditions(who).values() for row in one.rows if row.place == place]
    rows = [Row(row.code, row.amount, row.source or "condition") for row in held]
    return tuple([row for row in rows if not problem(row)])


def problem(row: Row | Modifier) -> str:
    """Say why a row is beyond the bounds; "" for nothing."""
    amount = Fraction(exact(row.amount))
    if abs(amount) > SCORE_MAX or STATED_PARTS % amount.denominator:
        return f"must lie within {SCORE_MAX} either way, with two digits after the point at most, got {number(amount)}"
    return ""


def bad_rows(rows: tuple[Modifier, ...]) -> Iterator[tuple[str, str]]:
    """Find rows of a declaration that cannot be, as (place, problem)."""
    for row in rows:
        if found := problem(row):
            yield row.place, found
