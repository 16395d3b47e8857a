"""Run the commands of a record again on another past, or under other rules, with their dice and answers (law 6).

What people put in (`recorded.py`) is taken from the record in its order: a declaration goes with its actor's n-th turn,
an answer and faces with their slots. What the rules make of it is made again. Where a decision is missing, everything
stops there; where a die is missing, `Fresh` says what happens.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec
from msgspec.structs import replace

from . import commands as c
from .audit_commands import command_of, opening
from .dice import check_faces
from .draws import Drawn
from .errors import Breach, InputError, Refused, RefusedInside
from .events import (
    Choose,
    Close,
    CloseAction,
    Declare,
    Done,
    GiveModifier,
    Join,
    Note,
    Overrule,
)
from .exchange import Exchange, RuleBook
from .ledger import through_bytes
from .limits import EVENTS_PER_COMMIT
from .log import Log, Pair, opens_run
from .names import WITNESS, root, slot
from .recorded import Input, Past, answers, begun_at, is_report, is_start
from .recorded_dice import DiceRefused, Fresh, NeedsDie, RerunDice
from .state import State
from .steps import Roll
from .veil import veil

_MAY_COME = ("now", "later", "waits")
"""What becomes of an input that is not dropped."""


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """What became of an input: done, or dropped for a reason (turn-over, never-came, gone, a refusal's code...)."""

    version: int
    event: Any
    code: str


class Stopped(msgspec.Struct, frozen=True, kw_only=True):
    """Why running again ended before the record did: `why` is prompt, option, turn, die, dice, witness or failed.

    A die that does not exist ends a plan; dice that cannot be thrown now (they wait for a nonce, a script ran out) end
    it before the command that needs them.

    `what` is a slot or whose turn it is, `who` the combatants who are wanted, `text` what the rules said.
    """

    why: str
    what: str
    who: tuple[str, ...] = ()
    text: str = ""


class Made(msgspec.Struct, frozen=True, kw_only=True):
    """A command that was run again: its input and the events with their bytes."""

    input: Input
    command: c.Command
    events: tuple[tuple[Any, bytes], ...]


class _Ids:
    """What openings ask of a log: which ids were used, and which actions are on the line that is run again."""

    def __init__(self, log: Log, line: tuple[Pair, ...]) -> None:
        self.events = log.events
        self.action_ids = log.action_ids
        self.opened = {event.action for _, event in line if opens_run(event)}

    def is_present(self, action: str) -> bool:
        """Whether a root action or moment was opened on the line."""
        return action in self.opened


class Rerun:
    """Runs the inputs of a past again behind its line. `head` is the version to count from: that of the rewind."""

    def __init__(self, book: RuleBook, log: Log, past: Past, fresh: Fresh, head: int, dropped: tuple[Input, ...] = ()) -> None:
        self.queue: list[Input] = []
        self.made: list[Made] = []
        self.outcomes = [Outcome(version=one.version, event=one.event, code="dropped") for one in dropped]
        self.stopped: Stopped | None = None
        self.refused: Refused | None = None
        self.dice_refused: Refused | None = None
        self.partial: list[Any] = []
        self._book = book
        self._past = past
        self._head = head
        self._pairs = list(past.line)
        self._dice = RerunDice(past, log, fresh)
        self._ids = _Ids(log, past.line)
        self._turns = [event.action for _, event in past.line if is_start(event)]
        self._dropped = {one.event.action for one in dropped if type(one.event) is Declare}
        self._pending: dict[int, Input] = {}
        self._given: Counter[tuple[str, str]] = Counter()
        self._declared: Counter[str] = Counter()
        for one in past.inputs:
            self._put(len(self.queue), one)
        self._begun = {one.version for one in (*past.inputs, *dropped)} - {0}
        self.exchange = self._resumed(log.openings, log.secret_openings)

    @property
    def drawn(self) -> tuple[Roll, ...]:
        """Rolls that got faces no record has."""
        return tuple(self._dice.drawn)

    def run(self) -> None:
        """Run until the record ends or something is missing. Raises what the rules raise, InputError for a word that cannot be."""
        while self.stopped is None and (index := self._next()) >= 0:
            self._perform(self._pull(index))
        if self.stopped is None and any(True for _ in self._left()):
            self.stopped = self._wanted()
        if self.stopped is None:
            while self.queue:
                self._let_go(self._pull(0), "gone")

    def reached(self, log: Log, old: Iterable[Pair]) -> list[Pair]:
        """The events of the record whose commands this has come to: of others nothing can be said.

        Of a command that stopped in the middle, only those steps that came.
        """
        pending = {one.version for one in self.queue}
        halfway = self.queue[0].version if self.partial else -1
        came = {slot(event) for event in self.partial if hasattr(event, "key")}
        found: list[Pair] = []
        for version, event in old:
            command = begun_at(log, version)
            if command == halfway:
                is_reached = hasattr(event, "key") and slot(event) in came
            else:
                is_reached = command in self._begun and command not in pending
            if is_reached:
                found.append((version, event))
        return found

    # -- the queue

    def _put(self, index: int, one: Input) -> None:
        self.queue.insert(index, one)
        self._count(one, 1)
        if one.version:
            self._pending[one.version] = one

    def _pull(self, index: int) -> Input:
        one = self.queue.pop(index)
        self._count(one, -1)
        self._pending.pop(one.version, None)
        return one

    def _count(self, one: Input, by: int) -> None:
        """Keep count of answers by prompt and person, and of declarations by turn."""
        if (answered := answers(one.event)) is not None:
            self._given[answered] += by
        elif one.turn:
            self._declared[one.turn] += by

    # -- which is next

    def _next(self) -> int:
        """The place in the queue of the next input that may be put in now, -1 for none; drops on the way what never can be."""
        while True:
            state = self.exchange.state
            is_held = self._is_held(state)
            is_blocked = False
            for index, one in enumerate(self.queue):
                fate = self._fate(one, state, is_held)
                if fate == "now" and (not is_blocked or self._may_overtake(one)):
                    return index
                if fate not in _MAY_COME:
                    self._let_go(self._pull(index), fate)
                    break
                is_blocked = is_blocked or fate == "later"
            else:
                if not self._nothing_comes(state):
                    return -1
                stuck = next((index for index, one in enumerate(self.queue) if type(one.event) is Declare), -1)
                if stuck < 0:
                    return -1
                self._let_go(self._pull(stuck), "never-came")

    def _may_overtake(self, one: Input) -> bool:
        """Whether an input may come before one that has to wait: an answer does, and a turn that comes earlier now."""
        one = self._pending.get(one.precedes, one)
        return answers(one.event) is not None or bool(one.turn)

    def _fate(self, one: Input, state: State, is_held: bool) -> str:
        """Whether an input may come now, comes later, waits for its prompt, or why it never can."""
        if (other := self._pending.get(one.precedes)) is not None:  # a new word comes when its command does
            fate = self._fate(other, state, is_held)
            return fate if fate in _MAY_COME else "now"
        if (other := self._pending.get(one.follows)) is not None:
            return "waits" if self._fate(other, state, is_held) == "waits" else "later"
        event = one.event
        kind = type(event)
        if kind is Declare:
            if one.turn and one.turn in self._turns and (one.turn != self._turns[-1] or state.turn != event.actor):
                return "turn-over"
            if state.prompts or (one.turn and one.turn not in self._turns) or (not one.turn and self._is_early(one, is_held, state)):
                return "later"
            return "now"
        if (answered := answers(event)) is not None:
            if root(event.action) in self._dropped:
                return "gone"
            prompt = state.prompts.get(answered[0])
            return "waits" if prompt is None or answered[1] in prompt.answers else "now"
        if kind is Overrule and isinstance(event.effect, GiveModifier | CloseAction) and one.version:
            name = root(event.effect.action)
            if name in self._dropped or (name in self._ids.opened and name not in state.open):
                return "gone"
            if not one.ahead and name not in state.open:
                return "later"
        return "later" if self._is_early(one, is_held, state) else "now"

    def _is_early(self, one: Input, is_held: bool, state: State) -> bool:
        """Whether something is missing that comes before an input: an answer, or what is done in a turn that is held."""
        if type(one.event) is Note:
            return False
        return is_held and not one.follows and (bool(state.prompts) or one.during != self._turns[-1])

    def _is_held(self, state: State) -> bool:
        """Whether nothing goes on before somebody answers or acts of whom the record has nothing here.

        What was open where the record ends is simply the present.
        """
        if state.prompts:
            asked = [(name, who) for name, prompt in state.prompts.items() for who in prompt.ask.who if who not in prompt.answers]
            return any(not self._given[pair] and pair not in self._past.open_end for pair in asked)
        if not state.turn or not self._turns or self._turns[-1] == self._past.last_turn:
            return False
        return not self._declared[self._turns[-1]]

    def _nothing_comes(self, state: State) -> bool:
        """Whether no turn is held and no prompt open, so that a turn which has not come will not come any more."""
        return bool(state.over) or not (state.prompts or state.turn)

    def _left(self) -> Iterator[Input]:
        """What the record still holds that people did, beside answers to questions that were not asked, and words on them."""
        for one in self.queue:
            beside = self._pending.get(one.precedes or one.follows, one)
            if answers(beside.event) is None:
                yield one

    def _wanted(self) -> Stopped | None:
        """What is missing where the record still goes on."""
        state = self.exchange.state
        for name, prompt in state.prompts.items():
            who = tuple([one for one in prompt.ask.who if one not in prompt.answers])
            return Stopped(why="witness" if prompt.ask.key.startswith(WITNESS) else "prompt", what=name, who=who)
        if state.turn:
            return Stopped(why="turn", what=self._turns[-1] if self._turns else "", who=(state.turn,))
        return None

    # -- put in

    def _perform(self, one: Input) -> None:
        exchange = self.exchange
        exchange.dice = self._dice
        before = (len(self._dice.drawn), dict(self._dice.witnesses), len(self._turns))
        taken: list[tuple[Any, bytes]] = []
        try:
            command, events = self._opening(one)
            if isinstance(events, Refused):
                self._refused(one, events)
                return
            self._take_all(one, command, events, taken)
        except NeedsDie as needs:
            self.partial = [event for event, _ in taken]
            self.stopped = Stopped(why="die", what=slot(needs.roll), who=_people(needs.roll))
            self._put(0, one)
        except DiceRefused as inside:
            self._wind_back(*before)
            self.stopped = Stopped(why="dice", what=slot(inside.roll), who=_people(inside.roll), text=inside.refused.bare)
            self.dice_refused = inside.refused
            self._put(0, one)
        except RefusedInside as inside:  # the rules' own word: nothing of the command happens
            self._wind_back(*before)
            self._refused(one, inside.refused)
        except InputError as error:
            if not one.version and not taken:
                raise
            if not taken and not one.edits:
                self._let_go(one, "unfit")
            elif not taken:
                raise
            else:
                self.stopped = Stopped(why="failed", what=_name(one.event), text=str(error))
        except Breach as error:
            if error.plugin != "overrule":
                raise
            self.stopped = Stopped(why="failed", what=_name(one.event), text=error.problem)
        else:
            self._did(one, command, taken)
        finally:
            exchange.dice = None

    def _take_all(self, one: Input, command: c.Command, events: tuple[Any, ...], taken: list[tuple[Any, bytes]]) -> None:
        exchange = self.exchange
        for event in events:
            self._take(veil(exchange.state, event) if one.closing else event, taken)
        if isinstance(command, c.Leave):
            while (end := exchange.end_of_own(command.id)) is not None:
                self._take(end, taken)
        while (event := exchange.propose()) is not None:
            self._take(event, taken)

    def _opening(self, one: Input) -> tuple[c.Command, tuple[Any, ...] | Refused]:
        exchange, event = self.exchange, one.event
        if one.closing:
            code = event.code if type(event) is Close else "closed"
            if exchange.state.over:
                return c.Close(code=code), Refused("over", (exchange.state.over,))
            ends = [Done(action=name, code="cancelled", cause="close") for name in exchange.state.open]
            return c.Close(code=code), tuple([*ends, Close(code=code)])
        if is_report(event):
            event = self._reread(event)
        for edit in one.edits:
            event = _changed(event, edit, exchange)
        command = command_of(event, exchange)
        if command is None:
            raise InputError("cannot be put in again", value=type(event).__name__)
        return command, opening(event, exchange, self._ids)

    def _reread(self, roll: Roll) -> Roll:
        """Reported faces for the roll as it is now; they must fit its plan."""
        wanted = self.exchange.awaited(roll.action)
        if wanted is None or roll.faces is None:
            return roll
        check_faces(wanted.plan, roll.faces)
        return self.exchange.with_faces(wanted, Drawn(roll.faces, "reported"))

    def _refused(self, one: Input, refused: Refused) -> None:
        event = one.event
        if not one.version or one.edits:  # what is new must be possible
            self.refused = refused
            self.stopped = Stopped(why="failed", what=_name(event), text=refused.bare)
            return
        if type(event) is Choose and refused.code == "no-such-option":
            self.stopped = Stopped(why="option", what=slot(event), who=(event.who,), text=event.value or "")
        self._let_go(one, refused.code)

    def _let_go(self, one: Input, code: str) -> None:
        self.outcomes.append(Outcome(version=one.version, event=one.event, code=code))
        if type(one.event) is Declare:
            self._dropped.add(one.event.action)

    def _take(self, event: Any, taken: list[tuple[Any, bytes]]) -> None:
        if len(taken) >= EVENTS_PER_COMMIT - 1:
            raise InputError(f"more than {EVENTS_PER_COMMIT - 1} events of one command")
        event, data = through_bytes(event)
        taken.append((event, data))
        self.exchange.feed(event, live=True)
        if is_start(event):
            self._turns.append(event.action)

    def _did(self, one: Input, command: c.Command, taken: list[tuple[Any, bytes]]) -> None:
        self.made.append(Made(input=one, command=command, events=tuple(taken)))
        self.outcomes.append(Outcome(version=one.version, event=one.event, code="done"))
        for event, _ in taken:
            self._head += 1
            self._pairs.append((self._head, event))
            if opens_run(event):
                self._ids.opened.add(event.action)

    # -- going back

    def _wind_back(self, drawn: int, witnesses: dict[str, str], turns: int) -> None:
        """Be again where the last command ended: generators cannot be wound back."""
        del self._dice.drawn[drawn:]
        self._dice.witnesses = witnesses
        del self._turns[turns:]
        self.exchange = self._resumed(self.exchange.openings, self.exchange.secret_openings)

    def _resumed(self, openings: list[int], secret_openings: list[int]) -> Exchange:
        return Exchange.resume(
            self._book,
            self._pairs,
            head=self._head,
            openings=[version for version in openings if version <= self._head],
            secret_openings=[version for version in secret_openings if version <= self._head],
        )


def _changed(event: Any, edit: Any, exchange: Exchange) -> Any:
    """The event that a changed command opens with, as far as it says what was asked for."""
    if isinstance(edit, c.Reanswer):
        return replace(event, value=edit.value)
    if isinstance(edit, c.Redeclare):
        targets = event.targets if edit.targets is None else edit.targets
        return replace(event, targets=targets, params=event.params if edit.params is None else edit.params)
    return _with_sheet(event, edit, exchange)


def _with_sheet(event: Join, edit: c.Resheet, exchange: Exchange) -> Join:
    """A join with another sheet; a pool that did not start where the old sheet has it starts there still."""
    rules = exchange.rules
    usual, pools = rules.pools(rules.read_sheet(event.sheet or {})), rules.pools(_read(edit, rules))
    for name, pool in (event.pools or {}).items():
        if name in pools and name in usual and pool.start != usual[name].start:
            pools[name] = replace(pools[name], start=pool.start)
    return replace(event, sheet=edit.sheet, pools=pools)


def _read(edit: c.Resheet, rules: Any) -> Any:
    try:
        return rules.read_sheet(edit.sheet)
    except InputError as error:
        raise InputError(error.problem, path="$.sheet" + error.path.removeprefix("$"), value=error.value) from None


def _people(roll: Roll) -> tuple[str, ...]:
    return (roll.by,) if roll.by else ()


def _name(event: Any) -> str:
    return slot(event) if hasattr(event, "key") else getattr(event, "action", type(event).__name__.lower())


__all__ = ["Made", "Outcome", "Rerun", "Stopped"]
