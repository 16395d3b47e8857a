"""Groups in stores: all or nothing, whatever fails; told apart from every change; the same bytes everywhere (AUD-1)."""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from affray.kernel import (
    Choose,
    Declare,
    Refused,
    Request,
    StoreError,
    VersionConflict,
    commands,
    verify,
)
from affray.sessions import Engine, JsonlStore, MemoryStore, Session, Store
from affray.sessions.stores.sqlite import SqliteStore

from ...support.amends import (
    PLAIN,
    WHY,
    amended,
    check,
    fight,
    find,
    hp,
    luck,
    refused,
    stands,
    undone_and_redone,
    word,
)
from ...support.fights import Died, Mortal
from ...support.table import Fixed, must


def bonus(session: Session) -> commands.Amend:
    """Ann's first attack gets a bonus."""
    return commands.Amend(edits=(word(find(session, Declare, action="a1")[0], luck("a1")),), reason=WHY)


class Full(MemoryStore):
    """A disk that is full when it is asked to hold more than one commit at once."""

    is_full = True

    def append(self, session: str, commits: Any, expected_version: int) -> Any:
        if self.is_full and len(commits) > 1:
            raise StoreError("no space left on the device")
        return super().append(session, commits, expected_version)


def test_a_group_that_cannot_be_stored_leaves_nothing_behind() -> None:
    store = Full()
    session = fight(made=Engine(store, PLAIN, Fixed()))
    before, head = stands(session), session.head
    edit = commands.Reanswer(at=find(session, Choose, action="a1")[0], value="dodge")
    with pytest.raises(StoreError, match="no space left"):
        session.amend(edit, reason=WHY, id="m1")
    assert (head, before) == (session.head, stands(session))
    assert Engine(store, PLAIN, Fixed()).load("s").head == head
    store.is_full = False
    assert not must(session.amend(edit, reason=WHY, id="m1")).repeated
    check(session)


def test_two_who_amend_at_once_do_it_one_after_the_other() -> None:
    """A wrong version is a typed conflict; the same command sent again is answered with what the other did, or done anew."""
    session = fight()
    other = Engine(session._store, PLAIN, Fixed("other")).load("s")
    edit = word(find(session, Declare, action="a1")[0], luck("a1"))
    must(session.amend(edit, reason=WHY, id="m1"))
    with pytest.raises(VersionConflict) as conflict:
        other.amend(edit, reason=WHY, id="m2")
    assert session.head == conflict.value.current == other.head
    assert Refused("not-present", (edit.at,)) == other.amend(edit, reason=WHY, id="m2").refused
    again = other.amend(edit, reason=WHY, id="m1")
    assert (again.repeated, again.last) == (True, session.head)
    check(session)


def test_an_amend_sent_again_is_answered_again() -> None:
    session = fight()
    edit = word(find(session, Declare, action="a1")[0], luck("a1"))
    first = must(session.amend(edit, reason=WHY, id="m1"))
    loaded = Engine(session._store, PLAIN, Fixed("later")).load("s")
    for one in (session, loaded):
        again = one.amend(edit, reason=WHY, id="m1")
        assert (True, first.first, first.last, first.events) == (again.repeated, again.first, again.last, again.events)
    assert first.last == loaded.head
    assert Refused("command-id-used", ("m1",)) == loaded.amend(edit, reason="Something else.", id="m1").refused


def test_a_group_holds_more_events_than_one_commit_may(monkeypatch: pytest.MonkeyPatch) -> None:
    """Law 9: the bound on a commit is none on a group."""
    for module in ("ledger", "rerun", "decide"):
        monkeypatch.setattr(import_module(f"affray.kernel.{module}"), "EVENTS_PER_COMMIT", 12)
    session = fight()
    answer = must(session.amend(since=2, reason=WHY))
    assert 12 < len(answer.events)
    check(session)


def test_readers_are_told_of_a_group_commit_by_commit() -> None:
    session = fight()
    told: list[tuple[int, int]] = []
    session.subscribe(lambda notice: told.append((notice.first, notice.last)), reader="ann")
    answer = must(session.amend(since=find(session, Declare, action="b1")[0], reason=WHY))
    assert (answer.first, answer.last) == (told[0][0], told[-1][1])
    assert all(before[1] + 1 == behind[0] for before, behind in pairwise(told))


# -- a process that dies, and files that end in the middle


@pytest.mark.parametrize("stored", [False, True])
def test_a_process_that_dies_has_stored_all_of_a_group_or_nothing(stored: bool) -> None:
    """The same amend sent again gives the same bytes as if nobody had died."""
    whole = fight()
    amend = bonus(whole)
    must(whole.do(Request(id="m1", command=amend)))
    store = Mortal(10_000, stored=stored)
    session = fight(made=Engine(store, PLAIN, Fixed()))
    before, head = stands(session), session.head
    store.left = 1
    with pytest.raises(Died):
        session.do(Request(id="m1", command=amend))
    loaded = Engine(store, PLAIN, Fixed("later")).load("s")
    assert (head, before) == (loaded.head, stands(loaded)) or stored
    answer = must(loaded.do(Request(id="m1", command=amend)))
    assert (stored, whole.head, stands(whole)) == (answer.repeated, loaded.head, stands(loaded))
    check(loaded)


