"""The audit of random fights, honest and tampered with; of rules that lie, raise, refuse or are gone; of copies and halves."""

from __future__ import annotations

import json
import random
import tracemalloc
from bisect import bisect
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import Any

import pytest
from msgspec.structs import replace

from affray.kernel import (
    GM,
    Action,
    Audit,
    Auditor,
    CloseAction,
    Damaged,
    Fight,
    InputError,
    Judge,
    Manifest,
    PluginUnavailable,
    Refused,
    Request,
    Roll,
    RuleSet,
    Steps,
    System,
    audit,
    commands,
    hookimpl,
    limits,
    redact,
    verify,
)
from affray.sessions import Session

from ..bench.bench import play as play_nyra
from ..support.broken import Told
from ..support.dicey import Dicey
from ..support.everything import everything
from ..support.fights import Table, answer, declare, report, seats
from ..support.forged import changed
from ..support.reseal import Loose, Piece, put_together, take_apart
from ..support.table import Fixed, engine, must, tiny_catalog, tiny_session
from ..support.tampering import Book
from ..support.tiny import Tiny, roll_notation
from .test_honest_logs import OPTIONS, READERS, played

HONEST = tuple(range(len(OPTIONS)))
"""One fight of every way to throw dice."""


@cache
def book() -> Book:
    return tiny_catalog(Dicey).rules


def log(session: Session) -> list[bytes]:
    return [session.header, *session.lines]


def again(lines: Sequence[bytes]) -> Callable[[int], Iterator[bytes]]:
    return lambda commits: iter(lines[1 + commits :])


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
    session = tiny_session()
    for number in range(3):
        must(session.declare("ann", "sweep", "bob", id=f"a{number}"))
        must(session.undo())
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

    from ..support.reseal import reseal

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


# -- rules that lie, raise, refuse


class Lies(Dicey):
    """Says that whoever hits has a goal that is one better."""

    @hookimpl
    def ruling(self, fight: Fight, action: Action, step: Any) -> Any:
        if type(step) is Judge and step.key == "attack" and step.margin is not None:
            return replace(step, margin=int(step.margin) + 1)
        return None


def raising(error: BaseException) -> Callable[[], object]:
    class Raises(Dicey):
        @hookimpl
        def resolve(self, fight: Fight, action: Action) -> Steps:
            if action.name == "sweep":
                raise error
            return super().resolve(fight, action)

    return Raises


class Late(Dicey):
    """Fails in the middle of an action."""

    @hookimpl
    def resolve(self, fight: Fight, action: Action) -> Steps:
        return halfway(fight, action) if action.name == "roll" else super().resolve(fight, action)


def halfway(fight: Fight, action: Action) -> Any:
    yield from roll_notation(fight, action)
    raise SystemExit(0)


class Refuses(Dicey):
    """Allows nobody to heal."""

    @hookimpl
    def check(self, fight: Fight, action: Action) -> Refused | None:
        return Refused("no-more-herbs") if action.name == "heal" else super().check(fight, action)


class Endless(Dicey):
    """Judges for ever."""

    @hookimpl
    def resolve(self, fight: Fight, action: Action) -> Steps:
        return for_ever(fight, action) if action.name == "heal" else super().resolve(fight, action)


def for_ever(fight: Fight, action: Action) -> Any:
    while True:
        yield Judge("x", by=action.actor, code="x")


class Unmoved(Dicey):
    """Knows no end of a fight and fails when it is asked for one."""

    @hookimpl
    def is_over(self, fight: Fight) -> str | None:
        raise SystemExit(0)


