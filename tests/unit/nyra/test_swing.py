"""The older generation, the bank: one swing, step by step (nyra.md, section 2)."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from affray.kernel import (
    Action,
    ApplyDamage,
    Ask,
    Change,
    Condition,
    Declare,
    Defend,
    Fight,
    Held,
    InputError,
    Judge,
    Modifier,
    Refused,
    Roll,
    Row,
    SetCondition,
    SetPool,
    Step,
    hookimpl,
    total,
)
from affray.plugins.nyra.bounds import ENERGY_MAX

from .table import SHORT_SWORD, Params, Table, outcomes, reasons, sheet

CLAYMORE: Params = {"key": "sword", "base": "claymore", "durability": 20}
BOTH = {"Swords": 7, "Dodge": 5, "Defense": 7}


def bank(*faces: int, first: Params | None = None, second: Params | None = None, **options: Any) -> Table:
    """The seed's swinger, Ann (energy 38, a claymore), against Bob, who owns both defences and no shield."""
    table = Table(*faces, options={"variant": "bank", **options})
    table.join("ann", "red", **{"sequence": 5, "skills": {"Swords": 7}, "energy": 38, "weapons": [CLAYMORE], **(first or {})})
    table.join("bob", "blue", **{"CON": 6, "STR": 6, "skills": BOTH, "weapons": [], **(second or {})})
    table.begin()
    return table


def steps(table: Table) -> list[str]:
    """The steps of the swing declared first, with what belongs to its end."""
    number = next(i for i, event in enumerate(table.events) if type(event) is Declare)
    own = [event for event in table.events[number:] if isinstance(event, Step) and event.action == table.events[number].action]
    return [f"{type(event).__name__} {event.key}" for event in own]


def test_the_seed_swing() -> None:
    """NY52: 3 at half of 7, a 4 is the right arm, 7 + 10 + 3 = 20 of 25, energy 38 to 31, and the turn is over."""
    table = bank(3, 4, 7, 10, second={"skills": {}, "health": {"right-arm": 25}})
    assert table.strike("ann", "bob") is None
    (hit,) = table.found(ApplyDamage)
    assert (hit.value, hit.parts[0].rolled, hit.parts[0].rows) == (20, 17, (Row("STR", 3, "sheet"),))
    assert (table.pool("bob", "right-arm"), table.pool("ann", "energy")) == (20, 31)
    assert (outcomes(table), reasons(table), table.state.turn) == (["hit"], ["one-swing"], "bob")
    assert table.all_dice_used()


def test_the_location_is_rolled_before_the_defence() -> None:
    table = bank(3, 4, 9, 7, 10)
    assert table.strike("ann", "bob", guard="dodge") is None
    assert steps(table) == [
        "Change energy",
        "Roll attack",
        "Judge attack",
        "Roll location",
        "Ask defence",
        "Defend defence",
        "Roll defence",
        "Judge defence",
        "Judge avoid",
        "Roll damage",
        "ApplyDamage damage",
        "Condition serious-wound",
        "Condition bleeding",
    ]


@pytest.mark.parametrize(
    ("strike", "skill", "rows"),
    [
        ({}, 7, (Row("Swords", 7, "sheet"), Row("in-battle", -4, "nyra"))),
        ({"strike": "aimed", "aim": "head"}, 9, (Row("Swords", 9, "sheet"), Row("aimed", -7, "nyra"))),
        ({}, 0, (Row("Swords", 0, "sheet"),)),
    ],
)
def test_all_skills_are_halved_in_battle_and_quartered_where_aimed(strike: Params, skill: int, rows: tuple[Row, ...]) -> None:
    """NY52, NY74: floors; what the difficulty takes is a row, and there is none where it takes nothing."""
    table = bank(9, first={"skills": {"Swords": skill}})
    assert table.strike("ann", "bob", **strike) is None
    (verdict,) = table.found(Judge, "attack")
    assert rows == verdict.trace
    assert total(row.amount for row in rows) == verdict.goal


def test_an_aimed_swing_rolls_no_location() -> None:
    table = bank(1, 9, 1, 1)
    assert table.strike("ann", "bob", guard="dodge", strike="aimed", aim="left-leg") is None
    assert table.found(Roll, "location") == []
    assert table.pool("bob", "left-leg") == 1 * 2 + 1 * 2 + 3
    assert table.all_dice_used()


