"""What an audit takes, beside what less than an audit takes, and what it remembers. Run it as `python -m tests.bench.bench_audit`.

Nothing here is a test: the numbers depend on the machine and on what else it does. Every rate is the best of several runs
in turn, by processor time. `--quick` runs a fifth of it.
"""

from __future__ import annotations

import sys
import tracemalloc
from collections.abc import Callable, Sequence
from functools import partial

from affray.kernel import GM, Auditor, Chain, Log, State, audit, fold_all, verify
from affray.sessions import Catalog, Session

from ..support.dicey import Dicey
from ..support.table import engine, tiny_catalog
from ..support.table import play as play_tiny
from ..support.tampering import Book
from .bench import best, report, timed
from .bench import play as play_nyra


def nyra(strikes: int) -> tuple[Session, Book]:
    """A duel of the Nyra rules."""
    return play_nyra(strikes)[0], Catalog().rules


def tiny(actions: int) -> tuple[Session, Book]:
    """A fight of the tests' own system, in which nothing is worked out."""
    catalog = tiny_catalog(Dicey)
    session = engine(catalog=catalog, seed="bench").start("tiny", session="bench")
    for who in ("ann", "bob"):
        session.join(who, side=who, sheet={"hp": 100 * actions, "skill": 20}, secret=False)
    session.begin()
    play_tiny(session, actions)
    return session, catalog.rules


def rates(name: str, session: Session, book: Book, runs: int) -> None:
    """Print how many events of a log a second are folded, loaded, verified and audited."""
    lines = [session.header, *session.lines]
    pairs = list(enumerate((recorded.event for recorded in session.history(reader=GM)), 1))
    found = audit(lines, book)
    assert found.is_clean
    assert found.checked >= session.head - 3

    def load() -> None:
        chain, log = Chain(lines[0]), Log()
        for line in lines[1:]:
            log.add(chain.accept(line))

    print(f"{name}: {session.head:,} events in {found.commits:,} commits")
    works: dict[str, Callable[[], object]] = {
        "fold": lambda: fold_all(pairs, State()),
        "load: decode, seals and chain checked": load,
        "verify": partial(verify, lines),
        "audit": partial(audit, lines, book),
        "audit, lines read again where needed": partial(audit, lines, book, reread=partial(again, lines)),
    }

    def once(work: Callable[[], object]) -> tuple[int, float]:
        return session.head, timed(work)

    for what, work in works.items():
        report(f"  {what}", best(runs, partial(once, work)), "events/s")


def again(lines: Sequence[bytes], commits: int) -> Sequence[bytes]:
    """Lines behind so many commits."""
    return lines[1 + commits :]


def remembered(session: Session, book: Book, *, reread: bool) -> int:
    """Bytes that an audit holds at the end of a log."""
    lines = [session.header, *session.lines]
    tracemalloc.start()
    auditor = Auditor(book, lines[0], partial(again, lines) if reread else None)
    for line in lines[1:]:
        auditor.take(line)
    size, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return size


def memory(few: int, many: int) -> None:
    """Print what an audit remembers of every event more of a long fight."""
    short, long = nyra(few), nyra(many)
    size = sum(map(len, long[0].lines)) / long[0].head
    report("bytes in the file", size, "bytes/event")
    for reread in (False, True):
        grown = remembered(*long, reread=reread) - remembered(*short, reread=reread)
        name = "remembered, lines read again where needed" if reread else "remembered"
        report(name, grown / (long[0].head - short[0].head), "bytes/event")


def main(quick: bool) -> None:
    """Print every number."""
    runs, strikes = (3, 100) if quick else (10, 500)
    rates("Nyra", *nyra(strikes), runs)
    rates("tiny", *tiny(strikes), runs)
    memory(*((100, 200) if quick else (300, 1500)))


if __name__ == "__main__":
    main("--quick" in sys.argv)
