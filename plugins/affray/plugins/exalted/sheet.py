"""The sheet of a combatant: what it holds, what is wrong with it, and the pools it brings (exalted.md, 1 and 3.4).

The game's own terms:

- dots: the rating of a trait (Attribute, Ability, Essence, Virtue). Two dots, or two dice, are worth one point of DV.
- Defense Value (DV): successes that a dodge or a parry takes off an attack.
- charm: a supernatural power of its owner; artifact: magic that is none.
- motes: what charms cost. L, here `cap`: the most by which charms may improve a DV, in points.
- soak: damage taken off each hit; Hardness: raw damage that does no harm at all.
- stunt: a described action, worth 1 to 3 dice by the table's word.
- extra: a nameless fighter with few health levels, who neither rolls damage taken nor doubles 10s.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Annotated, Literal

import msgspec

from affray.kernel import Exact, InputError, Num, Pool, Row, check_id, exact, is_number, number, total

from .beings import BEINGS, EXTRA_TRACK, TRACK, Kind, Rounding
from .bounds import COUNTERS_MAX, EFFECTS_MAX, FACTORS_MAX, LEVELS_MAX, LIST_MAX, SCORE_MAX
from .charms import Artifact, Charm
from .gear import DAMAGE_TYPES, Armor, Minus, Rating, Shield, Weapon
from .rows import SHEET

Ability = Literal[
    "Archery", "Athletics", "Awareness", "Dodge", "MartialArts", "Melee", "Resistance", "Thrown", "War"
]
Virtue = Literal["compassion", "conviction", "temperance", "valor"]

Dots = Annotated[int, msgspec.Meta(ge=0, le=SCORE_MAX)]

JOIN_BATTLE = "join-battle"
"""The pool that remembers the successes with which somebody joined battle."""

PLACE = "place"
"""The pool that holds somebody's rank among those who act on the same tick (`clock.py`)."""

MOTES = "motes"
WILLPOWER = "willpower"
CHANNELS = "channels-"
"""Prefix of the pool of channels left of a Virtue."""

CHANNELS_EACH = 1
"""Channels a Virtue has for each of its dots ([own]; the page says: limited)."""

SPECIALTIES_MAX = 3
"""Specialty dots that count (1 A)."""

NO_CAP = "none"
"""What a sheet states as `cap` where no cap is in force: a statement, not an unknown."""


