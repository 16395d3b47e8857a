"""The vectors of the Nyra rules (rules/nyra.md, sections 7 and 8) as commands to a fight, and what its log says of them.

Both generations. Whoever can send the commands of `Driver` can run the turns, phases and runs of energy: a bare kernel or
a session. What comes out is read off the events and states of the log; only names of locations and tiers and tops of bands
come from the system's tables.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from affray.kernel import (
    ApplyDamage,
    Ask,
    Change,
    Done,
    Event,
    Json,
    Judge,
    Num,
    Refused,
    Roll,
    SetPool,
    State,
    Turn,
    total,
)

from .nyra_log import (
    Record as Record,
)
from .nyra_log import (
    bled,
    code,
    health,
    is_bleeding,
    left_at_start,
    located,
    option,
    order_of,
    own,
    paid_with,
    sheet_in,
    state_at,
    words,
    wound,
)

LEFT_OUT = {"name", "feats"}
"""Fields of a vector's sheet that are no part of ours: a combatant's name, and feats, which are an optional module (1.8)."""

REASONS = {
    "blocked": "blocked",
    "delay-spent": "delay_spent",
    "one-swing": "one_swing",
    "choice": "ended_by_choice",
}
CRITICALS = {"critical": "success", "fumble": "failure"}
SUCCEEDED = ("critical", "success")
TRAITS = ("Swiftness", "Impact", "Mastercraft")

MISSED = 9
"""A face that misses at half of any skill of 7 and is no fumble."""


class Driver(Protocol):
    """A fight that takes commands. `faces` are handed out in order; ids of combatants are the driver's caller's."""

    def start(self, options: Mapping[str, Json], faces: Sequence[int]) -> None:
        """Open a fight under these options."""
        ...

    def join(
        self, who: str, *, name: str, side: str, sheet: Mapping[str, Json], pools: Mapping[str, Num]
    ) -> None:
        """Let a combatant enter; `pools` start where they say."""
        ...

    def begin(self) -> None:
        """Start the clock."""
        ...

    def declare(
        self, actor: str, name: str, targets: tuple[str, ...], params: Mapping[str, Json]
    ) -> Refused | None:
        """Declare an action; give its refusal, or None."""
        ...

    def answer(self, slot: str, who: str, value: str) -> None:
        """Answer a prompt."""
        ...

    def overrule(self, effect: SetPool) -> None:
        """Set a pool by the game master's word."""
        ...

    @property
    def state(self) -> State:
        """The present state."""
        ...

    @property
    def events(self) -> Sequence[Event]:
        """All events so far."""
        ...

    @property
    def faces_left(self) -> int:
        """How many faces nobody asked for."""
        ...


# -- the file


def read(key: str) -> list[Record]:
    """The list under a key of the file, `vectors` or `exact_odds`.

    AFFRAY_VECTORS names another directory to take them from; there the file may be missing.
    """
    elsewhere = os.environ.get("AFFRAY_VECTORS")
    path = Path(elsewhere or Path(__file__).parent / "vectors") / "nyra.vectors.json"
    if elsewhere and not path.exists():
        return []
    found: list[Record] = json.loads(path.read_text("utf-8")).get(key, [])
    return found


def vectors(*kinds: str) -> list[Record]:
    """The vectors of some kinds that this engine is for: both generations, without optional modules."""
    return [vector for vector in read("vectors") if vector["kind"] in kinds and "optional_module" not in vector]


def listed(expected: Any, actual: Any) -> Any:
    """The part of what came out that a vector lists: its keys, all the way down."""
    if isinstance(expected, dict) and isinstance(actual, dict):
        return {key: listed(value, actual[key]) for key, value in expected.items() if key in actual}
    if isinstance(expected, list) and isinstance(actual, list | tuple) and len(expected) == len(actual):
        return [listed(one, other) for one, other in zip(expected, actual, strict=True)]
    return actual


# -- from a vector to a fight


def sheet_of(raw: Record, weapons: Sequence[Record]) -> dict[str, Json]:
    """A vector's sheet as the system's, with what the generation that is played does not read."""
    sheet = {field: value for field, value in raw.items() if field not in LEFT_OUT}
    for field in ("armor", "health"):
        sheet[field] = raw[field] and {code(location): value for location, value in raw[field].items()}
    sheet["weapons"] = list(weapons)
    return sheet


