"""What a blow does beside damage: stun and knockdown, each with a saving roll (exalted.md, 3.4)."""

from __future__ import annotations

from affray.kernel import Action, Condition, Exact, Fight, Modifier, Roll, Save, Steps, number, slot, total

from .clock import STUNNED
from .dice_pools import given, plan
from .rows import sound_rows
from .sheet import Sheet

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
    saved = yield from save(action, STUN, sheet.stamina + sheet.ability("Resistance"), beyond, STUNNED)
    if saved.code == "failed":
        code = "renewed" if fight.has(who, STUNNED) else "gained"
        rows = tuple([Modifier(place, STUN_DICE, STUNNED) for place in ("dice", "save.dice")])
        yield Condition("stunned", target=who, id=STUNNED, code=code, value=STUN_DICE, rows=rows)


def knockdown(fight: Fight, action: Action, raw: Exact) -> Steps:
    """Roll the better of Dexterity and Stamina + the better of Athletics and Resistance when raw damage exceeds the threshold."""
    who = action.target
    sheet: Sheet = fight.sheet(who)
    if raw <= sheet.stamina + sheet.ability("Resistance"):
        return
    dice = max(sheet.dexterity, sheet.stamina) + max(sheet.ability("Athletics"), sheet.ability("Resistance"))
    saved = yield from save(action, KNOCKDOWN, dice, KNOCKDOWN_DIFFICULTY, PRONE)
    if saved.code == "failed" and not fight.has(who, PRONE):
        yield Condition("prone", target=who, id=PRONE)


def save(action: Action, name: str, dice: int, difficulty: int, consequence: str) -> Steps:
    """Roll a save: `passed` with as many successes as the difficulty."""
    who = action.target
    rows = sound_rows(action, "save.dice", of=who)
    roll = yield from Roll(name, by=who, plan=plan(dice + total(row.amount for row in rows)))
    margin = given(roll.total) - difficulty
    return (
        yield from Save(
            name,
            who=who,
            name=name,
            code="passed" if margin >= 0 else "failed",
            goal=difficulty,
            margin=number(margin),
            roll=slot(roll),
            consequences=() if margin >= 0 else (consequence,),
        )
    )
