"""The Defense Value, steps A to F (exalted.md, part 1; seed, Calculation Order).

    A base -> B inapplicability -> C mundane modifiers -> D magic that is no charm (X) -> E charms and their cap -> F round

Fractions are kept from the halving of A to the rounding of F. Every number is a row whose code begins with its step
("A-dexterity", "E-cap") and whose amount is in points, so that the rows up to a step add up to the value after it. A
step in which nothing happens has the row "<step>-unchanged".
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from typing import Annotated, Literal, NamedTuple

import msgspec

from affray.kernel import Exact, Num, Row, exact, is_number, number, total

from .beings import Rounding
from .bounds import EFFECTS_MAX, FACTORS_MAX, SCORE_MAX
from .charms import CharmRow, MagicRow, Op, Penalty, SetRow, Who
from .options import Options
from .rows import HERE, RULE, SHEET
from .sheet import SPECIALTIES_MAX

ESSENCE_COUNTS_FROM = 2
"""Essence counts wholly from here, not at all below, and never for a parry (1 A)."""

STUNT_MAX = 3
"""Most stunt dice; the rule's own maximum, there is no cap beside it (ambiguity 4)."""

WILLPOWER_DICE = 2
"""What a Willpower point adds to the sum of A in place of a Virtue (1 A, ambiguities 3 and 26)."""

WILLPOWER_POINTS = 1
"""The same as points in step C, where Virtue dice count there (part 2, V12)."""

Dots = Annotated[int, msgspec.Meta(ge=0, le=SCORE_MAX)]
Signed = Annotated[int, msgspec.Meta(ge=-SCORE_MAX, le=SCORE_MAX)]
Minus = Annotated[int, msgspec.Meta(ge=-SCORE_MAX, le=0)]


