"""`affray odds`: how likely each outcome of an action is, as the fight stands now. Nothing is appended, no die is thrown."""

from __future__ import annotations

import click
import msgspec

from affray.kernel import GM, USUAL_SAMPLES, Modifier, Odds, Refused, commands, limits

from ..catalog import Catalog
from ..engine import Engine
from ..logs import configure
from ..odds import EACH, POLICIES, odds_of
from ..session import Session
from ..views.odds import Told, lines, title, told
from ..views.refusals import why
from ..views.texts import printable
from .commanding import Refusal, parameters, value_of
from .failures import FOUND
from .places import store, stored_id
from .printing import Page, print_json
from .progress import Progress
from .reader import json_option, session_argument, texts_of


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """The document of `odds --json`: one set of odds, or with `each` one for every way to answer."""

    session: str
    version: int
    caller: str
    actor: str
    action: str
    targets: tuple[str, ...]
    policy: str
    until_damage: bool
    refused: Refusal | None
    odds: tuple[Told, ...]


@click.command("odds")
@session_argument
@click.argument("actor")
@click.argument("action")
@click.argument("words", nargs=-1, metavar="[TARGET | KEY=VALUE]...")
@click.option("--row", "rows", nargs=3, multiple=True, metavar="PLACE AMOUNT CODE", help="A modifier the game master would give it.")
@click.option("--answer", "answers", multiple=True, metavar="[WHO.]KEY=CODE", help="What is answered to a question.")
@click.option("--policy", default="first", show_default=True, type=click.Choice([*POLICIES, EACH]), help="What is answered to all others.")
@click.option("--until-damage", is_flag=True, help="Leave out dice that follow damage: saves, further blows.")
@click.option("--samples", default=USUAL_SAMPLES, show_default=True, type=click.IntRange(0, limits.ODDS_SAMPLES), help="Samples of an estimate; 0: never estimate.")
@click.option("--as", "caller", default=GM, metavar="gm|ID", show_default=True, help="Who asks: the game master, or a controller.")
@json_option
def command(
    session: str,
    actor: str,
    action: str,
    words: tuple[str, ...],
    rows: tuple[tuple[str, str, str], ...],
    answers: tuple[str, ...],
    policy: str,
    until_damage: bool,
    samples: int,
    caller: str,
    as_json: bool,
) -> int:
    """Tell how likely each outcome of ACTION by ACTOR is, in SESSION as it stands now.

    Targets and parameters are given as to 'declare'. Exact where that can be worked out, else estimated.
    """
    targets, params = parameters(words)
    given = tuple([Modifier(place, value_of(amount), code) for place, amount, code in rows])
    wanted = commands.Declare(actor=actor, name=action, targets=targets, params=params, rows=given)
    configure("error")
    kept = store()
    progress = Progress("working out", "executions")
    try:
        loaded = Engine(kept, Catalog()).load(stored_id(session))
        found = odds_of(
            loaded,
            wanted,
            caller=caller,
            answers=_settled(answers),
            policy=policy,
            until_damage=until_damage,
            samples=samples,
            told=progress.tell,
        )
    finally:
        progress.end()
        kept.close()
    return _tell(loaded, wanted, found, caller, policy, until_damage, as_json)


def _settled(answers: tuple[str, ...]) -> dict[str, str]:
    """Answers by the key of their question. Raises BadParameter."""
    plain, found = parameters(answers)
    if plain:
        raise click.BadParameter(f"{plain[0]!r} is no KEY=CODE", param_hint="'--answer'")
    return {key: str(code) for key, code in found.items()}


def _tell(
    session: Session,
    wanted: commands.Declare,
    found: tuple[Odds, ...] | Refused,
    caller: str,
    policy: str,
    until_damage: bool,
    as_json: bool,
) -> int:
    """Print odds or why there are none, and give the exit code."""
    state, texts = session.state(reader=caller), texts_of(session.state())
    refusal, shown = None, found if isinstance(found, tuple) else ()
    if isinstance(found, Refused):
        refusal = Refusal(code=found.code, args=found.args, text=printable(why(texts, found, state)))
        click.echo(f"affray: {refusal.text}", err=True)
    if as_json:
        print_json(
            Answer(
                session=session.id,
                version=session.head,
                caller=caller,
                actor=wanted.actor,
                action=wanted.name,
                targets=wanted.targets,
                policy=policy,
                until_damage=until_damage,
                refused=refusal,
                odds=tuple([told(one) for one in shown]),
            )
        )
    else:
        page = Page()
        page.rows([title(wanted, session.head, state, texts), ""] if shown else [])
        for number, one in enumerate(shown):
            page.rows(["", ""] if number else [])
            page.rows(lines(one, state, texts))
    return FOUND if refusal is not None else 0


__all__ = ["Answer", "command"]
