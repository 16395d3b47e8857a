"""Spreads: every reading of a plan with its exact probability, against throwing every face there is."""

from __future__ import annotations

from fractions import Fraction
from importlib import import_module
from typing import Literal

import pytest
from hypothesis import assume, given, reject, settings
from hypothesis import strategies as st

from affray.kernel import (
    Bands,
    DiceError,
    DicePlan,
    Successes,
    Sum,
    Term,
    dice,
    limits,
    parse,
    pool,
    read,
    throw,
)
from affray.kernel.dice import Condition, Keep, check_plan
from affray.kernel.spread import CAPPED, Seen, Spread, TooLarge, _spread, spread

LINKS = 3
"""Faces of a chain in the properties, where the real number would make too many throws."""


class Walk:
    """Hands out faces along a path and then 1s, and keeps the other ways that were open."""

    def __init__(self, path: tuple[int, ...]) -> None:
        self.path = list(path)
        self.others: list[tuple[int, ...]] = []
        self.asked = 0
        self.chance = Fraction(1)

    def face(self, die: int, link: int, sides: int) -> int:
        if self.asked == len(self.path):
            self.others += [(*self.path, other) for other in range(2, sides + 1)]
            self.path.append(1)
        self.asked += 1
        self.chance *= Fraction(1, sides)
        return self.path[self.asked - 1]


def seen_by(plan: DicePlan, walk: Walk) -> Seen:
    try:
        faces = throw(plan, walk.face)
    except DiceError:
        return Seen(0, False, CAPPED)
    reading = read(plan, faces)
    return Seen(reading.total, reading.botch, reading.fault)


def thrown(plan: DicePlan) -> dict[Seen, Fraction]:
    """Every face of every die, one after the other, each throw read by `dice.read`."""
    found: dict[Seen, Fraction] = {}
    todo: list[tuple[int, ...]] = [()]
    while todo:
        walk = Walk(todo.pop())
        seen = seen_by(plan, walk)
        found[seen] = found.get(seen, Fraction(0)) + walk.chance
        todo += walk.others
    return found


def spread_of(plan: DicePlan) -> Spread:
    found = spread(plan)
    assert not isinstance(found, TooLarge)
    return found


# -- plans that are small enough to throw every way

KEEPS: tuple[Keep | Literal[""], ...] = ("", "kh", "kl", "dh", "dl")

CONDITIONS = st.one_of(
    st.none(), st.builds(Condition, st.sampled_from(["<", "<=", "=", ">=", ">"]), st.integers(0, 4))
)


@st.composite
def terms(draw: st.DrawFn) -> Term:
    count = draw(st.integers(0, 3))
    keep: Keep | Literal[""] = draw(st.sampled_from(KEEPS)) if count else ""
    reroll = draw(CONDITIONS)
    return Term(
        count=count,
        sides=draw(st.integers(1, 3)),
        keep=keep,
        keep_count=draw(st.integers(1, count)) if keep else 0,
        reroll=reroll,
        reroll_once=reroll is not None and draw(st.booleans()),
        explode=draw(CONDITIONS),
    )


@st.composite
def formulas(draw: st.DrawFn, count: int) -> tuple[str, ...]:
    """Every term once and in order, with numbers and operations between."""
    tokens: list[str] = []
    height = 0
    for index in range(count):
        tokens.append(f"#{index}")
        height += 1
        if draw(st.booleans()):
            tokens += [str(draw(st.integers(0, 3))), draw(st.sampled_from("+-*/"))]
        if draw(st.booleans()):
            tokens.append("neg")
        while height > 1:
            tokens.append(draw(st.sampled_from("+-*/")))
            height -= 1
    return tuple(tokens)


READINGS = st.one_of(
    st.just(Sum()),
    st.builds(lambda target, more: Successes(target=target, double=more and target + more - 1), st.integers(1, 3), st.integers(0, 2)),
    st.builds(lambda ends: Bands(ends=tuple(sorted(ends))), st.sets(st.integers(-4, 12), min_size=1, max_size=3)),
)


@st.composite
def plans(draw: st.DrawFn) -> DicePlan:
    """A plan of three dice at most."""
    made = tuple(draw(st.lists(terms(), min_size=1, max_size=2)))
    assume(sum(term.count for term in made) <= 3)
    plan = DicePlan(terms=made, formula=draw(formulas(len(made))), reading=draw(READINGS))
    try:
        check_plan(plan)
    except DiceError:
        reject()
    return plan


