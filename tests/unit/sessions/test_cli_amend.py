"""`affray amend`: what is typed, what a plan tells, what is stored, and the sentences for what cannot be."""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest

from affray.kernel import (
    GM,
    ApplyDamage,
    Ask,
    Choose,
    Declare,
    GiveModifier,
    InputError,
    Join,
    Judge,
    Modifier,
    Note,
    Overrule,
    Roll,
    SetCondition,
    SetPool,
    SetStep,
    Turn,
    commands,
    slot,
)
from affray.sessions import Catalog, Engine, Session
from affray.sessions.cli.edits import Typed, edits_of
from affray.sessions.stores.sqlite import SqliteStore

from ...support.amends import Plain, find, hp, line, stands
from ...support.cli import affray, document, find_plugins
from ...support.ram import ram_folder
from ...support.table import Fixed, answer_all, must, tiny_session

PLAIN = EntryPoint("tiny", f"{Plain.__module__}:Plain", "affray.systems")

SCRIPT = (1, 1, 3, 1, 2, 4, 1, 1, 5, 2, 1)
"""Initiative; Ann hits for 3, Bob for 2, Ann for 3; nobody dodges."""


@pytest.fixture
def home(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    with ram_folder() as folder:
        monkeypatch.setenv("AFFRAY_HOME", str(folder))
        monkeypatch.delenv("AFFRAY_DEBUG", raising=False)
        find_plugins(monkeypatch, PLAIN)
        yield folder


def fight(home: Path, **start: Any) -> Session:
    """A stored fight: two attacks of Ann's, one of Bob's."""
    store = SqliteStore(home / "sessions")
    try:
        session = tiny_session(Engine(store, Catalog(), Fixed()), dice="scripted-then-fair", script=SCRIPT, **start)
        for who, whom, name in (("ann", "bob", "a1"), ("bob", "ann", "b1"), ("ann", "bob", "a2")):
            must(session.declare(who, "attack", whom, id=name))
            answer_all(session, 1)
        return session
    finally:
        store.close()


def stored(home: Path) -> Session:
    store = SqliteStore(home / "sessions")
    try:
        return Engine(store, Catalog()).load("s")
    finally:
        store.close()


def refused(*args: str | Path, told: str, code: int = 1) -> None:
    """One sentence, nothing on standard output, nothing stored."""
    result = affray("amend", "s", *args)
    assert (result.exit_code, result.stdout) == (code, ""), result.output
    assert told in result.stderr
    assert result.stderr.startswith("affray: ")
    assert result.stderr.count("\n") == 1


# -- planning and storing


def test_a_plan_tells_before_and_after_and_stores_nothing(home: Path) -> None:
    session = fight(home)
    at, _ = find(session, ApplyDamage, action="a1")
    result = affray("amend", "s", "--at", str(at), "--no-hit")
    assert result.exit_code == 0, result.stderr
    assert result.stdout == (
        f"Back to version {find(session, Ask, action='a1')[0]}; 5 of 5 commands since done again, 1 new.\n"
        "Comes out otherwise:\n"
        f"  version {at}: Bob takes 3 damage to hp: 3 = 1 + 2 (2d4); hp 12 → 9.\n"
        "    → Bob takes 0 damage to hp: 0 = 1 + 2 (2d4) - 3 (overrule) (by overrule).\n"
        f"  version {find(session, ApplyDamage, action='a2')[0]}: Bob takes 3 damage to hp: 3 = 2 + 1 (2d4); hp 9 → 6.\n"
        "    → Bob takes 3 damage to hp: 3 = 2 + 1 (2d4); hp 12 → 9.\n"
        "How the fight stands then:\n"
        "  Bob's hp: 6 → 9\n"
        "Nothing is stored yet: --apply --reason TEXT does it.\n"
    )
    assert stands(session) == stands(stored(home))


def test_what_was_planned_is_stored_once_however_often_it_is_sent(home: Path) -> None:
    session = fight(home)
    at = str(find(session, Declare, action="a1")[0])
    args = ("amend", "s", "--at", at, "--modifier", "damage.flat=1:bless", "--reason", "She had it.", "--apply", "--id", "m1")
    result = affray(*args)
    assert result.exit_code == 0, result.stderr
    assert "  Bob's hp: 6 → 5\n" in result.stdout
    assert result.stdout.endswith(f"s stands at version {stored(home).head}\n")
    again = affray(*args)
    assert again.stdout == f"s stands at version {stored(home).head}, as it was answered before\n"
    assert 5 == hp(stored(home))
    answer = document(*args)
    assert (answer["repeated"], answer["refused"], answer["command"]) == (True, None, "m1")
    assert [one["kind"] for one in answer["events"]][:3] == ["rewind", "overrule", "declare"]
    assert affray("undo", "s").exit_code == 0
    assert 6 == hp(stored(home))


def test_nothing_changed_is_told_as_that(home: Path) -> None:
    session = fight(home)
    result = affray("amend", "s", "--at", "2")
    assert result.stdout.endswith("Nothing comes out otherwise.\nNothing is stored yet: --apply --reason TEXT does it.\n")
    assert result.exit_code == 0
    assert session.head == stored(home).head


def test_an_amend_that_stops_says_why_and_what_goes_on(home: Path) -> None:
    session = fight(home)
    at = str(find(session, Choose, action="a1")[0])
    plan = affray("amend", "s", "--at", at, "--drop").stdout
    assert "Not done again:\n  version" in plan
    assert "It stops there: Bob has to answer, and the record has nothing for it (guard).\n  Possible answers: dodge or stand.\n" in plan
    assert "  4 commands of the record are still to come.\n" in plan
    assert "  An answer can be given along: --supply 'a1|ask.guard.0' bob CODE\n" in plan
    done = affray("amend", "s", "--at", at, "--drop", "--reason", "x", "--apply").stdout
    assert "  Next: affray answer s bob VALUE\n  Then: affray amend s --continue --apply\n" in done
    refused("--continue", "--apply", told="First Bob has to answer.")
    for reader in ("public", "bob", "gm"):  # what is left is kept from all but one of them
        result = affray("log", "s", "--for", reader)
        assert (result.exit_code, "Left of the amend" in result.stdout) == (0, reader == "gm"), result.stderr
    assert affray("answer", "s", "bob", "stand").exit_code == 0
    plan = affray("amend", "s", "--continue").stdout
    assert plan.startswith(f"Goes on from version {stored(home).head}; 4 of 4 commands since done again.\n")
    assert affray("amend", "s", "--continue", "--apply").exit_code == 0
    assert (6, 10) == (hp(stored(home)), hp(stored(home), "ann"))
    refused("--continue", "--apply", told="There is no amend that stopped and could go on.")
    assert "clean" in affray("verify", "s").stdout


def test_an_answer_given_along_does_it_at_once(home: Path) -> None:
    session = fight(home)
    at = str(find(session, Choose, action="a1")[0])
    result = affray("amend", "s", "--at", at, "--drop", "--supply", "a1|ask.guard.0", "bob", "stand", "--reason", "x", "--apply")
    assert result.exit_code == 0, result.stderr
    assert "It stops" not in result.stdout
    assert 6 == hp(stored(home))


def test_dice_that_nobody_has_thrown_are_thrown_when_it_is_stored(home: Path) -> None:
    session = fight(home)
    at = str(find(session, Ask, action="a1")[0])
    plan = affray("amend", "s", "--at", at, "--answer", "dodge").stdout
    assert "It stops there: dice are needed that nobody has thrown (dodge, Bob).\n" in plan
    assert "  Only --apply throws them.\n" in plan
    done = affray("amend", "s", "--at", at, "--answer", "dodge", "--reason", "x", "--apply").stdout
    assert "1 roll needed dice that nobody had thrown: dodge.\n" in done


def test_a_missing_turn_and_missing_dice_from_the_table_are_told(home: Path) -> None:
    session = fight(home)
    done = affray("amend", "s", "--at", str(find(session, Declare, action="a1")[0]), "--drop", "--reason", "x", "--apply").stdout
    assert "It stops there: it is Ann's turn, and the record has nothing done in it.\n" in done
    assert "  Next: affray declare s ann ACTION\n" in done
    refused("--continue", "--apply", told="First Ann has to act.")


def test_long_plans_are_cut_unless_all_is_asked_for(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("affray.sessions.views.amended.SHOWN", 1)
    session = fight(home)
    args = ("amend", "s", "--at", str(find(session, Choose, action="a1")[0]), "--drop")
    short = affray(*args).stdout
    assert "more (--all)\n" in short
    everything = affray(*args, "--all").stdout
    assert "more (--all)" not in everything
    assert everything.count("\n") > short.count("\n")


def test_the_document_of_a_plan(home: Path) -> None:
    session = fight(home)
    printed = document("amend", "s", "--at", str(find(session, ApplyDamage, action="a1")[0]), "--no-hit")
    plan = printed["plan"]
    assert (printed["session"], printed["version"], printed["refused"]) == ("s", session.head, None)
    assert ["overrule", "choose"] == [one["kind"] for one in plan["events"]][:2]
    assert {"where": "bob.hp", "before": 6, "after": 9} in plan["differences"]
    assert (plan["changed"][0]["before"]["value"], plan["changed"][0]["after"]["value"]) == (3, 0)
    printed = document("amend", "s", "--at", "1", "--drop", code=1)
    assert (printed["refused"]["code"], printed["plan"]) == ("not-amendable", None)


# -- what is typed


def typed(session: Session, **words: Any) -> tuple[commands.Edit, ...]:
    return edits_of(Typed(**words), [one.event for one in session.history(reader=GM)])


def test_what_is_typed_becomes_edits(home: Path) -> None:
    session = fight(home)
    declared, damage = find(session, Declare, action="a1")[0], find(session, ApplyDamage, action="a1")
    roll, judged = find(session, Roll, key="damage", action="a1"), find(session, Judge, action="a1")
    word = commands.Word
    rows = (Modifier("damage.flat", 2, "bless"), Modifier("attack.skill", "1/2", "amend"))
    cases: list[tuple[dict[str, Any], commands.Edit]] = [
        ({"at": roll[0], "modifiers": ("damage.flat=2:bless", "attack.skill=1/2")}, word(at=roll[0], effect=GiveModifier(action="a1", rows=rows))),
        ({"at": roll[0], "faces": "3 4; 1"}, word(at=roll[0], effect=SetStep(slot=slot(roll[1]), fields={"faces": [[3, 4], [1]]}))),
        ({"at": damage[0], "no_hit": True}, word(at=damage[0], effect=SetStep(slot=slot(damage[1]), fields={"value": 0}))),
        ({"at": damage[0], "value": "7"}, word(at=damage[0], effect=SetStep(slot=slot(damage[1]), fields={"value": 7}))),
        ({"at": judged[0], "fields": ('code="miss"', "goal=3")}, word(at=judged[0], effect=SetStep(slot=slot(judged[1]), fields={"code": "miss", "goal": 3}))),
        ({"at": declared, "pools": ("bob.hp=3",), "after": True}, word(at=declared, effect=SetPool(target="bob", pool="hp", value=3), after=True)),
        ({"at": declared, "ended": ("bob=bleeding",)}, word(at=declared, effect=SetCondition(target="bob", ended="bleeding"))),
        ({"at": declared, "drop": True}, commands.Drop(at=declared)),
        ({"at": roll[0], "targets": ("bob", "cy")}, commands.Redeclare(at=declared, targets=("bob", "cy"))),
        ({"at": roll[0], "params": ("power=2",)}, commands.Redeclare(at=declared, params={"power": 2})),
        ({"at": 2, "sheet": ("hp=30",)}, commands.Resheet(at=2, sheet={"hp": 30, "init": 9})),
        ({"at": find(session, Ask, action="b1")[0], "answer": "dodge"}, commands.Reanswer(at=find(session, Choose, action="b1")[0], value="dodge")),
        ({"supplies": (("x|ask.y.0", "bob", "z"),)}, commands.Supply(slot="x|ask.y.0", who="bob", value="z")),
    ]
    for words, wanted in cases:
        assert (wanted,) == typed(session, **words), words
    (blessed,) = typed(session, at=declared, conditions=("bob=shaken:2",))
    assert isinstance(blessed, commands.Word)
    assert isinstance(blessed.effect, SetCondition)
    assert blessed.effect.held is not None
    assert ("shaken", 2) == (blessed.effect.held.id, blessed.effect.held.value)


def test_a_modifier_goes_to_the_innermost_action_or_moment(home: Path) -> None:
    session = fight(home)
    start = find(session, Turn, action="start:bob.1")[0]
    (given,) = typed(session, at=start + 1, modifiers=("damage.flat=1",))
    assert isinstance(given, commands.Word)
    assert isinstance(given.effect, GiveModifier)
    assert "start:bob.1" == given.effect.action


def test_sheets_are_changed_deep_inside(home: Path) -> None:
    session = fight(home)
    events = [one.event for one in session.history(reader=GM)]
    joined = events[1]
    events[1] = Join(
        **{name: getattr(joined, name) for name in joined.__struct_fields__ if name not in ("sheet", "veil", "kept")},
        sheet={"skills": {"a": 1}, "weapons": [{"key": "x"}, {"key": "y"}]},
    )
    (edit,) = edits_of(Typed(at=2, sheet=("skills.a=2", "skills.b=3", "weapons.1.key=z")), events)
    assert edit == commands.Resheet(at=2, sheet={"skills": {"a": 2, "b": 3}, "weapons": [{"key": "x"}, {"key": "z"}]})
    with pytest.raises(InputError, match="leads nowhere"):
        edits_of(Typed(at=2, sheet=("weapons.7.key=z",)), events)


def test_edits_come_from_a_file_too(home: Path, tmp_path: Path) -> None:
    session = fight(home)
    path = tmp_path / "edits.json"
    at = [find(session, Declare, action=name)[0] for name in ("a1", "a2")]
    effect = {"set": "modifier", "action": "a2", "rows": [["damage.flat", 1, "bless"]]}
    path.write_text(json.dumps([{"edit": "overrule", "at": at[1], "effect": effect}]))
    result = affray("amend", "s", "--edits", path, "--at", str(at[0]), "--modifier", "damage.flat=-1", "--reason", "x", "--apply")
    assert result.exit_code == 0, result.stderr
    assert 6 == hp(stored(home))
    assert [1, -1] == [e.effect.rows[0].amount for _, e in reversed(line(stored(home))) if isinstance(e, Overrule) and isinstance(e.effect, GiveModifier)]
    path.write_text('[{"edit": "drop"}]')
    refused("--edits", path, told=f"{path}: $[0]: Object missing required field `at`", code=2)
    path.write_text("[")
    refused("--edits", path, told="a list of edits is wanted", code=2)
    refused("--edits", tmp_path / "none", told="No such file", code=2)


def test_a_reason_stands_in_the_log(home: Path) -> None:
    session = fight(home)
    at = str(find(session, Choose, action="a1")[0])
    affray("amend", "s", "--at", at, "--answer", "dodge", "--reason", "She said dodge.", "--apply")
    assert "She said dodge." in [event.text for _, event in line(stored(home)) if isinstance(event, Note)]


# -- what cannot be


def test_versions_that_cannot_be_named_are_told(home: Path) -> None:
    session = fight(home)
    refused("--at", "999", "--drop", told=f"--at: no such version; the log ends at {session.head} (got 999)", code=2)
    refused("--at", "1", "--drop", told="What version 1 holds belongs to the log itself and cannot be amended.")
    at = find(session, Declare, action="a2")[0]
    affray("undo", "s")
    refused("--at", str(at), "--drop", told=f"Version {at} does not count any more: it was undone, or done again since. 'affray log SESSION' lists what counts.")


@pytest.mark.parametrize(
    ("kind", "words", "told"),
    [
        (Roll, ("--no-hit",), "is a roll; name the version of damage that is applied"),
        (Roll, ("--value", "3"), "is a roll; name the version of a step that has a value"),
        (ApplyDamage, ("--faces", "3"), "is an apply-damage; name the version of a roll"),
        (Declare, ("--set", "value=3"), "is a declare; name the version of a step of an action"),
        (Join, ("--modifier", "damage.flat=1"), "is a join; name the version of something that belongs to an action"),
        (Join, ("--target", "bob"), "is a join; name the version of something that belongs to a declared action"),
        (Roll, ("--sheet", "hp=3"), "is a roll; name the version of a combatant's joining"),
        (Declare, ("--answer", "x"), "$.edits[0].at: the command there is no answer, it opens with a declare"),
        (Roll, ("--faces", "x"), "--faces: must be numbers, a ';' between dice"),
        (Roll, ("--modifier", "damage.flat"), "--modifier: must be written PLACE=AMOUNT or PLACE=AMOUNT:CODE"),
        (Roll, ("--modifier", "nowhere=1"), "no such place; there are attack.skill, damage.flat"),
        (Roll, ("--pool", "bob=3"), "--pool: must be written WHO.POOL=N"),
        (Roll, ("--pool", "bob.mana=3"), "no such pool"),
        (ApplyDamage, ("--value", "true"), "--value: must be a number, or p/q"),
    ],
)
def test_words_that_do_not_fit_are_told(home: Path, kind: type, words: tuple[str, ...], told: str) -> None:
    session = fight(home)
    refused("--at", str(find(session, kind)[0]), *words, told=told, code=2)
    assert session.head == stored(home).head


def test_half_a_command_line_is_misuse(home: Path) -> None:
    fight(home)
    refused("--drop", told="say where with --at VERSION", code=2)
    refused(told="say what is to be otherwise", code=2)
    refused("--at", "5", "--drop", "--apply", told="say why with --reason TEXT", code=2)
    refused("--at", "5", "--drop", "--as", "ann", told="Only the game master may do that.")
    assert affray("amend", "elsewhere.affray", "--at", "2").exit_code == 2


def test_what_the_rules_refuse_is_told_by_them(home: Path) -> None:
    session = fight(home)
    at = str(find(session, Declare, action="a1")[0])
    refused("--at", at, "--target", "ann", told="Ann cannot be a target of that.")
    refused("--at", at, "--param", "power=99", told="Too much power (99).")
    roll = str(find(session, Roll, key="damage", action="a1")[0])
    refused("--at", roll, "--faces", "9;9", told="That cannot be carried out, at a1|ask.guard.0: the face 1 of die 1 must be a whole number from 1 to 4, got 9.")


def test_an_undo_that_needs_an_amend_names_it(home: Path) -> None:
    session = fight(home)
    at = find(session, Declare, action="a1")[0]
    result = affray("undo", "s", "a1")
    assert result.exit_code == 1
    assert f"'affray amend SESSION --at {at} --drop' tells what the fight is without it." in result.stderr
    assert affray("amend", "s", "--at", str(at), "--drop").exit_code == 0


def test_dice_that_may_not_be_taken_back(home: Path) -> None:
    session = fight(home, undo_dice="forbid")
    refused("--at", str(find(session, Declare, action="a2")[0]), "--drop", told="Dice were thrown since, and this table does not take them back.")
