"""Databases with flipped bits, cut and replaced ends, and logs that are gone: everything that is read is right, or the
damage is named, and no other session suffers from it.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

import apsw
import pytest

from affray.kernel import AffrayError, Chain, Commit, Damaged, Group, SessionExists, UnknownKind
from affray.kernel.testing import Scribe
from affray.sessions.stores.sqlite import SqliteStore

from ..support.ram import ram_folder

SEED = 20240229
FLIPS = {"fight.sqlite": 1500, "fight.sqlite-wal": 700, "fight.head": 100}
"""How many bits of each file are flipped, one at a time; three in four of those in bytes that are not zero."""

Files = dict[str, bytes]


class Fight:
    """A session of single commits, a secret one and groups; `closed` and `open` are its files as a killed process leaves
    them, all in the database or most of it in the log."""

    def __init__(self, folder: Path) -> None:
        store, scribe = SqliteStore(folder), Scribe()
        units: list[tuple[Commit, ...]] = [(scribe.note("one"), scribe.note("two"))]
        store.create(scribe.header, units[0])
        for turn in range(7):
            if turn % 3:
                unit: tuple[Commit, ...] = (scribe.note(f"Zoë schlägt {turn} 剣" * 5, caller="ann", secret=turn == 2),)
            else:
                unit = scribe.group(f"g{turn}", ["eins — 🐉", "zwei"])
            store.append("fight", unit, unit[0].first - 1)
            units.append(unit)
        self.scribe = scribe
        self.commits = [commit for unit in units for commit in unit]
        self.lines = [scribe.header, *[commit.line for commit in self.commits]]
        self.next = scribe.fork().note("goes on")
        names = ("fight.sqlite", "fight.head")
        self.open = {name: another_process_reads(folder / name) for name in (*names, "fight.sqlite-wal")}
        store.close()
        self.closed = {name: (folder / name).read_bytes() for name in names}


def another_process_reads(path: Path) -> bytes:
    """A file that is open here: whoever closes a database but through SQLite gives up this process's locks on it."""
    return subprocess.run(["cat", path], capture_output=True, check=True).stdout


@pytest.fixture(scope="module")
def fight() -> Iterator[Fight]:
    with ram_folder() as folder:
        yield Fight(folder / "store")


@pytest.fixture
def folder() -> Iterator[Path]:
    with ram_folder() as folder:
        yield folder


def put(folder: Path, files: Files) -> SqliteStore:
    """A store that finds these files and no others."""
    for name in os.listdir(folder):
        (folder / name).unlink()
    for name, data in files.items():
        (folder / name).write_bytes(data)
    return SqliteStore(folder)


def read(store: SqliteStore) -> tuple[list[bytes], Damaged | None]:
    """The lines that are accepted before damage is found, and the damage."""
    found: list[bytes] = []
    try:
        lines = store.read("fight")
        chain = Chain(next(lines))
        found.append(chain.header)
        for line in lines:
            chain.accept(line)
            found.append(line)
    except Damaged as damage:
        return found, damage
    return found, None


def judge(fight: Fight, store: SqliteStore) -> str:
    """What became of a damaged session, read and appended to: `kept`, `found`, or what must not be."""
    found, damage = read(store)
    if found != fight.lines[: len(found)]:
        return f"another line {len(found)} was accepted"
    if damage is None and found != fight.lines:
        return f"after line {len(found)} the rest is missing, and nobody says so"
    if damage is not None and found and len(found) < len(fight.lines):
        bad = fight.commits[len(found) - 1]
        if not bad.first <= damage.version <= bad.last:
            return f"version {damage.version} was named, {bad.first} is the first bad one: {damage}"
    if damage is not None and not found and (damage.version, damage.line) not in {(1, 0), (1, 1), (0, 1)}:
        return f"the first line is bad, {damage.version} was named: {damage}"
    try:
        store.append("fight", [fight.next], fight.scribe.version)
    except AffrayError:
        verdict = "kept" if damage is None else "found"
    else:
        store.close()
        if read(store)[0] != [*fight.lines, fight.next.line]:
            return "an append went to a wrong place"
        verdict = "kept" if damage is None else "appended to what is damaged"
    store.close()
    return verdict


