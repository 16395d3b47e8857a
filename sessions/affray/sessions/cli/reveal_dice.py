"""`affray reveal-dice`: open the secret behind the fair dice of a stored session so far."""

from __future__ import annotations

import click

from affray.kernel import commands

from .commanding import Sending, send, sending


@click.command("reveal-dice")
@sending
@click.argument("chain", default="open", type=click.Choice(["open", "kept"]))
def command(session: str, how: Sending, chain: str) -> int:
    """Open the secret behind the dice of SESSION so far, so that everybody can check them, and go on with a new one.

    CHAIN is open for what everybody saw (the default), kept for rolls whose faces are kept.
    """
    return send(session, how, commands.RevealDice(chain=chain))
