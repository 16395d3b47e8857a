"""Tug of war: two sides pull at once, each by as much as they dare, and whoever is dragged over the line has lost.

Other than a duel with swords in what it asks of the kernel: a pool that fills, a contest of two rolls that ties, a choice that is
kept from the puller, an action that takes a while on the clock, a save, and a rest.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from typing import Annotated, Any, Literal

import msgspec

from affray.kernel import (
    Action,
    ApplyDamage,
    Ask,
    Change,
    Condition,
    Defend,
    Derived,
    EndTurn,
    Entry,
    Fight,
    Form,
    Judge,
    Moment,
    NoParams,
    Option,
    Order,
    Pool,
    Refused,
    Roll,
    Row,
    Save,
    Step,
    Steps,
    System,
    Wait,
    dice,
    exact,
    hookimpl,
    number,
    slot,
    total,
)

from .words import STEPS, TEXTS

WINDUP = 2
"""Counts that a heave takes before it comes."""


class Sheet(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What somebody brings: strength pulls, breath is spent, weight holds against a drag."""

    strength: Annotated[int, msgspec.Meta(ge=1, le=10)]
    breath: Annotated[int, msgspec.Meta(ge=1, le=12)]
    weight: Annotated[int, msgspec.Meta(ge=2, le=12)] = 7


