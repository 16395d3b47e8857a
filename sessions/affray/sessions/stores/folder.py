"""A store's folder on the disk: made durable, and what is kept private in it. Knows no ledger and no session.

A name in a folder is durable when the folder was flushed after it appeared; a file's bytes when the file was.
"""

from __future__ import annotations

import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from .writer import write_all


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


__all__ = ["keep_secret", "make_folder", "open_folder", "open_fresh"]
