"""`affray undo`: take back what was done last in a stored session."""

from __future__ import annotations

import click

from affray.kernel import commands

from .commanding import Sending, send, sending


@click.command("undo")
@sending
@click.argument("action", default="")
def command(session: str, how: Sending, action: str) -> int:
    """Take back the last action in SESSION, or ACTION: the id of its command.

    Nothing is removed from the log: what was undone stays readable there.
    """
    return send(session, how, commands.Undo(action=action))
