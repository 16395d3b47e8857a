"""The state of a fight as a table, and as values for machines.

Pure over a state that holds what one reader may see. What the reader may not know is None, told as "?".
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import msgspec

from affray.kernel import Combatant, Exact, Json, Num, State, by_time, moment

from .scene import Scene, when_text
from .sentences import sentence
from .sums import plan_text
from .texts import Texts, listed, printable, words
from .texts import columns as columns_of

TABLE_WIDTH = 100
"""Columns of a line of the table, beyond which people go on below."""

HIDDEN = "?"

TIMELINE_WIDTH = 30
"""Columns of the timeline from now to the last thing that is not far off."""


class Gauge(msgspec.Struct, frozen=True, kw_only=True):
    """A pool: what it holds now, and its range (None: unknown, or without an end)."""

    now: Num | None
    low: Num | None = None
    high: Num | None = None


class Effect(msgspec.Struct, frozen=True, kw_only=True):
    """A condition somebody has."""

    id: str
    value: Num | None
    until: tuple[Num, ...] | None
    source: str


class Figure(msgspec.Struct, frozen=True, kw_only=True):
    """A combatant. `known` is false where the reader may not see its numbers; `sheet` is None then."""

    id: str
    name: str
    side: str
    controller: str
    gone: bool
    secret: bool
    known: bool
    pools: dict[str, Gauge]
    conditions: tuple[Effect, ...]
    sheet: dict[str, Json] | None


class Coming(msgspec.Struct, frozen=True, kw_only=True):
    """An entry of the clock."""

    key: str
    moment: str
    who: str
    when: tuple[Num, ...]


class Running(msgspec.Struct, frozen=True, kw_only=True):
    """An action that is not finished."""

    id: str
    what: str
    actor: str
    since: int
    due: tuple[Num, ...] | None


class Question(msgspec.Struct, frozen=True, kw_only=True):
    """An open prompt: its slot, who has still to answer, the options' codes (None: kept), or the dice to report."""

    slot: str
    key: str
    waiting: tuple[str, ...]
    options: tuple[str, ...] | None
    dice: str
    text: str


class Board(msgspec.Struct, frozen=True, kw_only=True):
    """A fight at one version, as one reader may see it."""

    session: str
    title: str
    system: str
    release: str
    version: int
    reader: str
    began: bool
    at: tuple[Num, ...]
    turn: str
    over: str
    combatants: tuple[Figure, ...]
    clock: tuple[Coming, ...]
    actions: tuple[Running, ...]
    prompts: tuple[Question, ...]


def board(state: State, version: int, reader: str, texts: Texts) -> Board:
    """The board of a state."""
    manifest = state.manifest
    return Board(
        session=state.session,
        title=state.title,
        system=manifest.system.id if manifest is not None else "",
        release=manifest.system.release if manifest is not None else "",
        version=version,
        reader=reader,
        began=state.began,
        at=state.at,
        turn=state.turn,
        over=state.over,
        combatants=tuple([_figure(one) for one in state.combatants.values()]),
        clock=tuple([Coming(key=e.key, moment=e.moment, who=e.who, when=e.when) for e in by_time(state)]),
        actions=tuple(
            [Running(id=a.id, what=a.what, actor=a.actor, since=a.since, due=a.due) for a in state.open.values()]
        ),
        prompts=tuple(_questions(state, texts)),
    )


def _figure(one: Combatant) -> Figure:
    ranges = one.ranges or {}
    gauges = {
        name: Gauge(now=now, low=ranges[name].low, high=ranges[name].high) if name in ranges else Gauge(now=now)
        for name, now in one.pools.items()
    }
    effects = [
        Effect(id=held.id, value=held.value, until=held.until, source=held.source) for held in one.conditions.values()
    ]
    return Figure(
        id=one.id,
        name=one.name,
        side=one.side,
        controller=one.controller,
        gone=one.gone,
        secret=one.secret,
        known=one.sheet is not None,
        pools=gauges,
        conditions=tuple(effects),
        sheet=one.sheet,
    )


def _questions(state: State, texts: Texts) -> Iterator[Question]:
    scene = Scene(version=0, before=state, after=state, texts=texts)
    for name, prompt in state.prompts.items():
        waiting = tuple([who for who in prompt.ask.who if who not in prompt.answers])
        ask = msgspec.structs.replace(prompt.ask, who=waiting)
        options = None if ask.options is None else tuple([option.code for option in ask.options])
        yield Question(
            slot=name,
            key=ask.key,
            waiting=waiting,
            options=options,
            dice="" if ask.plan is None else ask.notation or plan_text(ask.plan),
            text=printable(sentence(scene, ask).text),
        )


# -- as text


def lines(shown: Board, texts: Texts) -> Iterator[str]:
    """The board as lines of text."""
    yield f"{shown.title or shown.session} — {shown.system} {shown.release}, version {shown.version}"
    yield _standing(shown)
    yield ""
    yield from table(shown, texts)
    held = [text for one in shown.combatants if (text := conditions_text(one, texts))]
    if held:
        yield ""
        yield from held
    if shown.clock and not shown.over:
        yield ""
        yield from timeline(shown, texts) if any(one.due for one in shown.actions) else [_next(shown)]
    for question in shown.prompts:
        yield f"Waiting: {question.text}"


