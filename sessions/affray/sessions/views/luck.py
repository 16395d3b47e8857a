"""The luck of a fight as lines of text, and as a document for programs. Pure.

The one place with floats: how likely a sum of squares is for fair dice is no fraction, and nothing is decided by it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from math import exp, lgamma, log, sqrt

import msgspec

from affray.kernel import (
    ActionLuck,
    DiceCount,
    DiceTest,
    Luck,
    Num,
    PersonLuck,
    RollLuck,
    State,
    Successes,
    write_notation,
)

from .odds import decimal, percent
from .sums import plan_text
from .texts import Texts, columns, listed, printable

RARE = 10
"""Rolls and actions that are told where not all are asked for: the least likely ones."""

UNLIKELY = 0.01
"""How likely a sum of squares has to be for fair dice not to be remarked upon."""


class Rolled(msgspec.Struct, frozen=True, kw_only=True):
    """A roll. `at_least`, `at_most` and `height` are fractions; null where they are not known."""

    version: int
    undone: bool
    by: str
    key: str
    action: str
    source: str
    dice: str
    total: Num
    botch: bool
    at_least: str | None
    at_most: str | None
    height: str | None


class Acted(msgspec.Struct, frozen=True, kw_only=True):
    """An action. `whole` is false where only what came before the first die after damage counts; `problem` says why nothing is known."""

    version: int
    action: str
    actor: str
    name: str
    targets: tuple[str, ...]
    damage: Num
    whole: bool
    at_least: str | None
    at_most: str | None
    expected: str | None
    problem: str


class Counted(msgspec.Struct, frozen=True, kw_only=True):
    """How often each face of a size of die came up; faces that never did are left out."""

    sides: int
    faces: int
    expected: str
    counts: dict[str, int]


class Person(msgspec.Struct, frozen=True, kw_only=True):
    """Somebody's dice of one source. `height` is 1/2 for average dice, `variance` how much that mean varies for fair ones."""

    who: str
    source: str
    rolls: int
    height: str | None
    variance: str | None
    dice: tuple[Counted, ...]


class Tested(msgspec.Struct, frozen=True, kw_only=True):
    """What the faces of one size and source tell. `likely` is how many of 1000 fair dice are at least as uneven; null: not judged."""

    source: str
    dice: Counted
    statistic: str
    judged: bool
    needed: int
    likely: str | None
    noticed: int | None
    mistaken: str | None
    power: str | None


class Document(msgspec.Struct, frozen=True, kw_only=True):
    """The document of `luck --json`."""

    session: str
    version: int
    reader: str
    rolls: tuple[Rolled, ...]
    actions: tuple[Acted, ...]
    people: tuple[Person, ...]
    tests: tuple[Tested, ...]
    kept: int


def document(session: str, version: int, reader: str, luck: Luck, actions: Sequence[ActionLuck]) -> Document:
    """The luck as values for programs."""
    return Document(
        session=session,
        version=version,
        reader=reader,
        rolls=tuple([_rolled(one) for one in luck.rolls]),
        actions=tuple([_acted(one) for one in actions]),
        people=tuple([_person(one) for one in luck.people]),
        tests=tuple([_tested(one) for one in luck.tests]),
        kept=luck.kept,
    )


def _text(value: Fraction | None) -> str | None:
    return None if value is None else str(value)


def _rolled(one: RollLuck) -> Rolled:
    return Rolled(
        version=one.version,
        undone=one.undone,
        by=one.by,
        key=one.key,
        action=one.action,
        source=one.source,
        dice=write_notation(one.plan),
        total=one.total,
        botch=one.botch,
        at_least=_text(one.at_least),
        at_most=_text(one.at_most),
        height=_text(one.height),
    )


def _acted(one: ActionLuck) -> Acted:
    return Acted(
        version=one.version,
        action=one.action,
        actor=one.actor,
        name=one.name,
        targets=one.targets,
        damage=one.damage,
        whole=one.is_whole,
        at_least=_text(one.at_least),
        at_most=_text(one.at_most),
        expected=_text(one.expected),
        problem=one.problem,
    )


