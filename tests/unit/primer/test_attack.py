"""An attack: its chance, its level, the nine steps as they are recorded, and everything that may be chosen on the way."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from affray.kernel import (
    ApplyDamage,
    Ask,
    Defend,
    Held,
    Judge,
    Roll,
    SetCondition,
    total,
)

from ...support.table import must
from .table import (
    BODY,
    BOLT,
    CLUB,
    HIT,
    MISS,
    SIX,
    SLOW,
    SWORD,
    Sheet,
    Table,
    duel,
    kinds,
    pack,
    pins,
    struck,
)

# -- the order of steps, and levels


def test_a_hit_is_recorded_step_by_step() -> None:
    table = struck(HIT, *SIX, BODY)
    declared = [event for event in table.events if getattr(event, "action", "") == table.last(Judge, "attack").action]
    assert kinds(declared) == [
        "Judge speed",
        "Wait resolve",
        "Ask defence",
        "Defend DEF",
        "Roll attack",
        "Judge attack",
        "Roll damage",
        "Judge base-damage",
        "Roll location",
        "Judge location",
        "Defend absorption",
        "ApplyDamage damage",
        "ApplyDamage area",
        "Judge knockback",
        "Order stimulus",
    ]
    assert (table.taken("bob"), table.taken("bob", "area-upper-body"), table.taken("bob", "area-head")) == (12, 12, 0)
    table.verify()


@pytest.mark.parametrize(
    ("roll", "code", "level", "taken"),
    [(70, "graze", 1, 6), (35, "graze", 1, 6), (34, "hit", 2, 12), (18, "hit", 2, 12), (17, "critical", 3, 18), (7, "critical", 4, 24)],
)
def test_the_level_is_the_margin_and_multiplies(roll: int, code: str, level: int, taken: int) -> None:
    table = struck(roll, *SIX, BODY)
    verdict = table.last(Judge, "attack")
    assert (verdict.code, verdict.margin, verdict.goal) == (code, level, 70)
    assert table.taken("bob") == taken
    assert table.outcomes == [code]
    table.verify()


def test_a_miss_does_nothing_at_all() -> None:
    table = struck(MISS)
    assert table.outcomes == ["miss"]
    assert not table.found(ApplyDamage)
    assert not table.found(Judge, "knockback")
    assert not table.found(Roll, "critical-miss")
    table.verify()


def test_a_chance_has_every_term_in_its_trace() -> None:
    skills = {"sword": {"rank": 6, "factor": "PCF", "secondary": ["knife"]}, "knife": {"rank": 2, "factor": "DXF"}}
    table = Table(6, 5, 1, 1, 60, 1, 1)
    table.join("bob", "blue", **pins(DEF=12))
    table.join("ann", "red", skills=skills)
    table.begin()
    assert table.asked == [("ann", "react")]
    table.answer("sword")
    table.attack("ann", "bob", difficulty="challenging")
    table.answer("aware-defending")
    assert table.asked == [("ann", "react")]
    table.answer("sword")
    assert table.rows(Judge, "attack") == {
        "stat-base": 30,
        "rank": 30,
        "level-factor": 10,
        "opponent": -12,
        "challenging": -25,
        "secondary": 2,
    }
    assert table.last(Judge, "attack").goal == 35
    table.verify()


# -- critical misses

TABLE = [{"upto": 60, "code": "stumbles"}, {"upto": 80, "code": "falls"}]


@pytest.mark.parametrize(
    ("critical_misses", "roll", "effect"),
    [
        ([], 15, "no-table"),
        (TABLE, 15, "falls"),
        (TABLE, 20, "falls"),
        (TABLE, 21, "no-table"),
        (TABLE[:1], 15, "no-table"),
        ([*TABLE, {"code": "cries"}], 100, "cries"),
    ],
)
def test_a_critical_miss_reads_the_table_of_the_pack(critical_misses: Any, roll: int, effect: str) -> None:
    options = {"pack": pack(critical_misses=critical_misses)}
    table = struck(85, roll, params={"difficulty": "hard"}, options=options)
    assert (table.last(Judge, "attack").goal, table.last(Judge, "attack").margin) == (20, -3)
    verdict = table.last(Judge, "critical-miss")
    assert (verdict.goal, verdict.code) == (roll + 60, effect)
    assert table.rows(Judge, "critical-miss") == {"dice": roll, "levels": 60}
    assert table.outcomes == ["critical-miss"]
    table.verify()


# -- defence


@pytest.mark.parametrize(
    ("stance", "opponent", "absorbs", "taken"),
    [
        ("aware-defending", 10, 8, 12 - 4 + Fraction(4, 10)),
        ("reacting", 0, 4, 12 - 2 + Fraction(2, 10)),
        ("undefending", 0, 4, 12 - 2 + Fraction(2, 10)),
        ("unaware", 0, 2, 12 - 1 + Fraction(1, 10)),
    ],
)
def test_awareness_decides_what_defends_and_what_absorbs(stance: str, opponent: int, absorbs: int, taken: Any) -> None:
    table = struck(20, *SIX, BODY, stance=stance, second=pins(DEF=10, PAB=8))
    assert (table.last(Defend, "DEF").code, table.last(Defend, "DEF").value) == (stance, opponent)
    assert table.last(Judge, "attack").goal == 70 - opponent
    assert table.last(Defend, "absorption").value == absorbs
    assert table.taken("bob") == taken
    table.verify()


def test_the_prompt_says_what_each_answer_means() -> None:
    table = duel(second=pins(DEF=10))
    table.attack("ann", "bob")
    assert table.asked == [("bob", "defence")]
    assert table.options() == {"aware-defending": 10, "reacting": 0, "undefending": 0, "unaware": 0}
    ask = table.last(Ask, "defence")
    assert [total(row.amount for row in option.trace) for option in ask.options] == [10, 0, 0, 0]


def test_a_defence_is_made_of_the_sheet_and_of_armour() -> None:
    table = struck(20, *SIX, 60, second={"pinned": {}, "worn": [{"item": "byrnie", "a": 5}]})
    assert table.rows(Defend, "DEF") == {"AGL": 20, "BLD": -20, "PCF": "5/2", "armor": -10}
    assert table.last(Judge, "attack").goal == "155/2"
    table.verify()


def test_whoever_cannot_act_is_not_asked_and_unaware() -> None:
    table = Table(1, 1, 6, 5, 20, *SIX, BODY, 1, 1)
    table.join("ann", "red")
    table.join("bob", "blue", **pins(DEF=50, PAB=8), conditions=(Held(id="unconscious"),))
    table.join("cy", "blue")
    table.begin()
    table.attack("ann", "bob")
    assert table.asked == []
    assert table.last(Defend, "DEF").code == "unaware"
    assert table.last(Defend, "absorption").value == 2
    table.verify()


# -- weapons, types, places


def test_a_type_is_the_weapons_first_or_the_one_named() -> None:
    assert struck(20, *SIX, BODY).last(ApplyDamage, "damage").type == "slicing"
    assert struck(20, *SIX, BODY, params={"type": "chopping"}).last(ApplyDamage, "damage").type == "chopping"


def test_a_called_shot_is_not_rolled() -> None:
    table = struck(20, *SIX, params={"called": 5})
    assert not table.found(Roll, "location")
    assert (table.last(Judge, "location").code, table.last(Judge, "location").goal) == ("head", 5)
    assert table.rows(Judge, "location") == {"called": 5}
    assert table.taken("bob", "area-head") == 12
    table.verify()


def test_armour_counts_piece_by_piece_where_it_covers() -> None:
    worn = [{"item": "great-helm", "a": 14}, {"item": "coif", "a": 12, "magic": 1}]
    table = struck(20, *SIX, 2, second={"worn": worn, **pins()})
    assert table.rows(Defend, "armor") == {"great-helm": 12, "coif": 10, "coif-magic": 1}
    (part,) = table.last(ApplyDamage, "damage").parts
    assert (part.rolled, part.value, [(row.code, row.amount) for row in part.rows]) == (12, 0, [("armor", -12)])
    assert not table.found(ApplyDamage, "area")
    table.verify()
    table = struck(20, *SIX, 6, second={"worn": worn, **pins()})
    assert table.rows(Defend, "armor") == {"great-helm": 12}
    table = struck(20, *SIX, BODY, second={"worn": worn, **pins()})
    assert not table.found(Defend, "armor")


def test_a_piece_that_protects_from_nothing_is_named_all_the_same() -> None:
    club = {"weapons": [{**CLUB, "key": "sword"}]}
    table = struck(20, 2, BODY, first=club, second={"worn": [{"item": "byrnie", "a": 1}], **pins()})
    assert table.rows(Defend, "armor") == {"byrnie": 0}
    table.verify()


def test_wards_come_first_and_may_end_the_hit() -> None:
    wards = [{"key": "charm", "amount": 4, "types": ["slicing"], "areas": ["upper-body"]}, {"key": "hide", "amount": 2}]
    table = struck(20, *SIX, BODY, second={"wards": wards, **pins()})
    assert table.rows(Defend, "reductions") == {"charm": 4, "hide": 2}
    assert table.taken("bob") == 6
    table = struck(20, *SIX, 60, second={"wards": wards, **pins()})
    assert table.rows(Defend, "reductions") == {"hide": 2}
    table = struck(20, *SIX, BODY, params={"type": "chopping"}, second={"wards": wards, **pins()})
    assert table.rows(Defend, "reductions") == {"hide": 2}
    strong = [{"key": "wall", "amount": 12}]
    table = struck(20, *SIX, BODY, second={"wards": strong, **pins()})
    assert table.taken("bob") == 0
    assert table.last(Judge, "knockback").goal == 0
    table.verify()


def test_the_worked_example_of_the_page() -> None:
    """2.1: 20 crushing at level 6 on a chest with armour 8 and a PAB of 3 is 10.2."""
    club = {"weapons": [{**CLUB, "key": "sword", "plus": 16, "chance": 60}]}
    table = struck(1, 2, BODY, first=club, second={"worn": [{"item": "byrnie", "a": 14, "craft": 3}], **pins(PAB=3)})
    assert table.last(Judge, "attack").margin == 6
    assert table.last(Judge, "base-damage").goal == 20
    assert (table.last(Defend, "armor").value, table.last(Defend, "absorption").value) == (8, 3)
    assert table.taken("bob") == Fraction(51, 5)
    (part,) = table.last(ApplyDamage, "damage").parts
    assert [(row.code, row.amount) for row in part.rows] == [
        ("armor", -8),
        ("PAB-soft", -8),
        ("success-level", 8),
        ("PAB", -2),
        ("bleed", "1/5"),
    ]
    assert table.last(Judge, "knockback").goal == "9/5"
    table.verify()


# -- mental attacks

MAGE: Sheet = {"skills": {"magic": {"rank": 6, "factor": "SCF"}}, "factors": {"SCF": 10}, "weapons": [BOLT]}


def test_a_mental_attack_meets_mdf_and_mab_and_hurts_pow() -> None:
    table = struck(1, 2, BODY, first=MAGE, second={"POW": 100, **pins(MDF=20, MAB=2)}, params={"weapon": "bolt"})
    assert table.last(Defend, "MDF").value == 20
    assert table.last(Defend, "absorption").code == "MAB"
    assert table.last(ApplyDamage, "damage").pools == ("pow",)
    assert table.taken("bob", "pow") > 0
    assert table.taken("bob") == 0
    assert not table.found(ApplyDamage, "area")
    table.verify()


def test_a_weapon_may_say_what_it_meets_and_what_it_hurts() -> None:
    bolt = {**BOLT, "against": "none", "hurts": "HTK"}
    table = struck(1, 2, BODY, first={**MAGE, "weapons": [bolt]}, second=pins(MAB=2), params={"weapon": "bolt"})
    assert table.last(Defend, "defence").value == 0
    assert table.taken("bob", "area-upper-body") == table.taken("bob") > 0
    table.verify()
    bolt = {**BOLT, "against": "DEF", "hurts": "HTK"}
    table = struck(1, 2, BODY, first={**MAGE, "weapons": [bolt]}, second=pins(DEF=7), params={"weapon": "bolt"})
    assert table.last(Defend, "DEF").value == 7


# -- who is not there any more


def three(*faces: int) -> Table:
    """Ann against Bob and Cy; she has declared her attack on Bob, and it comes down at count 10."""
    table = Table(1, 1, 6, 5, 6, 5, *faces)
    for who, side in (("ann", "red"), ("bob", "blue"), ("cy", "blue")):
        table.join(who, side)
    table.begin()
    table.attack("ann", "bob")
    return table


def test_a_target_that_leaves_while_it_is_asked_is_struck_at_in_vain() -> None:
    table = three(1, 1)
    assert table.asked == [("bob", "defence")]
    must(table.session.leave("bob"))
    assert table.outcomes == ["no-target"]
    assert not table.found(Roll, "attack")
    table.verify()


def test_a_target_that_left_before_is_struck_at_in_vain() -> None:
    table = Table(1, 1, 6, 5, 1, 2, 1, 1)
    for who, side in (("ann", "red"), ("bob", "blue"), ("cy", "blue")):
        table.join(who, side)
    table.begin()
    table.attack("ann", "bob")
    assert table.turn == "cy"
    must(table.session.leave("bob"))
    table.declare("cy", "wait", counts=1000)
    assert table.outcomes == ["no-target"]
    table.verify()


# -- disarming


@pytest.mark.parametrize(("roll", "outcome"), [(20, "disarmed"), (58, "disarmed"), (59, "miss")])
def test_a_disarm_meets_twice_the_rank_of_the_weapon(roll: int, outcome: str) -> None:
    table = duel(roll, 1, 1)
    table.declare("ann", "disarm", "bob", weapon="sword", held="sword")
    assert table.last(Judge, "disarm").goal == 70 - 2 * 6
    assert table.outcomes == [outcome]
    assert not table.found(ApplyDamage)
    table.verify()


def test_a_disarm_can_miss_critically() -> None:
    table = duel(100, 7, 1, 1)
    table.declare("ann", "disarm", "bob", weapon="sword", held="sword", difficulty="hard")
    assert table.last(Judge, "critical-miss").goal == 7 + 20 * 6
    table.verify()


# -- the unfamiliar


@pytest.mark.parametrize(
    ("rank", "unfamiliar", "chance"), [(0, True, 15 + 10 - 20), (0, False, 15 + 10), (3, True, 30 + 15 + 10)]
)
def test_an_unfamiliar_task_costs_the_untrained_what_the_pack_says(rank: int, unfamiliar: bool, chance: int) -> None:
    first = {"skills": {"sword": {"rank": rank, "factor": "PCF"}}}
    table = duel(chance + 1, 1, 1, first=first, options={"pack": pack(unfamiliar=-20)})
    table.attack("ann", "bob", unfamiliar=unfamiliar)
    table.answer("aware-defending")
    assert table.last(Judge, "attack").goal == chance
    assert table.outcomes == ["miss"]
    table.verify()


@pytest.mark.parametrize("name", ["attack", "disarm", "skill"])
def test_a_reaction_taken_away_meanwhile_brings_an_action_to_nothing(name: str) -> None:
    table = Table(1, 1, 6, 5, 2, 2, 6, 6)
    table.join("ann", "red", weapons=[{**SWORD, "wsd": 12}])
    table.join("bob", "blue", **SLOW)
    table.join("cy", "blue")
    table.begin()
    params: dict[str, Any] = {"attack": {"weapon": "sword"}, "disarm": {"weapon": "sword", "held": "sword"}, "skill": {}}[name]
    assert table.declare("ann", name, "bob", **params) is None
    assert table.turn == "cy"
    must(table.session.overrule("forgets", SetCondition(target="ann", ended="reaction")))
    assert table.declare("cy", "wait", counts=9000) is None
    assert table.outcomes == ["no-skill" if name == "attack" else "no-target"]
    assert not table.found(Judge, name)
