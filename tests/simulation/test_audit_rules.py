"""The audit where the rules are not those of the record, and where not all of a log is there.

Rules that lie, raise, refuse, never end or are gone; copies, erased names, commands that were cut off, damage.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from msgspec.structs import replace

from affray.kernel import (
    GM,
    Action,
    Breach,
    CloseAction,
    Fight,
    Judge,
    Manifest,
    PluginUnavailable,
    Refused,
    Request,
    Roll,
    RuleSet,
    SetStep,
    Steps,
    System,
    audit,
    commands,
    dice,
    hookimpl,
    limits,
    verify,
)

from ..support.audits import book, log
from ..support.broken import Told
from ..support.dicey import Dicey
from ..support.everything import everything
from ..support.fights import Table, answer, declare, report, seats
from ..support.forged import changed
from ..support.reseal import put_together, take_apart
from ..support.table import engine, must, tiny_catalog, tiny_session
from ..support.tampering import Book
from ..support.tiny import roll_notation

# -- rules that lie, raise, refuse


EXITS = "breach or raised"
"""What it is when a plugin ends the process: the host's affair in play, and a finding here."""


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
        (raising(SystemExit(0)), EXITS, "b1", "SystemExit(0)"),
        (raising(RecursionError("deep")), "breach", "b1", "RecursionError"),
        (raising(PluginUnavailable("tiny", "not today")), "breach", "b1", "not today"),
        (Late, EXITS, "a7", "SystemExit(0)"),
        (Refuses, "unfounded", "a1", "the rules refuse it: no-more-herbs"),
        (Endless, "differs", "a1", "the rules make judge x a1 x"),
        (Unmoved, EXITS, "", "SystemExit(0)"),
    ],
    ids=["lies", "raises", "exits", "recurses", "pretends to be missing", "raises late", "refuses", "endless", "no end"],
)
def test_rules_that_are_not_those_of_the_record(plugin: Callable[[], object], code: str, action: str, text: str) -> None:
    """Law 10: whatever rules do on recorded data is a finding of their action, and others are checked all the same."""
    found = audit(log(everything()), tiny_catalog(plugin).rules)
    assert (found.findings, found.version) == ((), 143)
    mine = [one for one in found.divergences if one.action == action]
    assert len(mine) == 1
    assert mine[0].code in code.split(" or ")
    assert text in mine[0].text
    assert found.checked > (100 if action else 20)


def test_rules_that_cannot_be_had_without_ending_the_process() -> None:
    def exits(manifest: Manifest) -> RuleSet:
        raise SystemExit(0)

    found = audit(log(everything()), exits)
    assert (found.findings, found.version) == ((), 143)
    assert {"unfounded", "raised"} == {one.code for one in found.divergences}
    assert all("SystemExit(0)" in one.text for one in found.divergences)


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
    erased = list(lines)
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


def test_the_game_master_may_close_what_could_not_go_on() -> None:
    """Rules that failed behind reported dice and were mended since: then a second part is missing for a good reason."""

    def fails(fight: Fight, action: Action) -> Any:
        yield from Roll("x", by=action.actor, plan=dice(1, 6))
        raise RuntimeError("cannot go on")

    plugin = Told(fails)
    session = tiny_session(engine(catalog=tiny_catalog(lambda: plugin)), dice={"ann": "reported"}, begun=False)
    must(session.begin())
    for slot in list(session.prompts("ann")):
        must(session.report(slot, "ann", [[3]]))
    must(session.declare("ann", "attack", "bob", id="a1"))
    with pytest.raises(Breach, match="cannot go on"):
        session.report("a1|roll.x.ann.0", "ann", [[3]])
    must(session.overrule("mend it later", CloseAction(action="a1")))

    def mended(fight: Fight, action: Action) -> Any:
        yield from Roll("x", by=action.actor, plan=dice(1, 6))
        yield Judge("y", by=action.actor, code="y")

    assert audit(log(session), tiny_catalog(lambda: Told(mended)).rules).divergences == ()
    (found,) = audit(log(session), tiny_catalog(lambda: plugin).rules).divergences
    assert (found.code, found.action) == ("breach", "a1")


def test_reported_dice_whose_faces_the_game_master_had_set_are_no_fault() -> None:
    session = tiny_session(engine(catalog=tiny_catalog(Dicey)), dice={"bob": "reported"}, begun=False)
    must(session.begin())
    (slot,) = session.prompts("bob")
    must(session.overrule("it fell off the table", SetStep(slot=slot, fields={"faces": [[5]]})))
    must(session.report(slot, "bob", [[2]], caller="bob"))
    found = audit(log(session), book())
    assert (found.findings, found.divergences) == ((), ())
    assert ["overruled"] == [one.source for one in found.reported]