def _person(one: PersonLuck) -> Person:
    return Person(
        who=one.who,
        source=one.source,
        rolls=one.rolls,
        height=_text(one.height),
        variance=_text(one.variance),
        dice=tuple([_counted(count) for count in one.dice]),
    )


def _counted(one: DiceCount) -> Counted:
    return Counted(
        sides=one.sides, faces=one.faces, expected=str(one.expected), counts={str(face): times for face, times in one.counts}
    )


def _tested(one: DiceTest) -> Tested:
    return Tested(
        source=one.source,
        dice=_counted(one.count),
        statistic=str(one.count.statistic),
        judged=one.is_judged,
        needed=one.needed,
        likely=f"{1000 * likely(one):.1f}" if one.is_judged else None,
        noticed=one.noticed,
        mistaken=_text(one.mistaken),
        power=_text(one.power),
    )


# -- how likely a sum of squares is


def likely(test: DiceTest) -> float:
    """How likely fair dice are at least as uneven: the chi-square distribution with one degree less than there are faces."""
    return upper(Fraction(test.count.sides - 1, 2), test.count.statistic / 2)


def upper(shape: Fraction, value: Fraction) -> float:
    """The upper incomplete gamma function, regularized: by its series below the shape, by its continued fraction above."""
    a, x = float(shape), float(value)
    if x <= 0:
        return 1.0
    scale = exp(a * log(x) - x - lgamma(a))
    if x < a + 1:
        term = total = 1 / a
        while term > total * 1e-15:
            a += 1
            term *= x / a
            total += term
        return max(0.0, 1 - total * scale)
    return min(1.0, _fraction(a, x) * scale)


def _fraction(a: float, x: float) -> float:
    """Lentz's way through the continued fraction."""
    b = x + 1 - a
    c, d = 1e300, 1 / b
    result, step, count = d, 0.0, 0
    while abs(step - 1) > 1e-15 and count < 10_000:
        count += 1
        an = -count * (count - a)
        b += 2
        d = 1 / (an * d + b)
        c = b + an / c
        step = c * d
        result *= step
    return result


# -- lines


def lines(luck: Luck, actions: Sequence[ActionLuck], state: State, texts: Texts, *, every: bool = False) -> Iterator[str]:
    """The luck of a fight: people, dice, then the least likely rolls and actions, or every one."""
    if not luck.rolls:
        yield "No dice that this reader may see were thrown."
    for title, rows in (
        ("People", [_person_line(one, state) for one in luck.people]),
        ("Dice", [line for one in luck.tests for line in dice_lines(one)]),
    ):
        if rows:
            yield title
            yield from [f"  {row}" for row in rows]
            yield ""
    yield from _listed("Rolls", [*_roll_rows(luck.rolls, state, texts)], every=every)
    yield from _listed("Actions", [*_action_rows(actions, state, texts)], every=every)
    unknown = [one for one in actions if one.problem]
    if unknown:
        problems = dict.fromkeys([one.problem for one in unknown])
        yield f"{len(unknown)} actions are not told: {listed([PROBLEMS[problem] for problem in problems], 'or')}"
    if luck.kept:
        yield f"{luck.kept} rolls are kept from this reader"


PROBLEMS = {
    "no-rules": "their rules are not installed",
    "rules": "their rules cannot go through them again",
    "mixed": "others acted before they were over",
    "kept": "something in them is kept from this reader",
    "too-many": "they have too many branches",
}


def _person_line(one: PersonLuck, state: State) -> str:
    """Somebody's rolls: how high they were, beside what is usual."""
    name = f"{_name(state, one.who)}, {SOURCES.get(one.source, one.source)}"
    rolls = f"{one.rolls} roll{'' if one.rolls == 1 else 's'}"
    if one.height is None or one.variance is None:
        return f"{name}: {rolls}"
    usual = percent(Fraction(round(1000 * sqrt(one.variance)), 1000))
    return f"{name}: {rolls}, higher than {percent(one.height)} % of what could have been (50.0 ± {usual} is usual)"


