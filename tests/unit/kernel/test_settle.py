"""What follows from the state alone: pools moved and clamped, before and after, the game master's numbers."""

from __future__ import annotations

from typing import Any

import pytest

from affray.kernel import (
    ApplyDamage,
    Change,
    Combatant,
    Condition,
    Entry,
    Held,
    InputError,
    Modifier,
    Pool,
    SetCondition,
    SetOrder,
    SetPool,
    SetStep,
    State,
    exact,
)
from affray.kernel.settle import Contradiction, check_fields, settle, settle_effect


def state(**pools: Any) -> State:
    """Bob with pools given as (now, low, high) or (now, low, high, direction of damage), at moment (2, 0)."""
    ranges = {
        name: Pool(start=row[0], low=row[1], high=row[2], damage=row[3] if len(row) > 3 else -1)
        for name, row in pools.items()
    }
    bob = Combatant(
        id="bob", name="Bob", side="b", controller="bob", secret=False, number=1, sheet={},
        pools={name: row[0] for name, row in pools.items()}, ranges=ranges, conditions={"cursed": Held(id="cursed", value=2)},
    )  # fmt: skip
    return State(combatants={"bob": bob}, at=(2, 0))


def hit(before: State, value: Any, *pools: str) -> tuple[list[Any], Any]:
    step = settle(before, ApplyDamage("x", target="bob", pools=pools, value=value))
    return [(touch.pool, touch.before, touch.after) for touch in step.touched], step.overflow


def changed(before: State, pool: str, value: Any) -> tuple[Any, Any, Any]:
    step = settle(before, Change("x", target="bob", pool=pool, value=value))
    return step.before, step.after, step.overflow


# -- damage


@pytest.mark.parametrize(
    ("value", "touched", "overflow"),
    [
        (0, [("temp", 7, 7), ("hp", 6, 6)], 0),
        (4, [("temp", 7, 3), ("hp", 6, 6)], 0),  # DMG-3 (a): a small hit does not heal, nor wipe the pool
        (7, [("temp", 7, 0), ("hp", 6, 6)], 0),
        (9, [("temp", 7, 0), ("hp", 6, 4)], 0),
        (13, [("temp", 7, 0), ("hp", 6, 0)], 0),
        (20, [("temp", 7, 0), ("hp", 6, 0)], 7),  # the lost excess is recorded
        ("15/2", [("temp", 7, 0), ("hp", 6, "11/2")], 0),
    ],
)
def test_damage_goes_through_pools_in_order_and_what_none_takes_is_overflow(value: Any, touched: Any, overflow: Any) -> None:
    assert (touched, overflow) == hit(state(temp=(7, 0, None), hp=(6, 0, 12)), value, "temp", "hp")


def test_a_pool_above_its_range_takes_the_blow_and_no_more() -> None:
    """Nothing is left over below nought, which would heal the next pool."""
    assert hit(state(temp=(9, 0, 5), hp=(6, 0, 12)), 3, "temp", "hp") == ([("temp", 9, 6), ("hp", 6, 6)], 0)


def test_damage_may_go_below_nought_where_a_pool_does() -> None:
    assert hit(state(hp=(6, None, 12)), 20, "hp") == ([("hp", 6, -14)], 0)


def test_damage_adds_to_a_pool_of_wounds() -> None:
    assert hit(state(wounds=(3, 0, 10, 1)), 4, "wounds") == ([("wounds", 3, 7)], 0)
    assert hit(state(wounds=(3, 0, 10, 1)), 9, "wounds") == ([("wounds", 3, 10)], 2)


def test_wounds_and_hit_points_may_share_one_blow() -> None:
    assert hit(state(hp=(3, 0, 9), wounds=(0, 0, None, 1)), 5, "hp", "wounds") == ([("hp", 3, 0), ("wounds", 0, 2)], 0)


@pytest.mark.parametrize("value", [1, 5, "1/3", 100])
@pytest.mark.parametrize("pools", [("hp",), ("temp", "hp"), ("hp", "wounds")])
def test_nothing_of_a_blow_is_lost_or_made(value: Any, pools: tuple[str, ...]) -> None:
    """Law 7: exact to the last third."""
    step = settle(
        state(temp=(2, 0, None), hp=(6, 0, 12), wounds=(0, 0, 9, 1)),
        ApplyDamage("x", target="bob", pools=pools, value=value),
    )
    taken: Any = 0
    for touch in step.touched:
        taken += abs(exact(touch.after) - exact(touch.before))
    assert exact(value) == taken + exact(step.overflow)


