"""Undo and redo: which version a rewind goes to (design, section 5), and whether a recorded one may go there."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from typing import Any

import msgspec

from .errors import Refused
from .events import Choose, Declare, Note, Open, Reveal, RevealDice, Rewind
from .log import Log
from .names import root
from .state import State
from .steps import Roll
from .values import GM

_NEVER_UNDONE = frozenset({Open, Reveal, RevealDice})
"""What opens a commit that is no step of the fight: the session's own, and what belongs to the log and is never rewound."""


class _Done(msgspec.Struct, frozen=True):
    """A commit on the present line: its versions, who sent it, the version at which its command begins (that of the
    first part of two), and the root action it belongs to.
    """

    first: int
    last: int
    caller: str
    command: int
    action: str
    is_note: bool


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
    if action and not any(done.action == name for done in commands):
        return Refused("already-undone", (action,))
    while not action and len(commands) > 1 and commands[-1].is_note and commands[-1].caller != caller:
        commands.pop()  # what others say meanwhile is not the last thing the caller did
    if not action:
        if not commands:
            return Refused("nothing-to-undo")
        name = commands[-1].action
    start = next((i for i, done in enumerate(commands) if name and done.action == name), len(commands) - 1)
    others = [done for done in commands[start:] if done.action != name and not done.is_note]
    declared = bool(name) and type(log.event(commands[start].first)) is Declare
    if action and (others or not declared):
        return Refused("needs-amend", (action,))
    if others or not declared:  # something else came between: only the last command
        start = next(i for i, done in enumerate(commands) if done.command == commands[-1].command)
    if caller != GM and not _is_own(log, state, caller, commands[start:], declared=declared and not others):
        return Refused("not-yours", (caller,))
    return Rewind(to=commands[start].first - 1, why="undo")


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
    an end of the present line.
    """
    if rewind.why == "redo":
        back = redo(log, caller)
        return "" if isinstance(back, Rewind) and back.to == rewind.to else f"there is nothing to redo at {rewind.to}"
    commands = _commands(log, since=rewind.to)
    if rewind.why == "amend":
        is_there = not rewind.to or (log.is_end(rewind.to) and _is_present(log, rewind.to))
        return "" if is_there and caller == GM else f"does not go to an end of the present line: {rewind.to}"
    if rewind.why != "undo":
        return f"is neither undo, redo nor amend: {rewind.why!r}"
    last = next((done.action for done in reversed(commands) if done.action), "")
    for action in ("", last):
        back = _undo(log, state, commands, caller, action) if commands else Refused("nothing-to-undo")
        if isinstance(back, Rewind) and back.to == rewind.to:
            return ""
    return f"does not take back the last action or command: it goes to {rewind.to}"


def _is_present(log: Log, version: int) -> bool:
    """Whether a version that ends a commit lies on the present line."""
    return any(last == version for _, last, _, _ in present(log))


def present(log: Log) -> Iterator[tuple[int, int, str, str]]:
    """The commits of the present line, newest first: first and last version, caller, command id."""
    index = len(log.commits) - 1
    while index >= 0:
        first, last, caller, command = log.commits[index]
        event = log.events[first - 1]
        if type(event) is Rewind:
            index = bisect_right(log.commits, event.to, key=lambda found: found[0]) - 1 if event.to else -1
            continue
        yield first, last, caller, command
        index -= 1


def _commands(log: Log, since: int = 0) -> list[_Done]:
    """The commits that made the present line, in order; what opened the session is not among them.

    With `since`, no more of them than those behind that version and a few before.
    """
    found: list[_Done] = []
    few = 3
    for first, last, caller, command in present(log):
        if type(log.events[first - 1]) in _NEVER_UNDONE:
            continue
        begun = log.commands[caller, command].first if command else first
        event = log.event(begun)  # the second part of a dice report belongs to the action of the first
        found.append(_Done(first, last, caller, begun, _action_of(event), type(event) is Note))
        few -= last <= since
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
