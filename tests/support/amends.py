"""What tests of amends share: looking for events, planning and storing amends, and what must be true of a log afterwards."""

from __future__ import annotations

from typing import Any, cast

from msgspec.structs import replace

from affray.kernel import (
    GM,
    Action,
    AmendPlan,
    ApplyDamage,
    Ask,
    Chain,
    EndTurn,
    Fight,
    GiveModifier,
    Judge,
    Log,
    Modifier,
    Option,
    Refused,
    Roll,
    Row,
    State,
    Steps,
    audit,
    canonical,
    commands,
    dice,
    hookimpl,
    redact,
    slot,
    verify,
)
from affray.kernel.events import Effect
from affray.sessions import Catalog, Engine, Session

from .table import answer_all, engine, must, tiny_catalog, tiny_session
from .tiny import Tiny

WHY = "It was otherwise."

SURE = (Modifier("attack.skill", 20, "sure"),)


class Plain(Tiny):
    """An attack that does what its dice say: no bleeding, nobody goes down, and the fight goes on."""

    @hookimpl
    def resolve(self, fight: Fight, action: Action) -> Steps:
        return plain_attack(fight, action) if action.name == "attack" else super().resolve(fight, action)

    @hookimpl
    def is_over(self, fight: Fight) -> str | None:
        return None


def plain_attack(fight: Fight, action: Action) -> Steps:
    goal = 10 + sum(int(row.amount) for row in action.rows("attack.skill"))
    swing = yield from Roll("attack", by=action.actor, plan=dice(1, 20))
    margin = goal - int(swing.total or 0)
    verdict = yield from Judge("attack", by=action.actor, against=action.target, goal=goal, margin=margin, code="hit" if margin >= 0 else "miss")
    if verdict.code == "hit":
        guard = yield from Ask("guard", who=(action.target,), options=(Option(code="dodge"), Option(code="stand")))
        if guard == "dodge":
            dodge = yield from Roll("dodge", by=action.target, plan=dice(1, 20))
            if int(dodge.total or 0) <= 5:
                verdict = yield from Judge("dodged", by=action.target, code="dodged")
    if verdict.code == "hit":
        roll = yield from Roll("damage", by=action.actor, plan=dice(2, 4))
        rows = (Row("dice", roll.total or 0, "roll"), *action.rows("damage.flat"))
        value = max(0, sum(int(row.amount) for row in rows))
        yield ApplyDamage("damage", target=action.target, pools=("hp",), value=value, roll=slot(roll), trace=rows if value else ())
    if not action.is_nested:
        yield EndTurn("turn", who=action.actor)
    return verdict.code


PLAIN = tiny_catalog(Plain)


SCRIPT = (1, 1, 3, 2, 2, 4, 1, 1, 5, 3, 3)
"""Initiative; Ann hits for 4; Bob hits for 2; Ann hits for 6."""


def fight(script: tuple[int, ...] = SCRIPT, made: Engine | None = None, **start: Any) -> Session:
    """Ann, Bob and Ann attack, and nobody dodges: Bob has 12, then 8, then 2 hit points; Ann 12, then 10."""
    session = tiny_session(made or engine(catalog=PLAIN), dice="scripted-then-fair", script=script, **start)
    for who, whom, name in (("ann", "bob", "a1"), ("bob", "ann", "b1"), ("ann", "bob", "a2")):
        must(session.declare(who, "attack", whom, id=name))
        answer_all(session, 1)
    return session


def hp(session: Session, who: str = "bob") -> Any:
    return session.state(reader=GM).combatants[who].pools["hp"]


def luck(action: str, amount: int = 2, place: str = "damage.flat") -> GiveModifier:
    return GiveModifier(action=action, rows=(Modifier(place, amount, "luck"),))


def stands(session: Session) -> bytes:
    """The fight as it stands, as bytes."""
    return canonical(session.state(reader=GM))


