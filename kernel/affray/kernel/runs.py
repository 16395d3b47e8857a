"""Runs: one generator in progress each, and the `Action` or `Moment` through which hooks see theirs.

A root run opens with a `declare` or a `turn`; nested actions, upkeep and follow-ups hang below it by id.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Generator
from typing import TYPE_CHECKING, Any

from .errors import Breach
from .events import Declare, Turn
from .names import root
from .steps import Condition
from .values import Modifier, Row, When

if TYPE_CHECKING:
    from .rules import Rules
    from .state import Fight, State


class Scope:
    """What hooks see of the run they work for."""

    __slots__ = ("_rules", "actor", "fight", "id")

    def __init__(self, run_id: str, actor: str, rules: Rules, fight: Fight) -> None:
        self.id = run_id
        self.actor = actor
        self._rules = rules
        self.fight = fight

    def _declared(self) -> tuple[Modifier, ...]:
        return ()

    def _given(self, state: State) -> tuple[Modifier, ...]:
        """What the game master gave to this action, or to the root action of the same actor that it belongs to."""
        name = root(self.id)
        found = state.given.get(self.id, ())
        if name != self.id and name in state.given and name in state.open and state.open[name].actor == self.actor:
            found = (*state.given[name], *found)
        return found

    def rows(self, place: str, of: str = "") -> tuple[Row, ...]:
        """Modifier rows that act at one place, at once and not recorded.

        Rows of the declaration (then of the game master for this action), of the conditions of the actor (or of `of`,
        where somebody else's count: a defence, armour), then of every plugin in manifest order. What the game master gave
        to an action reaches what hangs below it where the same combatant acts: the strikes of a flurry, not a
        counterattack. A declaration's row acts wherever its place is asked for, so that an attack may be declared
        against a worse defence; a place that is asked for with `of` should say so in its name. A resolver puts the
        rows it uses into a trace. Raises Breach for an unknown place.
        """
        rules, fight = self._rules, self.fight
        if place not in rules.places:
            raise Breach(rules.system.id, "resolve", f"asks for rows at {place!r}, a place it does not publish")
        found = [row for row in self._declared() if row.place == place]
        if fight.state.given:
            found += [row for row in self._given(fight.state) if row.place == place]
        someone = fight.state.combatants.get(of or self.actor)
        if someone is not None:
            for held in someone.conditions.values():
                if held.rows:
                    found += [row for row in held.rows if row.place == place]
        result = tuple([Row(row.code, row.amount, row.source or "declared") for row in found])
        return result + rules.contribute(fight, self, place) if rules.contributes else result


class Action(Scope):
    """A declared action, as hooks see it."""

    __slots__ = ("event", "params")

    def __init__(self, event: Declare, params: Any, rules: Rules, fight: Fight) -> None:
        super().__init__(event.action, event.actor, rules, fight)
        self.event = event
        self.params = params
        """The parameters, as the type the system named for this action."""

    @property
    def name(self) -> str:
        """What is done."""
        return self.event.name

    @property
    def targets(self) -> tuple[str, ...]:
        """To whom, in the order named."""
        return self.event.targets

    @property
    def target(self) -> str:
        """The first target, "" without one."""
        return self.event.targets[0] if self.event.targets else ""

    @property
    def is_nested(self) -> bool:
        """Whether another action made this one."""
        return bool(self.event.parent)

    def _declared(self) -> tuple[Modifier, ...]:
        return self.event.rows


class Moment(Scope):
    """A moment of the clock, as hooks see it."""

    __slots__ = ("event",)

    def __init__(self, event: Turn, rules: Rules, fight: Fight) -> None:
        super().__init__(event.action, event.who, rules, fight)
        self.event = event

    @property
    def name(self) -> str:
        """begin, start, end, expiry, join, or a system's own."""
        return self.event.moment

    @property
    def who(self) -> str:
        """Whose moment it is, "" for nobody's."""
        return self.event.who

    @property
    def when(self) -> When:
        """The moment's place in time."""
        return self.event.when

    @property
    def condition(self) -> str:
        """The condition that expires at this moment, "" at any other."""
        if self.event.moment != "expiry":
            return ""
        return self.event.entry.removeprefix(f"condition:{self.event.who}:")


class Run:
    """One generator in progress, and where it stands."""

    __slots__ = (
        "answers",
        "asked",
        "counts",
        "fight",
        "gen",
        "hook",
        "id",
        "kids",
        "opening",
        "plugin",
        "rules",
        "scope",
        "step",
        "steps",
        "value",
    )

    def __init__(
        self,
        run_id: str,
        opening: Declare | Turn,
        scope: Scope,
        rules: Rules,
        gen: Generator[Any, Any, Any] | None,
        plugin: str,
        hook: str,
    ) -> None:
        self.id = run_id
        self.opening = opening
        self.scope = scope
        self.fight = scope.fight
        self.rules = rules
        self.gen = gen
        self.plugin = plugin
        self.hook = hook
        self.step: Any = None  # the prepared step that is to be recorded next
        self.value: Any = None  # what the generator is sent when it goes on
        self.counts: dict[tuple[type, str, str], int] = {}
        self.steps = 0  # of a root run: its own and all that hangs below it
        self.kids: deque[Run] = deque()
        self.asked = False
        self.answers: dict[str, str | None] = {}

    @property
    def is_action(self) -> bool:
        """Whether this run is the resolver of a declared action (and so ends with a `done`)."""
        return self.id == self.opening.action

    def breach(self, problem: str) -> Breach:
        """A breach by this run's plugin."""
        return Breach(self.plugin, self.hook, f"{self.id}: {problem}")


def nothing() -> Generator[Any, Any, str]:
    """The generator of a moment, which has no steps of its own."""
    return ""
    yield


def expire(moment: Moment, fight: Fight) -> Generator[Any, Any, str]:
    """A condition whose time is up ends, before the rules' own upkeep sees the moment."""
    if fight.has(moment.who, moment.condition):
        yield Condition("expired", target=moment.who, id=moment.condition, code="ended")
    return ""


def close(run: Run) -> None:
    """Close a run's generator at once, not when the garbage collector comes by. Raises Breach where it will not end."""
    try:
        if run.gen is not None:
            run.gen.close()
    except Exception as error:
        raise run.breach(f"raised {error!r} when it was closed") from error


__all__ = ["Action", "Moment", "Run", "Scope", "close", "expire", "nothing"]
