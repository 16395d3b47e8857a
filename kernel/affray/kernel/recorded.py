"""What a record holds for running it again: who put in what, which dice and witnesses there were (law 6).

An *input* is the event that a command opened with; everything else follows from it by the rules. Where running again
stopped, what is left of the inputs is told as text (`rest_of`), so that the log itself says how to go on (law 1).
"""

from __future__ import annotations

from bisect import bisect_right
from operator import itemgetter
from typing import Any

import msgspec
from msgspec.structs import replace

from . import commands as c
from .canonical import canonical
from .errors import InputError
from .events import (
    AnyEvent,
    Choose,
    Close,
    Declare,
    Done,
    GiveModifier,
    Leave,
    Open,
    Overrule,
    Reveal,
    RevealDice,
    Rewind,
    Turn,
)
from .log import Log, Pair, opens_run
from .names import WITNESS, root, slot
from .steps import Ask, Roll

AGAIN = "amend~"
"""Begins the ids of the commands of an amend's group; no client can choose one with a "~"."""

REST = "~rest-"
"""Stands in the ids of those of them that only tell what is left."""

_NO_INPUT = frozenset({Open, Reveal, RevealDice, Rewind})

Change = c.Reanswer | c.Redeclare | c.Resheet
"""An edit that changes a recorded command."""


class Input(msgspec.Struct, frozen=True, kw_only=True):
    """What somebody put in: the event its command opened with.

    `version` is where it stood in the record (0: it is new), `by` who had sent it. `turn` is the turn a declaration
    belongs to ("" for none), `during` the turn that was held then. A new word `precedes` or `follows` the command of a
    version. `closing` marks an ending by the game master's word, `ahead` a word on an action that was
    not open yet. `edits` change its command.
    """

    version: int
    event: Any
    by: str = ""
    turn: str = ""
    during: str = ""
    precedes: int = 0
    follows: int = 0
    closing: bool = False
    ahead: bool = False
    edits: tuple[Change, ...] = ()


class Past(msgspec.Struct, frozen=True, kw_only=True):
    """A line to begin behind, what is put in there, and what a record has for it.

    `rolls` are its dice by slot, with their versions; `witnesses` who was asked to witness some. `open_end` are the
    prompts (slot and person) that nobody had answered where it ends, and the turn that was held there.
    """

    line: tuple[Pair, ...]
    inputs: tuple[Input, ...]
    rolls: dict[str, tuple[int, Roll]]
    witnesses: dict[str, str]
    open_end: frozenset[tuple[str, str]]
    last_turn: str = ""


def is_start(event: Any) -> bool:
    """Whether an event starts somebody's turn."""
    return type(event) is Turn and event.moment == "start"


def is_report(event: Any) -> bool:
    """Whether what was put in are dice from the table."""
    return type(event) is Roll


class _Turns:
    """Whose turn it was, along a line, and which actions and moments were open."""

    def __init__(self) -> None:
        self.turn, self.holder = "", ""
        self.open: set[str] = set()

    def take(self, event: Any) -> None:
        kind = type(event)
        if is_start(event):
            self.turn, self.holder = event.action, event.who
        elif kind is Close or (kind is Turn and event.moment == "end") or (kind is Leave and event.id == self.holder):
            self.turn, self.holder = "", ""
        if opens_run(event):
            self.open.add(event.action)
        elif kind is Done:
            self.open.discard(event.action)


def inputs_of(log: Log, line: list[Pair], since: int) -> list[Input]:
    """What people put in behind a version of a line, in its order. Reveals belong to the log and are no part of it."""
    firsts = {first: (caller, command) for first, _, caller, command in log.commits}
    turns = _Turns()
    found: list[Input] = []
    for version, event in line:
        if version > since and version in firsts:
            caller, command = firsts[version]
            is_second = bool(command) and log.commands[caller, command].first != version
            one = None if is_second or REST in command else _input(version, event, turns)
            if one is not None:
                one = replace(one, by=_first_sender(log, caller, command))
                found.append(replace(one, event=_end(line, version)) if one.closing else one)
        turns.take(event)
    return found


