"""Checks of what comes from outside: text, ids and JSON values. Everything wrong raises InputError with its path."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .errors import InputError
from .limits import JSON_DEPTH, JSON_ITEMS, NAME_LENGTH, NUMBER_MAX, ROWS, TEXT_LENGTH
from .numbers import is_number
from .values import Modifier


def check_text(value: Any, path: str, *, most: int = NAME_LENGTH, empty: bool = False) -> str:
    """Text without lone surrogates, of at most `most` characters."""
    if not isinstance(value, str):
        raise InputError("must be text", path=path, value=value)
    if not value and not empty:
        raise InputError("must not be empty", path=path)
    if len(value) > most:
        raise InputError(f"has {len(value)} characters, more than {most}", path=path)
    if not value.isascii() and any("\ud800" <= char <= "\udfff" for char in value):
        raise InputError("holds a lone surrogate, which is no character", path=path, value=value)
    return value


def check_json(value: Any, path: str = "$") -> None:
    """A JSON value as the log may hold it: no floats, whole numbers within 2^53 - 1, ASCII keys, bounded."""
    left = JSON_ITEMS
    work: list[tuple[Any, str, int]] = [(value, path, 0)]
    while work:
        item, where, depth = work.pop()
        left -= 1
        if left < 0:
            raise InputError(f"holds more than {JSON_ITEMS} values", path=path)
        if depth > JSON_DEPTH:
            raise InputError(f"is nested deeper than {JSON_DEPTH}", path=where[:200])
        if item is None or isinstance(item, bool):
            continue
        if isinstance(item, int):
            if abs(item) > NUMBER_MAX:
                raise InputError(
                    "is beyond 2^53 - 1; write a large id as text", path=where, value=hex(item)[:24]
                )
        elif isinstance(item, str):
            check_text(item, where, most=TEXT_LENGTH, empty=True)
        elif isinstance(item, dict):
            for key, below in item.items():
                if not isinstance(key, str) or not key.isascii():
                    raise InputError("a key must be ASCII text", path=where, value=key)
                if depth < JSON_DEPTH and _is_plain(below):  # most are, and need no path
                    left -= 1
                else:
                    work.append((below, f"{where}.{key}", depth + 1))
            if left < 0:
                raise InputError(f"holds more than {JSON_ITEMS} values", path=path)
        elif isinstance(item, list | tuple):
            work += [(below, f"{where}[{index}]", depth + 1) for index, below in enumerate(item)]
        else:
            hint = "write it as text or as a fraction" if isinstance(item, float) else "not a JSON value"
            raise InputError(f"is a {type(item).__name__}; {hint}", path=where, value=item)


def _is_plain(item: Any) -> bool:
    """Tell whether a value is a short ASCII text, a whole number in range, a truth value or null."""
    kind = type(item)
    if kind is str:
        return len(item) <= TEXT_LENGTH and item.isascii()
    return item is None or kind is bool or (kind is int and -NUMBER_MAX <= item <= NUMBER_MAX)


def check_rows(rows: Iterable[Modifier], places: Iterable[str], path: str) -> None:
    """Modifier rows with exact amounts at places the system publishes."""
    known = frozenset(places)
    for index, row in enumerate(rows):
        where = f"{path}[{index}]"
        if index >= ROWS:
            raise InputError(f"more than {ROWS} rows", path=path)
        if row.place not in known:
            raise InputError(f"no such place; there are {', '.join(sorted(known))}", path=where, value=row.place)
        if not is_number(row.amount):
            raise InputError("not an exact number", path=where, value=row.amount)
        check_text(row.code, where)
        check_text(row.source, where, empty=True)
