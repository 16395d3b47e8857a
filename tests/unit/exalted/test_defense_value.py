"""Laws of the Defense Value over random inputs and random sheets (exalted.md, part 5)."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from affray.kernel import Defend, total
from affray.plugins.exalted.charms import CharmRow, MagicRow, SetRow, Who
from affray.plugins.exalted.defense_value import OPS, WHO, Inputs, defense_value, rounded
from affray.plugins.exalted.options import BUNDLES, Options

from ...golden.exalted_vectors import read_back
from .table import Table

FACTORS = ("1/2", 2)
"""What the page's own charms multiply by."""

AMOUNTS: tuple[int | str, ...] = (-3, "-1/2", 0, "1/2", 1, 2, 6)

amounts = st.sampled_from(AMOUNTS)
penalties = st.integers(-4, 0)
signed = st.integers(-3, 3)
few = st.integers(0, 6)


@st.composite
def charm_rows(draw: st.DrawFn, factors: tuple[int | str, ...] = FACTORS) -> CharmRow:
    who = draw(st.sampled_from(WHO))
    op = draw(st.sampled_from(OPS))
    signs: dict[Who, tuple[int | str, ...]] = {"self": AMOUNTS, "ally": (0, "1/2", 1, 5), "enemy": (0, "-1/2", -1, -5)}
    value = draw(st.sampled_from(signs[who] if op == "add" else factors))
    return CharmRow(who=who, op=op, value=value, code=draw(st.sampled_from("abc")))


magic_rows = st.one_of(
    st.builds(MagicRow, op=st.just("add"), value=amounts), st.builds(MagicRow, op=st.just("mul"), value=st.sampled_from(FACTORS))
)
set_rows = st.builds(SetRow, value=st.sampled_from([0, 3, "9/2", 12]), code=st.sampled_from("xy"))
choices = st.builds(
    Options,
    wound_mode=st.sampled_from(["half", "direct"]),
    mobility_mode=st.sampled_from(["half", "direct"]),
    stunt_mode=st.sampled_from(["flat_half", "rolled", "flat_whole", "none"]),
    virtue_mode=st.sampled_from(["flat_half", "rolled", "flat_whole", "none"]),
    cap_model=st.sampled_from(["net_dv", "dice"]),
    inapplicable_is_final=st.booleans(),
    bracers_on_parry=st.booleans(),
)


@st.composite
def inputs(draw: st.DrawFn) -> Inputs:
    charms = draw(st.lists(charm_rows(), max_size=5))
    room = 6 - len([row for row in charms if row.op != "add"])
    virtue = draw(few)
    return Inputs(
        defense=draw(st.sampled_from(["dodge", "parry"])),
        rounding=draw(st.sampled_from(["up", "down"])),
        dexterity=draw(few),
        ability=draw(few),
        essence=draw(st.integers(1, 6)),
        weapon_defense=draw(signed),
        specialties=draw(few),
        wound=draw(penalties),
        mobility=draw(penalties),
        shield_mobility=draw(penalties),
        stunt_dice=draw(st.integers(0, 3)),
        virtue_dice=virtue,
        willpower=not virtue and draw(st.booleans()),
        bracers=draw(st.sampled_from([0, 3])),
        adj_other=draw(signed),
        inapplicable=draw(st.booleans()),
        action=draw(penalties),
        onslaught=draw(penalties),
        terrain=draw(signed),
        ground=draw(signed),
        ground_exempt=draw(st.booleans()),
        shield=draw(few),
        cover=draw(few),
        c_other=draw(signed),
        ignore=tuple(draw(st.lists(st.sampled_from(["wound", "mobility", "action", "onslaught", "ground"]), max_size=3))),
        magic=tuple(draw(st.lists(magic_rows, max_size=min(room, 3)))),
        charms=tuple(charms),
        cap=draw(st.sampled_from([None, 0, "5/2", 4])),
        sets=tuple(draw(st.lists(set_rows, max_size=2))),
        stunt_successes=draw(few),
        virtue_successes=draw(few),
    )


