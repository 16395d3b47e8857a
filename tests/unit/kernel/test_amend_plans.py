"""Amends that stop and go on, and what a plan tells without a single die."""

from __future__ import annotations

from typing import Any

import pytest

from affray.kernel import (
    GM,
    Action,
    ApplyDamage,
    Ask,
    Choose,
    Declare,
    Drawn,
    Fight,
    InputError,
    Judge,
    Note,
    Refused,
    Rewind,
    Roll,
    SetPool,
    SetStep,
    Steps,
    commands,
    dice,
    hookimpl,
    slot,
)

from ...support.amends import (
    SCRIPT,
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
    word,
)
from ...support.table import engine, must, tiny_catalog, tiny_session
from ...support.tiny import Tiny

# -- going on


def test_what_was_edited_behind_the_place_where_it_stopped_is_not_lost() -> None:
    session = fight()
    answered, damage = find(session, Choose, action="a1"), find(session, ApplyDamage, action="a2")
    edits = (
        commands.Drop(at=answered[0]),
        word(find(session, Declare, action="b1")[0], luck("b1", 5)),
        commands.Redeclare(at=find(session, Declare, action="a2")[0], params={"power": 1}),
        word(damage[0], SetStep(slot=slot(damage[1]), fields={"value": 0})),
    )
    did = amended(session, *edits)
    assert did.stopped is not None
    assert ("prompt", 4) == (did.stopped.why, did.left)
    must(session.answer("a1|ask.guard.0", "bob", "stand", caller="bob"))
    did = amended(session, go_on=True)
    assert (None, 8, 12 - 2 - 5) == (did.stopped, hp(session), hp(session, "ann"))
    assert {"power": 1} == find(session, Declare, action="a2")[1].params
    assert Refused("nothing-to-go-on") == refused(session, go_on=True)
    check(session)


def test_the_answer_after_a_stop_meets_the_recorded_dice() -> None:
    """A recorded face never changes unless an amend names it: no answer is a free reroll."""
    session = fight(script=SCRIPT[:3])
    before = faces(session)
    amended(session, commands.Drop(at=find(session, Choose, action="a1")[0]))
    must(session.answer("a1|ask.guard.0", "bob", "stand"))
    assert before["a1|roll.damage.ann.0"] == faces(session)["a1|roll.damage.ann.0"]
    assert "engine" == find(session, Roll, key="damage", action="a1")[1].source, "it can be proven still"
    amended(session, go_on=True)
    assert before == faces(session)
    must(session.close())
    assert 0 == session.verify().dice.unrevealed
    check(session)


def test_an_answer_supplied_goes_on_at_once() -> None:
    session = fight()
    at, _ = find(session, Choose, action="a1")
    did = amended(session, commands.Drop(at=at), commands.Supply(slot="a1|ask.guard.0", who="bob", value="stand"))
    assert (None, 2, ()) == (did.stopped, hp(session), did.drawn)
    check(session)


def test_going_on_twice_and_after_an_undo() -> None:
    session = fight()
    amended(session, commands.Drop(at=find(session, Choose, action="a1")[0]), commands.Drop(at=find(session, Choose, action="b1")[0]))
    assert Refused("prompt-open", ("a1|ask.guard.0",)) == session.amend(go_on=True).refused
    must(session.answer("a1|ask.guard.0", "bob", "stand"))
    stood = stands(session)
    for _ in range(2):
        did = amended(session, go_on=True)
        assert did.stopped is not None
        assert "b1|ask.guard.0" == did.stopped.what
        must(session.undo())
        assert stood == stands(session)
    amended(session, go_on=True)
    must(session.answer("b1|ask.guard.0", "ann", "stand"))
    assert None is amended(session, go_on=True).stopped
    assert (2, 10) == (hp(session), hp(session, "ann"))
    check(session)


def test_going_on_may_leave_out_what_cannot_go_on() -> None:
    session = fight()
    old = find(session, Declare, action="b1")[0]
    amended(session, commands.Drop(at=find(session, Choose, action="a1")[0]))
    must(session.answer("a1|ask.guard.0", "bob", "stand"))
    must(session.end_turn("bob"))
    did = amended(session, commands.Drop(at=old), go_on=True)
    assert ["dropped", "gone"] == [one.code for one in did.outcomes if one.code != "done"]
    assert (None, 12) == (did.stopped, hp(session, "ann"))
    check(session)


def test_going_on_edits_only_what_is_still_to_come() -> None:
    session = fight()
    amended(session, commands.Drop(at=find(session, Choose, action="a1")[0]))
    with pytest.raises(InputError, match="not among those that are run again"):
        session.amend_plan(commands.Amend(edits=(commands.Drop(at=2),), reason=WHY, go_on=True))


def test_an_amend_given_up_is_not_gone_on_with() -> None:
    session = fight()
    amended(session, commands.Drop(at=find(session, Choose, action="a1")[0]))
    must(session.answer("a1|ask.guard.0", "bob", "stand"))
    amended(session, word(last(session, Choose)[0], SetPool(target="bob", pool="temp", value=1)))
    assert Refused("nothing-to-go-on") == session.amend(go_on=True).refused


def test_what_is_left_is_for_the_game_master_to_read() -> None:
    session = fight()
    amended(session, commands.Drop(at=find(session, Choose, action="a1")[0]))
    text = last(session, Note)[1].text
    assert text.startswith('Left of the amend: [{"first":')
    assert None is session.history()[-1].event.text
    assert None is session.history()[-1].sender


