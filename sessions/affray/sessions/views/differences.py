"""What differs, in words: values of a state, steps that came out otherwise, and why running again stopped. Pure."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from affray.kernel import ChangedStep, Difference, Json, Stopped

from .texts import printable

SHOWN = ("total", "code", "value", "goal", "margin", "after", "plan", "options", "outcome", "entries", "when")
"""Fields of a step that are told where they differ; the others where none of these does."""

_STOPPED = {
    "prompt": "{who} has to answer {what}",
    "option": "{who} answered {text}, which {what} does not offer any more",
    "turn": "it is the turn of {who}, who declared nothing then ({what})",
    "die": "{what} needs a die that nobody has thrown",
    "dice": "dice cannot be thrown now: {text}",
    "witness": "{who} has to witness the dice of {what}",
    "failed": "the rules could not go on at {what}: {text}",
}


def difference_in_words(one: Difference) -> str:
    """A value before and after, in a line."""
    return f"{printable(one.where)}: {_short(one.before)} -> {_short(one.after)}"


def changed_in_words(step: ChangedStep) -> Iterator[str]:
    """A step that came out otherwise: which one, and what is not the same."""
    where = f"version {step.version}: " if step.version else ""
    name = printable(step.slot)
    if step.before is None or step.after is None:
        yield f"{where}{name} {'does not happen' if step.after is None else 'happens'}"
        return
    names = [field for field in step.before if step.before[field] != step.after.get(field)]
    told = [field for field in names if field in SHOWN] or names
    changes = "; ".join([f"{field} {_short(step.before[field])} -> {_short(step.after.get(field))}" for field in told])
    yield f"{where}{name}: {changes}"


def stopped_in_words(stopped: Stopped) -> str:
    """Why running again stopped."""
    who = ", ".join(stopped.who) or "nobody"
    return _STOPPED[stopped.why].format(who=printable(who), what=printable(stopped.what), text=printable(stopped.text))


def _short(value: Json) -> str:
    if value is None:
        return "none"
    text = value if isinstance(value, str) else msgspec.json.encode(value).decode()
    return printable(text if len(text) <= 60 else text[:57] + "...")


__all__ = ["changed_in_words", "difference_in_words", "stopped_in_words"]
