"""The vectors and tables of the primer's rules (primer.md, part 5): the files, and what computes each kind of vector.

A rational of the files is a whole number or "p/q"; names are spelt as the document prints them ("Great Helm", "2X STUNNED").
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, get_args, get_type_hints

import msgspec

from affray.kernel import Exact, Row, exact, is_number, number
from affray.plugins.primer import action_speed, armour, chance, derived, harm, initiative, ranks, shock
from affray.plugins.primer.options import PrimerOptions
from affray.plugins.primer.rows import points
from affray.plugins.primer.tables import DAMAGE_TYPES
from affray.plugins.primer.traits import traits_of

Record = dict[str, Any]
"""An object of the vectors' JSON."""

FIGHT = "fight"
"""The kind of vector that needs a whole fight."""


def stored(name: str) -> Record | None:
    """A file. AFFRAY_VECTORS names another directory to take it from; there it may be missing."""
    elsewhere = os.environ.get("AFFRAY_VECTORS")
    path = Path(elsewhere or Path(__file__).parent / "vectors") / name
    if elsewhere and not path.exists():
        return None
    found: Record = json.loads(path.read_text("utf-8"))
    return found


def vectors() -> list[Record]:
    """The vectors that a calculation answers, in order."""
    found = stored("primer.vectors.json")
    return [vector for vector in found["vectors"] if vector["op"] != FIGHT] if found else []


def tables() -> Record:
    """The tables by their name; none where another directory has no file."""
    return stored("primer-tables.json") or {}


# -- spelling


def told(value: Any) -> Any:
    """A result as the files spell it."""
    if isinstance(value, bool | str | None):
        return value
    if isinstance(value, int | Fraction):
        return number(value)
    if isinstance(value, Mapping):
        return {name: told(one) for name, one in value.items()}
    return [told(one) for one in value]


def read(value: Any) -> Any:
    """An input as the system takes it: numbers exact, a list a tuple, names as they are."""
    if isinstance(value, list):
        return tuple([read(one) for one in value])
    if isinstance(value, dict):
        return {name: read(one) for name, one in value.items()}
    return exact(value) if not isinstance(value, bool) and value is not None and is_number(value) else value


def code(name: str) -> str:
    """A name of the document as a code of the system: "2X STUNNED" is 2x-stunned."""
    return name.lower().replace(" ", "-").replace("_", "-")


def printed_item(name: str) -> str:
    """The code of an armour item as the document prints it."""
    return name.replace("-", " ").title()


def printed_state(name: str) -> str:
    """The code of a state as the document prints it."""
    return name.replace("-", " ").upper()


TYPE_OF: Mapping[str, Any] = {row.code: name for name, row in DAMAGE_TYPES.items()}
"""Damage types by their printed codes."""


def rows(amount: Exact) -> tuple[Row, ...]:
    """Modifiers that a vector gives as one sum."""
    return (Row("mods", number(amount), "fight"),)


def fields(value: Any, *names: str) -> Record:
    """Some fields of a result under their own names."""
    return {name: getattr(value, name) for name in names}


def renamed(given: Record, **names: str) -> Record:
    """Inputs under the names of the system: `new="old"`."""
    return {**{name: one for name, one in given.items() if name not in names.values()}, **{new: given[old] for new, old in names.items()}}


# -- what computes each kind

Op = Callable[[Record, PrimerOptions], Any]


def rank_row(given: Record, options: PrimerOptions) -> Any:
    return fields(ranks.rank_row(given["rank"]), "spd", "act", "dam", "xtr_pct")


def tertiary(given: Record, options: PrimerOptions) -> Any:
    pools: Any = {name.upper(): amount for name, amount in given["lvf"].items()}
    return ranks.tertiary(pools)._asdict()


def success_chance(given: Record, options: PrimerOptions) -> Any:
    difficulty: Any = code(given["difficulty"] or "Standard")
    given = {**given, "difficulty": difficulty, "mods": rows(given["mods"])}
    found = chance.success_chance(**given, options=options)
    return fields(found, "sb", "bsc_raw", "bsc", "lvf_used", "diff", "secmods", "fsc")


def contest(given: Record, options: PrimerOptions) -> Any:
    return fields(chance.contest(**given), "winner", "sl")


