"""Playing an encounter in the store and telling it as it goes: what `run`, `demo` and `play` share."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from collections import deque
from pathlib import Path

import click
import msgspec

from affray.kernel import InputError, check_id

from ..catalog import Catalog
from ..encounter import Encounter, ScriptRefused, run_encounter
from ..engine import Engine
from ..entropy import SystemEntropy
from ..logs import configure
from ..session import Notice, Session
from ..stores import Store
from ..views.refusals import why
from ..views.transcript import Line, Teller
from . import INTERRUPTED, db
from .failures import FOUND
from .places import file_of
from .printing import Page
from .reader import texts_of


class Played(msgspec.Struct, frozen=True, kw_only=True):
    """The document of `run`, `demo` and `play` with --json. `over` is "" while the fight goes on; `waiting` counts open prompts."""

    session: str
    file: str
    version: int
    digest: str
    over: str
    turn: str
    waiting: int


class Stopped(Exception):
    """The fight did not come to its end; the message is one sentence that says where it stands."""

    def __init__(self, sentence: str, code: int) -> None:
        super().__init__(sentence)
        self.sentence, self.code = sentence, code


class Telling:
    """Tells a session's commits as they are stored, as one reader may see them.

    Of what was stored before, the last `lines` lines are told; None for all of them.
    """

    def __init__(self, session: Session, reader: str, page: Page, lines: int | None = None) -> None:
        self.teller = Teller(texts_of(session.state()))
        self.page = page
        before: deque[Line] = deque(maxlen=lines)
        for recorded in session.history(reader=reader):
            before.extend(self.teller.tell(recorded.version, recorded.event))
        self.page.transcript(before)
        self.stop = session.subscribe(self.hear, reader=reader)

    def hear(self, notice: Notice) -> None:
        """Tell one commit. Where nobody reads any more, no further one is told, and the fight goes on."""
        try:
            for version, event in enumerate(notice.events, notice.first):
                self.page.transcript(self.teller.tell(version, event))
        except BrokenPipeError:
            self.stop()

    def rest(self) -> None:
        """Tell what was held back, and what is asked now."""
        self.page.transcript(self.teller.rest())

    def end(self) -> None:
        """Tell what was held back, and listen no more."""
        self.stop()
        self.rest()


def new_id(name: str) -> str:
    """A session's id that begins like a file's name."""
    kept = "".join([char if char.isascii() and (char.isalnum() or char in "-_") else "-" for char in name]).lstrip("-")
    return f"{kept[:40] or 'fight'}-{SystemEntropy().name()}"


def play(
    store: Store, encounter: Encounter, *, where: str, session: str, reader: str, page: Page | None
) -> Session:
    """Play an encounter; with a page, tell it. Raises Stopped when it is interrupted or a line of its script refused."""
    configure()
    check_id(session, "a session's id", "--session")
    _check_reader(encounter, reader)
    telling: list[Telling] = []
    made: list[Session] = []

    def started(fight: Session) -> None:
        made.append(fight)
        if page is not None:
            telling.append(Telling(fight, reader, page))

    try:
        return run_encounter(Engine(store, Catalog()), encounter, session=session, where=where, started=started)
    except KeyboardInterrupt:
        if not made:
            raise
        raise Stopped(f"interrupted; {stands(made[0])}", INTERRUPTED) from None
    except ScriptRefused as error:
        problem = error.problem
        if error.refused is not None:
            problem = "refused: " + why(texts_of(made[0].state()), error.refused, made[0].state()).removesuffix(".")
        raise Stopped(f"{where}, {error.path}: {problem}; {stands(made[0])}", FOUND) from None
    finally:
        for one in telling:
            one.end()


def stands(session: Session) -> str:
    """Where a session is to be found, as far as it came."""
    return f"session {session.id} stands at version {session.head} in {file_of(session.id)}"


def _check_reader(encounter: Encounter, reader: str) -> None:
    known = {"public", "gm", *[one.controller for one in encounter.combatants]}
    if reader not in known:
        raise InputError(f"nobody of that name reads here; there are {', '.join(sorted(known))}", path="--for", value=reader)


def played(session: Session) -> Played:
    """What came of it, for programs."""
    state = session.state()
    return Played(
        session=session.id,
        file=str(file_of(session.id)),
        version=session.head,
        digest=session.digest,
        over=state.over,
        turn=state.turn,
        waiting=len(state.prompts),
    )


def suggest(session: Session, *commands: str) -> None:
    """Print commands to try next, as they can be copied."""
    click.echo("\nTry next:")
    for command in commands:
        click.echo(f"  {program()} {command.replace('SESSION', session.id)}{db.words()}")


def program() -> str:
    """How this program was called, as it can be called again."""
    called = Path(sys.argv[0])
    if called.name == "__main__.py":
        return f"{shlex.quote(sys.executable)} -m affray.sessions.cli"
    found = shutil.which(called.name)
    if found is not None and os.path.exists(sys.argv[0]) and os.path.samefile(found, sys.argv[0]):
        return called.name
    return shlex.quote(sys.argv[0])
