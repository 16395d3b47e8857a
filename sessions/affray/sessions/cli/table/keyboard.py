"""Lines from whoever sits at the keyboard, or from a pipe that stands in for them.

A terminal gets the line editing of readline; what a pipe says is repeated behind the prompt, so that the output reads
like a session at a terminal. An end of input is `Left`; an interrupt stays KeyboardInterrupt.
"""

from __future__ import annotations

import sys
from contextlib import suppress
from importlib import import_module
from io import TextIOWrapper

import click


class Left(Exception):
    """Whoever sat at the keyboard leaves: by a word, by Ctrl-D, or because a pipe ends."""


class Keyboard:
    """Asks for lines. With `err`, prompts go to standard error, since standard output is for something else."""

    def __init__(self, *, err: bool = False) -> None:
        self.err = err
        self.is_edited = sys.stdin.isatty() and sys.stdout.isatty() and not err
        self._is_seen = sys.stdin.isatty()
        if isinstance(sys.stdin, TextIOWrapper):
            sys.stdin.reconfigure(errors="replace")
        if self.is_edited:
            with suppress(ImportError):  # a Python without it still reads lines
                import_module("readline")

    def line(self, prompt: str) -> str:
        """The next line, without blanks around it. Raises Left, KeyboardInterrupt."""
        if self.is_edited:
            try:
                return input(prompt).strip()
            except EOFError:
                click.echo()
                raise Left from None
        click.echo(prompt, nl=False, err=self.err)
        text = sys.stdin.readline()
        if not text.endswith("\n") or not self._is_seen:
            click.echo(text.rstrip("\n"), err=self.err)
        if not text:
            raise Left
        return text.strip()
