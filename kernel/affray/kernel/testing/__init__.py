"""The kit for whoever writes a plugin or a store: conformance checks, and what tests are made with.

Nothing else in the kernel imports this package. Each `check_...` function runs every check of its kind and raises
AssertionError with the name of the one that failed; the tuple beside it is for `pytest.mark.parametrize`.
"""

from __future__ import annotations

from .ledgers import Scribe
from .stores import STORE_CHECKS, Store, StoreCheck, check_store

__all__ = ["STORE_CHECKS", "Scribe", "Store", "StoreCheck", "check_store"]
