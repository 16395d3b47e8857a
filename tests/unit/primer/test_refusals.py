"""Every refusal, with what it says; nothing is appended by one (`Table.declare` looks at the digest)."""

from __future__ import annotations

from typing import Any

import pytest

from affray.kernel import Held, InputError, Modifier, SetCondition

from ...support.table import must
from .table import AREAS, BOLT, HTK, SLOW, SWORD, Sheet, Table, duel, pack


def said(table: Table, *declared: Any, rows: tuple[Modifier, ...] = (), **params: Any) -> tuple[str, tuple[Any, ...]]:
    """The code and arguments of a refusal."""
    refused = table.declare(*declared, rows=rows, **params)
    assert refused is not None
    return refused.code, refused.args


def test_a_weapon_that_is_not_carried() -> None:
    assert said(duel(), "ann", "attack", "bob", weapon="axe") == ("no-such-weapon", ("axe", "sword"))
    assert said(duel(), "ann", "disarm", "bob", weapon="axe", held="sword") == ("no-such-weapon", ("axe", "sword"))
    assert said(duel(), "ann", "disarm", "bob", weapon="sword", held="axe") == ("no-such-weapon", ("axe", "sword"))


def test_a_type_the_weapon_has_not() -> None:
    found = said(duel(), "ann", "attack", "bob", weapon="sword", type="crushing")
    assert found == ("no-such-type", ("crushing", "slicing", "chopping"))


def test_a_weapon_of_another_skill_than_was_reacted_with() -> None:
    skills = {"sword": {"rank": 6, "factor": "PCF"}, "magic": {"rank": 6, "factor": "SCF"}}
    table = Table(1, 1, 6, 5)
    table.join("ann", "red", skills=skills, weapons=[SWORD, BOLT])
    table.join("bob", "blue", **SLOW)
    table.begin()
    table.answer("sword")
    assert said(table, "ann", "attack", "bob", weapon="bolt") == ("wrong-skill", ("bolt", "magic", "sword"))


@pytest.mark.parametrize("name", ["attack", "skill"])
def test_a_turn_without_a_reaction(name: str) -> None:
    table = duel()
    must(table.session.overrule("confused", SetCondition(target="ann", ended="reaction")))
    params: dict[str, Any] = {"weapon": "sword"} if name == "attack" else {}
    assert said(table, "ann", name, "bob", **params) == ("no-reaction", ("ann",))


def test_speeds_that_do_not_exist_or_are_too_dear() -> None:
    assert said(duel(), "ann", "attack", "bob", weapon="sword", speed=9) == ("no-such-speed", (9, 8))
    assert said(duel(), "ann", "attack", "bob", weapon="sword", speed=7) == ("not-enough-points", (2, "83/120"))
    assert said(duel(), "ann", "skill", wsd=4, speed="1/2") == ("not-enough-points", (70, "83/120"))


def test_points_that_are_not_there() -> None:
    assert said(duel(), "ann", "attack", "bob", weapon="sword", ap_sold={"sc": 1}) == (
        "not-enough-points",
        (1, "83/120"),
    )
    assert said(duel(), "ann", "wait", counts=2, ap=1) == ("not-enough-points", (1, "83/120"))


# -- data that nobody brought


def test_an_attack_without_a_chart() -> None:
    table = duel(options={"pack": {}})
    assert said(table, "ann", "attack", "bob", weapon="sword") == ("missing-data", ("hit-locations", ""))
    assert said(table, "ann", "attack", "bob", weapon="sword", called=5) == ("missing-data", ("hit-locations", ""))


def test_an_attack_on_somebody_without_htk_or_pow() -> None:
    table = duel(second={"HTK": None})
    assert said(table, "ann", "attack", "bob", weapon="sword") == ("missing-data", ("HTK", "bob"))
    mage: Sheet = {"skills": {"magic": {"rank": 6, "factor": "SCF"}}, "weapons": [BOLT]}
    assert said(duel(first=mage), "ann", "attack", "bob", weapon="bolt") == ("missing-data", ("POW", "bob"))


def test_an_attack_on_somebody_whose_areas_have_no_htk() -> None:
    chart = [{**area, "htk_share": None} for area in AREAS]
    areas = {area["area"]: HTK for area in AREAS if area["area"] not in ("head", "feet")}
    table = duel(second={"area_HTK": areas}, options={"pack": pack(areas=chart)})
    assert said(table, "ann", "attack", "bob", weapon="sword") == ("missing-data", ("area-HTK", "bob", "head", "feet"))


def test_an_unfamiliar_task_whose_cost_nobody_knows() -> None:
    assert said(duel(), "ann", "attack", "bob", weapon="sword", unfamiliar=True) == ("missing-data", ("unfamiliar", ""))
    assert said(duel(), "ann", "skill", unfamiliar=True) == ("missing-data", ("unfamiliar", ""))


