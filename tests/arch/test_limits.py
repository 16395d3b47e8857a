"""Law 9 (every bound has a name in limits.py and a test): none is dead, none is untested."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from .source import Source, sources

LIMITS = "kernel/affray/kernel/limits.py"


def bounds(source: Source) -> list[str]:
    """The names that the module of bounds gives, in order."""
    return [
        target.id
        for node in source.tree.body
        if isinstance(node, ast.Assign | ast.AnnAssign)
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
        if isinstance(target, ast.Name) and target.id.isupper()
    ]


def used(files: Iterable[Source]) -> set[str]:
    """Every name that is read in the files, bare or behind a dot. An import alone is no use."""
    nodes = [node for source in files for node in ast.walk(source.tree)]
    bare = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
    return bare | {node.attr for node in nodes if isinstance(node, ast.Attribute)}


def the_bounds() -> list[str]:
    """The bounds of the kernel."""
    (source,) = (source for source in sources("kernel") if source.path == LIMITS)
    return bounds(source)


def test_every_bound_is_used() -> None:
    """Law 9: a bound that nothing asks about holds nothing."""
    names = used(source for source in sources("kernel", "sessions") if source.path != LIMITS)
    assert the_bounds()
    assert [bound for bound in the_bounds() if bound not in names] == []


def test_every_bound_is_tested() -> None:
    """Law 9: a test at the bound and one past it; here only that some test names it."""
    names = used(source for source in sources("tests") if not source.path.startswith("tests/arch/"))
    assert [bound for bound in the_bounds() if bound not in names] == []


def test_dead_bounds_are_found() -> None:
    """Law 9: the checks above can fail."""
    limits = Source(
        LIMITS, '"""Bounds."""\nDICE = 3\n"""Dice."""\nROWS: int = 4\nSIDES = 5\nCHAIN = 6\nlower = 7\n'
    )
    user = Source(
        "kernel/affray/kernel/x.py", "from .limits import DICE, ROWS\nprint(limits.SIDES + ROWS)\nCHAIN = 1\n"
    )
    assert bounds(limits) == ["DICE", "ROWS", "SIDES", "CHAIN"]
    assert [bound for bound in bounds(limits) if bound not in used([user])] == ["DICE", "CHAIN"]
