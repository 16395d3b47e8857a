"""`affray show`: the state of a fight as a table."""

from __future__ import annotations

import click

from ..views.board import board, lines
from .places import find
from .printing import Page, print_json
from .reader import Reading, json_option, reader_option, session_argument


@click.command("show")
@session_argument
@click.option("--at", "at", type=click.IntRange(min=0), help="The version to show (default: the newest).")
@reader_option
@json_option
def command(session: str, at: int | None, reader: str, as_json: bool) -> int:
    """Show the state of SESSION, now or at any version."""
    reading = Reading(find(session), reader)
    texts = reading.texts()
    shown = board(reading.state(at), reading.version if at is None else at, reader, texts)
    if as_json:
        print_json(shown)
    else:
        Page().rows(lines(shown, texts))
    return 0
