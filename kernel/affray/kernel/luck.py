"""Luck: how likely what was rolled was, and what the faces of a log can tell about its dice.

High is not good: whether a high roll helps is the system's business, so every roll is told from both sides. An action is
good for who acts by the damage it does. Pure over a log as one reader may read it; a roll that is kept from the reader is
counted and nothing else. Laws kept: 3, 7 (every probability is a fraction), 9.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from functools import lru_cache
from itertools import islice
from math import comb
from typing import Any, NamedTuple

import msgspec

from .dice import DicePlan, Faces
from .limits import LUCK_FACES
from .numbers import Num
from .spread import Seen, TooLarge, spread
from .steps import Roll

THROWN = ("engine", "reported", "imported")
"""Sources of faces that chance had a say in; scripted ones and those set by the game master had none."""

LEAST_EXPECTED = 5
"""Times that each face has to be expected before a die is judged: below, the test's own sum is not to be trusted."""

LEVEL = Fraction(1, 20)
"""How often a fair die may be taken for a bad one, at most, when it is asked whether one face comes up too often."""

TIMES = 2
"""How much too often the face of a bad die comes up in that question."""


class RollLuck(msgspec.Struct, frozen=True, kw_only=True):
    """A roll and how likely it was.

    `at_least` and `at_most`: the probability of a reading as high or higher, as low or lower, among those that are sound;
    a botch is below no success. `height` is the share of what is lower and half of what is equal: 0 to 1, 1/2 on average.
    All three are None where the readings are too many to work out, or something went wrong after the dice.
    """

    version: int
    undone: bool
    by: str
    key: str
    action: str
    source: str
    plan: DicePlan
    total: Num
    botch: bool
    fault: str
    at_least: Fraction | None
    at_most: Fraction | None
    height: Fraction | None


class DiceCount(msgspec.Struct, frozen=True, kw_only=True):
    """How often faces of one size of die came up: `counts` are (face, times), ascending, those that never did left out."""

    sides: int
    faces: int
    counts: tuple[tuple[int, int], ...]

    @property
    def expected(self) -> Fraction:
        """How often each face is to be expected."""
        return Fraction(self.faces, self.sides)

    @property
    def statistic(self) -> Fraction:
        """Pearson's sum: of every face, the square of its distance from what is expected, as a share of that."""
        squares = sum(((times - self.expected) ** 2 for _, times in self.counts), Fraction(0))
        return squares * Fraction(self.sides, self.faces) + (self.sides - len(self.counts)) * self.expected


class PersonLuck(msgspec.Struct, frozen=True, kw_only=True):
    """Somebody's rolls of one source on the present line.

    `height` is the mean of those known, 1/2 to be expected; `variance` is that of this mean for fair dice. Both are None
    where no roll is known. `dice`: for each size of die the faces that came up, with their counts.
    """

    who: str
    source: str
    rolls: int
    height: Fraction | None
    variance: Fraction | None
    dice: tuple[DiceCount, ...]


class DiceTest(msgspec.Struct, frozen=True, kw_only=True):
    """What the faces of one size and source can tell, undone ones included.

    `is_judged` says that there are LEAST_EXPECTED of each face to be expected, `needed` faces in all. `noticed` is how often
    one face, named before looking, has to come up for a die to be called bad, `mistaken` how likely a fair die does that (LEVEL
    at most), `power` how likely one whose face comes up TIMES as often. They are None beyond LUCK_FACES faces.
    """

    source: str
    count: DiceCount
    is_judged: bool
    needed: int
    noticed: int | None
    mistaken: Fraction | None
    power: Fraction | None


class Luck(msgspec.Struct, frozen=True, kw_only=True):
    """The luck of a log. `kept` counts rolls that the reader may not read."""

    rolls: tuple[RollLuck, ...]
    people: tuple[PersonLuck, ...]
    tests: tuple[DiceTest, ...]
    kept: int


Recorded = tuple[int, Any, bool]
"""(version, event, whether it is undone)"""


def luck(recorded: Iterable[Recorded]) -> Luck:
    """Work out the luck of a log, event by event in its order."""
    events = {version: (event, undone) for version, event, undone in recorded if type(event) is Roll}
    readable = {version: pair for version, pair in events.items() if pair[0].faces is not None and pair[0].total is not None}
    again = {event.reused for event, undone in readable.values() if event.reused and not undone}
    rolls = tuple(
        [
            _roll(version, event, undone)
            for version, (event, undone) in readable.items()
            if version not in again and not (undone and event.reused)  # dice that were kept are told once
        ]
    )
    fresh = {
        version: tuple(_fresh(event, readable[event.reused][0] if event.reused in readable else None))
        for version, (event, _) in readable.items()
    }
    return Luck(
        rolls=rolls,
        people=tuple(_people(rolls, {version: pair[0] for version, pair in readable.items()})),
        tests=tuple(_tests([(event.source, *face) for version, (event, _) in readable.items() for face in fresh[version]])),
        kept=len(events) - len(readable),
    )


# -- rolls


def _roll(version: int, event: Roll, undone: bool) -> RollLuck:
    assert event.total is not None
    seen = Seen(event.total, bool(event.botch))
    standing = None if event.fault else _standings(event.plan).get(seen)
    at_least, at_most, height = _UNKNOWN if standing is None else standing[1:]
    return RollLuck(
        version=version,
        undone=undone,
        by=event.by,
        key=event.key,
        action=event.action,
        source=event.source,
        plan=event.plan,
        total=event.total,
        botch=bool(event.botch),
        fault=event.fault,
        at_least=at_least,
        at_most=at_most,
        height=height,
    )


