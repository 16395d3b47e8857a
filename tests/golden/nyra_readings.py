"""The table of readings in the README of the Nyra system: made from its rows. `python -m tests.golden.nyra_readings` writes it."""

from __future__ import annotations

from pathlib import Path

from affray.plugins import nyra
from affray.plugins.nyra.options import Options
from affray.plugins.nyra.readings import READINGS

from .readings import Table, switch

TABLE = Table(
    readme=Path(nyra.__file__).parent / "README.md",
    script="tests/golden/nyra_readings.py",
    heads=("source", "generation", "reading", "where", "switch"),
    rows=[
        (one.source, one.generation, one.text, f"`{one.where}`", switch(one.switch, Options()))
        for one in READINGS
    ],
)


if __name__ == "__main__":
    TABLE.write()
