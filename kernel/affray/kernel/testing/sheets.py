"""Sheets and parameters made of their types alone, by whoever chooses: a seed here, Hypothesis in `strategies.py`.

What is made is what a client would send: plain JSON values. Whether rules take it is theirs to say.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from hashlib import sha256
from typing import Any, Protocol, TypeVar

from msgspec import inspect as types

from ..errors import InputError
from ..inputs import check_json
from ..rules import Rules
from ..values import Json
from .bounds import SHEET_TRIES, VALUE_DEPTH

Item = TypeVar("Item")

WORDS = ("sword", "bow", "alpha", "beta", "1d6")
"""What a text says of which nothing is known. One of them is dice."""

USUAL = 20
"""How far a whole number goes that has no end of its own, from the end that it has."""

MOST_ITEMS = 2
"""Items of a list or table that has no length of its own."""


class Chooser(Protocol):
    """Whoever chooses."""

    def below(self, count: int) -> int:
        """A whole number from 0, below `count`."""
        ...


class Seeded:
    """Chooses by a seed: the same in every run, on every machine and in every release of Python."""

    def __init__(self, seed: str) -> None:
        self._seed = seed
        self._count = 0

    def below(self, count: int) -> int:
        """A whole number from 0, below `count`."""
        self._count += 1
        return int.from_bytes(sha256(f"{self._seed}/{self._count}".encode()).digest()[:8], "big") % count

    def one_of(self, items: Sequence[Item]) -> Item:
        """One of several things."""
        return items[self.below(len(items))]

    def is_one_in(self, count: int) -> bool:
        """Whether something happens that happens once in so many times."""
        return self.below(count) == 0


def value_of(kind: Any, chooser: Chooser, *, words: Sequence[str] = WORDS, plain: int = 2) -> Json:
    """A value of a type, as JSON. One in `plain` optional fields is filled in, none if it is 0.

    Raises InputError for a type of which nothing can be made: a text by a pattern that no known word fits, a custom type.
    """
    info = kind if isinstance(kind, types.Type) else types.type_info(kind)
    return _Maker(chooser, words, plain).make(info, 0)


class _Maker:
    def __init__(self, chooser: Chooser, words: Sequence[str], plain: int) -> None:
        self._chooser, self._words, self._plain = chooser, tuple(words) or WORDS, plain

    def make(self, kind: types.Type, depth: int) -> Json:
        if depth > VALUE_DEPTH:
            raise InputError("is nested too deeply to be made", value=type(kind).__name__)
        below = self._chooser.below
        match kind:
            case types.NoneType() | types.AnyType():
                return None
            case types.BoolType():
                return below(2) == 1
            case types.IntType():
                return self._whole(kind)
            case types.StrType():
                return self._text(kind)
            case types.LiteralType():
                return kind.values[below(len(kind.values))]
            case types.EnumType():
                members = [member.value for member in kind.cls]
                return members[below(len(members))]
            case types.UnionType():
                return self.make(self._union(kind), depth)
            case types.TupleType():
                return [self.make(one, depth + 1) for one in kind.item_types]
            case types.VarTupleType() | types.ListType() | types.SetType() | types.FrozenSetType():
                return [self.make(kind.item_type, depth + 1) for _ in range(self._length(kind))]
            case types.DictType():
                return self._table(kind, depth)
            case types.StructType():
                return self._struct(kind, depth)
        raise InputError("nothing can be made of this type", value=type(kind).__name__)

    def _whole(self, kind: types.IntType) -> int:
        step = kind.multiple_of or 1
        low = kind.ge if kind.ge is not None else None if kind.gt is None else kind.gt + 1
        high = kind.le if kind.le is not None else None if kind.lt is None else kind.lt - 1
        least = low if low is not None else min(0, high) if high is not None else 0
        most = min(high, least + USUAL) if high is not None else least + USUAL
        first = -(-least // step)
        return int((first + self._chooser.below(max(most // step - first, 0) + 1)) * step)

    def _text(self, kind: types.StrType) -> str:
        fits = [word for word in self._words if self._fits(kind, word)]
        if not fits:
            raise InputError("no text of this pattern is known", value=kind.pattern or str(kind.min_length))
        return fits[self._chooser.below(len(fits))]

    @staticmethod
    def _fits(kind: types.StrType, word: str) -> bool:
        is_long_enough = (kind.min_length or 0) <= len(word) <= (len(word) if kind.max_length is None else kind.max_length)
        return is_long_enough and (kind.pattern is None or re.search(kind.pattern, word) is not None)

    def _union(self, kind: types.UnionType) -> types.Type:
        """One of the types; a number of the log (`int | str`) is a whole one."""
        kinds = kind.types
        if any(isinstance(one, types.IntType) for one in kinds):
            kinds = tuple([one for one in kinds if not isinstance(one, types.StrType)])
        return kinds[self._chooser.below(len(kinds))]

    def _length(self, kind: Any) -> int:
        least = kind.min_length or 0
        most = max(least, MOST_ITEMS if kind.max_length is None else min(kind.max_length, least + MOST_ITEMS))
        return least + self._chooser.below(most - least + 1) if self._plain else least

    def _table(self, kind: types.DictType, depth: int) -> dict[str, Json]:
        return {str(self.make(kind.key_type, depth + 1)): self.make(kind.value_type, depth + 1) for _ in range(self._length(kind))}

    def _struct(self, kind: types.StructType, depth: int) -> Json:
        found: dict[str, Json] = {} if kind.tag_field is None else {kind.tag_field: kind.tag}
        for field in kind.fields:
            if field.required or (self._plain and self._chooser.below(self._plain) == 0):
                found[field.encode_name] = self.make(field.type, depth + 1)
        return list(found.values()) if kind.array_like else found


def sheet_by(rules: Rules, chooser: Chooser, *, plain: int = 2) -> dict[str, Json] | None:
    """A sheet by the system's type; None for one that `check_sheet` or `pools` refuses. Raises Breach."""
    try:
        raw = value_of(rules.sheet_type, chooser, plain=plain)
        check_json(raw)
        rules.pools(rules.read_sheet(raw))
    except InputError:
        return None
    return dict(raw)


def valid_sheets(rules: Rules, seed: str, count: int) -> Iterator[dict[str, Json]]:
    """So many valid sheets, or fewer where hardly any is valid: it is tried SHEET_TRIES times for each.

    What may be left out is left out more and more often. Raises Breach.
    """
    for number in range(count):
        for one in range(SHEET_TRIES):
            plain = 0 if one > SHEET_TRIES // 2 else 2 + one // 10
            sheet = sheet_by(rules, Seeded(f"{seed}/sheet/{number}/{one}"), plain=plain)
            if sheet is not None:
                yield sheet
                break
        else:
            return


__all__ = ["WORDS", "Chooser", "Seeded", "sheet_by", "valid_sheets", "value_of"]
