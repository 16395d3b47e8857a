"""The luck of recorded actions: how likely as much damage was, with the same answers, before a die was thrown.

An action is executed again in thought from the state it was declared in (`odds.py`), so its rules have to be there, and
nothing of the fight may have come between its declaration and its end. Where the whole action has too many branches,
only its first damage is looked at, in the record and in thought alike.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from typing import Any

import msgspec

from .errors import AffrayError, PluginUnavailable, Refused
from .events import Choose, Declare, Done, Note
from .exchange import RuleBook
from .fold import fold
from .limits import LUCK_BRANCHES
from .log import Pair, opens_run
from .names import root
from .numbers import Exact, Num, exact, number
from .odds import Odds, odds_from
from .playout import Start
from .replies import first_option
from .state import State
from .steps import ApplyDamage, Ask, Roll
from .values import GM


class ActionLuck(msgspec.Struct, frozen=True, kw_only=True):
    """An action and how likely its damage was, all targets together.

    `at_least` and `at_most`: the probability of as much damage or more, or less; `expected` the mean. All three are None
    where `problem` says why: `no-rules` (a plugin is not installed), `rules` (they fail, or refuse it now), `mixed` (others
    acted meanwhile), `kept` (the reader may not know what enters), `too-many` branches. `is_whole` is false where only
    what came before the first die after damage is counted; `damage` counts no more then.
    """

    version: int
    action: str
    actor: str
    name: str
    targets: tuple[str, ...]
    damage: Num
    is_whole: bool
    at_least: Fraction | None = None
    at_most: Fraction | None = None
    expected: Fraction | None = None
    problem: str = ""


class _Action(msgspec.Struct, frozen=True):
    """A recorded action: its declaration with the state before it, and everything up to its end."""

    version: int
    before: State
    declare: Declare
    events: tuple[Any, ...]


def action_luck(
    line: Iterable[Pair], book: RuleBook, reader: str = GM, told: Callable[[int], None] | None = None
) -> Iterator[ActionLuck]:
    """Work out the luck of every action of a line that is over and threw dice, one after the other.

    `line` is the present line of a log as the reader may read it; `told` hears how many actions are done.
    """
    for count, action in enumerate(_actions(line), 1):
        yield _luck(action, book, reader)
        if told is not None:
            told(count)


def _actions(line: Iterable[Pair]) -> Iterator[_Action]:
    state = State()
    running: dict[str, tuple[int, State, Declare, list[Any]]] = {}
    for version, event in line:
        before = state
        state = fold(state, event, version)
        for _, _, _, events in running.values():
            events.append(event)
        if type(event) is Declare and opens_run(event):
            running[event.action] = (version, before, event, [])
        elif type(event) is Done and event.action in running:
            since, then, declare, events = running.pop(event.action)
            if any(type(one) is Roll and root(one.action) == declare.action for one in events):
                yield _Action(since, then, declare, tuple(events))


def _luck(action: _Action, book: RuleBook, reader: str) -> ActionLuck:
    told = ActionLuck(
        version=action.version,
        action=action.declare.action,
        actor=action.declare.actor,
        name=action.declare.name,
        targets=action.declare.targets,
        damage=number(_damage(action.events, until_damage=False)),
        is_whole=True,
    )
    if any(type(one) is not Note and root(getattr(one, "action", "")) != told.action for one in action.events):
        return msgspec.structs.replace(told, problem="mixed")
    found: Odds | Refused = Refused("too-many-branches", (LUCK_BRANCHES,))
    until_damage = False
    try:
        for until_damage in (False, True):
            found = _odds(action, book, reader, until_damage)
            if isinstance(found, Odds):
                return _measured(told, action, found, until_damage)
    except PluginUnavailable:
        return msgspec.structs.replace(told, problem="no-rules")
    except AffrayError:  # rules that meet what they do not know fail in any way they like
        return msgspec.structs.replace(told, problem="rules" if reader == GM else "kept")
    assert isinstance(found, Refused)
    problem = {"too-many-branches": "too-many", "gm-only": "kept"}.get(found.code, "rules")
    return msgspec.structs.replace(told, problem=problem)


def _odds(action: _Action, book: RuleBook, reader: str, until_damage: bool) -> Odds | Refused:
    recorded = {
        (event.action, event.key, event.occurrence, event.who): event.value
        for event in action.events
        if type(event) is Choose
    }

    def reply(ask: Ask, who: str, state: State) -> str:
        """What was answered; what was not asked then, the first option."""
        value = recorded.get((ask.action, ask.key, ask.occurrence, who))
        return value if value in [option.code for option in ask.options or ()] else first_option(ask, who, state)

    start = Start(
        book=book,
        state=action.before,
        opening=action.declare,
        head=action.version - 1,
        reader=reader,
        until_damage=until_damage,
    )
    return odds_from(start, reply, branches=LUCK_BRANCHES, samples=0)


def _measured(told: ActionLuck, action: _Action, odds: Odds, until_damage: bool) -> ActionLuck:
    actual = _damage(action.events, until_damage=until_damage)
    values = [(sum((exact(value) for _, value in one.outcome.damage), 0), one.probability) for one in odds.chances]
    return msgspec.structs.replace(
        told,
        damage=number(actual),
        is_whole=not until_damage,
        at_least=sum((chance for value, chance in values if value >= actual), Fraction(0)),
        at_most=sum((chance for value, chance in values if value <= actual), Fraction(0)),
        expected=sum((value * chance for value, chance in values), Fraction(0)),
    )


def _damage(events: tuple[Any, ...], *, until_damage: bool) -> Exact:
    """All damage that was recorded, or what came before the first die after damage."""
    dealt: Exact = 0
    for event in events:
        if type(event) is ApplyDamage:
            dealt += exact(event.value)
        elif type(event) is Roll and dealt and until_damage:
            break
    return dealt


__all__ = ["ActionLuck", "action_luck"]
