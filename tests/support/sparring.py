"""The tiny system with what is hard for odds: contests that are repeated, typed damage dice, several targets, nested contests.

`smash` damages by any notation, `contest` repeats until somebody wins, `press` asks before every repetition, `grind` pays for
each of them, `volley` nests contests, `topple` lets the target save, `read` looks at faces, which no rules may.
"""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec.structs import replace

from affray.kernel import (
    Act,
    Action,
    ApplyDamage,
    Ask,
    Change,
    Condition,
    EndTurn,
    Fight,
    Form,
    Judge,
    NoParams,
    Option,
    Roll,
    Row,
    Save,
    Steps,
    System,
    dice,
    exact,
    hookimpl,
    parse,
    slot,
)

from .tiny import Notation, Tiny


class Contest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Sides of either die, and those of the damage."""

    mine: int = 4
    theirs: int = 4
    damage: int = 2


class Sparring(Tiny):
    """The plugin object."""

    @hookimpl
    def describe(self) -> System:
        tiny = super().describe()
        ours = dict.fromkeys(("bout", "contest", "press", "grind", "volley", "forever", "greedy"), Contest)
        more = {"smash": Notation, "topple": Notation, "read": NoParams, "ask": NoParams, **ours}
        return replace(tiny, actions={**tiny.actions, **more})

    @hookimpl
    def actions(self, fight: Fight, who: str) -> list[Form]:
        foes = fight.opponents(who)
        names = [*RESOLVERS, "sweep"]
        mine = [Form(name=name, targets=foes, least=1, most=9) for name in names] if fight.state.turn == who else []
        return [*mine, *super().actions(fight, who)]

    @hookimpl
    def resolve(self, fight: Fight, action: Action) -> Steps:
        resolver = RESOLVERS.get(action.name)
        return super().resolve(fight, action) if resolver is None else resolver(fight, action)


def smash(fight: Fight, action: Action) -> Steps:
    """Damage everybody named by one roll of any dice, no less than 0, halves kept."""
    roll = yield from Roll("smash", by=action.actor, plan=parse(action.params.notation))
    value = max(exact(roll.total or 0), 0)
    for who in action.targets:
        yield from harm(who, value, slot(roll))
    return "botched" if roll.botch else "smashed"


def harm(who: str, value: Any, roll: str) -> Steps:
    number = value if isinstance(value, int) else f"{value.numerator}/{value.denominator}" if value.denominator > 1 else int(value)
    rows = (Row("dice", number, "roll"),)
    yield ApplyDamage("damage", target=who, pools=("temp", "hp"), value=number, roll=roll, trace=rows)


def judged(action: Action, mine: Any, theirs: Any, renews: str = "") -> Judge:
    code = "won" if mine > theirs else "lost" if mine < theirs else "tie"
    return Judge("contest", by=action.actor, against=action.target, code=code, margin=int(mine - theirs), renews=renews or code)


def throws(action: Action) -> Any:
    mine = yield from Roll("contest", by=action.actor, plan=dice(1, action.params.mine))
    theirs = yield from Roll("contest", by=action.target, plan=dice(1, action.params.theirs))
    return exact(mine.total or 0), exact(theirs.total or 0)


def paid(action: Action, code: str) -> Steps:
    """Who lost is hurt."""
    loser = action.target if code == "won" else action.actor
    roll = yield from Roll("damage", by=action.actor, plan=dice(1, action.params.damage))
    yield from harm(loser, int(exact(roll.total or 0)), slot(roll))


def contest(fight: Fight, action: Action) -> Steps:
    """Throw until the dice differ."""
    verdict = yield from judged(action, *(yield from throws(action)))
    while verdict.code == "tie":
        verdict = yield from judged(action, *(yield from throws(action)))
    yield from paid(action, verdict.code)
    return str(verdict.code)


def press(fight: Fight, action: Action) -> Steps:
    """After a tie the actor is asked whether to go on."""
    verdict = yield from judged(action, *(yield from throws(action)))
    while verdict.code == "tie":
        options = (Option(code="on", value=1), Option(code="off", value=0))
        answer = yield from Ask("press", who=(action.actor,), options=options)
        if answer != "on":
            return "broken-off"
        verdict = yield from judged(action, *(yield from throws(action)))
    yield from paid(action, verdict.code)
    return str(verdict.code)


def grind(fight: Fight, action: Action) -> Steps:
    """Every tie costs a point of `temp`; without one the actor gives in."""
    verdict = yield from judged(action, *(yield from throws(action)))
    while verdict.code == "tie":
        if not fight.pool(action.actor, "temp"):
            return "spent"
        yield Change("grind", target=action.actor, pool="temp", value=-1)
        verdict = yield from judged(action, *(yield from throws(action)))
    return str(verdict.code)


def forever(fight: Fight, action: Action) -> Steps:
    """Never ends but by a win."""
    while True:
        mine, theirs = yield from throws(action)
        verdict = yield from judged(action, mine, theirs, "again" if mine <= theirs else "won")
        if verdict.code == "won" and action.params.mine > 1:
            return "won"


def bout(fight: Fight, action: Action) -> Steps:
    """A contest about nothing."""
    verdict = yield from judged(action, *(yield from throws(action)))
    while verdict.code == "tie":
        verdict = yield from judged(action, *(yield from throws(action)))
    yield from judged(action, 0, 0, "over")
    return str(verdict.code)


def greedy(fight: Fight, action: Action) -> Steps:
    """One bout after the other; how many were lost is remembered nowhere but here."""
    lost = 0
    for who in action.targets:
        params = {"mine": action.params.mine, "theirs": action.params.theirs, "damage": 1}
        done = yield from Act("bout", actor=action.actor, name="bout", targets=(who,), params=params)
        lost += done.code == "lost"
    return f"lost-{lost}"


def ask_twice(fight: Fight, action: Action) -> Steps:
    """Asks the actor, then everybody named, and does nothing."""
    options = (Option(code="red", value=1), Option(code="blue", value=3), Option(code="green"))
    mine = yield from Ask("colour", who=(action.actor,), options=options)
    theirs = yield from Ask("colour", who=action.targets, options=options[1:])
    answers = [theirs] if isinstance(theirs, str) else list(theirs.values())
    return "-".join([mine, *answers])


def volley(fight: Fight, action: Action) -> Steps:
    """A contest against each target, one inside the other action."""
    for who in action.targets:
        params = {"mine": action.params.mine, "theirs": action.params.theirs, "damage": action.params.damage}
        yield from Act("volley", actor=action.actor, name="contest", targets=(who,), params=params)
    yield EndTurn("turn", who=action.actor)
    return "volley"


def topple(fight: Fight, action: Action) -> Steps:
    """Damage, then a save against falling."""
    roll = yield from Roll("topple", by=action.actor, plan=parse(action.params.notation))
    yield from harm(action.target, max(exact(roll.total or 0), 0), slot(roll))
    save = yield from Roll("save", by=action.target, plan=dice(1, 6))
    margin = 4 - int(exact(save.total or 0))
    code = "made" if margin >= 0 else "failed"
    yield Save("save", who=action.target, name="balance", code=code, goal=4, margin=margin, roll=slot(save))
    if margin < 0:
        yield Condition("prone", target=action.target, id="prone")
    return code


def read(fight: Fight, action: Action) -> Steps:
    """Looks at faces."""
    roll = yield from Roll("read", by=action.actor, plan=dice(2, 6))
    assert roll.faces is not None
    return "doubles" if roll.faces[0] == roll.faces[1] else "others"


RESOLVERS: dict[str, Any] = {
    "smash": smash,
    "ask": ask_twice,
    "bout": bout,
    "contest": contest,
    "press": press,
    "grind": grind,
    "forever": forever,
    "greedy": greedy,
    "volley": volley,
    "topple": topple,
    "read": read,
}

__all__ = ["Sparring"]
