"""Fold events into state: one function per kind in a table, no plugin needed (law 2).

Folding never fails on an event that decoded: where a kept part is missing, what it would have said is unknown, and
somebody first heard of in the middle of the log is a combatant of whom nothing is known.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from msgspec import UNSET
from msgspec.structs import replace

from .events import (
    Choose,
    Close,
    CloseAction,
    Declare,
    Done,
    GiveModifier,
    Join,
    Leave,
    Open,
    Overrule,
    Rules,
    SetCondition,
    SetOrder,
    SetPool,
    SetStep,
    Turn,
)
from .names import RESUME, entry_moment, root, slot
from .state import Combatant, OpenAction, Prompt, State
from .steps import ApplyDamage, Ask, Change, Condition, Event, Order, Roll, Wait
from .values import Entry, Held

Changed = dict[str, Any]


def fold(state: State, event: Event, version: int) -> State:
    """The state after one event; `version` is the event's own."""
    step = _FOLD.get(type(event))
    if step is None:
        return state
    changed = step(state, event, version)
    return replace(state, **changed) if changed else state


def fold_all(pairs: Iterable[tuple[int, Event]], state: State | None = None) -> State:
    """Fold (version, event) pairs of one line."""
    now = State() if state is None else state
    for version, event in pairs:
        step = _FOLD.get(type(event))
        if step is not None and (changed := step(now, event, version)):
            now = replace(now, **changed)
    return now


def _without(mapping: dict[str, Any], *keys: str) -> dict[str, Any]:
    return {key: value for key, value in mapping.items() if key not in keys}


def _someone(state: State, who: str) -> Combatant:
    known = state.combatants.get(who)
    if known is not None:
        return known
    return Combatant(
        id=who, name=who, side="", controller="", secret=True, number=0, sheet=None, pools={}, ranges=None, conditions={}
    )


def _set(state: State, who: str, **fields: Any) -> dict[str, Combatant]:
    return {**state.combatants, who: replace(_someone(state, who), **fields)}


def _open(state: State, event: Open, version: int) -> Changed:
    return {
        "session": event.session,
        "title": event.title,
        "manifest": event.manifest,
        "origin": event.origin,
        "dice": event.dice,
        "undo_dice": event.undo_dice,
    }


def _join(state: State, event: Join, version: int) -> Changed:
    pools = event.pools
    someone = Combatant(
        id=event.id,
        name=event.name,
        side=event.side,
        controller=event.controller,
        secret=event.secret,
        number=1 + len(state.combatants),
        sheet=event.sheet,
        pools={} if pools is None else {name: pool.start for name, pool in pools.items()},
        ranges=pools,
        conditions={held.id: held for held in event.conditions or ()},
    )
    changed: Changed = {"combatants": {**state.combatants, event.id: someone}}
    if event.secret and not state.has_secrets:
        changed["has_secrets"] = True
    agenda = dict(state.agenda)
    for held in event.conditions or ():
        if held.until is not None:
            key = f"condition:{event.id}:{held.id}"
            agenda[key] = Entry(key=key, when=held.until, who=event.id, moment="expiry")
    if state.began:  # a late arrival is seated when the clock next moves
        key = f"join:{event.id}"
        agenda[key] = Entry(key=key, when=state.at, who=event.id, moment="join")
    if len(agenda) != len(state.agenda):
        changed["agenda"] = agenda
    return changed


def _leave(state: State, event: Leave, version: int) -> Changed:
    return {
        "combatants": _set(state, event.id, gone=True),
        "turn": "" if state.turn == event.id else state.turn,
        "agenda": {k: e for k, e in state.agenda.items() if e.who != event.id or e.moment == "resume"},
    }


def _order(state: State, event: Order | SetOrder, version: int) -> Changed:
    agenda = _without(state.agenda, *event.drop)
    for entry in event.entries:
        agenda[entry.key] = entry
    return {"agenda": agenda}


def _turn(state: State, event: Turn, version: int) -> Changed:
    what = event.moment
    changed: Changed = {}
    if what == "start":
        changed["turn"] = event.who
    elif what == "end":
        changed["turn"] = ""
    elif what == "begin":
        changed["began"] = True
    if event.entry:
        changed["at"] = event.when
        changed["agenda"] = _without(state.agenda, event.entry)
    if what == "resume":
        waiting = state.open.get(event.action)
        if waiting is not None:
            changed["open"] = {**state.open, event.action: replace(waiting, due=None)}
        return changed
    name = entry_moment(event)
    changed["turns"] = {**state.turns, name: state.turns.get(name, 0) + 1}
    if ">" not in event.action:
        run = OpenAction(id=event.action, what=what, actor=event.who, since=version, secret=False)
        changed["open"] = {**state.open, event.action: run}
    return changed


def _declare(state: State, event: Declare, version: int) -> Changed:
    if event.parent:
        return {}
    nth = state.declared.get(event.actor, 0) + 1
    run = OpenAction(
        id=event.action, what=event.name, actor=event.actor, since=version, secret=event.secret, nth=nth
    )
    declared = {**state.declared, event.actor: nth}
    changed: Changed = {"open": {**state.open, event.action: run}, "declared": declared}
    if event.secret and not state.has_secrets:
        changed["has_secrets"] = True
    return changed