@pytest.mark.parametrize(
    ("plugin", "code", "action", "text"),
    [
        (Lies, "differs", "a3", "margin is 17, the rules make it 18"),
        (raising(KeyError("x")), "breach", "b1", "raised KeyError"),
        (raising(SystemExit(0)), "raised", "b1", "SystemExit(0)"),
        (raising(RecursionError("deep")), "breach", "b1", "RecursionError"),
        (raising(PluginUnavailable("tiny", "not today")), "breach", "b1", "not today"),
        (Late, "raised", "a7", "SystemExit(0)"),
        (Refuses, "unfounded", "a1", "the rules refuse it: no-more-herbs"),
        (Endless, "differs", "a1", "the rules make judge x a1 x"),
        (Unmoved, "raised", "", "SystemExit(0)"),
    ],
    ids=["lies", "raises", "exits", "recurses", "pretends to be missing", "raises late", "refuses", "endless", "no end"],
)
def test_rules_that_are_not_those_of_the_record(plugin: Callable[[], object], code: str, action: str, text: str) -> None:
    """Law 10: whatever rules do on recorded data is a finding of their action, and others are checked all the same."""
    found = audit(log(everything()), tiny_catalog(plugin).rules)
    assert (found.findings, found.version) == ((), 143)
    mine = [one for one in found.divergences if one.action == action]
    assert [code] == [one.code for one in mine]
    assert text in mine[0].text
    assert found.checked > (100 if action else 20)


def test_rules_that_go_on_for_ever_where_the_record_does_too() -> None:
    """A resolver that never ends is stopped at the bound, in an audit as in play."""

    def long(fight: Fight, action: Action) -> Any:
        for _ in range(limits.STEPS_PER_ACTION):
            yield Judge("x", by=action.actor, code="x")

    plugin = Told(long)
    session = tiny_session(engine(catalog=tiny_catalog(lambda: plugin)))
    must(session.declare("ann", "attack", "bob", id="a1"))
    lines = log(session)
    assert audit(lines, tiny_catalog(lambda: plugin).rules).is_clean
    found = audit(lines, tiny_catalog(lambda: Told(for_ever)).rules)
    assert [("a1", "breach")] == [(one.action, one.code) for one in found.divergences]
    assert f"more than {limits.STEPS_PER_ACTION} steps" in found.divergences[0].text


# -- rules that are not there


class Newer(Dicey):
    @hookimpl
    def describe(self) -> System:
        return replace(super().describe(), release="2")


class Wider(Dicey):
    """Publishes one more place, under the same release."""

    @hookimpl
    def describe(self) -> System:
        described = super().describe()
        return replace(described, places={**described.places, "more": "of the same"})


@pytest.mark.parametrize(
    ("catalog", "reason"),
    [
        (lambda: Catalogs.none, "is not installed"),
        (lambda: tiny_catalog(Newer).rules, "release 2 is installed, the session was decided under 1"),
    ],
    ids=["missing", "another release"],
)
def test_without_its_rules_a_log_is_verified_and_not_audited(catalog: Callable[[], Book], reason: str) -> None:
    """Law 2: bytes, sums and dice are checked without any rules, and what is not checked is told with its reason."""
    lines = changed(log(everything()), "change", lambda event: event.update(after=99))
    found = audit(lines, catalog())
    assert found.divergences == ()
    assert found.findings == verify(lines).findings != ()
    (left,) = found.unchecked
    assert reason in left.reason
    assert (left.version, left.code, found.version, found.commits) == (1, "rules", 143, 48)
    assert found.checked < 5, "what needs no rules: notes, leaving, the game master's word"
    assert len(found.overrules) == 7


class Catalogs:
    @staticmethod
    def none(manifest: Manifest) -> RuleSet:
        raise PluginUnavailable(manifest.system.id, "is not installed")


def test_rules_that_come_later_are_checked_from_there() -> None:
    """A session whose rules change to such as are not there is checked up to the change."""
    known = book()

    def until(manifest: Manifest) -> RuleSet:
        if manifest.options != {"counts": 5}:
            raise PluginUnavailable("tiny", "is not installed")
        return known(manifest)

    found = audit(log(everything()), until)
    assert (found.findings, found.divergences) == ((), ())
    assert [96] == [left.version for left in found.unchecked]
    assert 80 < found.checked < 100


def test_rules_that_publish_something_else_are_told_and_compared() -> None:
    found = audit(log(everything()), tiny_catalog(Wider).rules)
    assert (found.findings, found.divergences) == ((), ())
    ((version, code, reason),) = [(left.version, left.code, left.reason) for left in found.unchecked]
    assert (version, code, reason) == (1, "another", "the rules installed publish something else under the same release")
    assert found.checked == audit(log(everything()), book()).checked