class _Standing(NamedTuple):
    """Where a reading stands among the sound ones of its plan."""

    share: Fraction
    at_least: Fraction
    at_most: Fraction
    height: Fraction


_UNKNOWN = (None, None, None)


@lru_cache(maxsize=256)
def _standings(plan: DicePlan) -> dict[Seen, _Standing]:
    """Every sound reading of a plan; nothing where they are too many."""
    found = spread(plan)
    if isinstance(found, TooLarge):
        return {}
    sound = [(seen, weight) for seen, weight in found.items() if not seen.fault]
    total = sum((weight for _, weight in sound), Fraction(0))
    below, standings = Fraction(0), dict[Seen, _Standing]()
    for seen, weight in sound:
        share = weight / Fraction(total)
        standings[seen] = _Standing(share, 1 - below, below + share, below + share / Fraction(2))
        below += share
    return standings


@lru_cache(maxsize=256)
def _variance(plan: DicePlan) -> Fraction:
    """The variance of the height of one roll of a plan, whose mean is 1/2."""
    squares = sum((one.share * one.height**2 for one in _standings(plan).values()), Fraction(0))
    return squares - Fraction(1, 4)


# -- people


def _people(rolls: Iterable[RollLuck], events: dict[int, Roll]) -> Iterator[PersonLuck]:
    groups: dict[tuple[str, str], list[RollLuck]] = {}
    for roll in rolls:
        if not roll.undone:
            groups.setdefault((roll.by, roll.source), []).append(roll)
    for (who, source), mine in groups.items():
        heights = [roll.height for roll in mine if roll.height is not None]
        variances = [_variance(roll.plan) for roll in mine if roll.height is not None]
        faces = [face for roll in mine for face in _faces(events[roll.version])]
        yield PersonLuck(
            who=who,
            source=source,
            rolls=len(mine),
            height=sum(heights, Fraction(0)) / Fraction(len(heights)) if heights else None,
            variance=sum(variances, Fraction(0)) / Fraction(len(heights) ** 2) if heights else None,
            dice=tuple(_counts(faces)),
        )


# -- faces


def _faces(event: Roll) -> Iterator[tuple[int, int]]:
    """(sides, face) of everything that was thrown in a roll, rerolled and exploded faces too: each is a throw of its own."""
    for sides, chain in zip(_sides(event.plan), event.faces or (), strict=False):
        for face in chain:
            yield sides, face


def _fresh(event: Roll, earlier: Roll | None) -> Iterator[tuple[int, int]]:
    """(sides, face) of what was thrown in a roll and not kept from an earlier one."""
    known: Faces = () if earlier is None else earlier.faces or ()
    for die, (sides, chain) in enumerate(zip(_sides(event.plan), event.faces or (), strict=False)):
        for link, face in enumerate(chain):
            if not (die < len(known) and link < len(known[die]) and known[die][link] == face):
                yield sides, face


def _sides(plan: DicePlan) -> list[int]:
    return [term.sides for term in plan.terms for _ in range(term.count)]


def _counts(faces: Iterable[tuple[int, int]]) -> Iterator[DiceCount]:
    """Faces by the size of their die, ascending. A die of one side tells nothing."""
    sizes: dict[int, dict[int, int]] = {}
    for sides, face in faces:
        if sides > 1:
            counts = sizes.setdefault(sides, {})
            counts[face] = counts.get(face, 0) + 1
    for sides in sorted(sizes):
        yield DiceCount(sides=sides, faces=sum(sizes[sides].values()), counts=tuple(sorted(sizes[sides].items())))


def _tests(faces: list[tuple[str, int, int]]) -> Iterator[DiceTest]:
    for source in THROWN:
        for count in _counts([(sides, face) for name, sides, face in faces if name == source]):
            needed = LEAST_EXPECTED * count.sides
            noticed = mistaken = power = None
            if count.faces <= LUCK_FACES:
                noticed, mistaken = too_often(count.faces, Fraction(1, count.sides))
                power = tail(count.faces, min(Fraction(TIMES, count.sides), Fraction(1)), noticed)
            yield DiceTest(
                source=source,
                count=count,
                is_judged=count.faces >= needed,
                needed=needed,
                noticed=noticed,
                mistaken=mistaken,
                power=power,
            )


def too_often(faces: int, chance: Fraction) -> tuple[int, Fraction]:
    """Say how often a face of this chance has to come up to be noticed, and how likely that is all the same.

    The least number whose probability, or that of more, is LEVEL at most.
    """
    left, times, of = chance.denominator**faces, 0, chance.denominator**faces
    for ways in _ways(faces, chance):
        if left <= of * LEVEL:
            break
        left -= ways
        times += 1
    return times, Fraction(left, of)


def tail(faces: int, chance: Fraction, least: int) -> Fraction:
    """Say how likely a face of this chance comes up so often, or more, among so many."""
    of = chance.denominator**faces
    return Fraction(of - sum(islice(_ways(faces, chance), least)), of)


def _ways(faces: int, chance: Fraction) -> Iterator[int]:
    """In how many ways, of denominator to the power of `faces`, a face comes up never, once, twice and so on."""
    hit, miss = chance.numerator, chance.denominator - chance.numerator
    for times in range(faces + 1):
        yield comb(faces, times) * hit**times * miss ** (faces - times)


__all__ = [
    "LEAST_EXPECTED",
    "LEVEL",
    "THROWN",
    "TIMES",
    "DiceCount",
    "DiceTest",
    "Luck",
    "PersonLuck",
    "RollLuck",
    "luck",
    "tail",
    "too_often",
]
