"""What a chain refuses to read though every hash is right: a writer may have lied."""

from __future__ import annotations

from typing import Any

import pytest

from affray.kernel import (
    Chain,
    Damaged,
    Group,
    Note,
    Reveal,
    UnknownKind,
    Veil,
    canonical,
    header_line,
    sha256,
)
from affray.kernel.log import Log
from affray.kernel.testing import Scribe

from .small_ledger import forge, join, ledger, part, read

HEADER = header_line("fight")


def damage_of(*bodies: Any, parts: tuple[bytes, ...] = ()) -> Damaged:
    _, damage = read(HEADER, [forge([body if isinstance(body, bytes) else canonical(body) for body in bodies], parts)])
    assert damage is not None
    return damage


@pytest.mark.parametrize(
    ("sheet", "problem"),
    [
        ({"hp": 2**53}, "beyond 2^53"),
        ({"hp": -(2**53)}, "beyond 2^53"),
        ({"größe": 1}, "ASCII"),
        ({"a": [{"b": {"ü": 1}}]}, "ASCII"),
    ],
)
def test_free_json_is_read_under_the_rule_of_the_door(sheet: dict[str, Any], problem: str) -> None:
    """Law 7: what may not come in may not be read either."""
    assert problem in damage_of(join(sheet=sheet, player="")).problem


def test_numbers_at_the_bound_are_read() -> None:
    _, damage = read(HEADER, [forge([canonical(join(sheet={"hp": 2**53 - 1, "low": 1 - 2**53}, player=""))])])
    assert damage is None


@pytest.mark.parametrize("body", [b"{}", b'{"kind":9}', b'{"kind":"Note"}', b'{"kind":"a b"}', b"[]", b'"note"', b"1"])
def test_what_is_no_event_is_damage_and_not_an_unknown_kind(body: bytes) -> None:
    assert type(damage_of(body)) is Damaged


@pytest.mark.parametrize("kind", ["heal", "heal.9", "note.2", "apply-damage.3"])
def test_an_unknown_kind_or_schema_is_named(kind: str) -> None:
    damage = damage_of({"kind": kind})
    assert type(damage) is UnknownKind
    assert kind in damage.problem


def test_an_open_event_may_not_say_itself_who_may_read_it() -> None:
    veil = {"audience": ["gm"], "fields": ["text"]}
    assert "who may read it" in damage_of({"kind": "note", "text": "x", "veil": veil}).problem
    assert "who may read it" in damage_of({"kind": "sealed"}).problem


def test_kept_parts_stand_in_the_order_of_their_events() -> None:
    parts = [part(fields={"text": "a"}), part(fields={"text": "b"})]
    bodies = [canonical(Note(text=None, kept=sha256(data))) for data in parts]
    assert read(HEADER, [forge(bodies, parts)])[1] is None
    assert "out of order" in damage_of(*bodies, parts=tuple(reversed(parts))).problem
    assert read(HEADER, [forge(bodies, parts[1:])])[1] is None, "a reader may lack the first"


def test_half_a_group_in_the_middle_is_damage() -> None:
    scribe = Scribe("fight")
    first = scribe.note("one", group=Group(id="g", index=1, size=2), command="a")
    other = scribe.note("two", command="b")
    chain, damage = read(scribe.header, [first.line, other.line])
    assert damage is not None
    assert "out of place in its group" in damage.problem
    assert chain.version == 1


def test_a_later_format_is_unknown_even_with_more_in_its_header() -> None:
    with pytest.raises(UnknownKind, match="format 2"):
        Chain(b'{"affray":"ledger","format":2,"more":{},"session":"fight"}')


def test_a_reveal_must_open_what_its_event_keeps() -> None:
    hidden = Note(text="secret", veil=Veil(audience=("gm",), fields=("text",)))
    for text, version in (("not the part", 1), ("", 1), ("x", 2)):
        scribe = Scribe("fight")
        log = Log()
        log.add(scribe.write(hidden))
        with pytest.raises(Damaged, match="does not reveal"):
            log.add(scribe.write(Reveal(version=version, part=text)))


def test_the_small_ledger_itself_reads() -> None:
    scribe, commits = ledger()
    assert read(scribe.header, [commit.line for commit in commits])[1] is None
