"""A store's folder on the disk: made durable, what is kept private in it, and caches. Knows no ledger and no session.

A name in a folder is durable when the folder was flushed after it appeared; a file's bytes when the file was.
"""

from __future__ import annotations

import os
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path

from affray.kernel import limits

from .writer import write_all

CACHE = ".cache"
"""How the name of a session's cache ends."""


def make_folder(path: Path) -> None:
    """Make a folder and those above it, durable."""
    if path.is_dir():
        return
    make_folder(path.parent)
    path.mkdir(exist_ok=True)
    with open_folder(path.parent) as parent:
        os.fsync(parent)


@contextmanager
def open_folder(path: Path) -> Generator[int, None, None]:
    """A folder's descriptor, for flushing and locking it."""
    fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        yield fd
    finally:
        os.close(fd)


def keep_secret(path: Path, folder: int, secret: bytes | None) -> None:
    """Make the secret durable before its session is; without one, drop what a creation that failed left behind."""
    path.unlink(missing_ok=True)
    if secret is None:
        return
    fd = open_fresh(path, 0o600)
    try:
        write_all(fd, secret)
        os.fsync(fd)
    finally:
        os.close(fd)
    os.fsync(folder)


def open_fresh(path: Path, mode: int) -> int:
    """A new empty file, whatever a creation that failed left in its place."""
    path.unlink(missing_ok=True)
    return os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_EXCL, mode)


def read_cache(path: Path) -> bytes | None:
    """What is in a cache, one byte more than may be at most; None where there is none, or none that can be read."""
    try:
        with path.open("rb") as file:
            return file.read(limits.SNAPSHOT_BYTES + 1)
    except FileNotFoundError:
        return None
    except OSError as error:
        _forget(path, error)
        return None


def write_cache(path: Path, data: bytes, owner: Path) -> None:
    """Make a cache anew, in one step and without waiting for the disk; not one whose owner is gone. Never fails."""
    fresh = path.with_name(f".{path.name}.new")
    try:
        if owner.exists():
            fresh.write_bytes(data)
            fresh.replace(path)
    except OSError as error:
        _forget(path, error)
        with suppress(OSError):
            fresh.unlink()


def _forget(path: Path, error: OSError) -> None:
    from ..logs import get_logger

    get_logger().info("cache not used", path=str(path), problem=error.strerror or str(error))


__all__ = ["CACHE", "keep_secret", "make_folder", "open_folder", "open_fresh", "read_cache", "write_cache"]
