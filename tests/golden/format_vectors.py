"""The ten test vectors of sessions/FORMAT.md, made by the library.

Regenerate them with `python -m tests.golden.format_vectors --write` from the project's root and review the diff: a changed
vector is a changed format. `tests/docs/test_format.py` computes every output again from its input without the library.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from hashlib import sha256 as hash_of
from pathlib import Path
from typing import Any

from affray.kernel import (
    GM,
    Commit,
    Declare,
    Note,
    Roll,
    Sender,
    canonical,
    chain_secret,
    dice,
    face_source,
    header_line,
    limits,
    next_nonce_digest,
    sha256,
    slot_within,
    write_commit,
)
from affray.kernel.values import Veil

DOCUMENT = Path(__file__).parents[2] / "sessions" / "FORMAT.md"
BEGIN = "<!-- vectors: made by tests/golden/format_vectors.py -->"
END = "<!-- end of the vectors -->"

SALT = "000102030405060708090a0b0c0d0e0f"
SEED = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
NONCES = ("ann's first", "Ödön's – zweite 🗡")
PEOPLE = {"bob": 1, "ann": 2, "attack": 3, "0": 4}
DICE = (6, 20, 100)
SENDER = Sender(
    caller="ann", on_behalf="", seen=1, command="n1", digest="ab" * 32, part=0, time="2026-01-01T00:00:00.000Z"
)

VALUE = {
    "text": "\x00\b\t\n\x0b\f\r\x1f\"\\/\x7f é\u2028🗡",
    "Zeta": [2**53 - 1, -(2**53 - 1), 0, "-7/3"],
    "a": {"b": {}, "B": [], "_": None, "1": True},
}

SLOTS = [
    ("a7", "attack", "ann", 0),
    ("a7", "tie", "", 2),
    ("start:bob.3>grit", "grit", "bob", 0),
    ("a7>counter.ann.0", "attack", "ann", 1),
    ("a7>strike.ann+bob.1>counter.0", "attack", "bob", 0),
    ("a7>judge.attack.ann.0>fumble-table", "fumble", "ann", 0),
    ("a7>judge.attack.0>fumble-table>counter.attack.0", "attack", "attack", 0),
    ("attack>attack.0.0", "0", "0", 0),
]


def vectors() -> list[dict[str, Any]]:
    """The vectors: name, input, output."""
    made = [_header(), _canonical(), _seal(), _part(), _sealed(), _commit(), _chain(), _nonces(), _slots(), _faces()]
    return [{"vector": number, **vector} for number, vector in enumerate(made, 1)]


def _vector(name: str, given: dict[str, Any], output: dict[str, Any]) -> dict[str, Any]:
    return {"name": name, "input": given, "output": output}


def _header() -> dict[str, Any]:
    line = header_line("duel")
    return _vector("header line", {"session": "duel"}, {"line": line.decode(), "digest": sha256(line)})


def _canonical() -> dict[str, Any]:
    data = canonical(VALUE)
    return _vector("canonical bytes", {"value": VALUE}, {"bytes": data.hex(), "sha256": sha256(data)})


def _written(event: Any) -> Commit:
    return write_commit(
        session="duel",
        first=2,
        previous=sha256(header_line("duel")),
        events=[(event, None)],
        sender=SENDER,
        salt=lambda: SALT,
        nonce=NONCES[0],
    )


def _pieces(event: Any) -> tuple[str, dict[str, Any]]:
    """The hash of an event's kept part, and what stands in the line."""
    line = json.loads(_written(event).line)
    return line["events"][0].get("kept", ""), {
        "event": canonical(line["events"][0]).decode(),
        "seal": line["envelope"]["seals"][0],
        "part": canonical(line["kept"][0]).decode() if line["kept"] else "",
    }


NOTE = Note(text="Bo lächelt.")
DECLARE = Declare(
    action="a7", actor="ann", name="hide", targets=(), params={"dc": 12}, rows=(), parent="", secret=True
)


def _seal() -> dict[str, Any]:
    _, found = _pieces(NOTE)
    output = {"bytes": found["event"], "seal": found["seal"]}
    return _vector("an event and its seal", {"event": json.loads(canonical(NOTE))}, output)


def _part() -> dict[str, Any]:
    veil = Veil(audience=("ann", GM), fields=("text",))
    event = Note(text=NOTE.text, veil=veil)
    kept, found = _pieces(event)
    given = {"event": json.loads(canonical(NOTE)), "audience": veil.audience, "fields": veil.fields, "salt": SALT}
    return _vector("an event with a kept field", given, {"kept": kept, **found})


