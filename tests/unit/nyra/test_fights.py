"""Whole fights by chance, and an auditor that knows the book but none of the system's code.

A failure prints its seed. Laws of the design that a rules system can break are checked on the way: what is recorded
can be derived again, live or after a restart.
"""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any

import msgspec
import pytest

from affray.kernel import (
    ApplyDamage,
    Change,
    Close,
    Condition,
    Drawn,
    Exact,
    Exchange,
    Json,
    Judge,
    Roll,
    State,
    Step,
    Turn,
    exact,
    fold,
    throw,
)
from affray.plugins.nyra import make

from .table import SHORT_SWORD, Bare, Table

SEEDS = range(12)
OPTIONS: tuple[dict[str, Json], ...] = (
    {},
    {"tie": "defender", "bleed_timing": "own_turn_end", "fumble_durability": 0},
    {"tie": "attacker", "modifier": "minus_5", "trait_rounding": "one_sum", "crit_auto_hit": True},
    {"variant": "bank"},
    {"variant": "bank", "exhaustion_floor": 0, "crit_auto_hit": True, "bleed_timing": "own_turn_end"},
)
NAMES = ("defaults", "defender", "attacker", "bank", "bank to the end")
EITHER = [
    *[pytest.param(seed, OPTIONS[0], id=f"duel-{seed}") for seed in SEEDS],
    *[pytest.param(seed, OPTIONS[3], id=f"bank-{seed}") for seed in SEEDS[:3]],
]
"""Fights of both generations, all other options at their defaults."""
CARNIFEX: dict[str, Json] = {
    "key": "carnifex",
    "base": "nodachi",
    "material": "oscite",
    "smith_bonus": 5,
    "hones": [3],
    "durability": 20,
    "traits": ["Swiftness", "Impact", "Mastercraft"],
    "energy_cost": 7,
}
CLUB: dict[str, Json] = {
    "key": "club",
    "modifier": "STR",
    "durability": 9,
    "energy_cost": 0,
    "damage": {"B": {"n": 4, "sides": 10, "flat": 10}},
}
"""What everybody in a bank has left when nothing else can be paid, so that every fight ends, and soon."""

ACTIONS = 1000
"""Far more than any of these fights takes."""

LOCATIONS = ("head", "chest", "left-arm", "right-arm", "left-leg", "right-leg")


class Chance(Bare):
    """A host that draws from a seeded generator."""

    def __init__(self, random: Random) -> None:
        self.random = random

    def draw(self, roll: Roll, run: int, state: State) -> Drawn | None:
        return Drawn(throw(roll.plan, lambda die, link, sides: self.random.randint(1, sides)), "scripted")


def brawl(seed: int, options: dict[str, Json], *, cold: bool = False) -> Table:
    """Four people on two sides, a fifth who comes late, until it is over."""
    random = Random(seed)
    table = Table(options=options, cold=cold, host=Chance(Random(seed)))
    for who in ("ann", "bob", "cy", "dee"):
        table.join(who, "red" if who in ("ann", "cy") else "blue", **a_fighter(random, options))
    table.begin()
    for number in range(ACTIONS):
        if table.state.over:
            return table
        if number == 3:
            table.join("eve", "blue", **a_fighter(random, options))
        act(table, random)
    raise AssertionError(f"seed {seed}: not over after {ACTIONS} actions")


def a_fighter(random: Random, options: dict[str, Json]) -> dict[str, Any]:
    is_bank = "variant" in options
    defences = random.choice(({}, {"Dodge": 5}, {"Defense": 4}, {"Dodge": 3, "Defense": 5}))
    return {
        "AGI": random.randint(3, 12),
        "CON": random.randint(3, 8),
        "sequence": random.randint(3, 5),
        "skills": {"Swords": random.randint(5, 12) + 8 * is_bank, **defences},
        "armor": {"head": {"P": 3, "C": 4, "S": 4, "B": 6}},
        "weapons": random.choice(([SHORT_SWORD], [CARNIFEX], [SHORT_SWORD, CARNIFEX]))
        + [CLUB] * is_bank,
        "energy": 38,
        "health": {"left-arm": 25, "right-leg": 3},
        "shield": True,
    }


def act(table: Table, random: Random) -> None:
    """The holder of the turn strikes somebody on the other side as well as it can, or ends the turn."""
    who = table.state.turn
    forms = {form.name: form for form in table.forms(who)}
    foes = [
        other
        for other in (forms["strike"].targets if "strike" in forms else ())
        if table.state.combatants[other].side != table.state.combatants[who].side
    ]
    params = {name: random.choice(choices) for name, choices in forms["strike"].choices.items()} if foes else {}
    if params:
        params["strike"] = "wild" if params["aim"] is None else "aimed"
    does_strike = bool(params) and random.random() >= 0.1
    refused = table.strike(who, random.choice(foes), **params) if does_strike else None
    if not does_strike or (refused is not None and not table.state.prompts):
        assert table.end_turn(who) is None
    for prompt in list(table.state.prompts.values()):
        answer = random.choice([option.code for option in prompt.ask.options or ()])
        assert table.answer(prompt.ask.who[0], answer) is None