def faces_of(dice: Sequence[str]) -> list[int]:
    """`d10:3` is a 3."""
    return [int(die.partition(":")[2]) for die in dice]


# -- one turn


def run_turn(driver: Driver, vector: Record) -> Record:
    """Play a vector of kind `turn`, and tell what the log says of it."""
    given = vector["input"]
    attacker, defender = given["attacker"], given["defender"]
    driver.start(vector["rules"], faces_of(given["dice"]))
    tied = all(attacker[field] == defender[field] for field in ("sequence", "AGI"))
    prior = {code(location): damage for location, damage in given["prior_damage"].items()}
    driver.join(
        "attacker",
        name=attacker["name"],
        side="red",
        sheet=sheet_of(attacker, given["weapons"]),
        pools={"tie-die": 2} if tied else {},
    )
    driver.join(
        "defender",
        name=defender["name"],
        side="blue",
        sheet=sheet_of(defender, ()),
        pools=prior | ({"tie-die": 1} if tied else {}),
    )
    driver.begin()
    if driver.state.turn != "attacker":
        driver.declare("defender", "end-turn", (), {})
    pool = paid_with(driver.state)
    left = given.get(f"starting_{pool}")
    if left not in (None, driver.state.combatants["attacker"].pools[pool]):
        driver.overrule(SetPool(target="attacker", pool=pool, value=left))
    strikes = []
    turn = Played(driver, "attacker")
    for action in given["actions"]:
        turn.act(action, "defender")
        if action["do"] == "strike":
            strikes.append(turn.strike(action))
    damage = {words(location): driver_damage for location, driver_damage in (prior | turn.damage()).items()}
    return {"rolls": turn.rolls(), "strikes": strikes, "end": {**turn.end(), "damage_by_location": damage}}


