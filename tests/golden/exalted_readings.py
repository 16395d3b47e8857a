"""The table of readings in the README of the Exalted system: made from its rows. `python -m tests.golden.exalted_readings` writes it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec

from affray.plugins import exalted
from affray.plugins.exalted.options import Options
from affray.plugins.exalted.readings import READINGS

README = Path(exalted.__file__).parent / "README.md"
BEGIN = "<!-- readings: generated, see tests/golden/exalted_readings.py -->\n"
END = "<!-- end of readings -->\n"


def table() -> str:
    """The table, one row a reading; an option stands with its default and the others."""
    return "".join(f"| {' | '.join(cells)} |\n" for cells in rows())


def rows() -> Iterator[tuple[str, ...]]:
    """The cells of the table."""
    yield "source", "reading", "where", "switch"
    yield "---", "---", "---", "---"
    for one in READINGS:
        yield one.source, one.text, f"`{one.where}`", switch(one.switch)


def switch(name: str) -> str:
    """An option with its values, the default first; anything else as it is."""
    defaults = msgspec.structs.asdict(Options())
    return f"option `{name}`, default {spelt(defaults[name])}" if name in defaults else name


def spelt(value: object) -> str:
    """A value as JSON has it."""
    return f"`{str(value).lower()}`" if isinstance(value, bool) else f"`{value}`"


def in_readme() -> str:
    """The table as it stands in the README."""
    return README.read_text("utf-8").partition(BEGIN)[2].partition(END)[0]


if __name__ == "__main__":
    before, _, rest = README.read_text("utf-8").partition(BEGIN)
    README.write_text(f"{before}{BEGIN}{table()}{END}{rest.partition(END)[2]}", "utf-8")
