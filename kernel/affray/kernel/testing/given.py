"""Given, when, then: a test of rules that reads like the rule.

    fight = given(Tiny, combatant("ann", {"hp": 12}), combatant("bob", {"hp": 9}), dice=[1, 2, 7])
    fight.when(declare("ann", "attack", "bob")).then(asked("bob", "guard"))
    fight.when(answer("bob", "stand")).then(event(ApplyDamage, target="bob", value=5), pool_is("bob", "hp", 4))
    fight.when(declare("ann", "attack", "bob")).then(refused("not-your-turn"))

Everything runs on the kernel alone, through its bytes and its log. A command that is refused without a `then` that says so
fails the test, and so do scripted dice that are left over (`finish`, which a `with` block and the fixture `fight_given` call).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from types import TracebackType
from typing import Any

import msgspec

from .. import commands as c
from ..audit import audit
from ..canonical import encode
from ..errors import Refused
from ..events import KIND_OF, Effect
from ..names import WITNESS
from ..numbers import Num
from ..state import State
from ..steps import kebab
from ..values import GM, Held, Json, Modifier, Row, Touch
from .dice import DiceSource, ScriptedDice
from .table import Book, Factory, Table

Command = c.Command | Callable[[Table], c.Command]
"""A command, or what makes one of the fight as it stands."""

Expectation = Callable[["Given"], str]
"""Tells what is not as it should be, "" where all is well."""


def given(
    system: Factory | object,
    *combatants: c.Join,
    house: Mapping[str, Factory | object] | Sequence[Factory | object] = (),
    options: Mapping[str, Json] | None = None,
    bundle: str = "",
    dice: DiceSource | Iterable[int] | None = None,
    reported: Iterable[str] = (),
    undo_dice: str = "redraw",
    begun: bool = True,
) -> Given:
    """A fight under a system (its factory, or a plugin object), with these people in it, begun unless you say otherwise.

    `house` are house rules in order, by name or named by their classes. `dice` is a script of faces, or dice of any kind
    (default: `SeededDice()`); `reported` are controllers who report theirs. Raises Breach, and InputError for sheets and
    options that are not the system's.
    """
    rules = house if isinstance(house, Mapping) else {kebab(_class(one).__name__): one for one in house}
    book = Book(_factory(system), {name: _factory(rule) for name, rule in rules.items()})
    source = dice if dice is None or hasattr(dice, "policy") else ScriptedDice(*dice)
    table = Table(book, book.manifest(options, bundle), dice=source, reported=reported, undo_dice=undo_dice)  # type: ignore[arg-type]  # told apart above
    fight = Given(table)
    for one in combatants:
        fight.when(one).then()
    return fight.when(c.Begin()).then() if begun else fight


def _factory(plugin: Any) -> Factory:
    return plugin if callable(plugin) else lambda: plugin


def _class(plugin: Any) -> type:
    return plugin if isinstance(plugin, type) else type(plugin() if callable(plugin) else plugin)


class Given:
    """A fight in a test. `table` is what it is played on; `new` are the events since the last `when` began."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.refused: Refused | None = None
        self._before = table.head

    @property
    def state(self) -> State:
        """The fight now."""
        return self.table.state

    @property
    def new(self) -> list[Any]:
        """What happened since the last `when`."""
        return self.table.events(self._before)

    def pool(self, who: str, name: str) -> Num | None:
        """What a pool holds now."""
        return self.state.combatants[who].pools[name]

    def when(self, *commands: Command, by: str = GM, id: str = "") -> Given:
        """Send commands, one after the other; one that is refused ends it. `id` names the (only) command.

        Raises Breach and InputError; nothing of that command happened then.
        """
        __tracebackhide__ = True
        self._check_refusal()
        self._before = self.table.head
        for command in commands:
            made: c.Command = command(self.table) if callable(command) else command
            self.refused = self.table.do(made, by=by, id=id)
            if self.refused is not None:
                break
        return self

    def then(self, *expectations: Expectation) -> Given:
        """Expect something; without anything, that the command was accepted. Raises AssertionError that tells what happened."""
        __tracebackhide__ = True
        wrong: list[str] = []
        if self.refused is not None and not any(getattr(one, "asks_refusal", False) for one in expectations):
            wrong.append(f"it was refused: {self.refused.bare}")
        self.refused, refused_as = None, self.refused
        self._refused_as = refused_as
        wrong += [problem for one in expectations if (problem := one(self))]
        if wrong:
            happened = "".join([f"\n  {version} {_line(event)}" for version, event in enumerate(self.new, self._before + 1)])
            raise AssertionError("; ".join(wrong) + f"\nwhat happened:{happened or ' nothing'}")
        return self

    def restart(self) -> Given:
        """Go on in another process: new plugin objects, and what the log says."""
        self.table.restart()
        return self

    def finish(self) -> None:
        """The test is over: no refusal may be left unsaid, and a script must be used up."""
        __tracebackhide__ = True
        self._check_refusal()
        self.then(dice_used())

    def _check_refusal(self) -> None:
        __tracebackhide__ = True
        if self.refused is not None:
            refused, self.refused = self.refused, None
            raise AssertionError(f"the last command was refused, and no `then` says so: {refused.bare}")

    def __enter__(self) -> Given:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        __tracebackhide__ = True
        if error is None:
            self.finish()


