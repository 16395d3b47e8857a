"""Weapons, armour and shields as a sheet writes them down (exalted.md, 3.1, 3.3 and 3.4). Numbers vary by kind, so sheets state them."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from .bounds import SCORE_MAX, SPEED_MAX

DamageType = Literal["bashing", "lethal", "aggravated"]

DAMAGE_TYPES: tuple[DamageType, ...] = ("bashing", "lethal", "aggravated")
"""From light to grave."""

CombatAbility = Literal["Archery", "MartialArts", "Melee", "Thrown"]

RANGED: frozenset[str] = frozenset({"Archery", "Thrown"})
"""Abilities whose attacks cannot be parried without a stunt or a charm (3.4, M)."""

Rating = Annotated[int, msgspec.Meta(ge=0, le=SCORE_MAX)]
Signed = Annotated[int, msgspec.Meta(ge=-SCORE_MAX, le=SCORE_MAX)]
Minus = Annotated[int, msgspec.Meta(ge=-SCORE_MAX, le=0)]


class Weapon(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A weapon; `key` is its id in actions.

    `speed` ticks an attack takes, `accuracy` dice, `damage` before Strength (which `adds_strength`) and successes,
    `defense` dots for a parry (None: it cannot parry), `rate` attacks a flurry, `overwhelming` the least damage dice (0:
    none). `is_bare` marks bare hands, `cancels_low_ground` a weapon whose wielder does not mind standing lower.
    """

    key: str
    name: str = ""
    ability: CombatAbility = "Melee"
    speed: Annotated[int, msgspec.Meta(ge=1, le=SPEED_MAX)]
    accuracy: Signed = 0
    damage: Signed = 0
    type: DamageType = "lethal"
    adds_strength: bool = True
    defense: Signed | None = None
    rate: Annotated[int, msgspec.Meta(ge=1, le=SCORE_MAX)] = 1
    overwhelming: Rating = 0
    is_bare: bool = False
    cancels_low_ground: bool = False


class Armor(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Armour: what it soaks and how hard it is by damage type, and its mobility penalty (0 or less)."""

    soak: dict[DamageType, Rating] = {}
    hardness: dict[DamageType, Rating] = {}
    mobility: Minus = 0


class Shield(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A shield: its bonus to both defences, and a mobility penalty of its own (dodge only, ambiguity 1)."""

    bonus: Rating = 0
    mobility: Minus = 0
