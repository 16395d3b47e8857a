"""Plans, throwing and reading (affray.kernel.dice)."""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Iterable

import msgspec
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from affray.kernel.dice import (
    Bands,
    Condition,
    DicePlan,
    Face,
    Faces,
    Reading,
    Successes,
    Sum,
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
    CHAIN_LINKS,
    DICE_PER_PLAN,
    DIE_SIDES,
    FACES_PER_ROLL,
    NOTATION_LENGTH,
    NUMBER_MAX,
    ROWS,
)


class Script:
    """Hands out the faces given, in the order asked, and keeps what was asked."""

    def __init__(self, *faces: int) -> None:
        self.left = list(faces)
        self.asked: list[tuple[int, int, int]] = []

    def __call__(self, die: int, link: int, sides: int) -> int:
        self.asked.append((die, link, sides))
        return self.left.pop(0)


class Always(Script):
    """Hands out one face for ever."""

    def __call__(self, die: int, link: int, sides: int) -> int:
        self.asked.append((die, link, sides))
        return self.left[0]


def keyed(seed: int) -> Face:
    """Give faces that depend on seed, die and link alone, as engine dice do."""

    def face(die: int, link: int, sides: int) -> int:
        digest = hashlib.sha256(f"{seed}/{die}/{link}".encode()).digest()
        return int.from_bytes(digest[:8], "big") % sides + 1

    return face


def single(*faces: int) -> Faces:
    return tuple((face,) for face in faces)


def one(**changes: object) -> DicePlan:
    """Plan one term, 4d6 unless changed."""
    return DicePlan(terms=(msgspec.structs.replace(Term(count=4, sides=6), **changes),))


def refused(plan: DicePlan) -> str:
    """Give the problem of a plan that check_plan, throw, read and check_faces refuse before any die."""
    script = Script()
    problems = set()
    for attempt in (check_plan, lambda p: throw(p, script), lambda p: read(p, ()), lambda p: check_faces(p, ())):
        with pytest.raises(DiceError) as caught:
            attempt(plan)
        problems.add(caught.value.problem)
    assert script.asked == []
    assert len(problems) == 1
    return problems.pop()


# -- strategies

OPS = ("<", "<=", "=", ">=", ">")


@st.composite
def conditions(draw: st.DrawFn, sides: int) -> Condition:
    made = [Condition(op, value) for op in OPS for value in range(sides + 2)]  # type: ignore[arg-type]
    return draw(st.sampled_from([each for each in made if not all(each.met(face) for face in range(1, sides + 1))]))


@st.composite
def any_terms(draw: st.DrawFn) -> Term:
    sides = draw(st.integers(2, 12))
    count = draw(st.integers(1, 6))
    reroll = draw(st.none() | conditions(sides))
    keep = draw(st.sampled_from(["", "kh", "kl", "dh", "dl"]))
    return Term(
        count=count,
        sides=sides,
        keep=keep,  # type: ignore[arg-type]
        keep_count=draw(st.integers(1, count)) if keep else 0,
        reroll=reroll,
        reroll_once=reroll is not None and draw(st.booleans()),
        explode=draw(st.none() | conditions(sides)),
    )


@st.composite
def any_plans(draw: st.DrawFn) -> DicePlan:
    terms = tuple(draw(st.lists(any_terms(), min_size=1, max_size=3)))
    reading = draw(
        st.just(Sum())
        | st.builds(Successes, target=st.integers(1, 6), double=st.just(0) | st.integers(6, 12))
        | st.just(Bands(ends=(3, 9)))
    )
    return DicePlan(terms=terms, formula=added(len(terms)), reading=reading)


def added(terms: int) -> tuple[str, ...]:
    """Write the formula that adds so many terms."""
    return ("#0", *(token for i in range(1, terms) for token in (f"#{i}", "+")))


def thrown(plan: DicePlan, seed: int) -> Faces:
    """Throw keyed dice; a chain that happens to be capped makes no example."""
    try:
        return throw(plan, keyed(seed))
    except DiceError as error:
        assume(not error.problem.startswith("capped"))
        raise


# -- throwing


def test_plain_dice_are_asked_for_in_order_through_all_terms() -> None:
    script = Script(4, 2, 7)
    plan = DicePlan(terms=(Term(count=2, sides=6), Term(count=1, sides=8)), formula=("#0", "#1", "+"))

    assert throw(plan, script) == ((4,), (2,), (7,))
    assert script.asked == [(0, 0, 6), (1, 0, 6), (2, 0, 8)]


def test_a_chain_holds_the_first_face_then_rerolled_then_exploded_ones() -> None:
    script = Script(1, 2, 6, 6, 1, 3)
    plan = one(count=2, reroll=Condition("<=", 2), explode=Condition("=", 6))

    assert throw(plan, script) == ((1, 2, 6, 6, 1), (3,))  # the 1 that came from a 6 is not rerolled
    assert script.asked == [(0, 0, 6), (0, 1, 6), (0, 2, 6), (0, 3, 6), (0, 4, 6), (1, 0, 6)]


