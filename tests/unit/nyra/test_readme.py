"""The system's README: its sample, its tables and the names it gives are what the code has."""

from __future__ import annotations

import importlib
import json
import re
from pathlib import Path

import msgspec
import pytest

from affray.plugins import nyra
from affray.plugins.nyra.glossary import PLACES
from affray.plugins.nyra.options import Options

from .table import Table

TEXT = (Path(nyra.__file__).parent / "README.md").read_text("utf-8")
ROWS = [[cell.strip() for cell in line.strip("|").split("|")] for line in TEXT.splitlines() if line.startswith("|")]
NAMES = re.findall(r"\| `(\w+)\.(\w+)` \|$", TEXT, re.MULTILINE)


def code(cell: str) -> str:
    return cell.strip("`")


def test_the_sample_is_a_sheet() -> None:
    (sample,) = re.findall(r"```json\n(.*?)```", TEXT, re.DOTALL)
    assert len(Table().rules.read_sheet(json.loads(sample)).weapons) == 3


def test_the_options_and_their_defaults() -> None:
    told = {code(row[0]): code(row[1]) for row in ROWS if len(row) == 4 and row[0].startswith("`")}
    assert told == {name: str(value).replace("False", "false") for name, value in msgspec.structs.asdict(Options()).items()}


def test_the_places() -> None:
    assert [code(row[0]) for row in ROWS if len(row) == 2 and row[0].startswith("`")] == list(PLACES)


def test_there_are_readings() -> None:
    assert len(NAMES) == len([row for row in ROWS if len(row) == 3 and re.match(r"`\w+\.\w+`", row[2])])
    assert len(NAMES) > 15


@pytest.mark.parametrize(("module", "name"), NAMES)
def test_a_reading_stands_where_the_table_says(module: str, name: str) -> None:
    assert hasattr(importlib.import_module(f"affray.plugins.nyra.{module}"), name)
