"""What a command opens with: its own events, or why it is refused. Asked before anything is fed to the exchange.

Raises InputError for what cannot be read, with its path.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import msgspec
from msgspec.structs import replace

from . import commands as c
from .dice import check_faces
from .draws import Drawn
from .errors import DiceError, InputError, Refused
from .events import (
    Choose,
    CloseAction,
    Declare,
    Done,
    GiveModifier,
    Join,
    Leave,
    Note,
    Overrule,
    Rules,
    SetCondition,
    SetStep,
    Turn,
)
from .exchange import Exchange
from .inputs import check_json, check_rows, check_text
from .limits import COMBATANTS, ROWS, TARGETS, TEXT_LENGTH
from .log import opens_run
from .names import WITNESS, check_id, root
from .numbers import is_number
from .settle import check_fields, check_held, settle_effect
from .state import State
from .values import GM, PUBLIC, Veil

Opening = list[Any] | Refused


class Ids(Protocol):
    """What is asked of a log: the ids that were used in it, and whether an action is on the line that is gone on with."""

    action_ids: set[str]
    events: list[Any]

    def is_present(self, action: str) -> bool:
        """Whether a root action was opened on the line."""
        ...


CAUSES = frozenset({"close", "leave", "overrule"})
"""What a `done` names as its cause beside another action: no action may be called so."""


def _may(state: State, caller: str, who: str) -> bool:
    someone = state.combatants.get(who)
    return caller == GM or (someone is not None and someone.controller == caller)


def _present(state: State, who: str) -> Refused | None:
    someone = state.combatants.get(who)
    if someone is None:
        return Refused("no-such-combatant", (who,))
    return Refused("gone", (who,)) if someone.gone else None


def _join(exchange: Exchange, request: c.Request, log: Ids) -> Opening:
    command = request.command
    assert isinstance(command, c.Join)
    state, rules = exchange.state, exchange.rules
    check_id(command.id, "a combatant's id", "$.id")
    check_id(command.side, "a side", "$.side")
    check_id(command.controller, "a controller", "$.controller")
    check_text(command.name, "$.name")
    check_text(command.player, "$.player", empty=True)
    check_json(command.sheet, "$.sheet")
    if command.controller == PUBLIC:
        raise InputError("the public controls nobody", path="$.controller", value=PUBLIC)
    if request.caller not in (GM, command.controller):
        return Refused("not-yours", (command.id,))
    if (command.pools or command.conditions) and request.caller != GM:
        return Refused("gm-only", (request.caller,))  # as a bonus to a declaration is
    if state.over:
        return Refused("over", (state.over,))
    if command.id in state.combatants:
        return Refused("already-joined", (command.id,))
    if len(state.combatants) >= COMBATANTS:
        return Refused("too-many-combatants", (COMBATANTS,))
    try:
        pools = rules.pools(rules.read_sheet(command.sheet))
    except InputError as error:
        raise InputError(error.problem, path="$.sheet" + error.path.removeprefix("$"), value=error.value) from None
    for name, start in command.pools.items():
        if name not in pools:
            raise InputError(f"no such pool; there are {', '.join(pools)}", path=f"$.pools.{name}")
        if not is_number(start):
            raise InputError("not an exact number", path=f"$.pools.{name}", value=start)
        pools[name] = replace(pools[name], start=start)
    if len(command.conditions) > ROWS:
        raise InputError(f"more than {ROWS} conditions", path="$.conditions")
    for index, held in enumerate(command.conditions):
        check_held(state, held, f"$.conditions[{index}]")
        check_rows(held.rows, rules.places, f"$.conditions[{index}].rows")
    return [
        Join(
            id=command.id,
            name=command.name,
            side=command.side,
            controller=command.controller,
            secret=command.controller == GM if command.secret is None else command.secret,
            sheet=command.sheet,
            pools=pools,
            conditions=command.conditions,
            player=command.player,
        )
    ]


def _leaving(exchange: Exchange, request: c.Request, log: Ids) -> Opening:
    command = request.command
    assert isinstance(command, c.Leave)
    if refused := _present(exchange.state, command.id):
        return refused
    if not _may(exchange.state, request.caller, command.id):
        return Refused("not-yours", (command.id,))
    return [Leave(id=command.id)]


def _choice(ask: Any, who: str, value: str | None) -> Choose:
    """The `choose` that answers an `ask` for one person."""
    return Choose(action=ask.action, key=ask.key, occurrence=ask.occurrence, who=who, value=value)


def _begin(exchange: Exchange, request: c.Request, log: Ids) -> Opening:
    state = exchange.state
    if state.over:
        return Refused("over", (state.over,))
    if state.began:
        return Refused("already-begun")
    if not state.combatants:
        return Refused("nobody-there")
    return [Turn(action="begin", moment="begin", who="", when=(), entry="")]


def _closing(exchange: Exchange, request: c.Request, log: Ids) -> Opening:
    command = request.command
    assert isinstance(command, c.Close)
    check_id(command.code, "an ending's code", "$.code")
    return Refused("over", (exchange.state.over,)) if exchange.state.over else []


def _declare(exchange: Exchange, request: c.Request, log: Ids) -> Opening:
    command = request.command
    assert isinstance(command, c.Declare)
    state, rules = exchange.state, exchange.rules
    check_json(command.params, "$.params")
    check_rows(command.rows, rules.places, "$.rows")
    if len(command.targets) > TARGETS:
        raise InputError(f"more than {TARGETS} targets", path="$.targets")
    for who in (command.actor, *command.targets):
        if refused := _present(state, who):
            return refused
    if not _may(state, request.caller, command.actor):
        return Refused("not-yours", (command.actor,))
    if command.rows and request.caller != GM:
        return Refused("gm-only", (request.caller,))  # a bonus is the game master's to give
    if state.over:
        return Refused("over", (state.over,))
    if not state.began:
        return Refused("not-begun")
    if state.prompts:
        return Refused("prompt-open", (next(iter(state.prompts)),))
    event = Declare(
        action=_new_action(log, request),
        actor=command.actor,
        name=command.name,
        targets=command.targets,
        params=command.params,
        rows=command.rows,
        parent="",
        secret=command.secret,
    )
    fight = exchange.window(rules)
    action = exchange.action(event, rules, fight)
    if refused := _fits_a_form(exchange, command):
        return refused
    if refused := rules.check(fight, action):
        return refused
    return [event]


def _fits_a_form(exchange: Exchange, command: c.Declare) -> Refused | None:
    state, rules = exchange.state, exchange.rules
    forms = [f for f in rules.actions(exchange.window(rules), command.actor) if f.name == command.name]
    if not forms:
        return Refused("not-allowed" if state.turn == command.actor else "not-your-turn", (command.actor, command.name))
    for form in forms:
        if form.least <= len(command.targets) <= form.most and set(command.targets) <= set(form.targets):
            return None
    wrong = next((who for who in command.targets if all(who not in form.targets for form in forms)), "")
    return Refused("not-a-target", (wrong,)) if wrong else Refused("wrong-number-of-targets", (len(command.targets),))


def _new_action(log: Ids, request: c.Request) -> str:
    """An action's id is its command's; where that name is taken already, the caller's goes with it."""
    taken = request.id in log.action_ids or request.id in CAUSES
    return f"{request.caller}~{request.id}" if taken else request.id