def test_links_count_per_die_and_dice_per_plan() -> None:
    script = Script(6, 6, 2, 8, 1)
    plan = DicePlan(
        terms=(Term(count=1, sides=6, explode=Condition("=", 6)), Term(count=1, sides=8, explode=Condition("=", 8))),
        formula=("#0", "#1", "+"),
    )

    assert throw(plan, script) == ((6, 6, 2), (8, 1))
    assert script.asked == [(0, 0, 6), (0, 1, 6), (0, 2, 6), (1, 0, 8), (1, 1, 8)]


def test_a_plan_without_dice_asks_for_none() -> None:
    plan = DicePlan(terms=(), formula=("7", "2", "/"))

    assert throw(plan, Script()) == ()
    assert read(plan, ()) == Reading("7/2", False, (), "")


def test_no_dice_of_a_kind_count_nothing() -> None:
    assert read(dice(0, 20, 3), ()) == Reading(3, False, (), "")
    assert read(pool(0, 10, 7), ()) == Reading(0, False, (), "")


@pytest.mark.parametrize(
    ("plan", "face"),
    [
        pytest.param(one(count=1, sides=20, explode=Condition("=", 20)), 20, id="1d20! that always shows 20"),
        pytest.param(one(count=1, sides=10_000, reroll=Condition(">", 1)), 2, id="a d10000 until it shows 1"),
    ],
)
def test_dice_1_a_chain_that_goes_on_is_capped_and_says_so(plan: DicePlan, face: int) -> None:
    """Case DICE-1: never a quiet truncation, and no more draws than the cap."""
    script = Always(face)

    with pytest.raises(DiceError, match=f"capped: die 1 would go on after {CHAIN_LINKS} faces"):
        throw(plan, script)

    assert len(script.asked) == CHAIN_LINKS


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


def test_a_reroll_once_on_every_face_stops_by_itself() -> None:
    plan = one(count=1, reroll=Condition("<", 7), reroll_once=True)

    assert throw(plan, Script(5, 2)) == ((5, 2),)
    assert read(plan, ((5, 2),)).total == 2


def test_a_chain_may_have_chain_links_faces_and_no_more() -> None:
    plan = one(count=1, explode=Condition("=", 6))
    longest = (*[6] * (CHAIN_LINKS - 1), 1)

    assert throw(plan, Script(*longest)) == (longest,)
    check_faces(plan, (longest,))
    with pytest.raises(DiceError, match="capped: die 1"):
        throw(plan, Script(6, *longest))
    with pytest.raises(DiceError, match="capped: die 1"):
        check_faces(plan, ((6, *longest),))


def test_a_roll_may_have_faces_per_roll_faces_and_no_more() -> None:
    plan = one(count=DICE_PER_PLAN, explode=Condition("=", 6))
    links = FACES_PER_ROLL // DICE_PER_PLAN
    full = [*[6] * (links - 1), 1] * DICE_PER_PLAN

    assert sum(map(len, throw(plan, Script(*full)))) == FACES_PER_ROLL
    script = Script(*full[:-1], 6, 1)
    with pytest.raises(DiceError, match=f"capped: the roll would go on after {FACES_PER_ROLL} faces"):
        throw(plan, script)
    assert len(script.asked) == FACES_PER_ROLL


def test_the_first_face_of_a_later_die_is_capped_too() -> None:
    plan = one(count=DICE_PER_PLAN, explode=Condition("=", 6))
    script = Script(*[*[6] * 49, 1] * DICE_PER_PLAN)

    with pytest.raises(DiceError, match="capped: the roll"):
        throw(plan, script)
    assert script.asked[-1] == (99, 49, 6)
    assert len(script.asked) == FACES_PER_ROLL


@given(any_plans(), st.integers(0, 2**32))
def test_what_was_thrown_passes_the_check_and_can_be_read(plan: DicePlan, seed: int) -> None:
    faces = thrown(plan, seed)

    check_faces(plan, faces)
    reading = read(plan, faces)
    assert reading.fault == ""
    assert list(reading.dropped) == sorted(set(reading.dropped))
    assert all(0 <= link < len(faces[die]) for die, link in reading.dropped)


@given(any_plans(), any_terms(), st.integers(0, 2**32))
def test_a_term_put_at_the_end_moves_no_other_die(plan: DicePlan, more: Term, seed: int) -> None:
    terms = (*plan.terms, more)
    grown = msgspec.structs.replace(plan, terms=terms, formula=added(len(terms)))
    before = thrown(plan, seed)

    assert thrown(grown, seed)[: len(before)] == before


