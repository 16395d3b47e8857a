"""What the checks of a store are made with: the store's methods, a bench that asks it questions, and comparisons.

Comparisons are plain functions instead of `assert`, so that they also hold under `python -O` and outside pytest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial, wraps
from typing import Protocol, TypeVar

from ..errors import AffrayError, VersionConflict
from ..ledger import Commit
from .ledgers import Scribe


class Store(Protocol):
    """The methods of a store; what each must do stands at `affray.sessions.stores.Store`."""

    def create(self, header: bytes, commits: Sequence[Commit], secret: bytes | None = None) -> None:
        """Create a session with its first commits."""
        ...

    def append(self, session: str, commits: Sequence[Commit], expected_version: int) -> tuple[Commit, ...]:
        """Append one commit, or all of a group."""
        ...

    def read(self, session: str) -> Iterator[bytes]:
        """The header line, then every commit's line."""
        ...

    def tail(self, session: str, version: int) -> Iterator[bytes]:
        """The header line, then the line of the commit that ends at a version and those behind it."""
        ...

    def secret(self, session: str) -> bytes | None:
        """What `create` was given as secret."""
        ...

    def sessions(self) -> tuple[str, ...]:
        """The ids of all sessions, sorted."""
        ...

    def cached(self, session: str) -> bytes | None:
        """What `cache` was given last."""
        ...

    def cache(self, session: str, data: bytes) -> None:
        """Keep something that can be made again."""
        ...

    def close(self) -> None:
        """Give up locks and files."""
        ...


MakeStore = Callable[[], Store]
Reopen = Callable[[Store], Store]
StoreCheck = Callable[[MakeStore, Reopen | None], None]

E = TypeVar("E", bound=AffrayError)


class Bench:
    """One check's store, and the questions that checks ask it."""

    def __init__(self, make_store: MakeStore, reopen: Reopen | None) -> None:
        self.store = make_store()
        self._reopen = reopen

    def reopen(self) -> None:
        """See the data as a new process would, where the store can do that."""
        if self._reopen is not None:
            self.store = self._reopen(self.store)

    def create(self, scribe: Scribe, *commits: Commit, secret: bytes | None = None) -> None:
        """Create a scribe's session."""
        self.store.create(scribe.header, commits, secret)

    def append(self, *commits: Commit, expected: int | None = None) -> tuple[Commit, ...]:
        """Append commits where they say that they belong."""
        first = commits[0]
        return self.store.append(
            first.envelope.session, commits, first.first - 1 if expected is None else expected
        )

    def read(self, session: str) -> list[bytes]:
        """Every line of a session."""
        return list(self.store.read(session))

    def holds(self, scribe: Scribe, *commits: Commit) -> None:
        """Check that a session holds these commits, byte for byte, and nothing else."""
        lines = [scribe.header, *[commit.line for commit in commits]]
        same(lines, self.read(scribe.session), f"the lines of session {scribe.session!r}")

    def three(self) -> tuple[Scribe, list[Commit]]:
        """A session at version 3, and who can go on with it."""
        scribe = Scribe()
        commits = [scribe.note("one"), scribe.note("two"), scribe.note("three")]
        self.create(scribe, *commits)
        return scribe, commits


CHECKS: list[StoreCheck] = []


def store_check(body: Callable[[Bench], None]) -> StoreCheck:
    """List a check; its store is closed whatever happens."""

    @wraps(body)
    def check(make_store: MakeStore, reopen: Reopen | None = None) -> None:
        bench = Bench(make_store, reopen)
        try:
            body(bench)
        finally:
            bench.store.close()

    CHECKS.append(check)
    return check


def same(expected: object, found: object, what: str) -> None:
    """Check one value, the expected one first."""
    if expected != found:
        raise AssertionError(f"{what}: expected {_short(expected)}, found {_short(found)}")


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 400 else f"{text[:200]} ... {text[-200:]}"


def refused(kind: type[E], act: Callable[[], object], what: str) -> E:
    """The error of this kind that an act raises; anything else fails the check."""
    try:
        answer = act()
    except kind as error:
        return error
    raise AssertionError(f"{what}: expected {kind.__name__}, was answered {_short(answer)}")


def conflict(bench: Bench, current: int, expected: int, *commits: Commit) -> None:
    """Check that an append is refused with the conflict that names the current version."""
    what = f"append expecting {expected} at {current}"
    error = refused(VersionConflict, partial(bench.append, *commits, expected=expected), what)
    same(current, error.current, f"the current version that the refusal names ({what})")


def answers(commits: Sequence[Commit], answer: Sequence[Commit], what: str) -> None:
    """Check an answer in everything a caller may use of it."""
    same([c.line for c in commits], [c.line for c in answer], f"the lines of {what}")
    same([c.digest for c in commits], [c.digest for c in answer], f"the digests of {what}")
    same([c.sender for c in commits], [c.sender for c in answer], f"the senders of {what}")
    same([c.events for c in commits], [c.events for c in answer], f"the events of {what}")
