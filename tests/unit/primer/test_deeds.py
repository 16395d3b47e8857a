"""Everything but attacks: skills, contests, saves that are asked for, healing, revival, mana, waiting."""

from __future__ import annotations

from typing import Any

import pytest

from affray.kernel import Change, Defend, Held, Judge, Modifier, Roll, Save, Wait, exact
from affray.plugins.primer.derived import SAVES

from .table import SLOW, Sheet, Table, duel

# -- skills


@pytest.mark.parametrize(("roll", "outcome"), [(20, "hit"), (70, "graze"), (71, "miss")])
def test_a_skill_is_used_after_the_counts_it_takes(roll: int, outcome: str) -> None:
    table = duel(roll, 1, 1)
    assert table.declare("ann", "skill") is None
    assert table.last(Wait, "resolve").when[:3] == (12, 0, 2)
    assert table.outcomes == [outcome]
    assert not table.found(Defend)
    table.verify()


def test_a_skill_against_somebody_meets_a_defence() -> None:
    pins = {"pinned": {"MDF": {"value": 25, "reason": "a test"}}}
    table = duel(46, 1, 1, second=pins)
    table.declare("ann", "skill", "bob", against="MDF", wsd=6, difficulty="challenging")
    assert table.asked == [("bob", "defence")]
    table.answer("aware-defending")
    assert table.last(Defend, "MDF").value == 25
    assert (table.last(Judge, "skill").goal, table.outcomes) == (20, ["miss"])
    table.verify()


def test_a_skill_can_miss_critically() -> None:
    table = duel(100, 7, 1, 1)
    table.declare("ann", "skill", difficulty="difficult")
    assert table.outcomes == ["critical-miss"]
    assert table.last(Judge, "critical-miss").goal == 7 + 20 * 8
    table.verify()


def test_a_skill_can_be_used_twice_in_one_count() -> None:
    quick: Sheet = {"factors": {"PCF": 300}, "skills": {"sword": {"rank": 20, "factor": "PCF"}}}
    table = duel(20, 90, 1, 1, first=quick)
    table.declare("ann", "skill", wsd=4, speed="1/2")
    assert [(event.occurrence, event.margin) for event in table.found(Judge, "skill")] == [(0, 7), (1, 2)]
    table.verify()


MAGE: Sheet = {
    "skills": {"magic": {"rank": 6, "factor": "SCF"}, "Control_Pow": {"rank": 4}},
    "factors": {"SCF": 10},
    "weapons": [],
}
"""A spell limit of 3 SCF + 5 Control power = 50."""


def test_mana_is_drawn_a_tenth_of_the_limit_a_count_and_spent() -> None:
    table = duel(1, 1, 20, 1, 1, first=MAGE)
    assert (table.pool("ann", "mana"), table.state.combatants["ann"].ranges["mana"].high) == (10, 50)  # type: ignore[index]
    start = table.count
    table.declare("ann", "draw", counts=3)
    assert table.last(Wait, "resolve").when[0] == exact(start) + 3
    assert (table.pool("ann", "mana"), table.outcomes) == (25, ["drawn"])
    refused = table.declare("ann", "skill", mana=26)
    assert refused is not None
    assert (refused.code, refused.args) == ("not-enough-mana", (26, 25))
    table.declare("ann", "skill", mana=20)
    assert table.pool("ann", "mana") == 5
    table.verify()


def test_no_more_mana_is_held_than_the_limit() -> None:
    table = duel(1, 1, first=MAGE)
    table.declare("ann", "draw", counts=10)
    assert (table.pool("ann", "mana"), table.last(Change, "mana").overflow) == (50, 10)


def test_whoever_has_no_spell_limit_draws_nothing() -> None:
    assert "draw" not in [form.name for form in duel().session.actions("ann")]
    assert "draw" in [form.name for form in duel(first=MAGE).session.actions("ann")]


# -- waiting


def test_waiting_takes_counts_and_ends_in_a_stimulus() -> None:
    table = duel(1, 1)
    table.declare("ann", "wait", counts=3)
    assert table.last(Wait, "resolve").when[:3] == (5, 0, 2)
    assert table.stimuli[-1] == (5, "ann")
    assert table.outcomes == ["waited"]
    table.verify()


def test_counts_of_passive_action_can_be_bought_and_take_no_time() -> None:
    quick: Sheet = {"factors": {"PCF": 60}, "skills": {"sword": {"rank": 20, "factor": "PCF"}}}
    table = duel(6, 6, first=quick)
    before = exact(table.pool("ann", "act") or 0)
    table.declare("ann", "wait", counts=3, ap=2)
    assert table.found(Change, "action-points")[2].value == -2
    assert table.last(Wait, "resolve").when[:3] == (1, 0, 2)
    table = duel(6, 6, first=quick)
    table.declare("ann", "wait", counts=2, ap=5)
    assert not table.found(Wait)
    assert table.stimuli[-1] == (0, "ann")
    assert before > 5
    table.verify()


# -- contests