# -- copies and halves


def test_a_name_that_was_erased_is_missed_by_nobody() -> None:
    lines = log(everything())
    erased = [line for line in lines]
    raw = json.loads(lines[2])
    raw["kept"] = []
    erased[2] = json.dumps(raw, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
    found, whole = audit(erased, book()), audit(lines, book())
    assert (found.findings, found.divergences, found.unchecked) == ((), (), ())
    assert found.checked == whole.checked
    commits = take_apart(erased)
    piece = commits[1].pieces[0].again()
    piece.event["pools"]["hp"]["high"] = 99
    commits[1] = commits[1].of(piece)
    assert [2] == [one.version for one in audit(list(put_together(lines[0], commits)), book()).divergences]


def test_a_command_that_was_cut_off_between_its_two_parts_is_no_fault() -> None:
    """Reported dice, other rules and closed actions are told in two commits; the second may never have been written."""
    lines = log(everything())
    halves = [n for n, line in enumerate(lines[1:], 1) if (json.loads(line)["envelope"]["sender"] or {}).get("part") == 1]
    assert len(halves) == 6
    for half in halves:
        found = audit(lines[: half + 1], book())
        assert (found.findings, found.divergences, found.commits) == ((), (), half)
    whole = next(n for n, line in enumerate(lines[1:], 1) if json.loads(line)["events"][0].get("action") == "a3")
    commits = take_apart(lines[: whole + 1])
    commits[-1] = commits[-1].of(*commits[-1].pieces[:-1])
    (missing,) = audit(list(put_together(lines[0], commits)), book()).divergences
    assert (missing.code, missing.action) == ("missing", "a3")
    assert missing.expected["kind"] == "ask"


def test_a_second_part_may_be_waited_for_through_notes_undo_and_redo() -> None:
    table = Table(catalog=tiny_catalog(Dicey), dice={"bob": "reported"})
    table.play([*seats("ann", "bob"), report("b", "bob", (3,)), declare("a1", "ann", "attack", "bob")])
    table.play([answer("a1-bob", "bob", "dodge")])
    session = table.session
    must(session.reveal_dice())
    must(session.note("an epoch without a nonce", caller="gm"))
    must(session.do(Request(id="n", command=commands.Note(text="."), caller="ann", nonce="one", seen=session.head)))
    must(session.reveal_dice())
    slot = next(iter(session.prompts("bob")))
    must(session.report(slot, "bob", [[20]], caller="bob"))
    assert session.state(reader=GM).open, "the damage waits for a nonce"
    must(session.note("so nothing follows yet"))
    must(session.undo())
    must(session.redo())
    found = audit(log(session), book())
    assert (found.findings, found.divergences) == ((), ())


def test_damage_is_a_finding_and_what_stands_before_is_audited() -> None:
    """Law 10: nothing at or behind the damage is used."""
    lines = changed(log(everything()), "done", lambda event: event.update(code="x"), action="a1")
    middle = len(lines) // 2
    lines[middle] = lines[middle].replace(b'"kind"', b'"sort"', 1)
    found = audit(lines, book())
    assert ["damaged"] == [finding.code for finding in found.findings]
    assert ["a1"] == [one.action for one in found.divergences]
    assert (found.commits, found.version) == (middle - 1, verify(lines).version)
    for lines in ([], [b""], [b"no ledger"], [log(everything())[0], b"{}"]):
        assert ["damaged"] == [finding.code for finding in audit(lines, book()).findings]


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
    from affray.sessions import Catalog

    monkeypatch.setattr("affray.kernel.points.POINTS_RECENT", 16)  # full before the shorter log ends
    rules = Catalog().rules

    def taken(strikes: int) -> tuple[int, int]:
        lines = log(play_nyra(strikes)[0])
        audit(lines[:40], rules)  # what is made once
        tracemalloc.start()
        auditor = Auditor(rules, lines[0], again(lines))
        for line in lines[1:]:
            auditor.take(line)
        size, _ = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return size, auditor.chain.version

    (small, few), (large, many) = taken(100), taken(500)
    assert many > 4.5 * few
    assert (large - small) / (many - few) < BYTES_PER_EVENT
