"""Whatever comes from outside and cannot be read: refused with its path, and nothing is appended (STORE-3, law 7)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from affray.kernel import (
    GiveModifier,
    Held,
    InputError,
    Modifier,
    Request,
    SetCondition,
    SetPool,
    SetStep,
    check_json,
    check_text,
    commands,
)
from affray.kernel.commands import check_request
from affray.sessions import JsonlStore, MemoryStore, Session, Store

from ...support.loose import Loose
from ...support.table import engine, must, tiny_catalog, tiny_session


@pytest.fixture(params=["memory", "jsonl"])
def session(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Session]:
    store: Store = MemoryStore() if request.param == "memory" else JsonlStore(tmp_path)
    made = engine(store, tiny_catalog(Loose)).start("tiny", session="s")
    for who in ("ann", "bob"):
        must(made.join(who, side=who, controller=who, sheet={}))
    must(made.begin())
    yield made
    store.close()


def nested(depth: int) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = [value]
    return value


BAD: dict[str, tuple[Any, str]] = {
    "a float": (1.5, ""),
    "a whole float": (1.0, ""),
    "minus zero": (-0.0, ""),
    "no number": (float("nan"), ""),
    "infinity": (float("inf"), ""),
    "2^53": (2**53, ""),
    "-2^53": (-(2**53), ""),
    "2^63": (2**63, ""),
    "2^64": (2**64, ""),
    "a long integer": (10**5000, ""),
    "half a character": ("\ud83d", ""),
    "bytes": (b"x", ""),
    "a set": ({1}, ""),
    "an object": (object(), ""),
    "a float below": ({"a": [1, {"b": 0.1 + 0.2}]}, ".a[1].b"),
    "half a character below": ({"a": ["\ud800"]}, ".a[0]"),
    "a key beyond ASCII": ({"é": 1}, ""),
    "a key of half a character": ({"a": {"\ud800": 1}}, ".a"),
    "a key that is a number": ({1: 1}, ""),
    "too deep": (nested(40), "[0]" * 31),
    "far too deep": (nested(100_000), "[0]" * 20),
    "too long a text": ("x" * 10_001, ""),
}  # fmt: skip

GOOD: list[Any] = [
    None, True, 0, 2**53 - 1, -(2**53) + 1, "14.08", "NaN", "1e999", "17480000000001000003", "9007199254740993", "é\U0001f600\x00",
    "", [], {}, {"": 1}, [None, [True, {"a b": "1/2"}]], nested(30), "x" * 10_000, [0] * 19_000,
]  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_a_value_that_the_log_cannot_hold_is_refused_wherever_it_is_sent(name: str, session: Session) -> None:
    """STORE-3: at the door, with the JSON path, on both stores, and nothing stored."""
    value, below = BAD[name]
    before = (session.head, session.digest, session.lines)
    attempts: dict[str, Callable[[], object]] = {
        "$.sheet.more": lambda: session.join("z", side="z", sheet={"more": value}),
        "$.params.more": lambda: session.declare(session.state().turn, "say", more=value),
        "$.effect.fields": lambda: session.overrule("so", SetStep(slot="a|judge.x.ann.0", fields={"goal": value})),
        "$.options.more": lambda: engine(catalog=tiny_catalog(Loose)).start("tiny", options={"more": value}),
    }
    for path, attempt in attempts.items():
        with pytest.raises(InputError) as error:
            attempt()
        wanted = path + below
        assert error.value.path.startswith((wanted, "$.effect.fields" if "effect" in path else wanted)), error.value
        assert len(str(error.value)) < 500
    assert before == (session.head, session.digest, session.lines)
    must(session.note("still here"))


@pytest.mark.parametrize("value", GOOD, ids=lambda v: repr(v)[:20])
def test_a_value_that_the_log_can_hold_comes_back_as_it_was(value: Any, session: Session) -> None:
    """A decimal stays the text that was typed, a long id keeps every digit."""
    must(session.join("z", side="z", sheet={"more": value}))
    assert session.state(reader="gm").combatants["z"].sheet == {"more": value}
    must(session.declare(session.state().turn, "say", more=value))
    again = engine(session._store, tiny_catalog(Loose), seed="x").load("s")
    assert again.state(reader="gm").combatants["z"].sheet == {"more": value}
    assert again.verify().is_clean


def test_both_stores_keep_the_same_bytes_of_odd_values(tmp_path: Path) -> None:
    """AUD-1: keys in odd order, empty and nested ones, null beside nothing; one canonical form, one hash."""
    odd = {"z": 1, "": {"b": None, "a": [{"y": 2, "x": "é"}, {}]}, "A": True, "10": 10, "9": 9}
    file = JsonlStore(tmp_path)
    heads = []
    for store in (MemoryStore(), file):
        made = engine(store, tiny_catalog(Loose)).start("tiny", session="s", options={"more": odd})
        must(made.join("ann", side="a", sheet={"more": odd}, secret=False))
        heads.append((made.digest, made.lines))
        assert made.verify((made.head, made.digest)).is_clean
    assert heads[0] == heads[1]
    file.close()


NAMED = ["a\ud800", "x" * 201, 5, None, b"x"]


@pytest.mark.parametrize("value", [*NAMED, ""])
def test_names(value: Any, session: Session) -> None:
    head = session.head
    with pytest.raises(InputError) as error:
        session.do(Request(id="q", command=commands.Join(id="z", name=value, side="z", sheet={})))
    assert (error.value.path, head) == ("$.name", session.head)


@pytest.mark.parametrize("value", ["", "\ud800", "x" * 10_001, 5, None])
def test_notes_and_reasons(value: Any, session: Session) -> None:
    head = session.head
    with pytest.raises(InputError) as error:
        session.note(value)
    assert error.value.path == "$.text"
    with pytest.raises(InputError) as error:
        session.overrule(value, SetPool(target="ann", pool="hp", value=1))
    assert (error.value.path, head) == ("$.reason", session.head)


@pytest.mark.parametrize("field", ["on_behalf", "nonce"])
@pytest.mark.parametrize("value", ["\ud800", "x" * 201, 5])
def test_who_and_nonce(field: str, value: Any, session: Session) -> None:
    request = Request(**{"id": "q", "caller": "ann", "command": commands.Note(text="hm"), field: value})
    with pytest.raises(InputError, match=rf"^\$\.{field}: "):
        session.do(request)


ODD: dict[str, tuple[Any, str]] = {
    "pool at a float": (commands.Join(id="z", name="Z", side="z", sheet={}, pools={"hp": 1.5}), "$.pools"),  # type: ignore[dict-item]
    "pool at a truth": (commands.Join(id="z", name="Z", side="z", sheet={}, pools={"hp": True}), "$.pools"),
    "pool at a decimal": (commands.Join(id="z", name="Z", side="z", sheet={}, pools={"hp": "1.5"}), "$.pools.hp"),
    "an unknown pool": (commands.Join(id="z", name="Z", side="z", sheet={}, pools={"mana": 1}), "$.pools.mana"),
    "a sheet that is no object": (commands.Join(id="z", name="Z", side="z", sheet=[1]), "$.sheet"),  # type: ignore[arg-type]
    "an unfit sheet": (commands.Join(id="z", name="Z", side="z", sheet={"hp": "much"}), "$.sheet.hp"),
    "an odd side": (commands.Join(id="z", name="Z", side="a b", sheet={}), "$.side"),
    "an odd id": (commands.Join(id="a.b", name="Z", side="z", sheet={}), "$.id"),
    "an odd controller": (commands.Join(id="z", name="Z", side="z", controller="a~b", sheet={}), "$.controller"),
    "a condition until never": (
        commands.Join(id="z", name="Z", side="z", sheet={}, conditions=(Held(id="c", until=("soon",)),)), "$.conditions[0].until",
    ),
    "a condition until the past": (
        commands.Join(id="z", name="Z", side="z", sheet={}, conditions=(Held(id="c"), Held(id="d", until=(0,)))), "$.conditions[1].until",
    ),
    "a condition at a decimal": (
        commands.Join(id="z", name="Z", side="z", sheet={}, conditions=(Held(id="c", value="1.5"),)), "$.conditions[0].value",
    ),
    "a condition's row nowhere": (
        commands.Join(id="z", name="Z", side="z", sheet={}, conditions=(Held(id="c", rows=(Modifier("no", 1, "x"),)),)), "$.conditions[0].rows[0]",
    ),
    "a secret that is no truth": (commands.Note(text="x", secret="yes"), "$.secret"),  # type: ignore[arg-type]
    "targets that are no ids": (commands.Declare(actor="ann", name="say", targets=(5,)), "$.targets[0]"),  # type: ignore[arg-type]
    "an action there is not": (commands.Declare(actor="ann", name="fly"), "$.name"),
    "a row nowhere": (commands.Declare(actor="ann", name="say", rows=(Modifier("no", 1, "x"),)), "$.rows[0]"),
    "a row of no number": (commands.Declare(actor="ann", name="say", rows=(Modifier("attack.skill", "1.5", "x"),)), "$.rows[0]"),
    "a row of a float": (commands.Declare(actor="ann", name="say", rows=(Modifier("attack.skill", 1.5, "x"),)), "$.rows[0]"),  # type: ignore[arg-type]
    "a row without a code": (commands.Declare(actor="ann", name="say", rows=(Modifier("attack.skill", 1, ""),)), "$.rows[0]"),
    "a pool set to a float": (commands.Overrule(reason="so", effect=SetPool(target="ann", pool="hp", value=0.5)), "$.effect.value"),  # type: ignore[arg-type]
    "a pool set to a decimal": (commands.Overrule(reason="so", effect=SetPool(target="ann", pool="hp", value="14.08")), "$.effect.value"),
    "a row given nowhere": (
        commands.Overrule(reason="so", effect=SetCondition(target="ann", held=Held(id="c", rows=(Modifier("no", 1, "x"),)))), "$.effect.held.rows[0]",
    ),
    "no effect": (commands.Overrule(reason="so", effect=None), "$.effect"),  # type: ignore[arg-type]
    "an odd ending": (commands.Close(code="a b"), "$.code"),
    "a version that is no number": (commands.Reveal(version="3"), "$.version"),  # type: ignore[arg-type]
    "no command": (5, "$"),
    "a command's name": ("note", "$"),
}  # fmt: skip


@pytest.mark.parametrize("name", ODD)
def test_a_command_that_is_not_what_it_should_be(name: str, session: Session) -> None:
    command, path = ODD[name]
    before = (session.head, session.digest)
    with pytest.raises(InputError) as error:
        session.do(Request(id="q", command=command))
    assert error.value.path.startswith(path), error.value
    assert before == (session.head, session.digest)


def test_a_good_request_is_checked_and_left_alone() -> None:
    row = Modifier("attack.skill", "1/2", "x")
    check_request(Request(id="q", command=commands.Declare(actor="ann", name="say", rows=(row,))))
    check_request(Request(id="q", command=commands.Overrule(reason="x", effect=GiveModifier(action="a", rows=(row,))), seen=3))


def test_text() -> None:
    assert check_text("é\U0001f600", "$") == "é\U0001f600"
    assert check_text("", "$", empty=True) == ""
    with pytest.raises(InputError, match=r"^\$\.x: has 3 characters, more than 2$"):
        check_text("abc", "$.x", most=2)


def test_json_paths_tell_where() -> None:
    with pytest.raises(InputError) as error:
        check_json({"skills": {"Swords": [1, 2.5]}}, "$.sheet")
    assert (error.value.path, error.value.value) == ("$.sheet.skills.Swords[1]", 2.5)
    assert "write it as text" in error.value.problem


def test_a_caller_may_change_what_was_sent_afterwards() -> None:
    """What was decided is a copy: nobody reaches into the fight through a dict that is still held outside."""
    session = tiny_session(begun=False)
    sheet = {"hp": 5}
    must(session.do(Request(id="q", command=commands.Join(id="z", name="Z", side="z", sheet=sheet, secret=False))))
    sheet["hp"] = 500
    assert session.state().combatants["z"].sheet == {"hp": 5}
    must(session.begin())
    assert session.verify().is_clean
