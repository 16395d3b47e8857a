"""`affray overrule`: the game master's word in a stored session."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import click
import msgspec

from affray.kernel import (
    CloseAction,
    GiveModifier,
    InputError,
    Json,
    SetCondition,
    SetOrder,
    SetPool,
    SetStep,
    commands,
)

from .commanding import Sending, parameters, send, sending

EFFECTS: Mapping[str, type[msgspec.Struct]] = {
    "pool": SetPool,
    "condition": SetCondition,
    "modifier": GiveModifier,
    "step": SetStep,
    "order": SetOrder,
    "close-action": CloseAction,
}
"""What may be set -> the type that says how."""

FILLED_IN = ("before", "after")
"""Fields that the session fills in."""


@click.command("overrule")
@sending
@click.argument("effect", type=click.Choice(list(EFFECTS)))
@click.argument("words", nargs=-1, metavar="KEY=VALUE...")
@click.option("--reason", required=True, help="Why; it stands in the log.")
def command(session: str, how: Sending, effect: str, words: tuple[str, ...], reason: str) -> int:
    """Set something in SESSION, with a reason. A KEY may lead into a value, as held.id does; a VALUE is JSON or text.

    \b
    pool          target, pool, value
    condition     target; held.id with held.value, held.until, held.rows; or ended
    modifier      action, rows: [[PLACE, AMOUNT, CODE], ...]
    step          slot, fields.NAME for each field that is to be set
    order         entries: [{"key": ..., "when": [...], "who": ...}, ...]; drop: [KEY, ...]
    close-action  action, code
    """
    plain, found = parameters(words)
    if plain:
        raise click.BadParameter(f"{plain[0]!r} is not written as KEY=VALUE", param_hint="KEY=VALUE")
    return send(session, how, commands.Overrule(reason=reason, effect=effect_of(effect, found)))


def effect_of(effect: str, values: Mapping[str, Json]) -> Any:
    """An effect of its keys and values. Raises InputError with the path."""
    kind = EFFECTS[effect]
    fields = [name for name in kind.__struct_fields__ if name not in FILLED_IN]
    nested = _nested(values)
    for name in nested:
        if name not in fields:
            raise InputError(f"{effect} has no such key; there are {', '.join(fields)}", path=f"$.{name}")
    try:
        return msgspec.convert(nested, kind)
    except msgspec.ValidationError as error:
        problem, _, where = str(error).partition(" - at `")
        raise InputError(problem, path=where.rstrip("`") or "$") from None


def _nested(values: Mapping[str, Json]) -> dict[str, Json]:
    """Values by the paths of their keys: held.id=x is {"held": {"id": "x"}}."""
    found: dict[str, Json] = {}
    for key, value in values.items():
        *above, last = key.split(".")
        level = found
        for name in above:
            empty: dict[str, Json] = {}
            below: object = level.setdefault(name, empty)
            if not isinstance(below, dict):
                raise InputError("has a value already, so nothing can be set below it", path=f"$.{name}", value=below)
            level = cast("dict[str, Json]", below)
        level[last] = value
    return found
