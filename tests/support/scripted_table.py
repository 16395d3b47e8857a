"""A table to try a rules system at: a real session over a store in memory, dice from a script that has to be used up."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from affray.kernel import GM, Event, Held, Json, Modifier, Num, Refused, Roll, State
from affray.sessions import Catalog, Engine, MemoryStore, Session

from .table import Fixed, must

Sheet = dict[str, Any]


def catalog_of(system: str, make: Callable[[], object], house: Mapping[str, object] | None = None) -> Catalog:
    """A system by hand, whatever is installed, and house rules."""
    rules = {name: partial(rule_of, rule) for name, rule in (house or {}).items()}
    return Catalog(systems={system: make}, house=rules, points=())


def rule_of(rule: object) -> object:
    return rule


class ScriptedTable:
    """A fight in progress. With `cold`, every command meets a session that was read from the store again.

    `sheet` makes sheets of what a test says of somebody.
    """

    def __init__(
        self,
        system: str,
        catalog: Catalog,
        sheet: Callable[..., Sheet],
        faces: tuple[int, ...],
        options: Mapping[str, Json],
        house: tuple[str, ...],
        *,
        cold: bool,
    ) -> None:
        self._sheet = sheet
        self.engine = Engine(MemoryStore(), catalog, Fixed(system))
        self._session = self.engine.start(
            system, options=options, dice="scripted", script=faces, session="s", house=house
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
                sheet=self._sheet(**fields),
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

    def verify(self) -> None:
        """The log is clean, and every face of the script was thrown."""
        report = self._session.verify()
        assert report.is_clean, report.findings
        thrown = sum(len(event.faces or ()) for event in self.events if isinstance(event, Roll))
        assert thrown == self.faces, f"{self.faces - thrown} faces left"


__all__ = ["ScriptedTable", "Sheet", "catalog_of"]
