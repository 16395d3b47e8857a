"""Armour: protection, what it costs its wearer, items and what they cover, wear (primer.md, 1.11 and 1.12, L353, L422-500).

A material is known by its A#, 1 to 14, an item by its name. Positions are hit locations, 1 to 100.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Literal, NamedTuple

import msgspec

from affray.kernel import Exact, InputError, Row

from .bounds import AMOUNT_MAX, INCREASE_MAX, entry, one_of, ranked, whole, within
from .options import PrimerOptions
from .rows import RULE, SHEET, points, rows_of
from .tables import (
    CRAFT_MAX,
    D100,
    DAMAGE_TYPES,
    ITEMS,
    LAYERS,
    MAGIC_MAX,
    MATERIALS,
    RELIEF,
    UNFITTED_FACTOR,
    WEAR_STOPPED,
    WEAR_THROUGH,
    ArmorClass,
    DamageType,
    Item,
    Material,
)


class Layer(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A layer of armour: its material's A#, and by how much craft and magic increase its protection."""

    a: int
    craft: int = 0
    magic: int = 0


def material(a: int) -> Material:
    """Give the material of an A#."""
    return MATERIALS[whole(a, "$.a", 1, len(MATERIALS)) - 1]


def layer_problem(layers: Sequence[Layer]) -> str:
    """Say why layers cannot be worn over one another, "" where they can: at most two, of different classes (L466)."""
    classes = [material(layer.a).worn_as for layer in layers]
    if len(layers) > LAYERS:
        return f"at most {LAYERS} layers, got {len(layers)}"
    return f"layers must differ in class, got {' and '.join(classes)}" if len({*classes}) < len(classes) else ""


def _checked(layers: Sequence[Layer]) -> Sequence[Layer]:
    if problem := layer_problem(layers):
        raise InputError(problem, path="$.layers")
    return layers


# -- protection


def protection_rows(layers: Sequence[Layer], kind: DamageType, options: PrimerOptions) -> tuple[Row, ...]:
    """Explain the protection of a place against a damage type: all its layers together (P-74).

    Craft adds at most 3, magic at most 5, neither more than the base (L460-462); they raise protection only, never the modifiers
    (P-72a). Both count, each against the base, or only the larger (option `craft_magic_stack`, P-73). A base of 8 against
    crushing, as in the source's example, exists only with them (P-46).
    """
    one_of(kind, DAMAGE_TYPES, "$.kind")
    column = list(DAMAGE_TYPES).index(kind)
    return tuple([row for layer in _checked(layers) for row in _layer_rows(layer, column, options)])


def protection(layers: Sequence[Layer], kind: DamageType, options: PrimerOptions) -> Exact:
    """Give the protection of a place against a damage type; 0 of no layers."""
    return points(protection_rows(layers, kind, options))


def _layer_rows(layer: Layer, column: int, options: PrimerOptions) -> tuple[Row, ...]:
    made_of = material(layer.a)
    base = made_of.protection[column]
    craft = min(whole(layer.craft, "$.craft", 0, INCREASE_MAX), CRAFT_MAX, base)
    magic = min(whole(layer.magic, "$.magic", 0, INCREASE_MAX), MAGIC_MAX, base)
    if options.craft_magic_stack == "best_of":
        craft, magic = (craft, 0) if craft >= magic else (0, magic)
    return rows_of(SHEET, (made_of.name, base), (f"{made_of.name}-craft", craft), (f"{made_of.name}-magic", magic))


# -- what wearing it costs

ModifierName = Literal["agl", "def", "mvm"]


class ArmorMods(msgspec.Struct, frozen=True, kw_only=True):
    """What armour takes off: AGL, DEF and MVM, 0 or less.

    AGL is a stat penalty, for AGL saves and stat bases that use AGL, and not once more for DEF, MVM and SPD (P-80).
    """

    agl: Exact
    defense: Exact
    mvm: Exact


