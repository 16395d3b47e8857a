"""`affray sessions`: what is stored."""

from __future__ import annotations

from collections.abc import Iterator

import click
import msgspec

from affray.kernel import PUBLIC, AffrayError, State

from ..views.texts import listed, printable, words
from . import db
from .failures import FOUND, explain
from .places import Place, ledger_of, place
from .printing import counted, print_json
from .reader import Reading, json_option


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

    The exit code is 1 when one of them cannot be read.
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
    """Every session of a place, in the order of their ids."""
    names = at.open().sessions()
    for name in counted(names, "reading"):
        yield _stored(at, name)


def _stored(at: Place, name: str) -> Stored:
    state, version, problem = State(), 0, ""
    try:
        reading = Reading(ledger_of(at, name), PUBLIC)
        state, version = reading.state(), reading.version
    except (AffrayError, OSError) as error:
        problem = explain(error)[0]
    prompts = state.prompts.values()
    waiting = dict.fromkeys([who for prompt in prompts for who in prompt.ask.who if who not in prompt.answers])
    return Stored(
        id=name,
        system=state.manifest.system.id if state.manifest is not None else "",
        title=state.title,
        version=version,
        turn=state.turn,
        over=state.over,
        waiting=tuple(waiting),
        path=str(at.file_of(name)),
        problem=problem,
    )


def lines(found: list[Stored]) -> Iterator[str]:
    """Sessions as lines of text."""
    rows = [(one.id, one.system, str(one.version), standing(one), printable(one.title)) for one in found]
    widths = [max(len(row[column]) for row in rows) for column in range(4)]
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
