"""`affray copy`: store a session in another folder too."""

from __future__ import annotations

import click

from affray.kernel import InputError

from .bringing import Whole, bring, tell
from .places import find, place, place_named, stored_id
from .printing import progress
from .reader import json_option, session_argument


@click.command("copy")
@session_argument
@click.option("--to", "to", required=True, metavar="FOLDER", help="The other store: FOLDER, sqlite:FOLDER or jsonl:FOLDER.")
@json_option
def command(session: str, to: str, as_json: bool) -> int:
    """Store SESSION in another folder too, byte for byte with all that is kept, to be read and verified there.

    It is played on here only: the secret of its dice stays, since two that can be played on would throw the same dice. To
    play on elsewhere, move the whole folder.
    """
    here, there = place(), place_named(to)
    if there.folder.exists() and here.folder.exists() and there.folder.samefile(here.folder):
        raise InputError("is where the session is already", path="--to", value=to)
    ledger = find(stored_id(session))
    tell(bring(Whole(progress(ledger.lines, ledger.size, "reading"), ledger.where), there), as_json)
    return 0
