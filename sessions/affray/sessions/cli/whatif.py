"""`affray whatif`: logs played again under other options, house rules or releases, with their dice and answers."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import click
import msgspec

from affray.kernel import AffrayError, InputError, WhatIf

from ..catalog import Catalog
from ..processes import cores, each
from ..views.differences import difference_in_words, steps_in_words, stopped_in_words
from ..views.texts import printable
from ..whatif import OtherRules, Summary, summed_up, what_if_ledger
from . import db
from .commanding import parameters
from .failures import FOUND, explain
from .places import Place, complete_session, is_path, ledger_in, ledger_of, place
from .printing import counted, print_json, progress
from .reader import json_option

CHANGES_SHOWN = 20
"""Steps of one fight that are told in words; --json has all."""


class Target(NamedTuple):
    """What a process needs to play a SESSION again."""

    kind: str
    folder: str
    name: str
    other: OtherRules


class Fight(msgspec.Struct, frozen=True, kw_only=True):
    """One fight's document: what came of it, or the problem with it."""

    name: str
    problem: str
    same: bool
    whatif: WhatIf | None


class Fights(msgspec.Struct, frozen=True, kw_only=True):
    """The document of several."""

    summary: Summary
    fights: tuple[Fight, ...]


@click.command("whatif")
@click.argument("names", nargs=-1, metavar="SESSION|FOLDER...", required=True, shell_complete=complete_session)
@click.option("--rules", "words", multiple=True, metavar="OPTION=VALUE", help="An option that is to be otherwise.")
@click.option("--bundle", default="", metavar="NAME", help="Options that the system offers together.")
@click.option("--house", default=None, metavar="RULE,...", help="The house rules in their order; '' for none.")
@click.option("--seed", default="", metavar="TEXT", help="Other dice for rolls that no record has.")
@click.option("--jobs", type=click.IntRange(min=1), metavar="N", help="Processes for several fights (default: one a core).")
@db.option
@json_option
def command(
    names: tuple[str, ...], words: tuple[str, ...], bundle: str, house: str | None, seed: str, jobs: int | None, as_json: bool
) -> int:
    """Play SESSION again under other rules: the same people, dice and answers, from its beginning.

    Plugins are taken in the release that is installed. Of a FOLDER, all fights in it, and a summary. Nothing is stored.
    The exit code is 1 when anything comes out otherwise, or could not be played.
    """
    plain, options = parameters(words)
    if plain:
        raise click.BadParameter(f"{plain[0]!r} is not written as OPTION=VALUE", param_hint="--rules")
    rules = None if house is None else tuple([name for name in house.split(",") if name])
    other = OtherRules(options=options, bundle=bundle, house=rules, seed=seed)
    at = place()
    found = list(_named(names))
    targets = [Target(at.kind, str(at.folder), name, other) for name in found]
    if len(targets) != 1 or found != list(names):
        return _several(targets, jobs or cores(), as_json)
    fight = Fight(name=names[0], problem="", same=False, whatif=(what := played(targets[0], is_alone=True)))
    if as_json:
        print_json(msgspec.structs.replace(fight, same=what.is_same))
    for line in () if as_json else told(what):
        click.echo(line)
    return 0 if what.is_same else FOUND


def _named(names: tuple[str, ...]) -> Iterator[str]:
    """Every fight that is named, those in folders one by one."""
    for name in names:
        path = Path(name)
        if not path.is_dir():
            yield name
            continue
        inside = sorted([*path.glob("*.affray"), *path.glob("*.sqlite")])
        if not inside:
            raise InputError("holds no fights", path=name)
        yield from [str(one) for one in inside]


def _several(targets: list[Target], jobs: int, as_json: bool) -> int:
    fights: list[Fight] = []
    with closing(each(fight_of, targets, jobs, _lost)) as results:
        for name in counted([target.name for target in targets], "playing again"):
            fight = next(results)
            fights.append(fight)
            if not as_json:
                click.echo(f"{printable(name)}: {_in_a_line(fight)}")
    summary = summed_up([fight.whatif for fight in fights])
    if as_json:
        print_json(Fights(summary=summary, fights=tuple(fights)))
    for line in () if as_json else _summary(summary):
        click.echo(line)
    return 0 if summary.same == summary.fights else FOUND


def fight_of(target: Target) -> Fight:
    """One of several. What is wrong with it is told and stops nobody."""
    try:
        what = played(target)
    except (AffrayError, OSError) as error:
        return Fight(name=target.name, problem=explain(error)[0], same=False, whatif=None)
    return Fight(name=target.name, problem="", same=what.is_same, whatif=what)


def _lost(target: Target) -> Fight:
    return Fight(name=target.name, problem="the process that played it ended", same=False, whatif=None)


def played(target: Target, *, is_alone: bool = False) -> WhatIf:
    """A fight played again. Raises AffrayError, OSError."""
    at, path = Place(target.kind, Path(target.folder)), Path(target.name)
    ledger = ledger_in(path) if is_path(target.name) else ledger_of(at, target.name)
    lines = progress(ledger.lines, ledger.size, "reading") if is_alone else ledger.lines
    return what_if_ledger(lines, Catalog(), target.other, ledger.where)


# -- in words


def told(what: WhatIf) -> Iterator[str]:
    """What came of one fight."""
    if what.is_same:
        yield f"{printable(what.session)}: the same, step by step"
        return
    yield from steps_in_words(what.changed, CHANGES_SHOWN)
    for one in what.dropped:
        yield f"version {one.version}: not possible any more: {printable(one.code)}"
    if what.stopped is not None:
        yield f"stopped: {stopped_in_words(what.stopped)}"
    if what.drawn:
        yield f"{len(what.drawn)} rolls that no record has were thrown"
    for difference in what.differences:
        yield difference_in_words(difference)
    yield f"{printable(what.session)}: {_ending(what)}"


def _ending(what: WhatIf) -> str:
    before, after = what.before or "still open", what.after or "still open"
    if before == after:
        return f"{len(what.changed)} steps come out otherwise, and it ends alike: {before}"
    return f"{len(what.changed)} steps come out otherwise; it ended {before}, it would end {after}"


def _in_a_line(fight: Fight) -> str:
    if fight.whatif is None:
        return printable(fight.problem)
    return "the same" if fight.same else _ending(fight.whatif)


def _summary(summary: Summary) -> Iterator[str]:
    yield f"{summary.fights} fights: {summary.same} the same, {summary.changed} otherwise, {summary.unplayed} not played"
    for what, counts in (("endings", summary.endings), ("steps", summary.steps), ("stopped", summary.stopped)):
        for name, count in counts.items():
            yield f"  {what}: {printable(name)}: {count}"


__all__ = ["command"]
