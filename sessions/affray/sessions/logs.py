"""structlog, set up in one place.

The log tells what the program did (names of log events, sessions, versions, counts), never what was rolled: dice of
hidden rolls must not leak through a log file. It goes through the standard library's `logging`, so an embedding
program hears of it exactly as much as it asks for; by default that is warnings on standard error.
"""

from __future__ import annotations

import logging
from typing import Any

import structlog

_PROCESSORS: list[Any] = [
    structlog.stdlib.filter_by_level,
    structlog.stdlib.add_log_level,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
    structlog.processors.KeyValueRenderer(key_order=["timestamp", "level", "event"]),
]

_LOGGER: structlog.stdlib.BoundLogger = structlog.wrap_logger(
    logging.getLogger("affray"), processors=_PROCESSORS, wrapper_class=structlog.stdlib.BoundLogger
)


def get_logger() -> structlog.stdlib.BoundLogger:
    """The logger of the sessions package."""
    return _LOGGER


def configure(level: str = "warning") -> None:
    """Show log lines of a level and above on standard error. Called by the command line only."""
    logging.basicConfig(format="%(message)s")
    logging.getLogger("affray").setLevel(level.upper())