class Sheet(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A combatant. Dots are 0 or more, penalties 0 or less.

    `rounding` None takes what is usual for `being`. `cap` is L in points, "none" for no cap, None for the preset of
    `being`, where there is one. `health` lists the wound penalties of the levels before Incapacitated (None: the usual
    track).
    """

    being: Kind
    rounding: Rounding | None = None
    is_extra: bool = False
    strength: Dots = 1
    dexterity: Dots = 1
    stamina: Dots = 1
    charisma: Dots = 1
    wits: Dots = 1
    essence: Annotated[int, msgspec.Meta(ge=1, le=SCORE_MAX)] = 1
    abilities: dict[Ability, Dots] = {}
    specialties: dict[Ability, Dots] = {}
    virtues: dict[Virtue, Dots] = {}
    motes: Rating = 0
    willpower: Rating = 0
    weapons: Annotated[tuple[Weapon, ...], msgspec.Meta(max_length=LIST_MAX)] = ()
    armor: Armor = Armor()
    shield: Shield = Shield()
    bracers: Rating = 0
    artifacts: Annotated[tuple[Artifact, ...], msgspec.Meta(max_length=LIST_MAX)] = ()
    charms: Annotated[tuple[Charm, ...], msgspec.Meta(max_length=LIST_MAX)] = ()
    cap: Num | None = None
    health: Annotated[tuple[Minus, ...], msgspec.Meta(max_length=LEVELS_MAX)] | None = None

    @property
    def rounds(self) -> Rounding:
        """How its Defense Values round."""
        return self.rounding or BEINGS[self.being].rounding

    @property
    def track(self) -> tuple[int, ...]:
        """The wound penalties of its health levels before Incapacitated."""
        if self.health is not None:
            return self.health
        return EXTRA_TRACK if self.is_extra else TRACK

    def ability(self, name: str) -> int:
        """Dots of an Ability, 0 where it has none (ambiguity 25: no further penalty)."""
        return next((dots for known, dots in self.abilities.items() if known == name), 0)

    def specialty(self, name: str) -> int:
        """Dots of a specialty of an Ability, all of them."""
        return next((dots for known, dots in self.specialties.items() if known == name), 0)

    def weapon(self, key: str) -> Weapon | None:
        """The weapon of that key; None where none is owned."""
        return next((weapon for weapon in self.weapons if weapon.key == key), None)

    def charm(self, key: str) -> Charm | None:
        """The charm of that key; None where none is owned."""
        return next((charm for charm in self.charms if charm.key == key), None)

    @property
    def on_dv(self) -> tuple[str, ...]:
        """List what artifacts and own charms can do to a Defense Value, one operation each."""
        own = [charm for charm in self.charms if charm.use != "attack"]
        effects = [effect.op for charm in own for effect in charm.effects * charm.times if effect.on == "dv"]
        return (*[artifact.op for artifact in self.artifacts], *effects)

    @property
    def knows_cap(self) -> bool:
        """Whether L is known, so that charms may act on its Defense Values (ambiguity 14: never a silent guess)."""
        return self.cap is not None or BEINGS[self.being].cap is not None

    def limit(self, ability: str) -> Exact | None:
        """Give L for a defence with an Ability, in points; None where no cap is in force, or none is known."""
        rows = self.limit_rows(ability)
        return None if rows is None else total(row.amount for row in rows)

    def limit_rows(self, ability: str) -> tuple[Row, ...] | None:
        """List what L is made of: half of the usual dice limit (1 E), so that each part counts half.

        A preset is used only where the sheet states nothing.
        """
        if self.cap is not None:
            return None if self.cap == NO_CAP else (Row("cap", self.cap, SHEET),)
        match BEINGS[self.being].cap:
            case "attribute+ability":
                return halves(dexterity=self.dexterity, **{ability: self.ability(ability)})
            case "ability+specialty":
                specialty = min(self.specialty(ability), SPECIALTIES_MAX)
                return halves(**{ability: self.ability(ability)}, specialty=specialty)
            case "dexterity":
                return halves(dexterity=self.dexterity)
            case "essence":
                return halves(essence=self.essence)
        return None


def halves(**dots: int) -> tuple[Row, ...]:
    """Make rows of which each is worth half its dots."""
    return tuple([Row(code, number(Fraction(value, 2)), SHEET) for code, value in dots.items()])


def pools(sheet: Sheet) -> dict[str, Pool]:
    """List the pools a combatant brings: damage by type (counting up), motes, Willpower, channels, places in time."""
    return {
        **{kind: Pool(start=0, damage=1) for kind in DAMAGE_TYPES},
        MOTES: Pool(start=sheet.motes, high=sheet.motes),
        WILLPOWER: Pool(start=sheet.willpower),
        **{CHANNELS + virtue: Pool(start=dots * CHANNELS_EACH) for virtue, dots in sorted(sheet.virtues.items())},
        JOIN_BATTLE: Pool(start=0),
        PLACE: Pool(start=0, low=None),
    }


def problems(sheet: Sheet) -> Iterator[tuple[str, str]]:
    """Find what is wrong with a sheet whose types are right, as (path, problem)."""
    for name, keys in (
        ("weapons", [weapon.key for weapon in sheet.weapons]),
        ("artifacts", [artifact.key for artifact in sheet.artifacts]),
        ("charms", [charm.key for charm in sheet.charms]),
    ):
        for index, key in enumerate(keys):
            path = f"$.{name}[{index}].key"
            try:
                check_id(key, "a key", path)
            except InputError as error:
                yield path, error.problem
            if key in keys[:index]:
                yield path, f"another of the {name} has the key {key!r} already"
    if sheet.cap is not None and sheet.cap != NO_CAP and not (is_number(sheet.cap) and exact(sheet.cap) >= 0):
        yield "$.cap", f'must be 0 or more, whole or "p/q", or {NO_CAP!r}; got {sheet.cap!r}'
    if len([op for op in sheet.on_dv if op in ("mul", "div")]) > FACTORS_MAX:
        yield "$.charms", f"more than {FACTORS_MAX} factors on a DV, artifacts included"
    if len(sheet.on_dv) > EFFECTS_MAX:
        yield "$.charms", f"more than {EFFECTS_MAX} effects on a DV, artifacts included"
    for index, penalty in enumerate(sheet.track[1:], 1):
        if penalty > sheet.track[index - 1]:
            yield f"$.health[{index}]", f"must not be lighter than the level before, got {penalty}"
    counters = len([charm for charm in sheet.charms if charm.use == "counterattack"])
    if counters * len(sheet.weapons) > COUNTERS_MAX:
        yield "$.charms", f"more than {COUNTERS_MAX} ways to strike back"
    if not sheet.knows_cap:
        for index, charm in enumerate(sheet.charms):
            if charm.use != "attack" and charm.is_on_dv:
                yield "$.cap", f"must be stated: a {sheet.being} has no preset for L, and charms[{index}] acts on a DV"
                return
