"""`affray play` at a terminal: a whole duel with everything that people do while they play."""

from __future__ import annotations

import sys
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from affray.kernel import Declare
from affray.plugins.nyra import make
from affray.sessions import Catalog, Engine, Session
from affray.sessions.cli.table.room import SCREEN_ASIDE, SCREEN_BACK
from affray.sessions.stores.sqlite import SqliteStore

from ...support.cli import environment
from ...support.ram import ram_folder
from ...support.terminal import CTRL_D, Terminal, at_terminal
from .test_cli_processes import RUN

DUEL = """
system = "nyra"
title = "To the end"
dice = "scripted"
faces = [
    3, 9, 3, 1, 1, 1,  # a strike that is taken back: hit, no defence, left arm
    3, 2, 5, 6, 6,     # the same again, and to the end: hit, chest
]

[[combatants]]
id = "ada"
name = "Ada"
side = "red"
controller = "kim"
sheet = { STR = 7, AGI = 6, CON = 7, sequence = 5, skills = { Swords = 7 }, weapons = [{ key = "sword", base = "short-sword" }] }

[[combatants]]
id = "bram"
name = "Bram"
side = "blue"
controller = "bram"
sheet = { STR = 7, AGI = 6, CON = 1, sequence = 4, skills = { Swords = 7, Defense = 5 }, weapons = [{ key = "sword", base = "short-sword" }] }
"""


@pytest.fixture
def home() -> Iterator[Path]:
    with ram_folder() as folder:
        (folder / "duel.toml").write_text(DUEL)
        yield folder / "home"


@contextmanager
def play(home: Path, *args: str, **env: str) -> Generator[Terminal, None, None]:
    told = environment(home, **{"TERM": "dumb", **env})
    with at_terminal([sys.executable, "-c", RUN, "play", *args], told) as terminal:
        yield terminal


def stored(home: Path, name: str = "duel") -> Session:
    store = SqliteStore(home / "sessions")
    try:
        return Engine(store, Catalog(systems={"nyra": make}, points=())).load(name)
    finally:
        store.close()


def test_a_duel_is_played_to_its_end_with_all_that_happens_on_the_way(home: Path) -> None:
    with play(home, str(home.parent / "duel.toml"), "--session", "duel") as table:
        table.expect("What does Ada do?")
        table.expect("Ada (kim)> ")
        table.type("strkie bram")
        table.expect("'strkie' is nothing that can be said here; did you mean strike?")
        table.expect("Ada (kim)> ")
        before = stored(home).head
        table.type("strike aimed C")
        table.expect("Refused: An aimed strike names the location it is aimed at.")
        table.expect("Ada (kim)> ")
        assert stored(home).head == before, "a refusal stores nothing"
        table.type("strike wild C")
        table.expect("Ada attacks: d10 shows 3 against 7, margin 4.")
        table.expect("How does Bram defend?")
        table.expect("Bram> ")
        table.type("def")
        table.expect("Bram takes 6 cleaving damage to the left arm")
        table.expect("Ada (kim)> ")
        table.type("undo")
        table.expect(f"Undo: back to version {before}.")
        table.expect("Ada (kim)> ")
        assert stored(home).state().combatants["bram"].pools["left-arm"] == 0
        table.type("str")
        table.expect("Ada, strike> ")
        stands = stored(home).digest
        table.interrupt("session duel was interrupted and stays at version")
        table.expect(" play duel")
        assert table.end() == 130
        assert "Traceback" not in table.printed
    assert stored(home).digest == stands, "nothing is lost, and nothing half said is kept"

    with play(home, "duel") as table:
        table.expect("Undo: back to version")
        table.expect("Ada (kim)> ")
        table.type("strike wild C")
        table.expect("Bram> ")
        table.press(CTRL_D)
        assert table.end() == 0
        table.expect("session duel stays at version")

    with play(home, "duel") as table:
        asked = table.expect("Bram> ")
        assert "How does Bram defend?" in asked, "the very prompt"
        table.type("none")
        table.expect("Bram is dead.")
        table.expect("The fight is over: red wins.")
        assert table.end() == 0
        table.expect(f"duel: over at version {stored(home).head}")

    final = stored(home)
    assert final.verify().is_clean
    assert final.state().over == "won-by-red"
    declared = [one for one in final.history(reader="gm") if isinstance(one.event, Declare)]
    assert [(one.undone, one.sender.caller) for one in declared if one.sender] == [(True, "kim"), (False, "kim")]


def test_what_only_one_may_see_leaves_no_trace_on_the_screen(home: Path) -> None:
    path = home.parent / "duel.toml"
    path.write_text(DUEL.replace('controller = "bram"\n', "").replace("    3, 9, 3, 1, 1, 1,", "    #"))
    with play(home, str(path), "--session", "duel", TERM="xterm") as table:
        table.expect("Ada (kim)> ")
        table.type("strike wild C")
        before = table.expect("Bram (gm)> ")
        assert "for Bram alone" in before
        assert "no defence" not in before
        table.type("look")
        assert "no defence (none)" in table.expect("Enter goes back ")
        table.type("")
        table.expect("Bram (gm)> ")
        table.type("none")
        table.expect("Bram is dead.")
        assert table.end() == 0
        aside = table.raw.partition(SCREEN_ASIDE)[2].partition(SCREEN_BACK)[0]
        assert "no defence (none)" in aside
        assert table.raw.count("no defence (none)") == 1
