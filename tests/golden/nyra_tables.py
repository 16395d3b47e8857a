"""The small tables among the vectors of the Nyra rules, and the kernel alone as a driver for what needs a fight."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec

from affray.kernel import Event, Json, Num, Refused, SetPool, State, commands
from affray.plugins.nyra.armoury import Dice
from affray.plugins.nyra.bodies import SPECIES
from affray.plugins.nyra.checks import DIFFICULTIES, SUCCEEDED, effective, outcome
from affray.plugins.nyra.sheet import Sheet, modifier
from affray.plugins.nyra.weapons import base_flat, damage_range
from affray.plugins.nyra.wounds import tier, tier_name, tops

from ..unit.nyra.table import Table
from .nyra_log import Record, bled, code, is_bleeding, order_of, words
from .nyra_vectors import Driver, faces_of

DUELIST: Record = {"STR": 7, "AGI": 6, "CON": 7, "sequence": 1, "skills": {"Swords": 7}}


class KernelDriver:
    """A fight on the kernel alone."""

    def start(self, options: Mapping[str, Json], faces: Sequence[int]) -> None:
        self.table = Table(*faces, options=dict(options))

    def join(self, who: str, *, name: str, side: str, sheet: Mapping[str, Json], pools: Mapping[str, Num]) -> None:
        self._must(commands.Join(id=who, name=name, side=side, sheet=dict(sheet), pools=dict(pools), secret=False))

    def begin(self) -> None:
        self._must(commands.Begin())

    def declare(self, actor: str, name: str, targets: tuple[str, ...], params: Mapping[str, Json]) -> Refused | None:
        return self.table.do(commands.Declare(actor=actor, name=name, targets=targets, params=dict(params)))

    def answer(self, slot: str, who: str, value: str) -> None:
        self._must(commands.Answer(slot=slot, who=who, value=value))

    def overrule(self, effect: SetPool) -> None:
        self._must(commands.Overrule(reason="earlier strikes of this turn", effect=effect))

    @property
    def state(self) -> State:
        return self.table.state

    @property
    def events(self) -> Sequence[Event]:
        return self.table.events

    @property
    def faces_left(self) -> int:
        return len(self.table.script.left)

    def _must(self, command: commands.Command) -> None:
        assert self.table.do(command) is None


def duelist(**fields: Json) -> Sheet:
    """A sheet like a duelist's."""
    return msgspec.convert({**DUELIST, **fields}, Sheet)


def thresholds(given: Record, driver: Driver) -> Record:
    """The bands of head, chest and limb."""
    sheet = duelist(CON=given["CON"], STR=given["STR"])
    names = ("slight", "serious", "critical", "restorable")
    return {
        build.title(): dict(zip(names, tops(sheet, build, "floor_half"), strict=False))
        for build in ("head", "chest", "limb")
    }


def tier_table(given: Record, driver: Driver) -> list[str]:
    """The tier of locations with so much damage."""
    sheet = duelist(CON=given["CON"], STR=given["STR"])
    return [
        tier_name(sheet, location, tier(sheet, location, case["damage"], "floor_half"))
        for case in given["cases"]
        for location in (code(case["location"]),)
    ]


def turn_order(given: Record, driver: Driver) -> list[str]:
    """Begin a fight, and read the order of play."""
    driver.start({}, faces_of(given["dice"]))
    names = {f"c{number}": one["name"] for number, one in enumerate(given["combatants"], 1)}
    for who, one in zip(names, given["combatants"], strict=True):
        sheet = {**DUELIST, "AGI": one["AGI"], "sequence": one["sequence"]}
        driver.join(who, name=one["name"], side=who, sheet=sheet, pools={})
    driver.begin()
    return order_of(driver.events, names)


def bleed(given: Record, driver: Driver) -> list[Record]:
    """Let somebody bleed for some turns while an opponent looks on."""
    driver.start({}, ())
    sheet = {**DUELIST, "CON": given["CON"], "STR": given["STR"], "sequence": 2}
    pools = {code(given["location"]): given["start_damage"]}
    driver.join("bleeder", name="Bleeder", side="red", sheet=sheet, pools=pools)
    driver.join("onlooker", name="Onlooker", side="blue", sheet=DUELIST, pools={})
    driver.begin()
    while driver.state.turn and driver.state.at[0] != given["own_turns"] + 1:
        driver.declare(driver.state.turn, "end-turn", (), {})
    losses = [event for event in driver.events if is_bleeding(event)]
    return [bled(driver.state, event, {"bleeder": "Bleeder"}) for event in losses[: given["own_turns"]]]


def modifiers(given: Record, driver: Driver) -> list[int]:
    """Statistics as modifiers."""
    return [modifier(statistic, given["table"]) for statistic in given["stats"]]


def difficulty(given: Record, driver: Driver) -> list[Record]:
    """Skills at every difficulty."""
    return [{name: effective(skill, name) for name in DIFFICULTIES} for skill in given["skills"]]


def check_table(given: Record, driver: Driver) -> list[Record]:
    """Dice against targets."""
    return [
        {"success": outcome(case["die"], case["target"]) in SUCCEEDED, "margin": case["target"] - case["die"]}
        for case in given["cases"]
    ]


def location_table(given: Record, driver: Driver) -> dict[str, str]:
    """The faces of the human die of locations."""
    human = SPECIES["human"]
    assert given["die"] == f"d{human.sides}"
    return {str(face): words(location) for face, (location, _) in enumerate(human.locations, 1)}


def flats(given: Record, driver: Driver) -> dict[Any, int | None]:
    """The flat part of a built weapon."""
    return dict(base_flat(given["listed"], given["material"], given["roll_under_bonus"], tuple(given["hones"])))


def ranges(given: Record, driver: Driver) -> Record:
    """Lowest and highest damage of weapons."""
    return {
        key: {kind: list(damage_range(Dice(**dice))) for kind, dice in damage.items() if dice}
        for key, damage in given["weapons"].items()
    }


TABLES: Mapping[str, Callable[[Record, Driver], Any]] = {
    "thresholds": thresholds,
    "tier_table": tier_table,
    "turn_order": turn_order,
    "bleed": bleed,
    "modifier": modifiers,
    "difficulty": difficulty,
    "check_table": check_table,
    "location_table": location_table,
    "base_flat": flats,
    "base_range": ranges,
}
"""What computes each kind of small table."""
