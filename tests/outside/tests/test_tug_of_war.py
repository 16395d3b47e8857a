"""Tests of tug of war and of its house rule, by Affray's kit."""

from __future__ import annotations

from affray.kernel import ApplyDamage, Change, Defend, Judge, Save
from affray.kernel.testing import (
    Given,
    answer,
    asked,
    audited,
    check_house_rule,
    check_rules,
    combatant,
    declare,
    event,
    given,
    has,
    over,
    pool_is,
    refused,
    turn_of,
)
from affray_outside import make
from affray_outside.mud import Mud

INES, JORY = combatant("ines", {"strength": 6, "breath": 6}), combatant("jory", {"strength": 3, "breath": 8})


def test_who_pulls_more_drags_by_the_difference() -> None:
    with given(make, INES, JORY, dice=[5, 2]) as fight:
        fight.when(declare("ines", "pull", "jory", effort=1)).then(asked("jory", "brace", "dig-in", "lean"))
        fight.when(answer("jory", "dig-in")).then(
            event(Defend, value=7, trace=[("dice", 2), ("strength", 3), ("dig-in", 2)]),
            event(Judge, code="dragged", goal=7, margin=4),
            event(ApplyDamage, target="jory", value=4, trace=[("dice", 5), ("strength", 6), ("against-brace", -7)]),
            pool_is("jory", "dragged", 4),
            pool_is("ines", "breath", 5),
            turn_of("jory"),
            audited(),
        )


def test_who_leans_and_is_dragged_may_stumble() -> None:
    with given(make, INES, JORY, dice=[5, 2, 6, 4]) as fight:
        fight.when(declare("ines", "pull", "jory"), answer("jory", "lean")).then(
            event(Save, code="stumbles", margin=-3), event(Change, key="stumble", value=-1), pool_is("jory", "breath", 7)
        )


def test_a_heave_comes_later_and_ends_it() -> None:
    with given(make, INES, JORY, dice=[2, 6, 6, 1]) as fight:
        fight.when(declare("ines", "heave", "jory")).then(turn_of("jory"))
        fight.when(declare("jory", "breathe")).then(asked("jory", "brace", "dig-in", "lean"))
        fight.restart()
        fight.when(answer("jory", "dig-in")).then(has("jory", "over-the-line", 1), over("won-by-ines"), audited())


def test_breath_runs_out() -> None:
    with given(make, combatant("ines", {"strength": 6, "breath": 1}), JORY) as fight:
        fight.when(declare("ines", "heave", "jory")).then(refused("out-of-breath", 2, 1))


def test_a_tie_is_the_pullers_in_the_schoolyard() -> None:
    def tied(fight: Given) -> Given:
        return fight.when(declare("ines", "pull", "jory"), answer("jory", "dig-in"))

    with given(make, INES, JORY, dice=[1, 2]) as fight:
        tied(fight).then(event(Judge, code="held", margin=0))
    with given(make, INES, JORY, bundle="schoolyard", dice=[1, 2]) as fight:
        tied(fight).then(event(Judge, code="dragged", margin=0), pool_is("jory", "dragged", 0))


def test_mud_makes_a_puller_weaker() -> None:
    muddy = combatant("jory", {"strength": 3, "breath": 8}, pools={"dragged": 5})
    with given(make, muddy, INES, house=[Mud], dice=[1, 1]) as fight:
        fight.when(declare("jory", "pull", "ines"), answer("ines", "lean")).then(
            event(ApplyDamage, target="jory", value=4, trace=[("brace", 7), ("against-dice", -1), ("against-strength", -3), ("against-mud", 1)])
        )


def test_nothing_is_wrong_with_the_rules() -> None:
    check_rules(make, processes=False).assert_clean()
    check_rules(make, bundle="schoolyard", processes=False, fights=2).assert_clean()


def test_nothing_is_wrong_with_the_rule() -> None:
    check_house_rule(Mud, over=make, processes=False, fights=2).assert_clean()
