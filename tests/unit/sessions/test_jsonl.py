"""Files of the JSONL store: torn ends, damage, locks, secrets."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from affray.kernel import (
    Busy,
    Chain,
    Commit,
    Damaged,
    Group,
    InputError,
    NoSuchSession,
    Note,
    SessionExists,
    StoreError,
    UnknownKind,
    header_line,
    limits,
)
from affray.kernel.testing import Scribe
from affray.sessions.stores.jsonl import JsonlStore


@pytest.fixture
def store(tmp_path: Path) -> Iterator[JsonlStore]:
    store = JsonlStore(tmp_path)
    yield store
    store.close()


def ledger() -> tuple[Scribe, list[tuple[Commit, ...]]]:
    """A session of single commits and groups, with text beyond ASCII; a group stands at its end."""
    scribe = Scribe()
    return scribe, [
        (scribe.note("Zoë schlägt zu"),),
        (scribe.note("剣と盾", secret=True, caller="ann"),),
        scribe.group("g", ["eins — 🐉", "zwei"]),
        (scribe.write(Note(text="a\nb"), Note(text="c")),),
        scribe.group("h", ["drei", "vier", "fünf"]),
    ]


def file_of(header: bytes, units: list[tuple[Commit, ...]]) -> bytes:
    return b"".join([header + b"\n", *[commit.line + b"\n" for unit in units for commit in unit]])


def verify(path: Path) -> Chain:
    """Read a whole file through the chain."""
    *lines, rest = path.read_bytes().split(b"\n")
    assert rest == b""
    chain = Chain(lines[0])
    for line in lines[1:]:
        chain.accept(line)
    return chain


def write_first(path: Path, data: bytes) -> JsonlStore:
    path.write_bytes(data)
    return JsonlStore(path.parent)


def test_torn_at_every_byte(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A cut file is a whole prefix of its commits and groups, and the next append stands right behind them."""
    monkeypatch.setattr(os, "fsync", lambda fd: None)  # thousands of files, none of which must outlive a crash
    scribe, units = ledger()
    whole = file_of(scribe.header, units)
    path = tmp_path / "fight.affray"
    ends = [len(file_of(scribe.header, units[:count])) for count in range(len(units) + 1)]
    for cut in range(ends[0], len(whole) + 1):
        count = max(i for i, end in enumerate(ends) if end <= cut)
        kept = [commit for unit in units[:count] for commit in unit]
        notes: list[str] = []
        path.unlink(missing_ok=True)  # some file systems take their time over a file that is cut and written anew
        path.write_bytes(whole[:cut])
        store = JsonlStore(tmp_path, on_note=notes.append)
        assert [scribe.header, *[commit.line for commit in kept]] == list(store.read("fight")), cut
        assert bool(notes) == (cut != ends[count]), cut
        assert path.read_bytes() == whole[:cut], "a reader changes nothing"

        writer = Scribe()
        if kept:
            writer.version, writer.digest = kept[-1].last, kept[-1].digest
        fresh = writer.note("goes on", command="fresh")
        notes.clear()
        store.append("fight", [fresh], writer.version - 1)
        store.close()
        assert whole[: ends[count]] + fresh.line + b"\n" == path.read_bytes(), cut
        surplus = cut - ends[count]
        assert notes == (
            [f"{path}: dropped {surplus} bytes behind version {fresh.first - 1} that are no whole commit"]
            if surplus
            else []
        )
        assert verify(path).version == fresh.last


def test_torn_within_the_header(tmp_path: Path) -> None:
    """Nothing was ever committed to such a file: no session, and its name is free."""
    scribe, units = ledger()
    commit = units[0][0]
    path = tmp_path / "fight.affray"
    for cut in range(len(scribe.header) + 1):
        store = write_first(path, scribe.header[:cut])
        assert store.sessions() == ()
        with pytest.raises(NoSuchSession):
            store.read("fight")
        with pytest.raises(NoSuchSession):
            store.append("fight", [commit], 0)
        with pytest.raises(NoSuchSession):
            store.secret("fight")
        store.create(scribe.header, [commit])
        store.close()
        assert file_of(scribe.header, units[:1]) == path.read_bytes()
    assert os.listdir(tmp_path) == ["fight.affray"]


