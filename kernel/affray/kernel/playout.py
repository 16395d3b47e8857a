"""One execution of a declared action that only happens in thought: what `odds.py` walks through again and again (law 6).

Generators cannot be copied, so every branch runs the resolver from the state before the action and is given the
readings so far. A roll is given its reading without faces, whatever the dice policy, and a prompt its answer; an action
that waits goes on as if nobody acted in between. Nothing is drawn, stored or fed to the exchange of the live fight.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec
from msgspec import UNSET
from msgspec.structs import replace

from .draws import Drawn
from .errors import DiceError, InputError, Refused, RefusedInside
from .events import Choose, Declare, Done, Turn
from .exchange import Exchange, RuleBook
from .kept import may_read
from .ledger import through_bytes
from .names import RESUME, root, slot
from .numbers import Exact, Num, exact, number
from .replies import Reply
from .runs import Run
from .spread import CAPPED, Seen
from .state import Combatant, OpenAction, State, by_time
from .steps import ApplyDamage, Ask, Judge, Roll
from .values import GM

DAMAGED = "damaged"
"""The code of an action that is left where its damage is done and more dice would be thrown."""

UNRESOLVED = "unresolved"
"""The code of an action that never ends, because the fight is over while it waits or because it renews itself for ever."""


class Outcome(msgspec.Struct, frozen=True, kw_only=True, cache_hash=True):
    """What becomes of an action, up to its own end.

    - `code`: the outcome code of its `done`; `refused-...` where it is refused in the middle and nothing happens.
    - `over`: how the fight ends by it, "" where it goes on.
    - `damage`: (target, all that was applied to it), what no pool could take included.
    - `pools`: (who, pool, difference), `gained`: (who, condition, value) of new or changed ones, `ended`: (who, condition);
      each against the state before, in the order of joining.
    - `order`: of the begin, who comes up in which order; () of a declared action.
    """

    code: str
    over: str = ""
    damage: tuple[tuple[str, Num], ...] = ()
    pools: tuple[tuple[str, str, Num], ...] = ()
    gained: tuple[tuple[str, str, Num | None], ...] = ()
    ended: tuple[tuple[str, str], ...] = ()
    order: tuple[str, ...] = ()


class Renewal(msgspec.Struct, frozen=True):
    """A verdict that renews the action: whatever has the same key has the same future."""

    key: tuple[object, ...]


class Choice(msgspec.Struct, frozen=True):
    """An answer that was given in thought, and what was on offer."""

    who: str
    key: str
    code: str
    offered: tuple[str, ...]


class Start(msgspec.Struct, frozen=True, kw_only=True):
    """Where an action begins: the rules, the state before it, what opens it (a declaration or the begin), and who asks.

    With a `reader` other than the game master, nothing that this reader could not read in the log may enter. With
    `until_damage` the action is left before the first die that follows damage, a saving roll as a rule: its code is DAMAGED.
    """

    book: RuleBook
    state: State
    opening: Declare | Turn
    head: int
    reader: str = GM
    until_damage: bool = False


class Hidden(Exception):
    """A number enters that the reader may not know."""


class Playout:
    """An action in progress. `advance` runs it to the next roll, renewal or its end; `show` says how a roll reads."""

    def __init__(self, start: Start, reply: Reply) -> None:
        self._start = start
        self._reply = reply
        self._name = start.opening.action
        self._exchange = Exchange(start.book, start.state, head=start.head, tracked={self._name})
        self.path: list[Seen] = []
        self.choices: list[Choice] = []
        self._damage: dict[str, Exact] = {}
        self._opened: dict[str, int] = {}
        self._code = UNRESOLVED
        self._shown: Roll | None = None
        self._steps = self._run()

    def advance(self) -> Roll | Renewal | Outcome:
        """Go on to a roll whose reading is wanted, to where the action renews itself, or to its end.

        Raises Breach when the rules fail, Hidden, and RefusedInside for an action that is refused before any die.
        """
        try:
            return next(self._steps)
        except (DiceError, RefusedInside) as error:
            refused = error.refused if isinstance(error, RefusedInside) else Refused("bad-dice", (str(error),))
            if not self.path:
                raise RefusedInside(refused) from error
            return _refused(refused.code)

    def show(self, roll: Roll, seen: Seen) -> None:
        """Let the roll that `advance` gave read so, and no other way; `advance` goes on from there."""
        self.path.append(seen)
        if seen.fault == CAPPED:
            self._steps = iter((_refused("dice-capped"),))
        self._shown = replace(roll, total=seen.total, botch=seen.botch, fault=seen.fault)

    # -- the events of the action

    def _run(self) -> Iterator[Roll | Renewal | Outcome]:
        exchange, name = self._exchange, self._name
        self._feed(self._start.opening)
        while (action := exchange.state.open.get(name)) is not None:
            roll = exchange.awaited(name) if action.due is None else None
            if roll is not None and self._start.until_damage and any(self._damage.values()):
                self._code = DAMAGED
                break
            if roll is not None and (event := self._with_set_faces(roll)) is None:
                yield roll
                event = self._shown
            elif roll is None:
                event = self._next(action)
                if event is None:
                    break
            maker = exchange.running(name)[-1]
            self._feed(event)
            if type(event) is Judge and event.renews and (renewal := self._renewal(maker, event)) is not None:
                yield renewal
        yield self._outcome(exchange.state)

    def _next(self, action: OpenAction) -> Any:
        """The next event that needs no dice; None where the action never goes on."""
        if action.due is not None:
            return self._goes_on(self._exchange.state)
        return self._exchange.propose() or self._answer(self._exchange.state)

    def _feed(self, event: Any) -> None:
        reader = self._start.reader
        if reader != GM and event.veil is not UNSET and not may_read(event.veil.audience, reader):
            raise Hidden
        kind = type(event)
        if kind is not Roll and kind is not Choose:  # those are made here
            event = self._through_bytes(event)
        self._exchange.feed(event, live=True)
        if chain := self._exchange.running(self._name):
            self._opened.setdefault(chain[-1].id, len(self.path))
        if kind is ApplyDamage:
            self._damage[event.target] = self._damage.get(event.target, 0) + exact(event.value)
        elif kind is Done and event.action == self._name:
            self._code = event.code

    def _through_bytes(self, event: Any) -> Any:
        """The event as the log would have it, as in a live fight. Raises Breach for one that cannot be written."""
        try:
            return through_bytes(event)[0]
        except (msgspec.MsgspecError, ValueError, TypeError) as error:
            maker = self._exchange.running(self._name)
            if not maker:
                raise
            raise maker[-1].breach(f"{event!r} cannot be written: {error}") from error

    def _goes_on(self, state: State) -> Turn | None:
        """The moment at which a waiting action goes on; None where the fight ends before."""
        exchange = self._exchange
        entry = state.agenda.get(RESUME + self._name)
        if entry is None or state.over or exchange.rules.is_over(exchange.window(exchange.rules)) is not None:
            return None
        return Turn(action=self._name, moment="resume", who=entry.who, when=entry.when, entry=entry.key)

    def _with_set_faces(self, roll: Roll) -> Any:
        """A roll whose faces the game master set. Raises DiceError for those that its dice do not have."""
        fields = self._exchange.state.coming.get(slot(roll)) if self._exchange.state.coming else None
        if not fields or fields.get("faces") is None:
            return None
        return self._exchange.with_faces(roll, Drawn((), ""))  # it takes those that were set

    def _answer(self, state: State) -> Choose:
        """What the next person who is asked answers."""
        for prompt in state.prompts.values():
            for who in prompt.ask.who:
                if who not in prompt.answers:
                    return self._choose(prompt.ask, who, state)
        raise AssertionError("an action that does not end waits for dice, a moment or a person")

    def _choose(self, ask: Ask, who: str, state: State) -> Choose:
        code = self._reply(ask, who, state)
        offered = tuple([option.code for option in ask.options or ()])
        if code not in offered:
            raise InputError(f"no such option; there are {', '.join(offered)}", path=f"answers.{who}.{ask.key}", value=code)
        self.choices.append(Choice(who, ask.key, code, offered))
        return Choose(action=ask.action, key=ask.key, occurrence=ask.occurrence, who=who, value=code)

    # -- what paths have in common

    def _renewal(self, maker: Run, verdict: Judge) -> Renewal | None:
        """What decides the future after a verdict that renews the action; None where the game master set steps to come.

        The verdict answers for its own run: what follows in it depends on no roll before. The runs around it stand where
        they stood when it opened, so all readings up to there count; a follow-up knows the verdict itself.
        """
        state = self._exchange.state
        if any(root(name.partition("|")[0]) == self._name for name in state.coming):
            return None
        rules = maker.rules
        is_followed = bool(rules.follows) and bool(rules.follow(maker.fight, maker.scope, verdict))
        return Renewal(
            (
                *(verdict.action, verdict.key, verdict.by, verdict.code, verdict.renews),
                tuple(self.path[: self._opened[verdict.action]]),
                tuple(self._damage.items()),
                _encode(replace(verdict, occurrence=0)) if is_followed else b"",
                _difference(self._start.state, state),
            )
        )

    def _outcome(self, state: State) -> Outcome:
        before, exchange = self._start.state.combatants, self._exchange
        changed = [(before[one.id], one) for one in state.combatants.values() if one is not before[one.id]]
        return Outcome(
            code=self._code,
            over=exchange.rules.is_over(exchange.window(exchange.rules)) or "",
            damage=tuple([(who, number(self._damage[who])) for who in before if self._damage.get(who)]),
            pools=tuple([row for pair in changed for row in _moved(*pair)]),
            gained=tuple([row for pair in changed for row in _gained(*pair)]),
            ended=tuple([(old.id, name) for old, new in changed for name in old.conditions if name not in new.conditions]),
            order=tuple([entry.who for entry in by_time(state)]) if type(self._start.opening) is Turn else (),
        )


_encode = msgspec.json.Encoder().encode


def _refused(code: str) -> Outcome:
    """The outcome of an action that is refused in the middle: nothing of it happens."""
    return Outcome(code=f"refused-{code}")


def _moved(old: Combatant, new: Combatant) -> Iterator[tuple[str, str, Num]]:
    for pool, after in new.pools.items():
        before = old.pools[pool]
        if after != before and after is not None and before is not None:
            yield new.id, pool, number(exact(after) - exact(before))


def _gained(old: Combatant, new: Combatant) -> Iterator[tuple[str, str, Num | None]]:
    for name, held in new.conditions.items():
        known = old.conditions.get(name)
        if known is None or known.value != held.value:
            yield new.id, name, held.value


def _difference(before: State, now: State) -> bytes:
    """What of a state is not as it was, in the order in which it is held: equal for equal states."""
    found: dict[str, object] = {}
    for name in State.__struct_fields__:
        value = getattr(now, name)
        if value is not getattr(before, name):
            found[name] = value
    if "combatants" in found:
        found["combatants"] = [one for one in now.combatants.values() if one is not before.combatants.get(one.id)]
    return _encode(found)


__all__ = ["DAMAGED", "UNRESOLVED", "Choice", "Hidden", "Outcome", "Playout", "Renewal", "Start"]
