"""The words that are understood at every prompt, whoever is asked whatever. What is asked for goes before them."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from typing import NamedTuple

from affray.kernel import GM, commands

from ...views.board import board
from ...views.board import lines as board_lines
from ...views.transcript import sentences
from .choices import Unclear, exactly, pick, plain
from .drafts import people
from .keyboard import Left
from .room import Asked, Moved, Room

LOGGED = 12
"""Events that `log` shows when no number is said."""


class Back(Exception):
    """Whoever is asked wants to begin again with what was being declared."""


class Word(NamedTuple):
    """A word: what may follow it, what it does, and how."""

    rest: str
    does: str
    run: Callable[[Room, Asked, str], None]


def _help(room: Room, asked: Asked, rest: str) -> None:
    room.show(asked)
    choosing = "the beginning of a name is enough, and so is a number where one stands"
    room.say("", f"Type what {room.name(asked.who)} says: {choosing}. At any time:")
    columns = max(len(f"{name} {word.rest}") for name, word in WORDS.items())
    for name, word in WORDS.items():
        room.say(f"  {f'{name} {word.rest}':<{columns}}  {word.does}")


def _look(room: Room, asked: Asked, rest: str) -> None:
    room.look(asked)


def _show(room: Room, asked: Asked, rest: str) -> None:
    session = room.session
    shown = board(session.state(reader=room.reader), session.head, room.reader, room.texts)
    room.page.rows(board_lines(shown, room.texts))


def _log(room: Room, asked: Asked, rest: str) -> None:
    count = int(rest) if rest.isascii() and rest.isdigit() and len(rest) < 9 else LOGGED
    if rest and not rest.isdigit():
        raise Unclear("log takes a number: how many events, the newest last.")
    pairs = [(one.version, one.event) for one in room.session.history(reader=room.reader) if not one.undone]
    for one in deque(sentences(pairs, room.texts), maxlen=count):
        room.say(f"{one.version}  {one.text}")


def _note(room: Room, asked: Asked, rest: str) -> None:
    if not rest:
        raise Unclear("note takes what is to be written: note They meet at dawn.")
    room.send(commands.Note(text=rest), room.controller(asked.who))


def _undo(room: Room, asked: Asked, rest: str) -> None:
    if room.send(commands.Undo(action=rest), GM) is None:
        raise Moved


def _redo(room: Room, asked: Asked, rest: str) -> None:
    if room.send(commands.Redo(), GM) is None:
        raise Moved


def _why_not(room: Room, asked: Asked, rest: str) -> None:
    told = list(asked.why_not(rest)) if asked.why_not is not None else []
    room.say(*(told or ["Nothing is kept from being said here; ? shows what there is."]))


def _as(room: Room, asked: Asked, rest: str) -> None:
    here = [one.id for one in room.state.combatants.values() if not one.gone]
    choices = people(here, room.state)
    if not rest:
        raise Unclear(f"as takes a name; here are {', '.join(choice.label for choice in choices)}.")
    room.as_who = str(pick(rest, choices).value)
    raise Moved


def _back(room: Room, asked: Asked, rest: str) -> None:
    raise Back


def _quit(room: Room, asked: Asked, rest: str) -> None:
    raise Left


WORDS: Mapping[str, Word] = {
    "?": Word("", "show this, and what is asked", _help),
    "look": Word("", "show what there is to choose, where that is not for everybody", _look),
    "show": Word("", "show the fight as it stands", _show),
    "log": Word("[N]", "show the last events, each in a sentence", _log),
    "why-not?": Word("[...]", "say why something cannot be done, without doing anything", _why_not),
    "note": Word("TEXT", "write into the log", _note),
    "undo": Word("[ACTION]", "take back the last action, or the one with that id", _undo),
    "redo": Word("", "go back on an undo", _redo),
    "as": Word("NAME", "speak for somebody else, out of turn or first", _as),
    "back": Word("", "begin again with what is being declared", _back),
    "quit": Word("", "leave; the session stays as it is and goes on later", _quit),
}
"""Word -> what it does."""

OTHER_NAMES: Mapping[str, str] = {"help": "?", "h": "?", "why not": "why-not?", "why not?": "why-not?", "exit": "quit", "q": "quit"}
"""Other ways to say a word."""

_TAKES_REST = frozenset(name for name, word in WORDS.items() if word.rest)


def ask(room: Room, asked: Asked, prompt: str = "") -> str:
    """What somebody types that is no word. Raises Moved, Left, Back, KeyboardInterrupt."""
    while True:
        line = room.keyboard.line(f"{prompt or room.label(asked.who)}> ")
        if not line and asked.is_blank_fine:
            return line
        if not line:
            room.say("? shows what can be said here.")
        elif exactly(line, asked.choices) or not understand(room, asked, line):
            return line


def understand(room: Room, asked: Asked, line: str) -> bool:
    """Do what a line says if it is one of the words. Raises Moved, Left, Back."""
    name, rest = _split(line)
    if name not in WORDS:
        return False
    try:
        WORDS[name].run(room, asked, rest)
    except Unclear as unclear:
        room.unclear(asked, unclear)
    return True


def _split(line: str) -> tuple[str, str]:
    """The word a line begins with, under its first name, and what follows; a word that takes nothing stands alone."""
    by_name = {plain(name): name for name in WORDS} | {plain(other): name for other, name in OTHER_NAMES.items()}
    said = line.split()
    for count in range(min(2, len(said)), 0, -1):
        name = by_name.get(plain(" ".join(said[:count])), "")
        rest = line.split(maxsplit=count)[count] if len(said) > count else ""
        if name and (not rest or name in _TAKES_REST):
            return name, rest
    return "", line


__all__ = ["WORDS", "Back", "ask", "understand"]