def test_what_is_too_long_for_a_torn_header_is_not_replaced(tmp_path: Path) -> None:
    """A big file without a line end is somebody's; it is damage, and its name is taken."""
    path = tmp_path / "fight.affray"
    store = write_first(path, b"x" * (limits.LINE_BYTES + 1))
    with pytest.raises(SessionExists):
        store.create(Scribe().header, [])
    for act in (lambda: store.read("fight"), lambda: store.append("fight", [Scribe().note("x")], 0)):
        with pytest.raises(Damaged, match="line 1: not a header"):
            act()
    assert path.stat().st_size == limits.LINE_BYTES + 1


def test_a_torn_command_is_run_anew(tmp_path: Path) -> None:
    """What was dropped was never acknowledged, so its command id is still free."""
    scribe, units = ledger()
    store = write_first(tmp_path / "fight.affray", file_of(scribe.header, units)[:-1])
    before = units[-1][0].first - 1
    assert units[-1] == store.append("fight", units[-1], before)
    assert len(list(store.read("fight"))) == 1 + sum(len(unit) for unit in units)
    store.close()


@pytest.mark.parametrize(
    ("line", "first"), [(2, 1), (3, 2), (4, 3), (5, 4), (6, 5), (7, 7), (8, 8), (9, 9)]
)
def test_damage_in_the_middle(tmp_path: Path, line: int, first: int) -> None:
    """A changed byte stops whoever wants to write, names the place, and leaves the file as it is."""
    scribe, units = ledger()
    lines = file_of(scribe.header, units).splitlines(keepends=True)
    middle = len(lines[line - 1]) // 2
    flipped = bytes([lines[line - 1][middle] ^ 1])
    lines[line - 1] = lines[line - 1][:middle] + flipped + lines[line - 1][middle + 1 :]
    path = tmp_path / "fight.affray"
    store = write_first(path, b"".join(lines))
    for writer in (store, store, JsonlStore(tmp_path)):  # the lock is not kept
        with pytest.raises(Damaged, match=str(path)) as caught:
            writer.append("fight", [Scribe().note("x")], 0)
        assert (line, first) == (caught.value.line, caught.value.version)
    assert b"".join(lines) == path.read_bytes()
    assert store.sessions() == ("fight",)
    with pytest.raises(SessionExists):
        store.create(scribe.header, [])


def test_damage_before_a_torn_end_leaves_the_end_alone(tmp_path: Path) -> None:
    scribe, units = ledger()
    data = file_of(scribe.header, units).replace(b"eins", b"Eins")[:-5]
    store = write_first(tmp_path / "fight.affray", data)
    with pytest.raises(Damaged, match="line 4, version 3"):
        store.append("fight", [Scribe().note("x")], 0)
    assert data == (tmp_path / "fight.affray").read_bytes()


def test_a_broken_header(tmp_path: Path) -> None:
    """A whole first line that is no header of this session is damage, not an absent session."""
    scribe, units = ledger()
    path = tmp_path / "fight.affray"
    for header, error, match in (
        (b"no header", Damaged, "line 1: not a header"),
        (header_line("FIGHT"), NoSuchSession, "no session 'fight', only 'FIGHT'"),
        (scribe.header.replace(b'"format":1', b'"format":2'), UnknownKind, "format 2"),
    ):
        data = file_of(header, units)
        store = write_first(path, data)
        with pytest.raises(error, match=match):
            store.read("fight")
        with pytest.raises(error, match=match):
            store.append("fight", [scribe.fork().note("x")], scribe.version)
        assert store.sessions() == ("fight",)
        assert data == path.read_bytes()


