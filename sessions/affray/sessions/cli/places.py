"""Where sessions are stored, and what a SESSION on the command line means."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import click

from affray.kernel import Damaged

from ..stores.jsonl import LEDGER, JsonlStore
from ..stores.lines import end_of_commits, lines_to, never_began
from ..views.texts import printable


class Ledger(NamedTuple):
    """A session's lines, read once from beginning to end: the header first. `size` is in bytes, `where` for messages."""

    lines: Iterator[bytes]
    where: str
    path: Path
    size: int


def home() -> Path:
    """The data folder: AFFRAY_HOME, else the user's."""
    if named := os.environ.get("AFFRAY_HOME"):
        return Path(named).expanduser()
    data = os.environ.get("XDG_DATA_HOME")
    return (Path(data) if data else Path.home() / ".local" / "share") / "affray"


def folder() -> Path:
    """Where the sessions are."""
    return home() / "sessions"


def store() -> JsonlStore:
    """The store of sessions. Close it to give up its locks."""
    return JsonlStore(folder(), on_note=note)


def note(text: str) -> None:
    """Tell something on the side."""
    click.echo(f"affray: note: {printable(text)}", err=True)


def file_of(session: str) -> Path:
    """The file a stored session stands in."""
    return folder() / f"{session}{LEDGER}"


def find(name: str) -> Ledger:
    """The ledger that a SESSION names: a path to a file, or the id of a stored session. Takes no lock, reads no secret.

    Raises NoSuchSession, OSError, InputError, Damaged.
    """
    if os.sep in name or name.endswith(LEDGER):
        return _file(Path(name))
    path = file_of(name)
    lines = store().read(name)
    return Ledger(lines, name, path, path.stat().st_size)


def _file(path: Path) -> Ledger:
    with path.open("rb") as file:
        if never_began(file):
            raise Damaged("is empty, or ends within its first line", where=str(path))
        end = end_of_commits(file, str(path))
        size = os.fstat(file.fileno()).st_size
    if size > end:
        note(f"{path}: left out {size - end} bytes at the end that are no whole commit")
    return Ledger(_lines(path, end), str(path), path, end)


def _lines(path: Path, end: int) -> Iterator[bytes]:
    with path.open("rb") as file:
        yield from lines_to(file, end)