class Options(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a table may choose: feet to the line, and who wins a pull that ties."""

    line: Annotated[int, msgspec.Meta(ge=1, le=50)] = 10
    ties: Literal["nobody", "puller"] = "nobody"


class Pull(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Parameters of a pull: breath spent on it, a die for each."""

    effort: Annotated[int, msgspec.Meta(ge=1, le=3)] = 1


class TugOfWar:
    """The plugin object."""

    @hookimpl
    def describe(self) -> System:
        """Describe the system."""
        return System(
            id="tug-of-war",
            release="1",
            title="Tug of war",
            options=Options,
            actions={"pull": Pull, "heave": NoParams, "breathe": NoParams},
            places={"pull.strength": "added to a puller's roll"},
            steps=STEPS,
            saves={"feet": "2d6 at or below weight keep somebody on their feet"},
            bundles={"schoolyard": {"line": 5, "ties": "puller"}},
        )

    @hookimpl
    def sheet_type(self) -> type[Sheet]:
        """Give the type of a sheet."""
        return Sheet

    @hookimpl
    def check_sheet(self, sheet: Sheet) -> list[tuple[str, str]]:
        """Refuse who would be strong and tireless."""
        return [("$.breath", "at most 18 together with strength")] if sheet.strength + sheet.breath > 18 else []

    @hookimpl
    def pools(self, sheet: Sheet, options: Options) -> dict[str, Pool]:
        """Give breath, which is spent, and feet dragged, which add up to the line."""
        return {
            "breath": Pool(start=sheet.breath, low=0, high=sheet.breath),
            "dragged": Pool(start=0, low=0, high=options.line, damage=1),
        }

    @hookimpl
    def derive(self, sheet: Sheet, options: Options) -> list[Derived]:
        """Tell what a heave pulls with."""
        return [Derived(code="heave", value=2 * sheet.strength, trace=(Row("strength", sheet.strength, "sheet"),) * 2)]

    @hookimpl
    def begin(self, fight: Fight) -> Steps:
        """Begin the fight."""
        return begin(fight)

    @hookimpl
    def actions(self, fight: Fight, who: str) -> list[Form]:
        """List what may be declared."""
        foes = tuple([foe for foe in fight.opponents(who) if not fight.has(foe, "over-the-line")])
        if fight.state.turn != who:
            return []
        if not foes:
            return [Form(name="breathe")]
        pull = Form(name="pull", targets=foes, least=1, most=1, choices={"effort": (1, 2, 3)})
        return [pull, Form(name="heave", targets=foes, least=1, most=1), Form(name="breathe")]

    @hookimpl
    def check(self, fight: Fight, action: Action) -> Refused | None:
        """Refuse what there is no breath for."""
        effort = action.params.effort if action.name == "pull" else 2 if action.name == "heave" else 0
        breath = fight.pool(action.actor, "breath")
        return Refused("out-of-breath", (effort, number(breath))) if effort > breath else None

    @hookimpl
    def resolve(self, fight: Fight, action: Action) -> Steps:
        """Resolve an action."""
        resolvers: Mapping[str, Any] = {"pull": pull, "heave": heave, "breathe": breathe}
        steps: Steps = resolvers[action.name](fight, action)
        return steps

    @hookimpl
    def upkeep(self, fight: Fight, moment: Moment) -> Steps | None:
        """Seat whoever begins a turn, or comes late, for the next count."""
        return seat(fight, moment.who) if moment.name in ("start", "join") else None

    @hookimpl
    def is_over(self, fight: Fight) -> str | None:
        """Say who is left."""
        sides = dict.fromkeys([fight.combatant(who).side for who in fight.ids if not fight.has(who, "over-the-line")])
        if len(sides) > 1 or any(run.due is not None for run in fight.state.open.values()):
            return None
        return f"won-by-{next(iter(sides), 'nobody')}"

    @hookimpl
    def texts(self, locale: str) -> Mapping[str, str] | None:
        """Give the sentences of a locale."""
        return TEXTS if locale == "en" else None


def begin(fight: Fight) -> Steps:
    """Seat everybody at count 1; the kernel lets those who joined first begin."""
    yield Order("order", entries=tuple([Entry(key=who, when=(1,), who=who) for who in fight.ids]))


def seat(fight: Fight, who: str) -> Steps:
    """Give somebody a turn 3 counts on."""
    now = fight.at[0] if fight.at else 1
    yield Order("next", entries=(Entry(key=who, when=(number(now + 3),), who=who),))


def pull(fight: Fight, action: Action) -> Steps:
    """Pull at once, against whatever the other answers. Outcomes: dragged, held, pulled."""
    effort = action.params.effort
    yield from spend(action, effort)
    code = yield from contest(fight, action, effort, ())
    yield EndTurn("acted", who=action.actor)
    return code


def heave(fight: Fight, action: Action) -> Steps:
    """Take a deep breath, and pull with strength twice a while later; the turn is over meanwhile."""
    yield from spend(action, 2)
    yield EndTurn("acted", who=action.actor)
    yield Wait("windup", when=(number(fight.at[0] + WINDUP),))
    if action.target not in fight.ids or fight.has(action.actor, "over-the-line"):
        return "held"
    return (yield from contest(fight, action, 2, (Row("heave", fight.sheet(action.actor).strength, "sheet"),)))


def breathe(fight: Fight, action: Action) -> Steps:
    """Win a die of breath back."""
    die = yield from Roll("breath", by=action.actor, plan=dice(1, 3))
    rows = (Row("dice", die.total or 0, "roll"),)
    yield Change("breath", target=action.actor, pool="breath", value=die.total or 0, trace=rows)
    yield EndTurn("acted", who=action.actor)
    return "breathed"


def spend(action: Action, effort: int) -> Steps:
    """Pay for a pull."""
    yield Change("effort", target=action.actor, pool="breath", value=-effort, trace=(Row("effort", -effort, "rules"),))


def contest(fight: Fight, action: Action, effort: int, extra: tuple[Row, ...]) -> Generator[Step, Any, str]:
    """Compare two pulls, and drag whoever pulled less by the difference."""
    me, foe = action.actor, action.target
    answer = yield from Ask("brace", who=(foe,), options=(Option(code="dig-in"), Option(code="lean")), private=True)
    mine, swing = yield from strength(fight, me, effort, (*extra, *action.rows("pull.strength")))
    braced = (Row("dig-in", 2, "rules"),) if answer == "dig-in" else ()
    theirs, _ = yield from strength(fight, foe, 1, braced)
    stand = yield from Defend(
        "brace", who=foe, code=answer or "none", value=number(total(row.amount for row in theirs)), trace=theirs, against=me
    )
    goal = exact(stand.value or 0)
    margin = total(row.amount for row in mine) - goal
    won = margin > 0 or (margin == 0 and fight.options.ties == "puller")
    code = "dragged" if won else "held" if margin == 0 else "pulled"
    against = (Row("brace", number(goal), "rules"),)
    verdict = yield from Judge("pull", by=me, code=code, goal=number(goal), margin=number(margin), trace=against, against=foe)
    if verdict.code == "held":
        return verdict.code
    loser, rows = (foe, mine + negated(against)) if verdict.code == "dragged" else (me, against + negated(mine))
    yield from drag(fight, action, loser, rows, swing)
    if answer == "lean" and loser == foe:
        yield from keep_feet(fight, foe)
    return verdict.code


def strength(fight: Fight, who: str, effort: int, extra: tuple[Row, ...]) -> Generator[Step, Any, tuple[tuple[Row, ...], str]]:
    """Roll somebody's pull, and give its rows and the slot of the roll: a d6 for each breath spent, strength, and whatever else there is."""
    thrown = yield from Roll("pull", by=who, plan=dice(effort, 6))
    return (Row("dice", thrown.total or 0, "roll"), Row("strength", fight.sheet(who).strength, "sheet"), *extra), slot(thrown)


def negated(rows: tuple[Row, ...]) -> tuple[Row, ...]:
    """What the other pulled, to be taken off."""
    return tuple([Row(f"against-{row.code}", number(-exact(row.amount)), "rules") for row in rows])


def drag(fight: Fight, action: Action, loser: str, rows: tuple[Row, ...], swing: str) -> Steps:
    """Drag somebody toward the line, and over it."""
    value = total(row.amount for row in rows)
    if value < 0:  # a house rule gave the verdict to whoever pulled less
        return
    done = yield from ApplyDamage("drag", target=loser, pools=("dragged",), value=number(value), roll=swing, trace=rows)
    if done.touched and done.touched[0].after == fight.options.line and not fight.has(loser, "over-the-line"):
        yield Condition("line", target=loser, id="over-the-line")
        yield Order("line", drop=(loser,))


def keep_feet(fight: Fight, who: str) -> Steps:
    """See whether somebody who leaned stays on their feet, which costs a breath otherwise."""
    thrown = yield from Roll("feet", by=who, plan=dice(2, 6))
    rows = (Row("weight", fight.sheet(who).weight, "sheet"),)
    margin = total(row.amount for row in rows) - exact(thrown.total or 0)
    code = "stands" if margin >= 0 else "stumbles"
    save = yield from Save(
        "feet", who=who, name="feet", code=code, goal=rows[0].amount, margin=number(margin), trace=rows, roll=slot(thrown)
    )
    if save.code == "stumbles":
        yield Change("stumble", target=who, pool="breath", value=-1, trace=(Row("stumble", -1, "rules"),))


def make() -> TugOfWar:
    """Make the plugin (entry point `affray.systems`)."""
    return TugOfWar()
