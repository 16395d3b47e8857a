"""Folders of sessions: which store they are, and what goes from one to another with every digest as it was."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from affray.kernel import Note
from affray.kernel.testing import Scribe
from affray.sessions import Catalog, Engine, JsonlStore, Session, Store
from affray.sessions.cli import COMMANDS, app
from affray.sessions.cli.places import place_named
from affray.sessions.stores.sqlite import SqliteStore

from ...golden.samples import fight
from ...support.cli import NYRA, TINY, affray, document, edit, find_plugins, put
from ...support.ram import ram_folder
from ...support.table import Fixed, must, tiny_session

KINDS = ("jsonl", "sqlite")


@pytest.fixture
def home(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    with ram_folder() as folder:
        monkeypatch.setenv("AFFRAY_HOME", str(folder))
        monkeypatch.delenv("AFFRAY_DEBUG", raising=False)
        find_plugins(monkeypatch, TINY, NYRA)
        yield folder


def opened(kind: str, folder: Path) -> Store:
    return JsonlStore(folder) if kind == "jsonl" else SqliteStore(folder)


def begun(folder: Path, kind: str = "sqlite") -> Session:
    """A stored fight of the tiny system, session `s`, with something undone and something kept."""
    store = opened(kind, folder)
    try:
        session = tiny_session(Engine(store, Catalog(), Fixed()))
        must(session.note("a secret", secret=True))
        must(session.end_turn("ann"))
        must(session.undo())
        return session
    finally:
        store.close()


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def ledger(folder: Path, kind: str) -> list[bytes]:
    """Every byte of session `s` as a store keeps it."""
    return list(opened(kind, folder).read("s"))


# -- which store a folder is


def test_a_new_folder_is_a_store_of_databases(home: Path) -> None:
    assert affray("play", "--session", "d").exit_code == 0
    assert "d.sqlite" in names(home / "sessions")
    (path,) = [one["path"] for one in document("sessions")]
    assert path == str(home / "sessions" / "d.sqlite")


def test_a_folder_of_files_stays_one(home: Path) -> None:
    begun(home / "sessions", "jsonl")
    assert affray("note", "s", "still here").exit_code == 0
    assert affray("play", "--session", "d").exit_code == 0
    assert names(home / "sessions") == ["d.affray", "d.secret", "s.affray", "s.secret"]
    assert [one["path"] for one in document("sessions")] == [str(home / "sessions" / f"{name}.affray") for name in "ds"]


def test_db_names_a_folder_before_or_behind_the_command(home: Path, tmp_path: Path) -> None:
    begun(tmp_path / "one")
    begun(tmp_path / "two", "jsonl")
    assert affray("--db", tmp_path / "one", "note", "s", "one").exit_code == 0
    assert affray("note", "s", "two", "--db", tmp_path / "two").exit_code == 0
    assert "Note: one." in affray("log", "s", "--db", tmp_path / "one").stdout
    assert "Note: two." in affray("--db", tmp_path / "one", "log", "s", "--db", tmp_path / "two").stdout
    assert affray("log", "s").exit_code == 2
    assert affray("log", "s", "--db", "").exit_code == 2
    assert not (home / "sessions").exists()


WITHOUT_A_STORE = ("plugins", "completion", "sheet", "check-plugin", "new-plugin")


@pytest.mark.parametrize("name", [name for name in COMMANDS if name not in WITHOUT_A_STORE])
def test_every_command_that_needs_a_store_takes_db(home: Path, name: str) -> None:
    assert "--db FOLDER" in affray(name, "--help").stdout


def test_a_kind_that_there_is_not_is_no_folder(home: Path) -> None:
    result = affray("--db", "postgres:games", "sessions")

    assert (2, "affray: --db: no such kind of store; there are jsonl, sqlite (got 'postgres')\n") == (
        result.exit_code,
        result.stderr,
    )


def test_a_session_with_a_problem_pushes_nobody_aside(home: Path) -> None:
    begun(home / "sessions")
    (home / "sessions" / "bad.sqlite").write_bytes(b"no database at all")
    bad, sound = affray("sessions").stdout.splitlines()

    assert len(bad) > len(sound)
    assert "  " * 20 not in sound


def test_a_kind_that_is_named_must_be_the_folders(home: Path, tmp_path: Path) -> None:
    begun(tmp_path / "data", "sqlite")
    begun(tmp_path / "files", "jsonl")
    assert (place_named(f"sqlite:{tmp_path}/data").kind, place_named(f"jsonl:{tmp_path}/new").kind) == KINDS[::-1]
    assert (place_named(str(tmp_path / "files")).kind, place_named(str(tmp_path / "new")).kind) == KINDS
    for kind, folder in (("jsonl", "data"), ("sqlite", "files")):
        result = affray("sessions", "--db", f"{kind}:{tmp_path / folder}")
        assert result.exit_code == 2
        assert "store already" in result.stderr
    assert affray("sessions", "--db", f"jsonl:{tmp_path}/new").stdout == f"no sessions in {tmp_path}/new\n"
    assert not (tmp_path / "new").exists(), "looking makes nothing"
    (tmp_path / "file").write_text("")
    assert affray("sessions", "--db", tmp_path / "file").exit_code == 2


def test_an_exported_file_among_databases_changes_nothing(home: Path) -> None:
    begun(home / "sessions")
    assert affray("export", "s", "-o", home / "sessions" / "copy.affray").exit_code == 0
    assert [one["id"] for one in document("sessions")] == ["s"]
    assert affray("undo", "s").exit_code == 0


def test_a_session_is_also_read_by_the_path_of_its_database(home: Path) -> None:
    begun(home / "sessions")
    path = home / "sessions" / "s.sqlite"
    assert affray("replay", path).stdout == affray("replay", "s").stdout
    assert affray("verify", path).exit_code == 0
    assert affray("log", path.with_name("no.sqlite")).exit_code == 2
    assert affray("undo", path).exit_code == 2
    own = affray("export", "s", "-o", path, "--force")
    assert own.exit_code == 2
    assert affray("verify", "s").exit_code == 0


# -- sessions


def test_sessions_tells_how_each_stands(home: Path) -> None:
    assert affray("sessions").stdout == f"no sessions in {home / 'sessions'}\n"
    assert document("sessions") == []
    store = SqliteStore(home / "sessions")
    engine = Engine(store, Catalog(), Fixed())
    must(engine.start("tiny", session="a-new-one", title="Not yet\x1b[2J").note("x"))
    session = tiny_session(engine, people=3)
    must(session.declare("ann", "sweep", "bob", "cy"))
    over = engine.start("tiny", session="z")
    must(over.close("called-off"))
    store.close()
    listed = affray("sessions").stdout.splitlines()
    assert listed == [
        "a-new-one  tiny   2  nobody's turn         Not yet\\x1b[2J",
        f"s          tiny  {session.head}  waits for bob and cy",
        "z          tiny   3  over: called off",
    ]
    told = {one["id"]: one for one in document("sessions")}
    assert told["s"] == {
        "id": "s",
        "system": "tiny",
        "title": "",
        "version": session.head,
        "turn": "ann",
        "over": "",
        "waiting": ["bob", "cy"],
        "path": str(home / "sessions" / "s.sqlite"),
        "problem": "",
    }
    assert (told["z"]["over"], told["a-new-one"]["title"]) == ("called-off", "Not yet\x1b[2J")


def test_a_session_that_cannot_be_read_is_listed_with_its_problem(home: Path) -> None:
    begun(home / "sessions", "jsonl")
    good = put(fight(), home)
    edit(good, lambda lines: [*lines[:3], lines[3][:40] + b"~" + lines[3][41:], *lines[4:]])
    result = affray("sessions")
    assert result.exit_code == 1
    assert "line 4, version" in result.stdout
    assert "s" in [one["id"] for one in document("sessions", code=1) if not one["problem"]]


# -- import, export, copy


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("source", KINDS)
def test_export_and_import_keep_every_digest(home: Path, tmp_path: Path, source: str, kind: str) -> None:
    session = begun(home / "sessions", source)
    file = tmp_path / "s.affray"
    assert affray("export", "s", "--for", "gm", "-o", file).exit_code == 0
    told = document("import", file, "--db", f"{kind}:{tmp_path / 'new'}")
    assert told == {
        "session": "s",
        "file": str(tmp_path / "new" / ("s.affray" if kind == "jsonl" else "s.sqlite")),
        "version": session.head,
        "digest": session.digest,
        "hidden": 0,
        "playable": False,
    }
    assert ledger(tmp_path / "new", kind) == ledger(home / "sessions", source)
    assert affray("export", "s", "--for", "gm", "--db", tmp_path / "new").stdout_bytes == file.read_bytes()
    head = f"{session.head}:{session.digest}"
    assert affray("verify", "s", "--against", head, "--db", tmp_path / "new").exit_code == 0


@pytest.mark.parametrize("kind", KINDS)
def test_a_players_copy_is_imported_read_and_not_played_on(home: Path, tmp_path: Path, kind: str) -> None:
    session = begun(home / "sessions")
    file = tmp_path / "copy.affray"
    assert affray("export", "s", "-o", file).exit_code == 0
    db = f"{kind}:{tmp_path / 'new'}"
    result = affray("import", file, "--db", db)
    assert result.exit_code == 0
    assert result.stdout.endswith(
        "1 events have parts that are not in this copy\n"
        "without the secret of its dice it can be read and verified here, not played on\n"
    )
    (listed,) = document("sessions", "--db", db)
    assert (listed["version"], listed["turn"]) == (session.head, "ann")
    assert document("verify", "s", "--db", db)["digest"] == session.digest
    refused = affray("note", "s", "x", "--db", db)
    assert (refused.exit_code, refused.stdout) == (1, "")
    assert "can be read, not played on" in refused.stderr


def test_an_id_that_is_taken_and_a_file_with_a_finding_are_not_imported(home: Path, tmp_path: Path) -> None:
    begun(home / "sessions")
    before = ledger(home / "sessions", "sqlite")
    file = tmp_path / "s.affray"
    assert affray("export", "s", "-o", file).exit_code == 0
    taken = affray("import", file)
    assert (taken.exit_code, taken.stdout) == (1, "")
    assert "session 's' exists already" in taken.stderr
    assert ledger(home / "sessions", "sqlite") == before

    new = ("--db", tmp_path / "new")
    edit(file, lambda lines: [*lines[:3], lines[3].replace(b"Bob", b"Bab"), *lines[4:]])
    damaged = affray("import", file, *new)
    assert (damaged.exit_code, damaged.stdout) == (1, "")
    assert "line 4, version 3: the event does not match its seal" in damaged.stderr

    scribe = Scribe("odd")
    lines = [scribe.header, scribe.write(Note(text="a"), Note(text="b"), command="c").line, scribe.write(Note(text="c"), command="c").line]
    file.write_bytes(b"".join([line + b"\n" for line in lines]))
    found = affray("import", file, *new)
    assert (found.exit_code, found.stdout) == (1, "")
    assert "affray: version 3: command-repeated: " in found.stderr
    assert "not stored, since verifying it found this" in found.stderr
    file.write_bytes(scribe.header + b"\n")
    assert affray("import", file, *new).exit_code == 1
    assert affray("import", tmp_path, *new).exit_code == 2
    assert affray("import", tmp_path / "no.affray", *new).exit_code == 2
    assert affray("sessions", *new).stdout == f"no sessions in {tmp_path / 'new'}\n"


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("source", KINDS)
def test_a_copy_has_every_byte_and_no_secret(home: Path, tmp_path: Path, source: str, kind: str) -> None:
    """Nor what the host's store cached: it holds everything that is kept."""
    begun(home / "sessions", source)
    opened(source, home / "sessions").cache("s", b"the host's")
    target = tmp_path / "new"
    result = affray("copy", "s", "--to", f"{kind}:{target}")
    assert result.exit_code == 0
    assert ledger(target, kind) == ledger(home / "sessions", source)
    assert opened(kind, target).secret("s") is None
    assert opened(kind, target).cached("s") is None
    assert opened(source, home / "sessions").cached("s") == b"the host's"
    assert affray("note", "s", "x", "--db", target).exit_code == 1
    again = affray("copy", "s", "--to", target)
    assert (again.exit_code, again.stdout) == (1, "")
    assert affray("note", "s", "x").exit_code == 0, "the original is played on"