@pytest.mark.parametrize("options", OPTIONS, ids=NAMES)
@pytest.mark.parametrize("seed", SEEDS)
def test_the_book_is_kept(seed: int, options: dict[str, Json]) -> None:
    table = brawl(seed, options)
    Auditor(table).check()
    assert table.state.over in ("won-by-red", "won-by-blue", "nobody-left")


@pytest.mark.parametrize(("seed", "options"), EITHER)
def test_a_fight_is_the_same_after_any_restart(seed: int, options: dict[str, Json]) -> None:
    assert brawl(seed, options).events == brawl(seed, options, cold=True).events


@pytest.mark.parametrize(("seed", "options"), EITHER)
def test_the_record_can_be_derived_again(seed: int, options: dict[str, Json]) -> None:
    """Law 6: fed with its own record, the system makes every step again, or the exchange says where it drifts."""
    table = brawl(seed, options)
    again = Exchange(lambda _: table.rules, State())
    for version, event in enumerate(table.events, 1):
        again.feed(event, version)
    assert again.state == table.state


@pytest.mark.parametrize(("seed", "options"), EITHER)
def test_every_step_is_described(seed: int, options: dict[str, Json]) -> None:
    described = make().describe().steps
    table = brawl(seed, options)
    keys = {event.key for event in table.events if isinstance(event, Step)}
    ends = {e.action.rpartition(">")[2].partition(".")[0] for e in table.found(Turn) if e.moment == "end"}
    assert keys | ends <= set(described)


class Auditor:
    """Reads a log as a person with the book would."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.options = table.rules.options
        self.state = State()
        self.spent: Counter[str] = Counter()
        self.turns: set[tuple[Exact, str]] = set()
        self.swings: Counter[str] = Counter()

    def check(self) -> None:
        for version, event in enumerate(self.table.events, 1):
            before = self.state
            self.state = fold(before, event, version)
            self.look(before, event)

    def look(self, before: State, event: Any) -> None:
        match event:
            case Turn(moment="start", who=who, when=when):
                self.spent[who] = self.swings[who] = 0
                assert (when[0], who) not in self.turns, "two turns in a phase"
                self.turns.add((exact(when[0]), who))
                assert "dead" not in before.combatants[who].conditions
            case Change(key="delay", target=who, value=value):
                assert before.turn == who
                self.spent[who] -= int(value or 0)
                assert self.spent[who] <= self.sheet(who)["AGI"]
            case Change(key="energy", target=who, after=after):
                floor = 0 if self.options.exhaustion_floor == 0 else self.sheet(who)["energy"] // 2
                assert exact(after or 0) >= floor
            case Judge(key="attack", by=who):
                self.swings[who] += 1
                assert self.options.variant == "duel" or self.swings[who] == 1, "two swings in a turn"
            case Judge(key="contest"):
                assert self.options.variant == "duel"
            case ApplyDamage(target=who, touched=touched, value=value):
                assert exact(value) >= 0
                assert touched
                assert exact(touched[0].after) == exact(touched[0].before) + exact(value)
                assert "dead" not in before.combatants[who].conditions
            case Condition(key="spent", target=who, id=held):
                location = held.removeprefix("spent-")
                assert exact(self.state.combatants[who].pools[location] or 0) >= self.sheet(who)["health"][location]
            case Condition(key="slight-wound" | "serious-wound" | "bleeding", target=who, id=held):
                location = held.partition("-")[2]
                assert self.options.variant == "duel" or location not in self.sheet(who)["health"]
            case Condition(id="dead", target=who):
                assert self.is_lethal(who)
            case Close(code=code):
                assert code in self.endings()

    def sheet(self, who: str) -> dict[str, Any]:
        sheet = self.state.combatants[who].sheet
        assert sheet is not None
        return sheet

    def is_lethal(self, who: str) -> bool:
        """Head above 2 CON + mod, or chest above 4 CON + STR + mod (1.6)."""
        sheet, pools = self.sheet(who), self.state.combatants[who].pools
        con, strength = int(sheet["CON"]), int(sheet["STR"])
        bonus = con - 5 if self.options.modifier == "minus_5" else con // 2
        head, chest = exact(pools["head"] or 0), exact(pools["chest"] or 0)
        return head > 2 * con + bonus or chest > 4 * con + strength + bonus

    def endings(self) -> set[str]:
        sides = {
            one.side for one in self.state.combatants.values() if not one.gone and "dead" not in one.conditions
        }
        assert len(sides) < 2
        assert all(self.is_lethal(who) == ("dead" in one.conditions) for who, one in self.state.combatants.items())
        return {f"won-by-{side}" for side in sides} or {"nobody-left"}


def test_the_auditor_finds_a_death_that_is_none() -> None:
    table = brawl(0, {})
    number = next(i for i, event in enumerate(table.events) if type(event) is Condition and event.id == "dead")
    early = next(i for i, event in enumerate(table.events) if type(event) is Turn and event.moment == "start")
    table.events.insert(early + 1, msgspec.structs.replace(table.events[number]))
    with pytest.raises(AssertionError):
        Auditor(table).check()
