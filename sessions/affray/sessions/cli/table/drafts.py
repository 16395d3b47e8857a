"""A declaration while somebody types it: the form the rules offer, with blanks that are filled one by one. Pure.

One line may say everything, "strike bram sword wild C" or "strike bram weapon=sword"; what it leaves open is asked. A
blank that only one thing fits is filled by itself. What a form gives no choices for is typed freely.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Sequence

import msgspec

from affray.kernel import Form, Json, State

from ...views.texts import Texts, listed, words
from ..commanding import value_of
from .choices import PHRASE, Choice, Unclear, beginning, exactly, near, pick, plain, quoted

FILLERS = ("at", "with", "and", "the")
"""Words that people say between names and that mean nothing here."""

Fits = Callable[[str, Iterable[Choice]], list[Choice]]
"""How words are compared with names: `exactly` or `beginning`."""

NOTHING = "nothing"
"""How leaving a parameter out is called."""


class Blank(msgspec.Struct, frozen=True, kw_only=True):
    """Something that is to be said: a parameter, or the targets (name ""). Without choices it is typed freely.

    `least` and `most` say how many are picked; parameters take one.
    """

    name: str
    label: str
    choices: tuple[Choice, ...] = ()
    least: int = 1
    most: int = 1

    @property
    def nothing(self) -> Choice | None:
        """The choice of saying nothing, where there is one."""
        return next((choice for choice in self.choices if choice.value is None), None)

    @property
    def is_optional(self) -> bool:
        """Whether it may stay open."""
        return self.least == 0 or self.nothing is not None


class Draft:
    """A declaration of one form, as far as it has been said."""

    def __init__(self, form: Form, blanks: Sequence[Blank], free: Iterable[str] = ()) -> None:
        self.form = form
        self.blanks = tuple(blanks)
        self.free = tuple(free)
        self.targets: list[str] = []
        self.params: dict[str, Json] = {}
        self._closed: set[str] = set()
        for blank in self.blanks:
            if len(blank.choices) == 1 and blank.least == blank.most == 1:
                self.put(blank, blank.choices[0].value)

    def open(self) -> list[Blank]:
        """The blanks that are still to be filled."""
        return [blank for blank in self.blanks if blank.name not in self._closed]

    def put(self, blank: Blank, value: Json) -> None:
        """Fill a blank; the targets' stays open until there are as many as may be."""
        if blank.name:
            self.params[blank.name] = value
            self._closed.add(blank.name)
        elif value in self.targets:
            raise Unclear(f"{quoted(str(value))} is named twice.")
        else:
            self.targets.append(value)
            if len(self.targets) == blank.most:
                self._closed.add("")

    def fill(self, blank: Blank, text: str) -> None:
        """Fill a blank that is typed freely."""
        self.put(blank, value_of(text))

    def close(self, blank: Blank) -> None:
        """Leave a blank as it is. Raises Unclear for one that must be filled."""
        nothing = blank.nothing
        if not blank.name and len(self.targets) < blank.least:
            raise Unclear(f"At least {blank.least} must be named.")
        if blank.name and not blank.is_optional:
            raise Unclear(f"The {blank.label} must be said.")
        if nothing is not None:
            self.params[blank.name] = nothing.value
        self._closed.add(blank.name)

    def close_optional(self) -> None:
        """Leave open what one line did not say and need not say."""
        for blank in self.open():
            if blank.is_optional or (not blank.name and len(self.targets) >= blank.least):
                self.close(blank)

    def say(self, text: str) -> None:
        """Fill blanks from the words of one line. Raises Unclear."""
        left = split(text)
        while left:
            if "=" in left[0]:
                self._named(left.pop(0))
            else:
                left = self._phrase(left)
        if text:
            self.close_optional()

    def _named(self, word: str) -> None:
        """Take a parameter that is written name=value."""
        key, _, text = word.partition("=")
        blank = next((blank for blank in self.blanks if plain(blank.name or "target") == plain(key)), None)
        if blank is not None and blank.choices:
            self.put(blank, _meant(blank, text))
        elif blank is not None or key in self.free:
            self.params[blank.name if blank else key] = value_of(text)
            self._closed.add(blank.name if blank else key)
        else:
            close = near(key, [*[blank.name for blank in self.blanks], *self.free])
            hint = f"did you mean {listed(close, 'or')}?" if close else "it has no such parameter."
            raise Unclear(f"{quoted(key)}: {hint}")

    def _phrase(self, left: list[str]) -> list[str]:
        """Take the longest name that the next words are, else what the next word begins."""
        bare = [word.strip(",") for word in left[:PHRASE]]
        for count in range(len(bare), 0, -1):
            if hits := self._hits(exactly, " ".join(bare[:count])):
                self.put(*_only(bare[:count], hits))
                return left[count:]
        if plain(bare[0]) in FILLERS:
            return left[1:]
        if hits := self._hits(beginning, bare[0]):
            self.put(*_only(bare[:1], hits))
            return left[1:]
        parts = bare[0].split(",")
        if len(parts) > 1 and all(self._hits(beginning, part) for part in parts):
            return [*parts, *left[1:]]
        free = [blank for blank in self.open() if not blank.choices]
        if len(free) == 1:
            self.fill(free[0], " ".join(left))
            return []
        labels = [choice.name for blank in self.open() for choice in blank.choices]
        close = near(bare[0], labels)
        hint = f"did you mean {listed(close, 'or')}?" if close else f"that is nothing {quoted(words(self.form.name))} takes."
        raise Unclear(f"{quoted(bare[0])}: {hint}")

    def _hits(self, fits: Fits, text: str) -> list[tuple[Blank, Choice]]:
        return [(blank, choice) for blank in self.open() for choice in fits(text, blank.choices)]


