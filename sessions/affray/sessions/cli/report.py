"""`affray report`: dice that were rolled at the table, for a stored session."""

from __future__ import annotations

import click

from affray.kernel import Refused, commands

from ..session import Session
from .answer import prompt_of
from .commanding import Sending, send, sending
from .table.choices import Unclear
from .table.faces import faces_of


@click.command("report")
@sending
@click.argument("who")
@click.argument("dice", nargs=-1, required=True, metavar="FACES...")
@click.option("--key", default="", help="Which roll, where more than one waits for WHO.")
@click.option("--slot", "named", default="", help="The prompt's slot, as `show --json` gives it.")
def command(session: str, how: Sending, who: str, dice: tuple[str, ...], key: str, named: str) -> int:
    """Report in SESSION the dice that WHO is to roll, one FACES a die.

    A die that went on, because it was rerolled or exploded, is written with all its faces: 6+6+2.
    """
    try:
        faces = tuple(map(faces_of, dice))
    except Unclear as unclear:
        raise click.BadParameter(str(unclear), param_hint="FACES") from None

    def make(loaded: Session) -> commands.Report | Refused:
        found = named or prompt_of(loaded, how, who, key)
        return found if isinstance(found, Refused) else commands.Report(slot=found, who=who, faces=faces)

    return send(session, how, make)
