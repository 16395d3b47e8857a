"""Work on many things at once: over several processes, with the results in the order in which the things were named.

Processes are started anew and not forked, so that none inherits locks or open files. A process that dies takes no
result with it but that of the item it worked on. Knows nothing of what the work is.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import active_children, get_context
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


class Lost(Exception):
    """The process that worked on an item died."""


def cores() -> int:
    """How many processors this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not told by every system
        return os.cpu_count() or 1


def each(
    work: Callable[[Item], Result], items: Sequence[Item], jobs: int, lost: Callable[[Item], Result]
) -> Generator[Result, None, None]:
    """The results of `work` for every item, in their order, from so many processes (1: from this one).

    `work` is a function of a module, its items and results can be pickled, and it raises nothing; `lost` says what becomes
    of an item whose process died. Close the generator, or let it end, and no process is left.
    """
    jobs = min(jobs, len(items))
    if jobs <= 1:
        yield from map(work, items)
        return
    with _pool(jobs) as pool:
        with _undisturbed():
            futures = [pool.submit(work, item) for item in items]
        for item, future in zip(items, futures, strict=True):
            try:
                yield _of(future)
            except Lost:  # whose fault it was is not known: everybody who had no result is tried alone
                yield _alone(work, item, lost)


def _of(future: Future[Result]) -> Result:
    try:
        return future.result()
    except BrokenProcessPool as error:
        raise Lost from error


def _alone(work: Callable[[Item], Result], item: Item, lost: Callable[[Item], Result]) -> Result:
    try:
        with _pool(1) as pool:
            with _undisturbed():
                future = pool.submit(work, item)
            return _of(future)
    except Lost:
        return lost(item)


@contextmanager
def _pool(jobs: int) -> Iterator[ProcessPoolExecutor]:
    """Processes that are ended at once where it is left before all is done."""
    before = active_children()
    pool = ProcessPoolExecutor(jobs, mp_context=get_context("spawn"))
    try:
        yield pool
    except BaseException:
        for child in active_children():
            if child not in before:
                child.terminate()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


@contextmanager
def _undisturbed() -> Iterator[None]:
    """Start processes that no interrupt of the terminal reaches: whoever started them is told, and ends them."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


__all__ = ["cores", "each"]
