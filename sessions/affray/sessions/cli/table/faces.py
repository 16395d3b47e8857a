"""Physical dice: what a plan asks people to throw, and what they say their dice show. Pure.

A die that goes on, because it was rerolled or exploded, is typed with all its faces: 6+6+2. Who types only the first is
asked for the next, as long as the plan goes on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from affray.kernel import DiceError, DicePlan, Faces, Term, check_faces, throw

from .choices import Unclear, quoted

Next = Callable[[str, int], int]
"""Asks for one more face of a die: told why, and which die, counted from 0."""


def wanted(plan: DicePlan) -> str:
    """How to say what the dice of a plan show."""
    count = sum(term.count for term in plan.terms)
    if count == 1:
        return "type what it shows"
    return "type what they show, one number a die" if count else "there is no die in it, Enter goes on"


def explained(plan: DicePlan) -> Iterator[str]:
    """What is to be done with the dice of a plan beside throwing them, in lines."""
    for term in plan.terms:
        yield from _of_term(term)
    if any(term.reroll or term.explode for term in plan.terms):
        yield "a die that goes on is typed with all its faces, 6+6+2, or its next face is asked for"


def _of_term(term: Term) -> Iterator[str]:
    if (reroll := term.reroll) is not None:
        again = "is thrown once more, and that stays" if term.reroll_once else "is thrown again until it shows something else"
        yield f"a d{term.sides} that shows {_shown(reroll.op, reroll.value)} {again}"
    if (explode := term.explode) is not None:
        yield f"a d{term.sides} that shows {_shown(explode.op, explode.value)} explodes: throw one more and add it"
    if term.keep:
        which = "highest" if term.keep.endswith("h") else "lowest"
        does = "count" if term.keep.startswith("k") else "do not count"
        yield f"the {which} {term.keep_count} {does}; type all of them"


def _shown(op: str, value: int) -> str:
    """A comparison as people say it."""
    words = {"=": "{}", ">=": "{} or more", "<=": "{} or less", ">": "more than {}", "<": "less than {}"}
    return words[op].format(value)


def read_faces(plan: DicePlan, text: str, more: Next) -> Faces:
    """Faces as they were typed, one word a die; `more` is asked for what is missing of a die that goes on.

    Raises Unclear for what is no dice, or not those of the plan.
    """
    chains = [faces_of(word) for word in text.replace(",", " ").split()]
    sides = [term.sides for term in plan.terms for _ in range(term.count)]
    if len(chains) != len(sides):
        raise Unclear(f"{len(sides)} {'die is' if len(sides) == 1 else 'dice are'} asked for, {len(chains)} came.")
    for die, (chain, highest) in enumerate(zip(chains, sides, strict=True), 1):
        for shown in chain:
            check_face(shown, highest, die if len(sides) > 1 else 0)

    def face(die: int, link: int, sides: int) -> int:
        if link == len(chains[die]):
            chains[die] = (*chains[die], more(_why_on(plan, die, chains[die]), die))
        return chains[die][link]

    try:
        thrown = throw(plan, face)
        check_faces(plan, tuple(chains))
    except DiceError as error:
        raise Unclear(f"{error.problem[0].upper()}{error.problem[1:]}.") from None
    return thrown


def faces_of(word: str) -> tuple[int, ...]:
    """The faces of one die as typed: 5, or 6+6+2 for one that went on. Raises Unclear."""
    faces = word.split("+")
    if not all(face.isascii() and face.isdigit() and len(face) < 9 for face in faces):
        raise Unclear(f"{quoted(word)} is no die; type 5, or 6+6+2 for one that went on.")
    return tuple(map(int, faces))


def one_face(word: str) -> int:
    """One face as typed. Raises Unclear."""
    faces = faces_of(word)
    if len(faces) != 1:
        raise Unclear("One face is asked for.")
    return faces[0]


def check_face(face: int, sides: int, die: int = 0) -> int:
    """Hold a face to its die; `die` numbers it where there are several. Raises Unclear."""
    if not 1 <= face <= sides:
        which = f"die {die}, a d{sides}," if die else f"a d{sides}"
        raise Unclear(f"{face} is on no face of {which.rstrip(',')}.")
    return face


def term_of(plan: DicePlan, die: int) -> Term:
    """The term that a die belongs to, dice counted from 0."""
    for term in plan.terms:
        if die < term.count:
            return term
        die -= term.count
    raise IndexError(die)


def _why_on(plan: DicePlan, die: int, chain: tuple[int, ...]) -> str:
    term = term_of(plan, die)
    reroll = term.reroll
    again = reroll is not None and all(reroll.met(face) for face in chain) and not (term.reroll_once and chain[1:])
    does = "is thrown again" if again else "explodes"
    which = f"die {die + 1}" if sum(term.count for term in plan.terms) > 1 else "the die"
    return f"{which} shows {chain[-1]} and {does}"


__all__ = ["check_face", "explained", "faces_of", "one_face", "read_faces", "term_of", "wanted"]
