"""The source tree as the checks of this folder see it: files, module names, imports. Runs nothing it reads."""

from __future__ import annotations

import ast
import importlib.util
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
TESTING = "affray.kernel.testing"


class Import(NamedTuple):
    """`from module import name`, absolute; name is "" for `import module`."""

    line: int
    module: str
    name: str
    alias: str | None

    def reaches(self, package: str) -> bool:
        """Tell whether this imports the package or anything in it."""
        target = f"{self.module}.{self.name}"
        return any(path == package or path.startswith(f"{package}.") for path in (self.module, target))


@dataclass(frozen=True)
class Source:
    """One file of a source root. `path` counts from the repository root."""

    path: str
    text: str

    @cached_property
    def tree(self) -> ast.Module:
        return ast.parse(self.text, self.path)

    @property
    def module(self) -> str:
        """The import name: kernel/affray/kernel/fold.py is affray.kernel.fold."""
        parts = self.path.removesuffix(".py").split("/")[1:]
        return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)

    @property
    def package(self) -> str:
        """What a leading dot means in this file."""
        return self.module if self.path.endswith("/__init__.py") else self.module.rpartition(".")[0]

    def imports(self) -> Iterator[Import]:
        """Every import of the file, in functions and under TYPE_CHECKING too."""
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Import):
                for one in node.names:
                    yield Import(node.lineno, one.name, "", one.asname)
            elif isinstance(node, ast.ImportFrom):
                module = importlib.util.resolve_name("." * node.level + (node.module or ""), self.package)
                for one in node.names:
                    yield Import(node.lineno, module, one.name, one.asname)

    def at(self, line: int, problem: str) -> str:
        """A finding."""
        return f"{self.path}:{line}: {problem}"


Check = Callable[[Source], list[str]]


def sources(*tops: str) -> list[Source]:
    """Every Python file below the folders, in the order of their paths. A folder without one is a mistake."""
    found = []
    for top in tops:
        paths = sorted((ROOT / top).rglob("*.py"))
        assert paths, f"no Python source below {top}/"
        found += [Source(path.relative_to(ROOT).as_posix(), path.read_text("utf-8")) for path in paths]
    return found


def pure_sources() -> list[Source]:
    """What law 3 keeps pure: kernel/ without its testing kit, and plugins/."""
    return [source for source in sources("kernel", "plugins") if not is_testing(source)]


def is_testing(source: Source) -> bool:
    """Tell whether the file belongs to the testing kit."""
    return f"{source.module}.".startswith(f"{TESTING}.")


def findings(check: Check, files: list[Source]) -> list[str]:
    """What a check finds in all the files."""
    return [finding for source in files for finding in check(source)]


def words(text: str) -> frozenset[str]:
    """A set of names, written with spaces between them."""
    return frozenset(text.split())