def test_a_defence_is_offered_at_half_and_defense_only_behind_a_shield() -> None:
    """NY54, NY55, NY56: contradiction 11."""
    offers: dict[bool, list[tuple[str, Any, Any]]] = {}
    for shield in (False, True):
        table = bank(3, 4, second={"shield": shield})
        table.strike("ann", "bob", guard="chicken")
        (ask,) = table.found(Ask)
        offers[shield] = [(option.code, option.value, option.trace) for option in ask.options]
    dodge = ("dodge", 2, (Row("Dodge", 5, "sheet"), Row("in-battle", -3, "nyra")))
    block = ("defense", 3, (Row("Defense", 7, "sheet"), Row("in-battle", -4, "nyra")))
    none = ("none", None, ())
    assert offers == {False: [dodge, none], True: [dodge, block, none]}


def test_who_only_owns_defense_and_has_no_shield_is_not_asked() -> None:
    table = bank(3, 4, 1, 1, second={"skills": {"Defense": 10}})
    assert table.strike("ann", "bob") is None
    assert table.found(Ask) == []
    assert outcomes(table) == ["hit"]


@pytest.mark.parametrize(("guard", "die", "outcome"), [("dodge", 2, "dodged"), ("defense", 3, "blocked")])
def test_either_defence_that_passes_avoids_all_damage_whatever_the_margins(guard: str, die: int, outcome: str) -> None:
    """NY54: the attack's margin is 2, the defence's 0; neither is compared, and the turn ends after either."""
    table = bank(1, 4, die, second={"shield": True})
    assert table.strike("ann", "bob", guard=guard) is None
    assert (outcomes(table), reasons(table)) == ([outcome], ["one-swing"])
    assert table.found(ApplyDamage) == []
    assert table.found(Judge, "contest") == []
    assert table.all_dice_used()


def test_a_defence_that_fails_by_one_avoids_nothing() -> None:
    table = bank(3, 4, 3, 1, 1)
    assert table.strike("ann", "bob", guard="dodge") is None
    assert outcomes(table) == ["hit"]
    assert table.pool("bob", "right-arm") == 5


def test_a_critical_swing_can_be_avoided_unless_the_option_says_otherwise() -> None:
    """NY17, NY18 in the bank: the defence die is rolled either way, so the stream does not depend on the option."""
    avoided = bank(1, 4, 1)
    certain = bank(1, 4, 1, 2, 3, crit_auto_hit=True)
    for table in (avoided, certain):
        assert table.strike("ann", "bob", guard="dodge") is None
        assert table.all_dice_used()
    assert [table.found(Judge, "avoid")[0].code for table in (avoided, certain)] == ["avoided", "unavoidable"]
    assert (outcomes(avoided), outcomes(certain)) == (["dodged"], ["hit"])
    assert [hit.value for hit in certain.found(ApplyDamage, "damage")] == [2 * (2 + 3) + 3]


def test_only_a_critical_swing_is_certain_under_the_option() -> None:
    table = bank(2, 4, 1, crit_auto_hit=True)
    table.strike("ann", "bob", guard="dodge")
    assert outcomes(table) == ["dodged"]


def test_a_miss_costs_energy_and_ends_the_turn_and_a_fumble_costs_durability() -> None:
    """NY79, NY91, and 1.7 as in the duel."""
    missed, fumbled = bank(4), bank(10, fumble_durability=3)
    for table in (missed, fumbled):
        assert table.strike("ann", "bob") is None
        assert (table.pool("ann", "energy"), reasons(table)) == (31, ["one-swing"])
    assert (outcomes(missed), outcomes(fumbled)) == (["miss"], ["critical-miss"])
    assert (missed.pool("ann", "durability-sword"), fumbled.pool("ann", "durability-sword")) == (20, 17)


def test_armor_and_traits_count_as_in_the_duel() -> None:
    """NY76; the traits are those of 1.4, Mastercraft of the full skill."""
    claymore = {**CLAYMORE, "traits": ["Swiftness", "Impact", "Mastercraft"]}
    table = bank(3, 4, 7, 10, first={"weapons": [claymore]}, second={"skills": {}, "armor": {"right-arm": {"C": 4}}})
    assert table.strike("ann", "bob") is None
    (hit,) = table.found(ApplyDamage, "damage")
    assert [(row.code, row.amount) for row in hit.parts[0].rows] == [
        ("STR", 3),
        ("Swiftness", 3),
        ("Impact", 8),
        ("Mastercraft", 3),
        ("armor", -4),
    ]
    assert hit.value == 30


# -- energy


