"""The same fight once more: by the same plugin objects, by new ones, resumed before every command, carried out from its log."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from ..audit import audit
from ..canonical import canonical
from ..errors import Damaged
from ..ledger import Chain
from ..names import place
from .findings import Tally
from .player import Fought, Setup, replay, table_of
from .table import Book, Table
from .watch import Watch

Maker = Callable[[Any], tuple[str, str]]
"""Tells whose plugin and hook made an event."""


def maker_of(watch: Watch, system: str, houses: Sequence[str]) -> Maker:
    """Who made an event: whoever was seen to yield a step of its kind and key, the last house rule first."""
    order = [*reversed(houses), system]
    made = {}
    for plugin in reversed(order):
        made.update({(kind, key): (plugin, hook) for (one, kind, key), hook in watch.keys.items() if one == plugin})

    def maker(event: Any) -> tuple[str, str]:
        key = getattr(event, "key", "")
        kind = place(event).partition(".")[0] if key else ""
        default = (houses[-1] if houses else system, "resolve")
        by_rules = getattr(event, "by_rules", ())
        if by_rules and by_rules[-1] in houses:
            return by_rules[-1], "ruling"
        return made.get((kind, key), default)

    return maker


def check_again(book: Book, setup: Setup, fought: Fought, maker: Maker, tally: Tally, *, code: str, cold: bool = False) -> None:
    """Play a fight once more on another table: the same lines must come of it, and the same answers."""
    table = table_of(book, setup, fought.number)
    try:
        for move, outcome in replay(fought, table, cold=cold):
            if outcome != move.outcome:
                what = f"command {move.id} ({type(move.command).__name__.lower()}) comes out as {outcome}, it was {move.outcome}"
                plugin, hook = maker(None)
                tally.add(code, plugin, hook, what, fought.where(table.head))
                return
    except Exception as error:  # what a plugin did to the state may come out anywhere
        plugin, hook = maker(None)
        tally.add(code, plugin, hook, f"cannot go on: {error}", fought.where(table.head))
        return
    compare_lines(fought, table.lines, maker, tally, code=code)


def compare_lines(fought: Fought, lines: Sequence[bytes], maker: Maker, tally: Tally, *, code: str) -> None:
    """Tell of the first event of a fight that is another one in these lines."""
    if list(lines) == fought.table.lines:
        return
    other = _events(fought.table, lines)
    for version, (mine, theirs) in enumerate(zip(fought.table.log.events, other, strict=False), 1):
        if canonical(mine) != canonical(theirs):
            plugin, hook = maker(theirs if type(theirs) is type(mine) else mine)
            tally.add(code, plugin, hook, _difference(mine, theirs), fought.where(version))
            return
    plugin, hook = maker(None)
    count = (len(other), len(fought.table.log.events))
    tally.add(code, plugin, hook, f"there are {count[0]} events, there were {count[1]}", fought.where(min(count)))


def _events(table: Table, lines: Sequence[bytes]) -> list[Any]:
    chain = Chain(table.header)
    found: list[Any] = []
    try:
        for line in lines:
            found.extend(chain.accept(line).events)
    except Damaged:
        pass
    return found


def _difference(mine: Any, theirs: Any) -> str:
    what = type(mine).__name__.lower()
    name = place(mine) if getattr(mine, "key", "") else what
    if type(mine) is not type(theirs):
        return f"{name} was a {what} and is a {type(theirs).__name__.lower()}"
    before, now = msgspec.to_builtins(mine), msgspec.to_builtins(theirs)
    field = next((field for field in before if before[field] != now.get(field)), "")
    return f"{name}: its {field} is {str(now.get(field))[:80]}, it was {str(before.get(field))[:80]}"


def check_fold(fought: Fought, system: str, tally: Tally) -> None:
    """The bytes of the log fold to the state that was played on."""
    try:
        state = fought.table.reread()
    except Exception as error:  # most of all Damaged
        version = error.version if isinstance(error, Damaged) else fought.table.head
        tally.add("unfolded", system, "resolve", f"the log cannot be read: {error}", fought.where(version))
        return
    now = fought.table.state
    if state == now:
        return
    wrong = [name for name in type(now).__struct_fields__ if getattr(state, name) != getattr(now, name)]
    tally.add("unfolded", system, "resolve", f"the state that was played on has other {', '.join(wrong)}", fought.where(fought.table.head))


def check_audit(book: Book, fought: Fought, maker: Maker, tally: Tally) -> None:
    """The log of a fight is clean when it is carried out again."""
    found = audit([fought.table.header, *fought.table.lines], book)
    plugin, hook = maker(None)
    for finding in found.findings[:3]:
        tally.add("audit", plugin, hook, f"{finding.code}: {finding.text}", fought.where(finding.version))
    events = fought.table.log.events
    for one in found.divergences[:3]:
        plugin, hook = maker(events[one.version - 1] if 0 < one.version <= len(events) else None)
        tally.add("audit", plugin, hook, f"{one.code}: {one.text}", fought.where(one.version))


__all__ = ["Maker", "check_again", "check_audit", "check_fold", "compare_lines", "maker_of"]
