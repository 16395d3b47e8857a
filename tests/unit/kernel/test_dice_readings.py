"""What faces mean under a plan (affray.kernel.dice.read)."""

from __future__ import annotations

import itertools
from collections.abc import Iterable

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from affray.kernel.dice import (
    Bands,
    Condition,
    DicePlan,
    Faces,
    Reading,
    Successes,
    Term,
    banded,
    dice,
    pool,
    read,
    throw,
)
from affray.kernel.errors import DiceError
from affray.kernel.limits import (
    NOTATION_LENGTH,
    NUMBER_MAX,
)


class Script:
    """Hands out the faces given, in the order asked, and keeps what was asked."""

    def __init__(self, *faces: int) -> None:
        self.left = list(faces)
        self.asked: list[tuple[int, int, int]] = []

    def __call__(self, die: int, link: int, sides: int) -> int:
        self.asked.append((die, link, sides))
        return self.left.pop(0)


def single(*faces: int) -> Faces:
    return tuple((face,) for face in faces)


def one(**changes: object) -> DicePlan:
    """Plan one term, 4d6 unless changed."""
    return DicePlan(terms=(msgspec.structs.replace(Term(count=4, sides=6), **changes),))


# -- reading sums, kept dice and rerolls


def test_a_sum_adds_the_faces_and_the_constant() -> None:
    assert read(dice(3, 6, 2), single(3, 4, 5)) == Reading(14, False, (), "")
    assert read(dice(3, 6, -20), single(3, 4, 5)) == Reading(-8, False, (), "")
    assert read(dice(1, 10), single(7)) == Reading(7, False, (), "")


def test_exploded_faces_are_added() -> None:
    assert read(one(count=2, explode=Condition("=", 6)), ((6, 6, 2), (3,))) == Reading(17, False, (), "")


@pytest.mark.parametrize(
    ("keep", "number", "total", "dropped"),
    [
        ("kh", 3, 14, ((1, 0),)),
        ("kh", 1, 6, ((0, 0), (1, 0), (2, 0))),
        ("kl", 1, 1, ((0, 0), (2, 0), (3, 0))),
        ("kl", 3, 9, ((3, 0),)),
        ("dh", 1, 9, ((3, 0),)),
        ("dh", 4, 0, ((0, 0), (1, 0), (2, 0), (3, 0))),
        ("dl", 1, 14, ((1, 0),)),
        ("dl", 3, 6, ((0, 0), (1, 0), (2, 0))),
    ],
)
def test_keep_and_drop(keep: str, number: int, total: int, dropped: tuple[tuple[int, int], ...]) -> None:
    assert read(one(keep=keep, keep_count=number), single(3, 1, 5, 6)) == Reading(total, False, dropped, "")


@pytest.mark.parametrize(
    ("keep", "dropped"),
    [("kh", ((1, 0), (3, 0))), ("dl", ((1, 0), (3, 0))), ("kl", ((2, 0), (3, 0))), ("dh", ((2, 0), (3, 0)))],
)
def test_among_equal_dice_the_later_is_dropped_first(keep: str, dropped: tuple[tuple[int, int], ...]) -> None:
    faces = single(2, 2, 2, 2) if keep in ("kl", "dh") else single(5, 2, 5, 2)

    assert read(one(keep=keep, keep_count=2), faces).dropped == dropped


def test_of_two_equal_lowest_dice_the_later_goes() -> None:
    assert read(one(keep="dl", keep_count=1), single(2, 5, 2, 6)).dropped == ((2, 0),)


def test_of_two_equal_highest_dice_the_later_goes() -> None:
    assert read(one(keep="dh", keep_count=1), single(6, 5, 6, 2)).dropped == ((2, 0),)


def test_a_die_is_kept_by_the_sum_of_its_counting_faces() -> None:
    plan = one(count=3, keep="kh", keep_count=1, reroll=Condition("<", 2), explode=Condition("=", 6))

    # 6+1 = 7 beats 5; the replaced 1 of the last die counts neither for its value nor for the sum
    assert read(plan, ((6, 1), (5,), (1, 4))) == Reading(7, False, ((1, 0), (2, 0), (2, 1)), "")


