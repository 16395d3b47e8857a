"""`affray export`: a session's bytes as one reader may have them, in a file of their own."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click
import msgspec
from msgspec import UNSET

from affray.kernel import AffrayError, InputError

from .places import find
from .printing import print_json
from .reader import Reading, json_option, reader_option, session_argument


class Exported(msgspec.Struct, frozen=True, kw_only=True):
    """The document of `export --json`. `hidden` counts events of which the copy lacks parts."""

    session: str
    file: str
    reader: str
    version: int
    digest: str
    bytes: int
    hidden: int


@click.command("export")
@session_argument
@click.option("-o", "--output", "output", type=click.Path(dir_okay=False, path_type=Path), help="The file to write (default: standard output).")
@click.option("--force", is_flag=True, help="Write over a file that exists.")
@reader_option
@json_option
def command(session: str, output: Path | None, force: bool, reader: str, as_json: bool) -> int:
    """Write SESSION to a file, as one reader may have it.

    Seals, digests and versions are those of the original. `--for gm` copies everything that is kept; the dice's secrets
    are in no export.
    """
    if as_json and output is None:
        raise click.UsageError("--json needs -o, since the ledger itself goes to standard output", click.get_current_context())
    ledger = find(session)
    reading = Reading(ledger, reader)
    data = b"".join([line + b"\n" for line in (reading.header, *reading.lines)])
    if output is None:
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
        return 0
    if output.exists() and ledger.path.exists() and output.samefile(ledger.path):
        raise InputError("is the session itself; choose another file", path=str(output))
    _write(output, data, force=force)
    if as_json:
        hidden = sum(1 for event in reading.log.events if event.kept is not UNSET)
        print_json(
            Exported(
                session=reading.session,
                file=str(output),
                reader=reader,
                version=reading.version,
                digest=reading.digest,
                bytes=len(data),
                hidden=hidden,
            )
        )
    else:
        click.echo(f"{output}: version {reading.version} of {reading.session}, as {reader} may have it", err=True)
    return 0


def _write(path: Path, data: bytes, *, force: bool) -> None:
    """Make the file appear, whole or not at all."""
    fresh = path.with_name(f".{path.name}.{os.getpid()}.new")
    try:
        with fresh.open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if force:
            os.replace(fresh, path)
            return
        try:
            os.link(fresh, path)
        except FileExistsError:
            raise AffrayError(f"{path} exists; --force writes over it") from None
    finally:
        fresh.unlink(missing_ok=True)
