"""The fights of the Nyra vectors through real sessions: dice used up, the log verified, also when cold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from affray.kernel import GM, Event, Json, Num, Refused, Roll, SetPool, State
from affray.sessions import Engine, MemoryStore, Session

from ..support.table import Fixed, must
from .nyra_vectors import RUNS, Record, listed, vectors


class SessionDriver:
    """A session under the `nyra` entry point. `cold` forgets it before every command and reads the log again."""

    def __init__(self, *, cold: bool) -> None:
        self._engine = Engine(MemoryStore(), entropy=Fixed("vectors"))
        self._cold = cold
        self._session: Session | None = None
        self._faces = 0

    @property
    def session(self) -> Session:
        assert self._session is not None
        if self._cold:
            self._session = self._engine.load(self._session.id)
        return self._session

    def start(self, options: Mapping[str, Json], faces: Sequence[int]) -> None:
        self._session = self._engine.start("nyra", options=options, dice="scripted", script=faces)
        self._faces = len(faces)

    def join(self, who: str, *, name: str, side: str, sheet: Mapping[str, Json], pools: Mapping[str, Num]) -> None:
        must(self.session.join(who, name, side=side, sheet=sheet, pools=pools, controller=who))

    def begin(self) -> None:
        must(self.session.begin())

    def declare(self, actor: str, name: str, targets: tuple[str, ...], params: Mapping[str, Json]) -> Refused | None:
        before = self.session.digest
        answer = self.session.declare(actor, name, *targets, caller=actor, **params)
        assert answer.refused is None or self.session.digest == before, "a refusal appends nothing"
        return answer.refused

    def answer(self, slot: str, who: str, value: str) -> None:
        must(self.session.answer(slot, who, value, caller=who))

    def overrule(self, effect: SetPool) -> None:
        must(self.session.overrule("as the vector begins", effect))

    @property
    def state(self) -> State:
        return self.session.state(reader=GM)

    @property
    def events(self) -> Sequence[Event]:
        return [recorded.event for recorded in self.session.history(reader=GM) if not recorded.undone]

    @property
    def faces_left(self) -> int:
        assert self._session is not None
        report = self._session.verify()
        assert report.is_clean, report.findings
        thrown = sum(len(e.faces or ()) for e in self.events if isinstance(e, Roll) and e.source == "scripted")
        return self._faces - thrown


def cases(*kinds: str) -> pytest.MarkDecorator:
    """A test's cases, one a vector; one that says there are none where another directory holds no file."""
    found = [pytest.param(vector, id=f"nyra-{vector['id']}") for vector in vectors(*kinds)]
    return pytest.mark.parametrize("vector", found or [pytest.param(None, id="nyra-no-vectors")])


@pytest.mark.parametrize("cold", [False, True], ids=["warm", "cold"])
@cases(*RUNS)
def test_a_session_plays_the_vector(vector: Record | None, cold: bool) -> None:
    if vector is None:
        return
    driver = SessionDriver(cold=cold)
    actual = RUNS[vector["kind"]](driver, vector)
    assert vector["expected"] == listed(vector["expected"], actual)
    assert driver.faces_left == 0
