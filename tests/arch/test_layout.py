"""The house (section 2 of the design): what stands where."""

from __future__ import annotations

import importlib
import subprocess
import sysconfig
import tomllib
from collections.abc import Iterable
from pathlib import Path

import pytest

from .source import ROOT, words

REQUIRED = words("README.md pyproject.toml kernel plugins sessions tests")
ALLOWED = words("CHANGELOG.md LICENSE")
LINES_MAX = 500


def tracked() -> list[str]:
    """Every path git knows here, deleted ones aside."""
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True, text=True
    ).stdout.split("\0")
    return [path for path in listed if path and (ROOT / path).exists()]


def misplaced(paths: Iterable[str]) -> list[str]:
    """Find what is missing at the top and what should not be there."""
    top = {path.partition("/")[0] for path in paths}
    surplus = {name for name in top - REQUIRED - ALLOWED if not name.startswith(".")}
    return [f"missing {name}" for name in sorted(REQUIRED - top)] + [
        f"surplus {name}" for name in sorted(surplus)
    ]


def namespace_breakers(paths: Iterable[str]) -> list[str]:
    """Find an __init__.py that would make `affray`, or the bare name of a source root, a package of its own."""
    roots = ("kernel", "plugins", "sessions")
    return [
        path
        for path in paths
        if path.endswith("affray/__init__.py") or path in {f"{root}/__init__.py" for root in roots}
    ]


def too_long(text: str) -> bool:
    """Tell whether a source file is longer than the house allows."""
    return len(text.splitlines()) > LINES_MAX


def test_top_level_holds_the_agreed_names_only() -> None:
    """Section 2: nothing else stands at the top."""
    assert misplaced(tracked()) == []


def test_affray_is_a_namespace() -> None:
    """Section 2: the three source roots merge only while `affray` has no __init__.py."""
    affray = importlib.import_module("affray")
    assert affray.__file__ is None
    assert [place for place in affray.__path__ if (Path(place) / "__init__.py").exists()] == []
    assert namespace_breakers(tracked()) == []


def test_bare_names_are_no_packages() -> None:
    """Section 2: `kernel`, `plugins` and `sessions` never land in site-packages."""
    build = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["hatch"]["build"]
    assert build["targets"]["wheel"]["packages"] == ["kernel/affray", "plugins/affray", "sessions/affray"]
    site = Path(sysconfig.get_path("purelib"))
    assert [name for name in ("kernel", "plugins", "sessions") if (site / name).exists()] == []


def test_no_source_file_is_too_long() -> None:
    """Section 2: most files have 60 to 300 lines, none above 500."""
    files = [path for path in tracked() if path.endswith(".py")]
    assert files
    assert [path for path in files if too_long((ROOT / path).read_text("utf-8"))] == []


@pytest.mark.parametrize(
    ("paths", "found"),
    [
        ([*REQUIRED, "LICENSE", ".ci/run"], []),
        ([*REQUIRED, "docs/index.md"], ["surplus docs"]),
        (REQUIRED - {"README.md"}, ["missing README.md"]),
    ],
)
def test_a_misplaced_name_is_found(paths: Iterable[str], found: list[str]) -> None:
    """Section 2: the check of the top level can fail."""
    assert found == misplaced(paths)


def test_breakers_and_long_files_are_found() -> None:
    """Section 2: the checks of the namespace and of length can fail."""
    bad = ["kernel/affray/__init__.py", "sessions/__init__.py"]
    assert bad == namespace_breakers([*bad, "kernel/affray/kernel/__init__.py"])
    assert too_long("x\n" * (LINES_MAX + 1))
    assert not too_long("x\n" * LINES_MAX)
