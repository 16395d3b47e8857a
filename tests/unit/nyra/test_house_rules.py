"""What a table may add: rows at places, rulings on steps, nested strikes; all of it counts."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from affray.kernel import (
    Act,
    Action,
    ApplyDamage,
    Change,
    Defend,
    Done,
    Fight,
    Held,
    Judge,
    Modifier,
    SetCondition,
    SetPool,
    Step,
    hookimpl,
)

from .table import SHORT_SWORD, duel, outcomes, reasons


def test_rows_act_where_the_system_says() -> None:
    """Attack 7+1 halved to 4; damage 3 + 3 + 2 more, less 1 that the target's hide stops."""
    table = duel(4, 9, 1, 1, 1, second={"armor": {"head": {"C": 2}}})
    for who, rows in (
        ("ann", (Modifier("attack.skill", 1, "bless"), Modifier("damage.flat", 2, "rage"))),
        ("bob", (Modifier("damage.armor", -1, "hide"), Modifier("defence.skill", 2, "cover"))),
    ):
        table.overrule(SetCondition(target=who, held=Held(id="blessed", rows=rows)))
    assert table.strike("ann", "bob", guard="defense", strike="aimed", aim="head") is None
    (attack,), (guard,), (hit,) = table.found(Judge, "attack"), table.found(Defend), table.found(ApplyDamage)
    assert (attack.goal, attack.margin) == (4, 0)
    assert (guard.value, tuple(row.code for row in guard.trace)) == (7, ("Defense", "cover"))
    assert tuple(
        (row.code, row.amount) for row in hit.parts[0].rows
    ) == (("STR", 3), ("rage", 2), ("armor", -2), ("hide", -1))
    assert table.pool("bob", "head") == 5


def test_a_condition_of_the_attacker_does_not_help_the_target() -> None:
    table = duel(3, 9, 3, 1, 1, 1)
    cover = Held(id="cover", rows=(Modifier("defence.skill", 2, "cover"), Modifier("damage.armor", -9, "hide")))
    table.overrule(SetCondition(target="ann", held=cover))
    table.strike("ann", "bob", guard="defense")
    assert table.found(Defend)[0].value == 5
    assert table.pool("bob", "left-arm") == 6


def test_armor_never_heals() -> None:
    table = duel(3, 9, 3, 1, 1, 1, second={"armor": {"left-arm": {"C": 9}}})
    exact = duel(3, 9, 3, 1, 1, 1, second={"armor": {"left-arm": {"C": 6}}})
    for one in (table, exact):
        one.strike("ann", "bob", guard="defense")
    assert [row.code for row in exact.found(ApplyDamage)[0].parts[0].rows] == ["STR", "armor"]
    (hit,) = table.found(ApplyDamage)
    assert (hit.value, (hit.parts[0].rows[-1].code, hit.parts[0].rows[-1].amount)) == (0, ("no-healing", 3))
    assert table.conditions("bob") == {}


@pytest.mark.parametrize(
    ("rounding", "rows"),
    [
        ("per_trait", [("STR", 3), ("Impact", 2)]),
        ("one_sum", [("STR", 3), ("Impact", "5/2"), ("rounded-down", "-1/2")]),
    ],
)
def test_a_half_that_is_left_is_rounded_down_in_a_row(rounding: str, rows: list[tuple[str, object]]) -> None:
    sword = {**SHORT_SWORD, "traits": ["Impact"]}
    table = duel(3, 9, 3, 1, 1, 3, options={"trait_rounding": rounding}, first={"weapons": [sword]})
    table.strike("ann", "bob", guard="defense")
    (hit,) = table.found(ApplyDamage)
    assert [(row.code, row.amount) for row in hit.parts[0].rows] == rows
    assert hit.value == 10


class Word:
    """A house rule that changes one step."""

    def __init__(self, kind: type[Any], key: str, **fields: Any) -> None:
        self.kind, self.key, self.fields = kind, key, fields

    @hookimpl
    def ruling(self, fight: Fight, action: Action, step: Any) -> Any:
        is_meant = type(step) is self.kind and step.key == self.key and step.occurrence == 0
        return replace(step, **self.fields) if is_meant else None


