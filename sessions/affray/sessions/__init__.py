"""Sessions: the world around the pure engine. Embedders import from here.

A name is imported when it is first asked for, so that a command that only reads a log does not wait for the rest.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .catalog import Catalog, Offer
    from .engine import Engine
    from .entropy import Entropy, SystemEntropy
    from .reading import Recorded
    from .session import Notice, Session
    from .stores import Store
    from .stores.jsonl import JsonlStore
    from .stores.memory import MemoryStore
    from .stores.sqlite import SqliteStore
    from .verbs import Answer

_MODULES = {
    "Answer": "verbs",
    "Catalog": "catalog",
    "Engine": "engine",
    "Entropy": "entropy",
    "JsonlStore": "stores.jsonl",
    "MemoryStore": "stores.memory",
    "Notice": "session",
    "Offer": "catalog",
    "Recorded": "reading",
    "Session": "session",
    "SqliteStore": "stores.sqlite",
    "Store": "stores",
    "SystemEntropy": "entropy",
}


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


__all__ = [
    "Answer",
    "Catalog",
    "Engine",
    "Entropy",
    "JsonlStore",
    "MemoryStore",
    "Notice",
    "Offer",
    "Recorded",
    "Session",
    "SqliteStore",
    "Store",
    "SystemEntropy",
]
