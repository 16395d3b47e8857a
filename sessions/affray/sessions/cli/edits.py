"""Edits of an amend as they are typed: `--at VERSION` and what is to be otherwise there.

What is typed is looked up in the log: which action an event belongs to, which step it is, what a sheet held. An event
stays what it is, so the same words are the same edits whenever they are sent again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from affray.kernel import (
    KIND_OF,
    ApplyDamage,
    Ask,
    Choose,
    Declare,
    GiveModifier,
    Held,
    InputError,
    Join,
    Json,
    Modifier,
    Roll,
    SetCondition,
    SetPool,
    SetStep,
    Step,
    Turn,
    check_json,
    commands,
    root,
    slot,
)

from .commanding import value_of

_decode = msgspec.json.Decoder(tuple[commands.Edit, ...]).decode


class Typed(msgspec.Struct, frozen=True, kw_only=True):
    """What was typed. `at` is 0 where no version was named."""

    at: int = 0
    modifiers: tuple[str, ...] = ()
    answer: str = ""
    faces: str = ""
    value: str = ""
    fields: tuple[str, ...] = ()
    no_hit: bool = False
    drop: bool = False
    targets: tuple[str, ...] = ()
    params: tuple[str, ...] = ()
    sheet: tuple[str, ...] = ()
    pools: tuple[str, ...] = ()
    conditions: tuple[str, ...] = ()
    ended: tuple[str, ...] = ()
    after: bool = False
    supplies: tuple[tuple[str, str, str], ...] = ()
    file: str = ""

    @property
    def needs_version(self) -> bool:
        """Whether something is to be otherwise at a version."""
        there = (self.modifiers, self.answer, self.faces, self.value, self.fields, self.no_hit, self.drop, self.targets)
        return any((*there, self.params, self.sheet, self.pools, self.conditions, self.ended))


def edits_of(typed: Typed, events: Sequence[Any]) -> tuple[commands.Edit, ...]:
    """The edits that were typed, by the events of the log. Raises InputError, OSError."""
    found: list[commands.Edit] = list(_from_file(typed.file)) if typed.file else []
    if typed.needs_version:
        if not 1 <= typed.at <= len(events):
            raise InputError(f"no such version; the log ends at {len(events)}", path="--at", value=typed.at)
        found += _At(typed, events).edits()
    return (*found, *[commands.Supply(slot=name, who=who, value=value) for name, who, value in typed.supplies])


def _from_file(name: str) -> Iterator[commands.Edit]:
    text = Path(name).read_bytes()
    try:
        yield from _decode(text)
    except msgspec.DecodeError as error:
        problem, _, where = str(error).partition(" - at `")
        raise InputError(f"{problem} (a list of edits is wanted)", path=f"{name}: {where.rstrip('`') or '$'}") from None


class _At:
    """The edits at one version."""

    def __init__(self, typed: Typed, events: Sequence[Any]) -> None:
        self.typed, self.events, self.at = typed, events, typed.at
        self.event = events[typed.at - 1]

    def edits(self) -> Iterator[commands.Edit]:
        """All of them, words first."""
        typed = self.typed
        for effect in self._effects():
            yield commands.Word(at=self.at, effect=effect, after=typed.after)
        if typed.answer:
            yield commands.Reanswer(at=self._answered(), value=typed.answer)
        if typed.targets or typed.params:
            yield self._redeclared()
        if typed.sheet:
            yield self._resheeted()
        if typed.drop:
            yield commands.Drop(at=self.at)

    def _effects(self) -> Iterator[Any]:
        typed = self.typed
        if typed.modifiers:
            rows = tuple([_modifier(text) for text in typed.modifiers])
            yield GiveModifier(action=self._action(), rows=rows)
        if (fields := self._fields()) and self._step("a number"):
            yield SetStep(slot=slot(self.event), fields=fields)
        for text in typed.pools:
            where, value = _pair(text, "--pool", "WHO.POOL=N")
            who, dot, pool = where.partition(".")
            if not dot:
                raise InputError("must be written WHO.POOL=N", path="--pool", value=text)
            yield SetPool(target=who, pool=pool, value=_number(value, "--pool"))
        for text in typed.conditions:
            who, what = _pair(text, "--condition", "WHO=ID or WHO=ID:VALUE")
            name, colon, value = what.partition(":")
            yield SetCondition(target=who, held=Held(id=name, value=_number(value, "--condition") if colon else 1))
        for text in typed.ended:
            who, what = _pair(text, "--end-condition", "WHO=ID")
            yield SetCondition(target=who, ended=what)

    def _fields(self) -> dict[str, Json]:
        """What is set in the step at the version."""
        typed, event = self.typed, self.event
        found: dict[str, Json] = {}
        if typed.no_hit:
            if not isinstance(event, ApplyDamage):
                raise self._other("damage that is applied")
            found["value"] = 0
        if typed.value:
            if isinstance(event, Roll | Ask) or not hasattr(event, "value"):
                raise self._other("a step that has a value (--set FIELD=JSON sets another field)")
            found["value"] = _number(typed.value, "--value")
        if typed.faces:
            if not isinstance(event, Roll) and not (isinstance(event, Ask) and event.plan is not None):
                raise self._other("a roll")
            found["faces"] = _faces(typed.faces)
        for text in typed.fields:
            name, value = _pair(text, "--set", "FIELD=JSON")
            found[name] = value_of(value)
        return found

    def _step(self, what: str) -> bool:
        if not isinstance(self.event, Step):
            raise self._other(f"a step of an action, which has {what} to set")
        return True

    def _action(self) -> str:
        """The action or moment whose rows count at the version: the innermost that was opened there."""
        action = getattr(self.event, "action", "")
        opened = {event.action for event in self.events[: self.at] if isinstance(event, Declare | Turn)}
        while action and action not in opened:
            action = action.rpartition(">")[0]
        if not action:
            raise self._other("something that belongs to an action")
        return str(action)

    def _answered(self) -> int:
        """The version of the answer to the question at the version, or that itself."""
        if isinstance(self.event, Ask):
            for version, event in enumerate(self.events[self.at :], self.at + 1):
                if isinstance(event, Choose) and slot(event) == slot(self.event):
                    return version
        return self.at

    def _redeclared(self) -> commands.Redeclare:
        typed, name = self.typed, root(getattr(self.event, "action", ""))
        place = next((i for i in range(self.at, 0, -1) if isinstance(one := self.events[i - 1], Declare) and one.action == name), 0)
        if not place:
            raise self._other("something that belongs to a declared action")
        params = None
        if typed.params:
            params = dict(self.events[place - 1].params)
            for text in typed.params:
                key, value = _pair(text, "--param", "KEY=VALUE")
                params[key] = value_of(value)
        return commands.Redeclare(at=place, targets=typed.targets or None, params=params)

    def _resheeted(self) -> commands.Resheet:
        if not isinstance(self.event, Join):
            raise self._other("a combatant's joining")
        sheet: Json = self.event.sheet or {}
        for text in self.typed.sheet:
            path, value = _pair(text, "--sheet", "PATH=VALUE")
            sheet = _set(sheet, path.split("."), value_of(value), text)
        check_json(sheet, "--sheet")
        return commands.Resheet(at=self.at, sheet=sheet)

    def _other(self, wanted: str) -> InputError:
        kind = KIND_OF[type(self.event)]
        return InputError(f"version {self.at} is {'an' if kind[0] in 'aeiou' else 'a'} {kind}; name the version of {wanted}", path="--at")


def _set(value: Json, path: list[str], wanted: Json, text: str) -> Json:
    """A value with another one somewhere in it; a list is entered by a number from 0."""
    if not path:
        return wanted
    step, *below = path
    if isinstance(value, dict):
        return {**value, step: _set(value.get(step, {}), below, wanted, text)}
    if isinstance(value, list) and step.isdecimal() and int(step) < len(value):
        index = int(step)
        return [*value[:index], _set(value[index], below, wanted, text), *value[index + 1 :]]
    raise InputError(f"leads nowhere at {step!r}", path="--sheet", value=text)


def _pair(text: str, option: str, form: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise InputError(f"must be written {form}", path=option, value=text)
    return name, value


def _number(text: str, option: str) -> Any:
    value = value_of(text)
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise InputError("must be a number, or p/q", path=option, value=text)
    return value


def _modifier(text: str) -> Modifier:
    place, rest = _pair(text, "--modifier", "PLACE=AMOUNT or PLACE=AMOUNT:CODE")
    amount, _, code = rest.partition(":")
    return Modifier(place, _number(amount, "--modifier"), code or "amend")


def _faces(text: str) -> list[list[int]]:
    """Chains of faces, a die each: "3 4; 5" is a 3 that was thrown again as 4, and a 5."""
    try:
        return [[int(face) for face in die.split()] for die in text.split(";")]
    except ValueError:
        raise InputError("must be numbers, a ';' between dice", path="--faces", value=text) from None


__all__ = ["Typed", "edits_of"]
