"""Snapshots: the same state comes back, in the same order, and whatever is in doubt is refused with its reason."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import cache
from types import ModuleType
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from affray.kernel import (
    GM,
    KINDS,
    ApplyDamage,
    Ask,
    Change,
    Choose,
    Close,
    Condition,
    Declare,
    Done,
    Entry,
    GiveModifier,
    Held,
    InputError,
    Join,
    Leave,
    Log,
    Manifest,
    Modifier,
    Note,
    Open,
    Option,
    Order,
    Overrule,
    Pin,
    Pool,
    Reveal,
    Rewind,
    Roll,
    SetCondition,
    SetPool,
    SetStep,
    Snapshot,
    State,
    Touch,
    Turn,
    Wait,
    canonical,
    decode_snapshot,
    dice,
    encode_snapshot,
    fold_all,
    limits,
    sha256,
)
from affray.kernel import snapshot as snapshots
from affray.kernel.testing import Scribe

from ...support.table import answer_all, must, tiny_session

encoded = msgspec.json.Encoder().encode
"""Bytes that tell an order of keys from another."""


@cache
def asked() -> State:
    """A state that has something of everything: open prompts, waiting actions, conditions, sheets, somebody who left."""
    session = tiny_session(people=4)
    must(session.join("zed", side="z", sheet={"hp": 9, "init": 1}, conditions=(Held(id="odd", value="1/2", until=(9, "1/3")),)))
    must(session.declare("ann", "blow", "bob"))
    must(session.leave("cy"))
    must(session.overrule("so", SetStep(slot="x|roll.y.0", fields={"faces": [[1], [2]]})))
    must(session.declare("bob", "sweep", "dee", "ann"))
    state = session.state(reader=GM)
    assert state.prompts
    assert state.open
    return state


def snapshot(**more: Any) -> Snapshot:
    return replace(Snapshot(session="s", version=7, digest="d" * 64, public=State(), full=asked()), **more)


def test_the_state_comes_back_in_the_same_order() -> None:
    """Law 8: an order that a map holds (who joined first) is the same after a snapshot."""
    again = decode_snapshot(encode_snapshot(snapshot()), "s")
    assert again == snapshot()
    assert again.full is not None
    assert list(again.full.combatants) == ["ann", "bob", "cy", "dee", "zed"]
    assert encoded(asked()) == encoded(again.full) != canonical(asked())
    assert decode_snapshot(encode_snapshot(snapshot(full=None)), "s").full is None


def bent(change: Callable[[dict[str, Any]], object]) -> Callable[[bytes], bytes]:
    """A change of what stands in a snapshot, under a hash that fits."""

    def bend(data: bytes) -> bytes:
        stored = msgspec.json.decode(data.partition(b"\n")[2])
        change(stored)
        body = encoded(stored)
        return sha256(body).encode() + b"\n" + body

    return bend


DOUBTS: dict[str, tuple[Callable[[bytes], bytes], str]] = {
    "nothing": (lambda data: b"", "is torn"),
    "garbage": (lambda data: b"\x00\xff" * 500, "is torn"),
    "another file": (lambda data: b'{"affray":"ledger","format":1,"session":"s"}\n', "is torn"),
    "torn": (lambda data: data[:-1], "is torn"),
    "torn in the middle": (lambda data: data[: len(data) // 2], "is torn"),
    "torn within its hash": (lambda data: data[:40], "is torn"),
    "zeros at its end": (lambda data: data[:-300] + bytes(300), "is torn"),
    "glued to": (lambda data: data + b" ", "is torn"),
    "one bit": (lambda data: data[:99] + bytes([data[99] ^ 1]) + data[100:], "is torn"),
    "no snapshot": (lambda data: sha256(b"[]").encode() + b"\n[]", "cannot be read"),
    "no text": (lambda data: sha256(b"\xff").encode() + b"\n\xff", "cannot be read"),
    "deep": (lambda data: sha256(b"[" * 99_999).encode() + b"\n" + b"[" * 99_999, "cannot be read"),
    "another fold": (bent(lambda stored: stored.update(fold="0" * 64)), "was folded by another release"),
    "another shape around it": (bent(lambda stored: stored.update(more=1)), "cannot be read"),
    "a field more": (bent(lambda stored: stored["snapshot"].update(more=1)), "cannot be read"),
    "a field less": (bent(lambda stored: stored["snapshot"].pop("public")), "cannot be read"),
    "a state of an old shape": (bent(lambda stored: stored["snapshot"]["full"].update(at="now")), "cannot be read"),
    "a number with a point": (
        bent(lambda stored: stored["snapshot"]["full"]["combatants"]["ann"]["sheet"].update(hp=1.5)),
        "cannot be read",
    ),
    "another session": (bent(lambda stored: stored["snapshot"].update(session="t")), "is of session 't', not of 's'"),
}


@pytest.mark.parametrize("name", DOUBTS)
def test_a_doubtful_snapshot_is_refused_with_the_reason(name: str) -> None:
    """STORE-4 d."""
    change, problem = DOUBTS[name]
    with pytest.raises(InputError, match=problem):
        decode_snapshot(change(encode_snapshot(snapshot())), "s")


def test_a_change_that_changes_nothing_is_no_doubt() -> None:
    """So the doubts above are what was changed."""
    data = encode_snapshot(snapshot())
    assert bent(lambda stored: None)(data) == data


def test_a_snapshot_at_the_bound_and_one_past_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Law 9: a bigger one is neither made nor read."""
    data = encode_snapshot(snapshot())
    assert len(data) < limits.SNAPSHOT_BYTES
    monkeypatch.setattr(snapshots, "SNAPSHOT_BYTES", len(data))
    assert snapshot() == decode_snapshot(encode_snapshot(snapshot()), "s")
    monkeypatch.setattr(snapshots, "SNAPSHOT_BYTES", len(data) - 1)
    with pytest.raises(InputError, match=f"a snapshot of {len(data)} bytes, more than {len(data) - 1}"):
        encode_snapshot(snapshot())
    with pytest.raises(InputError, match="more than"):
        decode_snapshot(data, "s")