SOURCES = {
    "engine": "engine dice",
    "reported": "own dice",
    "imported": "imported dice",
    "scripted": "scripted dice",
    "overruled": "set by the game master",
}


def dice_lines(one: DiceTest) -> Iterator[str]:
    """What a size of die tells, and what it could have told."""
    count = one.count
    yield f"d{count.sides}, {SOURCES[one.source]}: {count.faces} faces{_shown(count)}"
    if not one.is_judged:
        yield f"  no verdict: {one.needed} faces would be needed for one"
    else:
        chance = likely(one)
        of = f"{round(100 * chance)} of 100" if chance >= UNLIKELY else f"{1000 * chance:.1f} of 1000"
        remark = "that is seldom, though of many dice that are looked at one will be so" if chance < UNLIKELY else "nothing unusual"
        yield f"  {of} fair dice are at least as uneven: {remark}"
    if one.noticed is None or one.mistaken is None or one.power is None:
        yield "  a face that came up twice as often as it should would hardly be missed"
    elif count.sides > 2:
        yield (
            f"  a face that comes up twice as often as it should would be noticed {_times(one.power)} "
            f"({one.noticed} or more of it; a fair die does that {_times(one.mistaken)})"
        )


def _times(chance: Fraction) -> str:
    """A probability as so many times in 100."""
    times = round(chance * 100)
    if not times:
        return "never" if not chance else "less than 1 time in 100"
    return f"{times} time{'' if times == 1 else 's'} in 100"


def _shown(count: DiceCount) -> str:
    """The faces one by one, of a die that has few."""
    if count.sides > 20:
        return ""
    counts = dict(count.counts)
    faces = " ".join([f"{face}:{counts.get(face, 0)}" for face in range(1, count.sides + 1)])
    return f" ({faces}; {decimal(count.expected)} of each are usual)"


Row = tuple[Fraction, tuple[str, ...]]


def _listed(title: str, rows: list[Row], *, every: bool) -> Iterator[str]:
    """Rows as a table, all of them in their order or the least likely ones first."""
    if not rows:
        return
    shown = rows if every else sorted(rows, key=lambda row: row[0])[:RARE]
    yield title if every or len(shown) == len(rows) else f"{title}, the {len(shown)} least likely of {len(rows)}"
    widths = [max(map(columns, column)) for column in zip(*[cells for _, cells in shown], strict=True)]
    for _, cells in shown:
        padded = [cell + " " * (width - columns(cell)) for cell, width in zip(cells, widths, strict=True)]
        yield f"  {'  '.join(padded)}".rstrip()
    yield ""


def _roll_rows(rolls: Iterable[RollLuck], state: State, texts: Texts) -> Iterator[Row]:
    for one in rolls:
        if one.at_least is None or one.at_most is None:
            continue
        yield (
            min(one.at_least, one.at_most),
            (
                str(one.version) + (" undone" if one.undone else ""),
                _name(state, one.by),
                texts.word(one.key),
                f"{plan_text(one.plan)} shows {_reading(one)}",
                f"{percent(one.at_least)} % so high or higher",
                f"{percent(one.at_most)} % so low or lower",
            ),
        )


def _reading(one: RollLuck) -> str:
    return "a botch" if one.botch and isinstance(one.plan.reading, Successes) else str(one.total)


def _action_rows(actions: Iterable[ActionLuck], state: State, texts: Texts) -> Iterator[Row]:
    for one in actions:
        if one.at_least is None or one.at_most is None or one.expected is None:
            continue
        part = "" if one.is_whole else " at first"
        yield (
            min(one.at_least, one.at_most),
            (
                str(one.version),
                f"{_name(state, one.actor)}: {texts.word(one.name)}",
                f"{one.damage} damage{part}",
                f"{decimal(one.expected)} on average",
                f"{percent(one.at_least)} % so much or more",
                f"{percent(one.at_most)} % so little or less",
            ),
        )


def _name(state: State, who: str) -> str:
    someone = state.combatants.get(who)
    return printable(someone.name) if someone is not None else who or "nobody"


__all__ = ["Document", "dice_lines", "document", "likely", "lines", "upper"]
