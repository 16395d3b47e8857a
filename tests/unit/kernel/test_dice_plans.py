"""Which plans there are, and their bytes (affray.kernel.dice)."""

from __future__ import annotations

import msgspec
import pytest

from affray.kernel.dice import (
    Condition,
    DicePlan,
    Successes,
    Term,
    banded,
    check_faces,
    check_plan,
    dice,
    pool,
    read,
    throw,
)
from affray.kernel.errors import DiceError
from affray.kernel.limits import (
    DICE_PER_PLAN,
    DIE_SIDES,
    NOTATION_LENGTH,
    NUMBER_MAX,
    ROWS,
)


def undrawn(die: int, link: int, sides: int) -> int:
    pytest.fail(f"die {die} was drawn")


def one(**changes: object) -> DicePlan:
    """Plan one term, 4d6 unless changed."""
    return DicePlan(terms=(msgspec.structs.replace(Term(count=4, sides=6), **changes),))


def refused(plan: DicePlan) -> str:
    """Give the problem of a plan that check_plan, throw, read and check_faces refuse before any die."""
    problems = set()
    for attempt in (check_plan, lambda p: throw(p, undrawn), lambda p: read(p, ()), lambda p: check_faces(p, ())):
        with pytest.raises(DiceError) as caught:
            attempt(plan)
        problems.add(caught.value.problem)
    assert len(problems) == 1
    return problems.pop()


# -- what never stops


@pytest.mark.parametrize(
    ("condition", "sides"),
    [
        (Condition("=", 1), 1),
        (Condition(">=", 1), 6),
        (Condition(">", 0), 6),
        (Condition("<", 7), 6),
        (Condition("<=", 6), 6),
        (Condition("<=", DIE_SIDES), DIE_SIDES),
    ],
)
def test_dice_1_a_condition_that_every_face_meets_is_refused(condition: Condition, sides: int) -> None:
    """Case DICE-1: `1d1!`, `1d6!>=1` and `1d6r<7` never stop, so no die is asked for."""
    assert "never stops" in refused(one(sides=sides, explode=condition))
    assert "never stops" in refused(one(sides=sides, reroll=condition))


@pytest.mark.parametrize("condition", [Condition(">=", 2), Condition("<", 6), Condition("=", 3), Condition(">", 6)])
def test_a_condition_that_some_face_does_not_meet_is_allowed(condition: Condition) -> None:
    check_plan(one(explode=condition))
    check_plan(one(reroll=condition))


# -- checking plans


@pytest.mark.parametrize(
    "plan",
    [
        dice(DICE_PER_PLAN, DIE_SIDES),
        dice(0, 1),
        dice(1, 6, NUMBER_MAX),
        dice(1, 6, -NUMBER_MAX),
        DicePlan(terms=(Term(count=400, sides=6), Term(count=600, sides=6)), formula=("#0", "#1", "+")),
        DicePlan(terms=(), formula=("0",)),
        DicePlan(terms=(), formula=("1", *["neg"] * (NOTATION_LENGTH - 1))),
        one(explode=Condition("=", NUMBER_MAX)),
        one(keep="kh", keep_count=4),
        pool(5, 10, 1),
        pool(5, 10, DIE_SIDES, DIE_SIDES),
        banded(1, 100, tuple(range(ROWS))),
        banded(1, 100, (-NUMBER_MAX, NUMBER_MAX)),
    ],
)
def test_a_plan_at_its_bounds_passes(plan: DicePlan) -> None:
    check_plan(plan)


