"""House style, tests: under CI a skipped test fails the run (tests/conftest.py)."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from .source import ROOT

PASSES = "def test_a(): pass\n"
FAILS = "def test_a(): assert False\n"
SKIPS = "import pytest\ndef test_a(): pytest.skip('no reason')\n"
SKIPS_MODULE = "import pytest\npytest.importorskip('no_such_module')\n"
EXPECTS_FAILURE = "import pytest\n@pytest.mark.xfail\ndef test_a(): assert False\n"


@pytest.mark.parametrize(
    ("text", "ci", "status"),
    [
        pytest.param(PASSES, "true", 0, id="passes-in-ci"),
        pytest.param(SKIPS, "true", 1, id="skips-in-ci"),
        pytest.param(SKIPS, "", 0, id="skips-at-home"),
        pytest.param(EXPECTS_FAILURE, "true", 1, id="xfails-in-ci"),
        pytest.param(FAILS, "", 1, id="fails-at-home"),
    ],
)
def test_status_of_a_run(tmp_path: Path, text: str, ci: str, status: int) -> None:
    """House style, tests: a run is green only when every test ran, and only CI insists on it."""
    (tmp_path / "test_one.py").write_text(PASSES)
    (tmp_path / "test_sample.py").write_text(text)
    assert status == _run(tmp_path, ci).returncode


def test_a_skipped_module_is_named(tmp_path: Path) -> None:
    """House style, tests: a module that skips itself counts too, and the closing line is still pytest's own."""
    (tmp_path / "test_one.py").write_text(PASSES)
    (tmp_path / "test_sample.py").write_text(SKIPS_MODULE)
    done = _run(tmp_path, "true")
    assert done.returncode == 1
    assert "skipped test_sample.py" in done.stdout
    assert "1 passed, 1 skipped" in done.stdout.splitlines()[-1]


def _run(folder: Path, ci: str) -> subprocess.CompletedProcess[str]:
    (folder / "conftest.py").write_text((ROOT / "tests/conftest.py").read_text("utf-8"))
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "CI"))
    }
    return subprocess.run(
        [sys.executable, "-m", "pytest", "--rootdir=.", "-p", "no:cacheprovider"],
        cwd=folder,
        env=environment | {"CI": ci, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
    )
