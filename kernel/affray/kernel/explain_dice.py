"""A roll's dice as nodes that add up to what it reads: every die with its chain, and what the plan adds to the dice.

Faces are told as they were recorded; nothing is thrown or read again. Where the dice do not add up to the reading (a band
of a table, dice multiplied with dice) they are told beside it and add nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import NamedTuple

from .dice import Bands, DicePlan, Successes, Term
from .errors import InputError
from .explain_tree import Node, known, terms_of
from .numbers import Exact, number
from .steps import Roll

COUNTS, REROLLED, EXPLODED, DROPPED = "counts", "rerolled", "exploded", "dropped"
"""Fates of a face: it counts; it was replaced; it counts and came by an explosion; its die was dropped."""


class _Sum(NamedTuple):
    """A formula as a sum: how often each term of the plan counts, and what is added to them."""

    times: dict[int, Exact]
    plus: Exact

    def scaled(self, by: Exact) -> _Sum:
        return _Sum({term: times * by for term, times in self.times.items()}, self.plus * by)

    def with_(self, other: _Sum) -> _Sum:
        terms = dict.fromkeys((*self.times, *other.times))
        return _Sum({term: self.times.get(term, 0) + other.times.get(term, 0) for term in terms}, self.plus + other.plus)


def dice_nodes(roll: Roll) -> tuple[tuple[Node, ...], tuple[Node, ...]]:
    """The dice of a roll, as (what adds up to its total, what stands beside it). Both empty where its faces are kept."""
    if roll.faces is None:
        return (), ()
    amount = known(roll.total)
    counted = None if roll.fault or isinstance(roll.plan.reading, Bands) else _formula(roll.plan)
    if counted is not None and amount is not None and _fit(roll):
        try:
            dice = tuple(_dice(roll, counted.times))
            constant = (Node(code="constant", amount=number(counted.plus)),) if counted.plus else ()
            return terms_of(amount, (*dice, *constant)), ()
        except InputError:  # beyond what a number may be
            pass
    return (), tuple(_dice(roll, {}))


def _fit(roll: Roll) -> bool:
    """Whether there are as many chains as the plan has dice, as a host may not have written."""
    return len(roll.faces or ()) == sum([term.count for term in roll.plan.terms])


def _dice(roll: Roll, times: dict[int, Exact]) -> Iterator[Node]:
    """Every die; without `times` what its faces show, which adds nothing."""
    dropped = frozenset(roll.dropped or ())
    terms: list[tuple[int, Term]] = []
    if _fit(roll):
        terms = [(index, term) for index, term in enumerate(roll.plan.terms) for _ in range(term.count)]
    for die, chain in enumerate(roll.faces or ()):
        index, term = terms[die] if die < len(terms) else (-1, None)
        fates = tuple(_fates(term, chain, [(die, link) in dropped for link in range(len(chain))]))
        worth = times.get(index, 1)
        amounts = [worth * _value(roll.plan, face) if fate in (COUNTS, EXPLODED) else 0 for face, fate in zip(chain, fates, strict=True)]
        faces = [
            Node(code="face", args={"face": face, "fate": fate}, amount=number(amount))
            for face, fate, amount in zip(chain, fates, amounts, strict=True)
        ]
        more = {} if worth == 1 else {"times": number(worth)}
        yield Node(
            code="die",
            args={"die": die + 1, "sides": term.sides if term is not None else 0, "faces": chain, "fates": fates, **more},
            amount=number(sum(amounts)),
            terms=tuple(faces) if len(faces) > 1 else (),
        )


def _fates(term: Term | None, chain: Sequence[int], dropped: Sequence[bool]) -> Iterator[str]:
    """What became of every face of a die. Of a die that counts, those dropped were replaced; of a dropped one, those rerolled."""
    is_lost = bool(dropped) and dropped[-1]
    replaced = _rerolled(term, chain) if is_lost else sum(dropped)
    for link in range(len(chain)):
        if link < replaced:
            yield REROLLED
        elif is_lost:
            yield DROPPED
        else:
            yield COUNTS if link == replaced else EXPLODED


def _rerolled(term: Term | None, chain: Sequence[int]) -> int:
    """How many faces at the head of a dropped die's chain were replaced."""
    if term is None or term.reroll is None:
        return 0
    most = min(1, len(chain) - 1) if term.reroll_once else len(chain) - 1
    return next((link for link in range(most) if not term.reroll.met(chain[link])), most)


def _value(plan: DicePlan, face: int) -> int:
    """What a face that counts is worth: itself, or its successes."""
    reading = plan.reading
    if not isinstance(reading, Successes):
        return face
    return (face >= reading.target) + bool(reading.double and face >= reading.double)


def _formula(plan: DicePlan) -> _Sum | None:
    """A plan's formula as a sum of its terms; None where it is none, as dice times dice."""
    stack: list[_Sum] = []
    try:
        for token in plan.formula:
            if token == "neg":
                stack.append(stack.pop().scaled(-1))
            elif token in ("+", "-", "*", "/"):
                right, left = stack.pop(), stack.pop()
                done = _combined(token, left, right)
                if done is None:
                    return None
                stack.append(done)
            elif token.startswith("#"):
                stack.append(_Sum({int(token[1:]): 1}, 0))
            else:
                stack.append(_Sum({}, int(token)))
    except (IndexError, ValueError):  # a formula that a host made up
        return None
    return stack[0] if len(stack) == 1 else None


def _combined(token: str, left: _Sum, right: _Sum) -> _Sum | None:
    if token in ("+", "-"):
        return left.with_(right if token == "+" else right.scaled(-1))
    if token == "*" and not (left.times and right.times):
        return right.scaled(left.plus) if not left.times else left.scaled(right.plus)
    if token == "/" and not right.times and right.plus:
        return left.scaled(1 / Fraction(right.plus))
    return None


__all__ = ["COUNTS", "DROPPED", "EXPLODED", "REROLLED", "dice_nodes"]
