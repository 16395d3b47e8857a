"""`affray demo`: a fight that comes with Affray, played, told and verified.

Demos are encounter files in the folder `demos`; one is asked for by its file's name or by the system it plays.
"""

from __future__ import annotations

from importlib.resources import files

import click

from affray.kernel import InputError

from ..encounter import Encounter, parse_encounter
from . import db
from .failures import FOUND
from .places import file_of, store
from .playing import Stopped, new_id, play, played, suggest
from .printing import Page, print_json
from .reader import json_option, reader_option
from .verify import told

FIRST = "duel"
"""The demo that is played when none is named."""


@click.command("demo")
@click.argument("name", default=FIRST)
@reader_option
@db.option
@json_option
def command(name: str, reader: str, as_json: bool) -> int:
    """Play the demo NAME (default: a duel), print it, verify it, and say what to try next."""
    stem, encounter = find_demo(name)
    kept = store()
    try:
        session = play(
            kept,
            encounter,
            where=f"{stem}.toml",
            session=new_id(stem),
            reader=reader,
            page=None if as_json else Page(),
        )
    except Stopped as stopped:
        click.echo(f"affray: {stopped.sentence}", err=True)
        return stopped.code
    finally:
        kept.close()
    verdict = session.verify()
    if as_json:
        print_json(played(session))
        return 0 if verdict.is_clean else FOUND
    click.echo()
    for line in told(verdict):
        click.echo(line)
    click.echo(f"log: {file_of(session.id)}")
    suggest(
        session,
        "replay SESSION",
        f"show SESSION --at {session.head // 2}",
        "log SESSION --json",
        "verify SESSION",
        f"export SESSION -o {stem}.affray",
    )
    return 0 if verdict.is_clean else FOUND


def find_demo(name: str) -> tuple[str, Encounter]:
    """A demo by its file's name, or the first that plays the system of that name. Raises InputError."""
    folder = files("affray.sessions") / "demos"
    demos = sorted([file for file in folder.iterdir() if file.name.endswith(".toml")], key=lambda file: file.name)
    read = {file.name.removesuffix(".toml"): parse_encounter(file.read_bytes(), file.name) for file in demos}
    if name in read:
        return name, read[name]
    for stem, encounter in read.items():
        if encounter.system == name:
            return stem, encounter
    known = ", ".join([f"{stem} ({encounter.system})" for stem, encounter in read.items()])
    raise InputError(f"no such demo; there are {known}", path="NAME", value=name)
