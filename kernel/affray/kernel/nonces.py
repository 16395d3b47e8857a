"""Whose nonces count: what a player's client sends so that the host cannot choose the dice.

A nonce that does not count is left out by the engine without a word, so that a client may send again what it likes, and
`verify` finds one that stands in a log.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from . import commands as c
from .log import Log
from .state import State
from .values import GM

WHY_NOT = {
    "nonce-of-the-gm": "a nonce that no player sent",
    "nonce-of-nobody": "a nonce of one who controls nobody in the fight",
    "nonce-repeated": "a nonce that its sender used before",
}
"""Why a nonce does not count."""


def why_not(log: Log, state: State, caller: str, nonce: str, joining: Sequence[str] = ()) -> str:
    """Why a caller's nonce does not count, a key of WHY_NOT; "" when it counts.

    It counts when its sender is no game master, controls somebody who is in the fight or joins it now (`joining`: the
    controllers of those), and has not sent the same before.
    """
    if caller == GM:
        return "nonce-of-the-gm"
    present = (one.controller for one in state.combatants.values() if not one.gone)
    if caller not in joining and caller not in present:
        return "nonce-of-nobody"
    return "nonce-repeated" if (caller, nonce) in log.nonces_used else ""


def counted(log: Log, state: State, request: c.Request) -> c.Request:
    """The request, without its nonce where that does not count."""
    joining = (request.command.controller,) if isinstance(request.command, c.Join) else ()
    if not request.nonce or not why_not(log, state, request.caller, request.nonce, joining):
        return request
    return replace(request, nonce="")


__all__ = ["WHY_NOT", "counted", "why_not"]
