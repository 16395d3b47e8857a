"""The options of the system: the readings that the rules page marks for a switch (nyra.md, 3.1).

Every other open reading is a named constant beside the rule it settles, with its confidence or its number in 3.2.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

import msgspec

from affray.kernel import Json

from .bounds import DURABILITY_MAX, ENERGY_MAX

Variant = Literal["duel", "bank"]
"""The generations: the current one, and the older one with its energy bank."""

ModifierTable = Literal["floor_half", "floor_half_minus", "minus_5"]
"""How a statistic gives its modifier: floor(s/2), floor((s-1)/2) or s-5."""

Tie = Literal["reroll", "defender", "attacker"]
"""Who wins equal margins."""

TraitRounding = Literal["per_trait", "one_sum"]
"""Where the halves of Impact and Mastercraft are rounded down."""

ExhaustionFloor = Literal["half_bank"] | Annotated[int, msgspec.Meta(ge=0, le=ENERGY_MAX)]
"""The lowest energy a swing may leave: half the full bank, rounded down, or a number; 0 lets the bank run dry."""


class Options(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The defaults are the readings the page recommends."""

    variant: Variant = "duel"
    """Which generation of the rules (section 2; contradictions 4, 11 and 12)."""

    tie: Tie = "reroll"
    """Equal margins: both reroll and compare margins only, or one side wins (1.3 step 6, contradiction 6, I 0.5).

    The bank compares no margins, so nothing ties there.
    """

    modifier: ModifierTable = "floor_half"
    """From statistic to modifier (1.1, I 0.75; the first two agree on odd statistics)."""

    trait_rounding: TraitRounding = "per_trait"
    """Halves are rounded one by one, or added and rounded as one sum (1.4, contradiction 17; NY34, NY66)."""

    crit_auto_hit: bool = False
    """Whether a critical success cannot be defended; the defence die is rolled all the same (1.7, I 0.6; NY17, NY18).

    Either generation.
    """

    fumble_durability: Annotated[int, msgspec.Meta(ge=0, le=DURABILITY_MAX)] = 5
    """Durability that a natural 10 costs the weapon (1.7, 0.85)."""

    exhaustion_floor: ExhaustionFloor = "half_bank"
    """The lowest energy a swing may leave, in the bank (section 2, contradiction 8, I 0.6; NY58, NY59, NY79, NY91)."""

    bleed_timing: Literal["own_turn_start", "own_turn_end"] = "own_turn_start"
    """When a bleeding combatant loses (1.6, I 0.5)."""

    @property
    def is_bank(self) -> bool:
        """Whether the older generation is played."""
        return self.variant == "bank"


BUNDLES: Mapping[str, Mapping[str, Json]] = {"duel": {}, "bank": {"variant": "bank"}}
"""The two generations as complete sets of options (section 2); what neither names is the same in both."""
