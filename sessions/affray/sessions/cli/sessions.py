"""`affray sessions`: what is stored."""

from __future__ import annotations

from collections.abc import Iterator

import click
import msgspec

from affray.kernel import AffrayError

from ..summary import Summary, summary
from ..views.texts import listed, printable, words
from . import db
from .failures import FOUND, explain
from .places import Place, place
from .printing import counted, print_json
from .reader import json_option


class Stored(msgspec.Struct, frozen=True, kw_only=True):
    """One entry of `sessions --json`. `waiting` names who has to answer; `problem` says why the rest is not known."""

    id: str
    system: str
    title: str
    version: int
    turn: str
    over: str
    waiting: tuple[str, ...]
    path: str
    problem: str


@click.command("sessions")
@db.option
@json_option
def command(as_json: bool) -> int:
    """List the stored sessions: id, rules, version, how they stand, title.

    The exit code is 1 when one of them cannot be read. A list does not read all of a long session: verify does.
    """
    at = place()
    found = list(listing(at))
    if as_json:
        print_json(found)
    elif not found:
        click.echo(f"no sessions in {at.folder}")
    else:
        for line in lines(found):
            click.echo(line)
    return FOUND if any(one.problem for one in found) else 0


def listing(at: Place) -> Iterator[Stored]:
    """Every session of a place, in the order of their ids. Of each no more is read than is needed."""
    kept = at.open()
    for name in counted(kept.sessions(), "reading"):
        problem = ""
        found = Summary(session=name, system="", title="", version=0, turn="", over="", waiting=())
        try:
            found = summary(kept, name)
        except (AffrayError, OSError) as error:
            problem = explain(error)[0]
        yield Stored(
            id=name,
            system=found.system,
            title=found.title,
            version=found.version,
            turn=found.turn,
            over=found.over,
            waiting=found.waiting,
            path=str(at.file_of(name)),
            problem=problem,
        )


def lines(found: list[Stored]) -> Iterator[str]:
    """Sessions as lines of text."""
    rows = [(one.id, one.system, str(one.version), standing(one), printable(one.title)) for one in found]
    sound = [row for row, one in zip(rows, found, strict=True) if not one.problem] or rows  # a problem is a sentence
    widths = [max(len(row[column]) for row in sound) for column in range(4)]
    for name, system, version, state, title in rows:
        cells = f"{name:<{widths[0]}}  {system:<{widths[1]}}  {version:>{widths[2]}}  {state:<{widths[3]}}  {title}"
        yield cells.rstrip()


def standing(one: Stored) -> str:
    """How a session stands, in a few words."""
    if one.problem:
        return one.problem
    if one.over:
        return f"over: {words(one.over)}"
    if one.waiting:
        return f"waits for {listed(one.waiting)}"
    return f"{one.turn}'s turn" if one.turn else "nobody's turn"
