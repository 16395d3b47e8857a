"""What the engine does in a second, on the events of a real Nyra fight. Run it as `python -m tests.bench.bench`.

Nothing here is a test: the numbers depend on the machine and on what else it does. Every number is the best of several
runs, by processor time. `--quick` runs a tenth of it.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from affray.kernel import (
    GM,
    Accepted,
    Chain,
    Drawn,
    Exchange,
    InputError,
    Log,
    Refused,
    Request,
    Roll,
    SetPool,
    State,
    commands,
    decide,
    fold_all,
    throw,
    verify,
)
from affray.sessions import Catalog, Engine, JsonlStore, MemoryStore, Session

Sheet = dict[str, Any]

SWORD = {"key": "sword", "base": "short-sword"}


def sheet(**more: Any) -> Sheet:
    """A duelist who lasts."""
    return {"STR": 7, "AGI": 6, "CON": 1000, "sequence": 5, "weapons": [SWORD], **more}


def fight(engine: Engine, name: str) -> Session:
    """A duel that has begun."""
    session = engine.start("nyra", session=name)
    session.join("ann", side="a", sheet=sheet(skills={"Swords": 7, "Dodge": 5}), secret=False)
    session.join("bob", side="b", sheet=sheet(skills={"Swords": 7, "Defense": 5}, sequence=4), secret=False)
    session.begin()
    return session


def strike(session: Session, number: int) -> None:
    """One strike of whoever holds the turn, defended."""
    state = session.state(reader=GM)
    actor = state.turn
    target = "bob" if actor == "ann" else "ann"
    answer = session.declare(actor, "strike", target, id=f"s{number}", **aim(number))
    assert answer, answer.refused
    for slot in session.state(reader=GM).prompts:
        session.answer(slot, target, "dodge" if target == "ann" else "defense", id=f"d{number}")


class Loaded:
    """A host whose dice cost next to nothing."""

    def __init__(self) -> None:
        self._count = 0

    def draw(self, roll: Roll, run: int, state: State) -> Drawn:
        """Faces by counting."""
        return Drawn(throw(roll.plan, self._face), "engine")

    def _face(self, die: int, link: int, sides: int) -> int:
        self._count += 1
        return self._count * 2_654_435_761 % 4_294_967_291 % sides + 1

    def reveal(self, chain: str) -> Refused:
        """Nothing to reveal."""
        return Refused("no-such-chain", (chain,))

    def at_close(self) -> None:
        """Nothing to reveal."""

    def part(self, version: int) -> str:
        """No kept parts."""
        raise InputError("no kept part")


def decided(strikes: int) -> tuple[int, float]:
    """Strikes decided and folded by the kernel alone: resolvers, rulings, bytes, fold; no ledger, no fair dice."""
    catalog = Catalog()
    exchange, log, host = Exchange(catalog.rules, State()), Log(), Loaded()
    opened = fight(Engine(MemoryStore()), "bench").history(reader=GM)[0].event
    exchange.feed(opened)
    count = 0

    def do(command: commands.Command) -> None:
        nonlocal count
        answer = decide(exchange, log, Request(id=f"c{count}", command=command), host)
        assert isinstance(answer, Accepted), answer
        count += len(answer.events)

    for who, sequence, skill in (("ann", 5, "Dodge"), ("bob", 4, "Defense")):
        skills = {"Swords": 7, skill: 5}
        do(commands.Join(id=who, name=who, side=who, sheet=sheet(skills=skills, sequence=sequence), secret=False))
    do(commands.Begin())

    def go() -> None:
        for number in range(strikes):
            actor = exchange.state.turn
            target = "bob" if actor == "ann" else "ann"
            do(commands.Declare(actor=actor, name="strike", targets=(target,), params=aim(number)))
            for slot in exchange.state.prompts:
                do(commands.Answer(slot=slot, who=target, value="dodge" if target == "ann" else "defense"))

    seconds = timed(go)
    return count, seconds


def aim(number: int) -> Sheet:
    """The parameters of a strike: every fourth is aimed."""
    if number % 4 == 3:
        return {"weapon": "sword", "type": "C", "strike": "aimed", "aim": "left-arm"}
    return {"weapon": "sword", "type": "C", "strike": "wild"}


def best(runs: int, work: Callable[[], tuple[int, float]]) -> float:
    """The best rate of several runs, in units a second."""
    return max(count / seconds for count, seconds in (work() for _ in range(runs)))


def timed(work: Callable[[], object]) -> float:
    """Processor time of one piece of work, in seconds."""
    before = time.process_time()
    work()
    return time.process_time() - before


def play(strikes: int) -> tuple[Session, float]:
    """A fight in memory, and what it took."""
    session = fight(Engine(MemoryStore()), "bench")

    def go() -> None:
        for number in range(strikes):
            strike(session, number)

    return session, timed(go)


def sealed(strikes: int) -> tuple[int, float]:
    """The events of a fight in memory, and what it took."""
    session, seconds = play(strikes)
    return session.head, seconds


def report(name: str, rate: float, unit: str) -> None:
    """Print one line."""
    print(f"{name:<52} {rate:>12,.0f} {unit}")


def main(quick: bool) -> None:
    """Print every number."""
    runs, strikes = (3, 100) if quick else (10, 400)
    session, _ = play(strikes)
    head = session.head
    for name, work in (("decided and folded by the kernel", decided), ("a session in memory, sealed, fair dice", sealed)):
        rate = best(runs, partial(work, strikes))
        each = sum(work(strikes)[0] for _ in range(runs)) / runs / strikes
        report(name, rate, "events/s")
        report(f"  at {each:.1f} events a strike", rate / each, "strikes/s")
    pairs = [(version, event) for version, event in enumerate((r.event for r in session.history(reader=GM)), 1)]
    report("fold", best(runs, lambda: (head, timed(lambda: fold_all(pairs, State())))), "events/s")
    lines = [session.header, *session.lines]

    def decode() -> None:
        chain, log = Chain(lines[0]), Log()
        for line in lines[1:]:
            log.add(chain.accept(line))

    report("decode, seals and chain checked", best(runs, lambda: (head, timed(decode))), "events/s")
    report("verify", best(runs, lambda: (head, timed(lambda: verify(lines)))), "events/s")
    size = sum(map(len, lines)) / head
    report("bytes in the file", size, "bytes/event")
    for goal in (1_000, 10_000) if quick else (1_000, 10_000, 100_000):
        load(goal)


def heal(session: Session) -> None:
    """Take every wound away by the game master's word, so that a long fight goes on."""
    for who, one in session.state(reader=GM).combatants.items():
        for pool, value in one.pools.items():
            if value and one.ranges and one.ranges[pool].damage == 1:
                session.overrule("a long fight", SetPool(target=who, pool=pool, value=0))


def load(goal: int) -> None:
    """Session load time from a file of so many events."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder)
        store = MemoryStore()
        session = fight(Engine(store), "bench")
        number = 0
        while session.head < goal:
            if number % 500 == 499:
                heal(session)
            strike(session, number)
            number += 1
        path.joinpath("bench.affray").write_bytes(b"".join(line + b"\n" for line in store.read("bench")))
        path.joinpath("bench.secret").write_bytes(store.secret("bench") or b"")
        files = JsonlStore(path)
        seconds = min(timed(lambda: Engine(files).load("bench")) for _ in range(3))
        files.close()
        report(f"load a session of {session.head:,} events", 1000 * seconds, "ms")


if __name__ == "__main__":
    main("--quick" in sys.argv)
