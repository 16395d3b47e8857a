"""Ids and slots: how runs and steps are named (design, section 3).

An action's id is that of the command that declared it; a moment's id numbers its agenda entry ("start:bo.3" is Bo's
third turn). Everything else hangs below with ">". A step's slot is id, kind, key, person and occurrence. No id or
slot holds a version, a clock reading or a place in a list.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from .errors import InputError
from .events import KIND_OF, Choose, Turn
from .limits import ID_LENGTH
from .steps import Ask

WITNESS = "witness-"
"""Begins the key of a prompt that asks for a witness of a roll (`witness.py`); the roll's own key follows."""

RESUME = "resume:"
"""What stands before an action's id in the key of its agenda entry: no id chosen freely is another entry's key."""

_ID = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_-]*", re.ASCII)
_ENTRY = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_:-]*", re.ASCII)


@lru_cache(maxsize=4096)
def is_id(value: str) -> bool:
    """Tell whether a text may stand in slots."""
    return len(value) <= ID_LENGTH and _ID.fullmatch(value) is not None


def check_id(value: str, what: str, path: str = "$") -> str:
    """Return an id that may stand in slots, or raise InputError: ASCII letters, digits, "_" and "-"."""
    if not isinstance(value, str) or not is_id(value):
        raise InputError(
            f"{what} must be 1 to {ID_LENGTH} ASCII letters, digits, '_' or '-', not beginning with '-'",
            path=path,
            value=value,
        )
    return value


def check_entry_key(value: str) -> bool:
    """Tell whether a key may stand in the agenda: an id that may also hold ":"."""
    return isinstance(value, str) and len(value) <= 3 * ID_LENGTH and _ENTRY.fullmatch(value) is not None


def root(action: str) -> str:
    """The id of the action or moment that a run hangs below."""
    return action.partition(">")[0]


def person(event: Any) -> str:
    """Who a step is about: who rolls, is hit, saves; "" where nobody is."""
    name = type(event).PERSON
    if not name:
        return ""
    who = getattr(event, name)
    return who if type(who) is str else "+".join(who)


def place(event: Any) -> str:
    """Which step of its run: kind, key, person and occurrence.

    A roll that a person reports shares the place of its prompt, and a `choose` that of its `ask`.
    """
    kind = type(event)
    if kind is Ask:
        if event.plan is not None:
            return f"roll.{event.key}.{event.who[0]}.{event.occurrence}"
        return f"ask.{event.key}.{event.occurrence}"
    if kind is Choose:
        return f"ask.{event.key}.{event.occurrence}"
    who = person(event)
    name = KIND_OF.get(kind) or kind.__name__.lower()
    return f"{name}.{event.key}.{who}.{event.occurrence}" if who else f"{name}.{event.key}.{event.occurrence}"


def slot(event: Any) -> str:
    """The name of a step in the whole log: its run's id and its place."""
    return f"{event.action}|{place(event)}"


def entry_moment(turn: Turn) -> str:
    """What is counted to number a moment: its kind and its entry ("start:bo"), or whose end it is."""
    return f"{turn.moment}:{turn.entry or turn.who}"
