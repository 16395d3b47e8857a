"""The ledger: what is written comes back, and every way to change it is found and placed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable

import pytest
from msgspec import UNSET

from affray.kernel.errors import Damaged, InputError, UnknownKind
from affray.kernel.events import Choose, Note
from affray.kernel.ledger import (
    Chain,
    Commit,
    Group,
    canonical,
    header_line,
    sha256,
    through_bytes,
    write_commit,
)
from affray.kernel.limits import EVENTS_PER_COMMIT, LINE_BYTES
from affray.kernel.steps import Event, Judge
from affray.kernel.testing import Scribe
from affray.kernel.values import Row

from .small_ledger import accept, forge, join, join_line, ledger, part, read


def test_what_is_written_comes_back() -> None:
    scribe, commits = ledger()
    assert commits == accept(scribe.header, [commit.line for commit in commits])
    chain, damage = read(scribe.header, [commit.line for commit in commits])
    assert damage is None
    assert (scribe.version, scribe.digest) == (chain.version, chain.digest)


def test_writing_again_is_identity() -> None:
    """Events that were read, with the same salts, make the same bytes."""
    scribe, commits = ledger()
    salts = iter([f"{i:032x}" for i in range(1, 100)])
    for commit in accept(scribe.header, [commit.line for commit in commits]):
        envelope = commit.envelope
        assert commit.sender is not None
        again = write_commit(
            session="fight",
            first=envelope.first,
            previous=envelope.previous,
            events=[(event, None) for event in commit.events],
            sender=commit.sender,
            salt=lambda: next(salts),
            secret=envelope.kept is not UNSET,
            nonce=envelope.nonce,
            group=envelope.group,
        )
        assert commit.line == again.line


def test_anybody_can_recompute_it() -> None:
    """Seals, digests and chain from a JSON library and SHA-256 alone."""

    def form(value: object) -> bytes:
        return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()

    scribe, commits = ledger()
    previous = hashlib.sha256(form({"affray": "ledger", "format": 1, "session": "fight"})).hexdigest()
    for commit in commits:
        line = json.loads(commit.line)
        assert commit.line == form(line)
        assert previous == line["envelope"]["previous"]
        assert line["envelope"]["seals"] == [hashlib.sha256(form(e)).hexdigest() for e in line["events"]]
        wanted = [e["kept"] for e in (*line["events"], line["envelope"]) if "kept" in e]
        assert sorted(wanted) == sorted(hashlib.sha256(form(part)).hexdigest() for part in line["kept"])
        previous = hashlib.sha256(form(line["envelope"])).hexdigest()
        assert previous == line["digest"]
    assert previous == scribe.digest


@pytest.mark.parametrize("flip", [0x01, 0x20, 0x80, 0xFF])
def test_every_flipped_byte_is_found(flip: int) -> None:
    """Nothing behind the flipped byte is used, and no more than the commit that holds it is given up."""
    scribe, commits = ledger()
    data = b"\n".join([scribe.header, *[commit.line for commit in commits]])
    start = 0
    holder: dict[int, Commit | None] = {}
    for commit in (None, *commits):
        length = len(commit.line if commit else scribe.header) + 1
        holder.update(dict.fromkeys(range(start, start + length), commit))
        start += length
    for at in range(len(data)):
        flipped = data[:at] + bytes([data[at] ^ flip]) + data[at + 1 :]
        header, *lines = flipped.split(b"\n")
        chain, damage = read(header, lines)
        assert damage is not None, at
        commit = holder[at]
        if commit is None:
            assert (chain.version, damage.version) in ((0, 0), (0, 1)), at
        else:
            assert commit.first - 1 == chain.version, at
            assert commit.first <= damage.version <= commit.last, at
            assert commits.index(commit) + 2 == damage.line, at


Change = Callable[[list[bytes]], None]


def replaces(line: int, old: bytes, new: bytes) -> Change:
    def change(lines: list[bytes]) -> None:
        assert lines[line].count(old) == 1
        lines[line] = lines[line].replace(old, new)

    return change


def put(line: int, *indices: int) -> Change:
    """Put the lines of these indices where one line was."""

    def change(lines: list[bytes]) -> None:
        lines[line : line + 1] = [lines[index] for index in indices]

    return change


def swap(lines: list[bytes]) -> None:
    lines[1], lines[2] = lines[2], lines[1]


def move_part(lines: list[bytes]) -> None:
    """Take a kept part out of the second commit and put it into the first."""
    part = canonical(json.loads(lines[1])["kept"][0])
    lines[1] = lines[1].replace(part + b",", b"")
    lines[0] = lines[0].replace(b'"kept":[]', b'"kept":[%s]' % part)


def double_part(lines: list[bytes]) -> None:
    part = canonical(json.loads(lines[1])["kept"][0])
    lines[1] = lines[1].replace(part, part + b"," + part)


@pytest.mark.parametrize(
    ("change", "line", "version", "problem"),
    [
        pytest.param(put(0), 2, 1, "does not follow version 0", id="the first is removed"),
        pytest.param(put(2), 4, 5, "does not follow version 4", id="one is removed"),
        pytest.param(put(2, 2, 2), 5, 6, "does not follow version 5", id="one is doubled"),
        pytest.param(swap, 3, 2, "does not follow version 1", id="two are swapped"),
        pytest.param(
            replaces(0, b'"Swords":4', b'"Swords":5'), 2, 1, "event does not match its seal", id="a nested value"
        ),
        pytest.param(
            replaces(1, b'"text":"open"', b'"text":"Open"'), 3, 4, "event does not match its seal", id="the third event"
        ),
        pytest.param(replaces(1, b'"seen":1', b'"seen":0'), 3, 2, "envelope does not match", id="a sender"),
        pytest.param(replaces(1, b"12:00:00Z", b"12:00:01Z"), 3, 2, "envelope does not match", id="a time"),
        pytest.param(replaces(0, b"n0nce", b"other"), 2, 1, "envelope does not match", id="a nonce"),
        pytest.param(replaces(3, b'"size":2', b'"size":3'), 5, 6, "envelope does not match", id="a group"),
        pytest.param(replaces(1, b'"Swords":4', b'"Swords":5'), 3, 2, "belongs to no event", id="a kept part"),
        pytest.param(move_part, 2, 1, "belongs to no event", id="a kept part is moved"),
        pytest.param(double_part, 3, 2, "out of order", id="a kept part is doubled"),
        pytest.param(replaces(0, b'"events":[', b'"events": ['), 2, 1, "canonical form", id="blanks"),
        pytest.param(replaces(0, b',"kept":[]}', b',"kept":[]} '), 2, 1, "canonical form", id="a blank at the end"),
        pytest.param(
            replaces(0, b',"kept":[]}', b',"kept":[],"kept":[]}'), 2, 1, "canonical form", id="a doubled key"
        ),
        pytest.param(replaces(0, b',"kept":[]}', b',"kept":[],"more":1}'), 2, 1, "not a commit", id="a key more"),
        pytest.param(put(1, 0), 3, 2, "does not follow version 1", id="an old commit in a new one's place"),
    ],
)
def test_damage_is_found_and_placed(change: Change, line: int, version: int, problem: str) -> None:
    scribe, commits = ledger()
    lines = [commit.line for commit in commits]
    change(lines)
    chain, damage = read(scribe.header, lines)
    assert damage is not None
    assert problem in damage.problem
    assert (line, version) == (damage.line, damage.version)
    assert str(damage).startswith(f"f, line {line}, version {version}: ")
    trusted = [commit for commit in commits if commit.last <= chain.version]
    assert chain.digest == (trusted[-1].digest if trusted else sha256(scribe.header))


def test_another_session_s_commit_is_found() -> None:
    scribe, _ = ledger()
    _, damage = read(scribe.header, [Scribe("other").note("x").line])
    assert damage is not None
    assert "belongs to session 'other', not to 'fight'" in damage.problem


@pytest.mark.parametrize(
    ("header", "error", "problem"),
    [
        (b"", Damaged, "not a header"),
        (b"[" * 100_000, Damaged, "not a header"),
        (header_line("other"), Damaged, "belongs to session 'fight', not to 'other'"),
        (header_line("fight") + b" ", Damaged, "canonical form"),
        (header_line("fight").replace(b"ledger", b"Ledger"), Damaged, "canonical form"),
        (header_line("fight").replace(b"}", b',"x":1}'), Damaged, "not a header"),
        (header_line("fight").replace(b":1", b":1.0"), Damaged, "not a header"),
        (header_line("fight").replace(b":1", b":2"), UnknownKind, "format 2; this release reads format 1"),
    ],
)
def test_an_edited_header_is_found(header: bytes, error: type[Damaged], problem: str) -> None:
    _, commits = ledger()
    _, damage = read(header, [commit.line for commit in commits])
    assert type(damage) is error
    assert problem in damage.problem


def test_a_cut_tail_is_found_where_the_head_is_known() -> None:
    """A ledger that ends early is whole in itself; only who knows its head sees that something is missing."""
    scribe, commits = ledger()
    chain, damage = read(scribe.header, [commit.line for commit in commits[:-1]])
    assert damage is None
    assert scribe.digest != chain.digest
    assert chain.digest == commits[-1].envelope.previous


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        (b'"first":6', b'"first": 6', "not in its canonical form"),
        (b'"first":6', b'"first":6,"first":6', "not in its canonical form"),
        (b'"format":1,', b"", "not a commit"),
        (b'"format":1', b'"format":2', "format 2; this release reads format 1"),
        (b'"first":6', b'"first":7', "does not follow version 5"),
        (b'"first":6', b'"first":5', "does not follow version 5"),
        (b'"first":6', b'"first":6.0', "not a commit"),
        (b'"previous":"', b'"previous":"0', "does not follow version 5"),
        (b'"session":"fight"', b'"session":"other"', "belongs to session 'other'"),
        (b'"seals":[', b'"seals":["",', "1 events under 2 seals"),
    ],
)
def test_an_envelope_that_is_wrong_under_its_right_digest_is_found(old: bytes, new: bytes, problem: str) -> None:
    """Somebody who may compute digests still cannot put a commit where it does not belong."""
    scribe, commits = ledger()
    line = json.loads(commits[3].line)
    envelope = canonical(line["envelope"])
    assert envelope.count(old) == 1
    forged = join_line(envelope.replace(old, new), [canonical(line["events"][0])])
    chain, damage = read(scribe.header, [*[commit.line for commit in commits[:3]], forged])
    assert damage is not None
    assert problem in damage.problem
    assert (damage.line, damage.version) == (5, 6)
    assert chain.digest == commits[2].digest


def test_a_rival_s_commit_is_found() -> None:
    """Right number, other past."""
    scribe, commits = ledger()
    rival = Scribe()
    rival.note("another first commit")
    chain, damage = read(scribe.header, [commits[0].line, rival.note("second").line])
    assert damage is not None
    assert "does not follow version 1" in damage.problem
    assert chain.version == 1


@pytest.mark.parametrize(
    "body",
    [
        b'{"kind":"note","text":"a","text":"b"}',
        b'{"kind":"note", "text":"a"}',
        b'{"text":"a","kind":"note"}',
        b'{"kind":"note","text":"\\u0041"}',
        b'{"kind":"note","text":"\\/"}',
        b'{"kind":"note","text":"a\\u001F"}',
        b'{"kept":null,"kind":"note","text":null}',
        b'{"kind":"note","text":"a","more":1}',
        b'{"kind":"note"}',
        b'{"kind":"note","text":1}',
        b'{"kind":"note","text":"\xff"}',
        b'{"kind":"note","text":"\\ud800"}',
        b"[1]",
        b"null",
        b'{"kind":"note","text":' + b"[" * 5000 + b"]" * 5000 + b"}",
    ],
)
def test_an_event_that_is_not_its_own_canonical_form_is_found(body: bytes) -> None:
    """Seals and digests are right, but two programs could read two things."""
    _, damage = read(header_line("fight"), [forge([body])])
    assert type(damage) is Damaged
    assert (damage.line, damage.version) == (2, 1)


def test_a_line_nested_too_deeply_is_damage() -> None:
    _, damage = read(header_line("fight"), [b'{"digest":"","envelope":' + b"[" * 100_000])
    assert damage is not None
    assert "nested too deeply" in damage.problem


@pytest.mark.parametrize(
    "number", [b"1.5", b"1.0", b"1e2", b"-0", b"-0.0", b"0.30000000000000004", b"1E400", b"NaN", b"Infinity"]
)
def test_a_float_in_a_sheet_is_refused(number: bytes) -> None:
    """Open or kept, whatever it is worth (law 7)."""
    sheet = b'{"skills":{"Swords":[%s]}}' % number
    body = canonical(join(sheet={"X": 0})).replace(b'{"X":0}', sheet)
    _, damage = read(header_line("fight"), [forge([body])])
    assert damage is not None
    kept = part(fields={"sheet": {"X": 0}}).replace(b'{"X":0}', sheet)
    _, damage = read(header_line("fight"), [forge([canonical(join(sheet=None, kept=sha256(kept)))], [kept])])
    assert damage is not None
    assert (damage.line, damage.version) == (2, 1)


@pytest.mark.parametrize("number", [1.5, 1.0, -0.0])
def test_a_float_does_not_get_through_its_bytes(number: float) -> None:
    with pytest.raises(ValueError, match="a number with a point or an exponent"):
        through_bytes(join(sheet={"a": [number]}))


def test_events_in_one_commit_at_the_bound_and_one_past_it() -> None:
    commit = Scribe().write(*[Note(text="x")] * EVENTS_PER_COMMIT)
    assert accept(Scribe().header, [commit.line])[0].last == EVENTS_PER_COMMIT
    with pytest.raises(InputError, match=f"{EVENTS_PER_COMMIT + 1} events in one commit"):
        Scribe().write(*[Note(text="x")] * (EVENTS_PER_COMMIT + 1))
    with pytest.raises(InputError, match="a commit without events"):
        Scribe().write()


def test_a_line_at_the_bound_and_one_past_it() -> None:
    room = LINE_BYTES - len(Scribe().note("", command="c").line)
    line = Scribe().note("x" * room, command="c").line
    assert len(line) == LINE_BYTES
    accept(Scribe().header, [line])
    with pytest.raises(InputError, match=f"a commit of {LINE_BYTES + 1} bytes"):
        Scribe().note("x" * (room + 1), command="c")
    longer = forge([canonical(Note(text="x" * (room + 1000)))])
    with pytest.raises(Damaged, match=f"a line of {len(longer)} bytes, more than {LINE_BYTES}"):
        Chain(Scribe().header).accept(longer)


def test_text_is_escaped_as_rfc_8785_says() -> None:
    """Section 3.2.2.2: seven short escapes, the other controls as lower-case \\u00xx, all else as it is."""
    short = {"\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r", '"': '\\"', "\\": "\\\\"}
    for code in [*range(0x3000), 0xD7FF, 0xE000, 0xFEFF, 0xFFFD, 0xFFFE, 0xFFFF, 0x10000, 0x1F409, 0x10FFFF]:
        text = chr(code)
        expected = short.get(text, f"\\u{code:04x}" if code < 0x20 else text)
        assert f'"{expected}"'.encode() == canonical(text), hex(code)
    for code in (0xD800, 0xDBFF, 0xDC00, 0xDFFF):
        with pytest.raises(ValueError, match="surrogates not allowed"):
            canonical(chr(code))


def test_keys_and_numbers_are_as_rfc_8785_says() -> None:
    """Section 3.2.3 for ASCII keys, at every depth, tags of events included; whole numbers without exponent."""
    keys = ["", " ", "1", "10", "2", "A", "Z", "_", "a", "aa", "b", "z", "~"]
    value = {key: {k: None for k in reversed(keys)} for key in reversed(keys)}
    inner = "{" + ",".join(f'"{key}":null' for key in keys) + "}"
    assert ("{" + ",".join(f'"{key}":{inner}' for key in keys) + "}").encode() == canonical(value)
    assert canonical(
        [0, -1, 2**53 - 1, -(2**53) + 1, True, False]
    ) == b"[0,-1,9007199254740991,-9007199254740991,true,false]"
    step = Judge("attack", by="bo", code="hit", goal="7/2", trace=(Row(code="skill", amount=3, source="nyra"),))
    names = list(json.loads(canonical(step)))
    assert sorted(names) == names
    assert "kind" in names


@pytest.mark.parametrize(
    "event",
    [
        join(),
        Note(text="x"),
        Choose(action="a1", key="defence", occurrence=0, who="bo", value=None),
        Judge("attack", by="bo", code="hit", goal="7/2", trace=(Row(code="skill", amount=3, source="nyra"),)),
    ],
)
def test_an_event_goes_through_its_bytes_unchanged(event: Event) -> None:
    again, data = through_bytes(event)
    assert event == again
    assert canonical(again) == data == canonical(json.loads(data))


def test_a_group_is_part_of_the_digest() -> None:
    grouped = Scribe().note("x", group=Group(id="g", index=1, size=1))
    assert grouped.digest != Scribe().note("x").digest
