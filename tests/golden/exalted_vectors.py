"""The vectors of the Exalted rules (rules/exalted.md, parts 5 and 6): the file, and how its rows become inputs and fights."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from affray.kernel import (
    GM,
    ApplyDamage,
    Defend,
    Event,
    Exact,
    Held,
    InputError,
    Json,
    Judge,
    Modifier,
    Roll,
    Row,
    exact,
    number,
    total,
)
from affray.plugins.exalted.defense_value import Inputs, Value
from affray.plugins.exalted.options import BUNDLES, Options
from affray.sessions import Answer, Engine, MemoryStore, Session

from ..support.fights import prompt_for
from ..support.table import Fixed, must
from ..unit.exalted.table import catalog

Record = dict[str, Any]
"""An object of the vectors' JSON."""


def vectors(kind: str) -> list[Record]:
    """The rows of one kind. AFFRAY_VECTORS names another directory to take them from; there the file may be missing."""
    elsewhere = os.environ.get("AFFRAY_VECTORS")
    path = Path(elsewhere or Path(__file__).parent / "vectors") / "exalted.vectors.json"
    if elsewhere and not path.exists():
        return []
    found: list[Record] = json.loads(path.read_text("utf-8"))[kind]
    return found


def as_number(value: Json) -> Json:
    """A number of the vectors as the log has it: "4" is 4."""
    return int(value) if isinstance(value, str) and value.lstrip("-").isdigit() else value


def text(value: Exact | None) -> str | None:
    """A number as the vectors say it."""
    return None if value is None else str(value)


# -- the Defense Value alone


def inputs_of(given: Record) -> Inputs:
    """A row's input as the system's. Raises ValidationError that names the field at fault."""
    raw = {name: as_number(value) for name, value in given.items() if name not in ("magic_add", "magic_mul")}
    raw["magic"] = [
        {"op": op, "value": as_number(value)} for op in ("add", "mul") for value in given[f"magic_{op}"]
    ]
    raw["charms"] = [{**row, "value": as_number(row["value"])} for row in given["charms"]]
    return msgspec.convert(raw, Inputs)


def options_of(vector: Record) -> Options:
    """A row's options; a row of the seed has none and means the defaults."""
    return msgspec.convert(vector.get("options", {}), Options)


def told(value: Value) -> Record:
    """Every step of a Defense Value in the words of the vectors."""
    steps = {"A": value.A, "B": value.B, "C": value.C, "D": value.X, "E_raw": value.raw, "Y": value.Y}
    more = {"L": value.L, "E": value.E, "F": value.F, "pool": value.pool}
    return {name: text(one) for name, one in (steps | more).items()} | {"capped": value.capped, "dv": value.dv}


def read_back(trace: Sequence[Row]) -> Record:
    """The same, off the rows of a recorded trace alone."""

    def upto(steps: str, without: tuple[str, ...] = ()) -> Exact:
        return total(row.amount for row in trace if row.code[0] in steps and not row.code.startswith(without or "~"))

    limit = next((row.source.removeprefix("L=") for row in trace if row.code in ("E-limit", "A-limit")), None)
    return {
        **{name: text(upto("ABCDEF"[: index + 1])) for index, name in enumerate("ABCDE")},
        "E_raw": text(upto("ABCDE", ("E-cap",))),
        "Y": text(upto("E", ("E-cap",))),
        "F": text(upto("ABCDEF", ("F-rounded",))),
        "L": limit,
        "pool": text(2 * upto("A")),
        "capped": any(row.code in ("E-cap", "A-cap") for row in trace),
        "dv": upto("ABCDEF"),
    }


# -- through a session

NOBODY: Record = {"being": "mortal", "strength": 0, "dexterity": 0, "stamina": 1000, "wits": 0, "charisma": 0}
"""Somebody whose traits add nothing; with so much Stamina no blow stuns, fells or kills."""