@pytest.mark.parametrize(
    ("left", "options", "refused"),
    [
        (26, {}, None),
        (25, {}, Refused("exhausted", ("Claymore", 7, 25, 19))),
        (24, {}, Refused("exhausted", ("Claymore", 7, 24, 19))),
        (24, {"exhaustion_floor": 17}, None),
        (24, {"exhaustion_floor": 18}, Refused("exhausted", ("Claymore", 7, 24, 18))),
        (7, {"exhaustion_floor": 0}, None),
        (6, {"exhaustion_floor": 0}, Refused("exhausted", ("Claymore", 7, 6, 0))),
    ],
)
def test_the_exhaustion_floor_is_the_lowest_energy_a_swing_may_leave(left: int, options: Params, refused: Refused | None) -> None:
    """NY58, NY79, NY91: half the full bank of 38 is 19; a refusal is before any die and leaves the turn open."""
    table = bank(9, **options)
    table.overrule(SetPool(target="ann", pool="energy", value=left))
    before, events = table.state, list(table.events)
    assert refused == table.strike("ann", "bob")
    if refused is not None:
        assert (before, events) == (table.state, table.events)
        assert table.end_turn("ann") is None
        assert reasons(table) == ["choice"]


def test_half_of_the_full_bank_counts_rounded_down() -> None:
    table = bank(9, first={"energy": 39})
    table.overrule(SetPool(target="ann", pool="energy", value=25))
    assert Refused("exhausted", ("Claymore", 7, 25, 19)) == table.strike("ann", "bob")
    table.overrule(SetPool(target="ann", pool="energy", value=26))
    assert table.strike("ann", "bob") is None


def test_a_type_that_is_not_available_is_refused_before_exhaustion() -> None:
    table = bank()
    table.overrule(SetPool(target="ann", pool="energy", value=0))
    for kind in ("B", "P"):
        assert Refused("damage-type-not-available", ("Claymore", kind, "C")) == table.strike("ann", "bob", type=kind)


def test_no_turn_refills_the_bank() -> None:
    table = bank(9, 9)
    for left in (31, 24):
        assert table.strike("ann", "bob") is None
        table.end_turn("bob")
        assert (table.state.turn, table.pool("ann", "energy")) == ("ann", left)
    assert table.found(Change, "refill") == []
    assert table.strike("ann", "bob") is not None


def test_a_weapon_without_a_cost_is_swung_for_nothing_and_nobody_without_a_bank_swings_another() -> None:
    """Section 8: null is none. The refusal names 0 of 0."""
    weapons = [SHORT_SWORD, {**CLAYMORE, "key": "claymore"}]
    table = bank(9, first={"energy": None, "weapons": weapons}, exhaustion_floor=5)
    assert Refused("exhausted", ("Claymore", 7, 0, 5)) == table.strike("ann", "bob", weapon="claymore")
    assert table.strike("ann", "bob") is None
    assert table.found(Change, "energy") == []


def test_a_stated_cost_goes_before_the_list() -> None:
    table = bank(9, first={"weapons": [{**CLAYMORE, "energy_cost": 9}]})
    assert table.strike("ann", "bob") is None
    assert table.pool("ann", "energy") == 29


def test_an_opening_costs_energy_at_once_and_owes_nothing() -> None:
    table = Table(9, 9, options={"variant": "bank"})
    hidden = (Held(id="hidden"),)
    table.join("ann", "red", conditions=hidden, energy=38, weapons=[CLAYMORE], skills={"Swords": 7})
    table.join("bob", "blue", sequence=9)
    table.begin()
    assert table.strike("ann", "bob") is None
    assert (reasons(table), table.pool("ann", "energy"), table.conditions("ann")) == (["opening"], 31, {})
    table.end_turn("bob")
    assert table.strike("ann", "bob") is None
    assert (reasons(table)[-1], table.pool("ann", "energy")) == ("one-swing", 24)


# -- health


def test_a_location_with_stated_health_has_no_bands() -> None:
    """Contradiction 9: one number, and what it means is the game master's word; nothing left is shown once."""
    table = bank(3, 4, 7, 10, 3, 4, 1, 1, 3, 4, 1, 1, second={"skills": {}, "health": {"right-arm": 25}}, exhaustion_floor=0)
    for held in ({}, {"spent-right-arm": 1}, {"spent-right-arm": 1}):
        assert table.strike("ann", "bob") is None
        assert held == table.conditions("bob")
        table.end_turn("bob")
    assert table.pool("bob", "right-arm") == 30
    assert [(step.key, step.code) for step in table.found(Condition)] == [("spent", "gained")]


def test_a_location_without_stated_health_has_bands_also_in_the_bank() -> None:
    """Section 8: null is the bands of 1.6. CON 6, STR 6: 12 is a serious wound, 13 a critical one, 16 kills."""
    table = bank(3, 1, 5, 4, second={"skills": {}, "health": {"right-arm": 25}})
    assert table.strike("ann", "bob") is None
    assert (table.pool("bob", "head"), table.conditions("bob")) == (13, {"wound-head": 3, "bleeding-head": 3})
    table.end_turn("bob")
    table.end_turn("ann")
    assert table.pool("bob", "head") == 16
    assert table.state.over == "won-by-red"


