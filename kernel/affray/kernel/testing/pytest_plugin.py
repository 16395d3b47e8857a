"""pytest fixtures for whoever tests a plugin (entry point `pytest11`)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from .dice import SeededDice
from .given import Given, given


@pytest.fixture
def fight_given() -> Iterator[Callable[..., Given]]:
    """`given`, whose fights are finished at the end of the test: no script may be left over, no refusal unsaid."""
    made: list[Given] = []

    def remembered(*args: Any, **kwargs: Any) -> Given:
        made.append(given(*args, **kwargs))
        return made[-1]

    yield remembered
    for fight in made:
        fight.finish()


@pytest.fixture
def seeded_dice(request: pytest.FixtureRequest) -> SeededDice:
    """Dice seeded by the test's own name: the same in every run, others for every test."""
    return SeededDice(request.node.nodeid.rpartition("/")[2])
