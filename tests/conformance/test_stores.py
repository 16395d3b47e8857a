"""Stores pass the published check, and the check finds a store that does not keep its word."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from affray.kernel import Chain, Commit, Join, Note, SessionExists, VersionConflict
from affray.kernel.testing import STORE_CHECKS, Scribe, Store, StoreCheck, check_store
from affray.sessions.stores.index import SessionIndex
from affray.sessions.stores.jsonl import JsonlStore
from affray.sessions.stores.memory import MemoryStore
from affray.sessions.stores.sqlite import SqliteStore


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


def test_all_stores_give_one_digest(tmp_path: Path) -> None:
    """AUD-1: odd orders, absent and empty things and any text, written here, read there, verify to the same head."""
    sheet = {"b": [{"z": 1, "a": None}, {}], "a": {"": "empty key", "Z": {"y": [], "x": ""}}, "c": "1e2", "d": "14.08"}
    scribe = Scribe()
    commits = [scribe.write(_join(sheet)), scribe.write(Note(text="Zoë 剣 🐉 \x7f\u2028"), _join(None))]
    digests = set()
    stores: list[Store] = [MemoryStore(), JsonlStore(tmp_path / "a"), SqliteStore(tmp_path / "c")]
    for store in stores:
        store.create(scribe.header, commits[:1])
        store.append("fight", commits[1:], 1)
    copies: list[Store] = [MemoryStore(), JsonlStore(tmp_path / "b"), SqliteStore(tmp_path / "d")]
    for source, target in zip(reversed(stores), copies, strict=True):
        header, *lines = source.read("fight")
        chain = Chain(header)
        target.create(header, [chain.accept(line) for line in lines])
    for store in (*stores, *copies):
        header, *lines = store.read("fight")
        chain = Chain(header)
        assert sheet == chain.accept(lines[0]).events[0].sheet
        chain.accept(lines[1])
        digests.add(chain.digest)
        store.close()
    assert {scribe.digest} == digests


def _join(sheet: dict[str, Any] | None) -> Join:
    return Join(
        id="bo", name="Bö", side="a", controller="gm", secret=False, sheet=sheet, pools={}, conditions=(), player=None
    )


@pytest.fixture(params=["memory", "jsonl"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    store: Store = MemoryStore() if request.param == "memory" else JsonlStore(tmp_path)
    yield store
    store.close()


def test_ids_that_differ_in_case_only_are_refused(store: Store) -> None:
    """Each store might be copied to a folder of files, where case may not count."""
    store.create(Scribe("Duel").header, [])
    with pytest.raises(SessionExists, match="'duel' differs from the existing 'Duel' in case only"):
        store.create(Scribe("duel").header, [])
    assert store.sessions() == ("Duel",)


def test_a_second_writer_waits_for_the_first(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """However slow the first is between being checked and being stored."""
    scribe = Scribe()
    store.create(scribe.header, [])
    drafts = [scribe.fork().note("one"), scribe.fork().note("two")]
    real = SessionIndex.check
    outcomes: list[type] = []

    def check(index: SessionIndex, commits: Sequence[Commit], expected_version: int) -> None:
        real(index, commits, expected_version)
        time.sleep(0.05)

    def write(draft: Commit) -> None:
        try:
            outcomes.append(type(store.append("fight", [draft], 0)))
        except VersionConflict as error:
            outcomes.append(type(error))

    monkeypatch.setattr(SessionIndex, "check", check)
    threads = [threading.Thread(target=write, args=(draft,)) for draft in drafts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert outcomes == [tuple, VersionConflict]


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
