"""The system's README: its sample, its tables and the names it gives are what the code has."""

from __future__ import annotations

import importlib
import json
import re
from pathlib import Path

import msgspec
import pytest

from affray.plugins import exalted
from affray.plugins.exalted.actions import PARAMS
from affray.plugins.exalted.glossary import PLACES
from affray.plugins.exalted.options import BUNDLES, Options
from affray.plugins.exalted.readings import READINGS

from ...golden import exalted_readings
from .table import Table

FOLDER = Path(exalted.__file__).parent
TEXT = (FOLDER / "README.md").read_text("utf-8")
ROWS = [[cell.strip() for cell in line.strip("|").split("|")] for line in TEXT.splitlines() if line.startswith("|")]
AMBIGUITIES = 28


def test_the_sample_is_a_sheet_and_fights() -> None:
    (sample,) = re.findall(r"```json\n(.*?)```", TEXT, re.DOTALL)
    table = Table(*[2] * 10)
    for who, side in (("ann", "red"), ("bob", "blue")):
        table.join(who, side, **json.loads(sample))
    table.begin()
    assert table.state.turn == "ann"


def test_the_options_and_their_defaults() -> None:
    section = TEXT.partition("## Options")[2].partition("How a being rounds")[0]
    told = dict(re.findall(r"^\| `(\w+)` \| `?(\w+)`? \|", section, re.MULTILINE))
    assert told == {name: str(value).replace("False", "false") for name, value in msgspec.structs.asdict(Options()).items()}


def test_the_bundles_are_those_of_the_system() -> None:
    section = TEXT.partition("How a being rounds")[2].partition("## Readings")[0]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in section.splitlines() if line.startswith("| `")]
    told = {name.strip("`"): set(re.findall(r"`(\w+)`", options)) for name, options, _ in rows}
    assert told == {name: {*options, *map(str, options.values())} for name, options in BUNDLES.items()}
    assert exalted.make().describe().bundles == BUNDLES


def test_the_actions() -> None:
    section = TEXT.partition("### Actions")[2].partition("### An attack")[0]
    named = re.findall(r"^\| (`[^|]*?) \|", section, re.MULTILINE)
    assert {name for cell in named for name in re.findall(r"`([\w-]+)`", cell)} == set(PARAMS)


def test_the_places() -> None:
    assert [row[0].strip("`") for row in ROWS if len(row) == 2 and row[0].startswith("`")] == list(PLACES)


def test_the_readings_are_those_of_the_code() -> None:
    """`python -m tests.golden.exalted_readings` writes them."""
    assert exalted_readings.table() == exalted_readings.in_readme()


def test_every_ambiguity_has_a_reading_and_is_cited_in_code() -> None:
    assert [one.source for one in READINGS[:AMBIGUITIES]] == [str(number) for number in range(1, AMBIGUITIES + 1)]
    code = "".join(path.read_text("utf-8") for path in sorted(FOLDER.glob("*.py")) if path.name != "readings.py")
    cited = {
        int(number)
        for found in re.findall(r"ambiguit(?:y|ies)\s+(\d+(?:(?:,|\s+and)\s+\d+)*)", code)
        for number in re.findall(r"\d+", found)
    }
    assert cited == set(range(1, AMBIGUITIES + 1))


@pytest.mark.parametrize("where", [one.where for one in READINGS])
def test_a_reading_stands_where_the_table_says(where: str) -> None:
    module, name = where.split(".")
    assert hasattr(importlib.import_module(f"affray.plugins.exalted.{module}"), name)


def test_a_switch_is_an_option_or_says_what_decides() -> None:
    switches = {one.switch for one in READINGS} - {""}
    assert set(msgspec.structs.asdict(Options())) <= switches
