"""Every value that follows from a sheet, with the rows that explain it; and the pools a combatant brings (primer.md, 1.2, 1.6, 1.11 to 1.14).

A value that a sheet pins is that value, with the reason as the source of its row. What armour takes off is part of DEF, MVM and the AGL
save, and of a stat base that uses AGL, and of nothing else (P-80).
"""

from __future__ import annotations

from collections.abc import Iterator

from affray.kernel import Derived, Exact, InputError, Num, Pool, Row, exact, number

from .armour import ModifierName, modifier_rows, wearing_rank
from .chance import success_chance
from .derived import SAVES, SPEEDS, VALUES, Name, mana
from .derived import rows as formula_rows
from .gear import arm_of, armor_rows, suit
from .initiative import initiative
from .options import PrimerOptions
from .pack import HitArea, body_rows
from .ranks import dam_bonus, tertiary_rows
from .rows import SHEET, negated, points, rows_of
from .sheet import STATS, WEARING, PinName, Sheet
from .tables import DAMAGE_TYPES, LEVEL_FACTORS, ArmorClass

ACT = "act"
"""The pool of action points."""

MANA = "mana"
"""The pool of mana that is held; it begins with what is always around, and ends at the spell limit (1.14, L720)."""

HTK, POW = "htk", "pow"
"""The pools that damage is taken from: what is left, below 0 where more was taken than there was."""

AREA = "area-"
"""Begins the name of the pool of an area: what is left of its HTK."""

WEAR = "wear-"
"""Begins the name of the pool of a piece of armour: its points left (option `armor_wear`)."""

ARMOR_OF: dict[str, tuple[ModifierName, int]] = {"DEF": ("def", 1), "MVM": ("mvm", 1), "AGL": ("agl", 4)}
"""Values that armour is part of: which modifier, and how often (the AGL save has 4 AGL)."""

MODIFIERS: dict[PinName, ModifierName] = {"AGL_mod": "agl", "DEF_mod": "def", "MVM_mod": "mvm"}


def pinned_rows(sheet: Sheet, name: str) -> tuple[Row, ...] | None:
    """The row of a pinned value; None where it is not pinned."""
    for pinned, pin in sheet.pinned.items():
        if pinned == name:
            return (Row("pinned", pin.value, pin.reason),)
    return None


def value_rows(sheet: Sheet, name: Name) -> tuple[Row, ...]:
    """Explain a save, a derived value or a speed: pinned, or by its formula and what armour takes off."""
    pinned = pinned_rows(sheet, name)
    if pinned is not None:
        return pinned
    rows = formula_rows(name, sheet.traits())
    if name not in ARMOR_OF:
        return rows
    modifier, times = ARMOR_OF[name]
    return (*rows, *rows_of(SHEET, ("armor", times * points(armor_mod_rows(sheet, modifier)))))


def value(sheet: Sheet, name: Name) -> Exact:
    """Give a save, a derived value or a speed."""
    return points(value_rows(sheet, name))


def armor_mod_rows(sheet: Sheet, name: ModifierName) -> tuple[Row, ...]:
    """Explain what worn armour takes off AGL, DEF or MVM, less what the better wearing skill relieves (P-75)."""
    pin: PinName = "AGL_mod" if name == "agl" else "DEF_mod" if name == "def" else "MVM_mod"
    pinned = pinned_rows(sheet, pin)
    if pinned is not None:
        return pinned
    layers = suit(sheet.worn)
    ranks: dict[ArmorClass, Exact] = {worn_as: sheet.rank(skill) for worn_as, skill in WEARING.items()}
    return modifier_rows(name, layers, skill_rank=wearing_rank(layers, ranks), is_fitted=sheet.fitted)


def stats_of(sheet: Sheet, skill: str) -> list[Exact]:
    """Give the stats of a skill's base; AGL with what armour takes off it (P-80)."""
    return [
        sheet.stat(name) + (points(armor_mod_rows(sheet, "agl")) if name == "AGL" else 0) for name in sheet.stats_of(skill)
    ]


def factor(sheet: Sheet, skill: str) -> Exact:
    """Give the level factor that helps a skill."""
    code = sheet.factor_of(skill)
    return 0 if code is None else points(sheet.factor_rows(code))


def speed(sheet: Sheet, skill: str) -> Exact:
    """Give the speed that a skill reacts with."""
    return value(sheet, "SPD_physical" if sheet.kind_of(skill) == "physical" else "SPD_mental")


# -- bodies


def htk_rows(sheet: Sheet, options: PrimerOptions) -> tuple[Row, ...] | None:
    """Explain HTK: stated, or by the pack's formula; None where it is missing."""
    if sheet.HTK is not None:
        return rows_of(SHEET, ("HTK", exact(sheet.HTK)))
    return None if options.pack.htk is None else body_rows(options.pack.htk, _stats(sheet))


def pow_rows(sheet: Sheet, options: PrimerOptions) -> tuple[Row, ...] | None:
    """Explain POW: stated, or by the pack's formula; None where it is missing."""
    if sheet.POW is not None:
        return rows_of(SHEET, ("POW", exact(sheet.POW)))
    return None if options.pack.pow is None else body_rows(options.pack.pow, _stats(sheet))


def _stats(sheet: Sheet) -> list[tuple[str, Num]]:
    return [(name, getattr(sheet, name)) for name in (*STATS, "BLD")]


