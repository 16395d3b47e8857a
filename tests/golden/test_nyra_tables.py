"""Golden vectors of the Nyra rules on the kernel alone: the small tables, every turn, every phase of the duel."""

from __future__ import annotations

import pytest

from .nyra_readings import Record
from .nyra_tables import TABLES, KernelDriver
from .nyra_vectors import listed, run_phase, run_turn, vectors


def cases(*kinds: str) -> pytest.MarkDecorator:
    """A test's cases, one a vector; one that says there are none where another directory holds no file."""
    found = [pytest.param(vector, id=f"nyra-{vector['id']}") for vector in vectors(*kinds)]
    return pytest.mark.parametrize("vector", found or [pytest.param(None, id="nyra-no-vectors")])


@cases(*TABLES)
def test_table(vector: Record | None) -> None:
    if vector is None:
        return
    driver = KernelDriver()
    actual = TABLES[vector["kind"]](vector["input"], driver)
    assert vector["expected"] == listed(vector["expected"], actual)
    assert "dice" not in vector["input"] or driver.faces_left == 0


@cases("turn")
def test_turn(vector: Record | None) -> None:
    if vector is None:
        return
    driver = KernelDriver()
    actual = run_turn(driver, vector)
    assert vector["expected"] == listed(vector["expected"], actual)
    assert driver.faces_left == 0


@cases("phase")
def test_phase(vector: Record | None) -> None:
    if vector is None:
        return
    driver = KernelDriver()
    actual = run_phase(driver, vector)
    assert vector["expected"] == listed(vector["expected"], actual)
    assert driver.faces_left == 0
