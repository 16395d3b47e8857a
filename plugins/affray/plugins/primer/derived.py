"""Saves, derived values and speeds, out of the traits of a character (primer.md, 1.13, 1.14 and 1.6, L502-737).

Every value is a tuple of rows that add up to it, in the order of its formula; nothing is rounded (P-90). A skill counts by its
whole rank. Where the better of two factors counts, the row names the one that does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from typing import Literal, NamedTuple

from affray.kernel import Exact, Row

from .bounds import entry, within
from .initiative import speed_rows
from .ranks import Tertiary, tertiary
from .rounding import trunc
from .rows import RULE, SHEET, points, rows_of
from .traits import Traits

SaveName = Literal["SYS", "AGL", "DEX", "STR", "MAG", "WLP", "INT", "DSC", "HLTH"]
"""System shock and the eight others (P-82)."""

ValueName = Literal["DEF", "OVB", "MAB", "PAB", "MVM", "SPL", "MDF", "MAP"]
"""The derived values, which the document calls secondary skills; THB is abolished (P-12)."""

SpeedName = Literal["SPD_physical", "SPD_mental"]

Name = SaveName | ValueName | SpeedName

Formula = Callable[[Traits, Tertiary], tuple[Row, ...]]
"""What explains a value."""

Term = tuple[str, Exact]
"""A code and what it adds."""

BASE = "base"
"""Code of the constant that takes average stats out of a formula."""


def rows(name: Name, traits: Traits) -> tuple[Row, ...]:
    """Explain a save, a derived value or a speed; what adds nothing is left out."""
    return entry(FORMULAS, name, "$.name")(traits, tertiary(traits.pools))


def value(name: Name, traits: Traits) -> Exact:
    """Give a save (a chance), a derived value or a speed."""
    return points(rows(name, traits))


class Mana(NamedTuple):
    """Mana that can be drawn in a count, and that is always around."""

    draw_per_count: Exact
    ambient: Exact


def mana(spl: Exact) -> Mana:
    """Give the mana of a spell limit: a tenth of it a count, a fifth always there (1.14, L720). SPL itself is held without a roll."""
    within(spl, "$.spl")
    return Mana(_over(spl, 10), _over(spl, 5))


def _over(amount: Exact, divisor: int) -> Fraction:
    """Divide exactly."""
    return Fraction(amount) / divisor


def _skill(traits: Traits, name: str, each: int = 1) -> Term:
    """A skill, by its whole rank."""
    return name, each * trunc(getattr(traits, name))


def _stats(traits: Traits, weights: Mapping[str, int], divisor: int = 1) -> list[Term]:
    """Stats, each so many times, all over the same divisor."""
    return [(stat, _over(getattr(traits, stat) * weight, divisor)) for stat, weight in weights.items()]


def _better(code: str, factor: Exact, total_code: str, total: Exact) -> Term:
    """The better of a level factor and MLF or PLF; of equals the level factor."""
    return (total_code, total) if total > factor else (code, factor)


def _made(terms: Iterable[Term]) -> tuple[Row, ...]:
    """Make rows, constants as the rules' own."""
    return tuple([row for term in terms for row in rows_of(RULE if term[0] == BASE else SHEET, term)])


# -- saves (1.13)


def _sys(t: Traits, three: Tertiary) -> tuple[Row, ...]:
    """KIF + 2 (CON + DRV) + 2 TLF + 5 Resilience (L546)."""
    return _made([("KIF", t.KIF), *_stats(t, {"CON": 2, "DRV": 2}), ("TLF", 2 * three.TLF), _skill(t, "Resilience", 5)])


def _agl(t: Traits, three: Tertiary) -> tuple[Row, ...]:
    """4 AGL + the better of PLF and AGF + 3 Balance + narrow walking + stability (L564)."""
    skills = (_skill(t, "Balance", 3), _skill(t, "NarrowWalk"), _skill(t, "Stability"))
    return _made([*_stats(t, {"AGL": 4}), _better("AGF", t.AGF, "PLF", three.PLF), *skills])


def _dex(t: Traits, three: Tertiary) -> tuple[Row, ...]:
    """4 DEX + the better of PLF and DXF + 3 Catch + throw + grab (L582)."""
    skills = (_skill(t, "Catch", 3), _skill(t, "Throw"), _skill(t, "Grab"))
    return _made([*_stats(t, {"DEX": 4}), _better("DXF", t.DXF, "PLF", three.PLF), *skills])


