"""Faces as a function of their inputs (affray.kernel.draws)."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction
from hashlib import sha256
from itertools import chain, pairwise, product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from affray.kernel import (
    DicePlan,
    FaceCondition,
    Faces,
    Roll,
    Script,
    Term,
    chain_secret,
    dice,
    draw,
    draws,
    face_source,
    follows,
    kept_faces,
    next_nonce_digest,
    slot_within,
    throw,
)

from ... import standalone_verify

SECRET = bytes(range(32))
SLOT = "|roll.attack.1.0"
EXPLODING = Term(count=3, sides=4, explode=FaceCondition(">=", 3))
REROLLING = Term(count=3, sides=4, reroll=FaceCondition("<", 3))


def source(
    secret: bytes = SECRET, session: str = "s", epoch: int = 1, nonces: str = "", run: int = 1, slot: str = SLOT
) -> Callable[[int, int, int], int]:
    return face_source(secret, session, epoch, nonces, run, slot)


# -- every face is equally likely

CRITICAL = {4: 16_266, 6: 20_515, 8: 24_322, 10: 27_877, 12: 31_264, 20: 43_820, 100: 148_230}
"""Sides -> thousandths of the value that chi-square exceeds once in 1,000 times, with one degree of freedom less than sides.

NIST/SEMATECH e-Handbook of Statistical Methods, 1.3.6.7.4, upper-tail critical values, column .999.
"""

DRAWS = 1_000_000


def is_fair(counts: Sequence[int], sides: int) -> bool:
    """Chi-square = sum((n - N/k)^2 / (N/k)) = k/N sum(n^2) - N, in whole numbers."""
    total = sum(counts)
    return 1000 * (sides * sum(count * count for count in counts) - total * total) <= CRITICAL[sides] * total


@pytest.mark.parametrize("sides", CRITICAL)
def test_a_million_faces_pass_chi_square_at_one_in_a_thousand(sides: int) -> None:
    plan = dice(1000, sides)
    rolls = (throw(plan, source(epoch=1 + run % 7, run=run)) for run in range(DRAWS // 1000))
    counts = Counter(chain.from_iterable(chain.from_iterable(rolls)))

    assert set(range(1, sides + 1)) == set(counts)
    assert counts.total() == DRAWS
    assert is_fair(list(counts.values()), sides)


@pytest.mark.parametrize("sides", CRITICAL)
def test_chi_square_notices_that_one_throw_in_a_hundred_shows_the_highest_face_for_a_one(sides: int) -> None:
    share, moved = DRAWS // sides, DRAWS // 100
    fair = [share] * sides

    assert is_fair(fair, sides)
    assert not is_fair([share - min(share, moved), *fair[1:-1], share + min(share, moved)], sides)


def test_the_best_of_four_declarations_makes_a_d20_average_sixteen_and_a_half() -> None:
    """FORMAT.md says so of a host who reads its own secret; 16.4833 exactly to four places."""
    average = sum(Fraction(best) * (best**4 - (best - 1) ** 4) for best in range(1, 21)) / 20**4

    assert Fraction(2_637_334, 160_000) == average
    assert round(average, 1) == Fraction(33, 2)
    small = Fraction(sum(max(faces) for faces in product(range(1, 5), repeat=4)), 4**4)
    assert small == sum(Fraction(best) * (best**4 - (best - 1) ** 4) for best in range(1, 5)) / 4**4


# -- inputs of a face


def test_a_face_is_the_first_64_bits_of_the_hash_modulo_sides() -> None:
    text = b'["%s","s",1,"",1,"|roll.attack.1.0",0,0,0]' % SECRET.hex().encode()
    number = int.from_bytes(sha256(text).digest()[:8], "big")

    assert [number % sides + 1 for sides in (1, 2, 6, 20, 100, 1_000_000)] == [
        source()(0, 0, sides) for sides in (1, 2, 6, 20, 100, 1_000_000)
    ]


@given(st.integers(0, 999), st.integers(0, 99), st.integers(1, 1_000_000), st.text(max_size=20), st.integers(1, 9999))
def test_faces_agree_with_the_script_that_does_not_import_affray(
    die: int, link: int, sides: int, nonce: str, run: int
) -> None:
    nonces = next_nonce_digest("", nonce)
    inputs = [SECRET.hex(), "s", 3, nonces, run, SLOT]

    assert standalone_verify.face(inputs, die, link, sides) == source(epoch=3, nonces=nonces, run=run)(die, link, sides)


@pytest.mark.parametrize(
    "other",
    [
        {"secret": bytes(32)},
        {"session": "t"},
        {"epoch": 2},
        {"nonces": next_nonce_digest("", "x")},
        {"run": 2},
        {"slot": "|roll.attack.2.0"},
    ],
)
def test_every_input_changes_the_faces(other: dict[str, Any]) -> None:
    plan = dice(20, 1_000_000)

    assert not set(throw(plan, source())) & set(throw(plan, source(**other)))


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ({"epoch": 1, "run": 11}, {"epoch": 11, "run": 1}),
        ({"session": "s1", "epoch": 1}, {"session": "s", "epoch": 11}),
        ({"nonces": "ab", "run": 1}, {"nonces": "a", "slot": "b" + SLOT}),
    ],
)
def test_inputs_cannot_be_shifted_into_one_another(first: dict[str, Any], second: dict[str, Any]) -> None:
    assert source(**first)(0, 0, 1_000_000) != source(**second)(0, 0, 1_000_000)


def test_die_and_link_are_different_inputs() -> None:
    face = source()

    assert face(1, 11, 1_000_000) != face(11, 1, 1_000_000)
    assert face(0, 1, 1_000_000) != face(1, 0, 1_000_000)


class _Fixed:
    """Stands for SHA-256: the digest is chosen by the block that the hashed text ends with."""

    def __init__(self, numbers: Sequence[int], text: bytes = b"") -> None:
        self.numbers, self.text = numbers, text

    def copy(self) -> _Fixed:
        return _Fixed(self.numbers, self.text)

    def update(self, data: bytes) -> None:
        self.text += data

    def digest(self) -> bytes:
        block = json.loads(self.text)[-1]
        return int(self.numbers[block]).to_bytes(8, "big") + b"\xff" * 24


@pytest.mark.parametrize(
    ("sides", "numbers", "expected"),
    [
        (6, [2**64 - 5], 6),  # 2^64 % 6 is 4: the last four numbers are thrown away
        (6, [2**64 - 4, 7], 2),
        (6, [2**64 - 1, 2**64 - 2, 2**64 - 3, 0], 1),
        (20, [2**64 - 17], 20),
        (20, [2**64 - 16, 19], 20),
        (100, [2**64 - 17], 100),
        (100, [2**64 - 16, 50], 51),
        (1_000_000, [2**64 - 551_617], 1_000_000),
        (1_000_000, [2**64 - 551_616, 1], 2),
        (4, [2**64 - 1], 4),  # a power of two rejects nothing
        (1, [2**64 - 1], 1),
    ],
)
def test_a_number_behind_the_last_whole_multiple_of_the_sides_is_thrown_away(
    monkeypatch: pytest.MonkeyPatch, sides: int, numbers: list[int], expected: int
) -> None:
    """The odds of a rejection are below 10^-13 for every die there may be, so the hash is replaced here."""
    monkeypatch.setattr(draws, "sha256", lambda begin: _Fixed(numbers, begin))

    assert expected == source()(0, 0, sides)


# -- one die moves no other

FACE = source()


@pytest.mark.parametrize(
    ("smaller", "larger"),
    [
        ((Term(count=3, sides=20),), (Term(count=4, sides=20),)),
        ((EXPLODING,), (EXPLODING, Term(count=2, sides=6))),
        ((REROLLING,), (REROLLING, EXPLODING)),
        ((EXPLODING,), (Term(count=5, sides=4, explode=FaceCondition(">=", 3)),)),
        ((Term(count=6, sides=4),), (Term(count=6, sides=4, keep="kh", keep_count=2),)),
    ],
)
def test_a_die_added_to_a_plan_moves_no_other(smaller: tuple[Term, ...], larger: tuple[Term, ...]) -> None:
    before, after = throw(DicePlan(terms=smaller), FACE), throw(plan_of(larger), FACE)

    assert before == after[: len(before)]


def plan_of(terms: tuple[Term, ...]) -> DicePlan:
    formula = [token for index in range(len(terms)) for token in (f"#{index}", "+")]
    return DicePlan(terms=terms, formula=(formula[0], *formula[2:]))


def test_a_die_that_explodes_takes_no_face_of_another() -> None:
    plain, exploding = throw(dice(30, 4), FACE), throw(DicePlan(terms=(Term(count=30, sides=4, explode=FaceCondition("=", 4)),)), FACE)

    assert [face for (face,) in plain] == [links[0] for links in exploding]
    assert any(len(links) > 1 for links in exploding)


def test_a_die_that_becomes_larger_moves_no_other() -> None:
    before = throw(dice(3, 6), FACE)
    after = throw(plan_of((Term(count=1, sides=20), Term(count=2, sides=6))), FACE)

    assert before[1:] == after[1:]


# -- the slot within its run


def roll(action: str, key: str = "attack", by: str = "ann", occurrence: int = 0, plan: DicePlan | None = None) -> Roll:
    return Roll(key, action=action, by=by, occurrence=occurrence, plan=plan or dice(1, 20))


NUMBERS = {"ann": 2, "bob": 1, "attack": 3, "0": 4, "roll": 5, "counter": 6}


@pytest.mark.parametrize(
    ("action", "key", "by", "occurrence", "expected"),
    [
        ("a7", "attack", "ann", 0, "|roll.attack.2.0"),
        ("a7", "attack", "ann", 3, "|roll.attack.2.3"),
        ("a7", "attack", "", 0, "|roll.attack.0"),
        ("begin>tiny", "initiative", "bob", 0, "tiny|roll.initiative.1.0"),
        ("start:bob.3>grit", "grit", "bob", 0, "grit|roll.grit.1.0"),
        ("a7>counter.ann.0", "attack", "ann", 0, "counter.2.0|roll.attack.2.0"),
        ("a7>counter.ann+bob.1", "attack", "ann", 0, "counter.2+1.1|roll.attack.2.0"),
        ("a7>counter.0", "attack", "ann", 0, "counter.0|roll.attack.2.0"),
        ("a7>counter.ann.0>strike.bob.2", "attack", "ann", 1, "counter.2.0>strike.1.2|roll.attack.2.1"),
        ("a7>judge.attack.0>fumble-table", "fumble", "ann", 0, "judge.attack.0>fumble-table|roll.fumble.2.0"),
        ("a7>judge.attack.ann.0>fumble-table", "fumble", "ann", 0, "judge.attack.2.0>fumble-table|roll.fumble.2.0"),
        (
            "a7>counter.ann.0>roll.attack.bob.1>fumble-table>riposte.ann.0",
            "attack",
            "bob",
            0,
            "counter.2.0>roll.attack.1.1>fumble-table>riposte.2.0|roll.attack.1.0",
        ),
        ("a7>turn.0>grit", "grit", "ann", 0, "turn.0>grit|roll.grit.2.0"),
        # people who are named like keys, kinds and numbers
        ("a7", "attack", "attack", 0, "|roll.attack.3.0"),
        ("a7", "attack", "roll", 0, "|roll.attack.5.0"),
        ("a7", "0", "0", 0, "|roll.0.4.0"),
        ("a7>counter.counter.0", "attack", "0", 0, "counter.6.0|roll.attack.4.0"),
        ("a7>roll.attack.attack.0>grit", "attack", "0", 0, "roll.attack.3.0>grit|roll.attack.4.0"),
        ("a7>judge.attack.0>grit", "attack", "0", 0, "judge.attack.0>grit|roll.attack.4.0"),
        # commands that are named like anything
        ("attack", "attack", "ann", 0, "|roll.attack.2.0"),
        ("counter>counter.ann.0", "attack", "ann", 0, "counter.2.0|roll.attack.2.0"),
    ],
)
def test_the_slot_within_its_run(action: str, key: str, by: str, occurrence: int, expected: str) -> None:
    one = roll(action, key, by, occurrence)

    assert expected == slot_within(one, NUMBERS)
    place = ".".join(["roll", key, *([by] if by else []), str(occurrence)])
    assert expected == standalone_verify.slot_within(action, place, NUMBERS)


IDS = st.sampled_from(["attack", "0", "1", "roll", "ann", "judge", "counter", "tiny"])


@given(st.lists(IDS, min_size=2, max_size=2, unique=True), IDS, IDS)
def test_names_and_command_ids_never_matter(people: list[str], command: str, key: str) -> None:
    """Two who joined as first and second get the slots of two others who did."""
    ann, bob = people
    tails = ["", ">counter.{0}.0", ">counter.{1}.0>strike.{0}+{1}.1", ">roll.attack.{0}.0>tiny", ">judge.attack.0>tiny"]
    for tail in tails:
        named = slot_within(roll(command + tail.format(ann, bob), key, ann), {ann: 1, bob: 2})
        plain = slot_within(roll("c-1" + tail.format("x", "y"), key, "x"), {"x": 1, "y": 2})
        assert plain == named


def test_rolls_of_one_run_have_different_slots() -> None:
    actions = ["a", "a>b.ann.0", "a>b.bob.0", "a>b.0", "a>b.ann.1", "a>roll.b.ann.0>b", "a>roll.b.0>b", "a>b", "a>turn.0>b"]
    rolls = [roll(a, key, by, n) for a in actions for key in ("b", "c") for by in ("", "ann", "bob") for n in (0, 1)]

    assert len({slot_within(one, NUMBERS) for one in rolls}) == len(rolls)


# -- chains of secrets and nonces


def test_a_chain_hashes_backwards_from_its_seed() -> None:
    seed = b"\x07" * 32
    secrets = [chain_secret(seed, 4, epoch) for epoch in range(5)]

    assert seed == secrets[4]
    assert all(sha256(after).digest() == before for before, after in pairwise(secrets))
    assert all(follows(after, before) for before, after in pairwise(secrets))
    assert not follows(secrets[1], secrets[2])
    assert not follows(secrets[3], secrets[1])


@pytest.mark.parametrize("epoch", [-1, 5])
def test_an_epoch_outside_its_chain_has_no_secret(epoch: int) -> None:
    with pytest.raises(ValueError, match=f"epoch {epoch} of a chain of 4"):
        chain_secret(b"", 4, epoch)


def test_nonces_are_chained_in_their_order() -> None:
    once = sha256(b'["","a"]').hexdigest()

    assert once == next_nonce_digest("", "a")
    assert sha256(b'["%s","b"]' % once.encode()).hexdigest() == next_nonce_digest(once, "b")
    assert next_nonce_digest(next_nonce_digest("", "a"), "b") != next_nonce_digest(next_nonce_digest("", "b"), "a")
    assert next_nonce_digest(next_nonce_digest("", "a"), "b") != next_nonce_digest("", "ab")
    assert next_nonce_digest(once, "a") != once


# -- scripted and kept faces


def test_a_script_hands_out_its_faces_in_order() -> None:
    script = Script([3, 4, 5, 6])

    assert script.throw(roll("a", plan=dice(2, 6))) == ((3,), (4,))
    assert script.left == (5, 6)
    assert script.throw(roll("a", plan=dice(1, 6))) == ((5,),)


def test_a_script_that_is_too_short_uses_nothing_up() -> None:
    script = Script([3, 4, 5], used=1)

    with pytest.raises(IndexError):
        script.throw(roll("a", plan=dice(3, 6)))
    assert script.left == (4, 5)


@pytest.mark.parametrize(
    ("recorded", "expected"),
    [
        (((1,), (2,), (3,)), ((1,), (2,), (3,))),
        (((1,),), ((1,), (-1,), (-2,))),
        ((), ((0,), (-1,), (-2,))),
        (((1,), (7,), (3,)), ((1,), (-1,), (3,))),
        (((1, 5), (2,), (3,), (4,)), ((1,), (2,), (3,))),
    ],
)
def test_kept_faces_are_the_recorded_ones_and_fresh_ones_for_the_rest(recorded: Faces, expected: Faces) -> None:
    assert expected == kept_faces(dice(3, 6), recorded, lambda die, link, sides: -die)


def test_a_chain_that_goes_on_keeps_what_it_had() -> None:
    plan = DicePlan(terms=(Term(count=1, sides=6, explode=FaceCondition("=", 6)),))

    assert kept_faces(plan, ((6, 6),), lambda die, link, sides: 2) == ((6, 6, 2),)


def test_draw_throws_the_whole_plan_from_its_slot() -> None:
    plan = DicePlan(terms=(EXPLODING,))
    one = roll("a7>counter.ann.0", plan=plan)

    assert throw(plan, source(slot="counter.2.0|roll.attack.2.0", run=5)) == draw(one, SECRET, "s", 1, "", 5, NUMBERS)