# -- commands


def combatant(
    id: str,
    sheet: Mapping[str, Json],
    *,
    side: str = "",
    name: str = "",
    controller: str = "",
    secret: bool | None = None,
    pools: Mapping[str, Num] | None = None,
    conditions: tuple[Held, ...] = (),
) -> c.Join:
    """Somebody who joins; everybody is on a side, and under a controller, of the own name unless you say otherwise."""
    return c.Join(
        id=id,
        name=name or id.title(),
        side=side or id,
        controller=controller or id,
        sheet=dict(sheet),
        secret=secret,
        pools=dict(pools or {}),
        conditions=conditions,
    )


def declare(actor: str, name: str, *targets: str, rows: tuple[Modifier, ...] = (), secret: bool = False, **params: Json) -> c.Declare:
    """Somebody declares an action, with its parameters by name."""
    return c.Declare(actor=actor, name=name, targets=targets, params=params, rows=rows, secret=secret)


def answer(who: str, value: str, key: str = "") -> Command:
    """Somebody answers what is asked; `key` names the prompt where several wait for the same person."""
    return lambda table: c.Answer(slot=_slot(table, who, key), who=who, value=value)


def report(who: str, *faces: int | Sequence[int], key: str = "") -> Command:
    """Somebody reports dice: one face a die, or the whole chain of a die."""
    chains = tuple([(face,) if isinstance(face, int) else tuple(face) for face in faces])
    return lambda table: c.Report(slot=_slot(table, who, key), who=who, faces=chains)


def leave(who: str) -> c.Leave:
    """Somebody leaves."""
    return c.Leave(id=who)


def overrule(effect: Effect, reason: str = "the table says so") -> c.Overrule:
    """The game master's word."""
    return c.Overrule(reason=reason, effect=effect)


def undo(action: str = "") -> c.Undo:
    """Take back the last action, or the one named."""
    return c.Undo(action=action)


def amend(*edits: c.Edit, reason: str = "it was forgotten", since: int = 0) -> c.Amend:
    """Change what was forgotten or wrong, and run everything since again."""
    return c.Amend(edits=edits, reason=reason, since=since)


def _slot(table: Table, who: str, key: str) -> str:
    """The slot of the one prompt that waits for somebody."""
    waits = {
        slot: prompt.ask.key
        for slot, prompt in table.state.prompts.items()
        if who in prompt.ask.who and who not in prompt.answers and not prompt.ask.key.startswith(WITNESS)
    }
    found = [slot for slot, name in waits.items() if key in ("", name)]
    if len(found) != 1:
        raise AssertionError(f"no one prompt waits for {who!r}; asked is {', '.join(waits.values()) or 'nothing'}")
    return found[0]


# -- expectations


def event(kind: type, **fields: Any) -> Expectation:
    """An event of this kind happened, with these fields. Rows of a trace may be given as (code, amount)."""

    def expect(fight: Given) -> str:
        return "" if _matching(fight, kind, fields) else f"no {_what(kind, fields)}"

    return expect


def no_event(kind: type, **fields: Any) -> Expectation:
    """No such event happened."""

    def expect(fight: Given) -> str:
        found = _matching(fight, kind, fields)
        return f"{len(found)} times {_what(kind, fields)}" if found else ""

    return expect


def events(*kinds: type) -> Expectation:
    """Exactly these kinds of events happened, in this order."""

    def expect(fight: Given) -> str:
        found = [type(one) for one in fight.new]
        return "" if found == list(kinds) else f"what happened is {[KIND_OF[kind] for kind in found]}, not {[KIND_OF[kind] for kind in kinds]}"

    return expect


def refused(code: str, *args: int | str) -> Expectation:
    """The command was refused with this code, and with these arguments where any are given; nothing happened."""

    def expect(fight: Given) -> str:
        found = fight._refused_as
        if found is None:
            return f"it was accepted, not refused ({code})"
        if found.code != code or (args and found.args != args):
            return f"it was refused: {found.bare}, not {code} {args or ''}".rstrip()
        return ""

    expect.asks_refusal = True  # type: ignore[attr-defined]  # `then` asks for it
    return expect


