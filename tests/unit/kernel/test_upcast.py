"""Old and unknown events (STORE-4): upgraded one schema at a time, or the place where reading must stop."""

from __future__ import annotations

from typing import Any

import pytest

from affray.kernel.errors import Damaged, UnknownKind
from affray.kernel.events import KINDS, Note
from affray.kernel.ledger import Chain, Commit, Envelope, canonical, header_line, sha256
from affray.kernel.testing import Scribe
from affray.kernel.upcast import UPCASTERS, Upcasters

Raw = dict[str, Any]


def numbered(events: list[Raw]) -> list[bytes]:
    """A ledger of one event a commit, in whatever schema."""
    lines: list[bytes] = []
    digest = sha256(header_line("fight"))
    for version, event in enumerate(events, 1):
        body = canonical(event)
        envelope = canonical(
            Envelope(
                format=1,
                session="fight",
                first=version,
                previous=digest,
                seals=(sha256(body),),
                nonce="",
                group=None,
                sender=Scribe().note(f"{version}").sender,
            )
        )
        digest = sha256(envelope)
        lines.append(b'{"digest":"%s","envelope":%s,"events":[%s],"kept":[]}' % (digest.encode(), envelope, body))
    return lines


def read(lines: list[bytes], upcasters: Upcasters = UPCASTERS) -> tuple[list[Commit], Damaged | None]:
    chain = Chain(header_line("fight"), upcasters=upcasters)
    commits: list[Commit] = []
    for line in lines:
        try:
            commits.append(chain.accept(line))
        except Damaged as error:
            assert len(commits) == chain.version, "no half state"
            return commits, error
    return commits, None


def notes(count: int) -> list[Raw]:
    return [{"kind": "note", "text": f"{number}"} for number in range(1, count + 1)]


def test_an_unknown_kind_stops_reading_where_it_stands() -> None:
    """STORE-4 a: ten events, the sixth of a kind from a later release."""
    events = notes(10)
    events[5] = {"kind": "heal.9", "target": "bo", "by": {"nested": [1, None]}}
    lines = numbered(events)
    commits, error = read(lines)
    assert [Note(text=f"{number}") for number in range(1, 6)] == [commit.events[0] for commit in commits]
    assert type(error) is UnknownKind
    assert (error.line, error.version) == (7, 6)
    assert "version 6: an event of kind 'heal.9', which this release does not know" in str(error)
    assert canonical(events[5]) in lines[5], "the bytes are all there for a release that knows it"


def test_an_unknown_schema_of_a_known_kind_is_unknown() -> None:
    """`roll.2` is not half read as a roll, nor `note.2` as a note."""
    _, error = read(numbered([{"kind": "note.2", "text": "x"}]))
    assert type(error) is UnknownKind


def first_to_second(raw: Raw) -> Raw:
    """Schema 2 renamed the field."""
    return {"words": raw.pop("message"), **raw}


def second_to_current(raw: Raw) -> Raw:
    return {"text": raw.pop("words") + "!", **raw}


CHAIN = Upcasters(
    {("memo", "memo.2"): first_to_second, ("memo.2", "note"): second_to_current}, KINDS
)


def test_old_schemas_are_upgraded_step_by_step() -> None:
    """STORE-4 b: 1 > 2 > current, from wherever an event stands; the stored bytes stay as they were."""
    events = [{"kind": "memo", "message": "a"}, {"kind": "memo.2", "words": "b"}, {"kind": "note", "text": "c"}]
    lines = numbered(events)
    commits, error = read(lines, CHAIN)
    assert error is None
    assert [Note(text="a!"), Note(text="b!"), Note(text="c")] == [commit.events[0] for commit in commits]
    assert lines == [commit.line for commit in commits]


@pytest.mark.parametrize(
    ("pairs", "problem"),
    [
        ([("a", "a.2"), ("a.2", "a.3"), ("a.3", "a.2")], "form a ring"),
        ([("a", "a")], "form a ring"),
        ([("a", "a.2")], "no upgrade leads on from 'a.2'"),
        ([("a", "note"), ("note", "a")], "is current and has an upgrade"),
        ([("a", "note"), ("a", "close")], "two upgrades of 'a'"),
    ],
)
def test_upgrades_that_lead_nowhere_are_refused_at_once(pairs: list[tuple[str, str]], problem: str) -> None:
    """STORE-4 b: a ring is found when the upgrades are put together, not when a log is read."""
    with pytest.raises(ValueError, match=problem):
        Upcasters(dict.fromkeys(pairs, dict), KINDS)


def test_an_upgrade_that_raises_names_its_event() -> None:
    """STORE-4 c: what stands before is read, and nothing of the event that could not be upgraded."""
    events = notes(6)
    events[3] = {"kind": "memo", "massage": "no such field"}
    commits, error = read(numbered(events), CHAIN)
    assert [commit.first for commit in commits] == [1, 2, 3]
    assert type(error) is Damaged
    assert (error.line, error.version) == (5, 4)
    assert "the event of kind 'memo' cannot be upgraded (KeyError('message'))" in error.problem


def test_an_upgrade_that_makes_nonsense_names_its_event() -> None:
    wrong = Upcasters({("memo", "note"): lambda raw: {"text": 1}}, KINDS)
    _, error = read(numbered([*notes(3), {"kind": "memo"}]), wrong)
    assert error is not None
    assert (error.line, error.version) == (5, 4)


def test_no_bytes_are_upgraded_before_they_are_checked() -> None:
    """An old event in another than its canonical form is damage."""
    for body in (b'{"kind":"memo", "message":"a"}', b'{"kind":"memo","message":"a","message":"b"}'):
        good = numbered([{"kind": "memo", "message": "a"}])[0]
        envelope = good[good.index(b'"envelope":') + 11 : good.index(b',"events":')]
        seal = sha256(canonical({"kind": "memo", "message": "a"}))
        envelope = envelope.replace(seal.encode(), sha256(body).encode())
        line = b'{"digest":"%s","envelope":%s,"events":[%s],"kept":[]}' % (sha256(envelope).encode(), envelope, body)
        _, error = read([line], CHAIN)
        assert error is not None
        assert "the event is not in its canonical form" in error.problem
