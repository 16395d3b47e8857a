"""Option `witness`: dice wait for a nonce that who chose last could not know.

Fair dice cannot be changed, but whoever holds their secret can read them ahead and choose the best of several
declarations. With this option every declaration and every answer is committed first, and dice that follow wait for a
nonce from the client of another player than the one who chose, whoever's action they belong to: nobody knows a face
while there is something to choose.
"""

from __future__ import annotations

import msgspec

from . import commands as c
from .log import Log, known_to
from .names import WITNESS
from .state import State
from .steps import Ask, Roll
from .values import GM, Option


class Now(msgspec.Struct, frozen=True, kw_only=True):
    """What the command that is being decided brings: a nonce that counts ("" for none), and whether it is a choice.

    `seen` is the newest version that its caller had seen; `is_witness` says that it answers a prompt for a witness.
    """

    caller: str = ""
    nonce: str = ""
    seen: int = -1
    is_choice: bool = False
    is_witness: bool = False


NOTHING = Now()


def brought(request: c.Request) -> Now:
    """What a request brings to the dice; its nonce is one that counts (`nonces.py`)."""
    command = request.command
    is_witness = isinstance(command, c.Answer) and f"|ask.{WITNESS}" in command.slot
    return Now(
        caller=request.caller,
        nonce=request.nonce,
        seen=request.seen,
        is_choice=isinstance(command, c.Declare | c.Answer) and not is_witness,
        is_witness=is_witness,
    )


def ask_witness(roll: Roll, who: str) -> Ask:
    """The prompt that asks somebody's player to witness a roll: it has one option."""
    options = (Option(code="witness"),)
    return Ask(WITNESS + roll.key, action=roll.action, occurrence=roll.occurrence, who=(who,), options=options)


def witness_for(log: Log, state: State, now: Now = NOTHING) -> str:
    """Who is to witness dice that are to be thrown now: a combatant's id, "" when nobody needs to or nobody can.

    A nonce is a witness's when another than the one who chose sent it behind the choice and knew of it; else it might
    have lain in the host's hands while there was something to choose.
    """
    since, chooser = (log.head + 1, now.caller) if now.is_choice else log.choice
    if not since:
        return ""  # nobody has chosen anything yet
    if not now.is_choice:
        knew = known_to(now.seen, log.head, is_witness=now.is_witness)
        if now.nonce and now.caller != chooser and knew >= since:
            return ""
        for version, caller, knew in reversed(log.nonce_trail):
            if version <= since:
                break
            if caller != chooser and knew >= since:
                return ""
    others = (one.id for one in state.combatants.values() if not one.gone and one.controller not in (GM, chooser))
    return next(others, "")


__all__ = ["NOTHING", "Now", "ask_witness", "brought", "witness_for"]
