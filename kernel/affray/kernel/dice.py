"""Dice plans and what their faces mean: `throw` asks for faces, `read` makes a number of them.

Pure: faces come in through a function or as recorded values, and nothing here knows where they come from, what a
roll is for, or how a plan is spelt (`notation.py`). Laws kept: 7 (numbers are exact; division keeps the fraction,
rounding is a rule's business), 9 (every plan is checked against `limits` before the first die is asked for) and 10
(what goes wrong in a plan's arithmetic after the dice is a fault in the reading, not an exception).

Dice and links count from 0, dice through all terms of a plan in order. The faces of one die are its *chain*: the
first face, then those that replaced it, then those that exploded. A face depends on its die and link alone, so a term
put at the end, or a die added to the last term, moves no other die.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Literal, TypeVar, cast

import msgspec

from .errors import DiceError
from .limits import CHAIN_LINKS, DICE_PER_PLAN, DIE_SIDES, FACES_PER_ROLL, NOTATION_LENGTH, NUMBER_MAX, ROWS
from .numbers import Exact, Num, number

Make = TypeVar("Make", bound="Callable[..., DicePlan]")

Face = Callable[[int, int, int], int]
"""Gives one face, 1 to sides: `face(die, link, sides)`."""

Faces = tuple[tuple[int, ...], ...]
"""One chain a die, over all terms in order."""

Op = Literal["<", "<=", "=", ">=", ">"]
Keep = Literal["kh", "kl", "dh", "dl"]
"""Keep or drop, highest or lowest."""


class Condition(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """A comparison that a face meets or not. `value` is 0 to NUMBER_MAX; one that no face meets is allowed."""

    op: Op
    value: int

    def met(self, face: int) -> bool:
        """Tell whether a face meets the condition."""
        op, value = self.op, self.value
        if op == "=":
            return face == value
        if op == "<":
            return face < value
        if op == "<=":
            return face <= value
        return face >= value if op == ">=" else face > value


class Term(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """Some dice of one kind: `count` 0 to DICE_PER_PLAN, `sides` 1 to DIE_SIDES.

    Each die is first rerolled, then exploded, then kept or dropped:
    - `reroll`: a face that meets it is replaced, until one does not; `reroll_once`: at most once, the replacement
      stays whatever it shows;
    - `explode`: a face that meets it stays and brings one more, which may explode in turn and is never rerolled;
    - `keep`: keep or drop the highest or lowest `keep_count` (1 to `count`) dice, by the sum of a die's counting
      faces. Among equals the later die is dropped first.
    """

    count: int
    sides: int
    keep: Literal[""] | Keep = ""
    keep_count: int = 0
    reroll: Condition | None = None
    reroll_once: bool = False
    explode: Condition | None = None


class Sum(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="read", tag="sum"):
    """A term's total is the sum of its counting faces."""


class Successes(
    msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True,
    tag_field="read", tag="successes",
):
    """A term's total is the number of its counting faces at or above `target`; those at or above `double` count twice.

    `target` is 1 to DIE_SIDES; `double` is `target` to DIE_SIDES, or 0 for never. A plan read so has a term.
    """

    target: int
    double: int = 0


class Bands(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="read", tag="bands"):
    """The reading is the index, from 0, of the band that the sum falls into, as on a table.

    `ends` are the upper inclusive ends of all bands but the last: 1 to ROWS of them, ascending. A sum that is not
    whole belongs to the first band whose end is not below it.
    """

    ends: tuple[int, ...]


SUM = Sum()
FIRST_TERM = ("#0",)


class DicePlan(
    msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True, cache_hash=True
):
    """What is to be rolled and how it is read; a plan may have no dice.

    `formula` is postfix, so that nothing ever recurses: "#0" is the total of term 0, digits are a whole number, "+",
    "-", "*" and "/" take two values, "neg" takes one. It names every term once and in order, and has at most
    NOTATION_LENGTH tokens. `check_plan` holds a plan to all this; making one checks nothing.

    Canonical bytes leave a default out by identity: say SUM and FIRST_TERM, or nothing, never an equal copy.
    """

    terms: tuple[Term, ...]
    formula: tuple[str, ...] = FIRST_TERM
    reading: Sum | Successes | Bands = SUM