@pytest.mark.parametrize("name", FLIPS)
def test_flipped_bits(fight: Fight, folder: Path, name: str) -> None:
    """Every flip changes nothing that is read, or is found; in the log each is, for there nothing is to spare."""
    chance = Random(SEED)
    files = fight.open if name.endswith("-wal") else fight.closed
    data = files[name]
    used = [at for at, byte in enumerate(data) if byte]
    verdicts: dict[str, int] = {}
    for _ in range(FLIPS[name]):
        at = chance.choice(used) if chance.random() < 0.75 else chance.randrange(len(data))
        bit = chance.randrange(8)
        flipped = bytearray(data)
        flipped[at] ^= 1 << bit
        verdict = judge(fight, put(folder, {**files, name: bytes(flipped)}))
        assert verdict in ("kept", "found"), f"seed {SEED}, byte {at}, bit {bit} of {name}"
        verdicts[verdict] = verdicts.get(verdict, 0) + 1
    expected = {"fight.sqlite": {"kept", "found"}, "fight.sqlite-wal": {"found"}, "fight.head": {"kept"}}
    assert expected[name] == set(verdicts), verdicts


def test_every_line_is_covered(fight: Fight, folder: Path) -> None:
    """A flip in a commit's body, seal or digest names that commit, or the very event."""
    chance = Random(SEED)
    data = fight.closed["fight.sqlite"]
    for number, commit in enumerate(fight.commits, 1):
        assert commit.line in data, "no line of this fight goes on in another page"
        for at in (12, *[chance.randrange(len(commit.line)) for _ in range(9)]):
            line = commit.line[:at] + bytes([commit.line[at] ^ 1 << chance.randrange(8)]) + commit.line[at + 1 :]
            changed = data.replace(commit.line, line)
            found, damage = read(put(folder, {**fight.closed, "fight.sqlite": changed}))
            assert damage is not None
            assert commit.first <= damage.version <= commit.last, (SEED, commit.first, at)
            assert fight.lines[:number] == found


