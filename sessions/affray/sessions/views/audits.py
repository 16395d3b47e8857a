"""An audit as lines of text: what is wrong first, then what a table should know of its log, then how much was checked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from affray.kernel import Audit, Divergence, Json

from ..auditing import was_checked
from .texts import printable

INDENT = "  "
MOST = 160
"""Characters of a value; a longer one is cut."""

_HEAD = ("kind", "key", "action")
_ROWS = ("trace", "rows")


def told(audit: Audit) -> Iterator[str]:
    """An audit as lines of text, but for its dice and its head."""
    for finding in audit.findings:
        yield f"version {finding.version}: {finding.code}: {printable(finding.text)}"
    for divergence in audit.divergences:
        yield from _divergence(divergence)
    for one in audit.undone:
        rolls = f"with the rolls of {_versions(one.rolls)}" if one.rolls else "no roll among them"
        yield f"version {one.version}: {printable(one.why)} of versions {one.first} to {one.last}, {rolls}"
    for again in audit.repeated:
        yield f"thrown again: {printable(again.slot)}, {_versions(again.versions)}"
    for word in audit.overrules:
        effect = "what was set is kept" if word.effect is None else _short(word.effect)
        yield f"version {word.version}: overruled: {printable(word.reason)}: {effect}"
    yield from _reported(audit)
    for change in audit.rules:
        yield f"version {change.version}: rules changed: {printable(change.reason) or 'no reason given'}"
        yield f"{INDENT}before: {_short(change.before)}"
        yield f"{INDENT}after: {_short(change.after)}"
    for left in audit.unchecked:
        yield f"version {left.version}: not checked, {left.count} in all: {printable(left.reason)}"


def state_of(audit: Audit) -> str:
    """Whether it is clean, and how much was checked."""
    count = len(audit.findings) + len(audit.divergences)
    if count:
        state = f"{count} finding{'' if count == 1 else 's'}"
    else:
        state = "clean" if was_checked(audit) else "not checked"
    return f"{state}; {audit.version} events in {audit.commits} commits, {audit.checked} checked"


def first_of(audit: Audit) -> str:
    """What is wrong first, or why nothing was checked, in one line; "" for nothing."""
    for finding in audit.findings[:1]:
        return f"version {finding.version}: {finding.code}: {printable(finding.text)}"
    for found in audit.divergences[:1]:
        return f"version {found.version}: {found.code}: {_cut(printable(found.text))}"
    return "" if was_checked(audit) else next(printable(left.reason) for left in audit.unchecked if left.code == "rules")


def _divergence(found: Divergence) -> Iterator[str]:
    action = f" in {printable(found.action)}" if found.action else ""
    yield f"version {found.version}: {found.code}{action}: {printable(found.text)}"
    for name, event in (("expected", found.expected), ("recorded", found.recorded)):
        if isinstance(event, dict):
            yield f"{INDENT}{name}: {' '.join([printable(str(event[part])) for part in _HEAD if event.get(part)])}"
            yield from [f"{INDENT * 2}{line}" for line in _fields(event)]


def _fields(event: Mapping[str, Json]) -> Iterator[str]:
    """The fields of an event that say something, a line each; the rows of a trace stand below it."""
    for name, value in event.items():
        if name in _HEAD or value is None or value in ("", 0, False, [], {}):
            continue
        if name in _ROWS and isinstance(value, list):
            yield f"{name}:"
            yield from [f"{INDENT}{_row(row)}" for row in value]
        else:
            yield f"{name}: {_short(value)}"


def _row(row: Json) -> str:
    """A row of a trace: its amount, what it is for, where it came from."""
    if not (isinstance(row, list) and len(row) == 3):
        return _short(row)
    code, amount, source = row
    return printable(f"{amount} {code}" + (f" ({source})" if source else ""))


def _reported(audit: Audit) -> Iterator[str]:
    """Dice that the engine did not throw: for whom, by whom."""
    groups: dict[tuple[str, str, str], list[int]] = {}
    for one in audit.reported:
        groups.setdefault((one.source, one.by, one.caller), []).append(one.version)
    for (source, by, caller), versions in groups.items():
        who = printable(by) or "nobody"
        sender = f" by {printable(caller)}" if source == "reported" and caller else ""
        yield f"dice {printable(source)}{sender} for {who}: {_versions(versions)}"


def _versions(versions: list[int] | tuple[int, ...], most: int = 20) -> str:
    shown = ", ".join(map(str, versions[:most]))
    more = f" and {len(versions) - most} more" if len(versions) > most else ""
    return f"version{'' if len(versions) == 1 else 's'} {shown}{more}"


def _short(value: Json) -> str:
    return _cut(printable(msgspec.json.encode(value).decode()))


def _cut(text: str) -> str:
    return text if len(text) <= MOST else text[: MOST - 3] + "..."


def document(audit: Audit, head: str) -> dict[str, Any]:
    """The document of an audit."""
    first = ("session", "version", "digest")
    rest = [name for name in audit.__struct_fields__ if name not in first]
    found: dict[str, Any] = {name: getattr(audit, name) for name in first}
    return {**found, "head": head, "clean": audit.is_clean, **{name: getattr(audit, name) for name in rest}}


__all__ = ["document", "first_of", "state_of", "told"]
