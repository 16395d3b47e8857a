"""`affray why`: where a number comes from, as a sum and as a tree. No rules are asked."""

from __future__ import annotations

import re

import click
import msgspec

from affray.kernel import AffrayError, Num, Refused, explain, explain_pool

from ..views.why import Branch, explanation, lines, refusal
from .places import find
from .printing import Page, print_json
from .reader import Reading, json_option, reader_option, session_argument

_VERSION = re.compile(r"[0-9]{1,15}", re.ASCII)


class Answered(msgspec.Struct, frozen=True, kw_only=True):
    """The document of `why --json`. `at` is the version explained, `version` where the log ends."""

    session: str
    version: int
    reader: str
    at: int
    number: Num | None
    sentence: str
    undone: bool
    tree: Branch


@click.command("why")
@session_argument
@click.argument("what", nargs=-1, required=True, metavar="VERSION | COMBATANT POOL")
@click.option("--at", "at", type=click.IntRange(min=0), help="The version at which a pool is meant (default: the newest).")
@click.option("--open", "opened", is_flag=True, help="Open every change of a pool, each with what it came from.")
@reader_option
@json_option
def command(session: str, what: tuple[str, ...], at: int | None, opened: bool, reader: str, as_json: bool) -> int:
    """Explain a number of SESSION: that of the event at VERSION, or what a POOL of a COMBATANT holds.

    It needs no rules plugin. What is kept from the reader is told as kept.
    """
    if len(what) > 2 or (len(what) == 1 and not _VERSION.fullmatch(what[0])):
        raise click.BadParameter("must be a version, or a combatant and a pool", param_hint="VERSION | COMBATANT POOL")
    if len(what) == 1 and (at is not None or opened):
        raise click.UsageError("--at and --open are for a pool", click.get_current_context())
    reading = Reading(find(session), reader)
    texts = reading.texts()
    if len(what) == 1:
        found = explain(reading.log, int(what[0]))
    else:
        found = explain_pool(reading.log, what[0], what[1], at, opened=opened)
    if isinstance(found, Refused):
        raise AffrayError(refusal(found, texts))
    told = explanation(reading.log, found, texts)
    if found.is_bare:
        raise AffrayError(f"There is nothing to explain at version {found.version}: {told.tree.text}")
    if as_json:
        print_json(Answered(session=reading.session, version=reading.version, reader=reader, **msgspec.structs.asdict(told)))
    else:
        page = Page()
        for line in lines(told):
            page.line(line.text, line.depth, "" if line.depth else "bold")
    return 0