class Reading(msgspec.Struct, frozen=True):
    """What faces mean under a plan.

    - `total`: the value of the formula, or the index of its band; an int or "p/q".
    - `botch`: under `Successes`, no die shows a success and a counting face shows 1, whatever the formula adds.
    - `dropped`: (die, link) of every face that does not count, ascending: replaced, or of a dropped die.
    - `fault`: "", "division-by-zero", or "out-of-range" where a value on the way, its numerator or its denominator is
      beyond NUMBER_MAX. With a fault the total is 0 and means nothing.
    """

    total: Num
    botch: bool
    dropped: tuple[tuple[int, int], ...]
    fault: str


_once = cast("Callable[[Make], Make]", lru_cache(maxsize=512, typed=True))  # equal plans are one object


@_once
def dice(count: int, sides: int, plus: int = 0) -> DicePlan:
    """Plan the sum of some dice and a whole number. Raises DiceError for a `plus` beyond NUMBER_MAX."""
    terms = (Term(count=count, sides=sides),)
    if not plus:
        return DicePlan(terms=terms)
    _within("number added to the dice", plus, -NUMBER_MAX, NUMBER_MAX)
    return DicePlan(terms=terms, formula=("#0", str(abs(plus)), "+" if plus > 0 else "-"))


@_once
def pool(count: int, sides: int, target: int, double: int = 0) -> DicePlan:
    """Plan a pool that counts faces of `target` or more, those of `double` or more twice (0: never)."""
    return DicePlan(terms=(Term(count=count, sides=sides),), reading=Successes(target=target, double=double))


def banded(count: int, sides: int, ends: tuple[int, ...]) -> DicePlan:
    """Plan dice whose sum is looked up in bands with these upper ends (all but the last band's)."""
    return DicePlan(terms=(Term(count=count, sides=sides),), reading=Bands(ends=ends))


def check_plan(plan: DicePlan) -> None:
    """Raise DiceError for a plan that is beyond a limit, malformed or sure never to stop.

    `throw`, `read` and `check_faces` check as well, before anything else; a plan seen before costs next to nothing.
    """
    _ready(plan)


def throw(plan: DicePlan, face: Face) -> Faces:
    """Ask `face` for every face the plan calls for, and give them back as chains.

    The faces are taken as they come: whoever does not trust their source calls `check_faces` with the result.

    Raises DiceError for a plan that does not pass `check_plan`, before `face` is called, and for one that would need
    more than CHAIN_LINKS faces for a die or FACES_PER_ROLL in all (`problem` then begins with "capped").
    """
    ready = _ready(plan)
    if ready.is_plain:
        return tuple([(face(die, 0, sides),) for die, sides in enumerate(ready.sides)])
    chains: list[tuple[int, ...]] = []
    room = FACES_PER_ROLL
    for term in ready.plan.terms:
        for _ in range(term.count):
            chain = _chain(term, len(chains), face, room)
            room -= len(chain)
            chains.append(chain)
    return tuple(chains)


def read(plan: DicePlan, faces: Faces) -> Reading:
    """Read faces. Those that do not pass `check_faces`, as imported ones may, are read as they stand.

    Raises DiceError for a plan that does not pass `check_plan` and for faces of another number of dice.
    """
    ready = _ready(plan)
    if len(faces) != len(ready.sides):
        raise DiceError(f"the plan has {len(ready.sides)} dice, there are faces of {len(faces)}")
    if ready.offset is None:
        return _read_any(ready, faces)
    total = ready.offset + sum([face for chain in faces for face in chain])
    if not -NUMBER_MAX <= total <= NUMBER_MAX:
        return Reading(0, False, (), "out-of-range")
    return Reading(bisect_left(ready.ends, total) if ready.ends else total, False, (), "")