def test_a_header_of_another_session(tmp_path: Path) -> None:
    """It may be that of a fork's origin; where it is not, the first commit is refused."""
    scribe, units = ledger()
    data = file_of(header_line("other"), units)
    store = write_first(tmp_path / "fight.affray", data)
    header, first, *_ = store.read("fight")
    with pytest.raises(Damaged, match="belongs to session 'fight', not to 'other'"):
        Chain(header).accept(first)
    with pytest.raises(Damaged, match="line 2, version 1: belongs to session 'fight', not to 'other'"):
        store.append("fight", [scribe.fork().note("x")], scribe.version)
    assert data == (tmp_path / "fight.affray").read_bytes()
    other = Scribe("other")
    store = write_first(tmp_path / "fight.affray", file_of(other.header, [(other.note("one"),)]))
    for act in (lambda: store.read("fight"), lambda: store.append("fight", [Scribe().note("x")], 0)):
        with pytest.raises(Damaged, match="line 1: the file holds session 'other', not 'fight'"):
            act()


def test_an_unfinished_group_in_the_middle_is_damage(tmp_path: Path) -> None:
    """Only a group at the end may be unfinished; elsewhere its commits were removed or never belonged."""
    for size, index, line, follows in ((3, 1, 3, True), (3, 2, 2, False), (2, 3, 2, False), (0, 0, 2, False)):
        scribe = Scribe()
        half = scribe.note("half", group=Group(id="g", index=index, size=size))
        last = [scribe.note("after")] if follows else []
        data = file_of(scribe.header, [(half, *last)])
        path = tmp_path / "fight.affray"
        store = write_first(path, data)
        with pytest.raises(Damaged, match="out of place in its group") as caught:
            store.append("fight", [scribe.note("x")], scribe.version - 1)
        assert line == caught.value.line
        assert data == path.read_bytes()


def test_the_end_of_a_group_without_its_beginning(tmp_path: Path) -> None:
    """A reader cannot know how much to leave out, so it says so."""
    scribe = Scribe()
    commits = [scribe.note("one"), scribe.note("half", group=Group(id="g", index=2, size=3))]
    store = write_first(tmp_path / "fight.affray", file_of(scribe.header, [tuple(commits)]))
    with pytest.raises(Damaged, match="before index 2 of group 'g' are missing"):
        store.read("fight")


def test_a_line_at_the_bound_and_one_past_it(tmp_path: Path) -> None:
    """Reading stops at LINE_BYTES, whatever a file holds; what is too long to be a torn line is not dropped."""
    empty = len(Scribe().note("").line)
    scribe = Scribe()
    commit = scribe.note("x" * (limits.LINE_BYTES - empty), command=f"c1-{'0' * 8}")
    assert len(commit.line) == limits.LINE_BYTES
    path = tmp_path / "fight.affray"
    data = file_of(scribe.header, [(commit,)])
    store = write_first(path, data)
    header, line = store.read("fight")
    assert commit.line == line
    store.append("fight", [scribe.note("next")], 1)
    store.close()

    for torn in (b"\0" * limits.LINE_BYTES, b"x" * (limits.LINE_BYTES + 1), b"x" * (limits.LINE_BYTES + 1) + b"\n"):
        store = write_first(path, data + torn)
        lines = list(store.read("fight"))
        if len(torn) == limits.LINE_BYTES:
            assert [header, line] == lines
            continue
        assert [header, line] == lines[:2]
        chain = Chain(header)
        chain.accept(line)
        with pytest.raises(Damaged, match=f"a line of {limits.LINE_BYTES + 1} bytes"):
            chain.accept(lines[2])
        with pytest.raises(Damaged, match=f"line 3, version 2: a line of {limits.LINE_BYTES + 1} bytes"):
            store.append("fight", [scribe.note("x")], 1)
        assert len(data + torn) == path.stat().st_size


