"""Telling a terminal how far something is that takes long and whose end is not known."""

from __future__ import annotations

import sys
import time

import click

from .printing import CLEAR

PATIENCE = 0.3
"""Seconds before the first word, and between two."""


class Progress:
    """Counts on standard error, on a line that is taken away at the end. Says nothing to a pipe or a file."""

    def __init__(self, doing: str, what: str) -> None:
        self._doing, self._what = doing, what
        self._due = time.monotonic() + PATIENCE
        self._has_told = False

    def tell(self, count: int) -> None:
        """So many are done."""
        if time.monotonic() >= self._due and sys.stderr.isatty():
            self._due = time.monotonic() + PATIENCE
            self._has_told = True
            click.echo(f"\r{CLEAR}{self._doing}: {count:,} {self._what}", nl=False, err=True)

    def end(self) -> None:
        """Nothing more is told."""
        if self._has_told:
            click.echo(f"\r{CLEAR}", nl=False, err=True)


__all__ = ["Progress"]