def _str(t: Traits, three: Tertiary) -> tuple[Row, ...]:
    """4 STR + the better of PLF and PCF + 5 Lifting, a KIF skill in a PCF save as printed (L596, P-89)."""
    return _made([*_stats(t, {"STR": 4}), _better("PCF", t.PCF, "PLF", three.PLF), _skill(t, "Lifting", 5)])


def _mag(t: Traits, three: Tertiary) -> tuple[Row, ...]:
    """2 AUR + 2 DRV + KIF/2 + the better of MLF and SCF + 5 Magic resistance (L610)."""
    factors = (("KIF", _over(t.KIF, 2)), _better("SCF", t.SCF, "MLF", three.MLF))
    return _made([*_stats(t, {"AUR": 2, "DRV": 2}), *factors, _skill(t, "MagResist", 5)])


def _wlp(t: Traits, three: Tertiary) -> tuple[Row, ...]:
    """4 DRV + the better of MLF and KIF + 3 mental resistance, which the formula calls Willpower (L628, P-83)."""
    return _made([*_stats(t, {"DRV": 4}), _better("KIF", t.KIF, "MLF", three.MLF), _skill(t, "Willpower", 3)])


def _int(t: Traits, three: Tertiary) -> tuple[Row, ...]:
    """4 INT + the better of MLF and INF + 3 Memory + 2 cyphering (L642)."""
    skills = (_skill(t, "Memory", 3), _skill(t, "Cypher", 2))
    return _made([*_stats(t, {"INT": 4}), _better("INF", t.INF, "MLF", three.MLF), *skills])


def _dsc(t: Traits, three: Tertiary) -> tuple[Row, ...]:
    """4 DSC + the better of MLF and CTF + 3 Read pattern + sense deception + mental defense (L660)."""
    skills = (_skill(t, "ReadPattern", 3), _skill(t, "SenseDeception"), _skill(t, "MentalDefense"))
    return _made([*_stats(t, {"DSC": 4}), _better("CTF", t.CTF, "MLF", three.MLF), *skills])


def _hlth(t: Traits, three: Tertiary) -> tuple[Row, ...]:
    """4 CON + the better of PLF and KIF - |WGT_DIFF|/5 + resist poison + resist disease (L676); both ways hurt (P-84)."""
    weight = ("WGT_DIFF", -abs(_over(t.WGT_DIFF, 5)))
    skills = (_skill(t, "ResistPoison"), _skill(t, "ResistDisease"))
    return _made([*_stats(t, {"CON": 4}), _better("KIF", t.KIF, "PLF", three.PLF), weight, *skills])


# -- derived values (1.14)


def _def(t: Traits, three: Tertiary) -> tuple[Row, ...]:
    """2 (AGL - BLD) + PCF/4 + AGF/4 - WGT_DIFF/5 + 2 Defense + 2 PCF perception (L684). WGT_DIFF with its sign (P-84)."""
    factors = (("PCF", _over(t.PCF, 4)), ("AGF", _over(t.AGF, 4)), ("WGT_DIFF", -_over(t.WGT_DIFF, 5)))
    return _made([*_stats(t, {"AGL": 2, "BLD": -2}), *factors, _skill(t, "DEF_SKILL", 2), _skill(t, "PCF_Per", 2)])


def _ovb(t: Traits, three: Tertiary) -> tuple[Row, ...]:
    """(WGT - 150)/5 - (HGT - 66) + PCF/2 + AGF/2 (L690). The rows WGT and HGT are what departs from 150 lb and 66 in."""
    size = (("WGT", _over(t.WGT - 150, 5)), ("HGT", 66 - t.HGT))
    return _made([*size, ("PCF", _over(t.PCF, 2)), ("AGF", _over(t.AGF, 2))])


def _mab(t: Traits, three: Tertiary) -> tuple[Row, ...]:
    """(DRV + AUR + DSC + INT - 40)/4 + SCF/20 + KIF/10 + DVF/20 + MLF/2 + aptitude + racial base (L700)."""
    factors = (("SCF", _over(t.SCF, 20)), ("KIF", _over(t.KIF, 10)), ("DVF", _over(t.DVF, 20)), ("MLF", _over(three.MLF, 2)))
    flat = (("MAB_Aptitude", t.MAB_Aptitude), ("Base_MAB_MOD", t.Base_MAB_MOD))
    return _made([*_stats(t, {"DRV": 1, "AUR": 1, "DSC": 1, "INT": 1}, 4), (BASE, -10), *factors, *flat])


