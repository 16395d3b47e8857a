"""The cases DMG-1 to DMG-3: order and rounding are the rules' own, typed parts, areas, temporary pools."""

from __future__ import annotations

from typing import Any

import pytest

from affray.kernel import (
    Action,
    ApplyDamage,
    Change,
    Fight,
    Judge,
    Roll,
    Row,
    Save,
    SetStep,
    Steps,
    commands,
    hookimpl,
)
from affray.kernel.testing import (
    Given,
    amend,
    audited,
    combatant,
    declare,
    event,
    given,
    holds,
    no_event,
    pool_is,
    undo,
)

from .editions import Dnd4e, Dnd5e, Lancer, Pf2e


def hits(fight: Given) -> list[ApplyDamage]:
    return [one for one in fight.new if isinstance(one, ApplyDamage)]


def told(hit: ApplyDamage) -> list[list[tuple[str, Any]]]:
    """The steps of a hit's parts, as an auditor redoes them by hand."""
    return [[(row.code, row.amount) for row in part.rows] for part in hit.parts or ()]


@pytest.mark.parametrize(
    ("system", "body", "rolled", "half", "value", "rows"),
    [
        pytest.param(Dnd5e, {"resists": ["fire"], "vulnerable": {"fire": 2}}, 13, False, 12, [("resistant", -7), ("vulnerable", 6)], id="5e: 13>6>12"),
        pytest.param(
            Dnd5e,
            {"resists": ["fire"], "vulnerable": {"fire": 2}, "less": 5},
            24,
            False,
            18,
            [("less", -5), ("resistant", -10), ("vulnerable", 9)],
            id="5e: 24>19>9>18",
        ),
        pytest.param(Dnd4e, {"vulnerable": {"fire": 5}}, 16, True, 10, [("vulnerable", 5), ("half", -11)], id="4e: 21 halved"),
        pytest.param(Lancer, {}, 5, True, 3, [("half", -2)], id="Lancer: 5 halved"),
        pytest.param(Lancer, {}, 21, True, 11, [("half", -10)], id="Lancer: 21 halved"),
        pytest.param(Pf2e, {}, 1, True, 1, [("half", -1), ("minimum", 1)], id="PF2e: 1 halved"),
    ],
)
def test_order_and_rounding_are_the_rules_own(
    system: Any, body: dict[str, Any], rolled: int, half: bool, value: int, rows: list[tuple[str, int]]
) -> None:
    """DMG-1, law 7: nobody rounds for everybody, and each step stands in the event."""
    with given(system, combatant("ann", {"hp": 10}), combatant("bob", {"hp": 60, **body})) as fight:
        fight.when(declare("ann", "hit", "bob", parts={"fire": rolled}, half=half)).then(
            event(ApplyDamage, value=value, touched=[("temp", 0, 0), ("hp", 60, 60 - value)]),
            holds(f"the steps are {rows}", lambda one: told(hits(one)[0]) == [rows]),
            audited(),
        )


def test_typed_parts_are_reduced_each_by_itself() -> None:
    """DMG-2 (a): 7 piercing and 4 fire on somebody who resists piercing are 3 + 4, not half of 11."""
    with given(Dnd5e, combatant("ann", {"hp": 10}), combatant("bob", {"hp": 20, "resists": ["piercing"]})) as fight:
        fight.when(declare("ann", "hit", "bob", parts={"piercing": 7, "fire": 4})).then(
            event(ApplyDamage, value=7),
            holds("4 less piercing", lambda one: told(hits(one)[0]) == [[], [("resistant", -4)]]),
            pool_is("bob", "hp", 13),
        )


class Concentration:
    """A house rule that reads what was applied: the goal of a check is what the hit took."""

    @hookimpl
    def follow(self, fight: Fight, action: Action, step: Any) -> Steps | None:
        return self.check(step) if isinstance(step, ApplyDamage) and step.value else None

    def check(self, hit: ApplyDamage) -> Steps:
        yield Judge("concentration", by=hit.target, code="kept", goal=hit.value, trace=(Row("damage", hit.value, "hit"),))


FOUR = (
    combatant("one", {"hp": 60}),
    combatant("two", {"hp": 60}),
    combatant("three", {"hp": 60, "resists": ["fire"]}),
    combatant("four", {"hp": 60, "immune": ["fire"]}),
)
FIREBALL = (6, 6, 5, 4, 3, 1, 1, 1, 3, 15, 17, 2)
"""27 points, then who saves: two and three."""


def burning() -> Given:
    fight = given(Dnd5e, combatant("ann", {"hp": 10}), *FOUR, house=[Concentration], dice=FIREBALL)
    return fight.when(declare("ann", "burst", "one", "two", "three", "four"), id="burst")


