"""A fight with a flurry, charms after the roll and a counterattack goes on to the same bytes wherever its process dies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from affray.kernel import GM, Defend, Request, Roll, commands
from affray.sessions import Engine, MemoryStore, Session

from ...support.fights import Died, Mortal, Told, prompt_for
from ...support.table import must
from .table import catalog, sheet

LATE = {"key": "late", "use": "after-roll", "effects": [{"op": "add", "value": 1}, {"op": "dice", "value": 2}]}
COUNTER = {"key": "riposte", "use": "counterattack", "motes": 1}
AGAIN = {"key": "again", "use": "reroll", "motes": 1}
LEAF = {"key": "leaf", "use": "defence", "effects": [{"op": "mul", "value": "3/2"}]}

ANN = sheet(charms=[AGAIN], motes=3)
BOB = sheet(charms=[LATE, COUNTER, LEAF], motes=4, virtues={"valor": 2}, willpower=1)

ATTACKS = [{"weapon": "sword", "stunt": 1}, {"weapon": "sword"}]
MOVES: Sequence[tuple[str, commands.Command | tuple[str, str]]] = (
    ("ann", commands.Join(id="ann", name="Ann", side="red", controller="ann", sheet=ANN)),
    ("bob", commands.Join(id="bob", name="Bob", side="blue", controller="bob", sheet=BOB)),
    ("begin", commands.Begin()),
    ("flurry", commands.Declare(actor="ann", name="flurry", targets=("bob", "bob"), params={"attacks": ATTACKS})),
    ("1-guard", ("bob", "dodge")),
    ("1-support", ("bob", "ready")),
    ("1-again", ("ann", "charm-again")),
    ("1-after", ("bob", "stand")),
    ("1-counter", ("bob", "charm-riposte/sword")),
    ("counter-guard", ("ann", "parry-sword")),
    ("2-guard", ("bob", "parry-sword")),
    ("2-support", ("bob", "channel-valor")),
    ("2-more", ("bob", "charm-leaf")),
    ("2-again", ("ann", "stand")),
    ("2-after", ("bob", "charm-late")),
    ("2-counter", ("bob", "stand")),
)
FACES = (
    *(9, 2),  # join battle
    *[2] * 6,  # Ann's first attack: 7 dice, 1 of a stunt, less 2
    *[10] * 6,  # again: 12 successes against 5, so raw damage 12
    *[7] * 7,  # Bob's counterattack against 5 - 2, raw damage 9
    *[2] * 8,  # its damage
    *[2] * 6,  # Ann's knockdown
    *[2] * 11,  # damage of the first attack
    *[2] * 6,  # Bob's knockdown
    *[10] * 4,  # Ann's second attack: 7 dice less 3, against 7
    *[2, 2],  # Bob's First Excellency; with it he has 8
)  # fmt: skip


class Process:
    """A store, and whatever process serves the session at the moment."""

    def __init__(self, store: MemoryStore, faces: Sequence[int] = FACES) -> None:
        self.store = store
        self.entropy = Told()
        self.session = self.engine.start("exalted", session="s", dice="scripted", script=faces)

    @property
    def engine(self) -> Engine:
        return Engine(self.store, catalog(), self.entropy)

    def restart(self) -> Session:
        self.session = self.engine.load("s")
        return self.session

    def play(self, *, cold: bool = False) -> list[bytes]:
        for name, move in MOVES:
            if cold:
                self.restart()
            request = self.request(name, move)
            self.entropy.tell(name)
            try:
                must(self.session.do(request))
            except Died:
                self.entropy.tell(name)
                must(self.restart().do(request))
        return self.lines

    @property
    def lines(self) -> list[bytes]:
        return list(self.store.read("s"))

    def request(self, name: str, move: Any) -> Request:
        if not isinstance(move, tuple):
            return Request(id=name, command=move, caller=getattr(move, "controller", getattr(move, "actor", GM)))
        who, value = move
        return Request(id=name, command=commands.Answer(slot=prompt_for(self.session, who), who=who, value=value), caller=who)


def played() -> Process:
    process = Process(MemoryStore())
    process.play()
    return process


def test_the_fight_has_what_it_is_said_to_have() -> None:
    process = played()
    events = [recorded.event for recorded in process.session.history(reader=GM)]
    defends = [(event.action, event.occurrence) for event in events if isinstance(event, Defend)]
    assert defends == [
        ("flurry>flurry.bob.0", 0),
        ("flurry>flurry.bob.0>counterattack.ann.0", 0),
        ("flurry>flurry.bob.1", 0),
        ("flurry>flurry.bob.1", 1),
    ]
    assert not process.session.state(reader=GM).open
    assert process.session.verify().is_clean
    assert len(FACES) == sum(len(event.faces or ()) for event in events if isinstance(event, Roll))


def test_a_new_process_for_every_command_leaves_the_same_bytes() -> None:
    assert Process(MemoryStore()).play(cold=True) == played().lines


@pytest.mark.parametrize("stored", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("at", range(1, len(MOVES) + 1), ids=[name for name, _ in MOVES])
def test_a_process_that_dies_anywhere_is_followed_by_one_that_goes_on(at: int, stored: bool) -> None:
    store = Mortal(at, stored=stored)
    assert Process(store).play() == played().lines
    assert store.deaths == 1
