"""`affray play`: a fight at the keyboard, begun or gone on with.

The session is stored command by command, so that whoever leaves, is interrupted or loses the power goes on at the very
prompt. Dialogue and transcript are printed where `--json` leaves room for them: then on standard error.
"""

from __future__ import annotations

from pathlib import Path

import click
from msgspec.structs import replace

from affray.kernel import GM, PUBLIC, InputError, Refused

from ..catalog import Catalog
from ..encounter import Encounter, read_encounter
from ..engine import Engine
from ..logs import configure
from ..session import Session
from ..stores import Store
from ..views.refusals import why
from ..views.texts import printable
from . import INTERRUPTED, db
from .demo import FIRST, find_demo
from .failures import FOUND, explain
from .places import complete_session, file_of, place, store, stored_id
from .playing import Stopped, Telling, new_id, play, played, program
from .printing import Page, print_json
from .reader import json_option, reader_option, texts_of
from .run import house_option, with_house
from .sessions import listing, standing
from .table.choices import Choice, Unclear, lines, pick
from .table.game import Game
from .table.keyboard import Keyboard, Left
from .table.room import Room

ENCOUNTER = ".toml"
"""How the name of an encounter file ends."""

RECENT = 12
"""Lines of what happened before that are told when a session goes on."""


@click.command("play")
@click.argument("what", default="", metavar="[SESSION | ENCOUNTER.toml]", shell_complete=complete_session)
@click.option("--session", "name", default="", help="A new session's id (default: the file's name and a number).")
@house_option
@reader_option
@db.option
@json_option
def command(what: str, name: str, house: str | None, reader: str, as_json: bool) -> int:
    """Go on with SESSION, or begin the fight of an encounter file, whose script is played first and whose `auto` is left out.

    Whoever has to act, to answer or to roll is asked by name; several people may share the keyboard. `?` helps at
    every prompt. Ctrl-D or quit leaves, Ctrl-C interrupts: the session goes on later where it stands. Without an argument
    you choose among the sessions that are not over.

    --for says who looks at the screen: what is kept from that reader is shown only when the person asked says look.
    """
    configure("error")
    page, keyboard = Page(err=as_json), Keyboard(err=as_json)
    kept = store()
    try:
        return _play(kept, what, name, house, reader, page, keyboard, as_json)
    except Left:
        return 0
    except Stopped as stopped:
        click.echo(f"affray: {printable(stopped.sentence)}", err=True)
        return stopped.code
    finally:
        kept.close()


def _play(
    kept: Store, what: str, name: str, house: str | None, reader: str, page: Page, keyboard: Keyboard, as_json: bool
) -> int:
    what = what if what or name or house is not None else _chosen(page, keyboard)
    catalog = Catalog()
    is_new = not what or what.endswith(ENCOUNTER)
    if is_new:
        session = _begun(kept, what, name, house, reader, page)
    elif name:
        raise InputError("is for a new session, of an encounter file", path="--session", value=name)
    elif house is not None:
        raise InputError(f"is for a new session; 'affray rules {what} --house' changes those of a stored one", path="--house")
    else:
        session = Engine(kept, catalog).load(stored_id(what))
    _check(session, catalog, reader)
    telling = Telling(session, reader, page, 0 if is_new else RECENT)
    code, left = 0, "stays"
    try:
        Game(Room(session, catalog, reader, telling, keyboard)).play()
        left = ""
    except Left:
        pass
    except KeyboardInterrupt:
        click.echo(err=True)
        code, left = INTERRUPTED, "was interrupted and stays"
    finally:
        telling.stop()
    _say_how_it_stands(session, telling, page, left)
    if as_json:
        print_json(played(session))
    return code


def _say_how_it_stands(session: Session, telling: Telling, page: Page, left: str) -> None:
    if not left:
        telling.rest()
        page.line()
        page.line(f"{session.id}: over at version {session.head}, in {file_of(session.id)}")
        return
    again = f"{program()} play {session.id}{db.words()}"
    click.echo(f"affray: session {session.id} {left} at version {session.head}; go on with: {again}", err=True)


def _begun(kept: Store, what: str, name: str, house: str | None, reader: str, page: Page) -> Session:
    """A new session of an encounter file, or of the demo's people with fair dice, as far as its script goes."""
    if what:
        encounter, where = read_encounter(Path(what)), Path(what).name
    else:
        stem, demo = find_demo(FIRST)
        encounter, where = replace(demo, script=(), dice="fair", faces=()), f"{stem}{ENCOUNTER}"
    people: Encounter = replace(with_house(encounter, house), auto=None)
    return play(
        kept, people, where=where, session=name or new_id(where.removesuffix(ENCOUNTER)), reader=reader, page=page
    )


def _chosen(page: Page, keyboard: Keyboard) -> str:
    """The session somebody chooses among those that are not over; "" for a new one. Raises Left."""
    open_ones = [one for one in listing(place()) if not one.over and not one.problem]
    if not open_ones:
        return ""
    choices = [
        Choice(one.id, f"{one.id}: {one.title or one.system}, {standing(one)}", (one.id,)) for one in open_ones
    ]
    choices.append(Choice("", "a new duel", ("new",)))
    page.line("Which fight?")
    page.rows([f"  {line}" for line in lines(choices)])
    while True:
        try:
            return str(pick(keyboard.line("fight> "), choices).value)
        except Unclear as unclear:
            page.line(str(unclear))


def _check(session: Session, catalog: Catalog, reader: str) -> None:
    """Refuse what cannot be played on, and a reader that nobody is. Raises Stopped, InputError, PluginUnavailable."""
    if session.is_copy:
        state = session.state()
        raise Stopped(why(texts_of(state), Refused("partial-copy"), state).removesuffix("."), FOUND)
    if session.problem is not None:
        sentence, code = explain(session.problem)
        raise Stopped(sentence, code)
    catalog.rules(session.manifest)
    people = {one.controller for one in session.state(reader=GM).combatants.values()}
    known = sorted({PUBLIC, GM, *people})
    if reader not in known:
        raise InputError(f"nobody of that name reads here; there are {', '.join(known)}", path="--for", value=reader)
