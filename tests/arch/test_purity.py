"""Law 3 (the kernel and the plugins touch nothing) and law 7 (no float anywhere), read off the syntax trees."""

from __future__ import annotations

import ast
import symtable
import sys
from collections.abc import Iterator

import pytest

from .source import Source, findings, pure_sources, words

PURE_MODULES = words(
    """
    __future__ abc base64 binascii bisect collections collections.abc contextlib copy dataclasses enum
    fractions functools graphlib hashlib heapq hmac inspect itertools keyword math operator re string
    textwrap types typing
    """
)
"""The standard library without world, clock, chance, process state or floats. Add a module only if it has none of them."""

WORLD_BUILTINS = words(
    """
    open print input exec eval compile breakpoint exit quit globals __import__ hash id
    """
)
"""Builtins that touch the world, run text, or differ between two processes (hash, id)."""

EXACT_MATH = words("ceil comb factorial floor gcd isqrt lcm perm prod")
"""What `math` answers without a float when it is asked without one."""


def touches_world(source: Source) -> list[str]:
    """Find imports outside PURE_MODULES, builtins of WORLD_BUILTINS and `global` statements."""
    found = [
        source.at(one.line, f"imports {one.module}, which is not on the list of pure modules")
        for one in source.imports()
        if one.module.partition(".")[0] in sys.stdlib_module_names and one.module not in PURE_MODULES
    ]
    found += [
        source.at(node.lineno, f"global {', '.join(node.names)}")
        for node in ast.walk(source.tree)
        if isinstance(node, ast.Global)
    ]
    top = symtable.symtable(source.text, source.path, "exec")
    own = {one.get_name() for one in top.get_symbols() if one.is_assigned() or one.is_imported()}
    for table in _tables(top):
        for one in table.get_symbols():
            if one.is_referenced() and one.is_global() and one.get_name() in WORLD_BUILTINS - own:
                found.append(source.at(table.get_lineno(), f"{table.get_name()} uses {one.get_name()}()"))
    return found


def makes_float(source: Source) -> list[str]:
    """Find float literals, the name float (but to tell one apart), true division of ints, float results of math.

    A division is exact, and allowed, where one side is written with `Fraction(...)`.
    """
    found = [
        source.at(one.line, f"imports {one.name or one.alias} from {one.module}")
        for one in source.imports()
        if (one.module == "math" and (one.alias or (one.name and one.name not in EXACT_MATH)))
        or one.name == "truediv"
    ]
    telling_apart = {name for node in ast.walk(source.tree) for name in _type_names(node)}
    for node in ast.walk(source.tree):
        match node:
            case ast.Constant(value=float() | complex()):
                found.append(source.at(node.lineno, f"float literal {node.value!r}"))
            case ast.Name(id="float" | "complex") if node not in telling_apart:
                found.append(source.at(node.lineno, f"the type {node.id}"))
            case ast.BinOp(op=ast.Div()) if not (_is_fraction(node.left) or _is_fraction(node.right)):
                found.append(source.at(node.lineno, f"division {ast.unparse(node)} without Fraction(...)"))
            case ast.AugAssign(op=ast.Div()):
                found.append(source.at(node.lineno, f"division {ast.unparse(node)}"))
            case ast.BinOp(op=ast.Pow(), right=ast.UnaryOp(op=ast.USub())):
                found.append(source.at(node.lineno, f"negative power {ast.unparse(node)}"))
            case ast.Attribute(value=ast.Name(id="math"), attr=name) if name not in EXACT_MATH:
                found.append(source.at(node.lineno, f"math.{name}"))
            case ast.Attribute(attr="truediv" | "__truediv__"):
                found.append(source.at(node.lineno, node.attr))
    return found


def _tables(table: symtable.SymbolTable) -> Iterator[symtable.SymbolTable]:
    yield table
    for child in table.get_children():
        yield from _tables(child)


def _type_names(node: ast.AST) -> Iterator[ast.AST]:
    """Names that only tell a float apart: isinstance(x, float), type(x) is float, case float()."""
    match node:
        case ast.Call(func=ast.Name(id="isinstance"), args=[_, kinds]):
            yield from ast.walk(kinds)
        case ast.Compare(left=ast.Call(func=ast.Name(id="type"), args=[_]), comparators=kinds):
            for kind in kinds:
                yield from ast.walk(kind)
        case ast.MatchClass(cls=kind):
            yield kind


def _is_fraction(node: ast.expr) -> bool:
    """Tell whether an expression is a Fraction whatever its names hold, as `Fraction(a) - b` is."""
    match node:
        case ast.Call(func=ast.Name(id="Fraction")):
            return True
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub() | ast.Mult() | ast.Div(), right=right):
            return _is_fraction(left) or _is_fraction(right)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return _is_fraction(operand)
        case _:
            return False


def test_kernel_and_plugins_touch_no_world() -> None:
    """Law 3: no file, socket, clock, logger, environment, global or random source."""
    assert findings(touches_world, pure_sources()) == []


def test_kernel_and_plugins_make_no_float() -> None:
    """Law 7: no float anywhere."""
    assert findings(makes_float, pure_sources()) == []


@pytest.mark.parametrize(
    "text",
    [
        "import random",
        "def f():\n    from os.path import join",
        "import collections.abc, time",
        "from urllib import request",
        "def f():\n    global count\n    count = 1",
        "def f(path):\n    return open(path)",
        "key = hash('a')",
        "class A:\n    id: str\n    def f(self, x):\n        return id(x)",
        "faces = map(eval, ['1'])",
    ],
)
def test_a_touch_of_the_world_is_found(text: str) -> None:
    """Law 3: the check above can fail."""
    assert len(touches_world(_sample(text))) == 1


@pytest.mark.parametrize(
    "text",
    [
        "half = 0.5",
        "def f(x: float): ...",
        "def f(x): return float(x)",
        "def f(a, b): return a / b",
        "def f(a, b): return Fraction(a // b) ** (a / b)",
        "def f(a):\n    a /= 2\n    return a",
        "def f(a): return a ** -1",
        "import math\ndef f(a): return math.sqrt(a)",
        "from math import log",
        "import math as m",
        "from operator import truediv",
        "import operator\nf = operator.truediv",
    ],
)
def test_a_float_is_found(text: str) -> None:
    """Law 7: the check above can fail."""
    assert len(makes_float(_sample(text))) == 1


def test_pure_exact_code_passes() -> None:
    """Law 3 and law 7: what looks like a breach and is none."""
    text = """
import math
from collections.abc import Iterable
from fractions import Fraction
import msgspec
from .limits import NUMBER_MAX
def f(id: str, open: tuple[int, ...]) -> object:
    if isinstance(open, int | float) or type(id) is float:
        return [id for id in open]
    match id:
        case float():
            return math.floor(Fraction(id) / 2) // 2 ** 3
    return 1 / Fraction(3) + (3 - Fraction(2) * 5) / 4
"""
    assert touches_world(_sample(text)) + makes_float(_sample(text)) == []


def _sample(text: str) -> Source:
    return Source("kernel/affray/kernel/sample.py", text)
