"""Dice in an explanation: every chain with what became of its faces, and sums that come to what the roll reads."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from affray.kernel import (
    Ask,
    Bands,
    DicePlan,
    Roll,
    Row,
    SetStep,
    Term,
    dice,
    exact,
    parse,
    read,
    throw,
    total,
)
from affray.kernel import pool as dice_pool

from ...support.explained import hit, log_of, log_with, only, scripted, tree, versions, where
from ...support.table import answer_all, must, tiny_session


def test_how_many_dice_a_roll_throws_is_told_beside_what_they_show() -> None:
    rows = (Row("dexterity", 4, "sheet"), Row("wound", -1, "fight"))
    roll = Roll("attack", by="ann", plan=dice(3, 6), faces=((1,), (2,), (3,)), dropped=(), total=6, trace=rows)
    node = tree(log_with(roll), 1)
    count = only(node, "number-of-dice")
    assert (count.amount, [term.amount for term in count.terms], node.amount) == (3, [4, -1], 6)
    hidden = replace(roll, trace=None, kept="0" * 64)
    assert only(tree(log_with(hidden), 1), "number-of-dice").is_kept


def test_faces_that_the_game_master_set_point_to_the_word() -> None:
    session = scripted(3, 4)
    must(session.overrule("fate", SetStep(slot="a1|roll.attack.ann.0", fields={"faces": [[5]]})))
    word = session.head
    hit(session=session)
    log = log_of(session)
    node = tree(log, where(log, Roll, "attack"))
    assert (node.args["source"], node.amount) == ("overruled", 5)
    assert word in versions(node.because)


def test_reported_dice_point_to_the_question() -> None:
    session = tiny_session(dice={"ann": "reported"}, begun=False)
    must(session.begin())
    answer_all(session)
    must(session.declare("ann", "attack", "bob", id="a1"))
    must(session.report("a1|roll.attack.ann.0", "ann", [[15]]))
    log = log_of(session)
    node = tree(log, where(log, Roll, "attack"))
    assert (node.args["source"], node.amount) == ("reported", 15)
    assert where(log, Ask) in versions(node.because)


def test_dice_that_were_used_again_point_to_those_that_were_undone() -> None:
    session = tiny_session(undo_dice="keep")
    must(session.declare("ann", "attack", "bob", id="a1"))
    must(session.undo())
    must(session.declare("ann", "attack", "bob", id="a2"))
    log = log_of(session)
    first, again = where(log, Roll, "attack", 0), where(log, Roll, "attack", 1)
    node = tree(log, again)
    assert node.args["reused"] == first
    (before,) = [one for one in node.because if one.version == first]
    assert (before.code, before.amount) == ("roll", node.amount)


def test_a_roll_whose_numbers_went_wrong_shows_its_dice_and_no_number() -> None:
    session = scripted(1, 2)
    must(session.declare("ann", "roll", notation="2/(1d6-1)"))
    log = log_of(session)
    node = tree(log, where(log, Roll, "typed"))
    assert (node.amount, node.terms, node.args["fault"]) == (None, (), "division-by-zero")
    assert [one.args["faces"] for one in node.because if one.code == "die"] == [(1,)]


# -- chains


def rolled(plan: DicePlan, *chains: tuple[int, ...]) -> Roll:
    """A roll of these chains, read as the plan reads them."""
    reading = read(plan, chains)
    return Roll("typed", by="ann", plan=plan, faces=chains, dropped=reading.dropped, total=reading.total, botch=reading.botch, fault=reading.fault)


def told(roll: Roll) -> list[tuple[tuple[int, ...], tuple[str, ...], Any]]:
    """Faces, fates and amount of every die that adds up."""
    return [(die.args["faces"], die.args["fates"], die.amount) for die in tree(log_with(roll), 1).terms if die.code == "die"]


@pytest.mark.parametrize(
    ("notation", "chains", "expected"),
    [
        ("3d6kh2", ((5,), (2,), (6,)), [((5,), ("counts",), 5), ((2,), ("dropped",), 0), ((6,), ("counts",), 6)]),
        ("1d6r<2", ((1, 1, 4),), [((1, 1, 4), ("rerolled", "rerolled", "counts"), 4)]),
        ("1d6ro<3", ((1, 2),), [((1, 2), ("rerolled", "counts"), 2)]),
        ("1d6!", ((6, 6, 2),), [((6, 6, 2), ("counts", "exploded", "exploded"), 14)]),
        ("2d6r<2!kh1", ((1, 6, 3), (1, 4)), [((1, 6, 3), ("rerolled", "counts", "exploded"), 9), ((1, 4), ("rerolled", "dropped"), 0)]),
        ("2d6r<2!kl1", ((1, 6, 3), (1, 4)), [((1, 6, 3), ("rerolled", "dropped", "dropped"), 0), ((1, 4), ("rerolled", "counts"), 4)]),
        ("20-2d6", ((5,), (2,)), [((5,), ("counts",), -5), ((2,), ("counts",), -2)]),
        ("2d6/4", ((5,), (2,)), [((5,), ("counts",), "5/4"), ((2,), ("counts",), "1/2")]),
    ],
)
def test_every_face_of_a_chain_says_what_became_of_it(notation: str, chains: Any, expected: Any) -> None:
    roll = rolled(parse(notation), *chains)
    assert expected == told(roll)
    node = tree(log_with(roll), 1)
    assert [leaf.args for die in node.terms for leaf in die.terms if leaf.code == "face"] == [
        {"face": face, "fate": fate} for faces, fates, _ in expected if len(faces) > 1 for face, fate in zip(faces, fates, strict=True)
    ]


def test_a_pool_counts_successes_and_a_double_twice() -> None:
    roll = rolled(dice_pool(4, 10, 7, 10), (10,), (7,), (6,), (1,))
    assert [amount for _, _, amount in told(roll)] == [2, 1, 0, 0]


def test_what_the_plan_adds_is_a_term_and_what_multiplies_is_said() -> None:
    node = tree(log_with(rolled(parse("2*(1d6+3)-1"), (4,))), 1)
    assert [(term.code, term.amount, term.args.get("times")) for term in node.terms] == [("die", 8, 2), ("constant", 5, None)]


@pytest.mark.parametrize("plan", [parse("1d6*1d6"), DicePlan(terms=(Term(count=2, sides=6),), reading=Bands(ends=(3, 7)))])
def test_dice_that_do_not_add_up_stand_beside_the_reading(plan: DicePlan) -> None:
    node = tree(log_with(rolled(plan, (2,), (3,))), 1)
    assert (node.terms, [one.amount for one in node.because]) == ((), [2, 3])


NOTATIONS = (
    "1d20", "3d6+2", "4d6kh3", "4d6dl2", "2d6!+1d4", "3d10r<3", "2d8ro=1!", "5d6kl2-1d4", "(2d6+3)*2", "7-1d6", "1d6/3", "-2d4",
    "1d6+2d8kh1+3", "0d6+4", "2d6r<2!kl1",
)  # fmt: skip


@given(notation=st.sampled_from(NOTATIONS), seed=st.integers(0, 2**32))
def test_the_faces_of_any_roll_add_up_to_what_it_reads(notation: str, seed: int) -> None:
    plan, chance = parse(notation), Random(seed)
    roll = rolled(plan, *throw(plan, lambda die, link, sides: chance.randint(1, sides)))
    node = tree(log_with(roll), 1)
    assert node.terms or not node.amount
    assert total([leaf.amount for leaf in node.leaves() if leaf.amount is not None]) == exact(node.amount or 0)
    assert all(leaf.code in ("die", "face", "constant") for leaf in node.leaves())


def test_faces_that_a_host_made_up_are_told_as_they_stand() -> None:
    plain = rolled(parse("2d6"), (2,), (3,))
    wrong = replace(plain, total=9)
    assert [(term.code, term.amount) for term in tree(log_with(wrong), 1).terms] == [("die", 2), ("die", 3), ("rest", 4)]
    many = replace(plain, faces=((2,), (3,), (4,)))
    assert [one.args["sides"] for one in tree(log_with(many), 1).because] == [0, 0, 0]
    huge = replace(plain, plan=DicePlan(terms=(Term(count=10**12, sides=6),)))
    assert len(tree(log_with(huge), 1).because) == 2
    for formula in (("#0", "+"), ("#0", "#0"), ("#x",), ("abc",), ()):
        odd = replace(plain, plan=DicePlan(terms=plain.plan.terms, formula=formula))
        assert len(tree(log_with(odd), 1).because) == 2
