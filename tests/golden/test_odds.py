"""Odds against brute force: every face of every die of an action, decided as a live command is (law 6)."""

from __future__ import annotations

from fractions import Fraction

import pytest

from affray.kernel import GM, Request
from affray.kernel.odds import Odds, odds
from affray.kernel.playout import Outcome
from affray.kernel.replies import Answers
from affray.sessions import Session

from ..support.brute import ACTION, Result, brute_force
from .odds_cases import Case, all_cases

CASES = dict(all_cases())


def odds_of(session: Session, case: Case) -> Odds:
    request = Request(id=ACTION, command=case.command, caller=GM)
    found = odds(session._deciding.ready(), session._record.log, request, Answers(case.answers, case.policy))
    assert isinstance(found, Odds), found
    return found


def results(found: Odds) -> dict[Result, Fraction]:
    """Outcomes as brute force tells them; the order in which people come up is not told by it."""
    told: dict[Result, Fraction] = {}
    for one in found.chances:
        told[result(one.outcome)] = told.get(result(one.outcome), Fraction(0)) + one.probability
    return told


def result(outcome: Outcome) -> Result:
    return outcome.code, outcome.over, outcome.damage, outcome.pools, outcome.gained, outcome.ended


@pytest.mark.parametrize("name", CASES)
def test_odds_are_what_brute_force_finds(name: str) -> None:
    """Law 6 and law 7: the same fractions, by running the same rules on enumerated dice; nothing live is touched."""
    case = CASES[name]
    session = case.session()
    before = (session.head, session.digest, session.state(reader=GM))
    expected = brute_force(session, case.command, case.pick)
    found = odds_of(session, case)
    assert found.is_exact
    assert expected == results(found)
    assert before == (session.head, session.digest, session.state(reader=GM))
    assert session.verify().is_clean


def test_there_are_enough_kinds_of_actions() -> None:
    kinds = {(name.partition(":")[0], getattr(case.command, "name", "begin")) for name, case in CASES.items()}
    assert len(kinds) >= 15
    assert {"tiny", "nyra", "exalted", "primer"} == {system for system, _ in kinds}