class Inputs(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Everything a Defense Value is made of (part 6). Penalties are 0 or less and are added.

    `ability` is Dodge for a dodge, the combat Ability for a parry; `cap` is L, None where no cap is in force.
    """

    defense: Literal["dodge", "parry"] = "dodge"
    rounding: Rounding = "up"
    dexterity: Dots = 0
    ability: Dots = 0
    essence: Annotated[int, msgspec.Meta(ge=1, le=SCORE_MAX)] = 1
    weapon_defense: Signed = 0
    specialties: Dots = 0
    wound: Minus = 0
    mobility: Minus = 0
    shield_mobility: Minus = 0
    stunt_dice: Annotated[int, msgspec.Meta(ge=0, le=STUNT_MAX)] = 0
    virtue_dice: Dots = 0
    willpower: bool = False
    bracers: Dots = 0
    adj_other: Signed = 0
    inapplicable: bool = False
    action: Minus = 0
    onslaught: Minus = 0
    terrain: Signed = 0
    ground: Signed = 0
    ground_exempt: bool = False
    shield: Dots = 0
    cover: Dots = 0
    c_other: Signed = 0
    ignore: tuple[Penalty, ...] = ()
    magic: tuple[MagicRow, ...] = ()
    charms: tuple[CharmRow, ...] = ()
    cap: Num | None = None
    sets: tuple[SetRow, ...] = ()
    stunt_successes: Dots = 0
    virtue_successes: Dots = 0

    def __post_init__(self) -> None:
        if self.virtue_dice and self.willpower:
            raise ValueError("virtue_dice and willpower exclude each other (ambiguity 3)")
        if self.cap is not None and not (is_number(self.cap) and exact(self.cap) >= 0):
            raise ValueError(f'cap must be 0 or more, whole or "p/q", got {self.cap!r}')
        ops = [*[row.op for row in self.magic], *[row.op for row in self.charms]]
        if len([op for op in ops if op != "add"]) > FACTORS_MAX:
            raise ValueError(f"magic and charms have more than {FACTORS_MAX} factors")
        if len(ops) > EFFECTS_MAX:
            raise ValueError(f"magic and charms have more than {EFFECTS_MAX} rows")

    def penalty(self, name: Penalty) -> int:
        """Give a modifier, 0 where it is a penalty that a charm ignores (ambiguities 9 and 10)."""
        amount: int = getattr(self, name)
        return 0 if amount < 0 and name in self.ignore else amount


class Value(NamedTuple):
    """The value after every step. `pool` is the sum of A in dice; `L` is None where no cap is in force."""

    A: Exact
    B: Exact
    C: Exact
    X: Exact
    raw: Exact
    Y: Exact
    L: Exact | None
    capped: bool
    E: Exact
    F: Exact
    dv: int
    pool: Exact
    trace: tuple[Row, ...]


def defense_value(given: Inputs, options: Options) -> Value:
    """Work out a Defense Value, step by step."""
    limit = None if given.cap is None else exact(given.cap)
    base = [*base_rows(given, options)]
    base += charm_dice(given, limit, base) if options.cap_model == "dice" else []
    a = points(base)
    lost = [Row("B-inapplicable", number(-a), RULE)] if given.inapplicable and a > 0 else []
    b = a + points(lost)
    mundane = [*mundane_rows(given, options)]
    c = b + points(mundane)
    magic = [*magic_rows(given.magic, c)]
    x = c + points(magic)
    charms = [*charm_rows(given.charms, x, options)]
    raw = x + points(charms)
    cut = cap_rows(raw - x, limit, given, options)
    e = raw + points(cut)
    floor = set_rows(given.sets, e)
    floor += floor_rows(e + points(floor), given, options)
    f = e + points(floor)
    dv = rounded(f, given.rounding)
    end = [Row(f"F-rounded-{given.rounding}", number(dv - f), RULE)] if dv != f else []
    steps = {"A": base, "B": lost, "C": mundane, "D": magic, "E": charms + cut, "F": floor + end}
    return Value(
        A=a,
        B=b,
        C=c,
        X=x,
        raw=raw,
        Y=raw - x,
        L=limit,
        capped=any(row.code in ("A-cap", "E-cap") for row in base + cut),
        E=e,
        F=f,
        dv=dv,
        pool=2 * a,
        trace=tuple([row for step, rows in steps.items() for row in rows or [Row(f"{step}-unchanged", 0, RULE)]]),
    )


def points(rows: Iterable[Row]) -> Exact:
    """Add up rows."""
    return total(row.amount for row in rows)


# -- A


def base_rows(given: Inputs, options: Options) -> Iterator[Row]:
    """Step A: traits, and what counts like dice. Two of them are one point, so every row is a half."""
    for code, dice in (
        ("dexterity", given.dexterity),
        ("ability", given.ability),
        *_by_defense(given, options),
        ("specialties", min(given.specialties, SPECIALTIES_MAX)),
        *_adjustments(given, options),
    ):
        if dice:
            yield Row(f"A-{code}", number(Fraction(dice, 2)), HERE if code in _FROM_THE_FIGHT else SHEET)


_FROM_THE_FIGHT = frozenset({"wound", "stunt", "virtue", "willpower", "other"})


def _by_defense(given: Inputs, options: Options) -> Iterator[tuple[str, int]]:
    """What only one of the two defences has: a shield's mobility is here, whichever of shield and cover counts (ambiguity 1)."""
    if given.defense == "parry":
        yield "weapon-defense", given.weapon_defense
        if options.bracers_on_parry:
            yield "bracers", given.bracers
        return
    yield "essence", given.essence if given.essence >= ESSENCE_COUNTS_FROM else 0
    yield "bracers", given.bracers
    if options.mobility_mode == "half":
        yield "mobility", given.penalty("mobility")
        yield "shield-mobility", given.penalty("shield_mobility")


def _adjustments(given: Inputs, options: Options) -> Iterator[tuple[str, int]]:
    """What both have."""
    if options.wound_mode == "half":
        yield "wound", given.penalty("wound")
    if options.stunt_mode == "flat_half":
        yield "stunt", given.stunt_dice
    if options.virtue_mode == "flat_half":
        yield "virtue", given.virtue_dice
        yield "willpower", WILLPOWER_DICE if given.willpower else 0
    yield "other", given.adj_other


def charm_dice(given: Inputs, limit: Exact | None, base: Sequence[Row]) -> list[Row]:
    """Own and allied fixed charms as dice in the sum, at most 2L of them together (option `cap_model`, V06 to V08).

    2n dice are n points, so the rows are the charms' own values.
    """
    rows = [
        Row(f"A-{row.who}-{row.code}", row.value, row.source)
        for row in in_order(given.charms)
        if row.op == "add" and row.who != "enemy"
    ]
    if limit is None:
        return rows
    over = points(rows) - limit
    rows.append(Row("A-limit", 0, cap_source(given)))
    return [*rows, Row("A-cap", number(-over), RULE)] if over > 0 else rows


# -- C


def mundane_rows(given: Inputs, options: Options) -> Iterator[Row]:
    """Step C: whole points, straight onto the value."""
    better = "cover" if given.cover > given.shield else "shield"  # the larger counts, a tie once (ambiguity 7)
    for code, amount in (
        *_direct(given, options),
        ("action", given.penalty("action")),
        ("onslaught", given.penalty("onslaught")),
        ("terrain", given.penalty("terrain")),
        ("ground", _ground(given)),
        ("other", given.penalty("c_other")),
        (better, max(given.shield, given.cover)),
    ):
        if amount:
            yield Row(f"C-{code}", amount, SHEET if code == "shield" else HERE)


def _direct(given: Inputs, options: Options) -> Iterator[tuple[str, int]]:
    """What options move here from the sum of A."""
    if options.wound_mode == "direct":
        yield "wound", given.penalty("wound")
    if options.mobility_mode == "direct" and given.defense == "dodge":
        yield "mobility", given.penalty("mobility")
        yield "shield-mobility", given.penalty("shield_mobility")
    stunt = {"rolled": given.stunt_successes, "flat_whole": given.stunt_dice}
    yield "stunt", stunt.get(options.stunt_mode, 0)
    virtue = {"rolled": given.virtue_successes, "flat_whole": given.virtue_dice}
    yield "virtue", virtue.get(options.virtue_mode, 0)
    if given.willpower and options.virtue_mode in virtue:
        yield "willpower", WILLPOWER_POINTS


def _ground(given: Inputs) -> int:
    """High ground helps; low ground hurts unless the weapon cancels it, and that alone (ambiguity 10)."""
    return 0 if given.ground < 0 and given.ground_exempt else given.penalty("ground")


# -- D and E


def magic_rows(rows: Sequence[MagicRow], before: Exact) -> Iterator[Row]:
    """Step D: fixed amounts, then factors (ambiguity 11)."""
    return apply([("D-", row.op, row.value, row.code, row.source) for row in sorted(rows, key=_magic_order)], before)


def charm_rows(rows: Sequence[CharmRow], before: Exact, options: Options) -> Iterator[Row]:
    """Step E: own, allied, then enemies' fixed amounts, then multipliers, then dividers.

    Under `cap_model` dice own and allied fixed amounts were dice already; factors stay here, read as external.
    """
    counted = [
        row for row in in_order(rows) if options.cap_model == "net_dv" or row.op != "add" or row.who == "enemy"
    ]
    return apply([(f"E-{row.who}-", row.op, row.value, row.code, row.source) for row in counted], before)


def apply(rows: Iterable[tuple[str, Op, Num, str, str]], before: Exact) -> Iterator[Row]:
    """Apply rows of (prefix, op, value, code, source) in the order given; each row's amount is what it changes.

    A negative value is multiplied like any other: doubling makes it worse, halving better (ambiguity 17).
    """
    value = before
    for prefix, op, given, code, source in rows:
        amount = exact(given)
        after = value + amount if op == "add" else value * amount if op == "mul" else Fraction(value) / amount
        yield Row(f"{prefix}{code}", number(after - value), source)
        value = after


def in_order(rows: Sequence[CharmRow]) -> list[CharmRow]:
    """Put charms in the order of step E; equals by value and name, so that listing order is never seen (ambiguity 12)."""
    return sorted(rows, key=_charm_order)


OPS: tuple[Op, ...] = ("add", "mul", "div")
"""All fixed amounts come before all factors, in D and in E: always, so that no order of use can be seen (ambiguities 11
and 12)."""

WHO: tuple[Who, ...] = ("self", "ally", "enemy")
"""The order of fixed amounts in E."""


def _charm_order(row: CharmRow) -> tuple[object, ...]:
    return OPS.index(row.op), WHO.index(row.who), exact(row.value), row.code, row.source


def _magic_order(row: MagicRow) -> tuple[object, ...]:
    return OPS.index(row.op), exact(row.value), row.code, row.source


def cap_rows(change: Exact, limit: Exact | None, given: Inputs, options: Options) -> list[Row]:
    """Cut what charms improve beyond L. Exactly L is not cut, and nothing ever falls below X by it (1 E).

    Y is the net of friend and foe, measured after the factors (ambiguity 16), against one L, the defender's (ambiguity
    15). Where a cap is in force, a row "E-limit" without an amount names L in its source.
    """
    if limit is None or options.cap_model == "dice":
        return []
    rows = [Row("E-limit", 0, cap_source(given))]
    return [*rows, Row("E-cap", number(limit - change), RULE)] if change > limit else rows


def cap_source(given: Inputs) -> str:
    """Name L: the source of what it cuts."""
    return f"L={given.cap}"


# -- F


def set_rows(rows: Sequence[SetRow], before: Exact) -> list[Row]:
    """Set the value after step E, outside the cap: the highest counts, of equals the first by name (ambiguity 18)."""
    if not rows:
        return []
    best = min(rows, key=lambda row: (-exact(row.value), row.code, row.source))
    return [Row(f"F-set-{best.code}", number(exact(best.value) - before), best.source)]


def floor_rows(value: Exact, given: Inputs, options: Options) -> Iterator[Row]:
    """Step F: never below 0; an inapplicable defence is 0 where the option says so (ambiguity 5)."""
    if given.inapplicable and options.inapplicable_is_final:
        if value:
            yield Row("F-inapplicable", number(-value), RULE)
    elif value < 0:
        yield Row("F-floor", number(-value), RULE)


def rounded(value: Exact, rounding: Rounding) -> int:
    """Step F, at last: Exalts up, mortals down; quarters too, never to the nearest (1 F, ambiguity 24)."""
    return -(-value // 1) if rounding == "up" else value // 1