def test_the_mean_of_four_dice_without_the_lowest_is_15869_of_1296() -> None:
    """The well-known 12.2446 of 4d6 drop lowest, over all 1296 outcomes."""
    plan = one(keep="dl", keep_count=1)
    outcomes = itertools.product(range(1, 7), repeat=4)

    assert sum(int(read(plan, single(*outcome)).total) for outcome in outcomes) == 15869


@given(st.lists(st.integers(1, 6), min_size=4, max_size=4), st.integers(1, 3))
def test_keeping_some_is_dropping_the_others(faces: list[int], number: int) -> None:
    for keep, drop in (("kh", "dl"), ("kl", "dh")):
        kept = read(one(keep=keep, keep_count=number), single(*faces))
        assert kept == read(one(keep=drop, keep_count=4 - number), single(*faces))
        assert kept.total == sum(sorted(faces, reverse=keep == "kh")[:number])


@pytest.mark.parametrize("condition", [Condition("<", 3), Condition("<=", 2)])
@pytest.mark.parametrize(
    ("script", "total", "faces"),
    [((2, 6, 5), 11, ((2, 6), (5,))), ((1, 2, 5), 7, ((1, 2), (5,)))],
)
def test_dice_4_a_reroll_once_replaces_once_and_shows_it(
    condition: Condition, script: tuple[int, ...], total: int, faces: Faces
) -> None:
    """Case DICE-4: scripts A and B in both spellings. Chains ask for a die's own replacement before the next die."""
    plan = one(count=2, reroll=condition, reroll_once=True)
    source = Script(*script)

    assert throw(plan, source) == faces
    assert len(source.asked) == 3
    assert source.left == []
    assert read(plan, faces) == Reading(total, False, ((0, 0),), "")


def test_a_reroll_until_drops_all_but_the_last() -> None:
    plan = one(count=1, reroll=Condition("<", 3))

    assert read(plan, ((1, 2, 1, 5),)) == Reading(5, False, ((0, 0), (0, 1), (0, 2)), "")


def test_imported_faces_that_no_plan_gives_are_read_as_they_stand() -> None:
    plan = one(count=2, sides=4, explode=Condition("=", 4))

    assert read(plan, ((4, 0), (2,))).total == 6  # a penetrating 0
    assert read(dice(2, 4), ((7,), (1, 2))).total == 10


@pytest.mark.parametrize("once", [False, True])
def test_the_last_face_of_a_chain_counts_even_where_the_plan_goes_on(once: bool) -> None:
    plan = one(count=1, reroll=Condition("<", 3), reroll_once=once)

    assert read(plan, ((1,),)) == Reading(1, False, (), "")
    assert read(plan, ((1, 2),)) == Reading(2, False, ((0, 0),), "")
    assert read(plan, ((),)) == Reading(0, False, (), "")


@pytest.mark.parametrize("plan", [dice(2, 6), pool(2, 6, 5), one(count=2, keep="kh", keep_count=1)])
@pytest.mark.parametrize("faces", [single(3), single(3, 4, 5), ()])
def test_faces_of_another_number_of_dice_are_not_read(plan: DicePlan, faces: Faces) -> None:
    with pytest.raises(DiceError, match=f"has 2 dice, there are faces of {len(faces)}"):
        read(plan, faces)


# -- reading successes and bands


def test_successes_count_and_the_highest_faces_count_twice() -> None:
    faces = single(10, 10, 10, 9, 9, 8, 7, 7, 4, 1)

    assert read(pool(10, 10, 7, 10), faces) == Reading(11, False, (), "")
    assert read(pool(10, 10, 7), faces) == Reading(8, False, (), "")
    assert read(pool(10, 10, 7, 9), faces) == Reading(13, False, (), "")


