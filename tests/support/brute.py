"""Odds by brute force: every face of every die of an action, thrown one after the other and decided as a live command is.

Shares nothing with `odds.py` but the rules: `decide` runs the action to its end, prompts are answered by commands, and what
came of it is read off the events and the states before and after.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from affray.kernel import (
    GM,
    ApplyDamage,
    Close,
    Done,
    Drawn,
    Exchange,
    InputError,
    Log,
    Num,
    Refused,
    Request,
    Roll,
    State,
    commands,
    decide,
    exact,
    fold,
    number,
    root,
    throw,
)
from affray.sessions import Session

Pick = Callable[[Any, str], str]
"""What somebody answers to an `ask`."""

Result = tuple[Any, ...]
"""(code, ending, damage by target, pool differences, conditions gained, conditions ended)"""

ACTION = "x"


class Walker:
    """Dice along a path of faces; where it ends they show 1, and the other faces are kept to be tried."""

    def __init__(self, path: tuple[int, ...]) -> None:
        self.path = list(path)
        self.used = 0
        self.chance = Fraction(1)
        self.others: list[tuple[int, ...]] = []

    def draw(self, roll: Roll, run: int, state: State) -> Drawn:
        is_over = not {ACTION, "begin"} & set(state.open)  # dice behind its end change nothing of it
        return Drawn(throw(roll.plan, _one if is_over else self.face), "engine")

    def face(self, die: int, link: int, sides: int) -> int:
        if self.used == len(self.path):
            self.others += [(*self.path, face) for face in range(2, sides + 1)]
            self.path.append(1)
        self.used += 1
        self.chance *= Fraction(1, sides)
        return self.path[self.used - 1]

    def reveal(self, chain: str) -> Refused:
        return Refused("no-fair-dice")

    def at_close(self) -> None:
        return None

    def part(self, version: int) -> str:
        raise InputError("keeps nothing", value=version)


def _one(die: int, link: int, sides: int) -> int:
    return 1


def brute_force(session: Session, command: commands.Command, pick: Pick, most: int = 100_000) -> dict[Result, Fraction]:
    """Every result with its probability. Fails for more than so many throws."""
    found: dict[Result, Fraction] = {}
    todo: list[tuple[int, ...]] = [()]
    count = 0
    while todo:
        walker = Walker(todo.pop())
        result = played(session, command, pick, walker)
        found[result] = found.get(result, Fraction(0)) + walker.chance
        todo += walker.others
        count += 1
        assert count <= most, "too many throws for brute force"
    assert sum(found.values()) == 1
    return found


def played(session: Session, command: commands.Command, pick: Pick, walker: Walker) -> Result:
    """One throw of all dice."""
    log: Log = session._record.log
    books = session._deciding.ready().rules_of
    exchange = Exchange.resume(books, log.line(), head=log.head, openings=log.openings, secret_openings=log.secret_openings)
    before = exchange.state
    events: list[Any] = []
    following: commands.Command | None = command
    while following is not None:
        request = Request(id=ACTION if following is command else f"{ACTION}{len(events)}", command=following, caller=GM)
        answer = decide(exchange, log, request, walker)
        if isinstance(answer, Refused):
            return (f"refused-{answer.code}", "", (), (), (), ())
        events += [event for event, _ in answer.events]
        following = next_command(exchange.state, events, pick)
    return result_of(before, events)


def next_command(state: State, events: list[Any], pick: Pick) -> commands.Command | None:
    """An answer where somebody is asked, the end of somebody's turn while the action waits, nothing when it is over."""
    if any(type(event) is Done and event.action in (ACTION, "begin") for event in events) or state.over:
        return None
    for slot, prompt in state.prompts.items():
        who = next(one for one in prompt.ask.who if one not in prompt.answers)
        return commands.Answer(slot=slot, who=who, value=pick(prompt.ask, who))
    return commands.Declare(actor=state.turn, name="end-turn")


def result_of(before: State, events: list[Any]) -> Result:
    """What came of the action, up to its own end."""
    state, damage, code, over = before, dict[str, Any](), "unresolved", ""
    for index, event in enumerate(events):
        state = fold(state, event, index)
        if type(event) is ApplyDamage and root(event.action) in (ACTION, "begin"):
            damage[event.target] = damage.get(event.target, 0) + exact(event.value)
        if type(event) is Done and event.action in (ACTION, "begin"):
            code = event.code
            following = events[index + 1] if index + 1 < len(events) else None
            over = following.code if type(following) is Close else ""
            break
    pools: list[tuple[str, str, Num]] = []
    gained: list[tuple[str, str, Num | None]] = []
    ended: list[tuple[str, str]] = []
    for who, one in before.combatants.items():
        now = state.combatants[who]
        pools += [(who, name, difference(was, now.pools[name])) for name, was in one.pools.items() if now.pools[name] != was]
        had = {name: held.value for name, held in one.conditions.items()}
        has = {name: held.value for name, held in now.conditions.items()}
        gained += [(who, name, value) for name, value in has.items() if name not in had or had[name] != value]
        ended += [(who, name) for name in had if name not in has]
    hurt = tuple([(who, number(damage[who])) for who in before.combatants if damage.get(who)])
    return code, over, hurt, tuple(pools), tuple(gained), tuple(ended)


def difference(before: Num | None, after: Num | None) -> Num:
    assert before is not None
    assert after is not None
    return number(exact(after) - exact(before))


__all__ = ["ACTION", "Pick", "Result", "brute_force"]
