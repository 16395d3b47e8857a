"""Law 8 (no order comes from a set), as far as one expression shows it."""

from __future__ import annotations

import ast

import pytest

from .source import Source, findings, pure_sources, words

ORDERED_BY = words("list tuple enumerate iter next map filter zip join")
"""Calls whose result has the order of what they are given. `sorted`, `min`, `sum`, `any`, `len` have not."""


def orders_by_set(source: Source) -> list[str]:
    """Find loops, lists, dicts and ordered calls that walk directly over a set."""
    found = []
    for node in ast.walk(source.tree):
        match node:
            case ast.For(iter=walked):
                over = [walked]
            case ast.ListComp(generators=loops) | ast.DictComp(generators=loops):
                over = [loop.iter for loop in loops]
            case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name), args=args) if name in ORDERED_BY:
                over = list(args)
            case ast.Starred(value=value):
                over = [value]
            case _:
                continue
        found += [source.at(one.lineno, f"order of a set: {ast.unparse(one)}") for one in over if is_set(one)]
    return found


def is_set(node: ast.expr) -> bool:
    """Tell whether the expression is written as a set."""
    match node:
        case ast.Set() | ast.SetComp() | ast.Call(func=ast.Name(id="set" | "frozenset")):
            return True
        case ast.BinOp(left=left, op=ast.Sub() | ast.BitOr() | ast.BitAnd() | ast.BitXor(), right=right):
            return is_set(left) or is_set(right)
        case _:
            return False


def test_no_order_comes_from_a_set() -> None:
    """Law 8: every order is total and written down."""
    assert findings(orders_by_set, pure_sources()) == []


@pytest.mark.parametrize(
    "text",
    [
        "for name in {'a', 'b'}: ...",
        "names = [name for name in set(pools)]",
        "names = tuple(set(old) - set(new))",
        "text = ', '.join({name.upper() for name in pools})",
        "names = [*frozenset(pools)]",
    ],
)
def test_an_order_by_set_is_found(text: str) -> None:
    """Law 8: the check above can fail."""
    assert len(orders_by_set(_sample(text))) == 1


def test_a_sorted_set_passes() -> None:
    """Law 8: sorting, or asking what has no order, is fine."""
    text = (
        "names = tuple(sorted(set(a) - set(b)))\nfull = any(x for x in set(a))\nfor x in sorted({1, 2}): ..."
    )
    assert orders_by_set(_sample(text)) == []


def _sample(text: str) -> Source:
    return Source("kernel/affray/kernel/sample.py", text)
