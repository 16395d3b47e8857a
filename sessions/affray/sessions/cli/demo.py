"""`affray demo`: a fight that comes with Affray, played, told and verified.

Demos are encounter files in the folder `demos`; one is asked for by its file's name or by the system it plays. A file
named `<system>-<generation>.toml` plays another generation of that system's rules, and is asked for by `--generation`.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files

import click
from msgspec.structs import replace

from affray.kernel import InputError

from ..encounter import Encounter, parse_encounter
from . import db
from .failures import FOUND
from .places import file_of, store
from .playing import Stopped, new_id, play, played, suggest
from .printing import Page, print_json
from .reader import json_option, reader_option
from .run import house_option, with_house
from .verify import told

FIRST = "duel"
"""The demo that is played when none is named."""


@click.command("demo")
@click.argument("name", default=FIRST)
@click.option(
    "--generation",
    metavar="NAME",
    help="Play another generation of the demo's rules; a name that is none lists what there is.",
)
@house_option
@reader_option
@db.option
@json_option
def command(name: str, generation: str | None, house: str | None, reader: str, as_json: bool) -> int:
    """Play the demo NAME (default: a duel), print it, verify it, and say what to try next.

    Under house rules its people fight it out by themselves, with fair dice: what is written down fits the rules alone.
    """
    stem, encounter = find_demo(name, generation)
    if house:
        people = replace(encounter, script=(), dice="fair", faces=(), auto=encounter.auto or "first")
        encounter = with_house(people, house)
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


def find_demo(name: str, generation: str | None = None) -> tuple[str, Encounter]:
    """A demo by its file's name, or the first that plays the system of that name.

    With a generation it is the demo of that generation of the same system's rules. Raises InputError for a name that no
    demo has, with those there are.
    """
    found = read_demos()
    demos = {stem: encounter for stem, encounter in found.items() if stem not in other_generations(found, encounter.system)}
    stem = next((stem for stem, encounter in demos.items() if name in (stem, encounter.system)), None)
    if stem is None:
        known = ", ".join([f"{stem} ({encounter.system})" for stem, encounter in demos.items()])
        raise InputError(f"no such demo; there are {known}", path="NAME", value=name)
    if generation is not None:
        stem = find_generation(found, stem, generation)
    return stem, found[stem]


def read_demos() -> dict[str, Encounter]:
    """Every demo file by its name without the ending, in the order of the names."""
    folder = files("affray.sessions") / "demos"
    demos = sorted([file for file in folder.iterdir() if file.name.endswith(".toml")], key=lambda file: file.name)
    return {file.name.removesuffix(".toml"): parse_encounter(file.read_bytes(), file.name) for file in demos}


def other_generations(found: Mapping[str, Encounter], system: str) -> dict[str, str]:
    """The files named `<system>-<generation>`, with their generations. Where a system has no other file these are its demos."""
    plays = [stem for stem, encounter in found.items() if encounter.system == system]
    others = {stem: stem.removeprefix(f"{system}-") for stem in plays if stem.startswith(f"{system}-")}
    return others if len(others) < len(plays) else {}


def find_generation(found: Mapping[str, Encounter], demo: str, generation: str) -> str:
    """The file of a generation of the rules that a demo plays; the demo's own name is a generation's too."""
    system = found[demo].system
    named = {demo: demo, **{name: stem for stem, name in other_generations(found, system).items()}}
    if generation not in named:
        problem = f"no such generation of {system}; there are {', '.join(named)}"
        raise InputError(problem, path="--generation", value=generation)
    return named[generation]
