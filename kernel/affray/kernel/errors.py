"""The error tree. Three families that must not be confused (law 10).

A *refusal* (`Refused`, a value and not an exception) says that a player may not do that. A *breach* says that a
plugin broke its contract. *Damage* says that stored bytes are not what was written. Beside them stand
input errors (what a person typed cannot be read) and store errors (the world got in the way).
"""

from __future__ import annotations

import msgspec


class Refused(msgspec.Struct, frozen=True):
    """A command that is not allowed now; nothing was appended.

    `code` is kebab-case and stable; `args` say what was wrong, in the order the code's sentence uses them.
    """

    code: str
    args: tuple[int | str, ...] = ()

    @property
    def bare(self) -> str:
        """The code and what was wrong, without a sentence."""
        return " ".join([self.code, *map(str, self.args)])


class RefusedInside(Exception):
    """A resolver, or the dice, refused in the middle of deciding: the whole command is refused."""

    def __init__(self, refused: Refused) -> None:
        super().__init__(refused.code)
        self.refused = refused


class AffrayError(Exception):
    """Anything Affray raises on purpose."""


class Breach(AffrayError):
    """A plugin broke its contract: nothing was appended, the same command meets the same engine dice again."""

    def __init__(self, plugin: str, hook: str, problem: str) -> None:
        super().__init__(f"plugin {plugin!r}, hook {hook}: {problem}")
        self.plugin, self.hook, self.problem = plugin, hook, problem


class RulesDrifted(AffrayError):
    """The rules no longer produce what the log recorded, so nothing can be decided on top of it."""

    def __init__(self, version: int, expected: str, recorded: str) -> None:
        super().__init__(f"version {version}: the rules now give {expected}, the log has {recorded}")
        self.version, self.expected, self.recorded = version, expected, recorded


class Damaged(AffrayError):
    """Stored bytes are damaged; nothing at or after the position is used.

    `line` counts lines of the file from 1 (the header is line 1), `version` is the first version that is not
    trusted; 0 means that it is not known.
    """

    def __init__(self, problem: str, *, line: int = 0, version: int = 0, where: str = "") -> None:
        place = ", ".join(
            part for part in (where, f"line {line}" if line else "", f"version {version}" if version else "") if part
        )
        super().__init__(f"{place}: {problem}" if place else problem)
        self.problem, self.line, self.version, self.where = problem, line, version, where


class UnknownKind(Damaged):
    """The log holds an event of a kind or schema this release does not know; what stands before it is readable."""


class InputError(AffrayError):
    """What came from outside cannot be read. `path` says where, as in `$.skills.Swords`."""

    def __init__(self, problem: str, *, path: str = "$", value: object = None) -> None:
        shown = "" if value is None else f" (got {_short(value)})"
        super().__init__(f"{path}: {problem}{shown}")
        self.problem, self.path, self.value = problem, path, value


class DiceError(InputError):
    """A dice notation or a set of faces cannot be used. `position` counts characters from 0, -1 where none applies."""

    def __init__(self, problem: str, *, text: str = "", position: int = -1) -> None:
        super().__init__(problem if position < 0 else f"{problem} at character {position}", path="dice", value=text or None)
        self.text, self.position = text, position


class StoreError(AffrayError):
    """A store could not do what was asked; nothing was half done."""


class NoSuchSession(StoreError):
    """The store has no session of that id."""


class SessionExists(StoreError):
    """The store has a session of that id already."""


class VersionConflict(StoreError):
    """Somebody else appended first. `current` is the version the session has now."""

    def __init__(self, session: str, expected: int, current: int) -> None:
        super().__init__(f"session {session}: expected version {expected}, it is at {current}")
        self.session, self.expected, self.current = session, expected, current


class CommandConflict(StoreError):
    """The caller has already used this command id for another command."""

    def __init__(self, session: str, caller: str, command: str) -> None:
        super().__init__(f"session {session}: caller {caller!r} already used command id {command!r} for something else")
        self.session, self.caller, self.command = session, caller, command


class Busy(StoreError):
    """Another writer holds the session; try again later."""


class PluginUnavailable(AffrayError):
    """A rules plugin that the session needs to decide is not installed, failed to load, or is another release."""

    def __init__(self, plugin: str, problem: str) -> None:
        super().__init__(f"plugin {plugin!r}: {problem}")
        self.plugin, self.problem = plugin, problem


def _short(value: object) -> str:
    if isinstance(value, int) and value.bit_length() > 200:  # Python refuses to print very long ones
        return f"an integer of {value.bit_length()} bits"
    text = repr(value)
    return text if len(text) <= 80 else text[:77] + "..."
