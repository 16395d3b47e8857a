"""`affray rules`: which rules a session is pinned to, whether they are installed, and a change of them from here on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import click
import msgspec

from affray.kernel import (
    GM,
    AffrayError,
    InputError,
    Json,
    Manifest,
    Open,
    Pin,
    PluginUnavailable,
    Refused,
    RuleSet,
    System,
    commands,
)
from affray.kernel import Rules as RulesEvent

from ..catalog import Catalog
from ..encounter import with_path
from ..engine import Engine
from ..logs import configure
from ..session import Session
from ..views.texts import printable
from . import db
from .commanding import Sending, before, parameters, send, sending
from .failures import FOUND
from .places import store
from .playing import program
from .plugins import in_order
from .printing import print_json


class Pinned(msgspec.Struct, frozen=True, kw_only=True):
    """A plugin as the session pins it, and the release that is installed ("" for none, with the `problem`)."""

    kind: str
    id: str
    distribution: str
    release: str
    installed: str
    problem: str


class Waiting(msgspec.Struct, frozen=True, kw_only=True):
    """An open action that does not go on under the rules in force, or cannot go on: `rules` is the version that pinned its own.

    `problem` says why those cannot be had, "" where they can.
    """

    id: str
    what: str
    actor: str
    since: int
    rules: int
    problem: str


class Rules(msgspec.Struct, frozen=True, kw_only=True):
    """The document of `rules --json`.

    `since` is the version that pinned the rules in force, `same` whether the plugins publish what they did then (null where they
    cannot be had), `overlaps` the hooks in which the order of the house rules counts, `waiting` what is open under other rules or
    under rules that cannot be had.
    """

    session: str
    version: int
    since: int
    plugins: tuple[Pinned, ...]
    options: dict[str, Any]
    same: bool | None
    overlaps: dict[str, tuple[str, ...]]
    waiting: tuple[Waiting, ...]
    problem: str

    @property
    def is_in_order(self) -> bool:
        """Whether the session is decided by the very rules that it is pinned to."""
        return self.same is True and not self.problem and not any(one.problem for one in self.plugins)


@click.command("rules")
@sending
@click.argument("words", nargs=-1, metavar="[OPTION=VALUE]...")
@click.option("--accept", is_flag=True, help="Go on with what is installed, where it is not what the session is pinned to.")
@click.option("--bundle", default="", metavar="NAME", help="Options that the system offers together.")
@click.option("--house", default=None, metavar="RULE,...", help="The house rules in their order; '' for none.")
@click.option("--reason", default="", help="Why the rules change; it stands in the log.")
def command(session: str, how: Sending, words: tuple[str, ...], accept: bool, bundle: str, house: str | None, reason: str) -> int:
    """Show the rules of SESSION and whether they are installed, or change them from here on.

    What was decided stays decided; an action that is open goes on under the rules it was declared under. The exit code
    is 1 while the rules that SESSION is pinned to cannot be had, or are not what they were when they were pinned.
    """
    plain, options = parameters(words)
    if plain:
        raise click.BadParameter(f"{plain[0]!r} is not written as OPTION=VALUE", param_hint="OPTION=VALUE")
    if not (accept or options or bundle or house is not None):
        return _show(session, how.as_json)
    named = None if house is None else [name.strip() for name in house.split(",") if name.strip()]
    code = send(session, how, lambda found: _change(found, how, options, bundle, named, accept, reason))
    if not code and not how.as_json:
        for line in _still_waiting(_look_at(session)):
            click.echo(line)
    return code


# -- a change


def _change(
    session: Session,
    how: Sending,
    options: dict[str, Json],
    bundle: str,
    house: Sequence[str] | None,
    accept: bool,
    reason: str,
) -> commands.Command | Refused:
    catalog, again = Catalog(), before(session, how) is not None
    now = _manifest_before(session, how) if again else session.manifest
    kept = {} if bundle else _known(now.options, catalog.describe(now.system.id), is_told=accept)
    made = catalog.manifest(now.system.id, {**kept, **options}, _house(catalog, now, house), bundle)
    drifted = drift(now, made)
    if drifted and not accept:
        raise InputError(f"{'; '.join(drifted)}: say --accept to go on with it", path="rules")
    rules = catalog.rules(made)
    if not again:
        _check_people(session, rules)
        if made == now and rules.fingerprint == _pinning(session)[1].fingerprint:
            return Refused("rules-unchanged")
    return commands.SetRules(manifest=made, reason=reason or ("accepted" if accept else ""))


def _manifest_before(session: Session, how: Sending) -> Manifest:
    """The rules that were in force when a command was sent for the first time, so that it is the same command again."""
    first = next(
        one.version
        for one in session.history(reader=GM)
        if one.sender is not None and (one.sender.caller, one.sender.command) == (how.caller, how.id)
    )
    return session.state(first - 1, reader=GM).manifest or session.manifest


def _house(catalog: Catalog, now: Manifest, house: Sequence[str] | None) -> Sequence[str]:
    """The house rules that are wanted: those named, else those in force. Raises InputError where one of these is gone."""
    if house is not None:
        return house
    names = [pin.id for pin in now.house]
    for name in names:
        try:
            catalog.house_rule(name)
        except PluginUnavailable as error:
            others = ",".join([other for other in names if other != name])
            raise InputError(f"{error}; --house '{others}' goes on without it", path="rules") from None
    return names


def _known(options: dict[str, Json], system: System, *, is_told: bool) -> dict[str, Json]:
    """The options that the installed release knows; with `is_told`, others are left out and named on standard error."""
    known = {field.name for field in msgspec.structs.fields(system.options)}
    gone = [name for name in options if name not in known]
    if not is_told or not gone:
        return dict(options)
    click.echo(f"affray: {system.id} {system.release} has no option {', '.join(gone)}, which is left out", err=True)
    return {name: value for name, value in options.items() if name in known}


def _check_people(session: Session, rules: RuleSet) -> None:
    """Refuse rules under which somebody who is in the fight could not have joined: they would fail in the middle of it."""
    for one in session.state(reader=GM).combatants.values():
        if one.gone or one.sheet is None:
            continue
        path = f"rules: {one.id}'s sheet"
        pools = with_path(path, rules.pools, with_path(path, rules.read_sheet, one.sheet))
        if missing := [name for name in pools if name not in one.pools]:
            raise InputError(f"has joined without what these rules need: {', '.join(missing)}", path=f"rules: {one.id}")


def drift(now: Manifest, made: Manifest) -> list[str]:
    """What is installed in another release than the session is pinned to."""
    pinned = {pin.id: pin.release for pin in (now.system, *now.house)}
    return [
        f"release {pin.release} of {pin.id} is installed, the session has {pinned[pin.id]}"
        for pin in (made.system, *made.house)
        if pin.id in pinned and pinned[pin.id] != pin.release
    ]


# -- what there is


def _show(name: str, as_json: bool) -> int:
    found = _look_at(name)
    if as_json:
        print_json(found)
    else:
        for line in _lines(found):
            click.echo(line)
    return 0 if found.is_in_order else FOUND


def _look_at(name: str) -> Rules:
    configure("error")
    kept = store()
    try:
        catalog = Catalog()
        return look(Engine(kept, catalog).load(name), catalog)
    finally:
        kept.close()


def look(session: Session, catalog: Catalog) -> Rules:
    """How a session's rules stand in this environment."""
    manifest = session.manifest
    since, event = _pinning(session)
    pins = [("system", manifest.system), *[("house-rule", pin) for pin in manifest.house]]
    plugins = tuple([_pinned(catalog, kind, pin) for kind, pin in pins])
    problem = "" if session.problem is None else str(session.problem)
    same, overlaps = None, {}
    try:
        rules = catalog.rules(manifest)
        same, overlaps = rules.fingerprint == event.fingerprint, rules.overlaps()
    except PluginUnavailable as error:
        if not any(one.problem for one in plugins):  # each can be had, and not together
            problem = problem or str(error)
    except AffrayError as error:
        problem = problem or str(error)
    return Rules(
        session=session.id,
        version=session.head,
        since=since,
        plugins=plugins,
        options=manifest.options,
        same=same,
        overlaps=overlaps,
        waiting=tuple(_waiting(session, catalog, since)),
        problem=problem,
    )


