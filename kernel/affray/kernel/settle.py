"""Fill in what follows from the state alone, and check what a step claims (laws 5, 6 and 10).

Before, after and overflow are filled before the rulings see a step, and again after a ruling changed it. A number
whose trace does not add up to it is a breach when the step is made.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec import ValidationError, convert, structs
from msgspec.structs import replace

from .dice import check_plan
from .errors import InputError
from .events import KIND_OF, Effect, SetCondition, SetOrder, SetPool
from .fold import RESUME
from .inputs import check_json, check_text
from .limits import AGENDA_ENTRIES, OPTIONS, ROWS, TARGETS, TEXT_LENGTH
from .names import check_entry_key, check_id, is_id, root
from .numbers import Exact, Num, exact, is_number, number, total
from .state import Combatant, State
from .steps import (
    Act,
    ApplyDamage,
    Ask,
    Change,
    Condition,
    Defend,
    EndTurn,
    Judge,
    Order,
    Roll,
    Save,
    Stop,
    Wait,
)
from .values import Held, Pool, Touch, moment

_KERNEL_MOMENTS = frozenset({"begin", "end", "expiry", "resume"})
"""Moments that the kernel alone makes; `start`, `join` and a system's own may be put on the agenda."""


class Contradiction(Exception):
    """A step that cannot be so; the exchange makes a breach of it that names the plugin."""


def settle(state: State, step: Any) -> Any:
    """A step with what follows from the state filled in. Raises Contradiction."""
    fill = SETTLE.get(type(step))
    return fill(state, step) if fill is not None else step


def _damage(state: State, step: ApplyDamage) -> ApplyDamage:
    target = _combatant(state, step.target)
    left = exact(step.value)
    if left < 0:
        raise Contradiction(f"damage of {step.value}; healing is a change")
    if not step.pools:
        raise Contradiction("damage to no pool")
    touched: list[Touch] = []
    for name in step.pools:
        before, pool = _pool(target, name)
        after, left = _moved(before, left * pool.damage, pool)
        left *= pool.damage
        touched.append(Touch(name, number(before), number(after)))
    return replace(step, touched=tuple(touched), overflow=number(left))


def _change(state: State, step: Change) -> Change:
    before, pool = _pool(_combatant(state, step.target), step.pool)
    if step.value is None:
        raise Contradiction("a change without a value")
    after, left = _moved(before, exact(step.value), pool)
    return replace(step, before=number(before), after=number(after), overflow=number(left))


def _moved(before: Exact, by: Exact, pool: Pool) -> tuple[Exact, Exact]:
    """A pool after adding, clamped to its range, and what the range did not let in (signed).

    A pool that stands outside its range already is moved by no more than what is added, and no further out.
    """
    want = before + by
    after = want
    if pool.low is not None:
        after = max(after, min(exact(pool.low), before))
    if pool.high is not None:
        after = min(after, max(exact(pool.high), before))
    return after, want - after


def _condition(state: State, step: Condition) -> Condition:
    target = _combatant(state, step.target)
    check_id(step.id, "a condition's id")
    held = target.conditions.get(step.id)
    if step.code not in ("gained", "renewed", "ended"):
        raise Contradiction(f"a condition is gained, renewed or ended, not {step.code!r}")
    if step.code == "ended" and held is None:
        raise Contradiction(f"{step.target} does not have {step.id!r}")
    before = None if held is None else held.value
    return replace(step, before=before, after=None if step.code == "ended" else step.value)


def settle_effect(state: State, effect: Effect) -> Effect:
    """An overrule's effect with before and after filled in. Raises InputError for what is not there."""
    if isinstance(effect, SetPool):
        target = state.combatants.get(effect.target)
        if target is None or effect.pool not in target.pools or target.ranges is None:
            raise InputError("no such pool", path="$.effect.pool", value=f"{effect.target}.{effect.pool}")
        pool = target.ranges[effect.pool]
        if not is_number(effect.value):
            raise InputError("not an exact number", path="$.effect.value", value=effect.value)
        after = exact(effect.value)
        if pool.low is not None:
            after = max(after, exact(pool.low))
        if pool.high is not None:
            after = min(after, exact(pool.high))
        return replace(effect, before=target.pools[effect.pool], after=number(after))
    if isinstance(effect, SetCondition):
        target = state.combatants.get(effect.target)
        if target is None:
            raise InputError("no such combatant", path="$.effect.target", value=effect.target)
        if effect.held is None and effect.ended not in target.conditions:
            raise InputError("no such condition", path="$.effect.ended", value=effect.ended)
        if effect.held is not None:
            check_held(state, effect.held, "$.effect.held")
    if isinstance(effect, SetOrder):
        try:
            _check_order(state, effect)
        except Contradiction as error:
            raise InputError(str(error), path="$.effect.entries") from None
    return effect


