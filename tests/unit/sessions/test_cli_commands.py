"""One command at a time to a stored session: what it appends, prints and answers, and with which code it ends."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from affray.kernel import (
    GM,
    Declare,
    GiveModifier,
    Overrule,
    Request,
    Roll,
    SetCondition,
    SetOrder,
    SetPool,
    SetStep,
    commands,
)
from affray.sessions import Catalog, Engine, Session
from affray.sessions.cli import commanding
from affray.sessions.stores.sqlite import SqliteStore

from ...support.cli import TINY, affray, document, find_plugins
from ...support.ram import ram_folder
from ...support.table import Fixed, must, tiny_session


@pytest.fixture
def home(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    with ram_folder() as folder:
        monkeypatch.setenv("AFFRAY_HOME", str(folder))
        monkeypatch.delenv("AFFRAY_DEBUG", raising=False)
        find_plugins(monkeypatch, TINY)
        yield folder


def begun(home: Path, **start: Any) -> Session:
    """A stored fight of the tiny system, session `s`."""
    store = SqliteStore(home / "sessions")
    try:
        return tiny_session(Engine(store, Catalog(), Fixed()), **start)
    finally:
        store.close()


def stored(home: Path) -> Session:
    store = SqliteStore(home / "sessions")
    try:
        return Engine(store, Catalog()).load("s")
    finally:
        store.close()


def effect(home: Path) -> Any:
    """What the newest overrule sets."""
    return next(one.event.effect for one in reversed(stored(home).history(reader=GM)) if isinstance(one.event, Overrule))


def refused(*args: str, told: str, code: str = "") -> None:
    """A refusal is one sentence, code 1, and nothing on standard output."""
    result = affray(*args)
    assert (result.exit_code, result.stdout) == (1, ""), result.output
    assert result.stderr == f"affray: {told}\n"
    if code:
        answer = document(*args, code=1)
        assert (answer["refused"]["code"], answer["refused"]["text"]) == (code, told)
        assert (answer["first"], answer["last"], answer["events"]) == (0, 0, [])


# -- one after the other


def test_a_fight_is_played_command_by_command(home: Path) -> None:
    begun(home, dice="scripted", script=(1, 1, 3, 2, 2))
    result = affray("declare", "s", "ann", "attack", "bob", "power=3", "--as", "ann", "--id", "a1")
    assert result.exit_code == 0, result.stderr
    assert result.stdout.startswith("  Ann attacks Bob.\n    Ann, attack: d20 shows 3 against 10 — hit by 7.\n")
    assert result.stdout.endswith(f"Bob is to choose, guard: dodge or stand.\ns stands at version {stored(home).head}\n")
    answer = document("answer", "s", "bob", "stand", "--as", "bob")
    assert (answer["refused"], answer["turn"], answer["prompts"], answer["caller"]) == (None, "bob", [], "bob")
    assert [one["kind"] for one in answer["events"]][:3] == ["choose", "roll", "apply-damage"]
    assert answer["last"] == answer["version"] == stored(home).head
    assert answer["digest"] == stored(home).digest
    assert affray("undo", "s").stdout.startswith("  Undo: back to version ")
    assert stored(home).state().turn == "ann"
    assert affray("redo", "s").exit_code == 0
    assert stored(home).state().turn == "bob"
    assert affray("note", "s", "They rest.").stdout.startswith("  Note: They rest.\n")
    declared = next(one.event for one in stored(home).history(reader=GM) if isinstance(one.event, Declare))
    assert (declared.action, declared.params, declared.targets) == ("a1", {"power": 3}, ("bob",))


def test_parameters_are_json_where_they_are_that(home: Path) -> None:
    begun(home)
    assert commanding.parameters(["x", "a=1", "b=x y", "c=null", 'd="7"', "e=[1,2]", "f=14.08", "g=", "h=a=b", "i=-3"]) == (
        ("x",),
        {"a": 1, "b": "x y", "c": None, "d": "7", "e": [1, 2], "f": "14.08", "g": "", "h": "a=b", "i": -3},
    )
    assert affray("declare", "s", "ann", "roll", "notation=1d4+1").exit_code == 0
    bad = affray("declare", "s", "ann", "attack", "bob", "power=strong")
    assert (bad.exit_code, bad.stdout) == (2, "")
    assert "$.params.power: Expected `int`, got `str`" in bad.stderr


def test_modifiers_are_the_game_masters_to_give(home: Path) -> None:
    begun(home)
    refused(
        "declare", "s", "ann", "attack", "bob", "--row", "attack.skill", "2", "bless", "--as", "ann",
        told="Only the game master may do that.", code="gm-only",
    )  # fmt: skip
    assert affray("declare", "s", "ann", "attack", "bob", "--row", "attack.skill", "2", "bless").exit_code == 0
    (row,) = next(one.event.rows for one in stored(home).history(reader=GM) if isinstance(one.event, Declare))
    assert (row.place, row.amount, row.code) == ("attack.skill", 2, "bless")


def test_what_is_secret_is_printed_for_whoever_may_read_it(home: Path) -> None:
    begun(home)
    assert "potion" in affray("note", "s", "a potion", "--secret").stdout
    assert "potion" not in affray("log", "s").stdout
    assert "potion" in affray("log", "s", "--for", "gm").stdout
    version = str(stored(home).head)
    assert affray("reveal", "s", version).exit_code == 0
    assert "a potion" in affray("log", "s").stdout
    refused("reveal", "s", version, told=f"What version {version} kept is open already.", code="already-revealed")
    assert affray("declare", "s", "ann", "curse", "bob", "--secret", "--as", "ann").exit_code == 0
    assert "curse" not in affray("log", "s").stdout


def test_dice_from_the_table_are_reported(home: Path) -> None:
    begun(home, begun=False, dice="reported")
    session = stored(home)
    must(session.begin())
    refused("report", "s", "ann", "7", told="These dice do not fit: the face 1 of die 1 must be a whole number from 1 to 6, got 7.", code="wrong-dice")
    assert affray("report", "s", "ann", "2").exit_code == 0
    refused("answer", "s", "bob", "2", told="Dice are asked for, not a choice.", code="dice-wanted")
    assert affray("report", "s", "bob", "2", "--as", "bob").exit_code == 0
    assert affray("declare", "s", "ann", "roll", "notation=2d6!").exit_code == 0
    answer = document("report", "s", "ann", "6+6+1", "3")
    assert answer["events"][0]["event"]["faces"] == [[6, 6, 1], [3]]
    assert answer["events"][0]["event"]["total"] == 16
    bad = affray("report", "s", "ann", "six")
    assert (bad.exit_code, bad.stdout) == (2, "")
    assert "'six' is no die; type 5, or 6+6+2" in bad.stderr
    assert affray("report", "s", "ann").exit_code == 2


def test_the_secret_of_the_dice_is_opened(home: Path) -> None:
    begun(home)
    assert "Everybody can check the open dice of epoch 1 now." in affray("reveal-dice", "s").stdout
    assert "kept dice of epoch 1" in affray("reveal-dice", "s", "kept").stdout
    assert affray("reveal-dice", "s", "closed").exit_code == 2
    refused("reveal-dice", "s", "--as", "ann", told="Only the game master may do that.", code="gm-only")


# -- the game master's word


@pytest.mark.parametrize(
    ("args", "kind", "told"),
    [
        (["pool", "target=bob", "pool=hp", "value=3"], SetPool, "Bob's hp is set from 12 to 3"),
        (["pool", "target=bob", "pool=wounds", "value=7/2"], SetPool, "Bob's wounds is set from 0 to 7/2"),
        (["condition", "target=bob", "held.id=stunned", "held.value=2"], SetCondition, "Bob: stunned 2"),
        (["condition", "target=bob", 'held={"id": "stunned"}'], SetCondition, "Bob: stunned"),
        (["order", "drop=[\"bob\"]"], SetOrder, "the clock changes: bob no longer"),
        (["order", 'entries=[{"key": "late", "when": [9], "who": "bob"}]'], SetOrder, "the clock changes: Bob"),
        (["step", "slot=x|roll.attack.ann.0", "fields.faces=[[20]]"], SetStep, "a coming step is set, roll.attack.ann.0: faces"),
    ],
)
def test_effects_are_typed(home: Path, args: list[str], kind: type, told: str) -> None:
    begun(home)
    result = affray("overrule", "s", *args, "--reason", "a trap")
    assert result.exit_code == 0, result.stderr
    assert f"The game master rules: {told} (a trap)." in result.stdout
    assert isinstance(effect(home), kind)


def test_an_open_action_is_given_a_modifier_and_closed(home: Path) -> None:
    begun(home, dice="scripted", script=(1, 1, 3, 2, 2))
    assert affray("declare", "s", "ann", "attack", "bob", "--id", "a1").exit_code == 0
    result = affray("overrule", "s", "modifier", "action=a1", 'rows=[["damage.flat", 2, "bless"]]', "--reason", "forgotten")
    assert result.exit_code == 0, result.stderr
    assert isinstance(effect(home), GiveModifier)
    assert affray("overrule", "s", "close-action", "action=a1", "code=stopped", "--reason", "enough").exit_code == 0
    assert stored(home).state().prompts == {}
    refused(
        "overrule", "s", "close-action", "action=a1", "--reason", "x",
        told="There is no such action: a1.", code="no-such-action",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (["pool", "target=bob", "pool=hp", "value=3"], "Missing option '--reason'"),
        (["luck", "target=bob", "--reason", "x"], "'luck' is not one of 'pool', 'condition'"),
        (["pool", "target=bob", "pool=hp", "val=3", "--reason", "x"], "$.val: pool has no such key; there are target, pool, value"),
        (["pool", "target=bob", "pool=hp", "before=3", "--reason", "x"], "$.before: pool has no such key"),
        (["pool", "target=bob", "value=3", "--reason", "x"], "Object missing required field `pool`"),
        (["pool", "target=7", "pool=hp", "value=3", "--reason", "x"], "$.target: Expected `str`, got `int`"),
        (["pool", "target=bob", "pool=luck", "value=3", "--reason", "x"], "$.effect.pool: no such pool (got 'bob.luck')"),
        (["pool", "target=bob", "pool=hp", "value=1.5", "--reason", "x"], "$.effect.value: not an exact number (got '1.5')"),
        (["condition", "target=bob", "held.id=x", "held.id.y=z", "--reason", "x"], "$.id: has a value already"),
        (["pool", "bob", "--reason", "x"], "'bob' is not written as KEY=VALUE"),
        (["pool", "=3", "--reason", "x"], "'=3': the parameter has no name before it"),
        (["pool", "value=3", "value=4", "--reason", "x"], "'value=4': the parameter is given twice"),
    ],
)
def test_an_effect_that_is_none_is_misuse(home: Path, args: list[str], told: str) -> None:
    before = begun(home).digest
    result = affray("overrule", "s", *args)
    assert (result.exit_code, result.stdout) == (2, ""), result.stderr
    assert told in result.stderr
    assert result.stderr.count("\n") == 1
    assert stored(home).digest == before


# -- refusals and misuse


def test_refusals_are_one_sentence_and_code_1(home: Path) -> None:
    begun(home)
    before = stored(home).digest
    refused("declare", "s", "bob", "attack", "ann", told="It is not Bob's turn.", code="not-your-turn")
    refused("declare", "s", "ann", "attack", "bob", "power=12", told="Too much power (12).", code="too-much-power")
    refused("declare", "s", "ann", "end-turn", "--as", "bob", told="That is for somebody else to do.", code="not-yours")
    refused("answer", "s", "bob", "dodge", told="Bob is not asked.", code="not-asked")
    refused("answer", "s", "zed", "dodge", told="Nobody in this fight has the id zed.", code="no-such-combatant")
    refused("undo", "s", "zzz", told="There is no such action: zzz.", code="no-such-action")
    refused("redo", "s", told="There is no undo to go back on.", code="nothing-to-redo")
    refused("reveal", "s", "999", told="There is no version 999.", code="no-such-version")
    assert stored(home).digest == before


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (["undo", "nope"], "no session 'nope' in"),
        (["undo", "./s.affray"], "SESSION: only a stored session can be played on"),
        (["undo", "s", "--as", "a b"], "$.caller: a caller must be"),
        (["undo", "s", "--as", "public"], "$.caller: nobody is the public"),
        (["undo", "s", "--id", "a|b"], "$.id: a command's id must be"),
        (["undo", "s", "--nonce", "x"], "the game master sends none; say whose it is with --as"),
        (["undo", "s", "--seen", "x"], "Invalid value for '--seen'"),
        (["reveal", "s", "0"], "Invalid value for 'VERSION'"),
        (["note", "s"], "Missing argument 'TEXT'"),
        (["declare", "s", "ann"], "Missing argument 'ACTION'"),
    ],
)
def test_misuse_is_one_sentence_and_code_2(home: Path, args: list[str], told: str) -> None:
    before = begun(home).digest
    result = affray(*args)
    assert (result.exit_code, result.stdout) == (2, ""), result.output
    assert told in result.stderr
    assert result.stderr.count("\n") == 1
    assert stored(home).digest == before


def test_rules_that_are_gone_are_told(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    begun(home)
    find_plugins(monkeypatch)
    result = affray("declare", "s", "ann", "end-turn")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == "affray: plugin 'tiny': is not installed; there are none ('affray plugins' lists what is)\n"
    assert affray("note", "s", "it can still be written in").exit_code == 0
    assert affray("undo", "s").exit_code == 0


# -- again


@pytest.mark.parametrize(
    "args",
    [
        ["declare", "s", "ann", "attack", "bob", "--as", "ann"],
        ["note", "s", "hello"],
        ["overrule", "s", "pool", "target=bob", "pool=hp", "value=3", "--reason", "x"],
        ["undo", "s"],
        ["reveal-dice", "s"],
    ],
)
def test_a_command_sent_again_is_answered_and_not_done_again(home: Path, args: list[str]) -> None:
    begun(home)
    first = document(*args, "--id", "mine")
    head = stored(home).head, stored(home).digest
    again = document(*args, "--id", "mine")
    assert (first["repeated"], again["repeated"]) == (False, True)
    assert {**first, "repeated": True} == again
    assert (stored(home).head, stored(home).digest) == head
    assert affray(*args, "--id", "mine").stdout.endswith(f"s stands at version {head[0]}, as it was answered before\n")


def test_an_answer_sent_again_answers_the_same_prompt(home: Path) -> None:
    begun(home, dice="scripted", script=(1, 1, 3, 2, 2, 3, 2, 2))
    assert affray("declare", "s", "ann", "attack", "bob").exit_code == 0
    first = document("answer", "s", "bob", "stand", "--id", "mine", "--as", "bob")
    assert affray("declare", "s", "bob", "attack", "ann").exit_code == 0
    assert affray("answer", "s", "ann", "stand").exit_code == 0
    assert affray("declare", "s", "ann", "end-turn").exit_code == 0
    again = document("answer", "s", "bob", "stand", "--id", "mine", "--as", "bob")
    assert (again["repeated"], again["first"], again["last"]) == (True, first["first"], first["last"])
    told = "The command id mine was used for something else before."
    refused("answer", "s", "bob", "dodge", "--id", "mine", "--as", "bob", told=told, code="command-id-used")
    assert affray("note", "s", "x", "--id", "other").exit_code == 0
    refused("answer", "s", "bob", "dodge", "--id", "other", told=told.replace("mine", "other"), code="command-id-used")
    rolls = [one.event.key for one in stored(home).history(reader=GM) if isinstance(one.event, Roll)]
    assert rolls.count("damage") == 2


def test_a_report_sent_again_reports_the_same_dice(home: Path) -> None:
    begun(home, begun=False, dice="reported")
    must(stored(home).begin())
    first = document("report", "s", "ann", "2", "--id", "mine")
    assert affray("report", "s", "bob", "3").exit_code == 0
    again = document("report", "s", "ann", "2", "--id", "mine")
    assert (again["repeated"], again["first"]) == (True, first["first"])
    refused("report", "s", "ann", "3", "--id", "mine", told="The command id mine was used for something else before.", code="command-id-used")


def test_prompts_are_told_apart_by_their_keys(home: Path) -> None:
    begun(home, people=3)
    assert affray("declare", "s", "ann", "sweep", "bob", "cy", "--id", "a1").exit_code == 0
    assert affray("answer", "s", "cy", "stand", "--key", "sweep").exit_code == 0
    refused("answer", "s", "bob", "stand", "--key", "guard", told="Bob is not asked.", code="not-asked")
    refused("answer", "s", "bob", "jump", told="jump is not among the answers; there are duck and stand.", code="no-such-option")
    refused("answer", "s", "bob", "duck", "--slot", "x|y", told="Nothing of that name is asked: x|y.", code="no-such-prompt")
    assert affray("answer", "s", "bob", "duck", "--slot", "a1|ask.sweep.0").exit_code == 0


def test_what_was_seen_and_whose_nonce_it_is_stands_in_the_log(home: Path) -> None:
    begun(home)
    assert affray("note", "s", "x", "--as", "ann", "--seen", "3", "--nonce", "red apples", "--id", "n1").exit_code == 0
    session = stored(home)
    assert b'"nonce":"red apples"' in session.lines[-1]
    sender = session.history(session.head - 1, reader=GM)[0].sender
    assert sender is not None
    assert (sender.caller, sender.seen, sender.command) == ("ann", 3, "n1")


def test_a_command_that_came_second_is_decided_again(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    begun(home)
    other, do = stored(home), Session.do
    head = other.head

    def slow(session: Session, request: Any) -> Any:
        if other.head == head:
            do(other, Request(id="first", command=commands.Note(text="I was here first")))
        return do(session, request)

    monkeypatch.setattr(Session, "do", slow)
    assert affray("declare", "s", "ann", "end-turn").exit_code == 0
    session = stored(home)
    assert (session.state().turn, session.verify().is_clean) == ("bob", True)
