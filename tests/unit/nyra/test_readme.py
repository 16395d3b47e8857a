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
from affray.plugins.nyra.readings import READINGS

from ...golden import nyra_readings
from .table import Table

FOLDER = Path(nyra.__file__).parent
VECTORS = Path(__file__).parents[2] / "golden" / "vectors" / "nyra.vectors.json"
TEXT = (FOLDER / "README.md").read_text("utf-8")
ROWS = [[cell.strip() for cell in line.strip("|").split("|")] for line in TEXT.splitlines() if line.startswith("|")]
CODE = "".join(path.read_text("utf-8") for path in sorted(FOLDER.glob("*.py")) if path.name != "readings.py")
SOURCES = " ".join(one.source for one in READINGS)

CONTRADICTIONS = set(range(1, 18)) - {15}
"""Those of 3.2. The fifteenth is about two sheets of the vectors, not about rules."""

CITED_BY_THE_PAGE = {17, 18, 26, 30, 34, 58, 59, 66, 68, 74, 79, 84, 87, 91}
"""Vectors that the text of the page names beside an open reading, but for those of optional modules."""


def code(cell: str) -> str:
    return cell.strip("`")


def test_the_sample_is_a_sheet() -> None:
    (sample,) = re.findall(r"```json\n(.*?)```", TEXT, re.DOTALL)
    assert len(Table().rules.read_sheet(json.loads(sample)).weapons) == 3


def test_the_options_and_their_defaults() -> None:
    told = {code(row[0]): code(row[1]) for row in ROWS if len(row) == 4 and row[0].startswith("`")}
    assert told == {name: str(value).replace("False", "false") for name, value in msgspec.structs.asdict(Options()).items()}


def test_a_bundle_is_a_generation_and_differs_in_nothing_else() -> None:
    described = nyra.make().describe()
    assert {"duel": Options(), "bank": Options(variant="bank")} == {
        name: msgspec.convert(options, Options) for name, options in described.bundles.items()
    }
    assert all(f"`{name}`" in TEXT.partition("## The bank")[2].partition("\n\n")[2] for name in described.bundles)


def test_the_places() -> None:
    assert [code(row[0]) for row in ROWS if len(row) == 2 and row[0].startswith("`")] == list(PLACES)


def test_the_readings_are_those_of_the_code() -> None:
    """`python -m tests.golden.nyra_readings` writes them."""
    assert nyra_readings.TABLE.text() == nyra_readings.TABLE.in_readme()


def numbers(text: str, before: str) -> set[int]:
    """The numbers that a text names behind a word, as in `contradictions 3 and 4` or `NY17, NY18`."""
    found = re.findall(rf"{before}\s*(\d+(?:(?:,|\s+and)\s+\d+)*)", text)
    return {int(number) for numbers in found for number in re.findall(r"\d+", numbers)}


def test_every_contradiction_has_a_reading_and_is_cited_in_code() -> None:
    assert CONTRADICTIONS == numbers(SOURCES, "contradictions?")
    assert CONTRADICTIONS == numbers(CODE, "contradictions?")


def test_every_vector_that_a_reading_leans_on_is_cited_in_code() -> None:
    vectors = json.loads(VECTORS.read_text("utf-8"))["vectors"]
    bank = {int(one["id"][2:]) for one in vectors if one.get("rules", {}).get("variant") == "bank"}
    assert CITED_BY_THE_PAGE | bank <= numbers(SOURCES, "NY")
    assert numbers(SOURCES, "NY") <= numbers(CODE, "NY")


@pytest.mark.parametrize("where", sorted({one.where for one in READINGS}))
def test_a_reading_stands_where_the_table_says(where: str) -> None:
    module, name = where.split(".")
    assert hasattr(importlib.import_module(f"affray.plugins.nyra.{module}"), name)


def test_every_option_is_the_switch_of_a_reading() -> None:
    assert set(msgspec.structs.asdict(Options())) == {one.switch for one in READINGS} - {""}


def test_both_generations_have_readings() -> None:
    assert {"both", "duel", "bank"} == {one.generation for one in READINGS}
