"""Cases STORE-1 to STORE-4 on every store: the same answers from each, word for word but for where the files are.

STORE-2 (locks and processes) is in `test_store_processes.py`, since only files have them; here is what it asks of all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from operator import methodcaller
from pathlib import Path
from typing import Any

import pytest

from affray.kernel import (
    GM,
    AffrayError,
    Chain,
    Commit,
    InputError,
    Note,
    Sender,
    UnknownKind,
    canonical,
    sha256,
    verify,
    write_commit,
)
from affray.kernel.testing import Scribe, Store
from affray.sessions.stores.jsonl import JsonlStore
from affray.sessions.stores.memory import MemoryStore
from affray.sessions.stores.sqlite import SqliteStore

from ..support.ram import ram_folder
from ..support.table import engine, must, play, tiny_session

MAKERS: dict[str, Callable[[Path], Store]] = {
    "memory": lambda folder: MemoryStore(),
    "jsonl": lambda folder: JsonlStore(folder / "jsonl"),
    "sqlite": lambda folder: SqliteStore(folder / "sqlite"),
}


@pytest.fixture
def stores() -> Iterator[dict[str, Store]]:
    with ram_folder() as folder:
        made = {name: make(folder) for name, make in MAKERS.items()}
        yield made
        for store in made.values():
            store.close()


def one_answer(stores: dict[str, Store], ask: Callable[[Store], Any]) -> Any:
    """What every store answers, an error with its kind and words; the test fails where they differ."""

    def answer(store: Store) -> Any:
        try:
            return ask(store)
        except AffrayError as error:
            return type(error).__name__, str(error)

    answers = {name: answer(store) for name, store in stores.items()}
    first = answers["memory"]
    assert dict.fromkeys(answers, first) == answers
    return first


def lines_of(store: Store) -> list[bytes]:
    return list(store.read("fight"))


def test_store_1(stores: dict[str, Store]) -> None:
    """A commit goes in behind the head and nowhere else; of two writers one does; a batch goes in as a whole."""
    scribe = Scribe()
    start = [scribe.note("one"), scribe.note("two"), scribe.note("three")]
    for store in stores.values():
        store.create(scribe.header, start)
    before = one_answer(stores, lines_of)
    ahead, short, ours, theirs = (scribe.fork() for _ in range(4))
    ahead.note("four")
    short.version -= 1
    group = list(scribe.fork().group("g", ["four", "five", "six"]))
    moved = ahead.fork().group("g", ["five", "six", "seven"])
    refused: list[tuple[str, list[Commit], int]] = [
        ("a: numbered 5", [ahead.note("five")], 3),
        ("b: numbered 3", [short.note("another three")], 2),
        ("b: expecting what is not there", [scribe.fork().note("four")], 7),
        ("d: the second of a batch", [group[0], moved[1], group[2]], 3),
        ("d: half a batch", group[:2], 3),
        ("d: no batch at all", [scribe.fork().note("four"), ahead.note("six")], 3),
    ]
    for what, commits, expected in refused:
        kind, text = one_answer(stores, methodcaller("append", "fight", commits, expected))
        assert kind in {"VersionConflict", "StoreError"}, what
        assert "it is at 3" in text or kind == "StoreError", what
        assert before == one_answer(stores, lines_of), what
    first, second = ours.note("by ours"), theirs.note("by theirs")
    assert (first,) == one_answer(stores, lambda store: store.append("fight", [first], 3))
    answer = ("VersionConflict", "session fight: expected version 3, it is at 4")
    assert answer == one_answer(stores, lambda store: store.append("fight", [second], 3))
    assert [*before, first.line] == one_answer(stores, lines_of)


def test_store_2(stores: dict[str, Store]) -> None:
    """A reading that was begun before somebody else appended neither fails nor makes an append fail."""
    scribe = Scribe()
    for store in stores.values():
        store.create(scribe.header, [scribe.fork().note("one")])
    scribe.note("one")
    readings = {name: store.read("fight") for name, store in stores.items()}
    assert {scribe.header} == {next(lines) for lines in readings.values()}
    two, three = scribe.note("two"), scribe.note("three")
    assert (two,) == one_answer(stores, lambda store: store.append("fight", [two], 1))
    assert (three,) == one_answer(stores, lambda store: store.append("fight", [three], 2))
    assert [len(list(lines)) for lines in readings.values()] == [1, 1, 1]


NUMBERS: list[tuple[Any, str]] = [
    (float("nan"), "$.sheet.more"),
    (float("inf"), "$.sheet.more"),
    ([{"x": -0.0}], "$.sheet.more[0].x"),
    (14.08, "$.sheet.more"),
    (2**63, "$.sheet.more"),
    (2**64, "$.sheet.more"),
    (9007199254740993, "$.sheet.more"),
    (10**5000, "$.sheet.more"),
]


def test_store_3(stores: dict[str, Store]) -> None:
    """Numbers that some store would bend are refused with their path; texts that look like them keep every byte."""
    sessions = {name: tiny_session(engine(store)) for name, store in stores.items()}
    heads = {(session.head, session.digest) for session in sessions.values()}
    assert len(heads) == 1
    for value, path in NUMBERS:
        for session in sessions.values():
            with pytest.raises(InputError) as caught:
                session.join("z", side="z", sheet={"more": value})
            assert caught.value.path == path
    assert heads == {(session.head, session.digest) for session in sessions.values()}
    texts = ["1e999", "NaN", "14.08", "17480000000001000003", "9007199254740993", str(2**64), "\x00", "🐉"]
    for session in sessions.values():
        must(session.note(" ".join(texts)))
    digests = set()
    for store in stores.values():
        again = engine(store).load("s")
        assert again.history(reader=GM)[-1].event.text == " ".join(texts)
        assert again.verify().is_clean
        digests.add(again.digest)
    assert len(digests) == 1


def test_store_4(stores: dict[str, Store]) -> None:
    """An event of a later release: what stands before it is read, its bytes go out as they came in, nobody writes."""
    scribe = Scribe()
    commits = [scribe.note(str(number)) for number in range(1, 6)]
    strange = canonical({"kind": "heal.9", "target": "bo", "by": {"nested": [1, None]}})
    commits.append(unknown(scribe, strange))
    commits += [scribe.note(str(number)) for number in range(7, 11)]
    for store in stores.values():
        store.create(scribe.header, commits)
        store.close()
    assert [scribe.header, *[commit.line for commit in commits]] == one_answer(stores, lines_of)
    assert strange in commits[5].line

    def found(store: Store) -> tuple[Any, ...]:
        lines = store.read("fight")
        chain = Chain(next(lines))
        with pytest.raises(UnknownKind) as caught:
            list(map(chain.accept, lines))
        return chain.version, caught.value.version, caught.value.line, caught.value.problem

    problem = "an event of kind 'heal.9', which this release does not know"
    assert (5, 6, 7, problem) == one_answer(stores, found)
    assert one_answer(
        stores, lambda store: [(one.code, one.version) for one in verify(store.read("fight")).findings]
    ) == [("damaged", 6)]
    eleven = scribe.note("eleven")
    for name in ("jsonl", "sqlite"):  # memory has verified nothing: it was told so by whoever is still there
        with pytest.raises(UnknownKind, match="version 6"):
            stores[name].append("fight", [eleven], 10)


def unknown(scribe: Scribe, data: bytes) -> Commit:
    """A commit of an event that this release has no type for."""
    sender = Sender(caller=GM, on_behalf="", seen=5, command="strange", digest="0" * 64, part=0, time="")
    commit = write_commit(
        session=scribe.session,
        first=scribe.version + 1,
        previous=scribe.digest,
        events=[(Note(text=""), data)],
        sender=sender,
        salt=lambda: "0" * 32,
    )
    scribe.version, scribe.digest = commit.last, commit.digest
    return commit


def test_a_whole_fight_has_one_digest(stores: dict[str, Store]) -> None:
    """Played on each store, and copied from each to each: the same bytes, and each copy verifies."""
    for store in stores.values():
        play(tiny_session(engine(store)), 6)
    lines = one_answer(stores, lambda store: list(store.read("s")))
    assert len(lines) > 10
    assert one_answer(stores, lambda store: sha256(store.secret("s") or b""))
    with ram_folder() as folder:
        for name, make in MAKERS.items():
            for source in stores.values():
                header, *rest = source.read("s")
                chain = Chain(header)
                target = make(folder / f"{name}-{len(list(folder.iterdir()))}")
                target.create(header, [chain.accept(line) for line in rest])
                assert lines == list(target.read("s"))
                assert verify(target.read("s"), (chain.version, chain.digest)).is_clean
                assert target.secret("s") is None
                target.close()
