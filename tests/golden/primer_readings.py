"""The table of readings in the README of the primer system: made from its rows. `python -m tests.golden.primer_readings` writes it."""

from __future__ import annotations

from pathlib import Path

from affray.plugins import primer
from affray.plugins.primer.options import PrimerOptions
from affray.plugins.primer.readings import READINGS

from .readings import Table, switch

TABLE = Table(
    readme=Path(primer.__file__).parent / "README.md",
    script="tests/golden/primer_readings.py",
    heads=("source", "reading", "where", "switch"),
    rows=[(one.source, one.text, f"`{one.where}`", switch(one.switch, PrimerOptions())) for one in READINGS],
)


if __name__ == "__main__":
    TABLE.write()
