"""The table of readings in the README of the Exalted system: made from its rows. `python -m tests.golden.exalted_readings` writes it."""

from __future__ import annotations

from pathlib import Path

from affray.plugins import exalted
from affray.plugins.exalted.options import Options
from affray.plugins.exalted.readings import READINGS

from .readings import Table, switch

TABLE = Table(
    readme=Path(exalted.__file__).parent / "README.md",
    script="tests/golden/exalted_readings.py",
    heads=("source", "reading", "where", "switch"),
    rows=[(one.source, one.text, f"`{one.where}`", switch(one.switch, Options())) for one in READINGS],
)


def table() -> str:
    """The table as the rows make it."""
    return TABLE.text()


def in_readme() -> str:
    """The table as it stands in the README."""
    return TABLE.in_readme()


if __name__ == "__main__":
    TABLE.write()
