"""Sessions: the world around the pure engine. Embedders import from here."""

from __future__ import annotations

from .catalog import Catalog, Offer
from .engine import Engine
from .entropy import Entropy, SystemEntropy
from .reading import Recorded
from .session import Answer, Notice, Session
from .stores import Store
from .stores.jsonl import JsonlStore
from .stores.memory import MemoryStore

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
    "Store",
    "SystemEntropy",
]
