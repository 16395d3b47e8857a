"""What `verify` finds in the order of a log: its beginning, who joins, whose moment comes, and what it cannot know."""

from __future__ import annotations

import json
from typing import Any

import pytest

from affray.kernel import Chain, Damaged, Entry, Held, SetCondition, SetOrder, SetPool, verify

from ... import standalone_verify
from ...support.forged import (
    Change,
    before_ann,
    changed,
    codes,
    commit_of,
    copy_of,
    dicey,
    events,
    fight,
    log,
    versions,
)
from ...support.reseal import reseal
from ...support.table import must, play, tiny_session

# -- the beginning


def test_an_open_that_names_another_session_is_found() -> None:
    lines = changed(fight(), "open", lambda event: event.update(session="t"))

    assert (1, "open") in codes(lines)


def test_an_open_behind_the_beginning_is_found() -> None:
    session = dicey(begun=False)
    commits = [json.loads(line) for line in session.lines]
    first, second = commits[0]["events"], commits[1]["events"]
    commits[0]["events"], commits[1]["events"] = second, first
    lines = [session.header, *(standalone_verify.canonical(commit) for commit in commits)]

    assert (2, "open") in codes(reseal(lines, lambda version, event: None))


# -- people


def test_a_second_join_of_one_person_is_found() -> None:
    lines = fight()
    commit = commit_of(lines, "join")
    commit["envelope"]["sender"]["command"] = "j2"
    forged, at = before_ann(lines, commit)

    assert (at, "joined-twice") in codes(forged)


@pytest.mark.parametrize(
    ("kind", "change"),
    [
        ("declare", lambda e: e.update(actor="zed")),
        ("declare", lambda e: e.update(targets=["bob", "zed"])),
        ("turn", lambda e: e.update(who="zed")),
        ("apply-damage", lambda e: e.update(target="zed")),
        ("ask", lambda e: e.update(who=["zed"])),
    ],
)
def test_somebody_who_never_joined_is_found(kind: str, change: Change) -> None:
    session = tiny_session()
    play(session, 6)
    lines = log(session)
    at = [version for version in versions(lines, kind=kind) if events(lines)[version - 1].get("moment") != "begin"]

    def each(version: int, event: dict[str, Any]) -> None:
        if version == at[0]:
            change(event)

    assert (at[0], "nobody") in codes(reseal(lines, each))


# -- moments


def moment(**fields: Any) -> list[dict[str, Any]]:
    """A moment that opens and closes at once."""
    turn = {"kind": "turn", "action": "storm:x.1", "moment": "storm", "who": "", "when": [1, -9, -1], "entry": "x", **fields}
    return [turn, {"kind": "done", "action": turn["action"], "code": "", "cause": ""}]


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"entry": ""},
        {"action": "start:bob.1", "moment": "start", "who": "bob", "entry": "bob", "when": [1, -8, -1]},
        {"action": "end:x.1", "moment": "end"},
        {"action": "begin", "moment": "begin", "entry": "", "when": []},
        {"action": "a1", "moment": "resume", "entry": "resume:a1"},
    ],
)
def test_a_moment_that_was_not_due_is_found(fields: dict[str, Any]) -> None:
    """Each one gives the next action another number, so other dice."""
    lines = fight()
    commit = commit_of(lines, "note")
    commit["envelope"]["sender"].update(caller="gm", command="t2")
    commit["envelope"]["nonce"] = ""
    commit["events"] = moment(**fields)
    forged, at = before_ann(lines, commit)

    assert (at, "turn") in codes(forged)


@pytest.mark.parametrize(
    "change",
    [
        lambda e: e.update(action="start:bob.2"),
        lambda e: e.update(who="ann"),
        lambda e: e.update(entry="ann"),
        lambda e: e.update(moment="storm"),
        lambda e: e.update(when=[1, -9]),
    ],
)
def test_a_moment_that_is_told_otherwise_is_found(change: Change) -> None:
    lines = fight()
    (at,) = versions(lines, kind="turn", action="start:bob.1")

    assert (at, "turn") in codes(changed(lines, "turn", change, action="start:bob.1"))


