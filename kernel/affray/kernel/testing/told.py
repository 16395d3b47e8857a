"""What rules tell of themselves, held against what happened: descriptions, sentences, traces, places."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ..describe import NoParams, System
from ..errors import Breach
from ..events import KIND_OF
from ..rules import Rules
from ..steps import ApplyDamage, Ask, Change, Condition, Defend, Judge, Save
from .exactness import weak_type
from .findings import Tally
from .player import Fought
from .watch import Watch

LOCALE = "en"
"""The locale in which everything has to have its sentence."""

PLAIN_REFUSALS = frozenset({"not-a-target", "wrong-number-of-targets", "not-your-turn", "not-allowed", "gone", "over"})
"""Refusals of the kernel's own, which have their sentences already."""

_SPOKEN = (Ask, Judge, Save, ApplyDamage, Change, Condition)
"""Kinds that need a sentence of the rules; a roll, a defence and the clock have a plain one that says all."""
_NUMBERS: dict[type, str] = {Judge: "goal", Save: "goal", Defend: "value", ApplyDamage: "value"}
"""Numbers that the rules have to explain. What a `change` adds is explained by its pool's trail, so a trace of it is only noted."""


def check_types(rules: Rules, tally: Tally) -> None:
    """The types of sheets, parameters and options are frozen and exact."""
    system = rules.system
    named = {"sheet_type": (rules.sheet_type,), "describe": (system.options, *system.actions.values())}
    for hook, kinds in named.items():
        for kind in dict.fromkeys(kinds):
            for problem in weak_type(kind):
                code, _, text = problem.partition(": ")
                tally.add(code, system.id, hook, text if " " in text and text[0].isupper() else f"{kind!r} {text}")


def check_description(rules: Rules, worded: Mapping[str, str], watch: Watch, tally: Tally) -> None:
    """Everything that the system names, or makes, is described."""
    system = rules.system
    for what, described in (("place", system.places), ("step", system.steps), ("save", system.saves)):
        for name, text in described.items():
            if not _is_said(text):
                tally.add("undocumented", system.id, "describe", f"the {what} {name!r} has no description")
    for name, text in (("title", system.title), ("release", system.release)):
        if not _is_said(text):
            tally.add("undocumented", system.id, "describe", f"the {name} is empty")
    for plugin, kind, key in watch.keys:
        if plugin == system.id and key not in system.steps:
            tally.add("undocumented", plugin, "describe", f"the key {key!r} of a step ({kind}) is not among the steps")
    for plugin, save in watch.saves:
        if save not in system.saves:
            tally.add("undocumented", plugin, "describe", f"the save {save!r} is not among the saves")
    for name, params in system.actions.items():
        is_told = params is not NoParams and _is_said(params.__doc__)
        if not is_told and not _has(worded, f"declare.{name}"):
            tally.add("undocumented", system.id, "describe", f"nothing says what the action {name!r} is")


def words_of(rules: Rules, tally: Tally) -> dict[str, str]:
    """The English sentences of all plugins; none where they cannot be had."""
    try:
        found = rules.texts(LOCALE)
    except Breach as breach:
        tally.add("breach", breach.plugin, breach.hook, breach.problem)
        return {}
    odd = [key for key, text in found.items() if not (isinstance(key, str) and isinstance(text, str))]
    for key in odd[:3]:
        tally.add("breach", rules.system.id, "texts", f"gives {key!r}: {found[key]!r}, where texts belong")
    return {key: text for key, text in found.items() if key not in odd}


def _is_said(text: object) -> bool:
    return isinstance(text, str) and bool(text.strip())


def check_texts(rules: Rules, worded: Mapping[str, str], watch: Watch, fights: Iterable[Fought], tally: Tally) -> None:
    """Everything that happened has an English sentence, and so has every refusal of the plugins' own."""
    for name in rules.system.actions:
        if not _has(worded, f"declare.{name}"):
            tally.add("text-missing", rules.system.id, "texts", f"declare.{name}")
    for plugin, code in watch.refusals:
        if code not in PLAIN_REFUSALS and f"refused.{code}" not in worded:
            tally.add("text-missing", plugin, "texts", f"refused.{code}")
    for fought in fights:
        for version, event in fought.table.log.line():
            if type(event) in _SPOKEN and event.key and not any(_has(worded, key) for key in _keys(event)):
                for plugin in _makers(watch, event):
                    tally.add("text-missing", plugin, "texts", next(_keys(event)), fought.where(version))


def _keys(event: Any) -> Iterator[str]:
    kind = KIND_OF[type(event)]
    yield f"{kind}.{event.name if type(event) is Save else event.key}"
    if type(event) is Change:
        yield f"{kind}.{event.pool}"
    elif type(event) is Condition:
        yield f"{kind}.{event.id}"


def _has(worded: Mapping[str, str], key: str) -> bool:
    return key in worded or any(other.startswith(f"{key}.") for other in worded)


def _makers(watch: Watch, event: Any) -> list[str]:
    """The plugins that made steps of this kind and key; none for the kernel's own."""
    kind = KIND_OF[type(event)]
    return [plugin for plugin, other, key in watch.keys if (other, key) == (kind, event.key) and plugin != "kernel"][:1]


def check_traces(watch: Watch, fights: Iterable[Fought], tally: Tally) -> None:
    """Every number that is not 0 has rows that explain it."""
    for fought in fights:
        for version, event in fought.table.log.line():
            name = _NUMBERS.get(type(event))
            if name is None or getattr(event, name) in (0, None) or event.trace or getattr(event, "parts", None):
                continue
            for plugin in event.by_rules[-1:] or _makers(watch, event):
                text = f"{KIND_OF[type(event)]}.{event.key} has a {name} and no trace"
                tally.add("unexplained", plugin, "ruling" if event.by_rules else "resolve", text, fought.where(version))


def untraced(fights: Iterable[Fought]) -> Iterator[str]:
    """Changes of a pool that have no trace: the keys."""
    keys = {
        event.key: None
        for fought in fights
        for _, event in fought.table.log.line()
        if type(event) is Change and event.value and not event.trace and event.key
    }
    if keys:
        yield f"changes without a trace: {', '.join(sorted(keys))}"


def check_places(rules: Rules, watch: Watch, tally: Tally) -> None:
    """Whoever contributes does so where somebody asks."""
    for plugin, place in watch.given:
        if place not in watch.asked:
            tally.add("unasked-place", plugin, "contribute", f"gives rows at {place!r}, where nobody asked for any in all fights")


def never(system: System, watch: Watch, played: Iterable[str]) -> Iterator[str]:
    """What never came up, and so could not be looked at."""
    unplayed = [name for name in system.actions if name not in played]
    if unplayed:
        yield f"never declared: {', '.join(unplayed)}"
    unasked = [place for place in system.places if place not in watch.asked]
    if unasked:
        yield f"nobody asked for rows at {', '.join(unasked)}"
    made = {key for _, _, key in watch.keys}
    unmade = [key for key in system.steps if key not in made]
    if unmade:
        yield f"steps that never came: {', '.join(unmade)}"


__all__ = ["check_description", "check_places", "check_texts", "check_traces", "check_types", "never", "untraced", "words_of"]
