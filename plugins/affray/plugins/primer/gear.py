"""What a combatant carries: weapons, worn armour, wards (primer.md, 1.7, 1.8, 1.11, 1.12; the weapon list is missing)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, Literal

import msgspec

from affray.kernel import Exact, InputError, Num, Row, exact

from .armour import Layer, covers, item_of, layer_problem, protection_rows
from .bounds import INCREASE_MAX, WSD_MAX
from .options import PrimerOptions
from .pack import LIST_MAX, Against, Arm, Hurts, damage_plan
from .rows import SHEET, rows_of
from .tables import D100, ITEMS, MATERIALS, DamageType

ItemName = Literal[
    "cap", "great-helm", "coif", "half-helm", "camail", "nasel", "cheekplates", "byrnie", "habergon", "haulberk", "boots",
    "gauntlets", "leggings", "armings",
]  # fmt: skip
"""The armour items of the table (1.12)."""

Increase = Annotated[int, msgspec.Meta(ge=0, le=INCREASE_MAX)]


class Weapon(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A weapon of a combatant: `key` is its id. Whatever is None is that of the pack's weapon `base`.

    Without a base `dice`, `types` and `wsd` are needed. The fields are those of `pack.Arm`.
    """

    key: str
    base: str = ""
    name: str = ""
    dice: str | None = None
    types: Annotated[tuple[DamageType, ...], msgspec.Meta(min_length=1, max_length=LIST_MAX)] | None = None
    wsd: Annotated[int, msgspec.Meta(ge=1, le=WSD_MAX)] | None = None
    plus: Num | None = None
    material: Num | None = None
    magic: Num | None = None
    chance: Num | None = None
    skill: str | None = None
    against: Against | None = None
    hurts: Hurts | None = None

    def __post_init__(self) -> None:
        if self.dice is not None:
            damage_plan(self.dice)


class Worn(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A piece of armour: what it is and its material's A#, craft and magic increases. `left` None: as many points as new."""

    item: ItemName
    a: Annotated[int, msgspec.Meta(ge=1, le=len(MATERIALS))]
    craft: Increase = 0
    magic: Increase = 0
    left: Num | None = None

    @property
    def layer(self) -> Layer:
        """What it is as a layer."""
        return Layer(a=self.a, craft=self.craft, magic=self.magic)

    @property
    def encumbrance(self) -> Exact:
        """What it weighs, by its A#; what that does to its wearer is missing (P-78)."""
        return item_of(self.item, self.a).encumbrance

    @property
    def first_position(self) -> int:
        """The first position it covers."""
        return ITEMS[self.item].positions[0][0]

    @property
    def points(self) -> Exact:
        """The points it came with, of which wear takes some (option `armor_wear`)."""
        return item_of(self.item, self.a).points if self.left is None else exact(self.left)


class Ward(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A ward or damage resistance: it takes `amount` off every hit (step 3), of these types and in these areas alone where any are named."""

    key: str
    amount: Num
    types: Annotated[tuple[DamageType, ...], msgspec.Meta(max_length=LIST_MAX)] = ()
    areas: Annotated[tuple[str, ...], msgspec.Meta(max_length=LIST_MAX)] = ()

    def acts(self, kind: DamageType, area: str) -> bool:
        """Tell whether it acts against a type in an area."""
        return (not self.types or kind in self.types) and (not self.areas or area in self.areas)


def arm_of(weapon: Weapon, options: PrimerOptions) -> Arm:
    """Give a weapon with everything the pack adds. Raises InputError for a base that no pack has, or for what is missing."""
    own = {
        name: value
        for name in Arm.__struct_fields__
        if (value := getattr(weapon, name)) is not None
    }
    if weapon.base:
        base = options.pack.weapons.get(weapon.base)
        if base is None:
            known = ", ".join(options.pack.weapons) or "none"
            raise InputError(f"the pack has no such weapon; there are {known}", path="$.base", value=weapon.base)
        return msgspec.structs.replace(base, **own)
    missing = [name for name in ("dice", "types", "wsd") if name not in own]
    if missing:
        raise InputError(f"needs {', '.join(missing)}, or a base from the pack", path="$")
    return Arm(**own)


# -- armour


def over(worn: Sequence[Worn], position: int) -> tuple[Worn, ...]:
    """List what is worn over a position, outermost first."""
    return tuple([one for one in worn if covers(one.item, position)])


def armor_rows(worn: Sequence[Worn], position: int, kind: DamageType, options: PrimerOptions) -> Iterator[Row]:
    """Explain the protection of a place, piece by piece; one that protects nothing there says so with 0."""
    for one in over(worn, position):
        rows = protection_rows((one.layer,), kind, options)
        yield from [Row(row.code.replace(MATERIALS[one.a - 1].name, one.item), row.amount, row.source) for row in rows]
        if not rows:
            yield Row(one.item, 0, SHEET)


def ward_rows(wards: Sequence[Ward], kind: DamageType, area: str) -> tuple[Row, ...]:
    """List the wards that act against a hit."""
    return rows_of(SHEET, *[(ward.key, exact(ward.amount)) for ward in wards if ward.acts(kind, area)])


def suit(worn: Sequence[Worn]) -> tuple[Layer, ...]:
    """List the materials that are worn, each once and without increases, from the outermost: what its modifiers come from."""
    return tuple([Layer(a=a) for a in dict.fromkeys([one.a for one in worn])])


def worn_problems(worn: Sequence[Worn]) -> Iterator[tuple[str, str]]:
    """Find pieces that cannot be worn together, as (path, problem): two materials of different classes at most (L466)."""
    for index, one in enumerate(worn):
        if one.item in [other.item for other in worn[:index]]:
            yield f"$.worn[{index}].item", f"another {one.item} is worn already"
    if problem := layer_problem(suit(worn)):
        yield "$.worn", problem
        return
    for position in range(1, D100 + 1):
        if problem := layer_problem([one.layer for one in over(worn, position)]):
            yield "$.worn", f"over position {position} {problem}"
            return
