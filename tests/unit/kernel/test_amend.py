"""Amends: where they go back to, what each edit does, and what is refused."""

from __future__ import annotations

import pytest

from affray.kernel import (
    AmendPlan,
    ApplyDamage,
    Choose,
    Condition,
    Declare,
    Entry,
    Fight,
    GiveModifier,
    Held,
    InputError,
    Join,
    Moment,
    Note,
    Order,
    Overrule,
    Refused,
    Request,
    Roll,
    SetCondition,
    SetPool,
    SetStep,
    Steps,
    Turn,
    commands,
    hookimpl,
    limits,
    slot,
)

from ...support.amends import (
    PLAIN,
    SCRIPT,
    SURE,
    WHY,
    amended,
    check,
    faces,
    fight,
    find,
    hp,
    last,
    line,
    luck,
    planned,
    refused,
    stands,
    undone_and_redone,
    word,
)
from ...support.table import answer_all, engine, must, tiny_catalog, tiny_session
from ...support.tiny import Tiny

# -- what an edit does


def test_a_forgotten_modifier_is_given_to_its_action_and_to_nothing_else() -> None:
    """Law 1: the record stays, and what was amended stands behind it with its reason."""
    session = fight()
    before, thrown = stands(session), faces(session)
    at, _ = find(session, Roll, key="attack", action="a1")
    plan = planned(session, word(at, luck("a1")))

    assert [("a1|apply-damage.damage.bob.0", 4, 6), ("a2|apply-damage.damage.bob.0", 6, 6)] == [
        (one.slot, one.before["value"], one.after["value"]) for one in plan.changed
    ]
    assert [("bob.hp", 2, 0)] == [(one.where, one.before, one.after) for one in plan.differences]
    did = amended(session, word(at, luck("a1")))
    assert plan.events == did.events
    assert (thrown, 0) == (faces(session), hp(session))
    assert WHY == find(session, Overrule)[1].reason
    undone_and_redone(session, before)
    check(session)


def test_a_modifier_reaches_nested_actions_and_moments() -> None:
    session = tiny_session(engine(catalog=PLAIN), people=3, dice="scripted", script=(1, 1, 1, 3, 2, 2, 3, 2, 2))
    must(session.declare("ann", "flurry", "bob", "cy", id="f1"))
    answer_all(session, 1)
    nested = find(session, Declare, parent="f1")[1].action
    assert (8, 8) == (hp(session), hp(session, "cy"))
    amended(session, word(find(session, Declare, action="f1")[0], luck(nested, 3)))
    assert (5, 8) == (hp(session), hp(session, "cy"))
    check(session)


class Sore(Tiny):
    """Whoever's turn starts takes a point of damage, and what rows add to it."""

    @hookimpl
    def upkeep(self, fight: Fight, moment: Moment) -> Steps | None:
        return sore(fight, moment) if moment.name == "start" else super().upkeep(fight, moment)


def sore(fight: Fight, moment: Moment) -> Steps:
    value = 1 + sum(int(row.amount) for row in moment.rows("damage.flat"))
    yield ApplyDamage("sore", target=moment.who, pools=("hp",), value=value)
    when = (int(fight.at[0]) + 1, *fight.state.at[1:])
    yield Order("next", entries=(Entry(key=moment.who, when=when, who=moment.who),))
    return ""


def test_a_modifier_reaches_an_upkeep_before_it_came() -> None:
    session = tiny_session(engine(catalog=tiny_catalog(Sore)))
    must(session.end_turn("ann", caller="ann"))
    assert 11 == hp(session)
    moment = find(session, Turn, moment="start", who="bob")
    amended(session, word(moment[0], luck(moment[1].action, 4)))
    assert 7 == hp(session)
    check(session)


def test_another_answer_brings_its_dice_and_takes_the_others_away() -> None:
    session = fight()
    at, _ = find(session, Choose, action="a1")
    plan = planned(session, commands.Reanswer(at=at, value="dodge"))
    assert ("die", "a1|roll.dodge.bob.0") == (plan.stopped and plan.stopped.why, plan.stopped and plan.stopped.what)
    did = amended(session, commands.Reanswer(at=at, value="dodge"))
    assert ("a1|roll.dodge.bob.0",) == did.drawn
    assert "dodge" == find(session, Choose, action="a1")[1].value
    assert [WHY] == [event.text for _, event in line(session) if isinstance(event, Note)], "no overrule tells this reason"
    check(session)