def modifier_rows(
    name: ModifierName, layers: Sequence[Layer], *, skill_rank: Exact = 0, is_fitted: bool = True
) -> tuple[Row, ...]:
    """Explain a modifier of worn armour: all layers, less what a wearing skill relieves, never above 0 (L458-466, P-75).

    `skill_rank` is of the one wearing skill that counts (`wearing_rank`); `is_fitted` says whether structured armour is a
    fitted suit, whose modifiers else count twice. Modifiers are those of a whole suit; a partial one has all of them unless
    the table scales them (P-76).
    """
    one_of(name, RELIEF, "$.name")
    rank = ranked(skill_rank, "$.skill_rank")
    rows: list[Row] = []
    for layer in _checked(layers):
        made_of = material(layer.a)
        amount = {"agl": made_of.agl, "def": made_of.defense, "mvm": made_of.mvm}[name]
        rows += rows_of(SHEET, (made_of.name, amount))
        if made_of.worn_as == "structured" and not is_fitted:
            rows += rows_of(RULE, ("not-fitted", amount * (UNFITTED_FACTOR - 1)))
    relief = min(Fraction(rank) / RELIEF[name], -points(rows))
    return (*rows, *rows_of(SHEET, ("wearing-skill", relief)))


def modifiers(layers: Sequence[Layer], *, skill_rank: Exact = 0, is_fitted: bool = True) -> ArmorMods:
    """Give all three modifiers of worn armour."""
    agl, defense, mvm = [
        points(modifier_rows(name, layers, skill_rank=skill_rank, is_fitted=is_fitted)) for name in MODIFIERS
    ]
    return ArmorMods(agl=agl, defense=defense, mvm=mvm)


MODIFIERS: tuple[ModifierName, ...] = ("agl", "def", "mvm")


def wearing_rank(layers: Sequence[Layer], skills: Mapping[ArmorClass, Exact]) -> Exact:
    """Give the rank of the wearing skill that counts: the best of those for a class that is worn; one skill alone (L466, P-75)."""
    worn: list[ArmorClass] = [material(layer.a).worn_as for layer in layers]
    return max([ranked(skills.get(one, 0), f"$.skills.{one}") for one in worn], default=0)


# -- items


class ItemOf(NamedTuple):
    """An item of some material: its encumbrance, and the points it has before it wears."""

    encumbrance: Exact
    points: int


def item_of(name: str, a: int) -> ItemOf:
    """Give what the A# makes of an item: it multiplies weight and points, although it is an index (L353, L500, P-78)."""
    made = _item(name)
    material(a)
    return ItemOf(a * made.weight, a * made.points)


def cover(position: int) -> tuple[str, ...]:
    """List the items that can cover a position, in the order of the table. Positions 7 to 10 are bare (P-79)."""
    return tuple([name for name in ITEMS if covers(name, position)])


def covers(name: str, position: int) -> bool:
    """Tell whether an item covers a position."""
    return _is_in(_item(name).positions, position)


def knockback_pct(worn: Sequence[str], position: int) -> int:
    """Give the change of knockback in percent by what is worn over a position, 0 or less: the largest one alone counts.

    The three mail coats change it in their upper range only (P-54).
    """
    items = [_item(name) for name in worn]
    return min(
        [
            item.knockback_pct
            for item in items
            if _is_in(item.positions[:1] if item.upper_only else item.positions, position)
        ],
        default=0,
    )


def _item(name: str) -> Item:
    return entry(ITEMS, name, "$.name")


def _is_in(ranges: Sequence[tuple[int, int]], position: int) -> bool:
    whole(position, "$.position", 1, D100)
    return any(first <= position <= last for first, last in ranges)


# -- wear

Outcome = Literal["stopped", "through", "not-reached"]
"""What a hit did to armour: ended in step 4, went on, or was over before."""

OUTCOMES: Mapping[str, Outcome] = {
    "miss": "not-reached",
    "step-3": "not-reached",
    "step-4": "stopped",
    "step-8": "through",
}
"""The outcome by where a hit ended (`Harm.ended`)."""


class Worn(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An item and the points it has left."""

    name: str
    left: Exact


class Wear(NamedTuple):
    """The item that wears, by how much, and what it has left; None, 0, None where none does."""

    item: str | None
    loss: Exact
    left: Exact | None


def wear(worn: Sequence[Worn], position: int, outcome: Outcome) -> Wear:
    """Give what a hit does to armour, where the option `armor_wear` is on; the caller asks (L353, P-56).

    `worn` is listed from the outermost. The outermost item over the position loses 1/2 by a hit that is stopped, 2 by one that
    gets through, and never has less than 0 left. A hit that a ward ended before it reached the armour costs none.
    """
    one_of(outcome, OUTCOMES.values(), "$.outcome")
    item = next((one for one in worn if covers(one.name, position)), None)
    if item is None or outcome == "not-reached":
        return Wear(None, 0, None)
    loss = WEAR_STOPPED if outcome == "stopped" else WEAR_THROUGH
    return Wear(item.name, loss, max(within(item.left, "$.left", 0, AMOUNT_MAX) - loss, 0))
