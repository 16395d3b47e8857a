"""Where a row of a trace comes from: a roll, a sheet, a condition, the declaration, the game master, a rule, an earlier step.

A row says so by one word, which may be a system's own. It is read as what the log holds under that name; where the log
holds nothing of that name the row keeps its word and nothing is made up.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from .events import Choose, Declare, GiveModifier, Turn
from .explain_past import Past
from .explain_tree import Origin, known
from .numbers import Num, exact
from .steps import ApplyDamage, Ask, Change, Defend, Judge, Roll, Save
from .values import Json, Modifier, Row

ROLL = "roll"
SHEET = "sheet"
DECLARED = "declared"
OVERRULE = "overrule"
CONDITION = "condition"
RULES = "rules"
"""Words for sources that the kernel uses itself, or that every system means the same by."""


class Ground(NamedTuple):
    """What a row rests on: what kind of thing, the event that says so (0: none), and what a sheet says, if it is not kept."""

    origin: Origin = ""
    version: int = 0
    sheet: dict[str, Json] | None = None
    is_kept: bool = False


def ground(past: Past, version: int, event: Any, row: Row) -> Ground:
    """What a row of an event rests on."""
    source = row.source
    if source == ROLL:
        return Ground("roll", roll_of(past, version, event, row.amount))
    if source == SHEET:
        people = acting(past, version, event)
        takes = isinstance(event, ApplyDamage | Judge) and _is_negative(row.amount)  # armour is the other's
        return _on_a_sheet(past, version, people[::-1] if takes else people, row)
    if source == OVERRULE:
        return Ground("game-master", past.set_by(event, version))
    if (found := _modifier(past, version, event, row)) is not None:
        return found
    manifest = past.manifest(version)
    if manifest is not None and source in (manifest.system.id, RULES):
        return Ground("system", _condition(past, version, event, row))
    if manifest is not None and any(source == pin.id for pin in manifest.house):
        return Ground("house-rule", _condition(past, version, event, row))
    if source == DECLARED:  # no modifier of that name is seen: one of a condition that is kept, or of a host's own making
        return Ground("", _condition(past, version, event, row))
    if source == CONDITION or any(one.id == source for who in past.people for _, one in past.conditions(who, version)):
        return Ground("condition", _condition(past, version, event, row))
    if step := _step(past, version, event, row):
        return Ground("step", step)
    if joined := past.join(source, version):
        named = _on_a_sheet(past, version, (source,), row)
        return named._replace(origin="person", version=joined)
    return Ground("", _condition(past, version, event, row))


def acting(past: Past, version: int, event: Any) -> tuple[str, ...]:
    """The people whose numbers went into a step, the one who acts first."""
    opening = past.event(found) if (found := past.opening(event.action, version)) else None
    actor = opening.actor if isinstance(opening, Declare) else opening.who if isinstance(opening, Turn) else ""
    people: tuple[str, ...]
    match event:
        case ApplyDamage():
            people = (actor, event.target)
        case Judge():
            people = (event.by, event.against)
        case Defend():
            people = (event.who, event.against)
        case Save():
            people = (event.who, actor)
        case Change():
            people = (event.target, actor)
        case Roll():
            people = (event.by, "")
        case Choose():
            people = (event.who, actor)
        case Ask():
            people = (*event.who, actor)
        case _:
            people = (actor, "")
    return tuple(dict.fromkeys([who for who in people if who]))


def roll_of(past: Past, version: int, event: Any, amount: Num | None = None) -> int:
    """The roll that a step names; else the last of its run that reads so. 0 for none."""
    if isinstance(event, ApplyDamage | Save) and event.roll:
        return past.at_slot(event.roll, version, Roll)
    for earlier in reversed(past.steps(event.action, version)):
        found = past.event(earlier)
        if type(found) is Roll and amount is not None and found.total == amount:
            return earlier
    return 0


def judged(past: Past, version: int, verdict: Judge | Save) -> int:
    """The roll that a verdict is about, 0 for none.

    One that it names; else one of the same person in the same run, that no verdict under another key has read. One
    whose reading and the goal are as far apart as the margin says goes before one that merely came last.
    """
    if isinstance(verdict, Save) and verdict.roll:
        return past.at_slot(verdict.roll, version, Roll)
    who = verdict.by if isinstance(verdict, Judge) else verdict.who
    rolls: list[tuple[int, Roll]] = []
    read: dict[int, str] = {}
    for earlier in past.steps(verdict.action, version):
        step = past.event(earlier)
        if type(step) is Roll and step.by == who:
            rolls.append((earlier, step))
        elif (type(step) is Judge and step.by == who) or (type(step) is Save and step.who == who):
            for found, _ in rolls:
                read.setdefault(found, step.key)
    own = [(found, roll) for found, roll in rolls if read.get(found, verdict.key) == verdict.key]
    unread = [(found, roll) for found, roll in own if found not in read]
    same = [(found, roll) for found, roll in rolls if roll.key == verdict.key]
    fitting = [[(found, roll) for found, roll in some if _fits(verdict, roll)] for some in (same, unread, own)]
    last = [[(found, roll) for found, roll in unread if roll.key == verdict.key], unread]
    return next((some[-1][0] for some in (*fitting, *last) if some), 0)


def _fits(verdict: Judge | Save, roll: Roll) -> bool:
    goal, margin, reading = known(verdict.goal), known(verdict.margin), known(roll.total)
    if goal is None or margin is None or reading is None or not (verdict.trace or goal or margin):
        return False
    return abs(exact(goal) - exact(reading)) == abs(exact(margin))


# -- sheets


def _on_a_sheet(past: Past, version: int, people: Sequence[str], row: Row) -> Ground:
    """The number that a sheet holds under a row's name: the row's own number before any other, then of the first."""
    found: list[tuple[str, str, Num]] = []
    for who in people:
        sheet = past.sheet(who, version)
        if sheet is None:
            return Ground("sheet", is_kept=True)
        found += [(who, name, value) for name, value in _numbers(sheet, row.code)][:1]
    if not found:
        return Ground("sheet")
    who, name, value = found[0]
    if not _is_same(value, row.amount) and any(_is_same(one[2], row.amount) for one in found):
        return Ground("sheet")  # whose number went into it, halved perhaps, cannot be told
    return Ground("sheet", past.join(who, version), {"who": who, "name": name, "value": value})


def _numbers(sheet: dict[str, Json], code: str) -> Iterator[tuple[str, Num]]:
    """What a sheet holds under a code, or under what follows its first "-", at its top or one level down."""
    levels = [sheet, *[below for below in sheet.values() if isinstance(below, dict)]]
    for name in dict.fromkeys((code, code.partition("-")[2])):
        for level in levels:
            value = level.get(name)
            if name and not isinstance(value, bool) and (number := known(value)) is not None:
                yield name, number


# -- modifiers, conditions, earlier steps


def _modifier(past: Past, version: int, event: Any, row: Row) -> Ground | None:
    """The declaration, the game master's gift or the condition whose modifier a row is; None for no such."""
    opening = past.opening(event.action, version)
    declared = past.event(opening) if opening else None
    if isinstance(declared, Declare) and _has(declared.rows, row):
        return Ground("declaration", opening)
    for given in past.given(event.action, version):
        effect = past.event(given).effect
        if isinstance(effect, GiveModifier) and _has(effect.rows, row):
            return Ground("game-master", given)
    for who in dict.fromkeys((*acting(past, version, event), *past.people)):
        for giver, one in past.conditions(who, version):
            if _has(one.rows, row):
                return Ground("condition", giver)
    return None