def check_faces(plan: DicePlan, faces: Faces) -> None:
    """Raise DiceError for faces that throwing the plan cannot give.

    That is: another number of dice; a face that is not an int of 1 to the die's sides; a chain that ends although the
    plan goes on, goes on although the plan ends it, or is capped. Messages count dice and faces from 1.
    """
    ready = _ready(plan)
    if type(faces) is not tuple or len(faces) != len(ready.sides):
        shown = len(faces) if isinstance(faces, Sequence) else type(faces).__name__
        raise DiceError(f"the plan has {len(ready.sides)} dice, one tuple of faces each; got {shown}")
    for die, (chain, sides) in enumerate(zip(faces, ready.sides, strict=True)):
        if type(chain) is not tuple or not chain:
            raise DiceError(f"die {die + 1} of {len(faces)} needs a tuple of at least one face")
        for link, face in enumerate(chain):
            _within(f"face {link + 1} of die {die + 1}", face, 1, sides)

    def recorded(die: int, link: int, sides: int) -> int:
        if link == len(faces[die]):
            raise DiceError(f"die {die + 1} stops after {link} faces, where the plan goes on")
        return faces[die][link]

    for die, (chain, thrown) in enumerate(zip(faces, throw(plan, recorded), strict=True)):
        if len(chain) > len(thrown):
            raise DiceError(f"die {die + 1} has {len(chain)} faces, where the plan stops after {len(thrown)}")


def check_term(term: Term) -> None:
    """Raise DiceError for a term that is out of range, contradicts itself or is sure never to stop."""
    _within("number of dice", term.count, 0, DICE_PER_PLAN)
    _within("number of sides", term.sides, 1, DIE_SIDES)
    if term.keep:
        _within(f"number of dice to keep or drop ({term.keep})", term.keep_count, 1, term.count)
    elif term.keep_count:
        raise DiceError("a number of dice to keep or drop without saying which")
    if term.reroll_once and term.reroll is None:
        raise DiceError("a reroll once without its condition")
    for condition, does, ends in ((term.reroll, "reroll", term.reroll_once), (term.explode, "explode", False)):
        if condition is None:
            continue
        _within(f"value of the {does} condition", condition.value, 0, NUMBER_MAX)
        # A comparison is met by a run of faces without gaps, so by every face if by the first and the last.
        if not ends and condition.met(1) and condition.met(term.sides):
            raise DiceError(f"a d{term.sides} that {does}s on {condition.op}{condition.value} never stops")


def check_reading(reading: Sum | Successes | Bands) -> None:
    """Raise DiceError for a target, a doubling or a band out of range or out of order."""
    if isinstance(reading, Successes):
        _within("target of a success", reading.target, 1, DIE_SIDES)
        if reading.double:
            _within("face that counts twice", reading.double, reading.target, DIE_SIDES)
    elif isinstance(reading, Bands):
        _within("number of band ends", len(reading.ends), 1, ROWS)
        for index, end in enumerate(reading.ends):
            _within("end of a band", end, -NUMBER_MAX, NUMBER_MAX)
            if index and end <= reading.ends[index - 1]:
                raise DiceError(f"band ends must ascend, {end} follows {reading.ends[index - 1]}")


# -- a checked plan, with what every use of it would work out again

_LITERAL = re.compile(r"0|[1-9][0-9]{0,15}", re.ASCII)


class _Ready(msgspec.Struct, frozen=True):
    plan: DicePlan
    sides: tuple[int, ...]  # of every die
    is_plain: bool  # no term rerolls or explodes
    program: tuple[int | str, ...]  # the formula with ints for literals and a bare "#" for the next term
    offset: int | None  # of a plain sum of one term, without keep: the constant added
    ends: tuple[int, ...]  # of the bands; empty for another reading


