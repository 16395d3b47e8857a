"""Sessions for tests: fixed entropy, the tiny system, and a player that answers everything."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256
from typing import Any

from affray.kernel import GM, Request, commands
from affray.kernel import sha256 as hex_digest
from affray.sessions import Answer, Catalog, Engine, MemoryStore, Session, Store

from .tiny import Tiny


class Fixed:
    """Entropy that gives the same bytes in every run."""

    def __init__(self, seed: str = "fixed") -> None:
        self.seed_text = seed
        self.count = 0

    def _next(self, what: str) -> bytes:
        self.count += 1
        return sha256(f"{self.seed_text}/{what}/{self.count}".encode()).digest()

    def salt(self) -> str:
        return self._next("salt").hex()[:32]

    def seed(self) -> bytes:
        return self._next("seed")

    def name(self) -> str:
        return self._next("name").hex()[:8]

    def now(self) -> str:
        self.count += 1
        return f"2026-01-01T00:00:{self.count % 60:02d}.000Z"


def tiny_catalog(plugin: Callable[[], object] = Tiny, **house: Callable[[], object]) -> Catalog:
    return Catalog(systems={"tiny": plugin}, house=house, points=())


def engine(store: Store | None = None, catalog: Catalog | None = None, seed: str = "fixed") -> Engine:
    return Engine(store or MemoryStore(), catalog or tiny_catalog(), Fixed(seed))


def tiny_session(made: Engine | None = None, *, people: int = 2, begun: bool = True, **start: Any) -> Session:
    """A tiny fight of ann, bob, cy..., each on a side and under a controller of the own name."""
    session = (made or engine()).start("tiny", session="s", **start)
    for index, who in enumerate(("ann", "bob", "cy", "dee")[:people]):
        must(session.join(who, who.title(), side=f"side-{who}", controller=who, sheet={"hp": 12, "init": 9 - index}))
    if begun:
        must(session.begin())
    return session


def must(answer: Answer) -> Answer:
    assert answer, answer.refused
    return answer


def answer_all(session: Session, pick: int = 0) -> None:
    """Answer every open prompt with the option at `pick` (counted round)."""
    while prompts := session.state(reader=GM).prompts:
        name, prompt = next(iter(prompts.items()))
        who = next(w for w in prompt.ask.who if w not in prompt.answers)
        if prompt.ask.plan is not None:
            chains = [[1] for term in prompt.ask.plan.terms for _ in range(term.count)]
            must(session.report(name, who, chains))
        else:
            options = prompt.ask.options or ()
            must(session.answer(name, who, options[pick % len(options)].code))


def play(session: Session, rounds: int = 20, name: str = "attack") -> None:
    """Attack the first opponent until the fight is over or so many actions were declared."""
    for number in range(rounds):
        state = session.state(reader=GM)
        if state.over:
            return
        foes = [c.id for c in state.combatants.values() if c.id != state.turn and not c.gone and c.pools["hp"] != 0]
        must(session.declare(state.turn, name, foes[0]))
        answer_all(session, number)


def bare_request(id: str, command: commands.Command, caller: str = GM, nonce: str = "") -> Request:
    return Request(id=id, command=command, caller=caller, nonce=nonce)


__all__ = ["Fixed", "answer_all", "bare_request", "engine", "hex_digest", "must", "play", "tiny_catalog", "tiny_session"]
