"""A player's real name can be erased from a log: it verifies to the same digest, and the fight goes on."""

from __future__ import annotations

from affray.kernel import GM, Chain, canonical, header_line
from affray.kernel.canonical import decode
from affray.sessions import MemoryStore, Session

from ...support.table import engine, must, play

NAME = "Margarethe Mustermann"


def fight() -> tuple[MemoryStore, Session]:
    store = MemoryStore()
    session = engine(store).start("tiny", session="s")
    must(session.join("ann", side="a", controller="ann", sheet={"hp": 12}, player=NAME, secret=False))
    must(session.join("bob", side="b", controller="bob", sheet={"hp": 12}, secret=False))
    must(session.begin())
    return store, session


def without_name(line: bytes) -> bytes:
    """The line without every kept part that holds the name."""
    raw = decode(line)
    raw["kept"] = [part for part in raw["kept"] if NAME not in canonical(part).decode()]
    return canonical(raw)


def test_an_erased_name_leaves_digest_and_play_as_they_were() -> None:
    store, session = fight()
    lines = [without_name(line) for line in session.lines]
    assert NAME.encode() not in b"".join(lines)
    chain = Chain(header_line("s"))
    commits = [chain.accept(line) for line in lines]
    assert session.digest == chain.digest
    erased = MemoryStore()
    erased.create(header_line("s"), commits, store.secret("s"))
    again = engine(erased).load("s")
    assert not again.is_copy
    play(again, 2)
    assert again.head > session.head
    assert again.verify().is_clean
    assert again.state(reader=GM).combatants["ann"].name == "ann"


def test_a_name_is_read_by_the_game_master_and_its_own_client_only() -> None:
    _, session = fight()
    shown = {reader: session.history(reader=reader)[1].event.player for reader in (GM, "ann", "bob", "public")}
    assert {GM: NAME, "ann": NAME, "bob": None, "public": None} == shown