@given(any_plans(), st.integers(1, 4), st.integers(0, 2**32))
def test_dice_added_to_the_last_term_move_no_other_die(plan: DicePlan, more: int, seed: int) -> None:
    last = msgspec.structs.replace(plan.terms[-1], count=plan.terms[-1].count + more)
    grown = msgspec.structs.replace(plan, terms=(*plan.terms[:-1], last))
    before = thrown(plan, seed)

    assert thrown(grown, seed)[: len(before)] == before


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


# -- checking faces


@pytest.mark.parametrize(
    ("plan", "faces"),
    [
        (dice(2, 6), single(1, 6)),
        (dice(0, 6), ()),
        (one(count=1, explode=Condition("=", 6)), ((6, 6, 1),)),
        (one(count=1, reroll=Condition("<", 3)), ((1, 2, 3),)),
        (one(count=1, reroll=Condition("<", 3), reroll_once=True), ((1, 2),)),
        (one(count=1, reroll=Condition("<", 3), explode=Condition("=", 6)), ((1, 6, 6, 2),)),
    ],
)
def test_faces_that_a_plan_can_give_pass(plan: DicePlan, faces: Faces) -> None:
    check_faces(plan, faces)


@pytest.mark.parametrize(
    ("plan", "faces", "problem"),
    [
        pytest.param(dice(2, 6), single(1), "2 dice", id="too few dice"),
        pytest.param(dice(2, 6), single(1, 2, 3), "2 dice", id="too many dice"),
        pytest.param(dice(2, 6), [(1,), (2,)], "2 dice", id="a list"),
        pytest.param(dice(2, 6), None, "2 dice", id="nothing"),
        pytest.param(dice(2, 6), ((1,), [2]), "die 2 of 2 needs a tuple", id="a list for a chain"),
        pytest.param(dice(2, 6), ((1,), 2), "die 2 of 2 needs a tuple", id="a number for a chain"),
        pytest.param(dice(2, 6), ((1,), ()), "die 2 of 2 needs", id="a die without a face"),
        pytest.param(dice(2, 6), single(0, 6), "face 1 of die 1 .* from 1 to 6, got 0", id="below the range"),
        pytest.param(dice(2, 6), single(1, 7), "face 1 of die 2 .* from 1 to 6, got 7", id="above the range"),
        pytest.param(dice(1, 6), ((10**5000,),), "got a number beyond", id="a number too long to print"),
        pytest.param(dice(1, 6), ((True,),), "got True", id="a truth value"),
        pytest.param(dice(1, 6), ((3.0,),), "got 3.0", id="a float"),
        pytest.param(dice(1, 6), (("3",),), "got '3'", id="a text"),
        pytest.param(dice(1, 6), ((3, 4),), "die 1 has 2 faces, where the plan stops after 1", id="goes on"),
        pytest.param(one(count=1, explode=Condition("=", 6)), ((5, 4),), "stops after 1", id="5 explodes"),
        pytest.param(one(count=1, explode=Condition("=", 6)), ((6,),), "die 1 stops after 1 ", id="6 does not"),
        pytest.param(one(count=1, reroll=Condition("<", 3)), ((1, 2),), "die 1 stops after 2 ", id="a 2 stays"),
        pytest.param(one(count=1, reroll=Condition("<", 3)), ((1, 3, 4),), "where the plan stops after 2", id="a 3 goes"),
        pytest.param(
            one(count=1, reroll=Condition("<", 3), reroll_once=True),
            ((1, 2, 4),),
            "die 1 has 3 faces, where the plan stops after 2",
            id="two replacements of a reroll once",
        ),
        pytest.param(
            one(count=1, reroll=Condition("<", 3), explode=Condition("=", 6)),
            ((6, 1, 4),),
            "where the plan stops after 2",
            id="an exploded 1 is rerolled",
        ),
    ],
)
def test_faces_that_a_plan_cannot_give_are_refused(plan: DicePlan, faces: Faces, problem: str) -> None:
    with pytest.raises(DiceError, match=problem):
        check_faces(plan, faces)


@given(any_plans(), st.integers(0, 2**32), st.data())
def test_a_face_more_or_less_never_passes(plan: DicePlan, seed: int, data: st.DataObject) -> None:
    faces = thrown(plan, seed)
    die = data.draw(st.integers(0, len(faces) - 1))
    for chain in (faces[die][:-1], (*faces[die], 1)):
        with pytest.raises(DiceError):
            check_faces(plan, (*faces[:die], chain, *faces[die + 1 :]))


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


@given(any_plans())
@example(dice(3, 6))
def test_a_plan_survives_its_bytes(plan: DicePlan) -> None:
    again = msgspec.json.decode(msgspec.json.encode(plan), type=DicePlan)

    assert again == plan
    check_plan(again)


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
