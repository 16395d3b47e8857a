"""Weapons: listed, built and used (nyra.md, 1.5)."""

from __future__ import annotations

from typing import Any

import msgspec

from affray.plugins.nyra.armoury import Dice
from affray.plugins.nyra.weapons import Weapon, build

from .table import Table, sheet

CARNIFEX: dict[str, Any] = {
    "key": "carnifex",
    "name": "Carnifex",
    "base": "nodachi",
    "material": "oscite",
    "smith_bonus": 5,
    "hones": [3],
    "durability": 20,
    "traits": ["Swiftness", "Impact", "Mastercraft"],
}


def built(raw: dict[str, Any]) -> Any:
    return build(msgspec.convert(raw, Weapon))


def test_carnifex_is_built_from_a_nodachi() -> None:
    """The seed's label and its sum; its sentence that says 18 is not followed (contradiction 2)."""
    weapon = built(CARNIFEX)
    assert weapon.damage == {
        "P": Dice(n=2, sides=10, flat=15),
        "S": Dice(n=3, sides=10, flat=15),
        "C": None,
        "B": None,
    }
    assert (weapon.delay, weapon.modifier, weapon.durability, weapon.name) == (5, "AGI", 20, "Carnifex")


def test_material_does_not_touch_what_is_not_available() -> None:
    """Contradiction 13: oscite cleaves for +1, the Nodachi does not cleave."""
    assert built(CARNIFEX).types == ("P", "S")


def test_a_sheet_may_state_what_a_list_says_otherwise() -> None:
    weapon = built({"key": "sword", "base": "short-sword", "delay": 4, "damage": {"P": {"n": 1, "sides": 4}}})
    assert (4, "STR", {"P": Dice(n=1, sides=4)}) == (weapon.delay, weapon.modifier, weapon.damage)


def test_a_weapon_without_a_name_is_called_by_the_list_or_by_its_key() -> None:
    stated = {"delay": 1, "modifier": "STR", "durability": 1, "damage": {}}
    assert built({"key": "s", "base": "short-sword"}).name == "Short Sword"
    assert built({"key": "s", **stated}).name == "s"


def test_a_type_without_known_numbers_is_not_available() -> None:
    """The seed's Claymore pierces and slashes, but nobody knows for how much."""
    claymore = {"key": "claymore", "base": "claymore", "delay": 6, "durability": 20}
    assert built(claymore).types == ("C",)
    table = Table()
    table.join("ann", "red", **sheet(sequence=5, weapons=[claymore]))
    table.join("bob", "blue")
    table.begin()
    refused = table.strike("ann", "bob", weapon="claymore", type="P")
    assert refused is not None
    assert refused.code == "damage-type-not-available"
