"""Whether something stands around a yield that runs when an action is left: read off the generator's source."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Sequence
from types import CodeType

_CATCH_ALL = frozenset({"BaseException", "GeneratorExit"})


def around_yields(code: CodeType) -> str:
    """Tell of a `finally`, a `with` or a bare `except` around a yield of this function; "" where there is none.

    Also "" where the source cannot be had.
    """
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(code)))
    except (OSError, TypeError, SyntaxError, ValueError):
        return ""
    function = next((node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.name == code.co_name), None)
    if function is None:
        return ""
    found = _search(function.body, "")
    return f"{code.co_qualname} has {found}" if found else ""


def _search(nodes: Sequence[ast.AST], inside: str) -> str:
    for node in nodes:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef):
            continue
        if isinstance(node, ast.Yield | ast.YieldFrom) and inside:
            return inside
        if isinstance(node, ast.Try):
            found = _search(node.body, _of_try(node) or inside) or _search([*node.handlers, *node.orelse], _finally(node) or inside)
            found = found or _search(node.finalbody, inside)
        elif isinstance(node, ast.With):
            found = _search([*node.items], inside) or _search(node.body, "`with` around a yield")
        else:
            found = _search(list(ast.iter_child_nodes(node)), inside)
        if found:
            return found
    return ""


def _finally(node: ast.Try) -> str:
    return "`finally` around a yield" if node.finalbody else ""


def _of_try(node: ast.Try) -> str:
    if node.finalbody:
        return _finally(node)
    for handler in node.handlers:
        if handler.type is None:
            return "a bare `except` around a yield"
        for name in ast.walk(handler.type):
            if isinstance(name, ast.Name) and name.id in _CATCH_ALL:
                return f"`except {name.id}` around a yield"
    return ""


__all__ = ["around_yields"]