def test_a_second_writer_is_refused_by_name(tmp_path: Path, store: JsonlStore) -> None:
    """From the first write to close, another store may read and not write; other sessions are free."""
    scribe, other = Scribe(), Scribe("other")
    one = scribe.note("one")
    store.create(scribe.header, [one])
    second = JsonlStore(tmp_path)
    two = scribe.note("two")
    with pytest.raises(Busy, match=str(tmp_path / "fight.affray")):
        second.append("fight", [two], 1)
    assert [scribe.header, one.line] == list(second.read("fight"))
    second.create(other.header, [other.note("one")])
    with pytest.raises(Busy, match=r"other\.affray"):
        store.append("other", [other.note("two")], 1)
    store.append("fight", [two], 1)
    store.close()
    third = scribe.note("three")
    second.append("fight", [third], 2)
    with pytest.raises(Busy):
        store.append("fight", [scribe.note("four")], 3)
    second.close()
    assert verify(tmp_path / "fight.affray").version == 3


APPEND_ONE = """
import sys
from affray.kernel import Busy
from affray.kernel.testing import Scribe
from affray.sessions.stores.jsonl import JsonlStore
scribe = Scribe()
scribe.note("one")
try:
    JsonlStore(sys.argv[1]).append("fight", [scribe.note("two")], 1)
except Busy as error:
    print(error)
"""


def test_a_writer_in_another_process_is_refused(tmp_path: Path, store: JsonlStore) -> None:
    scribe = Scribe()
    store.create(scribe.header, [scribe.note("one")])
    command = [sys.executable, "-c", APPEND_ONE, str(tmp_path)]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    refused = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert f"{tmp_path / 'fight.affray'} is held by another writer" in refused.stdout
    store.close()
    accepted = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert accepted.stdout == ""
    assert verify(tmp_path / "fight.affray").version == 2


def test_a_session_does_not_wait_for_another(store: JsonlStore, monkeypatch: pytest.MonkeyPatch) -> None:
    """While one session's append is on its way to the disk, another's is stored."""
    slow, quick = Scribe("slow"), Scribe("quick")
    for scribe in (slow, quick):
        store.create(scribe.header, [scribe.note("one")])
    real = os.fsync
    done: list[str] = []

    def fsync(fd: int) -> None:
        if not done:
            done.append("slow is on its way")
            store.append("quick", [quick.note("two")], 1)
            done.append("quick is stored")
        real(fd)

    monkeypatch.setattr(os, "fsync", fsync)
    store.append("slow", [slow.note("two")], 1)
    assert done == ["slow is on its way", "quick is stored"]


def test_nobody_reads_what_is_not_yet_on_the_disk(store: JsonlStore, monkeypatch: pytest.MonkeyPatch) -> None:
    scribe = Scribe()
    store.create(scribe.header, [scribe.note("one")])
    counts: list[int] = []
    monkeypatch.setattr(os, "fsync", lambda fd: counts.append(len(list(store.read("fight")))))
    store.append("fight", [scribe.note("two")], 1)
    assert counts == [2]
    assert len(list(store.read("fight"))) == 3


@pytest.mark.parametrize("how", ["read", "tail"])
def test_a_reader_flushes_what_a_killed_writer_may_have_left_before_it_shows_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    """What anybody has seen is not gone after a power failure: whole lines may stand in a file that nobody flushed."""
    scribe, units = ledger()
    data = file_of(scribe.header, units)
    store = write_first(tmp_path / "fight.affray", data)
    flushed: list[int] = []

    def fsync(fd: int) -> None:
        flushed.append(os.fstat(fd).st_ino)

    monkeypatch.setattr(os, "fsync", fsync)
    lines = store.read("fight") if how == "read" else store.tail("fight", 1)
    assert flushed == [(tmp_path / "fight.affray").stat().st_ino], "before the first line is given"
    assert len(list(lines)) == data.count(b"\n")

    def fails(fd: int) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(os, "fsync", fails)
    with pytest.raises(StoreError, match="Input/output error"):
        store.read("fight") if how == "read" else store.tail("fight", 1)


def test_a_writer_flushes_nothing_to_read_what_it_acknowledged(store: JsonlStore, monkeypatch: pytest.MonkeyPatch) -> None:
    scribe = Scribe()
    store.create(scribe.header, [scribe.note("one")])
    store.append("fight", [scribe.note("two")], 1)
    flushed: list[int] = []
    monkeypatch.setattr(os, "fsync", flushed.append)
    assert len(list(store.read("fight"))) == 3
    assert flushed == []


