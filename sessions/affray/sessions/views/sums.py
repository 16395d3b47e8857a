"""Dice and traces as a person writes them down: "3d6 shows 3, 4, 2 = 9", "3 + 4 + 2 (3d6) + 3 (STR 7)".

Pure: everything comes in as values of the log. What the reader may not know is None, and then there is no sum.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from affray.kernel import (
    ApplyDamage,
    Bands,
    DiceError,
    DicePlan,
    Json,
    Num,
    Roll,
    Row,
    Successes,
    exact,
    write_notation,
)

from .texts import Texts, words

FACES_SHOWN = 24
"""Faces of one roll that are told one by one; of more only the reading is."""

ROLL = "roll"
"""Source of a trace row that stands for the dice of a roll."""

Sheet = Mapping[str, Json]


def plan_text(plan: DicePlan) -> str:
    """A plan as people write it: one die is "d10"; the ends of bands are left out."""
    try:
        text = write_notation(plan).partition(" bands ")[0]
    except DiceError:
        return "dice"
    return text.removeprefix("1") if text.startswith("1d") else text


def dice_text(roll: Roll) -> str | None:
    """What a roll shows, "d10 shows 3"; None where its faces are kept."""
    if roll.faces is None:
        return None
    typed = roll.notation.partition("#")[0].strip() or plan_text(roll.plan)
    if roll.fault:
        return f"{typed}: {words(roll.fault)}"
    faces = list(_faces(roll))
    told = ", ".join(faces) if len(faces) <= FACES_SHOWN else ""
    reading = _reading(roll)
    return f"{typed} shows {reading if told in ('', reading) else f'{told} = {reading}'}"


def _reading(roll: Roll) -> str:
    plan = roll.plan.reading
    if isinstance(plan, Successes):
        if roll.botch:
            return "a botch"
        return "1 success" if roll.total == 1 else f"{roll.total} successes"
    return f"band {roll.total}" if isinstance(plan, Bands) else str(roll.total)


def _faces(roll: Roll) -> Iterator[str]:
    """The faces of each die; those that do not count stand in brackets, what exploded is added with "+"."""
    dropped = set(roll.dropped or ())
    for die, chain in enumerate(roll.faces or ()):
        counting = [str(face) for link, face in enumerate(chain) if (die, link) not in dropped]
        aside = [f"({face})" for link, face in enumerate(chain) if (die, link) in dropped]
        yield " ".join([*aside, *(["+".join(counting)] if counting else [])])


def trace_text(rows: Iterable[Row], texts: Texts, sheet: Sheet | None = None, roll: Roll | None = None) -> str:
    """Rows as a sum; those of nothing are left out. The row that stands for a roll is told by its faces."""
    terms = [_term(row, texts, sheet, roll) for row in rows if row.amount != 0]
    text = ""
    for is_negative, term in terms:
        sign = "-" if is_negative else "+"
        text += f" {sign} {term}" if text else term if not is_negative else f"-{term}"
    return text


def _term(row: Row, texts: Texts, sheet: Sheet | None, roll: Roll | None) -> tuple[bool, str]:
    """Whether a row takes away, and how it reads without its sign."""
    is_negative = str(row.amount).startswith("-")
    amount = str(row.amount).removeprefix("-")
    if row.source == ROLL and roll is not None and roll.faces is not None and roll.total == row.amount:
        return is_negative, f"{_added(roll) or amount} ({plan_text(roll.plan)})"
    label = texts.word(row.code, "row") or texts.word(row.source, "row")
    value = _on_sheet(sheet, row.code)
    if value is not None and value != row.amount:
        label = f"{label} {value}"
    return is_negative, f"{amount} ({label})"


def is_added(roll: Roll) -> bool:
    """Whether a sum that holds the roll tells all its faces."""
    return bool(_added(roll))


def _added(roll: Roll) -> str:
    """The faces of a roll as an addition; "" where the reading is something else than their sum."""
    dropped = set(roll.dropped or ())
    counting = [
        face for die, chain in enumerate(roll.faces or ()) for link, face in enumerate(chain) if (die, link) not in dropped
    ]
    if not 0 < len(counting) <= FACES_SHOWN or sum(counting) != roll.total:
        return ""
    return " + ".join(map(str, counting))


def _on_sheet(sheet: Sheet | None, code: str) -> int | None:
    """A whole number that a sheet holds under a name, at its top or one level down."""
    if not sheet:
        return None
    levels: list[Sheet] = [sheet, *[below for below in sheet.values() if isinstance(below, dict)]]
    for level in levels:
        value = level.get(code)
        if type(value) is int:
            return value
    return None


def damage_sum(event: ApplyDamage, texts: Texts, sheet: Sheet | None, roll: Roll | None) -> str:
    """How damage came about, by its parts or else by its trace; "" where that is kept or says nothing."""
    if not event.parts:
        return trace_text(event.trace or (), texts, sheet, roll)
    sums: list[str] = []
    for part in event.parts:
        text = trace_text((Row("rolled", part.rolled, ROLL), *part.rows), texts, sheet, roll) or "0"
        sums.append(f"{text} {texts.word(part.type, 'type')}" if len(event.parts) > 1 and part.type else text)
    return " + ".join(sums)


def is_plain(rows: Iterable[Row] | None) -> bool:
    """Whether rows say no more than the number they add up to: at most one that is not nothing."""
    return sum(1 for row in rows or () if row.amount != 0) <= 1


def difference(before: Num | None, after: Num | None) -> str:
    """A change with its sign; "" where one side is unknown."""
    if before is None or after is None:
        return ""
    by = exact(after) - exact(before)
    return f"+{by}" if by > 0 else str(by)
