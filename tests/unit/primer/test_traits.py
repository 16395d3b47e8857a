"""The numbers of a character (primer.md, part 5, Sheets)."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from affray.kernel import InputError
from affray.plugins.primer.bounds import RANK_MAX, STATED_MAX
from affray.plugins.primer.tables import LEVEL_FACTORS
from affray.plugins.primer.traits import RANKS, Traits, traits_of

from ...golden.primer_vectors import trait, vectors


def test_what_is_not_given_is_0_but_two_are_human() -> None:
    given = {name: getattr(Traits(), name) for name in Traits.__struct_fields__}
    assert {name: value for name, value in given.items() if value} == {"PSM": -5, "NMD": 20}


def test_the_traits_are_the_fields_of_the_pages_sheets() -> None:
    sheets = [vector["inputs"]["c"] for vector in vectors() if vector["op"] == "save"]
    for sheet in sheets:
        assert {trait(name) for name in sheet} == set(Traits.__struct_fields__)


def test_level_factors_by_their_code() -> None:
    assert Traits(PCF=20, KIF=8).pools == {**dict.fromkeys(LEVEL_FACTORS, 0), "PCF": 20, "KIF": 8}


def test_numbers_of_a_log_become_traits() -> None:
    assert traits_of({"STR": 14, "Resilience": "47/10"}) == Traits(STR=14, Resilience=Fraction(47, 10))


@pytest.mark.parametrize(
    ("name", "value"),
    [("STR", STATED_MAX + 1), ("STR", "1/3"), ("STR", "x"), ("Resilience", -1), ("Resilience", RANK_MAX + 1), ("Swords", 3)],
)
def test_a_trait_that_is_none_is_refused_by_its_path(name: str, value: Any) -> None:
    """Law 9."""
    traits_of({"STR": STATED_MAX, "Resilience": RANK_MAX})
    with pytest.raises(InputError, match=rf"^\$\.{name}: "):
        traits_of({name: value})


def test_only_ranks_are_never_negative() -> None:
    assert "PAB_Aptitude" not in RANKS
    assert Traits(PAB_Aptitude=-2).PAB_Aptitude == -2
    assert len(RANKS) == 24
