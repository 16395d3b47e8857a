"""`affray luck`: rolls, people, dice and actions, for people and for programs, as one reader may know them."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from fractions import Fraction
from math import isclose
from pathlib import Path
from typing import Any

import pytest

from affray.kernel import DiceCount, DiceTest
from affray.sessions import Catalog, Engine, Session
from affray.sessions.stores.sqlite import SqliteStore
from affray.sessions.views.luck import dice_lines, likely, upper

from ...docs.test_commands import SHAPES, TEXT
from ...support.cli import NYRA, TINY, affray, document, find_plugins
from ...support.ram import ram_folder
from ...support.table import Fixed, answer_all, must, tiny_session


@pytest.fixture
def home(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    with ram_folder() as folder:
        monkeypatch.setenv("AFFRAY_HOME", str(folder))
        find_plugins(monkeypatch, NYRA, TINY)
        yield folder


def fought(home: Path, **start: Any) -> Session:
    """A stored fight: Ann attacks, takes it back and attacks again; Bob is asked."""
    store = SqliteStore(home / "sessions")
    try:
        session = tiny_session(Engine(store, Catalog(), Fixed()), **start)
        must(session.declare("ann", "attack", "bob", id="a1"))
        must(session.undo())
        must(session.declare("ann", "attack", "bob", id="a2"))
        answer_all(session)
        return session
    finally:
        store.close()


# -- for people


def test_luck_is_told_in_tables(home: Path) -> None:
    fought(home)
    result = affray("luck", "s")
    assert result.exit_code == 0, result.stderr
    lines = result.stdout.splitlines()
    assert "People" == lines[0]
    assert re.match(r"  Ann, engine dice: \d rolls?, higher than \d+\.\d % of what could have been \(50\.0 ± \d+\.\d is usual\)", lines[1])
    assert "  d20, engine dice: " in result.stdout
    assert "no verdict: 100 faces would be needed for one" in result.stdout
    assert re.search(r"^  \d+ undone +Ann +attack +d20 shows \d+", result.stdout, re.MULTILINE)
    assert re.search(r"^  \d+  Ann: attack +\d+ damage +\d\.\d on average", result.stdout, re.MULTILINE)


def test_the_least_likely_are_told_unless_all_are_asked_for(home: Path) -> None:
    store = SqliteStore(home / "sessions")
    session = tiny_session(Engine(store, Catalog(), Fixed()))
    for number in range(12):
        must(session.declare(session.state().turn, "roll", notation="1d6", id=f"r{number}"))
    store.close()
    some, every = affray("luck", "s").stdout, affray("luck", "s", "--all").stdout
    assert "Rolls, the 10 least likely of 14\n" in some
    assert "\nRolls\n" in every
    assert 14 == len(re.findall(r"so low or lower", every))
    versions = [int(line.split()[0]) for line in every.splitlines() if line.endswith("so low or lower")]
    assert sorted(versions) == versions


def test_a_session_without_dice_says_so(home: Path) -> None:
    store = SqliteStore(home / "sessions")
    tiny_session(Engine(store, Catalog(), Fixed()), begun=False)
    store.close()
    assert "No dice that this reader may see were thrown.\n" == affray("luck", "s").stdout


def test_actions_without_rules_are_not_told(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fought(home)
    find_plugins(monkeypatch)
    result = affray("luck", "s")
    assert result.exit_code == 0
    assert "actions are not told: their rules are not installed" in result.stdout
    assert "are not told" not in affray("luck", "s", "--no-actions").stdout


def test_what_is_kept_from_a_reader_is_counted(home: Path) -> None:
    store = SqliteStore(home / "sessions")
    session = tiny_session(Engine(store, Catalog(), Fixed()))
    must(session.declare("ann", "attack", "bob", secret=True))
    answer_all(session)
    store.close()
    mine, others = document("luck", "s", "--as", "ann"), document("luck", "s", "--for", "public")
    assert len(mine["rolls"]) > len(others["rolls"])
    assert [] == others["actions"]
    assert document("luck", "s", "--as", "gm")["rolls"] == mine["rolls"]
    assert 2 == affray("luck", "s", "--as", "stranger").exit_code


# -- for programs


def test_the_document_is_what_the_page_says(home: Path) -> None:
    session = fought(home)
    printed = document("luck", "s", "--for", "gm")
    shape = SHAPES["luck"]
    assert list(shape) == list(printed)
    for name in ("rolls", "actions", "people", "tests"):
        assert list(shape[name][0]) == list(printed[name][0]), name
    assert list(shape["people"][0]["dice"][0]) == list(printed["people"][0]["dice"][0])
    assert [False, False, True] == [one["undone"] for one in printed["rolls"]][:3]
    assert session.head == printed["version"]
    tests = {one["dice"]["sides"]: one for one in printed["tests"]}
    assert sum(tests[20]["dice"]["counts"].values()) == tests[20]["dice"]["faces"]


def test_the_commands_of_the_page_run(home: Path) -> None:
    store = SqliteStore(home / "sessions")
    tiny_session(Engine(store, Catalog(), Fixed()))
    store.close()
    lines = re.findall(r"^affray .*$", TEXT.partition("```sh luck\n")[2].partition("```")[0], re.MULTILINE)
    assert len(lines) > 2
    for line in lines:
        result = affray(*shlex.split(line.replace("duel-1", "s"))[1:])
        assert result.exit_code == 0, (line, result.stderr)


# -- what a sample tells


def die(*counts: int, **more: Any) -> DiceTest:
    found = DiceCount(sides=len(counts), faces=sum(counts), counts=tuple((face, times) for face, times in enumerate(counts, 1) if times))
    given = {"source": "engine", "count": found, "is_judged": True, "needed": 0, "noticed": 6, "mistaken": Fraction(1, 44), "power": Fraction(61, 200)}
    return DiceTest(**{**given, **more})


@pytest.mark.parametrize(
    ("degrees", "value", "chance"),
    [(1, 3.841459, 0.05), (5, 11.0705, 0.05), (5, 2.0, 0.849145), (9, 21.666, 0.01), (19, 8.0, 0.986671), (99, 123.2252, 0.05), (5, 0, 1.0)],
)
def test_the_chi_square_distribution(degrees: int, value: float, chance: float) -> None:
    """By its published tables."""
    assert isclose(chance, upper(Fraction(degrees, 2), Fraction(value) / 2), abs_tol=1e-5)


def test_even_dice_are_nothing_unusual_and_loaded_ones_are() -> None:
    assert 1.0 == likely(die(10, 10, 10, 10, 10, 10))
    fair = list(dice_lines(die(12, 8, 10, 9, 11, 10)))
    assert "d6, engine dice: 60 faces (1:12 2:8 3:10 4:9 5:11 6:10; 10.0 of each are usual)" == fair[0]
    assert "  96 of 100 fair dice are at least as uneven: nothing unusual" == fair[1]
    loaded = list(dice_lines(die(30, 6, 6, 6, 6, 6)))
    assert re.match(r"  0\.0 of 1000 fair dice are at least as uneven: that is seldom, though", loaded[1])


def test_a_small_sample_says_what_it_can_tell() -> None:
    """No verdict, and the power of 23 d10."""
    lines = list(dice_lines(die(*[3, 2, 2, 2, 2, 2, 2, 2, 3, 3], is_judged=False, needed=50)))
    assert "  no verdict: 50 faces would be needed for one" == lines[1]
    assert (
        "  a face that comes up twice as often as it should would be noticed 30 times in 100 "
        "(6 or more of it; a fair die does that 2 times in 100)"
    ) == lines[2]


def test_a_large_sample_would_hardly_miss_it() -> None:
    lines = list(dice_lines(die(1000, 1000, noticed=None, mistaken=None, power=None)))
    assert "hardly be missed" in lines[2]