# -- the plan


class NoDice:
    """A host that may not throw."""

    def again(self, roll: Roll, run: int, state: Any, recorded: Any) -> Drawn:
        raise AssertionError(f"{slot(roll)} was thrown")

    draw = again


def test_a_plan_throws_no_die_and_stores_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """A die that can be seen and declined is a free reroll."""
    session = fight()
    monkeypatch.setattr("affray.sessions.entropy.HostDice.again", NoDice.again)
    monkeypatch.setattr("affray.sessions.entropy.HostDice.draw", NoDice.again)
    monkeypatch.setattr("affray.sessions.stores.memory.MemoryStore.append", lambda *args: pytest.fail("was appended"))
    at, _ = find(session, Choose, action="a1")
    for edit in (commands.Reanswer(at=at, value="dodge"), commands.Drop(at=2), word(at, luck("a1"))):
        planned(session, edit)


def test_a_plan_tells_nothing_of_what_it_has_not_come_to() -> None:
    session = fight()
    plan = planned(session, commands.Reanswer(at=find(session, Choose, action="a1")[0], value="dodge"))
    assert ((), 5) == (plan.changed, plan.left), "the answer itself is halfway"


def test_where_nothing_is_changed_nothing_is_told() -> None:
    """Law 6."""
    session = fight()
    plan = planned(session, since=2)
    assert ((), (), None, 0, ()) == (plan.changed, plan.differences, plan.stopped, plan.left, plan.drawn)
    assert [event for version, event in line(session) if version > plan.to] == [
        event if not isinstance(event, Roll) else find(session, Roll, action=event.action, key=event.key, by=event.by)[1] for event in plan.events
    ]


class Third(Tiny):
    """An attack rolls one more die of damage for every row of luck."""

    @hookimpl
    def resolve(self, fight: Fight, action: Action) -> Steps:
        return thirds(fight, action) if action.name == "attack" else super().resolve(fight, action)


def thirds(fight: Fight, action: Action) -> Steps:
    count = 2 + len(action.rows("damage.flat"))
    roll = yield from Roll("damage", by=action.actor, plan=dice(count, 4))
    yield ApplyDamage("damage", target=action.target, pools=("hp",), value=int(roll.total or 0))
    return "hit"


@pytest.mark.parametrize(("policy", "drawn"), [("scripted", ((2,), (3,), (4,))), ("fair", None)])
def test_a_plan_of_dice_that_grew_keeps_its_faces_and_throws_the_rest(policy: str, drawn: Any) -> None:
    made = engine(catalog=tiny_catalog(Third))
    session = tiny_session(made, dice=policy, script=(1, 1, 2, 3, 4) if policy == "scripted" else ())
    must(session.declare("ann", "attack", "bob", id="a1", caller="ann", nonce="n1"))
    at, roll = find(session, Roll, key="damage")
    plan = planned(session, word(at, luck("a1")))
    assert plan.stopped is not None
    assert "die" == plan.stopped.why
    did = amended(session, word(at, luck("a1")))
    now = find(session, Roll, key="damage")[1]
    assert (("a1|roll.damage.ann.0",), at, roll.faces) == (did.drawn, now.reused, now.faces[:2])
    assert now.faces == (drawn or now.faces)
    assert policy == "fair" or "script-exhausted" == session.declare("ann", "attack", "bob").refused.code  # type: ignore[union-attr]
    must(session.close())
    report = session.verify().dice
    assert (0, 0) == (report.unrevealed, report.unknown)
    assert report.proven == report.engine
    check(session)
    again = session.__class__(session._store, session._books, session._entropy, "s")
    assert stands(session) == stands(again)


def test_a_script_goes_on_behind_the_faces_that_an_amend_used() -> None:
    """Whoever loads the session meets the same faces as who had it open."""
    made = engine(catalog=tiny_catalog(Third))
    session = tiny_session(made, dice="scripted", script=(1, 1, 2, 3, 4, 1, 2))
    must(session.declare("ann", "attack", "bob", id="a1"))
    amended(session, word(find(session, Roll, key="damage")[0], luck("a1")))
    loaded = made.load("s")
    must(loaded.declare("ann", "attack", "bob", id="a2"))
    assert ((1,), (2,)) == find(loaded, Roll, action="a2")[1].faces


def test_a_group_begins_with_its_rewind_and_tells_who_had_sent_what() -> None:
    session = fight()
    must(session.note("x", caller="bob"))
    head = session.head
    must(session.amend(commands.Drop(at=find(session, Choose, action="a1")[0]), commands.Supply(slot="a1|ask.guard.0", who="bob", value="stand"), reason=WHY, id="m1"))
    there = [one for one in session.history(reader=GM) if one.version > head]
    assert Rewind(to=find(session, Ask, action="a1")[0], why="amend") == there[0].event
    assert ("m1", GM) == (there[0].sender.command, there[0].sender.caller)  # type: ignore[union-attr]
    senders = {one.sender.command: one.sender.on_behalf for one in there[1:] if one.sender}
    assert {"", "bob"} == set(senders.values())
    assert all(name.startswith(f"amend~{head + 1}~") for name in senders)
    assert Judge in {type(one.event) for one in there}
