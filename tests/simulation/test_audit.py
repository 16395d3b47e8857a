"""The audit of random fights, honest and tampered with, and of long ones: what it finds, what it remembers, what it reads again."""

from __future__ import annotations

import gc
import json
import random
import tracemalloc
from bisect import bisect
from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest

from affray.kernel import GM, Auditor, audit, limits, redact, verify
from affray.sessions import Catalog, Session

from ..bench.bench import play as play_nyra
from ..support.audits import again, book, log
from ..support.dicey import Dicey
from ..support.everything import everything
from ..support.forged import changed
from ..support.reseal import Loose, Piece, put_together, reseal, take_apart
from ..support.table import engine, must, tiny_catalog, tiny_session
from .test_honest_logs import OPTIONS, READERS, played

HONEST = tuple(range(len(OPTIONS)))
"""One fight of every way to throw dice."""


# -- honest logs


@pytest.mark.parametrize("index", HONEST)
def test_an_honest_log_and_every_copy_of_it_is_clean(index: int) -> None:
    """Law 6: the rules make the whole record again, and law 2: what is not shown is held against nobody."""
    lines = log(played(index))
    print(f"fight {index}: {OPTIONS[index]}")

    found = audit(lines, book())
    assert (found.findings, found.divergences, found.unchecked) == ((), (), ())
    assert found.version == sum(len(json.loads(line)["events"]) for line in lines[1:])
    assert found == audit(lines, book(), reread=again(lines))
    for reader in READERS:
        copy = audit([lines[0], *(redact(line, reader) for line in lines[1:])], book())
        assert (copy.findings, copy.divergences, copy.digest) == ((), (), found.digest), reader
        assert 0 < copy.checked <= found.checked
        assert {left.reason for left in copy.unchecked} <= {"kept parts are missing from this copy"}


def test_nearly_everything_is_checked() -> None:
    """All but rewinds and what no rule has a word in."""
    free = Counter[str]()
    for index in HONEST:
        found = audit(log(played(index)), book())
        kinds = Counter(type(recorded.event).__name__ for recorded in played(index).history(reader=GM))
        unasked = sum(kinds[name] for name in ("Open", "Rewind", "Reveal", "RevealDice"))
        assert found.version - found.checked == unasked
        free.update(kinds)
    assert free["Rewind"] > 50


def test_a_table_is_told_of_its_log() -> None:
    found = audit(log(everything()), book())
    undone = [(one.version, one.why, one.first, one.last, one.rolls) for one in found.undone]
    assert [(87, "undo", 80, 86, ()), (88, "redo", 87, 87, ()), (89, "undo", 80, 88, ())] == undone
    assert ["step", "more", "pool", "held", "ended", "order", "stop"] == [word.reason for word in found.overrules]
    bobs = [one for one in found.reported if one.source == "reported"]
    assert {("bob", "bob")} == {(one.by, one.caller) for one in bobs}
    assert ["overruled"] == [one.source for one in found.reported if one not in bobs]
    assert [("quicker", {"counts": 5}, {"counts": 2})] == [
        (change.reason, change.before["options"], change.after["options"]) for change in found.rules
    ]
    (grit,) = audit(log(throws_again()), book()).repeated
    assert grit.slot == "start:bob.1>tiny|roll.grit.bob.0"
    assert len(grit.versions) == 3


def throws_again() -> Session:
    """Ann ends her turn three times, taken back twice, and Bob's turn throws its die each time."""
    session = tiny_session(engine(catalog=tiny_catalog(Dicey)))
    for number in range(3):
        must(session.declare("ann", "end-turn", id=f"a{number}"))
        if number < 2:
            must(session.undo())
    return session


# -- tampered logs


@pytest.mark.parametrize("seed", range(60))
def test_random_tampering_never_crashes_an_audit_and_one_fault_is_told_once(seed: int) -> None:
    """Law 10: what a host wrote may be anything, and is a finding."""
    dice = random.Random(seed)
    lines = log(everything() if seed % 3 else played(seed % len(OPTIONS)))
    commits = take_apart(lines)
    for _ in range(dice.randint(1, 6)):
        tamper(commits, dice)
    forged = list(put_together(lines[0], commits))
    print(f"seed {seed}")

    found = audit(forged, book())
    rewinds = [one.version for one in found.undone]
    told = Counter((one.action, bisect(rewinds, one.version)) for one in found.divergences if one.action)
    assert [found for found in told.items() if found[1] > 1] == [], "an action parts from the rules once on a line"
    plain = verify(forged)
    assert (plain.findings, plain.version, plain.digest) == (found.findings, found.version, found.digest)
    assert found == audit(forged, book(), reread=again(forged))


def tamper(commits: list[Loose], dice: random.Random) -> None:
    """Change one thing somewhere, as a host may."""
    at = dice.randrange(len(commits))
    pieces = list(commits[at].pieces)
    index = dice.randrange(len(pieces))
    what = dice.choice(["value", "value", "value", "drop", "double", "move", "commit"])
    if what == "value":
        piece = pieces[index] = pieces[index].again()
        names = sorted(set(piece.inner) - {"kind", "kept", "action"})
        if names:
            name = dice.choice(names)
            piece.inner[name] = other(piece.inner[name], dice)
    elif what == "drop" and len(pieces) > 1:
        del pieces[index]
    elif what == "double":
        pieces.insert(index, Piece(pieces[index].event, pieces[index].part))
    elif what == "move":
        pieces.insert(dice.randrange(len(pieces)), pieces.pop(index))
    elif what == "commit" and len(commits) > 3:
        commits.insert(dice.randrange(1, len(commits) - 1), commits.pop(at).again())
        return
    commits[at] = commits[at].of(*pieces)


