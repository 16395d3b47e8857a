"""How the readings of a dice plan are spread: every reading with its exact probability.

Dice that add up are added as distributions and never walked face by face: 3d6 read as a total costs 16 readings, not
216 throws. Nothing is cut off: rerolls and explosions are followed to the end of the chain that `throw` allows, and
the probability that a throw would be refused there is a reading of its own (`CAPPED`). Knows no fight and no draw.
Laws kept: 7 (weights are whole numbers, probabilities fractions), 8 (readings come in one order), 9 (`SPREAD_WORK`).

For every plan and every way its dice can fall this says what `dice.read` says.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping
from fractions import Fraction
from functools import lru_cache
from math import comb
from types import MappingProxyType
from typing import NamedTuple

import msgspec

from .dice import Bands, DicePlan, Successes, Sum, Term, check_plan
from .limits import CHAIN_LINKS, FACES_PER_ROLL, NUMBER_MAX, SPREAD_WORK
from .numbers import Exact, Num, exact, number

CAPPED = "capped"
"""The fault of a throw that `throw` refuses, since a chain or the roll would grow beyond its limit."""


class Seen(NamedTuple):
    """What rules may see of a roll: total, botch and fault as in `Reading`. With the fault CAPPED nothing is recorded."""

    total: Num
    botch: bool = False
    fault: str = ""


Spread = Mapping[Seen, Fraction]
"""Every reading with its probability, above 0 and 1 in all: sound totals ascending (a botch before none), then faults."""


class TooLarge(msgspec.Struct, frozen=True):
    """A plan whose readings cost more than `work` steps, or whose roll as a whole might be capped: not worked out."""

    work: int = SPREAD_WORK


def spread(plan: DicePlan) -> Spread | TooLarge:
    """Say how likely each reading of a plan is. Raises DiceError for a plan that does not pass `check_plan`."""
    check_plan(plan)
    return _spread(plan)


# -- inside: a *distribution* counts ways, out of so many in all; what is missing is capped

_Die = tuple[int, int, bool]
"""Of one die, or of dice together: the sum of counting faces, the successes, whether a 1 shows and no success does."""

_NOTHING: _Die = (0, 0, False)


class _Ways(NamedTuple):
    """How often each thing can happen, out of `of` ways."""

    ways: dict[_Die, int]
    of: int


class _Value(NamedTuple):
    """A value on the way through the formula, with what is known of the dice that went into it."""

    value: Exact
    fault: str = ""
    hit: bool = False
    one: bool = False


class _Spent(Exception):
    """More work than allowed."""


class _Work:
    """Counts what was done."""

    def __init__(self) -> None:
        self.left = SPREAD_WORK

    def spend(self, steps: int) -> None:
        """Note so many steps. Raises _Spent past the bound."""
        self.left -= steps
        if self.left < 0:
            raise _Spent


@lru_cache(maxsize=64)
def _spread(plan: DicePlan) -> Spread | TooLarge:
    work = _Work()
    try:
        values, of = _evaluated(plan, work)
    except _Spent:
        return TooLarge()
    found: dict[Seen, int] = {}
    for value, ways in values.items():
        seen = _seen(value, plan)
        found[seen] = found.get(seen, 0) + ways
    if capped := of - sum(found.values()):
        found[Seen(0, False, CAPPED)] = capped
    return MappingProxyType({seen: Fraction(found[seen], of) for seen in sorted(found, key=_order)})


def _order(seen: Seen) -> tuple[bool, str, Exact, bool]:
    return bool(seen.fault), seen.fault, exact(seen.total), not seen.botch


def _seen(value: _Value, plan: DicePlan) -> Seen:
    botch = isinstance(plan.reading, Successes) and value.one and not value.hit
    if value.fault:
        return Seen(0, botch, value.fault)
    if isinstance(plan.reading, Bands):
        return Seen(bisect_left(plan.reading.ends, value.value))
    return Seen(number(value.value), botch)


# -- one die


def _die(term: Term, reading: Sum | Successes | Bands, work: _Work) -> tuple[_Ways, int]:
    """What one die of a term can show, and how many faces its chain can have at most."""
    faces = _faces(term, reading, work)
    done: list[dict[_Die, int]] = []
    going: dict[_Die | None, int] = {None: 1}  # None: no face that stays yet
    while going and len(done) < CHAIN_LINKS:
        ended: dict[_Die, int] = {}
        further: dict[_Die | None, int] = {}
        work.spend(len(going) * len(faces))
        for so_far, weight in going.items():
            for (shown, rerolls, explodes), count in faces.items():
                if so_far is None and rerolls and not (term.reroll_once and done):
                    further[None] = further.get(None, 0) + weight * count
                    continue
                here = shown if so_far is None else _added(so_far, shown)
                if explodes:
                    further[here] = further.get(here, 0) + weight * count
                else:
                    ended[here] = ended.get(here, 0) + weight * count
        done.append(ended)
        going = further
    links = len(done)
    ways: dict[_Die, int] = {}
    for link, ended in enumerate(done, 1):
        for shown, weight in ended.items():
            ways[shown] = ways.get(shown, 0) + weight * term.sides ** (links - link)
    return _Ways(ways, term.sides**links), links


def _faces(term: Term, reading: Sum | Successes | Bands, work: _Work) -> dict[tuple[_Die, bool, bool], int]:
    """Faces that mean the same, counted: what they add, whether they are rerolled, whether they explode."""
    work.spend(term.sides)
    counted = isinstance(reading, Successes)
    has_value = bool(term.keep) or not counted
    found: dict[tuple[_Die, bool, bool], int] = {}
    for face in range(1, term.sides + 1):
        hits = (face >= reading.target) + (0 < reading.double <= face) if isinstance(reading, Successes) else 0
        rerolls = term.reroll is not None and term.reroll.met(face)
        explodes = term.explode is not None and term.explode.met(face)
        key = ((face if has_value else 0, hits, counted and face == 1 and not hits), rerolls, explodes)
        found[key] = found.get(key, 0) + 1
    return found


def _added(one: _Die, other: _Die) -> _Die:
    hits = one[1] + other[1]
    return one[0] + other[0], hits, not hits and (one[2] or other[2])


# -- the dice of one term


def _term(term: Term, reading: Sum | Successes | Bands, work: _Work) -> tuple[_Ways, int]:
    """What the dice of a term show together, and how many faces they can have in all."""
    die, links = _die(term, reading, work)
    if term.keep and not isinstance(reading, Successes):
        ways = _kept(term, {(shown[0], shown): weight for shown, weight in die.ways.items()}, work)
    elif term.keep:
        ways = _kept(term, {(v, (0, hits, one)): weight for (v, hits, one), weight in die.ways.items()}, work)
    else:
        ways = _power(die.ways, term.count, work)
    return _Ways(ways, die.of**term.count), links * term.count


def _power(die: dict[_Die, int], count: int, work: _Work) -> dict[_Die, int]:
    """The same distribution, so many times over."""
    found = {_NOTHING: 1}
    for _ in range(count):
        found = _together({}, found, die, 1, work)
    return found


def _together(
    into: dict[_Die, int], left: dict[_Die, int], right: dict[_Die, int], times: int, work: _Work
) -> dict[_Die, int]:
    """Add to a distribution what two others give together, so many times."""
    work.spend(len(left) * len(right))
    for one, ways in left.items():
        for other, more in right.items():
            both = _added(one, other)
            into[both] = into.get(both, 0) + ways * more * times
    return into


def _kept(term: Term, die: dict[tuple[int, _Die], int], work: _Work) -> dict[_Die, int]:
    """The dice that are kept, by (value, what they add). Dice of one value are alike, so which of them is dropped is all one.

    Values are gone through from those that are kept first. After each, so many dice are placed; when none is left to
    keep, the others may show anything that comes later.
    """
    count = term.count
    keeps = count - term.keep_count if term.keep in ("dh", "dl") else term.keep_count
    values = _by_value(die, descending=term.keep in ("kh", "dl"))
    later = sum(die.values())
    if not keeps:
        return {_NOTHING: later**count}
    placed: dict[int, dict[_Die, int]] = {0: {_NOTHING: 1}}
    found: dict[_Die, int] = {}
    for group in values:
        here = sum(group.values())
        later -= here
        after: dict[int, dict[_Die, int]] = {}
        powers = [{_NOTHING: 1}]
        for _ in range(keeps):
            powers.append(_together({}, powers[-1], group, 1, work))
        for before, sums in placed.items():
            for some in range(count - before + 1):
                kept = min(some, keeps - before)
                times = comb(count - before, some) * here ** (some - kept)
                is_full = before + some >= keeps
                into = found if is_full else after.setdefault(before + some, {})
                if is_full:
                    times *= later ** (count - before - some)
                if times:
                    _together(into, sums, powers[kept], times, work)
        placed = after
    return found


def _by_value(die: dict[tuple[int, _Die], int], *, descending: bool) -> Iterable[dict[_Die, int]]:
    groups: dict[int, dict[_Die, int]] = {}
    for (value, shown), weight in die.items():
        groups.setdefault(value, {})[shown] = weight
    return [groups[value] for value in sorted(groups, reverse=descending)]


# -- the formula: every term stands in it once, so what it joins is independent


def _evaluated(plan: DicePlan, work: _Work) -> tuple[dict[_Value, int], int]:
    """The values of a plan's formula with their ways, and all ways there are."""
    of, room = 1, FACES_PER_ROLL
    stack: list[dict[_Value, int]] = []
    for token in plan.formula:
        if token.startswith("#"):
            term = plan.terms[int(token[1:])]
            dice, faces = _term(term, plan.reading, work)
            of *= dice.of
            room -= faces
            stack.append(_totals(dice.ways, plan.reading))
        elif token == "neg":
            stack.append({_held(-one.value, one, one): ways for one, ways in stack.pop().items()})
        elif token in ("+", "-", "*", "/"):
            right, left = stack.pop(), stack.pop()
            stack.append(_joined(token, left, right, work))
        else:
            stack.append({_Value(int(token)): 1})
    if room < 0:
        raise _Spent
    return stack[0], of


