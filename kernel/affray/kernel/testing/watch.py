"""Rules that are watched: every call of a hook, every step on its way, every place that is asked for.

`WatchedRules` is the facade with a `Watch` behind it; what plugins see and do is the same. Only what a plugin does by
itself is watched here: what the kernel refuses comes as a Breach to whoever plays.
"""

from __future__ import annotations

import contextlib
import inspect
import signal
import threading
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from functools import partial
from types import CodeType, FrameType
from typing import Any

from ..errors import Breach, Refused
from ..events import KIND_OF
from ..hookspecs import Steps
from ..rules import Rules
from ..runs import Scope
from ..state import Fight
from ..steps import Event
from ..values import Manifest, Modifier, Row
from .bounds import HOOK_SECONDS
from .exactness import inexact, mutable
from .findings import Tally
from .yields import around_yields

_clock = time.perf_counter  # before anybody blocks it

Entered = Callable[[str, str], None]
"""Is told which plugin and hook are at work."""


class TooLong(BaseException):
    """A hook did not come back in time. No `except Exception` of a plugin holds it up."""

    def __init__(self, seconds: int) -> None:
        super().__init__(f"more than {seconds} seconds")
        self.seconds = seconds


class _AtWork:
    """As long as it lasts, a plugin is at work. What leaves the plugin as no `Exception` becomes one."""

    __slots__ = ("_before", "_of", "_since", "_watch")

    def __init__(self, watch: Watch, plugin: str, hook: str) -> None:
        self._watch, self._of = watch, (plugin, hook)

    def __enter__(self) -> None:
        watch = self._watch
        self._before, self._since = watch.now, watch.since
        watch.now, watch.since = self._of, _clock()
        if watch.entered is not None:
            watch.entered(*self._of)

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: object) -> None:
        watch = self._watch
        watch.now, watch.since = self._before, self._since
        if isinstance(error, TooLong):
            watch.tally.add("endless", *self._of, f"does not come back within {error.seconds} seconds")
            raise RuntimeError("broken off") from None
        if isinstance(error, SystemExit):
            raise RuntimeError(f"raised {error!r}") from error


