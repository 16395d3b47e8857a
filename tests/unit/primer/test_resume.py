"""A fight with pending actions, blows of one count, a shock and a death goes on to the same bytes wherever its process dies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from affray.kernel import GM, Request, Roll, commands
from affray.sessions import Engine, MemoryStore, Session

from ...support.fights import Died, Mortal, Told, prompt_for
from ...support.table import must
from .table import SLOW, average, catalog, pack

ANN = average(skills={"sword": {"rank": 6, "factor": "PCF"}, "axe": {"rank": 3, "factor": "PCF"}})
BOB = average(HTK=40)
CY = average(**SLOW)
ATTACK = {"weapon": "sword"}

MOVES: Sequence[tuple[str, commands.Command | tuple[str, str]]] = (
    ("ann", commands.Join(id="ann", name="Ann", side="red", controller="ann", sheet=ANN)),
    ("bob", commands.Join(id="bob", name="Bob", side="blue", controller="bob", sheet=BOB)),
    ("cy", commands.Join(id="cy", name="Cy", side="red", controller="cy", sheet=CY)),
    ("begin", commands.Begin()),
    ("ann-react", ("ann", "sword")),
    ("ann-attack", commands.Declare(actor="ann", name="attack", targets=("bob",), params=ATTACK)),
    ("bob-attack", commands.Declare(actor="bob", name="attack", targets=("ann",), params={**ATTACK, "called": 5})),
    ("bob-meets", ("bob", "reacting")),
    ("ann-meets", ("ann", "aware-defending")),
    ("ann-again", ("ann", "sword")),
    ("ann-attack-2", commands.Declare(actor="ann", name="attack", targets=("bob",), params=ATTACK)),
    ("bob-waits", commands.Declare(actor="bob", name="wait", params={"counts": 30})),
    ("bob-meets-2", ("bob", "unaware")),
)
FACES = (
    *(1, 2, 1, 2, 6, 6),  # Ann and Bob react alike, Cy much later
    *(20, 3, 3, 30),  # count 11, Ann's blow: 12 of Bob's 40
    *(30, 1, 1),  # Bob's blow at Ann's head
    82,  # Bob's shock: stunned
    *(1, 1),  # Ann reacts
    *(1, 1),  # Bob reacts, stunned, and declares at 21
    *(1, 6, 6, 60),  # Ann's second blow
    82,  # Bob's shock: dead
    4,  # minutes until the soul leaves
)


class Process:
    """A store, and whatever process serves the session at the moment."""

    def __init__(self, store: MemoryStore) -> None:
        self.store = store
        self.entropy = Told()
        self.session = self.engine.start("primer", session="s", dice="scripted", script=FACES, options={"pack": pack()})

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
    state = process.session.state(reader=GM)
    assert state.over == "won-by-red"
    assert [*state.combatants["bob"].conditions] == ["dead"]
    assert not state.open
    assert process.session.verify().is_clean
    assert [event.total for event in events if isinstance(event, Roll) and event.key == "attack"] == [20, 30, 1]
    assert len(FACES) == sum(len(event.faces or ()) for event in events if isinstance(event, Roll))


def test_a_new_process_for_every_command_leaves_the_same_bytes() -> None:
    assert Process(MemoryStore()).play(cold=True) == played().lines


@pytest.mark.parametrize("stored", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("at", range(1, len(MOVES) + 1), ids=[name for name, _ in MOVES])
def test_a_process_that_dies_anywhere_is_followed_by_one_that_goes_on(at: int, stored: bool) -> None:
    store = Mortal(at, stored=stored)
    assert Process(store).play() == played().lines
    assert store.deaths == 1
