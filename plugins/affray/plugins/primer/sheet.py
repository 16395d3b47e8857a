"""The sheet of a combatant: what it states, and what is wrong with it (primer.md, 1.1 to 1.14 and part 5).

The game's own terms:

- RANK: how good somebody is at a skill, a decimal of one digit; 0 is untrained.
- level factor (LVF): the pool that all skills of a domain feed, and that helps each of them.
- SB: the stat base of a skill, one stat or the mean of two or three.
- HTK, POW: hits to kill, and power: what physical and mental damage is taken from. The source has no formula of either.
- PAB, MAB: the pools that absorb physical and mental damage. DEF, MDF: what a defence takes off an attacker's chance.
- PSM: the physical speed modifier of a race; NMD: its natural magical defense.
- AP: action points, of the pool ACT. WSD: the counts an action takes before they are spent.

Whatever follows from a sheet is derived (`figures.py`). A number has two digits after the point at most, a rank one; in TOML and
JSON it is whole or "p/q" ("47/10").
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Literal

import msgspec

from affray.kernel import Exact, InputError, Num, Row, check_id, check_text, exact

from .bounds import ranked, stated
from .gear import Ward, Weapon, Worn, worn_problems
from .initiative import Kind
from .pack import LIST_MAX, SCORE_MAX
from .ranks import SECONDARIES_MAX, lvf_contribution
from .rows import SHEET, rows_of
from .tables import LEVEL_FACTORS, ArmorClass, LevelFactor
from .traits import NMD_HUMAN, PSM_HUMAN, RANKS, Traits

StatName = Literal["STR", "CON", "AGL", "DEX", "INT", "AUR", "DRV", "DSC"]

STATS: tuple[StatName, ...] = ("STR", "CON", "AGL", "DEX", "INT", "AUR", "DRV", "DSC")

PHYSICAL: tuple[LevelFactor, ...] = ("PCF", "MCF", "AGF", "DXF", "VHF")
"""Factors whose skills are physical unless the sheet says otherwise; all others are mental (ours: the source says it of no skill)."""

KNOWN: Mapping[str, LevelFactor] = {
    **dict.fromkeys(("Resilience", "Lifting", "MagResist", "Willpower", "ResistPoison", "ResistDisease"), "KIF"),
    **dict.fromkeys(("Balance", "NarrowWalk", "Stability"), "AGF"),
    **dict.fromkeys(("Catch", "Throw", "Grab"), "DXF"),
    **dict.fromkeys(("Memory", "Cypher"), "INF"),
    **dict.fromkeys(("ReadPattern", "SenseDeception", "MentalDefense"), "CTF"),
    "PCF_Per": "PCF",
    "SCF_Per": "SCF",
}
"""Skills whose factor the source names (1.13, 1.14). Of the other skills that a formula names it does not say."""

WEARING: Mapping[ArmorClass, str] = {"light": "WearLight", "heavy": "WearHeavy", "structured": "WearStructured"}
"""The armour wearing skills, by the class they are for (1.11, L464)."""

BACKGROUND: frozenset[str] = frozenset({*RANKS, *WEARING.values()})
"""Skills that go into saves, derived values and armour, and that nobody reacts with unless the sheet gives their `kind`."""

RANK_PARTS = 10
"""What the denominator of a rank divides: one digit after the point (L13)."""

REASON_MAX = 200
"""Most characters of the reason for a pinned value."""

PinName = Literal[
    "SYS", "AGL", "DEX", "STR", "MAG", "WLP", "INT", "DSC", "HLTH", "DEF", "OVB", "MAB", "PAB", "MVM", "SPL", "MDF", "MAP",
    "SPD_physical", "SPD_mental", "AGL_mod", "DEF_mod", "MVM_mod",
]  # fmt: skip
"""Values that a sheet may pin: saves, derived values, speeds, and what armour takes off."""


class Skill(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A skill. `factor` None: as the source has it, or none that is known. `stats` None: the stat of the factor.

    `kind` None: by the factor. `secondary` names closely related skills of the same sheet, two at most. `lvf_spd` is the speed
    that a sheet prints beside the level factor, which holds SPD/2 and LVF/10 already (P-28).
    """

    rank: Num
    factor: LevelFactor | None = None
    stats: Annotated[tuple[StatName, ...], msgspec.Meta(max_length=3)] | None = None
    kind: Kind | None = None
    secondary: Annotated[tuple[str, ...], msgspec.Meta(max_length=SECONDARIES_MAX)] = ()
    lvf_spd: Num | None = None


