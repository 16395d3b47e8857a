"""`affray verify`: bytes, chain, arithmetic and dice of logs, with every kept part there is and without any rules."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

import click
import msgspec
from msgspec import UNSET

from affray.kernel import GM, AffrayError, Chain, Damaged, Finding, Verdict, redact, verify

from ..views.texts import printable
from . import db
from .failures import FOUND, explain
from .places import complete_session, find, folder, is_path, store
from .printing import counted, print_json, progress
from .reader import json_option, reader_option

_HEAD = re.compile(r"([0-9]{1,15}):([0-9a-f]{64})", re.ASCII)

KEPT = "what is wrong there is kept from this reader"


class Verified(msgspec.Struct, frozen=True, kw_only=True):
    """The document of `verify --json`. `head` is what `--against` takes."""

    session: str
    version: int
    digest: str
    head: str
    commits: int
    hidden: int
    clean: bool
    findings: tuple[Finding, ...]
    dice: Any
    notes: tuple[str, ...]


def _head(ctx: click.Context, param: click.Parameter, value: str | None) -> tuple[int, str] | None:
    if value is None:
        return None
    match = _HEAD.fullmatch(value)
    if match is None:
        raise click.BadParameter("must be VERSION:DIGEST as an earlier verify printed it", ctx, param)
    return int(match[1]), match[2]


@click.command("verify")
@click.argument("names", nargs=-1, metavar="[SESSION]...", shell_complete=complete_session)
@click.option("--all", "every", is_flag=True, help="Every stored session, as without any SESSION.")
@click.option("--against", metavar="VERSION:DIGEST", callback=_head, help="A head that an earlier verify printed.")
@reader_option
@db.option
@json_option
def command(names: tuple[str, ...], every: bool, against: tuple[int, str] | None, reader: str, as_json: bool) -> int:
    """Check SESSION, and print its head as VERSION:DIGEST. Of several, or all that are stored: one line each.

    The exit code is 1 when something is found in any of them. With --json: a list, except for one named SESSION.
    """
    if every and names:
        raise click.UsageError("name sessions, or say --all", click.get_current_context())
    if against and len(names) != 1:
        raise click.UsageError("--against is for one SESSION", click.get_current_context())
    if len(names) == 1:
        verdict = verdict_of(names[0], against, reader)
        if as_json:
            print_json(verified(verdict))
        for line in () if as_json else told(verdict):
            click.echo(line)
        return 0 if verdict.is_clean else FOUND
    return _several(names or store().sessions(), reader, as_json)


def _several(names: Sequence[str], reader: str, as_json: bool) -> int:
    is_clean = True
    documents: list[Verified] = []
    for name in counted(names, "verifying"):
        try:
            verdict = verdict_of(name, None, reader)
        except (AffrayError, OSError) as error:
            verdict = _unchecked(name, "unreadable", explain(error)[0])
        is_clean = is_clean and verdict.is_clean
        if as_json:
            documents.append(verified(verdict))
        else:
            click.echo(in_a_line(name, verdict))
    if as_json:
        print_json(documents)
    elif not names:
        click.echo(f"no sessions in {folder()}")
    return 0 if is_clean else FOUND


def verdict_of(name: str, against: tuple[int, str] | None, reader: str) -> Verdict:
    """What verifying a SESSION finds, as one reader may know it. Raises NoSuchSession, OSError, InputError."""
    lines: list[bytes] = []
    try:
        ledger = find(name)
    except Damaged as damage:
        return _unchecked(name, "damaged", str(damage), damage.version)
    stream = _keeping(progress(ledger.lines, ledger.size, "verifying"), lines)
    return for_reader(verify(stream, against, ledger.where), lines, reader)


def _unchecked(name: str, code: str, problem: str, version: int = 0) -> Verdict:
    """The verdict on what cannot be read at all."""
    found = Finding(version=version, code=code, text=problem)
    return msgspec.structs.replace(verify(()), session="" if is_path(name) else name, findings=(found,))


def verified(verdict: Verdict) -> Verified:
    """A verdict as a document."""
    return Verified(
        session=verdict.session,
        version=verdict.version,
        digest=verdict.digest,
        head=head_of(verdict),
        commits=verdict.commits,
        hidden=verdict.hidden,
        clean=verdict.is_clean,
        findings=verdict.findings,
        dice=verdict.dice,
        notes=verdict.notes,
    )


def _keeping(lines: Iterator[bytes], kept: list[bytes]) -> Iterator[bytes]:
    for line in lines:
        kept.append(line)
        yield line


def head_of(verdict: Verdict) -> str:
    """The head that was verified, as `--against` takes it."""
    return f"{verdict.version}:{verdict.digest}"


def told(verdict: Verdict) -> Iterator[str]:
    """A verdict as lines of text."""
    yield from findings(verdict)
    yield f"{verdict.session or 'nothing'}: {state_of(verdict)}"
    yield f"dice: {dice_text(verdict)}"
    if verdict.hidden:
        yield f"{verdict.hidden} events have parts that are not in this copy, and were not checked"
    yield from verdict.notes
    yield f"head: {head_of(verdict)}"


def findings(verdict: Verdict) -> Iterator[str]:
    """What was found, a line each."""
    for finding in verdict.findings:
        yield f"version {finding.version}: {finding.code}: {printable(finding.text)}"


def state_of(verdict: Verdict) -> str:
    """Whether it is clean, and how much was checked."""
    count = len(verdict.findings)
    state = "clean" if verdict.is_clean else f"{count} finding{'' if count == 1 else 's'}"
    return f"{state}; {verdict.version} events in {verdict.commits} commits"


def in_a_line(name: str, verdict: Verdict) -> str:
    """A verdict as one line: clean with its head, or what was found first."""
    first = next((f"; {line}" for line in findings(verdict)), f"; head: {head_of(verdict)}")
    return f"{printable(name)}: {state_of(verdict)}{first}"


def dice_text(verdict: Verdict) -> str:
    """What can be said of the dice."""
    dice = verdict.dice
    counts = [
        (dice.engine, "thrown by the engine"),
        (dice.scripted, "from a script"),
        (dice.reported, "reported from the table"),
        (dice.imported, "imported"),
        (dice.overruled, "set by the game master"),
    ]
    parts = [f"{count} {what}" for count, what in counts if count]
    if not parts:
        return "none were rolled"
    if dice.engine:
        proven = f"{dice.proven} of the engine's recomputed from the secrets that were opened"
        parts.append(proven + (f", {dice.unrevealed} not opened yet" if dice.unrevealed else ""))
        if not dice.nonces:
            parts.append("not proven against the host, since no player's client sent a nonce")
    return "; ".join(parts)


def for_reader(verdict: Verdict, lines: list[bytes], reader: str) -> Verdict:
    """A verdict without the details of findings in events of which the reader may not see everything."""
    if reader == GM or not verdict.findings:
        return verdict
    kept = set(_kept_versions(lines, reader))
    findings = [
        msgspec.structs.replace(finding, text=KEPT) if finding.version in kept else finding
        for finding in verdict.findings
    ]
    return msgspec.structs.replace(verdict, findings=tuple(findings))


def _kept_versions(lines: list[bytes], reader: str) -> Iterator[int]:
    """Versions of which the reader lacks something, as far as the log can be read."""
    try:
        whole, part = Chain(lines[0]), Chain(lines[0])
        for line in lines[1:]:
            whole.accept(line)
            commit = part.accept(redact(line, reader))
            yield from [commit.first + i for i, event in enumerate(commit.events) if event.kept is not UNSET]
    except (AffrayError, IndexError):
        return
