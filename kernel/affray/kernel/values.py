"""The small frozen values that events are made of.

Nothing here knows a rule, a file or a plugin. Short rows that occur many times in a log (`Row`, `Modifier`)
are written as arrays, everything else as objects.
"""

from __future__ import annotations

from typing import Any

import msgspec

from .numbers import Exact, Num, exact

When = tuple[Num, ...]
"""A moment: compared part by part, then by the entry's key. What the parts mean is the system's business."""

Json = Any
"""A JSON value without floats: str, int, bool, None, list or dict with ASCII keys."""

GM = "gm"
"""The reader and caller that may see and do everything: the game master."""

PUBLIC = "public"
"""The reader that sees only what everybody may see."""


class Row(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """One line of a trace: a code, the amount it adds, and the plugin or house rule (or sheet, roll) it came from."""

    code: str
    amount: Num
    source: str


Trace = tuple[Row, ...]
"""Rows that add up to the number they explain."""


class Modifier(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """An amount that acts at one of the places a system publishes; `source` is filled by the kernel."""

    place: str
    amount: Num
    code: str
    source: str = ""


class Pool(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A number of a combatant that play changes.

    `low` and `high` clamp every change (None: no end). `damage` is the direction in which damage moves the pool:
    -1 for hit points that fall, 1 for wounds that add up.
    """

    start: Num
    low: Num | None = 0
    high: Num | None = None
    damage: int = -1


class Entry(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A place in the agenda: at `when`, `moment` happens to `who` ("" for nobody). `key` is unique in the agenda."""

    key: str
    when: When
    who: str = ""
    moment: str = "start"


class Veil(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Who may read the kept part of an event beside the game master, and which fields it holds (none: all of it)."""

    audience: tuple[str, ...]
    fields: tuple[str, ...] = ()


class Option(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One thing a person may answer. `value` and `trace` tell what choosing it would mean, where the system says so."""

    code: str
    value: Num | None = None
    trace: Trace = ()


class Touch(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """What an event did to one pool."""

    pool: str
    before: Num
    after: Num


class Part(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Damage of one type: what was rolled, every reduction and multiplier in order, and what they leave."""

    type: str
    rolled: Num
    rows: Trace
    value: Num


class Held(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A condition a combatant has. `until` is a moment or None for until ended; `rows` act on the combatant's actions."""

    id: str
    value: Num | None = None
    until: When | None = None
    rows: tuple[Modifier, ...] = ()
    source: str = ""


class Pin(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A plugin as a manifest pins it."""

    id: str
    distribution: str
    release: str


class Manifest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The rules of a session: system, every option spelt out, house rules in the one order that counts."""

    system: Pin
    options: dict[str, Json]
    house: tuple[Pin, ...] = ()


class Origin(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Where a session comes from: `how` is "fork" or "carry-on"."""

    how: str
    session: str
    version: int
    digest: str


def moment(when: When) -> tuple[Exact, ...]:
    """The comparable form of a moment."""
    return tuple([part if type(part) is int else exact(part) for part in when])