class Fought:
    """An attack by `ann` on `bob`, who join battle without dice, Ann first."""

    def __init__(self, faces: Sequence[int], options: Mapping[str, Json], *, cold: bool, bundle: str = "") -> None:
        self._engine = Engine(MemoryStore(), catalog(), Fixed("vectors"))
        self._cold = cold
        self._session = self._engine.start(
            "exalted", options=options, bundle=bundle, dice="scripted", script=faces, session="s"
        )
        self._faces = len(faces)

    @property
    def session(self) -> Session:
        if self._cold:
            self._session = self._engine.load("s")
        return self._session

    def join(self, who: str, sheet: Record, rows: Sequence[Modifier] = (), **conditions: int) -> None:
        """Join with rows and conditions that act on `who`, and marks that give the wound penalty named."""
        held = [Held(id=name.replace("_", "-"), value=value) for name, value in conditions.items() if value]
        held += [Held(id="here", rows=tuple(rows))] if rows else []
        marks = {"lethal": 1} if sheet.get("health") else {}
        must(self.session.join(who, side=who, controller=who, sheet=sheet, conditions=tuple(held), pools=marks))

    def attack(self, *answers: str, rows: tuple[Modifier, ...] = (), **params: Json) -> None:
        """Begin and attack; give those answers that are offered."""
        must(self.session.begin())
        must(self.session.declare("ann", "attack", "bob", rows=rows, weapon="sword", **params))
        for answer in answers:
            for slot, prompt in self.session.prompts(reader=GM).items():
                if answer in [option.code for option in prompt.ask.options or ()]:
                    must(self.session.answer(slot, "bob", answer))
        assert not self.session.prompts(reader=GM)

    @property
    def events(self) -> list[Event]:
        return [recorded.event for recorded in self.session.history(reader=GM)]

    def one(self, kind: type, key: str) -> Any:
        """The first event of a kind and key; None if there is none."""
        return next((e for e in self.events if type(e) is kind and e.key == key), None)  # type: ignore[attr-defined]

    @property
    def faces_left(self) -> int:
        """How many faces nobody asked for; the log must be clean."""
        report = self._session.verify()
        assert report.is_clean, report.findings
        return self._faces - sum(len(e.faces or ()) for e in self.events if isinstance(e, Roll))


def run_attack(vector: Record, *, cold: bool) -> tuple[Record, int]:
    """Play a row of `attack_flow`; gives what the log says of it, and how many faces are left."""
    given = vector["input"]
    fought = Fought([*given["attack_faces"], *given["damage_faces"]], {}, cold=cold)
    sword = {"key": "sword", "speed": 5, "damage": given["base_damage"], "adds_strength": False}
    attacker = {"dexterity": len(given["attack_faces"]), "essence": given["attacker_essence"]}
    fought.join(
        "ann",
        {
            **NOBODY,
            **attacker,
            "is_extra": given["attacker_extra"],
            "weapons": [{**sword, "overwhelming": given["overwhelming"]}],
        },
    )
    armor = {"soak": {"lethal": given["soak"]}, "hardness": {"lethal": given["hardness"]}}
    fought.join(
        "bob", {**NOBODY, "is_extra": given["defender_extra"], "armor": armor}, [Modifier("dv.other", given["dv"], "dv")]
    )
    rows = (Modifier("attack.successes", -given["external"], "external"),) if given["external"] else ()
    fought.attack(rows=rows)
    return attack_told(fought, given["hardness"]), fought.faces_left


def attack_told(fought: Fought, hardness: int) -> Record:
    """What the log says of an attack; the margin of the verdict on damage is raw damage less Hardness."""
    roll, verdict = fought.one(Roll, "attack"), fought.one(Judge, "attack")
    judged = fought.one(Judge, "damage")
    hit: ApplyDamage | None = fought.one(ApplyDamage, "damage")
    is_bounced = None if judged is None else judged.code == "bounced"
    return {
        "successes": roll.total,
        "botch": roll.botch,
        "net": verdict.margin,
        "hit": verdict.code == "hit",
        "raw": None if judged is None else judged.margin + hardness,
        "bounced": is_bounced,
        "pool": None if judged is None or is_bounced else judged.goal,
        "levels": 0 if hit is None else hit.value,
    }


def run_defence(vector: Record, *, cold: bool, bundle: str = "") -> tuple[Record, int]:
    """Play an attack without dice on somebody who defends as a row says; gives what the trace says, and faces left.

    With a `bundle` its options count, and not the row's.
    """
    given, options = vector["input"], BUNDLES[bundle] if bundle else vector.get("options", {})
    faces: list[int] = []
    for what in ("stunt", "virtue"):
        if options.get(f"{what}_mode") == "rolled":
            faces += faces_of(given[f"{what}_dice"], given[f"{what}_successes"])
    fought = Fought(faces, {} if bundle else options, cold=cold, bundle=bundle)
    sword = {"key": "sword", "speed": 5}
    enemies = [row for row in given["charms"] if row["who"] == "enemy"]
    fought.join("ann", {**NOBODY, "weapons": [sword], "charms": [charm_of(enemies, "foe", "attack")] if enemies else []})
    guard = given["defense"]
    fought.join(
        "bob", defender_of(given), rows_of(given), dv_penalty=given["action"], onslaught=given["onslaught"]
    )
    fought.attack(
        "parry-sword" if guard == "parry" else "dodge",
        "channel-valor" if given["virtue_dice"] else "willpower" if given["willpower"] else "",
        undodgeable=given["inapplicable"],
        unblockable=given["inapplicable"],
        charms=["foe"] if enemies else [],
    )
    step: Defend = fought.one(Defend, "defence")
    assert step.value == total(row.amount for row in step.trace or ())
    return read_back(step.trace or ()), fought.faces_left


