"""`affray note`: a line in the log of a stored session."""

from __future__ import annotations

import click

from affray.kernel import commands

from .commanding import Sending, send, sending


@click.command("note")
@sending
@click.argument("text")
@click.option("--secret", is_flag=True, help="Only the game master and the writer may read it.")
def command(session: str, how: Sending, text: str, secret: bool) -> int:
    """Write TEXT into the log of SESSION."""
    return send(session, how, commands.Note(text=text, secret=secret))
