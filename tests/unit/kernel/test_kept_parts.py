"""Kept parts: what only some may read, taken out, revealed, or contradicting what stands in the open."""

from __future__ import annotations

import pytest
from msgspec import UNSET
from msgspec.structs import replace

from affray.kernel.errors import InputError
from affray.kernel.events import Note, Sealed
from affray.kernel.ledger import canonical, header_line, open_part, part_of, redact, sha256
from affray.kernel.steps import Event
from affray.kernel.testing import Scribe
from affray.kernel.values import GM, PUBLIC, Veil

from .small_ledger import SHEET, accept, forge, join, ledger, part, read

SEALED_TEXT = {"kind": "note", "text": "whole"}


@pytest.mark.parametrize(
    ("event", "kept", "problem"),
    [
        (Note(text="open"), part(fields={"text": "other"}), "says something else than the open event"),
        (Note(text=None), part(fields={"more": 1}), "says something else than the open event"),
        (Note(text=None), part(fields={"kind": "close"}), "says something else than the open event"),
        (Note(text=None), part(fields={"text": 1}), "cannot be read"),
        (Note(text=None), part(fields={"text": 1.5}), "cannot be read"),
        (Note(text=None), part(event=SEALED_TEXT), "a whole event, and the open event is another"),
        (Note(text=None), part(), "must hold an event, fields or a sender"),
        (Note(text=None), part(sender=1), "cannot be read"),
        (Note(text=None), b"[" * 5000 + b"]" * 5000, "nested too deeply"),
        (Sealed(), part(fields={"text": "x"}), "says something else than the open event"),
        (Sealed(), part(event={"kind": "sealed"}), "an event that is itself hidden"),
        (Sealed(), part(event={"kind": "note", "text": "x", "kept": "00"}), "an event that is itself hidden"),
        (Sealed(), part(event={"kind": "heal.9"}), "does not know"),
        (Note(text=None), part(fields={}), "must hold fields or an event"),
        (Note(text=None), part(event=SEALED_TEXT, fields={"text": "x"}), "must hold an event, fields or a sender"),
        (Sealed(), part(event={"kind": "note"}), "cannot be read"),
        (Sealed(), part(event=SEALED_TEXT).replace(b":", b": ", 1), "canonical form"),
        (Sealed(), part(event=SEALED_TEXT).replace(b'"salt"', b'"salt":"11","salt"'), "canonical form"),
    ],
)
def test_a_kept_part_that_contradicts_its_event_is_found(event: Event, kept: bytes, problem: str) -> None:
    """With right hashes throughout: who wrote the ledger may have lied."""
    body = canonical(replace(event, kept=sha256(kept)))
    _, damage = read(header_line("fight"), [forge([body], [kept])])
    assert damage is not None
    assert problem in damage.problem
    assert (damage.line, damage.version) == (2, 1)
    assert read(header_line("fight"), [forge([body])])[1] is None, "without the part it can be read"


def test_a_kept_sender_that_is_none_is_found() -> None:
    kept = part(fields={})
    _, damage = read(header_line("fight"), [forge([canonical(Note(text="x"))], [kept], kept=sha256(kept))])
    assert damage is not None
    assert "the kept sender is not a sender" in damage.problem


def test_redaction_changes_nothing_but_what_is_read() -> None:
    """Seals, digests and versions stay; fields that somebody may not read are unknown to them."""
    scribe, commits = ledger()
    seen = {
        reader: accept(scribe.header, [redact(commit.line, reader) for commit in commits])
        for reader in (GM, "ann", "bo", PUBLIC)
    }
    assert commits == seen[GM]
    for readers in seen.values():
        for commit, copy in zip(commits, readers, strict=True):
            assert commit.envelope == copy.envelope
            assert (commit.digest, commit.first, commit.last) == (copy.digest, copy.first, copy.last)
    assert {r: c[1].events[0].sheet for r, c in seen.items()} == {GM: SHEET, "ann": SHEET, "bo": None, PUBLIC: None}
    assert {r: c[1].events[0].conditions for r, c in seen.items()} == dict.fromkeys(seen, ())
    assert [r for r, c in seen.items() if c[1].events[0].kept is not UNSET] == ["bo", PUBLIC]
    assert [r for r, c in seen.items() if type(c[1].events[1]) is Sealed] == ["ann", PUBLIC]
    assert {c[1].events[1].text for r, c in seen.items() if r in (GM, "bo")} == {"only for Bo — 秘密"}
    assert [r for r, c in seen.items() if c[2].sender is None] == ["ann", PUBLIC]
    assert {c[2].events[0].text for c in seen.values()} == {"hidden command"}


def test_redacting_twice_is_the_same() -> None:
    _, commits = ledger()
    for commit in commits:
        for reader in ("ann", "bo", PUBLIC):
            once = redact(commit.line, reader)
            assert redact(once, reader) == once
        assert redact(redact(commit.line, "ann"), "bo") == redact(commit.line, PUBLIC)
    text = b"".join(redact(commit.line, PUBLIC) for commit in commits)
    assert "秘密".encode() not in text
    assert b'"caller":"bo"' not in text


def test_a_revealed_part_is_the_kept_one() -> None:
    scribe, commits = ledger()
    line = commits[1].line
    bare = accept(scribe.header, [commits[0].line, redact(line, PUBLIC)])[1].events
    assert open_part(bare[0], part_of(line, 2)) == join()
    assert open_part(bare[1], part_of(line, 3)) == Note(text="only for Bo — 秘密")
    with pytest.raises(InputError, match="not the one this event keeps"):
        open_part(bare[0], part_of(line, 3))
    for version in (1, 4, 5):
        with pytest.raises(InputError, match="no kept part stands at this version"):
            part_of(line, version)


def test_equal_secrets_have_unequal_hashes() -> None:
    """The salt keeps a reader from trying out what a part may hold."""
    scribe = Scribe()
    twice = scribe.write(*[Note(text="yes", veil=Veil(audience=("gm",), fields=("text",)))] * 2)
    bare = accept(scribe.header, [redact(twice.line, PUBLIC)])[0]
    assert bare.events[0].kept != bare.events[1].kept
