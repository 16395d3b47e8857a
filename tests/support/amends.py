"""What tests of amends share: looking for events, planning and storing amends, and what must be true of a log afterwards."""

from __future__ import annotations

from typing import Any, cast

from msgspec.structs import replace

from affray.kernel import (
    GM,
    AmendPlan,
    Chain,
    Log,
    Refused,
    Roll,
    State,
    audit,
    canonical,
    commands,
    redact,
    slot,
    verify,
)
from affray.kernel.events import Effect
from affray.sessions import Catalog, Session

from .table import must

WHY = "It was otherwise."


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
    "WHY",
    "amended",
    "check",
    "faces",
    "find",
    "last",
    "line",
    "log_of",
    "plain",
    "planned",
    "refused",
    "stands",
    "undone_and_redone",
    "word",
]
