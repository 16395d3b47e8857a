"""Undo and redo: which version a rewind goes to (design, section 5), and whether a recorded one may go there."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from typing import Any

import msgspec

from .dice import Faces
from .errors import Refused
from .events import Choose, Declare, Note, Open, Reveal, RevealDice, Rewind
from .log import Log, Pair
from .names import root, slot
from .state import State
from .steps import Roll
from .values import GM

AMEND = "amend"
"""What an amend's rewind says of itself."""

_NEVER_UNDONE = frozenset({Open, Reveal, RevealDice})
"""What opens a commit that is no step of the fight: the session's own, and what belongs to the log and is never rewound."""


class _Done(msgspec.Struct, frozen=True):
    """A commit on the present line: its versions, who sent it, the version at which its command begins (that of the
    first part of two), the root action it belongs to, and the first version of its group (0: it stands alone).
    """

    first: int
    last: int
    caller: str
    command: int
    action: str
    is_note: bool
    group: int = 0


def undo(log: Log, state: State, caller: str, action: str = "") -> Rewind | Refused:
    """Take back the last action with all its commits (else the last command), or the action named.

    Refused: nothing-to-undo, no-such-action, already-undone, needs-amend (something followed that action), not-yours,
    dice-thrown (the dice policy forbids undoing past a roll).
    """
    if action and (action not in log.action_ids or not _is_declared(log, root(action))):
        return Refused("no-such-action", (action,))
    rewind = _undo(log, state, _commands(log), caller, action)
    if isinstance(rewind, Refused) or state.undo_dice != "forbid":
        return rewind
    past_roll = any(version > rewind.to and type(event) is Roll for version, event in log.line())
    return Refused("dice-thrown") if past_roll else rewind


def _is_declared(log: Log, name: str) -> bool:
    return any(type(event) is Declare and event.action == name for event in log.events)


def _undo(log: Log, state: State, commands: list[_Done], caller: str, action: str) -> Rewind | Refused:
    """What an undo takes back of these newest commits of the present line."""
    name = root(action)
    if not action and log.head and type(newest := log.events[-1]) is Rewind and newest.why == AMEND:
        return _undo_group(log.head, caller)  # one that put nothing in again
    if action and not any(done.action == name for done in commands):
        return Refused("already-undone", (action,))
    while not action and len(commands) > 1 and commands[-1].is_note and commands[-1].caller != caller:
        commands.pop()  # what others say meanwhile is not the last thing the caller did
    if not action:
        if not commands:
            return Refused("nothing-to-undo")
        if commands[-1].group:  # an amend is one
            return _undo_group(commands[-1].group, caller)
        name = commands[-1].action
    start = next((i for i, done in enumerate(commands) if name and done.action == name), len(commands) - 1)
    others = [done for done in commands[start:] if done.action != name and not done.is_note]
    declared = bool(name) and type(log.event(commands[start].first)) is Declare
    # an amend in the midst of it is taken back as a whole
    is_amended = any(done.group != commands[-1].group for done in commands[start:])
    if action and (others or not declared or is_amended):
        return Refused("needs-amend", (action, commands[start].first))
    if others or not declared or is_amended:  # something else came between: only the last command
        start = next(i for i, done in enumerate(commands) if done.command == commands[-1].command)
    if caller != GM and not _is_own(log, state, caller, commands[start:], declared=declared and not (others or is_amended)):
        return Refused("not-yours", (caller,))
    return Rewind(to=commands[start].first - 1, why="undo")


def _undo_group(first: int, caller: str) -> Rewind | Refused:
    return Rewind(to=first - 1, why="undo") if caller == GM else Refused("not-yours", (caller,))


def redo(log: Log, caller: str) -> Rewind | Refused:
    """Return to where the newest undo came from. Refused: nothing-to-redo once anything else was appended; not-yours."""
    trail: list[tuple[int, Rewind]] = []
    version = log.head
    while version and type(event := log.events[version - 1]) is Rewind and event.why in ("undo", "redo"):
        trail.append((version, event))
        version -= 1
    came_from: list[int] = []
    for version, event in reversed(trail):
        if event.why == "undo":
            came_from.append(version - 1)
        else:
            came_from.pop()
    if not came_from:
        return Refused("nothing-to-redo")
    if caller not in (GM, log.commits[-1][2]):
        return Refused("not-yours", (caller,))
    return Rewind(to=came_from[-1], why="redo")


def may_rewind(log: Log, state: State, rewind: Rewind, caller: str) -> str:
    """Why a recorded rewind that comes next cannot go where it goes, "" where it can.

    An undo takes back the last action or the last command, a redo what the newest undo took back, and an amend goes to
    before a command of the present line.
    """
    if rewind.why == "redo":
        back = redo(log, caller)
        return "" if isinstance(back, Rewind) and back.to == rewind.to else f"there is nothing to redo at {rewind.to}"
    commands = _commands(log, since=rewind.to)
    if rewind.why == AMEND:
        is_there = rewind.to == log.head or any(first == rewind.to + 1 for first, _, _, _ in present(log))
        is_there = is_there and rewind.to >= log.opened_at
        return "" if is_there and caller == GM else f"does not go to where a command of the present line begins: {rewind.to}"
    if rewind.why != "undo":
        return f"is neither undo, redo nor amend: {rewind.why!r}"
    last = next((done.action for done in reversed(commands) if done.action), "")
    for action in ("", last):
        back = _undo(log, state, list(commands), caller, action)
        if isinstance(back, Rewind) and back.to == rewind.to:
            return ""
    return f"does not take back the last action or command: it goes to {rewind.to}"


