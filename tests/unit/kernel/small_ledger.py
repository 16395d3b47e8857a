"""A small ledger to damage, and forged ones whose hashes are right and whose content is not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec import UNSET

from affray.kernel.errors import Damaged
from affray.kernel.events import Join, Note
from affray.kernel.ledger import Chain, Commit, Envelope, Sender, canonical, header_line, sha256
from affray.kernel.testing import Scribe
from affray.kernel.values import Pool, Veil

SHEET = {"skills": {"Swords": 4, "": None, "Axes": [{"b": 1, "a": [2, "3/2"]}]}, "name": "Zoë 剣\x7f\n"}
ANN = Veil(audience=("ann", "gm"), fields=("pools", "sheet"))


def join(**fields: Any) -> Join:
    """Ann joins."""
    known: dict[str, Any] = {
        "id": "ann",
        "name": "Ann",
        "side": "a",
        "controller": "ann",
        "secret": True,
        "sheet": SHEET,
        "pools": {"hp": Pool(start=7, low=0, high=9)},
        "conditions": (),
        "player": None,
    }
    return Join(**{**known, **fields})


def ledger() -> tuple[Scribe, list[Commit]]:
    """Five commits: an open one, one with kept parts, a secret one, and a group."""
    scribe = Scribe()
    whole = Note(text="only for Bo — 秘密", veil=Veil(audience=("bo", "gm")))
    return scribe, [
        scribe.write(join(), nonce="n0nce", caller="ann"),
        scribe.write(join(veil=ANN), whole, Note(text="open")),
        scribe.note("hidden command", secret=True, caller="bo"),
        *scribe.group("g", ["eins", "zwei"]),
    ]


def read(header: bytes, lines: Sequence[bytes]) -> tuple[Chain, Damaged | None]:
    """Read until damage; the chain as far as it came, and the damage."""
    try:
        chain = Chain(header, where="f")
    except Damaged as error:
        return Chain(header_line("unread")), error
    try:
        for line in lines:
            chain.accept(line)
    except Damaged as error:
        return chain, error
    return chain, None


def accept(header: bytes, lines: Sequence[bytes]) -> list[Commit]:
    chain = Chain(header)
    return [chain.accept(line) for line in lines]


def forge(
    bodies: Sequence[bytes], parts: Sequence[bytes] = (), *, header: bytes = header_line("fight"), kept: str = ""
) -> bytes:
    """The first commit of a ledger with right seals and digest over whatever bytes."""
    sender = Sender(caller="gm", on_behalf="gm", seen=0, command="c", digest="d", part=0, time="t")
    envelope = canonical(
        Envelope(
            format=1,
            session="fight",
            first=1,
            previous=sha256(header),
            seals=tuple([sha256(body) for body in bodies]),
            nonce="",
            group=None,
            sender=None if kept else sender,
            kept=kept or UNSET,
        )
    )
    return join_line(envelope, bodies, parts)


def join_line(envelope: bytes, bodies: Sequence[bytes], parts: Sequence[bytes] = ()) -> bytes:
    """A commit's line under the digest of whatever envelope."""
    return b'{"digest":"%s","envelope":%s,"events":[%s],"kept":[%s]}' % (
        sha256(envelope).encode(),
        envelope,
        b",".join(bodies),
        b",".join(parts),
    )


def part(**content: object) -> bytes:
    """A kept part for the game master."""
    return canonical({"audience": ["gm"], "salt": "00", **content})
