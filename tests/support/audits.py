"""What tests of the audit share: the rules of the dicey system, a session's log, and its lines read again."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache

from affray.sessions import Session

from .dicey import Dicey
from .table import tiny_catalog
from .tampering import Book


@cache
def book() -> Book:
    return tiny_catalog(Dicey).rules


def log(session: Session) -> list[bytes]:
    return [session.header, *session.lines]


def again(lines: Sequence[bytes]) -> Callable[[int], Iterator[bytes]]:
    """Lines behind so many commits, as an audit reads them a second time."""
    return lambda commits: iter(lines[1 + commits :])


__all__ = ["again", "book", "log"]
