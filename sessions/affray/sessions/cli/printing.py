"""Printing: plain lines for pipes and files, a little colour for a terminal, JSON for programs.

rich is imported only when a terminal wants colour (not with NO_COLOR, nor on a dumb one).
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, TextIO

import click
import msgspec

from ..views.transcript import Line

STYLES = {"title": "bold", "heading": "bold cyan", "action": "bold", "step": "", "aside": "", "end": "bold green"}
"""Style of a transcript's line -> how rich prints it."""

LONG = 4_000_000
"""Bytes of a ledger from which on reading it is shown."""

INDENT = "  "

CLEAR = "\x1b[K"
"""Takes away what stands on a terminal's line behind the cursor."""


def has_colour(stream: TextIO) -> bool:
    """Whether a stream is a terminal that wants colour."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM", "dumb") != "dumb"


class Page:
    """Prints lines of a transcript and of a board, on standard output or, with `err`, on standard error."""

    def __init__(self, *, err: bool = False) -> None:
        self.err = err
        self._console: Any = None
        if has_colour(sys.stderr if err else sys.stdout):
            from rich.console import Console

            self._console = Console(highlight=False, markup=False, emoji=False, soft_wrap=False, stderr=err)

    def line(self, text: str = "", depth: int = 0, style: str = "") -> None:
        """One line, indented; on a terminal, wrapped below its own beginning."""
        if self._console is None or not text:
            click.echo(INDENT * depth + text, err=self.err)
            return
        from rich.padding import Padding
        from rich.text import Text

        self._console.print(Padding(Text(text, style=style), (0, 0, 0, len(INDENT) * depth), expand=False))

    def rows(self, lines: Iterable[str]) -> None:
        """Lines whose columns must stay where they are."""
        for line in lines:
            click.echo(line, err=self.err)

    def transcript(self, lines: Iterable[Line]) -> None:
        """Lines of a transcript, with a blank one before each heading."""
        for line in lines:
            if line.style in ("heading", "end"):
                self.line()
            self.line(line.text, line.depth, STYLES[line.style])


def print_json(value: object) -> None:
    """One JSON document."""
    click.echo(msgspec.json.format(msgspec.json.encode(value), indent=2))


def print_json_line(value: object) -> None:
    """One document of many, on a line of its own."""
    click.echo(msgspec.json.encode(value))


def progress(lines: Iterable[bytes], size: int, doing: str) -> Iterator[bytes]:
    """Lines as they are; of long ledgers a terminal is told on standard error how far they are read."""
    if size < LONG or not sys.stderr.isatty():
        return iter(lines)
    return _told(lines, size, doing)


def _told(lines: Iterable[bytes], size: int, doing: str) -> Iterator[bytes]:
    done, due = 0, 0.0
    for line in lines:
        yield line
        done += len(line) + 1
        if (now := time.monotonic()) >= due:
            due = now + 0.2
            click.echo(f"\r{doing}: {min(100, 100 * done // size)} %", nl=False, err=True)
    click.echo("\r" + " " * (len(doing) + 8) + "\r", nl=False, err=True)


def counted(names: Sequence[str], doing: str) -> Iterator[str]:
    """Names as they are; of several a terminal is told on standard error which one it is about."""
    is_told = len(names) > 1 and sys.stderr.isatty()
    for number, name in enumerate(names, 1):
        if is_told:
            click.echo(f"\r{CLEAR}{doing} {number} of {len(names)}: {name}", nl=False, err=True)
        yield name
        if is_told:
            click.echo(f"\r{CLEAR}", nl=False, err=True)
