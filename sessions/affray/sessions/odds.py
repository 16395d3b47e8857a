"""Odds of a session: how likely each outcome of an action is, as the fight stands now.

The kernel works them out (`affray.kernel.odds`) on states of its own. Nothing is appended, no die of the session is thrown, and
asking does not change what is thrown later.

Odds are the game master's. A player may ask for the own combatants' actions as long as nothing enters that the player could
not read in the log afterwards: nobody whose numbers are kept takes part, no kept roll, no kept options. Anything else is
refused (`gm-only`), since odds would tell the number.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from affray.kernel import (
    GM,
    USUAL_SAMPLES,
    Answers,
    Busy,
    InputError,
    Json,
    Modifier,
    Odds,
    OddsTold,
    Refused,
    Request,
    best_option,
    check_request,
    commands,
    first_option,
    odds,
    odds_each,
)

if TYPE_CHECKING:
    from .session import Session

POLICIES = {"first": first_option, "best": best_option}
"""What those who are asked answer: the first option, or the one with the highest value."""

EACH = "each"
"""The policy that gives odds once for every way to answer."""


def odds_of(
    session: Session,
    command: commands.Declare | commands.Begin,
    *,
    caller: str = GM,
    answers: Mapping[str, str] | None = None,
    policy: str = "first",
    until_damage: bool = False,
    samples: int = USUAL_SAMPLES,
    told: OddsTold | None = None,
    id: str = "odds",
) -> tuple[Odds, ...] | Refused:
    """Give the odds of a command; several only for the policy `each`, one for every way to answer.

    `answers` settles questions by their key, or by `WHO.KEY`; the policy says the rest. `until_damage` leaves out dice that
    follow damage. Beyond ODDS_BRANCHES executions the odds are estimated from so many samples, 0 for never. `id` is the
    action's, for steps that the game master set under it.

    Raises InputError for what cannot be read, a policy there is not and answers that fit nothing; Breach, RulesDrifted or
    PluginUnavailable when the rules fail.
    """
    request = Request(id=id, command=command, caller=caller)
    check_request(request)
    if session._is_busy:
        raise Busy(f"session {session.id} is in the middle of a command")
    exchange, log = session._deciding.ready(), session._record.log
    if policy == EACH:
        return odds_each(exchange, log, request, answers, until_damage=until_damage, samples=samples, told=told)
    if policy not in POLICIES:
        raise InputError(f"no such policy; there are {', '.join([*POLICIES, EACH])}", path="policy", value=policy)
    reply = Answers(answers or {}, POLICIES[policy])
    found = odds(exchange, log, request, reply, until_damage=until_damage, samples=samples, told=told)
    return found if isinstance(found, Refused) else (found,)


def odds_of_action(
    session: Session,
    actor: str,
    name: str,
    *targets: str,
    rows: tuple[Modifier, ...] = (),
    secret: bool = False,
    caller: str = GM,
    answers: Mapping[str, str] | None = None,
    policy: str = "first",
    until_damage: bool = False,
    samples: int = USUAL_SAMPLES,
    told: OddsTold | None = None,
    **params: Json,
) -> tuple[Odds, ...] | Refused:
    """Give the odds of an action, named as `Session.declare` names it."""
    command = commands.Declare(actor=actor, name=name, targets=targets, params=params, rows=rows, secret=secret)
    return odds_of(
        session,
        command,
        caller=caller,
        answers=answers,
        policy=policy,
        until_damage=until_damage,
        samples=samples,
        told=told,
    )


__all__ = ["EACH", "POLICIES", "odds_of", "odds_of_action"]