class Race(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a race brings; left out it is human. PAB, MAB and MVM are its bases, added as they are."""

    PSM: Num = PSM_HUMAN
    NMD: Num = NMD_HUMAN
    PAB: Num = 0
    MAB: Num = 0
    MVM: Num = 0


class Aptitudes(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What aptitudes bring: to PAB, MAB and PSM (which can be bought off) as it is, to sorcery a rank."""

    PAB: Num = 0
    MAB: Num = 0
    PSM: Num = 0
    Sorcery: Num = 0


class Pin(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A value given instead of derived (what armour and aptitudes do to it included), and why."""

    value: Num
    reason: str


class Sheet(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A combatant. Stats are about 10, BLD is the build. HGT is in inches, WGT in pounds; WGT_DIFF is the pounds above (+) or below (-)
    the ideal weight, which the table knows (P-84).

    `factors` states level factors as totals; what it leaves out follows from `skills`. `worn` is listed from the outermost; `fitted`
    says whether structured armour is a fitted suit. HTK, POW and the HTK of areas that are None or left out follow from the pack,
    or are missing.
    """

    STR: Num
    CON: Num
    AGL: Num
    DEX: Num
    INT: Num
    AUR: Num
    DRV: Num
    DSC: Num
    BLD: Num
    HGT: Num
    WGT: Num
    WGT_DIFF: Num = 0
    race: Race = Race()
    aptitudes: Aptitudes = Aptitudes()
    factors: dict[LevelFactor, Num] = {}
    skills: Annotated[dict[str, Skill], msgspec.Meta(max_length=LIST_MAX)] = {}
    weapons: Annotated[tuple[Weapon, ...], msgspec.Meta(max_length=LIST_MAX)] = ()
    worn: Annotated[tuple[Worn, ...], msgspec.Meta(max_length=LIST_MAX)] = ()
    fitted: bool = True
    wards: Annotated[tuple[Ward, ...], msgspec.Meta(max_length=LIST_MAX)] = ()
    HTK: Num | None = None
    POW: Num | None = None
    area_HTK: Annotated[dict[str, Num], msgspec.Meta(max_length=LIST_MAX)] = {}
    pinned: dict[PinName, Pin] = {}

    def stat(self, name: str) -> Exact:
        """A stat or BLD by its name."""
        return exact(getattr(self, name))

    def skill(self, name: str) -> Skill | None:
        """The skill of that name; None where it is not on the sheet."""
        return self.skills.get(name)

    def rank(self, name: str) -> Exact:
        """The rank of a skill, 0 of one that is not on the sheet."""
        skill = self.skills.get(name)
        return 0 if skill is None else exact(skill.rank)

    def weapon(self, key: str) -> Weapon | None:
        """The weapon of that key; None where none is carried."""
        return next((weapon for weapon in self.weapons if weapon.key == key), None)

    def factor_of(self, name: str) -> LevelFactor | None:
        """The level factor that a skill feeds; None where nobody knows."""
        return self.skills[name].factor or KNOWN.get(name)

    def kind_of(self, name: str) -> Kind:
        """Whether a skill is physical or mental."""
        return self.skills[name].kind or ("physical" if self.factor_of(name) in PHYSICAL else "mental")

    def stats_of(self, name: str) -> tuple[str, ...]:
        """The stats of a skill's base: stated, else the factor's; none of a DVF skill (P-11)."""
        skill, code = self.skills[name], self.factor_of(name)
        if skill.stats is not None:
            return skill.stats
        stat = None if code is None else LEVEL_FACTORS[code].stat
        return () if stat is None else (stat,)

    def secondary_ranks(self, name: str) -> tuple[Exact, ...]:
        """The ranks of the skills that help a skill."""
        return tuple([self.rank(other) for other in self.skills[name].secondary])

    @property
    def reactions(self) -> tuple[str, ...]:
        """The skills that somebody may react and act with, by name: a log does not keep the order of a table (law 8)."""
        return tuple([name for name in sorted(self.skills) if name not in BACKGROUND or self.skills[name].kind is not None])

    def factor_rows(self, code: LevelFactor) -> tuple[Row, ...]:
        """Explain a level factor: the total that is stated, or what each skill of the domain adds."""
        for name, amount in self.factors.items():
            if name == code:
                return rows_of(SHEET, (code, exact(amount)))
        fed = [name for name in sorted(self.skills) if self.factor_of(name) == code]
        return rows_of(SHEET, *[(name, lvf_contribution(self.rank(name))) for name in fed])

    def traits(self) -> Traits:
        """Give the numbers that the formulas use. Raises InputError for one that is out of bounds."""
        numbers: dict[str, Exact] = {name: self.stat(name) for name in (*STATS, "BLD", "HGT", "WGT", "WGT_DIFF")}
        numbers |= {code: sum([exact(row.amount) for row in self.factor_rows(code)], 0) for code in LEVEL_FACTORS}
        numbers |= {name: self.rank(name) for name in RANKS if name != "Sorcery_Aptitude"}
        race, own = self.race, self.aptitudes
        return Traits(
            **numbers,
            PSM=exact(race.PSM) + exact(own.PSM),
            NMD=exact(race.NMD),
            BASE_PAB_MOD=exact(race.PAB),
            Base_MAB_MOD=exact(race.MAB),
            BASE_MVM_MOD=exact(race.MVM),
            PAB_Aptitude=exact(own.PAB),
            MAB_Aptitude=exact(own.MAB),
            Sorcery_Aptitude=exact(own.Sorcery),
        )


# -- what is wrong with it


def problems(sheet: Sheet) -> Iterator[tuple[str, str]]:
    """Find what is wrong with a sheet whose types are right, as (path, problem)."""
    found = [*_numbers(sheet), *_skills(sheet), *_lists(sheet)]
    yield from found or worn_problems(sheet.worn)
    if not found:
        try:
            sheet.traits()
        except InputError as error:
            yield error.path, error.problem


def _number(path: str, value: Num, low: int | None = None) -> Iterator[tuple[str, str]]:
    try:
        amount = stated(exact(value), path, -SCORE_MAX, SCORE_MAX)
    except InputError as error:
        yield path, f"{error.problem}, got {value!r}"
        return
    if low is not None and amount < low:
        yield path, f"must be {low} or more, got {value!r}"


def _numbers(sheet: Sheet) -> Iterator[tuple[str, str]]:
    for name in (*STATS, "BLD", "HGT", "WGT", "WGT_DIFF"):
        yield from _number(f"$.{name}", getattr(sheet, name), None if name == "WGT_DIFF" else 0)
    for group in ("race", "aptitudes"):
        for name in getattr(sheet, group).__struct_fields__:
            yield from _number(f"$.{group}.{name}", getattr(getattr(sheet, group), name))
    for code, amount in sheet.factors.items():
        yield from _number(f"$.factors.{code}", amount, 0)
    for name in ("HTK", "POW"):
        if getattr(sheet, name) is not None:
            yield from _number(f"$.{name}", getattr(sheet, name), 1)
    for area, amount in sheet.area_HTK.items():
        yield from _number(f"$.area_HTK.{area}", amount, 1)
    for index, ward in enumerate(sheet.wards):
        yield from _number(f"$.wards[{index}].amount", ward.amount, 0)
    for index, one in enumerate(sheet.worn):
        if one.left is not None:
            yield from _number(f"$.worn[{index}].left", one.left, 0)
    for index, weapon in enumerate(sheet.weapons):
        for name in ("plus", "material", "magic", "chance"):
            if getattr(weapon, name) is not None:
                yield from _number(f"$.weapons[{index}].{name}", getattr(weapon, name))
    for name, pin in sheet.pinned.items():
        yield from _number(f"$.pinned.{name}.value", pin.value)
        if not pin.reason.strip() or len(pin.reason) > REASON_MAX:
            yield f"$.pinned.{name}.reason", f"must say why, in at most {REASON_MAX} characters"


def _skills(sheet: Sheet) -> Iterator[tuple[str, str]]:
    for name, skill in sheet.skills.items():
        path = f"$.skills.{name}"
        yield from _identifier(path, name)
        try:
            rank = ranked(exact(skill.rank), f"{path}.rank")
        except InputError as error:
            yield f"{path}.rank", f"{error.problem}, got {skill.rank!r}"
            continue
        if RANK_PARTS % rank.denominator:
            yield f"{path}.rank", f"must have at most one digit after the point, got {skill.rank!r}"
        if skill.lvf_spd is not None:
            yield from _number(f"{path}.lvf_spd", skill.lvf_spd)
        for other in skill.secondary:
            if other == name or other not in sheet.skills or skill.secondary.count(other) > 1:
                yield f"{path}.secondary", f"names other skills of the sheet, each once, got {other!r}"


def _lists(sheet: Sheet) -> Iterator[tuple[str, str]]:
    for name, keys in (
        ("weapons", [weapon.key for weapon in sheet.weapons]),
        ("wards", [ward.key for ward in sheet.wards]),
    ):
        for index, key in enumerate(keys):
            yield from _identifier(f"$.{name}[{index}].key", key)
            if key in keys[:index]:
                yield f"$.{name}[{index}].key", f"another of the {name} has the key {key!r} already"
    for index, weapon in enumerate(sheet.weapons):
        try:
            check_text(weapon.name, f"$.weapons[{index}].name", empty=True)
        except InputError as error:
            yield error.path, error.problem
        if weapon.skill and weapon.skill not in sheet.skills:
            yield f"$.weapons[{index}].skill", f"is no skill of the sheet: {weapon.skill!r}"
    for area in sheet.area_HTK:
        yield from _identifier(f"$.area_HTK.{area}", area)


def _identifier(path: str, name: str) -> Iterator[tuple[str, str]]:
    try:
        check_id(name, "a name", path)
    except InputError as error:
        yield path, error.problem