def run_refused(vector: Record) -> str:
    """Play a row of `refuse` until something is refused; gives what was said. Nothing is recorded of it."""
    given = vector["input"]
    fought = Fought((), {}, cold=False)
    enemies = [row for row in given["charms"] if row["who"] == "enemy"]
    charms = [charm_of(enemies, "foe", "attack")] if enemies else []
    attacker = {**NOBODY, "weapons": [{"key": "sword", "speed": 5}], "charms": charms}
    here = (Held(id="here", rows=tuple(rows_of(given))),)
    session = fought.session
    steps: tuple[Callable[[], Answer], ...] = (
        lambda: session.join("ann", side="ann", sheet=attacker),
        lambda: session.join("bob", side="bob", sheet=defender_of(given), conditions=here),
        session.begin,
        lambda: session.declare("ann", "attack", "bob", weapon="sword"),
        lambda: session.answer(prompt_for(session, "bob"), "bob", "channel-valor"),
        lambda: session.answer("c|ask.support.1", "bob", "willpower"),
    )
    for step in steps:
        before = session.digest
        try:
            answer = step()
        except InputError as error:
            assert session.digest == before
            return str(error)
        if answer.refused is not None:
            assert session.digest == before
            return " ".join([answer.refused.code, *map(str, answer.refused.args)])
    return ""


def defender_of(given: Record) -> Record:
    """The sheet of somebody who defends as a row says."""
    is_parry = given["defense"] == "parry"
    ability = "Melee" if is_parry else "Dodge"
    weapon = {"key": "sword", "speed": 5, "cancels_low_ground": given["ground_exempt"]}
    if is_parry:
        weapon["defense"] = given["weapon_defense"]
    own = [row for row in given["charms"] if row["who"] == "self"]
    charms = [charm_of(own, "own", "always")] if own else []
    if given["ignore"]:
        charms.append({"key": "ignoring", "effects": [{"op": "ignore", "penalties": given["ignore"]}]})
    return {
        **NOBODY,
        "rounding": given["rounding"],
        "dexterity": given["dexterity"],
        "abilities": {ability: given["ability"]},
        "specialties": {ability: given["specialties"]},
        "essence": given["essence"],
        "weapons": [weapon] if is_parry or given["ground_exempt"] else [],
        "armor": {"mobility": given["mobility"]},
        "shield": {"bonus": given["shield"], "mobility": given["shield_mobility"]},
        "health": [given["wound"]] * 6 if given["wound"] else None,
        "virtues": {"valor": given["virtue_dice"]} if given["virtue_dice"] else {},
        "willpower": 1 if given["virtue_dice"] or given["willpower"] else 0,
        "bracers": given["bracers"],
        "artifacts": [
            {"key": f"magic-{op}-{index}", "op": op, "value": as_number(value)}
            for op in ("add", "mul")
            for index, value in enumerate(given[f"magic_{op}"])
        ],
        "charms": charms,
        "cap": "none" if given["cap"] is None else as_number(given["cap"]),
    }


def charm_of(rows: Sequence[Record], key: str, use: str) -> Record:
    """One charm that does what several rows say (each is an effect of its own)."""
    effects = [{"op": row["op"], "value": as_number(row["value"])} for row in rows]
    return {"key": key, "use": use, "effects": effects}


def rows_of(given: Record) -> list[Modifier]:
    """What no sheet holds: the table's rows on the defender."""
    amounts = {
        "dv.stunt": given["stunt_dice"],
        "dv.dice": given["adj_other"],
        "dv.terrain": given["terrain"],
        "dv.ground": given["ground"],
        "dv.cover": given["cover"],
        "dv.other": given["c_other"],
    }
    rows = [Modifier(place, amount, place.partition(".")[2]) for place, amount in amounts.items() if amount]
    places = {"add": "dv.charm.ally", "mul": "dv.charm.times", "div": "dv.charm.by"}
    return rows + [
        Modifier(places[row["op"]], number(exact(as_number(row["value"]))), "friend")
        for row in given["charms"]
        if row["who"] == "ally"
    ]


def faces_of(dice: int, successes: int) -> list[int]:
    """Faces of a pool that show so many successes."""
    tens = max(successes - dice, 0)
    sevens = successes - 2 * tens
    return [10] * tens + [7] * sevens + [2] * (dice - tens - sevens)
