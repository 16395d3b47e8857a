"""`affray copy`: store a session in another folder too."""

from __future__ import annotations

import click

from affray.kernel import InputError

from .bringing import Whole, bring, tell
from .places import find, note, place, place_named, stored_id
from .printing import progress
from .reader import json_option, session_argument


@click.command("copy")
@session_argument
@click.option("--to", "to", required=True, metavar="FOLDER", help="The other store: FOLDER, sqlite:FOLDER or jsonl:FOLDER.")
@click.option("--with-secret", is_flag=True, help="Take the secret of the dice along, to play on there instead of here.")
@json_option
def command(session: str, to: str, with_secret: bool, as_json: bool) -> int:
    """Store SESSION in another folder too, byte for byte with all that is kept.

    Without the secret of its dice the copy is read and verified, not played on. With it, play on in one place only: the dice of
    both are the same, so whoever plays in one knows what the other will roll.
    """
    here, there = place(), place_named(to)
    if there.folder.exists() and here.folder.exists() and there.folder.samefile(here.folder):
        raise InputError("is where the session is already", path="--to", value=to)
    ledger = find(stored_id(session))
    whole = Whole(progress(ledger.lines, ledger.size, "reading"), ledger.where)
    secret = None
    if with_secret:
        kept = here.open()
        secret = kept.secret(session)
        kept.close()
        if secret is None:
            raise InputError("has no secret here; it is a copy itself", path="--with-secret", value=session)
    brought = bring(whole, there, secret)
    tell(brought, as_json)
    if secret is not None:
        note(f"play on in one place only: {brought.file} has the secret of its dice now")
    return 0
