"""Faces that nobody can change or fish for: pure, keyed, verifiable (design, section 6, fair dice).

Every input of a face, who chooses it, and when:

| input | chosen by | when |
|---|---|---|
| s[epoch] of the chain | the host | before `open`, which commits to it by s[0] |
| session | the host | with `open` |
| epoch | counted; it advances by `reveal-dice` | in the log; then dice wait for a nonce of a player who knew of it |
| digest of the nonces | every player's client (`nonces.py`) | with `join` and every command |
| number of the run | counted over the whole log, secret ones apart | in the log, seen by all |
| slot within the run | the rules (kind, key, occurrence, nested ids) | fixed by the manifest |
| people in the slot | replaced by the number of their `join` | in the log, seen by all |
| die, link, block | counted | - |

Command ids, combatants' ids and names, salts and times, which a holder of the secret could choose freely, are not
among them. What players cannot see before their last nonce cannot enter; what enters later stands in the log.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from hashlib import sha256
from itertools import zip_longest
from typing import Any, Protocol

import msgspec

from .dice import Faces, check_plan, throw
from .errors import DiceError
from .ledger import canonical
from .names import place
from .state import State
from .steps import Roll

CHAINS = ("open", "kept")
"""Open rolls draw from one chain, blind rolls and secret actions from the other."""

_TOP = 2**64


class Drawn(msgspec.Struct, frozen=True):
    """Faces for a roll: where they come from, and the version of an earlier roll they were kept from (0: none)."""

    faces: Faces
    source: str
    reused: int = 0


class Unwitnessed(msgspec.Struct, frozen=True):
    """Faces have to wait until this combatant's player has sent a nonce (`witness.py`)."""

    by: str


class Dice(Protocol):
    """Where faces come from."""

    def draw(self, roll: Roll, run: int, state: State) -> Drawn | Unwitnessed | None:
        """Faces for a roll of the run with this number in the whole log; None when a person must report them."""
        ...


def chain_secret(seed: bytes, length: int, epoch: int) -> bytes:
    """s[epoch] of the chain whose last element s[length] is `seed`: s[i] = SHA-256(s[i+1])."""
    if not 0 <= epoch <= length:
        raise ValueError(f"epoch {epoch} of a chain of {length}")
    secret = seed
    for _ in range(length - epoch):
        secret = sha256(secret).digest()
    return secret


def follows(secret: bytes, previous: bytes) -> bool:
    """Whether a revealed secret is the element before one that is known already."""
    return sha256(secret).digest() == previous


def slot_within(roll: Roll, numbers: Mapping[str, int]) -> str:
    """The slot without its run's own id, with every combatant's id replaced by the number of its join.

    "a7>counter.ann.0|roll.attack.ann.0" of a fight that Ann joined second is "counter.2.0|roll.attack.2.0". Only
    the person's part of a name is replaced, so naming a combatant like a key changes nothing.
    """
    if ">" not in roll.action:
        return "|" + _numbered(place(roll), 4, numbers)
    below = roll.action.split(">")[1:]
    tokens = [
        _numbered(token, 4 if after is not None and "." not in after else 3, numbers)
        for token, after in zip_longest(below, below[1:])
    ]
    return ">".join(tokens) + "|" + _numbered(place(roll), 4, numbers)


def _numbered(token: str, parts_with_person: int, numbers: Mapping[str, int]) -> str:
    """A step's place is kind.key.person.occurrence, a nested action's token lacks the kind; both may lack the person.

    A token before a plugin's name (which has no ".") is the place of the step that was followed.
    """
    parts = token.split(".")
    if len(parts) == parts_with_person:
        parts[-2] = "+".join([str(numbers[who]) for who in parts[-2].split("+")])
    return ".".join(parts)


def face_source(
    secret: bytes, session: str, epoch: int, nonces: str, run: int, slot: str
) -> Callable[[int, int, int], int]:
    """The faces of one roll: `face(die, link, sides)`.

    The SHA-256 of the canonical list [secret in hex, session, epoch, nonces, run, slot, die, link, block] gives 64 bits
    (its first eight bytes, big-endian). A number below the largest multiple of `sides` gives the face; any other is
    thrown away and the next block is tried, so that every face is equally likely.
    """
    begin = sha256(canonical([secret.hex(), session, epoch, nonces, run, slot])[:-1])

    def face(die: int, link: int, sides: int) -> int:
        fair = _TOP - _TOP % sides
        block = 0
        while True:
            hashed = begin.copy()
            hashed.update(b",%d,%d,%d]" % (die, link, block))
            number = int.from_bytes(hashed.digest()[:8], "big")
            if number < fair:
                return number % sides + 1
            block += 1

    return face


def draw(
    roll: Roll, secret: bytes, session: str, epoch: int, nonces: str, run: int, numbers: Mapping[str, int]
) -> Faces:
    """All faces of a roll."""
    return throw(roll.plan, face_source(secret, session, epoch, nonces, run, slot_within(roll, numbers)))


class Script:
    """Faces handed out in order, for tests and for fights that are told.

    Raises IndexError when it runs out, DiceError for a face that the die does not have.
    """

    def __init__(self, faces: Iterable[int], used: int = 0) -> None:
        self.faces = tuple(faces)
        self.used = used

    @property
    def left(self) -> tuple[int, ...]:
        """What has not been handed out."""
        return self.faces[self.used :]

    def throw(self, roll: Roll, recorded: Faces = ()) -> Faces:
        """The faces of a roll, those that are recorded kept; nothing is used up when there are not enough."""
        start = self.used

        def face(die: int, link: int, sides: int) -> int:
            value = self.faces[self.used]
            if value > sides:
                raise DiceError(f"the script gives {value} to a d{sides}")
            self.used += 1
            return value

        try:
            return kept_faces(roll.plan, recorded, face)
        except Exception:
            self.used = start
            raise


def kept_faces(plan: Any, recorded: Faces, fresh: Callable[[int, int, int], int]) -> Faces:
    """Recorded faces where they exist and the die has them, fresh ones for the rest (a plan that grew)."""
    check_plan(plan)
    sides = [term.sides for term in plan.terms for _ in range(term.count)]

    def face(die: int, link: int, wanted: int) -> int:
        if die < len(recorded) and link < len(recorded[die]) and recorded[die][link] <= sides[die]:
            return recorded[die][link]
        return fresh(die, link, wanted)

    return throw(plan, face)
