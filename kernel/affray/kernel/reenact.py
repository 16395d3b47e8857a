"""Run recorded actions again: what would the rules have done, given the recorded dice and answers? (law 6)

Goes through a log event by event beside the exchange, compares what the exchange proposes with what was recorded, and
folds only what it cannot or need not execute any more: an action after its first divergence, one whose plugin is
missing. Knows no store and reports to nobody; `audit.py` does.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import msgspec
from msgspec.structs import replace

from .canonical import canonical
from .draws import Drawn, Unwitnessed
from .errors import AffrayError, PluginUnavailable, RefusedInside
from .events import Done, GiveModifier, Leave, Open, Overrule
from .exchange import Exchange, RuleBook
from .fold import fold
from .ledger import Commit
from .log import Log, Pair, is_fork, opens_run
from .names import WITNESS, place, root, slot
from .openings import CAUSES
from .points import Point, Points
from .state import State
from .steps import Ask, Roll
from .witness import witness_for

RAISED = (Exception, SystemExit, GeneratorExit)
"""What rules may raise on recorded data: everything but an interrupt."""


class Expected(msgspec.Struct, frozen=True):
    """What the rules have next: an event, and the root action it belongs to ("" for the clock). `event` None: they wait."""

    event: Any = None
    action: str = ""


class Failed(msgspec.Struct, frozen=True):
    """The rules could not go on: `code` breach, raised, refused or unavailable, and whose fault in words."""

    code: str
    text: str
    action: str


class _WantsDice(Exception):
    def __init__(self, roll: Roll) -> None:
        super().__init__(slot(roll))
        self.roll = roll


class FollowedDice:
    """Gives a roll the faces of the event that was recorded next, if that is the roll or a prompt that it may wait for.

    Whether the faces are right is asked by `verify`. `is_open` says that not all is known by which dice wait for a
    witness: a copy lacks parts, or commands are run again by an amend.
    """

    def __init__(self, log: Log) -> None:
        self.next: Any = None
        self.is_open = False
        self._log = log

    def draw(self, roll: Roll, run: int, state: State) -> Drawn | Unwitnessed | None:
        """The recorded faces. Raises what ends the proposal where something else was recorded."""
        event = self.next
        if type(event) is Roll and event.faces is not None and slot(event) == slot(roll):
            return Drawn(event.faces, event.source, event.reused)
        if type(event) is Ask and event.action == roll.action:
            if event.plan is not None and place(event) == place(roll) and _is_reported(state, roll.by):
                return None
            if event.key == WITNESS + roll.key and (by := self._witness(event, roll, state)):
                return Unwitnessed(by)
        raise _WantsDice(roll)

    def _witness(self, ask: Ask, roll: Roll, state: State) -> str:
        """Who has to witness a roll before it is thrown, "" where it need not wait."""
        if self.is_open:
            return ask.who[0]
        opened = self._log.opened
        if opened is None or not opened.witness or state.policy(roll.by) == "scripted" or _is_reported(state, roll.by):
            return ""
        return witness_for(self._log, state)


def _is_reported(state: State, who: str) -> bool:
    """Whether somebody's dice are thrown at the table."""
    someone = state.combatants.get(who)
    return state.policy(who) == "reported" and someone is not None and not someone.gone


def owner(event: Any) -> str:
    """The root action whose rules made an event, "" where none did: for an action that another one closed, that one."""
    if not hasattr(event, "action"):
        return ""
    if type(event) is Done and event.cause and event.cause not in CAUSES:
        return root(event.cause)
    return root(event.action)


