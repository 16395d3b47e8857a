"""`affray demo primer`: the source's own example of the nine steps, and the fight around it to its end."""

from __future__ import annotations

from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from affray.kernel import GM, ApplyDamage, Defend, Done, Judge, Roll, Save
from affray.sessions import Engine, MemoryStore, Session
from affray.sessions.cli.demo import find_demo
from affray.sessions.encounter import run_encounter

from ...support.cli import affray, find_plugins
from ...support.table import Fixed
from .table import catalog

PRIMER = EntryPoint("primer", "affray.plugins.primer:make", "affray.systems")


def played() -> Session:
    _, encounter = find_demo("primer")
    return run_encounter(Engine(MemoryStore(), catalog(), Fixed("demo")), encounter)


def test_the_demo_is_found_by_the_systems_name() -> None:
    stem, encounter = find_demo("primer")
    assert (stem, encounter.system, encounter.bundle) == ("primer", "primer", "sample-pack")


def test_it_shows_the_worked_example_of_the_source() -> None:
    """primer.md, 2.1: BD 20, armour 8, soft 8, PAB 3, level 6, 10.2 taken."""
    events = [recorded.event for recorded in played().history(reader=GM)]
    attack, base = (next(e for e in events if isinstance(e, Judge) and e.key == key) for key in ("attack", "base-damage"))
    armor, pab = (next(e for e in events if isinstance(e, Defend) and e.key == key) for key in ("armor", "absorption"))
    hit = next(event for event in events if isinstance(event, ApplyDamage))
    assert (base.goal, base.code, attack.margin, armor.value, pab.value) == (20, "crushing", 6, 8, 3)
    assert (hit.target, hit.value) == ("mara", "51/5")


def test_it_goes_on_with_shocks_and_pending_actions_to_an_unconscious_loser() -> None:
    session = played()
    events = [recorded.event for recorded in session.history(reader=GM)]
    state = session.state(reader=GM)
    assert state.over == "won-by-mara"
    assert "unconscious" in state.combatants["odo"].conditions
    assert [event.code for event in events if isinstance(event, Save) and event.name == "SYS"] == [
        "no-effect",
        "stunned",
        "unconscious",
    ]
    assert [event.code for event in events if isinstance(event, Done) and event.cause] == ["unconscious"]
    _, encounter = find_demo("primer")
    assert len(encounter.faces) == sum(len(event.faces or ()) for event in events if isinstance(event, Roll))
    assert session.verify().is_clean


def test_the_command_tells_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AFFRAY_HOME", str(tmp_path))
    find_plugins(monkeypatch, PRIMER)
    result = affray("demo", "primer")
    assert result.exit_code == 0, result.stderr
    for line in (
        "Odo reacts at once: 2d6 shows 1, 2 = 3, initiative -329/400",
        "Base damage 20, crushing (20 = 5 + 6 (2d6) + 4 (weapon) + 5 (rank)).",
        "Mara takes 51/5 crushing damage: 51/5 = 20 (rolled) - 8 (armor) - 8 (PAB soft) + 8 (success level) - 2 (PAB) + 1/5 (bleed)",
        "Odo is stunned until 68.",
        "Odo cannot go on with it: unconscious.",
        "The fight is over: Mara wins.",
        "clean; 143 events in 13 commits",
    ):
        assert line in result.stdout
    assert "{" not in result.stdout
