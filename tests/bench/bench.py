"""What the engine does in a second, on the events of a real Nyra fight. Run it as `python -m tests.bench.bench`.

Nothing here is a test: the numbers depend on the machine and on what else it does. Every number is the best of several
runs, by processor time. `--quick` runs a tenth of it.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from affray.kernel import GM, Chain, Log, State, fold_all, verify
from affray.sessions import Engine, JsonlStore, MemoryStore, Session

Sheet = dict[str, Any]

SWORD = {"key": "sword", "base": "short-sword"}


def sheet(**more: Any) -> Sheet:
    """A duelist who lasts."""
    return {"STR": 7, "AGI": 6, "CON": 900, "sequence": 5, "weapons": [SWORD], **more}


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
    params: dict[str, Any] = {"weapon": "sword", "type": "C", "strike": "aimed" if number % 4 == 3 else "wild"}
    if number % 4 == 3:
        params["aim"] = "left-arm"
    answer = session.declare(actor, "strike", target, id=f"s{number}", **params)
    assert answer, answer.refused
    for slot in session.state(reader=GM).prompts:
        session.answer(slot, target, "dodge" if target == "ann" else "defense", id=f"d{number}")


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


def report(name: str, rate: float, unit: str) -> None:
    """Print one line."""
    print(f"{name:<44} {rate:>12,.0f} {unit}")


def main(quick: bool) -> None:
    """Print every number."""
    runs, strikes = (3, 100) if quick else (10, 400)
    session, _ = play(strikes)
    head = session.head
    report("strikes in memory, whole contract", best(runs, lambda: (strikes, play(strikes)[1])), "strikes/s")
    report("  the same in events", best(runs, lambda: (head, play(strikes)[1])), "events/s")
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


def load(goal: int) -> None:
    """Session load time from a file of so many events."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder)
        store = MemoryStore()
        session = fight(Engine(store), "bench")
        number = 0
        while session.head < goal:
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
