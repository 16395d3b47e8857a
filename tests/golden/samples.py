"""One sample of every event kind, and `kernel/EVENTS.md` made of them.

Regenerate both with `python -m tests.golden.samples --write` from the project's root and review the diff: a change of a
sample is a change of the format.
"""

from __future__ import annotations

import inspect
import json
import re
import sys
from pathlib import Path
from typing import Any

from affray.kernel import (
    GM,
    KINDS,
    SCHEMAS,
    Held,
    Manifest,
    SetCondition,
    SetPool,
    canonical,
    commands,
    sha256,
)
from affray.sessions import Session

from ..support.table import answer_all, engine, must

ROOT = Path(__file__).parents[2]
FOLDER = Path(__file__).parent / "events"
DOCUMENT = ROOT / "kernel" / "EVENTS.md"

HEAD = """# Event kinds

Every kind that stands in a log, with its fields and a real sample. This page is generated from the code and from the
samples in `tests/golden/events` by `python -m tests.golden.samples --write`; a test compares them.

A number is an int or the text "p/q" in lowest terms. A *row* of a trace is `[code, amount, source]`, a *modifier*
`[place, amount, code, source]`, a *touch* `[pool, before, after]`. Steps (marked) have in common: `key`, `action` (the id of
the run that made it), `occurrence` (counts steps of one kind, key and person in that run from 0), `by_rules` (the house rules
that changed it). Where a kind says *may be kept*, those fields are null in the open event of somebody whose numbers are
secret, `kept` is the SHA-256 of the part that holds them, and a reader without the part knows that they are unknown.
"""


def fight() -> Session:
    """A fight of the tiny test system that records every kind."""
    session = engine(seed="samples").start("tiny", session="sample", title="Ambush at the ford")
    must(session.join("ann", "Ann", side="heroes", controller="ann", sheet={"hp": 60, "init": 9}, player="A. Player"))
    must(session.join("gob", "Goblin", side="goblins", sheet={"hp": 60, "init": 3, "temp": 2}))
    must(session.join("bob", "Bob", side="heroes", controller="bob", sheet={"hp": 60, "init": 8}))
    must(session.begin())
    must(session.declare("ann", "heal", "bob", power=3))
    must(session.note("The goblin bluffs.", secret=True))
    must(session.reveal(session.head))
    for round_ in range(12):
        state = session.state(reader=GM)
        foe = "gob" if state.turn != "gob" else "ann"
        must(session.declare(state.turn, "attack", foe, caller=GM))
        answer_all(session, round_)
    state = session.state(reader=GM)
    must(session.declare(state.turn, "sweep", "gob" if state.turn != "gob" else "bob"))
    answer_all(session)
    must(session.undo())
    must(session.redo())
    state = session.state(reader=GM)
    must(session.declare(state.turn, "curse", "gob" if state.turn != "gob" else "bob"))
    must(session.overrule("an old wound", SetPool(target="bob", pool="hp", value=9)))
    must(session.overrule("bless", SetCondition(target="ann", held=Held(id="bless"))))
    manifest = session.manifest
    must(session.request(commands.SetRules(manifest=_with_counts(manifest, 3), reason="quicker blows")))
    state = session.state(reader=GM)
    must(session.declare(state.turn, "blow", "gob" if state.turn != "gob" else "bob", secret=True))
    answer_all(session)
    state = session.state(reader=GM)
    must(session.declare(state.turn, "blow", "gob" if state.turn != "gob" else "bob"))
    answer_all(session)
    must(session.leave("bob"))
    if not session.state(reader=GM).over:
        must(session.close("truce"))
    assert session.verify().is_clean
    return session


def _with_counts(manifest: Manifest, counts: int) -> Manifest:
    return Manifest(system=manifest.system, options={"counts": counts}, house=manifest.house)


def samples() -> dict[str, dict[str, Any]]:
    """Kind -> the first event of that kind (with its kept part, if any of them has one)."""
    found: dict[str, dict[str, Any]] = {}
    for line in fight().lines:
        raw = json.loads(line)
        parts = {_hash(part): part for part in raw["kept"]}
        for event in raw["events"]:
            part = parts.get(event.get("kept"))
            old = found.get(event["kind"])
            if old is None or (part is not None and old["kept"] is None):
                found[event["kind"]] = {"event": event, "kept": part}
    return dict(sorted(found.items()))


def _hash(part: Any) -> str:
    return sha256(canonical(part))


def document(found: dict[str, dict[str, Any]]) -> str:
    """The text of EVENTS.md."""
    parts = [HEAD]
    for tag, sample in found.items():
        kind = KINDS[tag]
        text = inspect.getdoc(kind) or ""
        step = " (a step)" if "occurrence" in kind.__struct_fields__ and tag != "choose" else ""
        parts.append(f"## {tag}{step}\n\nSchema {SCHEMAS[tag.partition('.')[0]]}. {text}\n")
        if kind.KEPT:
            parts.append("May be kept: " + ", ".join(f"`{name}`" for name in kind.KEPT) + ".\n")
        parts.append(_block(sample["event"]))
        if sample["kept"] is not None:
            parts.append("Its kept part:\n\n" + _block(sample["kept"]))
    return "\n".join(parts)


def _block(value: Any) -> str:
    text = json.dumps(value, indent=2, ensure_ascii=False, sort_keys=True)
    text = re.sub(r"\[\s+([^\[\]{}]*?)\s+\]", lambda m: "[" + re.sub(r",\s+", ", ", m[1]) + "]", text)
    return f"```json\n{text}\n```\n"


def write() -> None:
    """Write the samples and the document."""
    FOLDER.mkdir(exist_ok=True)
    found = samples()
    for tag, sample in found.items():
        (FOLDER / f"{tag}.json").write_text(json.dumps(sample, indent=1, ensure_ascii=False, sort_keys=True) + "\n")
    DOCUMENT.write_text(document(found))


if __name__ == "__main__":
    if "--write" not in sys.argv:
        sys.exit("usage: python -m tests.golden.samples --write")
    write()

__all__ = ["DOCUMENT", "FOLDER", "document", "samples", "write"]
