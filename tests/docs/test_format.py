"""sessions/FORMAT.md: its vectors are what the library writes, and what anybody computes who has read the page."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from hashlib import sha256
from typing import Any

import msgspec
import pytest

from affray.kernel import Envelope, Header, Sender, limits

from ..golden.format_vectors import BEGIN, DOCUMENT, END, block, stored, vectors

TEXT = DOCUMENT.read_text("utf-8")

VECTORS: list[dict[str, Any]] = json.loads(stored().split("```json\n")[1].split("\n```")[0])
"""As they stand on the page."""


# -- computed again from the page alone: nothing of the library is used down to the next line of dashes


def canonical(value: Any) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode("utf-8")


def digest(data: bytes) -> str:
    return sha256(data).hexdigest()


def header(session: str) -> dict[str, Any]:
    line = canonical({"affray": "ledger", "format": 1, "session": session})
    return {"line": line.decode(), "digest": digest(line)}


def canonical_bytes(value: Any) -> dict[str, Any]:
    data = canonical(value)
    return {"bytes": data.hex(), "sha256": digest(data)}


def seal(event: dict[str, Any]) -> dict[str, Any]:
    data = canonical(event)
    return {"bytes": data.decode(), "seal": digest(data)}


def kept_field(event: dict[str, Any], audience: list[str], fields: list[str], salt: str) -> dict[str, Any]:
    part = canonical({"audience": audience, "fields": {name: event[name] for name in fields}, "salt": salt})
    shown = canonical({**event, **dict.fromkeys(fields), "kept": digest(part)})
    return {"kept": digest(part), "event": shown.decode(), "seal": digest(shown), "part": part.decode()}


def kept_whole(event: dict[str, Any], audience: list[str], salt: str) -> dict[str, Any]:
    part = canonical({"audience": audience, "event": event, "salt": salt})
    shown = canonical({"kind": "sealed", "kept": digest(part)})
    return {"kept": digest(part), "event": shown.decode(), "seal": digest(shown), "part": part.decode()}


def commit(events: list[dict[str, Any]], **given: Any) -> dict[str, Any]:
    seals = [digest(canonical(event)) for event in events]
    envelope = canonical({**given, "format": 1, "group": None, "seals": seals})
    whole = {"digest": digest(envelope), "envelope": json.loads(envelope), "events": events, "kept": []}
    return {"envelope": envelope.decode(), "digest": digest(envelope), "line": digest(canonical(whole))}


def chain(seed: str, length: int, epochs: list[int]) -> dict[str, Any]:
    secrets = {length: bytes.fromhex(seed)}
    for epoch in range(length, 0, -1):
        secrets[epoch - 1] = sha256(secrets[epoch]).digest()
    return {"secrets": {str(epoch): secrets[epoch].hex() for epoch in epochs}}


def nonces(nonces: list[str]) -> dict[str, Any]:
    digests = [""]
    for nonce in nonces:
        digests.append(digest(canonical([digests[-1], nonce])))
    return {"digests": digests[1:]}


def slots(numbers: dict[str, int], rolls: list[dict[str, Any]]) -> dict[str, Any]:
    return {"slots": [slot(numbers, **roll) for roll in rolls]}


def slot(numbers: dict[str, int], action: str, key: str, by: str, occurrence: int) -> str:
    def numbered(piece: list[str], place: int) -> str:
        people = "+".join(str(numbers[who]) for who in piece[place].split("+"))
        return ".".join([*piece[:place], people, *piece[place + 1 :]])

    pieces = [piece.split(".") for piece in action.split(">")[1:]]
    found: list[str] = []
    for index, piece in enumerate(pieces):
        was_followed = index + 1 < len(pieces) and len(pieces[index + 1]) == 1
        if was_followed and len(piece) == 4:
            found.append(numbered(piece, 2))
        elif not was_followed and len(piece) == 3:
            found.append(numbered(piece, 1))
        else:
            found.append(".".join(piece))
    own = f"roll.{key}.{numbers[by]}.{occurrence}" if by else f"roll.{key}.{occurrence}"
    return ">".join(found) + "|" + own


def faces(dice: int, links: int, **given: Any) -> dict[str, Any]:
    inputs = [given[name] for name in ("secret", "session", "epoch", "nonces", "run", "slot")]

    def number(die: int, link: int, block: int) -> int:
        return int.from_bytes(sha256(canonical([*inputs, die, link, block])).digest()[:8], "big")

    def face(die: int, link: int, sides: int) -> int:
        block = 0
        while number(die, link, block) >= 2**64 - 2**64 % sides:
            block += 1
        return number(die, link, block) % sides + 1

    return {
        "hashed": canonical([*inputs, 0, 0, 0]).decode(),
        "numbers of blocks 0 to 2": [str(number(0, 0, block)) for block in range(3)],
        "first number thrown away": {str(sides): str(2**64 - 2**64 % sides) for sides in (6, 20, 100, 1_000_000)},
        "faces": {
            f"d{sides}": [[face(die, link, sides) for link in range(links)] for die in range(dice)]
            for sides in (6, 20, 100)
        },
    }


COMPUTED: list[Callable[..., dict[str, Any]]] = [
    header,
    canonical_bytes,
    seal,
    kept_field,
    kept_whole,
    commit,
    chain,
    nonces,
    slots,
    faces,
]


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["name"])
def test_a_vector_is_what_a_stranger_computes(vector: dict[str, Any]) -> None:
    assert COMPUTED[vector["vector"] - 1](**vector["input"]) == vector["output"]


# -- what the library says


@pytest.mark.parametrize("vector", vectors(), ids=lambda vector: vector["name"])
def test_a_vector_is_what_the_library_writes(vector: dict[str, Any]) -> None:
    assert json.loads(json.dumps(vector)) == VECTORS[vector["vector"] - 1]


def test_there_are_ten_vectors_and_the_page_is_as_generated() -> None:
    assert [vector["vector"] for vector in VECTORS] == list(range(1, 11))
    assert block() == stored()
    assert (TEXT.count(BEGIN), TEXT.count(END)) == (1, 1)


def fields_after(heading: str) -> list[str]:
    """The fields that the first table after a line names, in its order."""
    table = TEXT[TEXT.index(heading) :].split("|---|---|\n")[1].split("\n\n")[0]
    return re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE)


@pytest.mark.parametrize(
    ("heading", "kind"), [("## Header", Header), ("The envelope is what", Envelope), ("The sender:", Sender)]
)
def test_the_tables_name_every_field(heading: str, kind: type[msgspec.Struct]) -> None:
    assert list(kind.__struct_fields__) == fields_after(heading)


def test_the_tables_name_every_field_of_a_commit_and_a_part() -> None:
    assert fields_after("A commit is the object") == ["digest", "envelope", "events", "kept"]
    assert fields_after("## Kept parts") == ["audience", "salt", "fields", "event", "sender"]


@pytest.mark.parametrize(
    ("sentence", "bound"),
    [
        ("A line has at most {} bytes", limits.LINE_BYTES),
        ("a commit at most {} events", limits.EVENTS_PER_COMMIT),
        ("n = {} (`epochs` in `open`)", limits.DICE_EPOCHS),
        ("A die has at most {} sides", limits.DIE_SIDES),
        ("1 to {} ASCII letters", limits.ID_LENGTH),
    ],
)
def test_the_bounds_are_those_of_the_kernel(sentence: str, bound: int) -> None:
    assert sentence.format(bound) in " ".join(TEXT.split())


def test_a_block_is_thrown_away_less_than_once_in_ten_to_the_thirteenth() -> None:
    """Why no vector shows it: trillions of hashes would be needed to find one."""
    most = max(2**64 % sides for sides in range(1, limits.DIE_SIDES + 1))

    assert most * 10**13 < 2**64