@pytest.mark.parametrize("kind", KINDS)
def test_a_session_moves_with_its_folder_and_is_played_on_there(home: Path, tmp_path: Path, kind: str) -> None:
    begun(home / "sessions", kind)
    target = tmp_path / "new"
    shutil.move(home / "sessions", target)
    assert affray("declare", "s", "ann", "attack", "bob", "--db", target).exit_code == 0
    assert affray("verify", "s", "--db", target).exit_code == 0
    assert affray("log", "s").exit_code == 2


def test_a_copy_goes_elsewhere_and_the_secret_of_the_dice_never(home: Path, tmp_path: Path) -> None:
    """Two sessions that could be played on would throw the same dice."""
    begun(home / "sessions")
    same = affray("copy", "s", "--to", home / "sessions")
    assert same.exit_code == 2
    assert "is where the session is already" in same.stderr
    assert affray("copy", "nope", "--to", tmp_path / "new").exit_code == 2
    assert affray("copy", "s").exit_code == 2
    assert affray("copy", "s", "--to", tmp_path / "new", "--with-secret").exit_code == 2
    assert not (tmp_path / "new").exists()
    told = affray("copy", "s", "--to", tmp_path / "new")
    assert told.exit_code == 0
    assert told.stdout.endswith("without the secret of its dice it can be read and verified here, not played on\n")
    assert not document("copy", "s", "--to", tmp_path / "third", "--db", tmp_path / "new")["playable"]
    assert ledger(tmp_path / "third", "sqlite") == ledger(home / "sessions", "sqlite")
    refused = affray("declare", "s", "ann", "attack", "bob", "--db", tmp_path / "third")
    assert refused.exit_code == 1
    assert "can be read, not played on" in refused.stderr


