"""`affray luck`: how likely what was rolled was, and what the dice of a fight can tell about themselves."""

from __future__ import annotations

import click

from affray.kernel import PUBLIC, ActionLuck, action_luck, luck

from ..catalog import Catalog
from ..views.luck import document, lines
from .places import find
from .printing import Page, print_json
from .progress import Progress
from .reader import Reading, json_option, session_argument


@click.command("luck")
@session_argument
@click.option("--all", "every", is_flag=True, help="Every roll and action, not only the least likely.")
@click.option("--no-actions", "rolls_only", is_flag=True, help="Rolls only, which needs no rules and takes no time.")
@click.option("--for", "--as", "reader", default=PUBLIC, metavar="public|gm|ID", show_default=True, help="Whose view.")
@json_option
def command(session: str, every: bool, rolls_only: bool, reader: str, as_json: bool) -> int:
    """Tell how likely the rolls and actions of SESSION were, who threw high, and whether its dice look fair.

    Undone rolls are told and marked. Actions need their rules, and are executed again in thought.
    """
    reading = Reading(find(session), reader)
    present = {version for version, _ in reading.line()}
    found = luck((version, event, version not in present) for version, event in reading.all())
    actions = () if rolls_only else _actions(reading)
    if as_json:
        print_json(document(reading.session, reading.version, reader, found, actions))
    else:
        Page().rows(lines(found, actions, reading.state(), reading.texts(), every=every))
    return 0


def _actions(reading: Reading) -> tuple[ActionLuck, ...]:
    progress = Progress("going through", "actions")
    try:
        return tuple(action_luck(reading.line(), Catalog().rules, reading.reader, progress.tell))
    finally:
        progress.end()


__all__ = ["command"]
