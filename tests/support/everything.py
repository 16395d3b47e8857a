"""Small logs for tests that go through everything a log may hold: every event kind, every effect of an overrule, an origin."""

from __future__ import annotations

from functools import cache

from affray.kernel import (
    GM,
    CloseAction,
    Entry,
    GiveModifier,
    Held,
    Modifier,
    Request,
    SetCondition,
    SetOrder,
    SetPool,
    SetStep,
    commands,
)
from affray.sessions import Session

from .dicey import Dicey
from .fights import Move, Table, answer, ask, declare, join, leave, note, overrule, report, undo
from .table import engine, must, tiny_catalog, tiny_session

BLESS = Modifier("attack.skill", 1, "bless")
LUCK = Modifier("damage.flat", 1, "luck")


def word(id: str, effect: object) -> Move:
    return overrule(id, effect)


def fight() -> list[Move]:
    """Ann and Bob, whose dice are thrown at the table, against a goblin of whom nobody knows much."""
    return [
        join("ann", init=9, hp=30, pools={"hp": 28}, conditions=(Held(id="brave", value=1),), player="A. Player"),
        join("bob", init=8, hp=30, caller="bob"),
        join("gob", controller=GM, init=1, hp=40),
        ask("begin", commands.Begin()),
        report("bob-1", "bob", (4,)),
        note("n1", "The goblin bluffs.", secret=True, caller="ann"),
        lambda session: Request(id="open-n1", command=commands.Reveal(version=session.head)),
        declare("a1", "ann", "heal", "bob", power=3),
        declare("a2", "ann", "peek"),
        word("step", SetStep(slot="a3|roll.attack.ann.0", fields={"faces": [[4]]})),
        declare("a3", "ann", "attack", "gob", rows=(BLESS,), caller=GM),
        word("more", GiveModifier(action="a3", rows=(LUCK,))),
        answer("a3-gob", "gob", "stand", caller=GM),
        report("grit-1", "bob", (12,)),
        declare("b1", "bob", "sweep", "gob", "ann"),
        report("b1-bob", "bob", (5,)),
        answer("b1-ann", "ann", "duck"),
        answer("b1-gob", "gob", "stand", caller=GM),
        word("pool", SetPool(target="gob", pool="hp", value=12)),
        word("held", SetCondition(target="ann", held=Held(id="bless", value=1, until=(3, 0, 0), rows=(BLESS,)))),
        word("ended", SetCondition(target="ann", ended="brave")),
        declare("g1", "gob", "flurry", "ann", caller=GM, secret=True),
        answer("g1-ann", "ann", "dodge"),
        declare("a4", "ann", "curse", "gob"),
        undo("back"),
        ask("forth", commands.Redo()),
        undo("back-2"),
        declare("a5", "ann", "blow", "gob"),
        _other_rules,
        word("order", SetOrder(entries=(Entry(key="storm", when=(3, 0, 0), moment="storm"),), drop=("nothing",))),
        report("grit-2", "bob", (7,)),
        declare("b2", "bob", "blow", "gob"),
        word("stop", CloseAction(action="b2", code="lost-grip")),
        declare("g2", "gob", "attack", "bob", caller=GM),
        answer("g2-bob", "bob", "stand"),
        declare("a6", "ann", "break-off"),
        declare("a7", "ann", "roll", notation="2d6!+1"),
        ask("epoch", commands.RevealDice()),
        note("n2", "Here is a nonce."),
        leave("bob-leaves", "bob"),
        declare("a8", "ann", "attack", "gob"),
        ask("end", commands.Close(code="truce")),
        ask("kept", commands.RevealDice(chain="kept")),
    ]


def _other_rules(session: Session) -> Request:
    manifest = session.manifest
    command = commands.SetRules(manifest=type(manifest)(system=manifest.system, options={"counts": 2}), reason="quicker")
    return Request(id="rules", command=command)


@cache
def everything() -> Session:
    """The log of the fight, with dice that an undo keeps and nonces of the players."""
    table = Table(catalog=tiny_catalog(Dicey), dice={"bob": "reported"}, undo_dice="keep", title="Ambush at the ford")
    for number, move in enumerate(fight()):
        request = move(table.session)
        nonce = f"nonce-{number}" if request.caller != GM else ""
        seen = table.session.head if nonce else -1
        request = Request(id=request.id, command=request.command, caller=request.caller, nonce=nonce, seen=seen)
        table.entropy.tell(request.id)
        must(table.session.do(request))
    return table.session


@cache
def plain() -> Session:
    """A fight that carries on another one, all of it in the game master's name, its dice not opened."""
    made = engine(catalog=tiny_catalog(Dicey))
    old = tiny_session(made, title="The day before")
    session = made.carry_on(old, title="The day after", session="t")
    must(session.begin())
    must(session.declare("ann", "heal", "bob", power=0, id="a1"))
    must(session.declare("ann", "roll", notation="5d10>=6", id="a2"))
    must(session.note("To be gone on with."))
    return session


@cache
def scripted() -> Session:
    """A fight whose first dice come from a script and whose last ones are not opened."""
    session = tiny_session(engine(catalog=tiny_catalog(Dicey)), dice="scripted-then-fair", script=(3, 4))
    must(session.declare("ann", "end-turn", id="a1"))
    return session


@cache
def fork() -> Session:
    """A fight that was begun in another session, its dice not opened."""
    made = engine(catalog=tiny_catalog(Dicey))
    old = tiny_session(made)
    session = made.fork(old, session="f")
    must(session.declare("ann", "heal", "bob", power=1, id="a1"))
    return session


__all__ = ["everything", "fork", "plain", "scripted"]