# -- verify


def test_a_whole_store_is_verified_a_line_each(home: Path) -> None:
    assert affray("verify").stdout == f"no sessions in {home / 'sessions'}\n"
    assert document("verify") == []
    begun(home / "sessions", "jsonl")
    other = fight()
    path = put(other, home)
    whole = affray("verify")
    assert whole.exit_code == 0
    heads = {one["session"]: one["head"] for one in document("verify", "--all")}
    ids = sorted(["s", other.id])
    assert list(heads) == ids
    assert whole.stdout == affray("verify", "--all").stdout
    assert [line.rpartition("; head: ")[2] for line in whole.stdout.splitlines()] == [heads[name] for name in ids]

    edit(path, lambda lines: [*lines[:3], lines[3][:40] + b"~" + lines[3][41:], *lines[4:]])
    found = affray("verify")
    assert found.exit_code == 1
    lines = found.stdout.splitlines()
    assert len(lines) == 2
    assert [": clean; " in line for line in lines] == [name == "s" for name in ids]
    damaged = lines[ids.index(other.id)]
    assert damaged.startswith(f"{other.id}: 1 finding; 2 events in 2 commits; version 3: damaged: ")
    assert [one["clean"] for one in document("verify", "--all", code=1)] == [name == "s" for name in ids]
    assert affray("verify", "s").exit_code == 0
    assert affray("verify", "s", path).exit_code == 1
    assert affray("verify", "s", "nope").stdout.splitlines()[1].startswith("nope: 1 finding; 0 events in 0 commits; version 0: unreadable: ")


