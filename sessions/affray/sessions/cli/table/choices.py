"""Picking one of several things by its number, its name or the beginning of its name. Pure.

Small and large letters are alike, and so are blanks, "-" and "_". What fits nothing is told what comes close.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from difflib import get_close_matches

import msgspec

from affray.kernel import Json

from ...views.texts import listed, printable

PHRASE = 4
"""Words of a line that may be one name together."""

CLOSE = 3
"""How many names that come close are told."""

_BLANKS = re.compile(r"[\s_-]+")


class Choice(msgspec.Struct, frozen=True):
    """Something to pick: what the rules hear, how it is shown, and what it may be called beside that, shortest first."""

    value: Json
    label: str
    names: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """What it is called in a sentence."""
        return self.names[0] if self.names else self.label

    def called(self) -> list[str]:
        """Everything it may be called, in plain letters."""
        return [plain(name) for name in (self.label, *self.names)]


class Unclear(Exception):
    """What was typed cannot be understood; the message is a sentence that says why, and what would be."""


def plain(text: str) -> str:
    """A name without the differences that do not count."""
    return _BLANKS.sub(" ", text).strip().casefold()


def exactly(text: str, choices: Iterable[Choice]) -> list[Choice]:
    """Choices that are called so."""
    wanted = plain(text)
    return [choice for choice in choices if wanted in choice.called()]


def beginning(text: str, choices: Iterable[Choice]) -> list[Choice]:
    """Choices with a name that begins so."""
    wanted = plain(text)
    return [choice for choice in choices if wanted and any(name.startswith(wanted) for name in choice.called())]


def is_numbered(choices: Sequence[Choice]) -> bool:
    """Whether choices are picked by number too: not those that are called by numbers themselves."""
    return not any(name.isdigit() for choice in choices for name in choice.called())


def pick(text: str, choices: Sequence[Choice], others: Iterable[str] = ()) -> Choice:
    """The one choice that is meant. `others` are words that would be understood too. Raises Unclear."""
    if text.isascii() and text.isdigit() and is_numbered(choices):
        number = int(text[:9])
        if not 1 <= number <= len(choices):
            raise Unclear(f"There is no number {number}; there are 1 to {len(choices)}.")
        return choices[number - 1]
    found = exactly(text, choices) or beginning(text, choices)
    if len(found) == 1:
        return found[0]
    if found:
        raise Unclear(f"{quoted(text)} could be {listed([choice.name for choice in found], 'or')}.")
    raise Unclear(unknown(text, [*[choice.name for choice in choices], *others]))


def leading(text: str, choices: Sequence[Choice], others: Iterable[str] = ()) -> tuple[Choice, str]:
    """The choice that a line begins with, and the rest of the line. Raises Unclear."""
    said = text.split()
    for fits in (exactly, beginning):
        for count in range(min(PHRASE, len(said)), 0, -1):
            found = fits(" ".join(said[:count]), choices)
            if len(found) == 1:
                return found[0], text.split(maxsplit=count)[count] if len(said) > count else ""
    return pick(said[0], choices, others), text.partition(said[0])[2].strip()


def unknown(text: str, names: Iterable[str]) -> str:
    """What to say of a word that fits nothing."""
    close = near(text, names)
    hint = f"did you mean {listed(close, 'or')}?" if close else "? shows what can be said here."
    return f"{quoted(text)} is nothing that can be said here; {hint}"


def near(text: str, names: Iterable[str]) -> list[str]:
    """Names that come close to a word, the closest first."""
    by_name = {plain(name): name for name in names}
    return [by_name[name] for name in get_close_matches(plain(text), list(by_name), CLOSE)]


def quoted(text: str) -> str:
    """Something that was typed, in quotes."""
    shown = printable(text)
    return f"'{shown if len(shown) <= 40 else shown[:37] + '...'}'"


def lines(choices: Sequence[Choice]) -> Iterator[str]:
    """Choices as lines, with their numbers."""
    for number, choice in enumerate(choices, 1):
        yield f"{number}  {printable(choice.label)}" if is_numbered(choices) else printable(choice.label)


__all__ = ["Choice", "Unclear", "beginning", "exactly", "is_numbered", "leading", "lines", "near", "pick", "plain", "quoted", "unknown"]
