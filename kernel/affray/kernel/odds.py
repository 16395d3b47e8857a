"""Odds of an action: how likely each of its outcomes is, exactly where that can be worked out (law 6).

The action is executed once for every way its dice can read (`playout.py`), from the state of the live fight and under its
real rules; nothing is drawn from the live dice and nothing appended. Paths that renew the same future are one node, so a
contest that is repeated until somebody wins costs one equation and not an endless tree. Beyond ODDS_BRANCHES executions
the odds are estimated from samples, with the error that this leaves.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import partial

import msgspec

from . import commands as c
from .canonical import canonical
from .dice import read, throw
from .draws import face_source
from .errors import DiceError, InputError, Refused, RefusedInside
from .exchange import Exchange
from .intervals import Interval, mean, share
from .limits import ODDS_BRANCHES, ODDS_ROLLS, ODDS_SAMPLES, ODDS_STRATEGIES
from .log import Log
from .names import slot
from .numbers import exact
from .openings import OPENINGS
from .playout import UNRESOLVED, Choice, Hidden, Outcome, Playout, Renewal, Start
from .replies import Answers, Reply, first_option
from .spread import CAPPED, Seen, TooLarge, spread
from .state import State
from .steps import Ask, Roll
from .values import GM
from .veil import veil

USUAL_SAMPLES = 4_000
"""How many samples an estimate takes unless it is told otherwise."""

Told = Callable[[int], None]
"""Is told now and then how many executions there were so far."""

_TOLD_EVERY = 100

_KEY = bytes(32)
"""The key of sampled faces: they are no secret and belong to no session."""


class Chance(msgspec.Struct, frozen=True):
    """An outcome, how likely it is, and how sure that is: `interval` has no width where the odds are exact."""

    outcome: Outcome
    interval: Interval

    @property
    def probability(self) -> Fraction:
        """How likely the outcome is; of an estimate, its share of the samples."""
        return self.interval.value


class Taken(msgspec.Struct, frozen=True, kw_only=True):
    """What somebody answered in thought to a question: every code that came to be taken, and all that were on offer."""

    who: str
    key: str
    codes: tuple[str, ...]
    offered: tuple[str, ...]


class Odds(msgspec.Struct, frozen=True, kw_only=True):
    """The odds of an action under one way of answering.

    `chances` add up to 1, the likeliest first; `samples` is 0 for exact odds, `executions` counts how often the action
    was run through.
    """

    chances: tuple[Chance, ...]
    choices: tuple[Taken, ...]
    executions: int
    samples: int = 0

    @property
    def is_exact(self) -> bool:
        """Whether nothing is estimated."""
        return not self.samples

    def of(self, is_it: Callable[[Outcome], bool]) -> Interval:
        """How likely one of certain outcomes is."""
        value = sum((one.probability for one in self.chances if is_it(one.outcome)), Fraction(0))
        return share(int(value * self.samples), self.samples) if self.samples else Interval.exactly(value)

    def codes(self) -> dict[str, Interval]:
        """How likely each outcome code is, the likeliest first."""
        codes = dict.fromkeys([one.outcome.code for one in self.chances])
        found = {code: self.of(partial(_has_code, code)) for code in codes}
        return dict(sorted(found.items(), key=lambda pair: (-pair[1].value, pair[0])))

    def targets(self) -> tuple[str, ...]:
        """Everybody whom the action can damage, in the order of joining where one outcome damages them all."""
        return tuple(dict.fromkeys([who for one in self.chances for who, _ in one.outcome.damage]))

    def damage(self, who: str) -> Interval:
        """The damage to expect for somebody, by the mean over all outcomes."""
        values = [(exact(dict(one.outcome.damage).get(who, 0)), one.probability) for one in self.chances]
        if self.samples:
            return mean([(value, int(weight * self.samples)) for value, weight in values])
        return Interval.exactly(sum((value * weight for value, weight in values), Fraction(0)))


def odds(
    exchange: Exchange,
    log: Log,
    request: c.Request,
    reply: Reply = first_option,
    *,
    until_damage: bool = False,
    samples: int = USUAL_SAMPLES,
    seed: str = "",
    told: Told | None = None,
) -> Odds | Refused:
    """Give the odds of a declaration, or of the begin, as a session would decide it now; the exchange and the log stay as they are.

    With `until_damage` dice that follow the first damage are not thrown any more: what several blows or saving rolls do is
    left out, which may cost a hundredth of the time. A refusal is what the declaration would be answered with. For another caller than the game master also gm-only, where
    a number enters that the caller could not read in the log. Raises InputError for what cannot be read and for an answer
    that is not on offer, Breach when the rules fail.
    """
    start = _start(exchange, log, request, until_damage)
    return start if isinstance(start, Refused) else odds_from(start, reply, samples=samples, seed=seed, told=told)


def odds_each(
    exchange: Exchange,
    log: Log,
    request: c.Request,
    answers: Mapping[str, str] | None = None,
    *,
    until_damage: bool = False,
    samples: int = USUAL_SAMPLES,
    seed: str = "",
    told: Told | None = None,
) -> tuple[Odds, ...] | Refused:
    """Give the odds once for every way in which those who are asked may answer, but for what `answers` settles.

    Whoever is asked the same again answers the same, or, where that is not on offer any more, the first option.
    Raises InputError for more than ODDS_STRATEGIES ways, and like `odds`.
    """
    start = _start(exchange, log, request, until_damage)
    if isinstance(start, Refused):
        return start
    found: list[Odds] = []
    todo: list[dict[str, str]] = [dict(answers or {})]
    while todo:
        table = todo.pop()
        try:
            one = odds_from(start, _Strategy(table), samples=samples, seed=seed, told=told)
        except _Undecided as open_question:
            todo += [{**table, open_question.key: code} for code in reversed(open_question.codes)]
            if len(found) + len(todo) > ODDS_STRATEGIES:
                raise InputError(
                    f"more than {ODDS_STRATEGIES} ways to answer; settle some, as {open_question.key}", path="answers"
                ) from None
            continue
        if isinstance(one, Refused):
            return one
        found.append(one)
    return tuple(found)


def odds_from(
    start: Start,
    reply: Reply = first_option,
    *,
    branches: int = ODDS_BRANCHES,
    samples: int = USUAL_SAMPLES,
    seed: str = "",
    told: Told | None = None,
) -> Odds | Refused:
    """Give the odds of an action from where it begins, without asking whether it may be declared.

    `samples` is 2 to ODDS_SAMPLES, or 0 to estimate nothing: what has more than `branches` is refused as too-many-branches.
    """
    if type(samples) is not int or samples == 1 or not 0 <= samples <= ODDS_SAMPLES:
        raise InputError(f"must be a whole number from 2 to {ODDS_SAMPLES}, or 0", path="samples", value=samples)
    met = _Met(told)
    try:
        try:
            exactly = _Tree(start, reply, met, branches).outcomes()
            chances = [Chance(outcome, Interval.exactly(value)) for outcome, value in exactly.items()]
            samples = 0
        except _TooMany:
            if not samples:
                return Refused("too-many-branches", (branches,))
            counts = _sampled(start, reply, met, samples, seed)
            chances = [Chance(outcome, share(count, samples)) for outcome, count in counts.items()]
    except RefusedInside as inside:
        return inside.refused
    except Hidden:
        return Refused("gm-only", (start.reader,))
    if isinstance(reply, Answers):
        reply.check()
    chances.sort(key=lambda one: (-one.probability, canonical(one.outcome)))
    return Odds(chances=tuple(chances), choices=met.choices(), executions=met.executions, samples=samples)


def _start(exchange: Exchange, log: Log, request: c.Request, until_damage: bool) -> Start | Refused:
    """Where an action would begin, if it may."""
    command = request.command
    if isinstance(command, c.Begin):
        if request.caller != GM:
            return Refused("gm-only", (request.caller,))
    elif not isinstance(command, c.Declare):
        raise InputError("only a declaration and the begin have odds", value=type(command).__name__)
    elif _is_about_a_secret(exchange.state, command, request.caller):
        return Refused("gm-only", (request.caller,))
    opening = OPENINGS[type(command)](exchange, request, log)
    if isinstance(opening, Refused):
        return opening
    return Start(
        book=exchange.rules_of,
        state=exchange.state,
        opening=veil(exchange.state, opening[0]),
        head=exchange.head,
        reader=request.caller,
        until_damage=until_damage,
    )


def _is_about_a_secret(state: State, command: c.Declare, caller: str) -> bool:
    """Whether the caller may not know the numbers of somebody who is named."""
    if caller == GM:
        return False
    named = [state.combatants[who] for who in (command.actor, *command.targets) if who in state.combatants]
    return any(one.secret and one.controller != caller for one in named)


def _has_code(code: str, outcome: Outcome) -> bool:
    return outcome.code == code


# -- what is met on the way


class _Met:
    """Counts executions and remembers what was asked and answered."""

    def __init__(self, told: Told | None) -> None:
        self.executions = 0
        self._told = told
        self._taken: dict[tuple[str, str], tuple[dict[str, None], dict[str, None]]] = {}

    def end(self, choices: list[Choice]) -> None:
        """Note one execution."""
        self.executions += 1
        if self._told is not None and self.executions % _TOLD_EVERY == 0:
            self._told(self.executions)
        for one in choices:
            codes, offered = self._taken.setdefault((one.who, one.key), ({}, {}))
            codes[one.code] = None
            offered.update(dict.fromkeys(one.offered))

    def choices(self) -> tuple[Taken, ...]:
        """Every question with its answers, in the order in which they came up."""
        return tuple(
            [
                Taken(who=who, key=key, codes=tuple(codes), offered=tuple(offered))
                for (who, key), (codes, offered) in self._taken.items()
            ]
        )


class _Undecided(Exception):
    """Somebody is asked what the strategy does not settle."""

    def __init__(self, key: str, codes: tuple[str, ...]) -> None:
        super().__init__(key)
        self.key, self.codes = key, codes


class _Strategy(Answers):
    """Answers by a table, and stops at a question that it does not settle."""

    def __call__(self, ask: Ask, who: str, state: State) -> str:
        """What the table says. Raises _Undecided."""
        key = f"{who}.{ask.key}"
        if key not in self.table and ask.key not in self.table:
            raise _Undecided(key, tuple([option.code for option in ask.options or ()]))
        return super().__call__(ask, who, state)


# -- exactly


class _TooMany(Exception):
    """More branches than allowed, or a roll whose readings are too many to work out."""


_Node = Renewal | None
"""Where paths meet: a renewal, or None for the beginning."""

_Ends = dict[Outcome | Renewal, Fraction]


class _Tree:
    """All branches of an action, every node with what it leads to."""

    def __init__(self, start: Start, reply: Reply, met: _Met, branches: int) -> None:
        self._start = start
        self._reply = reply
        self._met = met
        self._branches = branches
        self._nodes: dict[_Node, tuple[Seen, ...]] = {None: ()}
        self._edges: dict[_Node, _Ends] = {}
        self._open: deque[tuple[tuple[Seen, ...], Fraction]] = deque()

    def outcomes(self) -> dict[Outcome, Fraction]:
        """Every outcome with its probability. Raises _TooMany, RefusedInside, Hidden, Breach."""
        todo: list[_Node] = [None]
        for node in todo:  # grows while it is gone through
            ends = self._edges[node] = {}
            since = self._nodes[node]
            self._open = deque([(since, Fraction(1))])
            while self._open:
                path, probability = self._open.popleft()  # the shortest first: too many are found out soon
                end, probability = self._walk(path, probability, len(since))
                ends[end] = ends.get(end, Fraction(0)) + probability
                if isinstance(end, Renewal) and end not in self._nodes:
                    self._nodes[end] = self._path
                    todo.append(end)
                if self._met.executions + len(self._open) + len(todo) - len(self._edges) > self._branches:
                    raise _TooMany
        return _solved(self._edges)

    def _walk(
        self, path: tuple[Seen, ...], probability: Fraction, since: int
    ) -> tuple[Outcome | Renewal, Fraction]:
        """One execution: along a path, then on by the first reading of every roll; the others are put aside."""
        play = Playout(self._start, self._reply)
        while True:
            at = play.advance()
            if isinstance(at, Roll):
                taken = len(play.path)
                if taken < len(path):
                    seen = path[taken]
                elif taken == ODDS_ROLLS:
                    raise _TooMany  # it repeats itself without saying what it renews
                else:
                    (seen, weight), *others = self._readings(at)
                    so_far = tuple(play.path)
                    self._open.extend([((*so_far, other), probability * more) for other, more in others])
                    probability *= weight
                play.show(at, seen)
            elif isinstance(at, Outcome) or len(play.path) > since:  # else it is the renewal that this node began with
                self._path = tuple(play.path)
                self._met.end(play.choices)
                return at, probability

    @staticmethod
    def _readings(roll: Roll) -> list[tuple[Seen, Fraction]]:
        found = spread(roll.plan)
        if isinstance(found, TooLarge):
            raise _TooMany
        return list(found.items())


def _solved(edges: dict[_Node, _Ends]) -> dict[Outcome, Fraction]:
    """Take out one renewal after the other, the last found first: one that leads back to itself is a geometric series."""
    leads: dict[_Node, list[_Node]] = {}
    for node, ends in edges.items():
        for end in ends:
            if isinstance(end, Renewal):
                leads.setdefault(end, []).append(node)
    for node in [found for found in reversed(edges) if found is not None]:
        ends = edges.pop(node)
        again = ends.pop(node, Fraction(0))
        if again == 1:  # it renews itself for ever
            ends = {Outcome(code=UNRESOLVED): Fraction(1)}
        elif again:
            ends = {end: weight / Fraction(1 - again) for end, weight in ends.items()}
        for before in leads.get(node, []):
            into = edges.get(before)
            weight = into.pop(node, None) if into is not None else None
            if into is None or weight is None:
                continue
            for end, more in ends.items():
                into[end] = into.get(end, Fraction(0)) + weight * more
                if isinstance(end, Renewal):
                    leads.setdefault(end, []).append(before)
    return {end: weight for end, weight in edges[None].items() if isinstance(end, Outcome)}


# -- by samples


def _sampled(start: Start, reply: Reply, met: _Met, samples: int, seed: str) -> dict[Outcome, int]:
    """How often each outcome came up in so many executions with dice of their own."""
    found: dict[Outcome, int] = {}
    for number in range(1, samples + 1):
        play = Playout(start, reply)
        while not isinstance(at := play.advance(), Outcome):
            if isinstance(at, Roll):
                play.show(at, _thrown(at, number, seed))
        met.end(play.choices)
        found[at] = found.get(at, 0) + 1
    return found


def _thrown(roll: Roll, number: int, seed: str) -> Seen:
    """How a roll reads in one sample."""
    try:
        faces = throw(roll.plan, face_source(_KEY, "odds", 0, seed, number, slot(roll)))
    except DiceError:
        return Seen(0, False, CAPPED)
    reading = read(roll.plan, faces)
    return Seen(reading.total, reading.botch, reading.fault)


__all__ = ["USUAL_SAMPLES", "Chance", "Odds", "Taken", "Told", "odds", "odds_each", "odds_from"]
