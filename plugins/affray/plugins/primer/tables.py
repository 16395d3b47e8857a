"""All tables of the system, once, as they are printed (primer.md, part 1; L123 is a line of the source). Numbers only.

Chances and percentages are in points of a hundred, times in counts (1/5 s, 300 a minute), distances in feet.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from types import MappingProxyType
from typing import Literal, NamedTuple

from affray.kernel import Exact

from .rounding import HALF

COUNTS_PER_MINUTE = 300
"""A count is 1/5 second (part 1, conventions, L225)."""

MINUTES_PER_HOUR = 60

D100 = 100
"""A percentile roll is 1 to 100; the printed 00 is 100 (part 1, conventions, P-79)."""

# -- skills


class RankRow(NamedTuple):
    """What a whole rank gives: speed and action points, damage, and XTR in percent, which nothing uses (P-05)."""

    spd: Exact
    act: Exact
    dam: int
    xtr_pct: int


def _rank(spd_halves: int, dam: int, xtr_pct: int = 0) -> RankRow:
    """Make a row; SPD and ACT are printed alike."""
    return RankRow(Fraction(spd_halves, 2), Fraction(spd_halves, 2), dam, xtr_pct)


RANKS: tuple[RankRow, ...] = (
    _rank(-2, -1, -20),
    _rank(-1, 0, -10),
    _rank(1, 1),
    _rank(2, 1),
    _rank(3, 2),
    _rank(4, 2),
    _rank(5, 3),
    _rank(6, 3),
    _rank(7, 4),
    _rank(8, 4),
    _rank(9, 5),
    _rank(10, 5),
    _rank(11, 6, 10),
    _rank(12, 6, 20),
    _rank(13, 7, 30),
    _rank(14, 7, 40),
    _rank(15, 8, 50),
    _rank(16, 8, 60),
    _rank(17, 9, 70),
    _rank(18, 9, 80),
)
"""Ranks 1 to 20 (1.1, L21-35)."""


class LvfRow(NamedTuple):
    """What a whole rank adds to its pool, and what all ranks up to it add together."""

    each: Exact
    total: Exact


LVF: tuple[LvfRow, ...] = (
    LvfRow(0, 0),
    LvfRow(0, 0),
    LvfRow(HALF, HALF),
    LvfRow(HALF, 1),
    LvfRow(HALF, Fraction(3, 2)),
    LvfRow(HALF, 2),
    LvfRow(HALF, Fraction(5, 2)),
    LvfRow(HALF, 3),
    LvfRow(HALF, Fraction(7, 2)),
    LvfRow(HALF, 4),
    *[LvfRow(1, total) for total in range(5, 15)],
)
"""Ranks 1 to 20 (1.2, L45-65)."""

LevelFactor = Literal["PCF", "MCF", "SCF", "AGF", "DXF", "INF", "KIF", "SKF", "CTF", "DVF", "TCF", "VHF"]


class Factor(NamedTuple):
    """A level factor: its name, the stat a skill of its pool rests on by default (None: none, P-11), and where it exists."""

    name: str
    stat: str | None
    condition: str | None = None


LEVEL_FACTORS: Mapping[LevelFactor, Factor] = MappingProxyType(
    {
        "PCF": Factor("Personal Combat Factor", "STR"),
        "MCF": Factor("Missile Combat Factor", "DEX"),
        "SCF": Factor("Sorcery/Social Control Factor", "AUR"),
        "AGF": Factor("Agility Factor", "AGL"),
        "DXF": Factor("Dexterity Factor", "DEX"),
        "INF": Factor("Intelligence Factor", "INT"),
        "KIF": Factor("Ki Factor", "DRV"),
        "SKF": Factor("Skill Factor", "DSC"),
        "CTF": Factor("Creativity Factor", "DSC"),
        "DVF": Factor("Divinity Factor", None, "divine campaigns only"),
        "TCF": Factor("Technology Factor", "INT", "technological campaigns only"),
        "VHF": Factor("Vehicle Factor", "DEX", "hand-driven vehicles only"),
    }
)
"""The twelve pools (1.2, L69-99)."""

MLF_WEIGHTS: Mapping[LevelFactor, int] = MappingProxyType(
    {"SCF": 1, "KIF": 1, "INF": 1, "SKF": 1, "CTF": 1, "DVF": 2, "TCF": 1}
)
"""The mental level factor is this sum over ten (1.2, L103)."""

PLF_WEIGHTS: Mapping[LevelFactor, int] = MappingProxyType({"PCF": 1, "MCF": 1, "AGF": 1, "DXF": 1, "VHF": 1, "KIF": 1})
"""The physical level factor is this sum over ten (1.2, L105)."""

TERTIARY_DIVISOR = 10

Difficulty = Literal["simple", "easy", "basic", "standard", "challenging", "hard", "difficult"]

DIFFICULTIES: Mapping[Difficulty, int] = MappingProxyType(
    {"simple": 80, "easy": 50, "basic": 25, "standard": 0, "challenging": -25, "hard": -50, "difficult": -80}
)
"""Printed with the sign of a bonus to the chance (1.3, L123-139, P-07)."""

# -- action speed

HALF_COUNT = HALF
"""The speed of two such actions inside one count, each with a roll of its own (1.7, L295, P-34)."""


class Speed(NamedTuple):
    """Counts an action takes, and the action points (AP) this costs in all."""

    counts: Exact
    ap: int


def _speeds(*ap: int) -> tuple[Speed, ...]:
    """Make a column out of its costs: from the base speed down by one count, the last for half a count."""
    counts = [*range(len(ap) - 1, 0, -1), HALF_COUNT]
    return tuple([Speed(count, cost) for count, cost in zip(counts, ap, strict=True)])


ACTION_SPEEDS: Mapping[int, tuple[Speed, ...]] = MappingProxyType(
    {
        14: _speeds(0, 1, 2, 5, 6, 7, 8, 10, 15, 20, 26, 46, 66, 86, 126),
        10: _speeds(0, 2, 4, 6, 8, 10, 18, 26, 46, 66, 106),
        7: _speeds(0, 3, 6, 8, 18, 28, 48, 88),
        4: _speeds(0, 5, 10, 30, 70),
    }
)
"""The printed base speeds: data, since no one rounding gives what stands inside a halving (1.7, L305-335, P-32)."""

SAMPLE_ACTIONS: Mapping[int, str] = MappingProxyType(
    {14: "two-handed long sword", 10: "one-handed long sword or katana; a sorcery", 7: "short sword", 4: "fist"}
)
"""What takes so many counts (1.7, L303)."""


class Halving(NamedTuple):
    """AP to cut the counts in half: of an even number, and of an odd one, whose half is rounded up."""

    even: int
    odd: int


FIRST_HALVING = Halving(10, 8)
"""1.7, L289."""

SECOND_HALVING = Halving(20, 16)
"""On top of the first (1.7, L291)."""

AP_EACH_COUNT = 20
"""Every further count down to one (1.7, L293)."""

AP_HALF_COUNT = 40
"""From one count to half a count (1.7, L295)."""


class Trade(NamedTuple):
    """What one AP is worth in points of chance, in points of damage, and in counts."""

    sc: int
    dam: Exact
    counts: int


SELL = Trade(2, HALF, 1)
"""For a left-over AP; the counts are of passive action (1.7, L299, P-35: points, not a share)."""

BUY = Trade(10, 2, 1)
"""For an AP; the counts are of negative initiative (1.7, L301, P-35)."""

# -- damage

DamageType = Literal[
    "slicing", "chopping", "piercing", "crushing", "ripping", "energy", "projectile", "explosion"
]
AbsorbPool = Literal["PAB", "MAB"]


class Absorption(NamedTuple):
    """A damage type: its printed code, what absorbs it, damage absorbed by a point, and knockback points per half foot."""

    code: str
    pool: AbsorbPool
    rate: Exact
    knockback: int


DAMAGE_TYPES: Mapping[DamageType, Absorption] = MappingProxyType(
    {
        "slicing": Absorption("SL", "PAB", HALF, 15),
        "chopping": Absorption("CH", "PAB", 1, 10),
        "piercing": Absorption("PR", "PAB", Fraction(1, 4), 20),
        "crushing": Absorption("CR", "PAB", 2, 5),
        "ripping": Absorption("RP", "PAB", 1, 10),
        "energy": Absorption("NG", "MAB", 1, 20),
        "projectile": Absorption("PJ", "PAB", Fraction(1, 8), 10),
        "explosion": Absorption("XP", "PAB", Fraction(1, 4), 2),
    }
)
"""The damage types (1.8, L402-418)."""

SOFT_RATE = 4
"""Soft damage absorbed by a point of the pool: four, stated twice, although crushing is two (1.8 step 5, L355, P-44)."""

BLEED_EACH = 10
"""Points of the basis that bleed one point of damage (1.8 step 8, L357)."""

POOL_HURT: Mapping[AbsorbPool, Literal["HTK", "POW"]] = MappingProxyType({"PAB": "HTK", "MAB": "POW"})
"""What damage is taken from, by what absorbs it: energy hurts POW (1.8, L394-400, P-49)."""

Awareness = Literal["aware-defending", "reacting", "undefending", "unaware"]

AWARENESS: Mapping[Awareness, Exact] = MappingProxyType(
    {"aware-defending": 1, "reacting": HALF, "undefending": HALF, "unaware": Fraction(1, 4)}
)
"""What is left of PAB or MAB (1.8, L396); option `unaware_factor` has another reading of the last (P-48)."""

KnockbackLocation = Literal["head", "lower-leg", "other"]

KNOCKBACK_LOCATIONS: Mapping[KnockbackLocation, int] = MappingProxyType({"head": 2, "lower-leg": 2, "other": 1})
"""Factors on knockback (1.8, L345)."""

# -- armour

ArmorClass = Literal["light", "heavy", "structured"]


class Material(NamedTuple):
    """An armour material: protection in the order of DAMAGE_TYPES, and what a whole suit of it takes off AGL, DEF and MVM."""

    name: str
    worn_as: ArmorClass
    protection: tuple[int, ...]
    agl: int
    defense: int
    mvm: int


MATERIALS: tuple[Material, ...] = (
    Material("light-cloth", "light", (1, 0, 0, 0, 0, 1, 0, 0), 0, 0, -1),
    Material("light-leather", "light", (2, 1, 0, 1, 1, 3, 0, 0), -1, -1, -1),
    Material("heavy-cloth", "light", (3, 1, 2, 1, 2, 2, 1, 1), -1, -5, -1),
    Material("heavy-studded-cloth", "light", (4, 2, 2, 1, 3, 3, 2, 2), -2, -5, -2),
    Material("heavy-leather", "light", (5, 3, 3, 3, 3, 4, 2, 2), -2, -10, -1),
    Material("heavy-studded-leather", "light", (6, 4, 3, 3, 4, 5, 3, 3), -3, -10, -2),
    Material("quilted", "light", (6, 5, 3, 5, 4, 4, 3, 3), -6, -10, -2),
    Material("ring-on-heavy-leather", "heavy", (7, 5, 4, 4, 4, 5, 3, 3), -4, -10, -2),
    Material("scale-on-heavy-leather", "heavy", (7, 5, 5, 5, 5, 7, 4, 4), -5, -15, -3),
    Material("splint", "heavy", (7, 3, 6, 5, 4, 4, 4, 4), -4, -5, -3),
    Material("light-chain", "heavy", (8, 4, 2, 1, 4, 4, 3, 3), -2, -10, -2),
    Material("heavy-chain", "heavy", (10, 6, 4, 3, 6, 6, 3, 3), -4, -15, -2),
    Material("light-plate", "structured", (10, 4, 6, 3, 9, 6, 6, 6), -6, -25, -3),
    Material("heavy-plate", "structured", (12, 6, 8, 5, 11, 8, 8, 8), -8, -30, -4),
)
"""A# 1 to 14, in order, odd modifiers as printed (1.11, L422-452, P-77)."""

