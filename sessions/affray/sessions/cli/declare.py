"""`affray declare`: one action for a stored session."""

from __future__ import annotations

import click

from affray.kernel import Modifier, commands

from .commanding import Sending, parameters, send, sending, value_of


@click.command("declare")
@sending
@click.argument("actor")
@click.argument("action")
@click.argument("words", nargs=-1, metavar="[TARGET | KEY=VALUE]...")
@click.option("--row", "rows", nargs=3, multiple=True, metavar="PLACE AMOUNT CODE", help="A modifier the game master gives it.")
@click.option("--secret", is_flag=True, help="Keep it from the other players.")
def command(
    session: str, how: Sending, actor: str, action: str, words: tuple[str, ...], rows: tuple[tuple[str, str, str], ...], secret: bool
) -> int:
    """Declare ACTION for ACTOR in SESSION, at targets and with parameters.

    A VALUE is JSON where it is that, else text: weapon=sword power=3 aim=null name='"7"'.
    """
    targets, params = parameters(words)
    given = tuple([Modifier(place, value_of(amount), code) for place, amount, code in rows])
    return send(
        session,
        how,
        commands.Declare(actor=actor, name=action, targets=targets, params=params, rows=given, secret=secret),
    )
