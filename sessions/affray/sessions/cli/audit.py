"""`affray audit`: logs carried out again with the rules they name, with every kept part there is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import click

from affray.kernel import AffrayError, Audit, Damaged, Verdict

from ..auditing import Again, again_from, again_from_file, audit_ledger, unreadable
from ..catalog import Catalog
from ..processes import cores, each
from ..views.audits import document, first_of, state_of, told
from ..views.texts import printable
from . import db
from .failures import FOUND, explain
from .places import (
    ENDINGS,
    SQLITE,
    Ledger,
    Place,
    complete_session,
    folder,
    is_path,
    ledger_in,
    ledger_of,
    place,
    store,
)
from .printing import counted, print_json, progress
from .reader import json_option, reader_option
from .verify import dice_text, head_of


class Target(NamedTuple):
    """What a process needs to audit a SESSION: where stored sessions are, its name, and who reads what is found."""

    kind: str
    folder: str
    name: str
    reader: str


@click.command("audit")
@click.argument("names", nargs=-1, metavar="[SESSION]...", shell_complete=complete_session)
@click.option("--all", "every", is_flag=True, help="Every stored session, as without any SESSION.")
@click.option("--jobs", type=click.IntRange(min=1), metavar="N", help="Processes for several SESSIONs (default: one a core).")
@reader_option
@db.option
@json_option
def command(names: tuple[str, ...], every: bool, jobs: int | None, reader: str, as_json: bool) -> int:
    """Carry SESSION out again with its rules, and tell where record and rules part. Of several: one line each.

    Beside that: what was undone, thrown again, overruled or reported, and what could not be checked. The exit code is 1
    when something is wrong in any of them. With --json: a list, except for one named SESSION.
    """
    if every and names:
        raise click.UsageError("name sessions, or say --all", click.get_current_context())
    at = place()
    targets = [Target(at.kind, str(at.folder), name, reader) for name in names or store().sessions()]
    if len(names) != 1:
        return _several(targets, jobs or cores(), as_json)
    audit = audit_of(targets[0], is_alone=True)
    if as_json:
        print_json(document(audit, head_of(_verdict(audit))))
    for line in () if as_json else _lines(audit):
        click.echo(line)
    return 0 if audit.is_clean else FOUND


def _several(targets: Sequence[Target], jobs: int, as_json: bool) -> int:
    is_clean = True
    documents = []
    with closing(each(audited, targets, jobs, _lost)) as audits:
        for name in counted([target.name for target in targets], "auditing"):
            audit = next(audits)
            is_clean = is_clean and audit.is_clean
            if as_json:
                documents.append(document(audit, head_of(_verdict(audit))))
            else:
                click.echo(_in_a_line(name, audit))
    if as_json:
        print_json(documents)
    elif not targets:
        click.echo(f"no sessions in {folder()}")
    return 0 if is_clean else FOUND


def audited(target: Target) -> Audit:
    """The audit of one of several. One that cannot be read at all is a finding."""
    try:
        return audit_of(target)
    except (AffrayError, OSError) as error:
        return _unread(target, explain(error)[0])


def _lost(target: Target) -> Audit:
    return _unread(target, "the process that audited it ended")


def _unread(target: Target, problem: str, code: str = "unreadable", version: int = 0) -> Audit:
    return unreadable(code, problem, session="" if is_path(target.name) else target.name, version=version)


def audit_of(target: Target, *, is_alone: bool = False) -> Audit:
    """What auditing a SESSION finds, as one reader may know it. Raises NoSuchSession, OSError, InputError.

    `is_alone` says that a terminal may be told how far a long log is read.
    """
    at, path = Place(target.kind, Path(target.folder)), Path(target.name)
    try:
        ledger = ledger_in(path) if is_path(target.name) else ledger_of(at, target.name)
    except Damaged as damage:
        return _unread(target, str(damage), "damaged", damage.version)
    lines = progress(ledger.lines, ledger.size, "auditing") if is_alone else ledger.lines
    return audit_ledger(lines, Catalog(), again=_again(ledger), where=ledger.where, reader=target.reader)


def _again(ledger: Ledger) -> Again:
    """How to read a ledger again, without telling anything on the side a second time."""
    path = ledger.path
    if path.suffix != ENDINGS[SQLITE]:
        return again_from_file(path, ledger.size)
    from ..stores.sqlite import SqliteStore

    return again_from(lambda: SqliteStore(path.parent).read(path.stem))


def _lines(audit: Audit) -> Iterator[str]:
    """An audit as lines of text."""
    verdict = _verdict(audit)
    yield from told(audit)
    yield f"dice: {dice_text(verdict)}"
    if audit.hidden:
        yield f"{audit.hidden} events have parts that are not in this copy"
    yield from audit.notes
    yield f"head: {head_of(verdict)}"
    yield state_of(audit)


def _in_a_line(name: str, audit: Audit) -> str:
    """An audit as one line: clean with its head, or what was found first."""
    return f"{printable(name)}: {state_of(audit)}; {first_of(audit) or f'head: {head_of(_verdict(audit))}'}"


def _verdict(audit: Audit) -> Verdict:
    """What `verify` alone would say."""
    return Verdict(
        session=audit.session,
        version=audit.version,
        digest=audit.digest,
        commits=audit.commits,
        hidden=audit.hidden,
        findings=audit.findings,
        dice=audit.dice,
        notes=audit.notes,
    )