@pytest.mark.parametrize(
    ("plan", "problem"),
    [
        (dice(DICE_PER_PLAN + 1, 6), f"number of dice must be a whole number from 0 to {DICE_PER_PLAN}"),
        (
            DicePlan(terms=(Term(count=400, sides=6), Term(count=601, sides=6)), formula=("#0", "#1", "+")),
            f"number of dice of one plan must be a whole number from 0 to {DICE_PER_PLAN}, got 1001",
        ),
        (dice(-1, 6), "number of dice"),
        (dice(1, 0), "number of sides"),
        (dice(1, DIE_SIDES + 1), "number of sides"),
        (dice(1, 10**5000), "got a number beyond"),
        (one(keep="kh", keep_count=5), "keep or drop (kh) must be a whole number from 1 to 4, got 5"),
        (one(keep="dl", keep_count=0), "got 0"),
        (one(keep="dl", keep_count=-1), "got -1"),
        (one(count=0, keep="kh", keep_count=1), "keep or drop"),
        (one(keep_count=1), "without saying which"),
        (one(reroll_once=True), "without its condition"),
        (one(explode=Condition("<", -1)), "value of the explode condition"),
        (one(reroll=Condition(">", NUMBER_MAX + 1)), "value of the reroll condition"),
        (pool(5, 10, 0), "target"),
        (pool(5, 10, DIE_SIDES + 1), "target"),
        (pool(5, 10, 7, 6), "face that counts twice must be a whole number from 7"),
        (pool(5, 10, 7, DIE_SIDES + 1), "face that counts twice"),
        (DicePlan(terms=(), formula=("1",), reading=Successes(target=7)), "needs a term"),
        (banded(1, 100, ()), "number of band ends"),
        (banded(1, 100, tuple(range(ROWS + 1))), "number of band ends"),
        (banded(1, 100, (5, 5)), "5 follows 5"),
        (banded(1, 100, (5, 4)), "4 follows 5"),
        (banded(1, 100, (NUMBER_MAX + 1,)), "end of a band"),
        (banded(1, 100, (-NUMBER_MAX - 1,)), "end of a band"),
    ],
)
def test_a_plan_beyond_its_bounds_is_refused(plan: DicePlan, problem: str) -> None:
    assert problem in refused(plan)


@pytest.mark.parametrize(
    ("terms", "formula", "problem"),
    [
        (1, (), "number of tokens"),
        (0, ("1", *["neg"] * NOTATION_LENGTH), "number of tokens"),
        (0, ("#0",), "'#0' where a whole number"),
        (1, ("1",), "names 0 of 1 terms"),
        (1, ("#0", "1"), "leaves 2 values"),
        (1, ("#0", "#0", "+"), "'#0' where a whole number"),
        (2, ("#1", "#0", "+"), "'#1' where #0, a whole number"),
        (1, ("#00",), "'#00'"),
        (1, ("#0", "+"), "'+' in the formula takes 2 values and finds 1"),
        (1, ("neg", "#0"), "'neg' in the formula takes 1 values and finds 0"),
        (0, ("1", "-", "2"), "finds 1"),
        (1, ("#0", "-2", "+"), "'-2'"),
        (1, ("#0", "02", "+"), "'02'"),
        (1, ("#0", "٢", "+"), "'٢'"),
        (1, ("#0", "1.5", "+"), "'1.5'"),
        (1, ("#0", "1/2", "+"), "'1/2'"),
        (1, ("#0", "", "+"), "''"),
        (1, ("#0", "2", "**"), "'**'"),
        (1, ("#0", str(NUMBER_MAX + 1), "+"), "number in the formula"),
        (1, ("#0", "9" * 5000, "+"), f"'{'9' * 20}'"),
    ],
)
def test_a_malformed_formula_is_refused(terms: int, formula: tuple[str, ...], problem: str) -> None:
    assert problem in refused(DicePlan(terms=(Term(count=1, sides=6),) * terms, formula=formula))


def test_a_constant_beyond_number_max_makes_no_plan() -> None:
    for plus in (NUMBER_MAX + 1, -NUMBER_MAX - 1, 10**5000):
        with pytest.raises(DiceError, match="number added"):
            dice(1, 6, plus)


@pytest.mark.parametrize(
    ("good", "bad"),
    [
        (dice(1, 6), dice(True, 6)),
        (dice(1, 6), dice(1.0, 6)),  # type: ignore[arg-type]
        (pool(1, 6, 5), pool(1, 6, 5.0)),  # type: ignore[arg-type]
        (banded(1, 6, (1,)), banded(1, 6, (True,))),
        (one(explode=Condition("=", 1)), one(explode=Condition("=", True))),
    ],
)
def test_an_ill_typed_plan_is_refused_whatever_was_seen_before(good: DicePlan, bad: DicePlan) -> None:
    """An ill-typed plan equals a good one, so a memory of checked plans must not let it pass."""
    first = refused(bad)
    check_plan(good)

    assert good == bad
    assert refused(bad) == first


