"""The tables are those of the page, value for value (primer-tables.json)."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

import pytest

from affray.kernel import Exact
from affray.plugins.primer import tables
from affray.plugins.primer.chance import damage_factor
from affray.plugins.primer.shock import SOUL_DIVISOR, SOUL_SIDES
from affray.plugins.primer.traits import NMD_HUMAN, PSM_HUMAN

from ...golden.primer_vectors import code, printed_item, printed_state, told
from ...golden.primer_vectors import tables as page

TYPES = list(tables.DAMAGE_TYPES.values())
CODES = [row.code for row in TYPES]

CLAIMED_ELSEWHERE = {"meta", "rank_closed_forms", "saves", "derived", "rulings"}
"""Words about the file; formulas, which test_ranks and test_derived hold against it; options, which test_options does."""


def materials() -> list[dict[str, Any]]:
    return [
        {
            "a_number": number,
            "name": one.name,
            "class": one.worn_as.title(),
            "protection": dict(zip(CODES, one.protection, strict=True)),
            "agl_mod": one.agl,
            "def_mod": one.defense,
            "mvm_mod": one.mvm,
        }
        for number, one in enumerate(tables.MATERIALS, 1)
    ]


def items() -> list[dict[str, Any]]:
    return [
        {
            "name": printed_item(name),
            "positions": [list(one) for one in item.positions],
            "damage_points": item.points,
            "weight_modifier": told(item.weight),
            "knockback_mod_pct": item.knockback_pct,
            "knockback_mod_scope": "upper" if item.upper_only else "all",
        }
        for name, item in tables.ITEMS.items()
    ]


def shock_states() -> list[dict[str, Any]]:
    return [
        {
            "sl": row.sl,
            "state": printed_state(name),
            **({"action_mod": row.action, "init_mod": row.init, "wdb_mod": row.wdb} if row.can_act else {"can_act": False}),
            "duration": lasting(name, row),
        }
        for name, row in tables.STATES.items()
    ]


def lasting(name: str, row: tables.ShockState) -> str | None:
    """The duration of a state as the file words it."""
    if name == "dead":
        return f"(CON+DRV)/{SOUL_DIVISOR} + d{SOUL_SIDES} {row.unit} until the soul is gone"
    if row.drive:
        each = "DRV" if row.drive == 1 else f"{row.drive}*DRV"
        return f"{row.drive * tables.DRIVE_COUNTS}-{each} {row.unit}"
    return None if row.can_act else f"d{tables.D100} {row.unit}"


def short(row: dict[str, Any], *dropped: str) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name not in dropped}


TABLES: dict[str, Any] = {
    "rank_table": [
        {"rank": rank, "spd": told(row.spd), "act": told(row.act), "dam": row.dam, "xtr_pct": row.xtr_pct}
        for rank, row in enumerate(tables.RANKS, 1)
    ],
    "lvf_table": [
        {"rank": rank, "for_that_rank": told(row.each), "total": told(row.total)}
        for rank, row in enumerate(tables.LVF, 1)
    ],
    "level_factors": [
        {"code": name, "name": row.name, "default_stat": row.stat, "condition": row.condition}
        for name, row in tables.LEVEL_FACTORS.items()
    ],
    "tertiary_factors": {
        name: {"divisor": tables.TERTIARY_DIVISOR, "weights": {code.lower(): one for code, one in weights.items()}}
        for name, weights in (("MLF", tables.MLF_WEIGHTS), ("PLF", tables.PLF_WEIGHTS))
    }
    | {"TLF": "MLF+PLF"},
    "difficulty": [{"name": name.title(), "modifier": bonus} for name, bonus in tables.DIFFICULTIES.items()],
    "action_speed_ap": {
        str(wsd): [[told(counts), ap] for counts, ap in speeds] for wsd, speeds in tables.ACTION_SPEEDS.items()
    },
    "action_speed_notes": {
        "sample_actions": {str(wsd): text for wsd, text in tables.SAMPLE_ACTIONS.items()},
        "rule_of_thumb": {
            "first_halving": {"even": tables.FIRST_HALVING.even, "odd_rounded_up": tables.FIRST_HALVING.odd},
            "second_halving_extra": {"even": tables.SECOND_HALVING.even, "odd_rounded_up": tables.SECOND_HALVING.odd},
            "each_further_count": tables.AP_EACH_COUNT,
            "one_to_half": tables.AP_HALF_COUNT,
        },
    },
    "ap_trading": {
        "sell_one_ap": {
            "sc_points": tables.SELL.sc,
            "dam": told(tables.SELL.dam),
            "passive_counts": tables.SELL.counts,
        },
        "buy_one_ap": {"sc_points": tables.BUY.sc, "dam": told(tables.BUY.dam), "negative_init": tables.BUY.counts},
    },
    "damage_types": [
        {
            "code": row.code,
            "name": name.title(),
            "absorb_pool": row.pool,
            "damage_per_point": told(row.rate),
            "knockback_points_per_half_foot": row.knockback,
        }
        for name, row in tables.DAMAGE_TYPES.items()
    ],
    "soft_damage": {"damage_per_point": tables.SOFT_RATE},
    "bleed_through": {"per_points_absorbed": tables.BLEED_EACH, "damage": 1},
    "awareness_factor_on_pab_mab": {
        name.replace("-", "_"): told(share) for name, share in tables.AWARENESS.items()
    },
    "knockback_location_multiplier": {
        name.replace("-", "_"): factor for name, factor in tables.KNOCKBACK_LOCATIONS.items()
    },
    "armor_materials": materials(),
    "armor_items": items(),
    "position_inference": {
        name.replace("-", "_"): [list(span)] for name, span in tables.POSITIONS.items()
    },
    "armor_rules": {
        "dp_loss_stopped": told(tables.WEAR_STOPPED),
        "dp_loss_penetrated": tables.WEAR_THROUGH,
        "craft_increase_cap": f"min({tables.CRAFT_MAX}, base)",
        "magic_increase_cap": f"min({tables.MAGIC_MAX}, base)",
        "structured_not_fitted_mod_factor": tables.UNFITTED_FACTOR,
        "max_layers": tables.LAYERS,
        "wearing_skill_relief": {name: f"rank/{over}" for name, over in tables.RELIEF.items()},
        "wearing_skills": ["Light", "Heavy", "Structured"],
        "encumbrance": "a_number*weight_modifier",
        "damage_points": "a_number*damage_points",
        "layers_must_differ_in": "class",
        "wearing_skills_usable_at_once": 1,
    },
    "system_shock_states": shock_states(),
    "derived_notes": {"NMD_human": NMD_HUMAN, "PSM_human": PSM_HUMAN},
}
"""Every table in the words of the file; texts that only explain are left out."""


def shown(name: str, value: Any) -> Any:
    """A table of the file with what the system has a value for."""
    if name == "armor_materials":
        return [{**row, "name": code(row["name"].removesuffix("(Padded)").strip())} for row in value]
    if name == "system_shock_states":
        return [short(row, "or", "note") for row in value]
    return value


@pytest.mark.parametrize("name", TABLES)
def test_a_table_is_the_pages(name: str) -> None:
    found = page()
    if not found:
        return
    told_there = shown(name, found[name])
    if isinstance(told_there, dict):
        told_there = {key: told_there[key] for key in TABLES[name]}
    assert told_there == TABLES[name]


def test_every_table_of_the_page_is_here() -> None:
    here = {*TABLES, *CLAIMED_ELSEWHERE, "success_levels", "system_shock_modifiers"}
    assert {*page()} <= here


def test_the_factors_of_the_success_levels() -> None:
    rows = {row["sl"]: row["damage_factor"] for row in page().get("success_levels", ()) if "damage_factor" in row}
    assert {sl: factor for sl, factor in rows.items() if factor != told(factor_of(sl))} == {}


def factor_of(sl: int | str) -> Exact | str:
    """The factor of a level; above 3 the file has the formula."""
    return damage_factor(sl) if isinstance(sl, int) else "SL/2"


def test_exertion() -> None:
    modifiers = page().get("system_shock_modifiers")
    assert modifiers is None or modifiers["exertion"] == tables.EXERTION


def test_the_columns_of_the_printed_speeds_are_whole() -> None:
    for wsd, speeds in tables.ACTION_SPEEDS.items():
        assert [one.counts for one in speeds] == [*range(wsd, 0, -1), tables.HALF_COUNT]


def test_lvf_totals_are_sums() -> None:
    assert [row.total for row in tables.LVF] == [sum(one.each for one in tables.LVF[: at + 1]) for at in range(20)]


def test_positions_leave_no_gap() -> None:
    spans = list(tables.POSITIONS.values())
    assert [place for first, last in spans for place in range(first, last + 1)] == list(range(1, tables.D100 + 1))


@pytest.mark.parametrize("name", [name for name in vars(tables) if name.isupper()])
def test_a_table_cannot_change(name: str) -> None:
    assert not isinstance(getattr(tables, name), dict | list | set)
    assert isinstance(getattr(tables, name), MappingProxyType | tuple | int) or name.startswith(("HALF", "WEAR"))