def test_one_roll_serves_four_targets() -> None:
    """DMG-2 (b): one roll, four hits that point to it; a saved half is what later rules see."""
    with burning() as fight:
        fight.then(
            *[pool_is(who, "hp", hp) for who, hp in (("one", 33), ("two", 47), ("three", 54), ("four", 60))],
            *[event(Save, who=who, code="made") for who in ("two", "three")],
            *[event(Judge, by=who, goal=goal) for who, goal in (("one", 27), ("two", 13), ("three", 6))],
            no_event(Judge, by="four"),
            audited(),
        )
        (fire,) = [one for one in fight.new if isinstance(one, Roll) and one.key == "fire"]
        assert [(one.value, one.roll) for one in hits(fight)] == [(value, "burst|roll.fire.ann.0") for value in (27, 13, 6, 0)]
        assert fire.total == 27


def test_one_target_is_taken_back_alone() -> None:
    """DMG-2 (b): the game master drops one hit; no die is thrown, nobody else changes, and it can be undone itself."""
    with burning() as fight:
        version = next(version for version, one in enumerate(fight.table.events(), 1) if getattr(one, "action", "") == "burst")
        word = commands.Word(at=version, effect=SetStep(slot="burst|apply-damage.hit.two.0", fields={"value": 0}))
        fight.when(amend(word)).then(
            *[pool_is(who, "hp", hp) for who, hp in (("one", 33), ("two", 60), ("three", 54), ("four", 60))],
            audited(),
        )
        fight.when(undo()).then(pool_is("two", "hp", 47), pool_is("one", "hp", 33), audited())


def test_damage_ends_at_the_floor_and_what_is_lost_is_recorded() -> None:
    """DMG-2, the state of a real fight: orcs at 13, 9 and 2 hit points, and 27 points of fire."""
    orcs = [combatant(f"orc-{hp}", {"hp": 15}, pools={"hp": hp}) for hp in (13, 9, 2)]
    with given(Dnd5e, combatant("ann", {"hp": 10}), *orcs, dice=(*FIREBALL[:8], 1, 1, 1)) as fight:
        fight.when(declare("ann", "burst", "orc-13", "orc-9", "orc-2")).then(
            *[event(ApplyDamage, target=f"orc-{hp}", value=27, overflow=27 - hp, touched=[("temp", 0, 0), ("hp", hp, 0)]) for hp in (13, 9, 2)],
            audited(),
        )


# -- temporary pools


def hurt(hp: int, most: int = 20, temp: int = 0, bonus: int = 0) -> Given:
    """Bob with so many hit points of a maximum, temporary ones, and a raised maximum."""
    bob = combatant("bob", {"hp": most}, pools={"hp": hp, "temp": temp, "bonus": bonus})
    return given(Dnd5e, combatant("ann", {"hp": 10}), bob)


def test_temporary_hit_points_are_hit_first() -> None:
    """DMG-3 (a): a hit that is smaller neither heals nor wipes them."""
    with hurt(6, temp=7) as fight:
        fight.when(declare("ann", "hit", "bob", parts={"blunt": 4})).then(
            event(ApplyDamage, touched=[("temp", 7, 3), ("hp", 6, 6)]), pool_is("bob", "temp", 3), pool_is("bob", "hp", 6)
        )


def test_what_they_do_not_hold_goes_on() -> None:
    """DMG-3 (b): and a hit is not capped by the hit points that are left."""
    with hurt(7, most=7, temp=5) as fight:
        fight.when(declare("ann", "hit", "bob", parts={"blunt": 8})).then(pool_is("bob", "temp", 0), pool_is("bob", "hp", 4))


def test_healing_reaches_a_raised_maximum_and_falls_with_it() -> None:
    """DMG-3 (c) and (f): the fall is an event of its own, and undoing it gives the 15 back."""
    with hurt(8, most=10, bonus=5) as fight:
        fight.when(declare("ann", "heal", "bob", amount=20)).then(
            event(Change, pool="hp", before=8, after=15, trace=[("healing", 20), ("maximum", -13)]), pool_is("bob", "hp", 15)
        )
        fight.when(declare("ann", "weary", "bob", amount=5)).then(
            event(Change, key="over-maximum", pool="hp", before=15, after=10), pool_is("bob", "hp", 10)
        )
        fight.when(undo()).then(pool_is("bob", "hp", 15), pool_is("bob", "bonus", 5), audited())


def test_temporary_hit_points_do_not_add_up() -> None:
    """DMG-3 (d): 5, then a gain of 8, then one of 3: 8 and still 8."""
    with hurt(6, temp=5) as fight:
        fight.when(declare("ann", "shield", "bob", amount=8)).then(pool_is("bob", "temp", 8), event(Change, trace=[("gain", 8), ("held", -5)]))
        fight.when(declare("ann", "shield", "bob", amount=3)).then(pool_is("bob", "temp", 8), pool_is("bob", "hp", 6))


def test_temporary_hit_points_are_never_healed() -> None:
    """DMG-3 (e)."""
    with hurt(3, temp=4) as fight:
        fight.when(declare("ann", "heal", "bob", amount=5)).then(pool_is("bob", "hp", 8), pool_is("bob", "temp", 4), audited())
