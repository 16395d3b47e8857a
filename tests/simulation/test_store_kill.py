"""kill -9 at random points of durable appends: what was acknowledged is there, and what was in doubt settles by a retry."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from ..support.ram import ram_folder

SEED = 20240229
KILLS = 200

NURSERY = """
import json, os, random, signal, sys, time
from affray.kernel import Chain
from affray.kernel.testing import Scribe
from affray.sessions.stores import sqlite_database
from affray.sessions.stores.sqlite import SqliteStore

folder, seed, kills = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
chance = random.Random(seed)
sqlite_database.SETTINGS += "PRAGMA wal_autocheckpoint=40;"  # fold the log in often, so that it is killed there, too

def unit(scribe):
    # The next commit or group: the same for everybody who stands at the same version.
    version = scribe.version
    if version % 3:
        return (scribe.note("schlägt zu " * (version % 700)),)
    return scribe.group(f"g{version}", ["eins — 🐉" * 30, "zwei", "drei" * 500])

def at(session, version, digest):
    scribe = Scribe(session)
    scribe.version, scribe.digest = version, digest
    return scribe

def appends(session, told):
    store = SqliteStore(folder)
    scribe = at(session, *store.head(session))
    while True:
        version = scribe.version
        store.append(session, unit(scribe), version)
        os.write(told, f"{scribe.version} {scribe.digest}\\n".encode())

def verified(store, session):
    header, *lines = store.read(session)
    chain = Chain(header)
    return chain, {commit.last: commit.digest for commit in map(chain.accept, lines)}

found = {"acknowledged": 0, "stored": 0, "not stored": 0, "before any": 0}
for number in range(kills):
    session = f"fight-{number // 10}"
    if number % 10 == 0:
        store, scribe = SqliteStore(folder), Scribe(session)
        store.create(scribe.header, [scribe.note("one")])
        store.close()
        last = (scribe.version, scribe.digest)
        acknowledged = dict([last])
    reads, writes = os.pipe()
    child = os.fork()  # nothing of SQLite is open here, and a fork is far quicker than a new interpreter
    if not child:
        appends(session, writes)
    os.close(writes)
    heard = b""
    if chance.random() < 0.8:
        heard = os.read(reads, 1)
        time.sleep(chance.random() * 0.015)
    else:
        time.sleep(chance.random() * 0.008)  # perhaps it has not even opened the session
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    while more := os.read(reads, 65536):
        heard += more
    os.close(reads)
    told = [line.split() for line in heard.decode().splitlines(keepends=True) if line.endswith("\\n")]
    acknowledged.update({int(version): digest for version, digest in told})
    found["acknowledged"] += len(told)
    found["before any"] += not told
    last = max(acknowledged.items())

    where = f"seed {seed}, kill {number}"
    store = SqliteStore(folder)
    chain, digests = verified(store, session)
    assert acknowledged == {version: digests.get(version) for version in acknowledged}, where
    doubtful, then = at(session, *last), at(session, *last)
    commits = unit(doubtful)
    stored = chain.version > last[0]
    assert not stored or (chain.version, chain.digest) == (doubtful.version, doubtful.digest), where
    found["stored" if stored else "not stored"] += 1
    again = store.append(session, unit(then), last[0])  # the identical retry
    assert [c.line for c in commits] == [c.line for c in again], where
    after = (doubtful.version, doubtful.digest)
    commits = unit(doubtful)
    assert commits == store.append(session, commits, after[0]), where
    chain, digests = verified(store, session)
    assert (chain.version, chain.digest) == (doubtful.version, doubtful.digest), where
    acknowledged.update([after, (doubtful.version, doubtful.digest)])
    store.close()
print(json.dumps(found))
"""


def killed(folder: Path, seed: int) -> dict[str, int]:
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", NURSERY, str(folder), str(seed), str(KILLS // 2)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found: dict[str, int] = json.loads(done.stdout)
    return found


def test_killed_on_a_disk(tmp_path: Path) -> None:
    """Most of these die while they wait for the disk."""
    judge(killed(tmp_path, SEED))


def test_killed_in_memory() -> None:
    """Where nobody waits for a disk, they die everywhere else."""
    with ram_folder() as folder:
        judge(killed(folder, SEED + 1))


def judge(found: dict[str, int]) -> None:
    """The points were spread as they should be: the checks themselves were made after every kill."""
    print(found)
    assert found["stored"] + found["not stored"] == KILLS // 2
    assert found["not stored"] > 0
    assert found["acknowledged"] > KILLS // 4
    assert found["before any"] < KILLS // 4