@settings(max_examples=300, deadline=None)
@given(plans())
def test_a_spread_is_what_every_throw_reads(plan: DicePlan) -> None:
    """Law 7: exact, for sums, successes with botch and bands, kept, rerolled and exploded, faults and capped chains too."""
    with pytest.MonkeyPatch.context() as patch:
        for module in ("dice", "spread"):
            patch.setattr(import_module(f"affray.kernel.{module}"), "CHAIN_LINKS", LINKS)
        _spread.cache_clear()
        found = dict(spread_of(plan))
        assert thrown(plan) == found
    _spread.cache_clear()
    assert sum(found.values()) == 1
    assert all(type(weight) is Fraction and weight > 0 for weight in found.values())


@pytest.mark.parametrize(
    "notation",
    [
        "3d6", "4d6kh3", "4d6dl1", "2d20kl1+5", "1d6r=1", "3d6ro<=2", "1d6!", "1d3r=1!=3", "4d10>=7 double 10",
        "3d10kh2>=7", "2d10>=7+1d6>=7", "1d100 bands 5,25,75", "(2d6+3)*2/3", "6/(1d4-1)", "-(1d6)-1d4", "1d4*1d4", "0d6", "2",
    ],
)  # fmt: skip
def test_a_notation_is_spread_as_it_is_thrown(notation: str) -> None:
    """Law 7: with the real length of chains. 1d6! is followed to its hundredth face."""
    plan = parse(notation)
    assert thrown(plan) == dict(spread_of(plan))


# -- what it says


def test_three_dice_have_sixteen_readings() -> None:
    found = spread_of(dice(3, 6))
    assert [Seen(total) for total in range(3, 19)] == list(found)
    assert found[Seen(10)] == Fraction(27, 216)


def test_a_botch_is_apart_from_no_success() -> None:
    found = spread_of(pool(2, 10, 7, 10))
    assert {Seen(0, True): Fraction(11, 100), Seen(0): Fraction(25, 100)} == {s: p for s, p in found.items() if s.total == 0}


def test_what_goes_wrong_after_the_dice_is_a_reading() -> None:
    """Law 10: a fault in a table's own numbers is an outcome."""
    assert Fraction(1, 4) == spread_of(parse("1/(1d4-1)"))[Seen(0, False, "division-by-zero")]
    huge = parse(f"1d2*{limits.NUMBER_MAX}")
    assert {Seen(limits.NUMBER_MAX): Fraction(1, 2), Seen(0, False, "out-of-range"): Fraction(1, 2)} == dict(spread_of(huge))


def test_a_chain_ends_where_a_throw_would_be_refused() -> None:
    """Law 9: CHAIN_LINKS faces, then the throw is refused; its probability is not forgotten."""
    found = spread_of(parse("1d6!"))
    assert Fraction(1, 6**limits.CHAIN_LINKS) == found[Seen(0, False, CAPPED)]
    assert 6 * (limits.CHAIN_LINKS - 1) + 5 == max(int(seen.total) for seen in found)
    assert sum(found.values()) == 1


def test_readings_come_in_one_order() -> None:
    """Law 8: ascending, a botch before no success, what went wrong at the end."""
    assert [Seen(0, True), Seen(0), Seen(1), Seen(2)] == list(spread_of(pool(1, 10, 7, 10)))[:4]
    assert ["", "", "", "division-by-zero"] == [seen.fault for seen in spread_of(parse("1/(1d4-1)"))]


def test_an_equal_plan_costs_nothing() -> None:
    assert spread_of(parse("3d8")) is spread_of(parse("3d8"))


def test_a_plan_that_is_none_is_refused() -> None:
    with pytest.raises(DiceError):
        spread(DicePlan(terms=(Term(count=1, sides=0),)))


# -- bounds


def sizes(*sides: int) -> DicePlan:
    """One die each, added: a work of all their faces, and of every pair of readings."""
    return parse("+".join(f"1d{size}" for size in sides))


def work(a: int, b: int) -> int:
    """Faces are looked at, followed and added to nothing, one each; then the pairs of both dice are added."""
    return 3 * a + 3 * b + a * b


def test_spread_work() -> None:
    """Law 9: at the bound it is worked out, one step past it is too large."""
    at, past = (118, 16526), (1627, 1224)
    assert limits.SPREAD_WORK == work(*at)
    assert limits.SPREAD_WORK + 1 == work(*past)
    assert at[0] + at[1] - 1 == len(spread_of(sizes(*at)))
    assert TooLarge() == spread(sizes(*past))
    assert limits.SPREAD_WORK == TooLarge().work


def test_faces_of_a_roll_that_may_run_out_are_too_many() -> None:
    """Law 9: FACES_PER_ROLL is shared by all dice; where chains could use it up, nothing is worked out."""
    many = limits.FACES_PER_ROLL // limits.CHAIN_LINKS
    assert not isinstance(spread(parse(f"{many}d2r=1>=2")), TooLarge)
    assert isinstance(spread(parse(f"{many}d2r=1>=2+1d2>=2")), TooLarge)

