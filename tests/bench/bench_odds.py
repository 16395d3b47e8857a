"""How long odds take, and how many executions they need. Run it as `python -m tests.bench.bench_odds`.

Nothing here is a test: the numbers depend on the machine and on what else it does. Every time is the best of several runs,
by processor time. `--quick` makes one run of each.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Mapping
from typing import Any

from affray.kernel import Odds, Refused, commands
from affray.sessions import Engine, MemoryStore, Session
from affray.sessions.odds import odds_of

from ..unit.exalted.table import duel as brawl
from .bench import fight


def nyra() -> Session:
    """The duel of the other bench."""
    return fight(Engine(MemoryStore()), "bench")


def exalted() -> Session:
    """Seven dice against a parry of five, with saves against stun and knockdown."""
    return brawl().session


def declare(actor: str, name: str, target: str, **params: Any) -> commands.Declare:
    """One action against one target."""
    return commands.Declare(actor=actor, name=name, targets=(target,), params=params)


WILD = declare("ann", "strike", "bob", weapon="sword", strike="wild", type="C")
AIMED = declare("ann", "strike", "bob", weapon="sword", strike="aimed", type="C", aim="left-arm")
ATTACK = declare("ann", "attack", "bob", weapon="sword")

BENCHES: Mapping[str, tuple[Callable[[], Session], commands.Declare, dict[str, Any]]] = {
    "nyra, wild strike, blocked, ties rerolled": (nyra, WILD, {}),
    "nyra, wild strike, each way to defend": (nyra, WILD, {"policy": "each"}),
    "nyra, aimed strike, blocked, ties rerolled": (nyra, AIMED, {}),
    "exalted, attack until damage": (exalted, ATTACK, {"until_damage": True}),
    "exalted, attack with its saves": (exalted, ATTACK, {}),
}
"""What is timed: a fight, an action, how it is asked for."""


def main(quick: bool) -> None:
    """Print a line for each."""
    for name, (begin, action, how) in BENCHES.items():
        session = begin()
        seconds, found = best(session, action, how, 1 if quick else 5)
        executions = sum(one.executions for one in found)
        outcomes = sum(len(one.chances) for one in found)
        print(f"{name:<44} {1000 * seconds:>8,.0f} ms  {executions:>6,} executions  {outcomes:>4} outcomes")


def best(session: Session, action: commands.Declare, how: dict[str, Any], runs: int) -> tuple[float, tuple[Odds, ...]]:
    """The best time of several runs, and what they found."""
    found: tuple[Odds, ...] | Refused = ()
    times: list[float] = []
    for _ in range(runs):
        before = time.process_time()
        found = odds_of(session, action, **how)
        times.append(time.process_time() - before)
    assert not isinstance(found, Refused), found
    return min(times), found


if __name__ == "__main__":
    main("--quick" in sys.argv)