def test_a_disarm_of_a_weapon_whose_skill_nobody_knows() -> None:
    second = {"weapons": [{**SWORD, "key": "axe"}]}
    table = duel(second=second)
    assert said(table, "ann", "disarm", "bob", weapon="sword", held="axe") == ("missing-data", ("weapon-skill", "bob"))
    named = {"weapons": [{**SWORD, "key": "axe", "skill": "sword"}]}
    assert duel(71, 1, 1, second=named).declare("ann", "disarm", "bob", weapon="sword", held="axe") is None


def test_a_shock_save_or_healing_of_somebody_without_htk() -> None:
    table = duel(second={"HTK": None})
    assert said(table, "bob", "save", save="SYS") == ("missing-data", ("HTK", "bob"))
    assert said(table, "ann", "heal", "bob", points=1) == ("missing-data", ("HTK", "bob"))
    assert said(table, "ann", "heal", "ann", points=1, pool="POW") == ("missing-data", ("POW", "ann"))


# -- the rest


def test_skills_that_somebody_has_not() -> None:
    assert said(duel(), "ann", "contest", "bob", skill="chess", against="sword") == ("no-such-skill", ("chess", "sword"))
    assert said(duel(), "ann", "contest", "bob", skill="sword", against="chess") == ("no-such-skill", ("chess", "sword"))


def test_a_reaction_with_no_skill_of_ones_own() -> None:
    table = Table(1, 1, 6, 5)
    table.join("ann", "red")
    table.join("bob", "blue", conditions=(Held(id="unconscious"),))
    table.join("cy", "blue", **SLOW)
    table.begin()
    must(table.session.overrule("wakes", SetCondition(target="bob", ended="unconscious")))
    assert said(table, "bob", "react", skill="chess") == ("no-such-skill", ("chess", "sword"))


@pytest.mark.parametrize("amount", ["1/3", -1, "1/1000"])
def test_amounts_that_cannot_be(amount: Any) -> None:
    mage: Sheet = {"skills": {"magic": {"rank": 6, "factor": "SCF"}}, "factors": {"SCF": 10}}
    assert said(duel(first=mage), "ann", "skill", mana=amount) == ("bad-amount", ("mana", amount))
    assert said(duel(), "ann", "heal", "bob", given=amount) == ("bad-amount", ("given", amount))


def test_a_text_that_is_no_number() -> None:
    assert said(duel(), "ann", "heal", "bob", given="much") == ("bad-amount", ("given", "much"))


def test_a_skill_against_nobody() -> None:
    assert said(duel(), "ann", "skill", against="DEF") == ("wrong-number-of-targets", (0,))


def test_mana_of_somebody_who_holds_none() -> None:
    assert said(duel(), "ann", "skill", mana=1) == ("not-enough-mana", (1, 0))


def test_exertion_in_another_save() -> None:
    assert said(duel(), "bob", "save", save="WLP", exertion="heavy") == ("no-exertion", ("WLP",))


def test_a_shock_save_of_the_dead() -> None:
    table = Table(1, 1, 6, 5)
    table.join("ann", "red")
    table.join("bob", "blue", conditions=(Held(id="dead"),))
    table.join("cy", "blue", **SLOW)
    table.begin()
    assert said(table, "bob", "save", save="SYS") == ("dead", ("bob",))


def test_healing_of_nothing_or_of_no_area() -> None:
    assert said(duel(), "ann", "heal", "bob") == ("nothing-to-heal", ("bob",))
    assert said(duel(), "ann", "heal", "bob", points=1, area="tail") == ("no-such-area", ("tail",))
    assert said(duel(second={"POW": 5}), "ann", "heal", "bob", points=1, area="head", pool="POW") == (
        "no-such-area",
        ("head",),
    )


@pytest.mark.parametrize(("amount", "is_bad"), [(10_000, False), (10_001, True), (-10_001, True), ("1/100", False), ("1/3", True)])
def test_rows_beyond_the_bounds(amount: Any, is_bad: bool) -> None:
    table = duel()
    rows = (Modifier("chance", amount, "luck"),)
    refused = table.attack("ann", "bob", rows=rows)
    assert (refused is not None and refused.code == "bad-row") == is_bad
    if refused is not None:
        assert refused.args[0] == "chance"


def test_who_may_declare_what_is_a_form() -> None:
    table = duel()
    assert said(table, "bob", "attack", "ann", weapon="sword")[0] == "not-your-turn"
    assert said(table, "ann", "attack", "ann", weapon="sword") == ("not-a-target", ("ann",))
    assert said(table, "ann", "react", skill="sword")[0] == "not-allowed"
    with pytest.raises(InputError, match=r"\$\.params\.counts"):
        table.declare("ann", "wait", counts=0)


def test_opponents_who_can_act_come_first_among_targets() -> None:
    table = Table(1, 1, 6, 5, 6, 5)
    table.join("friend", "red", conditions=(Held(id="comatose"),))
    table.join("ann", "red")
    table.join("down", "blue", conditions=(Held(id="unconscious"),))
    table.join("dead", "blue", conditions=(Held(id="dead"),))
    table.join("bob", "blue", **SLOW)
    table.begin()
    (form,) = [form for form in table.session.actions("ann") if form.name == "attack"]
    assert form.targets == ("bob", "down", "friend")
