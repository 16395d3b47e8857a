"""A step on its way into the log: filled in, ruled on by the house, and by the game master last of all (law 5)."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from affray.kernel import (
    GM,
    Action,
    ApplyDamage,
    Ask,
    Breach,
    EndTurn,
    Fight,
    Judge,
    Modifier,
    Option,
    Part,
    Roll,
    Row,
    SetPool,
    SetStep,
    Step,
    dice,
    hookimpl,
)
from affray.sessions import Session

from ...support.broken import Told, session_of
from ...support.table import answer_all, must, tiny_session
from ...support.tiny import Tiny

PARTS = (
    Part(type="fire", rolled=4, rows=(Row("armour", -1, "sheet"),), value=3),
    Part(type="cold", rolled=2, rows=(), value=2),
)
SURE = (Modifier("attack.skill", 20, "sure"),)
GOAL = (Row("skill", 10, "sheet"), Row("luck", 2, "dice"))


def strikes(fight: Fight, action: Action) -> Any:
    """A verdict, a question, five points of damage by parts and three by a trace."""
    yield Judge("hit", by="ann", code="hit", goal=12, margin=3, trace=GOAL)
    yield Ask("guard", who=("bob",), options=(Option(code="stand"), Option(code="dodge")))
    yield ApplyDamage("parts", target="bob", pools=("temp", "hp"), value=5, parts=PARTS)
    yield ApplyDamage("trace", target="bob", pools=("hp",), value=3, trace=(Row("fist", 3, "rule"),))
    yield EndTurn("end", who="ann")
    return "done"


def fought(*words: tuple[str, dict[str, Any]], **how: Any) -> Session:
    """The strike, with fields that the game master set by place before it."""
    session = session_of(Told(strikes), **how)
    for place, fields in words:
        must(session.overrule("so", SetStep(slot=f"a1|{place}", fields=fields)))
    must(session.declare("ann", "attack", "bob", id="a1"))
    answer_all(session)
    return session


def steps(session: Session, key: str) -> Any:
    (found,) = [r.event for r in session.history(reader=GM) if getattr(r.event, "key", "") == key]
    return found


# -- the game master's word on a coming step


def test_what_is_set_is_recorded_and_says_by_whom() -> None:
    session = fought(("judge.hit.ann.0", {"code": "miss", "margin": -1}))
    judge = steps(session, "hit")
    assert (judge.code, judge.margin, judge.goal, judge.by_rules) == ("miss", -1, 12, ("overrule",))
    assert steps(session, "parts").by_rules == ()


@pytest.mark.parametrize(("goal", "row"), [(15, 3), (9, -3), ("25/2", "1/2")])
def test_a_number_that_is_set_explains_itself(goal: Any, row: Any) -> None:
    """The trace adds up to the number it explains, also where somebody set the number."""
    session = fought(("judge.hit.ann.0", {"goal": goal}))
    judge = steps(session, "hit")
    assert (judge.goal, judge.trace) == (goal, (*GOAL, Row("overrule", row, "overrule")))
    assert session.verify().is_clean


def test_what_follows_from_a_number_that_is_set_follows_anew() -> None:
    session = fought(("apply-damage.trace.bob.0", {"value": 1}), ("apply-damage.parts.bob.0", {"value": 2}))
    parts, trace = steps(session, "parts"), steps(session, "trace")
    assert (trace.value, trace.touched[0].before, trace.touched[0].after) == (1, 10, 9)
    assert trace.trace == (Row("fist", 3, "rule"), Row("overrule", -2, "overrule"))
    assert (parts.value, parts.parts, [row.amount for row in parts.trace]) == (2, (), [5, -3])
    assert session.state().combatants["bob"].pools["hp"] == 9
    assert session.verify().is_clean


def test_a_trace_that_is_set_along_is_taken_as_it_is() -> None:
    session = fought(("judge.hit.ann.0", {"goal": 1, "trace": [["fiat", 1, "gm"]]}))
    assert steps(session, "hit").trace == (Row("fiat", 1, "gm"),)
    with pytest.raises(Breach, match=r"plugin 'overrule', hook ruling: .*adds up to 1, not to the goal of 2"):
        fought(("judge.hit.ann.0", {"goal": 2, "trace": [["fiat", 1, "gm"]]}))


def test_only_the_step_of_that_slot_is_set() -> None:
    session = fought(("judge.hit.ann.1", {"code": "miss"}), ("judge.hit.bob.0", {"code": "miss"}))
    assert steps(session, "hit").code == "hit"


def test_a_question_may_be_changed() -> None:
    session = session_of(Told(strikes))
    must(session.overrule("so", SetStep(slot="a1|ask.guard.0", fields={"options": [{"code": "kneel"}]})))
    must(session.declare("ann", "attack", "bob", id="a1"))
    (prompt,) = session.prompts().values()
    assert prompt.ask.options == (Option(code="kneel"),)


def test_the_newest_word_counts_and_undo_takes_it_back() -> None:
    session = session_of(Told(strikes))
    for code in ("first", "second"):
        must(session.overrule("so", SetStep(slot="a1|judge.hit.ann.0", fields={"code": code})))
    must(session.declare("ann", "attack", "bob", id="a1"))
    assert steps(session, "hit").code == "second"
    must(session.undo())
    must(session.undo())
    must(session.declare("ann", "attack", "bob", id="a2"))
    codes = [r.event.code for r in session.history() if isinstance(r.event, Judge)]
    assert codes == ["second", "hit"], "a2 is another action: a word names one slot"


def test_a_step_that_waits_already_is_as_it_was_asked() -> None:
    session = session_of(Told(strikes))
    must(session.declare("ann", "attack", "bob", id="a1"))
    must(session.overrule("so", SetPool(target="bob", pool="hp", value=11)))
    must(session.overrule("so", SetStep(slot="a1|apply-damage.parts.bob.0", fields={"value": 1, "parts": []})))
    answer_all(session)
    assert steps(session, "parts").touched[1].before == 11
    assert session.state().combatants["bob"].pools["hp"] == 7


# -- on dice


def test_faces_that_are_set_are_not_thrown() -> None:
    session = tiny_session(dice="scripted", script=(1, 1, 3, 4, 4))
    must(session.overrule("so", SetStep(slot="a1|roll.attack.ann.0", fields={"faces": [[2]]})))
    must(session.declare("ann", "attack", "bob", id="a1", rows=SURE))
    answer_all(session, 1)
    rolls = [(r.event.key, r.event.total, r.event.source) for r in session.history() if isinstance(r.event, Roll)]
    assert rolls[2:] == [("attack", 2, "overruled"), ("damage", 7, "scripted")]


def test_faces_that_are_set_are_not_asked_for() -> None:
    session = tiny_session(dice={"ann": "reported"})
    answer_all(session)
    must(session.overrule("so", SetStep(slot="a1|roll.attack.ann.0", fields={"faces": [[2]]})))
    must(session.declare("ann", "attack", "bob", id="a1", rows=SURE))
    assert list(session.prompts()) == ["a1|ask.guard.0"]


def test_faces_that_are_set_while_they_are_asked_for_count() -> None:
    session = tiny_session(dice={"ann": "reported"})
    answer_all(session)
    must(session.declare("ann", "attack", "bob", id="a1", rows=SURE))
    must(session.overrule("so", SetStep(slot="a1|roll.attack.ann.0", fields={"faces": [[20]]})))
    must(session.report("a1|roll.attack.ann.0", "ann", [[3]]))
    roll = next(r.event for r in session.history() if isinstance(r.event, Roll) and r.event.key == "attack")
    assert (roll.total, roll.source) == (20, "overruled")


def test_dice_that_were_set_are_no_finding_once_the_secret_is_out() -> None:
    session = tiny_session()
    must(session.overrule("so", SetStep(slot="a1|roll.attack.ann.0", fields={"faces": [[2]]})))
    must(session.declare("ann", "attack", "bob", id="a1", rows=SURE))
    answer_all(session, 1)
    must(session.close())
    verdict = session.verify()
    assert (verdict.findings, verdict.dice.unrevealed) == ((), 0)


def test_faces_of_another_number_of_dice_refuse_the_roll() -> None:
    session = tiny_session()
    must(session.overrule("so", SetStep(slot="a1|roll.attack.ann.0", fields={"faces": [[2], [3]]})))
    head = session.head
    refused = session.declare("ann", "attack", "bob", id="a1").refused
    assert refused is not None
    assert (refused.code, head) == ("bad-dice", session.head)
    must(session.overrule("so", SetStep(slot="a1|roll.attack.ann.0", fields={"faces": [[2]]})))
    must(session.declare("ann", "attack", "bob", id="a1"))


# -- the house's word


class Doubles:
    """Doubles damage and says so in the trace."""

    @hookimpl
    def ruling(self, fight: Fight, action: Action, step: Step) -> Step | None:
        if isinstance(step, ApplyDamage) and step.key == "trace":
            trace = (*(step.trace or ()), Row("double", step.value, "double"))
            return msgspec.structs.replace(step, value=int(step.value) * 2, trace=trace)
        return None


class Looks:
    """Sees what is filled in already."""

    def __init__(self) -> None:
        self.seen: list[Any] = []

    @hookimpl
    def ruling(self, fight: Fight, action: Action, step: Step) -> Step | None:
        if isinstance(step, ApplyDamage) and step.key == "trace":
            self.seen.append((step.value, step.touched))
        return None


def test_before_and_after_are_filled_in_before_a_ruling_and_again_after_it() -> None:
    looks = Looks()
    session = fought(house={"looks": looks, "double": Doubles()})
    damage = steps(session, "trace")
    assert [(value, touched[0].after) for value, touched in looks.seen] == [(3, 4)]
    assert (damage.value, damage.touched[0].after, damage.by_rules) == (6, 1, ("double",))


def test_the_game_master_has_the_last_word() -> None:
    session = fought(("apply-damage.trace.bob.0", {"value": 1}), house={"double": Doubles()})
    damage = steps(session, "trace")
    assert (damage.value, damage.touched[0].after, damage.by_rules) == (1, 6, ("double", "overrule"))
    assert [row.amount for row in damage.trace] == [3, 3, -5]


class Impossible:
    """Makes damage negative, which nothing can settle."""

    @hookimpl
    def ruling(self, fight: Fight, action: Action, step: Step) -> Step | None:
        return msgspec.structs.replace(step, value=-1) if isinstance(step, ApplyDamage) else None


def test_a_ruling_that_cannot_be_settled_is_its_author_s_breach() -> None:
    session = session_of(Tiny(), house={"impossible": Impossible(), "double": Doubles()})
    must(session.declare("ann", "attack", "bob", id="a1", rows=SURE))
    with pytest.raises(Breach, match=r"plugin 'impossible', hook ruling: .*healing is a change"):
        answer_all(session, 1)


def test_a_plan_is_ruled_on_before_it_is_thrown() -> None:
    """Law 5: plan, then roll, then settle."""

    class Advantage:
        @hookimpl
        def ruling(self, fight: Fight, action: Action, step: Step) -> Step | None:
            return msgspec.structs.replace(step, plan=dice(3, 20)) if isinstance(step, Roll) else None

    session = session_of(Tiny(), house={"advantage": Advantage()})
    rolls = [r.event for r in session.history() if isinstance(r.event, Roll)]
    assert {len(roll.faces or ()) for roll in rolls} == {3}
    assert {roll.by_rules for roll in rolls} == {("advantage",)}
    assert session.verify().is_clean
