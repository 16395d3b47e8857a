"""Option `witness`: dice wait for a nonce that the chooser's side does not send.

Fair dice cannot be changed, but whoever holds their secret can read them ahead and choose the best of several
declarations. With this option every declaration and every answer is committed first, and the dice that follow wait for a
nonce from the client of another player than the one who chose: nobody knows a face while there is something to choose.
"""

from __future__ import annotations

import msgspec

from .log import Log
from .names import root
from .state import State
from .values import GM

CODE = "witness"
"""The one option of that prompt."""


class Now(msgspec.Struct, frozen=True, kw_only=True):
    """What the command that is being decided brings: who chose by it ("" for nobody), and who sent a nonce with it."""

    chose: str = ""
    nonce_from: str = ""


def witness_for(log: Log, state: State, action: str, now: Now) -> str:
    """Who is to witness the dice of a declared action: a combatant's id, "" when nobody needs to or nobody can."""
    run = state.open.get(root(action))
    choice = log.choices.get(root(action))
    if run is None or not (choice or now.chose):
        return ""  # a moment of the clock: nobody chose anything
    since, who = (log.head + 1, now.chose) if now.chose else choice or (0, run.actor)
    chooser = _controller(state, who)
    later = [caller for version, caller in log.nonce_trail if version > since]
    if not now.chose and now.nonce_from:
        later.append(now.nonce_from)
    if any(caller != chooser for caller in later):
        return ""
    others = (one.id for one in state.combatants.values() if not one.gone and one.controller not in (GM, chooser))
    return next(others, "")


def _controller(state: State, who: str) -> str:
    someone = state.combatants.get(who)
    return someone.controller if someone is not None else GM