def test_health_that_is_spent_kills_nobody() -> None:
    table = bank(3, 1, 10, 10, second={"skills": {}, "health": {"head": 5}})
    assert table.strike("ann", "bob") is None
    assert table.conditions("bob") == {"spent-head": 1}
    assert table.state.over == ""


def test_damage_that_somebody_comes_with_spends_health() -> None:
    table = Table(options={"variant": "bank"})
    table.join("bob", "blue", health={"head": 5, "chest": 5}, pools={"head": 5, "chest": 4})
    table.begin()
    assert table.conditions("bob") == {"spent-head": 1}


def test_the_duel_reads_nothing_of_the_bank() -> None:
    fields: Params = {"energy": 38, "health": {"left-arm": 5}, "shield": False}
    table = Table(3, 4, 3, 3, 4, 2)
    table.join("ann", "red", sequence=5, **fields)
    table.join("bob", "blue", **fields)
    table.begin()
    assert table.strike("ann", "bob", guard="defense") is None
    assert "energy" not in table.state.combatants["ann"].pools
    assert table.conditions("bob") == {"wound-left-arm": 1}


# -- sheets


def test_a_weapon_whose_delay_nobody_knows_comes_into_a_bank_and_into_no_duel() -> None:
    raw = sheet(energy=38, weapons=[SHORT_SWORD, {**CLAYMORE, "key": "claymore"}])
    for variant, path in (("bank", None), ("duel", "$.weapons[1].delay")):
        rules = Table(options={"variant": variant}).rules
        read = rules.read_sheet(raw)
        if path is None:
            assert rules.pools(read)["energy"].start == 38
            continue
        with pytest.raises(InputError) as caught:
            rules.pools(read)
        assert path == caught.value.path


def test_the_bank_is_a_pool_and_delay_is_none() -> None:
    rules = Table(options={"variant": "bank"}).rules
    pools = rules.pools(rules.read_sheet(sheet(energy=ENERGY_MAX)))
    assert (pools["energy"].start, pools["energy"].low, pools["energy"].high) == (ENERGY_MAX, 0, ENERGY_MAX)
    assert "delay" not in pools


@pytest.mark.parametrize("options", [{"variant": "brawl"}, *[{"exhaustion_floor": bad} for bad in (-1, "half", ENERGY_MAX + 1)]])
def test_options_that_are_none_are_refused(options: Params) -> None:
    with pytest.raises(InputError):
        Table(options=options)
    assert Table(options={"exhaustion_floor": ENERGY_MAX}).rules.options.exhaustion_floor == ENERGY_MAX


# -- what a table may add


def test_rows_act_before_the_halving() -> None:
    """Attack (7 + 2) // 2 = 4, defence (5 + 1) // 2 = 3."""
    table = bank(4, 4, 3)
    for who, row in (("ann", Modifier("attack.skill", 2, "bless")), ("bob", Modifier("defence.skill", 1, "cover"))):
        table.overrule(SetCondition(target=who, held=Held(id="blessed", rows=(row,))))
    assert table.strike("ann", "bob", guard="dodge") is None
    (attack,), (guard,) = table.found(Judge, "attack"), table.found(Defend)
    assert (attack.goal, guard.value, outcomes(table)) == (4, 3, ["dodged"])
    assert [row.code for row in guard.trace] == ["Dodge", "cover", "in-battle"]


class Overturns:
    """A house rule that has the last word on one verdict."""

    def __init__(self, key: str, code: str) -> None:
        self.key, self.code = key, code

    @hookimpl
    def ruling(self, fight: Fight, action: Action, step: Step) -> Step | None:
        return replace(step, code=self.code) if isinstance(step, Judge) and step.key == self.key else None


@pytest.mark.parametrize(("key", "code"), [("defence", "failure"), ("avoid", "hit")])
def test_a_verdict_counts_as_it_was_recorded(key: str, code: str) -> None:
    table = Table(3, 4, 1, 1, 1, options={"variant": "bank"}, house={"clumsy": Overturns(key, code)})
    table.join("ann", "red", sequence=5, skills={"Swords": 7}, energy=38, weapons=[CLAYMORE])
    table.join("bob", "blue", skills=BOTH)
    table.begin()
    assert table.strike("ann", "bob", guard="dodge") is None
    assert outcomes(table) == ["hit"]


def test_nothing_of_a_swing_lives_in_memory_only() -> None:
    """Law 6: what waits for the defence is the same after a restart."""
    tables = [Table(3, 4, 9, 7, 10, options={"variant": "bank"}, cold=cold) for cold in (False, True)]
    for table in tables:
        table.join("ann", "red", sequence=5, skills={"Swords": 7}, energy=38, weapons=[CLAYMORE])
        table.join("bob", "blue", skills=BOTH)
        table.begin()
        assert table.strike("ann", "bob", guard="dodge") is None
    assert tables[0].events == tables[1].events