def _prompt(exchange: Exchange, request: c.Request, name: str, who: str) -> Any:
    state = exchange.state
    prompt = state.prompts.get(name)
    if prompt is None:
        return Refused("no-such-prompt", (name,))
    if who not in prompt.ask.who:
        return Refused("not-asked", (who,))
    if who in prompt.answers:
        return Refused("already-answered", (who,))
    return prompt if _may(state, request.caller, who) else Refused("not-yours", (who,))


def _answer(exchange: Exchange, request: c.Request, log: Ids) -> Opening:
    command = request.command
    assert isinstance(command, c.Answer)
    prompt = _prompt(exchange, request, command.slot, command.who)
    if isinstance(prompt, Refused):
        return prompt
    if prompt.ask.plan is not None:
        return Refused("dice-wanted", (command.slot,))
    codes = [option.code for option in prompt.ask.options]
    if command.value not in codes:
        return Refused("no-such-option", (command.value, *codes))
    if prompt.ask.key.startswith(WITNESS):
        controller = exchange.state.combatants[command.who].controller
        if request.caller != controller:
            return Refused("not-yours", (command.who,))  # nobody can witness for somebody else
        if not request.nonce:
            return Refused("nonce-wanted", (command.slot,))
    return [_choice(prompt.ask, command.who, command.value)]


