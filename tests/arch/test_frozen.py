"""Law 1 (nothing recorded is ever changed) and law 7 (exact numbers), read off the types of the fields."""

from __future__ import annotations

import importlib
import typing
from collections import deque
from collections.abc import Iterator, MutableSequence, MutableSet
from decimal import Decimal
from fractions import Fraction

import msgspec
import pytest

from .source import sources, words

MUTABLE = (list, set, bytearray, deque, MutableSequence, MutableSet)
"""A dict is not among them: it is a JSON object of the log, and folding replaces whole ones."""

INEXACT = (float, complex, Decimal)

KINDS = words(
    """
    open join leave order turn declare ask choose defend roll judge apply-damage change condition save
    wait done overrule rules rewind note reveal reveal-dice close sealed
    """
)
"""Section 3 of the design."""


def structs() -> list[type[msgspec.Struct]]:
    """Every Struct that the kernel or a plugin defines."""
    modules = {source.module for source in sources("kernel", "plugins")}
    for module in sorted(modules):
        importlib.import_module(module)
    return [struct for struct in _below(msgspec.Struct) if struct.__module__ in modules]


def is_event(struct: type[msgspec.Struct]) -> bool:
    """Tell whether the Struct is an event kind or what kinds inherit from."""
    return struct.__struct_config__.tag_field == "kind"


def weaknesses(struct: type[msgspec.Struct]) -> list[str]:
    """Find what would let a value change, a float in, or an unknown field of an event through unseen."""
    config = struct.__struct_config__
    found = [] if config.frozen else ["not frozen"]
    if is_event(struct) and not config.forbid_unknown_fields:
        found.append("unknown fields pass")
    refused = MUTABLE + INEXACT + ((Fraction,) if is_event(struct) else ())
    for field in msgspec.structs.fields(struct):
        bare = [typing.get_origin(part) or part for part in _parts(field.type)]
        found += [f"{field.name}: {kind.__name__}" for kind in refused if any(part is kind for part in bare)]
    return [f"{struct.__qualname__} {problem}" for problem in found]


def _below(struct: type[msgspec.Struct]) -> Iterator[type[msgspec.Struct]]:
    for child in struct.__subclasses__():
        yield child
        yield from _below(child)


def _parts(annotation: object) -> Iterator[object]:
    yield annotation
    for part in typing.get_args(annotation):
        yield from _parts(part)


def test_every_struct_is_frozen_and_exact() -> None:
    """Law 1 and law 7: frozen Structs of tuples, no float; an event lets no unknown field through."""
    assert [problem for struct in structs() for problem in weaknesses(struct)] == []


def test_event_kinds_are_the_closed_set() -> None:
    """Section 3 and house style, h11: the registry holds the agreed kinds, and each is among the Structs checked."""
    kinds = importlib.import_module("affray.kernel.events").KINDS
    assert {tag.partition(".")[0] for tag in kinds} == KINDS
    assert set(kinds.values()) <= {struct for struct in structs() if is_event(struct)}


class _Loose(msgspec.Struct):
    name: str


class _Listing(msgspec.Struct, frozen=True):
    rows: tuple[list[int], ...]
    names: set[str] | None


class _Measured(msgspec.Struct, frozen=True):
    length: float | None


class _Open(msgspec.Struct, frozen=True, tag_field="kind", tag="sample"):
    share: Fraction


class _Good(msgspec.Struct, frozen=True, tag_field="kind", tag="good", forbid_unknown_fields=True):
    rows: tuple[tuple[int | str, ...], ...] | None
    params: dict[str, int]


@pytest.mark.parametrize(
    ("struct", "found"),
    [
        (_Loose, ["_Loose not frozen"]),
        (_Listing, ["_Listing rows: list", "_Listing names: set"]),
        (_Measured, ["_Measured length: float"]),
        (_Open, ["_Open unknown fields pass", "_Open share: Fraction"]),
        (_Good, []),
    ],
)
def test_a_weakness_is_found(struct: type[msgspec.Struct], found: list[str]) -> None:
    """Law 1 and law 7: the check above can fail."""
    assert found == weaknesses(struct)