def initiative_of(given: Record, options: PrimerOptions) -> Any:
    speed = initiative.speed_rows(
        "physical",
        dsc=given["dsc"],
        other=given["other"],
        psm=given["psm"],
        factor=given["kind_lf"],
        tlf=given["tlf"],
    )
    found = initiative.initiative(
        spd=points(speed),
        lvf=given["lvf"],
        rank=given["rank"],
        dice=given["dice"],
        secondary_ranks=given["secondary_ranks"],
        mods=rows(given["mods"]),
        state=rows(given["state_init"]),
        options=options,
    )
    return fields(found, "spd", "secmods", "init_mod", "init", "excess", "count", "act")


def speeds(found: Iterable[tuple[Exact, int]]) -> list[list[Exact]]:
    return [[counts, ap] for counts, ap in found]


def ap_buy(given: Record, options: PrimerOptions) -> Any:
    price = action_speed.buy(given["ap"])
    return {"sc": price.sc, "or_dam": price.dam, "or_negative_init": price.negative_init}


def base_damage(given: Record, options: PrimerOptions) -> Any:
    given = {**given, "rolled": sum(given["dice"])}
    del given["dice"]
    return fields(harm.base_damage(**given, options=options), "rank_dam", "secondary_dam", "bought_dam", "bd")


def damage(given: Record, options: PrimerOptions) -> Any:
    given = {**renamed(given, kind="type"), "awareness": code(given["awareness"])}
    found = harm.damage(**{**given, "kind": TYPE_OF[given["kind"]]}, options=options)
    return {name: value for name, value in stages(found).items() if value is not None}


def stages(found: harm.Harm) -> Record:
    """The stages of a hit in the words of the vectors."""
    steps = {
        name.removeprefix("step"): value
        for name, value in msgspec.structs.asdict(found).items()
        if name.startswith("step")
    }
    return {**steps, "pool_available": found.pool_available, "ended": found.ended.replace("-", " ")}


def knockback(given: Record, options: PrimerOptions) -> Any:
    location: Any = code(given["location"])
    kind = TYPE_OF[given["type"]]
    item_pct = given["armor_pct"]
    return harm.knockback(bd=given["bd"], kind=kind, location=location, item_pct=item_pct, options=options).feet


def knockback_pct(given: Record, options: PrimerOptions) -> Any:
    return armour.knockback_pct([code(name) for name in given["worn"]], given["position"])


def armor_wear(given: Record, options: PrimerOptions) -> Any:
    worn = [armour.Worn(name=code(one["name"]), left=one["left"]) for one in given["worn"]]
    outcome: Any = code(given["outcome"])
    found = armour.wear(worn, given["position"], outcome)
    return {**found._asdict(), "item": found.item and printed_item(found.item)}


def shock_check(given: Record, options: PrimerOptions) -> Any:
    found = shock.shock_check(**renamed(given, maximum="max"), options=options)
    return fields(found, "quarters_before", "quarters_after", "roll_needed", "penalty")


def shock_result(given: Record, options: PrimerOptions) -> Any:
    found = shock.shock_result(**renamed(given, shock_penalty="penalty"), options=options)
    return {**fields(found, "sc", "base_sl", "final_sl"), "state": printed_state(found.state)}


def shock_duration(given: Record, options: PrimerOptions) -> Any:
    state: Any = code(given["state"])
    return shock.shock_duration(state, drv=given["drv"], con=given["con"], die=given["die"])


def shock_cascade(given: Record, options: PrimerOptions) -> Any:
    state: Any = code(given["state"])
    duration = shock.Duration(given["unit"], given["duration"])
    return [
        {"state": printed_state(one.state), "from": one.start, "until": one.until}
        for one in shock.cascade(state, start=given["start"], duration=duration)
    ]


def standing(given: Record) -> shock.Standing:
    state: Any = code(given["state"])
    return shock.Standing(state, given["until"])


def state_change(given: Record, options: PrimerOptions) -> Any:
    stands = shock.state_change(standing(given["current"]), standing(given["new"]))
    return {"state": printed_state(stands.state), "until": stands.until}


def state_interrupts(given: Record, options: PrimerOptions) -> Any:
    state: Any = code(given["state"])
    return {"interrupts": shock.state_interrupts(state, options)}


def healing(given: Record, options: PrimerOptions) -> Any:
    return [
        {"sc": one.sc, "sl": one.sl, "healed": one.is_healed} for one in shock.healing(**given, options=options)
    ]


