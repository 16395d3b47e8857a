"""Plain sentences for what happens in an action, from its declaration to its outcome."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from affray.kernel import (
    WITNESS,
    ApplyDamage,
    Ask,
    Change,
    Choose,
    Condition,
    Declare,
    Defend,
    Done,
    Json,
    Judge,
    Modifier,
    Roll,
    Row,
    Save,
    Trace,
    Turn,
)

from .scene import Draft, Scene, codes, told, when_text
from .sums import damage_sum, dice_text, difference, is_plain, plan_text, trace_text
from .texts import listed, words

DAMAGE_KEYS = ("damage", "hit")
"""Keys of damage that say nothing beyond it."""


def _declare(scene: Scene, event: Declare) -> Draft:
    params = {name: _param(scene, name, value) for name, value in event.params.items()}
    targets = scene.names(event.targets)
    values: dict[str, str | None] = {name.replace("-", "_"): text for name, text in params.items()}
    values |= {"actor": scene.name(event.actor), "target": targets, "targets": targets, "action": scene.word(event.name)}
    special = [f"declare.{event.name}.{value}" for _, value in sorted(event.params.items()) if isinstance(value, str)]
    details = ", ".join([f"{words(name)} {text}" for name, text in params.items() if text])
    at = f" at {targets}" if targets and event.targets != (event.actor,) else ""
    plain = f"{scene.name(event.actor)}: {scene.word(event.name)}{at}{f' ({details})' if details else ''}"
    rows = _modifiers(scene, event.rows)
    secret = ", in secret" if event.secret else ""
    tails = (("rows", f", with {rows}" if rows else ""), ("secret", secret))
    return Draft((*special, f"declare.{event.name}"), values, plain, tails=tails)


def _modifiers(scene: Scene, rows: tuple[Modifier, ...]) -> str:
    return trace_text([Row(row.code, row.amount, row.source) for row in rows], scene.texts)


def _param(scene: Scene, name: str, value: Json) -> str:
    match value:
        case None | "" | False:
            return ""
        case True:
            return "yes"
        case str():
            return scene.word(value, name)
        case list():
            return listed([_param(scene, name, item) for item in value])
        case dict():
            return ", ".join([f"{words(key)} {_param(scene, key, item)}" for key, item in value.items()])
        case _:
            return str(value)


def _ask(scene: Scene, event: Ask) -> Draft:
    who = scene.names(event.who)
    if event.plan is not None:
        plain = f"{who} is to roll {event.notation or plan_text(event.plan)} for {scene.word(event.key)}"
        return Draft((), {}, plain)
    if event.key.startswith(WITNESS):
        rolled = scene.word(event.key.removeprefix(WITNESS), "roll")
        return Draft(("ask.witness",), {"who": who}, f"The dice for {rolled} wait until {who} bears witness")
    options = None
    if event.options is not None:
        options = listed([scene.word(option.code, event.key) for option in event.options], "or")
    asked = f"{who} {'is' if len(event.who) == 1 else 'are'} to choose, {scene.word(event.key)}"
    values = {**codes(scene, event), "who": who, "options": options}
    return Draft((f"ask.{event.key}",), values, f"{asked}: {options}" if options else asked)


def _choose(scene: Scene, event: Choose) -> Draft:
    who = scene.name(event.who)
    if event.value is None:
        return Draft((), {}, f"{who} gives no answer")
    if event.key.startswith(WITNESS):
        return Draft(("choose.witness",), {"who": who}, f"{who} bears witness")
    value = scene.word(event.value, event.key)
    keys = (f"choose.{event.key}.{event.value}", f"choose.{event.key}")
    return Draft(keys, {**codes(scene, event), "who": who, "value": value}, f"{who} chooses {value}")


def _roll(scene: Scene, event: Roll) -> Draft:
    dice = dice_text(event)
    by = scene.name(event.by)
    values = {**codes(scene, event), "by": by, "dice": dice, "total": told(event.total)}
    shown = dice or f"{plan_text(event.plan)}, and what it shows is kept"
    origin = f" ({event.source})" if event.source in ("reported", "imported") else ""
    again = f" (the dice of version {event.reused} again)" if event.reused else ""
    keys = (f"roll.{event.key}.{event.total}", f"roll.{event.key}")
    plain = f"{by}, {scene.word(event.key, 'roll')}: {shown}"
    _, why = _sum(scene, event.trace, event.by)
    count = sum(term.count for term in event.plan.terms)
    pool = f" ({count} dice = {why})" if why else ""
    return Draft(keys, values, plain, frozenset({"dice", "total"}), (("pool", pool), ("source", origin + again)))


def _defend(scene: Scene, event: Defend) -> Draft:
    value = told(event.value)
    total, tail = _sum(scene, event.trace, event.who)
    keys = (f"defend.{event.key}.{event.code}", f"defend.{event.key}")
    values = {**codes(scene, event), "who": scene.name(event.who), "value": value, "sum": total}
    plain = f"{scene.name(event.who)} defends by {scene.word(event.code)}{f', {value}' if value else ''}"
    return Draft(keys, values, plain, frozenset({"value"}), (("sum", f" ({value} = {tail})" if tail and value else ""),))


def _judge(scene: Scene, event: Judge) -> Draft:
    keys = (f"judge.{event.key}.{event.code}", f"judge.{event.key}")
    name = scene.word(event.key, "roll") if event.key != event.code else ""
    more = {"by": scene.name(event.by), "against": scene.name(event.against) if event.against else ""}
    return _check(scene, event, keys, name, more, event.by)


def _save(scene: Scene, event: Save) -> Draft:
    keys = (f"save.{event.name}.{event.code}", f"save.{event.name}")
    name = scene.word(event.name, "save")
    consequences = listed([scene.word(code) for code in event.consequences])
    more = {"who": scene.name(event.who), "name": name, "consequences": consequences}
    return _check(scene, event, keys, name, more, event.who)


def _check(
    scene: Scene, event: Judge | Save, keys: tuple[str, ...], name: str, more: dict[str, str], who: str
) -> Draft:
    """A check: what the dice show, the number to beat and where it comes from, the verdict, and by how much."""
    roll, goal = scene.roll, event.goal
    dice = dice_text(roll) if roll is not None else ""
    away = None if event.margin is None else str(event.margin).removeprefix("-")
    total, tail = _sum(scene, event.trace, who)
    values = {
        **codes(scene, event),
        "dice": dice,
        "total": told(roll.total) if roll is not None else "",
        "goal": told(goal),
        "margin": away,
        "sum": total,
        **more,
    }
    is_number = goal is not None and bool(event.trace or goal or event.margin)
    against = f"against {goal}" if is_number else ""
    shown = " ".join([part for part in (dice, against) if part])
    by = f" by {away}" if is_number and away not in (None, "0") else ""
    verdict = f"{scene.word(event.code)}{by}"
    head = f"{scene.name(who)}, {name}" if name else scene.name(who)
    plain = f"{head}: {f'{shown} — ' if shown else ''}{verdict}"
    tails = (
        ("sum", f" ({goal} = {tail})" if tail and is_number else ""),
        ("consequences", f"; {more['consequences']}" if more.get("consequences") else ""),
    )
    return Draft(keys, values, plain, frozenset({"dice", "total", "goal", "margin"}), tails)


def _sum(scene: Scene, trace: Trace | None, who: str) -> tuple[str | None, str]:
    """Where a number comes from: as a value (None where kept), and as what is added, which a plain number needs not."""
    if trace is None:
        return None, ""
    text = trace_text(trace, scene.texts, scene.sheet(who), scene.roll)
    return text, "" if is_plain(trace) else text


def _apply_damage(scene: Scene, event: ApplyDamage) -> Draft:
    target, actor = scene.name(event.target), scene.actor(event.action)
    pools = [scene.word(pool, "pool") for pool in event.pools]
    kind = scene.word(event.type, "type")
    total = damage_sum(event, scene.texts, scene.sheet(actor), scene.roll)
    is_kept = event.parts is None or event.trace is None
    tells = bool(total) and not (scene.roll is None and _is_plain_damage(event))
    values = {
        **codes(scene, event),
        "target": target,
        "actor": scene.name(actor) if actor else "",
        "location": pools[0] if pools else "",
        "pools": listed(pools),
        "value": str(event.value),
        "type": kind,
        "sum": None if is_kept else total,
        "before": told(event.touched[0].before) if event.touched else None,
        "after": told(event.after),
    }
    what = " ".join([part for part in (str(event.value), kind, "damage") if part])
    because = "" if event.key in DAMAGE_KEYS or event.key == event.type else f" from {scene.word(event.key)}"
    keys = (f"apply-damage.{event.key}.{event.type}", f"apply-damage.{event.key}")
    sum_tail = f": {event.value} = {total}" if tells else ""
    tails = (("sum", sum_tail), ("after", _touched(scene, event)))
    return Draft(keys, values, f"{target} takes {what} to {listed(pools)}{because}", tails=tails)


def _is_plain_damage(event: ApplyDamage) -> bool:
    """Whether the parts or the trace say no more than the number."""
    if event.parts:
        return len(event.parts) == 1 and all(row.amount == 0 for row in event.parts[0].rows)
    return is_plain(event.trace)


def _touched(scene: Scene, event: ApplyDamage) -> str:
    """What the pools were and are, where the damage does not say it already; and what no pool could take."""
    changes = [
        f"{scene.word(touch.pool, 'pool')} {touch.before} → {touch.after}"
        for touch in event.touched or ()
        if touch.before != touch.after and (touch.before, touch.after) != (0, event.value)
    ]
    if event.overflow:
        changes.append(f"{event.overflow} more than that")
    return f"; {', '.join(changes)}" if changes else ""


def _change(scene: Scene, event: Change) -> Draft:
    target, pool = scene.name(event.target), scene.word(event.pool, "pool")
    total, tail = _sum(scene, event.trace, event.target)
    values = {
        **codes(scene, event),
        "target": target,
        "pool": pool,
        "value": None if event.value is None else str(event.value).removeprefix("-"),
        "before": told(event.before),
        "after": told(event.after),
        "sum": total,
    }
    plain = f"{target}'s {pool} changes"
    if difference(event.before, event.after):
        plain = f"{target}'s {pool}: {event.before} → {event.after}"
    tails = (("sum", f" ({tail})" if tail else ""),)
    return Draft((f"change.{event.key}", f"change.{event.pool}"), values, plain, frozenset({"before", "after"}), tails)


def _condition(scene: Scene, event: Condition) -> Draft:
    target, name = scene.name(event.target), scene.word(event.id, "condition")
    has_ended = event.code == "ended"
    until = when_text(event.until[:1]) if event.until else ""
    values = {
        **codes(scene, event),
        "target": target,
        "id": name,
        "value": told(event.value),
        "before": told(event.before),
        "after": told(event.after),
        "source": scene.word(event.source),
        "until": until,
    }
    amount = "" if has_ended or event.after in (None, 1) else f" {event.after}"
    keys = (
        f"condition.{event.key}.{event.code}",
        f"condition.{event.id}.{event.code}",
        f"condition.{event.key}",
        f"condition.{event.id}",
    )
    plain = f"{target}: {name}{amount}{' ends' if has_ended else ''}{f' until {until}' if until else ''}"
    return Draft(keys, values, plain, frozenset({"value"}))


def _done(scene: Scene, event: Done) -> Draft:
    run = scene.runs.get(event.action)
    what = scene.what(event.action)
    actor = run.actor if isinstance(run, Declare) else run.who if run is not None else ""
    values = {
        **codes(scene, event),
        "actor": scene.name(actor) if actor else "",
        "target": scene.names(run.targets) if isinstance(run, Declare) else "",
        "action": scene.word(what),
    }
    outcome = f": {scene.word(event.code)}" if event.code else ""
    if isinstance(run, Turn):
        of = f" of {scene.name(actor)}'s turn" if actor and what in ("start", "end") else f" of {scene.name(actor)}" if actor else ""
        plain = f"The {scene.word(what)}{of} is settled{outcome}"
    else:
        plain = f"{values['actor'] or 'Somebody'}'s {scene.word(what)} ends{outcome}"
    return Draft((f"done.{what}.{event.code}",), values, plain)


DRAFTS: dict[type, Callable[[Scene, Any], Draft]] = {
    Declare: _declare,
    Ask: _ask,
    Choose: _choose,
    Roll: _roll,
    Defend: _defend,
    Judge: _judge,
    Save: _save,
    ApplyDamage: _apply_damage,
    Change: _change,
    Condition: _condition,
    Done: _done,
}
"""Kind -> draft of its sentence."""
