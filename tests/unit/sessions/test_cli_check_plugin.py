"""`affray check-plugin` over real distributions: whatever a plugin does to a process, it does to one of its own."""

from __future__ import annotations

import json
import random
import time
from pathlib import Path
from typing import Any

import pytest

from affray.kernel.testing.bounds import FIGHTS
from affray.sessions.cli import check_plugin
from affray.sessions.cli.check_plugin import CHECK_SECONDS, CHECK_SECONDS_MAX, FIGHTS_MAX, IMPORT_SECONDS
from affray.sessions.cli.checking import STATUS_BYTES, Status, read_status

from ...docs.test_commands import compare
from ...support.cli import affray, document

FINE = "from tests.support.sound import Sound\n\nclass Mine(Sound):\n    pass\n\ndef make():\n    return Mine()\n"
BLESS = "from tests.support.sound import Bless\n\ndef make():\n    return Bless()\n"

AT_IMPORT = {
    "gone": ("import no_such_module_anywhere\n", "unloadable", "No module named 'no_such_module_anywhere'"),
    "broken": ("def make(:\n", "unloadable", "SyntaxError"),
    "exits": ("import sys\nsys.exit(3)\n", "unloadable", "SystemExit(3)"),
    "dies": ("import os\nos._exit(7)\n", "unloadable", "ended its process with exit code 7"),
    "sleeps": ("import time\ntime.sleep(20)\n", "endless", "importing it takes more than 1 seconds"),
    "nothing": ("def make():\n    pass\n", "unloadable", "returned None"),
}

SPINS = FINE.replace(
    "    pass\n",
    "    def attack(self, fight, action):\n        while True:\n            try:\n                while True:\n                    pass\n"
    "            except BaseException:\n                pass\n",
)
"""Not even the kit's own time limit ends it."""

DIES = FINE.replace("    pass\n", "    def attack(self, fight, action):\n        import os\n        os._exit(9)\n")
EXITS = FINE.replace("    pass\n", "    def attack(self, fight, action):\n        raise SystemExit(0)\n")
RUDE = "import json, random\nrandom.seed(1)\njson.JSONEncoder.encode = lambda *a: 'rude'\n" + FINE


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "site"
    folder.mkdir()
    monkeypatch.syspath_prepend(folder)
    monkeypatch.setattr(check_plugin, "IMPORT_SECONDS", 1)
    return folder


def add(site: Path, name: str, code: str, *, group: str = "affray.systems", plugin: str = "sound", version: str = "1.5") -> None:
    """A distribution that offers a plugin."""
    module = f"checked_{name.replace('-', '_')}"
    (site / f"{module}.py").write_text(code)
    info = site / f"{name.replace('-', '_')}-{version}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    (info / "entry_points.txt").write_text(f"[{group}]\n{plugin} = {module}:make\n")


def codes(told: Any) -> list[tuple[str, str, str, str]]:
    return [(one["code"], one["plugin"], one["distribution"], one["hook"]) for one in told["findings"]]


@pytest.mark.parametrize("name", AT_IMPORT)
def test_a_plugin_that_cannot_be_imported_is_told_with_its_distribution(name: str, site: Path) -> None:
    """PLUG-3: each failure has its cause, and nothing of it reaches this process."""
    code, found, cause = AT_IMPORT[name]
    add(site, f"bad-{name}", code)
    began = time.monotonic()
    told = document("check-plugin", "sound", code=1)
    hook = "factory" if name == "nothing" else "import"
    assert codes(told) == [(found, "sound", f"bad-{name} 1.5", hook)]
    assert cause in told["findings"][0]["text"]
    assert time.monotonic() - began < 15


def test_a_rude_import_is_told_and_does_no_harm_here(site: Path) -> None:
    """PLUG-3: chance and the encoder of JSON, changed by an import."""
    add(site, "rude-rules", RUDE)
    state = random.getstate()
    told = document("check-plugin", "sound", "--fights", "1", code=1)
    assert codes(told) == [("rude", "sound", "rude-rules 1.5", "import")] * 2
    assert (random.getstate(), json.dumps([1])) == (state, "[1]")


@pytest.mark.parametrize(
    ("code", "found", "hook", "text"),
    [
        pytest.param(SPINS, "endless", "resolve", "did not come to an end within 4 seconds", id="spins"),
        pytest.param(DIES, "breach", "resolve", "ended its process with exit code 9", id="dies"),
    ],
)
def test_a_process_that_does_not_come_back_is_told_with_its_hook(code: str, found: str, hook: str, text: str, site: Path) -> None:
    add(site, "late-rules", code)
    told = document("check-plugin", "sound", "--seconds", "4", code=1)
    assert codes(told) == [(found, "sound", "late-rules 1.5", hook)]
    assert told["findings"][0]["text"] == text


