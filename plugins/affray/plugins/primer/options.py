"""The options of the system: the readings that the rules page marks for a switch (primer.md, 2.3).

Every other open reading is a named constant or stands in the function that takes it, with its number; `readings.py` lists all.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from .pack import Pack

BleedBasis = Literal["step7_only", "damage_absorbed", "pool_points", "soft_only", "none"]
"""A tenth of what bleeds: damage absorbed in step 7, in steps 5 and 7, pool points spent, damage absorbed in step 5, nothing."""

Rounding = Literal["floor", "half_up", "ceil"]
"""Down, to the nearest with halves up, or up."""


class PrimerOptions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The defaults are the readings the page recommends."""

    roll_equals_sc: Literal["success", "failure"] = "success"
    """Whether a roll that equals the chance is SL 1 or SL 0 (P-14)."""

    roll_equals_sc_plus_40: Literal[-1, 0] = -1
    """The SL of a roll that misses by exactly 40 (P-15)."""

    sl_high_rounding: Literal["ceil_plus_2", "floor_plus_3", "floor_plus_2_min_3"] = "ceil_plus_2"
    """The SL from 3 up, where x is (SC/4 - ROLL)/10: ceil(x)+2, floor(x)+3, or floor(x)+2 but at least 3 (P-16)."""

    fractional_rank_dam: Literal["trunc", "ceil"] = "trunc"
    """DAM of a fractional rank above 2: that of its whole rank, or (rank-2)/2 rounded up (P-04)."""

    secondary_dam: Literal["full", "half"] = "full"
    """DAM of a secondary skill in step 1: its whole DAM, or (whole rank - 2)/4 rounded up (P-13)."""

    rank_speed_source: Literal["formula", "table"] = "formula"
    """Speed of ranks 1 and 2 in INIT, ACT and SECMODS: (rank-2)/2, or the table's -1 and -1/2 (P-02)."""

    bsc_rounding: Literal["half_up", "ceil", "none"] = "half_up"
    """How the base success chance becomes a whole number (P-09)."""

    init_to_count: Rounding = "ceil"
    """How an exact INIT becomes the count of the declaration (P-24)."""

    negative_act: Literal["treat_as_zero", "keep"] = "treat_as_zero"
    """A negative ACT is no AP, or a debt that is to be bought up first (P-25)."""

    ap_interior: Rounding = "floor"
    """How AP costs inside a halving round, of base speeds that are not printed; each is at least 1 (P-33)."""

    bleed_basis: BleedBasis = "step7_only"
    """What a tenth of bleeds through (P-41)."""

    bleed_when_absorbed_to_zero: bool = True
    """Whether damage bleeds through where the pool left none (P-40)."""

    pab_refresh: Literal["per_hit", "per_count", "per_fight"] = "per_hit"
    """When PAB and MAB are full again (P-47)."""

    unaware_factor: Literal["1/4", "3/4"] = "1/4"
    """What is left of PAB and MAB for an unaware target (P-48)."""

    knockback_steps: Literal["floor", "proportional"] = "floor"
    """Knockback in whole half feet before factors, or BD/points exactly (P-53)."""

    armor_wear: bool = False
    """Whether armour loses points (P-56, the source's advanced rule)."""

    shock_penalty: Literal["damage_section", "saves_section"] = "damage_section"
    """SL taken off the system shock save: quarters - 1, or quarters (P-59)."""

    shock_first_breakpoint: Literal["strict", "inclusive"] = "strict"
    """Whether exactly a quarter is a quarter already (P-60)."""

    stun_interrupts: bool = False
    """Whether stunned and twice stunned cancel a running action (P-66)."""

    state_mods_on_saves: Literal["all_saves", "sys_only"] = "all_saves"
    """Which saves take the action modifier of a state, of wounds and of exhaustion (P-92)."""

    craft_magic_stack: Literal["add_both_on_base", "best_of"] = "add_both_on_base"
    """Whether both increases of armour count, or only the larger (P-73)."""

    pack: Pack = Pack()
    """What the source lacks and the table brings: hit locations, weapons, tables, HTK and POW (`pack.py`)."""
