"""Prepare a yielded step for the log: name it, fill it in, let rulings and the game master have their word.

Whatever a plugin does wrong here is a breach that names it (law 10).
"""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec.structs import replace

from .errors import AffrayError, Breach
from .names import check_id, is_id, slot
from .numbers import exact, number, total
from .runs import Run
from .settle import CHECK, SETTLE, STEP_KINDS, Contradiction, settle
from .state import State
from .steps import Ask, Roll
from .values import Json, Row
from .veil import veil


def prepare(run: Run, step: Any, state: State) -> Any:
    """A yielded step with everything filled in that does not need dice or people. Raises Breach."""
    kind = type(step)
    if kind not in STEP_KINDS:
        raise run.breach(f"yielded {step!r}, which is no step")
    try:
        about = getattr(step, kind.PERSON) if kind.PERSON else ""
        counted = (kind, step.key, about if type(about) is str else "+".join(about))
        occurrence = run.counts.get(counted, -1) + 1
        run.counts[counted] = occurrence
        step = replace(step, action=run.id, occurrence=occurrence, by_rules=())
        if occurrence == 0 and not is_id(step.key):  # need not be asked again of later occurrences
            check_id(step.key, "a step's key")
        fill = SETTLE.get(kind)
        if fill is not None:
            step = fill(state, step)
        if run.rules.rulings or state.coming:
            step = _ruled(run, step, state)
        check = CHECK.get(kind)
        if check is not None:
            check(state, step)
    except Breach:
        raise
    except (Contradiction, AffrayError, msgspec.ValidationError) as error:
        if step.by_rules:  # it was in order before a ruling changed it
            raise Breach(step.by_rules[-1], "ruling", f"{slot(step)}: {error}") from error
        raise run.breach(f"{slot(step)}: {error}") from error
    except Exception as error:  # a field of another type than its class says
        raise run.breach(f"{step!r} cannot be recorded: {error!r}") from error
    if state.has_secrets or (kind is Roll and step.blind) or (kind is Ask and step.private):
        return veil(state, step, run.scope.actor)
    return step


def _ruled(run: Run, step: Any, state: State) -> Any:
    by: tuple[str, ...] = ()
    ruled = step
    if run.rules.rulings:
        ruled, by = run.rules.rule(run.fight, run.scope, step)
    if state.coming and type(step) is not Roll and (fields := state.coming.get(slot(step))):
        ruled, by = _overruled(ruled, fields), (*by, "overrule")
    if not by:
        return step
    ruled = replace(ruled, by_rules=by)
    try:
        return settle(state, ruled)
    except (Contradiction, AffrayError) as error:
        raise Breach(by[-1], "ruling", f"{slot(ruled)}: {error}") from error


def _overruled(step: Any, fields: dict[str, Json]) -> Any:
    """A step with what the game master set. A number that is set explains itself by a row for the difference."""
    changed: Any = msgspec.convert({**msgspec.to_builtins(step), **fields}, type(step))
    if "value" in fields and "parts" not in fields and getattr(changed, "parts", None):
        changed = replace(changed, parts=(), trace=(Row("parts", step.value, "rules"),))
    for name in ("goal", "value"):
        if name in fields and "trace" not in fields and getattr(changed, "trace", None):
            more = exact(getattr(changed, name)) - total(row.amount for row in changed.trace)
            rows = (Row("overrule", number(more), "overrule"),) if more else ()
            changed = replace(changed, trace=(*changed.trace, *rows))
    return changed
