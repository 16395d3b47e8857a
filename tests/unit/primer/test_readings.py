"""The readings: one for every number of the page, each standing where it says."""

from __future__ import annotations

import importlib
import re
from pathlib import Path

import pytest

from affray.plugins import primer
from affray.plugins.primer.readings import READINGS

NUMBERS = [f"P-{number:02}" for number in range(1, 96) if number != 81]


def test_every_ambiguity_has_a_reading_in_the_order_of_the_page() -> None:
    after = NUMBERS.index("P-72") + 1
    assert [one.source for one in READINGS] == [*NUMBERS[:after], "P-72a", *NUMBERS[after:]]


@pytest.mark.parametrize("where", sorted({one.where for one in READINGS}))
def test_a_reading_stands_where_it_says(where: str) -> None:
    module, name = where.split(".")
    assert hasattr(importlib.import_module(f"affray.plugins.primer.{module}"), name)


def test_every_ambiguity_is_cited_where_it_is_settled() -> None:
    folder = Path(primer.__file__).parent
    text = {path.stem: path.read_text("utf-8") for path in sorted(folder.glob("*.py"))}
    lost = [
        one.source
        for one in READINGS
        if not re.search(rf"{one.source}\b", text[one.where.partition(".")[0]])
    ]
    assert lost == []
