"""`affray diff`: two sessions, or two versions of one, compared by how they stand and by what happened."""

from __future__ import annotations

import os
from collections.abc import Iterator

import click
import msgspec

from affray.kernel import ChangedStep, Difference, InputError, changed_steps, differences

from ..views.differences import difference_in_words, steps_in_words
from ..views.texts import printable
from . import db
from .failures import FOUND
from .places import complete_session, find, is_path
from .printing import print_json
from .reader import Reading, json_option, reader_option

DIGITS = 15
"""Digits of a version."""

STEPS_SHOWN = 40
"""Steps that are told in words; --json has all."""


class Side(msgspec.Struct, frozen=True, kw_only=True):
    """One side: a session and the version of it that is compared."""

    session: str
    version: int


class Compared(msgspec.Struct, frozen=True, kw_only=True):
    """The document of `diff --json`. `common` is the newest version up to which both are the same, event by event."""

    a: Side
    b: Side
    common: int
    state: tuple[Difference, ...]
    steps: tuple[ChangedStep, ...]


@click.command("diff")
@click.argument("a", metavar="SESSION[@VERSION]", shell_complete=complete_session)
@click.argument("b", metavar="SESSION[@VERSION]", shell_complete=complete_session)
@reader_option
@db.option
@json_option
def command(a: str, b: str, reader: str, as_json: bool) -> int:
    """Compare two sessions, or two versions of one: how they stand, and which steps are not the same.

    Steps are matched by their slots. The exit code is 1 when there is a difference.
    """
    found = compared(a, b, reader)
    if as_json:
        print_json(found)
    for line in () if as_json else told(found):
        click.echo(line)
    return FOUND if found.state or found.steps else 0


def compared(a: str, b: str, reader: str) -> Compared:
    """Two sides as a reader may see them. Raises NoSuchSession, OSError, Damaged, InputError."""
    (one, at_one), (other, at_other) = _side(a, reader), _side(b, reader)
    lines = one.line(at_one), other.line(at_other)
    common = 0
    for (version, event), pair in zip(*lines, strict=False):
        if (version, event) != pair:
            break
        common = version
    return Compared(
        a=Side(session=one.session, version=at_one),
        b=Side(session=other.session, version=at_other),
        common=common,
        state=differences(one.state(at_one), other.state(at_other)),
        steps=changed_steps(lines[0], [event for _, event in lines[1]]),
    )


def _side(name: str, reader: str) -> tuple[Reading, int]:
    session, _, version = name.rpartition("@")
    if not session or os.path.exists(name) or (is_path(name) and not version.isdecimal()):
        session, version = name, ""
    elif not (version.isascii() and version.isdecimal() and len(version) <= DIGITS):
        raise InputError("is written SESSION@VERSION, with a number", path="SESSION", value=name)
    reading = Reading(find(session), reader)
    return reading, int(version) if version else reading.version


def told(found: Compared) -> Iterator[str]:
    """What differs, a line each."""
    a, b = (f"{printable(side.session)}@{side.version}" for side in (found.a, found.b))
    yield f"{a} -> {b}: the same up to version {found.common}"
    for difference in found.state:
        yield difference_in_words(difference)
    yield from steps_in_words(found.steps, STEPS_SHOWN)
    if not found.state and not found.steps:
        yield "no difference"
