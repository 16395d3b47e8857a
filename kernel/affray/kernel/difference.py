"""What differs between two states, and between two tellings of the same steps. Plain values, no rules (law 2)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec
from msgspec import UNSET
from msgspec.structs import replace

from .canonical import canonical, decode
from .names import WITNESS, slot
from .state import Combatant, State
from .steps import Ask, Roll, Step
from .values import Json


class Difference(msgspec.Struct, frozen=True, kw_only=True):
    """One value of a state that is not the same: where ("ann.hp", "agenda.start:bob"), and both; None where it is not there."""

    where: str
    before: Json
    after: Json


class ChangedStep(msgspec.Struct, frozen=True, kw_only=True):
    """A step that came out otherwise, by its slot: both events, None where one side has none. `version` is the older one's (0: none)."""

    slot: str
    version: int
    before: Json
    after: Json


def differences(before: State, after: State) -> tuple[Difference, ...]:
    """Every value that a table would notice: clock, turn, ending, agenda, prompts, open actions, and each combatant's."""
    return tuple(_differences(before, after))


def _differences(before: State, after: State) -> Iterator[Difference]:
    for name in ("began", "at", "turn", "over"):
        yield from _one(name, getattr(before, name), getattr(after, name))
    for who in {**before.combatants, **after.combatants}:
        yield from _combatant(who, before.combatants.get(who), after.combatants.get(who))
    yield from _each("agenda", {k: e.when for k, e in before.agenda.items()}, {k: e.when for k, e in after.agenda.items()})
    yield from _each("open", {k: a.what for k, a in before.open.items()}, {k: a.what for k, a in after.open.items()})
    yield from _each("prompt", dict.fromkeys(before.prompts, "open"), dict.fromkeys(after.prompts, "open"))


def _combatant(who: str, before: Combatant | None, after: Combatant | None) -> Iterator[Difference]:
    if before is None or after is None:
        yield from _one(who, None if before is None else before.name, None if after is None else after.name)
        return
    for name in ("name", "side", "controller", "gone"):
        yield from _one(f"{who}.{name}", getattr(before, name), getattr(after, name))
    yield from _each(who, before.pools, after.pools)
    yield from _each(f"{who}.condition", before.conditions, after.conditions)
    yield from _each(f"{who}.sheet", before.sheet or {}, after.sheet or {})


def _each(where: str, before: dict[str, Any], after: dict[str, Any]) -> Iterator[Difference]:
    for key in {**before, **after}:
        yield from _one(f"{where}.{key}", before.get(key), after.get(key))


def _one(where: str, before: Any, after: Any) -> Iterator[Difference]:
    if before != after:
        yield Difference(where=where, before=_plain(before), after=_plain(after))


def changed_steps(before: Iterable[tuple[int, Any]], after: Iterable[Any]) -> tuple[ChangedStep, ...]:
    """The steps that came out otherwise, matched by slot, in the order in which they were told first."""
    old = {slot(event): (version, event) for version, event in before if _is_told(event)}
    new = {slot(event): event for event in after if _is_told(event)}
    found: list[ChangedStep] = []
    for name in {**old, **new}:
        version, one = old.get(name, (0, None))
        other = new.get(name)
        if one is None or other is None or _told(one) != _told(other):
            found.append(ChangedStep(slot=name, version=version, before=_plain(one), after=_plain(other)))
    return tuple(found)


def _is_told(event: Any) -> bool:
    """Whether an event is a step of the rules, and no prompt of the kernel's own for dice or their witness."""
    return isinstance(event, Step) and not event.key.startswith(WITNESS) and not (type(event) is Ask and event.plan)


def _told(step: Any) -> bytes:
    """What a step says, whoever may read it and wherever its faces were kept from."""
    bare = replace(step, veil=UNSET, kept=UNSET)
    return canonical(replace(bare, source="", reused=0) if type(bare) is Roll else bare)


def _plain(value: Any) -> Json:
    return None if value is None else decode(canonical(value))


__all__ = ["ChangedStep", "Difference", "changed_steps", "differences"]
