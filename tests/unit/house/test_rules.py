"""What holds of every house rule that comes with Affray: its name, whom it is for, and that it stands for itself."""

from __future__ import annotations

import ast
import inspect
from importlib import import_module
from pathlib import Path

import pytest

from affray.kernel import HOOK_NAMES, Breach, Fight, Judge, PluginUnavailable, Step, hookimpl
from affray.sessions import Catalog, Engine, MemoryStore

from .table import RULES, SYSTEMS, catalog, fitting

FOLDER = Path(import_module("affray.plugins.house").__file__ or "").parent


def source(name: str) -> str:
    return (FOLDER / f"{name.replace('-', '_')}.py").read_text("utf-8")


def test_every_file_is_a_rule_that_is_installed() -> None:
    files = {path.stem.replace("_", "-") for path in FOLDER.glob("*.py")} - {"--init--", "amounts"}
    assert files == set(RULES)


def test_every_system_has_rules_on_every_rung() -> None:
    rungs = {"contribute": 0, "ruling": 0, "follow": 0, "replaced": 0}
    for system in SYSTEMS:
        found = dict.fromkeys(rungs, 0)
        for name in fitting(system):
            hooks = set(catalog().rules(catalog().manifest(system, {}, [name])).hooks_of(name))
            for rung in ("contribute", "ruling", "follow"):
                found[rung] += rung in hooks
            found["replaced"] += bool(hooks & {"begin", "resolve"})
        assert all(found.values()), (system, found)


def test_the_rules_together_use_every_hook_a_rule_may_have() -> None:
    used = set()
    for system in SYSTEMS:
        for name in fitting(system):
            used |= set(catalog().rules(catalog().manifest(system, {}, [name])).hooks_of(name))
    assert used == set(HOOK_NAMES) - {"describe", "sheet_type", "pools"}


@pytest.mark.parametrize("name", RULES)
def test_a_rule_says_what_it_is(name: str) -> None:
    make = RULES[name]
    assert make.title
    assert make.release == "1"
    assert set(getattr(make, "systems", ())) <= set(SYSTEMS)
    assert (inspect.getdoc(make) or "").endswith(".")
    assert f'NAME = "{name}"' in source(name) or "NAME" not in source(name), "rows and texts name the rule as it is installed"


@pytest.mark.parametrize("name", RULES)
def test_a_rule_is_short_and_knows_no_other(name: str) -> None:
    text = source(name)
    assert len(text.splitlines()) <= 110
    modules = {node.module for node in ast.walk(ast.parse(text)) if isinstance(node, ast.ImportFrom) and node.level}
    assert modules <= {"amounts"}


@pytest.mark.parametrize(("name", "system"), [(name, system) for name in RULES for system in SYSTEMS if name not in fitting(system)])
def test_a_rule_for_another_system_is_refused_when_the_rules_are_built(name: str, system: str) -> None:
    """Nothing is stored, and the sentence says whom the rule is for."""
    store = MemoryStore()
    with pytest.raises(PluginUnavailable) as error:
        Engine(store, catalog()).start(system, house=[name])
    assert (error.value.plugin, list(store.sessions())) == (name, [])
    assert error.value.problem == f"is a house rule for {', '.join(RULES[name].systems)}; the session plays {system}"


class Anybody:
    """A rule that does not say whom it is for."""

    @hookimpl
    def ruling(self, fight: Fight, action: object, step: Step) -> Step | None:
        """Change nothing."""
        assert not isinstance(step, Judge)
        return None


def test_a_rule_that_says_nothing_is_for_every_system() -> None:
    books = Catalog(systems=SYSTEMS, house={"anybody": Anybody}, points=())
    for system in SYSTEMS:
        assert books.rules(books.manifest(system, {}, ["anybody"])).hooks_of("anybody") == ("ruling",)


@pytest.mark.parametrize("systems", ["nyra", ["nyra"], (1,), None])
def test_whom_a_rule_is_for_is_a_tuple_of_ids(systems: object) -> None:
    wrong = type("Wrong", (Anybody,), {"systems": systems})
    books = Catalog(systems=SYSTEMS, house={"wrong": wrong}, points=())
    with pytest.raises(Breach, match="plugin 'wrong', hook registration: says it is for the systems"):
        books.rules(books.manifest("nyra", {}, ["wrong"]))
