"""What a sentence is made from: the scene of an event, and the draft of what is said about it.

Pure: a scene is the event's version, the state before and after it, the texts, and the roll it builds on.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from affray.kernel import Declare, Num, Roll, State, Turn, When, root

from .sums import Sheet
from .texts import Said, Texts, Values, listed, words


class Scene(msgspec.Struct, frozen=True, kw_only=True):
    """What an event stands in. `roll` is the roll it builds on, `runs` what opened actions and moments, by id."""

    version: int
    before: State
    after: State
    texts: Texts
    roll: Roll | None = None
    runs: Mapping[str, Declare | Turn] = {}

    def name(self, who: str) -> str:
        """What a combatant is called."""
        someone = self.after.combatants.get(who) or self.before.combatants.get(who)
        return someone.name if someone is not None else words(who)

    def names(self, people: Iterable[str]) -> str:
        """What several are called."""
        return listed([self.name(who) for who in people])

    def word(self, code: str, *kinds: str) -> str:
        """A code as words; "" stays ""."""
        return self.texts.word(code, *kinds) if code else ""

    def sheet(self, who: str) -> Sheet | None:
        """A combatant's sheet, where the reader may see it."""
        someone = self.before.combatants.get(who)
        return someone.sheet if someone is not None else None

    def actor(self, action: str) -> str:
        """Who acts in the root action or moment that a run belongs to; "" where nobody does or it is not known."""
        run = self.runs.get(root(action))
        if run is None:
            return ""
        return run.actor if isinstance(run, Declare) else run.who

    def what(self, action: str) -> str:
        """The code of a declared action, or of a moment."""
        run = self.runs.get(action)
        if run is None:
            return action.rpartition(">")[2].partition(".")[0]
        return run.name if isinstance(run, Declare) else run.moment


class Draft(msgspec.Struct, frozen=True):
    """A sentence before templates are asked: where to look, what to put in, and how it reads without any.

    `shows` names the values that `plain` tells. `tails` are (name, text): added in order, each unless the sentence
    tells that value already.
    """

    keys: tuple[str, ...]
    values: Values
    plain: str
    shows: frozenset[str] = frozenset()
    tails: tuple[tuple[str, str], ...] = ()


def finish(texts: Texts, made: Draft, by_rules: tuple[str, ...] = ()) -> Said:
    """The sentence of a draft: the first template that can be filled, else the plain one, with what is still to be told."""
    said = texts.say(made.keys, made.values) or Said(made.plain, made.shows)
    text, used = said.text, set(said.used)
    added = "".join([tail for name, tail in made.tails if tail and name not in said.used])
    used |= {name for name, tail in made.tails if tail}
    if by_rules:
        added += f" (by {listed([words(rule) for rule in by_rules])})"
    if added:
        text = text.removesuffix(".") + added
    if not text.endswith((".", "!", "?", ":")):
        text += "."
    return Said(text, frozenset(used), said.is_templated)


def codes(scene: Scene, event: Any) -> dict[str, str | None]:
    """The values that every sentence has: the step's key and code as words."""
    key, code = getattr(event, "key", ""), getattr(event, "code", "")
    return {"key": scene.word(key), "code": scene.word(code)}


def told(value: Num | None) -> str | None:
    """A number as a value of a sentence; None stays unknown."""
    return None if value is None else str(value)


def when_text(when: When) -> str:
    """A moment, all parts of it."""
    return ", ".join(map(str, when)) or "the beginning"