def check_fields(slot: str, fields: dict[str, Any]) -> None:
    """Raise InputError for fields of a coming step that cannot be set, or not to that."""
    run, _, where = slot.partition("|")
    kind: Any = _BY_NAME.get(where.partition(".")[0])
    if not run or kind is None:
        raise InputError("is not the slot of a step", path="$.effect.slot", value=slot)
    types = {field.name: field.type for field in structs.fields(kind)}
    for name, value in fields.items():
        path = f"$.effect.fields.{name}"
        if name not in types or name in (_NAMING | {kind.PERSON}) or (kind is Roll and (name != "faces" or value is None)):
            raise InputError("cannot be set", path=path)
        try:
            convert(value, types[name])
        except ValidationError as error:
            raise InputError(str(error), path=path) from None
        if name in ("goal", "margin", "value") and value is not None and not is_number(value):
            raise InputError("not an exact number", path=path, value=value)


def check_held(state: State, held: Held, path: str) -> None:
    """Raise InputError for a condition from outside that nobody can have. Its rows' places are the rules' business."""
    check_id(held.id, "a condition's id", f"{path}.id")
    check_text(held.source, f"{path}.source", empty=True)
    if held.value is not None and not is_number(held.value):
        raise InputError("not an exact number", path=f"{path}.value", value=held.value)
    if held.until is not None:
        _check_when(state, held.until, f"{path}.until")
        if len(state.agenda) >= AGENDA_ENTRIES:
            raise InputError(f"an agenda of more than {AGENDA_ENTRIES} entries", path=f"{path}.until")


def _check_when(state: State, when: tuple[Num, ...], path: str) -> None:
    if not when or not all(is_number(part) for part in when):
        raise InputError("a moment is a list of exact numbers", path=path, value=when)
    if moment(when) < moment(state.at):
        raise InputError(f"lies before the present moment {state.at}", path=path, value=when)


def _combatant(state: State, who: str) -> Combatant:
    try:
        return state.combatants[who]
    except KeyError:
        raise Contradiction(f"no combatant {who!r}") from None


def _pool(target: Combatant, name: str) -> tuple[Exact, Pool]:
    value = target.pools.get(name)
    if value is None or target.ranges is None:
        raise Contradiction(f"{target.id} has no pool {name!r}")
    return exact(value), target.ranges[name]


def _check_verdict(state: State, step: Judge | Save) -> None:
    _adds_up(step.trace, step.goal, "goal")
    if not is_number(step.margin):
        raise Contradiction(f"margin {step.margin!r} is not an exact number")


def _check_value(state: State, step: Defend | Change) -> None:
    _adds_up(step.trace, step.value, "value")


def _check_order(state: State, step: Order | SetOrder) -> None:
    if len(step.entries) > ROWS:
        raise Contradiction(f"{len(step.entries)} entries, more than {ROWS}")
    _check_room(state, *[entry.key for entry in step.entries])
    for entry in step.entries:
        if not check_entry_key(entry.key):
            raise Contradiction(f"{entry.key!r} is not a key of the agenda")
        if not is_id(entry.moment) or entry.moment in _KERNEL_MOMENTS:
            raise Contradiction(f"{entry.moment!r} is not a moment that may be put on the agenda")
        if entry.who and entry.who not in state.combatants:
            raise Contradiction(f"it would be the turn of {entry.who!r}, who never joined")
        _not_before(state, entry.when)


def _check_room(state: State, *keys: str) -> None:
    fresh = [key for key in dict.fromkeys(keys) if key not in state.agenda]
    if len(state.agenda) + len(fresh) > AGENDA_ENTRIES:
        raise Contradiction(f"an agenda of more than {AGENDA_ENTRIES} entries")


def _check_wait(state: State, step: Wait) -> None:
    _check_room(state, RESUME + root(step.action))
    _not_before(state, step.when)


def _check_act(state: State, step: Act) -> None:
    if len(step.targets) > TARGETS or len(step.rows) > ROWS:
        raise Contradiction(f"{len(step.targets)} targets with {len(step.rows)} rows; there may be {TARGETS} and {ROWS}")
    check_json(step.params, "$.params")  # as of a declaration that comes from outside
    for who in (step.actor, *step.targets):
        if who not in state.combatants:
            raise Contradiction(f"a nested action of or against {who!r}, who never joined")


