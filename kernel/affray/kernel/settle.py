"""Fill in what follows from the state alone, and check what a step claims (laws 5, 6 and 10).

Before, after and overflow are filled before the rulings see a step, and again after a ruling changed it. A number
whose trace does not add up to it is a breach when the step is made.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from .errors import InputError
from .events import Effect, SetCondition, SetOrder, SetPool
from .limits import ROWS, TEXT_LENGTH
from .names import check_entry_key, check_id
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
from .values import Pool, Touch, moment


class Contradiction(Exception):
    """A step that cannot be so; the exchange makes a breach of it that names the plugin."""


def settle(state: State, step: Any) -> Any:
    """A step with what follows from the state filled in. Raises Contradiction."""
    fill = _SETTLE.get(type(step))
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
    """A pool after adding, clamped to its range, and what the range did not let in (signed)."""
    want = before + by
    after = want
    if pool.low is not None:
        after = max(after, exact(pool.low))
    if pool.high is not None:
        after = min(after, exact(pool.high))
    if (by >= 0 and after < before) or (by <= 0 and after > before):  # it stood outside its range already
        after = before
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
            check_id(effect.held.id, "a condition's id", "$.effect.held.id")
            for index, row in enumerate(effect.held.rows):
                if not is_number(row.amount):
                    raise InputError("not an exact number", path=f"$.effect.held.rows[{index}]", value=row.amount)
            _check_when(state, effect.held.until, "$.effect.held.until")
    if isinstance(effect, SetOrder):
        for index, entry in enumerate(effect.entries):
            if not check_entry_key(entry.key):
                raise InputError("not a key of the agenda", path=f"$.effect.entries[{index}].key", value=entry.key)
            _check_when(state, entry.when, f"$.effect.entries[{index}].when")
    return effect


def _check_when(state: State, when: tuple[Num, ...] | None, path: str) -> None:
    if when is None:
        return
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


def check(state: State, step: Any) -> None:
    """Raise Contradiction for a step that claims what cannot be: a trace that does not add up, an entry in the past."""
    kind = type(step)
    if kind is Judge or kind is Save:
        _adds_up(step.trace, step.goal, "goal")
        if not is_number(step.margin):
            raise Contradiction(f"margin {step.margin!r} is not an exact number")
    elif kind is Defend or kind is Change:
        _adds_up(step.trace, step.value, "value")
    elif kind is ApplyDamage:
        _check_damage(step)
    elif kind is Order:
        if len(step.entries) > ROWS:
            raise Contradiction(f"{len(step.entries)} entries, more than {ROWS}")
        for entry in step.entries:
            if not check_entry_key(entry.key):
                raise Contradiction(f"{entry.key!r} is not a key of the agenda")
            _not_before(state, entry.when)
    elif kind is Wait:
        _not_before(state, step.when)
    elif kind is Condition and step.until is not None:
        _not_before(state, step.until)
    elif kind is Ask:
        _check_ask(state, step)


def _check_damage(step: ApplyDamage) -> None:
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
    if not step.who or len(set(step.who)) != len(step.who):
        raise Contradiction("asks nobody, or somebody twice")
    for who in step.who:
        if who not in state.combatants:
            raise Contradiction(f"asks {who!r}, who never joined")
    codes = [option.code for option in step.options or ()]
    if not codes or len(set(codes)) != len(codes) or any(not code or len(code) > TEXT_LENGTH for code in codes):
        raise Contradiction("an ask needs options with different codes")


_SETTLE: dict[type, Callable[[State, Any], Any]] = {
    ApplyDamage: _damage,
    Change: _change,
    Condition: _condition,
}

STEP_KINDS = frozenset(
    {Act, ApplyDamage, Ask, Change, Condition, Defend, EndTurn, Judge, Order, Roll, Save, Stop, Wait}
)
"""What a resolver may yield."""

__all__ = ["STEP_KINDS", "Contradiction", "check", "settle", "settle_effect"]
