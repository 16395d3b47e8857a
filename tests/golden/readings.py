"""Tables of readings in the systems' READMEs, made from rows of their code: what the generators of all systems share."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

END = "<!-- end of readings -->\n"


class Table(NamedTuple):
    """The table of one README. `script` is the file that makes it, as the README names it."""

    readme: Path
    script: str
    heads: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]

    @property
    def begin(self) -> str:
        """The line that stands before it."""
        return f"<!-- readings: generated, see {self.script} -->\n"

    def text(self) -> str:
        """The table, one row a reading."""
        lines = (self.heads, ("---",) * len(self.heads), *self.rows)
        return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)

    def in_readme(self) -> str:
        """The table as it stands in the README."""
        return self.readme.read_text("utf-8").partition(self.begin)[2].partition(END)[0]

    def write(self) -> None:
        """Put the table in its place in the README."""
        before, begin, rest = self.readme.read_text("utf-8").partition(self.begin)
        assert begin, f"{self.readme} has no line {self.begin!r}"
        self.readme.write_text(f"{before}{begin}{self.text()}{END}{rest.partition(END)[2]}", "utf-8")


def switch(name: str, options: msgspec.Struct) -> str:
    """An option with its default; what decides otherwise as it is."""
    defaults = msgspec.structs.asdict(options)
    return f"option `{name}`, default {spelt(defaults[name])}" if name in defaults else name


def spelt(value: object) -> str:
    """A value as JSON has it."""
    return f"`{str(value).lower()}`" if isinstance(value, bool) else f"`{value}`"