def unchanged() -> Expectation:
    """Nothing was appended since the last `when` began."""
    return lambda fight: "" if not fight.new else f"{len(fight.new)} events were appended"


def pool_is(who: str, name: str, value: Num) -> Expectation:
    """A pool holds this much now."""
    return lambda fight: "" if fight.pool(who, name) == value else f"{who}'s {name} is {fight.pool(who, name)}, not {value}"


def has(who: str, condition: str, value: Num | None = None) -> Expectation:
    """Somebody has a condition, of this value where one is given."""

    def expect(fight: Given) -> str:
        held = fight.state.combatants[who].conditions.get(condition)
        if held is None:
            return f"{who} does not have {condition!r}"
        return "" if value is None or held.value == value else f"{who}'s {condition!r} is {held.value}, not {value}"

    return expect


def lacks(who: str, condition: str) -> Expectation:
    """Somebody does not have a condition."""
    return lambda fight: f"{who} has {condition!r}" if condition in fight.state.combatants[who].conditions else ""


def turn_of(who: str) -> Expectation:
    """Somebody holds the turn now; "" for nobody."""
    return lambda fight: "" if fight.state.turn == who else f"it is the turn of {fight.state.turn or 'nobody'}, not of {who or 'nobody'}"


def over(code: str = "") -> Expectation:
    """The fight has ended so; "" for one that goes on."""
    return lambda fight: "" if fight.state.over == code else f"the fight is {fight.state.over or 'not over'}, not {code or 'going on'}"


def asked(who: str, key: str, *options: str) -> Expectation:
    """Somebody is asked this now, with exactly these options where any are given."""

    def expect(fight: Given) -> str:
        for prompt in fight.state.prompts.values():
            if who in prompt.ask.who and who not in prompt.answers and prompt.ask.key == key:
                codes = tuple([option.code for option in prompt.ask.options or ()])
                return "" if options in ((), codes) else f"{who} may answer {codes}, not {options}"
        return f"{who} is not asked {key!r}"

    return expect


def not_asked() -> Expectation:
    """Nobody is asked anything."""
    return lambda fight: f"asked is {', '.join([prompt.ask.key for prompt in fight.state.prompts.values()])}" if fight.state.prompts else ""


def dice_used() -> Expectation:
    """No scripted dice are left."""
    return lambda fight: f"dice are left: {left}" if (left := getattr(fight.table.dice, "left", ())) else ""


def audited() -> Expectation:
    """The log is clean when it is carried out again, and folds to the state."""

    def expect(fight: Given) -> str:
        found = audit([fight.table.header, *fight.table.lines], fight.table.book)
        told = [one.text for one in found.findings] + [one.text for one in found.divergences]
        if fight.table.reread() != fight.state:
            told.append("it does not fold to the state")
        return f"the audit finds: {'; '.join(told)}" if told else ""

    return expect


def holds(what: str, is_so: Callable[[Given], object]) -> Expectation:
    """Anything else, with words for it."""
    return lambda fight: "" if is_so(fight) else f"not so: {what}"


def _matching(fight: Given, kind: type, fields: Mapping[str, Any]) -> list[Any]:
    return [one for one in fight.new if type(one) is kind and all(_same(value, getattr(one, name)) for name, value in fields.items())]


def _same(expected: Any, found: Any) -> bool:
    if isinstance(found, tuple) and isinstance(expected, tuple | list):
        return len(expected) == len(found) and all(_same(*pair) for pair in zip(expected, found, strict=True))
    if isinstance(found, Row | Touch) and isinstance(expected, tuple):
        return msgspec.structs.astuple(found)[: len(expected)] == expected
    return bool(expected == found)


def _what(kind: type, fields: Mapping[str, Any]) -> str:
    told = ", ".join([f"{name}={value!r}" for name, value in fields.items()])
    return f"{KIND_OF[kind]} with {told}" if told else KIND_OF[kind]


def _line(event: Any) -> str:
    text = encode(event).decode()
    return f"{KIND_OF[type(event)]} {text if len(text) <= 300 else text[:297] + '...'}"


__all__ = [
    "Command",
    "Expectation",
    "Given",
    "amend",
    "answer",
    "asked",
    "audited",
    "combatant",
    "declare",
    "dice_used",
    "event",
    "events",
    "given",
    "has",
    "holds",
    "lacks",
    "leave",
    "no_event",
    "not_asked",
    "over",
    "overrule",
    "pool_is",
    "refused",
    "report",
    "turn_of",
    "unchanged",
    "undo",
]
