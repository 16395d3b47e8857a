"""`affray run`: play an encounter file."""

from __future__ import annotations

from pathlib import Path

import click
from msgspec.structs import replace

from ..encounter import Encounter, read_encounter
from . import db
from .places import file_of, store
from .playing import Stopped, new_id, play, played
from .printing import Page, print_json
from .reader import json_option, reader_option

house_option = click.option(
    "--house", default=None, metavar="RULE,...", help="House rules in their order, in place of the file's; '' for none."
)


def with_house(encounter: Encounter, house: str | None) -> Encounter:
    """An encounter under the house rules that were named; None leaves it its own."""
    if house is None:
        return encounter
    return replace(encounter, house=tuple([name.strip() for name in house.split(",") if name.strip()]))


@click.command("run")
@click.argument("encounter", type=click.Path(path_type=Path))
@click.option("--session", "name", default="", help="The new session's id (default: the file's name and a number).")
@house_option
@reader_option
@db.option
@json_option
def command(encounter: Path, name: str, house: str | None, reader: str, as_json: bool) -> int:
    """Play the encounter file ENCOUNTER (TOML) and store it as a new session.

    The format is told in sessions/ENCOUNTERS.md. `affray plugins` lists the house rules that are installed.
    """
    written = with_house(read_encounter(encounter), house)
    kept = store()
    try:
        session = play(
            kept,
            written,
            where=encounter.name,
            session=name or new_id(encounter.stem),
            reader=reader,
            page=None if as_json else Page(),
        )
    except Stopped as stopped:
        click.echo(f"affray: {stopped.sentence}", err=True)
        return stopped.code
    finally:
        kept.close()
    if as_json:
        print_json(played(session))
    else:
        over = "over" if session.state().over else "not over"
        click.echo(f"\n{session.id}: {over} at version {session.head}, in {file_of(session.id)}")
    return 0
