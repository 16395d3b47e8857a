"""`affray amend`: change what was forgotten or wrong in a stored session, and play everything since again."""

from __future__ import annotations

from typing import Any

import click
import msgspec

from affray.kernel import GM, AmendPlan, Refused, commands

from ..catalog import Catalog
from ..engine import Engine
from ..logs import configure
from ..session import Session
from ..verbs import Answer
from ..views.amended import Recording, ending, told
from ..views.refusals import why
from ..views.texts import Texts, printable
from .commanding import Refusal, Sending, send, sending
from .edits import Typed, edits_of
from .failures import FOUND
from .places import store
from .printing import Page, print_json
from .reader import texts_of

UNTOLD = "(no reason told yet)"
"""Stands for the reason while an amend is only planned."""


class Planned(msgspec.Struct, frozen=True, kw_only=True):
    """The document of a plan with --json: what an amend would do, or why it cannot be done."""

    session: str
    version: int
    refused: Refusal | None
    plan: AmendPlan | None


@click.command("amend")
@sending
@click.option("--at", type=click.IntRange(min=1), metavar="VERSION", help="Where something is to be otherwise.")
@click.option("--modifier", "modifiers", multiple=True, metavar="PLACE=AMOUNT[:CODE]", help="Give its action a modifier.")
@click.option("--answer", default="", metavar="CODE", help="Another answer.")
@click.option("--faces", default="", metavar="'3 4; 5'", help="Other faces of a roll, one chain a die.")
@click.option("--value", default="", metavar="N", help="Another number of a step: damage, a change, a defence.")
@click.option("--set", "fields", multiple=True, metavar="FIELD=JSON", help="Any field of a step.")
@click.option("--no-hit", is_flag=True, help="Damage that does nothing.")
@click.option("--target", "targets", multiple=True, metavar="ID", help="Other targets of its action.")
@click.option("--param", "params", multiple=True, metavar="KEY=VALUE", help="Another parameter of its action.")
@click.option("--sheet", multiple=True, metavar="PATH=VALUE", help="Another value on the sheet of one who joins there.")
@click.option("--drop", is_flag=True, help="Leave the command out.")
@click.option("--pool", "pools", multiple=True, metavar="WHO.POOL=N", help="Set a pool there.")
@click.option("--condition", "conditions", multiple=True, metavar="WHO=ID[:VALUE]", help="Give a condition there.")
@click.option("--end-condition", "ended", multiple=True, metavar="WHO=ID", help="End a condition there.")
@click.option("--after", is_flag=True, help="Set these behind the command, not before it.")
@click.option("--supply", "supplies", multiple=True, nargs=3, metavar="SLOT WHO CODE", help="An answer that the record lacks.")
@click.option("--edits", "file", default="", metavar="FILE", help="More edits, a JSON list.")
@click.option("--continue", "go_on", is_flag=True, help="Go on with an amend that stopped.")
@click.option("--reason", default="", metavar="TEXT", help="Why; it stands in the log.")
@click.option("--apply", is_flag=True, help="Do it. Without, it is only told what would come out.")
@click.option("--all", "everything", is_flag=True, help="Tell every step, however many.")
def command(
    session: str, how: Sending, go_on: bool, reason: str, apply: bool, everything: bool, at: int | None, **typed: Any
) -> int:
    """Go back in SESSION, change what was forgotten or wrong, and play everything since again.

    The dice and answers that are recorded stay what they were. Without --apply nothing is stored: the plan tells which
    steps come out otherwise, as far as the recorded dice reach. Where an answer or a declaration is missing it stops;
    give that as ever, then --continue. One undo takes back all of it.
    """
    words = Typed(at=at or 0, **typed)
    if words.needs_version and not at:
        raise click.UsageError("say where with --at VERSION", click.get_current_context())
    if not (at or words.file or words.supplies or go_on):
        raise click.UsageError("say what is to be otherwise: --at VERSION with an edit, --edits FILE, or --continue", click.get_current_context())
    if apply and not (reason or go_on):
        raise click.UsageError("say why with --reason TEXT; it stands in the log", click.get_current_context())

    def make(loaded: Session) -> commands.Amend | Refused:
        if how.caller != GM:
            return Refused("gm-only", (how.caller,))
        edits = edits_of(words, [one.event for one in loaded.history(reader=GM)])
        since = (at or 0) if not go_on and not words.needs_version else 0
        return commands.Amend(edits=edits, reason=reason or ("" if apply else UNTOLD), since=since, go_on=go_on)

    if not apply:
        return _plan(session, how, make, has_reason=bool(reason) or go_on, everything=everything)

    def tell(loaded: Session, reader: str, answer: Answer, texts: Texts, page: Page) -> None:
        if loaded.amended is not None:
            _tell(loaded, loaded.amended, texts, page, everything=everything, is_stored=True)

    return send(session, how, make, tell)


def _plan(session: str, how: Sending, make: Any, *, has_reason: bool, everything: bool) -> int:
    """Tell what an amend would do."""
    configure("error")
    kept = store()
    try:
        loaded = Engine(kept, Catalog()).load(session)
        texts = texts_of(loaded.state())
        amend = make(loaded)
        found = amend if isinstance(amend, Refused) else loaded.amend_plan(amend)
        return _print(loaded, found, texts, how, has_reason=has_reason, everything=everything)
    finally:
        kept.close()


def _print(
    session: Session, found: AmendPlan | Refused, texts: Texts, how: Sending, *, has_reason: bool, everything: bool
) -> int:
    refused, plan = (found, None) if isinstance(found, Refused) else (None, found)
    text = ""
    if refused is not None:
        text = printable(why(texts, refused, session.state(reader=how.caller)))
        click.echo(f"affray: {text}", err=True)
    if how.as_json:
        shown = None if refused is None else Refusal(code=refused.code, args=refused.args, text=text)
        print_json(Planned(session=session.id, version=session.head, refused=shown, plan=plan))
    elif plan is not None:
        page = Page()
        _tell(session, plan, texts, page, everything=everything, is_stored=False)
        page.line("Nothing is stored yet: --apply does it." if has_reason else "Nothing is stored yet: --apply --reason TEXT does it.")
    return 0 if refused is None else FOUND


def _tell(session: Session, plan: AmendPlan, texts: Texts, page: Page, *, everything: bool, is_stored: bool) -> None:
    events = [(one.version, one.event) for one in session.history(reader=GM)]
    recording = Recording(events, session.state(reader=GM), texts)
    for line in told(plan, recording, everything=everything):
        page.line(line.text, line.depth, line.style)
    for line in ending(plan, recording, session.id, is_stored=is_stored):
        page.line(line.text, line.depth, line.style)