@given(inputs(), choices, st.randoms(use_true_random=False))
def test_listing_order_is_never_seen(given_: Inputs, options: Options, random: Any) -> None:
    """Ambiguity 12, and not in the trace either."""
    charms, magic, sets = list(given_.charms), list(given_.magic), list(given_.sets)
    for rows in (charms, magic, sets):
        random.shuffle(rows)
    other = replace(given_, charms=tuple(charms), magic=tuple(magic), sets=tuple(sets))
    assert defense_value(given_, options) == defense_value(other, options)


@given(inputs(), choices)
def test_one_more_wound_never_raises_it(given_: Inputs, options: Options) -> None:
    worse = replace(given_, wound=given_.wound - 1)
    assert defense_value(worse, options).dv <= defense_value(given_, options).dv


@given(inputs(), choices)
def test_an_exalts_is_0_or_1_above_the_same_mortals(given_: Inputs, options: Options) -> None:
    up, down = (defense_value(replace(given_, rounding=way), options).dv for way in ("up", "down"))
    assert up - down in (0, 1)


@given(inputs(), choices)
def test_the_cap_never_lowers_below_x_and_never_raises(given_: Inputs, options: Options) -> None:
    value = defense_value(given_, options)
    assert min(value.raw, value.X) <= value.E <= value.raw
    if options.cap_model == "net_dv":
        assert value.capped == (value.L is not None and value.Y > value.L)


@given(inputs(), choices)
def test_denominators_are_powers_of_two(given_: Inputs, options: Options) -> None:
    for one in defense_value(given_, options)[:7]:
        assert one is None or Fraction(one).denominator.bit_count() == 1


@given(st.fractions(-20, 20))
def test_clamping_and_rounding_can_change_places(value: Fraction) -> None:
    for way in ("up", "down"):
        assert max(rounded(value, way), 0) == rounded(max(value, Fraction(0)), way)


@given(inputs(), choices)
def test_the_trace_adds_up_and_tells_every_step(given_: Inputs, options: Options) -> None:
    value = defense_value(given_, options)
    assert total(row.amount for row in value.trace) == value.dv
    back = read_back(value.trace)
    for step in ("A", "B", "C", "E", "F"):
        assert back[step] == str(getattr(value, step))
    assert (back["D"], back["E_raw"], back["Y"]) == (str(value.X), str(value.raw), str(value.Y))
    assert back["L"] == (None if value.L is None else str(value.L))
    assert {row.code[0] for row in value.trace} == set("ABCDEF")


@pytest.mark.parametrize("bundle", BUNDLES)
def test_a_bundle_is_options_of_the_system(bundle: str) -> None:
    options = msgspec.convert(BUNDLES[bundle], Options)
    assert (options == Options()) == (bundle == "seed")


# -- over sheets, in a session

scores = st.integers(0, 5)
charms = st.lists(
    st.sampled_from(
        [
            {"op": "add", "value": 1},
            {"op": "add", "value": "3/2"},
            {"op": "add", "value": -1},
            {"op": "mul", "value": 2},
            {"op": "div", "value": 2},
            {"op": "ignore", "penalties": ["wound"]},
        ]
    ),
    max_size=4,
)


def dv(**fields: Any) -> int:
    """The DV of a dodge against an attack without dice, as a session records it."""
    wounds = {"lethal": fields.pop("lethal", 0)}
    table = Table()
    table.join("ann", "red", dexterity=0, abilities={}, wits=0)
    table.join("bob", "blue", **{**fields, "weapons": [], "wits": 0}, pools=wounds)
    table.begin()
    table.attack("ann", "bob")
    (step,) = table.found(Defend)
    return int(step.value)


@settings(max_examples=25, suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(scores, scores, st.integers(1, 5), charms, st.integers(0, 5))
def test_laws_hold_for_sheets(dexterity: int, dodge: int, essence: int, effects: list[Any], lethal: int) -> None:
    fields: dict[str, Any] = {
        "dexterity": dexterity,
        "abilities": {"Dodge": dodge},
        "essence": essence,
        "charms": [{"key": f"c{number}", "effects": [effect]} for number, effect in enumerate(effects)],
    }
    usual = dv(**fields, lethal=lethal)
    assert dv(**{**fields, "charms": fields["charms"][::-1]}, lethal=lethal) == usual
    assert dv(**fields, lethal=lethal + 1) <= usual
    assert usual - dv(**fields, rounding="down", lethal=lethal) in (0, 1)