class Played:
    """A turn as it was played: its actions, one after the other, and the events that each of them made."""

    def __init__(self, driver: Driver, actor: str) -> None:
        self.driver = driver
        self.actor = actor
        self.refused: Refused | None = None
        self.all: list[Event] = []
        self.events: list[Event] = []
        self.after = driver.state

    def act(self, action: Record, target: str) -> None:
        """Play one action of a vector, with the answer it names."""
        first = len(self.driver.events)
        if action["do"] == "end_turn":
            self.refused = self.driver.declare(self.actor, "end-turn", (), {})
        else:
            params = {field: action[field] for field in ("weapon", "strike", "type")}
            params["aim"] = action["aim"] and code(action["aim"])
            self.refused = self.driver.declare(self.actor, "strike", (target,), params)
            for slot, prompt in self.driver.state.prompts.items():
                offered = [option.code for option in prompt.ask.options or ()]
                self.driver.answer(slot, target, action["defence"] if action["defence"] in offered else "none")
        self.events = list(own(self.driver.events[first:]))
        self.all += self.events
        self.after = state_at(self.driver.events, first + len(self.events)) if self.events else self.driver.state

    def one(self, kind: type, key: str) -> Any:
        """The first event of a kind and key in the last action, None if there is none."""
        return next(iter(self.every(kind, key)), None)

    def every(self, kind: type, key: str) -> list[Any]:
        """All events of a kind and key in the last action."""
        return [event for event in self.events if type(event) is kind and event.key == key]  # type: ignore[attr-defined]

    def end(self) -> Record:
        """How the turn stands: over or not, why, and the delay or energy that was left when it ended."""
        ends = [event for event in self.all if type(event) is Turn and event.moment == "end"]
        lost = [event for event in self.all if type(event) is Change and event.key == "forfeit"]
        resource = paid_with(self.after)
        left = self.after.combatants[self.actor].pools[resource]
        return {
            "turn_over": bool(ends),
            "reason": REASONS[ends[0].action.rpartition(">")[2].partition(".")[0]] if ends else None,
            f"{resource}_left": lost[0].before if lost else left,
        }

    def damage(self) -> dict[str, Num]:
        """Where somebody was struck in this turn, and how much damage the location then had."""
        return {
            touch.pool: touch.after
            for event in self.all
            if type(event) is ApplyDamage
            for touch in event.touched or ()
        }

    def rolls(self) -> list[Record]:
        """Every die of the turn as it was used."""
        return [
            {"die": f"d{term.sides}", "face": face, "for": self._purpose(event)}
            for event in self.all
            if type(event) is Roll
            for term in event.plan.terms
            for chain in event.faces or ()
            for face in chain
        ]

    def _purpose(self, roll: Roll) -> str:
        if roll.key != "tiebreak":
            return roll.key
        return "tiebreak_attacker" if roll.by == self.actor else "tiebreak_defender"

    def strike(self, action: Record) -> Record:
        """What the vectors say of one strike."""
        found = {field: value for field, value in self.end().items() if field != "reason"}
        if self.refused is not None:
            return {**found, "result": "refused", "refusal": self.refused.code.replace("-", "_")}
        done = self.events[-1]
        assert isinstance(done, Done)
        found["result"] = done.code.replace("-", "_")
        if fumble := self.one(Change, "fumble"):
            found["weapon_durability"] = fumble.after
        return found | self._attack(action) | self._place(action) | self._defence() | self._contest() | self._hit()

    def _attack(self, action: Record) -> Record:
        verdict: Judge = self.one(Judge, "attack")
        ask: Ask | None = self.one(Ask, "defence")
        offered = {option.code for option in (ask.options or ())} if ask else {"none"}
        is_open = verdict.code not in SUCCEEDED or action["defence"] in offered
        return {
            "attack_die": self.one(Roll, "attack").total,
            "effective_skill": verdict.goal,
            "attack_margin": verdict.margin,
            "attack_success": verdict.code in SUCCEEDED,
            "attack_critical": CRITICALS.get(verdict.code),
            "defence": action["defence"] if is_open else "not_available",
        }

    def _place(self, action: Record) -> Record:
        """Where a strike was aimed or its die fell; the bank finds that out before the defence."""
        if roll := self.one(Roll, "location"):
            return {"location": located(self.after, self.events[0].targets[0], roll.total)}  # type: ignore[attr-defined]
        return {"location": action["aim"]} if action["aim"] else {}

    def _defence(self) -> Record:
        verdict: Judge | None = self.one(Judge, "defence")
        if verdict is None:
            return {}
        return {
            "defence_die": self.one(Roll, "defence").total,
            "defence_skill": verdict.goal,
            "defence_margin": verdict.margin,
            "defence_success": verdict.code in SUCCEEDED,
            "defence_critical": CRITICALS.get(verdict.code),
        }

    def _contest(self) -> Record:
        contests: list[Judge] = self.every(Judge, "contest")
        if not contests or contests[0].margin != 0 or self.one(Judge, "defence").code not in SUCCEEDED:
            return {}
        if option(self.after, "crit_auto_hit") and self.one(Judge, "attack").code == "critical":
            return {}
        pairs = [[total((verdict.goal or 0, verdict.margin or 0)), verdict.goal] for verdict in contests[1:]]
        return {"tie": option(self.after, "tie"), **({"tiebreak": pairs} if pairs else {})}

    def _hit(self) -> Record:
        hit: ApplyDamage | None = self.one(ApplyDamage, "damage")
        if hit is None or not hit.parts or not hit.touched:
            return {}
        roll: Roll = self.one(Roll, "damage")
        rows = {row.code: row.amount for row in hit.parts[0].rows}
        flat, bonus = rows.get("flat", 0), next((rows[name] for name in ("STR", "AGI", "CON") if name in rows), 0)
        doubled = total((hit.parts[0].rolled, rows.get("critical", 0)))
        raw = doubled + total((flat, bonus))
        traits = {trait: rows[trait] for trait in TRAITS if trait in rows}
        armor = -total((rows.get("armor", 0),))
        location, damage = hit.pools[0], hit.touched[0].after
        return {
            "damage": {
                "dice": [face for chain in roll.faces or () for face in chain],
                "rolled": roll.total,
                "rolled_after_crit": doubled,
                "flat": flat,
                "primary_mod": bonus,
                "raw": raw,
                "traits": traits,
                "final": raw + total((*traits.values(), rows.get("rounded-down", 0))),
            },
            "armor": armor,
            "applied": hit.value,
            "location": words(location),
            "location_damage_total": damage,
            **wound(self.after, hit.target, location),
            "remaining_health": total((health(self.after, hit.target, location),)) - total((damage,)),
        }


# -- one phase


