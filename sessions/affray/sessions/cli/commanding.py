"""Sending one command to a stored session and printing its answer: what `declare`, `answer`, `undo` and others share.

A refusal is one sentence on standard error and code 1. With `--id` a command may be sent again, after a lost connection
or a crash, and is answered again without happening again. `play` sends its commands by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any

import click
import msgspec

from affray.kernel import GM, KIND_OF, Json, Refused, Request, VersionConflict, commands

from ..catalog import Catalog
from ..engine import Engine
from ..entropy import SystemEntropy
from ..logs import configure
from ..session import Session
from ..verbs import Answer
from ..views.board import Question, board
from ..views.refusals import why
from ..views.texts import Texts, printable
from ..views.transcript import Teller, sentences
from .failures import FOUND
from .places import store, stored_id
from .printing import Page, print_json
from .reader import json_option, session_argument, texts_of

TRIES = 10
"""How often a command is decided anew because somebody else appended meanwhile."""


Tell = Callable[[Session, str, Answer, Texts, Page], None]
"""Prints what a command made: the session, its reader, the answer, the words of its rules, where to."""


class Sending(msgspec.Struct, frozen=True, kw_only=True):
    """How a command is sent: in whose name, under which id ("": a new one), with what beside it."""

    caller: str
    id: str
    seen: int
    nonce: str
    as_json: bool


class Refusal(msgspec.Struct, frozen=True, kw_only=True):
    """Why nothing was appended."""

    code: str
    args: tuple[int | str, ...]
    text: str


class Happened(msgspec.Struct, frozen=True, kw_only=True):
    """One event that the command made."""

    version: int
    kind: str
    text: str
    event: Any


class Answered(msgspec.Struct, frozen=True, kw_only=True):
    """The document of every command with --json: what it made, as the caller may read it, and what is waited for now.

    `refused` is null for a command that was accepted, `first` and `last` are 0 for one that was refused.
    """

    session: str
    command: str
    caller: str
    refused: Refusal | None
    repeated: bool
    first: int
    last: int
    events: tuple[Happened, ...]
    version: int
    digest: str
    turn: str
    over: str
    prompts: tuple[Question, ...]


_OPTIONS = (
    session_argument,
    click.option("--as", "caller", default=GM, metavar="gm|ID", show_default=True, help="Who sends it: the game master, or a controller."),
    click.option("--id", "command_id", default="", metavar="ID", help="The command's id: sent again under it, nothing happens again."),
    click.option("--seen", default=-1, type=click.IntRange(min=-1), metavar="VERSION", help="The version the sender had seen."),
    click.option("--nonce", default="", metavar="TEXT", help="Random text of a player, which goes into the dice."),
    json_option,
)


def sending(command: Callable[..., int]) -> Callable[..., int]:
    """Let a command take a SESSION and how it is sent; it is called with the session's id and a Sending."""

    @wraps(command)
    def gathered(*, session: str, caller: str, command_id: str, seen: int, nonce: str, as_json: bool, **own: Any) -> int:
        if nonce and caller == GM:
            raise click.BadParameter("the game master sends none; say whose it is with --as", param_hint="'--nonce'")
        how = Sending(caller=caller, id=command_id, seen=seen, nonce=nonce, as_json=as_json)
        return command(stored_id(session), how, **own)

    for option in reversed(_OPTIONS):
        gathered = option(gathered)
    return gathered


def send(
    name: str,
    how: Sending,
    make: commands.Command | Callable[[Session], commands.Command | Refused],
    tell: Tell | None = None,
) -> int:
    """Send a command, or the one that is made from the session as it stands; print the answer and give the exit code.

    `tell` says what it made in other words than the transcript's.
    """
    configure("error")  # what is wrong with the rules is told by the answer
    kept = store()
    try:
        session = Engine(kept, Catalog()).load(name)
        command = make(session) if callable(make) else make
        request_id = how.id or new_id()
        if isinstance(command, Refused):
            answer = Answer(refused=command)
        else:
            request = Request(id=request_id, command=command, caller=how.caller, seen=how.seen, nonce=how.nonce)
            answer = _do(session, request)
        return _print(session, request_id, how, answer, tell or _tell)
    finally:
        kept.close()


