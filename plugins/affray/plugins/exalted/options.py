"""The options of the system: the readings that the rules page marks for a switch (exalted.md, part 2).

Every other open reading is a named constant beside the rule it settles, with its number in part 4.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import msgspec

from affray.kernel import Json

PenaltyMode = Literal["half", "direct"]
"""Where a penalty counts: inside the halved sum of step A, or as whole points in step C."""

DiceMode = Literal["flat_half", "rolled", "flat_whole", "none"]
"""What stunt and Virtue dice are: +1 each in the sum of A, rolled for points in C, one point each in C, or nothing."""

CapModel = Literal["net_dv", "dice"]
"""What the cap limits: the net change of step E, or the charm dice in the sum of A."""

SameTick = Literal["in_turn", "together"]
"""Who acts on the same tick resolves strictly in turn, or all declare before any action of the tick resolves."""


class Options(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The defaults are the seed's own settings; for `same_tick`, ours."""

    wound_mode: PenaltyMode = "half"
    """Where wounds count (part 2)."""

    mobility_mode: PenaltyMode = "half"
    """Where armour and shield mobility count; dodge only in both (part 2)."""

    stunt_mode: DiceMode = "flat_half"
    """What a defender's stunt dice do (part 2)."""

    virtue_mode: DiceMode = "flat_half"
    """What Virtue dice do, and with them the Willpower in their place (part 2, ambiguities 3 and 26)."""

    cap_model: CapModel = "net_dv"
    """How charms are limited (part 2)."""

    inapplicable_is_final: bool = False
    """Whether an inapplicable defence stays at 0 whatever comes after step B (ambiguity 5)."""

    bracers_on_parry: bool = False
    """Whether Hearthstone Bracers count for a parry too (ambiguity 2)."""

    set_charms: bool = False
    """Whether charms that set a Defense Value may be used; they act after step E, outside the cap (ambiguity 18)."""

    same_tick: SameTick = "in_turn"
    """How actions of the same tick resolve (3.5; the order is join battle, then joining)."""


BUNDLES: Mapping[str, Mapping[str, Json]] = {
    "seed": {},
    "direct-penalties": {"wound_mode": "direct", "mobility_mode": "direct"},
    "rolled-stunts": {"stunt_mode": "rolled", "virtue_mode": "rolled"},
    "dice-cap-first": {"cap_model": "dice"},
}
"""The complete variants that part 2 offers. All but the seed are our settings, not those of the pages that inspired them."""