@pytest.mark.parametrize(
    ("faces", "botch"), [((1, 6, 6), True), ((2, 6, 6), False), ((1, 7, 6), False), ((1, 1, 1), True)]
)
def test_a_botch_is_a_one_without_any_success(faces: tuple[int, ...], botch: bool) -> None:
    assert read(pool(3, 10, 7), single(*faces)).botch is botch


def test_a_botch_looks_at_all_terms_and_not_at_what_the_formula_adds() -> None:
    plan = DicePlan(
        terms=(Term(count=1, sides=10), Term(count=1, sides=10)),
        formula=("#0", "#1", "+", "2", "+"),
        reading=Successes(target=7),
    )

    assert read(plan, single(1, 4)) == Reading(2, True, (), "")
    assert read(plan, single(1, 8)) == Reading(3, False, (), "")
    assert read(plan, single(8, 1)) == Reading(3, False, (), "")
    assert read(plan, single(4, 1)) == Reading(2, True, (), "")


def test_a_replaced_or_dropped_one_is_no_botch() -> None:
    rerolled = DicePlan(
        terms=(Term(count=1, sides=10, reroll=Condition("=", 1)),), reading=Successes(target=7)
    )
    kept = DicePlan(terms=(Term(count=2, sides=10, keep="kh", keep_count=1),), reading=Successes(target=7))

    assert read(rerolled, ((1, 4),)) == Reading(0, False, ((0, 0),), "")
    assert read(kept, single(1, 4)) == Reading(0, False, ((0, 0),), "")


def test_a_sum_is_never_a_botch() -> None:
    assert read(one(keep="kh", keep_count=1), single(1, 1, 1, 1)).botch is False


@pytest.mark.parametrize(
    ("face", "band"), [(1, 0), (5, 0), (6, 1), (95, 1), (96, 2), (100, 2)]
)
def test_the_end_of_a_band_belongs_to_it(face: int, band: int) -> None:
    assert read(banded(1, 100, (5, 95)), single(face)) == Reading(band, False, (), "")


def test_bands_are_looked_up_by_the_whole_formula() -> None:
    terms = (Term(count=2, sides=6, keep="kh", keep_count=1),)
    plan = DicePlan(terms=terms, formula=("#0", "2", "/"), reading=Bands(ends=(-1, 1, 2)))

    assert [read(plan, single(1, face)).total for face in (2, 3, 4, 5)] == [1, 2, 2, 3]  # 1, 3/2, 2, 5/2
    assert read(msgspec.structs.replace(plan, formula=("#0", "7", "-")), single(1, 6)).total == 0


# -- arithmetic


@pytest.mark.parametrize(
    ("plan", "faces", "total"),
    [
        pytest.param(dice(4, 20), (17, 4, 18, 16), "55/4", id="4d20/4"),
        pytest.param(dice(4, 20), (17, 4, 18, 17), 14, id="4d20/4 even"),
    ],
)
def test_dice_5_division_keeps_the_fraction(plan: DicePlan, faces: tuple[int, ...], total: int | str) -> None:
    """Case DICE-5: 55/4, never 1 and never a float."""
    divided = msgspec.structs.replace(plan, formula=("#0", "4", "/"))

    assert read(divided, single(*faces)) == Reading(total, False, (), "")


@pytest.mark.parametrize(
    ("formula", "total"),
    [
        (("7", "2", "/"), "7/2"),
        (("7", "neg", "2", "/"), "-7/2"),
        (("7", "2", "neg", "/"), "-7/2"),
        (("1", "2", "/", "1", "2", "/", "+"), 1),
        (("2", "3", "-"), -1),
        (("2", "3", "*"), 6),
        (("6", "3", "/"), 2),
        (("0", "3", "/"), 0),
        (("0", "neg"), 0),
    ],
)
def test_arithmetic_is_exact(formula: tuple[str, ...], total: int | str) -> None:
    reading = read(DicePlan(terms=(), formula=formula), ())

    assert reading == Reading(total, False, (), "")
    assert type(reading.total) is type(total)


