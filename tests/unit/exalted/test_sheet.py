"""L by kind of being, rounding, and the pools of a sheet (exalted.md, 1 E, 1 F and ambiguity 14)."""

from __future__ import annotations

from fractions import Fraction

import msgspec
import pytest

from affray.plugins.exalted.defense_value import Inputs
from affray.plugins.exalted.sheet import Sheet, pools

from .table import sheet


@pytest.mark.parametrize(
    ("fields", "limit"),
    [
        ({"being": "solar"}, 4),
        ({"being": "abyssal"}, 4),
        ({"being": "infernal"}, 4),
        ({"being": "dragon-blooded", "specialties": {"Dodge": 1}}, Fraction(5, 2)),
        ({"being": "dragon-blooded", "specialties": {"Dodge": 5}}, Fraction(7, 2)),
        ({"being": "lunar"}, 2),
        ({"being": "sidereal"}, 1),
        ({"being": "mortal"}, None),
        ({"being": "spirit"}, None),
        ({"being": "solar", "cap": "9/2"}, Fraction(9, 2)),
        ({"being": "solar", "cap": "none"}, None),
        ({"being": "solar", "abilities": {}}, 2),
    ],
)
def test_the_limit_is_half_of_the_usual_dice_limit(fields: dict[str, object], limit: object) -> None:
    assert limit == msgspec.convert(sheet(**fields), Sheet).limit("Dodge")


@pytest.mark.parametrize(("being", "rounds"), [("solar", "up"), ("lunar", "up"), ("spirit", "up"), ("mortal", "down")])
def test_rounding_belongs_to_the_being_and_can_be_stated(being: str, rounds: str) -> None:
    assert rounds == msgspec.convert(sheet(being=being), Sheet).rounds
    assert msgspec.convert(sheet(being=being, rounding="down"), Sheet).rounds == "down"


def test_the_pools() -> None:
    found = pools(msgspec.convert(sheet(motes=7, willpower=5, virtues={"valor": 2}), Sheet))
    assert {name: pool.start for name, pool in found.items() if pool.start} == {"motes": 7, "willpower": 5, "channels-valor": 2}
    assert found["motes"].high == 7


def test_ignoring_drops_a_penalty_and_keeps_a_bonus() -> None:
    """Ambiguity 10."""
    both = Inputs(terrain=1, ground=-1, ignore=("terrain", "ground"))
    assert (both.penalty("terrain"), both.penalty("ground")) == (1, 0)
