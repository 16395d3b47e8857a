"""The same fights in other processes: imported anew with the world blocked, and with texts that hash otherwise.

`Elsewhere` starts them and waits for what they found; `main` is what runs there.
"""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
import tempfile
from functools import partial, reduce
from pathlib import Path
from typing import Any

import msgspec

from .bounds import HASH_SEEDS, PROCESS_SECONDS
from .findings import Finding, Tally
from .player import Player, Setup, Tried
from .table import Book, Factory
from .watch import Watch, WatchedRules
from .world import blocked, changed, manners

_BOOT = """
import sys, json
with open(sys.argv[1], encoding="utf-8") as file:
    sys.path[:] = json.load(file)["path"]
from affray.kernel.testing.elsewhere import main
main(sys.argv[1])
"""


class Job(msgspec.Struct, frozen=True, kw_only=True):
    """What another process is to play: the plugins by their import names, the setup, and where the answer goes."""

    path: tuple[str, ...]
    system: str
    house: tuple[tuple[str, str], ...]
    setup: Setup
    answer: str


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """What came of it: the lines of every fight, what was found, what the import changed; `problem` where it failed."""

    fights: tuple[tuple[str, ...], ...] = ()
    findings: tuple[Finding, ...] = ()
    rude: tuple[str, ...] = ()
    problem: str = ""


def reference(factory: Factory) -> str:
    """A factory's import name, "module:name"; "" for one that another process cannot import."""
    module, name = getattr(factory, "__module__", ""), getattr(factory, "__qualname__", "")
    if module in ("", "__main__") or "<" in name:
        return ""
    try:
        found = _find(f"{module}:{name}")
    except (ImportError, AttributeError, ValueError):
        return ""
    return f"{module}:{name}" if found is factory else ""


def _find(name: str) -> Any:
    module, _, path = name.partition(":")
    return reduce(getattr, path.split("."), importlib.import_module(module))


class Elsewhere:
    """The other processes, one for each seed of the hash. Start them, do something else, then `wait`."""

    def __init__(self, system: str, house: dict[str, str], setup: Setup, seeds: tuple[int, ...] = HASH_SEEDS) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="affray-kit-")
        self._running: list[tuple[subprocess.Popen[bytes], Path]] = []
        try:
            for seed in seeds:
                self._running.append(self._start(system, house, setup, seed))
        except BaseException:
            self.close()
            raise

    def _start(self, system: str, house: dict[str, str], setup: Setup, seed: int) -> tuple[subprocess.Popen[bytes], Path]:
        folder = Path(self._folder.name)
        spec, answer = folder / f"{seed}.json", folder / f"{seed}.answer"
        path = tuple([entry or os.getcwd() for entry in sys.path])
        job = Job(path=path, system=system, house=tuple(house.items()), setup=setup, answer=str(answer))
        spec.write_bytes(msgspec.json.encode(job))
        environment = {**os.environ, "PYTHONHASHSEED": str(seed)}
        process = subprocess.Popen(
            [sys.executable, "-c", _BOOT, str(spec)],
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        return process, answer

    def wait(self, seconds: int = PROCESS_SECONDS) -> list[Answer]:
        """What each of them answers. One that takes longer is ended."""
        try:
            return [self._answer(process, path, seconds) for process, path in self._running]
        finally:
            self.close()

    @staticmethod
    def _answer(process: subprocess.Popen[bytes], path: Path, seconds: int) -> Answer:
        try:
            _, told = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            return Answer(problem=f"did not come to an end within {seconds} seconds")
        data = path.read_bytes() if path.exists() else b""
        if not data:
            lines = told.decode(errors="replace").strip().splitlines()
            return Answer(problem=f"ended with exit code {process.returncode}: {lines[-1] if lines else 'nothing was said'}")
        return msgspec.json.decode(data, type=Answer)

    def close(self) -> None:
        """End whatever still runs."""
        for process, _ in self._running:
            if process.poll() is None:
                process.kill()
                process.communicate()
        self._folder.cleanup()


def main(spec: str) -> None:
    """Play the fights of a job in this process, and write the answer."""
    job = msgspec.json.decode(Path(spec).read_bytes(), type=Job)
    tally = Tally()
    watch = Watch(tally)
    answer = Answer(problem="was broken off")
    with Path(job.answer).open("wb") as file, blocked(watch.hear_world):
        before = manners()
        try:
            system = _find(job.system)
            house = {name: _find(where) for name, where in job.house}
            rude = tuple(changed(before))
            book = Book(system, house, partial(WatchedRules, watch))
            fights: list[tuple[str, ...]] = []
            tried: dict[str, Tried] = {}
            with watch.time_limit():
                for number in range(job.setup.fights):
                    book.fresh()
                    fought = Player(book, job.setup, number, Tally(), tried).play()
                    fights.append(tuple([line.decode() for line in fought.table.lines]))
            answer = Answer(fights=tuple(fights), findings=tally.findings(), rude=rude)
        except (Exception, SystemExit) as error:
            answer = Answer(problem=f"raised {error!r}")
        file.write(msgspec.json.encode(answer))


__all__ = ["Answer", "Elsewhere", "main", "reference"]
