"""What a blow does beside damage: stun and knockdown, each with a saving roll (exalted.md, 3.4)."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from affray.kernel import Action, Condition, Exact, Fight, Modifier, Row, Save, Steps, number, slot, total

from .clock import STUNNED
from .dice_pools import given, throw
from .rows import RULE, SHEET
from .sheet import Sheet
from .situation import save_rows

STUN = "stun"
KNOCKDOWN = "knockdown"

STUN_DICE = -2
"""Dice that being stunned costs until the next action (3.4)."""

KNOCKDOWN_DIFFICULTY = 2
"""([own], M)"""

PRONE = "prone"
"""The condition of who was knocked down; the action `rise` ends it. The page names no other effect."""


def stun(fight: Fight, action: Action, levels: int) -> Steps:
    """Roll Stamina + Resistance when one hit took more levels than Stamina; the difficulty is what it took beyond."""
    who = action.target
    sheet: Sheet = fight.sheet(who)
    beyond = levels - sheet.stamina
    if beyond <= 0:
        return
    rows = (Row("levels", levels, RULE), Row("stamina", -sheet.stamina, SHEET))
    saved = yield from save(fight, action, STUN, beyond, rows, STUNNED)
    if saved.code == "failed":
        code = "renewed" if fight.has(who, STUNNED) else "gained"
        modifiers = tuple([Modifier(place, STUN_DICE, STUNNED) for place in ("dice", "save.dice")])
        yield Condition("stunned", target=who, id=STUNNED, code=code, value=STUN_DICE, rows=modifiers)


def knockdown(fight: Fight, action: Action, raw: Exact) -> Steps:
    """Roll when raw damage exceeds Stamina + Resistance."""
    who = action.target
    sheet: Sheet = fight.sheet(who)
    if raw <= total(row.amount for row in threshold_rows(sheet)):
        return
    rows = (Row("difficulty", KNOCKDOWN_DIFFICULTY, RULE),)
    saved = yield from save(fight, action, KNOCKDOWN, KNOCKDOWN_DIFFICULTY, rows, PRONE)
    if saved.code == "failed" and not fight.has(who, PRONE):
        yield Condition("prone", target=who, id=PRONE)


def threshold_rows(sheet: Sheet) -> tuple[Row, ...]:
    """List what raw damage has to exceed to knock somebody down: Stamina + Resistance; stun is resisted with the same."""
    return (Row("stamina", sheet.stamina, SHEET), Row("Resistance", sheet.ability("Resistance"), SHEET))


def knockdown_rows(sheet: Sheet) -> tuple[Row, ...]:
    """List the dice against a knockdown: the better of Dexterity and Stamina + the better of Athletics and Resistance.

    Of equals Stamina and Resistance are named.
    """
    trait, dots = max([("stamina", sheet.stamina), ("dexterity", sheet.dexterity)], key=lambda one: one[1])
    ability = max("Resistance", "Athletics", key=sheet.ability)
    return (Row(trait, dots, SHEET), Row(ability, sheet.ability(ability), SHEET))


SAVES: Mapping[str, Callable[[Sheet], tuple[Row, ...]]] = {STUN: threshold_rows, KNOCKDOWN: knockdown_rows}
"""Save -> the dice that a sheet has for it."""


def save(
    fight: Fight, action: Action, name: str, difficulty: int, rows: tuple[Row, ...], consequence: str
) -> Steps:
    """Roll a save: `passed` with as many successes as the difficulty, which the rows explain."""
    who = action.target
    roll = yield from throw(fight, name, who, (*SAVES[name](fight.sheet(who)), *save_rows(fight, action)))
    margin = given(roll.total) - difficulty
    return (
        yield from Save(
            name,
            who=who,
            name=name,
            code="passed" if margin >= 0 else "failed",
            goal=difficulty,
            trace=rows,
            margin=number(margin),
            roll=slot(roll),
            consequences=() if margin >= 0 else (consequence,),
        )
    )
