"""Saves, derived values, speeds (primer.md, 1.13, 1.14 and 1.6), held against the formulas as the page writes them."""

from __future__ import annotations

from fractions import Fraction
from math import trunc
from typing import Any

import pytest
from hypothesis import given, settings

from affray.kernel import InputError
from affray.plugins.primer import derived
from affray.plugins.primer.derived import FORMULAS, SAVES, SPEEDS, VALUES
from affray.plugins.primer.ranks import tertiary
from affray.plugins.primer.rows import points
from affray.plugins.primer.traits import Traits

from ...golden.primer_vectors import tables
from .numbers import traits

PAGE: dict[str, str] = {**tables().get("saves", {}), **tables().get("derived", {})}


def reckoned(formula: str, given: Traits) -> Fraction:
    """A formula of the page, such as `agl*4+max(PLF,agf)+trunc(Balance)*3`."""
    values = {name: Fraction(getattr(given, name)) for name in given.__struct_fields__}
    small = {name.lower(): value for name, value in values.items() if name.isupper()}
    three = {name: Fraction(value) for name, value in tertiary(given.pools)._asdict().items()}
    names = {**small, **values, **three, "max": max, "abs": abs, "trunc": whole}
    return Fraction(eval(formula, {"__builtins__": {}}, names))


def whole(value: Fraction) -> Fraction:
    return Fraction(trunc(value))


def test_nine_saves_eight_values_and_two_speeds() -> None:
    """P-82."""
    assert (len(SAVES), len(VALUES), len(SPEEDS)) == (9, 8, 2)
    assert not PAGE or set(PAGE) == set(FORMULAS)


@settings(max_examples=60)
@given(traits)
def test_a_value_is_the_formula_of_the_page_and_the_sum_of_its_rows(given: Traits) -> None:
    for name in FORMULAS:
        rows = derived.rows(name, given)
        assert points(rows) == derived.value(name, given)
        assert [row for row in rows if not row.amount] == []
        if name in PAGE:
            assert reckoned(PAGE[name], given) == derived.value(name, given)


def test_the_rows_of_a_save_name_the_better_factor() -> None:
    weak, strong = Traits(AGL=10, AGF=3, PCF=20), Traits(AGL=10, AGF=3, PCF=50)
    assert [("AGL", 40), ("AGF", 3)] == told("AGL", weak)
    assert [("AGL", 40), ("PLF", "53/10")] == told("AGL", strong)
    assert [("AGL", 40), ("AGF", 2)] == told("AGL", Traits(AGL=10, AGF=2, PCF=18))


def test_the_rows_of_a_derived_value() -> None:
    average = Traits(AGL=10, STR=10, BLD=10, HGT=70, WGT=160, MVM_Skill=Fraction(69, 10), BASE_MVM_MOD=1)
    rows = [("AGL", 2), ("STR", 1), ("BLD", -1), ("base", -3), ("HGT", "23/5"), ("WGT", "-1/5"), ("MVM_Skill", "3/2"), ("BASE_MVM_MOD", 1)]
    assert rows == told("MVM", average)
    assert [("NMD", 20), ("SCF", 6)] == told("MDF", Traits(SCF=26))[:2]


def told(name: Any, given: Traits) -> list[tuple[str, Any]]:
    return [(row.code, row.amount) for row in derived.rows(name, given)]


def test_an_average_man_moves_18_feet_a_second() -> None:
    """P-88."""
    average = Traits(AGL=10, STR=10, BLD=10, HGT=70, WGT=150)
    assert derived.value("MVM", average) == Fraction(36, 10)


@pytest.mark.parametrize("name", ["THB", "sys", ""])
def test_a_value_that_is_none_is_refused(name: Any) -> None:
    """THB is abolished."""
    with pytest.raises(InputError, match=r"^\$\.name: must be one of SYS, AGL"):
        derived.value(name, Traits())
