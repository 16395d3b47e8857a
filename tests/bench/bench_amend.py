"""What an amend near the beginning of a long fight costs. Run it as `python -m tests.bench.bench_amend`.

Nothing here is a test: the numbers depend on the machine and on what else it does. Every number is the best of several
runs, by processor time. `--quick` takes a fight of a quarter of the length.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from time import process_time

from affray.kernel import AmendPlan, ApplyDamage, Join, SetStep, commands, slot
from affray.sessions import Catalog, Engine, MemoryStore, Session

from .bench import fight, strike

EVENTS = 2_600
RUNS = 5


def long_fight(events: int) -> Session:
    """A Nyra duel of so many events."""
    session = fight(Engine(MemoryStore(), Catalog()), "long")
    number = 0
    while session.head < events:
        strike(session, number)
        number += 1
    return session


def best(work: Callable[[], object], undo: Callable[[], object] = lambda: None) -> float:
    """The shortest of several runs, in milliseconds."""
    found = []
    for _ in range(RUNS):
        start = process_time()
        work()
        found.append(process_time() - start)
        undo()
    return 1000 * min(found)


def main() -> None:
    """Print what planning and storing costs."""
    session = long_fight(EVENTS // 4 if "--quick" in sys.argv else EVENTS)
    events = [(one.version, one.event) for one in session.history(reader="gm")]
    begin, joined = next((version, event) for version, event in events if isinstance(event, Join))
    hit, damage = next((version, event) for version, event in events if isinstance(event, ApplyDamage))
    nothing = commands.Amend(since=10, reason="Nothing.")
    number = commands.Amend(edits=(commands.Word(at=hit, effect=SetStep(slot=slot(damage), fields={"value": 0})),), reason="A miss.")
    skill = {**(joined.sheet or {}), "skills": {"Swords": 8, "Dodge": 5}}
    sheet = commands.Amend(edits=(commands.Resheet(at=begin, sheet=skill),), reason="It was 8.")
    print(f"a fight of {session.head:,} events")
    for what, amend in (("nothing changed at event 10", nothing), (f"no hit at event {hit}", number), ("a skill on the sheet", sheet)):
        plan = session.amend_plan(amend)
        assert isinstance(plan, AmendPlan)
        _line(f"{what}, planned: {len(plan.events):,} events", best(partial(session.amend_plan, amend)))
        made = len(session.request(amend).events) - 1
        session.undo()
        _line(f"{what}, stored: {made:,} events", best(partial(session.request, amend), session.undo))
    _line("undo", _undo(session, nothing))


def _undo(session: Session, amend: commands.Amend) -> float:
    found = []
    for _ in range(RUNS):
        session.request(amend)
        start = process_time()
        session.undo()
        found.append(process_time() - start)
    return 1000 * min(found)


def _line(what: str, milliseconds: float) -> None:
    print(f"  {what:<56} {milliseconds:6,.0f} ms")


if __name__ == "__main__":
    main()