def other(value: Any, dice: random.Random) -> Any:
    """Another value of the same type, deep inside where there is an inside."""
    if isinstance(value, bool) or value is None:
        return value if value is None else not value
    if isinstance(value, int):
        return value + dice.choice([-3, -1, 1, 2**40])
    if isinstance(value, str):
        return dice.choice(["ann", "gob", "nobody", "a3", "1/2", value + "x", ""])
    if isinstance(value, list) and value:
        index = dice.randrange(len(value))
        return [*value[:index], other(value[index], dice), *value[index + 1 :]]
    if isinstance(value, dict) and value:
        name = dice.choice(sorted(value))
        return {**value, name: other(value[name], dice)}
    return value


def test_what_comes_behind_a_divergence_is_still_checked() -> None:
    """An action that parts from the rules is only folded from there on; every other one is carried out."""
    session = tiny_session(engine(catalog=tiny_catalog(Dicey)), people=3)
    for number in range(6):
        who = session.state(reader=GM).turn
        must(session.declare(who, "heal", who, power=1, id=f"h{number}"))
        must(session.declare(who, "end-turn", id=f"e{number}"))
    lines = changed(log(session), "done", lambda event: event.update(code="otherwise"), action="h1")
    lines = changed(lines, "change", lambda event: event.update(trace=[["luck", 1, "nobody"]]), action="h4")
    found = audit(lines, book())
    assert [("h1", "differs"), ("h4", "differs")] == [(one.action, one.code) for one in found.divergences]
    first, second = found.divergences
    assert first.text == 'code is "otherwise", the rules make it "healed"'
    assert (second.expected["trace"], second.recorded["trace"]) == ([], [["luck", 1, "nobody"]])
    assert audit(log(session), book()).checked - found.checked == 3  # what was left of the two: two, and one


def test_a_moment_that_is_run_anew_after_an_undo_is_checked_anew() -> None:
    lines = log(throws_again())
    first = min(v for v, event in numbered(lines) if event.get("action") == "start:bob.1>tiny")

    def lie(version: int, event: dict[str, Any]) -> None:
        if version == first:
            event["plan"]["terms"][0]["sides"] = 30

    assert [(first, "start:bob.1")] == [(one.version, one.action) for one in audit(reseal(lines, lie), book()).divergences]
    last = max(v for v, event in numbered(lines) if event["kind"] == "done" and event["action"] == "start:bob.1")

    def lie_again(version: int, event: dict[str, Any]) -> None:
        lie(version, event)
        if version == last:
            event["code"] = "x"

    versions = [one.version for one in audit(reseal(lines, lie_again), book()).divergences]
    assert [first, last] == versions


def numbered(lines: Sequence[bytes]) -> list[tuple[int, dict[str, Any]]]:
    return list(enumerate((event for line in lines[1:] for event in json.loads(line)["events"]), 1))


# -- long logs


def rewound(count: int) -> list[bytes]:
    """A log of which 500 commits lead back, each to another end before."""
    lines = log(everything())
    commits = take_apart(lines)
    ends = [commit.pieces[-1].version for commit in commits[5:-3]]
    dice = random.Random(7)
    back = next(commit for commit in commits if commit.pieces[0].kind == "rewind")
    note = next(commit for commit in commits if commit.pieces[0].inner["kind"] == "note" and commit.part is None)
    found = list(commits)
    for number in range(count):
        for commit, to in ((back, dice.choice(ends)), (note, 0)):
            made = commit.of(Piece({**commit.pieces[0].event, **({"to": to} if to else {})})).again()
            made.sender["command"] = f"more-{commit.pieces[0].kind}-{number}"
            made.envelope["nonce"] = ""
            found.append(made)
    return list(put_together(lines[0], found))


def test_five_hundred_rewinds_read_little_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Law 9: no rewind reads more than what lies between two points that are kept, wherever it goes."""
    lines = rewound(500)
    plain = audit(lines, book())
    assert len(plain.undone) == 503
    for recent, apart in ((limits.POINTS_RECENT, limits.POINTS_APART), (4, 8), (1, 1)):
        monkeypatch.setattr("affray.kernel.points.POINTS_RECENT", recent)
        monkeypatch.setattr("affray.kernel.points.POINTS_APART", apart)
        auditor = Auditor(book(), lines[0], again(lines))
        for line in lines[1:]:
            auditor.take(line)
        most = max(len(json.loads(line)["events"]) for line in lines[1:])
        assert auditor.events_read_again <= 500 * (apart - 1) * most
        assert (auditor.events_read_again > 0) == (apart > 1)
        assert auditor.report() == plain


BYTES_PER_EVENT = 450
"""What an audit of a fight with fair dice may remember of every event more, its rolls until they are opened included."""


def test_memory_stays_flat_however_long_a_log_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of five times as many events, an audit that can read again remembers no more than so many bytes each."""
    monkeypatch.setattr("affray.kernel.points.POINTS_RECENT", 16)  # full before the shorter log ends
    rules = Catalog().rules

    def taken(strikes: int) -> tuple[int, int]:
        lines = log(play_nyra(strikes)[0])
        audit(lines[:40], rules)  # what is made once
        tracemalloc.start()
        auditor = Auditor(rules, lines[0], again(lines))
        for line in lines[1:]:
            auditor.take(line)
        gc.collect()
        size, _ = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return size, auditor.chain.version

    (small, few), (large, many) = taken(60), taken(300)
    assert many > 4 * few
    assert (large - small) / (many - few) < BYTES_PER_EVENT
