"""The program as a process: hidden plugins, pipes, colour, interrupts, streams that cannot say everything."""

from __future__ import annotations

import json
import os
import pty
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from affray.plugins.nyra import make
from affray.sessions import Catalog, Engine, JsonlStore, Session
from affray.sessions.cli.demo import find_demo
from affray.sessions.encounter import run_encounter
from affray.sessions.stores.sqlite import SqliteStore

from ...support.cli import environment, hidden
from ...support.table import Fixed, must

RUN = """
import sys
from importlib.metadata import EntryPoint
import affray.sessions.catalog as catalog
point = EntryPoint("nyra", "affray.plugins.nyra:make", "affray.systems")
catalog.entry_points = lambda group: [point] if group == point.group else []
from affray.sessions.cli import main
main()
"""
"""The program with the nyra plugin, however this environment was installed."""

ENDLESS = """
system = "nyra"
commands = 10000

[[combatants]]
id = "ada"
side = "red"
controller = "ada"
sheet = { STR = 1, AGI = 6, CON = 1000, sequence = 5, skills = { Swords = 7 }, weapons = [{ key = "sword", base = "short-sword" }] }

[[combatants]]
id = "bram"
side = "blue"
controller = "bram"
sheet = { STR = 1, AGI = 6, CON = 1000, sequence = 4, skills = { Swords = 7 }, weapons = [{ key = "sword", base = "short-sword" }] }

[auto."*"]
moves = [{ action = "end-turn" }]
"""


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def duel(home: Path) -> Session:
    """The demo's duel, stored; its title holds more than ASCII."""
    store = JsonlStore(home / "sessions")
    _, encounter = find_demo("duel")
    session = run_encounter(Engine(store, Catalog(systems={"nyra": make}, points=()), Fixed()), encounter, session="duel")
    must(session.note("Ende — 終わり"))
    store.close()
    return session


def affray(home: Path, *args: str, **env: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", RUN, *args],
        env=environment(home, **env),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        errors="replace",
    )


def on_terminal(home: Path, *args: str, **env: str) -> str:
    """What the program prints on a terminal."""
    master, slave = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-c", RUN, *args], env=environment(home, **{"TERM": "xterm-256color", **env}), stdout=slave, stderr=slave
    ) as process:
        os.close(slave)
        printed = b""
        while True:
            try:
                chunk = os.read(master, 65536)
            except OSError:  # how a terminal says that nobody writes any more
                break
            if not chunk:
                break
            printed += chunk
        assert process.wait(timeout=60) == 0
    os.close(master)
    return printed.decode()


@pytest.mark.parametrize(
    "args", [("log",), ("log", "--all", "--json"), ("show",), ("show", "--at", "20"), ("replay",), ("replay", "--json"), ("verify",), ("export",)]
)
def test_a_log_is_read_with_its_plugin_uninstalled(home: Path, duel: Session, args: tuple[str, ...]) -> None:
    """Law 2: read, folded, rendered and verified with no rules system installed."""
    done = hidden(home, args[0], duel.id, *args[1:])
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    if args == ("replay",):
        assert "Bram takes 12 C damage to left arm: 12 = 3 + 4 + 2 (3d6) + 3 (STR 7)." in done.stdout
    if args == ("verify",):
        assert f"head: {duel.head}:{duel.digest}" in done.stdout


def test_without_any_plugin_nothing_is_played(home: Path) -> None:
    assert hidden(home, "plugins").stdout == "no rules plugin is installed\n"
    done = hidden(home, "demo")
    assert (done.returncode, done.stdout) == (1, "")
    assert "plugin 'nyra': is not installed" in done.stderr


def test_a_pipe_that_is_closed_is_quiet(home: Path, duel: Session) -> None:
    for args in (("log", "duel", "--all", "--json"), ("replay", "duel"), ("export", "duel")):
        with affray(home, *args) as process:
            assert process.stdout is not None
            assert process.stderr is not None
            process.stdout.readline()
            process.stdout.close()
            assert process.stderr.read() == ""
            assert process.wait(timeout=60) in (0, 141)


def test_a_terminal_gets_colour_unless_it_is_not_wanted(home: Path, duel: Session) -> None:
    coloured = on_terminal(home, "replay", "duel")
    assert "\r\n\r\n\x1b[1;36mPhase 1: Ada's turn\x1b[0m\r\n  \x1b[1mAda strikes" in coloured
    assert "\x1b[" not in on_terminal(home, "replay", "duel", NO_COLOR="1")
    assert "\x1b[" not in on_terminal(home, "replay", "duel", TERM="dumb")
    with affray(home, "replay", "duel") as process:
        out, _ = process.communicate(timeout=60)
    assert "\x1b" not in out


def test_a_stream_that_cannot_say_everything_says_the_rest(home: Path, duel: Session) -> None:
    with affray(home, "log", "duel", PYTHONIOENCODING="latin-1") as process:
        out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    assert "Note: Ende ? ???." in out


def test_an_interrupted_run_says_where_the_session_stands(home: Path, tmp_path: Path) -> None:
    path = tmp_path / "endless.toml"
    path.write_text(ENDLESS)
    with affray(home, "run", str(path), "--session", "endless") as process:
        stored = home / "sessions" / "endless.sqlite"
        log = stored.with_name(f"{stored.name}-wal")
        until = time.monotonic() + 60
        while time.monotonic() < until and not (log.exists() and log.stat().st_size > 100_000):
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert "interrupted; session endless stands at version" in err
    assert str(stored) in err
    assert "Traceback" not in out + err
    verified = hidden(home, "verify", "endless")
    assert verified.returncode == 0, verified.stdout
    store = SqliteStore(home / "sessions")
    session = Engine(store, Catalog(systems={"nyra": make}, points=())).load("endless")
    assert session.problem is None
    assert session.end_turn(session.state().turn)
    store.close()


def test_help_imports_no_kernel_and_no_rich(home: Path) -> None:
    probe = (
        "import sys\nfrom affray.sessions.cli import main\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "print([name for name in ('affray.kernel', 'msgspec', 'pluggy', 'structlog', 'rich') if name in sys.modules])"
    )
    for args in (["--help"], []):
        done = subprocess.run(
            [sys.executable, "-c", probe, *args], env=environment(home), capture_output=True, text=True, timeout=60, check=True
        )
        assert done.stdout.splitlines()[-1] == "[]"


def test_the_module_runs_as_the_program(home: Path, duel: Session) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "affray.sessions.cli", "show", "duel", "--json"],
        env=environment(home),
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert json.loads(done.stdout)["session"] == "duel"


def test_a_reader_who_goes_away_is_not_told_of_and_stops_no_fight(tmp_path: Path) -> None:
    """As in `affray demo | head`."""
    script = "set -o pipefail; " + " ".join([shlex.quote(sys.executable), "-c", shlex.quote(RUN), "demo"]) + " | head -2"
    done = subprocess.run(
        ["bash", "-c", script], env=environment(tmp_path), capture_output=True, text=True, timeout=60, check=False
    )

    assert (2, "") == (len(done.stdout.splitlines()), done.stderr)
    assert 1 == len(list((tmp_path / "sessions").glob("*.sqlite")))
