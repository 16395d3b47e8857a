"""Data that the source lacks and a table brings: hit locations, weapons, critical misses, crippling, wounds, HTK and POW (primer.md, beginning).

A pack is an option of the system, so that a log holds all of it. Whatever a pack leaves out is missing: a rule that needs
it is refused, or says in the log that nobody knows (README.md tells which). Nothing is made up in its place.

A row of a table names its effect by a code, which a transcript reads as words ("drops-the-weapon").
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

import msgspec

from affray.kernel import AffrayError, DicePlan, InputError, Num, Row, Sum, check_id, exact, parse

from .bounds import WSD_MAX, stated
from .rows import SHEET, rows_of
from .tables import D100, DamageType, KnockbackLocation

LIST_MAX = 100
"""Most weapons, areas or rows of one table; most items of one list of a sheet."""

SCORE_MAX = 10_000
"""Largest number of a sheet or pack and of a modifier row, either way: whatever is summed and multiplied stays far inside 2^53."""

DIE_COUNT_MAX = 100
"""Most dice of one weapon."""

DIE_SIDES_MAX = 1000
"""Most sides of a weapon's die."""

EFFECT_MAX = 1000
"""Largest modifier of a wound or of a crippled area, either way."""

PACK = "pack"
"""Source of rows whose number a pack brings."""

Position = Annotated[int, msgspec.Meta(ge=1, le=D100)]
Penalty = Annotated[int, msgspec.Meta(ge=-EFFECT_MAX, le=EFFECT_MAX)]
Measure = Literal["STR", "CON", "AGL", "DEX", "INT", "AUR", "DRV", "DSC", "BLD"]
"""What HTK and POW may be made of."""

Against = Literal["DEF", "MDF", "none"]
"""What of the target lowers the chance."""

Hurts = Literal["HTK", "POW"]


