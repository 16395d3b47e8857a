"""Given, when, then: what they say, and what they do not let pass."""

from __future__ import annotations

from typing import Any

import pytest

from affray.kernel import (
    Action,
    ApplyDamage,
    Ask,
    Breach,
    Choose,
    Declare,
    Done,
    Fight,
    Held,
    Join,
    Judge,
    Leave,
    Note,
    Overrule,
    Roll,
    SetPool,
    Steps,
    commands,
    hookimpl,
)
from affray.kernel.testing import (
    Given,
    ScriptedDice,
    amend,
    answer,
    asked,
    audited,
    combatant,
    declare,
    dice_used,
    event,
    events,
    given,
    has,
    holds,
    lacks,
    leave,
    no_event,
    not_asked,
    over,
    overrule,
    pool_is,
    refused,
    report,
    turn_of,
    unchanged,
    undo,
)

from ...support.sound import Bless, Sound
from ...support.tiny import Tiny

ANN, BOB, CY = (combatant(who, {"hp": 12, "init": init}) for who, init in (("ann", 9), ("bob", 5), ("cy", 1)))
HIT = (1, 2, 7, 2, 1)
"""Who comes first, an attack that hits, 3 points."""


def duel(*faces: int, **how: Any) -> Given:
    return given(Tiny, ANN, BOB, dice=faces or HIT, **how)


def test_a_test_reads_like_the_rule() -> None:
    with duel() as fight:
        fight.when(declare("ann", "attack", "bob"), id="a1").then(
            events(Declare, Roll, Judge, Ask),
            event(Judge, code="hit", goal=10, margin=3, trace=[("skill", 10)]),
            asked("bob", "guard", "dodge", "stand"),
            no_event(ApplyDamage),
        )
        fight.when(answer("bob", "stand"), by="bob").then(
            event(ApplyDamage, target="bob", value=3, touched=[("temp", 0, 0), ("hp", 12, 9)], roll="a1|roll.damage.ann.0"),
            event(Done, code="hit"),
            pool_is("bob", "hp", 9),
            lacks("bob", "bleeding"),
            not_asked(),
            turn_of("bob"),
            over(""),
            dice_used(),
            audited(),
            holds("Ann is whole", lambda one: one.pool("ann", "hp") == 12),
        )


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        (event(Judge, code="miss"), "no judge with code='miss'"),
        (event(Judge, trace=[("skill", 9)]), "no judge with trace"),
        (no_event(Roll), "1 times roll"),
        (events(Declare), "what happened is ['declare', 'roll', 'judge', 'ask'], not ['declare']"),
        (refused("not-your-turn"), "it was accepted, not refused (not-your-turn)"),
        (unchanged(), "4 events were appended"),
        (pool_is("bob", "hp", 1), "bob's hp is 12, not 1"),
        (has("bob", "down"), "bob does not have 'down'"),
        (turn_of("bob"), "it is the turn of ann, not of bob"),
        (over("won"), "the fight is not over, not won"),
        (asked("ann", "guard"), "ann is not asked 'guard'"),
        (asked("bob", "guard", "dodge"), "bob may answer ('dodge', 'stand'), not ('dodge',)"),
        (not_asked(), "asked is guard"),
        (dice_used(), "dice are left: (2, 1)"),
        (holds("pigs fly", lambda fight: False), "not so: pigs fly"),
    ],
)
def test_what_is_not_so_is_told_with_what_happened(wrong: Any, told: str) -> None:
    fight = duel().when(declare("ann", "attack", "bob"))
    with pytest.raises(AssertionError) as error:
        fight.then(wrong)
    assert told in str(error.value)
    assert "what happened:\n  12 declare" in str(error.value)


def test_a_condition_has_a_value() -> None:
    fight = given(Tiny, combatant("ann", {"hp": 3}, conditions=(Held(id="bleeding", value=2),)), BOB, dice=(1, 2))
    fight.then(has("ann", "bleeding"), has("ann", "bleeding", 2))
    with pytest.raises(AssertionError, match="ann's 'bleeding' is 2, not 3"):
        fight.then(has("ann", "bleeding", 3))
    with pytest.raises(AssertionError, match="ann has 'bleeding'"):
        fight.then(lacks("ann", "bleeding"))


# -- refusals and breaches


def test_a_refusal_has_to_be_said() -> None:
    """Law 10: a refusal is a value, and a test that does not look at it would pass for the wrong reason."""
    with pytest.raises(AssertionError, match="it was refused: not-your-turn bob attack"):
        duel(1, 2).when(declare("bob", "attack", "ann")).then()
    with pytest.raises(AssertionError, match="it was refused: not-your-turn"):
        duel(1, 2).when(declare("bob", "attack", "ann")).then(turn_of("ann"))
    with pytest.raises(AssertionError, match="and no `then` says so"):
        duel(1, 2).when(declare("bob", "attack", "ann")).when(declare("ann", "end-turn"))
    with pytest.raises(AssertionError, match="and no `then` says so"), duel(1, 2) as fight:
        fight.when(declare("bob", "attack", "ann"))


