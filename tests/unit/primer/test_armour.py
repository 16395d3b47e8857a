"""Armour (primer.md, 1.11 and 1.12)."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from affray.kernel import Exact, InputError
from affray.plugins.primer import armour
from affray.plugins.primer.armour import Layer, Worn
from affray.plugins.primer.bounds import INCREASE_MAX
from affray.plugins.primer.options import PrimerOptions
from affray.plugins.primer.rows import points
from affray.plugins.primer.tables import DAMAGE_TYPES, ITEMS, MATERIALS, POSITIONS

from .numbers import DEFAULTS, choices, ranks

LIGHT, HEAVY, STRUCTURED = range(1, 8), range(8, 13), range(13, 15)
kinds = st.sampled_from(list(DAMAGE_TYPES))
increases = st.integers(0, 9)


def layer(numbers: range) -> st.SearchStrategy[Layer]:
    return st.builds(Layer, a=st.sampled_from(numbers), craft=increases, magic=increases)


worn_layers = st.one_of(
    st.lists(layer(range(1, 15)), max_size=1),
    st.tuples(layer(LIGHT), layer(HEAVY)),
    st.tuples(layer(STRUCTURED), layer(LIGHT)),
    st.tuples(layer(HEAVY), layer(STRUCTURED)),
)


@pytest.mark.parametrize(("numbers", "told"), [(LIGHT, "light"), (HEAVY, "heavy"), (STRUCTURED, "structured")])
def test_classes(numbers: range, told: str) -> None:
    """1.11."""
    assert {armour.material(a).worn_as for a in numbers} == {told}


@pytest.mark.parametrize("a", [0, 15, Fraction(3, 2)])
def test_there_is_no_other_material(a: Any) -> None:
    with pytest.raises(InputError, match=r"^\$\.a: must"):
        armour.material(a)
    assert len(MATERIALS) == 14


# -- protection


@given(worn_layers, kinds, choices)
def test_protection_is_the_sum_of_its_layers_and_each_at_most_trebled(layers: Any, kind: Any, options: PrimerOptions) -> None:
    """P-74; craft and magic add at most the base each."""
    rows = armour.protection_rows(layers, kind, options)
    alone = [armour.protection([one], kind, options) for one in layers]
    bare = [armour.protection([Layer(a=one.a)], kind, options) for one in layers]
    assert armour.protection(layers, kind, options) == points(rows) == sum(alone)
    times = 3 if options.craft_magic_stack == "add_both_on_base" else 2
    assert all(base <= whole <= times * base for base, whole in zip(bare, alone, strict=True))


@given(worn_layers, kinds)
def test_the_larger_increase_alone_protects_less(layers: Any, kind: Any) -> None:
    """P-73."""
    best = PrimerOptions(craft_magic_stack="best_of")
    assert armour.protection(layers, kind, best) <= armour.protection(layers, kind, DEFAULTS)


def test_rows_name_material_craft_and_magic() -> None:
    rows = armour.protection_rows([Layer(a=14, craft=2, magic=9), Layer(a=5)], "slicing", DEFAULTS)
    told = [("heavy-plate", 12), ("heavy-plate-craft", 2), ("heavy-plate-magic", 5), ("heavy-leather", 5)]
    assert told == [(row.code, row.amount) for row in rows]


@pytest.mark.parametrize(
    ("layers", "problem"),
    [((1, 2), "must differ in class, got light and light"), ((13, 14), "must differ in class"), ((1, 8, 13), "at most 2 layers, got 3")],
)
def test_layers_that_cannot_be_worn_together(layers: tuple[int, ...], problem: str) -> None:
    """L466."""
    worn = [Layer(a=a) for a in layers]
    assert problem in armour.layer_problem(worn)
    for reads in (lambda: armour.protection(worn, "slicing", DEFAULTS), lambda: armour.modifiers(worn)):
        with pytest.raises(InputError, match=rf"^\$\.layers: .*{problem}"):
            reads()


@pytest.mark.parametrize("fields", [{"craft": -1}, {"magic": -1}, {"craft": INCREASE_MAX + 1}, {"magic": INCREASE_MAX + 1}])
def test_an_increase_is_bounded(fields: Any) -> None:
    """Law 9."""
    (name,) = fields
    armour.protection([Layer(a=14, **{name: INCREASE_MAX})], "slicing", DEFAULTS)
    with pytest.raises(InputError, match=rf"^\$\.{name}: must"):
        armour.protection([Layer(a=14, **fields)], "slicing", DEFAULTS)


# -- modifiers


@given(worn_layers, ranks, st.booleans())
def test_a_wearing_skill_relieves_and_never_helps(layers: Any, rank: Exact, is_fitted: bool) -> None:
    """P-75."""
    bare = armour.modifiers(layers, is_fitted=is_fitted)
    skilled = armour.modifiers(layers, skill_rank=rank, is_fitted=is_fitted)
    for before, after, over in ((bare.agl, skilled.agl, 5), (bare.defense, skilled.defense, 2), (bare.mvm, skilled.mvm, 10)):
        assert after == min(0, before + Fraction(rank) / over)


@given(worn_layers)
def test_craft_and_magic_do_not_touch_the_modifiers(layers: Any) -> None:
    """P-72a."""
    assert armour.modifiers(layers) == armour.modifiers([Layer(a=one.a) for one in layers])


def test_only_structured_armour_has_to_fit() -> None:
    """L458."""
    assert armour.modifiers([Layer(a=12)], is_fitted=False) == armour.modifiers([Layer(a=12)])
    rows = armour.modifier_rows("def", [Layer(a=13), Layer(a=12)], is_fitted=False, skill_rank=4)
    told = [("light-plate", -25), ("not-fitted", -25), ("heavy-chain", -15), ("wearing-skill", 2)]
    assert told == [(row.code, row.amount) for row in rows]


def test_nobody_is_skilled_or_badly_fitted_unless_told() -> None:
    assert [("heavy-plate", -30)] == [(row.code, row.amount) for row in armour.modifier_rows("def", [Layer(a=14)])]
    assert armour.modifiers([Layer(a=14)]) == armour.ArmorMods(agl=-8, defense=-30, mvm=-4)


def test_no_armour_costs_nothing() -> None:
    assert armour.modifiers([], skill_rank=20) == armour.ArmorMods(agl=0, defense=0, mvm=0)


def test_the_better_skill_of_a_worn_class_counts() -> None:
    """P-75."""
    worn = [Layer(a=12), Layer(a=14)]
    assert armour.wearing_rank(worn, {"heavy": 4, "structured": 7, "light": 20}) == 7
    assert armour.wearing_rank(worn, {"light": 20}) == 0
    assert armour.wearing_rank([], {"light": 20}) == 0


# -- items


def test_items_and_inferred_places_agree() -> None:
    """P-55, P-79: what no item covers is bare, and everything else is not."""
    bare = [position for position in range(1, 101) if not armour.cover(position)]
    first, last = POSITIONS["no-item-covers"]
    assert bare == list(range(first, last + 1))


@given(st.integers(1, 100), st.lists(st.sampled_from(list(ITEMS)), max_size=4))
def test_knockback_is_shortened_by_the_best_item_over_the_place(position: int, worn: list[str]) -> None:
    """P-54."""
    pct = armour.knockback_pct(worn, position)
    over = [ITEMS[name].knockback_pct for name in worn if armour.covers(name, position)]
    assert pct in (0, *over)
    assert pct == min([armour.knockback_pct([name], position) for name in worn], default=0)


@pytest.mark.parametrize(("item", "upper", "lower"), [("byrnie", 39, 54), ("habergon", 11, 94), ("haulberk", 47, 60)])
def test_mail_shortens_knockback_in_its_upper_range(item: str, upper: int, lower: int) -> None:
    """P-54."""
    assert (armour.knockback_pct([item], upper), armour.knockback_pct([item], lower)) == (-10, 0)
    assert armour.covers(item, lower)


@pytest.mark.parametrize("position", [0, 101])
def test_a_position_is_1_to_100(position: int) -> None:
    for reads in (armour.cover, lambda at: armour.knockback_pct(["cap"], at)):
        with pytest.raises(InputError, match=r"^\$\.position: must"):
            reads(position)


def test_an_item_that_is_none_is_refused() -> None:
    for reads in (lambda: armour.item_of("hat", 1), lambda: armour.covers("hat", 1)):
        with pytest.raises(InputError, match=r"^\$\.name: must be one of cap, great-helm"):
            reads()


# -- wear


@given(st.lists(st.builds(Worn, name=st.sampled_from(list(ITEMS)), left=st.integers(0, 5)), max_size=4), st.integers(1, 100), st.sampled_from(["stopped", "through"]))
def test_the_outermost_item_over_the_place_wears(worn: list[Worn], position: int, outcome: Any) -> None:
    """P-56."""
    found = armour.wear(worn, position, outcome)
    over = [one for one in worn if armour.covers(one.name, position)]
    if not over:
        assert found == (None, 0, None)
        return
    loss = Fraction(1, 2) if outcome == "stopped" else 2
    assert found == (over[0].name, loss, max(0, over[0].left - loss))


@pytest.mark.parametrize(
    ("ended", "loss"), [("miss", 0), ("step-3", 0), ("step-4", Fraction(1, 2)), ("step-8", 2)]
)
def test_what_a_hit_costs_by_where_it_ended(ended: str, loss: Exact) -> None:
    worn = [Worn(name="byrnie", left=15)]
    assert loss == armour.wear(worn, 30, armour.OUTCOMES[ended]).loss


def test_an_outcome_that_is_none_is_refused() -> None:
    outcome: Any = "missed"
    with pytest.raises(InputError, match=r"^\$\.outcome: must"):
        armour.wear([], 30, outcome)
