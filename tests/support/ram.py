"""A folder that costs no waiting for a disk, for tests whose point is not that a disk was waited for."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

_MEMORY = Path("/dev/shm")


@contextmanager
def ram_folder() -> Generator[Path, None, None]:
    """A new folder in memory where the system has such a place, else wherever temporary files go."""
    place = _MEMORY if _MEMORY.is_dir() and os.access(_MEMORY, os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="affray-", dir=place) as folder:
        yield Path(folder)
