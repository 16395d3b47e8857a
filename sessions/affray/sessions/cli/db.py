"""The option `--db`, before or behind a command: which folder of stored sessions is meant.

Imports click alone, so that `affray --help` waits for nothing; `places.py` knows what a folder is.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable
from typing import Any

import click

_CHOSEN = "affray.sessions.cli.db"


def chosen(ctx: click.Context | None = None) -> str:
    """The folder that `--db` names; "" where it names none."""
    ctx = ctx or click.get_current_context(silent=True)
    found: str = ctx.meta.get(_CHOSEN, "") if ctx is not None else ""
    return found


def words() -> str:
    """The words that name the same folder in another call of this program; "" for the default."""
    return f" --db {shlex.quote(chosen())}" if chosen() else ""


def _choose(ctx: click.Context, param: click.Parameter, value: str | None) -> None:
    if value == "":
        raise click.BadParameter("must name a folder", ctx, param)
    if value is not None:
        ctx.meta[_CHOSEN] = value  # shared by a command and its group: the option behind the command goes first


option: Callable[[Any], Any] = click.option(
    "--db",
    metavar="FOLDER",
    expose_value=False,
    is_eager=True,
    callback=_choose,
    help="The folder of stored sessions (default: in your data folder).",
)