def test_a_refusal_is_compared() -> None:
    fight = duel(1, 2)
    fight.when(declare("ann", "attack", "bob", power=10)).then(refused("too-much-power"), unchanged())
    fight.when(declare("ann", "attack", "bob", power=10)).then(refused("too-much-power", 10))
    with pytest.raises(AssertionError, match="it was refused: too-much-power 10, not not-your-turn"):
        fight.when(declare("ann", "attack", "bob", power=10)).then(refused("not-your-turn"))
    with pytest.raises(AssertionError, match="not too-much-power"):
        fight.when(declare("ann", "attack", "bob", power=10)).then(refused("too-much-power", 11))


def test_the_first_refusal_ends_a_when() -> None:
    fight = duel(1, 2).when(declare("bob", "end-turn"), declare("ann", "end-turn"))
    fight.then(refused("not-your-turn"), unchanged())


def test_after_a_breach_nothing_has_changed() -> None:
    class Raising(Tiny):
        @hookimpl
        def resolve(self, fight: Fight, action: Action) -> Steps:
            raise ValueError("no")

    fight = given(Raising, ANN, BOB, dice=(1, 2))
    with pytest.raises(Breach, match="hook resolve: raised ValueError"):
        fight.when(declare("ann", "attack", "bob"))
    fight.then(unchanged(), turn_of("ann"), audited())


def test_a_script_that_is_left_over_fails_the_test() -> None:
    with pytest.raises(AssertionError, match=r"dice are left: \(7,\)"), duel(1, 2, 7):
        pass
    with pytest.raises(ZeroDivisionError), duel(1, 2, 7):  # what went wrong first is told
        raise ZeroDivisionError


# -- commands


def test_dice_are_reported_and_people_come_and_go() -> None:
    with given(Tiny, ANN, BOB, dice=(2,), reported=["ann"], begun=False) as fight:
        fight.when(commands.Begin()).then(asked_dice("ann"))
        fight.when(report("ann", 4)).then(turn_of("ann"))
        fight.when(declare("ann", "roll", notation="2d6!"), report("ann", [6, 3], 2)).then(event(Roll, total=11, source="reported"))
        fight.when(CY).then(event(Join, id="cy"))
        fight.when(leave("bob")).then(event(Leave, id="bob"), audited())


def asked_dice(who: str) -> Any:
    return holds(f"{who} has to roll", lambda fight: any(one.ask.plan and who in one.ask.who for one in fight.state.prompts.values()))


def test_going_back_and_putting_right() -> None:
    with duel() as fight:
        fight.when(declare("ann", "attack", "bob"), answer("bob", "stand", "guard"), id="").then(pool_is("bob", "hp", 9))
        version = next(number for number, one in enumerate(fight.table.events(), 1) if isinstance(one, Choose))
        word = commands.Word(at=version, effect=SetPool(target="bob", pool="temp", value=2))
        fight.when(amend(word)).then(pool_is("bob", "hp", 11), audited())
        fight.when(undo()).then(pool_is("bob", "hp", 9), audited())
        fight.when(overrule(SetPool(target="bob", pool="hp", value=5))).then(event(Overrule), pool_is("bob", "hp", 5))
        fight.when(commands.Note(text="so be it")).then(event(Note, text="so be it"), audited())


def test_another_process_goes_on() -> None:
    with duel() as fight:
        fight.when(declare("ann", "attack", "bob"), id="a1").then()
        before = fight.table.exchange
        fight.restart().when(answer("bob", "stand")).then(pool_is("bob", "hp", 9), audited())
        assert fight.table.exchange is not before


def test_a_prompt_is_found_by_who_is_asked() -> None:
    fight = duel(1, 2)
    with pytest.raises(AssertionError, match="no one prompt waits for 'bob'; asked is nothing"):
        fight.when(answer("bob", "stand"))


def test_house_rules_are_named_by_their_classes() -> None:
    people = (combatant("ann", {"speed": 9}), combatant("bob", {"speed": 1}))
    for house in ([Bless], [Bless()], {"bless": Bless}):
        with given(Sound, *people, house=house, dice=(1, 2, 3)) as fight:
            fight.when(declare("ann", "attack", "bob")).then(event(Judge, goal=12, trace=[("skill", 10), ("blessed", 2)]))


def test_everybody_is_on_a_side_of_the_own_name() -> None:
    join = combatant("ann", {"hp": 1})
    assert (join.id, join.name, join.side, join.controller) == ("ann", "Ann", "ann", "ann")
    named = combatant("ann", {"hp": 1}, name="A", side="red", controller="gm", secret=False, pools={"hp": 0})
    assert (named.name, named.side, named.controller, named.secret, named.pools) == ("A", "red", "gm", False, {"hp": 0})


def test_secret_numbers_are_kept_in_the_log_of_a_table() -> None:
    with given(Tiny, ANN, combatant("gob", {"hp": 12}, controller="gm"), dice=HIT) as fight:
        fight.when(declare("ann", "attack", "gob"), answer("gob", "stand")).then(pool_is("gob", "hp", 9), audited())
        assert any(fight.table.log.kept.values())


def test_dice_of_any_kind_may_be_given() -> None:
    dice = ScriptedDice(*HIT)
    fight = given(Tiny, ANN, BOB, dice=dice)
    assert fight.table.dice is dice