def test_faces_that_were_misread_are_set_and_told_as_the_game_masters() -> None:
    session = fight()
    at, roll = find(session, Roll, key="damage", action="a1")
    amended(session, word(at, SetStep(slot=slot(roll), fields={"faces": [[1], [1]]})))
    now = find(session, Roll, key="damage", action="a1")[1]
    assert (((1,), (1,)), 2, "overruled", 4) == (now.faces, now.total, now.source, hp(session))
    check(session)


def test_a_face_comes_back_when_the_word_that_set_it_is_left_out() -> None:
    """No two amends make a free reroll."""
    session = fight()
    at, roll = find(session, Roll, key="damage", action="a1")
    before = faces(session)
    amended(session, word(at, SetStep(slot=slot(roll), fields={"faces": [[1], [1]]})))
    amended(session, commands.Drop(at=find(session, Overrule)[0]))
    assert (before, ()) == (faces(session), session.amended and session.amended.drawn)
    assert 2 == hp(session)
    check(session)


def test_one_target_of_several_is_not_hit() -> None:
    """A later step of one person is set; nobody else's dice, numbers or conditions move."""
    session = tiny_session(people=3, dice="scripted", script=(1, 1, 1, 3))
    must(session.declare("ann", "sweep", "bob", "cy", id="s1"))
    answer_all(session, 1)
    assert (9, 9) == (hp(session), hp(session, "cy"))
    at, damage = find(session, ApplyDamage, target="cy")
    did = amended(session, word(at, SetStep(slot=slot(damage), fields={"value": 0})))
    assert (9, 12, ()) == (hp(session), hp(session, "cy"), did.drawn)
    assert {"cy"} == {one.where.partition(".")[0] for one in did.differences}
    check(session)


def test_pools_and_conditions_are_set_as_if_it_had_been_said_then() -> None:
    session = fight()
    at, _ = find(session, Declare, action="b1")
    plan = amended(session, word(at, SetPool(target="bob", pool="hp", value=12)), word(at, SetCondition(target="ann", held=Held(id="blessed"))))
    assert (6, None) == (hp(session), plan.stopped)
    assert "blessed" in session.state().combatants["ann"].conditions
    amended(session, word(find(session, Declare, action="a2")[0], SetCondition(target="ann", ended="blessed")))
    assert "blessed" not in session.state().combatants["ann"].conditions
    check(session)


def test_words_stand_before_or_behind_the_command_in_their_order() -> None:
    session = fight()
    at, _ = find(session, Declare, action="a1")
    edits = [word(at, SetPool(target="bob", pool="temp", value=n), after=n > 2) for n in (1, 2, 3, 4)]
    amended(session, *edits)
    events = [event if isinstance(event, Declare) else event.effect for _, event in line(session) if isinstance(event, Overrule | Declare)]
    there = [event.action if isinstance(event, Declare) else event.value for event in events if isinstance(event, Declare | SetPool)]
    assert [1, 2, "a1", 3, 4, "b1", "a2"] == there
    check(session)


def test_words_beside_an_answer_that_nobody_asks_for_are_told_as_gone() -> None:
    session = fight()
    at, roll = find(session, Roll, key="attack", action="a1")
    answered = find(session, Choose, action="a1")[0]
    words = [word(answered, SetPool(target="ann", pool="hp", value=n), after=n > 1) for n in (1, 2)]
    did = amended(session, word(at, SetStep(slot=slot(roll), fields={"faces": [[20]]})), *words)
    assert (["gone"] * 3, None, 10) == ([one.code for one in did.outcomes if one.code != "done"], did.stopped, hp(session, "ann"))
    assert ["a1", "b1", "a2"] == [event.action for _, event in line(session) if isinstance(event, Declare)]
    must(session.undo())
    for name in ("a2", "b1"):
        must(session.undo(name))
    must(session.overrule("so", SetPool(target="bob", pool="temp", value=3)))
    did = amended(session, word(at, SetStep(slot=slot(roll), fields={"faces": [[20]]})), words[1])
    assert (["gone"] * 2, None) == ([one.code for one in did.outcomes if one.code != "done"], did.stopped)
    assert 3 == session.state().combatants["bob"].pools["temp"], "they hold up nobody"
    check(session)


def test_a_declaration_gets_another_target_or_parameter() -> None:
    session = tiny_session(engine(catalog=PLAIN), people=3, dice="scripted", script=(1, 1, 1, 3, 2, 2))
    must(session.declare("ann", "attack", "bob", id="a1"))
    answer_all(session, 1)
    at, _ = find(session, Declare, action="a1")
    did = amended(session, commands.Redeclare(at=at, targets=("cy",)))
    assert (None, ["a1|ask.guard.0"]) == (did.stopped, list(session.prompts("cy"))), "the record ends there: it is the present"
    assert ["not-asked"] == [one.code for one in did.outcomes if one.code != "done"]
    must(session.undo())
    did = amended(session, commands.Redeclare(at=at, params={"power": 9}), commands.Supply(slot="a1|ask.guard.0", who="bob", value="stand"))
    assert ({"power": 9}, 8) == (find(session, Declare, action="a1")[1].params, hp(session))
    check(session)


