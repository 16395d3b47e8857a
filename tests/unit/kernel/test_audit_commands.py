"""Which commands may have made what a log holds: who may send them, what they open with, where they may stand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from affray.kernel import GM, Audit, State, audit, commands, hookimpl
from affray.kernel.audit_commits import misplaced
from affray.kernel.errors import PluginUnavailable
from affray.kernel.events import Note, Open
from affray.kernel.lean import LeanLog
from affray.kernel.points import Points
from affray.kernel.reenact import Reenactment
from affray.sessions import Session

from ...support.audits import book, log
from ...support.dicey import Dicey
from ...support.everything import everything, plain
from ...support.fights import Table, ask, declare, note, seats
from ...support.forged import changed
from ...support.reseal import Loose, Piece, put_together, take_apart
from ...support.table import answer_all, engine, must, tiny_catalog, tiny_session


def loose(session: Session) -> list[Loose]:
    return take_apart(log(session))


def audited(session: Session, commits: list[Loose], catalog: Any = None) -> Audit:
    return audit(list(put_together(session.header, commits)), catalog or book())


def at(commits: list[Loose], kind: str, nth: int = 0) -> int:
    """The number of the n-th commit that begins with a kind."""
    return [number for number, commit in enumerate(commits) if commit.pieces[0].inner["kind"] == kind][nth]


def with_event(commit: Loose, index: int = 0, **fields: Any) -> Loose:
    """A commit with one event that says something else."""
    pieces = list(commit.pieces)
    pieces[index] = pieces[index].again()
    pieces[index].inner.update(fields)
    return commit.of(*pieces)


def sent_by(commit: Loose, caller: str) -> Loose:
    changed = commit.again()
    changed.sender["caller"] = caller
    return changed


# -- who may send what


@pytest.mark.parametrize("kind", ["open", "turn", "overrule", "rules", "reveal", "reveal-dice", "done"])
def test_what_is_the_game_masters_is_nobody_elses(kind: str) -> None:
    commits = loose(everything())
    number = at(commits, kind)
    commits[number] = sent_by(commits[number], "ann")
    (found,) = audited(everything(), commits).divergences
    assert (found.version, found.code, found.action) == (commits[number].pieces[0].version, "unfounded", "")
    assert found.text == "ann cannot send this: it is the game master's"


def test_a_declaration_is_its_controllers() -> None:
    commits = loose(everything())
    number = at(commits, "declare", 1)
    commits[number] = sent_by(commits[number], "bob")
    found = audited(everything(), commits).divergences
    assert [("a2", "the rules refuse it: not-yours ann")] == [(one.action, one.text) for one in found]


def test_a_code_that_no_ending_can_have_is_found() -> None:
    commits = loose(everything())
    number = at(commits, "done")
    index = next(i for i, piece in enumerate(commits[number].pieces) if piece.kind == "close")
    commits[number] = with_event(commits[number], index, code="not an id!")
    (found,) = audited(everything(), commits).divergences
    assert (found.version, found.code) == (141, "unfounded")


def test_a_secret_note_is_read_by_its_writer() -> None:
    commits = loose(everything())
    number = at(commits, "note")
    piece = commits[number].pieces[0].again()
    assert piece.part is not None
    piece.part["audience"] = ["bob", "gm"]
    commits[number] = commits[number].of(piece)
    (found,) = audited(everything(), commits).divergences
    assert found.text == (
        'veil is {"audience":["bob","gm"],"fields":["text"]}, the rules make it {"audience":["ann","gm"],"fields":["text"]}'
    )


# -- what a commit may hold


def test_a_commit_holds_one_command() -> None:
    one, other = Note(text="one"), Note(text="other")
    assert misplaced(one, None) == ""
    assert misplaced(other, one) == "stands behind a note, which ends its commit"


def test_the_end_of_a_fight_opens_the_open_dice() -> None:
    """Whatever else is opened is opened in a commit of its own."""
    commits = loose(everything())
    end, kept = at(commits, "done"), at(commits, "reveal-dice", 1)
    *before, first = commits[end].pieces
    (second,) = commits[kept].pieces
    commits[end], commits[kept] = commits[end].of(*before, second), commits[kept].of(first)
    (found,) = audited(everything(), commits).divergences
    assert (found.version, found.text) == (142, "the end of a fight opens the open dice")


def test_an_end_that_opens_nothing_is_found() -> None:
    commits = loose(everything())[:-1]
    commits[-1] = commits[-1].of(*commits[-1].pieces[:-1])
    (found,) = audited(everything(), commits).divergences
    assert found.text == "the fight ends, and its dice are not opened"


# -- what a log opens with


def test_every_option_is_spelt_out() -> None:
    """Also where the fingerprint is that of the same rules with an option left to its default."""
    session = plain()
    manifest = session.manifest
    bare = type(manifest)(system=manifest.system, options={}, house=())
    commits = loose(session)
    shown = {**commits[0].pieces[0].event["manifest"], "options": {}}
    commits[0] = with_event(commits[0], manifest=shown, fingerprint=book()(bare).fingerprint)
    (found,) = audited(session, commits).divergences
    assert (found.version, found.text) == (1, "the options are not spelt out as the rules read them: counts")


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({"dice": {"*": "loaded"}}, "there is no dice policy 'loaded'"),
        ({"dice": {"ann": "fair"}}, "no dice policy for all others"),
        ({"dice": {"*": "fair", "a b": "fair"}}, "a controller must be"),
        ({"undo_dice": "maybe"}, "undo_dice cannot be 'maybe'"),
        ({"epochs": 0}, "dice chains of 0 epochs"),
        ({"epochs": 1025}, "dice chains of 1025 epochs"),
        ({"kept_chain": ""}, "the end of a dice chain is 64 hex digits"),
        ({"title": "x" * 201}, "has 201 characters, more than 200"),
        ({"origin": {"how": "luck", "session": "s", "version": 3, "digest": "0" * 64}}, "of another session by 'luck'"),
        ({"origin": {"how": "fork", "session": "s", "version": 3, "digest": "0" * 64}}, "of another session by 'fork'"),
        ({"origin": {"how": "carry-on", "session": "s", "version": 0, "digest": "0" * 64}}, "from version 0 of another"),
    ],
)
def test_a_log_opens_with_what_an_engine_can_have_written(fields: dict[str, Any], text: str) -> None:
    commits = loose(plain())
    commits[0] = with_event(commits[0], **fields)
    assert any(text in one.text and one.version == 1 for one in audited(plain(), commits).divergences)


# -- dice that wait


def test_dice_wait_for_no_witness_where_none_is_wanted() -> None:
    """A host that lets dice wait, to look at them first, is found where it does."""
    session = tiny_session(engine(catalog=tiny_catalog(Dicey)))
    must(session.declare("ann", "attack", "bob", id="a1"))
    commits = loose(session)
    opened, *rest = commits[-1].pieces
    asked = {
        "kind": "ask", "action": "a1", "key": "witness-attack", "occurrence": 0, "who": ["bob"], "plan": None,
        "by_rules": [], "notation": "", "options": [{"code": "witness", "trace": [], "value": None}], "private": False,
    }  # fmt: skip
    commits[-1] = commits[-1].of(opened, Piece({**rest[0].event, **asked} if rest[0].kind == "ask" else asked))
    (found,) = audited(session, commits).divergences
    assert (found.action, found.code, found.expected["kind"]) == ("a1", "differs", "roll")


def witnessed() -> Session:
    table = Table(catalog=tiny_catalog(Dicey), witness=True)
    table.play(seats("ann", "bob", "cy"))
    return table.session


def test_dice_wait_for_the_witness_who_is_wanted() -> None:
    session = witnessed()
    must(session.declare("ann", "attack", "bob", id="a1", caller="ann"))
    commits = loose(session)
    index = len(commits[-1].pieces) - 1
    assert commits[-1].pieces[index].event["who"] == ["bob"]
    assert audited(session, commits).is_clean
    commits[-1] = with_event(commits[-1], index, who=["cy"])
    (found,) = audited(session, commits).divergences
    assert found.text == 'who is ["cy"], the rules make it ["bob"]'


def test_dice_are_reported_by_those_whose_dice_are_at_the_table() -> None:
    table = Table(catalog=tiny_catalog(Dicey), dice={"ann": "reported"})
    table.play([*seats("ann", "bob")])
    session = table.session
    lines = changed(log(session), "open", lambda event: event.update(dice={"*": "fair"}))
    (found,) = audit(lines, book()).divergences
    assert (found.action, found.code, found.expected["kind"], found.recorded["kind"]) == ("begin", "differs", "roll", "ask")


# -- going back


def test_an_undo_takes_back_the_whole_action_however_much_was_said_meanwhile() -> None:
    table = Table(catalog=tiny_catalog(Dicey))
    table.play([*seats("ann", "bob"), declare("a1", "ann", "attack", "bob"), *[note(f"n{n}") for n in range(5)]])
    session = table.session
    answer_all(session, 1)
    must(session.undo())
    assert audit(log(session), book()).is_clean
    commits = loose(session)
    answered = commits[-2].pieces[0].version
    commits[-1] = with_event(commits[-1], to=answered - 1)
    (found,) = audited(session, commits).divergences
    assert found.text == f"does not take back the last action or command: it goes to {answered - 1}"


def test_a_rewind_that_points_forwards_ends() -> None:
    """A forged rewind may lead anywhere, and whoever follows it comes to an end."""
    commits = loose(everything())
    for number, to in ((at(commits, "rewind"), 120), (at(commits, "rewind", 1), 88)):
        commits[number] = with_event(commits[number], to=to)
    found = audited(everything(), commits)
    assert [87, 88] == [one.version for one in found.findings if one.code == "rewind"]
    assert [87, 88] == [one.version for one in found.divergences if one.recorded and one.recorded["kind"] == "rewind"]


def test_no_action_is_given_up_where_none_is_at_fault() -> None:
    now = Reenactment(book(), Points(b""), LeanLog())
    now.give_up("")
    assert now.given_up == set()


# -- what is only folded


def test_an_action_that_was_closed_by_one_that_parted_from_the_rules_is_closed() -> None:
    table = Table(catalog=tiny_catalog(Dicey))
    table.play([*seats("ann", "bob"), declare("a1", "ann", "blow", "bob"), ask("b", commands.Declare(actor="bob", name="end-turn"))])
    table.play([declare("a2", "ann", "break-off"), ask("gone", commands.Leave(id="ann"))])
    session = table.session
    assert audit(log(session), book()).is_clean
    commits = loose(session)
    number = next(n for n, commit in enumerate(commits) if commit.pieces[0].event.get("action") == "a2")
    commits[number] = sent_by(commits[number], "bob")
    assert ["a2"] == [one.action for one in audited(session, commits).divergences]


class Over(Dicey):
    @hookimpl
    def is_over(self, fight: Any) -> str | None:
        return "enough"


def test_what_the_clock_waits_for_is_told_once() -> None:
    """Rules that would have ended the fight: the record goes on, and that is one fault."""
    found = audit(log(everything()), tiny_catalog(Over).rules)
    ends = [one for one in found.divergences if not one.action and one.expected and one.expected["kind"] == "close"]
    assert [("enough", "")] == [(one.expected["code"], one.action) for one in ends]


def missing(manifest: Any) -> Any:
    raise PluginUnavailable("tiny", "is not installed")


@pytest.mark.parametrize("rules", [book, lambda: missing], ids=["installed", "missing"])
def test_an_empty_log_and_one_that_only_opens_are_audited(rules: Callable[[], Any]) -> None:
    lines = log(plain())
    assert (audit(lines[:1], rules()).is_clean, audit(lines[:1], rules()).version) == (True, 0)
    assert (audit(lines[:2], rules()).is_clean, audit(lines[:2], rules()).version) == (True, 1)
    assert State().manifest is None
    assert isinstance(plain().history(reader=GM)[0].event, Open)