def _report(exchange: Exchange, request: c.Request, log: Ids) -> Opening:
    command = request.command
    assert isinstance(command, c.Report)
    prompt = _prompt(exchange, request, command.slot, command.who)
    if isinstance(prompt, Refused):
        return prompt
    roll = exchange.awaited(prompt.ask.action)
    if prompt.ask.plan is None or roll is None:
        return Refused("no-dice-wanted", (command.slot,))
    if refused := _present(exchange.state, command.who):
        return refused  # the engine throws for one who left, and may wait for a witness or a nonce
    try:
        check_faces(roll.plan, command.faces)
        return [exchange.with_faces(roll, Drawn(command.faces, "reported"))]
    except DiceError as error:
        return Refused("wrong-dice", (error.problem,))


def _note(exchange: Exchange, request: c.Request, log: Ids) -> Opening:
    command = request.command
    assert isinstance(command, c.Note)
    check_text(command.text, "$.text", most=TEXT_LENGTH)
    note = Note(text=command.text)
    if command.secret:
        note = replace(note, veil=Veil(audience=tuple(sorted({GM, request.caller})), fields=("text",)))
    return [note]


def _overrule(exchange: Exchange, request: c.Request, log: Ids) -> Opening:
    command = request.command
    assert isinstance(command, c.Overrule)
    state, effect = exchange.state, command.effect
    check_text(command.reason, "$.reason", most=TEXT_LENGTH)
    check_json(msgspec.to_builtins(effect), "$.effect")
    if isinstance(effect, CloseAction) and effect.action not in state.open:
        return Refused("no-such-action", (effect.action,))
    if isinstance(effect, GiveModifier) and not _runs_or_comes(exchange, log, effect.action):
        return Refused("no-such-action", (effect.action,))
    if isinstance(effect, GiveModifier):
        check_rows(effect.rows, exchange.rules.places, "$.effect.rows")
    elif isinstance(effect, SetCondition) and effect.held is not None:
        check_rows(effect.held.rows, exchange.rules.places, "$.effect.held.rows")
    elif isinstance(effect, SetStep):
        check_fields(effect.slot, effect.fields)
    found: list[Any] = [Overrule(reason=command.reason, effect=settle_effect(state, effect))]
    if isinstance(effect, GiveModifier | SetStep) and (kept := _kept_ahead(state, log, effect)) is not None:
        found = [replace(found[0], veil=kept)]
    if isinstance(effect, CloseAction):
        code = check_id(effect.code, "a code", "$.effect.code")
        found.append(Done(action=effect.action, code=code, cause="overrule"))
    return found


def _runs_or_comes(exchange: Exchange, log: Ids, action: str) -> bool:
    """Whether an action is open, or was taken back and may be run again."""
    if any(run.id == action for run in exchange.running(action)):
        return True
    return root(action) in log.action_ids and not log.is_present(root(action))


def _kept_ahead(state: State, log: Ids, effect: GiveModifier | SetStep) -> Veil | None:
    """The veil over a word on an action that is to be run again: it is kept from whom the action, or its actor, was."""
    name = root(effect.action if isinstance(effect, GiveModifier) else effect.slot.partition("|")[0])
    if name in state.open or name not in log.action_ids:
        return None
    found = next((event for event in reversed(log.events) if opens_run(event) and event.action == name), None)
    who = found.actor if type(found) is Declare else name.partition(":")[2].partition(".")[0]
    someone = state.combatants.get(who)
    if someone is None or not (someone.secret or (type(found) is Declare and found.secret)):
        return None
    return Veil(audience=tuple(sorted({GM, someone.controller})), fields=Overrule.KEPT)


def _set_rules(exchange: Exchange, request: c.Request, log: Ids) -> Opening:
    command = request.command
    assert isinstance(command, c.SetRules)
    check_text(command.reason, "$.reason", most=TEXT_LENGTH, empty=True)
    options = msgspec.to_builtins(exchange.rules_of(command.manifest).options)
    manifest = replace(command.manifest, options=options)  # every option spelt out
    rules = exchange.rules_of(manifest)
    return [Rules(manifest=manifest, fingerprint=rules.fingerprint, reason=command.reason)]


OPENINGS: dict[type, Callable[[Exchange, c.Request, Ids], Opening]] = {
    c.Join: _join,
    c.Leave: _leaving,
    c.Begin: _begin,
    c.Close: _closing,
    c.Declare: _declare,
    c.Answer: _answer,
    c.Report: _report,
    c.Note: _note,
    c.Overrule: _overrule,
    c.SetRules: _set_rules,
}

__all__ = ["OPENINGS", "Ids", "Opening"]
