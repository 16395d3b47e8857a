"""A table that plays by house rules: real sessions of every system, dice from a script, rules as the project's file names them."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from affray.kernel import (
    GM,
    Audit,
    Chain,
    Change,
    Declare,
    Done,
    Event,
    Held,
    Json,
    Log,
    Num,
    Refused,
    Roll,
    SetCondition,
    SetPool,
    State,
    audit,
    fold_all,
)
from affray.plugins import exalted, nyra, primer
from affray.sessions import Catalog, Engine, MemoryStore, Session

from ...support.table import Fixed, must
from ..exalted.table import sheet as solar
from ..nyra.table import sheet as duelist
from ..primer.table import average, pack

ROOT = Path(__file__).parents[3]

SYSTEMS: Mapping[str, Callable[[], object]] = {"exalted": exalted.make, "nyra": nyra.make, "primer": primer.make}
SHEETS: Mapping[str, Callable[..., dict[str, Any]]] = {"exalted": solar, "nyra": duelist, "primer": average}
OPTIONS: Mapping[str, dict[str, Json]] = {"primer": {"pack": pack()}}


def _named() -> dict[str, Any]:
    points = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["entry-points"]["affray.house_rules"]
    found = {}
    for name, target in points.items():
        module, _, made = target.partition(":")
        found[name] = getattr(import_module(module), made)
    return found


RULES: Mapping[str, Any] = _named()
"""Every house rule that comes with Affray, by the name it is installed under."""


def fitting(system: str) -> list[str]:
    """The rules that are for a system, in the order of their names."""
    return [name for name, make in RULES.items() if system in (getattr(make, "systems", ()) or SYSTEMS)]


def catalog(rules: Mapping[str, Callable[[], object]] = RULES) -> Catalog:
    """The systems and house rules of this tree, whatever is installed."""
    return Catalog(systems=SYSTEMS, house=rules, points=())


class Table:
    """A fight in progress."""

    def __init__(
        self,
        system: str,
        *faces: int,
        house: Iterable[str] = (),
        options: Mapping[str, Json] | None = None,
        dice: str = "scripted",
        books: Catalog | None = None,
        seed: str = "",
    ) -> None:
        self.system = system
        self.house = tuple(house)
        self.faces = len(faces)
        self.books = books or catalog()
        self.engine = Engine(MemoryStore(), self.books, Fixed(seed or system))
        self.session: Session = self.engine.start(
            system,
            options={**OPTIONS.get(system, {}), **(options or {})},
            house=self.house,
            dice=dice,
            script=faces if dice.startswith("scripted") else (),
            session="s",
        )

    # -- what is done

    def join(self, who: str, side: str, *, conditions: Iterable[str] = (), pools: Mapping[str, Num] | None = None, **fields: Any) -> None:
        must(
            self.session.join(
                who,
                who.title(),
                side=side,
                sheet=SHEETS[self.system](**fields),
                pools=pools,
                conditions=tuple([Held(id=one) for one in conditions]),
                controller=who,
            )
        )

    def begin(self) -> None:
        must(self.session.begin())

    def declare(self, actor: str, name: str, *targets: str, **params: Any) -> Refused | None:
        before = self.session.digest
        answer = self.session.declare(actor, name, *targets, **params)
        assert answer.refused is None or self.session.digest == before, "a refusal appends nothing"
        return answer.refused

    def answer(self, *answers: str) -> None:
        """Answer prompts in the order they come up."""
        for value in answers:
            slot, prompt = next(iter(self.state.prompts.items()))
            must(self.session.answer(slot, prompt.ask.who[0], value))

    def strike(self, actor: str, target: str, *answers: str, **params: Any) -> Refused | None:
        """Strike in nyra, wild and cleaving unless told otherwise; answer the prompts that come, in order."""
        refused = self.declare(actor, "strike", target, **{"weapon": "sword", "strike": "wild", "type": "C", **params})
        if refused is None:
            self.answer(*answers)
        return refused

    def attack(self, actor: str, target: str, *answers: str, **params: Any) -> Refused | None:
        """Attack in exalted or the primer with a sword unless told otherwise; answer the prompts that come, in order."""
        refused = self.declare(actor, "attack", target, **{"weapon": "sword", **params})
        if refused is None:
            self.answer(*answers)
        return refused

    def give(self, who: str, *conditions: str) -> None:
        for condition in conditions:
            must(self.session.overrule("the scene", SetCondition(target=who, held=Held(id=condition))))

    def set_pool(self, who: str, pool: str, value: Num) -> None:
        must(self.session.overrule("the scene", SetPool(target=who, pool=pool, value=value)))

    # -- what stands

    @property
    def state(self) -> State:
        return self.session.state(reader=GM)

    @property
    def events(self) -> list[Event]:
        return [recorded.event for recorded in self.session.history(reader=GM) if not recorded.undone]

    def found(self, kind: type[Any], key: str | None = None) -> list[Any]:
        return [event for event in self.events if type(event) is kind and (key is None or event.key == key)]  # type: ignore[attr-defined]

    def one(self, kind: type[Any], key: str) -> Any:
        (found,) = self.found(kind, key)
        return found

    def pool(self, who: str, name: str) -> Num | None:
        return self.state.combatants[who].pools[name]

    def conditions(self, who: str) -> dict[str, Num | None]:
        return {held.id: held.value for held in self.state.combatants[who].conditions.values()}

    @property
    def outcomes(self) -> list[str]:
        """How every declared action ended, in the order of their ends."""
        declared = {event.action for event in self.events if isinstance(event, Declare)}
        return [event.code for event in self.events if isinstance(event, Done) and event.action in declared]

    @property
    def ruled(self) -> list[tuple[str, str, tuple[str, ...]]]:
        """Kind, key and rules of every step that a ruling changed."""
        return [(type(e).__name__, e.key, e.by_rules) for e in self.events if getattr(e, "by_rules", ())]  # type: ignore[attr-defined]

    # -- what holds of every log

    def audited(self) -> Audit:
        return audit([self.session.header, *self.session.lines], self.books.rules)

    def verify(self) -> None:
        """Clean in bytes, sums and rules; folds alike with no rules; every die of the script was thrown."""
        report = self.session.verify()
        assert report.is_clean, report.findings
        found = self.audited()
        assert found.is_clean, (found.findings, found.divergences)
        assert found.unchecked == ()
        assert folded(self.session) == self.state
        named = {rule for _, _, rules in self.ruled for rule in rules}
        assert named <= set(self.house)
        thrown = sum(len(chain) for event in self.events if isinstance(event, Roll) for chain in event.faces or ())
        assert thrown == self.faces, f"{self.faces - thrown} faces left"


def folded(session: Session) -> State:
    """The state that the lines alone fold to, with no rules at hand."""
    chain, log = Chain(session.header), Log()
    for line in session.lines:
        log.add(chain.accept(line))
    return fold_all(log.line())


def duel(system: str, *faces: int, first: Mapping[str, Any] | None = None, second: Mapping[str, Any] | None = None, **how: Any) -> Table:
    """Ann against Bob, begun; it is Ann's turn (in the primer after both have reacted, Ann at count 2 and Bob at count 21)."""
    opening: dict[str, tuple[int, ...]] = {"nyra": (), "exalted": (9, 2), "primer": (1, 1, 6, 5)}
    before: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
        "nyra": ({"sequence": 5, "skills": {"Swords": 7, "Dodge": 5}}, {}),
        "exalted": ({}, {}),
        "primer": ({}, {"race": {"PSM": -25}}),
    }
    table = Table(system, *opening[system], *faces, **how)
    ann, bob = before[system]
    table.join("ann", "red", **{**ann, **(first or {})})
    table.join("bob", "blue", **{**bob, **(second or {})})
    table.begin()
    return table


__all__ = ["RULES", "SYSTEMS", "Change", "Table", "catalog", "duel", "fitting", "folded"]