class _Part(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    pass


class HitArea(_Part, frozen=True):
    """An area of the body: its positions on the d100, and its HTK as a share of all (None: a sheet has to state it)."""

    area: str
    positions: Annotated[tuple[tuple[Position, Position], ...], msgspec.Meta(min_length=1, max_length=LIST_MAX)]
    knockback: KnockbackLocation = "other"
    htk_share: Num | None = None

    def __post_init__(self) -> None:
        _id(self.area, "an area")
        for first, last in self.positions:
            if first > last:
                raise ValueError(f"positions {first} to {last} are the wrong way round")
        if self.htk_share is not None and _number(self.htk_share) <= 0:
            raise ValueError(f"htk_share must be above 0, got {self.htk_share}")

    def has(self, position: int) -> bool:
        """Tell whether a position lies in this area."""
        return any(first <= position <= last for first, last in self.positions)


class Arm(_Part, frozen=True):
    """A weapon: damage dice and what is added, its damage types, the counts an action with it takes (WSD).

    `material` and `magic` are its bonuses to damage, `chance` what material, magic and familiarity add to the chance (L145). `skill`
    names the skill it is used with ("": whichever was reacted with). `against` None: MDF of a mental skill, else DEF.
    `hurts` None: POW by energy, else HTK (P-49).
    """

    dice: str
    types: Annotated[tuple[DamageType, ...], msgspec.Meta(min_length=1, max_length=LIST_MAX)]
    wsd: Annotated[int, msgspec.Meta(ge=1, le=WSD_MAX)]
    plus: Num = 0
    material: Num = 0
    magic: Num = 0
    chance: Num = 0
    skill: str = ""
    against: Against | None = None
    hurts: Hurts | None = None

    def __post_init__(self) -> None:
        damage_plan(self.dice)
        for name in ("plus", "material", "magic", "chance"):
            _number(getattr(self, name))


class CriticalMiss(_Part, frozen=True):
    """A row of the table of critical misses: totals up to `upto` (None: all above the row before)."""

    code: str
    upto: int | None = None

    def __post_init__(self) -> None:
        _id(self.code, "a code")


class Crippling(_Part, frozen=True):
    """A row of the crippling table: for damage types (none: all) and a health save of level `sl` or lower, 0 or less.

    `action` is what it costs every action of the crippled.
    """

    code: str
    grade: Literal["minor", "major"]
    sl: Annotated[int, msgspec.Meta(ge=-EFFECT_MAX, le=0)] = 0
    types: Annotated[tuple[DamageType, ...], msgspec.Meta(max_length=LIST_MAX)] = ()
    action: Penalty = 0

    def __post_init__(self) -> None:
        _id(self.code, "a code")


class Wound(_Part, frozen=True):
    """A row of the wound table: from so many quarters of HTK taken, what it costs every action and save (P-92)."""

    quarters: Annotated[int, msgspec.Meta(ge=1, le=EFFECT_MAX)]
    action: Penalty


class Body(_Part, frozen=True):
    """A formula of HTK or POW: a constant and so many times each stat."""

    base: Num = 0
    times: dict[Measure, Num] = {}

    def __post_init__(self) -> None:
        for amount in (self.base, *self.times.values()):
            _number(amount)


class Pack(_Part, frozen=True):
    """What a table brings. Left out means missing.

    `unfamiliar` is what an unfamiliar task costs the untrained (P-10). `title` says whose data it is.
    """

    title: str = ""
    areas: Annotated[tuple[HitArea, ...], msgspec.Meta(max_length=LIST_MAX)] = ()
    weapons: Annotated[dict[str, Arm], msgspec.Meta(max_length=LIST_MAX)] = {}
    critical_misses: Annotated[tuple[CriticalMiss, ...], msgspec.Meta(max_length=LIST_MAX)] = ()
    crippling: Annotated[tuple[Crippling, ...], msgspec.Meta(max_length=LIST_MAX)] = ()
    wounds: Annotated[tuple[Wound, ...], msgspec.Meta(max_length=LIST_MAX)] = ()
    htk: Body | None = None
    pow: Body | None = None
    unfamiliar: Num | None = None

    def __post_init__(self) -> None:
        """Hold the tables together: every position in one area, totals and quarters that ascend. Raises ValueError."""
        _check_chart(self.areas)
        for key in self.weapons:
            _id(key, "a weapon's key")
        ends = [row.upto for row in self.critical_misses]
        if any(end is None for end in ends[:-1]) or ends[:-1] != sorted({end for end in ends[:-1] if end is not None}):
            raise ValueError("critical_misses: totals must ascend, and only the last row may be without one")
        if len(ends) > 1 and ends[-1] is not None and ends[-1] <= (ends[-2] or 0):
            raise ValueError("critical_misses: totals must ascend, and only the last row may be without one")
        rungs = [row.quarters for row in self.wounds]
        if rungs != sorted({*rungs}):
            raise ValueError("wounds: quarters must ascend")
        if self.unfamiliar is not None:
            _number(self.unfamiliar)

    def area_at(self, position: int) -> HitArea | None:
        """The area of a position; None where there is no chart."""
        return next((area for area in self.areas if area.has(position)), None)

    def critical_miss(self, total: int) -> str | None:
        """The effect of a total on the table of critical misses; None where there is no table, or no row so high."""
        return next((row.code for row in self.critical_misses if row.upto is None or total <= row.upto), None)

    def crippled(self, kind: DamageType, sl: int) -> Crippling | None:
        """The worst row that a damage type and a failed health save meet; None where no row is met."""
        met = [row for row in self.crippling if sl <= row.sl and (not row.types or kind in row.types)]
        return min(met, key=lambda row: row.sl, default=None)

    def wound(self, quarters: int) -> int:
        """What so many quarters of HTK cost every action, 0 without a table."""
        return next((row.action for row in reversed(self.wounds) if quarters >= row.quarters), 0)


def damage_plan(dice: str) -> DicePlan:
    """Read damage dice. Raises ValueError for what is no sum of few dice and whole numbers."""
    try:
        plan = parse(dice)
    except AffrayError as error:
        raise ValueError(f"{dice[:40]!r} are no dice: {error}") from None
    if not isinstance(plan.reading, Sum) or "/" in plan.formula:
        raise ValueError(f"damage dice are added up, and not divided: {dice[:40]!r}")
    if sum([term.count for term in plan.terms]) > DIE_COUNT_MAX:
        raise ValueError(f"a weapon has at most {DIE_COUNT_MAX} dice: {dice[:40]!r}")
    if any(term.sides > DIE_SIDES_MAX for term in plan.terms):
        raise ValueError(f"a weapon's die has at most {DIE_SIDES_MAX} sides: {dice[:40]!r}")
    return plan


def body_rows(body: Body, stats: Sequence[tuple[str, Num]]) -> tuple[Row, ...]:
    """Explain HTK or POW by a pack's formula."""
    weights = {str(name): amount for name, amount in body.times.items()}
    terms = [(name, exact(value) * exact(weights.get(name, 0))) for name, value in stats]
    return (*rows_of(PACK, ("base", exact(body.base))), *rows_of(SHEET, *terms))


def _check_chart(areas: Sequence[HitArea]) -> None:
    names = [area.area for area in areas]
    if len({*names}) < len(names):
        raise ValueError("areas: two of the same name")
    covered = sorted([position for area in areas for first, last in area.positions for position in range(first, last + 1)])
    if areas and covered != list(range(1, D100 + 1)):
        wrong = next((at for at in range(1, D100 + 1) if covered.count(at) != 1), 0)
        raise ValueError(f"areas: position {wrong} must lie in exactly one area, it lies in {covered.count(wrong)}")


def _id(name: str, what: str) -> None:
    try:
        check_id(name, what)
    except AffrayError as error:
        raise ValueError(str(error)) from None


def _number(value: Num) -> int:
    """Hold a number of a pack to what a sheet may state; give its sign."""
    try:
        amount = stated(exact(value), "$", -SCORE_MAX, SCORE_MAX)
    except InputError as error:
        raise ValueError(f"{error.problem}, got {value!r}") from None
    return (amount > 0) - (amount < 0)