def test_verify_says_one_or_all(home: Path) -> None:
    session = begun(home / "sessions")
    head = f"{session.head}:{session.digest}"
    assert affray("verify", "s", "--all").exit_code == 2
    assert affray("verify", "--against", head).exit_code == 2
    assert affray("verify", "s", "s", "--against", head).exit_code == 2
    assert document("verify", "s")["head"] == head
    assert [one["head"] for one in document("verify", "s", "s")] == [head, head]


# -- completion


def completed(*words: str) -> list[str]:
    """What a shell is offered for the last word."""
    env = {"_AFFRAY_COMPLETE": "bash_complete", "COMP_WORDS": " ".join(["affray", *words]), "COMP_CWORD": str(len(words))}
    result = CliRunner().invoke(app, [], prog_name="affray", env=env)
    return result.stdout.splitlines()


@pytest.mark.parametrize(("shell", "sign"), [("bash", "complete -o"), ("zsh", "#compdef affray"), ("fish", "complete --no-files --command affray")])
def test_every_shell_is_told_how_to_complete(home: Path, shell: str, sign: str) -> None:
    result = affray("completion", shell)
    assert result.exit_code == 0
    assert sign in result.stdout
    assert "_AFFRAY_COMPLETE" in result.stdout
    assert shell in affray("completion", "--help").stdout
    assert affray("completion", "csh").exit_code == 2


def test_commands_and_stored_sessions_are_completed(home: Path, tmp_path: Path) -> None:
    store = SqliteStore(home / "sessions")
    for name in ("duel-1", "duel-2", "hunt"):
        Engine(store, Catalog(), Fixed()).start("tiny", session=name)
    store.close()
    assert completed("re") == ["plain,replay", "plain,report", "plain,redo", "plain,reveal", "plain,reveal-dice"]
    assert completed("log", "duel") == ["plain,duel-1", "plain,duel-2"]
    assert completed("verify", "duel-1", "h") == ["plain,hunt"]
    assert completed("play", "du") == ["plain,duel-1", "plain,duel-2"]
    assert completed("undo", "x") == ["file,x"]
    assert completed("log", "./du") == ["file,./du"]
    begun(tmp_path / "other", "jsonl")
    assert completed("log", "--db", str(tmp_path / "other"), "s") == ["plain,s"]
    assert completed("--db", str(tmp_path / "other"), "log", "s") == ["plain,s"]
    (tmp_path / "file").write_text("")
    assert completed("log", "--db", str(tmp_path / "file"), "s") == ["file,s"]