def _check_stop(state: State, step: Stop) -> None:
    if root(step.target) not in state.open:
        raise Contradiction(f"stops {step.target!r}, which is not open")


def _check_condition(state: State, step: Condition) -> None:
    if len(step.rows or ()) > ROWS:
        raise Contradiction(f"{len(step.rows or ())} modifier rows, more than {ROWS}")
    if step.until is not None:
        _check_room(state, f"condition:{step.target}:{step.id}")
        _not_before(state, step.until)


def _check_roll(state: State, step: Roll) -> None:
    check_plan(step.plan)
    if step.by and step.by not in state.combatants:
        raise Contradiction(f"{step.by!r} rolls, who never joined")
    if step.trace:
        _adds_up(step.trace, sum([term.count for term in step.plan.terms]), "number of dice")


def _check_damage(state: State, step: ApplyDamage) -> None:
    if step.parts:
        if total(part.value for part in step.parts) != exact(step.value):
            raise Contradiction(f"the parts do not add up to the damage of {step.value}")
        for part in step.parts:
            if exact(part.rolled) + total(row.amount for row in part.rows) != exact(part.value):
                raise Contradiction(f"the rows of {part.type!r} do not add up to {part.value}")
    _adds_up(step.trace, step.value, "value")


def _adds_up(trace: Any, value: Num | None, name: str) -> None:
    if not is_number(value):
        raise Contradiction(f"{name} {value!r} is not an exact number")
    if not trace:
        return
    if len(trace) > ROWS:
        raise Contradiction(f"a trace of {len(trace)} rows, more than {ROWS}")
    rows = total([row.amount for row in trace])
    if rows == value:
        return
    if rows != exact(value):  # type: ignore[arg-type]  # not None: checked above
        raise Contradiction(f"the trace adds up to {rows}, not to the {name} of {value}")


def _not_before(state: State, when: tuple[Num, ...]) -> None:
    if not when or not all(is_number(part) for part in when):
        raise Contradiction(f"{when!r} is not a moment")
    if moment(when) < moment(state.at):
        raise Contradiction(f"{when} lies before the present moment {state.at}")


def _check_ask(state: State, step: Ask) -> None:
    if step.plan is not None:
        raise Contradiction("asks for dice; yield a roll instead, the dice policy decides who throws")
    if not step.who or len(set(step.who)) != len(step.who) or len(step.who) > TARGETS:
        raise Contradiction(f"asks nobody, somebody twice, or more than {TARGETS} people")
    for who in step.who:
        if who not in state.combatants:
            raise Contradiction(f"asks {who!r}, who never joined")
    codes = [option.code for option in step.options or ()]
    if not codes or len(set(codes)) != len(codes) or any(not code or len(code) > TEXT_LENGTH for code in codes):
        raise Contradiction("an ask needs options with different codes")
    if len(codes) > OPTIONS:
        raise Contradiction(f"{len(codes)} options, more than {OPTIONS}")


SETTLE: dict[type, Callable[[State, Any], Any]] = {
    ApplyDamage: _damage,
    Change: _change,
    Condition: _condition,
}
"""Kind -> what fills in what follows from the state."""

CHECK: dict[type, Callable[[State, Any], None]] = {
    Act: _check_act,
    ApplyDamage: _check_damage,
    Ask: _check_ask,
    Change: _check_value,
    Condition: _check_condition,
    Defend: _check_value,
    Judge: _check_verdict,
    Order: _check_order,
    Roll: _check_roll,
    Save: _check_verdict,
    Stop: _check_stop,
    Wait: _check_wait,
}
"""Kind -> what raises Contradiction for a step that claims what cannot be."""

STEP_KINDS = frozenset(
    {Act, ApplyDamage, Ask, Change, Condition, Defend, EndTurn, Judge, Order, Roll, Save, Stop, Wait}
)
"""What a resolver may yield."""

_BY_NAME = {KIND_OF.get(kind) or kind.__name__.lower(): kind for kind in STEP_KINDS}
_NAMING = frozenset({"action", "by_rules", "kept", "key", "occurrence", "veil"})

__all__ = ["CHECK", "SETTLE", "STEP_KINDS", "Contradiction", "check_fields", "check_held", "settle", "settle_effect"]