def _has(modifiers: Sequence[Modifier], row: Row) -> bool:
    """Whether a row is one of these, added or (as what soaks) taken off."""
    return any(
        one.code == row.code and (one.source or DECLARED) == row.source and _is_same(one.amount, row.amount)
        for one in modifiers
    )


def _is_same(one: Num | None, other: Num | None) -> bool:
    """Whether two numbers differ by no more than their sign."""
    first, second = known(one), known(other)
    return first is not None and second is not None and abs(exact(first)) == abs(exact(second))


def _is_negative(amount: Num) -> bool:
    number = known(amount)
    return number is not None and exact(number) < 0


def _condition(past: Past, version: int, event: Any, row: Row) -> int:
    """The event that gave the condition a row names: by its source, by its code, or by the beginning of its id and its value."""
    pools = event.pools if isinstance(event, ApplyDamage) else ()
    begun: list[int] = []
    for who in acting(past, version, event):
        for giver, one in past.conditions(who, version):
            if one.id in (row.source, row.code):
                return giver
            if one.id.startswith(f"{row.code}-") and _is_same(one.value, row.amount):
                if any(one.id == f"{row.code}-{pool}" for pool in pools):
                    return giver
                begun.append(giver)
    return begun[0] if begun else 0


def _step(past: Past, version: int, event: Any, row: Row) -> int:
    """The last step of the same run whose key a row's source is: one that came to the row's amount before any other."""
    named = [
        earlier
        for earlier in past.steps(event.action, version)
        if getattr(past.event(earlier), "key", "") == row.source and not isinstance(past.event(earlier), Change)
    ]
    fitting = [earlier for earlier in named if any(_is_same(number, row.amount) for number in _readings(past.event(earlier)))]
    return next((some[-1] for some in (fitting, named) if some), 0)


def _readings(step: Any) -> tuple[Num | None, ...]:
    """The numbers a step came to."""
    match step:
        case Roll():
            return (step.total,)
        case Defend():
            return (step.value,)
        case Judge() | Save():
            return step.goal, step.margin
        case _:
            return ()


__all__ = ["Ground", "acting", "ground", "judged", "roll_of"]
