"""A tiny rules system that uses every step the kernel knows, for tests of the kernel and of sessions.

Not a game: hit points, a skill, an initiative. `attack` asks the target, `sweep` asks several, `blow` waits on the clock,
`flurry` nests attacks, `roll` throws typed notation, `heal` and `curse` change pools and conditions.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from affray.kernel import (
    Act,
    Action,
    ApplyDamage,
    Ask,
    Change,
    Condition,
    Defend,
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
    Stop,
    System,
    Wait,
    dice,
    hookimpl,
    number,
    parse,
    slot,
)


class Sheet(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    hp: int
    skill: int = 10
    init: int = 0
    temp: int = 0


class Options(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    counts: int = 5


class Attack(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    power: int = 0


class Notation(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    notation: str


class Tiny:
    """The plugin object; subclass it to break one hook."""

    @hookimpl
    def describe(self) -> System:
        return System(
            id="tiny",
            release="1",
            title="Tiny",
            options=Options,
            actions={
                "attack": Attack,
                "sweep": NoParams,
                "blow": NoParams,
                "flurry": NoParams,
                "roll": Notation,
                "heal": Attack,
                "curse": NoParams,
                "break-off": NoParams,
                "end-turn": NoParams,
            },
            places={"attack.skill": "added to the skill", "damage.flat": "added to damage"},
        )

    @hookimpl
    def sheet_type(self) -> type:
        return Sheet

    @hookimpl
    def check_sheet(self, sheet: Sheet) -> list[tuple[str, str]]:
        return [] if sheet.hp > 0 else [("$.hp", "must be above 0")]

    @hookimpl
    def pools(self, sheet: Sheet, options: Options) -> dict[str, Pool]:
        return {
            "hp": Pool(start=sheet.hp, low=0, high=sheet.hp),
            "temp": Pool(start=sheet.temp),
            "wounds": Pool(start=0, damage=1),
        }

    @hookimpl
    def begin(self, fight: Fight) -> Steps:
        return begin(fight)

    @hookimpl
    def actions(self, fight: Fight, who: str) -> list[Form]:
        foes = fight.opponents(who)
        out_of_turn = [Form(name="break-off")] if any(o.due for o in fight.state.open.values() if o.actor == who) else []
        if fight.state.turn != who:
            return out_of_turn
        return [
            Form(name="attack", targets=foes, least=1, most=1),
            Form(name="sweep", targets=foes, least=1, most=9),
            Form(name="flurry", targets=foes, least=1, most=9),
            Form(name="blow", targets=foes, least=1, most=1),
            Form(name="heal", targets=fight.ids, least=1, most=1),
            Form(name="curse", targets=foes, least=1, most=1),
            Form(name="roll"),
            Form(name="end-turn"),
            *out_of_turn,
        ]

    @hookimpl
    def check(self, fight: Fight, action: Action) -> Refused | None:
        if action.name == "attack" and action.params.power > 9:
            return Refused("too-much-power", (action.params.power,))
        return None

    @hookimpl
    def resolve(self, fight: Fight, action: Action) -> Steps:
        return RESOLVERS[action.name](fight, action)

    @hookimpl
    def upkeep(self, fight: Fight, moment: Moment) -> Steps | None:
        if moment.name == "start":
            return start(fight, moment)
        return seat(fight, moment) if moment.name == "join" else None

    @hookimpl
    def is_over(self, fight: Fight) -> str | None:
        sides = {fight.combatant(who).side for who in fight.ids if fight.pool(who, "hp") > 0}
        if len(sides) > 1 or any(run.due for run in fight.state.open.values()):
            return None
        return f"won-by-{sides.pop()}" if sides else "nobody-left"

    @hookimpl
    def texts(self, locale: str) -> dict[str, str]:
        return {"declare.attack": "{actor} attacks {target}", "done.attack.hit": "a hit"} if locale == "en" else {}


def begin(fight: Fight) -> Steps:
    entries = []
    for who in fight.ids:
        roll = yield from Roll("initiative", by=who, plan=dice(1, 6))
        entries.append(Entry(key=who, when=(1, -fight.sheet(who).init, -int(roll.total or 0)), who=who))
    yield Order("order", entries=tuple(entries))
    return ""


def start(fight: Fight, moment: Moment) -> Steps:
    if fight.has(moment.who, "bleeding"):
        yield ApplyDamage(
            "bleeding", target=moment.who, pools=("hp",), value=1, trace=(Row("bleeding", 1, "condition"),)
        )
    when = (number(fight.at[0] + 1), *fight.state.at[1:])
    yield Order("next", entries=(Entry(key=moment.who, when=when, who=moment.who),))
    return ""


def seat(fight: Fight, moment: Moment) -> Steps:
    init = -fight.sheet(moment.who).init
    at = fight.at or (1,)  # who comes while the others still roll for the first order
    later = 0 if (init,) > at[1:2] else 1
    yield Order("seat", entries=(Entry(key=moment.who, when=(number(at[0] + later), init, 0), who=moment.who),))
    return ""


def hurt(fight: Fight, target: str, roll: Roll, extra: tuple[Row, ...] = ()) -> Steps:
    rows = (Row("dice", roll.total or 0, "roll"), *extra)
    value = sum(int(row.amount) for row in rows)
    hit = yield from ApplyDamage(
        "damage", target=target, pools=("temp", "hp"), value=value, type="blunt", roll=slot(roll), trace=rows
    )
    if hit.touched and hit.touched[-1].after == 0:
        yield Condition("down", target=target, id="down")
        yield Order("down", drop=(target,))
    elif value >= 4 and not fight.has(target, "bleeding"):
        yield Condition("bleeding", target=target, id="bleeding", value=1, source="attack")


def attack(fight: Fight, action: Action) -> Steps:
    target = action.target
    rows = (Row("skill", fight.sheet(action.actor).skill, "sheet"), *action.rows("attack.skill"))
    goal = sum(int(row.amount) for row in rows)
    swing = yield from Roll("attack", by=action.actor, plan=dice(1, 20))
    margin = goal - int(swing.total or 0)
    verdict = yield from Judge(
        "attack",
        by=action.actor,
        against=target,
        goal=goal,
        trace=rows,
        margin=margin,
        code="hit" if margin >= 0 else "miss",
    )
    if verdict.code == "hit":
        guard = yield from Ask("guard", who=(target,), options=(Option(code="dodge", value=5), Option(code="stand")))
        if guard == "dodge":
            dodge = yield from Roll("dodge", by=target, plan=dice(1, 20))
            defend = yield from Defend("dodge", who=target, code="dodge", value=5, trace=(Row("dodge", 5, "rule"),))
            if int(dodge.total or 0) <= int(defend.value or 0):
                verdict = yield from Judge("dodged", by=target, code="dodged")
    if verdict.code == "hit":
        damage = yield from Roll("damage", by=action.actor, plan=dice(2, 4))
        yield from hurt(fight, target, damage, action.rows("damage.flat"))
    if not action.is_nested:
        yield EndTurn("turn", who=action.actor)
    return verdict.code


def sweep(fight: Fight, action: Action) -> Steps:
    swing = yield from Roll("sweep", by=action.actor, plan=dice(1, 6))
    answers = yield from Ask("sweep", who=action.targets, options=(Option(code="duck"), Option(code="stand")))
    if len(action.targets) == 1:
        answers = {action.target: answers}
    for who, answer in answers.items():
        if answer == "stand":
            yield from hurt(fight, who, swing)
        elif answer == "duck":
            roll = yield from Roll("save", by=who, plan=dice(1, 20))
            total = int(roll.total or 0)
            yield Save(
                "save", who=who, name="reflex", goal=10, margin=10 - total, code="made" if total <= 10 else "failed"
            )
    yield EndTurn("turn", who=action.actor)
    return "swept"


def flurry(fight: Fight, action: Action) -> Steps:
    for who in action.targets:
        done = yield from Act("strike", actor=action.actor, name="attack", targets=(who,), params={"power": 1})
        if done.code == "refused-too-much-power":
            return Refused("never")
    yield EndTurn("turn", who=action.actor)
    return "flurry"


def blow(fight: Fight, action: Action) -> Steps:
    counts = fight.options.counts
    yield EndTurn("turn", who=action.actor)
    when = (number(fight.at[0] + counts), *fight.state.at[1:])
    yield Wait("swing", when=when)
    if fight.combatant(action.target).gone:
        return "nobody-there"
    damage = yield from Roll("damage", by=action.actor, plan=dice(3, 6))
    yield from hurt(fight, action.target, damage)
    return "landed"


def break_off(fight: Fight, action: Action) -> Steps:
    for run in list(fight.state.open.values()):
        if run.actor == action.actor and run.due:
            yield Stop("stop", target=run.id, code="broken-off")
    return "broke-off"


def roll_notation(fight: Fight, action: Action) -> Steps:
    notation = action.params.notation
    yield Roll("typed", by=action.actor, plan=parse(notation), notation=notation)
    return "rolled"


def heal(fight: Fight, action: Action) -> Steps:
    yield Change("heal", target=action.target, pool="hp", value=action.params.power)
    return "healed"


def curse(fight: Fight, action: Action) -> Steps:
    when = (number(fight.at[0] + 1), *fight.state.at[1:])
    yield Condition("curse", target=action.target, id="cursed", until=when, source="curse")
    yield EndTurn("turn", who=action.actor)
    return "cursed"


def end_turn(fight: Fight, action: Action) -> Steps:
    yield EndTurn("choice", who=action.actor)
    return "ended-by-choice"


RESOLVERS: dict[str, Callable[[Fight, Action], Steps]] = {
    "attack": attack,
    "sweep": sweep,
    "flurry": flurry,
    "blow": blow,
    "break-off": break_off,
    "roll": roll_notation,
    "heal": heal,
    "curse": curse,
    "end-turn": end_turn,
}

__all__ = ["Attack", "Options", "Sheet", "Step", "Tiny"]
