"""Golden vectors of the primer's rules: every calculation, by default and under every other value of every option."""

from __future__ import annotations

from typing import Any

import pytest

from .primer_vectors import (
    DEFAULTS,
    FIGHT,
    OPS,
    Record,
    expected,
    other_values,
    outcome,
    stored,
    vectors,
    with_option,
)

FOUND = vectors()
cases = pytest.mark.parametrize(
    "vector",
    [pytest.param(vector, id=f"primer-{vector['id']}") for vector in FOUND]
    or [pytest.param(None, id="primer-no-vectors")],
)


@cases
def test_a_vector(vector: Record | None) -> None:
    if vector is None:
        return
    assert vector["expected"] == outcome(vector, DEFAULTS)


@pytest.mark.parametrize(("name", "value"), other_values())
def test_an_option_changes_what_the_vectors_say_and_nothing_else(name: str, value: Any) -> None:
    """Part 3: every value that changes anything is listed among a vector's alternatives."""
    options = with_option(name, value)
    told = {vector["id"]: expected(vector, name, value) for vector in FOUND}
    assert told == {vector["id"]: outcome(vector, options) for vector in FOUND}


def test_every_alternative_is_of_a_value_tried() -> None:
    named = [(one["ruling"], one["option"]) for vector in FOUND for one in vector.get("alternatives", ())]
    tried = other_values()
    assert [one for one in named if one not in tried] == []


def test_every_kind_of_vector_is_computed() -> None:
    file = stored("primer.vectors.json")
    if file is None:
        return
    assert {vector["op"] for vector in file["vectors"]} == {*OPS, FIGHT}
    assert file["meta"]["count"] == len(file["vectors"])
