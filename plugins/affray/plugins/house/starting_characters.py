"""Starting characters: a sheet above what a beginner may have does not join (every system).

Skills of nyra up to 8, Abilities of exalted up to 5 and Essence up to 3, ranks of the primer up to 8. Monsters are held to it as well;
who wants a stronger one lets it join before the rules change (`affray rules`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import msgspec

from affray.kernel import Exact, exact, hookimpl

MOST: Mapping[str, int] = {"skills": 8, "abilities": 5, "essence": 3}
"""The field of a sheet and the most it may hold; of a table of them, each."""


class StartingCharacters:
    """Nobody joins with a skill or rank above 8, an Ability above 5 or Essence above 3."""

    title = "Starting characters"
    release = "1"

    @hookimpl
    def check_sheet(self, sheet: Any) -> Iterable[tuple[str, str]]:
        """Name every number that is too high."""
        return [
            (path, f"a starting character has {most} at most")
            for field, most in MOST.items()
            for path, value in numbers(f"$.{field}", msgspec.to_builtins(getattr(sheet, field, None)))
            if value > most
        ]


def numbers(path: str, value: Any) -> Iterator[tuple[str, Exact]]:
    """Give the numbers of a field: itself, those of a table, or the rank of each thing in a table."""
    if isinstance(value, int):
        yield path, value
    elif isinstance(value, dict) and "rank" in value:
        yield f"{path}.rank", exact(value["rank"])
    elif isinstance(value, dict):
        for name, below in value.items():
            yield from numbers(f"{path}.{name}", below)
