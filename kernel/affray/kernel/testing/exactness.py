"""Values that may not be: numbers that are not exact (law 7), and what could be changed after it was given (law 1)."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from typing import Any

import msgspec

from .bounds import VALUE_DEPTH

_INEXACT = (float, complex, Decimal)
_CHANGEABLE = (list, set, bytearray)


def inexact(value: Any) -> str:
    """Tell of the first number in a value that the log cannot hold; "" where there is none."""
    for path, part in _parts(value, "", 0):
        if isinstance(part, _INEXACT):
            return f"{path or 'it'} is {part!r}, a {type(part).__name__}"
        if isinstance(part, Fraction):
            return f"{path or 'it'} is {part!r}, which number(...) writes"
    return ""


def mutable(step: Any) -> str:
    """Tell of the first list or set in a step; "" where there is none. The parameters of a nested action are JSON."""
    for name in step.__struct_fields__:
        if name == "params":
            continue
        for path, part in _parts(getattr(step, name), name, 0):
            if isinstance(part, _CHANGEABLE):
                return f"{path} is a {type(part).__name__}"
    return ""


def weak_type(kind: Any) -> Iterator[str]:
    """Tell what is wrong with the type of a sheet, of parameters or of options."""
    if not (isinstance(kind, type) and issubclass(kind, msgspec.Struct)):
        yield "mutable: is no Struct"
        return
    seen: set[type] = set()
    todo: list[tuple[type[msgspec.Struct], str]] = [(kind, kind.__name__)]
    while todo:
        struct, path = todo.pop()
        if struct in seen:
            continue
        seen.add(struct)
        if not struct.__struct_config__.frozen:
            yield f"mutable: {path} is not frozen"
        for field in msgspec.structs.fields(struct):
            where = f"{path}.{field.name}"
            for part in _below(field.type):
                bare = getattr(part, "__origin__", part)
                if bare in (float, complex, Decimal):
                    yield f"inexact: {where} is a {bare.__name__}"
                elif bare in (list, set, bytearray):
                    yield f"mutable: {where} is a {bare.__name__}"
                elif isinstance(bare, type) and issubclass(bare, msgspec.Struct):
                    todo.append((bare, where))


def _below(annotation: Any) -> Iterator[Any]:
    yield annotation
    for part in getattr(annotation, "__args__", ()):
        yield from _below(part)


def _parts(value: Any, path: str, depth: int) -> Iterator[tuple[str, Any]]:
    yield path, value
    if depth > VALUE_DEPTH or isinstance(value, str | bytes | int | type):
        return
    if isinstance(value, msgspec.Struct):
        below = [(f"{path}.{name}".lstrip("."), getattr(value, name)) for name in value.__struct_fields__]
    elif isinstance(value, dict):
        below = [(f"{path}.{name}", part) for name, part in value.items()]
    elif isinstance(value, tuple | list | set | frozenset):
        below = [(f"{path}[{index}]", part) for index, part in enumerate(value)]
    else:
        return
    for where, part in below:
        yield from _parts(part, where, depth + 1)


__all__ = ["inexact", "mutable", "weak_type"]
