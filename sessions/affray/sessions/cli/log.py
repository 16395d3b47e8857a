"""`affray log`: every event, each in a sentence."""

from __future__ import annotations

from typing import Any

import click
import msgspec

from affray.kernel import KIND_OF, Sender

from ..views.transcript import sentences
from .places import find
from .printing import print_json_line
from .reader import Reading, json_option, reader_option, session_argument

KIND_COLUMNS = max(map(len, KIND_OF.values()))


class Logged(msgspec.Struct, frozen=True, kw_only=True):
    """One line of `log --json`."""

    version: int
    kind: str
    undone: bool
    text: str
    event: Any
    sender: Sender | None


@click.command("log")
@session_argument
@click.option("--all", "with_undone", is_flag=True, help="Events that were undone too, marked.")
@click.option("--since", default=0, show_default=True, type=click.IntRange(min=0), help="Only what follows a version.")
@reader_option
@json_option
def command(session: str, with_undone: bool, since: int, reader: str, as_json: bool) -> int:
    """List the events of SESSION, each in a sentence.

    With --json: a JSON document a line, with version, kind, undone, text, event and sender.
    """
    reading = Reading(find(session), reader)
    present = {version for version, _ in reading.line()}
    digits = len(str(reading.version))
    texts = reading.texts()
    for told in sentences(reading.all(), texts):
        is_undone = told.version not in present
        if told.version <= since or (is_undone and not with_undone):
            continue
        kind = KIND_OF[type(told.event)]
        if as_json:
            sender = reading.senders[told.version - 1]
            print_json_line(
                Logged(
                    version=told.version, kind=kind, undone=is_undone, text=told.text, event=told.event, sender=sender
                )
            )
        else:
            mark = "undone: " if is_undone else ""
            click.echo(f"{told.version:>{digits}}  {kind:<{KIND_COLUMNS}}  {mark}{told.text}")
    return 0
