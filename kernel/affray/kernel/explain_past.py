"""What stood before any version on one line of a log, found in one pass and looked up after that, never folded again.

Every question names the version it is asked for and is answered by what came before it, so that what an event rested on
is the same whoever asks later. Kept parts that were revealed since are open here.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from msgspec import UNSET

from .events import (
    Choose,
    Declare,
    GiveModifier,
    Join,
    Open,
    Overrule,
    Rules,
    Sealed,
    SetCondition,
    SetOrder,
    SetPool,
    SetStep,
    Turn,
)
from .log import Log
from .names import RESUME, root, slot
from .numbers import Num
from .steps import ApplyDamage, Change, Condition, Order, Step, Wait
from .values import Held, Json, Manifest

Versions = list[int]
"""Ascending."""


def touched(event: Any) -> tuple[tuple[str, str], ...]:
    """The pools that an event changed, or may have where that is kept, as (who, pool), each once."""
    match event:
        case ApplyDamage(touched=None):
            names = [*event.pools]
        case ApplyDamage():
            names = [touch.pool for touch in event.touched or () if touch.before != touch.after]
        case Change():
            names = [] if event.after is not None and event.before == event.after else [event.pool]
        case Overrule(effect=SetPool() as effect):
            return () if effect.after is not None and effect.before == effect.after else ((effect.target, effect.pool),)
        case Join():
            return tuple([(event.id, name) for name in event.pools or ()])
        case _:
            return ()
    return tuple([(event.target, name) for name in dict.fromkeys(names)])


def moved(event: Any, pool: str) -> tuple[Num | None, Num | None]:
    """What a pool was before and after an event that touched it; None where that is kept, or where it began."""
    match event:
        case ApplyDamage():
            touches = [touch for touch in event.touched or () if touch.pool == pool]
            return (touches[0].before, touches[-1].after) if touches else (None, None)
        case Change():
            return event.before, event.after
        case Overrule(effect=SetPool() as effect):
            return effect.before, effect.after
        case Join():
            return None, event.pools[pool].start if event.pools is not None else None
        case _:
            return None, None


def held(event: Any, condition: str) -> Held | None:
    """A condition as an event left it; None for ended."""
    match event:
        case Condition():
            if event.code == "ended":
                return None
            return Held(id=condition, value=event.after, until=event.until, rows=event.rows or (), source=event.source)
        case Overrule(effect=SetCondition() as effect):
            return effect.held
        case Join():
            return next((one for one in event.conditions or () if one.id == condition), None)
        case _:
            return None


class Past:
    """One line of a log up to a version. `touches` are the versions that changed a pool, by who and pool, joins included."""

    def __init__(self, log: Log, at: int) -> None:
        self.log = log
        self.at = at
        self.touches: dict[tuple[str, str], Versions] = {}
        self.sealed: Versions = []
        self._present: dict[int, Any] = {}
        self._joins: dict[str, Versions] = {}
        self._runs: dict[str, Versions] = {}
        self._openings: dict[str, Versions] = {}
        self._slots: dict[str, Versions] = {}
        self._conditions: dict[str, dict[str, Versions]] = {}
        self._given: dict[str, Versions] = {}
        self._set: dict[str, Versions] = {}
        self._agenda: dict[str, Versions] = {}
        self._manifests: Versions = []
        for version, event in log.line(at):
            self.take(version, log.event(version) if event.kept is not UNSET else event)

    def take(self, version: int, event: Any) -> None:
        """Take in the next event of the line."""
        self._present[version] = event
        kind = type(event)
        if isinstance(event, Step):
            self._runs.setdefault(event.action, []).append(version)
            self._slots.setdefault(slot(event), []).append(version)
        note = _NOTED.get(kind)
        if note is not None:
            note(self, version, event)
        for key in touched(event):
            self.touches.setdefault(key, []).append(version)

    # -- what there is

    def event(self, version: int) -> Any:
        """The event at any version of the log, on this line or not."""
        found = self._present.get(version)
        return self.log.event(version) if found is None else found

    def __len__(self) -> int:
        return len(self._present)

    def has(self, version: int) -> bool:
        """Whether a version is on this line."""
        return version in self._present

    @property
    def people(self) -> tuple[str, ...]:
        """Everybody who joined, in order."""
        return tuple(self._joins)

    def join(self, who: str, before: int) -> int:
        """The version at which somebody joined, 0 for never."""
        return _last(self._joins.get(who, ()), before)

    def opening(self, action: str, before: int) -> int:
        """The version of the declaration or moment that a run hangs below, the innermost; 0 for none."""
        while action:
            if found := _last(self._openings.get(action, ()), before):
                return found
            action = action.rpartition(">")[0]
        return 0

    def steps(self, action: str, before: int) -> Sequence[int]:
        """The versions of a run's own steps and answers, in order."""
        run = self._runs.get(action, [])
        return run[: bisect_left(run, before)]

    def at_slot(self, name: str, before: int, *kinds: type) -> int:
        """The last event of these kinds (of any) at a slot, 0 for none. A reported roll shares the slot of its ask."""
        found = self._slots.get(name, ())
        for version in reversed(found[: bisect_left(found, before)]):
            if not kinds or type(self.event(version)) in kinds:
                return version
        return 0

    def followed(self, action: str, before: int) -> int:
        """The step that a follow-up run follows, 0 for a run that follows none."""
        run, _, where = action.rpartition(">")[0].rpartition(">")
        return self.at_slot(f"{run}|{where}", before) if run else 0

    def conditions(self, who: str, before: int) -> Iterator[tuple[int, Held]]:
        """The conditions somebody had, with the version of the event that gave or renewed each."""
        for condition, changes in self._conditions.get(who, {}).items():
            version = _last(changes, before)
            found = held(self.event(version), condition) if version else None
            if found is not None:
                yield version, found

    def giver(self, who: str, condition: str, before: int) -> int:
        """The event that last gave or renewed a condition, 0 where it is not held."""
        return next((version for version, one in self.conditions(who, before) if one.id == condition), 0)

    def given(self, action: str, before: int) -> Iterator[int]:
        """The overrules that gave modifiers to an action, or to the root action it belongs to."""
        for name in dict.fromkeys((action, root(action))):
            for version in self._given.get(name, ()):
                if version < before:
                    yield version

    def set_by(self, step: Any, before: int) -> int:
        """The overrule that set fields of a step, 0 for none."""
        return _last(self._set.get(slot(step), ()), before)

    def seated_by(self, key: str, before: int) -> int:
        """The event that last put an entry on the agenda, 0 for none."""
        return _last(self._agenda.get(key, ()), before)

    def manifest(self, before: int) -> Manifest | None:
        """The rules in force."""
        version = _last(self._manifests, before)
        found: Manifest | None = self.event(version).manifest if version else None
        return found

    def sheet(self, who: str, before: int) -> dict[str, Json] | None:
        """Somebody's sheet; None where it is kept, or for who never joined."""
        version = self.join(who, before)
        found: dict[str, Json] | None = self.event(version).sheet if version else None
        return found

    # -- what an event adds

    def _joined(self, version: int, event: Join) -> None:
        self._joins.setdefault(event.id, []).append(version)
        for one in event.conditions or ():
            self._holds(version, event.id, one.id, has_time=one.until is not None)
        self._seats(version, f"join:{event.id}")

    def _opened(self, version: int, event: Declare | Turn) -> None:
        if type(event) is Turn and event.moment == "resume":
            return
        self._openings.setdefault(event.action, []).append(version)

    def _answered(self, version: int, event: Choose) -> None:
        self._runs.setdefault(event.action, []).append(version)

    def _condition(self, version: int, event: Condition) -> None:
        self._holds(version, event.target, event.id, has_time=event.until is not None)

    def _ordered(self, version: int, event: Order | SetOrder) -> None:
        for entry in event.entries:
            self._seats(version, entry.key)

    def _waited(self, version: int, event: Wait) -> None:
        self._seats(version, RESUME + root(event.action))

    def _ruled(self, version: int, event: Open | Rules) -> None:
        self._manifests.append(version)

    def _hid(self, version: int, event: Sealed) -> None:
        self.sealed.append(version)

    def _overruled(self, version: int, event: Overrule) -> None:
        match event.effect:
            case SetCondition() as effect:
                one = effect.held
                name = effect.ended if one is None else one.id
                self._holds(version, effect.target, name, has_time=one is not None and one.until is not None)
            case GiveModifier() as effect:
                self._given.setdefault(effect.action, []).append(version)
            case SetStep() as effect:
                self._set.setdefault(effect.slot, []).append(version)
            case SetOrder() as effect:
                self._ordered(version, effect)
            case _:
                pass

    def _holds(self, version: int, who: str, condition: str, *, has_time: bool) -> None:
        self._conditions.setdefault(who, {}).setdefault(condition, []).append(version)
        if has_time:
            self._seats(version, f"condition:{who}:{condition}")

    def _seats(self, version: int, key: str) -> None:
        self._agenda.setdefault(key, []).append(version)


def _last(versions: Sequence[int], before: int) -> int:
    index = bisect_left(versions, before)
    return versions[index - 1] if index else 0


_NOTED: dict[type, Callable[[Past, int, Any], None]] = {
    Join: Past._joined,
    Declare: Past._opened,
    Turn: Past._opened,
    Choose: Past._answered,
    Condition: Past._condition,
    Order: Past._ordered,
    Wait: Past._waited,
    Open: Past._ruled,
    Rules: Past._ruled,
    Sealed: Past._hid,
    Overrule: Past._overruled,
}
"""Kind -> what a line notes of it beside steps and pools."""

__all__ = ["Past", "held", "moved", "touched"]