def test_the_secret_is_private_and_comes_first(store: JsonlStore, monkeypatch: pytest.MonkeyPatch) -> None:
    """Mode 0600 whatever the umask; on the disk before the ledger appears; never in the ledger."""
    scribe = Scribe()
    path, hidden = store.folder / "fight.affray", store.folder / "fight.secret"
    real = os.link
    seen: list[tuple[bytes, bool]] = []

    def link(source: Path, target: Path) -> None:
        seen.append((hidden.read_bytes(), path.exists()))
        real(source, target)

    monkeypatch.setattr(os, "link", link)
    before = os.umask(0)
    try:
        store.create(scribe.header, [scribe.note("one")], b"s3cret-chain")
    finally:
        os.umask(before)
    assert seen == [(b"s3cret-chain", False)]
    assert stat.S_IMODE(hidden.stat().st_mode) == 0o600
    assert b"s3cret-chain" not in path.read_bytes()
    assert sorted(os.listdir(store.folder)) == ["fight.affray", "fight.secret"]


def test_a_secret_left_behind_is_not_taken_over(store: JsonlStore) -> None:
    """A secret without a ledger is from a creation that failed; the next session has its own, or none."""
    scribe = Scribe()
    (store.folder / "fight.secret").write_bytes(b"stale")
    with pytest.raises(NoSuchSession):
        store.secret("fight")
    store.create(scribe.header, [])
    assert store.secret("fight") is None
    assert os.listdir(store.folder) == ["fight.affray"]


@pytest.mark.parametrize("bad", ["../fight", "/tmp/fight", "a/b", "..", "", "fight.affray", "fight\x00", "fight\n"])
def test_no_id_leads_out_of_the_folder(tmp_path: Path, bad: str) -> None:
    inner = tmp_path / "inner"
    outer = JsonlStore(tmp_path)
    scribe = Scribe()
    outer.create(scribe.header, [scribe.note("one")], b"secret")
    outer.close()
    store = JsonlStore(inner)
    commit = Scribe(bad).note("x")
    for act in (
        lambda: store.create(header_line(bad), [commit], b"x"),
        lambda: store.append(bad, [commit], 0),
        lambda: store.read(bad),
        lambda: store.secret(bad),
    ):
        with pytest.raises(InputError, match="a session's id must be"):
            act()
    assert not inner.exists()
    assert sorted(os.listdir(tmp_path)) == ["fight.affray", "fight.secret"]


def test_cases_and_strangers_in_the_folder(store: JsonlStore) -> None:
    """Files that are no sessions are let alone; an id that differs in case only is refused."""
    for name in ("notes.txt", "a b.affray", ".hidden.affray", "x.affray.bak"):
        (store.folder / name).write_text("mine\n")
    (store.folder / "dir.affray").mkdir()
    upper = Scribe("Fight")
    store.create(upper.header, [])
    with pytest.raises(SessionExists, match="'fight' differs from the existing 'Fight' in case only"):
        store.create(Scribe("fight").header, [])
    assert store.sessions() == ("Fight",)
    assert (store.folder / "notes.txt").read_text() == "mine\n"


def test_an_absent_folder_is_made_by_writing_only(tmp_path: Path) -> None:
    store = JsonlStore(tmp_path / "a" / "b")
    assert store.sessions() == ()
    with pytest.raises(NoSuchSession):
        store.read("fight")
    assert os.listdir(tmp_path) == []
    store.create(Scribe().header, [])
    store.close()
    assert store.sessions() == ("fight",)


def test_a_file_that_cannot_be_opened(store: JsonlStore) -> None:
    (store.folder / "fight.affray").mkdir()
    with pytest.raises(StoreError, match=r"cannot read .*fight.affray: Is a directory"):
        store.read("fight")
    with pytest.raises(StoreError, match=r"cannot open .*fight.affray for writing: Is a directory"):
        store.append("fight", [Scribe().note("x")], 0)