def new_id() -> str:
    """A command's id that nobody else has used."""
    return f"c-{SystemEntropy().salt()[:12]}"


def _do(session: Session, request: Request) -> Answer:
    for _ in range(TRIES - 1):
        try:
            return session.do(request)
        except VersionConflict:  # the session has caught up: it is decided again as things stand now
            continue
    return session.do(request)


def before(session: Session, how: Sending) -> Any:
    """The first event of the command that the sender used this id for before; None for a new one."""
    if not how.id:
        return None
    for one in session.history(reader=GM):
        if one.sender is not None and (one.sender.caller, one.sender.command) == (how.caller, how.id):
            return one.event
    return None


# -- printing


def _print(session: Session, request_id: str, how: Sending, answer: Answer, tell: Tell) -> int:
    texts = texts_of(session.state())
    text = ""
    if answer.refused is not None:
        text = printable(why(texts, answer.refused, session.state(reader=how.caller)))
        click.echo(f"affray: {text}", err=True)
    if how.as_json:
        print_json(_document(session, request_id, how.caller, answer, text, texts))
    elif answer:
        page = Page()
        tell(session, how.caller, answer, texts, page)
        again = ", as it was answered before" if answer.repeated else ""
        page.line(f"{session.id} stands at version {session.head}{again}")
    return FOUND if answer.refused is not None else 0


def _tell(session: Session, reader: str, answer: Answer, texts: Texts, page: Page) -> None:
    """What a command made, as the transcript has it, and what is asked now."""
    teller = Teller(texts)
    for one in session.history(reader=reader):
        lines = list(teller.tell(one.version, one.event))
        if answer.first <= one.version <= answer.last:
            page.transcript(lines)
    page.transcript(teller.rest())


def _document(session: Session, request_id: str, caller: str, answer: Answer, text: str, texts: Texts) -> Answered:
    shown = board(session.state(reader=caller), session.head, caller, texts)
    refused = answer.refused
    pairs = [(one.version, one.event) for one in session.history(reader=caller)] if answer else []
    events = [
        Happened(version=one.version, kind=KIND_OF[type(one.event)], text=one.text, event=one.event)
        for one in sentences(pairs, texts)
        if answer.first <= one.version <= answer.last
    ]
    return Answered(
        session=session.id,
        command=request_id,
        caller=caller,
        refused=None if refused is None else Refusal(code=refused.code, args=refused.args, text=text),
        repeated=answer.repeated,
        first=answer.first,
        last=answer.last,
        events=tuple(events),
        version=session.head,
        digest=session.digest,
        turn=shown.turn,
        over=shown.over,
        prompts=shown.prompts,
    )


# -- parameters


def parameters(words: Sequence[str]) -> tuple[tuple[str, ...], dict[str, Json]]:
    """Words as they are, and those written key=value as parameters. Raises BadParameter."""
    plain: list[str] = []
    found: dict[str, Json] = {}
    for word in words:
        key, equals, text = word.partition("=")
        if not equals:
            plain.append(word)
            continue
        if not key or key in found:
            problem = "has no name before it" if not key else "is given twice"
            raise click.BadParameter(f"{word!r}: the parameter {problem}")
        found[key] = value_of(text)
    return tuple(plain), found


def value_of(text: str) -> Json:
    """A value as it is typed: JSON where it is that, else text. A decimal stays the text that was typed (law 7)."""
    try:
        value: Json = msgspec.json.decode(text)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return text
    return text if isinstance(value, float) else value


__all__ = [
    "Answered",
    "Refusal",
    "Sending",
    "before",
    "new_id",
    "parameters",
    "send",
    "sending",
    "value_of",
]
