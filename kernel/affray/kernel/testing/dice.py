"""Dice for tests: scripted, seeded, recorded, enumerated. What a `Table` throws with.

Each kind says under which dice policy its rolls are recorded, and gives the faces of a roll; a recorded face is kept where
a plan grew. Nothing here draws from chance: equal calls give equal faces.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from hashlib import sha256
from typing import Generic, NamedTuple, Protocol, TypeVar

from ..dice import Faces
from ..draws import Script, kept_faces
from ..errors import Refused, RefusedInside
from ..log import Log
from ..names import place, slot
from ..steps import Roll
from .bounds import ENUMERATIONS

Made = TypeVar("Made")

Fair = Callable[[int, int, int], int]
"""The fair face of a die, link and sides: what the log's own dice secret gives."""


class DiceSource(Protocol):
    """Where the faces of a table's rolls come from."""

    policy: str
    """The dice policy that the log opens with."""

    def faces(self, roll: Roll, recorded: Faces, fair: Fair) -> Faces:
        """The faces of a roll; those in `recorded` are kept. Raises RefusedInside when there are none."""
        ...

    def begin(self) -> None:
        """A command is about to be decided."""
        ...

    def committed(self) -> None:
        """What was thrown since `begin` stands in the log."""
        ...


class _Simple:
    policy = "scripted"

    def begin(self) -> None:
        """Nothing is kept between commands."""

    def committed(self) -> None:
        """Nothing is kept between commands."""


class SeededDice(_Simple):
    """Fair dice of a known secret: the same seed gives the same faces, keyed by slot, so that no roll moves another's.

    The log that they make verifies like one of a real host.
    """

    policy = "fair"

    def __init__(self, seed: str = "kit") -> None:
        self.seed = seed

    def secret(self, chain: str) -> bytes:
        """The last element of a dice chain."""
        return sha256(f"{self.seed}/{chain}".encode()).digest()

    def faces(self, roll: Roll, recorded: Faces, fair: Fair) -> Faces:
        """What the secret gives."""
        return kept_faces(roll.plan, recorded, fair)

    def __repr__(self) -> str:
        return f"SeededDice({self.seed!r})"


class ScriptedDice(_Simple):
    """Faces handed out in the order asked. A script that runs out refuses the command (`script-exhausted`).

    What is `left` at the end of a test was never asked for: `given` fails then.
    """

    def __init__(self, *faces: int) -> None:
        self._script = Script(faces)
        self._used = 0

    @property
    def left(self) -> tuple[int, ...]:
        """What has not been handed out."""
        return self._script.left

    def begin(self) -> None:
        """What a refused command had used is there again."""
        self._script.used = self._used

    def committed(self) -> None:
        """What was handed out is used up."""
        self._used = self._script.used

    def faces(self, roll: Roll, recorded: Faces, fair: Fair) -> Faces:
        """The next faces of the script. Raises DiceError for a face that the die does not have."""
        try:
            return self._script.throw(roll, recorded)
        except IndexError:
            raise RefusedInside(Refused("script-exhausted", (place(roll),))) from None


class RecordedDice(_Simple):
    """The faces that a log has, by the slot of their roll; a roll that it does not have is refused (`not-recorded`)."""

    def __init__(self, recorded: Log | Mapping[str, Faces]) -> None:
        if isinstance(recorded, Log):
            events = [event for _, event in recorded.line()]
            recorded = {slot(event): event.faces or () for event in events if type(event) is Roll}
        self._faces = dict(recorded)

    def faces(self, roll: Roll, recorded: Faces, fair: Fair) -> Faces:
        """The recorded faces of the roll's slot."""

        def missing(die: int, link: int, sides: int) -> int:
            raise RefusedInside(Refused("not-recorded", (slot(roll),)))

        return kept_faces(roll.plan, self._faces.get(slot(roll), ()), missing)


class EnumeratedDice(_Simple):
    """One way in which all dice may fall; `every_roll` goes through all of them.

    `share` is how likely this way is: one over the product of the sides of every die thrown.
    """

    def __init__(self, path: tuple[int, ...] = ()) -> None:
        self._path = list(path)
        self._sides: list[int] = []
        self._used = 0

    @property
    def share(self) -> Fraction:
        """How likely it is that the dice fall so."""
        share = Fraction(1)
        for sides in self._sides[: self._used]:
            share /= sides
        return share

    def faces(self, roll: Roll, recorded: Faces, fair: Fair) -> Faces:
        """The faces of this way; 1 where it does not say."""

        def face(die: int, link: int, sides: int) -> int:
            if self._used == len(self._path):
                self._path.append(1)
            if self._used == len(self._sides):
                self._sides.append(sides)
            self._used += 1
            return self._path[self._used - 1]

        return kept_faces(roll.plan, recorded, face)

    def following(self) -> tuple[int, ...] | None:
        """The next way; None behind the last one."""
        path = self._path[: self._used]
        while path and path[-1] == self._sides[len(path) - 1]:
            path.pop()
        return None if not path else (*path[:-1], path[-1] + 1)


class Way(NamedTuple, Generic[Made]):
    """What was made of one way in which dice may fall, and how likely that way is."""

    share: Fraction
    made: Made


def every_roll(play: Callable[[EnumeratedDice], Made]) -> Iterator[Way[Made]]:
    """Play once for every way in which the dice may fall. The shares of all ways add up to 1.

    Raises ValueError beyond ENUMERATIONS ways, before the first that is too many.
    """
    path: tuple[int, ...] | None = ()
    ways = 0
    while path is not None:
        if ways == ENUMERATIONS:
            raise ValueError(f"more than {ENUMERATIONS} ways for the dice to fall")
        ways += 1
        dice = EnumeratedDice(path)
        made = play(dice)
        yield Way(dice.share, made)
        path = dice.following()


__all__ = ["DiceSource", "EnumeratedDice", "RecordedDice", "ScriptedDice", "SeededDice", "Way", "every_roll"]