@pytest.mark.parametrize(
    ("word", "faces", "outcome"),
    [
        pytest.param(Word(Judge, "attack", code="miss"), (3,), "miss", id="attack-misses"),
        pytest.param(Word(Judge, "attack", code="fumble"), (3,), "critical-miss", id="attack-fumbles"),
        pytest.param(Word(Judge, "attack", margin=-3), (3, 4), "blocked", id="attack-by-less"),
        pytest.param(Word(Judge, "defence", code="failure"), (5, 1, 3, 1, 1, 1), "hit", id="defence-fails"),
        pytest.param(Word(Judge, "defence", margin=9), (3, 4), "blocked", id="defence-by-more"),
        pytest.param(Word(Judge, "contest", code="defended"), (3, 4), "blocked", id="contest-defended"),
        pytest.param(Word(Judge, "contest", code="tie"), (3, 4, 9, 1), "blocked", id="contest-tied"),
        pytest.param(Word(Defend, "defence", value=8, trace=()), (3, 2), "blocked", id="defence-better"),
    ],
)
def test_what_the_table_rules_counts(word: Word, faces: tuple[int, ...], outcome: str) -> None:
    table = duel(*faces, house={"word": word})
    assert table.strike("ann", "bob", guard="defense") is None
    assert [outcome] == outcomes(table)
    assert table.all_dice_used()


def test_a_ruling_on_damage_decides_the_wound() -> None:
    table = duel(3, 9, 3, 6, 6, 6, house={"word": Word(ApplyDamage, "damage", value=1, parts=())})
    table.strike("ann", "bob", guard="defense")
    assert table.conditions("bob") == {"wound-left-arm": 1}


class Riposte:
    """A house rule: whoever blocks strikes back (or at somebody named), out of turn, with the delay left."""

    def __init__(self, *targets: str) -> None:
        self.targets = targets

    @hookimpl
    def follow(self, fight: Fight, action: Action, step: Step) -> Any:
        if type(step) is Judge and step.key == "contest" and step.code == "defended":
            return self._strike(step.against, self.targets or (step.by,))
        return None

    def _strike(self, who: str, targets: tuple[str, ...]) -> Any:
        params = {"weapon": "sword", "strike": "wild", "type": "C"}
        yield Act("riposte", actor=who, name="strike", targets=targets, params=params)


def test_a_nested_strike_ends_nobodys_turn() -> None:
    """Bob ripostes and spends his delay; it is still Ann whose turn his block ends."""
    table = duel(7, 1, 9, house={"riposte": Riposte()})
    table.strike("ann", "bob", guard="defense")
    assert (reasons(table), table.state.turn) == (["blocked"], "bob")
    assert table.pool("bob", "delay") == 6
    assert [step.after for step in table.found(Change, "delay") if step.target == "bob"] == [3]


def test_a_nested_strike_without_delay_is_refused_and_the_parent_goes_on() -> None:
    table = duel(7, 1, house={"riposte": Riposte()})
    table.overrule(SetPool(target="bob", pool="delay", value=0))
    table.strike("ann", "bob", guard="defense")
    assert [e.code for e in table.found(Done) if "riposte" in e.action] == ["refused-not-enough-delay"]
    assert reasons(table) == ["blocked"]


@pytest.mark.parametrize(
    ("targets", "code"),
    [
        (("bob",), "refused-not-a-target"),
        (("cy",), "refused-not-a-target"),
        (("ann", "cy"), "refused-wrong-number-of-targets"),
    ],
)
def test_a_nested_strike_has_one_other_living_target(targets: tuple[str, ...], code: str) -> None:
    table = duel(7, 1, house={"riposte": Riposte(*targets)})
    table.join("cy", "green", sequence=1)
    table.overrule(SetCondition(target="cy", held=Held(id="dead")))
    table.strike("ann", "bob", guard="defense")
    assert [e.code for e in table.found(Done) if "riposte" in e.action] == [code]


def test_the_dead_strike_no_more_in_anybodys_action() -> None:
    table = duel(7, 1, house={"riposte": Riposte()})
    table.join("cy", "blue", sequence=1)
    table.strike("ann", "bob", guard="nonsense")
    table.overrule(SetCondition(target="bob", held=Held(id="dead")))
    table.answer("bob", "defense")
    assert [e.code for e in table.found(Done) if "riposte" in e.action] == ["refused-dead"]
