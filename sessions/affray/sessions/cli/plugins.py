"""`affray plugins`: what is installed, whether it can be loaded, and in which hooks the order of house rules counts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import click
import msgspec
from msgspec.structs import replace

from affray.kernel import AffrayError

from ..catalog import SYSTEMS, Catalog, Offer
from ..views.texts import printable
from .failures import FOUND
from .printing import print_json
from .reader import json_option

ORDERED: Mapping[str, str] = {
    "begin": "the last one that answers counts",
    "resolve": "the last one that answers counts",
    "check": "the first refusal counts",
    "is_over": "the first ending counts",
    "ruling": "each is given what the one before left",
    "upkeep": "one after the other",
    "follow": "one after the other",
    "texts": "the later words are read",
}
"""Hooks whose order can be seen -> how it counts."""


class Listed(msgspec.Struct, frozen=True, kw_only=True):
    """One entry of `plugins --json`. `kind` is system or house-rule.

    `bundles` and `overlaps` are those of a system: named sets of options, and the hooks that several of the installed house rules
    for it share and in which their order counts. `systems` (none: any), `summary` and `hooks` are those of a house rule.
    """

    kind: str
    id: str
    title: str = ""
    release: str = ""
    distribution: str
    version: str
    target: str
    problem: str = ""
    bundles: tuple[str, ...] = ()
    systems: tuple[str, ...] = ()
    summary: str = ""
    hooks: tuple[str, ...] = ()
    overlaps: dict[str, tuple[str, ...]] = {}


@click.command("plugins")
@json_option
def command(as_json: bool) -> int:
    """List the rules systems and house rules that are installed.

    The exit code is 1 when one of them cannot be loaded.
    """
    found = listing(Catalog())
    if as_json:
        print_json(found)
    elif not found:
        click.echo("no rules plugin is installed")
    for one in [] if as_json else found:
        for line in _lines(one):
            click.echo(line)
    return FOUND if any(one.problem for one in found) else 0


def listing(catalog: Catalog) -> list[Listed]:
    """Everything installed: systems, then house rules. Every plugin is imported, every rule built with every system it is for."""
    offers = catalog.offers(load=True)
    systems = [_system(catalog, offer) for offer in offers if offer.group == SYSTEMS]
    playable = [one.id for one in systems if not one.problem]
    rules = [_house_rule(catalog, offer, playable) for offer in offers if offer.group != SYSTEMS]
    return [*[_with_overlaps(catalog, one, rules) for one in systems], *rules]


def _listed(offer: Offer, kind: str) -> Listed:
    return Listed(
        kind=kind,
        id=offer.id,
        distribution=offer.distribution,
        version=offer.version,
        target=offer.target,
        problem=offer.problem,
    )


def _system(catalog: Catalog, offer: Offer) -> Listed:
    one = _listed(offer, "system")
    if one.problem:
        return one
    try:
        described = catalog.describe(offer.id)
    except AffrayError as error:
        return replace(one, problem=str(error))
    return replace(one, title=described.title, release=described.release, bundles=tuple(described.bundles))


def _house_rule(catalog: Catalog, offer: Offer, playable: Sequence[str]) -> Listed:
    one = _listed(offer, "house-rule")
    if one.problem:
        return one
    try:
        told = catalog.house_rule(offer.id)
        one = replace(one, title=told.title, release=told.release, systems=told.systems, summary=told.summary)
        for system in playable:
            if system in (told.systems or playable):
                built = catalog.rules(catalog.manifest(system, {}, [offer.id]))
                one = replace(one, hooks=built.hooks_of(offer.id))
    except AffrayError as error:
        return replace(one, problem=str(error))
    return one


def _with_overlaps(catalog: Catalog, system: Listed, rules: Sequence[Listed]) -> Listed:
    """A system with the hooks that the house rules installed for it share."""
    names = [rule.id for rule in rules if not rule.problem and system.id in (rule.systems or (system.id,))]
    if system.problem or len(names) < 2:
        return system
    try:
        return replace(system, overlaps=catalog.rules(catalog.manifest(system.id, {}, names)).overlaps())
    except AffrayError as error:  # two that cannot stand beside each other
        return replace(system, problem=f"its house rules together: {error}")


def _lines(one: Listed) -> Iterator[str]:
    title = f" — {printable(one.title)}" if one.title else ""
    release = f", release {printable(one.release)}" if one.release else ""
    systems = f", for {', '.join(one.systems)}" if one.systems else ""
    source = f" ({one.distribution} {one.version})" if one.distribution else ""
    problem = f": {printable(one.problem)}" if one.problem else ""
    yield f"{one.kind} {one.id}{title}{release}{systems}{source}{problem}"
    if one.summary:
        yield f"  {printable(one.summary)}"
    if one.bundles:
        yield f"  bundles of options: {', '.join(one.bundles)}"
    if one.overlaps:
        yield "  house rules whose order counts, where several are in force:"
        yield from [f"    {line}" for line in in_order(one.overlaps)]


def in_order(overlaps: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """Overlaps in words, a line a hook."""
    for hook, names in overlaps.items():
        yield f"{hook}: {', '.join(names)} ({ORDERED[hook]})"


__all__ = ["Listed", "command", "in_order", "listing"]
