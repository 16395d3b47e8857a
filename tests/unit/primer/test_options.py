"""The options: names, defaults and values of the page, and what a bad one says."""

from __future__ import annotations

import msgspec
import pytest

from affray.plugins.primer.options import PrimerOptions
from affray.plugins.primer.readings import READINGS

from ...golden.primer_vectors import tables, values_of

RULINGS = tables().get("rulings", {})
DEFAULTS = msgspec.structs.asdict(PrimerOptions())


def test_the_options_are_the_pages() -> None:
    """2.3: names, and the default of each first among its values."""
    told = {
        name: [DEFAULTS[name], *[value for value in values_of(name) if value != DEFAULTS[name]]] for name in RULINGS
    }
    assert told == {name: row["options"] for name, row in RULINGS.items()}
    assert [row["default"] for row in RULINGS.values()] == [row["options"][0] for row in RULINGS.values()]


def test_an_option_settles_the_ambiguity_of_its_number() -> None:
    switches = {one.switch: one.source for one in READINGS if one.switch in DEFAULTS}
    assert {name: switches[name] for name in RULINGS} == {name: row["id"] for name, row in RULINGS.items()}


@pytest.mark.parametrize(
    ("name", "value"), [("bleed_basis", "all"), ("roll_equals_sc_plus_40", 1), ("armor_wear", "yes"), ("no_such", 1)]
)
def test_another_value_is_refused(name: str, value: object) -> None:
    with pytest.raises(msgspec.ValidationError, match=name):
        msgspec.convert({name: value}, PrimerOptions)