class Reenactment:
    """The present of a log that is followed: the exchange, and the actions that are only folded (`given_up`)."""

    def __init__(self, book: RuleBook, points: Points, log: Log) -> None:
        self._book = book
        self._points = points
        self.dice = FollowedDice(log)
        self.given_up: set[str] = set()
        self._given_up_since: set[int] = set()
        self.leaving = ""
        self.exchange = Exchange(book, State())
        self._pairs: list[Pair] = []
        self._base = State()
        self._before: dict[str, tuple[int, State]] = {}

    @property
    def state(self) -> State:
        """The state so far."""
        return self.exchange.state

    # -- what the rules have next

    def expected(self, recorded: Any = None) -> Expected | Failed:
        """What the rules have next, a roll with the recorded faces where `recorded` is that roll."""
        exchange = self.exchange
        active = exchange.active
        if self.leaving:
            if (end := exchange.end_of_own(self.leaving)) is not None:
                return Expected(end, root(end.action))
            self.leaving = ""
        if active == "" and self._something_goes_on_unseen():
            return Expected()
        self.dice.next = recorded
        exchange.dice = self.dice
        try:
            return Expected(exchange.propose(), active)
        except _WantsDice as wanted:
            return Expected(wanted.roll, active)
        except RAISED as error:
            return _failed(error, active)
        finally:
            exchange.dice = None

    def _something_goes_on_unseen(self) -> bool:
        """Whether an action that is only folded is in the middle of its steps: what the clock would do is not known then."""
        return any(run.due is None for name, run in self.state.open.items() if name in self.given_up)

    def is_unseen(self, event: Any) -> bool:
        """Whether an event is about a run of an action that is only folded, so that it is not known whether that is there."""
        effect = event.effect if type(event) is Overrule else None
        return isinstance(effect, GiveModifier) and root(effect.action) in self.given_up & self.state.open.keys()

    # -- an event happens

    def feed(self, event: Any, version: int) -> Failed | None:
        """Take an event in as it was recorded."""
        self._remember(event, version)
        name = owner(event)
        if name in self.given_up:
            self._fold(event, version)
            return None
        try:
            self.exchange.feed(event, version, live=True)
        except RAISED as error:
            failed = _failed(error, name)
            self.give_up(name)
            return failed
        if type(event) is Leave:
            self.leaving = event.id
        return None

    def skip(self, event: Any, version: int) -> None:
        """Make nothing of an event but what can be folded, if nothing was made of it yet."""
        self.give_up(owner(event))
        if self.exchange.head < version:
            self._remember(event, version)
            self._fold(event, version)

    def _fold(self, event: Any, version: int) -> None:
        """Only fold an event of an action that was given up; an action that it closes runs no further."""
        with suppress(*RAISED):  # what cannot be folded, `verify` has found
            self.exchange.only_fold(event, version)
        if opens_run(event):
            self._given_up_since.add(version)
        if type(event) is Done and root(event.action) not in self.given_up:
            self.give_up(root(event.action))

    def give_up(self, name: str) -> None:
        """Only fold a root action from here on."""
        if not name:
            return
        self.given_up.add(name)
        if name in self.state.open:
            self._given_up_since.add(self.state.open[name].since)
        with suppress(*RAISED):  # a generator that will not end is the same fault again
            self.exchange.forget(name)

    def _remember(self, event: Any, version: int) -> None:
        if opens_run(event):
            self._before[event.action] = (version, self.state)
        self._pairs.append((version, event))

    # -- going back

    def end(self, commit: Commit, commits: int, *, went_back: bool) -> None:
        """A commit ends here; so many were there with it."""
        version = commit.last
        now = self.state.open
        self._before = {name: self._before[name] for name in now if name in self._before}
        since, self._base = min(self._before.values(), key=lambda found: found[0], default=(version + 1, self.state))
        if self._pairs and self._pairs[0][0] < since:
            self._pairs = [pair for pair in self._pairs if pair[0] >= since]
        point = Point(version, self._base, self._pairs, len(self._pairs), commits, commit.digest, commit.envelope.group)
        self._points.add(point, went_back=went_back)

    def go_back(self, to: int, version: int, openings: list[int], secret_openings: list[int]) -> None:
        """The present becomes that of an earlier end (`version` is the rewind's own). Raises KeyError where none ends."""
        point, after = self._points.find(to)
        self.leaving = ""
        pairs = [*point.pairs[: point.length], *[pair for pair in after if _counts(*pair)]]
        now, before = point.base, {}
        for number, event in pairs:
            if opens_run(event):
                before[event.action] = (number, now)
            with suppress(*RAISED):
                now = fold(now, event, number)
        self._before = {name: before[name] for name in now.open if name in before}
        since, base = min(self._before.values(), key=lambda found: found[0], default=(to + 1, now))
        self._base, self._pairs = base, [pair for pair in pairs if pair[0] >= since]
        self.given_up = {name for name, run in now.open.items() if run.since in self._given_up_since}
        self.exchange = Exchange(
            self._book, base, head=to, openings=openings, secret_openings=secret_openings, tracked=set(now.open) - self.given_up
        )
        for number, event in self._pairs:
            name = owner(event)
            if name in self.given_up:
                self._fold(event, number)
                continue
            try:
                self.exchange.feed(event, number, live=True)
            except RAISED:  # it was told when it happened first
                self.give_up(name)
        self.exchange.track_all()
        self.exchange.head = version


def _counts(version: int, event: Any) -> bool:
    """Whether an event is one that is gone by: a log opens once, and again where it is a fork."""
    return type(event) is not Open or version == 1 or is_fork(event)


def same(expected: Any, recorded: Any) -> bool:
    """Whether two events are equal as they are written."""
    return type(expected) is type(recorded) and (expected == recorded or canonical(expected) == canonical(recorded))


def bare(event: Any) -> Any:
    """A roll that is expected without the dice, which stand in the record or nowhere."""
    if type(event) is Roll and event.faces is None:
        return replace(event, dropped=None, total=None, botch=None)
    return event


def _failed(error: BaseException, action: str) -> Failed:
    if isinstance(error, PluginUnavailable):
        return Failed("unavailable", str(error), action)
    if isinstance(error, RefusedInside):
        return Failed("refused", error.refused.bare, action)
    if isinstance(error, AffrayError):
        return Failed("breach", str(error), action)
    return Failed("raised", repr(error), action)


__all__ = ["RAISED", "Expected", "Failed", "Reenactment", "bare", "owner", "same"]
