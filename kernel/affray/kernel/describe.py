"""What a rules system says about itself, as values: the answer to `describe()` and the forms of `actions()`."""

from __future__ import annotations

import msgspec

from .numbers import Num
from .values import Json, Trace


class NoParams(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Parameters of an action that has none."""


class NoOptions(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Options of a system that has none."""


class System(msgspec.Struct, frozen=True, kw_only=True):
    """A rules system's description.

    `release` names the rules, not the package: a log decided under one release is decided on only under the same or
    an accepted one. `options` is a frozen Struct type whose defaults are the recommended readings. `actions` maps
    an action's name to the frozen Struct type of its parameters. `places` says where modifier rows may act, `steps`
    what the step keys mean, `saves` the saves it knows, each with a short description. `bundles` are named sets of
    options that belong together (a sibling variant, a table's data); what a bundle leaves out keeps its default.
    """

    id: str
    release: str
    title: str
    actions: dict[str, type]
    options: type = NoOptions
    places: dict[str, str] = {}
    steps: dict[str, str] = {}
    saves: dict[str, str] = {}
    bundles: dict[str, dict[str, Json]] = {}
    attribution: str = ""


class Form(msgspec.Struct, frozen=True, kw_only=True):
    """An action that may be declared now, in a form a virtual table can draw.

    `targets` are the ids that may be named, between `least` and `most` of them; `choices` gives the values of a
    parameter where they are few.
    """

    name: str
    targets: tuple[str, ...] = ()
    least: int = 0
    most: int = 0
    choices: dict[str, tuple[Json, ...]] = {}


class Derived(msgspec.Struct, frozen=True, kw_only=True):
    """A value that follows from a sheet: its code, and the rows that add up to it."""

    code: str
    value: Num
    trace: Trace
