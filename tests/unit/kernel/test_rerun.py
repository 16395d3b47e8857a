"""Running the commands of a record again: what they are, which comes when, and what is left where something is missing."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from affray.kernel import (
    GM,
    Action,
    ApplyDamage,
    Ask,
    Choose,
    Close,
    CloseAction,
    Declare,
    Drawn,
    GiveModifier,
    InputError,
    Join,
    Leave,
    Log,
    Modifier,
    Note,
    Overrule,
    Refused,
    RefusedInside,
    Roll,
    SetPool,
    State,
    Steps,
    Veil,
    commands,
    dice,
    fold_all,
    opens_run,
    slot,
)
from affray.kernel.lineage import rolls_of
from affray.kernel.recorded import (
    Input,
    Past,
    begun_at,
    inputs_of,
    open_end_of,
    queue_of,
    rest_of,
    witnesses_of,
)
from affray.kernel.recorded_dice import NeedsDie, NoFresh
from affray.kernel.rerun import Outcome, Rerun, Stopped
from affray.sessions import Session

from ...support.amends import amended, find, last, log_of, word
from ...support.broken import Told, session_of
from ...support.fights import prompt_for
from ...support.table import answer_all, must, tiny_catalog, tiny_session
from ...support.tiny import Tiny

SURE = (Modifier("attack.skill", 20, "sure"),)


class Forbidden:
    """Dice that must not be thrown."""

    def again(self, roll: Roll, run: int, state: State, recorded: Any) -> Drawn:
        raise AssertionError(f"{slot(roll)} was thrown")


class Refusing:
    """Dice that cannot be thrown now."""

    def again(self, roll: Roll, run: int, state: State, recorded: Any) -> Drawn:
        raise RefusedInside(Refused("dice-wait-for-nonce", (2,)))


def fight(session: Session | None = None) -> Session:
    """Ann attacks and hits, Bob stands; Bob ends his turn by choice; notes in between."""
    session = session or tiny_session()
    must(session.declare("ann", "attack", "bob", rows=SURE, id="a1"))
    must(session.note("Ouch.", caller="bob"))
    must(session.answer("a1|ask.guard.0", "bob", "stand", id="c1", caller="bob"))
    must(session.end_turn("bob", caller="bob"))
    return session


def overruled() -> Session:
    """Ann attacks and hits; then the game master has a word, and Bob ends his turn."""
    session = tiny_session()
    must(session.declare("ann", "attack", "bob", rows=SURE, id="a1"))
    must(session.answer("a1|ask.guard.0", "bob", "stand"))
    must(session.overrule("so", SetPool(target="bob", pool="hp", value=3)))
    must(session.note("Well."))
    must(session.end_turn("bob"))
    return session


def past(log: Log, since: int = 1, **fields: Any) -> Past:
    """The past of a log that is run again behind a version."""
    line = log.line()
    record = inputs_of(log, line, since)
    open_end, last_turn = open_end_of(line, record)
    made = Past(
        line=tuple(log.line(since)),
        inputs=tuple(record),
        rolls=rolls_of(line, since),
        witnesses=witnesses_of(line, since),
        open_end=open_end,
        last_turn=last_turn,
    )
    return replace(made, **fields)


def rerun(log: Log, again: Past, fresh: Any = None, plugin: type = Tiny) -> Rerun:
    found = Rerun(tiny_catalog(plugin).rules, log, again, fresh or Forbidden(), log.head + 1)
    found.run()
    return found


def without(again: Past, *events: type) -> Past:
    return replace(again, inputs=tuple([one for one in again.inputs if type(one.event) not in events]))


# -- what people put in


def test_inputs_are_what_people_put_in() -> None:
    """Law 6: everything else follows from it by the rules."""
    session = fight()
    log = log_of(session)
    found = inputs_of(log, log.line(), 1)

    assert ["Join", "Join", "Turn", "Declare", "Note", "Choose", "Declare"] == [type(one.event).__name__ for one in found]
    assert [GM, GM, GM, GM, "bob", "bob", "bob"] == [one.by for one in found]
    assert ["", "", "", "start:ann.1", "", "", "start:bob.1"] == [one.turn for one in found]
    assert ["", "", "", "start:ann.1", "start:ann.1", "start:ann.1", "start:bob.1"] == [one.during for one in found]


def test_the_second_part_of_a_command_is_none_of_its_own() -> None:
    session = tiny_session(dice={"ann": "reported"}, begun=False)
    must(session.begin())
    must(session.report(prompt_for(session, "ann"), "ann", [[3]], id="r1"))
    log = log_of(session)
    version, _ = find(session, Roll, by="ann")

    assert ["Join", "Join", "Turn", "Roll"] == [type(one.event).__name__ for one in inputs_of(log, log.line(), 1)]
    assert {version} == {begun_at(log, later) for later in range(version, log.head + 1)}


def test_an_ending_by_hand_is_one_input_with_its_code() -> None:
    session = tiny_session()
    must(session.declare("ann", "blow", "bob"))
    must(session.close("tired"))
    log = log_of(session)
    *_, end = inputs_of(log, log.line(), 1)

    assert (end.event, end.closing) == (Close(code="tired"), True)


def test_a_word_said_before_its_action_is_known_by_that() -> None:
    session = fight()
    at, declared = find(session, Declare, action="a1")
    amended(session, word(at, GiveModifier(action=declared.action, rows=SURE)))
    must(session.overrule("so", SetPool(target="bob", pool="hp", value=3)))
    log = log_of(session)

    assert [True, False] == [one.ahead for one in inputs_of(log, log.line(), 1) if type(one.event) is Overrule]


def test_who_had_sent_a_command_first_is_known_however_often_it_was_run_again() -> None:
    session = fight()
    for _ in range(3):
        amended(session, since=find(session, Join)[0])
    log = log_of(session)
    found = inputs_of(log, log.line(), 1)

    assert [GM, GM, GM, GM, "bob", "bob", "bob"] == [one.by for one in found]
    behalf = [one.sender.on_behalf for one in session.history(reader=GM) if one.sender and not one.undone and one.version == find(session, Choose)[0]]
    assert ["bob"] == behalf


def test_what_is_open_where_a_record_ends_is_what_nobody_answered() -> None:
    session = tiny_session(people=3)
    must(session.declare("ann", "sweep", "bob", "cy", id="a1"))
    must(session.answer("a1|ask.sweep.0", "cy", "duck"))
    log = log_of(session)
    line = log.line()

    assert (frozenset({("a1|ask.sweep.0", "bob")}), "start:ann.1") == open_end_of(line, inputs_of(log, line, 1))
    must(session.answer("a1|ask.sweep.0", "bob", "duck"))
    log = log_of(session)
    line = log.line()
    assert (frozenset(), "start:bob.1") == open_end_of(line, inputs_of(log, line, 1))


# -- what is left


def test_what_is_left_is_told_and_read_again() -> None:
    """Law 1: the log itself says how an amend goes on."""
    log = log_of(fight())
    record = inputs_of(log, log.line(), 1)
    changed = replace(record[3], edits=(commands.Redeclare(at=record[3].version, targets=("ann",)),))
    new = Input(version=0, event=Overrule(reason="so", effect=SetPool(target="bob", pool="hp", value=3)), precedes=record[4].version)
    for queue in ([], record, record[2:], [record[0], *record[3:5], record[6]], [*record[:3], changed, new, *record[4:]]):
        assert queue == queue_of(rest_of(queue, record), record)
    assert len(rest_of(record, record)) < len(rest_of([record[0], record[2], record[4], record[6]], record))


@pytest.mark.parametrize("text", ["", "{}", '[{"first":1,"last":"x"}]', '[{"event":{"kind":"nothing"}}]', "[1]"])
def test_what_cannot_be_read_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="what is left of the amend cannot be read"):
        queue_of(text, [])


# -- running it


@pytest.mark.parametrize("since", [1, 2, 3])
def test_nothing_changed_gives_the_same_events_and_throws_no_die(since: int) -> None:
    """Law 6: a recorded step is made again with its outcome."""
    log = log_of(fight())
    found = rerun(log, past(log, since))
    events = [event for made in found.made for event, _ in made.events]

    assert [event for version, event in log.line() if version > since] == [replace(e, reused=0) if type(e) is Roll else e for e in events]
    assert ({"done"}, None, [], ()) == ({one.code for one in found.outcomes}, found.stopped, found.queue, found.drawn)
    assert fold_all(log.line()).combatants == found.exchange.state.combatants


def test_a_die_that_no_record_has_ends_it_in_the_middle_of_a_command() -> None:
    log = log_of(fight())
    again = past(log)
    found = rerun(log, replace(again, rolls={n: r for n, r in again.rolls.items() if ".damage." not in n}), NoFresh())

    assert Stopped(why="die", what="a1|roll.damage.ann.0", who=("ann",)) == found.stopped
    assert [Choose] == [type(event) for event in found.partial]
    assert ["Choose", "Declare"] == [type(one.event).__name__ for one in found.queue]
    assert [Ask, Choose] == [type(e) for v, e in found.reached(log, log.line()) if getattr(e, "key", "") == "guard"][:2]
    assert not any(type(event) is ApplyDamage for _, event in found.reached(log, log.line()))


def test_dice_that_cannot_be_thrown_now_end_it_before_their_command() -> None:
    log = log_of(fight())
    again = past(log)
    found = rerun(log, replace(again, rolls={n: r for n, r in again.rolls.items() if ".damage." not in n}), Refusing())

    assert Stopped(why="dice", what="a1|roll.damage.ann.0", who=("ann",), text="dice-wait-for-nonce 2") == found.stopped
    assert Refused("dice-wait-for-nonce", (2,)) == found.dice_refused
    assert ["Choose", "Declare"] == [type(one.event).__name__ for one in found.queue]
    assert {"a1|ask.guard.0"} == found.exchange.state.prompts.keys(), "nothing of the command is left behind"
    assert found.exchange.head == log.head + 1 + sum(len(made.events) for made in found.made)


def test_what_a_resolver_refuses_leaves_nothing_behind() -> None:
    """Law 10: a refusal is a value, and the command is as if it had never been."""

    def refuse(state: Any, action: Action) -> Steps:
        return Refused("never", (action.actor,))
        yield

    plugin = Told(refuse)
    plugin.resolver = None
    session = fight(session_of(plugin))
    log = log_of(session)
    plugin.resolver = refuse
    found = Rerun(session._books.rules, log, past(log), Forbidden(), log.head + 1)
    found.run()

    declared, answered = find(session, Declare, action="a1")[0], find(session, Choose)[0]
    assert {(declared, "never"), (answered, "gone")} <= {(one.version, one.code) for one in found.outcomes}
    assert (found.drawn, found.exchange.state.open, found.exchange.state.turn) == ((), {}, "ann")
    assert Stopped(why="turn", what="start:ann.1", who=("ann",)) == found.stopped
    assert not any(opens_run(e) and e.action == "a1" for made in found.made for e, _ in made.events)


def test_answers_wait_for_their_prompts_and_are_told_as_gone_where_none_comes() -> None:
    log = log_of(fight())
    again = past(log)
    unsure = tuple([replace(one, event=replace(one.event, rows=())) if one.event == again.inputs[3].event else one for one in again.inputs])
    low = {n: (v, replace(r, faces=((20,),), total=20)) if ".attack." in n else (v, r) for n, (v, r) in again.rolls.items()}
    found = rerun(log, replace(again, inputs=unsure, rolls=low))

    assert [("Choose", "gone")] == [(type(one.event).__name__, one.code) for one in found.outcomes if one.code != "done"]
    assert found.stopped is None


def test_a_declaration_that_is_missing_stops_it_before_anything_that_came_later() -> None:
    session = overruled()
    log = log_of(session)
    found = rerun(log, past(log, inputs=tuple([one for one in past(log).inputs if getattr(one.event, "action", "") != "a1"])))

    assert Stopped(why="turn", what="start:ann.1", who=("ann",)) == found.stopped
    assert ["Overrule", "Note", "Declare"] == [type(one.event).__name__ for one in found.queue]
    assert {"bob": 12} == {who: one.pools["hp"] for who, one in found.exchange.state.combatants.items() if who == "bob"}


def test_an_answer_that_is_missing_stops_it_before_anything_that_came_later() -> None:
    log = log_of(overruled())
    found = rerun(log, without(past(log), Choose))

    assert Stopped(why="prompt", what="a1|ask.guard.0", who=("bob",)) == found.stopped
    assert ["Overrule", "Note", "Declare"] == [type(one.event).__name__ for one in found.queue]


def test_what_was_said_between_a_question_and_its_answer_comes_between_them_again() -> None:
    session = tiny_session()
    must(session.declare("ann", "attack", "bob", rows=SURE, id="a1"))
    must(session.overrule("so", SetPool(target="bob", pool="hp", value=3)))
    must(session.answer("a1|ask.guard.0", "bob", "stand"))
    log = log_of(session)
    found = rerun(log, past(log))

    kinds = [type(made.events[0][0]).__name__ for made in found.made]
    assert ["Declare", "Overrule", "Choose"] == kinds[-3:]


def test_who_left_while_asked_is_not_waited_for() -> None:
    session = tiny_session(people=3)
    must(session.declare("ann", "attack", "bob", rows=SURE, id="a1"))
    must(session.leave("bob"))
    log = log_of(session)
    found = rerun(log, past(log))

    assert (None, Leave) == (found.stopped, type(found.made[-1].events[0][0]))


def test_an_action_closed_by_the_game_master_is_closed_again() -> None:
    session = tiny_session()
    must(session.declare("ann", "attack", "bob", rows=SURE, id="a1"))
    must(session.overrule("stuck", CloseAction(action="a1")))
    must(session.end_turn("ann"))
    log = log_of(session)
    found = rerun(log, past(log))
    assert (None, {"done"}) == (found.stopped, {one.code for one in found.outcomes})

    gone = rerun(log, past(log, inputs=tuple([one for one in past(log).inputs if getattr(one.event, "action", "") != "a1"])))
    assert Outcome(version=last(session, Overrule)[0], event=last(session, Overrule)[1], code="gone") not in gone.outcomes
    assert any(type(one.event) is Overrule and one.code != "done" for one in gone.outcomes) or gone.stopped is not None


def test_a_modifier_for_an_action_that_is_over_by_then_is_gone() -> None:
    session = tiny_session()
    must(session.declare("ann", "attack", "bob", rows=SURE, id="a1"))
    must(session.overrule("so", GiveModifier(action="a1", rows=(Modifier("damage.flat", 1, "luck"),))))
    must(session.answer("a1|ask.guard.0", "bob", "stand"))
    must(session.end_turn("bob"))
    log = log_of(session)
    again = past(log)
    missed = {n: (v, replace(r, faces=((20,),), total=20)) if ".attack." in n else (v, r) for n, (v, r) in again.rolls.items()}
    bare = tuple([replace(one, event=replace(one.event, rows=())) if getattr(one.event, "rows", ()) else one for one in again.inputs])
    found = rerun(log, replace(again, rolls=missed, inputs=bare))

    codes = {type(one.event).__name__: one.code for one in found.outcomes if one.code != "done"}
    assert {"Overrule": "gone", "Choose": "gone"} == codes
    assert found.stopped is None


def test_secret_notes_stay_their_writers() -> None:
    session = tiny_session()
    must(session.note("a potion", secret=True, caller="bob"))
    log = log_of(session)
    (event,) = [event for made in rerun(log, past(log)).made for event, _ in made.events if type(event) is Note]

    assert event == log.line()[-1][1]
    assert Veil(audience=("bob", GM), fields=("text",)) == event.veil


def test_the_name_of_a_missing_die_is_its_slot() -> None:
    roll = Roll("attack", action="a1", by="ann", plan=dice(1, 6))
    with pytest.raises(NeedsDie, match=r"a1\|roll\.attack\.ann\.0"):
        NoFresh().again(roll, 1, State(), (0, ()))


def test_turns_are_counted_per_person() -> None:
    """A declaration belongs to its actor's n-th turn, not to a place in the log."""
    session = tiny_session()
    for who in ("ann", "bob", "ann", "bob"):
        must(session.end_turn(who))
    log = log_of(session)
    turns = [one.turn for one in inputs_of(log, log.line(), 1) if type(one.event) is Declare]
    assert ["start:ann.1", "start:bob.1", "start:ann.2", "start:bob.2"] == turns
    answer_all(session)