def run_phase(driver: Driver, vector: Record) -> Record:
    """Play a vector of kind `phase`, and tell what the log says of it."""
    given = vector["input"]
    names = [raw["name"] for raw in given["combatants"]]
    ids = {name: f"c{number}" for number, name in enumerate(names, 1)}
    driver.start(vector["rules"], faces_of([die for turn in given["turns"] for die in turn["dice"]]))
    for raw in given["combatants"]:
        name = raw["name"]
        prior = given["prior_damage"].get(name, {})
        driver.join(
            ids[name],
            name=name,
            side=ids[name],
            sheet=sheet_of(raw, given["weapons"].get(name, ())),
            pools={code(location): damage for location, damage in prior.items()},
        )
    driver.begin()
    ended: dict[str, Num | None] = {}
    for turn in given["turns"]:
        played = Played(driver, ids[turn["actor"]])
        for action in turn["actions"]:
            played.act(action, ids[turn["target"]])
        ended[turn["actor"]] = played.end()[f"{paid_with(driver.state)}_left"]
    close_phase(driver, 2)
    return {"end_delay": ended, **phase_of(driver, {who: name for name, who in ids.items()})}


def close_phase(driver: Driver, phase: int) -> None:
    """End every turn until somebody holds one of a later phase, or the fight is over."""
    while driver.state.turn and driver.state.at[0] == phase:
        driver.declare(driver.state.turn, "end-turn", (), {})


def phase_of(driver: Driver, names: Mapping[str, str]) -> Record:
    """What the vectors say of the first phase, and with how much delay the next one starts."""
    events = driver.events
    starts = [
        (number, event)
        for number, event in enumerate(events, 1)
        if type(event) is Turn and event.moment == "start"
    ]
    first = [(number, event.who) for number, event in starts if event.when[0] == 1]
    following = [(number, event.who) for number, event in starts if event.when[0] == 2]
    end = following[0][0] - 1 if following else len(events)
    state = state_at(events, end)
    people = {names[who]: one for who, one in state.combatants.items()}
    return {
        "order": order_of(events, names),
        "start_delay": {names[who]: left_at_start(events, number, who) for number, who in first},
        "next_phase_delay": {names[who]: left_at_start(events, number, who) for number, who in following},
        "bleeding": [bled(state, event, names) for event in events[:end] if is_bleeding(event)],
        "damage": {
            name: {words(location): one.pools[location] for location in sheet_in(state, one.id).locations}
            for name, one in people.items()
        },
        "tier": {
            name: {
                words(location): wound(state, one.id, location)["tier"]
                for location in sheet_in(state, one.id).locations
            }
            for name, one in people.items()
        },
        "dead": [name for name, one in people.items() if "dead" in one.conditions],
    }


# -- one bank


def run_energy(driver: Driver, vector: Record) -> Record:
    """Play a vector of kind `energy_run`: swings that miss, until the next one is refused, a fight a floor.

    Each fight gets as many dice as the vector has swings, and uses them up.
    """
    given = vector["input"]
    return {
        str(floor): drained(driver, given, floor, swings=len(vector["expected"][str(floor)]) - 1)
        for floor in given["exhaustion_floors"]
    }


def drained(driver: Driver, given: Record, floor: Json, *, swings: int) -> list[Num | None]:
    """The energy of a bank before and after each of its swings."""
    club = {"key": "club", "modifier": "STR", "durability": 9, "damage": {"B": {"n": 1, "sides": 6}}}
    fighter = {"STR": 7, "AGI": 6, "CON": 7, "sequence": 2, "skills": {"Swords": 7}}
    driver.start({"variant": "bank", "exhaustion_floor": floor}, [MISSED] * swings)
    for who, sequence, weapons in (("swinger", 2, [{**club, "energy_cost": given["cost"]}]), ("onlooker", 1, [])):
        sheet = {**fighter, "sequence": sequence, "energy": given["energy"], "weapons": weapons}
        driver.join(who, name=who, side=who, sheet=sheet, pools={})
    driver.begin()
    run = [driver.state.combatants["swinger"].pools["energy"]]
    params = {"weapon": "club", "strike": "wild", "type": "B"}
    while (refused := driver.declare("swinger", "strike", ("onlooker",), params)) is None:
        run.append(driver.state.combatants["swinger"].pools["energy"])
        driver.declare("onlooker", "end-turn", (), {})
    assert (refused.code, driver.faces_left) == ("exhausted", 0)
    return run


RUNS: Mapping[str, Callable[[Driver, Record], Record]] = {
    "turn": run_turn,
    "phase": run_phase,
    "energy_run": run_energy,
}
"""What plays each kind of vector that is a fight."""
