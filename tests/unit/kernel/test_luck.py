"""Luck: how likely a roll and an action were, and what the faces of a log can tell."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import pytest

from affray.kernel import (
    GM,
    PUBLIC,
    ActionLuck,
    DicePlan,
    Luck,
    Manifest,
    PluginUnavailable,
    Roll,
    RuleSet,
    action_luck,
    dice,
    limits,
    luck,
    parse,
    pool,
    read,
)
from affray.kernel.luck import LEAST_EXPECTED, LEVEL, tail, too_often
from affray.sessions import Session

from ...golden.odds_cases import nyra, sparring, strike
from ...support.dicey import Dicey
from ...support.table import answer_all, engine, must, tiny_catalog, tiny_session


def rolled(plan: DicePlan, *faces: int, by: str = "ann", source: str = "engine", **more: Any) -> Roll:
    """A roll of dice that have one face each."""
    chains = tuple((face,) for face in faces)
    reading = read(plan, chains)
    found = {"total": reading.total, "botch": reading.botch, "fault": reading.fault, "dropped": reading.dropped}
    return Roll("x", by=by, plan=plan, faces=chains, source=source, **{**found, **more})


def luck_of(*rolls: Roll, undone: Iterable[int] = ()) -> Luck:
    return luck([(version, roll, version in undone) for version, roll in enumerate(rolls, 1)])


def session_luck(session: Session, reader: str = GM) -> Luck:
    return luck([(one.version, one.event, one.undone) for one in session.history(reader=reader)])


def actions(session: Session, reader: str = GM, **how: Any) -> list[ActionLuck]:
    line = [(one.version, one.event) for one in session.history(reader=reader) if not one.undone]
    return list(action_luck(line, session._deciding.ready().rules_of, reader, **how))


# -- rolls


def test_a_roll_is_told_from_both_sides() -> None:
    """Law 7: exactly."""
    (one,) = luck_of(rolled(dice(3, 6), 6, 6, 5)).rolls
    assert (Fraction(4, 216), Fraction(215, 216)) == (one.at_least, one.at_most)
    assert Fraction(212, 216) + Fraction(3, 432) == one.height


def test_a_botch_is_below_no_success() -> None:
    botch, nothing, success = luck_of(
        rolled(pool(2, 10, 7), 1, 5), rolled(pool(2, 10, 7), 3, 5), rolled(pool(2, 10, 7), 8, 1)
    ).rolls
    assert (Fraction(1), Fraction(11, 100)) == (botch.at_least, botch.at_most)
    assert (Fraction(89, 100), Fraction(36, 100)) == (nothing.at_least, nothing.at_most)
    assert Fraction(64, 100) == success.at_least


def test_what_went_wrong_has_no_place_among_the_others() -> None:
    wrong, sound = luck_of(rolled(parse("6/(1d4-1)"), 1), rolled(parse("6/(1d4-1)"), 4)).rolls
    assert (None, None, None) == (wrong.at_least, wrong.at_most, wrong.height)
    assert (Fraction(1), Fraction(1, 3)) == (sound.at_least, sound.at_most)


def test_a_plan_that_is_too_large_is_only_counted() -> None:
    (one,) = luck_of(rolled(dice(400, 6), *[3] * 400)).rolls
    assert one.at_least is None
    assert 1200 == one.total


def test_a_reading_that_the_plan_cannot_give_is_only_counted() -> None:
    """An imported roll may say anything."""
    (one,) = luck_of(rolled(dice(1, 6), 3, total=9)).rolls
    assert one.at_least is None


def test_undone_rolls_are_marked_and_count_for_the_dice_only() -> None:
    found = luck_of(rolled(dice(1, 6), 6), rolled(dice(1, 6), 1), undone={2})
    assert [False, True] == [one.undone for one in found.rolls]
    assert [1] == [one.rolls for one in found.people]
    assert [2] == [one.count.faces for one in found.tests]


def test_a_roll_that_is_kept_is_counted_and_not_told() -> None:
    session = tiny_session(engine(catalog=tiny_catalog(Dicey)))
    must(session.declare("ann", "peek"))
    shown, kept = session_luck(session), session_luck(session, PUBLIC)
    assert 0 == shown.kept
    assert 1 == kept.kept
    assert {"peek"} == {one.key for one in shown.rolls} - {one.key for one in kept.rolls}
    assert 100 in [one.count.sides for one in shown.tests]
    assert 100 not in [one.count.sides for one in kept.tests]


# -- people


def test_people_are_told_apart_and_so_are_their_dice() -> None:
    found = luck_of(
        rolled(dice(1, 6), 6),
        rolled(dice(1, 10), 1),
        rolled(dice(1, 6), 2, by="bob"),
        rolled(dice(1, 6), 2, source="reported"),
    )
    assert [("ann", "engine", 2), ("bob", "engine", 1), ("ann", "reported", 1)] == [
        (one.who, one.source, one.rolls) for one in found.people
    ]
    ann = found.people[0]
    assert (Fraction(11, 12) + Fraction(1, 20)) / 2 == ann.height
    assert (Fraction(35, 12 * 36) + Fraction(99, 12 * 100)) / 4 == ann.variance
    assert [(6, 1, ((6, 1),)), (10, 1, ((1, 1),))] == [(one.sides, one.faces, one.counts) for one in ann.dice]


def test_rerolled_and_exploded_faces_are_faces() -> None:
    plan = parse("2d6r=1!")
    roll = Roll("x", by="ann", plan=plan, faces=((1, 6, 3), (4,)), total=13, botch=False, source="engine")
    (test,) = luck_of(roll).tests
    assert ((1, 1), (3, 1), (4, 1), (6, 1)) == test.count.counts


def test_faces_that_were_kept_are_no_new_faces() -> None:
    session = sparring(undo_dice="keep")
    before = [test.count.faces for test in session_luck(session).tests]
    must(session.declare("ann", "smash", "bob", notation="3d6", id="a1"))
    must(session.undo())
    must(session.declare("ann", "smash", "bob", notation="3d6", id="a2"))
    found = session_luck(session)
    assert [before[0] + 3] == [test.count.faces for test in found.tests]
    assert 1 == len([one for one in found.rolls if one.key == "smash"])


# -- dice


def test_what_a_sample_can_tell() -> None:
    """23 d10: a face twice as likely as it should be is noticed 31 times in 100."""
    noticed, mistaken = too_often(23, Fraction(1, 10))
    assert 6 == noticed
    assert mistaken <= LEVEL < tail(23, Fraction(1, 10), noticed - 1)
    assert 31 == round(100 * tail(23, Fraction(1, 5), noticed))
    (test,) = luck_of(*[rolled(dice(1, 10), 1 + number % 10) for number in range(23)]).tests
    assert (6, mistaken, tail(23, Fraction(1, 5), 6)) == (test.noticed, test.mistaken, test.power)


def test_chances_of_a_face_add_up() -> None:
    """Law 7: exactly, by listing every fall of four dice."""
    falls = [sum(face == 1 for face in (a, b, c)) for a in range(3) for b in range(3) for c in range(3)]
    for least in range(5):
        assert Fraction(sum(fall >= least for fall in falls), 27) == tail(3, Fraction(1, 3), least)
    assert 1 == tail(2, Fraction(1), 2)
    assert 0 == tail(2, Fraction(1), 3)


@pytest.mark.parametrize("past", [0, 1])
def test_no_verdict_below_enough_faces(past: int) -> None:
    count = LEAST_EXPECTED * 6 - 1 + past
    (test,) = luck_of(rolled(dice(count, 6), *[1 + number % 6 for number in range(count)])).tests
    assert (bool(past), 30) == (test.is_judged, test.needed)


def test_the_sum_of_squares_is_exact() -> None:
    (test,) = luck_of(rolled(dice(12, 6), *[1] * 5, *[2] * 4, *[3] * 3)).tests
    assert Fraction(2) == test.count.expected
    assert Fraction(9 + 4 + 1 + 4 * 3, 2) == test.count.statistic


@pytest.mark.parametrize("source", ["scripted", "overruled"])
def test_dice_without_chance_are_not_judged(source: str) -> None:
    found = luck_of(rolled(dice(1, 6), 3, source=source))
    assert () == found.tests
    assert [source] == [one.source for one in found.people]


def test_luck_faces() -> None:
    """Law 9: what is noticed is worked out for so many faces, and not for one more."""
    full = limits.LUCK_FACES // limits.DICE_PER_PLAN
    rolls = [rolled(dice(limits.DICE_PER_PLAN, 10), *[1] * limits.DICE_PER_PLAN) for _ in range(full)]
    (at,) = luck_of(*rolls).tests
    assert at.power is not None
    assert at.power > Fraction(999, 1000)
    (past,) = luck_of(*rolls, rolled(dice(1, 10), 1)).tests
    assert (limits.LUCK_FACES + 1, None, None, None) == (past.count.faces, past.noticed, past.mistaken, past.power)


# -- actions


def test_an_action_is_as_likely_as_its_odds() -> None:
    session = nyra(tie="defender", dice="scripted", script=(3, 9, 1, 2))
    must(session.declare("ada", "strike", "bram", id="a1", **strike().params))
    answer_all(session)
    (one,) = actions(session)
    assert ("a1", "ada", "strike", ("bram",), True, "") == (one.action, one.actor, one.name, one.targets, one.is_whole, one.problem)
    assert 5 == one.damage
    assert one.at_least is not None
    assert one.at_most is not None
    assert one.expected is not None
    assert 0 < one.at_least < Fraction(1, 2) < one.at_most
    assert one.at_least + one.at_most > 1


def test_what_was_answered_is_answered_again() -> None:
    session = sparring(dice="scripted", script=(3, 2, 2, 2))
    must(session.declare("ann", "press", "bob"))
    must(session.answer(next(iter(session.prompts(reader=GM))), "ann", "off"))
    (one,) = actions(session)
    assert Fraction(3, 4) * Fraction(3, 2) == one.expected, "given up after a tie, and no damage then"


def test_an_action_others_came_between_is_not_gone_through() -> None:
    session = sparring()
    must(session.declare("ann", "blow", "bob"))
    while session.state(reader=GM).open and not session.state(reader=GM).over:
        must(session.declare(session.state(reader=GM).turn, "end-turn"))
    assert ["mixed"] == [one.problem for one in actions(session)]


def test_a_note_is_no_interruption() -> None:
    session = sparring(dice="scripted", script=(3, 2, 2, 2, 3, 1, 1))
    must(session.declare("ann", "press", "bob"))
    must(session.note("hm"))
    answer_all(session)
    assert [""] == [one.problem for one in actions(session)]


def test_rules_that_are_missing_are_told() -> None:
    session = sparring()
    must(session.declare("ann", "smash", "bob", notation="2d6"))

    def nothing(manifest: Manifest) -> RuleSet:
        raise PluginUnavailable("tiny", "is not installed")

    line = [(one.version, one.event) for one in session.history(reader=GM)]
    assert ["no-rules"] == [one.problem for one in action_luck(line, nothing)]


def test_what_is_kept_from_the_reader_is_not_worked_out() -> None:
    session = nyra(tie="defender", secret=True, dice="scripted", script=(3, 9, 1, 2))
    must(session.declare("ada", "strike", "bram", **strike().params))
    answer_all(session)
    assert ["kept"] == [one.problem for one in actions(session, "ada")]
    assert [""] == [one.problem for one in actions(session)]


def test_an_action_that_is_too_large_is_measured_by_its_first_damage() -> None:
    session = sparring(dice="scripted", script=(3, 2, 250, 5))
    must(session.declare("ann", "topple", "bob", notation="1d500"))
    (one,) = actions(session)
    assert (False, 250, Fraction(251, 500), Fraction(1, 2)) == (one.is_whole, one.damage, one.at_least, one.at_most)


def test_luck_branches() -> None:
    """Law 9: so many executions of a recorded action, and none more."""
    for past in (0, 1):
        session = sparring(dice="scripted", script=(3, 2, 7))
        must(session.declare("ann", "smash", "bob", notation=f"1d{limits.LUCK_BRANCHES + past}"))
        (one,) = actions(session)
        assert ("too-many" if past else "") == one.problem


def test_an_action_without_dice_is_no_luck_and_progress_is_told() -> None:
    session = sparring()
    must(session.declare("ann", "heal", "bob"))
    must(session.declare("ann", "smash", "bob", notation="1d4"))
    heard: list[int] = []
    assert ["smash"] == [one.name for one in actions(session, told=heard.append)]
    assert [1] == heard
