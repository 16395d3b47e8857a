"""Fights of the dicey system, and hosts that rewrite their logs so that every seal and digest is good again."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Sequence
from typing import Any

from affray.kernel import GM, PUBLIC, Finding, Request, Roll, commands, redact, verify
from affray.sessions import Answer, Session

from .dicey import Dicey
from .reseal import reseal
from .table import answer_all, engine, must, tiny_catalog, tiny_session

Change = Callable[[dict[str, Any]], None]


def dicey(system: Callable[[], object] = Dicey, **start: Any) -> Session:
    """Ann, whose turn it is, and Bob; no nonce yet."""
    return tiny_session(engine(catalog=tiny_catalog(system)), **start)


def say(session: Session, who: str, nonce: str, *, seen: int | None = None) -> Answer:
    """A note with which somebody's client sends a nonce, knowing everything unless told otherwise."""
    request = Request(
        id=f"{who}-{session.head}",
        command=commands.Note(text="Here."),
        caller=who,
        nonce=nonce,
        seen=session.head if seen is None else seen,
    )
    return session.do(request)


def ann_attacks(session: Session, nonce: str = "ann's", *, seen: int | None = None) -> Answer:
    """Ann's client declares action a1, with a nonce."""
    command = commands.Declare(actor="ann", name="attack", targets=("bob",))
    known = session.head if seen is None else seen
    return session.do(Request(id="a1", command=command, caller="ann", nonce=nonce, seen=known))


def fight(**start: Any) -> list[bytes]:
    """The log of one attack by each of two players with nonces, closed."""
    session = dicey(**start)
    say(session, "ann", "first")
    must(ann_attacks(session))
    answer_all(session, 1)
    must(session.declare("bob", "attack", "ann", caller="bob", nonce="bob's"))
    answer_all(session, 1)
    return closed(session)


def closed(session: Session) -> list[bytes]:
    """The log of a session that is over."""
    if not session.state(reader=GM).over:
        must(session.close())
    return log(session)


def log(session: Session) -> list[bytes]:
    return [session.header, *session.lines]


def copy_of(session: Session, reader: str = PUBLIC) -> list[bytes]:
    """The log as one reader gets it."""
    return [session.header, *(redact(line, reader) for line in session.lines)]


def attacks(session: Session, by: str = "ann", key: str = "attack") -> list[Roll]:
    """Every roll of a key by somebody, undone ones too."""
    events = [found.event for found in session.history(reader=GM)]
    return [event for event in events if isinstance(event, Roll) and (event.key, event.by) == (key, by)]


def changed(lines: Sequence[bytes], kind: str, change: Change, **wanted: Any) -> list[bytes]:
    """The log with every event of a kind, and of these values, changed in place."""

    def each(version: int, event: dict[str, Any]) -> None:
        if event["kind"] == kind and all(event[name] == value for name, value in wanted.items()):
            change(event)

    return reseal(lines, each)


def events(lines: Sequence[bytes]) -> list[dict[str, Any]]:
    return [event for line in lines[1:] for event in json.loads(line)["events"]]


def versions(lines: Sequence[bytes], **wanted: Any) -> list[int]:
    """The versions of all events of these values."""
    return [
        version
        for version, event in enumerate(events(lines), 1)
        if all(event.get(name) == value for name, value in wanted.items())
    ]


def commit_of(lines: Sequence[bytes], kind: str) -> Any:
    """A copy of the first commit that begins with an event of a kind."""
    return copy.deepcopy(next(c for line in lines[1:] if (c := json.loads(line))["events"][0]["kind"] == kind))


def insert(lines: Sequence[bytes], before: int, commit: Any) -> list[bytes]:
    """The log with a commit of the host's in front of the one that holds a version."""
    commits = [json.loads(line) for line in lines[1:]]
    at = next(i for i, one in enumerate(commits) if one["envelope"]["first"] + len(one["events"]) > before)
    commits.insert(at, commit)
    version = 1
    for one in commits:
        one["envelope"]["first"] = version
        version += len(one["events"])
    return reseal([lines[0], *(json.dumps(one).encode() for one in commits)], lambda version, event: None)


def before_ann(lines: Sequence[bytes], commit: Any) -> tuple[list[bytes], int]:
    """The log with a commit of the host's between Ann's first nonce and her action, and the version at which it begins."""
    at = versions(lines, kind="declare", action="a1")[0]
    return insert(lines, at, commit), at


def codes(lines: Sequence[bytes]) -> list[tuple[int, str]]:
    """Version and code of everything that is found."""
    return [(finding.version, finding.code) for finding in findings(lines)]


def findings(lines: Sequence[bytes]) -> tuple[Finding, ...]:
    return verify(lines).findings


__all__ = [
    "ann_attacks",
    "attacks",
    "before_ann",
    "changed",
    "closed",
    "codes",
    "commit_of",
    "copy_of",
    "dicey",
    "events",
    "fight",
    "findings",
    "insert",
    "log",
    "say",
    "versions",
]
