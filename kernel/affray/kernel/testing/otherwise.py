"""What would follow if one step came out otherwise: an action run again by itself, with a verdict or a roll changed.

An action, or a moment of the clock, is run from the state before it, nobody else acting in between; people answer as the
record says, else by the first option, and dice fall by their slots. Two such runs that differ in one step only show
whether anything depends on that step.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from msgspec.structs import replace

from ..canonical import canonical
from ..dice import throw
from ..draws import Drawn, Unwitnessed, face_source, slot_within
from ..events import KIND_OF, Choose, Declare, Turn
from ..exchange import Exchange, RuleBook
from ..fold import fold
from ..ledger import through_bytes
from ..log import opens_run
from ..names import RESUME, is_id, slot
from ..numbers import exact
from ..runs import Run
from ..state import State
from ..steps import Judge, Roll, Save
from .bounds import ALTERNATIVES, SAMPLES
from .findings import Tally
from .player import Fought

Change = Callable[[Exchange, Any], Any]
"""What is made of an event before it happens."""


FAR = 20
"""A margin, or a goal, far from where it was."""


class Start:
    """What opens an action, or a moment, and how it stood before: the state, the version, the runs so far."""

    def __init__(self, opening: Declare | Turn, state: State, version: int, runs: tuple[list[int], list[int]]) -> None:
        self.opening, self.state, self.version, self.runs = opening, state, version, runs


class Happened:
    """An event of an action that was run by itself, and whose run made it; of a verdict, the codes that its rules spell."""

    def __init__(self, event: Any, plugin: str = "", hook: str = "", spelt: tuple[str, ...] = ()) -> None:
        self.event, self.plugin, self.hook, self.spelt = event, plugin, hook, spelt


class ByItself:
    """Runs actions of one fight by themselves."""

    def __init__(self, book: RuleBook, fought: Fought) -> None:
        self._book = book
        self._log = fought.table.log
        self.fought = fought

    def starts(self) -> Iterator[Start]:
        """Every declared action and moment of the fight, in order."""
        now = State()
        opened: tuple[list[int], list[int]] = ([], [])
        for version, event in self._log.line():
            if opens_run(event):
                yield Start(event, now, version, (list(opened[0]), list(opened[1])))
            if opens_run(event):
                opened[type(event) is Declare and event.secret].append(version)
            now = fold(now, event, version)

    def run(self, start: Start, change: Change | None = None) -> list[Happened]:
        """What happens, up to the end of the action; a Breach or a refusal ends it as well, as an event of its own."""
        name = start.opening.action
        exchange = Exchange(
            self._book,
            start.state,
            head=start.version - 1,
            openings=start.runs[0],
            secret_openings=start.runs[1],
            tracked={name},
        )
        exchange.dice = _Slots()
        found: list[Happened] = []
        try:
            exchange.feed(start.opening, live=True)
            while name in exchange.state.open and (event := self._next(exchange, name)) is not None:
                chain = exchange.running(name)
                run = chain[-1] if chain else None
                spelt = _spelt(run) if type(event) in (Judge, Save) else ()
                made = Happened(event if change is None else change(exchange, event))
                if run is not None:
                    made.plugin, made.hook, made.spelt = run.plugin, run.hook, spelt
                found.append(made)
                exchange.feed(through_bytes(made.event)[0], live=True)
        except Exception as error:  # a Breach, a refusal, or what a plugin did to the state
            found.append(Happened(repr(error)))
        return found

    def _next(self, exchange: Exchange, name: str) -> Any:
        state = exchange.state
        if state.open[name].due is not None:
            entry = state.agenda.get(RESUME + name)
            if entry is None or state.over or exchange.rules.is_over(exchange.window(exchange.rules)) is not None:
                return None
            return Turn(action=name, moment="resume", who=entry.who, when=entry.when, entry=entry.key)
        return exchange.propose() or self._answer(state)

    def _answer(self, state: State) -> Choose | None:
        for prompt in state.prompts.values():
            for who in prompt.ask.who:
                if who not in prompt.answers and prompt.ask.options:
                    ask = prompt.ask
                    code = self._recorded().get((slot(ask), who), "")
                    if code not in [option.code for option in ask.options or ()]:
                        code = (ask.options or ())[0].code
                    return Choose(action=ask.action, key=ask.key, occurrence=ask.occurrence, who=who, value=code)
        return None

    def _recorded(self) -> dict[tuple[str, str], str]:
        if not hasattr(self, "_answers"):
            answers = [event for event in self._log.events if type(event) is Choose]
            self._answers = {(slot(event), event.who): event.value or "" for event in answers}
        return self._answers


def _spelt(run: Run | None) -> tuple[str, ...]:
    """Texts in the code of the generator that made a step that may be codes."""
    found: dict[str, None] = {}
    inner: Any = None if run is None else run.gen
    while inspect.isgenerator(inner):
        for one in inner.gi_code.co_consts:
            for text in one if isinstance(one, tuple | frozenset) else (one,):
                if isinstance(text, str) and is_id(text):
                    found[text] = None
        inner = inner.gi_yieldfrom
    return tuple(sorted(found))


class _Slots:
    """Faces by the slot of a roll alone."""

    def draw(self, roll: Roll, run: int, state: State) -> Drawn | Unwitnessed | None:
        """Faces for a roll, whoever throws."""
        return Drawn(faces_of(roll, state, ""), "engine")


def faces_of(roll: Roll, state: State, seed: str) -> Any:
    """Faces by a roll's slot and a seed."""
    numbers = {one.id: one.number for one in state.combatants.values()}
    return throw(roll.plan, face_source(b"by itself", seed, 0, "", 0, slot_within(roll, numbers)))


