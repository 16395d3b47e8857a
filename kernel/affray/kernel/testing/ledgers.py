"""Ledgers for tests, written directly: no rules, no clock, no chance, so that equal calls give equal bytes."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

from ..events import Note
from ..ledger import Commit, Group, Sender, canonical, header_line, sha256, write_commit


class Scribe:
    """Writes the commits of one session, one after the other.

    `header` is the ledger's first line; `version` and `digest` are those of the last commit written.
    """

    def __init__(self, session: str = "fight") -> None:
        self.session = session
        self.header = header_line(session)
        self.version = 0
        self.digest = sha256(self.header)
        self._salts = 0

    def fork(self) -> Scribe:
        """Another scribe who knows the same ledger: a rival, or one who tries what is not to be kept."""
        return copy.copy(self)

    def write(
        self,
        *events: Any,
        caller: str = "gm",
        command: str = "",
        digest: str = "",
        part: int = 0,
        secret: bool = False,
        nonce: str = "",
        group: Group | None = None,
    ) -> Commit:
        """Write the next commit. A command id that is not given comes from version and events, its digest from the id."""
        command = command or f"c{self.version + 1}-{sha256(canonical(events))[:8]}"
        sender = Sender(
            caller=caller,
            on_behalf=caller,
            seen=self.version,
            command=command,
            digest=digest or sha256(command.encode()),
            part=part,
            time="2024-02-29T12:00:00Z",
        )
        commit = write_commit(
            session=self.session,
            first=self.version + 1,
            previous=self.digest,
            events=[(event, None) for event in events],
            sender=sender,
            salt=self._salt,
            secret=secret,
            nonce=nonce,
            group=group,
        )
        self.version, self.digest = commit.last, commit.digest
        return commit

    def note(self, text: str, **how: Any) -> Commit:
        """Write a commit of one note; `how` is as for `write`."""
        return self.write(Note(text=text), **how)

    def group(self, name: str, texts: Sequence[str]) -> tuple[Commit, ...]:
        """Write a group of commits, each of one note."""
        size = len(texts)
        return tuple(
            [
                self.note(text, group=Group(id=name, index=index, size=size), command=f"{name}-{index}")
                for index, text in enumerate(texts, 1)
            ]
        )

    def _salt(self) -> str:
        self._salts += 1
        return f"{self._salts:032x}"