CRAFT_MAX = 3
"""Most that craft adds to a protection, and never more than its base (1.11, L460)."""

MAGIC_MAX = 5
"""Most that magic adds to a protection, and never more than its base (1.11, L462)."""

LAYERS = 2
"""Most layers at one place, each of another class (1.11, L466)."""

UNFITTED_FACTOR = 2
"""On the modifiers of structured armour that is no fitted suit (1.11, L458)."""

RELIEF: Mapping[str, int] = MappingProxyType({"agl": 5, "def": 2, "mvm": 10})
"""A wearing skill takes its rank over this off each modifier (1.11, L464)."""


class Item(NamedTuple):
    """An armour item: positions covered, points a point of A#, weight a point of A#, and its change of knockback in percent.

    `upper_only` says that the knockback modifier holds for the first range alone (P-54).
    """

    positions: tuple[tuple[int, int], ...]
    points: int
    weight: Exact
    knockback_pct: int
    upper_only: bool = False


ITEMS: Mapping[str, Item] = MappingProxyType(
    {
        "cap": Item(((1, 1),), 2, Fraction(1, 10), -25),
        "great-helm": Item(((1, 6),), 5, HALF, -25),
        "coif": Item(((1, 4),), 4, Fraction(3, 10), -25),
        "half-helm": Item(((1, 3),), 3, Fraction(3, 10), -25),
        "camail": Item(((4, 4),), 2, Fraction(1, 10), -25),
        "nasel": Item(((6, 6),), 2, 0, -25),
        "cheekplates": Item(((5, 5),), 2, Fraction(1, 10), -25),
        "byrnie": Item(((11, 39), (54, 81)), 3, Fraction(6, 5), -10, upper_only=True),
        "habergon": Item(((11, 39), (54, 94)), 4, Fraction(5, 2), -10, upper_only=True),
        "haulberk": Item(((11, 47), (54, 94)), 5, 3, -10, upper_only=True),
        "boots": Item(((99, 100),), 3, Fraction(2, 5), -25),
        "gauntlets": Item(((52, 53),), 2, Fraction(1, 5), -25),
        "leggings": Item(((85, 98),), 3, Fraction(11, 10), -10),
        "armings": Item(((40, 51),), 3, Fraction(3, 5), -10),
    }
)
"""The armour items (1.12, L470-500); positions 7 to 10 are bare (P-79)."""

