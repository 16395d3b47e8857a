"""A table to try the system at: the kernel alone, dice from a script, no session around it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from affray.kernel import (
    Accepted,
    Command,
    Declare,
    Done,
    Drawn,
    Entry,
    Exchange,
    Form,
    Held,
    Host,
    InputError,
    Json,
    Log,
    Manifest,
    Num,
    Open,
    Origin,
    Pin,
    Refused,
    Request,
    RevealDice,
    Roll,
    RuleSet,
    Script,
    SetOrder,
    State,
    Turn,
    commands,
    decide,
    go_on,
    opens_run,
    spell_out,
)
from affray.plugins.nyra import make

Params = dict[str, Json]

SHORT_SWORD: Params = {"key": "sword", "base": "short-sword"}


def sheet(**fields: Json) -> dict[str, Json]:
    """A duelist of the seed: STR 7, AGI 6, CON 7, Swords 7, a short sword; Defense 5 unless told otherwise."""
    return {
        "STR": 7,
        "AGI": 6,
        "CON": 7,
        "sequence": 4,
        "skills": {"Swords": 7, "Defense": 5},
        "weapons": [SHORT_SWORD],
        **fields,
    }


class Bare:
    """A host that keeps no secrets and has no fair dice."""

    def reveal(self, chain: str) -> RevealDice | Refused:
        return Refused("no-fair-dice")

    def at_close(self) -> RevealDice | None:
        return None

    def part(self, version: int) -> str:
        raise InputError("keeps nothing", value=version)


class Scripted(Bare):
    """A host whose dice come from a script. Those of `reporting` are thrown by people."""

    def __init__(self, script: Script, reporting: Iterable[str] = ()) -> None:
        self.script = script
        self.reporting = frozenset(reporting)

    def draw(self, roll: Roll, run: int, state: State) -> Drawn | None:
        return None if roll.by in self.reporting else Drawn(self.script.throw(roll), "scripted")


class Table:
    """A fight in progress. With `cold`, every command meets an exchange that was rebuilt from the log."""

    def __init__(
        self,
        *faces: int,
        options: Params | None = None,
        cold: bool = False,
        house: Mapping[str, object] | None = None,
        origin: Origin | None = None,
        reporting: Iterable[str] = (),
        host: Host | None = None,
    ) -> None:
        self.script = Script(faces)
        self.host = host or Scripted(self.script, reporting)
        self.cold = cold
        system, house = make(), house or {}
        manifest = Manifest(
            system=pin("nyra"),
            options=spell_out(system.describe(), options or {}),
            house=tuple([pin(name) for name in house]),
        )
        self.rules = RuleSet(manifest, system, tuple(house.values()))
        self.events: list[Any] = []
        self.openings: list[int] = []
        self.count = 0
        self.exchange = Exchange(lambda _: self.rules, State())
        self._take(
            Open(
                session="s1",
                title="a duel",
                manifest=manifest,
                fingerprint=self.rules.fingerprint,
                dice={"*": "scripted"},
                undo_dice="redraw",
                witness=False,
                chain="",
                kept_chain="",
                epochs=0,
                origin=origin,
            )
        )
        self.exchange.feed(self.events[0], 1)

    @property
    def state(self) -> State:
        return self.exchange.state

    def do(self, command: Command) -> Refused | None:
        """Send a command; gives its refusal, or None. What broke a plugin's contract is raised."""
        if self.cold:
            self.exchange = self._rebuilt()
        self.count += 1
        request = Request(id=f"c{self.count}", command=command)
        answer = decide(self.exchange, Log(), request, self.host)
        if isinstance(answer, Refused):
            self.exchange = self._rebuilt()
            return answer
        self._accept(answer)
        if answer.goes_on:
            rest = go_on(self.exchange, self.host)
            assert isinstance(rest, Accepted)
            self._accept(rest)
        return None

    def _accept(self, answer: Accepted) -> None:
        for event, _ in answer.events:
            self._take(event)
            if not answer.fed:
                self.exchange.feed(event, live=True)

    def join(
        self,
        who: str,
        side: str,
        *,
        pools: dict[str, Num] | None = None,
        conditions: tuple[Held, ...] = (),
        secret: bool = False,
        **fields: Json,
    ) -> None:
        command = commands.Join(
            id=who,
            name=who.title(),
            side=side,
            sheet=sheet(**fields),
            pools=pools or {},
            conditions=conditions,
            secret=secret,
        )
        assert self.do(command) is None

    def begin(self) -> None:
        assert self.do(commands.Begin()) is None

    def strike(self, actor: str, target: str, *, guard: str = "", **params: Json) -> Refused | None:
        """Strike, wild and cleaving unless told otherwise, and answer for the target if it is asked."""
        given = {"weapon": "sword", "strike": "wild", "type": "C", **params}
        refused = self.do(commands.Declare(actor=actor, name="strike", targets=(target,), params=given))
        if refused is None and self.state.prompts:
            refused = self.answer(target, guard)
        return refused

    def answer(self, who: str, value: str) -> Refused | None:
        return self.do(commands.Answer(slot=next(iter(self.state.prompts)), who=who, value=value))

    def end_turn(self, who: str) -> Refused | None:
        return self.do(commands.Declare(actor=who, name="end-turn"))

    def leave(self, who: str) -> None:
        assert self.do(commands.Leave(id=who)) is None

    def report(self, who: str, *faces: int) -> Refused | None:
        """Report the dice that somebody was asked for, one face a die."""
        slot = next(iter(self.state.prompts))
        return self.do(commands.Report(slot=slot, who=who, faces=tuple([(face,) for face in faces])))

    def set_order(self, *entries: Entry) -> None:
        self.overrule(SetOrder(entries=entries))

    def overrule(self, effect: Any) -> None:
        assert self.do(commands.Overrule(reason="the table agrees", effect=effect)) is None

    def found(self, kind: type[Any], key: str | None = None) -> list[Any]:
        """All events of a kind so far, or those with a key."""
        return [event for event in self.events if type(event) is kind and (key is None or event.key == key)]

    def forms(self, who: str) -> tuple[Form, ...]:
        """What somebody may declare now."""
        return self.rules.actions(self.exchange.window(self.rules), who)

    def pool(self, who: str, name: str) -> Num | None:
        return self.state.combatants[who].pools[name]

    def conditions(self, who: str) -> dict[str, Num | None]:
        return {held.id: held.value for held in self.state.combatants[who].conditions.values()}

    def all_dice_used(self) -> bool:
        return not self.script.left

    def _take(self, event: Any) -> None:
        self.events.append(event)
        if opens_run(event):
            self.openings.append(len(self.events))

    def _rebuilt(self) -> Exchange:
        pairs = list(enumerate(self.events, 1))
        return Exchange.resume(lambda _: self.rules, pairs, head=len(pairs), openings=self.openings)


def pin(name: str) -> Pin:
    return Pin(id=name, distribution="affray", release="1")


def duel(*faces: int, first: Params | None = None, second: Params | None = None, **how: Any) -> Table:
    """Ann (sequence 5, Dodge 5) against Bob (sequence 4, Defense 5), begun: it is Ann's turn."""
    table = Table(*faces, **how)
    table.join("ann", "red", **{"sequence": 5, "skills": {"Swords": 7, "Dodge": 5}, **(first or {})})
    table.join("bob", "blue", **(second or {}))
    table.begin()
    return table


def outcomes(table: Table) -> list[str]:
    strikes = {event.action for event in table.found(Declare)}
    return [event.code for event in table.found(Done) if event.action in strikes]


def reasons(table: Table) -> list[str]:
    """Why every turn so far ended: the key of the step that ended it."""
    return [e.action.rpartition(">")[2].partition(".")[0] for e in table.found(Turn) if e.moment == "end"]
