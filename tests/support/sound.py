"""A small system in which the kit finds nothing: faulty plugins are made of it by breaking one thing each.

`attack` asks for a defence and may fell; `shove` lets the target save; `charge` waits on the clock and nests an attack.
"""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from msgspec.structs import replace

from affray.kernel import (
    Act,
    Action,
    ApplyDamage,
    Ask,
    Condition,
    Defend,
    EndTurn,
    Entry,
    Fight,
    Form,
    Judge,
    Modifier,
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

Score = Annotated[int, msgspec.Meta(ge=1, le=12)]


class Sheet(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    hp: Annotated[int, msgspec.Meta(ge=1, le=40)] = 20
    skill: Score = 10
    speed: Score = 5


class AttackParams(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An attack, with so much effort."""

    effort: Annotated[int, msgspec.Meta(ge=0, le=3)] = 0


TEXTS = {
    "declare.attack": "{actor} attacks {target}.",
    "declare.shove": "{actor} shoves {target}.",
    "declare.charge": "{actor} charges at {target}.",
    "declare.rest": "{actor} rests.",
    "refused.exhausted": "{0} is too exhausted for that.",
    "ask.guard": "Does {who} defend?",
    "judge.attack": "{by}: {dice} against {goal}.",
    "judge.guard": "",
    "apply-damage.wound": "{target} loses {value}.",
    "condition.down": "{target} goes down.",
    "condition.prone": "{target} falls.",
    "save.balance": "{who}: {dice} against {goal}.",
}


class Sound:
    """The plugin object; subclass it to break one thing."""

    @hookimpl
    def describe(self) -> System:
        return System(
            id="sound",
            release="1",
            title="Sound",
            actions={"attack": AttackParams, "shove": NoParams, "charge": NoParams, "rest": NoParams},
            places={"attack.skill": "added to the attacker's skill", "damage.flat": "added to damage"},
            saves={"balance": "against falling"},
            steps={
                "initiative": "roll: who comes first",
                "order": "order: everybody's first turn",
                "next": "order: the next turn",
                "late": "order: the place of a late arrival",
                "attack": "roll and verdict of the attacker",
                "guard": "prompt, defence, roll and verdict of the target",
                "wound": "roll and damage",
                "down": "condition and order: who falls",
                "balance": "roll and save against falling",
                "prone": "condition: lies on the ground",
                "run": "the charge arrives",
                "strike": "the attack of a charge",
                "acted": "end of turn",
            },
        )

    @hookimpl
    def sheet_type(self) -> type:
        return Sheet

    @hookimpl
    def check_sheet(self, sheet: Sheet) -> list[tuple[str, str]]:
        return []

    @hookimpl
    def pools(self, sheet: Sheet, options: Any) -> dict[str, Pool]:
        return {"hp": Pool(start=sheet.hp, high=sheet.hp)}

    @hookimpl
    def begin(self, fight: Fight) -> Steps:
        return begin(fight)

    @hookimpl
    def actions(self, fight: Fight, who: str) -> list[Form]:
        foes = tuple(one for one in fight.opponents(who) if not fight.has(one, "down"))
        if fight.state.turn != who:
            return []
        against = [Form(name=name, targets=foes, least=1, most=1) for name in ("attack", "shove", "charge")]
        return [*(against if foes else []), Form(name="rest")]

    @hookimpl
    def check(self, fight: Fight, action: Action) -> Refused | None:
        is_tired = isinstance(action.params, AttackParams) and action.params.effort > fight.pool(action.actor, "hp")
        return Refused("exhausted", (action.actor,)) if is_tired else None

    @hookimpl
    def resolve(self, fight: Fight, action: Action) -> Steps:
        return {"attack": self.attack, "shove": shove, "charge": charge, "rest": rest}[action.name](fight, action)

    def attack(self, fight: Fight, action: Action) -> Steps:
        return attack(fight, action)

    @hookimpl
    def upkeep(self, fight: Fight, moment: Moment) -> Steps | None:
        if moment.name == "start":
            return start(fight, moment)
        return seat(fight, moment) if moment.name == "join" else None

    @hookimpl
    def is_over(self, fight: Fight) -> str | None:
        sides = dict.fromkeys([fight.combatant(who).side for who in fight.ids if not fight.has(who, "down")])
        return None if len(sides) > 1 else f"won-by-{next(iter(sides), 'nobody')}"

    @hookimpl
    def texts(self, locale: str) -> dict[str, str] | None:
        return TEXTS if locale == "en" else None


def begin(fight: Fight) -> Steps:
    entries = []
    for who in fight.ids:
        die = yield from Roll("initiative", by=who, plan=dice(1, 20))
        entries.append(Entry(key=who, when=(1, -fight.sheet(who).speed, -int(die.total or 0)), who=who))
    yield Order("order", entries=tuple(entries))


def start(fight: Fight, moment: Moment) -> Steps:
    yield Order("next", entries=(Entry(key=moment.who, when=(number(fight.at[0] + 1), *moment.when[1:]), who=moment.who),))


def seat(fight: Fight, moment: Moment) -> Steps:
    when = (number((fight.at or (1,))[0] + 1), -fight.sheet(moment.who).speed, 0)
    yield Order("late", entries=(Entry(key=moment.who, when=when, who=moment.who),))


def attack(fight: Fight, action: Action) -> Steps:
    verdict = yield from swing(fight, action)
    if verdict.code == "hit":
        verdict = yield from guard(fight, action, verdict)
    if verdict.code == "hit":
        yield from wound(fight, action)
    yield from act(action)
    return verdict.code


def swing(fight: Fight, action: Action) -> Any:
    rows = (Row("skill", fight.sheet(action.actor).skill, "sheet"), *action.rows("attack.skill"))
    if action.name == "attack" and action.params.effort:
        rows += (Row("effort", action.params.effort, "declared"),)
    goal = total(row.amount for row in rows)
    die = yield from Roll("attack", by=action.actor, plan=dice(1, 20))
    margin = goal - exact(die.total or 0)
    code = "hit" if margin >= 0 else "miss"
    return (yield from Judge("attack", by=action.actor, code=code, goal=number(goal), margin=number(margin), trace=rows))


def guard(fight: Fight, action: Action, verdict: Judge) -> Any:
    answer = yield from Ask("guard", who=(action.target,), options=(Option(code="parry"), Option(code="none")))
    if answer != "parry":
        return verdict
    skill = Row("skill", fight.sheet(action.target).skill, "sheet")
    defence = yield from Defend("guard", who=action.target, code=answer, value=skill.amount, trace=(skill,))
    die = yield from Roll("guard", by=action.target, plan=dice(1, 20))
    margin = exact(defence.value or 0) - exact(die.total or 0)
    is_stopped = margin >= 0 and margin >= exact(verdict.margin or 0)
    return (yield from Judge("guard", by=action.target, code="stopped" if is_stopped else "hit", margin=number(margin)))


def wound(fight: Fight, action: Action) -> Steps:
    die = yield from Roll("wound", by=action.actor, plan=dice(2, 6))
    rows = (Row("dice", die.total or 0, "roll"), *action.rows("damage.flat"))
    value = total(row.amount for row in rows)
    if value < 0:
        rows, value = (*rows, Row("no-healing", number(-value), "rules")), 0
    hit = yield from ApplyDamage("wound", target=action.target, pools=("hp",), value=number(value), roll=slot(die), trace=rows)
    if hit.after == 0 and not fight.has(action.target, "down"):
        yield Condition("down", target=action.target, id="down")
        yield Order("down", drop=(action.target,))


def shove(fight: Fight, action: Action) -> Steps:
    verdict = yield from swing(fight, action)
    if verdict.code == "hit":
        goal: int = fight.sheet(action.target).speed
        rows = (Row("speed", goal, "sheet"),)
        die = yield from Roll("balance", by=action.target, plan=dice(1, 12))
        margin = goal - exact(die.total or 0)
        code = "made" if margin >= 0 else "failed"
        save = yield from Save(
            "balance", who=action.target, name="balance", code=code, goal=goal, margin=number(margin), trace=rows, roll=slot(die)
        )
        if save.code != "made":
            yield Condition("prone", target=action.target, id="prone", until=(number(fight.at[0] + 1), *fight.state.at[1:]))
    yield from act(action)
    return verdict.code


def charge(fight: Fight, action: Action) -> Steps:
    yield from act(action)
    yield Wait("run", when=(number(fight.at[0] + 1), *fight.state.at[1:]))
    if action.target not in fight.ids or action.actor not in fight.ids or fight.has(action.actor, "down"):
        return "stopped"
    done = yield from Act("strike", actor=action.actor, name="attack", targets=(action.target,), params={"effort": 0})
    return done.code


def rest(fight: Fight, action: Action) -> Steps:
    yield from act(action)
    return "rested"


def act(action: Action) -> Steps:
    if not action.is_nested and action.fight.state.turn == action.actor:
        yield EndTurn("acted", who=action.actor)


class Bless:
    """A house rule in which the kit finds nothing either."""

    @hookimpl
    def contribute(self, fight: Fight, action: Action, place: str) -> list[Modifier]:
        return [Modifier("attack.skill", 2, "blessed")] if place == "attack.skill" else []

    @hookimpl
    def ruling(self, fight: Fight, action: Action, step: Step) -> Step | None:
        if isinstance(step, Judge) and step.key == "attack" and step.margin == 0:
            return replace(step, code="miss")
        return None


__all__ = ["AttackParams", "Bless", "Sheet", "Sound", "attack", "guard", "swing", "wound"]