POSITIONS: Mapping[str, tuple[int, int]] = MappingProxyType(
    {
        "head": (1, 6),
        "no-item-covers": (7, 10),
        "upper-body": (11, 39),
        "arms": (40, 51),
        "hands": (52, 53),
        "lower-body": (54, 81),
        "upper-legs": (82, 94),
        "lower-legs": (95, 98),
        "feet": (99, 100),
    }
)
"""What the items let one infer of the missing hit-location chart, which a table has to bring itself (1.12, P-55, P-79)."""

WEAR_STOPPED = HALF
"""Points an item loses by a hit that it stops (1.8, L353)."""

WEAR_THROUGH = 2
"""Points an item loses by a hit that gets through (1.8, L353)."""

# -- system shock

StateName = Literal["no-effect", "dazed", "stunned", "2x-stunned", "unconscious", "comatose", "dead"]
Unit = Literal["counts", "minutes", "hours"]

COUNTS_IN: Mapping[Unit, int] = MappingProxyType(
    {"counts": 1, "minutes": COUNTS_PER_MINUTE, "hours": MINUTES_PER_HOUR * COUNTS_PER_MINUTE}
)
"""Counts in a unit of duration."""


class ShockState(NamedTuple):
    """A state: the final SL that brings it, and what it does to every action, to INIT and to the owner's damage (WDB, P-63).

    It lasts `drive` times DRIVE_COUNTS - DRV counts, or where that is 0 as long as a die says, in `unit`.
    """

    sl: int
    action: int
    init: int
    wdb: int
    drive: int = 0
    unit: Unit = "counts"
    can_act: bool = True


STATES: Mapping[StateName, ShockState] = MappingProxyType(
    {
        "no-effect": ShockState(1, 0, 0, 0),
        "dazed": ShockState(0, -15, 4, -2, drive=1),
        "stunned": ShockState(-1, -30, 8, -4, drive=2),
        "2x-stunned": ShockState(-2, -60, 16, -8, drive=4),
        "unconscious": ShockState(-3, 0, 0, 0, unit="minutes", can_act=False),
        "comatose": ShockState(-4, 0, 0, 0, unit="hours", can_act=False),
        "dead": ShockState(-5, 0, 0, 0, unit="minutes", can_act=False),
    }
)
"""From the mildest to the worst; the first holds for every SL above, the last for every SL below (1.9, L520-534, P-69)."""

DRIVE_COUNTS = 40
"""What DRV is taken off in the duration of the three states that leave somebody able to act (1.9, L524-528)."""

Exertion = Literal["heavy", "light", "resting"]

EXERTION: Mapping[Exertion, int] = MappingProxyType({"heavy": -1, "light": 0, "resting": 2})
"""SL on repeated rolls over time, never at the moment of the wound (1.9, L510-516, P-62)."""
