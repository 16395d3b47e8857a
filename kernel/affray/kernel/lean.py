"""A log for those who only go through it: of most events it remembers no more than that they were there."""

from __future__ import annotations

from typing import Any

from msgspec import UNSET

from .events import Note
from .ledger import Commit
from .log import Log
from .steps import Roll

_FORGOTTEN = Note(text=None)
"""Stands for an event that nobody asks for again."""


class LeanLog(Log):
    """A log that keeps the first event of every commit, what may be opened later, and rolls, whose faces may be kept."""

    def __init__(self) -> None:
        super().__init__()
        self._begins = False

    def begin(self, commit: Commit) -> None:
        """Take in what comes with the next commit."""
        super().begin(commit)
        self._begins = True

    def take(self, event: Any) -> None:
        """Take in the next event, and forget what will not be asked for."""
        super().take(event)
        is_needed = self._begins or event.kept is not UNSET or type(event) is Roll
        if not is_needed:
            self.events[-1] = _FORGOTTEN
        self._begins = False