def _input(version: int, event: Any, turns: _Turns) -> Input | None:
    kind = type(event)
    if kind in _NO_INPUT or (kind is Done and event.cause != "close"):
        return None
    is_own = kind is Declare and event.actor == turns.holder
    effect = event.effect if kind is Overrule else None
    is_ahead = isinstance(effect, GiveModifier) and root(effect.action) not in turns.open
    return Input(
        version=version,
        event=event,
        turn=turns.turn if is_own else "",
        during=turns.turn,
        closing=kind is Close or kind is Done,
        ahead=is_ahead,
    )


def _end(line: list[Pair], version: int) -> Any:
    """The `close` that an ending by hand leads to."""
    return next((event for number, event in line if number >= version and type(event) is Close), Close(code="closed"))


def _first_sender(log: Log, caller: str, command: str) -> str:
    """Who had sent a command first that was run again since, perhaps more than once."""
    while command.startswith(AGAIN) and (version := command.rpartition("~")[2]).isdecimal():
        at = bisect_right(log.commits, int(version), key=itemgetter(0)) - 1
        _, _, caller, command = log.commits[at]
    return caller


def begun_at(log: Log, version: int) -> int:
    """The first version of the command that a version belongs to: that of the first part of two."""
    at = bisect_right(log.commits, version, key=itemgetter(0)) - 1
    first, _, caller, command = log.commits[at]
    return log.commands[caller, command].first if command else first


def witnesses_of(line: list[Pair], since: int) -> dict[str, str]:
    """Who was asked to witness dice behind a version of a line, by the prompt's slot."""
    return {
        slot(event): event.who[0]
        for version, event in line
        if version > since and type(event) is Ask and event.key.startswith(WITNESS)
    }


def answers(event: Any) -> tuple[str, str] | None:
    """Which prompt an input answers and for whom, None for one that answers none."""
    if type(event) is Choose:
        return slot(event), event.who
    return (slot(event), event.by) if type(event) is Roll else None


def open_end_of(line: list[Pair], record: list[Input]) -> tuple[frozenset[tuple[str, str]], str]:
    """What was open where a line ends: prompts (slot and person) that nobody had answered, and the turn that was held.

    A prompt counts that ended otherwise: because somebody left, or the game master closed an action.
    """
    turns = _Turns()
    asked: set[tuple[str, str]] = set()
    for _, event in line:
        turns.take(event)
        if type(event) is Ask:
            asked |= {(slot(event), who) for who in event.who}
    return frozenset(asked - {answers(one.event) for one in record}), turns.turn


# -- what is left


class _Item(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """Inputs of the record from one version to another, one of them changed, or something new."""

    first: int = 0
    last: int = 0
    edits: tuple[Change, ...] = ()
    event: AnyEvent | None = None
    precedes: int = 0
    follows: int = 0


_decode = msgspec.json.Decoder(tuple[_Item, ...]).decode


def rest_of(queue: list[Input], record: list[Input]) -> str:
    """What is left of a queue of inputs, as text. `record` holds all of the record, in order."""
    place = {one.version: index for index, one in enumerate(record)}
    items: list[_Item] = []
    for one in queue:
        if not one.version:
            items.append(_Item(event=one.event, precedes=one.precedes, follows=one.follows))
        elif one.edits:
            items.append(_Item(first=one.version, last=one.version, edits=one.edits))
        elif items and items[-1].last and not items[-1].edits and place[items[-1].last] + 1 == place[one.version]:
            items[-1] = replace(items[-1], last=one.version)
        else:
            items.append(_Item(first=one.version, last=one.version))
    return canonical(items).decode()


def queue_of(text: str, record: list[Input]) -> list[Input]:
    """The queue of inputs that a text tells. Raises InputError for one that this record does not have."""
    try:
        items = _decode(text.encode())
    except msgspec.MsgspecError as error:
        raise InputError(f"what is left of the amend cannot be read: {error}") from None
    found: list[Input] = []
    for item in items:
        if item.event is not None:
            found.append(Input(version=0, event=item.event, precedes=item.precedes, follows=item.follows))
        else:
            found += [replace(one, edits=item.edits) for one in record if item.first <= one.version <= item.last]
    return found


__all__ = [
    "AGAIN",
    "REST",
    "Change",
    "Input",
    "Past",
    "answers",
    "begun_at",
    "inputs_of",
    "is_report",
    "is_start",
    "open_end_of",
    "queue_of",
    "rest_of",
    "witnesses_of",
]
