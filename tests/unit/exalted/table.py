"""A table to try the system at: a real session over a store in memory, dice from a script that has to be used up."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from affray.kernel import GM, Declare, Done, Event, Held, Json, Modifier, Num, Refused, Roll, State, Step
from affray.plugins.exalted import make
from affray.sessions import Catalog, Engine, MemoryStore, Session

from ...support.table import Fixed, must

Sheet = dict[str, Any]

SWORD: Sheet = {"key": "sword", "name": "Daiklave", "speed": 5, "damage": 3, "defense": 2, "rate": 3}
HANDS: Sheet = {
    "key": "hands",
    "ability": "MartialArts",
    "speed": 5,
    "type": "bashing",
    "defense": 0,
    "is_bare": True,
    "rate": 3,
}
BOW: Sheet = {"key": "bow", "ability": "Archery", "speed": 6, "damage": 4, "adds_strength": False}


def sheet(**fields: Any) -> Sheet:
    """A Solar: Dexterity 4, Dodge 4, Melee 3, Essence 2, Stamina 3; dodges with 5, parries with 5."""
    return {
        "being": "solar",
        "strength": 2,
        "dexterity": 4,
        "stamina": 3,
        "essence": 2,
        "abilities": {"Dodge": 4, "Melee": 3, "Resistance": 2},
        "weapons": [SWORD],
        **fields,
    }


def steps(table: Table) -> list[str]:
    """Kind and key of every step since the last declaration that is nested in nothing."""
    first = max(i for i, event in enumerate(table.events) if isinstance(event, Declare) and not event.parent)
    return [f"{type(event).__name__} {event.key}" for event in table.events[first:] if isinstance(event, Step)]


def outcomes(table: Table) -> list[str]:
    """How every declared action ended, in the order of their ends."""
    declared = {event.action for event in table.events if isinstance(event, Declare)}
    return [event.code for event in table.events if isinstance(event, Done) and event.action in declared]


def dice_of(roll: Roll) -> int:
    """How many dice a roll had."""
    return sum(term.count for term in roll.plan.terms)


def catalog(house: Mapping[str, object] | None = None) -> Catalog:
    """The system by hand, whatever is installed, and house rules."""
    rules = {name: partial(rule_of, rule) for name, rule in (house or {}).items()}
    return Catalog(systems={"exalted": make}, house=rules, points=())


def rule_of(rule: object) -> object:
    return rule


class Table:
    """A fight in progress. With `cold`, every command meets a session that was read from the store again."""

    def __init__(
        self,
        *faces: int,
        options: Mapping[str, Json] | None = None,
        cold: bool = False,
        house: Mapping[str, object] | None = None,
    ) -> None:
        self.engine = Engine(MemoryStore(), catalog(house), Fixed("exalted"))
        self._session = self.engine.start(
            "exalted", options=options or {}, dice="scripted", script=faces, session="s", house=tuple(house or {})
        )
        self.cold = cold
        self.faces = len(faces)

    @property
    def session(self) -> Session:
        if self.cold:
            self._session = self.engine.load("s")
        return self._session

    @property
    def state(self) -> State:
        return self._session.state(reader=GM)

    @property
    def events(self) -> list[Event]:
        return [recorded.event for recorded in self._session.history(reader=GM) if not recorded.undone]

    def join(
        self,
        who: str,
        side: str,
        *,
        pools: Mapping[str, Num] | None = None,
        conditions: tuple[Held, ...] = (),
        secret: bool = False,
        **fields: Any,
    ) -> None:
        must(
            self.session.join(
                who,
                who.title(),
                side=side,
                sheet=sheet(**fields),
                pools=pools,
                conditions=conditions,
                secret=secret,
                controller=who,
            )
        )

    def begin(self) -> None:
        must(self.session.begin())

    def declare(
        self, actor: str, name: str, *targets: str, rows: tuple[Modifier, ...] = (), **params: Any
    ) -> Refused | None:
        before = self._session.digest
        answer = self.session.declare(actor, name, *targets, rows=rows, **params)
        assert answer.refused is None or self._session.digest == before, "a refusal appends nothing"
        return answer.refused

    def attack(self, actor: str, target: str, *answers: str, rows: tuple[Modifier, ...] = (), **params: Any) -> Refused | None:
        """Attack with a sword unless told otherwise, and answer the prompts that come, in order."""
        refused = self.declare(actor, "attack", target, rows=rows, **{"weapon": "sword", **params})
        if refused is None:
            self.answer(*answers)
        return refused

    def answer(self, *answers: str) -> None:
        """Answer prompts in the order they come up."""
        for value in answers:
            slot, prompt = next(iter(self.state.prompts.items()))
            must(self.session.answer(slot, prompt.ask.who[0], value))

    def options(self) -> dict[str, Num | None]:
        """What the open prompt offers, and what each would mean."""
        (prompt,) = self.state.prompts.values()
        return {option.code: option.value for option in prompt.ask.options or ()}

    def found(self, kind: type[Any], key: str | None = None) -> list[Any]:
        return [event for event in self.events if type(event) is kind and (key is None or event.key == key)]  # type: ignore[attr-defined]

    def pool(self, who: str, name: str) -> Num | None:
        return self.state.combatants[who].pools[name]

    def conditions(self, who: str) -> dict[str, Num | None]:
        return {held.id: held.value for held in self.state.combatants[who].conditions.values()}

    def next_tick(self, who: str) -> Num:
        return self.state.agenda[who].when[0]

    def verify(self) -> None:
        """The log is clean, and every face of the script was thrown."""
        report = self._session.verify()
        assert report.is_clean, report.findings
        thrown = sum(len(event.faces or ()) for event in self.events if isinstance(event, Roll))
        assert thrown == self.faces, f"{self.faces - thrown} faces left"


def duel(*faces: int, first: Sheet | None = None, second: Sheet | None = None, **how: Any) -> Table:
    """Ann against Bob, begun. They join battle with a die each, a 9 and a 2: Ann acts on tick 0, Bob on tick 1."""
    table = Table(9, 2, *faces, **how)
    table.join("ann", "red", **(first or {}))
    table.join("bob", "blue", **(second or {}))
    table.begin()
    return table