def contested(own: int, other: int, **params: Any) -> Table:
    """Ann, with a chance of 70, contends with Bob, who has 75."""
    table = duel(own, other, second={"factors": {"PCF": 15}})
    assert table.declare("ann", "contest", "bob", skill="sword", against="sword", **params) is None
    return table


@pytest.mark.parametrize(
    ("own", "other", "outcome", "winner", "code", "level"),
    [
        (1, 37, "won", "ann", "won", 2),
        (70, 1, "lost", "bob", "won", 3),
        (70, 75, "tie", "ann", "tie", 0),
        (71, 75, "lost", "bob", "won", 1),
    ],
)
def test_the_higher_level_wins_by_what_it_is_higher(
    own: int, other: int, outcome: str, winner: str, code: str, level: int
) -> None:
    table = contested(own, other)
    judged = table.last(Judge, "contested")
    levels = [event.margin for event in table.found(Judge, "contest")]
    assert (judged.by, judged.code, judged.goal) == (winner, code, abs(levels[0] - levels[1]))
    assert table.outcomes == [outcome]
    assert [event.by for event in table.found(Roll, "contest")] == ["ann", "bob"]
    assert level == abs(levels[0] - levels[1])
    table.verify()


def test_of_two_failures_the_better_one_wins_and_is_flagged() -> None:
    """P-19."""
    table = contested(100, 76, difficulty="hard")
    assert [event.margin for event in table.found(Judge, "contest")] == [-5, 0]
    judged = table.last(Judge, "contested")
    assert (judged.by, judged.code, judged.goal) == ("bob", "won-by-failing-less", 5)
    assert table.outcomes == ["lost"]


def test_both_sides_take_what_hinders_them() -> None:
    table = Table(1, 1, 6, 5, 50, 50)
    table.join("ann", "red")
    held = Held(id="dizzy", rows=(Modifier("action", -10, "dizzy"), Modifier("chance", -3, "dark")))
    table.join("bob", "blue", **SLOW, conditions=(held,))
    table.begin()
    table.declare("ann", "contest", "bob", skill="sword", against="sword", rows=(Modifier("chance", 5, "high ground"),))
    own, other = table.found(Judge, "contest")
    assert {row.code: row.amount for row in own.trace}["high ground"] == 5
    rows = {row.code: row.amount for row in other.trace}
    assert (rows["dizzy"], rows["dark"], "high ground" in rows) == (-10, -3, False)


# -- saves that are asked for


@pytest.mark.parametrize("name", SAVES)
def test_every_save_can_be_asked_for(name: str) -> None:
    table = duel(1)
    assert table.declare("bob", "save", save=name) is None
    (save,) = table.found(Save)
    assert save.name == name
    assert table.outcomes == ["no-effect" if name == "SYS" else "passed"]
    assert table.turn == "ann"
    table.verify()


def test_a_save_fails_above_its_value() -> None:
    table = duel(42)
    table.declare("bob", "save", save="HLTH")
    assert (table.last(Save, "save").goal, table.outcomes) == (41, ["failed"])


@pytest.mark.parametrize(
    ("exertion", "level", "state"), [(None, 0, "dazed"), ("light", 0, "dazed"), ("heavy", -1, "stunned"), ("resting", 2, "no-effect")]
)
def test_a_shock_over_time_takes_exertion_and_the_quarters_taken(exertion: Any, level: int, state: str) -> None:
    """P-62."""
    table = Table(1, 1, 6, 5, 42)
    table.join("ann", "red")
    table.join("bob", "blue", **SLOW, pools={"htk": 40})
    table.begin()
    table.declare("bob", "save", save="SYS", exertion=exertion)
    assert table.rows(Judge, "system-shock")["quarters"] == -1
    assert (table.last(Save, "system-shock").margin, table.outcomes) == (level, [state])
    assert [*table.conditions("bob")] == ([] if state == "no-effect" else [state])
    table.verify()


def test_the_worse_of_both_pools_counts_over_time() -> None:
    table = Table(1, 1, 6, 5, 1)
    table.join("ann", "red")
    table.join("bob", "blue", **SLOW, POW=40, pools={"htk": 60, "pow": 8})
    table.begin()
    table.declare("bob", "save", save="SYS")
    assert table.rows(Judge, "system-shock")["quarters"] == -2


def test_a_shock_that_fells_the_last_one_ends_the_fight_and_what_is_pending() -> None:
    table = Table(1, 1, 1, 2, 6, 5, 83, 9)
    for who, side in (("ann", "red"), ("cy", "red"), ("bob", "blue")):
        table.join(who, side, **(SLOW if who == "bob" else {}), pools={"htk": 40} if who == "bob" else {})
    table.begin()
    table.attack("ann", "bob")
    assert table.turn == "cy"
    assert table.declare("bob", "save", save="SYS", exertion="heavy") is None
    assert table.outcomes == ["fight-over", "unconscious"]
    assert table.state.over == "won-by-red"
    table.verify()


# -- healing


