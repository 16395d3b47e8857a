"""Which sentence and which exit code an error becomes."""

from __future__ import annotations

from affray.kernel import (
    AffrayError,
    Damaged,
    InputError,
    NoSuchSession,
    PluginUnavailable,
)

from ..views.texts import printable

FOUND = 1
MISUSED = 2


def explain(error: Exception) -> tuple[str, int]:
    """One sentence for a person, and the exit code."""
    if isinstance(error, InputError | NoSuchSession):
        return printable(str(error).removeprefix("$: ")), MISUSED
    if isinstance(error, OSError):
        where = f"{error.filename}: " if error.filename else ""
        return printable(f"{where}{error.strerror or error}"), MISUSED
    if isinstance(error, Damaged):
        hint = "; nothing from there on is used ('affray verify' says more)" if error.line > 1 else ""
        return printable(f"{error}{hint}"), FOUND
    if isinstance(error, PluginUnavailable):
        return printable(f"{error} ('affray plugins' lists what is)"), FOUND
    if isinstance(error, AffrayError):
        return printable(str(error)), FOUND
    return printable(f"something went wrong inside: {error!r} (AFFRAY_DEBUG=1 shows where)"), FOUND
