"""Stores: where ledgers live. Every store passes `affray.kernel.testing.check_store`.

A store keeps lines and knows nothing of rules: it checks that a commit follows the one before it, that a caller
uses a command id once, and that what it said it stored is stored.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

from affray.kernel import Commit


class Store(Protocol):
    """What the engine needs of a store. Methods may be called from several threads."""

    def create(self, header: bytes, commits: Sequence[Commit], secret: bytes | None = None) -> None:
        """Create a session with its first commits, whole or not at all.

        `secret` is what only the host may see (dice chains); it is durable before this returns and never leaves
        by any other method than `secret`. Raises SessionExists.
        """
        ...

    def append(self, session: str, commits: Sequence[Commit], expected_version: int) -> tuple[Commit, ...]:
        """Append one commit, or all of a group, and return once they are durable.

        When the caller of the first commit has used its command id (and part) before with the same command digest,
        nothing is appended and the commits stored then are returned. Raises CommandConflict for the same id with
        another digest (checked before the version), VersionConflict when the session is not at `expected_version` or a
        commit does not follow, NoSuchSession, Busy, StoreError. Nothing is stored when anything is raised.
        """
        ...

    def read(self, session: str) -> Iterator[bytes]:
        """The header line, then every commit's line, without line ends.

        Raises NoSuchSession, and Damaged: at once, or on the way behind the last line that can be trusted.
        """
        ...

    def secret(self, session: str) -> bytes | None:
        """What `create` was given as secret; None where there is none (an imported copy)."""
        ...

    def sessions(self) -> tuple[str, ...]:
        """The ids of all sessions, sorted."""
        ...

    def close(self) -> None:
        """Give up locks and files. Idempotent."""
        ...
