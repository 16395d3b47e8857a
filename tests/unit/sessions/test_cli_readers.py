"""What a reader may not know is in nothing that is printed for them, neither in text nor in JSON."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from affray.kernel import (
    GM,
    ApplyDamage,
    Chain,
    Change,
    Judge,
    Sender,
    header_line,
    sha256,
    through_bytes,
    write_commit,
)
from affray.plugins.nyra import make
from affray.sessions import Catalog, Engine, JsonlStore, MemoryStore, Session
from affray.sessions.cli.verify import KEPT
from affray.sessions.encounter import parse_encounter, run_encounter

from ...support.cli import NYRA, affray, document, find_plugins, json_lines, put
from ...support.table import Fixed, answer_all, engine, must, tiny_session

HP = 791_919
SKILL = 653_653

COMMANDS = (
    ("show",),
    ("show", "--at", "12"),
    ("log", "--all"),
    ("replay",),
    ("replay", "--every"),
    ("verify",),
    ("export",),
)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("AFFRAY_HOME", str(tmp_path / "home"))
    find_plugins(monkeypatch, NYRA)
    return tmp_path / "home"


def hunt() -> Session:
    """Ann, and a goblin whose numbers the game master keeps; both strike and are hurt, one strike is undone."""
    session = engine().start("tiny", session="s")
    must(session.join("ann", "Ann", side="heroes", controller="ann", sheet={"hp": 60, "init": 9, "skill": 18}))
    must(session.join("gob", "Goblin", side="goblins", sheet={"hp": HP, "init": 1, "skill": SKILL}, player="G. Person"))
    must(session.begin())
    must(session.note("The goblin has a potion.", secret=True))
    for number in range(12):
        state = session.state(reader=GM)
        if state.over:
            break
        must(session.declare(state.turn, "attack", "gob" if state.turn == "ann" else "ann"))
        answer_all(session, number)
        if number == 3:
            must(session.undo())
    return session


def numbers_of_the_goblin(session: Session) -> set[int]:
    """What only the game master may know: its points at every version, its skill, its margins."""
    found = {HP, SKILL}
    for version in range(session.head + 1):
        goblin = session.state(version, reader=GM).combatants.get("gob")
        found |= {value for value in (goblin.pools.values() if goblin else ()) if isinstance(value, int) and value > 99}
    for one in session.history(reader=GM):
        if isinstance(one.event, Judge) and one.event.by == "gob":
            found |= {number for number in (one.event.margin, one.event.goal) if isinstance(number, int)}
    return found


def printed(name: str, reader: str, json: bool) -> Iterator[str]:
    for command, *options in COMMANDS:
        args = [command, name, *options, "--for", reader]
        if json and command not in ("export",):
            args.append("--json")
        result = affray(*args)
        assert result.exit_code == 0, (args, result.stderr)
        yield result.stdout


def has_number(text: str, number: int) -> bool:
    return re.search(rf"(?<![0-9a-f]){number}(?![0-9a-f])", text) is not None


@pytest.mark.parametrize("json", [False, True])
def test_a_monsters_numbers_are_nowhere_and_the_damage_dealt_is(home: Path, json: bool) -> None:
    session = hunt()
    put(session, home)
    numbers = numbers_of_the_goblin(session)
    assert len(numbers) > 4
    for reader in ("public", "ann"):
        for text in printed(session.id, reader, json):
            assert not [number for number in numbers if has_number(text, number)], reader
            assert "potion" not in text
            assert "G. Person" not in text
    texts = "".join(printed(session.id, GM, json))
    assert [number for number in sorted(numbers) if not has_number(texts, number)] == [], "the check above can fail"
    assert "potion" in texts


def test_the_damage_dealt_to_a_monster_is_told_to_everybody(home: Path) -> None:
    session = hunt()
    put(session, home)
    hits = [
        (one["version"], one["event"]["value"])
        for one in json_lines("log", session.id)
        if one["kind"] == "apply-damage" and one["event"]["target"] == "gob"
    ]
    told = {one["version"]: one["text"] for one in document("replay", session.id)["events"]}
    assert hits
    for version, value in hits:
        assert told[version].startswith(f"Goblin takes {value} ")
    assert all(event["event"]["touched"] is None for event in json_lines("log", session.id) if event["version"] in dict(hits))


def test_a_player_sees_the_own_secrets(home: Path) -> None:
    session = tiny_session(people=1, begun=False)
    must(session.join("spy", "Spy", side="spies", controller="eve", secret=True, sheet={"hp": HP, "skill": SKILL}))
    must(session.begin())
    put(session, home)
    assert document("show", session.id, "--for", "eve")["combatants"][1]["sheet"]["skill"] == SKILL
    assert document("show", session.id, "--for", "ann")["combatants"][1]["sheet"] is None
    assert document("show", session.id)["combatants"][1]["pools"] == {}


def test_a_copy_verifies_to_the_same_head_and_shows_the_same(home: Path, tmp_path: Path) -> None:
    session = hunt()
    put(session, home)
    copy = tmp_path / "copy.affray"
    assert affray("export", session.id, "-o", copy).exit_code == 0
    of_copy, of_whole = document("verify", copy), document("verify", session.id)
    assert of_copy["head"] == of_whole["head"]
    assert of_copy["hidden"] > of_whole["hidden"] == 0
    assert affray("show", copy).stdout == affray("show", session.id).stdout
    assert affray("show", copy, "--for", GM).stdout == affray("show", copy).stdout, "what is not there nobody sees"


def test_a_secret_action_is_sealed_to_others(home: Path) -> None:
    session = tiny_session(people=3)
    must(session.declare("ann", "attack", "bob", secret=True))
    answer_all(session)
    put(session, home)
    kinds = {one["kind"] for one in json_lines("log", session.id, "--for", "cy")}
    assert "sealed" in kinds
    assert "declare" not in kinds
    assert "Ann: attack at Bob, in secret." in affray("replay", session.id, "--for", "ann").stdout
    assert "Ann: attack" not in affray("replay", session.id, "--for", "cy").stdout


# -- with a real system


LURKER = """
system = "nyra"
auto = "first"
commands = 60

