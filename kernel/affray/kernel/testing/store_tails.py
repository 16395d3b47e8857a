"""Checks of what lists of sessions are made from: the tail of a session, and what a store caches for it."""

from __future__ import annotations

from functools import partial

from ..errors import AffrayError, NoSuchSession
from ..events import Note
from .ledgers import Scribe
from .store_bench import Bench, refused, same


def tells_the_tail(bench: Bench) -> None:
    """From the end of any commit on, the tail is what `read` gives from there on; from anywhere else it is nothing."""
    scribe, commits = bench.three()
    more = [scribe.write(Note(text="four"), Note(text="é" * 70_000)), *scribe.group("g", ["six", "seven"])]
    bench.append(more[0])
    bench.append(*more[1:])
    commits += [*more, scribe.note("eight", secret=True, caller="ann")]
    bench.append(commits[-1])
    for _ in range(2):
        for start, version in enumerate((0, 1, 2, 3, 5, 6, 7, 8)):
            expected = [scribe.header, *[commit.line for commit in commits[max(start - 1, 0) :]]]
            same(expected, list(bench.store.tail(scribe.session, version)), f"the tail from version {version}")
        for version in (4, 9, 1000):
            same([scribe.header], list(bench.store.tail(scribe.session, version)), f"the tail from version {version}")
        bench.reopen()
    lines = bench.store.tail(scribe.session, 8)
    bench.append(scribe.note("nine"))
    same([scribe.header, commits[-1].line], list(lines)[:2], "a tail under way while somebody appends")
    refused(NoSuchSession, lambda: list(bench.store.tail("nobody", 1)), "the tail of an unknown session")


def keeps_a_cache(bench: Bench) -> None:
    """What is cached comes back whole or not at all, belongs to one session, and is in no line and no list."""
    scribe, commits = bench.three()
    other = Scribe("other")
    bench.create(other, other.note("one"))
    store = bench.store
    same(None, store.cached(scribe.session), "the cache of a new session")
    for data in (b"\x00\n0123456789", b"", b"0123456789" * 20_000, b"short again"):
        store.cache(scribe.session, data)
        same(data, store.cached(scribe.session), "the cache")
    same(None, store.cached("other"), "the cache of another session")
    store.cache("nobody", b"lost")
    same(None, store.cached("nobody"), "the cache of a session that is not there")
    for bad in ("../nobody", "a/b", ""):
        refused(AffrayError, partial(store.cache, bad, b"x"), f"cache of {bad!r}")
        refused(AffrayError, partial(store.cached, bad), f"the cache of {bad!r}")
    same(("fight", "other"), store.sessions(), "sessions()")
    commits.append(scribe.note("four"))
    bench.append(commits[-1])
    bench.reopen()
    same(True, bench.store.cached(scribe.session) in (b"short again", None), "the cache is whole or gone")
    bench.holds(scribe, *commits)
    nobody = Scribe("nobody")
    bench.create(nobody, nobody.note("one"))
    same(None, bench.store.cached("nobody"), "the cache of a session that was made after it")


__all__ = ["keeps_a_cache", "tells_the_tail"]