# -- verdicts and rolls


class Unused:
    """Looks for verdicts and rolls on which nothing depends, through all fights of a check."""

    def __init__(self, tally: Tally, texts: Iterable[str] = ()) -> None:
        self._tally = tally
        self._worded = tuple(texts)
        self._codes: dict[tuple[str, str], dict[str, None]] = {}
        self._tried: dict[tuple[str, ...], int] = {}
        self._matters: set[tuple[str, ...]] = set()
        self._where: dict[tuple[str, ...], tuple[str, str]] = {}

    def look(self, runs: ByItself) -> None:
        """Look at all actions of a fight."""
        for start in runs.starts():
            base = runs.run(start)
            for index, one in enumerate(base):
                event = one.event
                if type(event) is Judge or type(event) is Save:
                    self._codes.setdefault((one.plugin, event.key), {})[event.code] = None
                if type(event) in (Judge, Save, Roll):
                    self._look_at(runs, start, base, index)

    def _look_at(self, runs: ByItself, start: Start, base: list[Happened], index: int) -> None:
        one = base[index]
        event = one.event
        opening = start.opening
        what = opening.name if isinstance(opening, Declare) else opening.moment
        key = ("roll" if type(event) is Roll else "verdict", one.plugin, what, event.key, getattr(event, "code", ""))
        if key in self._matters or self._tried.get(key, 0) >= SAMPLES or (type(event) is Roll and event.notation):
            return
        self._tried[key] = self._tried.get(key, 0) + 1
        self._where.setdefault(key, (one.hook, runs.fought.where(start.version, slot(event))))
        rest = _bytes(base[index + 1 :])
        for change in self._changes(one):
            other = runs.run(start, change)
            if _bytes(other[index + 1 :]) != rest:
                self._matters.add(key)
                return

    def _changes(self, one: Happened) -> Iterator[Change]:
        event, where = one.event, slot(one.event)
        if type(event) is Roll:
            for number in range(ALTERNATIVES):
                yield _with_faces(where, str(number))
            return
        for code in self._others(one)[:ALTERNATIVES]:
            yield _with(where, code=code)
            yield _with(where, code=code, margin=_across(event.margin))
        yield _with(where, margin=_across(event.margin))
        yield _with(where, goal=_across(event.goal), trace=())

    def _others(self, one: Happened) -> list[str]:
        """Other codes that a verdict may have had: of its own key first, then what its rules spell, then anything."""
        event = one.event
        name = event.name if type(event) is Save else event.key
        worded = [key.split(".")[2] for key in self._worded if key.startswith(f"{KIND_OF[type(event)]}.{name}.")]
        known = self._codes.get((one.plugin, event.key), {})
        return [code for code in dict.fromkeys([*known, *worded, *one.spelt, "otherwise"]) if code != event.code]

    def tell(self) -> None:
        """Tell of everything that was tried and never mattered."""
        for key in self._tried:
            if key in self._matters:
                continue
            kind, plugin, what, name, code = key
            hook, where = self._where[key]
            if kind == "roll":
                self._tally.add("dice-unused", plugin, hook, f"in {what!r} nothing depends on the dice of {name!r}", where)
            else:
                self._tally.add("verdict-ignored", plugin, hook, f"in {what!r} nothing depends on the verdict {name!r}, {code!r}", where)


def _with(where: str, **fields: Any) -> Change:
    def change(exchange: Exchange, event: Any) -> Any:
        is_it = type(event) in (Judge, Save) and slot(event) == where
        return replace(event, **fields) if is_it else event

    return change


def _across(value: Any) -> int:
    """A number on the other side of 0, far away."""
    return FAR if value is None or exact(value) < 0 else -FAR


def _with_faces(where: str, seed: str) -> Change:
    def change(exchange: Exchange, event: Any) -> Any:
        if type(event) is not Roll or slot(event) != where:
            return event
        return exchange.with_faces(event, Drawn(faces_of(event, exchange.state, seed), "engine"))

    return change


def _bytes(found: list[Happened]) -> list[bytes]:
    return [canonical(one.event) for one in found]


__all__ = ["ByItself", "Change", "Happened", "Start", "Unused", "faces_of"]