def _ready(plan: DicePlan) -> _Ready:
    try:
        ready = _prepare(plan)
        if ready.plan is not plan:
            # 1 == True == 1.0: an ill-typed plan equals a good one, and must not pass because that one came first.
            _check_types(plan)
    except TypeError as error:  # unhashable, a list for a tuple
        raise DiceError(f"not a dice plan: {error}") from error
    return ready


@lru_cache(maxsize=512)
def _prepare(plan: DicePlan) -> _Ready:
    _check_types(plan)
    count = 0
    for term in plan.terms:
        check_term(term)
        count += term.count
        _within("number of dice of one plan", count, 0, DICE_PER_PLAN)
    check_reading(plan.reading)
    if isinstance(plan.reading, Successes) and not plan.terms:
        raise DiceError("a plan that counts successes needs a term")
    program = _program(plan.formula, len(plan.terms))
    is_plain = all(_is_single(term) for term in plan.terms)
    is_kept_whole = is_plain and not any(term.keep for term in plan.terms)
    is_summed = is_kept_whole and len(plan.terms) == 1 and not isinstance(plan.reading, Successes)
    return _Ready(
        plan=plan,
        sides=tuple([term.sides for term in plan.terms for _ in range(term.count)]),
        is_plain=is_plain,
        program=program,
        offset=_offset(program) if is_summed else None,
        ends=plan.reading.ends if isinstance(plan.reading, Bands) else (),
    )


def _check_types(plan: DicePlan) -> None:
    """Hold a plan to its annotations, which msgspec does when it decodes and not when it constructs."""
    try:
        same = msgspec.convert(msgspec.to_builtins(plan), DicePlan) == plan
    except msgspec.ValidationError as error:
        raise DiceError(f"not a dice plan: {error}") from error
    if not same:
        raise DiceError("not a dice plan: its parts are of other types")


def _program(formula: tuple[str, ...], terms: int) -> tuple[int | str, ...]:
    """Compile a formula, running it on the heights of its stack. Raises DiceError where it is malformed."""
    _within("number of tokens in the formula", len(formula), 1, NOTATION_LENGTH)
    program: list[int | str] = []
    named = height = 0
    for token in formula:
        takes = 0
        if token in ("+", "-", "*", "/", "neg"):
            takes = 1 if token == "neg" else 2
            program.append(token)
        elif token == f"#{named}" and named < terms:
            named += 1
            program.append("#")
        elif _LITERAL.fullmatch(token):
            _within("number in the formula", int(token), 0, NUMBER_MAX)
            program.append(int(token))
        else:
            due = f"#{named}, " if named < terms else ""
            raise DiceError(f"the formula has {token[:20]!r} where {due}a whole number or an operation was due")
        if height < takes:
            raise DiceError(f"{token!r} in the formula takes {takes} values and finds {height}")
        height += 1 - takes
    if height != 1 or named != terms:
        raise DiceError(f"the formula leaves {height} values, due is 1, and names {named} of {terms} terms")
    return tuple(program)


def _offset(program: tuple[int | str, ...]) -> int | None:
    if program == ("#",):
        return 0
    if len(program) == 3 and program[0] == "#" and isinstance(program[1], int) and program[2] in ("+", "-"):
        return program[1] if program[2] == "+" else -program[1]
    return None


def _is_single(term: Term) -> bool:
    """Tell whether every die of the term has one face only."""
    return term.reroll is None and term.explode is None


# -- chains


def _chain(term: Term, die: int, face: Face, room: int) -> tuple[int, ...]:
    """Throw one die, with `room` faces left in the roll."""
    links: list[int] = []

    def draw() -> int:
        if len(links) == CHAIN_LINKS:
            raise DiceError(f"capped: die {die + 1} would go on after {CHAIN_LINKS} faces")
        if len(links) == room:
            raise DiceError(f"capped: the roll would go on after {FACES_PER_ROLL} faces")
        links.append(face(die, len(links), term.sides))
        return links[-1]

    last = draw()
    if term.reroll is not None:
        while term.reroll.met(last):
            last = draw()
            if term.reroll_once:
                break
    if term.explode is not None:
        while term.explode.met(last):
            last = draw()
    return tuple(links)


