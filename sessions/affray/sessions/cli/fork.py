"""`affray fork`: a session that begins as another did, up to a version."""

from __future__ import annotations

import click
import msgspec

from ..catalog import Catalog
from ..engine import Engine
from ..logs import configure
from ..views.texts import printable
from .places import place, stored_id
from .printing import print_json
from .reader import json_option, session_argument


class Forked(msgspec.Struct, frozen=True, kw_only=True):
    """The document of `fork --json`: the new session, and the version and digest of the origin it begins with."""

    session: str
    origin: str
    at: int
    digest: str
    version: int


@click.command("fork")
@session_argument
@click.option("--at", type=click.IntRange(min=1), metavar="VERSION", help="The last version to take along (default: the newest).")
@click.option("--session", "name", default="", metavar="ID", help="The new session's id (default: a new one).")
@click.option("--title", default="", help="The new session's title (default: the old one's).")
@json_option
def command(session: str, at: int | None, name: str, title: str, as_json: bool) -> int:
    """Start a session that begins as SESSION did up to a version, and goes on by itself.

    SESSION stays as it is. The new one holds its commits byte for byte and throws dice of its own; where players sent
    nonces, the next dice wait for another one.
    """
    configure("error")
    store = place().open()
    try:
        engine = Engine(store, Catalog())
        old = engine.load(stored_id(session))
        made = engine.fork(old, at, title=title, session=name)
        origin = made.state().origin
        assert origin is not None, "a fork names its origin"
        found = Forked(
            session=made.id, origin=origin.session, at=origin.version, digest=origin.digest, version=made.head
        )
    finally:
        store.close()
    if as_json:
        print_json(found)
    else:
        click.echo(f"{printable(found.session)}: goes on from version {found.at} of {printable(found.origin)}")
    return 0
