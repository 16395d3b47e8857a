"""`affray audit`: what it prints, to whom, with which code it ends, and how several are audited at once."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest

from affray.kernel import GM, Audit
from affray.sessions import JsonlStore, MemoryStore, SqliteStore, Store
from affray.sessions.auditing import KEPT, audit_stored
from affray.sessions.stores.lines import end_of_commits

from ...bench.bench import play as play_nyra
from ...docs.test_commands import DUEL, SHAPES, TEXT, keys
from ...support.audits import log
from ...support.cli import NYRA, affray, document, environment, find_plugins, hidden, put
from ...support.dicey import Dicey
from ...support.everything import everything
from ...support.forged import changed
from ...support.reseal import Loose, Piece, put_together, take_apart
from ...support.table import engine, must, tiny_catalog, tiny_session

DICEY = EntryPoint("tiny", f"{Dicey.__module__}:Dicey", "affray.systems")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data folder of its own, and the dicey system alone."""
    monkeypatch.setenv("AFFRAY_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("AFFRAY_DEBUG", raising=False)
    find_plugins(monkeypatch, DICEY)
    return tmp_path / "home"


def write(path: Path, lines: list[bytes]) -> Path:
    path.write_bytes(b"".join([line + b"\n" for line in lines]))
    return path


def tampered(path: Path, kind: str = "done", action: str = "a1", **fields: Any) -> Path:
    """The log that holds everything, with one event that says something else."""
    return write(path, changed(log(everything()), kind, lambda event: event.update(fields or {"code": "dead"}), action=action))


def kept(path: Path, kind: str, change: Callable[[dict[str, Any]], None]) -> Path:
    """The log that holds everything, with the kept part of the first event of a kind changed."""
    commits = take_apart(log(everything()))
    for at, commit in enumerate(commits):
        for index, piece in enumerate(commit.pieces):
            if piece.kind == kind and piece.part is not None:
                twin = piece.again()
                assert twin.part is not None
                change(twin.part["fields"] if "fields" in twin.part else twin.part["event"])
                pieces = [*commit.pieces[:index], twin, *commit.pieces[index + 1 :]]
                return write(path, list(put_together(everything().header, [*commits[:at], commit.of(*pieces), *commits[at + 1 :]])))
    raise AssertionError(kind)


# -- one session


def test_a_clean_log_is_told_with_what_a_table_should_know(home: Path) -> None:
    put(everything(), home)
    result = affray("audit", "s", "--for", "gm")
    assert result.exit_code == 0, result.stderr
    lines = result.stdout.splitlines()
    assert [
        "version 87: undo of versions 80 to 86, no roll among them",
        "version 88: redo of versions 87 to 87, no roll among them",
        "version 89: undo of versions 80 to 88, no roll among them",
    ] == lines[:3]
    assert 'version 24: overruled: step: {"fields":{"faces":[[4]]},"set":"step","slot":"a3|roll.attack.ann.0"}' in lines
    assert "dice overruled for ann: version 26" in lines
    assert "dice reported by bob for bob: versions 8, 39, 44, 98" in lines
    at = lines.index("version 96: rules changed: quicker")
    assert [re.sub(r'^(  [a-z]+: ).*("counts":\d).*', r"\1\2", line) for line in lines[at + 1 : at + 3]] == [
        '  before: "counts":5',
        '  after: "counts":2',
    ]
    assert lines[-3].startswith("dice: 17 thrown by the engine; ")
    assert [f"head: 143:{everything().digest}", "clean; 143 events in 48 commits, 135 checked"] == lines[-2:]


def test_dice_that_were_thrown_again_are_told(home: Path) -> None:
    session = tiny_session(engine(catalog=tiny_catalog(Dicey)))
    for number in range(2):
        must(session.declare("ann", "end-turn", id=f"a{number}"))
        if not number:
            must(session.undo())
    put(session, home)
    lines = affray("audit", "s").stdout.splitlines()
    assert "version 21: undo of versions 13 to 20, with the rolls of version 18" in lines
    assert "thrown again: start:bob.1>tiny|roll.grit.bob.0, versions 18, 27" in lines


def test_a_divergence_is_told_with_both_events_and_their_traces(home: Path, tmp_path: Path) -> None:
    path = tampered(tmp_path / "t.affray", "judge", "g2", code="miss")
    result = affray("audit", path, "--for", "gm")
    assert result.exit_code == 1
    block = """\
version 114: differs in g2: code is "miss", the rules make it "hit"
  expected: judge attack g2
    against: "bob"
    by: "gob"
    code: "hit"
    goal: 20
    margin: 10
    trace:
      20 skill (sheet)
    veil: {"audience":["gm"],"fields":["goal","margin","trace"]}
  recorded: judge attack g2
    against: "bob"
    by: "gob"
    code: "miss"
"""
    assert result.stdout.startswith(block)
    assert result.stdout.splitlines()[-1] == "1 finding; 143 events in 48 commits, 126 checked"


def test_what_verify_finds_comes_first(home: Path, tmp_path: Path) -> None:
    path = tampered(tmp_path / "t.affray", "change", "a1", after=99)
    lines = affray("audit", path).stdout.splitlines()
    assert "version 19: arithmetic: 30 + 3 - 3 is not 99" == lines[0]
    differs = "version 19: differs in a1: after is 99, the rules make it 30"
    assert lines.index(differs) == len([line for line in lines if ": before: " in line]) + 1
    assert re.fullmatch(r"\d+ findings; 143 events in 48 commits, \d+ checked", lines[-1])


def test_a_log_without_its_plugin_is_told_to_be_not_checked(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Law 2: it is verified all the same, and it is said plainly that no rule was asked."""
    put(everything(), home)
    find_plugins(monkeypatch)
    result = affray("audit", "s")
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert any(line.startswith("version 1: not checked") and "plugin 'tiny': is not installed" in line for line in lines)
    assert lines[-1] == "not checked; 143 events in 48 commits, 4 checked"
    assert affray("audit", "s", "s", "--jobs", "1").stdout.splitlines()[0].startswith("s: not checked; 143 events")
    done = hidden(home, "audit", "s")
    assert (done.returncode, done.stdout.splitlines()[-1]) == (0, lines[-1]), done.stderr


def test_a_copy_tells_what_it_could_not_check(home: Path, tmp_path: Path) -> None:
    put(everything(), home)
    assert affray("export", "s", "-o", tmp_path / "copy.affray").exit_code == 0
    result = affray("audit", tmp_path / "copy.affray")
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert "kept parts are missing from this copy" in next(line for line in lines if "not checked" in line)
    assert any(re.fullmatch(r"\d+ events have parts that are not in this copy", line) for line in lines)
    assert re.fullmatch(r"clean; 143 events in 48 commits, \d\d checked", lines[-1])


def test_damage_is_told_and_what_stands_before_it(home: Path, tmp_path: Path) -> None:
    lines = log(everything())
    lines[30] = lines[30].replace(b'"kind"', b'"sort"', 1)
    result = affray("audit", write(tmp_path / "d.affray", lines))
    assert result.exit_code == 1
    told = result.stdout.splitlines()
    assert [line for line in told if "damaged: " in line and "line 31" in line]
    assert re.fullmatch(r"1 finding; \d+ events in 29 commits, \d+ checked", told[-1])
    assert affray("audit", write(tmp_path / "e.affray", [])).stdout.startswith("version 0: damaged: ")


@pytest.mark.parametrize(
    ("args", "problem"),
    [
        (("audit", "nobody"), "nobody"),
        (("audit", "s", "--all"), "name sessions, or say --all"),
        (("audit", "no/such.affray"), "No such file"),
        (("audit", "s", "--jobs", "0"), "--jobs"),
        (("audit", "s", "--for", "a b"), "a reader is public"),
    ],
)
def test_misuse_is_one_sentence_and_exit_code_2(home: Path, args: tuple[str, ...], problem: str) -> None:
    put(everything(), home)
    result = affray(*args)
    assert (result.exit_code, result.stdout) == (2, "")
    assert problem in result.stderr


def test_a_long_log_is_told_of_while_it_is_read(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []

    def told(lines: Any, size: int, doing: str) -> Any:
        seen.append((size, doing))
        return lines

    path = put(everything(), home)
    monkeypatch.setattr("affray.sessions.cli.audit.progress", told)
    assert affray("audit", "s").exit_code == 0
    assert [(path.stat().st_size, "auditing")] == seen


# -- as a document


def test_the_document_is_what_the_page_says(home: Path, tmp_path: Path) -> None:
    put(everything(), home)
    found = document("audit", tampered(tmp_path / "t.affray"), "--for", "gm", code=1)
    shown = SHAPES["audit"]
    for printed in (found, document("audit", "s")):
        filled = {name: value if value != [] else shown[name] for name, value in printed.items()}
        assert keys(bare(shown)) == keys(bare(filled))
        assert list(shown) == list(printed)
    assert keys(shown["divergences"]) == keys(found["divergences"])
    assert (found["clean"], found["head"], found["session"]) == (False, f"143:{found['digest']}", "s")
    assert [(20, "differs", "a1")] == [(one["version"], one["code"], one["action"]) for one in found["divergences"]]


def bare(document: dict[str, Any]) -> dict[str, Any]:
    """A document without the contents of events and manifests, which are told elsewhere."""
    inner = ("expected", "recorded", "effect", "before", "after", "rolls")
    return {
        name: [{**row, **{key: None for key in inner if key in row}} for row in value[:1]] if isinstance(value, list) else value
        for name, value in document.items()
    }


def test_the_page_shows_what_is_printed(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every command of the page is run in the fight that the page's other commands play."""
    find_plugins(monkeypatch, NYRA)
    monkeypatch.chdir(tmp_path)
    Path("duel.toml").write_text(DUEL)
    assert affray("run", "duel.toml", "--session", "duel-1").exit_code == 0
    for line in re.findall(r"^affray .*$", TEXT.partition("```sh\n")[2].partition("```")[0], re.MULTILINE):
        assert affray(*shlex.split(line)[1:]).exit_code == 0, line
    assert affray("export", "duel-1", "--for", "gm", "-o", "whole.affray").exit_code == 0
    lines = Path("whole.affray").read_bytes().splitlines()
    write(Path("forged.affray"), changed(lines, "judge", lambda event: event.update(code="miss")))
    section = TEXT.partition("\n## audit\n")[2].partition("\n## ")[0]
    shown = section.partition("```console\n")[2].partition("```")[0].split("$ ")[1:]
    assert len(shown) == 3
    for block in shown:
        args, *expected = block.splitlines()
        result = affray(*shlex.split(args.replace("--jobs 2", "--jobs 1"))[1:])
        pattern = "\n".join([re.escape(line).replace(r"\.\.\.", ".*") for line in expected])
        assert re.fullmatch(pattern, result.stdout.strip(), re.DOTALL), result.stdout


# -- for whom

SECRET = 7777


@pytest.mark.parametrize(
    ("kind", "change"),
    [
        ("judge", lambda fields: fields.update(goal=SECRET)),
        ("apply-damage", lambda fields: fields.update(overflow=SECRET)),
        ("choose", lambda event: event.update(value=str(SECRET))),
        ("declare", lambda event: event.update(params={"power": SECRET})),
        ("roll", lambda fields: fields.update(total=SECRET)),
    ],
)
def test_details_of_what_is_kept_are_told_to_those_who_may_know_them(
    home: Path, tmp_path: Path, kind: str, change: Callable[[dict[str, Any]], None]
) -> None:
    path = kept(tmp_path / "k.affray", kind, change)
    whole, public = affray("audit", path, "--for", "gm"), affray("audit", path)
    assert (whole.exit_code, public.exit_code) == (1, 1)
    assert str(SECRET) in whole.stdout
    assert KEPT in public.stdout
    assert whole.stdout.splitlines()[-1] == public.stdout.splitlines()[-1]
    found = document("audit", path, code=1)
    for text in (public.stdout, json.dumps(found), affray("audit", path, "--for", "bob").stdout):
        assert str(SECRET) not in text
    assert [one["version"] for one in found["divergences"]] == [
        one["version"] for one in document("audit", path, "--for", "gm", code=1)["divergences"]
    ]


def test_what_the_rules_would_have_made_is_kept_where_it_would_have_been(home: Path, tmp_path: Path) -> None:
    """The event that was recorded hides nothing; that of the rules would have."""
    note = {"kind": "note", "text": "nothing to see"}
    commits = take_apart(log(everything()))
    at = next(n for n, commit in enumerate(commits) if any(piece.kind == "judge" for piece in commit.pieces))
    pieces = tuple([Piece(note) if piece.kind == "judge" else piece for piece in commits[at].pieces])
    path = write(tmp_path / "n.affray", list(put_together(everything().header, [*commits[:at], commits[at].of(*pieces), *commits[at + 1 :]])))
    (expected,) = [one["expected"] for one in document("audit", path, "--for", "gm", code=1)["divergences"] if one["action"] == "a3"]
    assert (expected["goal"], expected["margin"]) == (21, 17)
    (shown,) = [one for one in document("audit", path, code=1)["divergences"] if one["action"] == "a3"]
    assert (shown["expected"]["goal"], shown["expected"]["margin"], shown["expected"]["trace"]) == (None, None, None)
    assert shown["text"] == KEPT


def test_the_game_masters_word_on_somebody_secret_is_kept(home: Path) -> None:
    put(everything(), home)
    word = next(one for one in document("audit", "s")["overrules"] if one["reason"] == "pool")
    assert word["effect"] is None
    word = next(one for one in document("audit", "s", "--for", "gm")["overrules"] if one["reason"] == "pool")
    assert word["effect"]["value"] == 12
    assert "overruled: pool: what was set is kept" in affray("audit", "s").stdout


# -- several


def test_several_are_told_in_the_order_named_and_a_bad_one_stops_none(home: Path, tmp_path: Path) -> None:
    put(everything(), home)
    bad, none = tampered(tmp_path / "bad.affray"), tmp_path / "none.affray"
    broken = write(tmp_path / "broken.affray", [b"{}"])
    result = affray("audit", bad, "s", none, broken, "s", "--jobs", "1")
    assert result.exit_code == 1
    lines = result.stdout.splitlines()
    head = f"head: 143:{everything().digest}"
    assert lines[0].startswith(f"{bad}: 1 finding; 143 events in 48 commits, 134 checked; version 20: differs: ")
    assert lines[1] == lines[4] == f"s: clean; 143 events in 48 commits, 135 checked; {head}"
    assert lines[2].startswith(f"{none}: 1 finding; 0 events in 0 commits, 0 checked; version 0: unreadable: {none}: No such file")
    assert lines[3].startswith(f"{broken}: 1 finding; 0 events in 0 commits, 0 checked; version 0: damaged: ")
    listed = document("audit", bad, "s", none, "--jobs", "1", code=1)
    assert [False, True, False] == [one["clean"] for one in listed]
    assert ["s", "s", ""] == [one["session"] for one in listed]


def test_all_that_are_stored_are_audited(home: Path) -> None:
    assert affray("audit").stdout == f"no sessions in {home / 'sessions'}\n"
    assert document("audit", "--all") == []
    put(everything(), home).rename(home / "sessions" / "t.affray")
    put(everything(), home)
    lines = affray("audit", "--jobs", "1").stdout.splitlines()
    assert ["s: clean", "t: 1 finding"] == [line.partition(";")[0] for line in lines]
    assert "the file holds session 's', not 't'" in lines[1]


# -- processes of their own


def nyra_files(folder: Path, strikes: int) -> Path:
    session, _ = play_nyra(strikes)
    return write(folder / "nyra.affray", log(session))


def program(*args: str | Path, home: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "affray.sessions.cli", *map(str, args)],
        env=environment(home),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def test_several_processes_say_the_same_as_one(tmp_path: Path) -> None:
    good, none = nyra_files(tmp_path, 5), tmp_path / "none.affray"
    names = [good, none, good, good]
    with program("audit", *names, "--jobs", "2", home=tmp_path) as process:
        out, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (1, "")
    told = [line.partition(";")[0] for line in out.splitlines()]
    assert [f"{good}: clean", f"{none}: 1 finding", f"{good}: clean", f"{good}: clean"] == told


def test_an_interrupt_ends_all_processes_at_once(tmp_path: Path) -> None:
    path = nyra_files(tmp_path, 60)
    with program("audit", *[path] * 400, "--jobs", "2", home=tmp_path) as process:
        assert process.stdout is not None
        assert process.stdout.readline().startswith(f"{path}: clean; ")
        began = time.monotonic()
        os.killpg(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert (process.returncode, err.splitlines()[-1]) == (130, "affray: interrupted")
    assert "Traceback" not in err
    assert len(out.splitlines()) < 399
    assert time.monotonic() - began < 20
    while alive(process.pid):
        assert time.monotonic() - began < 20
        time.sleep(0.05)


def alive(group: int) -> list[str]:
    """The processes of a group that are there and have not ended."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, _, pgrp = stat.read_text().rpartition(")")[2].split()[:3]
        except OSError:
            continue
        if pgrp == str(group) and state != "Z":
            found.append(stat.parent.name)
    return found


# -- from any store


def far_back(commits: list[Loose]) -> list[Loose]:
    """The commits, and behind them rewinds that lead far back, which no rule allows."""
    back = next(commit for commit in commits if commit.pieces[0].kind == "rewind")
    found = list(commits)
    for number, to in enumerate((20, 79, 5, 41)):
        made = back.of(Piece({**back.pieces[0].event, "to": to})).again()
        made.sender["command"] = f"far-{number}"
        found.append(made)
    return found


@pytest.mark.parametrize("make", [lambda path: MemoryStore(), JsonlStore, SqliteStore], ids=["memory", "jsonl", "sqlite"])
def test_every_store_can_be_read_again(
    make: Callable[[Path], Store], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("affray.kernel.points.POINTS_RECENT", 2)
    monkeypatch.setattr("affray.kernel.points.POINTS_APART", 16)
    lines = list(put_together(everything().header, far_back(take_apart(log(everything())))))
    store = make(tmp_path)
    stored(store, lines)
    found = audit_stored(store, "s", tiny_catalog(Dicey))
    store.close()
    assert ["unfounded"] * 4 == [one.code for one in found.divergences]
    assert (found.version, len(found.undone)) == (147, 7)
    name = tmp_path / ("s.sqlite" if isinstance(store, SqliteStore) else "s.affray")
    if not isinstance(store, MemoryStore):
        find_plugins(monkeypatch, DICEY)
        assert told_alike(found, document("audit", name, "--for", "gm", code=1))
        with name.open("rb") as file:
            assert name.suffix != ".affray" or end_of_commits(file, "") == name.stat().st_size


def stored(store: Store, lines: list[bytes]) -> None:
    from affray.kernel import Chain

    chain = Chain(lines[0])
    store.create(lines[0], [chain.accept(line) for line in lines[1:]], None)


def told_alike(found: Audit, printed: dict[str, Any]) -> bool:
    return (found.digest, [one.text for one in found.divergences]) == (
        printed["digest"],
        [one["text"] for one in printed["divergences"]],
    )


def test_a_session_that_is_not_there_is_not_audited() -> None:
    from affray.kernel import NoSuchSession

    with pytest.raises(NoSuchSession):
        audit_stored(MemoryStore(), "nobody", tiny_catalog(Dicey))


def test_the_game_master_reads_everything() -> None:
    store = MemoryStore()
    stored(store, log(everything()))
    whole = audit_stored(store, "s", tiny_catalog(Dicey), reader=GM)
    public = audit_stored(store, "s", tiny_catalog(Dicey), reader="public")
    assert whole.is_clean
    assert (whole.checked, whole.digest) == (public.checked, public.digest)
    assert [one.version for one in whole.overrules] == [one.version for one in public.overrules]