def _totals(dice: dict[_Die, int], reading: Sum | Successes | Bands) -> dict[_Value, int]:
    if isinstance(reading, Successes):
        return {_Value(hits, "", hits > 0, one): ways for (_, hits, one), ways in dice.items()}
    return {_Value(value): ways for (value, _, _), ways in dice.items()}


def _joined(
    op: str, left: dict[_Value, int], right: dict[_Value, int], work: _Work
) -> dict[_Value, int]:
    work.spend(len(left) * len(right))
    found: dict[_Value, int] = {}
    for one, ways in left.items():
        for other, more in right.items():
            both = _applied(op, one, other)
            found[both] = found.get(both, 0) + ways * more
    return found


def _applied(op: str, one: _Value, other: _Value) -> _Value:
    """An operation of the formula. The first fault from the left stays."""
    left, right = one.value, other.value
    if fault := one.fault or other.fault:
        return _held(0, one, other, fault)
    if op == "+":
        return _held(left + right, one, other)
    if op == "-":
        return _held(left - right, one, other)
    if op == "*":
        return _held(left * right, one, other)
    if right:
        return _held(Fraction(left) / right, one, other)
    return _held(0, one, other, "division-by-zero")


def _held(value: Exact, one: _Value, other: _Value, fault: str = "") -> _Value:
    """A value of two others', held to the bound of numbers."""
    fault = fault or (one.fault if one is other else "")
    if not fault and (abs(value.numerator) > NUMBER_MAX or value.denominator > NUMBER_MAX):
        fault = "out-of-range"
    hit = one.hit or other.hit
    return _Value(0 if fault else value, fault, hit, not hit and (one.one or other.one))


__all__ = ["CAPPED", "Seen", "Spread", "TooLarge", "spread"]