# -- changes


@pytest.mark.parametrize(
    ("pool", "value", "expected"),
    [
        ((8, 0, 15), 20, (8, 15, 13)),  # DMG-3 (c): healing stops at the top, what is too much is told
        ((8, 0, 15), 5, (8, 13, 0)),
        ((8, 0, 15), -9, (8, 0, -1)),
        ((8, None, None), -9, (8, -1, 0)),
        ((8, 0, 15), 0, (8, 8, 0)),
        (("1/2", 0, 1), "1/4", ("1/2", "3/4", 0)),
        (("1/2", 0, 1), "3/4", ("1/2", 1, "1/4")),
        ((20, 0, 15), 5, (20, 20, 5)),  # above its range already: a gain does not pull it down
        ((20, 0, 15), -3, (20, 17, 0)),  # and a loss takes what it takes
        ((-3, 0, 15), 2, (-3, -1, 0)),
        ((-3, 0, 15), 99, (-3, 15, 81)),
        ((-3, 0, 15), -2, (-3, -3, -2)),
    ],
)
def test_a_change_is_clamped_to_the_range(pool: Any, value: Any, expected: Any) -> None:
    assert expected == changed(state(hp=pool), "hp", value)


@pytest.mark.parametrize("pool", [(8, 0, 15), (20, 0, 15), (-3, 0, 15)])
@pytest.mark.parametrize("value", [-30, -2, 0, 2, 30])
def test_before_and_value_and_overflow_give_after(pool: Any, value: int) -> None:
    before, after, overflow = changed(state(hp=pool), "hp", value)
    assert before + value - overflow == after
    assert (after - before) * value >= 0, "a gain never lowers, a loss never raises"
    assert abs(after - before) <= abs(value)


# -- conditions


@pytest.mark.parametrize(
    ("id", "code", "value", "before", "after"),
    [
        ("blessed", "gained", 1, None, 1),
        ("cursed", "gained", 5, 2, 5),
        ("cursed", "renewed", 1, 2, 1),
        ("cursed", "ended", 1, 2, None),
        ("cursed", "renewed", None, 2, None),
    ],
)
def test_a_condition_tells_what_it_was_before(id: str, code: str, value: Any, before: Any, after: Any) -> None:
    step = settle(state(), Condition("x", target="bob", id=id, code=code, value=value))
    assert (before, after) == (step.before, step.after)


def test_what_is_filled_in_already_is_filled_in_again() -> None:
    """A ruling may have changed the value: what follows from it follows anew."""
    once = settle(state(hp=(6, 0, 12)), ApplyDamage("x", target="bob", pools=("hp",), value=2))
    twice = settle(state(hp=(5, 0, 12)), once)
    assert (once.touched[0].after, twice.touched[0].after) == (4, 3)


@pytest.mark.parametrize(
    "step",
    [
        ApplyDamage("x", target="zed", pools=("hp",), value=1),
        ApplyDamage("x", target="bob", pools=("mana",), value=1),
        ApplyDamage("x", target="bob", pools=(), value=1),
        ApplyDamage("x", target="bob", pools=("hp",), value=-1),
        Change("x", target="bob", pool="mana", value=1),
        Condition("x", target="bob", id="odd id"),
    ],
)
def test_what_cannot_be_so_is_a_contradiction(step: Any) -> None:
    with pytest.raises((Contradiction, InputError)):
        settle(state(hp=(6, 0, 12)), step)


# -- the game master's word


@pytest.mark.parametrize(("value", "after"), [(3, 3), (0, 0), (-5, 0), (99, 12), ("7/2", "7/2")])
def test_a_pool_that_is_set_is_clamped_and_tells_what_it_was(value: Any, after: Any) -> None:
    effect: Any = settle_effect(state(hp=(6, 0, 12)), SetPool(target="bob", pool="hp", value=value))
    assert (effect.before, effect.after) == (6, after)


