"""The numbers of a character that the formulas use (primer.md, part 5, Sheets): stats, level factors, ranks, flat values.

Names are the document's, stats and level factors in capitals. Level factors are totals that hold the listed skills already. The
pools HTK and POW have no formula in the document; a sheet states them elsewhere.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from affray.kernel import Exact, InputError, Num, exact

from .bounds import ranked, stated
from .tables import LEVEL_FACTORS, LevelFactor

PSM_HUMAN = -5
"""Physical speed modifier of humans and most races (1.6, L249); elves have -3."""

NMD_HUMAN = 20
"""Natural magical defense of humans (1.14, L730)."""


class Traits(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A character in numbers; what is not given is 0, but PSM and NMD are human.

    Stats are about 10. BLD is the build, a stat that only formulas use (P-87). HGT is in inches and WGT in pounds; WGT_DIFF is
    the pounds above (+) or below (-) the ideal weight, which the table knows (P-84). Sorcery_Aptitude is a rank, the other aptitudes
    and racial bases are added as they are.

    Raises InputError for a number that is out of bounds, no int or Fraction, or has more than two digits after the point.
    """

    STR: Exact = 0
    CON: Exact = 0
    AGL: Exact = 0
    DEX: Exact = 0
    INT: Exact = 0
    AUR: Exact = 0
    DRV: Exact = 0
    DSC: Exact = 0
    BLD: Exact = 0
    HGT: Exact = 0
    WGT: Exact = 0
    WGT_DIFF: Exact = 0
    PSM: Exact = PSM_HUMAN
    NMD: Exact = NMD_HUMAN

    PCF: Exact = 0
    MCF: Exact = 0
    SCF: Exact = 0
    AGF: Exact = 0
    DXF: Exact = 0
    INF: Exact = 0
    KIF: Exact = 0
    SKF: Exact = 0
    CTF: Exact = 0
    DVF: Exact = 0
    TCF: Exact = 0
    VHF: Exact = 0

    Resilience: Exact = 0
    Balance: Exact = 0
    NarrowWalk: Exact = 0
    Stability: Exact = 0
    Catch: Exact = 0
    Throw: Exact = 0
    Grab: Exact = 0
    Lifting: Exact = 0
    MagResist: Exact = 0
    Willpower: Exact = 0
    Memory: Exact = 0
    Cypher: Exact = 0
    ReadPattern: Exact = 0
    SenseDeception: Exact = 0
    MentalDefense: Exact = 0
    ResistPoison: Exact = 0
    ResistDisease: Exact = 0
    DEF_SKILL: Exact = 0
    PCF_Per: Exact = 0
    SCF_Per: Exact = 0
    MVM_Skill: Exact = 0
    Control_Pow: Exact = 0
    MDF_Skill: Exact = 0
    Sorcery_Aptitude: Exact = 0

    PAB_Aptitude: Exact = 0
    BASE_PAB_MOD: Exact = 0
    MAB_Aptitude: Exact = 0
    Base_MAB_MOD: Exact = 0
    BASE_MVM_MOD: Exact = 0

    def __post_init__(self) -> None:
        for name in self.__struct_fields__:
            (ranked if name in RANKS else stated)(getattr(self, name), f"$.{name}")

    @property
    def pools(self) -> dict[LevelFactor, Exact]:
        """The level factors by their code."""
        return {code: getattr(self, code) for code in LEVEL_FACTORS}


_FIELDS = Traits.__struct_fields__

RANKS = frozenset(_FIELDS[_FIELDS.index("Resilience") : _FIELDS.index("Sorcery_Aptitude") + 1])
"""The fields that are ranks of skills."""


def traits_of(numbers: Mapping[str, Num]) -> Traits:
    """Read numbers of a log or sheet by name. Raises InputError with the path of what is no number, or no trait."""
    given: dict[str, Exact] = {}
    for name, value in numbers.items():
        if name not in _FIELDS:
            raise InputError("no such trait", path=f"$.{name}", value=value)
        try:
            given[name] = exact(value)
        except InputError as error:
            raise InputError(error.problem, path=f"$.{name}", value=value) from error
    return Traits(**given)
