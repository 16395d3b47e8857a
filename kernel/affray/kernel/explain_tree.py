"""The tree of an explanation: nodes that say by code and arguments what a number came from. Nothing here looks anything up.

A node's `terms` add up to its `amount`; its `because` led to it and adds nothing. The codes:

| code | what it is | args |
|---|---|---|
| a kind of event (`apply-damage`, `roll`, ...) | that event; `amount` is its number | the fields that name things |
| `part` | damage of one type | type |
| `row` | a row of a trace | code |
| `rolled` | what the dice of a part showed | |
| `die`, `face` | a die, a face of its chain | die, sides, faces, fate, times; face, fate |
| `constant` | a number that the plan adds to its dice | |
| `number-of-dice` | how many dice a roll throws | |
| `sheet` | a number on somebody's sheet | who, name, value |
| `house-rule` | a house rule that changed the step | rule |
| `modifier` | a row that was declared, or given | place, code |
| `option` | what somebody may choose | code |
| `entry`, `drop` | an entry set on the agenda, or taken off it | key, who, moment, when; key |
| `held` | a condition somebody came with | id, value |
| `undone`, `restored` | events that left the present line, or came back to it | count |
| `reason` | the game master's reason | text |
| `pool` | a pool's value at a version | who, pool, undone, sealed |
| `start`, `touch` | where a pool began, what changed it | who, pool; who, pool, before, after |
| `gap` | what a pool changed by and no event here tells | before, after |
| `rest` | what the terms beside it leave out | |
| `earlier` | steps that led here and are not listed | count |
| `kept` | something the reader may not know | |
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal

import msgspec

from .errors import InputError
from .numbers import Exact, Num, exact, is_number, number, total
from .values import Json

Origin = Literal[
    "", "roll", "sheet", "condition", "declaration", "game-master", "house-rule", "system", "step", "person"
]
"""Where a row comes from, as far as the log tells; "" where it does not."""


class Node(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that a number came from, or the number itself.

    `amount` is None where there is no number or the reader may not know it; then `is_kept` says which. `source` is the
    row's own word for where it comes from, `origin` what that is. `version` is that of the event told here (0: none).
    `has_more` says that explaining that version tells more than stands here.
    """

    code: str
    args: dict[str, Json] = {}
    amount: Num | None = None
    source: str = ""
    origin: Origin = ""
    version: int = 0
    is_kept: bool = False
    has_more: bool = False
    terms: tuple[Node, ...] = ()
    because: tuple[Node, ...] = ()

    @property
    def is_bare(self) -> bool:
        """Whether this stands for itself: no number, nothing behind it."""
        return self.amount is None and not self.terms and not self.because

    def leaves(self) -> Iterator[Node]:
        """The terms that have no terms themselves, down to the dice. They add up to `amount` where all are known."""
        if not self.terms:
            yield self
        for term in self.terms:
            yield from term.leaves()

    def all(self) -> Iterator[Node]:
        """This node and every one below it, terms before reasons."""
        yield self
        for node in (*self.terms, *self.because):
            yield from node.all()


KEPT = Node(code="kept", is_kept=True)
"""Stands where something is kept from the reader: never a guess."""


def known(value: object) -> Num | None:
    """A number of the log; None for what is kept, and for what a host wrote that is no number."""
    return value if isinstance(value, int | str) and is_number(value) else None


def added(nodes: Iterable[Node]) -> Exact | None:
    """What nodes add up to; None where one of them is not known."""
    amounts = [node.amount for node in nodes]
    return None if None in amounts else total([amount for amount in amounts if amount is not None])


def terms_of(amount: Num | None, terms: tuple[Node, ...]) -> tuple[Node, ...]:
    """Terms that add up to an amount; where they do not (a host may write anything) what is missing is one more."""
    found = added(terms)
    if amount is None or not terms or found is None or found == exact(amount):
        return terms
    return (*terms, Node(code="rest", amount=less(exact(amount), found)))


def less(after: Exact, before: Exact) -> Num | None:
    """A difference of numbers; None for one beyond what a number may be."""
    try:
        return number(after - before)
    except InputError:
        return None


__all__ = ["KEPT", "Node", "Origin", "added", "known", "less", "terms_of"]