def _pinning(session: Session, at: int | None = None) -> tuple[int, Open | RulesEvent]:
    """The event of the present line that pinned the rules in force, or those in force at a version."""
    found: tuple[int, Open | RulesEvent] | None = None
    for one in session.history(reader=GM):
        if isinstance(one.event, Open | RulesEvent) and not one.undone and (at is None or one.version <= at):
            found = one.version, one.event
    assert found is not None, "a log begins with `open`"
    return found


def _waiting(session: Session, catalog: Catalog, since: int) -> Iterator[Waiting]:
    for run in session.state(reader=GM).open.values():
        pinned, event = _pinning(session, run.since)
        problem = ""
        try:
            catalog.rules(event.manifest)
        except AffrayError as error:
            problem = str(error)
        if problem or pinned < since:
            yield Waiting(id=run.id, what=run.what, actor=run.actor, since=run.since, rules=pinned, problem=problem)


def _pinned(catalog: Catalog, kind: str, pin: Pin) -> Pinned:
    installed = problem = ""
    try:
        installed = catalog.describe(pin.id).release if kind == "system" else catalog.house_rule(pin.id).release
    except PluginUnavailable as error:
        problem = error.problem
    except AffrayError as error:
        problem = str(error)
    if installed and installed != pin.release:
        problem = f"release {installed} is installed"
    return Pinned(
        kind=kind, id=pin.id, distribution=pin.distribution, release=pin.release, installed=installed, problem=problem
    )


