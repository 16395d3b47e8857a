"""Logs and trees of explanations in tests: a log as a reader has it, with no rules, and what stands in a tree."""

from __future__ import annotations

from typing import Any

from affray.kernel import GM, KIND_OF, Chain, Log, Modifier, Node, exact, explain, explain_pool, redact, total
from affray.plugins.nyra import make
from affray.sessions import Catalog, Engine, MemoryStore, Session
from affray.sessions.cli.demo import find_demo
from affray.sessions.encounter import run_encounter
from affray.sessions.views.texts import Texts
from affray.sessions.views.why import explanation, lines

from .table import Fixed, answer_all, must, tiny_session


def log_of(session: Session, reader: str = GM) -> Log:
    """A session's log as one reader may have it."""
    chain, log = Chain(session.header), Log()
    for line in session.lines:
        log.add(chain.accept(redact(line, reader)))
    return log


def log_with(*events: Any) -> Log:
    """A log of events that nobody decided, as a host may write one."""
    log = Log()
    for event in events:
        log.take(event)
    return log


def tree(log: Log, version: int) -> Node:
    found = explain(log, version)
    assert isinstance(found, Node), found
    return found


def pool(log: Log, who: str, name: str, at: int | None = None, *, opened: bool = False) -> Node:
    found = explain_pool(log, who, name, at, opened=opened)
    assert isinstance(found, Node), found
    return found


def where(log: Log, kind: type[Any], key: str = "", nth: int = -1) -> int:
    """The version of an event of a kind (and key), the last unless told otherwise."""
    every = [(version, log.event(version)) for version in range(1, log.head + 1)]
    return [version for version, event in every if type(event) is kind and key in ("", getattr(event, "key", ""))][nth]


def versions(nodes: tuple[Node, ...]) -> list[int]:
    return [node.version for node in nodes if node.version]


def codes(nodes: tuple[Node, ...]) -> list[str]:
    return [node.code for node in nodes]


def only(node: Node, code: str) -> Node:
    """The one node of a tree with a code."""
    (found,) = [one for one in node.all() if one.code == code]
    return found


def check_sums(node: Node) -> int:
    """Every number of a tree is the sum of its leaves, as far as they are known; how many were checked.

    And nothing is opened twice in it.
    """
    opened = [one.version for one in node.all() if one.code in KIND_OF.values() and (one.terms or one.because)]
    assert len(opened) == len(set(opened)), node
    checked = 0
    for one in node.all():
        amounts = [leaf.amount for leaf in one.leaves()]
        if one.terms and one.amount is not None and None not in amounts:
            assert total([amount for amount in amounts if amount is not None]) == exact(one.amount), one
            checked += 1
        assert one.code not in ("rest", "gap"), one
    return checked


def scripted(*faces: int, **how: Any) -> Session:
    """Ann against Bob, begun with a face each, then these."""
    return tiny_session(dice="scripted", script=(1, 2, *faces), **how)


def hit(*faces: int, rows: tuple[Modifier, ...] = (), session: Session | None = None, action: str = "a1") -> Session:
    """Ann hits Bob, who stands still, for two dice of damage: 1 and 2 unless told otherwise, which he survives unhurt after."""
    session = session or scripted(7, *(faces or (1, 2)))
    must(session.declare("ann", "attack", "bob", id=action, rows=rows))
    must(session.answer(f"{action}|ask.guard.0", "bob", "stand"))
    return session


def nyra_duel() -> tuple[Session, Texts]:
    """The duel of the demo, and the words of its plugin."""
    catalog = Catalog(systems={"nyra": make}, points=())
    _, encounter = find_demo("duel")
    session = run_encounter(Engine(MemoryStore(), catalog, Fixed()), encounter, session="duel-1")
    return session, Texts(catalog.rules(session.manifest).texts("en"))


HP, SKILL = 791_919, 653_653


def hunt() -> Session:
    """Ann and a goblin whose numbers the game master keeps; both strike and are hurt."""
    session = tiny_session(people=1, begun=False)
    must(session.join("gob", "Goblin", side="goblins", sheet={"hp": HP, "init": 1, "skill": SKILL}))
    must(session.begin())
    for number in range(8):
        turn = session.state(reader=GM).turn
        must(session.declare(turn, "attack", "gob" if turn == "ann" else "ann"))
        answer_all(session, number)
        if session.state(reader=GM).over:
            break
    return session


def told(log: Log, version: int, texts: Texts | None = None) -> list[str]:
    """An event's explanation as it is printed."""
    return ["  " * line.depth + line.text for line in lines(explanation(log, tree(log, version), texts or Texts()))]


__all__ = [
    "HP",
    "SKILL",
    "check_sums",
    "codes",
    "hit",
    "hunt",
    "log_of",
    "log_with",
    "nyra_duel",
    "only",
    "pool",
    "scripted",
    "told",
    "tree",
    "versions",
    "where",
]
