"""Explain a number: from a log and a version to the tree of what it came from (`explain_tree.py` lists the nodes).

No rules are asked and nothing is thrown again (law 2): events say what they rested on by slots, rows and the order they
stand in. The line is gone through once (`explain_past.py`); a tree looks up what it needs. What a reader's copy does not
show is a node that says so, never a guess.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from msgspec import UNSET
from msgspec.structs import replace

from .errors import Refused
from .events import (
    KIND_OF,
    Choose,
    Declare,
    Done,
    GiveModifier,
    Join,
    Leave,
    Overrule,
    Reveal,
    Rewind,
    Sealed,
    SetCondition,
    SetPool,
    Turn,
)
from .explain_dice import dice_nodes
from .explain_past import Past, moved, touched
from .explain_rows import ground, judged, roll_of
from .explain_tree import KEPT, Node, known, less, terms_of
from .log import Log
from .names import root, slot
from .numbers import Num, exact
from .steps import ApplyDamage, Ask, Change, Condition, Defend, Judge, Order, Roll, Save, Wait
from .values import Json, Modifier, Option, Part, Row, Trace

DEPTH = 6
"""Events that lead to one another, opened below the one explained; what lies deeper is named only."""

OPENED = 100
"""Events opened in one tree, each once; more are named only."""

EARLIER = 20
"""Steps of the same run that are listed as having led to an event; of more only the last."""

_NAMING: dict[type, tuple[str, ...]] = {
    ApplyDamage: ("key", "target", "pools", "type", "overflow"),
    Ask: ("key", "who"),
    Change: ("key", "target", "pool", "before", "after", "overflow"),
    Choose: ("key", "who", "value"),
    Condition: ("key", "target", "id", "code", "before", "after", "until"),
    Declare: ("name", "actor", "targets"),
    Defend: ("key", "who", "code", "against"),
    Done: ("action", "code", "cause"),
    Join: ("id", "name", "side"),
    Judge: ("key", "by", "against", "code", "margin"),
    Leave: ("id",),
    Order: ("key", "drop"),
    Overrule: ("reason",),
    Reveal: ("version",),
    Rewind: ("to", "why"),
    Roll: ("key", "by", "notation", "source", "reused", "fault", "botch"),
    Save: ("key", "who", "name", "code", "margin", "consequences"),
    Turn: ("moment", "who", "when"),
    Wait: ("key", "when"),
}
"""The fields that name what an event is about."""


def explain(log: Log, version: int) -> Node | Refused:
    """What the event at a version came from, on the line that leads to it. Refused: no-such-version (version, head)."""
    if not 1 <= version <= log.head:
        return Refused("no-such-version", (version, log.head))
    return _Tree(Past(log, version)).event(version)


def explain_pool(log: Log, who: str, pool: str, at: int | None = None, *, opened: bool = False) -> Node | Refused:
    """A pool's value at any version (default: now): where it began, and every change of the present line in order.

    With `opened`, every event that changed it is explained too. Refused: no-such-version (version, head),
    no-such-combatant (who, then everybody there is), no-such-pool (who, pool, then the pools there are).
    """
    at = log.head if at is None else at
    if not 0 <= at <= log.head:
        return Refused("no-such-version", (at, log.head))
    past = Past(log, at)
    pools = tuple([name for whose, name in past.touches if whose == who])
    joined = past.join(who, at + 1)
    if not (joined or pools):
        return Refused("no-such-combatant", (who, *past.people))
    if pool not in pools and not (joined and past.event(joined).pools is None):
        return Refused("no-such-pool", (who, pool, *pools))
    return _pool(_Tree(past), who, pool, opened=opened)


class _Tree:
    """Builds one tree over a line; every event is opened once."""

    def __init__(self, past: Past) -> None:
        self.past = past
        self.opened: set[int] = set()
        self.runs: set[str] = set()

    def event(self, version: int, depth: int = 0) -> Node:
        """An event, with what it came from unless it stands open elsewhere in the tree or lies too deep."""
        event = self.past.event(version)
        plain = Node(
            code=KIND_OF[type(event)],
            args={name: getattr(event, name) for name in _NAMING.get(type(event), ())},
            amount=self._number(version, event),
            version=version,
            is_kept=_hides(event),
        )
        if version in self.opened:
            return plain
        if depth > min(DEPTH, _SHALLOW.get(type(event), DEPTH)) or len(self.opened) >= OPENED:
            return replace(plain, has_more=True)
        self.opened.add(version)
        if not depth:
            self.runs.add(root(_run(event)))
        terms = self._terms(version, event, depth)
        told = {node.version for term in terms for node in term.all()}
        because = [node for node in self._because(version, event, depth) if not node.version or node.version not in told]
        return replace(plain, terms=terms_of(plain.amount, terms), because=tuple(because))

    def _number(self, version: int, event: Any) -> Num | None:
        """The number that an event is about; for an answer, what its option was worth."""
        if type(event) is not Choose:
            return _number(event)
        option = self._chosen(version, event)
        return known(option.value) if option is not None else None

    # -- what adds up

    def _terms(self, version: int, event: Any, depth: int) -> tuple[Node, ...]:
        match event:
            case ApplyDamage(parts=None) | Choose(value=None):
                return (KEPT,) if _hides(event) else ()
            case ApplyDamage(parts=parts) if parts:
                return tuple([self._part(version, event, part, depth) for part in parts])
            case ApplyDamage() | Judge() | Save() | Defend() | Change():
                return self._rows(version, event, event.trace, depth)
            case Roll():
                return dice_nodes(event)[0] if event.faces is not None else (KEPT,) if _hides(event) else ()
            case Choose():
                option = self._chosen(version, event)
                return self._rows(version, event, option.trace, depth) if option is not None else ()
            case _:
                return ()

    def _rows(self, version: int, event: Any, trace: Trace | None, depth: int) -> tuple[Node, ...]:
        if trace is None:
            return (KEPT,)
        return tuple([self._row(version, event, row, depth) for row in trace])

    def _row(self, version: int, event: Any, row: Row, depth: int) -> Node:
        """A row with what it rests on: inside its amount where that came to the same number, else beside it."""
        found = ground(self.past, version, event, row)
        node = Node(
            code="row", args={"code": row.code}, amount=known(row.amount), source=row.source, origin=found.origin
        )
        if found.sheet is not None:
            return replace(node, because=(Node(code="sheet", args=found.sheet, origin="sheet", version=found.version),))
        if found.is_kept:
            return replace(node, because=(KEPT,))
        return self._resting(node, found.version, depth) if found.version else node

    def _part(self, version: int, event: ApplyDamage, part: Part, depth: int) -> Node:
        rolled = Node(code="rolled", amount=known(part.rolled), source="roll", origin="roll")
        roll = roll_of(self.past, version, event)
        if roll:
            rolled = self._resting(rolled, roll, depth)
        terms = (rolled, *self._rows(version, event, part.rows, depth))
        amount = known(part.value)
        return Node(code="part", args={"type": part.type}, amount=amount, terms=terms_of(amount, terms))

    def _resting(self, node: Node, version: int, depth: int) -> Node:
        below = self.event(version, depth + 1)
        if below.code in _CAME_TO and below.amount is not None and below.amount == node.amount:
            return replace(node, terms=(below,))
        return replace(node, because=(below,))

    def _chosen(self, version: int, event: Choose) -> Option | None:
        """The option that an answer names, where the reader sees it."""
        asked = self.past.at_slot(slot(event), version, Ask)
        options = self.past.event(asked).options if asked else None
        return next((option for option in options or () if option.code == event.value), None)

    # -- what led to it

    def _because(self, version: int, event: Any, depth: int) -> Iterator[Node]:
        action = _run(event)
        if action and (not depth or root(action) not in self.runs):
            self.runs.add(root(action))
            yield from self._events(depth, self.past.opening(action, version), self.past.followed(action, version))
        if action and not depth and type(event) is not Choose:
            yield from self._earlier(version, event, action)
        lead = _LEADS.get(type(event))
        if lead is not None:
            yield from lead(self, version, event, depth)
        for rule in getattr(event, "by_rules", ()):
            if rule == "overrule":
                yield from self._events(depth, self.past.set_by(event, version))
            else:
                yield Node(code="house-rule", args={"rule": rule}, source=rule, origin="house-rule")

    def _events(self, depth: int, *versions: int) -> Iterator[Node]:
        for version in versions:
            if version:
                yield self.event(version, depth + 1)

    def _earlier(self, version: int, event: Any, action: str) -> Iterator[Node]:
        """What was judged, defended, saved and chosen before in the same run, about the same people."""
        opening = self.past.opening(action, version)
        actor = getattr(self.past.event(opening), "actor", "") if opening else ""
        kinds = _VERDICTS if type(event) in _DECIDING else (*_VERDICTS, ApplyDamage)
        about = _about(event, actor)
        found = [
            earlier
            for earlier in self.past.steps(action, version)
            if isinstance(step := self.past.event(earlier), kinds)
            and (not about or not (others := _about(step, actor)) or not about.isdisjoint(others))
        ]
        if len(found) > EARLIER:
            yield Node(code="earlier", args={"count": len(found) - EARLIER})
        yield from self._events(0, *found[-EARLIER:])

    def _judged(self, version: int, event: Judge | Save, depth: int) -> Iterator[Node]:
        return self._events(depth, judged(self.past, version, event))

    def _damaged(self, version: int, event: ApplyDamage, depth: int) -> Iterator[Node]:
        return self._events(depth, roll_of(self.past, version, event))

    def _rolled(self, version: int, event: Roll, depth: int) -> Iterator[Node]:
        """How many dice, the dice that do not add up, who was asked for them, whose faces they are."""
        count = sum([term.count for term in event.plan.terms])
        if event.trace is None:
            yield Node(code="number-of-dice", amount=count, is_kept=True)
        elif event.trace:
            terms = self._rows(version, event, event.trace, depth)
            yield Node(code="number-of-dice", amount=count, terms=terms_of(count, terms))
        yield from dice_nodes(event)[1]
        asked = self.past.at_slot(slot(event), version, Ask)
        earlier = event.reused if 1 <= event.reused < version else 0
        set_by = self.past.set_by(event, version) if event.source == "overruled" else 0
        yield from self._events(depth, asked, earlier, set_by)

    def _defended(self, version: int, event: Defend, depth: int) -> Iterator[Node]:
        chosen = [v for v in self.past.steps(event.action, version) if _chose(self.past.event(v), event.who)]
        return self._events(depth, *chosen[-1:])

    def _answered(self, version: int, event: Choose, depth: int) -> Iterator[Node]:
        return self._events(depth, self.past.at_slot(slot(event), version, Ask))

    def _asked(self, version: int, event: Ask, depth: int) -> Iterator[Node]:
        if event.options is None:
            yield KEPT
        for option in event.options or ():
            amount = known(option.value)
            terms = self._rows(version, event, option.trace, depth)
            yield Node(code="option", args={"code": option.code}, amount=amount, terms=terms_of(amount, terms))

    def _conditioned(self, version: int, event: Condition, depth: int) -> Iterator[Node]:
        yield from self._events(depth, self.past.giver(event.target, event.id, version))
        yield from _modifiers(event.rows)

    def _came_up(self, version: int, event: Turn, depth: int) -> Iterator[Node]:
        return self._events(depth, self.past.seated_by(event.entry, version) if event.entry else 0)

    def _seated(self, version: int, event: Order, depth: int) -> Iterator[Node]:
        """Every entry with its rows; a row is somebody's where its source names who, else everybody's."""
        if event.trace is None:
            yield KEPT
        trace = event.trace or ()
        people = [entry.who for entry in event.entries if entry.who]
        for entry in event.entries:
            rows = tuple([row for row in trace if entry.who and row.source == entry.who])
            args = {"key": entry.key, "who": entry.who, "moment": entry.moment, "when": entry.when}
            yield Node(code="entry", args=args, because=self._rows(version, event, rows, depth))
        yield from self._rows(version, event, tuple([row for row in trace if row.source not in people]), depth)
        for key in event.drop:
            yield Node(code="drop", args={"key": key})

    def _declared(self, version: int, event: Declare, depth: int) -> Iterator[Node]:
        return _modifiers(event.rows)

    def _overruled(self, version: int, event: Overrule, depth: int) -> Iterator[Node]:
        yield Node(code="reason", args={"text": event.reason})
        if isinstance(event.effect, GiveModifier):
            yield from _modifiers(event.effect.rows)
        elif isinstance(event.effect, SetCondition) and event.effect.held is not None:
            yield from _modifiers(event.effect.held.rows)

    def _joined(self, version: int, event: Join, depth: int) -> Iterator[Node]:
        if _hides(event):
            yield KEPT
        for name, pool in (event.pools or {}).items():
            yield Node(code="start", args={"who": event.id, "pool": name}, amount=known(pool.start))
        for one in event.conditions or ():
            yield Node(code="held", args={"id": one.id, "value": one.value}, because=tuple(_modifiers(one.rows)))

    def _revealed(self, version: int, event: Reveal, depth: int) -> Iterator[Node]:
        return self._events(depth, event.version if 1 <= event.version < version else 0)

    def _closed(self, version: int, event: Done, depth: int) -> Iterator[Node]:
        return self._events(depth, self.past.opening(event.cause, version) if event.cause else 0)

    def _rewound(self, version: int, event: Rewind, depth: int) -> Iterator[Node]:
        """How many events left the present line and came back to it, and the actions that did."""
        before = self.past.log.line(version - 1)
        undone = [earlier for earlier, _ in before if not self.past.has(earlier)]
        yield Node(code="undone", args={"count": len(undone)})
        if restored := len(self.past) - (len(before) - len(undone)):
            yield Node(code="restored", args={"count": restored})
        actions = [earlier for earlier in undone if type(self.past.event(earlier)) is Declare]
        if len(actions) > EARLIER:
            yield Node(code="earlier", args={"count": len(actions) - EARLIER})
        yield from self._events(DEPTH, *actions[-EARLIER:])


_LEADS: dict[type, Callable[[_Tree, int, Any, int], Iterator[Node]]] = {
    ApplyDamage: _Tree._damaged,
    Ask: _Tree._asked,
    Choose: _Tree._answered,
    Condition: _Tree._conditioned,
    Declare: _Tree._declared,
    Defend: _Tree._defended,
    Done: _Tree._closed,
    Join: _Tree._joined,
    Judge: _Tree._judged,
    Order: _Tree._seated,
    Overrule: _Tree._overruled,
    Reveal: _Tree._revealed,
    Rewind: _Tree._rewound,
    Roll: _Tree._rolled,
    Save: _Tree._judged,
    Turn: _Tree._came_up,
}
"""Kind -> what led to an event of that kind, beside what is the same for all."""

_CAME_TO = frozenset({"roll", "defend", "judge", "save"})
"""Kinds whose number may stand inside a row's amount."""

