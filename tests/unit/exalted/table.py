"""A table to try the system at, and what its tests ask of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from affray.kernel import Declare, Done, Json, Modifier, Num, Refused, Roll, Step
from affray.plugins.exalted import make
from affray.sessions import Catalog

from ...support.scripted_table import ScriptedTable, catalog_of

Sheet = dict[str, Any]

SWORD: Sheet = {"key": "sword", "name": "Daiklave", "speed": 5, "damage": 3, "defense": 2, "rate": 3}
HANDS: Sheet = {
    "key": "hands",
    "ability": "MartialArts",
    "speed": 5,
    "type": "bashing",
    "defense": 0,
    "is_bare": True,
    "rate": 3,
}
BOW: Sheet = {"key": "bow", "ability": "Archery", "speed": 6, "damage": 4, "adds_strength": False}


def sheet(**fields: Any) -> Sheet:
    """A Solar: Dexterity 4, Dodge 4, Melee 3, Essence 2, Stamina 3; dodges with 5, parries with 5."""
    return {
        "being": "solar",
        "strength": 2,
        "dexterity": 4,
        "stamina": 3,
        "essence": 2,
        "abilities": {"Dodge": 4, "Melee": 3, "Resistance": 2},
        "weapons": [SWORD],
        **fields,
    }


def steps(table: Table) -> list[str]:
    """Kind and key of every step since the last declaration that is nested in nothing."""
    first = max(i for i, event in enumerate(table.events) if isinstance(event, Declare) and not event.parent)
    return [f"{type(event).__name__} {event.key}" for event in table.events[first:] if isinstance(event, Step)]


def outcomes(table: Table) -> list[str]:
    """How every declared action ended, in the order of their ends."""
    declared = {event.action for event in table.events if isinstance(event, Declare)}
    return [event.code for event in table.events if isinstance(event, Done) and event.action in declared]


def dice_of(roll: Roll) -> int:
    """How many dice a roll had."""
    return sum(term.count for term in roll.plan.terms)


def catalog(house: Mapping[str, object] | None = None) -> Catalog:
    """The system by hand, whatever is installed, and house rules."""
    return catalog_of("exalted", make, house)


class Table(ScriptedTable):
    """A fight of Exalted in progress."""

    def __init__(
        self,
        *faces: int,
        options: Mapping[str, Json] | None = None,
        cold: bool = False,
        house: Mapping[str, object] | None = None,
    ) -> None:
        super().__init__("exalted", catalog(house), sheet, faces, options or {}, tuple(house or {}), cold=cold)

    def attack(self, actor: str, target: str, *answers: str, rows: tuple[Modifier, ...] = (), **params: Any) -> Refused | None:
        """Attack with a sword unless told otherwise, and answer the prompts that come, in order."""
        refused = self.declare(actor, "attack", target, rows=rows, **{"weapon": "sword", **params})
        if refused is None:
            self.answer(*answers)
        return refused

    def next_tick(self, who: str) -> Num:
        return self.state.agenda[who].when[0]


def duel(*faces: int, first: Sheet | None = None, second: Sheet | None = None, **how: Any) -> Table:
    """Ann against Bob, begun. They join battle with a die each, a 9 and a 2: Ann acts on tick 0, Bob on tick 1."""
    table = Table(9, 2, *faces, **how)
    table.join("ann", "red", **(first or {}))
    table.join("bob", "blue", **(second or {}))
    table.begin()
    return table
