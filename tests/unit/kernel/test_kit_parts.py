"""The smaller parts of the kit: yields, exact values, sheets by type, exemptions, upgrades, fixtures, strategies, its page."""

from __future__ import annotations

import contextlib
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from affray.kernel import UPCASTERS, Act, InputError, Judge, Row
from affray.kernel import testing as kit
from affray.kernel.testing import RULE_CHECKS, Exempt, Finding, Report, check_rules, combatant
from affray.kernel.testing import strategies as kit_strategies
from affray.kernel.testing.exactness import inexact, mutable, weak_type
from affray.kernel.testing.findings import Tally, exempted
from affray.kernel.testing.sheets import Seeded, value_of
from affray.kernel.testing.table import Book
from affray.kernel.testing.upcasts import check_upcasters
from affray.kernel.testing.yields import around_yields
from affray.plugins import nyra

from ...support.sound import Sound

ROOT = Path(__file__).parents[3]
README = (ROOT / "kernel/affray/kernel/testing/README.md").read_text("utf-8")


# -- yields


def plain() -> Iterator[int]:
    try:
        yield 1
    except ValueError:
        yield 2
    with contextlib.suppress(KeyError):
        print()


def in_finally() -> Iterator[int]:
    try:
        yield 1
    finally:
        print()


def in_the_finally() -> Iterator[int]:
    try:
        print()
    finally:
        yield 1


def in_with() -> Iterator[int]:
    with contextlib.nullcontext():
        yield from plain()


def in_loop_in_with() -> Iterator[int]:
    with contextlib.nullcontext():
        for one in range(3):
            yield one + 1


def in_bare() -> Iterator[int]:
    try:
        yield 1
    except:  # that is the fault
        raise


def in_exit() -> Iterator[int]:
    try:
        yield 1
    except (GeneratorExit, ValueError):
        raise


def around_another() -> Iterator[int]:
    with contextlib.nullcontext():

        def inner() -> Iterator[int]:
            yield 1

    yield from inner()


@pytest.mark.parametrize(
    ("function", "found"),
    [
        (plain, ""),
        (around_another, ""),
        (in_the_finally, ""),
        (in_finally, "in_finally has `finally` around a yield"),
        (in_with, "in_with has `with` around a yield"),
        (in_loop_in_with, "in_loop_in_with has `with` around a yield"),
        (in_bare, "in_bare has a bare `except` around a yield"),
        (in_exit, "in_exit has `except GeneratorExit` around a yield"),
    ],
)
def test_what_stands_around_a_yield(function: Any, found: str) -> None:
    """Spike, trap 6: what the garbage collector would run."""
    assert found == around_yields(function.__code__)


# -- values


class Nested(msgspec.Struct, frozen=True):
    weights: tuple[float, ...] = ()


class Sheet(msgspec.Struct, frozen=True):
    one: Nested
    names: dict[str, set[int]] = {}


class Fine(msgspec.Struct, frozen=True):
    rows: tuple[tuple[int | str, ...], ...] | None = None
    by: dict[str, Literal["a", "b"]] = {}


@pytest.mark.parametrize(
    ("value", "told"),
    [
        (3, ""),
        ((1, "2/3", {"a": (True, None)}), ""),
        (0.5, "it is 0.5, a float"),
        ({"a": [Decimal(1)]}, ".a[0] is Decimal('1'), a Decimal"),
        (Row("x", Fraction(1, 2), "y"), "amount is Fraction(1, 2), which number(...) writes"),  # type: ignore[arg-type]  # that is the fault
    ],
)
def test_numbers_that_are_not_exact(value: Any, told: str) -> None:
    """Law 7."""
    assert told == inexact(value)


def test_lists_in_steps() -> None:
    assert mutable(Judge("x", by="ann", code="y", trace=[])) == "trace is a list"  # type: ignore[arg-type]  # that is the fault
    assert mutable(Act("x", actor="ann", name="y", params={"list": [1, 2]})) == ""


def test_types_that_are_weak() -> None:
    assert list(weak_type(Fine)) == []
    assert sorted(weak_type(Sheet)) == ["inexact: Sheet.one.weights is a float", "mutable: Sheet.names is a set"]
    assert list(weak_type(dict)) == ["mutable: is no Struct"]


class Odd(msgspec.Struct, frozen=True):
    a: Literal["x", "y"]
    b: Annotated[int, msgspec.Meta(ge=4, le=6)]
    c: Annotated[str, msgspec.Meta(pattern="^sw")]
    d: tuple[Annotated[int, msgspec.Meta(multiple_of=5)], ...]
    e: dict[str, bool]
    f: int | str
    g: Fine | None = None


def test_values_are_made_of_any_type() -> None:
    for seed in range(30):
        made = msgspec.convert(value_of(Odd, Seeded(str(seed))), Odd)
        assert (made.c, 4 <= made.b <= 6, all(one % 5 == 0 for one in made.d)) == ("sword", True, True)
        assert isinstance(made.f, int)
    assert value_of(Odd, Seeded("x")) == value_of(Odd, Seeded("x"))
    with pytest.raises(InputError, match="no text of this pattern is known"):
        value_of(Annotated[str, msgspec.Meta(pattern="^[0-9]{30}$")], Seeded("x"))
    with pytest.raises(InputError, match="nothing can be made of this type"):
        value_of(bytes, Seeded("x"))


# -- reports


FOUND = Finding(code="world", plugin="a", hook="check", text="reads the clock", where="fight 1")


