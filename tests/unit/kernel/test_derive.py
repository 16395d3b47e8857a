"""The hook `derive`: every value that follows from a sheet explains itself."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

from affray.kernel import Breach, Derived, Row, RuleSet, hookimpl

from ...support.table import tiny_catalog
from ...support.tiny import Sheet, Tiny

SHEET = {"hp": 12, "skill": 9}


class Deriving(Tiny):
    given: Any = ()

    @hookimpl
    def derive(self, sheet: Sheet, options: Any) -> Iterable[Derived]:
        return self.given or [Derived(code="twice-skill", value=2 * sheet.skill, trace=(Row("skill", 2 * sheet.skill, "sheet"),))]


class More:
    @hookimpl
    def derive(self, sheet: Any, options: Any) -> list[Derived]:
        return [Derived(code="grit", value=1, trace=(Row("grit", 1, "house"),))]


def rules(plugin: Any, *house: str, **made: Any) -> RuleSet:
    catalog = tiny_catalog(plugin, **made)
    return catalog.rules(catalog.manifest("tiny", {}, house))


def test_a_house_rule_adds_values_behind_those_of_the_system() -> None:
    made = rules(Deriving, "more", more=More)

    assert ["twice-skill", "grit"] == [one.code for one in made.derive(made.read_sheet(SHEET))]


def test_a_system_that_derives_nothing_gives_nothing() -> None:
    made = rules(Tiny)

    assert made.derive(made.read_sheet(SHEET)) == ()


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ([5], "not a Derived"),
        ([Derived(code="a", value="x", trace=())], "not a Derived with an exact number"),
        ([Derived(code="a", value=3, trace=(Row("b", 2, "c"),))], "do not add up to 3"),
        (5, "which is no list"),
    ],
)
def test_what_derive_must_not_give_is_a_breach_that_names_it(given: Any, problem: str) -> None:
    """Law 10."""

    class Wrong(Deriving):
        pass

    Wrong.given = given
    made = rules(Wrong)
    with pytest.raises(Breach, match=problem) as caught:
        made.derive(made.read_sheet(SHEET))

    assert (caught.value.plugin, caught.value.hook) == ("tiny", "derive")