def _ask(state: State, event: Ask, version: int) -> Changed:
    return {"prompts": {**state.prompts, slot(event): Prompt(ask=event, answers={})}}


def _choose(state: State, event: Choose, version: int) -> Changed:
    name = slot(event)
    prompt = state.prompts.get(name)
    if prompt is None:
        return {}
    answers = {**prompt.answers, event.who: event.value}
    if len(answers) == len(prompt.ask.who):
        return {"prompts": _without(state.prompts, name)}
    return {"prompts": {**state.prompts, name: replace(prompt, answers=answers)}}


def _roll(state: State, event: Roll, version: int) -> Changed:
    changed: Changed = {}
    if state.prompts and (name := slot(event)) in state.prompts:
        changed["prompts"] = _without(state.prompts, name)
    return changed


def _apply_damage(state: State, event: ApplyDamage, version: int) -> Changed:
    pools = dict(_someone(state, event.target).pools)
    if event.touched is None:
        for name in event.pools:
            pools[name] = None
    else:
        for touch in event.touched:
            pools[touch.pool] = touch.after
    return {"combatants": _set(state, event.target, pools=pools)}


def _change(state: State, event: Change, version: int) -> Changed:
    pools = {**_someone(state, event.target).pools, event.pool: event.after}
    return {"combatants": _set(state, event.target, pools=pools)}


def _condition(state: State, event: Condition, version: int) -> Changed:
    if event.code == "ended":
        return _end_condition(state, event.target, event.id)
    held = Held(
        id=event.id,
        value=event.after if event.kept is UNSET else None,
        until=event.until,
        rows=event.rows or (),
        source=event.source,
    )
    return _hold(state, event.target, held)


def _hold(state: State, who: str, held: Held) -> Changed:
    conditions = {**_someone(state, who).conditions, held.id: held}
    changed: Changed = {"combatants": _set(state, who, conditions=conditions)}
    key = f"condition:{who}:{held.id}"
    if held.until is not None:
        entry = Entry(key=key, when=held.until, who=who, moment="expiry")
        changed["agenda"] = {**state.agenda, key: entry}
    elif key in state.agenda:
        changed["agenda"] = _without(state.agenda, key)
    return changed


def _end_condition(state: State, who: str, condition: str) -> Changed:
    changed: Changed = {
        "combatants": _set(state, who, conditions=_without(_someone(state, who).conditions, condition))
    }
    key = f"condition:{who}:{condition}"
    if key in state.agenda:
        changed["agenda"] = _without(state.agenda, key)
    return changed


def _wait(state: State, event: Wait, version: int) -> Changed:
    run = root(event.action)
    waiting = state.open.get(run)
    if waiting is None:
        return {}
    key = RESUME + run
    entry = Entry(key=key, when=event.when, who=waiting.actor, moment="resume")
    return {"agenda": {**state.agenda, key: entry}, "open": {**state.open, run: replace(waiting, due=event.when)}}


def _done(state: State, event: Done, version: int) -> Changed:
    return _close_action(state, event.action)


def _close_action(state: State, action: str) -> Changed:
    changed: Changed = {}
    below = action + ">"
    if state.prompts:
        prompts = {
            name: prompt
            for name, prompt in state.prompts.items()
            if not (prompt.ask.action == action or prompt.ask.action.startswith(below))
        }
        if len(prompts) != len(state.prompts):
            changed["prompts"] = prompts
    if state.given:
        changed["given"] = {
            name: rows for name, rows in state.given.items() if name != action and not name.startswith(below)
        }
    if action in state.open:
        changed["open"] = _without(state.open, action)
        if RESUME + action in state.agenda:
            changed["agenda"] = _without(state.agenda, RESUME + action)
    return changed


def _overrule(state: State, event: Overrule, version: int) -> Changed:
    effect = event.effect
    match effect:
        case SetPool():
            pools = {**_someone(state, effect.target).pools, effect.pool: effect.after}
            return {"combatants": _set(state, effect.target, pools=pools)}
        case SetCondition():
            if effect.held is not None:
                return _hold(state, effect.target, effect.held)
            return _end_condition(state, effect.target, effect.ended)
        case GiveModifier():
            rows = (*state.given.get(effect.action, ()), *effect.rows)
            return {"given": {**state.given, effect.action: rows}}
        case SetStep():
            return {"coming": {**state.coming, effect.slot: effect.fields}}
        case SetOrder():
            return _order(state, effect, version)
        case CloseAction():  # the `done` that follows closes it
            return {}
    return {}


def _rules(state: State, event: Rules, version: int) -> Changed:
    return {"manifest": event.manifest}


def _close(state: State, event: Close, version: int) -> Changed:
    return {"over": event.code, "turn": ""}


_FOLD: dict[type, Callable[[State, Any, int], Changed]] = {
    Open: _open,
    Join: _join,
    Leave: _leave,
    Order: _order,
    Turn: _turn,
    Declare: _declare,
    Ask: _ask,
    Choose: _choose,
    Roll: _roll,
    ApplyDamage: _apply_damage,
    Change: _change,
    Condition: _condition,
    Wait: _wait,
    Done: _done,
    Overrule: _overrule,
    Rules: _rules,
    Close: _close,
}
"""Kinds that are not here (defend, judge, save, note, reveal, rewind...) say something but change nothing."""

__all__ = ["RESUME", "fold", "fold_all"]
