"""What differs between two states, and between two tellings of the same steps."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from affray.kernel import (
    GM,
    ChangedStep,
    Combatant,
    Declare,
    Difference,
    Entry,
    Held,
    Judge,
    Option,
    Prompt,
    Roll,
    State,
    Veil,
    changed_steps,
    dice,
    differences,
)
from affray.kernel import Ask as Asked
from affray.kernel import Note as Noted

ANN = Combatant(
    id="ann", name="Ann", side="a", controller="ann", secret=False, number=1, sheet={"hp": 12}, pools={"hp": 12}, ranges=None, conditions={}
)
FIGHT = State(began=True, at=(1, -9), turn="ann", combatants={"ann": ANN}, agenda={"bob": Entry(key="bob", when=(1, -8), who="bob")})


def with_ann(**fields: Any) -> State:
    return replace(FIGHT, combatants={"ann": replace(ANN, **fields)})


def found(after: State, before: State = FIGHT) -> dict[str, tuple[Any, Any]]:
    """The differences by where they are, and told the same way round and back."""
    there = {one.where: (one.before, one.after) for one in differences(before, after)}
    back = {one.where: (one.after, one.before) for one in differences(after, before)}
    assert there == back
    return there


def test_equal_states_have_no_difference() -> None:
    assert differences(FIGHT, FIGHT) == ()
    assert differences(FIGHT, with_ann(pools={"hp": 12})) == ()


def test_every_value_that_a_table_notices_is_told() -> None:
    assert {"ann.hp": (12, 7), "ann.temp": (None, 2)} == found(with_ann(pools={"hp": 7, "temp": 2}))
    assert {"ann.gone": (False, True)} == found(with_ann(gone=True))
    assert {"ann.sheet.hp": (12, 30)} == found(with_ann(sheet={"hp": 30}))
    held = Held(id="down", value=1)
    assert found(with_ann(conditions={"down": held}))["ann.condition.down"][1]["id"] == "down"
    assert {"turn": ("ann", ""), "over": ("", "won")} == found(replace(FIGHT, turn="", over="won"))
    assert {"at": ([1, -9], [2]), "began": (True, False)} == found(replace(FIGHT, at=(2,), began=False))


def test_agenda_prompts_and_open_actions_are_told_by_their_names() -> None:
    later = {"bob": Entry(key="bob", when=(2, -8), who="bob")}
    assert {"agenda.bob": ([1, -8], [2, -8])} == found(replace(FIGHT, agenda=later))
    assert {"agenda.bob": ([1, -8], None)} == found(replace(FIGHT, agenda={}))
    ask = Asked("guard", action="a1", who=("ann",), options=(Option(code="x"),))
    assert {"prompt.a1|ask.guard.0": (None, "open")} == found(replace(FIGHT, prompts={"a1|ask.guard.0": Prompt(ask=ask, answers={})}))


def test_somebody_who_is_not_there_is_one_difference() -> None:
    assert differences(FIGHT, replace(FIGHT, combatants={})) == (Difference(where="ann", before="Ann", after=None),)


def roll(face: int, **fields: Any) -> Roll:
    return Roll("attack", action="a1", by="ann", plan=dice(1, 20), faces=((face,),), total=face, source="engine", **fields)


def test_steps_are_matched_by_their_slots() -> None:
    """Law 6: a step is the same step wherever it stands in the log."""
    verdict = Judge("attack", action="a1", by="ann", code="hit", goal=10)
    old = [(5, roll(3)), (6, verdict)]

    assert changed_steps(old, [verdict, roll(3)]) == ()
    assert [("a1|roll.attack.ann.0", 5)] == [(one.slot, one.version) for one in changed_steps(old, [roll(4), verdict])]
    gone, new = changed_steps(old, [roll(3), replace(verdict, occurrence=1)])
    assert (gone.version, gone.after, new.version, new.before) == (6, None, 0, None)
    assert isinstance(gone, ChangedStep)


def test_who_may_read_a_step_and_where_its_faces_were_kept_from_make_no_difference() -> None:
    again = roll(3, reused=5, veil=Veil(audience=(GM,), fields=("faces",)))
    assert changed_steps([(5, roll(3))], [again]) == ()
    assert changed_steps([(5, roll(3))], [replace(again, source="scripted")]) == ()


def test_what_is_no_step_and_what_only_witnesses_dice_is_not_told() -> None:
    witness = Asked("witness-attack", action="a1", who=("ann",), options=(Option(code="witness"),))
    declared = Declare(action="a1", actor="ann", name="x", targets=(), params={}, rows=(), parent="", secret=False)
    assert changed_steps([(1, declared), (2, Noted(text="x")), (3, witness)], []) == ()
