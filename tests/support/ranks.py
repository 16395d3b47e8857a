"""An initiative system for tests: a rank by a d20, highest first, who joined earlier first among equals.

Nothing but turns: `fall` drops somebody out of the order, `roll-in` gives a rank to who has none yet, `reroll` a new one.
"""

from __future__ import annotations

from typing import Any

import msgspec

from affray.kernel import (
    Action,
    Change,
    Condition,
    EndTurn,
    Entry,
    Fight,
    Form,
    Moment,
    NoParams,
    Order,
    Pool,
    Roll,
    Row,
    Steps,
    System,
    dice,
    hookimpl,
    number,
)


class Sheet(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Nothing is written about anybody."""


class Ranks:
    """The plugin object. A rank of 0 is none yet: until it is rolled one comes last in every round."""

    @hookimpl
    def describe(self) -> System:
        actions: dict[str, type] = dict.fromkeys(("end-turn", "fall", "roll-in", "reroll"), NoParams)
        return System(id="ranks", release="1", title="Ranks", actions=actions)

    @hookimpl
    def sheet_type(self) -> type:
        return Sheet

    @hookimpl
    def pools(self, sheet: Sheet, options: Any) -> dict[str, Pool]:
        return {"rank": Pool(start=0), "started": Pool(start=0)}

    @hookimpl
    def begin(self, fight: Fight) -> Steps:
        steps: Steps = begin(fight)
        return steps

    @hookimpl
    def actions(self, fight: Fight, who: str) -> list[Form]:
        always = [Form(name="fall")]
        always += [Form(name="roll-in" if not fight.pool(who, "rank") else "reroll")]
        return [Form(name="end-turn"), *always] if fight.state.turn == who else always

    @hookimpl
    def resolve(self, fight: Fight, action: Action) -> Steps:
        steps: Steps = RESOLVERS[action.name](fight, action)
        return steps

    @hookimpl
    def upkeep(self, fight: Fight, moment: Moment) -> Steps | None:
        steps: Steps | None = None
        if moment.name == "start":
            steps = start(fight, moment)
        elif moment.name == "join":
            steps = seat(fight, moment.who)
        return steps

    @hookimpl
    def is_over(self, fight: Fight) -> str | None:
        able = [who for who in fight.ids if not fight.has(who, "down")]
        return None if able else "nobody-can-act"


def place(fight: Fight, who: str, turn: int) -> Entry:
    """Whose turn comes when: the round, the rank (none comes last), and who joined first."""
    rank = fight.pool(who, "rank")
    return Entry(key=who, when=(turn, number(-rank), fight.combatant(who).number), who=who)


def this_round(fight: Fight) -> int:
    return int(fight.at[0]) if fight.at else 1


def rolled(fight: Fight, who: str) -> Any:
    roll = yield from Roll("rank", by=who, plan=dice(1, 20))
    new = int(roll.total or 0)
    yield Change("rank", target=who, pool="rank", value=number(new - fight.pool(who, "rank")))


def begin(fight: Fight) -> Any:
    for who in fight.ids:
        if not fight.pool(who, "rank"):
            yield from rolled(fight, who)
    yield Order("order", entries=tuple(place(fight, who, 1) for who in fight.ids))
    return ""


def start(fight: Fight, moment: Moment) -> Any:
    yield Change("started", target=moment.who, pool="started", value=1)
    yield Order("next", entries=(place(fight, moment.who, this_round(fight) + 1),))


def seat(fight: Fight, who: str) -> Any:
    """After everybody who is still to act, where that is possible; in the next round where it is not."""
    here = place(fight, who, this_round(fight))
    passed = here.when[1:] <= fight.state.at[1:]
    entry = place(fight, who, this_round(fight) + 1) if passed else here
    yield Order("seat", entries=(entry,), trace=(Row("passed" if passed else "to-come", 0, "rule"),))


def roll_in(fight: Fight, action: Action) -> Any:
    """A rank that lies before the present moment counts from the next round on."""
    yield from rolled(fight, action.actor)
    yield from seat(fight, action.actor)
    return "rolled-in"


def reroll(fight: Fight, action: Action) -> Any:
    """A new rank for the turn after the next: what is on the agenda stays, so nobody gets two turns in a round or none."""
    yield from rolled(fight, action.actor)
    return "rerolled"


def fall(fight: Fight, action: Action) -> Any:
    yield Condition("down", target=action.actor, id="down")
    yield Order("down", drop=(action.actor,))
    if fight.state.turn == action.actor:
        yield EndTurn("down", who=action.actor)
    return "down"


def end_turn(fight: Fight, action: Action) -> Any:
    yield EndTurn("choice", who=action.actor)
    return "ended"


RESOLVERS = {"end-turn": end_turn, "fall": fall, "roll-in": roll_in, "reroll": reroll}

__all__ = ["Ranks"]
