"""Decide: a command and the fight as it stands give events, or a refusal (design, section 7).

After an exception, and after a refusal that moved the exchange's head, the exchange is to be thrown away and rebuilt
from the log: generators cannot be wound back.
"""

from __future__ import annotations

from typing import Any, Protocol

import msgspec

from . import commands as c
from .draws import Dice
from .errors import Breach, DiceError, InputError, Refused, RefusedInside
from .events import Close, CloseAction, Done, Reveal, RevealDice
from .exchange import Exchange
from .ledger import through_bytes
from .limits import EVENTS_PER_COMMIT
from .lineage import redo, undo
from .log import Log
from .openings import OPENINGS
from .values import GM
from .veil import veil

GM_ONLY = frozenset({c.Begin, c.Close, c.Overrule, c.SetRules, c.Reveal, c.RevealDice})
_LINEAGE = frozenset({c.Undo, c.Redo, c.Reveal, c.RevealDice})


class Host(Dice, Protocol):
    """What only the host of a session can give: faces, chain secrets and kept parts."""

    def reveal(self, chain: str) -> RevealDice | Refused:
        """The event that opens the present epoch of a chain."""
        ...

    def at_close(self) -> RevealDice | None:
        """The event that opens the dice when the fight ends; None without fair dice."""
        ...

    def part(self, version: int) -> str:
        """The text of the kept part at a version. Raises InputError when there is none."""
        ...


class Accepted(msgspec.Struct, frozen=True):
    """Events with their bytes, in order.

    `fed` says whether the exchange has taken them in already. With `goes_on` they are to be appended before anything is
    made of them (reported dice, an action that the game master closes because its rules cannot go on, other rules): then the
    exchange is fed with them and `go_on` gives the second part.
    """

    events: tuple[tuple[Any, bytes], ...]
    fed: bool = True
    goes_on: bool = False


class _Taker:
    """Feeds events to the exchange and collects them, each through its bytes first."""

    def __init__(self, exchange: Exchange) -> None:
        self.exchange = exchange
        self.taken: list[tuple[Any, bytes]] = []

    def take(self, event: Any, spare: int = 1) -> None:
        if len(self.taken) >= EVENTS_PER_COMMIT - spare:  # one is left for the dice that a close reveals
            raise self._breach(event, f"more than {EVENTS_PER_COMMIT - 1} events of one command")
        try:
            event, data = through_bytes(event)
        except (msgspec.MsgspecError, ValueError, TypeError) as error:
            raise self._breach(event, f"{event!r} cannot be written: {error}") from error
        self.taken.append((event, data))
        self.exchange.feed(event, live=True)

    def _breach(self, event: Any, problem: str) -> Breach:
        running = self.exchange.running(getattr(event, "action", ""))
        return running[-1].breach(problem) if running else Breach(self.exchange.rules.system.id, "resolve", problem)

    def go_on(self) -> None:
        """Take what follows by itself, until people must act."""
        propose, take = self.exchange.propose, self.take
        while (event := propose()) is not None:
            take(event)


def decide(exchange: Exchange, log: Log, request: c.Request, host: Host) -> Accepted | Refused:
    """Decide one command. Raises InputError for what cannot be read, Breach when a plugin fails."""
    command = request.command
    kind = type(command)
    if kind in GM_ONLY and request.caller != GM:
        return Refused("gm-only", (request.caller,))
    if kind in _LINEAGE:
        return _rewind_or_reveal(exchange, log, request, host)
    opening = OPENINGS[kind](exchange, request, log)
    if isinstance(opening, Refused):
        return opening
    is_closing = isinstance(command, c.Overrule) and isinstance(command.effect, CloseAction)
    if kind is c.Note or kind is c.Report or kind is c.SetRules or is_closing:
        events = tuple([through_bytes(veil(exchange.state, event)) for event in opening])
        return Accepted(events, fed=False, goes_on=kind is not c.Note)
    return _run(exchange, host, opening, command)


def _rewind_or_reveal(exchange: Exchange, log: Log, request: c.Request, host: Host) -> Accepted | Refused:
    """What changes which events count, or who may read them, and runs no rules."""
    match request.command:
        case c.Undo(action=action):
            event: Any = undo(log, exchange.state, request.caller, action)
        case c.Redo():
            event = redo(log, request.caller)
        case c.RevealDice(chain=chain):
            event = host.reveal(chain)
        case c.Reveal(version=version):
            event = _reveal(log, version, host)
        case other:
            raise AssertionError(other)
    return event if isinstance(event, Refused) else Accepted((through_bytes(event),), fed=False)


def go_on(exchange: Exchange, host: Host) -> Accepted | Refused:
    """What follows by itself from where a log ends: the second part of a report of dice or of an action's closing."""
    return _run(exchange, host, [], None)


def _run(exchange: Exchange, host: Host, opening: list[Any], command: c.Command | None) -> Accepted | Refused:
    was_over = exchange.state.over
    exchange.dice = host
    taker = _Taker(exchange)
    try:
        for event in opening:
            taker.take(veil(exchange.state, event))
        if isinstance(command, c.Leave):
            _close_own(taker, command.id)
        elif isinstance(command, c.Close):
            _cancel_all(taker, command.code)
        taker.go_on()
    except RefusedInside as inside:
        return inside.refused
    except DiceError as error:
        return Refused("dice-capped" if error.problem.startswith("capped") else "bad-dice", (str(error),))
    finally:
        exchange.dice = None
    if exchange.state.over and not was_over and (revealed := host.at_close()) is not None:
        taker.take(revealed, spare=0)
    return Accepted(tuple(taker.taken))


def _close_own(taker: _Taker, who: str) -> None:
    """A leaver's own actions close first; then the exchange answers null where the leaver is asked."""
    while (end := taker.exchange.end_of_own(who)) is not None:
        taker.take(end)


def _cancel_all(taker: _Taker, code: str) -> None:
    exchange = taker.exchange
    for name in list(exchange.state.open):
        taker.take(veil(exchange.state, Done(action=name, code="cancelled", cause="close")))
    taker.take(Close(code=code))


def _reveal(log: Log, version: int, host: Host) -> Reveal | Refused:
    if not 1 <= version <= log.head:
        return Refused("no-such-version", (version,))
    if version in log.reveals:
        return Refused("already-revealed", (version,))
    try:
        return Reveal(version=version, part=host.part(version))
    except InputError:
        return Refused("nothing-kept", (version,))
