"""Throwing plans and checking faces (affray.kernel.dice)."""

from __future__ import annotations

import hashlib

import msgspec
import pytest
from hypothesis import assume, given
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
    FACES_PER_ROLL,
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


@given(any_plans())
def test_a_plan_survives_its_bytes(plan: DicePlan) -> None:
    again = msgspec.json.decode(msgspec.json.encode(plan), type=DicePlan)

    assert again == plan
    check_plan(again)