[[combatants]]
id = "ada"
name = "Ada"
side = "party"
controller = "ada"
sheet = { STR = 7, AGI = 6, CON = 7, sequence = 5, skills = { Swords = 7, Dodge = 5 }, weapons = [{ key = "sword", base = "short-sword" }] }

[[combatants]]
id = "lurker"
name = "Lurker"
side = "cellar"
sheet = { STR = 77, AGI = 6, CON = 401, sequence = 4, skills = { Swords = 67, Defense = 3 }, weapons = [{ key = "claws", base = "short-sword" }] }
"""


def test_a_transcript_for_players_leaves_a_monsters_numbers_out(home: Path) -> None:
    catalog = Catalog(systems={"nyra": make}, points=())
    session = run_encounter(Engine(MemoryStore(), catalog, Fixed()), parse_encounter(LURKER.encode()), session="cellar")
    put(session, home)
    text = affray("replay", "cellar").stdout
    master = affray("replay", "cellar", "--for", "gm").stdout
    assert re.search(r"Lurker attacks: .*against 67", master)
    assert not re.search(r"\b(67|77|401|38)\b", text.rpartition("\n\n")[0]), "38 is the modifier of STR 77"
    dealt = re.findall(r"Lurker takes (\d+)", master)
    assert dealt
    assert dealt == re.findall(r"Lurker takes (\d+)", text)


# -- findings


def tampered(session: Session, path: Path) -> int:
    """Write a session again with one wrong number in what is kept of the goblin. Returns its version."""
    header = header_line(session.id)
    lines, previous, changed = [header], sha256(header), 0
    chain = Chain(session.header)
    for line in session.lines:
        commit = chain.accept(line)
        events: list[Any] = []
        for offset, event in enumerate(commit.events):
            is_hit = isinstance(event, ApplyDamage | Change) and event.target == "gob" and not changed
            if is_hit and isinstance(event, ApplyDamage) and event.touched:
                last = event.touched[-1]
                event = replace(event, touched=(*event.touched[:-1], replace(last, after=int(last.after) + 5)))
                changed = commit.first + offset
            events.append(event)
        sender = commit.sender
        assert isinstance(sender, Sender)
        again = write_commit(
            session=session.id,
            first=commit.first,
            previous=previous,
            events=[(event, None) if event.veil else through_bytes(event) for event in events],
            sender=sender,
            salt=lambda: "0" * 32,
            nonce=commit.envelope.nonce,
        )
        previous = again.digest
        lines.append(again.line)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"".join([line + b"\n" for line in lines]))
    return changed


def test_a_finding_is_told_to_everybody_and_its_details_to_those_who_may_know(home: Path) -> None:
    path = home / "sessions" / "s.affray"
    version = tampered(hunt(), path)
    assert version
    master = document("verify", "s", "--for", GM, code=1)
    public = document("verify", "s", code=1)
    at_version = [finding for finding in master["findings"] if finding["version"] == version]
    assert at_version
    assert "took" in at_version[0]["text"]
    assert [finding["version"] for finding in public["findings"]] == [f["version"] for f in master["findings"]]
    told = affray("verify", "s").stdout
    assert {finding["text"] for finding in public["findings"]} == {KEPT}
    assert KEPT in told
    assert "79" not in told.partition("head:")[0].replace("sha", "")


def test_a_store_and_a_path_read_the_same(home: Path) -> None:
    store = JsonlStore(home / "sessions")
    session = tiny_session(engine(store))
    for name in ("show", "log", "replay", "verify", "export"):
        assert affray(name, session.id).stdout == affray(name, home / "sessions" / "s.affray").stdout
    store.close()
