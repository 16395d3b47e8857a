"""`affray rules`: which rules a session is pinned to, whether they are installed, and a change of them from here on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click
import msgspec

from affray.kernel import AffrayError, InputError, Json, Manifest, Pin, Refused, commands

from ..catalog import Catalog
from ..engine import Engine
from ..logs import configure
from ..session import Session
from ..views.texts import printable
from .commanding import Sending, parameters, send, sending
from .failures import FOUND
from .places import store
from .printing import print_json


class Pinned(msgspec.Struct, frozen=True, kw_only=True):
    """A plugin as the session pins it, and the release that is installed ("" for none, with the `problem`)."""

    kind: str
    id: str
    distribution: str
    release: str
    installed: str
    problem: str


class Rules(msgspec.Struct, frozen=True, kw_only=True):
    """The document of `rules --json`."""

    session: str
    version: int
    plugins: tuple[Pinned, ...]
    options: dict[str, Any]
    problem: str


@click.command("rules")
@sending
@click.argument("words", nargs=-1, metavar="[OPTION=VALUE]...")
@click.option("--accept", is_flag=True, help="Go on with the releases that are installed.")
@click.option("--bundle", default="", metavar="NAME", help="Options that the system offers together.")
@click.option("--house", default=None, metavar="RULE,...", help="The house rules in their order; '' for none.")
@click.option("--reason", default="", help="Why the rules change; it stands in the log.")
def command(session: str, how: Sending, words: tuple[str, ...], accept: bool, bundle: str, house: str | None, reason: str) -> int:
    """Show the rules of SESSION and whether they are installed, or change them from here on.

    What was decided stays decided; an action that is open goes on under the rules it was declared under. The exit code
    is 1 while the rules that SESSION is pinned to cannot be had.
    """
    plain, options = parameters(words)
    if plain:
        raise click.BadParameter(f"{plain[0]!r} is not written as OPTION=VALUE", param_hint="OPTION=VALUE")
    if not (accept or options or bundle or house is not None):
        return _show(session, how.as_json)
    named = None if house is None else [name for name in house.split(",") if name]
    return send(session, how, lambda found: _change(found, options, bundle, named, accept, reason))


def _change(
    session: Session, options: dict[str, Json], bundle: str, house: Sequence[str] | None, accept: bool, reason: str
) -> commands.Command | Refused:
    now = session.manifest
    rules = [pin.id for pin in now.house] if house is None else house
    made = Catalog().manifest(now.system.id, {**({} if bundle else now.options), **options}, rules, bundle)
    if not accept and any(drift(now, made)):
        raise InputError(f"{'; '.join(drift(now, made))}: say --accept to go on with it", path="rules")
    return commands.SetRules(manifest=made, reason=reason or ("accepted" if accept else ""))


def drift(now: Manifest, made: Manifest) -> list[str]:
    """What is installed in another release than the session is pinned to."""
    pinned = {pin.id: pin.release for pin in (now.system, *now.house)}
    return [
        f"release {pin.release} of {pin.id} is installed, the session has {pinned[pin.id]}"
        for pin in (made.system, *made.house)
        if pin.id in pinned and pinned[pin.id] != pin.release
    ]


def _show(name: str, as_json: bool) -> int:
    configure("error")
    kept = store()
    try:
        catalog = Catalog()
        session = Engine(kept, catalog).load(name)
        manifest = session.manifest
        pins = [("system", manifest.system), *[("house-rule", pin) for pin in manifest.house]]
        plugins = tuple([_pinned(catalog, kind, pin, manifest) for kind, pin in pins])
        problem = "" if session.problem is None else str(session.problem)
        found = Rules(session=session.id, version=session.head, plugins=plugins, options=manifest.options, problem=problem)
    finally:
        kept.close()
    if as_json:
        print_json(found)
    else:
        _tell(found)
    return FOUND if any(one.problem for one in found.plugins) or found.problem else 0


def _pinned(catalog: Catalog, kind: str, pin: Pin, manifest: Manifest) -> Pinned:
    installed = problem = ""
    try:
        if kind == "system":
            installed = catalog.describe(pin.id).release
        else:
            installed = catalog.manifest(manifest.system.id, {}, [pin.id]).house[0].release
    except AffrayError as error:
        problem = str(error)
    if installed and installed != pin.release:
        problem = f"release {installed} is installed; --accept goes on with it"
    return Pinned(
        kind=kind, id=pin.id, distribution=pin.distribution, release=pin.release, installed=installed, problem=problem
    )


def _tell(found: Rules) -> None:
    for one in found.plugins:
        source = f" ({one.distribution})" if one.distribution else ""
        problem = f": {printable(one.problem)}" if one.problem else ""
        click.echo(f"{one.kind} {one.id}, release {one.release}{source}{problem}")
    for name, value in found.options.items():
        click.echo(f"  {name} = {printable(msgspec.json.encode(value).decode())}")
    if found.problem:
        click.echo(f"nothing can be decided: {printable(found.problem)}")