# -- in words


def _lines(found: Rules) -> Iterator[str]:
    yield f"{found.session}: the rules since version {found.since}"
    for one in found.plugins:
        source = f" ({one.distribution})" if one.distribution else ""
        yield f"{one.kind} {one.id}, release {one.release}{source}: {printable(one.problem) or 'installed'}"
    for name, value in found.options.items():
        yield f"  {name} = {printable(msgspec.json.encode(value).decode())}"
    if found.overlaps:
        yield "the order of the house rules counts:"
        yield from [f"  {line}" for line in in_order(found.overlaps)]
    yield from _still_waiting(found)
    yield from _hints(found)


def _still_waiting(found: Rules) -> Iterator[str]:
    """What is open under other rules, and how to end what cannot go on."""
    for run in found.waiting:
        what = f"open: {run.what} of {run.actor or 'nobody'} ({run.id})"
        if not run.problem:
            yield f"{what} goes on under the rules of version {run.rules}"
            continue
        yield f"{what} needs the rules of version {run.rules}: {printable(run.problem)}"
        yield f"  end it: {_program(found, 'overrule')} close-action action={run.id} code=cancelled --reason TEXT"


def _hints(found: Rules) -> Iterator[str]:
    """What is wrong, and what helps."""
    missing = [one for one in found.plugins if not one.installed]
    others = [one for one in found.plugins if one.installed and one.problem]
    if missing or others:
        yield "nothing can be decided until the rules are installed as they are pinned, or others are accepted; reading needs none"
    elif found.problem and not any(run.problem for run in found.waiting):
        yield f"nothing can be decided: {printable(found.problem)}"
    gone = [one.id for one in missing if one.kind == "house-rule"]
    if any(one.kind == "system" for one in missing):
        yield f"install {missing[0].id} to go on"
    elif gone:
        left = ",".join([one.id for one in found.plugins if one.kind == "house-rule" and one.id not in gone])
        accept = " --accept" if others else ""
        yield f"go on without {', '.join(gone)}: {_program(found, 'rules')} --house '{left}'{accept}"
    elif others:
        yield f"go on with what is installed: {_program(found, 'rules')} --accept"
    elif found.same is False:
        yield "the plugins publish something else than when these rules were pinned, under the same releases; deciding goes on"
        yield f"have that in the log: {_program(found, 'rules')} --accept"


def _program(found: Rules, command: str) -> str:
    return f"{program()} {command} {found.session}{db.words()}"


__all__ = ["Pinned", "Rules", "Waiting", "command", "drift", "look"]
