"""Who may read what: the veil of an event, from the state it happens in.

A combatant that joined as secret keeps its numbers to the game master and its controller, wherever they went into a
number; a secret action keeps everything.
"""

from __future__ import annotations

import re
from typing import Any

from msgspec.structs import replace

from .events import (
    Choose,
    CloseAction,
    Declare,
    Done,
    GiveModifier,
    Join,
    Overrule,
    SetCondition,
    SetPool,
    SetStep,
)
from .names import root, slot
from .state import State
from .steps import ApplyDamage, Ask, Change, Defend, Judge, Order, Roll, Save
from .values import GM, Veil

_OFTEN_VEILED = frozenset({Ask, Declare, Join, Roll})
"""Kinds that may keep something in a fight where nobody has a secret."""


def veil(state: State, event: Any, actor: str = "") -> Any:
    """The event with its veil set, where not everybody may read all of it.

    `actor` is who acts in the run that made it; without one, whoever declared its root action.
    """
    if not state.has_secrets and type(event) not in _OFTEN_VEILED:
        return event
    found = _veil(state, event, actor)
    return event if found is None else replace(event, veil=found)


def _veil(state: State, event: Any, actor: str) -> Veil | None:
    kind = type(event)
    action = getattr(event, "action", "")
    run = state.open.get(root(action)) if action else None
    if (run is not None and run.secret) or (kind is Declare and event.secret):
        knows = _controller(state, run.actor if run is not None else event.actor)
        return Veil(audience=_names(knows, *_asked(state, event)))
    if kind is Roll:
        if event.blind:
            return Veil(audience=(GM,), fields=tuple(sorted(kind.KEPT)))
        actor = actor or (run.actor if run is not None else "")
        return _of(state, ("trace",), event.by, actor) if event.trace else None
    if kind is Join:
        return _join(event)
    if not kind.KEPT:
        return None
    actor = actor or (run.actor if run is not None else "")
    if kind is ApplyDamage:
        return _of(state, kind.KEPT, event.target) or _of(state, ("parts", "trace"), actor)
    if kind is Change:
        return _of(state, kind.KEPT, event.target) or _of(state, ("trace",), actor)
    if kind is Judge:
        return _of(state, kind.KEPT, event.by, event.against)
    if kind is Defend:
        return _of(state, kind.KEPT, event.who, event.against)
    if kind is Save:
        return _of(state, kind.KEPT, event.who, actor)
    if kind is Order:
        return _of(state, kind.KEPT, *[entry.who for entry in event.entries])
    if kind is Ask:
        return _ask(state, event)
    if kind is Overrule:
        return _overrule(state, event)
    return _of(state, kind.KEPT, getattr(event, kind.PERSON)) if kind.PERSON else None


def _join(event: Join) -> Veil | None:
    if event.secret:
        return Veil(audience=_names(event.controller), fields=tuple(sorted(Join.KEPT)))
    return Veil(audience=_names(event.controller), fields=("player",)) if event.player else None


def _asked(state: State, event: Any) -> tuple[str, ...]:
    """The controllers of those who are asked within a secret action: they read the question, the answers and its end."""
    if type(event) is Ask:
        asked = event.who
    elif type(event) is Done:
        below = event.action + ">"
        asks = [p.ask for p in state.prompts.values() if p.ask.action == event.action or p.ask.action.startswith(below)]
        asked = tuple([who for ask in asks for who in ask.who])
    else:
        prompt = state.prompts.get(slot(event)) if state.prompts and type(event) in (Choose, Roll) else None
        asked = () if prompt is None else prompt.ask.who
    return tuple([_controller(state, who) for who in asked])


def _overrule(state: State, event: Overrule) -> Veil | None:
    """The game master's word on somebody, on an action or on a step, kept where that is."""
    effect = event.effect
    if isinstance(effect, SetPool | SetCondition):
        return _of(state, Overrule.KEPT, effect.target)
    if isinstance(effect, GiveModifier | CloseAction | SetStep):
        name = effect.slot if isinstance(effect, SetStep) else effect.action
        run = state.open.get(root(name.partition("|")[0]))
        if run is not None and run.secret:
            return Veil(audience=_names(_controller(state, run.actor)), fields=Overrule.KEPT)
        people = re.split(r"[>|.+]", name) if isinstance(effect, SetStep) else []
        return _of(state, Overrule.KEPT, *people, run.actor if run is not None else "")
    return None


def _ask(state: State, event: Ask) -> Veil | None:
    if event.plan is not None or not (event.private or any(_is_secret(state, who) for who in event.who)):
        return None
    return Veil(audience=_names(*[_controller(state, who) for who in event.who]), fields=Ask.KEPT)


def _of(state: State, fields: tuple[str, ...], *people: str) -> Veil | None:
    """The veil over numbers into which these people's went; None when none of them is secret."""
    controllers = {_controller(state, who) for who in people if who and _is_secret(state, who)}
    if not controllers:
        return None
    readers = _names(*controllers) if len(controllers) == 1 else (GM,)
    return Veil(audience=readers, fields=tuple(sorted(fields)))


def _is_secret(state: State, who: str) -> bool:
    someone = state.combatants.get(who)
    return someone is not None and someone.secret


def _controller(state: State, who: str) -> str:
    someone = state.combatants.get(who)
    return someone.controller if someone is not None else GM


def _names(*names: str) -> tuple[str, ...]:
    return tuple(sorted({GM, *names}))
