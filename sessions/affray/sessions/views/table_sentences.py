"""Plain sentences for what happens around the actions: the session, its people, the clock, the game master's word."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec import UNSET

from affray.kernel import (
    GM,
    Close,
    CloseAction,
    GiveModifier,
    Join,
    Leave,
    Note,
    Open,
    Order,
    Overrule,
    Reveal,
    RevealDice,
    Rewind,
    Row,
    Rules,
    Sealed,
    SetCondition,
    SetOrder,
    SetPool,
    SetStep,
    Turn,
    Wait,
    moment,
)

from .scene import Draft, Scene, codes, when_text
from .sums import trace_text
from .texts import listed, short, words

SILENT: tuple[str, ...] = ()
"""The keys of a sentence that no plugin words."""


def _open(scene: Scene, event: Open) -> Draft:
    manifest = event.manifest
    house = f", house rules {listed([words(pin.id) for pin in manifest.house])}" if manifest.house else ""
    dice = dice_policies(event.dice)
    origin = ""
    if event.origin is not None:
        origin = f"; {words(event.origin.how)} of {event.origin.session} at version {event.origin.version}"
    title = event.title or event.session
    plain = f"{title}: rules {manifest.system.id} {manifest.system.release}{house}; dice {dice}{origin}"
    return Draft(("open",), {"title": title, "system": manifest.system.id, "dice": dice}, plain)


def dice_policies(policies: dict[str, str]) -> str:
    """The dice policies of a session in words."""
    if len(policies) == 1:
        return words(next(iter(policies.values())))
    people = [f"{words(policy)} for {who}" for who, policy in sorted(policies.items()) if who != "*"]
    others = [f"{words(policies['*'])} for everybody else"] if "*" in policies else []
    return listed([*people, *others])


def _join(scene: Scene, event: Join) -> Draft:
    whose = "the game master's" if event.controller == GM else f"played by {event.player or event.controller}"
    kept = "; its numbers are kept" if event.sheet is None and event.kept is not UNSET else ""
    values = {"name": event.name, "side": event.side, "controller": event.controller}
    return Draft(("join",), values, f"{event.name} joins side {words(event.side)}, {whose}{kept}")


def _leave(scene: Scene, event: Leave) -> Draft:
    return Draft(("leave",), {"who": scene.name(event.id)}, f"{scene.name(event.id)} leaves")


def _rules(scene: Scene, event: Rules) -> Draft:
    house = f" with {listed([words(pin.id) for pin in event.manifest.house])}" if event.manifest.house else ""
    because = f": {event.reason}" if event.reason else ""
    pin = event.manifest.system
    before = scene.before.manifest
    old = {} if before is None else before.options
    changed = [
        f"{words(name)} is {short(value)} instead of {short(old.get(name))}"
        for name, value in event.manifest.options.items()
        if old.get(name) != value
    ]
    options = f"; {listed(changed)}" if changed and before is not None else ""
    return Draft(SILENT, {}, f"From here on the rules are {pin.id} {pin.release}{house}{options}{because}")


def _note(scene: Scene, event: Note) -> Draft:
    return Draft(SILENT, {}, "A note is kept from you" if event.text is None else f"Note: {event.text}")


def _rewind(scene: Scene, event: Rewind) -> Draft:
    return Draft(SILENT, {}, f"{words(event.why).capitalize()}: back to version {event.to}")


def _reveal(scene: Scene, event: Reveal) -> Draft:
    return Draft(SILENT, {}, f"What was kept at version {event.version} is open now")


def _reveal_dice(scene: Scene, event: RevealDice) -> Draft:
    return Draft(SILENT, {}, f"Everybody can check the {words(event.chain)} dice of epoch {event.epoch} now")


def _close(scene: Scene, event: Close) -> Draft:
    """A code such as `won-by-red` is also looked up by its beginnings; what follows is {side}."""
    parts = event.code.split("-")
    keys = [f"close.{'-'.join(parts[:count])}" for count in range(len(parts), 0, -1)]
    side = ""
    for count, key in zip(range(len(parts), 0, -1), keys, strict=True):
        if scene.texts.has(key):
            side = "-".join(parts[count:])
            break
    name = scene.name(side) if side in scene.before.combatants else scene.word(side)
    return Draft(tuple(keys), {"side": name, **codes(scene, event)}, f"The fight is over: {words(event.code)}")


def _sealed(scene: Scene, event: Sealed) -> Draft:
    return Draft(SILENT, {}, "Something happens that is kept from you")


def _overrule(scene: Scene, event: Overrule) -> Draft:
    return Draft(SILENT, {}, f"The game master rules: {_effect(scene, event.effect)} ({event.reason})")


def _effect(scene: Scene, effect: Any) -> str:
    match effect:
        case SetPool():
            before = "" if effect.before is None else f"from {effect.before} "
            return f"{scene.name(effect.target)}'s {scene.word(effect.pool, 'pool')} is set {before}to {effect.after}"
        case SetCondition():
            held = effect.held
            if held is None:
                return f"{scene.name(effect.target)}: {scene.word(effect.ended, 'condition')} ends"
            value = "" if held.value in (None, 1) else f" {held.value}"
            return f"{scene.name(effect.target)}: {scene.word(held.id, 'condition')}{value}"
        case GiveModifier():
            rows = trace_text([Row(row.code, row.amount, row.source) for row in effect.rows], scene.texts)
            return f"{scene.word(scene.what(effect.action))} is given {rows or 'nothing'}"
        case SetStep():
            return f"a coming step is set, {effect.slot.rpartition('|')[2]}: {listed(map(words, effect.fields))}"
        case SetOrder():
            people = [scene.name(entry.who) if entry.who else words(entry.key) for entry in effect.entries]
            changed = [*people, *[f"{words(key)} no longer" for key in effect.drop]]
            return f"the clock changes: {listed(changed) or 'nothing'}"
        case CloseAction():
            return f"{scene.word(scene.what(effect.action))} is closed"
        case _:
            return "something that is kept from you"


def _order(scene: Scene, event: Order) -> Draft:
    entries = sorted(event.entries, key=lambda entry: moment(entry.when))
    parts = [f"{scene.name(entry.who) if entry.who else words(entry.key)} ({when_text(entry.when)})" for entry in entries]
    dropped = [scene.before.agenda[key].who for key in event.drop if key in scene.before.agenda]
    gone = [who for who in dict.fromkeys(dropped) if who]
    if gone:
        parts.append(f"{scene.names(gone)} no longer")
    who = scene.names(dict.fromkeys([*[entry.who for entry in event.entries if entry.who], *gone]))
    values = {**codes(scene, event), "who": who, "target": who}
    return Draft((f"order.{event.key}",), values, f"On the clock: {listed(parts) or 'nothing new'}")


def _turn(scene: Scene, event: Turn) -> Draft:
    who = scene.name(event.who) if event.who else ""
    at = str(event.when[0]) if event.when else ""
    if event.moment == "end":
        key = event.action.rpartition(">")[2].partition(".")[0]
        plain = f"{who}'s turn ends: {scene.word(key)}" if key else f"{who}'s turn ends"
        return Draft((f"turn.end.{key}", "turn.end"), {"who": who, "at": at, "key": scene.word(key)}, plain)
    kind = event.entry.partition(":")[0] if ":" in event.entry else ""
    keys = (f"turn.{event.moment}.{kind}", f"turn.{event.moment}")
    return Draft(keys, {"who": who, "at": at, "key": scene.word(kind)}, _moment(scene, event, who, at), frozenset({"at"}))


def _moment(scene: Scene, event: Turn, who: str, at: str) -> str:
    now = f"{at}: " if at else ""
    match event.moment:
        case "begin":
            return "The fight begins"
        case "start":
            return f"{now}{who}'s turn"
        case "expiry":
            return f"{now}time is up for {who}'s {scene.word(event.entry.rpartition(':')[2], 'condition')}"
        case "join":
            return f"{now}{who} takes a place"
        case "resume":
            return f"{now}{who}'s {scene.word(scene.what(event.action))} goes on"
        case _:
            return f"{now}{scene.word(event.moment)}{f' for {who}' if who else ''}"


def _wait(scene: Scene, event: Wait) -> Draft:
    who = scene.name(scene.actor(event.action))
    at = when_text(event.when[:1])
    values = {**codes(scene, event), "who": who, "at": at}
    return Draft((f"wait.{event.key}",), values, f"{who}'s {scene.word(scene.what(event.action))} goes on at {at}")


DRAFTS: dict[type, Callable[[Scene, Any], Draft]] = {
    Open: _open,
    Join: _join,
    Leave: _leave,
    Rules: _rules,
    Note: _note,
    Rewind: _rewind,
    Reveal: _reveal,
    RevealDice: _reveal_dice,
    Close: _close,
    Sealed: _sealed,
    Overrule: _overrule,
    Order: _order,
    Turn: _turn,
    Wait: _wait,
}
"""Kind -> draft of its sentence."""
