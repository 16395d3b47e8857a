"""`affray redo`: go back on an undo in a stored session."""

from __future__ import annotations

import click

from affray.kernel import commands

from .commanding import Sending, send, sending


@click.command("redo")
@sending
def command(session: str, how: Sending) -> int:
    """Return in SESSION to where the newest undo came from, as long as nothing else was done since."""
    return send(session, how, commands.Redo())
