"""A thousand power losses: whatever the disk forgets that was not flushed, no acknowledged commit is lost.

One run of the store is recorded, write by write; then the power fails a thousand times somewhere in it, and each time
the store must go on from one of the many sets of files that could be found (see `tests/support/power.py`).
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import NamedTuple

import pytest

from affray.kernel import Chain, Commit, Damaged
from affray.kernel.testing import Scribe
from affray.sessions.stores import sqlite_database
from affray.sessions.stores.sqlite import SqliteStore

from ..support.power import Disk, Op, RecordingVfs
from ..support.ram import ram_folder

SEED = 20240229
LOSSES = 1000
APPENDS = 100

Units = list[tuple[Commit, ...]]


@pytest.fixture
def folder() -> Iterator[Path]:
    with ram_folder() as folder:
        yield folder


class Recording(NamedTuple):
    """What was on the disk, what was done then, and the commits in the order in which they were acknowledged."""

    files: dict[str, bytes]
    journal: list[Op]
    units: Units


def record(folder: Path, monkeypatch: pytest.MonkeyPatch, chance: Random, synchronous: str) -> Recording:
    """Append for a while, with a log that is folded in and begun anew often, and a store that is closed now and then."""
    settings = sqlite_database.SETTINGS.replace("=FULL", f"={synchronous}", 1) + "PRAGMA wal_autocheckpoint=24;"
    store, scribe = SqliteStore(folder), Scribe()
    units: Units = [(scribe.note("one"),)]
    store.create(scribe.header, units[0])
    files = {path.name: path.read_bytes() for path in folder.iterdir()}
    vfs = RecordingVfs(f"recording-{synchronous}")
    real = os.pwrite

    def pwrite(fd: int, data: bytes, offset: int) -> int:
        vfs.journal.append(Op("write", "fight.head", offset, bytes(data)))
        return real(fd, data, offset)

    with monkeypatch.context() as patch:
        patch.setattr(os, "pwrite", pwrite)
        patch.setattr(sqlite_database, "SETTINGS", settings)
        vfs.journal.append(Op("ack", at=1))
        for turn in range(APPENDS):
            text = "x" * chance.choice((10, 500, 4000))
            unit = scribe.group(f"g{turn}", [text, "y", "z"]) if turn % 5 == 4 else (scribe.note(text),)
            store.append("fight", unit, unit[0].first - 1)
            units.append(unit)
            vfs.journal.append(Op("ack", at=len(units)))
            if chance.random() < 0.05:
                store.close()
        store.close()
    vfs.unregister()
    return Recording(files, vfs.journal, units)


class Loss(NamedTuple):
    """What is found after one loss, and how many units were acknowledged by then."""

    folder: Path
    acknowledged: int


def losses(recording: Recording, chance: Random, count: int) -> Iterator[Loss]:
    """Let the power fail at random points of what was recorded."""
    points = sorted(chance.sample(range(len(recording.journal)), count))
    disk = Disk(recording.files)
    with ram_folder() as place:
        for at, op in enumerate(recording.journal):
            disk.do(op)
            if points and points[0] == at:
                points.pop(0)
                for path in place.iterdir():
                    path.unlink()
                for name, data in disk.after_loss(chance).items():
                    (place / name).write_bytes(data)
                yield Loss(place, disk.acknowledged)


def stored(folder: Path, units: Units) -> tuple[int, Damaged | None]:
    """How many units there are, read through the chain, and the damage behind them: the head record knows of more."""
    lines: list[bytes] = []
    damage = None
    try:
        stream = SqliteStore(folder).read("fight")
        chain = Chain(next(stream))
        for line in stream:
            chain.accept(line)
            lines.append(line)
    except Damaged as found:
        damage = found
    count = next(i for i in range(len(units) + 1) if sum(map(len, units[:i])) >= len(lines))
    assert [commit.line for unit in units[:count] for commit in unit] == lines, "each unit is there as a whole"
    return count, damage


def test_nothing_acknowledged_is_lost(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor does a head record ever lead; and the command in doubt, sent again, is stored once."""
    print(f"seed {SEED}")
    chance = Random(SEED)
    recording = record(folder / "store", monkeypatch, chance, "FULL")
    units = recording.units
    went_in = 0
    for number, loss in enumerate(losses(recording, chance, LOSSES)):
        count, damage = stored(loss.folder, units)
        assert damage is None, f"loss {number}: {damage}"
        assert loss.acknowledged <= count <= loss.acknowledged + 1, f"loss {number}: {loss}, {count}"
        went_in += count - loss.acknowledged
        store = SqliteStore(loss.folder)
        for unit in units[loss.acknowledged : loss.acknowledged + 2]:
            assert unit[0].digest == store.append("fight", unit, unit[0].first - 1)[0].digest
        end = units[min(loss.acknowledged + 2, len(units)) - 1][-1]
        assert (end.last, end.digest) == store.head("fight"), f"loss {number}"
        store.close()
    assert 0 < went_in < LOSSES, "commits in doubt go both ways"
    assert {"ack", "create", "delete", "sync", "write"} <= {op.what for op in recording.journal}


def test_less_than_full_loses(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The simulated disk can lose: with synchronous=NORMAL it does, often. The head record tells where it was luckier."""
    print(f"seed {SEED}")
    chance = Random(SEED)
    recording = record(folder / "store", monkeypatch, chance, "NORMAL")
    lost = told = 0
    for loss in losses(recording, chance, LOSSES // 5):
        count, damage = stored(loss.folder, recording.units)
        lost += count < loss.acknowledged
        told += damage is not None
    assert lost > LOSSES // 5 // 5
    assert 0 < told < lost


def test_a_secret_and_its_session_are_durable(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """When `create` returns, secret, database and both their names were flushed, in an order that never lacks the secret."""
    flushed: list[set[str]] = []
    names: dict[int, str] = {}
    real_open, real_fsync = os.open, os.fsync
    durable: set[str] = set()

    def opened(path: str | Path, flags: int, mode: int = 0o777, **more: int) -> int:
        fd = real_open(path, flags, mode, **more)
        names[fd] = Path(path).name
        return fd

    def fsync(fd: int) -> None:
        real_fsync(fd)
        if names[fd] == "store":
            durable.update(name for name in os.listdir(folder / "store") if name in durable or f"bytes of {name}" in durable)
            flushed.append({name for name in durable if not name.startswith("bytes")})
        else:
            durable.add(f"bytes of {names[fd].removeprefix('.').removesuffix('.new')}")

    monkeypatch.setattr(os, "open", opened)
    monkeypatch.setattr(os, "fsync", fsync)
    SqliteStore(folder / "store").create(Scribe().header, [], b"secret")
    assert [{"fight.private"}, {"fight.private", "fight.sqlite"}] == flushed
