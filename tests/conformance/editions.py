"""Tiny systems for the cases of damage and of surprise: one arena, and what each edition of a game does otherwise."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import msgspec

from affray.kernel import (
    Action,
    ApplyDamage,
    Change,
    Condition,
    EndTurn,
    Entry,
    Exact,
    Fight,
    Form,
    Judge,
    Moment,
    NoParams,
    Order,
    Part,
    Pool,
    Refused,
    Roll,
    Row,
    Save,
    Steps,
    System,
    dice,
    exact,
    hookimpl,
    number,
    parse,
    slot,
    total,
)


class Body(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Hit points, and by type of damage what is resisted, doubled, added, taken off; `immune` to which."""

    hp: int
    resists: tuple[str, ...] = ()
    vulnerable: dict[str, int] = {}
    less: int = 0
    immune: tuple[str, ...] = ()


class Hit(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Damage by type, as it was rolled; `half` for what is only half of it."""

    parts: dict[str, int]
    half: bool = False


class Amount(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How much is healed, gained or lost."""

    amount: int


class Arena:
    """Who is first goes on and on; an edition is a subclass that knows how damage is reduced."""

    ID = "arena"
    RELEASE = "1"

    @hookimpl
    def describe(self) -> System:
        actions: dict[str, type] = {"hit": Hit, "burst": NoParams, "heal": Amount, "shield": Amount, "raise": Amount, "weary": Amount}
        return System(id=self.ID, release=self.RELEASE, title=self.ID, actions=actions)

    @hookimpl
    def sheet_type(self) -> type:
        return Body

    @hookimpl
    def pools(self, sheet: Body, options: Any) -> dict[str, Pool]:
        return {"temp": Pool(start=0), "hp": Pool(start=sheet.hp), "bonus": Pool(start=0)}

    @hookimpl
    def begin(self, fight: Fight) -> Steps:
        return self.order(fight)

    def order(self, fight: Fight) -> Steps:
        yield Order("order", entries=(Entry(key=fight.ids[0], when=(1,), who=fight.ids[0]),))

    @hookimpl
    def actions(self, fight: Fight, who: str) -> list[Form]:
        names = ("hit", "heal", "shield", "raise", "weary")
        one = [Form(name=name, targets=fight.ids, least=1, most=1) for name in names]
        return [*one, Form(name="burst", targets=fight.ids, least=1, most=9)]

    @hookimpl
    def resolve(self, fight: Fight, action: Action) -> Steps:
        resolvers = {"hit": self.hit, "burst": self.burst, "heal": heal, "shield": shield, "raise": raise_, "weary": weary}
        return resolvers[action.name](fight, action)

    def hit(self, fight: Fight, action: Action) -> Steps:
        for who in action.targets:
            yield from self.harm(fight, who, action.params.parts, is_half=action.params.half)

    def burst(self, fight: Fight, action: Action) -> Steps:
        """One roll of fire; every target saves for half."""
        fire = yield from Roll("fire", by=action.actor, plan=parse("8d6"))
        for who in action.targets:
            die = yield from Roll("save", by=who, plan=dice(1, 20))
            code = "made" if exact(die.total or 0) >= 10 else "failed"
            save = yield from Save("save", who=who, name="dexterity", code=code, goal=10, trace=(Row("spell", 10, "rules"),), roll=slot(die))
            yield from self.harm(fight, who, {"fire": int(fire.total or 0)}, is_half=save.code == "made", roll=slot(fire))

    def harm(self, fight: Fight, who: str, parts: dict[str, int], *, is_half: bool, roll: str = "") -> Steps:
        """Each part is reduced by itself; temporary hit points go first."""
        reduced = []
        for kind, rolled in parts.items():
            rows: list[Row] = []
            value = self.reduce(fight.sheet(who), kind, rolled, rows, is_half=is_half)
            reduced.append(Part(type=kind, rolled=rolled, rows=tuple(rows), value=number(value)))
        value = total(part.value for part in reduced)
        yield ApplyDamage("hit", target=who, pools=("temp", "hp"), value=number(value), parts=tuple(reduced), roll=roll)

    def reduce(self, body: Body, kind: str, rolled: int, rows: list[Row], *, is_half: bool) -> Exact:
        raise NotImplementedError


def step(rows: list[Row], code: str, before: Exact, after: Exact) -> Exact:
    """Note one reduction or multiplication as what it adds."""
    if after != before:
        rows.append(Row(code, number(after - before), "rules"))
    return after


def down(value: Exact) -> int:
    return int(value // 1)


class Dnd5e(Arena):
    """Flat changes first, then resistance, then vulnerability; each rounds down by itself."""

    ID = "dnd5e"

    def reduce(self, body: Body, kind: str, rolled: int, rows: list[Row], *, is_half: bool) -> Exact:
        value: Exact = rolled
        if is_half:
            value = step(rows, "half", value, down(Fraction(value, 2)))
        if kind in body.immune:
            return step(rows, "immune", value, 0)
        value = step(rows, "less", value, max(value - body.less, 0))
        if kind in body.resists:
            value = step(rows, "resistant", value, down(Fraction(value, 2)))
        return step(rows, "vulnerable", value, value * 2) if kind in body.vulnerable else value


class Dnd4e(Arena):
    """Vulnerability adds; half damage comes last and rounds down."""

    ID = "dnd4e"

    def reduce(self, body: Body, kind: str, rolled: int, rows: list[Row], *, is_half: bool) -> Exact:
        value = step(rows, "vulnerable", rolled, rolled + body.vulnerable.get(kind, 0))
        return step(rows, "half", value, down(Fraction(value, 2))) if is_half else value


class Lancer(Arena):
    """Half rounds up."""

    ID = "lancer"

    def reduce(self, body: Body, kind: str, rolled: int, rows: list[Row], *, is_half: bool) -> Exact:
        return step(rows, "half", rolled, -down(Fraction(-rolled, 2))) if is_half else rolled


class Pf2e(Arena):
    """Half rounds down, but no less than 1 is left."""

    ID = "pf2e"

    def reduce(self, body: Body, kind: str, rolled: int, rows: list[Row], *, is_half: bool) -> Exact:
        if not is_half:
            return rolled
        return step(rows, "minimum", step(rows, "half", rolled, down(Fraction(rolled, 2))), max(down(Fraction(rolled, 2)), 1))


# -- pools


def maximum(fight: Fight, who: str) -> Exact:
    body: Body = fight.sheet(who)
    return body.hp + fight.pool(who, "bonus")


def heal(fight: Fight, action: Action) -> Steps:
    """Up to the maximum and what was added to it; temporary hit points are never healed."""
    for who in action.targets:
        room = max(maximum(fight, who) - fight.pool(who, "hp"), 0)
        rows = [Row("healing", action.params.amount, "declared")]
        value = step(rows, "maximum", action.params.amount, min(action.params.amount, room))
        yield Change("heal", target=who, pool="hp", value=number(value), trace=tuple(rows))


def shield(fight: Fight, action: Action) -> Steps:
    """Temporary hit points do not add up: the higher number stays."""
    for who in action.targets:
        held = fight.pool(who, "temp")
        rows = [Row("gain", action.params.amount, "declared")]
        value = step(rows, "held", action.params.amount, max(action.params.amount - held, 0))
        yield Change("gain", target=who, pool="temp", value=number(value), trace=tuple(rows))


def raise_(fight: Fight, action: Action) -> Steps:
    for who in action.targets:
        yield Change("raise", target=who, pool="bonus", value=action.params.amount)


def weary(fight: Fight, action: Action) -> Steps:
    """The maximum falls, and hit points above it are lost, as a fact of its own."""
    for who in action.targets:
        yield Change("weary", target=who, pool="bonus", value=-action.params.amount)
        above = fight.pool(who, "hp") - maximum(fight, who)
        if above > 0:
            yield Change("over-maximum", target=who, pool="hp", value=number(-above), trace=(Row("maximum", number(-above), "rules"),))


# -- surprise


class Wary(msgspec.Struct, frozen=True):
    """Who is ambushed has the condition `surprised` when the fight begins."""


class Ambush:
    """Everybody rolls a d20 and acts from high to low, round after round. An edition says what surprise does."""

    ID = "ambush"
    RELEASE = "1"

    @hookimpl
    def describe(self) -> System:
        actions: dict[str, type] = {"end-turn": NoParams, "react": NoParams}
        return System(id=self.ID, release=self.RELEASE, title=self.ID, actions=actions)

    @hookimpl
    def sheet_type(self) -> type:
        return Wary

    @hookimpl
    def pools(self, sheet: Wary, options: Any) -> dict[str, Pool]:
        return {"initiative": Pool(start=0)}

    @hookimpl
    def begin(self, fight: Fight) -> Steps:
        return self.roll_all(fight)

    def roll_all(self, fight: Fight) -> Steps:
        for who in fight.ids:
            yield from self.roll(fight, who)
        yield Order("order", entries=tuple([self.entry(fight, who, 1) for who in fight.ids]))

    def roll(self, fight: Fight, who: str) -> Steps:
        die = yield from Roll("initiative", by=who, plan=self.plan(fight, who))
        yield Change("initiative", target=who, pool="initiative", value=die.total, trace=(Row("dice", die.total or 0, "roll"),))

    def plan(self, fight: Fight, who: str) -> Any:
        return dice(1, 20)

    def entry(self, fight: Fight, who: str, turn: Exact) -> Entry:
        return Entry(key=who, when=(number(turn), *self.place(fight, who)), who=who)

    def place(self, fight: Fight, who: str) -> tuple[Any, ...]:
        return (number(-fight.pool(who, "initiative")),)

    @hookimpl
    def actions(self, fight: Fight, who: str) -> list[Form]:
        return [Form(name="end-turn")] if fight.state.turn == who else [Form(name="react")]

    @hookimpl
    def check(self, fight: Fight, action: Action) -> Refused | None:
        return Refused("surprised", (action.actor,)) if action.name == "react" and self.is_frozen(fight, action.actor) else None

    def is_frozen(self, fight: Fight, who: str) -> bool:
        return False

    @hookimpl
    def resolve(self, fight: Fight, action: Action) -> Steps:
        return self.act(action)

    def act(self, action: Action) -> Steps:
        if action.name == "end-turn":
            yield EndTurn("choice", who=action.actor)
        else:
            yield Judge("reaction", by=action.actor, code="done")

    @hookimpl
    def upkeep(self, fight: Fight, moment: Moment) -> Steps | None:
        return self.late(fight, moment) if moment.name == "join" else self.start(fight, moment) if moment.name == "start" else None

    def start(self, fight: Fight, moment: Moment) -> Steps:
        yield Order("next", entries=(self.entry(fight, moment.who, fight.at[0] + 1),))

    def late(self, fight: Fight, moment: Moment) -> Steps:
        """A late arrival rolls like everybody, and acts in this round if its place is still to come."""
        yield from self.roll(fight, moment.who)
        now, *here = fight.at
        is_to_come = tuple(here) < tuple(exact(part) for part in self.place(fight, moment.who))
        yield Order("late", entries=(self.entry(fight, moment.who, now if is_to_come else now + 1),))


class Surprise2014(Ambush):
    """The first turn of whoever is surprised is passed, and there is no reaction before it."""

    ID = "surprise-2014"

    def is_frozen(self, fight: Fight, who: str) -> bool:
        return fight.has(who, "surprised")

    def start(self, fight: Fight, moment: Moment) -> Steps:
        yield from super().start(fight, moment)
        if fight.has(moment.who, "surprised"):
            yield Judge("surprise", by=moment.who, code="passed")
            yield Condition("surprise", target=moment.who, id="surprised", code="ended")
            yield EndTurn("passed", who=moment.who)


class Surprise2024(Ambush):
    """Whoever is surprised rolls two dice for initiative and keeps the lower."""

    ID = "surprise-2024"

    def plan(self, fight: Fight, who: str) -> Any:
        return parse("2d20kl1") if fight.has(who, "surprised") else dice(1, 20)


class SurpriseLast(Ambush):
    """Whoever is surprised acts last, for the whole combat."""

    ID = "surprise-last"
    RELEASE = "3"

    def place(self, fight: Fight, who: str) -> tuple[Any, ...]:
        return (int(fight.has(who, "surprised")), *super().place(fight, who))


__all__ = ["Arena", "Dnd4e", "Dnd5e", "Lancer", "Pf2e", "Surprise2014", "Surprise2024", "SurpriseLast"]
