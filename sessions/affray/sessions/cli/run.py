"""`affray run`: play an encounter file."""

from __future__ import annotations

from pathlib import Path

import click

from ..encounter import read_encounter
from . import db
from .places import file_of, store
from .playing import Stopped, new_id, play, played
from .printing import Page, print_json
from .reader import json_option, reader_option


@click.command("run")
@click.argument("encounter", type=click.Path(path_type=Path))
@click.option("--session", "name", default="", help="The new session's id (default: the file's name and a number).")
@reader_option
@db.option
@json_option
def command(encounter: Path, name: str, reader: str, as_json: bool) -> int:
    """Play the encounter file ENCOUNTER (TOML) and store it as a new session.

    The format is told in sessions/ENCOUNTERS.md.
    """
    written = read_encounter(encounter)
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
