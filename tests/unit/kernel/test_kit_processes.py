"""What the kit asks of other processes: imports that are rude, orders that come from hashes, factories that have no name."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from affray.kernel.testing import Report, check_rules
from affray.kernel.testing.elsewhere import Elsewhere, reference
from affray.kernel.testing.player import Setup
from affray.kernel.testing.world import blocked, changed, manners

from ...support.faults import FEW
from ...support.sound import Sound
from ...support.tiny import Tiny

FINE = "from tests.support.sound import Sound\n\nclass Mine(Sound):\n    pass\n"

RUDE = {
    "the state of `random`": "import random\nrandom.seed(1)\n",
    "the functions of `random`": "import random\nrandom.choice = min\n",
    "the encoder of `json`": "import json\njson.JSONEncoder.encode = lambda *a: 'rude'\n",
    "the builtins": "import builtins\nbuiltins.mine = 1\n",
    "the environment": "import os\nos.environ['MINE'] = '1'\n",
}

@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.syspath_prepend(tmp_path)
    yield tmp_path
    for name in [name for name in sys.modules if name.startswith("kit_plugin_")]:
        del sys.modules[name]


def module(folder: Path, name: str, code: str) -> ModuleType:
    (folder / f"{name}.py").write_text(code)
    loaded = ModuleType(name)
    loaded.__dict__["__name__"] = name
    sys.modules[name] = loaded
    exec(compile(FINE, name, "exec"), loaded.__dict__)  # what is rude is imported by the other process alone
    return loaded


def test_a_rude_import_is_found(home: Path) -> None:
    """PLUG-3: what an import changes of the whole process; here only the other process imports it."""
    made = module(home, "kit_plugin_rude", "".join(RUDE.values()) + FINE)
    report: Report = check_rules(made.Mine, **FEW)
    assert {finding.text for finding in report.findings if finding.code == "rude"} == {f"changes {what}" for what in RUDE}
    assert all((finding.plugin, finding.hook) == ("sound", "import") for finding in report.findings)
    assert report.codes() == ("rude",)
    assert json.JSONEncoder().encode(1) == "1"


@pytest.mark.parametrize(
    ("name", "code", "told"),
    [
        ("gone", "import no_such_module_anywhere\n", "raised ModuleNotFoundError"),
        ("broken", "def make(:\n", "raised SyntaxError"),
        ("exits", "import sys\nsys.exit(3)\n", "raised SystemExit(3)"),
        ("dies", "import os\nos._exit(3)\n", "ended with exit code 3"),
    ],
)
def test_an_import_that_fails_elsewhere_is_told(name: str, code: str, told: str, home: Path) -> None:
    made = module(home, f"kit_plugin_{name}", code)
    (answer,) = Elsewhere(reference(made.Mine), {}, Setup(sheets=({"hp": 20},), fights=1), seeds=(1,)).wait()
    assert answer.problem.startswith(told)


def test_a_factory_without_a_name_is_not_asked_elsewhere() -> None:
    class Local(Sound):
        pass

    assert reference(Sound) == "tests.support.sound:Sound"
    assert reference(Local) == reference(lambda: Sound()) == ""
    report = check_rules(Local, **FEW)
    assert "not played in other processes: a factory is no name of a module" in report.notes
    assert report.is_clean


def test_the_world_is_as_before_when_the_guard_is_gone() -> None:
    """Law 3: the guard stops plugins at work and nobody else."""
    before = manners()
    heard: list[str] = []

    def hear(told: str) -> bool:
        heard.append(told)
        return False

    with blocked(hear):
        random.random()
        with open(__file__, encoding="utf-8") as file:
            file.readline()
    assert any("random.random" in told for told in heard)
    assert any("builtins.open" in told for told in heard)
    random.setstate(before["the state of `random`"])  # type: ignore[arg-type]  # what getstate gave
    assert changed(before) == []


WITHOUT = """
import sys
for name in ("pytest", "_pytest", "hypothesis"):
    sys.modules[name] = None
from affray.kernel.testing import check_rules, given, combatant
from tests.support.sound import Sound
report = check_rules(Sound, fights=1, commands=5, processes=False)
given(Sound, combatant("ann", {"hp": 3}), combatant("bob", {"hp": 3}))
print(report.is_clean, report.events > 10)
"""


def test_the_kit_needs_neither_pytest_nor_hypothesis() -> None:
    done = subprocess.run([sys.executable, "-c", WITHOUT], capture_output=True, text=True, timeout=60, check=False)
    assert (done.stdout, done.stderr) == ("True True\n", "")


def test_a_system_that_is_only_loose_is_told_so() -> None:
    """The tiny system of the kernel's own tests is a game for nobody: it has no words and no descriptions."""
    report: Any = check_rules(Tiny, **FEW, processes=False)
    assert set(report.codes()) <= {"unexplained", "verdict-ignored", "dice-unused", "undocumented", "text-missing"}