def test_a_lost_page(folder: Path) -> None:
    """Where SQLite cannot go on, everything before is read, and the next version is named."""
    store, scribe = SqliteStore(folder), Scribe()
    commits = [scribe.note("x" * 700) for _ in range(40)]
    store.create(scribe.header, commits)
    lines = [scribe.header, *[commit.line for commit in commits]]
    data = (folder / "fight.sqlite").read_bytes()
    counts = []
    for page in range(1, len(data) // 4096):
        lost = data[: page * 4096] + bytes(4096) + data[page * 4096 + 4096 :]
        found, damage = read(put(folder, {"fight.sqlite": lost}))
        if damage is not None:
            assert lines[: len(found)] == found
            assert damage.version == max(len(found), 1), page
            counts.append(len(found))
    assert len({count for count in counts if count}) > 5, "a page holds a few of the commits"


def test_flips_under_a_running_process(fight: Fight, folder: Path) -> None:
    """While somebody has a session open SQLite reads its log unchecked: the chain finds what it does not."""
    chance = Random(SEED)
    place = folder / "store"
    live = Fight(place)
    store = SqliteStore(place)
    store.append("fight", [live.next], live.scribe.version)  # opens it again
    lines = [*live.lines, live.next.line]
    group = live.scribe.fork()
    group.version, group.digest = live.next.last, live.next.digest
    commits = group.group("h", ["x" * 3000, "y" * 3000])
    store.append("fight", commits, live.next.last)
    lines += [commit.line for commit in commits]
    found_some = False
    with (place / "fight.sqlite-wal").open("r+b") as log:  # the log itself carries no locks
        data = log.read()
        for _ in range(300):
            at = chance.randrange(len(data))
            log.seek(at)
            log.write(bytes([data[at] ^ 1 << chance.randrange(8)]))
            log.flush()
            found, damage = read(store)
            log.seek(at)
            log.write(data[at : at + 1])
            log.flush()
            assert lines[: len(found)] == found, (SEED, at)
            assert damage is not None or lines == found, (SEED, at)
            found_some = found_some or damage is not None
    assert found_some
    assert (lines, None) == read(store)
    store.close()


# -- ends


def edit(folder: Path, *statements: str) -> None:
    """Change a database as somebody would who knows SQL, and leave no log."""
    connection = apsw.Connection(str(folder / "fight.sqlite"))
    for statement in statements:
        connection.execute(statement)
    connection.close()


def cut(count: int) -> Callable[[Fight, Path], None]:
    def change(fight: Fight, folder: Path) -> None:
        edit(folder, f"DELETE FROM lines WHERE last > {fight.commits[-1 - count].last}")

    return change


def replaced(fight: Fight, folder: Path) -> None:
    """The last two commits again, with other words, seals and digests, as its host could write them."""
    forger = Scribe()
    before = fight.commits[-3]
    forger.version, forger.digest = before.last, before.digest
    edit(folder, f"DELETE FROM lines WHERE last > {before.last}")
    record = (folder / "fight.head").read_bytes()
    (folder / "fight.head").unlink()
    store = SqliteStore(folder)
    store.append("fight", forger.group("g6", ["EINS — 🐉", "ZWEI"]), before.last)
    store.close()
    (folder / "fight.head").write_bytes(record)


@pytest.mark.parametrize(
    ("change", "bad"),
    [(cut(1), -1), (cut(2), -2), (cut(9), -9), (replaced, -1)],
    ids=["one", "a group", "nearly all", "replaced by one of equal length"],
)
def test_a_lost_end(fight: Fight, folder: Path, change: Callable[[Fight, Path], None], bad: int) -> None:
    """Seals, chain and SQLite have nothing against what is left: only the head record knows."""
    store = put(folder, fight.closed)
    change(fight, folder)
    first_bad = fight.commits[bad]
    found, damage = read(store)
    assert damage is not None
    assert damage.version == first_bad.first
    assert len(found) == len(fight.lines) + bad
    for act in (lambda: store.append("fight", [fight.next], fight.scribe.version), lambda: store.head("fight")):
        with pytest.raises(Damaged):
            act()
    (folder / "fight.head").unlink()
    notes: list[str] = []
    assert read(SqliteStore(folder, on_note=notes.append))[1] is None or change is not replaced
    assert any("a lost end of the session would not be noticed" in note for note in notes)


@pytest.mark.parametrize("name", ["fight.sqlite-wal", "fight.sqlite"])
def test_a_deleted_file(fight: Fight, folder: Path, name: str) -> None:
    """A log that is gone takes all with it that was not yet in the database; a database takes everything."""
    store = put(folder, {other: data for other, data in fight.open.items() if other != name})
    assert store.sessions() == ("fight",)
    kept = fight.lines[:3] if name.endswith("-wal") else []
    found, damage = read(store)
    assert damage is not None
    assert (kept, len(kept) or 1) == (found, damage.version)
    with pytest.raises(Damaged):
        store.append("fight", [fight.next], fight.scribe.version)
    with pytest.raises(SessionExists):
        store.create(fight.scribe.header, [])


def test_looking_at_damage_changes_nothing(fight: Fight, folder: Path) -> None:
    """A log of which SQLite reads the first half keeps its second, for whoever can make more of it."""
    log = fight.open["fight.sqlite-wal"]
    middle = len(log) // 2
    files = {**fight.open, "fight.sqlite-wal": log[:middle] + bytes([log[middle] ^ 1]) + log[middle + 1 :]}
    store = put(folder, files)
    found, damage = read(store)
    assert 3 <= len(found) < len(fight.lines)
    assert damage is not None
    assert damage.version == fight.commits[len(found) - 1].first
    for act in (lambda: store.append("fight", [fight.next], fight.scribe.version), lambda: store.head("fight")):
        with pytest.raises(Damaged):
            act()
    store.close()
    assert files == {name: (folder / name).read_bytes() for name in files}
    (folder / "fight.sqlite-wal").write_bytes(log)
    (folder / "fight.sqlite-shm").unlink()
    assert (fight.lines, None) == read(store)


# -- what SQL can do


@pytest.mark.parametrize(
    ("statement", "bad"),
    [
        ("DELETE FROM lines WHERE last = 0", 1),
        ("DELETE FROM lines WHERE last = 1", 1),
        ("DELETE FROM lines WHERE last = 3", 3),
        ("UPDATE lines SET first = 6 WHERE last = 5", 5),
        ("UPDATE lines SET digest = upper(digest) WHERE last = 5", 5),
        ("UPDATE lines SET line = (SELECT line FROM lines WHERE last = 6) WHERE last = 5", 5),
        ("UPDATE lines SET last = 100 WHERE last = 5", 5),
        ("DROP INDEX lines_by_command", 1),
        ("ALTER TABLE lines ADD COLUMN more TEXT", 1),
        ("DROP TABLE lines", 1),
        ("PRAGMA application_id = 1", 1),
        ("PRAGMA journal_mode = DELETE", 1),
    ],
)
def test_changed_by_hand(fight: Fight, folder: Path, statement: str, bad: int) -> None:
    store = put(folder, fight.closed)
    edit(folder, statement)
    found, damage = read(store)
    assert damage is not None
    assert bad == damage.version
    assert fight.lines[: len(found)] == found
    with pytest.raises(Damaged):
        store.append("fight", [fight.next], fight.scribe.version)


@pytest.mark.parametrize("column", ["caller = 'bo'", "command = NULL", "part = 1", "command_digest = 'x'"])
def test_keys_that_do_not_belong_to_their_line(fight: Fight, folder: Path, column: str) -> None:
    """They change no line that is read, but what a repeat would be answered: so nobody appends."""
    store = put(folder, fight.closed)
    edit(folder, f"UPDATE lines SET {column} WHERE last = 5")
    assert (fight.lines, None) == read(store)
    with pytest.raises(Damaged, match="version 5: the commit's row says something else than its line"):
        store.append("fight", [fight.next], fight.scribe.version)


def test_an_index_that_lacks_a_key(fight: Fight, folder: Path) -> None:
    """A command that is not found there would be stored twice."""
    store = put(folder, fight.closed)
    edit(
        folder,
        "PRAGMA writable_schema = ON",
        "CREATE TABLE other (caller TEXT, command TEXT)",
        "CREATE INDEX empty ON other (caller, command) WHERE command IS NOT NULL",
        "UPDATE sqlite_schema SET rootpage = (SELECT rootpage FROM sqlite_schema WHERE name = 'empty') "
        "WHERE name = 'lines_by_command'",
        "DELETE FROM sqlite_schema WHERE name IN ('other', 'empty')",
    )
    assert (fight.lines, None) == read(store)
    with pytest.raises(Damaged, match="SQLite finds it damaged"):
        store.append("fight", [fight.next], fight.scribe.version)


def test_half_a_group_is_damage(folder: Path) -> None:
    """A transaction stores all of a group, so half of one was cut, even where no head record is left."""
    store, scribe = SqliteStore(folder), Scribe()
    store.create(scribe.header, [scribe.note("one"), *scribe.group("g", ["two", "three"])])
    edit(folder, "DELETE FROM lines WHERE last = 3")
    (folder / "fight.head").unlink()
    with pytest.raises(Damaged, match="version 3: the group 'g' ends after 1 of 2"):
        list(store.read("fight"))
    stray = scribe.note("stray", group=Group(id="h", index=1, size=1))
    with pytest.raises(Damaged):
        store.append("fight", [stray], 2)


def test_a_layout_of_a_later_release(fight: Fight, folder: Path) -> None:
    store = put(folder, fight.closed)
    edit(folder, "PRAGMA user_version = 2")
    with pytest.raises(UnknownKind, match="layout 2; this release reads layout 1"):
        store.read("fight")


def test_other_sessions_are_unaffected(fight: Fight, folder: Path) -> None:
    """Whatever happened to one session's files, the others of the folder are read and gone on with."""
    scribe = Scribe("other")
    store = put(folder, fight.closed)
    store.create(scribe.header, [scribe.note("one")])
    for damage in (b"", b"x" * 10_000, fight.closed["fight.sqlite"][:5000], None):
        if damage is None:
            (folder / "fight.sqlite").unlink()
        else:
            (folder / "fight.sqlite").write_bytes(damage)
        with pytest.raises(Damaged) as caught:
            list(store.read("fight"))
        assert caught.value.version == 1
        with pytest.raises(Damaged):
            store.append("fight", [fight.next], fight.scribe.version)
        assert store.sessions() == ("fight", "other")
        assert set(store.heads()) == {"fight", "other"}
        store.append("other", [scribe.note("more")], scribe.version - 1)
        assert len(list(store.read("other"))) == 1 + scribe.version
    store.close()


def test_a_copy_under_another_name(fight: Fight, folder: Path) -> None:
    """Neither a database nor a head record of one session passes for another's."""
    store = put(folder, fight.closed)
    shutil.copy(folder / "fight.sqlite", folder / "duel.sqlite")
    with pytest.raises(Damaged, match="line 1: the file holds session 'fight', not 'duel'"):
        store.read("duel")
    shutil.copy(folder / "fight.head", folder / "duel.head")
    with pytest.raises(Damaged, match="the head record is that of session 'fight', not of 'duel'"):
        store.read("duel")
    assert list(store.heads()) == ["fight"]