def area_rows(sheet: Sheet, area: HitArea, options: PrimerOptions) -> tuple[Row, ...] | None:
    """Explain the HTK of an area: stated, or the pack's share of all; None where it is missing."""
    stated = sheet.area_HTK.get(area.area)
    if stated is not None:
        return rows_of(SHEET, (area.area, exact(stated)))
    whole = htk_rows(sheet, options)
    if area.htk_share is None or whole is None:
        return None
    return rows_of("pack", ("share", points(whole) * exact(area.htk_share)))


def pools(sheet: Sheet, options: PrimerOptions) -> dict[str, Pool]:
    """List the pools a combatant brings. Raises InputError for a weapon without its numbers and for an HTK or POW of 0 or less."""
    for index, weapon in enumerate(sheet.weapons):
        try:
            arm_of(weapon, options)
        except InputError as error:
            raise InputError(error.problem, path=f"$.weapons[{index}]{error.path[1:]}", value=error.value) from None
    found: dict[str, Pool] = {}
    for name, rows in ((HTK, htk_rows(sheet, options)), (POW, pow_rows(sheet, options))):
        if rows is not None:
            found[name] = _body(points(rows), f"$.{name.upper()}")
    for area in options.pack.areas:
        rows = area_rows(sheet, area, options)
        if rows is not None and HTK in found:
            found[AREA + area.area] = _body(points(rows), f"$.area_HTK.{area.area}")
    found[ACT] = Pool(start=0, low=None)
    limit = value(sheet, "SPL")
    if limit > 0:
        found[MANA] = Pool(start=number(mana(limit).ambient), high=number(limit))
    if options.armor_wear:
        found |= {WEAR + one.item: Pool(start=number(one.points), high=number(one.points)) for one in sheet.worn}
    return found


def _body(most: Exact, path: str) -> Pool:
    if most <= 0:
        raise InputError("must be above 0", path=path, value=number(most))
    return Pool(start=number(most), low=None, high=number(most))


# -- all of it


def derive(sheet: Sheet, options: PrimerOptions) -> Iterator[Derived]:
    """List every value that follows from a sheet."""
    traits = sheet.traits()
    for code in LEVEL_FACTORS:
        if rows := sheet.factor_rows(code):
            yield _derived(code, rows)
    for three in ("MLF", "PLF", "TLF"):
        yield _derived(three, tertiary_rows(three, traits.pools))
    for name in SPEEDS:
        yield _derived(name, value_rows(sheet, name))
    yield from _bodies(sheet, options)
    yield from _armor(sheet, options)
    for save in SAVES:
        yield _derived(f"{save}_save", value_rows(sheet, save))
    for other in VALUES:
        yield _derived(other, value_rows(sheet, other))
    draw, ambient = mana(value(sheet, "SPL"))
    yield _derived("mana-a-count", rows_of(SHEET, ("SPL", draw)))
    yield _derived("mana-around", rows_of(SHEET, ("SPL", ambient)))
    for skill in sheet.reactions:
        yield from _skill(sheet, skill, options)


def _derived(code: str, rows: tuple[Row, ...]) -> Derived:
    return Derived(code=code, value=number(points(rows)), trace=rows)


def _bodies(sheet: Sheet, options: PrimerOptions) -> Iterator[Derived]:
    for code, rows in (("HTK", htk_rows(sheet, options)), ("POW", pow_rows(sheet, options))):
        if rows is not None:
            yield _derived(code, rows)
    for area in options.pack.areas:
        rows = area_rows(sheet, area, options)
        if rows is not None:
            yield _derived(f"HTK-{area.area}", rows)


def _armor(sheet: Sheet, options: PrimerOptions) -> Iterator[Derived]:
    """What armour takes off, weighs and has left, and what each piece protects at the first place it covers."""
    if not sheet.worn:
        return
    for pin, name in MODIFIERS.items():
        yield _derived(pin, armor_mod_rows(sheet, name))
    yield _derived("encumbrance", rows_of(SHEET, *[(one.item, one.encumbrance) for one in sheet.worn]))
    for one in sheet.worn:
        yield _derived(f"{one.item}-points", rows_of(SHEET, (one.item, one.points)))
        for kind in DAMAGE_TYPES:
            rows = tuple([row for row in armor_rows((one,), one.first_position, kind, options) if row.amount])
            if rows:
                yield _derived(f"{one.item}-{kind}", rows)


def _skill(sheet: Sheet, skill: str, options: PrimerOptions) -> Iterator[Derived]:
    """The chance of a skill where nothing hinders, what it adds to INIT and ACT, and its DAM."""
    rank, secondary = sheet.rank(skill), sheet.secondary_ranks(skill)
    chance = success_chance(
        stats=stats_of(sheet, skill), rank=rank, lvf=factor(sheet, skill), options=options, secondary_ranks=secondary
    )
    yield _derived(f"{skill}-chance", chance.rows)
    printed = sheet.skills[skill].lvf_spd
    quick = initiative(
        spd=speed(sheet, skill),
        lvf=factor(sheet, skill),
        rank=rank,
        dice=(1, 1),
        options=options,
        secondary_ranks=secondary,
        lvf_spd=None if printed is None else exact(printed),
    )
    yield _derived(f"{skill}-INIT", negated([row for row in quick.init_rows if row.code != "dice"]))
    yield _derived(f"{skill}-ACT", tuple([row for row in quick.act_rows if row.code != "excess"]))
    yield _derived(f"{skill}-DAM", rows_of(SHEET, ("rank", dam_bonus(rank, options))))
