"""Bringing a ledger into a store, byte for byte: what `import` and `copy` share."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import click
import msgspec
from msgspec import UNSET

from affray.kernel import Chain, Commit, Damaged

from .places import Place
from .printing import print_json


class Brought(msgspec.Struct, frozen=True, kw_only=True):
    """The document of `import --json` and `copy --json`.

    `hidden` counts events with parts that are not there. `playable` is false: the secret of the dice stays where it is.
    """

    session: str
    file: str
    version: int
    digest: str
    hidden: int
    playable: bool = False


class Whole:
    """A ledger read to its end, every byte checked: its header and its commits. Raises Damaged."""

    def __init__(self, lines: Iterable[bytes], where: str) -> None:
        stream = iter(lines)
        self.header = next(stream, b"")
        chain = Chain(self.header, where=where)
        self.commits: list[Commit] = [chain.accept(line) for line in stream]
        if not self.commits:
            raise Damaged("holds a header and nothing else", where=where)
        self.session, self.version, self.digest = chain.session, chain.version, chain.digest

    @property
    def lines(self) -> tuple[bytes, ...]:
        """The header line and every commit's."""
        return (self.header, *[commit.line for commit in self.commits])

    @property
    def hidden(self) -> int:
        """How many events have parts that are not there."""
        return sum(1 for commit in self.commits for event in commit.events if event.kept is not UNSET)


def bring(whole: Whole, to: Place) -> Brought:
    """Store a ledger as a session of a place. Raises SessionExists, StoreError."""
    store = to.open()
    try:
        store.create(whole.header, whole.commits)
    finally:
        store.close()
    return Brought(
        session=whole.session,
        file=str(to.file_of(whole.session)),
        version=whole.version,
        digest=whole.digest,
        hidden=whole.hidden,
    )


def tell(brought: Brought, as_json: bool) -> None:
    """Print what was stored."""
    if as_json:
        print_json(brought)
        return
    click.echo(f"{brought.session}: version {brought.version}, in {Path(brought.file)}")
    if brought.hidden:
        click.echo(f"{brought.hidden} events have parts that are not in this copy")
    click.echo("without the secret of its dice it can be read and verified here, not played on")


__all__ = ["Brought", "Whole", "bring", "tell"]
