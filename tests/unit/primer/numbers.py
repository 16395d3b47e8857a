"""Numbers as sheets state them, at random, for the laws of the calculations."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import strategies as st

from affray.kernel import Exact
from affray.plugins.primer.options import PrimerOptions
from affray.plugins.primer.traits import RANKS, Traits

DEFAULTS = PrimerOptions()


def tenths(low: int, high: int) -> st.SearchStrategy[Exact]:
    """Decimals of one digit, from low to high."""
    return st.integers(10 * low, 10 * high).map(lambda whole: Fraction(whole, 10))


def quarters(low: int, high: int) -> st.SearchStrategy[Exact]:
    """Quarters, from low to high."""
    return st.integers(4 * low, 4 * high).map(lambda whole: Fraction(whole, 4))


ranks = tenths(0, 30)

traits = st.builds(
    Traits,
    **{name: ranks if name in RANKS else tenths(-60, 60) for name in Traits.__struct_fields__},
)

choices = st.builds(
    PrimerOptions,
    roll_equals_sc=st.sampled_from(["success", "failure"]),
    roll_equals_sc_plus_40=st.sampled_from([-1, 0]),
    sl_high_rounding=st.sampled_from(["ceil_plus_2", "floor_plus_3", "floor_plus_2_min_3"]),
    fractional_rank_dam=st.sampled_from(["trunc", "ceil"]),
    secondary_dam=st.sampled_from(["full", "half"]),
    rank_speed_source=st.sampled_from(["formula", "table"]),
    bsc_rounding=st.sampled_from(["half_up", "ceil", "none"]),
    init_to_count=st.sampled_from(["ceil", "floor", "half_up"]),
    negative_act=st.sampled_from(["treat_as_zero", "keep"]),
    ap_interior=st.sampled_from(["floor", "half_up", "ceil"]),
    bleed_basis=st.sampled_from(["step7_only", "damage_absorbed", "pool_points", "soft_only", "none"]),
    bleed_when_absorbed_to_zero=st.booleans(),
    unaware_factor=st.sampled_from(["1/4", "3/4"]),
    knockback_steps=st.sampled_from(["floor", "proportional"]),
    shock_penalty=st.sampled_from(["damage_section", "saves_section"]),
    shock_first_breakpoint=st.sampled_from(["strict", "inclusive"]),
    stun_interrupts=st.booleans(),
    craft_magic_stack=st.sampled_from(["add_both_on_base", "best_of"]),
)
