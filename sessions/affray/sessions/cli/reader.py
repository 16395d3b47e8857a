"""A ledger as one reader may see it, read without any rules, lock or secret."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import click

from affray.kernel import (
    GM,
    PUBLIC,
    AffrayError,
    Chain,
    Commit,
    InputError,
    Join,
    Log,
    Sender,
    State,
    fold_all,
    redact,
)

from ..views.texts import Texts
from . import db
from .places import Ledger, complete_session
from .printing import progress


class Reading:
    """Every commit of a ledger, checked, and what the reader may see of it. Raises Damaged, UnknownKind, InputError."""

    def __init__(self, ledger: Ledger, reader: str) -> None:
        self.where = ledger.where
        self.reader = reader
        self.log = Log()
        self.senders: list[Sender | None] = []
        lines = progress(ledger.lines, ledger.size, "reading")
        self.header = next(lines, b"")
        self.lines: list[bytes] = []
        chain, part = Chain(self.header, where=ledger.where), Chain(self.header)
        known = {GM, PUBLIC}
        for line in lines:
            commit = chain.accept(line)
            known |= _people(commit)
            shown = redact(line, reader)
            if shown == line:
                part.advance(commit)
            else:
                commit = part.accept(shown)
            self.lines.append(shown)
            self.log.add(commit)
            self.senders += [commit.sender] * len(commit.events)
        if reader not in known:
            raise InputError(f"nobody of that name reads here; there are {', '.join(sorted(known))}", path="--for", value=reader)
        self.session = chain.session
        self.version = chain.version
        self.digest = chain.digest

    def state(self, at: int | None = None) -> State:
        """The state at a version. Raises InputError for one that is not there."""
        self._check(at)
        return fold_all(self.log.line(at))

    def line(self, at: int | None = None) -> list[tuple[int, Any]]:
        """The (version, event) pairs that make the state at a version, in order."""
        self._check(at)
        return self.log.line(at)

    def all(self) -> Iterator[tuple[int, Any]]:
        """Every event there is, undone ones too."""
        return ((version, self.log.event(version)) for version in range(1, self.log.head + 1))

    def texts(self) -> Texts:
        """The words of the session's plugins, as far as they are installed."""
        return texts_of(self.state())

    def _check(self, at: int | None) -> None:
        if at is not None and not 0 <= at <= self.version:
            raise InputError(f"no such version; the log ends at {self.version}", path="--at", value=at)


def _people(commit: Commit) -> set[str]:
    people = {event.controller for event in commit.events if type(event) is Join}
    return people | {commit.sender.caller} if commit.sender is not None else people


def texts_of(state: State, locale: str = "en") -> Texts:
    """The words of a state's plugins; plain ones where a plugin is not installed, or fails."""
    from ..catalog import Catalog

    if state.manifest is None:
        return Texts()
    catalog = Catalog()
    try:
        return Texts(catalog.rules(state.manifest).texts(locale))
    except AffrayError:
        pass
    try:
        return Texts(catalog.bare(state.manifest.system.id).texts(locale))
    except AffrayError:
        return Texts()


_READER = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_-]*", re.ASCII)


def _is_reader(ctx: click.Context, param: click.Parameter, value: str) -> str:
    if not _READER.fullmatch(value):
        raise click.BadParameter("a reader is public, gm or the id of a controller", ctx, param)
    return value


def session_argument(command: Any) -> Any:
    """Let a command take a SESSION, and `--db` to say of which store."""
    return click.argument("session", shell_complete=complete_session)(db.option(command))


reader_option = click.option(
    "--for",
    "reader",
    default=PUBLIC,
    metavar="public|gm|ID",
    show_default=True,
    callback=_is_reader,
    help="Whose view: everybody's, the game master's, or one controller's.",
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON for programs.")
