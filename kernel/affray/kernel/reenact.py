"""Run recorded actions again: what would the rules have done, given the recorded dice and answers? (law 6)

Goes through a log event by event beside the exchange, compares what the exchange proposes with what was recorded, and
folds only what it cannot or need not execute any more: an action after its first divergence, one whose plugin is
missing. Knows no store and reports to nobody; `audit.py` does.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import msgspec
from msgspec import UNSET
from msgspec.structs import replace

from .canonical import canonical
from .draws import Drawn, Unwitnessed
from .errors import AffrayError, PluginUnavailable, Refused, RefusedInside
from .events import Done, Leave
from .exchange import Exchange, RuleBook
from .fold import fold
from .log import Pair, opens_run
from .names import WITNESS, place, root, slot
from .points import Point, Points
from .state import OpenAction, State
from .steps import Ask, Roll
from .veil import veil


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


class RecordedDice:
    """Gives a roll the faces of the event that was recorded next, if that is the roll or its prompt."""

    def __init__(self) -> None:
        self.next: Any = None

    def draw(self, roll: Roll, run: int, state: State) -> Drawn | Unwitnessed | None:
        """The recorded faces. Raises what ends the proposal where something else was recorded."""
        event = self.next
        if type(event) is Roll and event.faces is not None and slot(event) == slot(roll):
            return Drawn(event.faces, event.source, event.reused)
        if type(event) is Ask and event.action == roll.action:
            if event.plan is not None and place(event) == place(roll):
                return None
            if event.key == WITNESS + roll.key:
                return Unwitnessed(event.who[0])
        raise _WantsDice(roll)


class Reenactment:
    """The present of a log that is followed: the exchange, and the actions that are only folded (`given_up`)."""

    def __init__(self, book: RuleBook, points: Points) -> None:
        self._book = book
        self._points = points
        self._dice = RecordedDice()
        self.given_up: set[str] = set()
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
            if own := exchange.actions_of(self.leaving):
                return Expected(veil(exchange.state, Done(action=own[0], code="left", cause="leave")), root(own[0]))
            self.leaving = ""
        if active == "" and self._something_goes_on_unseen():
            return Expected()
        self._dice.next = recorded
        exchange.dice = self._dice
        try:
            return Expected(exchange.propose(), active)
        except _WantsDice as wanted:
            return Expected(wanted.roll, active)
        except Exception as error:
            return _failed(error, active)
        finally:
            exchange.dice = None

    def _something_goes_on_unseen(self) -> bool:
        """Whether an action that is only folded is in the middle of its steps: what the clock would do is not known then."""
        return any(run.due is None for name, run in self.state.open.items() if name in self.given_up)

    # -- an event happens

    def feed(self, event: Any, version: int) -> Failed | None:
        """Take an event in as it was recorded."""
        self._remember(event, version)
        name = root(event.action) if hasattr(event, "action") else ""
        exchange = self.exchange
        if name in self.given_up:
            exchange.only_fold(event, version)
            return None
        try:
            exchange.feed(event, version, live=True)
        except Exception as error:
            failed = _failed(error, name)
            self.give_up(name)
            return failed
        if type(event) is Leave:
            self.leaving = event.id
        return None

    def give_up(self, name: str) -> None:
        """Only fold a root action from here on."""
        self.given_up.add(name)
        with suppress(AffrayError):  # a generator that will not end is the same fault again
            self.exchange.forget(name)

    def _remember(self, event: Any, version: int) -> None:
        if opens_run(event):
            self._before[event.action] = (version, self.state)
        self._pairs.append((version, event))

    # -- going back

    def end(self, version: int, commits: int, digest: str, *, went_back: bool) -> None:
        """A commit or a whole group ends here."""
        now = self.state.open
        self._before = {name: self._before[name] for name in now if name in self._before}
        since, self._base = min(self._before.values(), key=lambda found: found[0], default=(version + 1, self.state))
        self._pairs = [pair for pair in self._pairs if pair[0] >= since]
        self._points.add(Point(version, self._base, tuple(self._pairs), commits, digest), went_back=went_back)

    def go_back(self, to: int, version: int, openings: list[int], secret_openings: list[int]) -> None:
        """The present becomes that of an earlier end (`version` is the rewind's own). Raises KeyError where none ends."""
        point, after = self._points.find(to)
        self.leaving = ""
        pairs = [*point.pairs, *after]
        now, before = point.base, {}
        for number, event in pairs:
            if opens_run(event):
                before[event.action] = (number, now)
            now = fold(now, event, number)
        self._before = {name: before[name] for name in now.open if name in before}
        since, base = min(self._before.values(), key=lambda found: found[0], default=(to + 1, now))
        self._base, self._pairs = base, [pair for pair in pairs if pair[0] >= since]
        self.exchange = Exchange(
            self._book, base, head=to, openings=openings, secret_openings=secret_openings, tracked=set(now.open) - self.given_up
        )
        for number, event in self._pairs:
            name = root(event.action) if hasattr(event, "action") else ""
            if name in self.given_up:
                self.exchange.only_fold(event, number)
                continue
            try:
                self.exchange.feed(event, number, live=True)
            except Exception:  # it was told when it happened first
                self.give_up(name)
        self.exchange.track_all()
        self.exchange.head = version

    def open_run(self, name: str) -> OpenAction | None:
        """The open root action that something belongs to."""
        return self.state.open.get(root(name))


def same(expected: Any, recorded: Any) -> bool:
    """Whether two events are equal as they are written."""
    return type(expected) is type(recorded) and (expected == recorded or canonical(expected) == canonical(recorded))


def bare(event: Any) -> Any:
    """A roll that is expected without the dice, which stand in the record or nowhere."""
    if type(event) is Roll and event.faces is None:
        return replace(event, dropped=None, total=None, botch=None, veil=UNSET)
    return event


def _failed(error: Exception, action: str) -> Failed:
    if isinstance(error, PluginUnavailable):
        return Failed("unavailable", str(error), action)
    if isinstance(error, RefusedInside):
        return Failed("refused", said(error.refused), action)
    return Failed("breach" if isinstance(error, AffrayError) else "raised", str(error) if isinstance(error, AffrayError) else repr(error), action)


def said(refused: Refused) -> str:
    """A refusal in words."""
    return " ".join([refused.code, *map(str, refused.args)])


__all__ = ["Expected", "Failed", "Reenactment", "bare", "said", "same"]