def layers(given: Sequence[Record]) -> list[armour.Layer]:
    return [armour.Layer(**one) for one in given]


def armor_mods(given: Record, options: PrimerOptions) -> Any:
    worn = [armour.Layer(a=a) for a in given["layers"]]
    found = armour.modifiers(worn, skill_rank=given["skill_rank"], is_fitted=given["fitted"])
    return {"agl": found.agl, "def": found.defense, "mvm": found.mvm}


def armor_item(given: Record, options: PrimerOptions) -> Any:
    found = armour.item_of(code(given["name"]), given["a"])
    return {"encumbrance": found.encumbrance, "damage_points": found.points}


def trait(name: str) -> str:
    """A field of a sheet as the system names it: stats and level factors in capitals."""
    return name.upper() if name.islower() else name


def save(given: Record, options: PrimerOptions) -> Any:
    return derived.value(given["name"], traits_of({trait(name): number(one) for name, one in given["c"].items()}))


OPS: Mapping[str, Op] = {
    "rank_row": rank_row,
    "rank_speed": lambda given, options: ranks.rank_speed(given["rank"], options),
    "dam_bonus": lambda given, options: ranks.dam_bonus(given["rank"], options),
    "lvf_contribution": lambda given, options: ranks.lvf_contribution(given["rank"]),
    "lvf_pool": lambda given, options: ranks.lvf_pool(given["ranks"]),
    "tertiary": tertiary,
    "success_chance": success_chance,
    "success_level": lambda given, options: chance.success_level(given["sc"], given["roll"], options),
    "damage_factor": lambda given, options: chance.damage_factor(given["sl"]),
    "critical_effect_roll": lambda given, options: chance.critical_effect(given["sl"], given["roll"]),
    "contest": contest,
    "initiative": initiative_of,
    "ap_rule": lambda given, options: speeds(action_speed.rule(given["wsd"])),
    "ap_generate": lambda given, options: speeds(action_speed.generated(given["wsd"], options)),
    "ap_best": lambda given, options: action_speed.best(given["wsd"], given["act"], options)._asdict(),
    "ap_sell": lambda given, options: {"bonus": action_speed.sell(given["ap"], given["what"], given["base"])},
    "ap_buy": ap_buy,
    "base_damage": base_damage,
    "damage": damage,
    "knockback": knockback,
    "knockback_pct": knockback_pct,
    "armor_wear": armor_wear,
    "shock_check": shock_check,
    "shock_result": shock_result,
    "shock_duration": shock_duration,
    "shock_cascade": shock_cascade,
    "state_change": state_change,
    "state_interrupts": state_interrupts,
    "healing": healing,
    "area_check": lambda given, options: {"health_save": shock.area_check(**given)},
    "armor_value": lambda given, options: armour.protection(
        layers(given["layers"]), TYPE_OF[given["type"]], options
    ),
    "armor_mods": armor_mods,
    "armor_item": armor_item,
    "armor_cover": lambda given, options: [printed_item(name) for name in armour.cover(given["position"])],
    "save": save,
    "mana": lambda given, options: derived.mana(given["spl"])._asdict(),
}
"""What computes each kind of vector out of its inputs."""


def outcome(vector: Record, options: PrimerOptions) -> Any:
    """What the system makes of a vector's inputs, as the file spells it."""
    return told(OPS[vector["op"]](read(vector["inputs"]), options))


# -- options

DEFAULTS = PrimerOptions()


def other_values() -> list[tuple[str, Any]]:
    """Every value but the default of every option, by the option's name."""
    return [
        (name, value)
        for name, default in msgspec.structs.asdict(DEFAULTS).items()
        for value in values_of(name)
        if value != default
    ]


def values_of(option: str) -> list[Any]:
    """All values of an option."""
    kind = get_type_hints(PrimerOptions)[option]
    return [False, True] if kind is bool else list(get_args(kind))


def with_option(name: str, value: Any) -> PrimerOptions:
    """The defaults but for one option."""
    return msgspec.convert({name: value}, PrimerOptions)


def expected(vector: Record, name: str, value: Any) -> Any:
    """What a vector says under one other value of one option: the alternative's keys, all others as by default."""
    for other in vector.get("alternatives", ()):
        if other["ruling"] == name and other["option"] == value:
            changed = other["expected"]
            return {**vector["expected"], **changed} if isinstance(changed, dict) else changed
    return vector["expected"]
