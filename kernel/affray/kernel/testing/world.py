"""The world that rules may not touch, blocked while they run; and what an import may not change.

`blocked(hear, modules)` puts a guard before clocks, chance, files, the network, the environment, processes and threads.
While a plugin runs, `hear` is told of a touch, which then raises `WorldTouched`; everybody else passes. Names that a
plugin's modules took over by `from time import time` are guarded too.
"""

from __future__ import annotations

import builtins
import contextlib
import datetime
import functools
import io
import json
import os
import random
import secrets
import signal
import socket
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Callable, Iterable, Iterator
from types import ModuleType
from typing import Any, NamedTuple

Hear = Callable[[str], bool]
"""Is told of a touch; says whether a plugin is at work, so that it is to be stopped."""

_WORLD: tuple[tuple[str, Any, str], ...] = (
    ("reads the clock", time, "time time_ns monotonic monotonic_ns perf_counter perf_counter_ns process_time localtime gmtime ctime"),
    ("waits", time, "sleep"),
    ("asks for chance", random, "random randint randrange choice choices shuffle sample uniform gauss seed getrandbits randbytes"),
    (
        "asks for chance",
        random.Random,
        "__init__ random randint randrange choice choices shuffle sample uniform gauss seed getrandbits randbytes",
    ),
    ("asks for chance", secrets, "token_bytes token_hex token_urlsafe randbelow choice randbits"),
    ("asks for chance", uuid, "uuid1 uuid4"),
    ("asks for chance", os, "urandom"),
    ("looks at the process", os, "getpid getenv cpu_count system popen"),
    ("looks at the environment", type(os.environ), "__getitem__ __contains__ __iter__"),
    ("opens a file", builtins, "open"),
    ("opens a file", io, "open"),
    ("opens a file", os, "open listdir scandir remove mkdir"),
    ("reads or writes the terminal", builtins, "print input"),
    ("uses the network", socket, "create_connection getaddrinfo gethostname"),
    ("uses the network", socket.socket, "__init__ connect"),
    ("starts a process", subprocess.Popen, "__init__"),
    ("starts a thread", threading.Thread, "start"),
)
"""What is guarded: what touching it is called, where it stands, its names."""

_CLOCKS = ("now", "utcnow", "today")


_OWN = ("affray.kernel.", "affray.sessions.")


class WorldTouched(Exception):
    """A plugin touched the world."""


class _Change(NamedTuple):
    owner: Any
    name: str
    value: Any
    was_own: bool


@contextlib.contextmanager
def blocked(hear: Hear, modules: Iterable[ModuleType] = ()) -> Iterator[None]:
    """Guard the world as long as this lasts; `modules` are the plugin's, whose own names are guarded as well."""
    changes: list[_Change] = []
    guards: dict[int, Any] = {}
    try:
        for what, owner, names in _WORLD:
            for name in names.split():
                original = getattr(owner, name)
                guard = _guard(original, f"{what} ({getattr(owner, '__name__', 'os.environ')}.{name})", hear)
                guards[id(original)] = guard
                _set(changes, owner, name, guard)
        for kind in (datetime.datetime, datetime.date):
            guards[id(kind)] = watched = _without_clock(kind, hear)
            _set(changes, datetime, kind.__name__, watched)
        for module in modules:
            for name, value in list(vars(module).items()):
                if id(value) in guards and name != "__builtins__":
                    _set(changes, module, name, guards[id(value)])
        yield
    finally:
        for change in reversed(changes):
            if change.was_own:
                setattr(change.owner, change.name, change.value)
            else:
                delattr(change.owner, change.name)


def _set(changes: list[_Change], owner: Any, name: str, value: Any) -> None:
    was_own = name in vars(owner)
    changes.append(_Change(owner, name, vars(owner).get(name), was_own))
    setattr(owner, name, value)


def _guard(original: Any, told: str, hear: Hear) -> Callable[..., Any]:
    def guarded(*args: Any, **kwargs: Any) -> Any:
        if hear(told):
            raise WorldTouched(told)
        return original(*args, **kwargs)

    return functools.update_wrapper(guarded, original, assigned=("__name__", "__qualname__", "__doc__"), updated=())


def _without_clock(kind: type, hear: Hear) -> type:
    """A stand-in for `datetime` or `date` that behaves like it, but that its clock is guarded."""

    class Meta(type(kind)):  # type: ignore[misc]  # the metaclass of a class that is only known here
        def __instancecheck__(cls, value: object) -> bool:
            return isinstance(value, kind)

        def __subclasscheck__(cls, other: type) -> bool:
            return issubclass(other, kind)

    clocks = {
        name: staticmethod(_guard(getattr(kind, name), f"reads the clock ({kind.__name__}.{name})", hear))
        for name in _CLOCKS
        if hasattr(kind, name)
    }
    return Meta(kind.__name__, (kind,), {**clocks, "__new__": lambda cls, *args, **kwargs: kind(*args, **kwargs)})


def modules_of(*things: object) -> list[ModuleType]:
    """The loaded modules of the packages in which these objects' classes, or functions, are defined."""
    found: dict[str, ModuleType] = {}
    for thing in things:
        name = getattr(thing, "__module__", None) or type(thing).__module__
        module = sys.modules.get(name)
        if module is None or name == "builtins" or name.startswith(_OWN):
            continue
        package = getattr(module, "__package__", "") or ""
        for other, loaded in list(sys.modules.items()):
            if other == name or (package and (other == package or other.startswith(f"{package}."))):
                found[other] = loaded
    return list(found.values())


# -- what an import may not change


def manners() -> dict[str, object]:
    """How the process stands, for comparing before and after an import."""
    return {
        "the state of `random`": random.getstate(),
        "the functions of `random`": _functions(random),
        "the encoder of `json`": (_functions(json), _functions(json.JSONEncoder), _functions(json.encoder)),
        "the functions of `time`": _functions(time),
        "the builtins": dict(vars(builtins)),
        "the environment": dict(os.environ),
        "the working folder": os.getcwd(),
        "what a signal does": [signal.getsignal(one) for one in (signal.SIGINT, signal.SIGTERM)],
        "standard output": (sys.stdout, sys.stderr),
        "the limit of recursion": sys.getrecursionlimit(),
        "what an unexpected error does": (sys.excepthook, threading.excepthook),
        "a trace or profile of all calls": (sys.gettrace(), sys.getprofile()),
        "running threads": threading.active_count(),
    }


def changed(before: dict[str, object]) -> list[str]:
    """What is not as it was."""
    now = manners()
    return [what for what, value in before.items() if now[what] != value]


def _functions(owner: Any) -> dict[str, object]:
    return {name: value for name, value in vars(owner).items() if callable(value)}


__all__ = ["WorldTouched", "blocked", "changed", "manners", "modules_of"]
