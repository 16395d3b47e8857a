"""Ids and slots: what may stand in them, and how runs and steps are called."""

from __future__ import annotations

from typing import Any

import pytest

from affray.kernel import (
    Act,
    ApplyDamage,
    Ask,
    Change,
    Choose,
    Condition,
    Defend,
    EndTurn,
    InputError,
    Judge,
    Order,
    Roll,
    Save,
    Stop,
    Turn,
    Wait,
    check_id,
    dice,
    place,
    root,
    slot,
)
from affray.kernel.names import check_entry_key, entry_moment

D6 = dice(1, 6)


@pytest.mark.parametrize("value", ["a", "A", "0", "_", "a-b", "a_b", "9-9", "a" * 64])
def test_an_id(value: str) -> None:
    assert value == check_id(value, "an id")


@pytest.mark.parametrize("value", ["", "-a", "a b", "a.b", "a>b", "a|b", "a:b", "a~b", "é", "a\n", "٣", "a" * 65, None, 5, b"a"])
def test_no_id(value: Any) -> None:
    """What stands between parts of a slot (`>`, `|`, `.`) is in no part of it, and a name looks the same everywhere."""
    with pytest.raises(InputError, match=r"^\$\.here: a thing must be 1 to 64 ASCII letters"):
        check_id(value, "a thing", "$.here")


@pytest.mark.parametrize(("value", "good"), [("ann", True), ("condition:ann:x", True), (":a", False), ("a|b", False), ("", False), ("a" * 192, True), ("a" * 193, False), (5, False)])  # fmt: skip
def test_a_key_of_the_agenda_may_hold_colons(value: Any, good: bool) -> None:
    assert good is check_entry_key(value)


@pytest.mark.parametrize(
    ("event", "name"),
    [
        (Roll("x", action="a1", by="ann", plan=D6, occurrence=2), "roll.x.ann.2"),
        (Roll("x", action="a1", by="", plan=D6), "roll.x.0"),
        (Judge("x", action="a1", by="ann", code="hit"), "judge.x.ann.0"),
        (ApplyDamage("x", action="a1", target="bob", pools=("hp",), value=1), "apply-damage.x.bob.0"),
        (Change("x", action="a1", target="bob", pool="hp", value=1), "change.x.bob.0"),
        (Condition("x", action="a1", target="bob", id="c"), "condition.x.bob.0"),
        (Defend("x", action="a1", who="bob", code="d", value=1), "defend.x.bob.0"),
        (Save("x", action="a1", who="bob", name="s", code="made"), "save.x.bob.0"),
        (Order("x", action="a1"), "order.x.0"),
        (Wait("x", action="a1", when=(1,)), "wait.x.0"),
        (Act("x", action="a1", actor="ann", name="n", targets=("bob", "cy")), "act.x.bob+cy.0"),
        (Act("x", action="a1", actor="ann", name="n"), "act.x.0"),
        (EndTurn("x", action="a1", who="ann"), "endturn.x.ann.0"),
        (Stop("x", action="a1", target="a0", code="c"), "stop.x.0"),
        (Ask("x", action="a1", who=("ann", "bob")), "ask.x.0"),
        (Choose(action="a1", key="x", occurrence=0, who="bob", value="y"), "ask.x.0"),
        (Ask("x", action="a1", who=("ann",), plan=D6), "roll.x.ann.0"),
    ],
)
def test_a_step_s_place_is_kind_key_person_and_occurrence(event: Any, name: str) -> None:
    """A reported roll shares the place of its prompt, an answer that of its question."""
    assert name == place(event)
    assert f"a1|{name}" == slot(event)


def test_a_moment_is_counted_by_its_kind_and_entry() -> None:
    turn = Turn(action="start:ann.3", moment="start", who="ann", when=(7, "1/2"), entry="ann")
    assert entry_moment(turn) == "start:ann"
    assert entry_moment(Turn(action="a>x.0", moment="end", who="ann", when=(), entry="")) == "end:ann"


@pytest.mark.parametrize(("action", "name"), [("a1", "a1"), ("a1>x.bob.0", "a1"), ("start:ann.1>tiny>y", "start:ann.1"), ("", "")])
def test_the_root_of_a_run(action: str, name: str) -> None:
    assert name == root(action)