def test_another_sheet_runs_everything_again_and_moves_the_pools_with_it() -> None:
    session = fight()
    at, joined = find(session, Join, id="bob")
    amended(session, commands.Resheet(at=at, sheet={**joined.sheet, "hp": 30}))
    assert (20, {**joined.sheet, "hp": 30}) == (hp(session), session.state().combatants["bob"].sheet)
    check(session)


def test_a_pool_that_began_elsewhere_begins_there_still() -> None:
    session = tiny_session(begun=False)
    must(session.join("cy", side="c", sheet={"hp": 12, "init": 1}, pools={"hp": 3}, secret=False))
    at, joined = find(session, Join, id="cy")
    amended(session, commands.Resheet(at=at, sheet={**joined.sheet, "hp": 30}))
    assert 3 == hp(session, "cy")
    assert 30 == find(session, Join, id="cy")[1].pools["hp"].high


def test_a_command_that_is_left_out_takes_its_consequences_along() -> None:
    session = fight()
    did = amended(session, commands.Drop(at=find(session, Declare, action="a1")[0]))
    assert ["dropped", "gone"] == [one.code for one in did.outcomes if one.code != "done"]
    assert did.stopped is not None
    assert ("turn", ("ann",), 4) == (did.stopped.why, did.stopped.who, did.left)
    must(session.end_turn("ann"))
    did = amended(session, go_on=True)
    assert ((), None, 6) == (did.drawn, did.stopped, hp(session))
    check(session)


def test_several_edits_are_one_amend() -> None:
    session = fight()
    before = stands(session)
    first, second = find(session, Declare, action="a1")[0], find(session, Declare, action="a2")[0]
    amended(session, word(second, luck("a2", 1)), word(first, luck("a1", -2)))
    assert 12 - 2 - 7 == hp(session)
    undone_and_redone(session, before)
    check(session)


def test_an_amend_is_amended_again_with_all_it_put_in() -> None:
    session = fight()
    stood = [stands(session)]
    for name, amount in (("a1", 1), ("a2", 1), ("a1", -3)):
        amended(session, word(find(session, Declare, action=name)[0], luck(name, amount)))
        stood.append(stands(session))
    assert 2 - 1 - 1 + 3 == hp(session)
    assert [1, -3, 1] == [event.effect.rows[0].amount for _, event in line(session) if isinstance(event, Overrule) and isinstance(event.effect, GiveModifier)]
    check(session)
    for expected in reversed(stood[:-1]):
        must(session.undo())
        assert expected == stands(session)


# -- what is refused, and where an edit does not fit


def test_only_the_game_master_amends() -> None:
    session = fight()
    answer = session.do(Request(id="x", command=commands.Amend(since=2, reason=WHY), caller="ann"))
    assert Refused("gm-only", ("ann",)) == answer.refused


def test_what_does_not_count_any_more_is_not_amended() -> None:
    session = fight()
    must(session.undo())
    assert Refused("not-present", (session.head - 1,)) == refused(session, commands.Drop(at=session.head - 1))
    assert Refused("not-present", (session.head,)) == refused(session, since=session.head)


def test_what_belongs_to_the_log_itself_is_not_amended() -> None:
    session = fight()
    must(session.note("x", secret=True))
    must(session.reveal(session.head))
    must(session.reveal_dice())
    for version in (1, session.head - 1, session.head):
        assert Refused("not-amendable", (version,)) == refused(session, commands.Drop(at=version))
    amended(session, commands.Drop(at=find(session, Choose, action="a1")[0]))
    assert Refused("not-amendable", (session.head,)) == refused(session, commands.Drop(at=session.head))


def test_dice_that_may_not_be_taken_back_are_not() -> None:
    session = fight(undo_dice="forbid")
    assert Refused("dice-thrown") == refused(session, commands.Drop(at=find(session, Choose, action="a1")[0]))
    must(session.note("x"))
    amended(session, commands.Drop(at=session.head))


