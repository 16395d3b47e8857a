"""Fights told as lists of requests, played warm or cold, and processes that die in the middle of one.

A *move* names one request from what stands, so that the same list can be played again on another process.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from hashlib import sha256
from typing import Any

from affray.kernel import GM, Commit, Modifier, Request, SetCondition, commands
from affray.sessions import Catalog, Engine, MemoryStore, Session, Store

from .table import must, tiny_catalog

Move = Callable[[Session], Request]


class Told:
    """Entropy that says the same again when the same request is decided again, in this process or in another."""

    def __init__(self) -> None:
        self.about = "start"
        self.salts = 0

    def tell(self, request: str) -> None:
        self.about = request
        self.salts = 0

    def salt(self) -> str:
        self.salts += 1
        return sha256(f"{self.about}/{self.salts}".encode()).hexdigest()[:32]

    def seed(self) -> bytes:
        self.salts += 1
        return sha256(f"seed/{self.salts}".encode()).digest()

    def name(self) -> str:
        return self.salt()[:8]

    def now(self) -> str:
        self.salts = 0
        return f"the time of {self.about}"


class Died(BaseException):
    """The process is gone. No handler is run in a process that is gone, so nothing after it may be relied upon."""


class Mortal(MemoryStore):
    """Dies at one append, counted from 1: before it is stored, or after it is stored and before anybody hears of it."""

    def __init__(self, at: int, *, stored: bool) -> None:
        super().__init__()
        self.left = at
        self.stored = stored
        self.deaths = 0

    def append(self, session: str, commits: Sequence[Commit], expected_version: int) -> tuple[Commit, ...]:
        self.left -= 1
        if self.left:
            return super().append(session, commits, expected_version)
        if self.stored:
            super().append(session, commits, expected_version)
        self.deaths += 1
        raise Died


class Table:
    """A store and the rules, and whatever process serves them at the moment."""

    def __init__(self, store: Store | None = None, catalog: Catalog | None = None, **start: Any) -> None:
        self.store = store or MemoryStore()
        self.catalog = catalog or tiny_catalog()
        self.entropy = Told()
        self.session = self.engine.start("tiny", session="s", **start)

    @property
    def engine(self) -> Engine:
        """An engine as a new process would make it."""
        return Engine(self.store, self.catalog, self.entropy)

    def restart(self) -> Session:
        self.session = self.engine.load("s")
        return self.session

    def play(self, moves: Iterable[Move], *, cold: bool = False) -> list[bytes]:
        """The lines after all moves. Cold: a new process for every one. One that dies is followed by a new one."""
        for move in moves:
            if cold:
                self.restart()
            request = move(self.session)
            self.entropy.tell(request.id)
            try:
                must(self.session.do(request))
            except Died:
                self.entropy.tell(request.id)
                must(self.restart().do(request))
        return list(self.store.read("s"))


def ask(id: str, command: commands.Command, caller: str = GM, nonce: str = "") -> Move:
    return lambda session: Request(id=id, command=command, caller=caller, nonce=nonce)


def join(who: str, *, caller: str = GM, controller: str = "", init: int = 0, hp: int = 12, **more: Any) -> Move:
    sheet = {"hp": hp, "init": init, "skill": more.pop("skill", 20)}
    command = commands.Join(
        id=who, name=who.title(), side=f"side-{who}", controller=controller or who, sheet=sheet, **more
    )
    return ask(f"join-{who}", command, caller)


def seats(*people: str) -> list[Move]:
    """Everybody joins, each under a controller of the own name, the first to act first; then the fight begins."""
    return [join(who, init=9 - index) for index, who in enumerate(people)] + [ask("begin", commands.Begin())]


def declare(
    id: str, actor: str, name: str, *targets: str, caller: str = "", rows: tuple[Modifier, ...] = (), **params: Any
) -> Move:
    secret = params.pop("secret", False)
    command = commands.Declare(actor=actor, name=name, targets=targets, params=params, rows=rows, secret=secret)
    return ask(id, command, caller or actor)


def prompt_for(session: Session, who: str) -> str:
    """The slot of the prompt that waits for somebody."""
    (slot,) = session.prompts(who, reader=GM)
    return slot


def answer(id: str, who: str, value: str, *, caller: str = "") -> Move:
    return lambda session: Request(
        id=id, command=commands.Answer(slot=prompt_for(session, who), who=who, value=value), caller=caller or who
    )


def report(id: str, who: str, *chains: tuple[int, ...], caller: str = "") -> Move:
    return lambda session: Request(
        id=id, command=commands.Report(slot=prompt_for(session, who), who=who, faces=chains), caller=caller or who
    )


def note(id: str, text: str = "...", *, secret: bool = False, caller: str = GM) -> Move:
    return ask(id, commands.Note(text=text, secret=secret), caller)


def pass_on(id: str) -> Move:
    """Whoever holds the turn ends it."""

    def move(session: Session) -> Request:
        who = session.state(reader=GM).turn
        return Request(id=id, command=commands.Declare(actor=who, name="end-turn"), caller=GM)

    return move


def leave(id: str, who: str) -> Move:
    return ask(id, commands.Leave(id=who), who)


def overrule(id: str, effect: Any) -> Move:
    return ask(id, commands.Overrule(reason=id, effect=effect))


def undo(id: str, action: str = "", *, caller: str = GM) -> Move:
    return ask(id, commands.Undo(action=action), caller)


def redo(id: str, *, caller: str = GM) -> Move:
    return ask(id, commands.Redo(), caller)


def end_condition(id: str, who: str, condition: str) -> Move:
    return overrule(id, SetCondition(target=who, ended=condition))


__all__ = [
    "Died",
    "Mortal",
    "Move",
    "Table",
    "Told",
    "answer",
    "ask",
    "declare",
    "end_condition",
    "join",
    "leave",
    "note",
    "overrule",
    "pass_on",
    "prompt_for",
    "redo",
    "report",
    "seats",
    "undo",
]
