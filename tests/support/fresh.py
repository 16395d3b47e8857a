"""A fresh environment: Affray installed from its wheel and others from theirs, without the network.

What they all need (msgspec, click, pytest, hatchling, pip) is borrowed from the environment that runs the tests, below what is
installed; an editable Affray of that environment is not seen, since nobody reads its `.pth` files there.
"""

from __future__ import annotations

import atexit
import os
import shutil
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]

HIDDEN = ("AFFRAY_", "PYTHON", "PYTEST_", "PIP_", "NO_COLOR", "COLUMNS", "CI", "VIRTUAL_ENV")
"""What a variable of the surrounding environment begins with, if it must not reach a fresh one."""

SET = {
    "PIP_NO_INDEX": "1",
    "PIP_NO_BUILD_ISOLATION": "0",
    "PIP_NO_COMPILE": "1",
    "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    "PYTHONUTF8": "1",
}
"""Variables of a fresh environment. The "0" switches `--no-build-isolation` on: a variable turns round what has no value."""

SECONDS = 120
"""How long one command may take."""


class Fresh:
    """An environment in a folder. `home` is where its `affray` keeps sessions."""

    def __init__(self, folder: Path, *wheels: Path) -> None:
        self.folder = folder
        self.home = folder / "home"
        self.python = folder / "bin" / "python"
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True, timeout=SECONDS)
        self._pip("install", "--quiet", "--no-deps", affray_wheel(), *wheels)
        (site,) = folder.glob("lib/python*/site-packages")
        borrowed = [path for path in sys.path if Path(path).name in ("site-packages", "dist-packages")]
        (site / "borrowed.pth").write_text("".join([f"{path}\n" for path in borrowed]), "utf-8")
        self.site = site

    def _pip(self, *args: str | Path) -> None:
        command = [sys.executable, "-m", "pip", "--python", self.python, *args]
        subprocess.run(command, check=True, env=self.environment(), timeout=SECONDS)

    def environment(self) -> dict[str, str]:
        """The variables that a command sees."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith(HIDDEN)}
        path = os.pathsep.join([str(self.python.parent), os.environ.get("PATH", os.defpath)])
        return {**kept, **SET, "PATH": path, "AFFRAY_HOME": str(self.home)}

    def shell(self, line: str, folder: Path) -> subprocess.CompletedProcess[str]:
        """Run a line of a shell in a folder; what it prints and what it complains of are one text."""
        return subprocess.run(
            ["bash", "-c", line],
            cwd=folder,
            env=self.environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            timeout=SECONDS,
            check=False,
        )

    def must(self, line: str, folder: Path) -> str:
        """Run a line that has to succeed; what it printed."""
        done = self.shell(line, folder)
        assert done.returncode == 0, f"{line}: exit code {done.returncode}\n{done.stdout}"
        return done.stdout


@cache
def affray_wheel() -> Path:
    """The wheel of this source tree, built once for all tests."""
    folder = Path(tempfile.mkdtemp(prefix="affray-wheel-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return wheel(ROOT, folder)


def wheel(source: Path, into: Path) -> Path:
    """Build the wheel of a distribution by its own backend, hatchling."""
    program = "import sys, hatchling.build; print(hatchling.build.build_wheel(sys.argv[1]))"
    done = subprocess.run(
        [sys.executable, "-c", program, into], cwd=source, capture_output=True, text=True, timeout=SECONDS, check=False
    )
    assert done.returncode == 0, done.stderr
    return into / done.stdout.splitlines()[-1]


__all__ = ["Fresh", "affray_wheel", "wheel"]
