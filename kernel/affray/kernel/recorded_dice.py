"""The dice of a record for its commands that are run again: recorded faces by slot, and where those come from that it lacks.

Nothing here draws; whoever hosts a session does, or an estimate with dice of its own (`Fresh`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from .dice import Faces
from .draws import Drawn, Unwitnessed, kept_faces
from .errors import Refused, RefusedInside
from .keep import Keeping
from .log import Log
from .names import WITNESS, root, slot
from .recorded import Past
from .state import State
from .steps import Roll


class Fresh(Protocol):
    """Where faces come from that no record has."""

    def again(self, roll: Roll, run: int, state: State, recorded: tuple[int, Faces]) -> Drawn | Unwitnessed | None:
        """Faces for a roll of which some are recorded: (version, faces); version 0 and () where none are.

        None when a person must report them. Raises NeedsDie where nothing may be drawn.
        """
        ...


class NeedsDie(Exception):
    """A die is needed that does not exist, and none may be drawn."""

    def __init__(self, roll: Roll) -> None:
        super().__init__(slot(roll))
        self.roll = roll


class NoFresh:
    """Nothing is drawn: a die that can be seen and declined would be a free reroll."""

    def again(self, roll: Roll, run: int, state: State, recorded: tuple[int, Faces]) -> Drawn | Unwitnessed | None:
        """Raise NeedsDie."""
        raise NeedsDie(roll)


class DiceRefused(Exception):
    """Dice cannot be had now; told apart from a refusal of the rules."""

    def __init__(self, roll: Roll, refused: Refused) -> None:
        super().__init__(refused.code)
        self.roll, self.refused = roll, refused


class RerunDice:
    """Recorded faces by slot; what they lack comes from `fresh`. Where the session keeps undone dice, those are recorded too."""

    def __init__(self, past: Past, log: Log, fresh: Fresh) -> None:
        self._recorded = past.rolls
        self._log = log
        self._fresh = fresh
        self._keeping = Keeping()
        self.witnesses = dict(past.witnesses)
        self.drawn: list[Roll] = []

    def draw(self, roll: Roll, run: int, state: State) -> Drawn | Unwitnessed | None:
        """Faces for a roll."""
        someone, policy = state.combatants.get(roll.by), state.policy(roll.by)
        if policy == "reported" and someone is not None and not someone.gone:
            return None
        if self.witnesses and (who := self.witnesses.pop(f"{roll.action}|ask.{WITNESS}{roll.key}.{roll.occurrence}", "")):
            return Unwitnessed(who)  # what was said while the dice waited comes before them again
        version, before = self._earlier(roll, state)
        faces = () if before is None else before.faces or ()
        if before is not None and faces:
            try:
                kept = kept_faces(roll.plan, faces, _lacking(roll))
                is_scripted = before.source == "scripted" and policy.startswith("scripted")
                return Drawn(kept, "scripted" if is_scripted else "engine", version)
            except NeedsDie:
                pass
        try:
            found = self._fresh.again(roll, run, state, (version, faces))
        except RefusedInside as inside:
            raise DiceRefused(roll, inside.refused) from None
        if isinstance(found, Drawn):
            self.drawn.append(roll)
        return found

    def _earlier(self, roll: Roll, state: State) -> tuple[int, Roll | None]:
        if (found := self._recorded.get(slot(roll))) is not None:
            return found
        if state.undo_dice == "keep":
            self._keeping.catch_up(self._log.events)
            if version := self._keeping.earlier(roll, state.open[root(roll.action)]):
                return version, self._log.events[version - 1]
        return 0, None


def _lacking(roll: Roll) -> Callable[[int, int, int], int]:
    def face(die: int, link: int, sides: int) -> int:
        raise NeedsDie(roll)

    return face


__all__ = ["DiceRefused", "Fresh", "NeedsDie", "NoFresh", "RerunDice"]