# -- what a fold depends on


@pytest.fixture
def fresh() -> Iterator[None]:
    """The fingerprint is made anew."""
    snapshots.fingerprint.cache_clear()
    yield
    snapshots.fingerprint.cache_clear()


def test_a_fold_of_another_number_is_another(fresh: None, monkeypatch: pytest.MonkeyPatch) -> None:
    data = encode_snapshot(snapshot())
    monkeypatch.setattr(snapshots, "FOLD", snapshots.FOLD + 1)
    snapshots.fingerprint.cache_clear()
    with pytest.raises(InputError, match="another release"):
        decode_snapshot(data, "s")


def test_the_fingerprint_is_the_same_in_every_process() -> None:
    """Law 8: it hangs on no order of a set."""
    code = "from affray.kernel.snapshot import fingerprint; print(fingerprint())"
    found = set()
    for seed in ("1", "2", "random"):
        environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), "PYTHONHASHSEED": seed}
        done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
        found.add(done.stdout.strip())
    assert found == {snapshots.fingerprint()}


def shapes(source: str) -> dict[str, Any]:
    """The shape of what is called Top in a module of this source."""
    module = ModuleType("sample")
    sys.modules["sample"] = module
    try:
        exec("from __future__ import annotations\nimport msgspec\n" + source, module.__dict__)
        return snapshots.shapes(module.Top)
    finally:
        del sys.modules["sample"]


def test_the_fingerprint_tells_shapes_apart() -> None:
    """STORE-4 d: however deep what differs stands."""
    one = """
Num = int | str
class Low(msgspec.Struct, tag='low'):
    x: Num
    y: tuple[int, ...] = ()
class Other(msgspec.Struct, tag='other'):
    z: int
class Top(msgspec.Struct):
    deep: dict[str, tuple[Low | Other, ...]]
"""
    assert shapes(one) == shapes(one + "class Apart(msgspec.Struct):\n    z: int\n")
    others = (
        one.replace("int | str", "int | None"),
        one.replace("'low'", "'low.2'"),
        one.replace("y: tuple[int", "y: tuple[str"),
        one.replace("y:", "why:"),
        one.replace("z: int", "z: int\n    w: int = 0"),
        one.replace("Low | Other", "Low"),
    )
    assert len({repr(shapes(source)) for source in (one, *others)}) == 1 + len(others)


def test_every_kind_of_event_and_every_part_of_state_is_in_the_fingerprint() -> None:
    """STORE-4 d: what is read and folded by other shapes is another state."""
    found = {name.rpartition(".")[2] for name in snapshots.shapes(State, *KINDS.values())}
    assert {kind.__name__ for kind in KINDS.values()} <= found
    assert {"Combatant", "OpenAction", "Prompt", "Entry", "Held", "Modifier", "Row", "DicePlan", "Term", "Veil", "SetStep"} <= found


FOLDED = {1: "4ce16256c0549cb312862491056e8654ec7a6d2ec57f872bd9e0fa9aabc416ad"}
"""Number of the fold -> what it makes of the events below."""