def plain(state: State) -> State:
    """A state without the versions at which its open actions stand in the log."""
    return replace(state, open={name: replace(run, since=0) for name, run in state.open.items()})


def line(session: Session) -> list[tuple[int, Any]]:
    """The present line."""
    return [(one.version, one.event) for one in session.history(reader=GM) if not one.undone]


def find(session: Session, kind: type, **fields: Any) -> tuple[int, Any]:
    """The first event of a kind and these fields on the present line, with its version."""
    return next(
        (version, event)
        for version, event in line(session)
        if type(event) is kind and all(getattr(event, name) == value for name, value in fields.items())
    )


def last(session: Session, kind: type, **fields: Any) -> tuple[int, Any]:
    """The last one."""
    return [
        (version, event)
        for version, event in line(session)
        if type(event) is kind and all(getattr(event, name) == value for name, value in fields.items())
    ][-1]


def word(at: int, effect: Effect, *, after: bool = False) -> commands.Word:
    return commands.Word(at=at, effect=effect, after=after)


def planned(session: Session, *edits: commands.Edit, since: int = 0, go_on: bool = False) -> AmendPlan:
    """The plan of an amend that can be made. It changes nothing."""
    before = (session.head, session.digest, stands(session))
    plan = session.amend_plan(commands.Amend(edits=edits, reason=WHY, since=since, go_on=go_on))
    assert before == (session.head, session.digest, stands(session))
    assert isinstance(plan, AmendPlan), plan
    return plan


def refused(session: Session, *edits: commands.Edit, since: int = 0, go_on: bool = False) -> Refused:
    """Why an amend is refused, when it is planned and when it is to be stored; nothing is stored."""
    before = (session.head, session.digest, stands(session))
    plan = session.amend_plan(commands.Amend(edits=edits, reason=WHY, since=since, go_on=go_on))
    answer = session.amend(*edits, reason=WHY, since=since, go_on=go_on)
    assert isinstance(plan, Refused), plan
    assert plan == answer.refused
    assert before == (session.head, session.digest, stands(session))
    return plan


def amended(session: Session, *edits: commands.Edit, since: int = 0, go_on: bool = False, id: str = "") -> AmendPlan:
    """What an amend did that was stored."""
    must(session.amend(*edits, reason=WHY, since=since, go_on=go_on, id=id))
    assert session.amended is not None
    return session.amended


def check(session: Session, where: object = "", readers: tuple[str, ...] = ("public", "ann", "bob")) -> None:
    """The log and every copy of it are in order, and the rules would say the same again."""
    catalog = cast("Catalog", session._books)
    whole = [session.header, *session.lines]
    assert session.verify().findings == (), where
    found = audit(whole, catalog.rules)
    assert (found.findings, found.divergences) == ((), ()), where
    for reader in readers:
        copy = [whole[0], *(redact(one, reader) for one in whole[1:])]
        assert verify(copy).findings == (), (where, reader)
        found = audit(copy, catalog.rules)
        assert (found.findings, found.divergences) == ((), ()), (where, reader)


def undone_and_redone(session: Session, before: bytes) -> None:
    """One rewind undoes an amend, and another brings it back, byte for byte."""
    now = stands(session)
    must(session.undo())
    assert before == stands(session)
    must(session.redo())
    assert now == stands(session)


def faces(session: Session) -> dict[str, Any]:
    """The faces of the present line by slot."""
    return {slot(event): event.faces for _, event in line(session) if isinstance(event, Roll)}


def log_of(session: Session) -> Log:
    """The log of a session, read from its lines."""
    log, chain = Log(), Chain(session.header)
    for one in session.lines:
        log.add(chain.accept(one))
    return log


__all__ = [
    "PLAIN",
    "SCRIPT",
    "SURE",
    "WHY",
    "Plain",
    "amended",
    "check",
    "faces",
    "fight",
    "find",
    "hp",
    "last",
    "line",
    "log_of",
    "luck",
    "plain",
    "planned",
    "refused",
    "stands",
    "undone_and_redone",
    "word",
]