def origin_of(log: Log, head: int) -> int:
    """The version of the newest amend's rewind on the way to a version, of the one it went on with; 0 for none."""
    index = bisect_right(log.commits, head, key=lambda found: found[0]) - 1
    while index >= 0:
        first = log.commits[index][0]
        event = log.events[first - 1]
        if type(event) is not Rewind:
            index -= 1
            continue
        if event.why == AMEND and event.to != first - 1:
            return first
        index = _before(log, event, first)
    return 0


class Amended:
    """Which recorded dice a roll keeps because an amend left them behind.

    Behind an amend, until a rewind leads away from it, a roll keeps the faces that its slot had in what the amend went
    back over, or in what an amend before it did: also dice that people throw by answering where it stopped, so that no
    answer is a free reroll. Takes in the rewinds of a log.
    """

    def __init__(self) -> None:
        self._since = [0]
        self._origins = [0]
        self._rolls: dict[int, dict[str, int]] = {}
        self._commits = 0

    def take(self, rewind: Rewind, version: int) -> None:
        """Take in the next rewind of the log."""
        is_new = rewind.why == AMEND and rewind.to != version - 1  # else it is none, or goes on with one
        self._origins.append(version if is_new else self._origin_at(rewind.to))
        self._since.append(version)

    def catch_up(self, log: Log) -> None:
        """Take in the rewinds of a log since the last time."""
        for first, *_ in log.commits[self._commits :]:
            if type(event := log.events[first - 1]) is Rewind:
                self.take(event, first)
        self._commits = len(log.commits)

    def recorded(self, log: Log, roll: Roll) -> tuple[int, Faces]:
        """The version and the faces that a roll which comes next is to keep, (0, ()) for none: for who hosts a session."""
        self.catch_up(log)
        version = self.earlier(log, roll)
        return version, (log.events[version - 1].faces or ()) if version else ()

    def earlier(self, log: Log, roll: Roll) -> int:
        """The version of the roll whose faces a roll that comes next is to keep, 0 for none."""
        origin, name = self._origins[-1], ""
        while origin:
            if origin not in self._rolls:
                found = rolls_of(log.line(origin - 1), log.events[origin - 1].to)
                self._rolls[origin] = {where: version for where, (version, _) in found.items()}
            name = name or slot(roll)
            if version := self._rolls[origin].get(name, 0):
                return version
            origin = self._origin_at(origin - 1)
        return 0

    def _origin_at(self, version: int) -> int:
        """The version of the newest amend's rewind on the way to a version, 0 for none."""
        return self._origins[bisect_right(self._since, version) - 1]


def rolls_left(log: Log, head: int, since: int) -> dict[str, tuple[int, Roll]]:
    """The dice that an amend at a version keeps which goes back to `since`: what `Amended` tells behind it, with the rolls."""
    found = rolls_of(log.line(head), since)
    while origin := origin_of(log, head):
        head = origin - 1
        found = {**rolls_of(log.line(head), log.events[origin - 1].to), **found}
    return found


def rolls_of(line: list[Pair], since: int) -> dict[str, tuple[int, Roll]]:
    """The recorded dice of a line behind a version, by slot; faces that the game master had set are nobody's dice."""
    return {
        slot(event): (version, event)
        for version, event in line
        if version > since and type(event) is Roll and event.source != "overruled"
    }


def present(log: Log) -> Iterator[tuple[int, int, str, str]]:
    """The commits of the present line, newest first: first and last version, caller, command id."""
    index = len(log.commits) - 1
    while index >= 0:
        first, last, caller, command = log.commits[index]
        event = log.events[first - 1]
        if type(event) is Rewind:
            index = _before(log, event, first)
            continue
        yield first, last, caller, command
        index -= 1


def _before(log: Log, rewind: Rewind, version: int) -> int:
    """Where the line goes on before a rewind, as the number of a commit; -1 for nowhere. A forged one may point forwards."""
    return bisect_right(log.commits, min(rewind.to, version - 1), key=lambda found: found[0]) - 1


def _commands(log: Log, since: int = 0) -> list[_Done]:
    """The commits that made the present line, in order; what opened the session is not among them.

    With `since`, no more of them than those behind that version and, notes aside, a few before.
    """
    found: list[_Done] = []
    few = 3
    for first, last, caller, command in present(log):
        if first < log.opened_at:
            break  # what the origin of a fork did stays as it was
        if type(log.events[first - 1]) in _NEVER_UNDONE:
            continue
        begun = log.commands[caller, command].first if command else first
        if begun < log.opened_at:
            break  # what finishes what the origin of a fork began
        event = log.event(begun)  # the second part of a dice report belongs to the action of the first
        group = log.group_of(first)
        action = _action_of(event) or ("" if command else root(getattr(event, "action", "")))  # where the sender is kept
        found.append(_Done(first, last, caller, begun, action, type(event) is Note, group))
        few -= last <= since and not found[-1].is_note
        if not few:
            break
    found.reverse()
    return found


def _action_of(event: Any) -> str:
    if type(event) in (Declare, Choose, Roll):
        return root(event.action)
    return ""


def _is_own(log: Log, state: State, caller: str, commands: list[_Done], *, declared: bool) -> bool:
    """Whether a player takes back the own last action while nobody else has acted."""
    if not declared or any(done.caller != caller for done in commands if not done.is_note):
        return False
    actor = state.combatants.get(log.event(commands[0].first).actor)
    return actor is not None and actor.controller == caller