def events() -> list[Any]:
    """Events of every kind that changes state, written by hand so that nothing but the fold decides what comes of them."""
    manifest = Manifest(system=Pin(id="x", distribution="", release="1"), options={})
    pools = {"hp": Pool(start=12, low=0, high=12), "temp": Pool(start="1/2")}
    joined = [
        Join(
            id=who, name=who, side=who, controller=who, secret=False, sheet={"b": 1, "a": [2]}, pools=pools, player="",
            conditions=(Held(id="old", until=(1, 2)),),
        )
        for who in ("zoe", "bo", "al")
    ]  # fmt: skip
    return [
        Open(
            session="s", title="t", manifest=manifest, fingerprint="", dice={"*": "fair"}, undo_dice="keep", witness=False,
            chain="", kept_chain="", epochs=1, origin=None,
        ),
        *joined[:2],
        Turn(action="begin", moment="begin", who="", when=(), entry=""),
        Order("order", action="begin", entries=(Entry(key="zoe", when=(1,), who="zoe"), Entry(key="bo", when=(1, "1/2"), who="bo"))),
        Done(action="begin", code="", cause=""),
        joined[2],
        Turn(action="start:zoe.1", moment="start", who="zoe", when=(1,), entry="zoe"),
        Done(action="start:zoe.1", code="", cause=""),
        Declare(action="a1", actor="zoe", name="hit", targets=("bo",), params={}, rows=(), parent="", secret=False),
        Overrule(reason="", effect=GiveModifier(action="a1", rows=(Modifier("p", 1, "c"),))),
        Overrule(reason="", effect=SetStep(slot="a1|roll.x.0", fields={"faces": [[1]]})),
        Ask("guard", action="a1", who=("bo", "al"), options=(Option(code="yes"),)),
        Choose(action="a1", key="guard", occurrence=0, who="al", value="yes"),
        Ask("swing", action="a1", who=("zoe",), plan=dice(1, 6)),
        Roll("swing", action="a1", by="zoe", plan=dice(1, 6)),
        ApplyDamage("hit", action="a1", target="bo", pools=("hp",), value=3, touched=(Touch("hp", 12, 9),)),
        ApplyDamage("hit", action="a1", occurrence=1, target="al", pools=("temp",), value=3),
        Change("tire", action="a1", target="zoe", pool="temp", value=1, after="3/2"),
        Condition("bleed", action="a1", target="bo", id="bleeding", until=(3,), after=1),
        Condition("heal", action="a1", target="bo", id="old", code="ended"),
        Wait("swing", action="a1", when=(2,)),
        Turn(action="a1>end", moment="end", who="zoe", when=(1,), entry=""),
        Overrule(reason="", effect=SetPool(target="bo", pool="hp", value=5, before=9, after=5)),
        Overrule(reason="", effect=SetCondition(target="al", held=Held(id="blessed"))),
        Leave(id="bo"),
        Note(text="nothing"),
        Close(code="rain"),
    ]


def test_whoever_changes_what_a_fold_makes_raises_its_number() -> None:
    """STORE-4 e: else a snapshot of the old fold would be taken for the state. (A new shape of state needs no new number.)"""
    state = fold_all(enumerate(events(), 1))
    assert {snapshots.FOLD: sha256(encoded(state))} == FOLDED, "raise FOLD and write this down, or put the fold back"


# -- a line from the middle


def log_of(*events: Any) -> Log:
    log, scribe = Log(), Scribe()
    for event in events:
        log.add(scribe.write(event))
    return log


def test_the_line_behind_a_version_is_the_end_of_the_line_or_none() -> None:
    notes = [Note(text=str(number)) for number in range(1, 5)]
    log = log_of(*notes, Rewind(to=2, why="undo"), notes[0], Rewind(to=4, why="redo"), notes[1])
    for head in range(log.head + 1):
        line = log.line(head)
        versions = [0, *[version for version, _ in line]]
        for version in range(log.head + 2):
            state = log.line(version)[-1:] if version <= log.head else []
            behind = log.line_behind(version, head)
            if version in versions:
                assert behind == line[versions.index(version) :], (version, head)
            elif behind is not None:  # a rewind stands there, and makes the state of where it led
                assert type(log.events[version - 1]) is Rewind
                assert line == [*log.line(version), *behind], (version, head)
            assert state or version in (0, log.head + 1) or type(log.events[version - 1]) is Rewind
    assert log.line_behind(7) == [(8, notes[1])]
    assert log.line_behind(5) is None
    assert log.line_behind(log.head) == []


def test_what_was_revealed_since_makes_an_older_state_useless() -> None:
    session = tiny_session()
    must(session.note("psst", secret=True))
    kept = session.head
    must(session.note("one"))
    must(session.reveal(kept))
    must(session.note("two"))
    log = session._log
    assert [log.line_behind(version) is None for version in range(kept - 1, session.head + 1)] == [False, True, True, False, False]
    assert log.line_behind(kept, session.head - 2) is not None, "before it was revealed"
    assert isinstance(log.events[kept + 1], Reveal)


def test_a_log_from_the_middle_tells_what_is_behind() -> None:
    session = tiny_session()
    must(session.declare("ann", "attack", "bob"))
    answer_all(session)
    whole, start = session._log, session.head
    must(session.declare("bob", "attack", "ann"))
    must(session.undo())
    part = Log.behind(start)
    assert part.head == start
    scribe = Scribe("s")
    scribe.version = start
    for event in whole.events[start:]:
        part.add(scribe.write(event))
    assert part.head == whole.head
    assert part.line_behind(start) == whole.line_behind(start)
