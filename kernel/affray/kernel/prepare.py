"""Prepare a yielded step for the log: name it, fill it in, let rulings and the game master have their word.

Whatever a plugin does wrong here is a breach that names it (law 10).
"""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec.structs import replace

from .dice import check_plan
from .errors import AffrayError, Breach
from .limits import ROWS, TARGETS
from .names import check_id, is_id, slot
from .runs import Run
from .settle import STEP_KINDS, Contradiction, check, settle
from .state import Fight, State
from .steps import Act, Condition, Roll, Step
from .veil import veil


def prepare(run: Run, step: Any, state: State, fight: Fight) -> Any:
    """A yielded step with everything filled in that does not need dice or people. Raises Breach."""
    kind = type(step)
    if kind not in STEP_KINDS:
        raise run.breach(f"yielded {step!r}, which is no step")
    about = getattr(step, kind.PERSON) if kind.PERSON else ""
    counted = (kind, step.key, about if type(about) is str else "+".join(about))
    occurrence = run.counts.get(counted, -1) + 1
    run.counts[counted] = occurrence
    step = replace(step, action=run.id, occurrence=occurrence, by_rules=())
    try:
        if occurrence == 0:
            _check_first(state, step)
        step = _ruled(run, settle(state, step), state, fight)
        check(state, step)
    except Breach:
        raise
    except (Contradiction, AffrayError, msgspec.ValidationError) as error:
        raise run.breach(f"{slot(step)}: {error}") from error
    return veil(state, step)


def _check_first(state: State, step: Step) -> None:
    """What need not be asked again of a step's later occurrences."""
    if not is_id(step.key):
        check_id(step.key, "a step's key")
    if isinstance(step, Act):
        if len(step.targets) > TARGETS or step.actor not in state.combatants:
            raise Contradiction("an action needs an actor in the fight and not too many targets")
    elif isinstance(step, Roll) and step.by and step.by not in state.combatants:
        raise Contradiction(f"{step.by!r} rolls, who never joined")


def _ruled(run: Run, step: Any, state: State, fight: Fight) -> Any:
    by: tuple[str, ...] = ()
    ruled = step
    if run.rules.rulings:
        ruled, by = run.rules.rule(fight, run.scope, step)
    if state.coming and type(step) is not Roll and (fields := state.coming.get(slot(step))):
        ruled, by = msgspec.convert({**msgspec.to_builtins(ruled), **fields}, type(ruled)), (*by, "overrule")
    if by:
        ruled = settle(state, replace(ruled, by_rules=by))
    if type(ruled) is Roll:
        check_plan(ruled.plan)
    elif type(ruled) is Condition and len(ruled.rows or ()) > ROWS:
        raise Contradiction(f"{len(ruled.rows or ())} modifier rows, more than {ROWS}")
    return ruled