def _meant(blank: Blank, text: str) -> Json:
    """What a blank is to be: one of its choices, or as it is typed what comes close to none. Raises Unclear."""
    try:
        return pick(text, blank.choices).value
    except Unclear:
        if beginning(text, blank.choices) or near(text, [choice.name for choice in blank.choices]):
            raise
        return value_of(text)  # the rules say why not


def _only(said: list[str], hits: list[tuple[Blank, Choice]]) -> tuple[Blank, Json]:
    """The one blank and value that words mean. Raises Unclear."""
    if len(hits) == 1:
        blank, choice = hits[0]
        return blank, choice.value
    text = quoted(" ".join(said))
    blanks = list(dict.fromkeys([blank.label for blank, _ in hits]))
    if len(blanks) > 1:
        raise Unclear(f"{text} could be the {listed(blanks, 'or the')}; write {hits[0][0].name or 'target'}={said[0]}.")
    raise Unclear(f"{text} could be {listed([choice.name for _, choice in hits], 'or')}.")


def split(text: str) -> list[str]:
    """The words of a line; what stands in quotes is one."""
    try:
        return shlex.split(text)
    except ValueError:  # a quote that is not closed is an apostrophe
        return text.split()


def draft_of(form: Form, params: type, state: State, texts: Texts) -> Draft:
    """An empty draft of a form. `params` is the system's type of the action's parameters."""
    blanks: list[Blank] = []
    if form.most and form.targets:
        most = min(form.most, len(form.targets))
        blanks.append(Blank(name="", label="target", choices=people(form.targets, state), least=form.least, most=most))
    for name, values in form.choices.items():
        blanks.append(Blank(name=name, label=words(name), choices=tuple([_value(value, name, texts) for value in values])))
    fields = {field.name: field for field in msgspec.structs.fields(params)} if issubclass(params, msgspec.Struct) else {}
    for name, field in fields.items():
        if name not in form.choices and field.required:
            blanks.append(Blank(name=name, label=words(name)))
    return Draft(form, blanks, [name for name in fields if name not in form.choices])


def _value(value: Json, name: str, texts: Texts) -> Choice:
    match value:
        case None:
            return Choice(None, NOTHING, ("none", "-"))
        case str():
            word = texts.word(value, name)
            return Choice(value, word if plain(word) == plain(value) else f"{word} ({value})", (word, value))
        case bool():
            return Choice(value, "yes" if value else "no")
        case int():
            return Choice(value, str(value))
        case _:
            return Choice(value, msgspec.json.encode(value).decode())


def people(ids: Iterable[str], state: State) -> tuple[Choice, ...]:
    """Combatants to pick, by name; those who share a name are told apart by their ids."""
    known = [(who, state.combatants[who].name if who in state.combatants else who) for who in ids]
    called = [plain(name) for _, name in known]
    return tuple(
        [_person(who, name if called.count(plain(name)) == 1 else f"{name} ({who})", name) for who, name in known]
    )


def _person(who: str, label: str, name: str) -> Choice:
    return Choice(who, label, (label, name, who))


def summary(form: Form, state: State) -> str:
    """What a form needs, in one line: "strike at Bram: weapon, strike, type"."""
    at = [state.combatants[who].name if who in state.combatants else who for who in form.targets] if form.most else []
    needs = [words(name) for name, values in form.choices.items() if len(values) > 1]
    who = f" at {listed(at, 'or')}" if at else ""
    return f"{words(form.name)}{who}{f': {listed(needs)}' if needs else ''}"


def in_one_line(draft: Draft, state: State) -> str:
    """The words that would declare the same at once."""
    names = [plain(state.combatants[who].name) if who in state.combatants else who for who in draft.targets]
    said = [f"{name}={value}" for name, value in draft.params.items() if value is not None]
    return " ".join([words(draft.form.name), *names, *said])


__all__ = ["NOTHING", "Blank", "Draft", "draft_of", "in_one_line", "people", "split", "summary"]
