"""Action types whose odds are checked against brute force. To add one: a `Case`, with a fight that is small enough to throw."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

import msgspec

from affray.kernel import (
    Ask,
    Command,
    Condition,
    Fight,
    Held,
    Judge,
    Roll,
    Scope,
    Step,
    Steps,
    best_option,
    commands,
    dice,
    first_option,
    hookimpl,
)
from affray.sessions import Catalog, Engine, MemoryStore, Session

from ..support.sparring import Sparring
from ..support.table import Fixed, must
from ..unit.exalted.table import HANDS, Table, duel
from ..unit.primer.table import BODY
from ..unit.primer.table import duel as primer_duel

Sheet = dict[str, Any]


class Case(msgspec.Struct, frozen=True, kw_only=True):
    """An action in a fight. `answers` by the key of a question; everything else is the first option, or the `best`."""

    name: str
    session: Callable[[], Session]
    command: Command
    answers: Mapping[str, str] = {}
    takes_best: bool = False

    def pick(self, ask: Ask, who: str) -> str:
        """What somebody answers, by the same words as `Answers` but written down again."""
        codes = [option.code for option in ask.options or ()]
        if self.answers.get(ask.key) in codes:
            return self.answers[ask.key]
        if not self.takes_best:
            return codes[0]
        values = [option.value for option in ask.options or ()]
        known = [value for value in values if isinstance(value, int)]
        return codes[values.index(max(known))] if known else codes[0]

    @property
    def policy(self) -> Any:
        return best_option if self.takes_best else first_option


def declare(actor: str, name: str, *targets: str, **params: Any) -> commands.Declare:
    return commands.Declare(actor=actor, name=name, targets=targets, params=params)


# -- sparring: the tiny system


def sparring(*, people: int = 2, temp: int = 0, hp: int = 12, house: Mapping[str, object] | None = None, **start: Any) -> Session:
    """Ann, who acts first, Bob and more, each on a side of their own."""
    rules = {name: partial(_given, rule) for name, rule in (house or {}).items()}
    catalog = Catalog(systems={"tiny": Sparring}, house=rules, points=())
    session = Engine(MemoryStore(), catalog, Fixed("odds")).start("tiny", session="s", house=tuple(rules), **start)
    for index, who in enumerate(("ann", "bob", "cy", "dee")[:people]):
        sheet = {"hp": hp, "init": 9 - index, "skill": 3, "temp": temp}
        must(session.join(who, who.title(), side=f"side-{who}", controller=who, sheet=sheet))
    must(session.begin())
    return session


def _given(rule: object) -> object:
    return rule


class Unlucky:
    """A house rule that hurts who throws a tie: a follow-up with a die of its own."""

    @hookimpl
    def follow(self, fight: Fight, action: Scope, step: Step) -> Steps | None:
        return stumble(action) if isinstance(step, Judge) and step.code == "miss" and step.margin == -17 else None


def stumble(scope: Scope) -> Steps:
    die = yield from Roll("stumble", by=scope.actor, plan=dice(1, 3))
    yield Condition("stumble", target=scope.actor, id="stumbling", value=die.total)


class Kind:
    """A house rule that turns the worst swings into hits: a ruling."""

    @hookimpl
    def ruling(self, fight: Fight, action: Scope, step: Step) -> Step | None:
        is_close = isinstance(step, Judge) and step.key == "attack" and step.margin == -1
        return msgspec.structs.replace(step, code="hit") if is_close else None


def unbegun() -> Session:
    """Two people of equal initiative, who have not begun."""
    catalog = Catalog(systems={"tiny": Sparring}, house={}, points=())
    session = Engine(MemoryStore(), catalog, Fixed("odds")).start("tiny", session="s")
    for who in ("ann", "bob"):
        must(session.join(who, side=f"side-{who}", sheet={"hp": 3}))
    return session


SPARRING: tuple[Case, ...] = (
    Case(name="attack stand", session=sparring, command=declare("ann", "attack", "bob"), answers={"guard": "stand"}),
    Case(name="attack dodge", session=sparring, command=declare("ann", "attack", "bob"), takes_best=True),
    Case(name="attack kills", session=partial(sparring, hp=3), command=declare("ann", "attack", "bob"), answers={"guard": "stand"}),
    Case(
        name="attack with a ruling and a follow-up",
        session=partial(sparring, house={"unlucky": Unlucky(), "kind": Kind()}),
        command=declare("ann", "attack", "bob"),
        answers={"guard": "stand"},
    ),
    Case(name="sweep stand and duck", session=partial(sparring, people=3), command=declare("ann", "sweep", "bob"), answers={"sweep": "stand"}),
    Case(name="sweep ducked by two", session=partial(sparring, people=3), command=declare("ann", "sweep", "bob", "cy")),
    Case(name="sweep several", session=partial(sparring, people=4, temp=2), command=declare("ann", "sweep", "bob", "cy", "dee"), answers={"sweep": "stand"}),
    Case(name="blow waits", session=sparring, command=declare("ann", "blow", "bob")),
    Case(name="flurry", session=partial(sparring, people=3), command=declare("ann", "flurry", "bob", "cy"), answers={"guard": "stand"}),
    Case(name="heal", session=sparring, command=declare("ann", "heal", "bob", power=3)),
    Case(name="curse", session=sparring, command=declare("ann", "curse", "bob")),
    Case(name="roll", session=sparring, command=declare("ann", "roll", notation="2d6+1")),
    Case(name="smash explodes", session=sparring, command=declare("ann", "smash", "bob", notation="1d4!")),
    Case(name="smash rerolls once", session=sparring, command=declare("ann", "smash", "bob", notation="3d6ro<=2")),
    Case(name="smash rerolls again", session=sparring, command=declare("ann", "smash", "bob", notation="1d4r=1")),
    Case(name="smash keeps", session=partial(sparring, temp=3), command=declare("ann", "smash", "bob", notation="4d6kh3")),
    Case(name="smash several", session=partial(sparring, people=3), command=declare("ann", "smash", "bob", "cy", notation="2d6-4")),
    Case(name="smash successes", session=sparring, command=declare("ann", "smash", "bob", notation="3d10>=7 double 10")),
    Case(name="smash bands", session=sparring, command=declare("ann", "smash", "bob", notation="2d10 bands 5,10,15")),
    Case(name="smash halves", session=sparring, command=declare("ann", "smash", "bob", notation="2d6/2")),
    Case(name="smash divides by zero", session=sparring, command=declare("ann", "smash", "bob", notation="6/(1d4-1)")),
    Case(name="topple", session=sparring, command=declare("ann", "topple", "bob", notation="2d4")),
    Case(name="grind", session=partial(sparring, temp=2), command=declare("ann", "grind", "bob", mine=3, theirs=4)),
    Case(name="begin", session=unbegun, command=commands.Begin()),
)


# -- nyra


STICK: Sheet = {
    "key": "stick",
    "name": "Stick",
    "delay": 3,
    "modifier": "STR",
    "durability": 9,
    "damage": {"P": {"n": 1, "sides": 2}, "S": {"n": 1, "sides": 3, "flat": 9}, "C": None, "B": {"n": 2, "sides": 2, "flat": 40}},
}
"""A weapon whose dice have few faces; the blunt end kills."""

BLADE: Sheet = {**STICK, "key": "blade", "name": "Blade", "delay": 5, "traits": ["Impact", "Mastercraft"]}


def nyra(
    *, conditions: tuple[Held, ...] = (), skills: Sheet | None = None, secret: bool = False, dice: str = "fair", script: tuple[int, ...] = (), **options: Any
) -> Session:
    """A duel with small dice: Ada acts first."""
    sheet = {"STR": 7, "AGI": 6, "CON": 7, "sequence": 5, "weapons": [STICK, BLADE]}
    session = Engine(MemoryStore(), entropy=Fixed("odds")).start("nyra", session="s", options=options, dice=dice, script=script)
    must(session.join("ada", "Ada", side="red", sheet={**sheet, "skills": {"Swords": 7, "Dodge": 5}}, controller="ada", secret=False))
    known = {**sheet, "sequence": 4, "skills": skills if skills is not None else {"Swords": 7, "Defense": 5, "Dodge": 3}}
    must(session.join("bram", "Bram", side="blue", sheet=known, conditions=conditions, controller="bram", secret=secret))
    must(session.begin())
    return session


def strike(weapon: str = "stick", type: str = "P", **params: Any) -> commands.Declare:
    return declare("ada", "strike", "bram", weapon=weapon, type=type, **{"strike": "wild", **params})


NYRA: tuple[Case, ...] = (
    Case(name="wild, blocked, tie to the defender", session=partial(nyra, tie="defender"), command=strike(), answers={"defence": "defense"}),
    Case(name="wild, dodged, tie to the attacker", session=partial(nyra, tie="attacker"), command=strike(), answers={"defence": "dodge"}),
    Case(name="wild, best defence", session=partial(nyra, tie="defender"), command=strike(), takes_best=True),
    Case(name="wild, undefended", session=nyra, command=strike(), answers={"defence": "none"}),
    Case(name="wild, no defence owned", session=partial(nyra, skills={"Swords": 3}), command=strike()),
    Case(name="aimed at the head", session=partial(nyra, tie="defender"), command=strike(strike="aimed", aim="head"), answers={"defence": "defense"}),
    Case(name="criticals hit", session=partial(nyra, tie="defender", crit_auto_hit=True), command=strike(), answers={"defence": "dodge"}),
    Case(name="a heavier weapon", session=partial(nyra, tie="attacker", trait_rounding="one_sum"), command=strike("blade", "S"), answers={"defence": "defense"}),
    Case(name="a deadly blow", session=partial(nyra, tie="defender"), command=strike(type="B"), answers={"defence": "dodge"}),
    Case(name="kept from the players", session=partial(nyra, tie="defender", secret=True), command=strike(), answers={"defence": "dodge"}),
)


# -- exalted: pools of a die or two


def frail(**fields: Any) -> Sheet:
    return {"dexterity": 1, "stamina": 4, "strength": 1, "essence": 1, "abilities": {"MartialArts": 1, "Resistance": 5}, "weapons": [HANDS], **fields}


def exalted(first: Sheet | None = None, second: Sheet | None = None, **how: Any) -> Session:
    return duel(first=frail(**(first or {})), second=frail(**(second or {})), **how).session


def attack(*, weapon: str = "hands", **params: Any) -> commands.Declare:
    return declare("ann", "attack", "bob", weapon=weapon, **params)


EXCELLENCY: Sheet = {"key": "excellency", "use": "attack", "motes": 2, "effects": [{"on": "attack", "op": "add", "value": 1}]}
AGAIN: Sheet = {"key": "again", "use": "reroll", "motes": 1}
COUNTER: Sheet = {"key": "riposte", "use": "counterattack", "motes": 1}
WARD: Sheet = {"key": "ward", "use": "after-roll", "motes": 1, "effects": [{"op": "add", "value": 1}]}
CLUMSY: Sheet = {"abilities": {"Resistance": 5}}
UNSTEADY: Sheet = {"abilities": {}, "stamina": 1}
"""Who saves against being knocked down."""


def band() -> Session:
    """Ann with a helper, against Bob."""
    table = Table(9, 2, 2)
    table.join("ann", "red", **frail(charisma=2))
    table.join("bob", "blue", **frail())
    table.join("cy", "red", **frail())
    table.begin()
    return table.session


def table_before() -> Session:
    """Two people who have not joined battle yet."""
    table = Table()
    table.join("ann", "red", **frail(wits=2))
    table.join("bob", "blue", **frail())
    return table.session


EXALTED: tuple[Case, ...] = (
    Case(name="attack", session=exalted, command=attack()),
    Case(name="attack, best defence", session=exalted, command=attack(), takes_best=True),
    Case(name="attack that knocks down", session=partial(exalted, CLUMSY, UNSTEADY), command=attack()),
    Case(
        name="attack with an excellency",
        session=partial(exalted, {"charms": [EXCELLENCY], "motes": 5, **CLUMSY}),
        command=attack(charms=["excellency"]),
    ),
    Case(
        name="attack thrown again",
        session=partial(exalted, {"charms": [AGAIN], "motes": 5, **CLUMSY}),
        command=attack(),
        answers={"reroll": "charm-again"},
    ),
    Case(
        name="warded after the roll",
        session=partial(exalted, None, {"charms": [WARD], "motes": 5}),
        command=attack(),
        answers={"after-roll": "charm-ward"},
    ),
    Case(
        name="counterattack",
        session=partial(exalted, CLUMSY, {"charms": [COUNTER], "motes": 5, **CLUMSY}),
        command=attack(),
        answers={"counterattack": "charm-riposte/hands"},
    ),
    Case(
        name="flurry at an extra",
        session=partial(exalted, {"abilities": {"MartialArts": 3}}, {"is_extra": True, **CLUMSY}),
        command=declare("ann", "flurry", "bob", "bob", attacks=[{"weapon": "hands"}, {"weapon": "hands"}]),
    ),
    Case(name="together", session=partial(exalted, options={"same_tick": "together"}), command=declare("ann", "guard")),
    Case(name="coordinate", session=band, command=declare("ann", "coordinate", "bob", helpers=["cy"])),
    Case(name="begin", session=table_before, command=commands.Begin()),
)


# -- primer: an attack waits for its count; the position is called, so that a d100 and a die of damage are all there is


CUDGEL: Sheet = {"key": "cudgel", "dice": "1d2", "plus": 4, "types": ["crushing"], "wsd": 8}


def primer() -> Session:
    """Ann at count 2, Bob much later."""
    return primer_duel(first={"weapons": [CUDGEL]}).session


PRIMER: tuple[Case, ...] = (
    Case(name="attack", session=primer, command=declare("ann", "attack", "bob", weapon="cudgel", called=BODY)),
    Case(name="skill against a defence", session=primer, command=declare("ann", "skill", "bob", against="MDF", wsd=6)),
    Case(name="disarm", session=primer, command=declare("ann", "disarm", "bob", weapon="cudgel", held="sword")),
)


def all_cases() -> Iterator[tuple[str, Case]]:
    """Every case under the name of its system."""
    for system, cases in (("tiny", SPARRING), ("nyra", NYRA), ("exalted", EXALTED), ("primer", PRIMER)):
        for case in cases:
            yield f"{system}: {case.name}", case


__all__ = ["Case", "all_cases", "exalted", "nyra", "sparring"]
