"""`affray answer`: the answer to a prompt of a stored session."""

from __future__ import annotations

import click

from affray.kernel import GM, InputError, Refused, commands, slot

from ..session import Session
from .commanding import Sending, before, send, sending


@click.command("answer")
@sending
@click.argument("who")
@click.argument("value")
@click.option("--key", default="", help="Which prompt, where more than one waits for WHO.")
@click.option("--slot", "named", default="", help="The prompt's slot, as `show --json` gives it.")
def command(session: str, how: Sending, who: str, value: str, key: str, named: str) -> int:
    """Answer in SESSION what WHO is asked, with VALUE, the code of one of the options."""

    def make(loaded: Session) -> commands.Answer | Refused:
        found = named or prompt_of(loaded, how, who, key)
        return found if isinstance(found, Refused) else commands.Answer(slot=found, who=who, value=value)

    return send(session, how, make)


def prompt_of(session: Session, how: Sending, who: str, key: str) -> str | Refused:
    """The slot of the prompt that waits for somebody; of a command that is sent again, the one it answered.

    Raises InputError where more than one waits and none is named.
    """
    if (event := before(session, how)) is not None:
        return slot(event) if hasattr(event, "key") else Refused("command-id-used", (how.id,))
    found = session.prompts(who, reader=GM)
    names = [name for name, prompt in found.items() if key in ("", prompt.ask.key)]
    if len(names) > 1:
        keys = ", ".join([found[name].ask.key for name in names])
        raise InputError(f"{who} is asked more than one thing; say which: {keys} (or give --slot)", path="--key")
    if names:
        return names[0]
    state = session.state(reader=GM)
    return Refused("not-asked", (who,)) if who in state.combatants else Refused("no-such-combatant", (who,))
