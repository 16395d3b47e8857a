"""`affray verify`: bytes, chain, arithmetic and dice of a log, with every kept part there is and without any rules."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import click
import msgspec
from msgspec import UNSET

from affray.kernel import GM, AffrayError, Chain, Damaged, Finding, Verdict, redact, verify

from ..views.texts import printable
from .failures import FOUND
from .places import find
from .printing import print_json, progress
from .reader import json_option, reader_option, session_argument

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
@session_argument
@click.option("--against", metavar="VERSION:DIGEST", callback=_head, help="A head that an earlier verify printed.")
@reader_option
@json_option
def command(session: str, against: tuple[int, str] | None, reader: str, as_json: bool) -> int:
    """Check SESSION, and print its head as VERSION:DIGEST."""
    lines: list[bytes] = []
    try:
        ledger = find(session)
    except Damaged as damage:
        found = Finding(version=damage.version, code="damaged", text=str(damage))
        verdict = msgspec.structs.replace(verify(()), findings=(found,))
    else:
        stream = _keeping(progress(ledger.lines, ledger.size, "verifying"), lines)
        verdict = for_reader(verify(stream, against, ledger.where), lines, reader)
    if as_json:
        print_json(
            Verified(
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
        )
    else:
        for line in told(verdict):
            click.echo(line)
    return 0 if verdict.is_clean else FOUND


def _keeping(lines: Iterator[bytes], kept: list[bytes]) -> Iterator[bytes]:
    for line in lines:
        kept.append(line)
        yield line


def head_of(verdict: Verdict) -> str:
    """The head that was verified, as `--against` takes it."""
    return f"{verdict.version}:{verdict.digest}"


def told(verdict: Verdict) -> Iterator[str]:
    """A verdict as lines of text."""
    for finding in verdict.findings:
        yield f"version {finding.version}: {finding.code}: {printable(finding.text)}"
    count = len(verdict.findings)
    state = "clean" if verdict.is_clean else f"{count} finding{'' if count == 1 else 's'}"
    yield f"{verdict.session or 'nothing'}: {state}; {verdict.version} events in {verdict.commits} commits"
    yield f"dice: {dice_text(verdict)}"
    if verdict.hidden:
        yield f"{verdict.hidden} events have parts that are not in this copy, and were not checked"
    yield from verdict.notes
    yield f"head: {head_of(verdict)}"


def dice_text(verdict: Verdict) -> str:
    """What can be said of the dice."""
    dice = verdict.dice
    counts = [
        (dice.engine, "thrown by the engine"),
        (dice.scripted, "from a script"),
        (dice.reported, "reported from the table"),
        (dice.imported, "imported"),
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
