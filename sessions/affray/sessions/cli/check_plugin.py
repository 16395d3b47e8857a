"""`affray check-plugin`: hold an installed plugin to its contract, in a process of its own."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import click
import msgspec

from affray.kernel import InputError
from affray.kernel.testing import RULE_CHECKS, Finding, Report
from affray.kernel.testing.bounds import FIGHTS

from ..catalog import HOUSE_RULES, SYSTEMS, Catalog, Offer
from ..encounter import Encounter, read_encounter
from ..views.texts import printable
from .checking import STATUS_BYTES, Job, Outcome, read_status
from .demo import find_demo
from .failures import FOUND
from .printing import CLEAR, print_json
from .reader import json_option

CHECK_SECONDS = 120
"""Seconds that a whole check may take, unless it is told another number."""

CHECK_SECONDS_MAX = 3600
"""Seconds that a check may be told to take, at most."""

FIGHTS_MAX = 1000
"""Fights that may be played, at most."""

IMPORT_SECONDS = 10
"""Seconds that importing a plugin may take."""

_BOOT = """
import sys, json
with open(sys.argv[1], encoding="utf-8") as file:
    sys.path[:] = json.load(file)["path"]
from affray.sessions.cli.checking import main
main(sys.argv[1])
"""


class Told(msgspec.Struct, frozen=True, kw_only=True):
    """A finding, with the distribution that the plugin comes from ("" where that is not known) and what to do."""

    code: str
    plugin: str
    distribution: str
    hook: str
    text: str
    where: str
    remedy: str


class Checked(msgspec.Struct, frozen=True, kw_only=True):
    """The document of `check-plugin --json`."""

    plugin: str
    kind: str
    over: str
    distribution: str
    version: str
    fights: int
    commands: int
    events: int
    findings: tuple[Told, ...]
    notes: tuple[str, ...]


@click.command("check-plugin")
@click.argument("name")
@click.option("--over", metavar="SYSTEM", default="", help="NAME is a house rule: check it over this rules system.")
@click.option(
    "--fight", type=click.Path(path_type=Path), help="Play with the sheets and options of this encounter file (default: a demo's)."
)
@click.option("--bundle", default="", metavar="NAME", help="Play with this bundle of the system's options.")
@click.option("--fights", default=FIGHTS, show_default=True, type=click.IntRange(1, FIGHTS_MAX), help="Play so many fights.")
@click.option("--seed", default="kit", metavar="TEXT", help="Play other fights.")
@click.option(
    "--seconds", default=CHECK_SECONDS, show_default=True, type=click.IntRange(1, CHECK_SECONDS_MAX), help="End it after so long."
)
@json_option
def command(
    name: str, over: str, fight: Path | None, bundle: str, fights: int, seed: str, seconds: int, as_json: bool
) -> int:
    """Check the installed plugin NAME: a rules system, or with --over a house rule.

    It runs in a process of its own and is played in fights that nobody wrote. The exit code is 1 when something is found.
    """
    offers = Catalog().offers()
    offer = find_offer(offers, HOUSE_RULES if over else SYSTEMS, name)
    system = find_offer(offers, SYSTEMS, over) if over else offer
    doubled = next((one for one in (offer, system) if one.problem), None)
    if doubled is not None:
        found = Finding(code="unloadable", plugin=doubled.id, hook="import", text=doubled.problem)
        report = Report(plugin=name, findings=(found,))
    else:
        report = _checked(offer, system, over, _with(system.id, fight), Play(bundle=bundle, fights=fights, seed=seed, seconds=seconds))
    document = _document(report, offer, over, offers)
    if as_json:
        print_json(document)
    else:
        _print(document)
    return FOUND if document.findings else 0


def find_offer(offers: tuple[Offer, ...], group: str, name: str) -> Offer:
    """What is installed under a name. Raises InputError that lists what there is."""
    found = next((one for one in offers if (one.group, one.id) == (group, name)), None)
    if found is not None:
        return found
    if group == SYSTEMS and any((one.group, one.id) == (HOUSE_RULES, name) for one in offers):
        raise InputError("is a house rule: say over which system it is to be checked, --over SYSTEM", path="NAME", value=name)
    known = ", ".join(dict.fromkeys([one.id for one in offers if one.group == group])) or "none"
    kind = "rules system" if group == SYSTEMS else "house rule"
    raise InputError(f"no {kind} of that name is installed; there are {known}", path="NAME", value=name)


def _with(system: str, fight: Path | None) -> Encounter | None:
    """The encounter whose sheets and options are played with: a file's, else a demo's of the system, if there is one."""
    if fight is not None:
        encounter = read_encounter(fight)
        if encounter.system != system:
            raise InputError(f"is a fight under {encounter.system}, not {system}", path=str(fight))
        return encounter
    try:
        return find_demo(system)[1]
    except InputError:
        return None


class Play(msgspec.Struct, frozen=True, kw_only=True):
    """How a plugin is played."""

    bundle: str
    fights: int
    seed: str
    seconds: int


def _checked(offer: Offer, system: Offer, over: str, encounter: Encounter | None, play: Play) -> Report:
    with tempfile.TemporaryDirectory(prefix="affray-check-") as folder:
        spec, status, outcome = (Path(folder) / name for name in ("job", "status", "outcome"))
        status.write_bytes(b" " * STATUS_BYTES)
        job = Job(
            path=tuple([entry or os.getcwd() for entry in sys.path]),
            group=offer.group,
            name=offer.id,
            over=over,
            sheets=() if encounter is None else tuple([one.sheet for one in encounter.combatants]),
            options={} if encounter is None else encounter.options,
            bundle=play.bundle or ("" if encounter is None else encounter.bundle),
            fights=play.fights,
            seed=play.seed,
            import_seconds=IMPORT_SECONDS,
            status=str(status),
            outcome=str(outcome),
        )
        spec.write_bytes(msgspec.json.encode(job))
        problem = _run(spec, status, play.seconds)
        if outcome.exists() and not problem:
            made = msgspec.json.decode(outcome.read_bytes(), type=Outcome)
            if made.report is None:
                raise InputError(made.misuse, path=system.id)
            return made.report
        _, plugin, hook = read_status(status)
        code = "endless" if problem.startswith("did not") else "breach" if hook != "import" else "unloadable"
        found = Finding(code=code, plugin=plugin or offer.id, hook=hook or "import", text=problem)
        return Report(plugin=offer.id, findings=(found,))


def _run(spec: Path, status: Path, seconds: int) -> str:
    """Run the check; why it has no outcome, "" where it has. With all that it started, its process is ended then."""
    with tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(
            [sys.executable, "-c", _BOOT, str(spec)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=errors,
            start_new_session=True,
        )
        try:
            code = _wait(process, status, seconds)
        finally:
            with contextlib.suppress(AttributeError, ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
            process.kill()
            process.wait()
        errors.seek(0)
        said = errors.read().decode(errors="replace").strip().splitlines()
    if code is None:
        return f"did not come to an end within {seconds} seconds"
    return f"ended its process with exit code {code}{f': {said[-1]}' if said else ''}" if code else ""


def _wait(process: subprocess.Popen[bytes], status: Path, seconds: int) -> int | None:
    """Wait for a process, and tell a terminal what it does. Its exit code; None where it takes too long."""
    until = time.monotonic() + seconds
    shown = ""
    while time.monotonic() < until:
        try:
            code = process.wait(0.1)
        except subprocess.TimeoutExpired:
            shown = _show(read_status(status)[0], shown)
        else:
            _show("", shown)
            return code
    _show("", shown)
    return None


def _show(stage: str, shown: str) -> str:
    """Tell a terminal what is being done."""
    if stage != shown and sys.stderr.isatty():
        click.echo(f"\r{CLEAR}{printable(stage)}", nl=False, err=True)
    return stage


def _document(report: Report, offer: Offer, over: str, offers: tuple[Offer, ...]) -> Checked:
    from_where = {one.id: f"{one.distribution} {one.version}".strip() for one in reversed(offers)}
    from_where[offer.id] = f"{offer.distribution} {offer.version}".strip()
    return Checked(
        plugin=offer.id,
        kind="house-rule" if over else "system",
        over=over,
        distribution=offer.distribution,
        version=offer.version,
        fights=report.fights,
        commands=report.commands,
        events=report.events,
        findings=tuple(
            [
                Told(
                    code=one.code,
                    plugin=one.plugin,
                    distribution=from_where.get(one.plugin, ""),
                    hook=one.hook,
                    text=one.text,
                    where=one.where,
                    remedy=RULE_CHECKS[one.code].remedy,
                )
                for one in report.findings
            ]
        ),
        notes=report.notes,
    )


def _print(document: Checked) -> None:
    over = f" over {document.over}" if document.over else ""
    source = f" ({document.distribution} {document.version})" if document.distribution else ""
    count = len(document.findings)
    found = f"{count} finding{'' if count == 1 else 's'}" if count else "nothing is wrong"
    played = f" in {document.fights} fights, {document.events} events" if document.fights else ""
    click.echo(f"{document.plugin}{over}{source}: {found}{played}")
    for one in document.findings:
        source = f"{one.distribution}, " if one.distribution else ""
        where = f" ({one.where})" if one.where else ""
        click.echo(printable(f"  {one.code}: {source}plugin {one.plugin}, hook {one.hook}: {one.text}{where}"))
        click.echo(f"    {one.remedy}")
    for note in document.notes:
        click.echo(printable(f"  note: {note}"))
