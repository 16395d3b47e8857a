"""Golden vectors of the Nyra rules on the kernel alone: the small tables, every turn, phase and run of energy, the odds."""

from __future__ import annotations

import pytest

from .nyra_log import Record
from .nyra_odds import odds
from .nyra_tables import TABLES, KernelDriver
from .nyra_vectors import RUNS, listed, read, vectors

OPTIONAL_MODULES = ("affinity", "power_strike")
"""What the page lists as optional (1.8) and the system does not have."""


def parametrized(found: list[Record]) -> pytest.MarkDecorator:
    """A test's cases, one a vector; one that says there are none where another directory holds no file."""
    named = [pytest.param(vector, id=f"nyra-{vector['id']}") for vector in found]
    return pytest.mark.parametrize("vector", named or [pytest.param(None, id="nyra-no-vectors")])


def cases(*kinds: str) -> pytest.MarkDecorator:
    """A test's cases: the vectors of some kinds."""
    return parametrized(vectors(*kinds))


@cases(*TABLES)
def test_table(vector: Record | None) -> None:
    if vector is None:
        return
    driver = KernelDriver()
    actual = TABLES[vector["kind"]](vector["input"], driver)
    assert vector["expected"] == listed(vector["expected"], actual)
    assert "dice" not in vector["input"] or driver.faces_left == 0


@cases(*RUNS)
def test_fight(vector: Record | None) -> None:
    if vector is None:
        return
    driver = KernelDriver()
    actual = RUNS[vector["kind"]](driver, vector)
    assert vector["expected"] == listed(vector["expected"], actual)
    assert driver.faces_left == 0


@parametrized(read("exact_odds"))
def test_odds(vector: Record | None) -> None:
    if vector is None:
        return
    assert {name: vector[name] for name in ("hit", "defended", "miss")} == odds(vector)


def test_nothing_but_optional_modules_is_left_out() -> None:
    played = {vector["id"] for vector in vectors(*TABLES, *RUNS)}
    left_out = [vector for vector in read("vectors") if vector["id"] not in played]
    assert [vector["id"] for vector in left_out if vector.get("optional_module") not in OPTIONAL_MODULES] == []
