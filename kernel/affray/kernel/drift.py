"""Tell whether the rules still make what a log recorded (law 6).

A resumed resolver is fed the record; a step that differs from it must not be built upon.
"""

from __future__ import annotations

from typing import Any

from msgspec import UNSET
from msgspec.structs import replace

from .errors import RulesDrifted
from .ledger import canonical
from .names import WITNESS, slot
from .steps import Ask, Roll


def compare(expected: Any, event: Any, version: int) -> None:
    """Raise RulesDrifted when a prepared step (None: no step) is not what was recorded at a version."""
    if type(event) is Ask and event.plan is not None:  # the kernel's own prompt for a roll
        if type(expected) is Roll and slot(expected) == slot(event) and expected.plan == event.plan:
            return
    elif type(event) is Ask and type(expected) is Roll:  # the kernel's own prompt for a witness
        if event.key == WITNESS + expected.key and event.action == expected.action:
            return
    elif type(event) is Roll:
        if type(expected) is Roll and canonical(_bare(expected)) == canonical(_bare(event)):
            return
    elif expected == event or canonical(expected) == canonical(event):
        return
    raise RulesDrifted(version, _shown(expected), _shown(event))


def _bare(roll: Roll) -> Roll:
    """A roll without what dice and readers add to it."""
    return replace(
        roll, faces=None, dropped=None, total=None, botch=None, fault="", source="", reused=0, veil=UNSET
    )


def _shown(value: Any) -> str:
    text = repr(value) if value is None else canonical(value).decode()
    return text if len(text) <= 300 else text[:297] + "..."


__all__ = ["compare"]
