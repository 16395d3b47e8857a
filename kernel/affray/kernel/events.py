"""The closed set of event kinds, and the registry that names each one's schema.

The kinds a resolver makes are steps (`steps.py`); the others stand here. A kind's tag is its name, with ".N" behind
it from schema 2 on ("roll.2"), so an unknown schema is an unknown kind and is never half read.
"""

from __future__ import annotations

import msgspec

from .numbers import Num
from .steps import (
    ApplyDamage,
    Ask,
    Change,
    Condition,
    Defend,
    Event,
    Judge,
    Order,
    Roll,
    Save,
    Wait,
)
from .values import Entry, Held, Json, Manifest, Modifier, Origin, Pool, Touch, When


class Open(Event, frozen=True, kw_only=True, gc=False):
    """The first event: which rules, which dice, where from.

    `dice` maps a controller ("*" for all others) to a dice policy: fair, reported, scripted or scripted-then-fair.
    `chain` and `kept_chain` are the ends s[0] of the two dice chains (hex, "" without fair dice), `epochs` their length.
    """

    session: str
    title: str
    manifest: Manifest
    fingerprint: str
    dice: dict[str, str]
    undo_dice: str
    witness: bool
    chain: str
    kept_chain: str
    epochs: int
    origin: Origin | None


class Join(Event, frozen=True, kw_only=True, gc=False):
    """A combatant enters. `player` is the real name of the person behind the controller ("" if not told).

    `secret` says that its numbers are kept from everybody but the game master and its controller.
    """

    KEPT = ("sheet", "pools", "conditions", "player")

    id: str
    name: str
    side: str
    controller: str
    secret: bool
    sheet: dict[str, Json] | None
    pools: dict[str, Pool] | None
    conditions: tuple[Held, ...] | None
    player: str | None


class Leave(Event, frozen=True, kw_only=True, gc=False):
    """A combatant leaves: marked, never deleted."""

    id: str


class Turn(Event, frozen=True, kw_only=True, gc=False):
    """A moment: `begin`, `start`, `end`, `expiry`, `join`, `resume` of a waiting action, or a system's own.

    Opens the run `action` of its upkeep generators. `entry` is the agenda entry it took out ("" for begin and end).
    """

    action: str
    moment: str
    who: str
    when: When
    entry: str


class Declare(Event, frozen=True, kw_only=True, gc=False):
    """An action is declared. `action` is its id, `parent` the run it is nested in ("" for none).

    `secret` keeps this event and all that hangs below it from everybody but the game master and the actor's controller.
    """

    action: str
    actor: str
    name: str
    targets: tuple[str, ...]
    params: dict[str, Json]
    rows: tuple[Modifier, ...]
    parent: str
    secret: bool


class Choose(Event, frozen=True, kw_only=True, gc=False):
    """One person's answer to the `ask` of the same action, key and occurrence; None from one who left."""

    PERSON = ""

    action: str
    key: str
    occurrence: int
    who: str
    value: str | None


class Done(Event, frozen=True, kw_only=True, gc=False):
    """An action closed, with its outcome code; `cause` when another action or a leaving actor closed it."""

    action: str
    code: str
    cause: str


class SetPool(msgspec.Struct, frozen=True, kw_only=True, tag_field="set", tag="pool", forbid_unknown_fields=True):
    """The game master sets a pool. `before` and `after` are filled in; `after` is clamped to the range."""

    target: str
    pool: str
    value: Num
    before: Num | None = None
    after: Num | None = None


class SetCondition(
    msgspec.Struct, frozen=True, kw_only=True, tag_field="set", tag="condition", forbid_unknown_fields=True
):
    """The game master gives (`held`) or ends (`ended`) a condition; its rows modify the combatant's actions."""

    target: str
    held: Held | None = None
    ended: str = ""


