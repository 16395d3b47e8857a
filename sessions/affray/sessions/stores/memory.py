"""A store in memory: for tests, demonstrations and sessions that nobody wants to keep.

It answers exactly as the stores on disk do, but that everything is gone with the object.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from threading import Lock

from affray.kernel import Commit, NoSuchSession, SessionExists, check_id

from .index import SessionIndex, units


class _Kept:
    """One session: its lines, the header first, the version each ends at, and the lock that its writers wait for."""

    def __init__(self, header: bytes, commits: Sequence[Commit], secret: bytes | None) -> None:
        self.index = SessionIndex.of_new(header, commits)
        self.secret = secret
        self.cache: bytes | None = None
        self.lock = Lock()
        self.lines = [header]
        self.ends = [0]
        for unit in units(commits):
            self.index.check_order(unit, self.index.version)
            self.add(unit)

    def add(self, commits: Sequence[Commit]) -> None:
        start = len(self.lines)
        self.lines.extend([commit.line for commit in commits])
        self.ends.extend([commit.last for commit in commits])
        self.index.add(commits, start, len(self.lines))


class MemoryStore:
    """A `Store` that keeps everything in memory."""

    def __init__(self) -> None:
        self._guard = Lock()
        self._sessions: dict[str, _Kept] = {}
        self._names: dict[str, str] = {}

    def create(self, header: bytes, commits: Sequence[Commit], secret: bytes | None = None) -> None:
        """Create a session with its first commits. Raises SessionExists, also for an id that differs only in case."""
        kept = _Kept(header, commits, secret)
        session = check_id(kept.index.session, "a session's id")
        with self._guard:
            # Any session may be written to a folder of files later, and there case may not count.
            other = self._names.setdefault(session.lower(), session)
            if session in self._sessions:
                raise SessionExists(f"session {session!r} exists already")
            if other != session:
                raise SessionExists(f"session {session!r} differs from the existing {other!r} in case only")
            self._sessions[session] = kept

    def append(self, session: str, commits: Sequence[Commit], expected_version: int) -> tuple[Commit, ...]:
        """Append one commit, or all of a group; or answer a repeat with what is stored (see `Store.append`)."""
        kept = self._find(session)
        with kept.lock:
            place = kept.index.earlier(commits)
            if place is not None:
                return kept.index.commits_at(place, kept.lines[place.start : place.end])
            kept.index.check(commits, expected_version)
            kept.add(commits)
            return tuple(commits)

    def read(self, session: str) -> Iterator[bytes]:
        """The header line, then every commit's line, as they were when this was called. Raises NoSuchSession."""
        kept = self._find(session)
        with kept.lock:
            count = len(kept.lines)
        return (kept.lines[i] for i in range(count))

    def tail(self, session: str, version: int) -> Iterator[bytes]:
        """The header line, then the line of the commit that ends at a version and those behind it (see `Store.tail`)."""
        kept = self._find(session)
        with kept.lock:
            start = bisect_left(kept.ends, version)
            found = kept.lines[max(start, 1) :] if kept.ends[start : start + 1] == [version] else []
        return iter([kept.lines[0], *found])

    def secret(self, session: str) -> bytes | None:
        """What `create` was given as secret."""
        return self._find(session).secret

    def sessions(self) -> tuple[str, ...]:
        """The ids of all sessions, sorted."""
        with self._guard:
            return tuple(sorted(self._sessions))

    def cached(self, session: str) -> bytes | None:
        """What `cache` was given last."""
        kept = self._sessions.get(check_id(session, "a session's id"))
        return None if kept is None else kept.cache

    def cache(self, session: str, data: bytes) -> None:
        """Keep something that can be made again (see `Store.cache`)."""
        if (kept := self._sessions.get(check_id(session, "a session's id"))) is not None:
            kept.cache = data

    def close(self) -> None:
        """Nothing to give up; what is kept stays readable as long as the object lives."""

    def _find(self, session: str) -> _Kept:
        with self._guard:
            kept = self._sessions.get(session)
        if kept is None:
            check_id(session, "a session's id")
            raise NoSuchSession(f"no session {session!r}")
        return kept