def _next(shown: Board) -> str:
    names = {one.id: one.name for one in shown.combatants}
    return f"Next: {', '.join([f'{names.get(e.who, words(e.key))} ({when_text(e.when[:1])})' for e in shown.clock])}"


def timeline(shown: Board, texts: Texts) -> Iterator[str]:
    """What comes, a line each, drawn to scale by the first part of its moment from now on.

    The scale ends with the last turn or pending action; what ends later only (a condition) has an arrow.
    """
    now = _clock(shown.at)
    last = max([_clock(entry.when) for entry in shown.clock if entry.moment != "expiry"], default=now)
    rows = [(when_text(entry.when[:1]), _bar(_clock(entry.when), now, last), _coming(entry, shown, texts)) for entry in shown.clock]
    rows.insert(0, (when_text(shown.at[:1]), "|", "now"))
    width = max([columns_of(when) for when, _, _ in rows])
    for when, bar, label in rows:
        yield f"{' ' * (width - columns_of(when))}{when}  {bar} {label}"


def _clock(when: tuple[Num, ...]) -> Exact:
    return moment(when[:1])[0] if when else 0


def _bar(when: Exact, now: Exact, last: Exact) -> str:
    if when > last:
        return f"|{'-' * TIMELINE_WIDTH}>"
    length = int(Fraction(when - now) / (last - now) * TIMELINE_WIDTH) if last > now else 0
    return f"|{'-' * (max(length, 0) - 1)}*" if length > 0 else "*"


def _coming(entry: Coming, shown: Board, texts: Texts) -> str:
    """What an entry of the clock is, in words."""
    name = printable(next((one.name for one in shown.combatants if one.id == entry.who), words(entry.key)))
    running = next((one for one in shown.actions if entry.moment == "resume" and entry.key.endswith(f":{one.id}")), None)
    if running is not None:
        return f"{name}: {texts.word(running.what)}"
    if entry.moment == "expiry":
        return f"{name}: {texts.word(entry.key.rpartition(':')[2], 'condition')} ends"
    return name if entry.moment == "start" else f"{name}: {texts.word(entry.moment)}"


def _standing(shown: Board) -> str:
    names = {one.id: one.name for one in shown.combatants}
    if shown.over:
        return f"The fight is over: {words(shown.over)}"
    if not shown.began:
        return "The fight has not begun"
    at = f" at {when_text(shown.at[:1])}" if shown.at else ""
    return f"{names.get(shown.turn, shown.turn)}'s turn{at}" if shown.turn else f"Nobody's turn{at}"


def table(shown: Board, texts: Texts, width: int = TABLE_WIDTH) -> Iterator[str]:
    """Pools down, people across; as many people beside each other as fit."""
    pools = list(dict.fromkeys([name for one in shown.combatants for name in one.pools]))
    labels = [texts.word(name, "pool") for name in pools]
    first = max([len(label) for label in ["side", *labels]], default=4)
    columns = [_column(one, pools, texts) for one in shown.combatants]
    while columns:
        taken, used = 0, first
        for column in columns:
            used += 2 + max(map(columns_of, column))
            if taken and used > width:
                break
            taken += 1
        yield from _rows(["", "side", *labels], columns[:taken])
        columns = columns[taken:]
        if columns:
            yield ""


def _column(one: Figure, pools: list[str], texts: Texts) -> list[str]:
    name = printable(one.name) + (" (gone)" if one.gone else "")
    return [name, texts.word(one.side), *[_cell(one, pool) for pool in pools]]


def _cell(one: Figure, pool: str) -> str:
    gauge = one.pools.get(pool)
    if gauge is None:
        return "" if one.known else HIDDEN
    if gauge.now is None:
        return HIDDEN
    if gauge.high is None:
        return str(gauge.now)
    between = " of " if "/" in f"{gauge.now}{gauge.high}" else "/"  # a fraction of something is no second fraction
    return f"{gauge.now}{between}{gauge.high}"


def _rows(labels: list[str], columns: list[list[str]]) -> Iterator[str]:
    cells = [labels, *columns]
    widths = [max(map(columns_of, column)) for column in cells]
    for row in zip(*cells, strict=True):
        blanks = [" " * (width - columns_of(cell)) for cell, width in zip(row, widths, strict=True)]
        label, *values = [blank + cell if index else cell + blank for index, (cell, blank) in enumerate(zip(row, blanks, strict=True))]
        yield "  ".join([label, *values]).rstrip()


def conditions_text(one: Figure, texts: Texts) -> str:
    """Somebody's conditions in one line; "" for none."""
    if not one.conditions:
        return ""
    held: list[str] = []
    for effect in one.conditions:
        value = "" if effect.value in (None, 1) else f" {effect.value}"
        until = f" until {when_text(effect.until[:1])}" if effect.until else ""
        held.append(f"{texts.word(effect.id, 'condition')}{value}{until}")
    return f"{printable(one.name)}: {listed(held)}"