def _pab(t: Traits, three: Tertiary) -> tuple[Row, ...]:
    """(2 BLD + CON + STR + AGL - 50)/5 + PCF/5 + AGF/10 + aptitude + racial base; no PLF, as printed (L706)."""
    factors = (("PCF", _over(t.PCF, 5)), ("AGF", _over(t.AGF, 10)))
    flat = (("PAB_Aptitude", t.PAB_Aptitude), ("BASE_PAB_MOD", t.BASE_PAB_MOD))
    return _made([*_stats(t, {"BLD": 2, "CON": 1, "STR": 1, "AGL": 1}, 5), (BASE, -10), *factors, *flat])


def _mvm(t: Traits, three: Tertiary) -> tuple[Row, ...]:
    """(2 AGL + STR - BLD - 30)/10 + (HGT - 24)/10 - (WGT - 150)/50 + AGF/20 + Movement/4 + racial base (L712).

    In feet a count, it seems: an average man comes to 3.6 (P-88).
    """
    size = (("HGT", _over(t.HGT - 24, 10)), ("WGT", -_over(t.WGT - 150, 50)))
    skill = ("MVM_Skill", _over(trunc(t.MVM_Skill), 4))
    flat = (("AGF", _over(t.AGF, 20)), skill, ("BASE_MVM_MOD", t.BASE_MVM_MOD))
    return _made([*_stats(t, {"AGL": 2, "STR": 1, "BLD": -1}, 10), (BASE, -3), *size, *flat])


def _spl(t: Traits, three: Tertiary) -> tuple[Row, ...]:
    """(AUR + DRV - 20)/2 + 3 SCF + 2 DVF + 2 KIF + 5 Control power (L722)."""
    factors = (("SCF", 3 * t.SCF), ("DVF", 2 * t.DVF), ("KIF", 2 * t.KIF))
    return _made([*_stats(t, {"AUR": 1, "DRV": 1}, 2), (BASE, -10), *factors, _skill(t, "Control_Pow", 5)])


def _mdf(t: Traits, three: Tertiary) -> tuple[Row, ...]:
    """NMD, or SCF where it is more (P-86), + KIF + DVF + 2 Magic defense + 2 SCF perception (L728).

    The row SCF is what it has beyond NMD. A bracket too many in the source is dropped (P-85).
    """
    factors = (("NMD", t.NMD), ("SCF", max(0, t.SCF - t.NMD)), ("KIF", t.KIF), ("DVF", t.DVF))
    return _made([*factors, _skill(t, "MDF_Skill", 2), _skill(t, "SCF_Per", 2)])


def _map(t: Traits, three: Tertiary) -> tuple[Row, ...]:
    """(AUR + DSC)/4 + SCF/2 + CTF/2 + DVF/2 + 2 MLF + 5 Sorcery aptitude - 3 Magic resistance (L736; brackets: P-85)."""
    factors = (("SCF", _over(t.SCF, 2)), ("CTF", _over(t.CTF, 2)), ("DVF", _over(t.DVF, 2)), ("MLF", 2 * three.MLF))
    skills = (_skill(t, "Sorcery_Aptitude", 5), _skill(t, "MagResist", -3))
    return _made([*_stats(t, {"AUR": 1, "DSC": 1}, 4), *factors, *skills])


# -- speeds (1.6)


def _spd_physical(t: Traits, three: Tertiary) -> tuple[Row, ...]:
    """By DSC, AGL and PLF."""
    return speed_rows("physical", dsc=t.DSC, other=t.AGL, psm=t.PSM, factor=three.PLF, tlf=three.TLF)


def _spd_mental(t: Traits, three: Tertiary) -> tuple[Row, ...]:
    """By DSC, INT and MLF; PSM all the same (P-23)."""
    return speed_rows("mental", dsc=t.DSC, other=t.INT, psm=t.PSM, factor=three.MLF, tlf=three.TLF)


SAVES: Mapping[SaveName, Formula] = {
    "SYS": _sys,
    "AGL": _agl,
    "DEX": _dex,
    "STR": _str,
    "MAG": _mag,
    "WLP": _wlp,
    "INT": _int,
    "DSC": _dsc,
    "HLTH": _hlth,
}
"""The saves; the value is the chance."""

VALUES: Mapping[ValueName, Formula] = {
    "DEF": _def,
    "OVB": _ovb,
    "MAB": _mab,
    "PAB": _pab,
    "MVM": _mvm,
    "SPL": _spl,
    "MDF": _mdf,
    "MAP": _map,
}
"""The derived values."""

SPEEDS: Mapping[SpeedName, Formula] = {"SPD_physical": _spd_physical, "SPD_mental": _spd_mental}

FORMULAS: Mapping[Name, Formula] = dict([*SAVES.items(), *VALUES.items(), *SPEEDS.items()])
"""Every formula by its name."""
