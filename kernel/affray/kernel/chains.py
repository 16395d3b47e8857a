"""Runs in progress: generators that are stepped on until somebody is needed, nested ones, upkeep and follow-ups.

Knows nothing of what the next event is or whether it fits the record: that is the exchange's (`exchange.py`).
"""

from __future__ import annotations

from typing import Any, cast

from .errors import Breach, DiceError, Refused, RefusedInside
from .events import Done
from .limits import NESTING, RUN_ID_LENGTH, STEPS_PER_ACTION
from .prepare import prepare
from .runs import Run, close
from .state import State
from .steps import Roll
from .veil import veil


class Chains:
    """A chain of runs for every open root action, outermost first; the last one is where it stands."""

    def __init__(self, state: State) -> None:
        self.state = state
        self._chains: dict[str, list[Run]] = {}
        self._active = ""

    def _push(self, chain: list[Run], run: Run) -> None:
        if len(chain) >= NESTING or len(run.id) > RUN_ID_LENGTH:
            raise run.breach(f"more than {NESTING} runs inside one another")
        chain.append(run)

    def _hang(self, parent: Run, prefix: str, found: list[tuple[str, Any]], hook: str) -> None:
        for plugin, gen in found:
            parent.kids.append(Run(prefix + plugin, parent.opening, parent.scope, parent.rules, gen, plugin, hook))

    def _drop(self, name: str) -> None:
        chain = self._chains.pop(name)
        for run in reversed(chain):
            close(run)
        if self._active == name:
            self._active = ""

    @staticmethod
    def _answer(run: Run, value: Any) -> None:
        run.value, run.step, run.asked = value, None, False

    def _done(self, run: Run, code: str) -> Done:
        return cast("Done", veil(self.state, Done(action=run.id, code=code, cause="")))

    def _fail(self, chain: list[Run], roll: Roll) -> None:
        """What went wrong in a table's own numbers after a die ends the action, with its rolls recorded (law 10)."""
        while not chain[-1].is_action:
            close(chain.pop())
        run = chain[-1]
        close(run)
        run.kids.clear()
        run.gen = None
        run.step = self._done(run, "failed")

    def _pump(self) -> None:
        """Run generators on until the innermost one has a step that is to be recorded."""
        chain = self._chains.get(self._active)
        while chain:
            run = chain[-1]
            if run.kids:
                self._push(chain, run.kids.popleft())
                continue
            if run.step is not None:
                return
            if run.gen is None:
                return
            try:
                step = run.gen.send(run.value)
            except StopIteration as end:
                self._ended(chain, run, end.value)
                continue
            except (Breach, RefusedInside):
                raise
            except DiceError as error:  # notation that came from outside
                raise RefusedInside(Refused("bad-dice", (str(error),))) from error
            except Exception as error:
                raise run.breach(f"raised {error!r}") from error
            first = chain[0]
            first.steps += 1
            if first.steps > STEPS_PER_ACTION:
                raise run.breach(f"more than {STEPS_PER_ACTION} steps")
            run.step = prepare(run, step, self.state)

    def _ended(self, chain: list[Run], run: Run, value: Any) -> None:
        if not run.is_action:
            chain.pop()  # a follow-up or an upkeep part ends without an event
            return
        if isinstance(value, Refused):
            if run.counts:
                raise run.breach(f"refused ({value.code}) after its first step")
            if len(chain) == 1:
                raise RefusedInside(value)
            value = f"refused-{value.code}"
        if value is not None and not isinstance(value, str):
            raise run.breach(f"returned {value!r}, not an outcome code")
        run.step = self._done(run, value or "")


__all__ = ["Chains"]
