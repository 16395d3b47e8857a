"""`affray plugins`: what is installed, and whether it can be loaded."""

from __future__ import annotations

import click
import msgspec

from affray.kernel import AffrayError

from ..catalog import SYSTEMS, Catalog, Offer
from ..views.texts import printable
from .failures import FOUND
from .printing import print_json
from .reader import json_option


class Listed(msgspec.Struct, frozen=True, kw_only=True):
    """One entry of `plugins --json`. `kind` is system or house-rule; title, release and bundles are those of a system."""

    kind: str
    id: str
    title: str
    release: str
    distribution: str
    version: str
    target: str
    problem: str
    bundles: tuple[str, ...]


@click.command("plugins")
@json_option
def command(as_json: bool) -> int:
    """List the rules systems and house rules that are installed.

    The exit code is 1 when one of them cannot be loaded.
    """
    catalog = Catalog()
    found = [_listed(catalog, offer) for offer in catalog.offers(load=True)]
    if as_json:
        print_json(found)
    elif not found:
        click.echo("no rules plugin is installed")
    for one in [] if as_json else found:
        title = f" — {printable(one.title)}, release {one.release}" if one.title else ""
        source = f" ({one.distribution} {one.version})" if one.distribution else ""
        problem = f": {printable(one.problem)}" if one.problem else ""
        click.echo(f"{one.kind} {one.id}{title}{source}{problem}")
        if one.bundles:
            click.echo(f"  bundles of options: {', '.join(one.bundles)}")
    return FOUND if any(one.problem for one in found) else 0


def _listed(catalog: Catalog, offer: Offer) -> Listed:
    title = release = ""
    bundles: tuple[str, ...] = ()
    problem = offer.problem
    is_system = offer.group == SYSTEMS
    if is_system and not problem:
        try:
            described = catalog.describe(offer.id)
            title, release, bundles = described.title, described.release, tuple(described.bundles)
        except AffrayError as error:
            problem = str(error)
    return Listed(
        kind="system" if is_system else "house-rule",
        id=offer.id,
        title=title,
        release=release,
        distribution=offer.distribution,
        version=offer.version,
        target=offer.target,
        problem=problem,
        bundles=bundles,
    )
