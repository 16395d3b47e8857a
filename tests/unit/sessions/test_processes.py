"""Work over several processes: results in order, a process that dies, and nothing that is left behind."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import closing
from multiprocessing import active_children

import pytest

from affray.sessions.processes import cores, each


@pytest.fixture(autouse=True)
def _nobody_is_left() -> Iterator[None]:
    before = active_children()
    yield
    assert [child for child in active_children() if child not in before] == []


def square(number: int) -> tuple[int, int]:
    """The work; of some numbers, the process dies."""
    if number < 0:
        os._exit(3)
    return number * number, os.getpid()


def lost(number: int) -> tuple[int, int]:
    return -number, 0


@pytest.mark.parametrize("items", [(), (3,), (3, 4)])
def test_one_process_is_this_one(items: tuple[int, ...]) -> None:
    found = list(each(square, items, 1 if len(items) > 1 else 4, lost))
    assert [(number * number, os.getpid()) for number in items] == found


def test_results_come_in_the_order_of_the_items_and_a_death_costs_no_more_than_one() -> None:
    found = list(each(square, (5, -1, 2, -3, 4), 2, lost))
    assert [25, 1, 4, 3, 16] == [number for number, _ in found]
    assert os.getpid() not in [process for _, process in found]
    assert [0, 0] == [found[index][1] for index in (1, 3)]


def test_leaving_early_ends_all_processes() -> None:
    with closing(each(square, tuple(range(500)), 2, lost)) as results:
        assert next(results)[0] == 0


def test_there_is_a_core() -> None:
    assert cores() >= 1
