"""Rules that break the contract on demand, and what must be true afterwards."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import pytest

from affray.kernel import GM, Action, Breach, Fight, Roll, Steps, hookimpl
from affray.sessions import Catalog, Session

from .table import answer_all, engine, must, tiny_catalog, tiny_session
from .tiny import Tiny

Resolver = Callable[[Fight, Action], Any]


class Told(Tiny):
    """Resolves `attack` as it is told to; everything else, and all of it once it is mended, as ever."""

    def __init__(self, resolver: Resolver) -> None:
        self.resolver: Resolver | None = resolver

    @hookimpl
    def resolve(self, fight: Fight, action: Action) -> Steps:
        if self.resolver is None or action.name != "attack":
            steps: Steps = super().resolve(fight, action)
            return steps
        told: Steps = self.resolver(fight, action)
        return told


def session_of(plugin: object, *, house: dict[str, object] | None = None, people: int = 2, **start: Any) -> Session:
    """A tiny fight under plugin objects that the test keeps in its hands."""
    rules = {name: (lambda made=rule: made) for name, rule in (house or {}).items()}
    return tiny_session(engine(catalog=tiny_catalog(lambda: plugin, **rules)), people=people, house=list(rules), **start)


def faces(session: Session) -> list[Any]:
    return [recorded.event.faces for recorded in session.history(reader=GM) if isinstance(recorded.event, Roll)]


def assert_breach(
    session: Session, attempt: Callable[[], object], plugin: str, hook: str, problem: str = "", *, mend: Callable[[], None]
) -> None:
    """The attempt breaches twice alike, names plugin and hook, appends nothing; then, mended, all goes on as ever."""
    before = (session.head, session.digest, session.state(reader=GM))
    for _ in range(2):
        with pytest.raises(Breach) as breach:
            attempt()
        assert (plugin, hook) == (breach.value.plugin, breach.value.hook), breach.value
        assert problem in breach.value.problem
        assert before == (session.head, session.digest, session.state(reader=GM))
    must(session.note("that went wrong"))
    mend()
    untouched = session_of(Tiny(), people=len(session.state(reader=GM).combatants))
    for one in (session, untouched):
        must(one.declare("ann", "attack", "bob"))
        answer_all(one)
        must(one.declare("bob", "sweep", "ann"))
        answer_all(one)
    assert faces(session) == faces(untouched), "the same dice as if nothing had happened"
    assert session.verify().is_clean
    catalog = cast("Catalog", session._books)
    assert session.state(reader=GM) == engine(session._store, catalog).load("s").state(reader=GM)


__all__ = ["Resolver", "Told", "assert_breach", "faces", "session_of"]
