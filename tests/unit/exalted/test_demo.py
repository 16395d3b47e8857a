"""`affray demo exalted`: the worked attack of the rules page (exalted.md, 3.6), then on until the fight is over."""

from __future__ import annotations

import re
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest

from affray.kernel import GM, ApplyDamage, Ask, Declare, Defend, Judge, Roll, Save, Turn
from affray.sessions import Engine, MemoryStore, Session
from affray.sessions.cli.demo import find_demo
from affray.sessions.encounter import run_encounter

from ...golden.exalted_vectors import read_back
from ...support.cli import affray, document, find_plugins
from ...support.table import Fixed
from .table import catalog

EXALTED = EntryPoint("exalted", "affray.plugins.exalted:make", "affray.systems")


def played() -> Session:
    _, encounter = find_demo("exalted")
    return run_encounter(Engine(MemoryStore(), catalog(), Fixed("demo")), encounter)


def of_tick(session: Session, tick: int) -> list[Any]:
    """The events from the turn of this tick to the next one."""
    events = [recorded.event for recorded in session.history(reader=GM)]
    turns = [index for index, event in enumerate(events) if isinstance(event, Turn) and event.moment == "start"]
    first = next(index for index in turns if events[index].when[0] == tick)
    return events[first : next((index for index in turns if index > first), len(events))]


def found(events: list[Any], kind: type[Any], key: str = "") -> list[Any]:
    return [event for event in events if isinstance(event, kind) and (not key or event.key == key)]


def test_the_numbers_of_the_page() -> None:
    """A 4, B 4, C 4, X 4; raw 10, Y 6 over an L of 4, so E 8 and DV 8; 11 successes leave 3; raw 8, pool 5, 3 levels."""
    attack = of_tick(played(), 1)
    (guard,) = found(attack, Defend)
    steps = {"A": "4", "B": "4", "C": "4", "D": "4", "E_raw": "10", "Y": "6", "L": "4", "capped": True, "E": "8", "F": "8", "dv": 8}
    assert {name: value for name, value in read_back(guard.trace).items() if name in steps} == steps
    assert [(row.code, row.amount) for row in guard.trace if row.code[0] == "A"] == [
        ("A-dexterity", 2),
        ("A-ability", 2),
        ("A-essence", 1),
        ("A-mobility", -1),
        ("A-wound", "-1/2"),
        ("A-stunt", "1/2"),
    ]
    assert {row.code: row.amount for row in guard.trace if row.code[0] == "C"} == {"C-action": -1, "C-shield": 1}
    (swing,) = found(attack, Roll, "attack")
    (verdict,) = found(attack, Judge, "attack")
    assert (swing.total, swing.botch, verdict.code, verdict.margin) == (11, False, "hit", 3)
    (judged,) = found(attack, Judge, "damage")
    assert (judged.code, judged.margin, judged.goal) == ("through", 8, 5)
    assert {row.code: row.amount for row in judged.trace} == {"strength": 2, "weapon": 3, "successes": 3, "stamina": -1, "armor": -2}
    (damage,) = found(attack, Roll, "damage")
    (hit,) = found(attack, ApplyDamage)
    assert ([face for (face,) in damage.faces], hit.value) == ([10, 8, 7, 6, 2], 3)
    assert [(touch.before, touch.after) for touch in hit.touched] == [(2, 5)]
    assert [(save.name, save.code) for save in found(attack, Save)] == [("knockdown", "passed")], "3 levels stun nobody"


def test_both_defences_were_compared_before_one_was_taken() -> None:
    defence, support = found(of_tick(played(), 1), Ask)[:2]
    assert [(option.code, option.value) for option in defence.options] == [("dodge", 4), ("parry-short-sword", 3)]
    assert [(option.code, option.value) for option in support.options] == [("ready", 4), ("charm-wind-dance", 8)]


def test_the_wounds_count_half_a_point_more_in_the_next_defence() -> None:
    before, after = (found(of_tick(played(), tick), Defend)[0].trace for tick in (1, 6))
    assert [row.amount for trace in (before, after) for row in trace if row.code == "A-wound"] == ["-1/2", -1]


def test_dice_are_thrown_again_and_a_charm_after_the_roll_turns_a_hit_into_a_miss() -> None:
    attack = of_tick(played(), 5)
    assert [(roll.key, roll.total) for roll in found(attack, Roll)] == [("attack", 1), ("attack-reroll", 5)]
    assert [guard.value for guard in found(attack, Defend)] == [4, 6]
    assert [(verdict.code, verdict.margin) for verdict in found(attack, Judge)] == [("hit", 1), ("miss", -1)]


def test_a_flurry_meets_a_charm_after_the_roll_and_a_counterattack() -> None:
    flurry = of_tick(played(), 6)
    names = [(event.name, event.actor, event.action.count(">")) for event in found(flurry, Declare)]
    assert names == [("flurry", "kadir", 0), ("attack", "kadir", 1), ("attack", "kadir", 1), ("attack", "ines", 2)]
    assert [len(roll.faces) for roll in found(flurry, Roll, "attack")] == [8, 7, 4]
    assert [guard.value for guard in found(flurry, Defend)] == [3, 5, 2, 3]
    assert [hit.value for hit in found(flurry, ApplyDamage)] == [2]


def test_every_face_of_the_script_is_thrown_and_the_fight_is_fought_to_its_end() -> None:
    session = played()
    _, encounter = find_demo("exalted")
    rolls = [recorded.event for recorded in session.history(reader=GM) if isinstance(recorded.event, Roll)]
    scripted = [face for roll in rolls if roll.source == "scripted" for chain in roll.faces or () for face in chain]
    assert scripted == list(encounter.faces)
    assert [roll.source for roll in rolls if roll.source != "scripted"], "then fair dice"
    assert str(session.state(reader=GM).over).startswith("won-by-")
    assert session.verify().is_clean


def test_it_is_told_at_the_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AFFRAY_HOME", str(tmp_path))
    find_plugins(monkeypatch, EXALTED)
    result = affray("demo", "exalted")
    assert result.exit_code == 0, result.stderr
    for needle in (
        "shows 10, 10, 10, 9, 9, 8, 7, 7, 4, 1 = 11 successes",
        "Ines defends with a Defense Value of 8 (8 = 2 (A dexterity)",
        "It hits: 3 more than the 8 it takes.",
        "5 dice of damage get through",
        "shows 10, 8, 7, 6, 2 = 3 successes",
        "Ines suffers 3 lethal damage",
        "Kadir answers the blow with charm patient guard.",
        "Ines strikes back with charm riposte/short sword.",
        "The fight is over: ",
        ": clean; ",
    ):
        assert needle in result.stdout, needle
    assert not re.search(r"\{\w+\}|None", result.stdout)
    assert document("demo", "exalted")["over"]