_SHALLOW: dict[type, int] = {Ask: 1, Choose: 0, Order: 1, Turn: 0}
"""How deep these are opened: what an answer was worth stands in the step that followed, and every turn follows another."""

_VERDICTS = (Judge, Defend, Save, Choose)

_DECIDING = frozenset({Judge, Defend, Roll, Ask, ApplyDamage})
"""Kinds to which no damage led that was done before in the same run."""


def _number(event: Any) -> Num | None:
    """The number that an event is about; None for none, or one that is kept."""
    match event:
        case ApplyDamage() | Change() | Defend():
            return known(event.value)
        case Judge() | Save():
            return known(event.goal)
        case Roll():
            return None if event.fault else known(event.total)
        case Condition():
            return known(event.after)
        case Overrule(effect=SetPool() as effect):
            return known(effect.after)
        case Overrule(effect=SetCondition() as effect):
            return known(effect.held.value) if effect.held is not None else None
        case _:
            return None


def _hides(event: Any) -> bool:
    """Whether an event keeps something from the reader."""
    if event.kept is UNSET:
        return False
    return type(event) is Sealed or any(getattr(event, name) is None for name in type(event).KEPT)


def _run(event: Any) -> str:
    """The run whose steps led to an event: its own, or the one that an action or a moment is nested in; "" for none."""
    action: str = getattr(event, "action", "")
    return action.rpartition(">")[0] if isinstance(event, Declare | Turn) else action