def _sealed() -> dict[str, Any]:
    kept, found = _pieces(Declare(**_fields(DECLARE), veil=Veil(audience=("ann", GM))))
    given = {"event": json.loads(canonical(DECLARE)), "audience": ["ann", GM], "salt": SALT}
    return _vector("an event that is kept as a whole", given, {"kept": kept, **found})


def _fields(event: Any) -> dict[str, Any]:
    return {name: getattr(event, name) for name in event.__struct_fields__ if name not in ("veil", "kept")}


def _commit() -> dict[str, Any]:
    line = _written(NOTE).line
    commit = json.loads(line)
    given = {
        "session": "duel",
        "first": 2,
        "previous": sha256(header_line("duel")),
        "events": commit["events"],
        "nonce": NONCES[0],
        "sender": commit["envelope"]["sender"],
    }
    output = {"envelope": canonical(commit["envelope"]).decode(), "digest": commit["digest"], "line": sha256(line)}
    return _vector("a commit", given, output)


def _chain() -> dict[str, Any]:
    length = limits.DICE_EPOCHS
    secrets = {str(epoch): chain_secret(bytes.fromhex(SEED), length, epoch).hex() for epoch in (0, 1, 2, length)}
    return _vector("a dice chain", {"seed": SEED, "length": length, "epochs": [0, 1, 2, length]}, {"secrets": secrets})


def _digests() -> Iterator[str]:
    digest = ""
    for nonce in NONCES:
        digest = next_nonce_digest(digest, nonce)
        yield digest


def _nonces() -> dict[str, Any]:
    return _vector("players' nonces", {"nonces": list(NONCES)}, {"digests": list(_digests())})


def _slots() -> dict[str, Any]:
    given = [{"action": a, "key": key, "by": by, "occurrence": n} for a, key, by, n in SLOTS]
    found = [
        slot_within(Roll(key, action=a, by=by, occurrence=n, plan=dice(1, 6)), PEOPLE) for a, key, by, n in SLOTS
    ]
    return _vector("slots within their run", {"numbers": PEOPLE, "rolls": given}, {"slots": found})


def _faces() -> dict[str, Any]:
    secret = chain_secret(bytes.fromhex(SEED), limits.DICE_EPOCHS, 1)
    nonces = list(_digests())[-1]
    slot = "counter.2.0|roll.attack.2.0"
    face = face_source(secret, "duel", 1, nonces, 3, slot)
    blocks = [canonical([secret.hex(), "duel", 1, nonces, 3, slot, 0, 0, block]) for block in range(3)]
    output = {
        "hashed": blocks[0].decode(),
        "numbers of blocks 0 to 2": [str(_number(data)) for data in blocks],
        "first number thrown away": {str(sides): str(2**64 - 2**64 % sides) for sides in (*DICE, limits.DIE_SIDES)},
        "faces": {
            f"d{sides}": [[face(die, link, sides) for link in range(3)] for die in range(4)] for sides in DICE
        },
    }
    given = {"secret": secret.hex(), "session": "duel", "epoch": 1, "nonces": nonces, "run": 3, "slot": slot}
    return _vector("faces: four dice, three links each", {**given, "dice": 4, "links": 3}, output)


def _number(data: bytes) -> int:
    return int.from_bytes(hash_of(data).digest()[:8], "big")


def block() -> str:
    """The part of the document that holds the vectors."""
    return f"{BEGIN}\n\n```json\n{_text(vectors())}\n```\n\n{END}"


def _text(value: Any, indent: str = "") -> str:
    """JSON in ASCII; what is short, or holds nothing, stands on one line."""
    short = json.dumps(value)
    if len(indent) + len(short) <= 118 or not isinstance(value, dict | list | tuple):
        return short
    inner = indent + " "
    if isinstance(value, dict):
        rows = [f"{json.dumps(key)}: {_text(below, inner)}" for key, below in value.items()]
    else:
        rows = [_text(below, inner) for below in value]
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    return f"{opening}\n{inner}" + f",\n{inner}".join(rows) + f"\n{indent}{closing}"


def stored() -> str:
    """That part as the document has it."""
    text = DOCUMENT.read_text("utf-8")
    return text[text.index(BEGIN) : text.index(END) + len(END)]


def write() -> None:
    """Put the vectors into the document."""
    DOCUMENT.write_text(DOCUMENT.read_text("utf-8").replace(stored(), block()), "utf-8")


if __name__ == "__main__":
    if "--write" not in sys.argv[1:]:
        sys.exit("usage: python -m tests.golden.format_vectors --write")
    write()
