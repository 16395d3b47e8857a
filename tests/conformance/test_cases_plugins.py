"""The cases PLUG-1 to PLUG-3, with the kit: several rules at one hook, rude ones, ones seen twice. `test_catalog.py` has the rest."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from affray.kernel import Action, ApplyDamage, Breach, Fight, Modifier, Row, Step, hookimpl, number
from affray.kernel.testing import Given, answer, audited, combatant, declare, event, given, pool_is, unchanged

from ..support.broken import session_of
from ..support.cli import environment
from ..support.sound import Sound
from ..support.table import must
from ..support.tiny import Tiny

PEOPLE = (combatant("ann", {"hp": 20, "speed": 9}), combatant("bob", {"hp": 30, "speed": 1}))
HIT = (3, 4, 1, 6, 6)
"""Who comes first, an attack that hits, and 12 points of damage."""


class Adds:
    """A house rule that adds so much to damage."""

    def __init__(self, amount: Any, code: str) -> None:
        self.amount, self.code = amount, code

    @hookimpl
    def contribute(self, fight: Fight, action: Action, place: str) -> Any:
        return [Modifier("damage.flat", self.amount, self.code)] if place == "damage.flat" else []


class Breaks:
    """A house rule at the damage step that does what it is told to, until it is mended."""

    def __init__(self, does: Callable[[Any], Any]) -> None:
        self.does: Callable[[Any], Any] | None = does

    @hookimpl
    def ruling(self, fight: Fight, action: Action, step: Step) -> Any:
        return self.does(step) if self.does is not None and isinstance(step, ApplyDamage) else None


def attacked(*house: tuple[str, object]) -> Given:
    """Ann is about to wound Bob, who stands."""
    fight = given(Sound, *PEOPLE, house=dict(house), dice=HIT)
    return fight.when(declare("ann", "attack", "bob")).then()


@pytest.mark.parametrize("order", ["ac", "ca"])
def test_the_order_in_which_a_number_is_changed_is_declared_and_logged(order: str) -> None:
    """PLUG-2 and law 8: 3 and 5 more, in the manifest's order; pluggy would call the last registered first."""
    rules = {"a": Adds(3, "a"), "c": Adds(5, "c")}
    with attacked(*[(name, rules[name]) for name in order]) as fight:
        trace = [("dice", 12), *[(name, rules[name].amount) for name in order]]
        fight.when(answer("bob", "none")).then(event(ApplyDamage, value=20, trace=trace), pool_is("bob", "hp", 10), audited())
        assert [pin.id for pin in fight.table.events()[0].manifest.house] == list(order)


def raises(step: Any) -> Any:
    raise ZeroDivisionError("no")


def changes_in_place(step: Any) -> Any:
    step.value = 99


def of_nothing(step: Any) -> Any:
    return replace(step, value=float("nan"), trace=())


def worded(step: Any) -> Any:
    return replace(step, value="much", trace=())


def a_text(step: Any) -> Any:
    return "3"


@pytest.mark.parametrize("order", ["abc", "cba"])
@pytest.mark.parametrize("does", [raises, changes_in_place, of_nothing, worded, a_text])
def test_one_failing_rule_fails_the_command_as_a_whole(does: Callable[[Any], Any], order: str) -> None:
    """PLUG-2 and law 10: nothing is appended, plugin and hook are named, and the next command works with the same dice."""
    breaks = Breaks(does)
    rules: dict[str, object] = {"a": Adds(3, "a"), "b": breaks, "c": Adds(5, "c")}
    with attacked(*[(name, rules[name]) for name in order]) as fight:
        for _ in range(2):
            with pytest.raises(Breach) as breach:
                fight.when(answer("bob", "none"))
            assert (breach.value.plugin, breach.value.hook) == ("b", "ruling")
            fight.then(unchanged(), pool_is("bob", "hp", 30))
        breaks.does = None
        fight.when(answer("bob", "none")).then(pool_is("bob", "hp", 10), audited())


def test_a_rule_changes_a_number_with_its_trace() -> None:
    """PLUG-2: what is changed is changed in a copy, and the event names who did it."""

    def halves(step: Any) -> Any:
        half = step.value // 2
        return replace(step, value=half, trace=(*step.trace, Row("halved", number(half - step.value), "b")))

    with attacked(("b", Breaks(halves))) as fight:
        fight.when(answer("bob", "none")).then(event(ApplyDamage, value=6, by_rules=("b",)), pool_is("bob", "hp", 24), audited())


def test_a_rule_that_calls_back_into_the_session_fails_and_damages_nothing() -> None:
    """PLUG-2: one plugin calls back into append."""
    reached: list[Any] = []

    class CallsBack:
        @hookimpl
        def ruling(self, fight: Fight, action: Action, step: Step) -> Any:
            return reached[0].note("from inside") if reached else None

    session = session_of(Tiny(), house={"calls-back": CallsBack()})
    before = session.head
    reached.append(session)
    with pytest.raises(Breach, match="plugin 'calls-back', hook ruling: raised Busy"):
        session.declare("ann", "attack", "bob")
    assert session.head == before
    reached.clear()
    must(session.declare("ann", "attack", "bob"))
    assert session.verify().is_clean


# -- real folders


def distribution(site: Path, name: str, version: str, plugin: str, code: str) -> None:
    """A distribution that offers a rules system."""
    module = name.replace("-", "_")
    (site / f"{module}.py").write_text(code)
    info = site / f"{module}-{version}.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    (info / "entry_points.txt").write_text(f"[affray.systems]\n{plugin} = {module}:make\n")


RENAMED = """
from affray.kernel import System, hookimpl
from affray.plugins.nyra import Nyra
class Renamed(Nyra):
    @hookimpl
    def describe(self):
        nyra = super().describe()
        return System(id="{id}", release="1", title="Renamed", options=nyra.options, actions=nyra.actions, places=nyra.places)
make = Renamed
"""


def plugins(home: Path, *sites: Path) -> list[str]:
    """What `affray plugins` prints in a process that sees these folders."""
    made = environment(home)
    made["PYTHONPATH"] = os.pathsep.join([*map(str, sites), made["PYTHONPATH"]])
    done = subprocess.run(
        [sys.executable, "-m", "affray.sessions.cli", "plugins"], env=made, capture_output=True, text=True, timeout=60, check=False
    )
    assert "Traceback" not in done.stderr, done.stderr
    return done.stdout.splitlines()


def test_a_linked_folder_and_a_doubled_name(tmp_path: Path) -> None:
    """PLUG-1 (b) and (d): lib and lib64 are one; a name that is also built in is refused with both, whatever comes first."""
    lib, lib64 = tmp_path / "lib", tmp_path / "lib64"
    lib.mkdir()
    lib64.symlink_to(lib)
    distribution(lib, "fine-rules", "1.5", "fine", RENAMED.format(id="fine"))
    distribution(lib, "other-nyra", "9.9", "nyra", RENAMED.format(id="nyra"))
    told = [plugins(tmp_path, lib, lib64), plugins(tmp_path, lib64, lib)]
    assert told[0] == told[1]
    fine = [line for line in told[0] if line.startswith("system fine")]
    assert len(fine) == 1
    assert "more than once" not in fine[0]
    nyra = [line for line in told[0] if line.startswith("system nyra")]
    assert nyra
    assert all("affray 0." in line and "other-nyra 9.9" in line and "more than once" in line for line in nyra)
    assert any(line.startswith("system exalted") and "more than once" not in line for line in told[0])
