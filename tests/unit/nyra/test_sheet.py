"""Sheets: what is refused and where, and what a combatant brings (nyra.md, 1.1)."""

from __future__ import annotations

from typing import Any

import pytest

from affray.kernel import InputError, Pool
from affray.plugins.nyra.bounds import (
    DICE_MAX,
    DURABILITY_MAX,
    ENERGY_MAX,
    FLAT_MAX,
    HEALTH_MAX,
    SCORE_MAX,
    SIDES_MAX,
)

from .table import SHORT_SWORD, Table, sheet

STATED = {"key": "stick", "delay": 1, "modifier": "STR", "durability": 3, "damage": {"B": {"n": 1, "sides": 4}}}


def without(weapon: dict[str, Any], field: str) -> dict[str, Any]:
    return {name: value for name, value in weapon.items() if name != field}


@pytest.mark.parametrize(
    ("fields", "path"),
    [
        ({"STR": 0}, "$.STR"),
        ({"AGI": 1001}, "$.AGI"),
        ({"CON": "7"}, "$.CON"),
        ({"sequence": None}, "$.sequence"),
        ({"skills": {"Swords": -1}}, "$.skills.Swords"),
        ({"skills": {"Axes": 7}}, "$.skills"),
        ({"luck": 7}, "$"),
        ({"species": "dragon"}, "$.species"),
        ({"armor": {"tail": {"P": 1}}}, "$.armor.tail"),
        ({"armor": {"head": {"P": -1}}}, "$.armor[...][...]"),
        ({"weapons": [{"key": "a>b", "base": "short-sword"}]}, "$.weapons[0].key"),
        ({"weapons": [{"key": "k" * 54, "base": "short-sword"}]}, "$.weapons[0].key"),
        ({"weapons": [SHORT_SWORD, SHORT_SWORD]}, "$.weapons[1].key"),
        ({"weapons": [{"key": "sword", "base": "spoon"}]}, "$.weapons[0].base"),
        ({"weapons": [{**SHORT_SWORD, "material": "mithril"}]}, "$.weapons[0].material"),
        ({"weapons": [{**SHORT_SWORD, "traits": ["Impact", "Impact"]}]}, "$.weapons[0].traits"),
        ({"weapons": [{**SHORT_SWORD, "traits": ["Affinity"]}]}, "$.weapons[0].traits[0]"),
        ({"weapons": [{**STATED, "modifier": "LCK"}]}, "$.weapons[0].modifier"),
        ({"weapons": [{**STATED, "damage": {"B": {"n": 0, "sides": 4}}}]}, "$.weapons[0].damage[...].n"),
        ({"weapons": [{"key": "sword", "base": "nodachi"}]}, "$.weapons[0].durability"),
        ({"weapons": [{"key": "sword", "base": "claymore"}]}, "$.weapons[0].durability"),
        ({"weapons": [{**STATED, "energy_cost": -1}]}, "$.weapons[0].energy_cost"),
        ({"energy": -1}, "$.energy"),
        ({"health": {"head": 0}}, "$.health[...]"),
        ({"health": {"tail": 25}}, "$.health.tail"),
        ({"shield": 1}, "$.shield"),
    ],
)
def test_a_bad_sheet_is_refused_with_its_path(fields: dict[str, Any], path: str) -> None:
    with pytest.raises(InputError) as caught:
        Table().rules.read_sheet(sheet(**fields))
    assert path == caught.value.path


def at_bounds(more: str = "") -> dict[str, Any]:
    """A sheet with everything at its bound, and `more` one past it."""
    named = ("score", "durability", "n", "sides", "flat", "least", "energy", "cost", "health")
    past = {name: int(name == more) for name in named}
    dice = {"n": DICE_MAX + past["n"], "sides": SIDES_MAX + past["sides"], "flat": FLAT_MAX + past["flat"]}
    weapon = {
        **STATED,
        "durability": DURABILITY_MAX + past["durability"],
        "energy_cost": ENERGY_MAX + past["cost"],
        "damage": {"B": dice},
    }
    return sheet(
        STR=SCORE_MAX + past["score"],
        sequence=-SCORE_MAX - past["least"],
        energy=ENERGY_MAX + past["energy"],
        health={"head": HEALTH_MAX + past["health"]},
        weapons=[weapon],
    )


@pytest.mark.parametrize(
    ("bound", "path"),
    [
        ("score", "$.STR"),
        ("least", "$.sequence"),
        ("durability", "$.weapons[0].durability"),
        ("n", "$.weapons[0].damage[...].n"),
        ("sides", "$.weapons[0].damage[...].sides"),
        ("flat", "$.weapons[0].damage[...].flat"),
        ("energy", "$.energy"),
        ("cost", "$.weapons[0].energy_cost"),
        ("health", "$.health[...]"),
    ],
)
def test_a_bound_is_the_last_that_passes(bound: str, path: str) -> None:
    rules = Table().rules
    rules.read_sheet(at_bounds())
    with pytest.raises(InputError) as caught:
        rules.read_sheet(at_bounds(bound))
    assert path == caught.value.path


@pytest.mark.parametrize("field", ["delay", "modifier", "durability", "damage"])
def test_a_weapon_without_a_list_states_everything(field: str) -> None:
    """Of the two prices one: a weapon that costs energy may leave its delay out."""
    rules = Table().rules
    rules.read_sheet(sheet(weapons=[STATED]))
    with pytest.raises(InputError) as caught:
        rules.read_sheet(sheet(weapons=[without(STATED, field)]))
    assert f"$.weapons[0].{field}" == caught.value.path
    if field == "delay":
        rules.read_sheet(sheet(weapons=[{**without(STATED, "delay"), "energy_cost": 0}]))


def test_the_longest_key_of_a_weapon_fits() -> None:
    rules = Table().rules
    assert rules.read_sheet(sheet(weapons=[{**STATED, "key": "k" * 53}])).weapons[0].key == "k" * 53


def test_a_combatant_brings_pools_for_delay_locations_weapons_and_the_tie_die() -> None:
    rules = Table().rules
    assert {
        "delay": Pool(start=6, low=0, high=6),
        "head": Pool(start=0, low=0, high=None, damage=1),
        "chest": Pool(start=0, low=0, high=None, damage=1),
        "left-arm": Pool(start=0, low=0, high=None, damage=1),
        "right-arm": Pool(start=0, low=0, high=None, damage=1),
        "left-leg": Pool(start=0, low=0, high=None, damage=1),
        "right-leg": Pool(start=0, low=0, high=None, damage=1),
        "durability-sword": Pool(start=20, low=0, high=None),
        "durability-stick": Pool(start=3, low=0, high=None),
        "tie-die": Pool(start=0, low=0, high=None),
    } == rules.pools(rules.read_sheet(sheet(weapons=[SHORT_SWORD, STATED])))
