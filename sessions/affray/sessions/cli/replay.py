"""`affray replay`: a log folded event by event, told as it goes, with the state it ends in. No rules are asked."""

from __future__ import annotations

import click
import msgspec

from affray.kernel import KIND_OF

from ..views.board import Board, board, lines
from ..views.transcript import sentences, transcript
from .places import find
from .printing import Page, print_json
from .reader import Reading, json_option, reader_option, session_argument


class Told(msgspec.Struct, frozen=True, kw_only=True):
    """One event in words."""

    version: int
    kind: str
    text: str


class Replay(msgspec.Struct, frozen=True, kw_only=True):
    """The document of `replay --json`."""

    session: str
    reader: str
    version: int
    digest: str
    events: tuple[Told, ...]
    state: Board


@click.command("replay")
@session_argument
@click.option("--every", is_flag=True, help="Every event on a line of its own, those that only keep the books too.")
@reader_option
@json_option
def command(session: str, every: bool, reader: str, as_json: bool) -> int:
    """Tell SESSION from its beginning, and show the state it ends in."""
    reading = Reading(find(session), reader)
    texts = reading.texts()
    final = board(reading.state(), reading.version, reader, texts)
    if as_json:
        told = [
            Told(version=one.version, kind=KIND_OF[type(one.event)], text=one.text)
            for one in sentences(reading.line(), texts)
        ]
        print_json(
            Replay(
                session=reading.session,
                reader=reader,
                version=reading.version,
                digest=reading.digest,
                events=tuple(told),
                state=final,
            )
        )
        return 0
    page = Page()
    if every:
        for one in sentences(reading.line(), texts):
            page.line(f"{one.version}: {one.text}")
    else:
        page.transcript(transcript(reading.line(), texts))
    page.line()
    page.rows(lines(final, texts))
    return 0
