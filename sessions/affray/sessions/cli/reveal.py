"""`affray reveal`: open to everybody what an event of a stored session keeps."""

from __future__ import annotations

import click

from affray.kernel import commands

from .commanding import Sending, send, sending


@click.command("reveal")
@sending
@click.argument("version", type=click.IntRange(min=1))
def command(session: str, how: Sending, version: int) -> int:
    """Open to everybody what the event at VERSION of SESSION keeps. It cannot be kept again."""
    return send(session, how, commands.Reveal(version=version))
