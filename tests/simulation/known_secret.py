"""Sessions whose dice secret is known, and their faces computed again by the script that does not import affray."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from typing import Any

from affray.kernel import GM, Request, Roll, chain_secret, commands, limits
from affray.sessions import Answer, Engine, MemoryStore, Session

from .. import standalone_verify
from ..support.dicey import Dicey
from ..support.table import Fixed, tiny_catalog

SEEDS = tuple(sha256(f"chain {number}".encode()).digest() for number in (1, 2))
"""The last elements of the open and of the kept chain."""

CATALOG = tiny_catalog(Dicey)


def secret(chain: str, epoch: int) -> str:
    """s[epoch] in hex."""
    return chain_secret(SEEDS[("open", "kept").index(chain)], limits.DICE_EPOCHS, epoch).hex()


def nonces(*sent: str) -> str:
    """The digest of players' nonces so far."""
    found = ""
    for nonce in sent:
        found = standalone_verify.digest([found, nonce])
    return found


def faces(chain: str, epoch: int, sent: Sequence[str], run: int, slot: str, *sides: int) -> tuple[tuple[int], ...]:
    """The faces of plain dice in session "s"."""
    inputs = [secret(chain, epoch), "s", epoch, nonces(*sent), run, slot]
    return tuple((standalone_verify.face(inputs, die, 0, top),) for die, top in enumerate(sides))


class KnownSecret(Fixed):
    """Entropy whose chains are known, and whose salts, times and names differ with every attempt."""

    def __init__(self, attempt: str = "") -> None:
        super().__init__(attempt)
        self.seeds = iter(SEEDS)

    def seed(self) -> bytes:
        return next(self.seeds)


def start(store: Any = None, attempt: str = "", **options: Any) -> Session:
    made = Engine(store or MemoryStore(), CATALOG, KnownSecret(attempt))
    return made.start("tiny", session="s", **options)


def rolls(session: Session, key: str, by: str = "") -> list[Roll]:
    """Every roll of a key ("" for any) in the whole log, undone ones too."""
    events = [found.event for found in session.history(reader=GM)]
    return [event for event in events if isinstance(event, Roll) and key in ("", event.key) and by in ("", event.by)]


def player(session: Session, command: commands.Command, nonce: str, who: str = "ann", id: str = "") -> Answer:
    """What a player's client sends: a nonce, and the head it has seen."""
    name = id or f"{who}-{session.head}"
    return session.do(Request(id=name, command=command, caller=who, nonce=nonce, seen=session.head))


__all__ = ["CATALOG", "SEEDS", "KnownSecret", "faces", "nonces", "player", "rolls", "secret", "start"]
