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

    def tail(self, session: str, version: int) -> Iterator[bytes]:
        """The header line, then the line of the commit that ends at a version (for 0 none) and of every one behind it.

        Only the header where no commit ends there. Reads no more than that, a fixed amount aside, and so notices no
        damage before it. Raises NoSuchSession and Damaged like `read`.
        """
        ...

    def secret(self, session: str) -> bytes | None:
        """What `create` was given as secret; None where there is none (an imported copy)."""
        ...

    def sessions(self) -> tuple[str, ...]:
        """The ids of all sessions, sorted."""
        ...

    def cached(self, session: str) -> bytes | None:
        """What `cache` was given last; None for nothing, for a session that is not there, or where it cannot be read.

        Whoever asks must look whether it is whole and still true: nothing here is flushed or checked.
        """
        ...

    def cache(self, session: str, data: bytes) -> None:
        """Keep something that can be made again at any time, in the place of what was kept so before.

        Not there for a session that is made anew. As good as can be: it is logged and forgotten that it could not be
        done, and it never keeps anybody from appending. It is the host's: no line, no part of an export or a copy.
        """
        ...

    def close(self) -> None:
        """Give up locks and files. Idempotent."""
        ...