def test_dice_5_halving_below_zero_agrees_with_and_without_dice() -> None:
    """Case DICE-5: `(1d6-10)/2` with 3 is what -7/2 is."""
    plan = DicePlan(terms=(Term(count=1, sides=6),), formula=("#0", "10", "-", "2", "/"))

    assert read(plan, single(3)).total == "-7/2"


def test_dice_5_division_by_zero_is_a_fault_that_keeps_the_dice() -> None:
    """Case DICE-5: `1/0`, and `1d6/(1d6-1)` with 4 and 1. The faces are there to be recorded."""
    plan = DicePlan(
        terms=(Term(count=1, sides=6), Term(count=1, sides=6)), formula=("#0", "#1", "1", "-", "/")
    )
    faces = throw(plan, Script(4, 1))

    assert faces == single(4, 1)
    assert read(plan, faces) == Reading(0, False, (), "division-by-zero")
    assert read(plan, single(4, 3)) == Reading(2, False, (), "")
    assert read(DicePlan(terms=(), formula=("1", "0", "/")), ()) == Reading(0, False, (), "division-by-zero")


def test_a_fault_keeps_what_was_dropped_and_the_botch() -> None:
    terms = (Term(count=2, sides=10, keep="kl", keep_count=1),)
    plan = DicePlan(terms=terms, formula=("#0", "0", "/"), reading=Successes(target=7))

    assert read(plan, single(1, 9)) == Reading(0, True, ((1, 0),), "division-by-zero")


@pytest.mark.parametrize(
    "formula",
    [
        (str(NUMBER_MAX), "1", "+"),
        (str(NUMBER_MAX), "neg", "1", "-"),
        (str(NUMBER_MAX), "2", "*", "2", "/"),  # on the way
        ("1", str(NUMBER_MAX), "/", "2", "/"),  # a denominator
        (str(NUMBER_MAX), "2", "/", "2", "*", "1", "+"),
    ],
)
def test_a_value_beyond_number_max_is_a_fault(formula: tuple[str, ...]) -> None:
    assert read(DicePlan(terms=(), formula=formula), ()) == Reading(0, False, (), "out-of-range")


def test_values_up_to_number_max_are_read() -> None:
    assert read(dice(1, 6, NUMBER_MAX - 1), single(1)) == Reading(NUMBER_MAX, False, (), "")
    assert read(dice(1, 6, -NUMBER_MAX), single(1)) == Reading(1 - NUMBER_MAX, False, (), "")
    assert read(dice(1, 6, -NUMBER_MAX), single(0)) == Reading(-NUMBER_MAX, False, (), "")
    assert read(DicePlan(terms=(), formula=("1", str(NUMBER_MAX), "/")), ()).total == f"1/{NUMBER_MAX}"


def test_a_plain_sum_beyond_number_max_is_a_fault() -> None:
    assert read(dice(1, 6, NUMBER_MAX), single(1)) == Reading(0, False, (), "out-of-range")
    assert read(dice(1, 6, -NUMBER_MAX), ((-1,),)) == Reading(0, False, (), "out-of-range")


def test_a_long_formula_costs_no_more_than_its_length() -> None:
    growing = (str(NUMBER_MAX), *[str(NUMBER_MAX), "*"] * ((NOTATION_LENGTH - 1) // 2))

    assert read(DicePlan(terms=(), formula=growing), ()).fault == "out-of-range"


def sums(plan: DicePlan, faces: Iterable[Faces]) -> list[object]:
    return [read(plan, each).total for each in faces]


@given(st.lists(st.tuples(st.integers(1, 6), st.integers(1, 6)), max_size=5), st.integers(-9, 9))
def test_the_short_way_through_a_plain_sum_gives_what_the_long_way_gives(
    pairs: list[tuple[int, int]], plus: int
) -> None:
    short = dice(2, 6, plus)
    long = DicePlan(terms=short.terms, formula=("#0", str(abs(plus)), *(["neg"] if plus < 0 else []), "+", "1", "*"))
    faces = [single(*pair) for pair in pairs]

    assert sums(short, faces) == sums(long, faces) == [sum(pair) + plus for pair in pairs]
