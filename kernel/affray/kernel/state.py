"""State: what a log folds to, and `Fight`, the window through which plugins see it.

State is immutable and knows no plugin (law 2): every value in it stood in an event. Where a kept part is missing the
value is None, which means unknown, never a guess.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import msgspec

from .errors import InputError
from .names import RESUME
from .numbers import Exact, Num, exact
from .steps import Ask
from .values import Entry, Held, Json, Manifest, Modifier, Origin, Pool, When, moment


class Combatant(msgspec.Struct, frozen=True, kw_only=True):
    """Somebody in the fight. `number` counts joins of the present line from 1; `gone` marks who left."""

    id: str
    name: str
    side: str
    controller: str
    secret: bool
    number: int
    sheet: dict[str, Json] | None
    pools: dict[str, Num | None]
    ranges: dict[str, Pool] | None
    conditions: dict[str, Held]
    gone: bool = False


class OpenAction(msgspec.Struct, frozen=True, kw_only=True):
    """An action or moment that is not finished. `since` is the version that opened it, `due` when it goes on.

    `nth` says which of its actor's root actions on the present line it is, from 1; 0 for a moment.
    """

    id: str
    what: str
    actor: str
    since: int
    secret: bool
    due: When | None = None
    nth: int = 0


class Prompt(msgspec.Struct, frozen=True, kw_only=True):
    """An open `ask` and the answers given so far."""

    ask: Ask
    answers: dict[str, str | None]


class State(msgspec.Struct, frozen=True, kw_only=True):
    """The fight at one version.

    `at` is the present moment (() before the first), `turn` who holds the turn ("" for nobody), `over` how it ended
    ("" while it goes on), `has_secrets` whether anybody or any action was secret, `turns` how often each agenda entry came up, `declared` how many
    root actions each actor declared, `given` modifiers of open actions,
    `coming` fields that the game master set for steps to come, by slot.
    """

    session: str = ""
    title: str = ""
    manifest: Manifest | None = None
    origin: Origin | None = None
    dice: dict[str, str] = {}
    undo_dice: str = "redraw"
    began: bool = False
    at: When = ()
    turn: str = ""
    over: str = ""
    turns: dict[str, int] = {}
    declared: dict[str, int] = {}
    combatants: dict[str, Combatant] = {}
    agenda: dict[str, Entry] = {}
    open: dict[str, OpenAction] = {}
    prompts: dict[str, Prompt] = {}
    has_secrets: bool = False
    given: dict[str, tuple[Modifier, ...]] = {}
    coming: dict[str, dict[str, Json]] = {}

    def policy(self, combatant: str) -> str:
        """The dice policy of whoever controls a combatant."""
        someone = self.combatants.get(combatant)
        everybody = self.dice.get("*", "fair")
        return self.dice.get(someone.controller, everybody) if someone else everybody


def by_time(state: State) -> list[Entry]:
    """The agenda in the order in which its entries come up (law 8).

    That is by their moments, part by part. Those of one moment come by the number of the join of `who` (nobody's last),
    then by the kind of moment, then, where actions go on, by the version that opened them, and only then by the key:
    whoever names a combatant or a command puts nobody before another.
    """
    return sorted(state.agenda.values(), key=partial(_order, state))


def least(state: State) -> Entry:
    """The entry that comes up next. Raises ValueError for an empty agenda."""
    return min(state.agenda.values(), key=partial(_order, state))


def _order(state: State, entry: Entry) -> tuple[Any, ...]:
    who = state.combatants.get(entry.who)
    run = state.open.get(entry.key.removeprefix(RESUME)) if entry.moment == "resume" else None
    number = (who is None, 0 if who is None else who.number)
    return moment(entry.when), number, entry.moment, 0 if run is None else run.since, entry.key


class Fight:
    """What plugins see: always the fight as it stands now, read-only.

    One object for the whole of an exchange; anything a plugin keeps across a yield is its own risk.
    """

    __slots__ = ("_sheet_type", "_sheets", "options", "state")

    def __init__(self, state: State, sheet_type: type | None = None, options: Any = None) -> None:
        self.state = state
        self.options = options
        self._sheet_type = sheet_type
        self._sheets: dict[str, tuple[object, Any]] = {}

    @property
    def at(self) -> tuple[Exact, ...]:
        """The present moment in comparable form."""
        return moment(self.state.at)

    @property
    def ids(self) -> tuple[str, ...]:
        """Everybody who is in the fight, in the order of joining."""
        return tuple([one.id for one in self.state.combatants.values() if not one.gone])

    def combatant(self, who: str) -> Combatant:
        """A combatant by id, gone or not. Raises InputError for an id that never joined."""
        try:
            return self.state.combatants[who]
        except KeyError:
            raise InputError("no such combatant", value=who) from None

    def sheet(self, who: str) -> Any:
        """A combatant's sheet, as the system's sheet type."""
        known = self._sheets.get(who)
        someone = self.state.combatants.get(who)
        raw = someone.sheet if someone is not None else self.combatant(who).sheet
        if known is None or known[0] is not raw:
            typed = raw if self._sheet_type is None else msgspec.convert(raw, self._sheet_type)
            known = self._sheets[who] = (raw, typed)
        return known[1]

    def pool(self, who: str, name: str) -> Exact:
        """The present value of a pool. Raises InputError for a pool the combatant does not have."""
        value = self.combatant(who).pools.get(name)
        if value is None:
            raise InputError(f"{who} has no pool of that name", value=name)
        return value if type(value) is int else exact(value)

    def conditions(self, who: str) -> dict[str, Held]:
        """The conditions a combatant has, by id."""
        return self.combatant(who).conditions

    def has(self, who: str, *conditions: str) -> bool:
        """Tell whether a combatant has any of these conditions."""
        return not self.combatant(who).conditions.keys().isdisjoint(conditions)

    def opponents(self, who: str) -> tuple[str, ...]:
        """Everybody present on another side, in the order of joining."""
        side = self.combatant(who).side
        return tuple(one.id for one in self.state.combatants.values() if one.side != side and not one.gone)