def test_a_report_prints_what_to_do() -> None:
    report = Report(plugin="a", findings=(FOUND,), notes=("it rained",), fights=1, events=7)
    assert str(report).splitlines() == [
        "a: 1 finding in 1 fight, 7 events",
        "  world: plugin 'a', hook check: reads the clock (fight 1)",
        f"    -> {RULE_CHECKS['world'].remedy}",
        "  note: it rained",
    ]
    with pytest.raises(AssertionError, match="reads the clock"):
        report.assert_clean()
    assert report.codes() == ("world",)
    Report(plugin="a", findings=()).assert_clean()


def test_an_exemption_covers_what_it_names_and_no_more() -> None:
    assert exempted([FOUND], [Exempt("world", "the clock", "because")], "a") == ()
    for other in (Exempt("breach", "the clock", "because"), Exempt("world", "a file", "because")):
        left = exempted([FOUND], [other], "a")
        assert [one.code for one in left] == ["world", "exemption"]


def test_sheets_and_options_that_are_not_the_systems_are_the_callers_fault() -> None:
    with pytest.raises(InputError, match=r"^sheets\[1\]\.hp: "):
        check_rules(Sound, sheets=[{"hp": 3}, {"hp": 0}])
    with pytest.raises(InputError, match=r"^\$\.options"):
        check_rules(Sound, options={"what": 1})
    with pytest.raises(TypeError, match="is no factory"):
        check_rules(Sound())  # type: ignore[arg-type]  # that is the fault


def test_an_upgrade_of_what_is_current_changes_nothing() -> None:
    tally = Tally()
    check_upcasters([{"kind": "note", "text": "x"}], tally, UPCASTERS)
    assert tally.findings() == ()
    check_upcasters([{"kind": "heal.v9"}], tally, UPCASTERS)
    assert [one.text for one in tally.findings()] == ["no upgrade is known for 'heal.v9'"]


# -- pytest and Hypothesis


SAMPLE = """
from affray.kernel.testing import combatant, declare, event, refused
from affray.kernel import Judge
from tests.support.sound import Sound

PEOPLE = combatant("ann", {"speed": 9}), combatant("bob", {"speed": 1})

def test_good(fight_given):
    fight_given(Sound, *PEOPLE, dice=[1, 2, 3]).when(declare("ann", "attack", "bob")).then(event(Judge, code="hit"))

def test_left(fight_given):
    fight_given(Sound, *PEOPLE, dice=[1, 2, 3, 4]).when(declare("ann", "attack", "bob")).then(event(Judge, code="hit"))

def test_unsaid(fight_given):
    fight_given(Sound, *PEOPLE, dice=[1, 2]).when(declare("bob", "attack", "ann"))

def test_seeded(seeded_dice, fight_given):
    fight_given(Sound, *PEOPLE, dice=seeded_dice)
    assert seeded_dice.seed == "test_sample.py::test_seeded"
"""


def test_the_fixtures(tmp_path: Path) -> None:
    (tmp_path / "test_sample.py").write_text(SAMPLE)
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "CI"))}
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "affray.kernel.testing.pytest_plugin", "-p", "no:cacheprovider", "--rootdir=."],
        cwd=tmp_path,
        env={**kept, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path])},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert "4 passed, 2 errors" in done.stdout, done.stdout + done.stderr
    assert "dice are left: (4,)" in done.stdout
    assert "and no `then` says so: not-your-turn bob attack" in done.stdout


def test_the_fixtures_are_an_entry_point() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert project["entry-points"]["pytest11"] == {"affray": "affray.kernel.testing.pytest_plugin"}


NYRA = Book(nyra.make)
RULES = NYRA(NYRA.manifest())


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])
@given(sheet=kit_strategies.sheets(RULES))
def test_sheets_are_drawn_by_their_type(sheet: dict[str, Any]) -> None:
    assert RULES.pools(RULES.read_sheet(sheet))


@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_declarations_are_drawn_by_what_is_offered(data: st.DataObject) -> None:
    fight = kit.given(Sound, combatant("ann", {"speed": 9}), combatant("bob", {}))
    who = fight.state.turn
    command = data.draw(kit_strategies.declarations(fight, who))
    fight.when(command)
    assert fight.refused is None, fight.refused
    params = data.draw(kit_strategies.params(fight.table.rules, "attack"))
    assert fight.table.rules.read_params("attack", params).effort in range(4)


# -- the page


def test_the_page_tells_every_check() -> None:
    table = dict(re.findall(r"^\| `([a-z-]+)` \| (.*) \|$", README.partition("## Checks")[2], re.MULTILINE))
    assert set(table) - {"processes=False", "sheets", "actions", "exempt"} == set(RULE_CHECKS)


def test_the_page_names_what_there_is() -> None:
    names = set(kit.__all__) - {"Check", "DiceSource", "EnumeratedDice", "Finding", "Given", "Report", "Store", "StoreCheck", "Book", "Factory", "Table", "Way"}
    assert [name for name in sorted(names) if not re.search(rf"\b{name}\b", README)] == []


def test_the_example_of_the_page_is_true() -> None:
    text = re.findall(r"^```python\n(.*?)^```", README, re.DOTALL | re.MULTILINE)[0]
    space: dict[str, Any] = {"make": nyra.make}
    exec(compile(text, "README.md", "exec"), space)
    space["test_a_strike_that_gets_through"]()