def test_a_moment_that_comes_before_an_action_is_done_is_found() -> None:
    lines = fight()
    (at,) = versions(lines, kind="turn", action="start:bob.1")
    forged = [lines[0]]
    for line in lines[1:]:
        commit = json.loads(line)
        events = commit["events"]
        for i in range(1, len(events)):
            if events[i].get("action") == "start:bob.1" and events[i]["kind"] == "turn":
                assert (events[i - 1]["kind"], events[i - 1]["action"]) == ("done", "a1")
                events[i - 1], events[i] = events[i], events[i - 1]
        forged.append(standalone_verify.canonical(commit))
    found = codes(reseal(forged, lambda version, event: None))

    assert (at - 1, "turn") in found


def test_what_cannot_be_read_is_found_and_raises_nothing() -> None:
    lines = fight()
    (at,) = versions(lines, kind="order", action="begin>tiny")
    forged = changed(lines, "order", lambda e: e["entries"][0].update(when=["soon"]), action="begin>tiny")
    later = versions(lines, kind="turn", action="start:ann.1")

    assert [(version, "unreadable") for version in later if version > at] == codes(forged)[:1]


def test_the_end_of_a_turn_hangs_below_an_action_and_lies_in_the_present() -> None:
    lines = fight()
    at, *_ = versions(lines, kind="turn", moment="end")

    assert (at, "turn") in codes(changed(lines, "turn", lambda e: e.update(when=[9]), action="a1>turn.0"))
    assert (at, "turn") in codes(changed(lines, "turn", lambda e: e.update(action="a9>turn.0"), action="a1>turn.0"))


def test_every_moment_of_an_honest_fight_was_due() -> None:
    """Turns, expiries, late arrivals, waiting actions and what the game master sets, also in a copy."""
    session = tiny_session(people=3)
    must(session.declare("ann", "curse", "bob"))
    must(session.join("dee", side="d", sheet={"hp": 30, "init": 8}, conditions=(Held(id="bless", until=(2, 0, 0)),)))
    must(session.declare("bob", "blow", "ann"))
    must(session.overrule("wind", SetOrder(entries=(Entry(key="wind", when=(2, -9, 0), moment="wind"),))))
    must(session.overrule("bless", SetCondition(target="cy", held=Held(id="luck", until=(3,)))))
    play(session, 12)
    must(session.overrule("ouch", SetPool(target="dee", pool="hp", value=3)))
    play(session, 6)
    moments = {event["moment"] for event in events(log(session)) if event["kind"] == "turn"}

    assert {"begin", "start", "end", "join", "expiry", "resume", "wind"} == moments
    assert session.verify().is_clean
    for reader in ("public", "ann", "dee"):
        assert codes(copy_of(session, reader)) == []


# -- the sender


@pytest.mark.parametrize("kept", [True, False])
def test_a_commit_has_its_sender_or_keeps_it(kept: bool) -> None:
    session = dicey(begun=False)
    commit = json.loads(session.lines[-1])
    if kept:
        commit["envelope"]["kept"] = "0" * 64
    else:
        commit["envelope"]["sender"] = None
    commit["digest"] = standalone_verify.digest(commit["envelope"])
    lines = [session.header, *session.lines[:-1], standalone_verify.canonical(commit)]
    chain = Chain(session.header)
    for line in lines[1:-1]:
        chain.accept(line)

    with pytest.raises(Damaged, match="must hold its sender or the hash of its part"):
        chain.accept(lines[-1])
    assert [(session.head, "damaged")] == codes(lines)
    assert verify(lines).version == session.head - 1


def test_a_group_out_of_order_is_damage() -> None:
    lines = fight()
    commits = [json.loads(line) for line in lines[1:]]
    commits[1]["envelope"]["group"] = {"id": "g", "index": 2, "size": 3}
    forged = [lines[0], *(standalone_verify.canonical(commit) for commit in commits)]

    assert "damaged" in {code for _, code in codes(reseal(forged, lambda version, event: None))}
