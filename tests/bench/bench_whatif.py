"""How long it takes to play many logs again under other rules: `python -m tests.bench.bench_whatif [--quick]`.

The logs are duels of Nyra, each with dice of its own, played to their end; all are played again under a house rule and
under another reading of ties. Nothing here is a test. Times are those of this process.
"""

from __future__ import annotations

import sys
import time

from affray.kernel import Chain, Log, Manifest, WhatIf, what_if
from affray.sessions import Catalog, Engine, MemoryStore
from affray.sessions.cli.demo import find_demo
from affray.sessions.encounter import run_encounter
from affray.sessions.whatif import summed_up


def logs(count: int) -> list[Log]:
    """So many duels."""
    engine = Engine(MemoryStore())
    _, demo = find_demo("nyra")
    found = []
    for _ in range(count):
        session = run_encounter(engine, demo)
        log, chain = Log(), Chain(session.header)
        for line in session.lines:
            log.add(chain.accept(line))
        found.append(log)
    return found


def again(name: str, fights: list[Log], catalog: Catalog, manifest: Manifest) -> None:
    """Play them all again and print what it took."""
    before = time.process_time()
    found: list[WhatIf] = [what_if(log, catalog.rules, manifest) for log in fights]
    seconds = time.process_time() - before
    summary = summed_up(found)
    events = sum(log.head for log in fights)
    told = f"{summary.same} the same, {summary.changed} otherwise, {sum(summary.endings.values())} end otherwise"
    print(f"{name:<34} {len(fights):>6,} logs {events:>9,} events {seconds:>7.1f} s {events / seconds:>9,.0f} events/s   {told}")


def main(quick: bool) -> None:
    """Print the lines."""
    catalog = Catalog()
    fights = logs(20 if quick else 1000)
    pinned = catalog.manifest("nyra", {}, [])
    again("the same rules", fights, catalog, pinned)
    again("ties go to the defender", fights, catalog, catalog.manifest("nyra", {"tie": "defender"}, []))
    again("house rule thick-skin", fights, catalog, catalog.manifest("nyra", {}, ["thick-skin"]))


if __name__ == "__main__":
    main("--quick" in sys.argv[1:])