def test_what_is_found_is_told_for_people_and_for_programs(site: Path) -> None:
    add(site, "leaving-rules", EXITS)
    result = affray("check-plugin", "sound", "--seed", "other", "--fights", "1")
    assert result.exit_code == 1
    lines = result.stdout.splitlines()
    assert lines[0].startswith("sound (leaving-rules 1.5): ")
    breach = next(line for line in lines if line.startswith("  breach: "))
    assert breach.startswith("  breach: leaving-rules 1.5, plugin sound, hook resolve: raised RuntimeError('raised SystemExit(0)')")
    assert "    the text says what was given" in result.stdout
    told = document("check-plugin", "sound", "--seed", "other", "--fights", "1", code=1)
    assert (told["plugin"], told["kind"], told["over"], told["distribution"], told["version"]) == ("sound", "system", "", "leaving-rules", "1.5")
    assert told["fights"] == 1
    compare("check-plugin", told)
    assert told["events"] > 0


def test_a_system_and_a_house_rule_over_it_are_good(site: Path) -> None:
    add(site, "sound-rules", FINE)
    add(site, "bless-rule", BLESS, group="affray.house_rules", plugin="bless")
    told = document("check-plugin", "bless", "--over", "sound", "--fights", "2")
    assert (told["kind"], told["over"], told["findings"]) == ("house-rule", "sound", [])
    result = affray("check-plugin", "bless")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "is a house rule: say over which system it is to be checked, --over SYSTEM" in result.stderr


def test_misuse_is_one_sentence(site: Path, tmp_path: Path) -> None:
    add(site, "sound-rules", FINE)
    other = tmp_path / "other.toml"
    other.write_text('system = "nyra"\n[[combatants]]\nid = "a"\nside = "a"\n')
    bad = tmp_path / "bad.toml"
    bad.write_text('system = "sound"\n[[combatants]]\nid = "a"\nside = "a"\nsheet = { hp = 0 }\n')
    for args, told in (
        (("nope",), "no rules system of that name is installed; there are "),
        (("nope", "--over", "sound"), "no house rule of that name is installed"),
        (("sound", "--fight", other), "is a fight under nyra, not sound"),
        (("sound", "--fight", bad), "sheets[0].hp"),
        (("sound", "--bundle", "nope"), "sound has no such bundle"),
        (("sound", "--fights", "1001"), "1001 is not in the range 1<=x<=1000"),
        (("sound", "--seconds", "0"), "0 is not in the range 1<=x<=3600"),
        (("sound", "--seconds", str(CHECK_SECONDS_MAX + 1)), "3601 is not in the range"),
    ):
        result = affray("check-plugin", *args)
        assert (result.exit_code, result.stdout) == (2, ""), result.output
        assert told in result.stderr
        assert len(result.stderr.splitlines()) == 1


def test_a_name_that_is_offered_twice_is_a_finding(site: Path) -> None:
    """PLUG-1."""
    add(site, "one", FINE)
    add(site, "two", FINE, version="2")
    told = document("check-plugin", "sound", code=1)
    assert [one["code"] for one in told["findings"]] == ["unloadable"]
    assert "one 1.5" in told["findings"][0]["text"]
    assert "two 2" in told["findings"][0]["text"]


def test_where_a_check_stands_is_told_in_so_many_bytes(tmp_path: Path) -> None:
    """Law 9: at the bound and one past it."""
    path = tmp_path / "status"
    path.write_bytes(b" " * STATUS_BYTES)
    status = Status(str(path))
    status.stage("checking")
    status.at("p", "h" * (STATUS_BYTES - len("checking\tp\t")))
    assert read_status(path) == ("checking", "p", "h" * (STATUS_BYTES - 11))
    status.at("p", "h" * (STATUS_BYTES - 10))
    assert len(path.read_bytes()) == STATUS_BYTES
    status.at("plugin", "check")
    assert read_status(path) == ("checking", "plugin", "check")
    assert (CHECK_SECONDS, CHECK_SECONDS_MAX, IMPORT_SECONDS) == (120, 3600, 10)
    assert (FIGHTS, FIGHTS_MAX) == (6, 1000)