def test_a_group_that_a_file_ends_in_is_dropped_when_it_is_read(tmp_path: Path) -> None:
    store = JsonlStore(tmp_path)
    session = fight(made=Engine(store, PLAIN, Fixed()))
    before, head, lines = stands(session), session.head, len(session.lines)
    amend = bonus(session)
    must(session.do(Request(id="m1", command=amend)))
    whole = stands(session)
    store.close()
    path = tmp_path / "s.affray"
    data = path.read_bytes().splitlines(keepends=True)
    size = len(data) - 1 - lines
    assert size > 4
    for cut in (1, 2, size - 1):
        path.write_bytes(b"".join(data[:-cut]) + data[-cut][: 30 * (cut == 2)])
        store = JsonlStore(tmp_path)
        loaded = Engine(store, PLAIN, Fixed("later")).load("s")
        assert (head, before) == (loaded.head, stands(loaded)), cut
        assert not must(loaded.do(Request(id="m1", command=amend))).repeated
        assert whole == stands(loaded)
        check(loaded)
        store.close()


# -- AUD-1


def store_of(kind: str, folder: Path) -> Store:
    if kind == "memory":
        return MemoryStore()
    return JsonlStore(folder) if kind == "jsonl" else SqliteStore(folder)


def test_every_store_gives_an_amended_log_the_same_digest(tmp_path: Path) -> None:
    """AUD-1: written here, read there, verified to one head."""
    heads = set()
    for kind in ("memory", "jsonl", "sqlite"):
        store = store_of(kind, tmp_path / kind)
        session = fight(made=Engine(store, PLAIN, Fixed()))
        must(session.do(Request(id="m1", command=bonus(session))))
        must(session.undo())
        verdict = verify(store.read("s"))
        assert verdict.is_clean
        heads.add((verdict.version, verdict.digest))
        store.close()
    assert len(heads) == 1


Change = Callable[[dict[str, Any]], None]


def nested(commit: dict[str, Any]) -> None:
    commit["events"][0]["effect"]["rows"][0][1] = 3


def time(commit: dict[str, Any]) -> None:
    commit["envelope"]["sender"]["time"] = "2020-01-01T00:00:00.000Z"


def actor(commit: dict[str, Any]) -> None:
    commit["envelope"]["sender"]["on_behalf"] = "bob"


def place(commit: dict[str, Any]) -> None:
    commit["envelope"]["group"]["size"] += 1


@pytest.mark.parametrize("change", [nested, time, actor, place])
def test_one_value_changed_in_a_group_is_found_where_it_stands(change: Change) -> None:
    """AUD-1: a nested value, a time, an actor; and the place in the group."""
    session = fight()
    must(session.do(Request(id="m1", command=bonus(session))))
    version, _ = [(one.version, one.event) for one in session.history() if type(one.event).__name__ == "Overrule"][-1]
    lines = [session.header, *session.lines]
    index = next(i for i, line in enumerate(lines[1:], 1) if json.loads(line)["envelope"]["first"] == version)
    commit = json.loads(lines[index])
    change(commit)
    lines[index] = json.dumps(commit, separators=(",", ":"), sort_keys=True).encode()
    (found,) = verify(lines).findings
    assert ("damaged", version) == (found.code, found.version)


def test_rows_of_a_group_that_were_swapped_or_cut_off_are_found() -> None:
    """AUD-1: a tail that was cut off cleanly is found by whoever knows the head."""
    session = fight()
    must(session.do(Request(id="m1", command=bonus(session))))
    lines = [session.header, *session.lines]
    head = (session.head, session.digest)
    swapped = [*lines[:-2], lines[-1], lines[-2]]
    (found,) = verify(swapped).findings
    assert ("damaged", json.loads(lines[-2])["envelope"]["first"]) == (found.code, found.version)
    assert verify(lines, head).is_clean
    (found,) = verify(lines[:-1], head).findings
    assert ("head", session.head) == (found.code, found.version)


# -- forks


def test_a_fork_amends_what_it_did_itself_and_goes_on_with_what_was_left() -> None:
    """What its origin did stays as it was."""
    made = Engine(MemoryStore(), PLAIN, Fixed())
    session = fight(made=made)
    amended(session, commands.Drop(at=find(session, Choose, action="a1")[0]))
    fork = made.fork(session, session="f")
    declared = find(fork, Declare, action="a1")[0]
    assert Refused("not-amendable", (declared,)) == refused(fork, commands.Drop(at=declared))
    must(fork.answer("a1|ask.guard.0", "bob", "stand"))
    assert None is amended(fork, go_on=True).stopped
    assert (2, 10) == (hp(fork), hp(fork, "ann"))
    before = stands(fork)
    amended(fork, word(find(fork, Declare, action="b1")[0], luck("b1")))
    assert (2, 8) == (hp(fork), hp(fork, "ann"))
    undone_and_redone(fork, before)
    check(fork)
