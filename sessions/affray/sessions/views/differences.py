"""What differs, in words: values of a state, steps that came out otherwise, and why running again stopped. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from affray.kernel import ChangedStep, Difference, Stopped

from .texts import printable, short

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
    return f"{printable(one.where)}: {short(one.before)} -> {short(one.after)}"


def changed_in_words(step: ChangedStep) -> Iterator[str]:
    """A step that came out otherwise: which one, and what is not the same."""
    where = f"version {step.version}: " if step.version else ""
    name = printable(step.slot)
    if step.before is None or step.after is None:
        yield f"{where}{name} {'does not happen' if step.after is None else 'happens'}"
        return
    names = [field for field in step.before if step.before[field] != step.after.get(field)]
    told = [field for field in names if field in SHOWN] or names
    changes = "; ".join([f"{field} {short(step.before[field])} -> {short(step.after.get(field))}" for field in told])
    yield f"{where}{name}: {changes}"


def steps_in_words(steps: Sequence[ChangedStep], most: int) -> Iterator[str]:
    """Steps that came out otherwise, no more than so many of them."""
    for step in steps[:most]:
        yield from changed_in_words(step)
    if len(steps) > most:
        yield f"... and {len(steps) - most} more steps"


def stopped_in_words(stopped: Stopped) -> str:
    """Why running again stopped."""
    who = ", ".join(stopped.who) or "nobody"
    return _STOPPED[stopped.why].format(who=printable(who), what=printable(stopped.what), text=printable(stopped.text))


__all__ = ["changed_in_words", "difference_in_words", "steps_in_words", "stopped_in_words"]