class Watch:
    """What is seen of plugins while they play, and what is wrong with it (`tally`).

    `keys` are (plugin, kind, key) of steps, `asked` the places whose rows were asked for, `given` (plugin, place) of rows,
    `called` (plugin, hook) of hooks that gave something, `refusals` (plugin, code), `offers` who offered which action first. `entered` is told where a plugin is at work.
    """

    def __init__(self, tally: Tally, entered: Entered | None = None) -> None:
        self.tally = tally
        self.keys: dict[tuple[str, str, str], str] = {}
        self.saves: dict[tuple[str, str], str] = {}
        self.asked: dict[str, None] = {}
        self.given: dict[tuple[str, str], None] = {}
        self.called: dict[tuple[str, str], int] = {}
        self.refusals: dict[tuple[str, str], None] = {}
        self.offers: dict[str, str] = {}
        self.touched = False
        self.now: tuple[str, str] | None = None
        self.since = 0.0
        self.entered = entered
        self._codes: dict[CodeType, None] = {}
        self._probed: set[tuple[str, str]] = set()

    # -- a plugin at work

    def hear_world(self, told: str) -> bool:
        """A touch of the world, as `world.blocked` tells it."""
        if self.now is None:
            return False
        self.touched = True
        self.tally.add("world", *self.now, told)
        return True

    def _at_work(self, plugin: str, hook: str) -> _AtWork:
        return _AtWork(self, plugin, hook)

    @contextlib.contextmanager
    def time_limit(self) -> Iterator[bool]:
        """Break off a hook that takes HOOK_SECONDS, as long as this lasts. False where that cannot be done: in a thread."""
        seconds = HOOK_SECONDS
        if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "setitimer"):
            yield False
            return

        def look(number: int, frame: FrameType | None) -> None:
            if self.now is not None and _clock() - self.since > seconds:
                raise TooLong(seconds)

        before = signal.signal(signal.SIGALRM, look)
        timer = signal.setitimer(signal.ITIMER_REAL, seconds / 4, seconds / 4)
        try:
            yield True
        finally:
            signal.setitimer(signal.ITIMER_REAL, *timer)
            signal.signal(signal.SIGALRM, before)

    def call(self, plugin: str, hook: str, function: Callable[..., Any], *args: Any) -> Any:
        """Call a hook."""
        with self._at_work(plugin, hook):
            found = function(*args)
            if inspect.isgenerator(found) and hook in _LISTS:
                found = tuple(found)
        if hook == "contribute":
            self._look_at_rows(plugin, found)
        elif hook == "actions":
            for form in found if isinstance(found, list | tuple) else ():
                self.offers.setdefault(getattr(form, "name", ""), plugin)
        if found is not None:
            self.called[plugin, hook] = self.called.get((plugin, hook), 0) + 1
            self._look_at(plugin, hook, found)
        return found

    def _look_at(self, plugin: str, hook: str, found: Any) -> None:
        if isinstance(found, Event):  # a ruling's
            self._look_at_step(plugin, hook, found)
        elif not inspect.isgenerator(found) and (wrong := inexact(found)):
            self.tally.add("inexact", plugin, hook, f"gives {wrong}")
        if isinstance(found, Refused):
            self.refusals[plugin, found.code] = None

    # -- steps

    def steps(self, plugin: str, hook: str, gen: Steps) -> Steps:
        """The same generator, watched."""
        value: Any = None
        while True:
            try:
                with self._at_work(plugin, hook):
                    step = gen.send(value)
            except StopIteration as end:
                if isinstance(end.value, Refused):
                    self.refusals[plugin, end.value.code] = None
                return end.value
            self._look_at_codes(plugin, hook, gen)
            if isinstance(step, Event):
                self._look_at_step(plugin, hook, step)
            try:
                value = yield step
            except GeneratorExit:
                with self._at_work(plugin, hook):
                    gen.close()
                raise

    def _look_at_step(self, plugin: str, hook: str, step: Any) -> None:
        kind = KIND_OF.get(type(step)) or type(step).__name__.lower()
        where = f"{kind}.{step.key}" if isinstance(getattr(step, "key", None), str) else kind
        if hook != "ruling" and isinstance(getattr(step, "key", None), str):
            self.keys.setdefault((plugin, kind, step.key), hook)
            if kind == "save":
                self.saves.setdefault((plugin, str(step.name)), hook)
        if wrong := inexact(step):
            self.tally.add("inexact", plugin, hook, f"{wrong} in {where}")
        if wrong := mutable(step):
            self.tally.add("mutable", plugin, hook, f"{wrong} in {where}")

    def _look_at_codes(self, plugin: str, hook: str, gen: Generator[Any, Any, Any]) -> None:
        inner: Any = gen
        while inspect.isgenerator(inner):
            code = inner.gi_code
            if code not in self._codes:
                self._codes[code] = None
                if (inner.gi_frame is None or not _is_kernel(inner.gi_frame)) and (wrong := around_yields(code)):
                    self.tally.add("finally-yield", plugin, hook, wrong)
            inner = inner.gi_yieldfrom

    # -- places

    def ask(self, rules: Rules, fight: Fight, scope: Scope, where: str) -> None:
        """Rows at a place are asked for. Each plugin is asked once for those at every other place, to hear where it gives any."""
        self.asked[where] = None
        for plugin, hook in rules._hooks["contribute"]:
            for place in sorted(rules.places):
                if place != where and (plugin, place) not in self._probed:
                    self._probed.add((plugin, place))
                    with contextlib.suppress(Exception):  # it is not asked in earnest
                        hook(fight, scope, place)

    def _look_at_rows(self, plugin: str, found: Any) -> None:
        for row in found if isinstance(found, list | tuple) else ():
            if isinstance(row, Modifier):
                self.given[plugin, row.place] = None


_LISTS = frozenset({"actions", "check_sheet", "contribute", "derive"})


def _is_kernel(frame: FrameType) -> bool:
    return str(frame.f_globals.get("__name__", "")).startswith("affray.kernel.")


class WatchedRules(Rules):
    """The rules of a manifest, with a watch behind every hook."""

    def __init__(self, watch: Watch, manifest: Manifest, system: object, house: Sequence[object] = ()) -> None:
        super().__init__(manifest, system, house)
        self._watch = watch
        for hook, found in self._hooks.items():
            self._hooks[hook] = [(name, partial(watch.call, name, hook, function)) for name, function in found]
        self.rulings = tuple(self._hooks["ruling"])
        self.follows = tuple(self._hooks["follow"])
        self.contributes = True  # so that every place that is asked for comes by

    def _one(self, hook: str, wanted: type) -> Any:
        try:
            return super()._one(hook, wanted)
        except SystemExit as error:
            raise Breach(self.manifest.system.id, hook, f"raised {error!r}") from error

    def contribute(self, fight: Fight, scope: Scope, where: str) -> tuple[Row, ...]:
        """Rows of every plugin at one place."""
        self._watch.ask(self, fight, scope, where)
        return super().contribute(fight, scope, where)

    def _generator(self, name: str, hook: str, steps: Any) -> Steps:  # type: ignore[override]  # static in the facade
        return self._watch.steps(name, hook, super()._generator(name, hook, steps))


__all__ = ["Entered", "TooLong", "Watch", "WatchedRules"]
