"""A table to try the system at, and what its tests ask of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from affray.kernel import (
    Declare,
    Done,
    Event,
    Json,
    Modifier,
    Num,
    Refused,
    Step,
    Turn,
    exact,
)
from affray.plugins.primer import make
from affray.plugins.primer.sample_pack import SAMPLE_PACK
from affray.sessions import Catalog

from ...support.scripted_table import ScriptedTable, catalog_of

Sheet = dict[str, Any]

SWORD: Sheet = {"key": "sword", "dice": "2d6", "plus": 4, "types": ["slicing", "chopping"], "wsd": 8}
CLUB: Sheet = {"key": "club", "dice": "1d6", "plus": 10, "types": ["crushing"], "wsd": 9}
BOLT: Sheet = {"key": "bolt", "dice": "1d6", "plus": 4, "types": ["energy"], "wsd": 10, "skill": "magic"}

AREAS: list[Json] = SAMPLE_PACK["areas"]

HTK = 100
"""What everybody and every area has, so that no blow shocks or cripples where a test means something else."""


def average(**fields: Any) -> Sheet:
    """Somebody with 10 in every stat, whose one skill, rank 6 in a factor of 10, gives a chance of 70: INIT is 2d6 - 83/120.

    DEF and PAB are pinned at 0: numbers to reckon with.
    """
    return {
        **{name: 10 for name in ("STR", "CON", "AGL", "DEX", "INT", "AUR", "DRV", "DSC", "BLD")},
        "HGT": 66,
        "WGT": 150,
        "factors": {"PCF": 10},
        "skills": {"sword": {"rank": 6, "factor": "PCF", "stats": ["STR"]}},
        "weapons": [SWORD],
        "HTK": HTK,
        "area_HTK": {area["area"]: HTK for area in AREAS},
        "pinned": {name: {"value": 0, "reason": "a test"} for name in ("DEF", "PAB")},
        **fields,
    }


def pack(**fields: Any) -> Json:
    """The chart of the sample pack and nothing else, unless told otherwise."""
    return {"title": "a test", "areas": AREAS, **fields}


def catalog(house: Mapping[str, object] | None = None) -> Catalog:
    """The system by hand, whatever is installed, and house rules."""
    return catalog_of("primer", make, house)


def kinds(events: Iterable[Event]) -> list[str]:
    """Kind and key of every step."""
    return [f"{type(event).__name__} {event.key}" for event in events if isinstance(event, Step)]


class Table(ScriptedTable):
    """A fight of the primer in progress."""

    def __init__(
        self,
        *faces: int,
        options: Mapping[str, Json] | None = None,
        cold: bool = False,
        house: Mapping[str, object] | None = None,
    ) -> None:
        options = {"pack": pack(), **(options or {})}
        super().__init__("primer", catalog(house), average, faces, options, tuple(house or {}), cold=cold)

    @property
    def count(self) -> Num:
        return self.state.at[0]

    @property
    def turn(self) -> str:
        return self.state.turn

    def attack(self, actor: str, target: str, *, rows: tuple[Modifier, ...] = (), **params: Any) -> Refused | None:
        """Attack with a sword unless told otherwise; it is pending afterwards."""
        return self.declare(actor, "attack", target, rows=rows, **{"weapon": "sword", **params})

    @property
    def asked(self) -> list[tuple[str, str]]:
        """Who is asked, and what."""
        return [(prompt.ask.who[0], prompt.ask.key) for prompt in self.state.prompts.values()]

    def last(self, kind: type[Any], key: str) -> Any:
        return self.found(kind, key)[-1]

    def rows(self, kind: type[Any], key: str) -> dict[str, Num]:
        """The trace of the last step of a kind and key."""
        return {row.code: row.amount for row in self.last(kind, key).trace}

    def taken(self, who: str, pool: str = "htk") -> Any:
        """The damage taken from a pool."""
        someone = self.state.combatants[who]
        high = (someone.ranges or {})[pool].high
        assert high is not None
        return exact(high) - exact(someone.pools[pool] or 0)

    def conditions(self, who: str) -> dict[str, Num | None]:
        return {name: value for name, value in super().conditions(who).items() if name != "reaction"}

    def until(self, who: str, condition: str) -> Num:
        found = self.state.combatants[who].conditions[condition].until
        assert found is not None
        return found[0]

    @property
    def outcomes(self) -> list[str]:
        """How every declared action ended, in the order of their ends."""
        declared = {event.action for event in self.events if isinstance(event, Declare)}
        return [event.code for event in self.events if isinstance(event, Done) and event.action in declared]

    @property
    def stimuli(self) -> list[tuple[Num, str]]:
        """Every stimulus: its count, and whose."""
        return [(e.when[0], e.who) for e in self.events if isinstance(e, Turn) and e.moment == "stimulus"]


SLOW: Sheet = {"race": {"PSM": -25}}
"""Ten counts later than others."""


def duel(*faces: int, first: Sheet | None = None, second: Sheet | None = None, **how: Any) -> Table:
    """Ann against Bob, begun. Ann rolls 2 for INIT and declares at count 2; slow Bob rolls 11 and would declare at count 21."""
    table = Table(1, 1, 6, 5, *faces, **how)
    table.join("ann", "red", **(first or {}))
    table.join("bob", "blue", **{**SLOW, **(second or {})})
    table.begin()
    return table


def struck(
    *faces: int, stance: str = "aware-defending", after: tuple[int, ...] = (1, 1), params: Mapping[str, Any] | None = None, **how: Any
) -> Table:
    """Ann's sword comes down on Bob at count 10, before he declares anything; she reacts again with `after`, and it is her turn at 12."""
    table = duel(*faces, *after, **how)
    assert table.attack("ann", "bob", **(params or {})) is None
    table.answer(stance)
    return table


MISS, HIT = 71, 20
"""A d100 against 70: a failure, and level 2."""

BODY = 30
"""A position on the upper body."""

SIX = (3, 3)
"""2d6 of damage: with 4 of the sword and 2 of the rank, base damage 12."""


def pins(**values: Any) -> Sheet:
    """DEF and PAB as given, 0 else."""
    return {"pinned": {name: {"value": values.get(name, 0), "reason": "a test"} for name in ("DEF", "PAB", "MDF", "MAB")}}
