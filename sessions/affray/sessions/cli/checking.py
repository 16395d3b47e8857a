"""The process in which `check-plugin` lets a plugin run: everything that it may do to a process, it does to this one.

It is started with the name of a file that holds its `Job`, imports the plugin, checks it and writes an `Outcome` beside it. Where
it stands is told in a small file all the while, so that whoever started it knows even when it never comes back.
"""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Iterator
from importlib.metadata import entry_points
from pathlib import Path
from types import FrameType

import msgspec

from affray.kernel import AffrayError, Json
from affray.kernel.testing import Finding, Report, check_house_rule, check_rules

STATUS_BYTES = 300
"""Bytes of the file that tells where the check stands."""


class Job(msgspec.Struct, frozen=True, kw_only=True):
    """What to check: a system, or a house rule over one, by their names; with which sheets and options; where to tell of it."""

    path: tuple[str, ...]
    group: str
    name: str
    over: str
    sheets: tuple[dict[str, Json], ...]
    options: dict[str, Json]
    bundle: str
    fights: int
    seed: str
    import_seconds: int
    status: str
    outcome: str


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """What came of it: a report, or why there is none, which is the caller's fault (a sheet, an option)."""

    report: Report | None = None
    misuse: str = ""


class Status:
    """Where a check stands: what is being done, and whose hook is at work."""

    def __init__(self, path: str) -> None:
        self._file = os.open(path, os.O_WRONLY)
        self._write = os.pwrite  # before anybody blocks or replaces it
        self._stage = ""

    def stage(self, text: str) -> None:
        """Something else is being done."""
        self._stage = text
        self.at("", "")

    def at(self, plugin: str, hook: str) -> None:
        """A plugin is at work."""
        told = f"{self._stage}\t{plugin}\t{hook}".encode()[:STATUS_BYTES]
        self._write(self._file, told.ljust(STATUS_BYTES), 0)


def read_status(path: Path) -> tuple[str, str, str]:
    """What is being done, whose plugin and which hook is at work ("" for none)."""
    stage, _, rest = path.read_text("utf-8", "replace").rstrip().partition("\t")
    plugin, _, hook = rest.partition("\t")
    return stage, plugin.strip(), hook.strip()


class _Late(BaseException):
    """An import takes too long."""


@contextlib.contextmanager
def _at_most(seconds: int) -> Iterator[None]:
    def late(number: int, frame: FrameType | None) -> None:
        raise _Late

    if not hasattr(signal, "SIGALRM"):  # whoever waits for this process ends it in the end
        yield
        return
    signal.signal(signal.SIGALRM, late)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)


def main(spec: str) -> None:
    """Check the plugin of a job."""
    job = msgspec.json.decode(Path(spec).read_bytes(), type=Job)
    status = Status(job.status)
    status.stage(f"importing {job.name}")
    status.at(job.name, "import")
    try:
        outcome = _outcome(job, status)
    except AffrayError as error:
        outcome = Outcome(misuse=str(error))
    Path(job.outcome).write_bytes(msgspec.json.encode(outcome))


def _outcome(job: Job, status: Status) -> Outcome:
    if found := _imported(job):
        return Outcome(report=Report(plugin=job.name, findings=(found,)))
    status.stage(f"checking {job.name}")

    def progress(what: str) -> None:
        status.stage(f"checking {job.name}: {what}")

    if job.over:
        report = check_house_rule(
            job.name, over=job.over, sheets=job.sheets, options=job.options, bundle=job.bundle, fights=job.fights, seed=job.seed,
            progress=progress, entered=status.at,
        )  # fmt: skip
    else:
        report = check_rules(
            job.name, sheets=job.sheets, options=job.options, bundle=job.bundle, fights=job.fights, seed=job.seed,
            progress=progress, entered=status.at,
        )  # fmt: skip
    return Outcome(report=report)


def _imported(job: Job) -> Finding | None:
    """Import the plugin; what is wrong with that."""
    (point, *_) = entry_points(group=job.group, name=job.name)
    try:
        with _at_most(job.import_seconds):
            point.load()
    except _Late:
        text = f"importing it takes more than {job.import_seconds} seconds"
        return Finding(code="endless", plugin=job.name, hook="import", text=text)
    except (Exception, SystemExit) as error:
        return Finding(code="unloadable", plugin=job.name, hook="import", text=f"{point.value} cannot be imported: {error!r}")
    return None