class GiveModifier(
    msgspec.Struct, frozen=True, kw_only=True, tag_field="set", tag="modifier", forbid_unknown_fields=True
):
    """The game master gives modifiers to one open action, nested ones too, from now on."""

    action: str
    rows: tuple[Modifier, ...]


class SetStep(msgspec.Struct, frozen=True, kw_only=True, tag_field="set", tag="step", forbid_unknown_fields=True):
    """The game master sets fields of a coming step, named by its slot."""

    slot: str
    fields: dict[str, Json]


class SetOrder(msgspec.Struct, frozen=True, kw_only=True, tag_field="set", tag="order", forbid_unknown_fields=True):
    """The game master sets or drops entries of the agenda."""

    entries: tuple[Entry, ...] = ()
    drop: tuple[str, ...] = ()


class CloseAction(
    msgspec.Struct, frozen=True, kw_only=True, tag_field="set", tag="close-action", forbid_unknown_fields=True
):
    """The game master closes an open action, for instance one whose rules are gone."""

    action: str
    code: str = "cancelled"


Effect = SetPool | SetCondition | GiveModifier | SetStep | SetOrder | CloseAction


class Overrule(Event, frozen=True, kw_only=True, gc=False):
    """The game master's word, with a reason."""

    KEPT = ("effect",)

    reason: str
    effect: Effect | None


class Rules(Event, frozen=True, kw_only=True, gc=False):
    """The manifest changed from here on; an open action keeps the one it was declared under."""

    manifest: Manifest
    fingerprint: str
    reason: str


class Rewind(Event, frozen=True, kw_only=True, gc=False):
    """State becomes what it was at version `to`, the end of a commit. `why` is undo, redo or amend."""

    to: int
    why: str


class Note(Event, frozen=True, kw_only=True, gc=False):
    """Free text."""

    KEPT = ("text",)

    text: str | None


class Reveal(Event, frozen=True, kw_only=True, gc=False):
    """The kept part of an earlier event, opened: `part` is the text of its canonical bytes."""

    version: int
    part: str


class RevealDice(Event, frozen=True, kw_only=True, gc=False):
    """An epoch of a dice chain ended: `chain` is open or kept, `secret` is s[epoch] in hex."""

    chain: str
    epoch: int
    secret: str


class Close(Event, frozen=True, kw_only=True, gc=False):
    """The end of the fight, with how it ended."""

    code: str


class Sealed(Event, frozen=True, kw_only=True, gc=False):
    """An event that is kept as a whole: the reader knows that something happened here and nothing else."""


AnyEvent = (
    Open
    | Join
    | Leave
    | Order
    | Turn
    | Declare
    | Ask
    | Choose
    | Defend
    | Roll
    | Judge
    | ApplyDamage
    | Change
    | Condition
    | Save
    | Wait
    | Done
    | Overrule
    | Rules
    | Rewind
    | Note
    | Reveal
    | RevealDice
    | Close
    | Sealed
)

KINDS: dict[str, type[Event]] = {
    str(kind.__struct_config__.tag): kind for kind in AnyEvent.__args__
}
"""Tag of the current schema -> class."""

SCHEMAS: dict[str, int] = {tag.partition(".")[0]: int(tag.partition(".")[2] or 1) for tag in KINDS}
"""Kind -> number of its current schema."""

KIND_OF: dict[type, str] = {kind: tag.partition(".")[0] for tag, kind in KINDS.items()}
"""Class -> kind, without the schema."""

__all__ = [
    "KINDS",
    "KIND_OF",
    "SCHEMAS",
    "AnyEvent",
    "Choose",
    "Close",
    "CloseAction",
    "Declare",
    "Done",
    "Effect",
    "GiveModifier",
    "Join",
    "Leave",
    "Note",
    "Open",
    "Overrule",
    "Reveal",
    "RevealDice",
    "Rewind",
    "Rules",
    "Sealed",
    "SetCondition",
    "SetOrder",
    "SetPool",
    "SetStep",
    "Touch",
    "Turn",
]