def _about(event: Any, actor: str) -> frozenset[str]:
    """Whom an event names beside the one who acts."""
    named = [getattr(event, name, "") for name in ("by", "who", "target", "against", "targets")]
    people = [who for one in named for who in ((one,) if isinstance(one, str) else one)]
    return frozenset(people) - {"", actor}


def _chose(event: Any, who: str) -> bool:
    return isinstance(event, Choose) and event.who == who


def _modifiers(rows: tuple[Modifier, ...] | None) -> Iterator[Node]:
    for row in rows or ():
        yield Node(
            code="modifier", args={"place": row.place, "code": row.code}, amount=known(row.amount), source=row.source
        )


def _pool(tree: _Tree, who: str, pool: str, *, opened: bool) -> Node:
    """A pool's start and touches as terms of its value."""
    past = tree.past
    terms: list[Node] = []
    now: Num | None = None
    since = past.join(who, past.at + 1)
    named: dict[str, Json] = {"who": who, "pool": pool}
    if since and past.event(since).pools is None:
        terms.append(Node(code="start", args=named, version=since, is_kept=True))
    for version in past.touches.get((who, pool), ()):
        event = past.event(version)
        before, after = map(known, moved(event, pool))
        if type(event) is Join:
            terms.append(Node(code="start", args=named, amount=after, version=version))
        else:
            if (by := _difference(now, before)) not in (None, 0):
                args = {"before": now, "after": before}
                hidden = any(since < one < version for one in past.sealed)
                terms.append(Node(code="gap", args=args, amount=by, is_kept=hidden))
            terms.append(
                Node(
                    code="touch",
                    args={**named, "before": before, "after": after},
                    amount=_difference(before, after),
                    version=version,
                    is_kept=after is None,
                    because=(tree.event(version, 0 if opened else DEPTH + 1),),
                )
            )
        now, since = after, version
    gone = [version for version in range(1, past.at + 1) if not past.has(version)]
    undone = sum(1 for version in gone if (who, pool) in touched(past.log.events[version - 1]))
    args = {**named, "undone": undone, "sealed": sum(1 for one in past.sealed if one > since)}
    return Node(
        code="pool", args=args, amount=now, version=past.at, is_kept=now is None, terms=terms_of(now, tuple(terms))
    )


def _difference(before: Num | None, after: Num | None) -> Num | None:
    return None if before is None or after is None else less(exact(after), exact(before))


__all__ = ["DEPTH", "EARLIER", "OPENED", "explain", "explain_pool"]
