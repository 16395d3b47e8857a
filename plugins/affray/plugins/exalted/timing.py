"""Table of actions: ticks until the next one (Speed), and what they cost the Defense Value until then (exalted.md, 3.3)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal, NamedTuple

import msgspec

from .bounds import SPEED_MAX
from .gear import Minus

ATTACK = "attack"
FLURRY = "flurry"
AIM = "aim"
GUARD = "guard"
DASH = "dash"
MOVE = "move"
MISC = "misc"
CHARM = "charm"
JUMP = "jump"
RISE = "rise"
COORDINATE = "coordinate"
BREAK_OFF = "break-off"


class Timing(NamedTuple):
    """`speed` in ticks, `dv` 0 or less."""

    speed: int
    dv: int


TIMINGS: Mapping[str, Timing] = {
    AIM: Timing(3, -1),
    GUARD: Timing(3, 0),
    DASH: Timing(3, -2),
    MOVE: Timing(0, 0),
    MISC: Timing(5, -1),  # varies, often -1: parameter `dv`
    CHARM: Timing(6, -1),  # a Simple charm, unless it says otherwise: parameters `speed` and `dv`
    JUMP: Timing(5, -1),
    RISE: Timing(5, -1),
    COORDINATE: Timing(5, -2),  # M: another sheet has 5/0
}
"""Actions other than attacks. A move is reflexive: it takes no time and ends no turn."""

ATTACK_DV = -1
"""What an attack costs the own DV; its Speed is the weapon's (3.3)."""

REACTION_MAX = 6
"""Most ticks that anybody waits for a first action (3.3)."""

AIM_DICE_MAX = 3
"""Most dice of aiming, one a tick (3.3)."""

InFlurry = Literal["dash", "misc", "jump", "rise"]
"""What may stand in a flurry beside attacks. The sources disagree about a dash (3.3, conflict); here it may."""


class Simple(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Parameters of an action whose cost varies; None takes the table's."""

    speed: Annotated[int, msgspec.Meta(ge=1, le=SPEED_MAX)] | None = None
    dv: Minus | None = None
