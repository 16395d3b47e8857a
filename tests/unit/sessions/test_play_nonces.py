"""`affray play` as a player's client: what it sends along with commands, so that the host cannot choose the dice."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from affray.kernel import GM, Chain, Declare, Request, Roll, StoreError, commands
from affray.sessions import Answer, Catalog, Engine, Session
from affray.sessions.cli import app
from affray.sessions.stores.sqlite import SqliteStore

from ...support.cli import TINY, find_plugins
from ...support.ram import ram_folder
from ...support.table import Fixed, must, tiny_session

MIXED = """
system = "tiny"

[[combatants]]
id = "ann"
name = "Ann"
side = "heroes"
controller = "kim"
sheet = { hp = 12, init = 9 }

[[combatants]]
id = "gob"
name = "Goblin"
side = "goblins"
sheet = { hp = 12 }
"""


@pytest.fixture
def home(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    with ram_folder() as folder:
        monkeypatch.setenv("AFFRAY_HOME", str(folder))
        find_plugins(monkeypatch, TINY)
        yield folder


def begun(home: Path) -> None:
    """A stored fight of the tiny system, session `s`: Ann and Bob."""
    store = SqliteStore(home / "sessions")
    tiny_session(Engine(store, Catalog(), Fixed()))
    store.close()


def stored(home: Path, name: str = "s") -> Session:
    store = SqliteStore(home / "sessions")
    try:
        return Engine(store, Catalog()).load(name)
    finally:
        store.close()


def play(*typed: str, args: tuple[str | Path, ...] = ("s",)) -> Result:
    lines = "".join([f"{line}\n" for line in typed])
    return CliRunner().invoke(app, ["play", *map(str, args)], input=lines, prog_name="affray")


def nonces(session: Session) -> list[tuple[str, str]]:
    """Who sent each command, and what it brought to the dice."""
    chain = Chain(session.header)
    commits = [chain.accept(line) for line in session.lines]
    return [(commit.sender.caller, commit.envelope.nonce) for commit in commits if commit.sender is not None]


def test_what_a_player_says_brings_random_text_to_the_dice_and_the_game_master_none(home: Path, tmp_path: Path) -> None:
    path = tmp_path / "mixed.toml"
    path.write_text(MIXED)
    play("end turn", "end turn", "note mine", "end turn", "undo", "end turn", args=(path, "--session", "m"))
    play("end turn", "attack", args=("m",))
    session = stored(home, "m")
    sent = nonces(session)
    assert {caller for caller, _ in sent} == {GM, "kim"}
    assert {nonce for caller, nonce in sent if caller == GM} == {""}
    players = [nonce for caller, nonce in sent if caller == "kim"]
    assert len(players) >= 5
    assert all(re.fullmatch("[0-9a-f]{32}", nonce) for nonce in players)
    assert len(set(players)) == len(players), "each is new"
    verdict = session.verify()
    assert (verdict.is_clean, verdict.dice.nonces) == (True, len(players))


def test_a_player_who_speaks_after_an_epoch_ended_lets_the_dice_go_on(home: Path) -> None:
    begun(home)
    session = stored(home)
    must(session.request(commands.Note(text="hello"), caller="ann", nonce="first"))
    must(session.reveal_dice())
    head = session.head
    result = play("attack")
    assert "Refused" not in result.stdout
    assert "engine" in [one.event.source for one in stored(home).history(head, reader=GM) if isinstance(one.event, Roll)]
    assert stored(home).verify().is_clean


@pytest.mark.parametrize("is_stored", [False, True])
def test_what_failed_and_is_said_again_is_the_same_command_with_the_same_text(
    home: Path, monkeypatch: pytest.MonkeyPatch, is_stored: bool
) -> None:
    """Law 10: so it meets the same dice, and happens once though it was stored after all."""
    begun(home)
    real, sent = Session.do, list[Request]()

    def do(session: Session, request: Request) -> Answer:
        sent.append(request)
        if len(sent) > 1:
            return real(session, request)
        if is_stored:
            real(session, request)
        raise StoreError("the disk is full")

    monkeypatch.setattr(Session, "do", do)
    result = play("curse", "curse", "curse")
    assert "That did not work: the disk is full" in result.stdout
    first, again, *rest = sent
    assert first is again
    assert first.nonce
    assert [one.nonce for one in rest if one.nonce == first.nonce] == []
    declared = [one.event for one in stored(home).history(reader=GM) if isinstance(one.event, Declare)]
    assert [one.actor for one in declared][:1] == ["ann"]
    assert [one.action for one in declared].count(first.id) == 1
