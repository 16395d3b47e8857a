"""`affray import`: store an `.affray` file as a session, after verifying it."""

from __future__ import annotations

from pathlib import Path

import click

from affray.kernel import verify

from . import db
from .bringing import Whole, bring, tell
from .failures import FOUND
from .places import ledger_in, place
from .printing import progress
from .reader import json_option
from .verify import findings


@click.command("import")
@click.argument("file", type=click.Path(path_type=Path))
@db.option
@json_option
def command(file: Path, as_json: bool) -> int:
    """Verify FILE, an .affray file, and store it under its own id, as the bytes it is.

    A file with a finding is not stored, nor is one whose id is taken. The secrets of the dice are in no file, so that
    what was imported can be read and verified, not played on.
    """
    ledger = ledger_in(file)
    whole = Whole(progress(ledger.lines, ledger.size, "reading"), ledger.where)
    verdict = verify(progress(iter(whole.lines), ledger.size, "verifying"), where=ledger.where)
    if not verdict.is_clean:
        for line in findings(verdict):
            click.echo(f"affray: {line}", err=True)
        click.echo(f"affray: {ledger.where}: not stored, since verifying it found this", err=True)
        return FOUND
    tell(bring(whole, place()), as_json)
    return 0