@pytest.mark.parametrize(
    "plan",
    [
        None,
        "3d6",
        Term(count=1, sides=6),
        DicePlan(terms=[Term(count=1, sides=6)]),  # type: ignore[arg-type]
        DicePlan(terms=frozenset([Term(count=1, sides=6)])),  # type: ignore[arg-type]
        DicePlan(terms=(), formula=["1"]),  # type: ignore[arg-type]
        DicePlan(terms=(), formula=(1,)),  # type: ignore[arg-type]
        DicePlan(terms=(object(),)),  # type: ignore[arg-type]
        one(keep="best", keep_count=1),
        one(explode=Condition("!=", 3)),  # type: ignore[arg-type]
        one(explode=(">", 3)),
        DicePlan(terms=(Term(count=1, sides=6),), reading="sum"),  # type: ignore[arg-type]
    ],
)
def test_what_is_no_plan_is_refused(plan: DicePlan) -> None:
    assert "not a dice plan" in refused(plan)


@pytest.mark.parametrize(
    ("op", "met"),
    [("<", [1, 2]), ("<=", [1, 2, 3]), ("=", [3]), (">=", [3, 4, 5]), (">", [4, 5])],
)
def test_a_condition_compares(op: str, met: list[int]) -> None:
    condition = Condition(op, 3)  # type: ignore[arg-type]

    assert [face for face in range(1, 6) if condition.met(face)] == met


# -- plans as data


@pytest.mark.parametrize(
    ("plan", "expected"),
    [
        (dice(3, 6), b'{"terms":[{"count":3,"sides":6}]}'),
        (dice(3, 6, 2), b'{"terms":[{"count":3,"sides":6}],"formula":["#0","2","+"]}'),
        (dice(3, 6, -2), b'{"terms":[{"count":3,"sides":6}],"formula":["#0","2","-"]}'),
        (
            pool(8, 10, 7, 10),
            b'{"terms":[{"count":8,"sides":10}],"reading":{"read":"successes","target":7,"double":10}}',
        ),
        (pool(8, 10, 7), b'{"terms":[{"count":8,"sides":10}],"reading":{"read":"successes","target":7}}'),
        (banded(1, 100, (5, 95)), b'{"terms":[{"count":1,"sides":100}],"reading":{"read":"bands","ends":[5,95]}}'),
        (
            one(reroll=Condition("<", 3), reroll_once=True, explode=Condition("=", 6), keep="kh", keep_count=3),
            b'{"terms":[{"count":4,"sides":6,"keep":"kh","keep_count":3,'
            b'"reroll":["<",3],"reroll_once":true,"explode":["=",6]}]}',
        ),
    ],
)
def test_the_bytes_of_a_plan(plan: DicePlan, expected: bytes) -> None:
    assert msgspec.json.encode(plan) == expected
    assert msgspec.json.decode(expected, type=DicePlan) == plan
    assert msgspec.json.encode(msgspec.json.decode(expected, type=DicePlan)) == expected


@pytest.mark.parametrize(
    "data",
    [
        b'{"terms":[{"count":1,"sides":6,"penetrate":true}]}',
        b'{"terms":[],"formula":["1"],"extra":1}',
        b'{"terms":[{"count":1,"sides":6,"explode":["=",6,7]}]}',
        b'{"terms":[{"count":1.0,"sides":6}]}',
        b'{"terms":[{"count":1,"sides":6}],"reading":{"read":"sum","target":7}}',
        b'{"terms":[{"count":1,"sides":6}],"reading":{"read":"successes","target":5,"botch":1}}',
        b'{"terms":[{"count":1,"sides":6}],"reading":{"read":"bands","ends":[1],"names":[]}}',
        b'{"terms":[{"count":1,"sides":6}],"reading":{"read":"median"}}',
    ],
)
def test_bytes_of_another_shape_are_not_decoded(data: bytes) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode(data, type=DicePlan)