@pytest.mark.parametrize(
    ("effect", "path"),
    [
        (SetPool(target="zed", pool="hp", value=1), "$.effect.pool"),
        (SetPool(target="bob", pool="mana", value=1), "$.effect.pool"),
        (SetPool(target="bob", pool="hp", value="one"), "$.effect.value"),
        (SetPool(target="bob", pool="hp", value="2/4"), "$.effect.value"),
        (SetPool(target="bob", pool="hp", value=True), "$.effect.value"),
        (SetPool(target="bob", pool="hp", value=2**53), "$.effect.value"),
        (SetCondition(target="zed", held=Held(id="x")), "$.effect.target"),
        (SetCondition(target="bob", ended="blessed"), "$.effect.ended"),
        (SetCondition(target="bob", held=Held(id="a b")), "$.effect.held.id"),
        (SetCondition(target="bob", held=Held(id="x", value="one")), "$.effect.held.value"),
        (SetCondition(target="bob", held=Held(id="x", until=())), "$.effect.held.until"),
        (SetCondition(target="bob", held=Held(id="x", until=("soon",))), "$.effect.held.until"),
        (SetCondition(target="bob", held=Held(id="x", until=(1, 9))), "$.effect.held.until"),
        (SetOrder(entries=(Entry(key="a|b", when=(9,)),)), "$.effect.entries"),
        (SetOrder(entries=(Entry(key="a", when=(1,)),)), "$.effect.entries"),
        (SetOrder(entries=(Entry(key="a", when=(9,), who="zed"),)), "$.effect.entries"),
        (SetOrder(entries=(Entry(key="a", when=(9,), moment="begin"),)), "$.effect.entries"),
        (SetOrder(entries=(Entry(key="a", when=(9,), moment="a b"),)), "$.effect.entries"),
    ],
)
def test_what_the_game_master_cannot_set_is_refused_with_its_path(effect: Any, path: str) -> None:
    with pytest.raises(InputError) as error:
        settle_effect(state(hp=(6, 0, 12)), effect)
    assert path == error.value.path


@pytest.mark.parametrize("when", [(2, 0), (2, "1/2"), (3,)])
def test_now_and_later_can_be_set(when: Any) -> None:
    settle_effect(state(), SetCondition(target="bob", held=Held(id="x", until=when, rows=(Modifier("p", 1, "c"),))))
    settle_effect(state(), SetOrder(entries=(Entry(key="bob", when=when, who="bob"),)))


@pytest.mark.parametrize(
    ("slot", "fields", "path"),
    [
        ("a1", {}, "$.effect.slot"),
        ("|judge.x.ann.0", {}, "$.effect.slot"),
        ("a1|dance.x.ann.0", {}, "$.effect.slot"),
        ("a1|judge.x.ann.0", {"occurrence": 3}, "$.effect.fields.occurrence"),
        ("a1|judge.x.ann.0", {"key": "y"}, "$.effect.fields.key"),
        ("a1|judge.x.ann.0", {"by": "bob"}, "$.effect.fields.by"),
        ("a1|judge.x.ann.0", {"veil": {}}, "$.effect.fields.veil"),
        ("a1|judge.x.ann.0", {"kept": "0"}, "$.effect.fields.kept"),
        ("a1|judge.x.ann.0", {"colour": "red"}, "$.effect.fields.colour"),
        ("a1|judge.x.ann.0", {"goal": [1]}, "$.effect.fields.goal"),
        ("a1|roll.x.ann.0", {"plan": {}}, "$.effect.fields.plan"),
        ("a1|roll.x.ann.0", {"total": 20}, "$.effect.fields.total"),
        ("a1|roll.x.ann.0", {"faces": [["x"]]}, "$.effect.fields.faces"),
        ("a1|apply-damage.x.bob.0", {"target": "ann"}, "$.effect.fields.target"),
    ],
)
def test_fields_that_no_coming_step_can_have_are_refused_with_their_path(slot: str, fields: dict[str, Any], path: str) -> None:
    with pytest.raises(InputError) as error:
        check_fields(slot, fields)
    assert path == error.value.path


@pytest.mark.parametrize(
    ("slot", "fields"),
    [
        ("a1|judge.x.ann.0", {"goal": 12, "code": "hit", "trace": [["luck", 12, "gm"]]}),
        ("a1>x.bob.0|apply-damage.x.bob.0", {"value": 3, "parts": []}),
        ("a1|roll.x.ann.1", {"faces": [[6], [3, 2]]}),
        ("a1|defend.x.ann.0", {"value": "1/2"}),
        ("a1|ask.x.0", {"private": True}),
    ],
)
def test_fields_that_a_coming_step_can_have(slot: str, fields: dict[str, Any]) -> None:
    check_fields(slot, fields)
    assert SetStep(slot=slot, fields=fields).fields == fields
