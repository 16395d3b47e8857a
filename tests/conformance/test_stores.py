"""Both stores pass the published check, and the check finds a store that does not keep its word."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from affray.kernel import Commit, VersionConflict
from affray.kernel.testing import STORE_CHECKS, Store, StoreCheck, check_store
from affray.sessions.stores.jsonl import JsonlStore
from affray.sessions.stores.memory import MemoryStore


def again(store: Store) -> JsonlStore:
    assert isinstance(store, JsonlStore)
    store.close()
    return JsonlStore(store.folder)


@pytest.mark.parametrize("check", STORE_CHECKS)
def test_memory_store(check: StoreCheck) -> None:
    check(MemoryStore, None)


@pytest.mark.parametrize("check", STORE_CHECKS)
def test_jsonl_store(check: StoreCheck, tmp_path: Path) -> None:
    check(lambda: JsonlStore(tmp_path / "new" / "folder"), again)


def test_one_call_checks_everything(tmp_path: Path) -> None:
    folders = iter(range(100))
    check_store(MemoryStore)
    check_store(lambda: JsonlStore(tmp_path / str(next(folders))), again)
    assert len(STORE_CHECKS) == next(folders)


class Forgetful(MemoryStore):
    """Tells everybody that their commit was stored."""

    def append(self, session: str, commits: Sequence[Commit], expected_version: int) -> tuple[Commit, ...]:
        try:
            return super().append(session, commits, expected_version)
        except VersionConflict:
            return tuple(commits)


class Garbling(MemoryStore):
    """Gives back other bytes than it was given."""

    def read(self, session: str) -> Iterator[bytes]:
        return (line.replace(b"Zo\xc3\xab", b"Zoe") for line in super().read(session))


class Talkative(MemoryStore):
    """Refuses a second session for the wrong reason."""

    def create(self, header: bytes, commits: Sequence[Commit], secret: bytes | None = None) -> None:
        if self.sessions():
            raise RuntimeError("only one")
        super().create(header, commits, secret)


@pytest.mark.parametrize(
    ("store", "check"),
    [
        (Forgetful, "refuses_what_does_not_follow"),
        (Garbling, "keeps_what_is_odd"),
        (Talkative, "keeps_sessions_apart"),
    ],
)
def test_a_store_that_breaks_its_word_is_found(store: type[MemoryStore], check: str) -> None:
    with pytest.raises(AssertionError, match=f"^{check}: "):
        check_store(store)
