"""Dice notation: `parse` reads a plan that a person typed, `notation` writes one down.

    notation = sum [ "bands" end { "," end } ] [ "#" comment ]
    sum      = product { ( "+" | "-" ) product }
    product  = factor { ( "*" | "/" ) factor }
    factor   = "-" factor | "(" sum ")" | number | dice
    dice     = [ number ] "d" ( number | "%" ) { change }    a missing count is 1, "%" is 100
    change   = "r" compare                                    reroll until it is not met
             | "ro" compare                                   reroll once, the replacement stays
             | "!" [ compare ]                                explode, on the highest face if nothing is said
             | ( "kh" | "kl" | "dh" | "dl" ) number           keep or drop the highest or lowest dice
             | ">=" number [ "double" number ]                count successes; faces from the second number twice
    compare  = ( "<" | "<=" | "=" | ">=" | ">" ) number
    end      = [ "-" ] number                                 upper end of a band, all but the last

`4d6kh3`, `2d6ro<3+1`, `3d6!`, `8d10>=7 double 10`, `1d100 bands 5,20,95`. The changes of a term stand in any order,
each once; a die is rerolled first, then exploded, then kept or dropped. A comparison right after "!" belongs to it:
`8d10!>=9` explodes on 9 and 10 and is summed, `8d10!=10>=7` explodes on 10 and counts faces from 7. If one term
counts successes, all do, by the same numbers.

Spaces, tabs and no-break spaces separate and mean nothing; letters may be large or small. Digits are ASCII. The signs
that typesetting puts for -, *, /, <= and >= mean the same; the caller keeps the text as typed. Whatever else is there
is an error where it stands; only what follows "#" is a comment.

Division is exact and keeps the fraction, so 7/2 is 7/2 and -7/2 is -7/2: rounding is a rule's business. A division by
zero is never an error of the text, not even in `1/0`: it is the reading's fault.

Nothing here recurses, and no number is converted before its length is known.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Literal, NoReturn, TypeVar

from .dice import (
    FIRST_TERM,
    SUM,
    Bands,
    Condition,
    DicePlan,
    Keep,
    Op,
    Successes,
    Sum,
    Term,
    check_plan,
    check_reading,
    check_term,
)
from .errors import DiceError
from .limits import DICE_PER_PLAN, NOTATION_DEPTH, NOTATION_LENGTH, NUMBER_MAX


def parse(text: str) -> DicePlan:
    """Read a notation of up to NOTATION_LENGTH characters and NOTATION_DEPTH nested brackets.

    Raises DiceError with the position, from 0, of the first thing that is wrong. The plan passes `check_plan`.
    """
    tokens = _Tokens(text)
    terms: list[Term] = []
    formula: list[str] = []
    reading: Sum | Successes = SUM
    waiting: list[str] = []  # shunting-yard: open brackets, and operations whose right side is not complete
    while True:
        start = tokens.position
        if tokens.skip("-"):
            waiting.append("neg")
            continue
        if tokens.skip("("):
            waiting.append("(")
            if waiting.count("(") > NOTATION_DEPTH:
                tokens.fail(f"more than {NOTATION_DEPTH} brackets inside one another", start)
            continue
        count = 1 if tokens.next == "d" else tokens.number("a number, dice, '(' or '-'")
        if tokens.skip("d"):
            term, term_reading = _term(tokens, count, start)
            if terms and term_reading != reading:
                tokens.fail("all dice of a plan are read alike, these are not read like those before", start)
            reading = term_reading
            formula.append(f"#{len(terms)}")
            terms.append(term)
            if (dice := sum(term.count for term in terms)) > DICE_PER_PLAN:
                tokens.fail(f"{dice} dice so far, a plan has at most {DICE_PER_PLAN}", start)
        else:
            formula.append(str(count))
        while tokens.next == ")" and "(" in waiting:
            tokens.skip(")")
            _unwind(waiting, formula, 0)
            waiting.pop()
        if tokens.next not in _BINARY:
            break
        _unwind(waiting, formula, _BINDS[tokens.next])
        waiting.append(tokens.take())
    if "(" in waiting:
        tokens.fail(f"expected an operation or ')', found {tokens.found}")
    _unwind(waiting, formula, 0)
    plan = DicePlan(
        terms=tuple(terms),
        formula=FIRST_TERM if formula == ["#0"] else tuple(formula),
        reading=_bands(tokens, reading) if tokens.next == "bands" else reading,
    )
    if tokens.next:
        tokens.fail(f"expected an operation or the end, found {tokens.found}")
    check_plan(plan)
    return plan


def notation(plan: DicePlan) -> str:
    """Write a plan in the one spelling of it that this module prefers, as "4d6kh3+2".

    `parse` gives the plan back where the text is within NOTATION_LENGTH and NOTATION_DEPTH. Raises DiceError for a plan
    that does not pass `check_plan`.
    """
    check_plan(plan)
    stack: list[tuple[str, int]] = []  # text, and how strongly its outermost operation binds
    for token in plan.formula:
        if token == "neg":
            stack.append(("-" + _bracketed(stack.pop(), _BINDS["neg"]), _BINDS["neg"]))
        elif token in _BINARY:
            right, left = stack.pop(), stack.pop()
            binds = _BINDS[token]
            stack.append((_bracketed(left, binds) + token + _bracketed(right, binds + 1), binds))
        elif token.startswith("#"):
            stack.append((_spell(plan.terms[int(token[1:])], plan.reading), _ATOM))
        else:
            stack.append((token, _ATOM))
    if isinstance(plan.reading, Bands):
        return f"{stack[0][0]} bands {','.join(str(end) for end in plan.reading.ends)}"
    return stack[0][0]


_BINARY = ("+", "-", "*", "/")
_BINDS = {"+": 1, "-": 1, "*": 2, "/": 2, "neg": 3}
_ATOM = 4

_OPS: dict[str, Op] = {"<": "<", "<=": "<=", "=": "=", ">=": ">=", ">": ">"}
_KEEPS: dict[str, Keep] = {"kh": "kh", "kl": "kl", "dh": "dh", "dl": "dl"}
_CHANGES = {"r": "reroll", "ro": "reroll", "!": "explosion", ">=": "success"} | dict.fromkeys(_KEEPS, "keep or drop")

_TYPESET = {"\u2212": "-", "\u2010": "-", "\u2011": "-", "\u2013": "-", "\u00d7": "*", "\u22c5": "*", "\u2217": "*",
            "\u00f7": "/", "\u2215": "/", "\u2264": "<=", "\u2265": ">="}
"""Minus, hyphens and en dash; times, dot and asterisk operators; division sign and slash; comparisons."""

_TOKEN = re.compile(r"[0-9]+|[a-z]+|[<>]=|[^ \t\u00a0\u2009\u202f]", re.ASCII | re.IGNORECASE)
"""Anything but a blank is a token; what no rule expects is refused where it stands."""

_NUMBER = re.compile(r"[0-9]+", re.ASCII)
_DIGITS = len(str(NUMBER_MAX))

_Made = TypeVar("_Made", Term, Successes, Bands)


class _Tokens:
    """The tokens of a text, read from left to right."""

    def __init__(self, text: str) -> None:
        self.text = text
        if len(text) > NOTATION_LENGTH:
            self.fail(f"longer than {NOTATION_LENGTH} characters ({len(text)})", NOTATION_LENGTH)
        formula = text.partition("#")[0]
        self._typed = [(match[0], match.start()) for match in _TOKEN.finditer(formula)]
        self._typed.append(("", len(formula)))
        self._tokens = [_TYPESET.get(token, token.lower()) for token, _ in self._typed]
        self._index = 0

    @property
    def next(self) -> str:
        """The token that is due; "" at the end."""
        return self._tokens[self._index]

    @property
    def position(self) -> int:
        """Where that token stands, in characters from 0."""
        return self._typed[self._index][1]

    @property
    def found(self) -> str:
        """That token as typed, for a message."""
        typed = self._typed[self._index][0]
        return repr(typed[:20]) if typed else "the end"

    def take(self) -> str:
        """Step over the token that is due, which is not the end."""
        token = self.next
        self._index += 1
        return token

    def skip(self, token: str) -> bool:
        """Step over the token if it is this one."""
        if self.next != token:
            return False
        self._index += 1
        return True

    def number(self, expected: str) -> int:
        """Read a whole number of 0 to NUMBER_MAX. `expected` says what was due if there is none."""
        if not _NUMBER.fullmatch(self.next):
            self.fail(f"expected {expected}, found {self.found}")
        if len(self.next) > _DIGITS or int(self.next) > NUMBER_MAX:
            self.fail(f"expected a number up to {NUMBER_MAX}, found {self.found}")
        return int(self.take())

    def compare(self, after: str) -> Condition:
        """Read a comparison."""
        op = _OPS.get(self.next)
        if op is None:
            self.fail(f"expected a comparison after {after!r}, found {self.found}")
        self.take()
        return Condition(op, self.number("a number to compare with"))

    def checked(self, check: Callable[[_Made], None], made: _Made, position: int) -> _Made:
        """Give back what a check of `dice` lets pass; say where it stands if it does not."""
        try:
            check(made)
        except DiceError as error:
            self.fail(error.problem, position)
        return made

    def fail(self, problem: str, position: int = -1) -> NoReturn:
        """Raise the error, at the token that is due if no position is given."""
        raise DiceError(problem, text=self.text, position=self.position if position < 0 else position) from None


def _term(tokens: _Tokens, count: int, start: int) -> tuple[Term, Sum | Successes]:
    """Read dice from their sides on; they began at `start`."""
    sides = 100 if tokens.skip("%") else tokens.number("a number of sides or '%'")
    keep: Literal[""] | Keep = ""
    keep_count = 0
    reroll = explode = None
    is_once = False
    reading: Sum | Successes = SUM
    seen: set[str] = set()
    while tokens.next in _CHANGES:
        place, word = tokens.position, tokens.take()
        change = _CHANGES[word]
        if change in seen:
            tokens.fail(f"a second {change} of the same dice", place)
        seen.add(change)
        if change == "reroll":
            reroll, is_once = tokens.compare(word), word == "ro"
        elif change == "explosion":
            explode = tokens.compare(word) if tokens.next in _OPS else Condition("=", sides)
        elif change == "success":
            target = tokens.number("the lowest face that is a success")
            double = tokens.number("the lowest face that counts twice") if tokens.skip("double") else 0
            reading = tokens.checked(check_reading, Successes(target=target, double=double), place)
        else:
            keep, keep_count = _KEEPS[word], tokens.number("a number of dice to keep or drop")
    term = Term(
        count=count, sides=sides, keep=keep, keep_count=keep_count,
        reroll=reroll, reroll_once=is_once, explode=explode,
    )
    return tokens.checked(check_term, term, start), reading


def _bands(tokens: _Tokens, reading: Sum | Successes) -> Bands:
    place = tokens.position
    if isinstance(reading, Successes):
        tokens.fail("successes are counted, only a sum is looked up in bands", place)
    ends: list[int] = []
    while tokens.skip("," if ends else "bands"):
        sign = -1 if tokens.skip("-") else 1
        ends.append(sign * tokens.number("the upper end of a band"))
    return tokens.checked(check_reading, Bands(ends=tuple(ends)), place)


def _unwind(waiting: list[str], formula: list[str], binds: int) -> None:
    """Move operations that bind at least so strongly from the waiting ones to the formula, back to a bracket."""
    while waiting and waiting[-1] != "(" and _BINDS[waiting[-1]] >= binds:
        formula.append(waiting.pop())


def _bracketed(part: tuple[str, int], binds: int) -> str:
    """Put brackets round a text that binds less strongly than its place asks for."""
    text, own = part
    return text if own >= binds else f"({text})"


def _spell(term: Term, reading: Sum | Successes | Bands) -> str:
    text = f"{term.count}d{term.sides}"
    if term.reroll is not None:
        text += f"r{'o' if term.reroll_once else ''}{term.reroll.op}{term.reroll.value}"
    if term.explode is not None:
        # In a pool the success's comparison would be taken for the explosion's if that had none of its own.
        is_short = term.explode == Condition("=", term.sides) and not isinstance(reading, Successes)
        text += "!" if is_short else f"!{term.explode.op}{term.explode.value}"
    if term.keep:
        text += f"{term.keep}{term.keep_count}"
    if isinstance(reading, Successes):
        text += f">={reading.target}" + (f" double {reading.double}" if reading.double else "")
    return text