def wounded(*faces: int, htk: int = 60, **fields: Any) -> Table:
    """Bob has so many of 100 HTK left, and 90 of each area; HLTH is 41."""
    table = Table(1, 1, 6, 5, *faces)
    table.join("ann", "red")
    table.join("bob", "blue", **SLOW, pools={"htk": htk, "area-arms": 90}, **fields)
    table.join("cy", "blue", **{**SLOW, "skills": {}, "weapons": []})
    table.begin()
    return table


def test_every_point_has_its_roll_and_later_ones_are_easier() -> None:
    """P-94."""
    table = wounded(42, 51, 52)
    table.declare("ann", "heal", "bob", points=3)
    saves = table.found(Save, "healing")
    assert [(save.goal, save.code) for save in saves] == [(41, "failed"), (51, "passed"), (51, "failed")]
    assert [row.amount for save in saves for row in save.trace if row.code == "later"] == [10, 10]
    assert (table.taken("bob"), table.outcomes) == (39, ["healed"])
    table.verify()


def test_a_failed_roll_heals_nothing() -> None:
    table = wounded(42)
    table.declare("ann", "heal", "bob", points=1)
    assert (table.taken("bob"), table.outcomes, table.found(Change, "healing")) == (40, ["not-healed"], [])


def test_what_is_given_needs_no_roll_and_may_heal_an_area() -> None:
    table = wounded()
    table.declare("ann", "heal", "bob", given="7/2", area="arms")
    assert (table.taken("bob"), table.taken("bob", "area-arms")) == (exact("73/2"), exact("13/2"))
    table.declare("ann", "heal", "bob", given=100, area="arms")
    assert (table.taken("bob"), table.taken("bob", "area-arms")) == (0, 0)
    table.verify()


def test_power_heals_too() -> None:
    table = wounded(POW=30)
    table.declare("ann", "heal", "bob", given=1, pool="POW")
    assert table.last(Change, "healing").pool == "pow"


# -- back from the dead


def dead(*faces: int, htk: int = -5) -> Table:
    """Bob is dead, his soul here until count 2000; SYS is 142, and so many of 100 HTK are left."""
    table = Table(1, 1, *faces)
    table.join("ann", "red")
    held = Held(id="dead", value=2000, until=(2000,))
    table.join("bob", "blue", **{**SLOW, "CON": 40, "DRV": 30}, pools={"htk": htk}, conditions=(held,))
    table.join("cy", "blue", **{**SLOW, "skills": {}, "weapons": []})
    table.begin()
    return table


def test_an_extreme_shock_gives_one_more_roll_at_minus_sixty() -> None:
    """P-67: SYS 142 - 60 = 82, four quarters take three."""
    table = dead(5)
    assert table.declare("ann", "revive", "bob") is None
    save = table.last(Save, "system-shock")
    assert {row.code: row.amount for row in save.trace}["death"] == -60
    assert (save.goal, table.last(Judge, "system-shock").margin, save.margin) == (82, 4, 1)
    assert table.outcomes == ["revived"]
    assert table.conditions("bob") == {}
    assert table.state.agenda["bob"].moment == "stimulus"
    table.verify()


def test_its_new_state_replaces_death_also_by_a_milder_one() -> None:
    table = dead(50)
    table.declare("ann", "revive", "bob")
    assert [*table.conditions("bob")] == ["2x-stunned"]
    assert table.until("bob", "2x-stunned") == 2 + 40
    table.verify()


def test_dead_again_is_dead_as_before() -> None:
    table = dead(99, htk=-100)
    table.declare("ann", "revive", "bob")
    assert (table.outcomes, table.until("bob", "dead")) == (["dead"], 2000)
    assert table.conditions("bob") == {"dead": 2000}
    table.verify()


def test_a_life_that_comes_back_for_no_count_at_all_comes_back() -> None:
    """P-68: with a DRV of 40 a daze lasts 0 counts."""
    table = Table(1, 1, 43)
    table.join("ann", "red")
    table.join("bob", "blue", **{**SLOW, "DRV": 40}, pools={"htk": 60}, conditions=(Held(id="dead", until=(2000,)),))
    table.join("cy", "blue", **{**SLOW, "skills": {}, "weapons": []})
    table.begin()
    table.declare("ann", "revive", "bob")
    assert table.last(Save, "system-shock").code == "dazed"
    assert (table.outcomes, table.conditions("bob")) == (["revived"], {})


def test_healing_past_a_quarter_line_gives_the_roll_too() -> None:
    table = dead(5)
    table.declare("ann", "heal", "bob", given=5)
    assert table.outcomes == ["healed"]
    table.declare("ann", "heal", "bob", given=1)
    assert table.outcomes == ["healed", "revived"]
    table.verify()


def test_nobody_revives_the_living_or_those_whose_soul_has_left() -> None:
    table = duel()
    assert "revive" not in [form.name for form in table.session.actions("ann")]
    table = Table(1, 1)
    table.join("ann", "red")
    table.join("bob", "blue", conditions=(Held(id="soul-gone"),))
    table.join("cy", "blue", skills={}, weapons=[])
    table.begin()
    forms = {form.name: form for form in table.session.actions("ann")}
    assert "revive" not in forms
    assert "bob" not in forms["heal"].targets + forms["attack"].targets