def _replaced(term: Term, chain: tuple[int, ...]) -> int:
    """Count the faces at the head of a chain that a reroll replaced."""
    if term.reroll is None:
        return 0
    most = min(1, len(chain) - 1) if term.reroll_once else len(chain) - 1
    count = 0
    while count < most and term.reroll.met(chain[count]):
        count += 1
    return count


def _lost(term: Term, values: Sequence[int]) -> frozenset[int]:
    """Say which dice of a term are dropped, counted within the term."""
    if not term.keep:
        return frozenset()
    count = term.keep_count if term.keep in ("dh", "dl") else len(values) - term.keep_count
    lowest = 1 if term.keep in ("kh", "dl") else -1
    order = sorted(range(len(values)), key=lambda die: (lowest * values[die], -die))
    return frozenset(order[:count])


# -- readings


def _read_any(ready: _Ready, faces: Faces) -> Reading:
    plan = ready.plan
    totals: list[int] = []
    dropped: list[tuple[int, int]] = []
    successes, ones, first = 0, False, 0
    for term in plan.terms:
        counted = _counted(term, first, faces[first : first + term.count], dropped)
        first += term.count
        if isinstance(plan.reading, Successes):
            target, double = plan.reading.target, plan.reading.double
            hits = len([face for face in counted if face >= target])
            if double:
                hits += len([face for face in counted if face >= double])
            successes += hits
            ones = ones or 1 in counted
            totals.append(hits)
        else:
            totals.append(sum(counted))
    botch = ones and not successes
    total, fault = _evaluate(ready.program, totals)
    if fault:
        return Reading(0, botch, tuple(dropped), fault)
    value = bisect_left(ready.ends, total) if ready.ends else number(total)
    return Reading(value, botch, tuple(dropped), "")


def _counted(term: Term, first: int, chains: Faces, dropped: list[tuple[int, int]]) -> list[int]:
    """Give the counting faces of a term whose first die is `first`; note the others in `dropped`."""
    if _is_single(term) and not term.keep:
        return [face for chain in chains for face in chain]
    starts = [_replaced(term, chain) for chain in chains]
    lost = _lost(term, [sum(chain[start:]) for chain, start in zip(chains, starts, strict=True)])
    counted: list[int] = []
    for die, (chain, start) in enumerate(zip(chains, starts, strict=True)):
        begin = len(chain) if die in lost else start
        dropped.extend((first + die, link) for link in range(begin))
        counted.extend(chain[begin:])
    return counted


def _evaluate(program: tuple[int | str, ...], totals: list[int]) -> tuple[Exact, str]:
    """Run a checked formula on its terms' totals; give its value and "", or 0 and the fault."""
    following = iter(totals)
    stack: list[Exact] = []
    for token in program:
        value: Exact
        if isinstance(token, int):
            value = token
        elif token == "#":
            value = next(following)
        elif token == "neg":
            value = -stack.pop()
        else:
            right, left = stack.pop(), stack.pop()
            if token == "+":
                value = left + right
            elif token == "-":
                value = left - right
            elif token == "*":
                value = left * right
            elif right:
                value = Fraction(left) / right
            else:
                return 0, "division-by-zero"
        # Every value on the way is held to the bound, so what a formula costs is bounded too.
        if abs(value.numerator) > NUMBER_MAX or value.denominator > NUMBER_MAX:
            return 0, "out-of-range"
        stack.append(value)
    return stack[0], ""


def _within(what: str, value: object, low: int, high: int) -> None:
    """Hold an int to a range."""
    if isinstance(value, int) and not isinstance(value, bool) and low <= value <= high:
        return
    # Python refuses to print a number of thousands of digits.
    is_long = isinstance(value, int) and abs(value) > NUMBER_MAX
    shown = "a number beyond 2^53 - 1" if is_long else repr(value)[:40]
    raise DiceError(f"the {what} must be a whole number from {low} to {high}, got {shown}")
