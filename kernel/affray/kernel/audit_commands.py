"""Would the rules have taken the command that an event opened with, and made this event of it?

The command is put together again from its event and asked as the engine asks it (`openings.py`). What a person chose
freely (who is named, what is said, which answer, which modifiers a game master gives) is taken as recorded.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec import UNSET
from msgspec.structs import replace

from . import commands as c
from .errors import InputError, Refused
from .events import (
    Choose,
    Close,
    CloseAction,
    Declare,
    Done,
    Join,
    Leave,
    Note,
    Overrule,
    Rules,
    SetPool,
    Turn,
)
from .exchange import Exchange
from .ledger import Commit
from .names import WITNESS, is_id, slot
from .openings import OPENINGS, Ids
from .steps import Roll
from .values import GM
from .veil import veil


def command_of(event: Any, exchange: Exchange) -> c.Command | None:
    """The command that opens with this event; None where none does."""
    make: Callable[[Any, Exchange], c.Command | None] | None = _COMMANDS.get(type(event))
    return make(event, exchange) if make is not None else None


def opening(event: Any, exchange: Exchange, log: Ids, commit: Commit | None = None) -> tuple[Any, ...] | Refused:
    """What the engine makes of the command that an event opened with, before anything follows from it.

    `commit` is the one it stands in; without one, or in a group, which runs commands again, an action keeps its id.
    Raises InputError where the engine could not have read it, Breach and PluginUnavailable.
    """
    command = command_of(event, exchange)
    if command is None:
        raise InputError("no command opens with this", value=type(event).__name__)
    sender = None if commit is None else commit.sender
    is_again = commit is None or commit.envelope.group is not None  # a witness of recorded dice is no witness anew
    nonce = commit.envelope.nonce if commit is not None and not is_again else "again"
    caller = sender.caller if sender is not None and not is_again else _likely(event, exchange)
    name = sender.command if sender is not None else getattr(event, "action", "") or "unknown"
    request = c.Request(id=name, command=command, caller=caller, nonce=nonce)
    found = OPENINGS[type(command)](exchange, request, log)
    if isinstance(found, Refused):
        return found
    if type(event) is Declare and (sender is None or is_again):
        found = [replace(found[0], action=event.action)]
    return tuple([veil(exchange.state, one) for one in found])


def _likely(event: Any, exchange: Exchange) -> str:
    """Who may have sent a command whose sender is kept: nobody but a player witnesses dice, and a secret note is its writer's."""
    if type(event) is Note and event.veil is not UNSET:
        return next((who for who in event.veil.audience if who != GM), GM)
    someone = exchange.state.combatants.get(event.who) if type(event) is Choose and event.key.startswith(WITNESS) else None
    return GM if someone is None else someone.controller


def _join(event: Join, exchange: Exchange) -> c.Join | None:
    if event.sheet is None or event.pools is None or event.conditions is None:
        return None
    usual = exchange.rules.pools(exchange.rules.read_sheet(event.sheet))
    return c.Join(
        id=event.id,
        name=event.name,
        side=event.side,
        controller=event.controller,
        sheet=event.sheet,
        pools={name: pool.start for name, pool in event.pools.items() if name in usual and pool.start != usual[name].start},
        conditions=event.conditions,
        secret=event.secret,
        player=event.player or "",
    )


def _begin(event: Turn, exchange: Exchange) -> c.Begin | None:
    return c.Begin() if event.moment == "begin" else None


def _declare(event: Declare, exchange: Exchange) -> c.Declare | None:
    if event.parent:
        return None
    return c.Declare(
        actor=event.actor,
        name=event.name,
        targets=event.targets,
        params=event.params,
        rows=event.rows,
        secret=event.secret,
    )


def _report(event: Roll, exchange: Exchange) -> c.Report | None:
    prompt = exchange.state.prompts.get(slot(event))
    if event.faces is None or (event.source != "reported" and (prompt is None or prompt.ask.plan is None)):
        return None  # one whose faces the game master had set meanwhile is reported all the same
    return c.Report(slot=slot(event), who=event.by, faces=event.faces)


def _overrule(event: Overrule, exchange: Exchange) -> c.Overrule | None:
    effect = event.effect
    if effect is None:
        return None
    if isinstance(effect, SetPool):
        effect = replace(effect, before=None, after=None)
    return c.Overrule(reason=event.reason, effect=effect)


def _note(event: Note, exchange: Exchange) -> c.Note | None:
    return None if event.text is None else c.Note(text=event.text, secret=event.veil is not UNSET)


_COMMANDS: dict[type, Callable[[Any, Exchange], c.Command | None]] = {
    Choose: lambda event, exchange: None if event.value is None else c.Answer(slot=slot(event), who=event.who, value=event.value),
    Declare: _declare,
    Join: _join,
    Leave: lambda event, exchange: c.Leave(id=event.id),
    Note: _note,
    Overrule: _overrule,
    Roll: _report,
    Rules: lambda event, exchange: c.SetRules(manifest=event.manifest, reason=event.reason),
    Turn: _begin,
}
"""Kind of the first event -> the command."""


def closing(event: Any, exchange: Exchange, before: Any) -> Any:
    """The event that the game master's word makes in the place of this one, as a cancelling or an end; None where it makes none.

    `before` is the event before it in its commit.
    """
    state = exchange.state
    is_cancelling = before is None or (type(before) is Done and before.cause == "close")
    if type(event) is Done and event.cause == "close" and is_cancelling:
        return veil(state, Done(action=next(iter(state.open), ""), code="cancelled", cause="close"))
    if type(event) is Done and event.cause == "overrule" and type(before) is Overrule:
        effect = before.effect
        if isinstance(effect, CloseAction):
            return veil(state, Done(action=effect.action, code=effect.code, cause="overrule"))
    if type(event) is Close and is_cancelling and not state.open and not state.over:
        return Close(code=event.code) if is_id(event.code) else None
    return None


def unfinished(events: tuple[Any, ...]) -> str:
    """Why a commit cannot end as it does, "" where it can: the game master's word has consequences of its own."""
    last = events[-1]
    if type(last) is Done and last.cause == "close":
        return "cancels actions without ending the fight"
    if type(last) is Overrule and isinstance(last.effect, CloseAction):
        return f"closes {last.effect.action}, which has no end here"
    return ""


__all__ = ["closing", "command_of", "opening", "unfinished"]