def test_what_the_rules_refuse_of_an_edit_refuses_the_amend() -> None:
    """Law 10: nothing was appended."""
    session = fight()
    at = find(session, Declare, action="a1")[0]
    assert Refused("not-a-target", ("ann",)) == refused(session, commands.Redeclare(at=at, targets=("ann",)))
    assert Refused("too-much-power", (10,)) == refused(session, commands.Redeclare(at=at, params={"power": 10}))
    answered = find(session, Choose, action="a1")[0]
    assert Refused("no-such-option", ("fly", "dodge", "stand")) == refused(session, commands.Reanswer(at=answered, value="fly"))
    supplied = commands.Supply(slot="a1|ask.guard.0", who="bob", value="fly")
    assert "no-such-option" == refused(session, commands.Drop(at=answered), supplied).code
    assert Refused("no-such-action", ("a1",)) == refused(session, word(at, luck("a1"), after=False), word(last(session, Choose)[0], luck("a1"), after=True))


def test_numbers_that_a_step_cannot_have_fail_the_amend() -> None:
    session = fight()
    at, roll = find(session, Roll, key="damage", action="a1")
    found = refused(session, word(at, SetStep(slot=slot(roll), fields={"faces": [[9], [1]]})))
    assert ("amend-failed", "a1|ask.guard.0") == (found.code, found.args[0])
    session = tiny_session(dice="scripted-then-fair", script=(1, 1, 3, 2, 2))
    must(session.declare("ann", "attack", "bob"))
    answer_all(session, 1)
    at, wound = find(session, Condition)
    assert "amend-failed" == refused(session, word(at, SetStep(slot=slot(wound), fields={"code": "eaten"}))).code


@pytest.mark.parametrize(
    ("edit", "path"),
    [
        (commands.Drop(at=10_000), "$.edits[0].at"),
        (commands.Drop(at=0), "$.edits[0].at"),
        (commands.Reanswer(at=2, value="x"), "$.edits[0].at"),
        (commands.Redeclare(at=2), "$.edits[0].at"),
        (commands.Resheet(at=4, sheet={}), "$.edits[0].at"),
        (commands.Supply(slot="a1|roll.attack.ann.0", who="bob", value="x"), "$.edits[0].slot"),
        (commands.Supply(slot="guard", who="bob", value="x"), "$.edits[0].slot"),
        (commands.Supply(slot="a1|ask.witness-attack.0", who="bob", value="witness"), "$.edits[0].slot"),
        (commands.Resheet(at=2, sheet={"hp": 0}), "$.sheet.hp"),
        (commands.Resheet(at=2, sheet={"strength": 3}), "$.sheet"),
        (word(2, SetPool(target="zed", pool="hp", value=3)), "$.effect.pool"),
        (word(2, luck("a1", place="nowhere")), "$.effect.rows[0]"),
    ],
)
def test_edits_that_do_not_fit_are_named(edit: commands.Edit, path: str) -> None:
    session = fight()
    before = (session.head, stands(session))
    for attempt in (lambda: session.amend_plan(commands.Amend(edits=(edit,), since=2, reason=WHY)), lambda: session.amend(edit, since=2, reason=WHY)):
        with pytest.raises(InputError) as error:
            attempt()
        assert path == error.value.path
    assert before == (session.head, stands(session))


def test_an_amend_says_what_it_changes_and_why() -> None:
    session = fight()
    for amend, path in (
        (commands.Amend(reason=WHY), "$.edits"),
        (commands.Amend(since=2, reason=""), "$.reason"),
        (commands.Amend(since=2, reason="x" * (limits.TEXT_LENGTH + 1)), "$.reason"),
        (commands.Amend(edits=(commands.Drop(at=2), commands.Drop(at=2)), reason=WHY), "$.edits[1].at"),
    ):
        with pytest.raises(InputError) as error:
            session.amend_plan(amend)
        assert path == error.value.path


def test_so_many_edits_and_no_more() -> None:
    """Law 9: a bound by name."""
    session = fight()
    edits = [word(2, SetPool(target="bob", pool="temp", value=n)) for n in range(limits.AMEND_EDITS + 1)]
    with pytest.raises(InputError, match="more than 200 edits"):
        session.amend_plan(commands.Amend(edits=tuple(edits), reason=WHY))
    behind = [word(3, edit.effect, after=True) for edit in edits[:-1]]
    plan = session.amend_plan(commands.Amend(edits=tuple(behind), reason=WHY))
    assert isinstance(plan, AmendPlan)
    assert limits.AMEND_EDITS == sum(isinstance(event, Overrule) for event in plan.events)


def test_an_action_may_be_called_like_a_witness() -> None:
    session = fight(script=SCRIPT[:3])
    must(session.declare(session.state().turn, "attack", "bob" if session.state().turn == "ann" else "ann", id="witness-1", rows=SURE))
    name = next(iter(session.prompts()))
    must(session.note("hm"))
    assert name.startswith("witness-1|")
    assert session.head - 1 == planned(session, commands.Drop(at=session.head)).to
