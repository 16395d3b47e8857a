"""Codes read as words, and sentences from templates (law 11).

A rules system gives templates by code through its hook `texts`; without it every code is read as words ("left-arm":
left arm), so a missing plugin costs style, not content. Templates are data that came from elsewhere: a name in braces
is replaced by a value, and nothing else happens. There is no attribute, no index and no format behind it.

    "declare.strike": "{actor} swings the {weapon} at {target}[, aiming at the {aim}]."
    "code.left-arm": "left arm"

- `{name}` is the value of that name; one that the sentence does not have is read as words;
- `[...]` is left out as a whole when a name in it has no value or is unknown to the reader;
- a template that needs a number the reader may not know is not used: the next less special one is, at last the plain
  sentence, which leaves the number out;
- the empty template says that there is nothing worth telling in a transcript;
- `code.<code>` gives the words of a code; those of one kind (`row.<code>`, `pool.<code>`) come before it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping

import msgspec

from affray.kernel import Json, Num

UNKNOWN = "unknown"

_NAME = re.compile(r"\{([A-Za-z0-9_]+)\}", re.ASCII)
_OPTIONAL = re.compile(r"\[([^\[\]]*)\]")
_SEPARATORS = re.compile(r"[-_]+")

Values = Mapping[str, str | None]
"""Values of a sentence by name: None is unknown to the reader, "" is nothing there."""


class Said(msgspec.Struct, frozen=True):
    """A sentence, the names of the values it shows, and whether a template made it."""

    text: str
    used: frozenset[str] = frozenset()
    is_templated: bool = False


class Texts:
    """The templates of a session's plugins; without any, every code is read as words."""

    def __init__(self, templates: Mapping[str, str] | None = None) -> None:
        self._templates = {
            key: text for key, text in (templates or {}).items() if isinstance(key, str) and isinstance(text, str)
        }

    def has(self, *keys: str) -> bool:
        """Whether there is a template under any of these keys, empty ones included."""
        return any(key in self._templates for key in keys)

    def is_silent(self, *keys: str) -> bool:
        """Whether the most special template there is says nothing."""
        return next((not self._templates[key] for key in keys if key in self._templates), False)

    def word(self, code: str, *kinds: str) -> str:
        """A code as words: by `<kind>.<code>` or `code.<code>`, else by its own letters."""
        for kind in (*kinds, "code"):
            text = self._templates.get(f"{kind}.{code}")
            if text and not _NAME.search(text):
                return text
        return words(code)

    def say(self, keys: Iterable[str], values: Values) -> Said | None:
        """The sentence of the first template under these keys that can be filled, or None."""
        for key in keys:
            template = self._templates.get(key)
            if template and (said := fill(template, values)) is not None:
                return said
        return None


def words(code: str) -> str:
    """Read an unknown code as words."""
    return _SEPARATORS.sub(" ", code).strip() or code


def fill(template: str, values: Values) -> Said | None:
    """Put values into a template. None where it needs a value that is unknown to the reader."""
    used: set[str] = set()

    def optional(match: re.Match[str]) -> str:
        inside = match[1]
        names = _NAME.findall(inside)
        if not names:
            return match[0]
        return inside if all(values.get(name) for name in names) else ""

    def value(match: re.Match[str]) -> str:
        name = match[1]
        used.add(name)
        found = values.get(name, "")
        return found or words(name)

    text = _OPTIONAL.sub(optional, template)
    if any(name in values and values[name] is None for name in _NAME.findall(text)):
        return None
    return Said(_NAME.sub(value, text), frozenset(used), True)


def shown(value: Num | None) -> str:
    """A number of the log for people; "unknown" where it is."""
    return UNKNOWN if value is None else str(value)


def listed(items: Iterable[str], last: str = "and") -> str:
    """Texts as an English list: "a", "a and b", "a, b and c"."""
    all_items = list(items)
    if len(all_items) < 2:
        return "".join(all_items)
    return f"{', '.join(all_items[:-1])} {last} {all_items[-1]}"


def columns(text: str) -> int:
    """How many columns of a terminal a text takes."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text
    )


def short(value: Json, most: int = 60) -> str:
    """A JSON value in at most so many characters: text as it is, None as "none", the rest as JSON."""
    text = "none" if value is None else value if isinstance(value, str) else msgspec.json.encode(value).decode()
    return printable(text if len(text) <= most else text[: most - 3] + "...")


def printable(text: str) -> str:
    """Text that can do nothing to a terminal or to the lines around it.

    Names and notes hold any characters; a line end becomes " / ", any other control, direction mark or lone surrogate
    becomes its code, so that nobody can forge a line of a transcript or move the cursor.
    """
    if text.isascii() and text.isprintable():
        return text
    joined = " / ".join(line.strip() for line in text.splitlines()) if len(text.splitlines()) > 1 else text.strip("\r\n")
    return "".join([_visible(char) for char in joined])


def _visible(char: str) -> str:
    if char.isprintable() or char in "\u200c\u200d" or unicodedata.category(char) == "Zs":
        return char
    return f"\\x{ord(char):02x}" if ord(char) < 256 else f"\\u{ord(char):04x}"
