"""Where sessions are stored, which kind of store a folder is, and what a SESSION on the command line means.

The one place that chooses a store. A folder is a store of databases (`sqlite`, the default), unless it holds `.affray`
files and no database: then it is a store of those (`jsonl`). A FOLDER may name its kind, `jsonl:FOLDER` or
`sqlite:FOLDER`, which is how a new store of files is made. A store is opened when it is needed; nothing is written by
choosing one.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import click

from affray.kernel import AffrayError, Damaged, InputError

from ..stores import Store
from ..stores.jsonl import LEDGER, JsonlStore
from ..stores.lines import end_of_commits, lines_to, never_began
from ..views.texts import printable
from . import db

JSONL, SQLITE = "jsonl", "sqlite"

ENDINGS = {JSONL: LEDGER, SQLITE: ".sqlite"}
"""Kind of a store -> how the names of its sessions' files end."""

_DATABASES = (".sqlite", ".head")


class Place(NamedTuple):
    """A store's kind and folder."""

    kind: str
    folder: Path

    def open(self) -> Store:
        """The store. Close it to give up its locks."""
        if self.kind == JSONL:
            return JsonlStore(self.folder, on_note=note)
        from ..stores.sqlite import SqliteStore

        return SqliteStore(self.folder, on_note=note)

    def file_of(self, session: str) -> Path:
        """The file a stored session stands in."""
        return self.folder / f"{session}{ENDINGS[self.kind]}"


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
    return place().folder


def place(ctx: click.Context | None = None) -> Place:
    """The place that `--db` names, else the folder `sessions` of the data folder."""
    named = db.chosen(ctx)
    return place_named(named) if named else _place(home() / "sessions")


def place_named(text: str) -> Place:
    """The place that FOLDER, jsonl:FOLDER or sqlite:FOLDER names. Raises InputError for one whose kind is another."""
    kind, colon, rest = text.partition(":")
    if not colon or kind not in ENDINGS:
        if colon and kind.isalpha() and len(kind) > 1 and os.sep not in kind and not os.path.exists(text):
            raise InputError(f"no such kind of store; there are {', '.join(ENDINGS)}", path="--db", value=kind)
        return _place(Path(text).expanduser())
    named = Place(kind, Path(rest or ".").expanduser())
    found = _kind_of(named.folder)
    if found not in (None, kind):
        raise InputError(f"is a {found} store already", path=str(named.folder))
    return named


def _place(path: Path) -> Place:
    return Place(_kind_of(path) or SQLITE, path)


def _kind_of(path: Path) -> str | None:
    """The kind of store a folder is; None for one that is not there or holds no session."""
    try:
        endings = {os.path.splitext(name)[1] for name in os.listdir(path)}
    except FileNotFoundError:
        return None
    if not endings.isdisjoint(_DATABASES):
        return SQLITE
    return JSONL if LEDGER in endings else None


def store() -> Store:
    """The store of sessions. Close it to give up its locks."""
    return place().open()


def note(text: str) -> None:
    """Tell something on the side."""
    click.echo(f"affray: note: {printable(text)}", err=True)


def file_of(session: str) -> Path:
    """The file a stored session stands in."""
    return place().file_of(session)


def find(name: str) -> Ledger:
    """The ledger that a SESSION names: a path to a file, or the id of a stored session. Changes nothing, reads no secret.

    Raises NoSuchSession, OSError, InputError, Damaged.
    """
    return ledger_in(Path(name)) if is_path(name) else ledger_of(place(), name)


def is_path(name: str) -> bool:
    """Whether a SESSION is a path to a file rather than the id of a stored session."""
    return os.sep in name or name.endswith(tuple(ENDINGS.values()))


def stored_id(name: str) -> str:
    """A SESSION that must be a stored one, since something is to be done with it. Raises InputError for a path."""
    if is_path(name):
        raise InputError(
            "only a stored session can be played on: name it by its id ('affray import' stores a file)", path="SESSION", value=name
        )
    return name


def ledger_of(at: Place, session: str) -> Ledger:
    """The ledger of a session stored in a place."""
    lines = at.open().read(session)
    path = at.file_of(session)
    return Ledger(lines, session, path, path.stat().st_size)


def ledger_in(path: Path) -> Ledger:
    """The ledger in a file, portable or a database of a store."""
    if path.suffix == ENDINGS[SQLITE] and path.exists():
        return ledger_of(Place(SQLITE, path.parent), path.stem)
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


def complete_session(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[Any]:
    """Ids of stored sessions that begin so; files for what looks like a path, or where no session does."""
    from click.shell_completion import CompletionItem

    files = [CompletionItem(incomplete, type="file")]
    if os.sep in incomplete:
        return files
    try:
        known = place(ctx).open().sessions()
    except (AffrayError, OSError):
        return files
    return [CompletionItem(name) for name in known if name.startswith(incomplete)] or files


__all__ = [
    "ENDINGS",
    "JSONL",
    "SQLITE",
    "Ledger",
    "Place",
    "complete_session",
    "file_of",
    "find",
    "folder",
    "home",
    "is_path",
    "ledger_in",
    "ledger_of",
    "note",
    "place",
    "place_named",
    "store",
    "stored_id",
]
