"""The command line in tests: plugins that are found or hidden, sessions in a data folder, commands run in this process."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner, Result

from affray.sessions import Session
from affray.sessions.cli import app

from .tiny import Tiny

ROOT = Path(__file__).parents[2]

NYRA = EntryPoint("nyra", "affray.plugins.nyra:make", "affray.systems")
TINY = EntryPoint("tiny", f"{Tiny.__module__}:Tiny", "affray.systems")

HIDE = """
import importlib.metadata, sys
importlib.metadata.entry_points = lambda **_: []
sys.modules["affray.plugins"] = None
from affray.sessions.cli import main
main()
"""
"""A program in which no plugin is installed and none can be imported."""


def find_plugins(monkeypatch: pytest.MonkeyPatch, *points: EntryPoint) -> None:
    """Let the catalog find these plugins and no others, however this environment was installed."""

    def found(group: str) -> list[EntryPoint]:
        return [point for point in points if point.group == group]

    monkeypatch.setattr("affray.sessions.catalog.entry_points", found)


def affray(*args: str | Path) -> Result:
    """Run a command in this process."""
    return CliRunner().invoke(app, [str(arg) for arg in args], prog_name="affray")


def document(*args: str | Path, code: int = 0) -> Any:
    """Run a command with --json and read what it printed."""
    result = affray(*args, "--json")
    assert result.exit_code == code, result.stderr
    return msgspec.json.decode(result.stdout)


def json_lines(*args: str | Path) -> list[Any]:
    """Run a command that prints a document a line."""
    result = affray(*args, "--json")
    assert result.exit_code == 0, result.stderr
    return [msgspec.json.decode(line) for line in result.stdout.splitlines()]


def put(session: Session, home: Path) -> Path:
    """Store a session's file in a data folder, without its secret."""
    folder = home / "sessions"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{session.id}.affray"
    path.write_bytes(b"".join([line + b"\n" for line in (session.header, *session.lines)]))
    return path


def edit(path: Path, change: Callable[[list[bytes]], list[bytes]]) -> None:
    """Change the lines of a file."""
    path.write_bytes(b"".join([line + b"\n" for line in change(path.read_bytes().splitlines())]))


def environment(home: Path, **more: str) -> dict[str, str]:
    """The environment of a process of its own, which finds this source tree."""
    roots = os.pathsep.join([str(ROOT / name) for name in ("kernel", "plugins", "sessions")])
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("AFFRAY_", "NO_COLOR"))}
    return {**kept, "PYTHONPATH": roots, "AFFRAY_HOME": str(home), **more}


def hidden(home: Path, *args: str | Path) -> subprocess.CompletedProcess[str]:
    """Run a command in a process of its own in which no plugin is installed."""
    return subprocess.run(
        [sys.executable, "-c", HIDE, *[str(arg) for arg in args]],
        env=environment(home),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


__all__ = ["HIDE", "NYRA", "ROOT", "TINY", "affray", "document", "edit", "environment", "find_plugins", "hidden", "json_lines", "put"]
