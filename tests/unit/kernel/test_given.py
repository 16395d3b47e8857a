"""Whom the game master's modifiers reach, where a roll's dice come from, and who may read either (`GiveModifier`, `Roll.trace`, `Defend.against`)."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from affray.kernel import (
    GM,
    PUBLIC,
    Act,
    Action,
    Breach,
    Declare,
    Defend,
    Fight,
    GiveModifier,
    Judge,
    Modifier,
    Overrule,
    Refused,
    Roll,
    Row,
    Steps,
    dice,
    hookimpl,
)
from affray.kernel.verify_claims import roll_claims
from affray.sessions import Session

from ...support.broken import Told, session_of
from ...support.table import answer_all, must
from ...support.tiny import Tiny

FLURRY = (1, 2, 3, 5, 2, 2, 5, 2, 2)
"""Three people's initiative, then two attacks that hit, with their damage."""

GIVEN = (Modifier("attack.skill", 3, "bless"),)


class Counter:
    """A house rule: whoever is missed by an attack strikes back, once."""

    @hookimpl
    def follow(self, fight: Fight, action: Action, step: Any) -> Steps | None:
        if type(step) is Judge and step.code == "miss" and action.event.actor == "ann":
            return strike_back(step)
        return None


def strike_back(step: Judge) -> Steps:
    yield Act("counter", actor=step.against, name="attack", targets=(step.by,))
    return ""


class Doubled(Tiny):
    """The tiny system, whose flurry has another one inside it."""

    @hookimpl
    def resolve(self, fight: Fight, action: Action) -> Steps:
        if action.name != "flurry":
            steps: Steps = super().resolve(fight, action)
            return steps
        return outer(action)


def outer(action: Action) -> Steps:
    """A flurry in a flurry: the strikes hang two actions below the one that was declared."""
    if not action.is_nested:
        yield from Act("inner", actor=action.actor, name="flurry", targets=action.targets)
    else:
        for who in action.targets:
            yield from Act("strike", actor=action.actor, name="attack", targets=(who,))
    return "flurry"


def give(session: Session, action: str) -> Refused | None:
    return session.overrule("so", GiveModifier(action=action, rows=GIVEN)).refused


def events(session: Session, reader: str = GM) -> list[Any]:
    return [recorded.event for recorded in session.history(reader=reader)]


def goals(session: Session) -> list[tuple[str, object]]:
    """Whose attack, and the goal of its verdict: 10, with what was given 13."""
    return [(event.by, event.goal) for event in events(session) if isinstance(event, Judge) and event.key == "attack"]


def declared(session: Session) -> list[str]:
    return [event.action for event in events(session) if isinstance(event, Declare)]


# -- reach


def test_what_is_given_reaches_the_attacks_of_a_flurry_that_are_still_to_come() -> None:
    session = session_of(Tiny(), people=3, dice="scripted", script=FLURRY)
    must(session.declare("ann", "flurry", "bob", "cy"))
    assert give(session, declared(session)[0]) is None
    answer_all(session, 1)
    assert goals(session) == [("ann", 10), ("ann", 13)]


def test_what_is_given_reaches_an_attack_two_actions_below() -> None:
    session = session_of(Doubled(), people=3, dice="scripted", script=FLURRY)
    must(session.declare("ann", "flurry", "bob", "cy"))
    assert give(session, declared(session)[0]) is None
    answer_all(session, 1)
    assert goals(session) == [("ann", 10), ("ann", 13)]
    assert declared(session)[-1].count(">") == 2


def test_what_is_given_to_one_attack_of_a_flurry_reaches_no_other() -> None:
    session = session_of(Named(), people=3, dice="scripted", script=FLURRY)
    must(session.declare("ann", "flurry", "bob", "cy"))
    assert give(session, declared(session)[1]) is None
    assert session.state(reader=GM).given == {declared(session)[1]: GIVEN}
    answer_all(session, 1)
    assert goals(session) == [("ann", 10), ("ann", 10)]
    closers = [event for event in events(session) if isinstance(event, Judge) and event.key == "again"]
    assert [event.goal for event in closers] == [13, 10], "the first asks once more after it was given"
    assert session.state(reader=GM).given == {}


class Named(Tiny):
    """The tiny system, whose attack adds its rows up once more at its end."""

    @hookimpl
    def resolve(self, fight: Fight, action: Action) -> Steps:
        steps: Steps = super().resolve(fight, action)
        return twice(action, steps) if action.name == "attack" else steps


def twice(action: Action, steps: Steps) -> Steps:
    outcome = yield from steps
    rows = (Row("skill", 10, "sheet"), *action.rows("attack.skill"))
    yield Judge("again", by=action.actor, code="told", goal=sum(int(row.amount) for row in rows), trace=rows)
    return outcome


def test_what_is_given_to_an_attack_does_not_reach_the_counterattack_inside_it() -> None:
    session = session_of(Named(), house={"counter": Counter()}, dice="scripted", script=(1, 2, 19, 5, 1, 1))
    must(session.declare("ann", "attack", "bob"))
    root, counter = declared(session)
    assert give(session, root) is None
    assert give(session, counter) is None
    answer_all(session, 1)
    told = [(event.by, event.goal) for event in events(session) if isinstance(event, Judge) and event.key == "again"]
    assert told == [("bob", 13), ("ann", 13)]
    assert goals(session) == [("ann", 10), ("bob", 10)]


def test_of_what_was_given_to_an_attack_its_counterattack_has_nothing() -> None:
    session = session_of(Named(), house={"counter": Counter()}, dice="scripted", script=(1, 2, 19, 5, 1, 1))
    must(session.declare("ann", "attack", "bob"))
    assert give(session, declared(session)[0]) is None
    answer_all(session, 1)
    told = [(event.by, event.goal) for event in events(session) if isinstance(event, Judge) and event.key == "again"]
    assert told == [("bob", 10), ("ann", 13)]


@pytest.mark.parametrize("action", ["nobody", "x>strike.bob.0"])
def test_an_action_that_is_not_open_is_given_nothing(action: str) -> None:
    session = session_of(Tiny(), dice="scripted", script=(1, 2, 5))
    must(session.declare("ann", "attack", "bob"))
    assert give(session, action) == Refused("no-such-action", (action,))


def test_an_attack_that_is_over_is_given_nothing_while_the_flurry_goes_on() -> None:
    session = session_of(Tiny(), people=3, dice="scripted", script=FLURRY)
    must(session.declare("ann", "flurry", "bob", "cy"))
    first = declared(session)[1]
    name, prompt = next(iter(session.prompts(reader=GM).items()))
    must(session.answer(name, prompt.ask.who[0], "stand"))
    assert give(session, first) == Refused("no-such-action", (first,))


def test_what_is_given_stands_in_the_trace_as_declared() -> None:
    session = session_of(Tiny(), people=3, dice="scripted", script=FLURRY)
    must(session.declare("ann", "flurry", "bob", "cy"))
    assert give(session, declared(session)[0]) is None
    answer_all(session, 1)
    assert session.verify().is_clean
    (verdict,) = [event for event in events(session) if isinstance(event, Judge) and event.goal == 13]
    assert verdict.trace == (Row("skill", 10, "sheet"), Row("bless", 3, "declared"))


# -- where dice come from, and against whom


def defended(trace: tuple[Row, ...], against: str) -> Told:
    """`attack` rolls two dice, then the target defends with 7."""

    def resolver(fight: Fight, action: Action) -> Steps:
        yield from Roll("swing", by=action.actor, plan=dice(2, 6), trace=trace)
        yield from Defend("guard", who=action.target, code="stand", value=7, trace=(Row("a", 7, "x"),), against=against)
        return "done"

    return Told(resolver)


def played(*, attacker: bool = False, defender: bool = False, against: str = "ann", trace: tuple[Row, ...] = (Row("two", 2, "sheet"),)) -> Session:
    """Ann and Bob, either of whom may be secret; Ann attacks."""
    session = session_of(defended(trace, against), people=0, begun=False, dice="scripted", script=(1, 2, 3, 4))
    for who, secret in (("ann", attacker), ("bob", defender)):
        must(session.join(who, who.title(), side=who, controller=who, sheet={"hp": 12, "init": 9 if who == "ann" else 1}, secret=secret))
    must(session.begin())
    must(session.declare("ann", "attack", "bob"))
    return session


def seen(session: Session, kind: type[Roll | Defend], reader: str) -> Any:
    return next(event for event in events(session, reader) if isinstance(event, kind) and event.key in ("swing", "guard"))


@pytest.mark.parametrize(
    ("attacker", "defender", "rolls", "guards"),
    [
        pytest.param(False, False, {PUBLIC, "ann", "bob", GM}, {PUBLIC, "ann", "bob", GM}, id="nobody"),
        pytest.param(True, False, {"ann", GM}, {"ann", GM}, id="attacker"),
        pytest.param(False, True, {PUBLIC, "ann", "bob", GM}, {"bob", GM}, id="defender"),
        pytest.param(True, True, {"ann", GM}, {GM}, id="both"),
    ],
)
def test_who_reads_where_dice_come_from_and_what_a_defence_is_worth(
    attacker: bool, defender: bool, rolls: set[str], guards: set[str]
) -> None:
    session = played(attacker=attacker, defender=defender)
    readers = (PUBLIC, "ann", "bob", GM)
    assert rolls == {reader for reader in readers if seen(session, Roll, reader).trace is not None}
    assert guards == {reader for reader in readers if seen(session, Defend, reader).trace is not None}
    assert guards == {reader for reader in readers if seen(session, Defend, reader).value is not None}
    for reader in readers:
        roll, guard = seen(session, Roll, reader), seen(session, Defend, reader)
        assert (roll.faces, roll.total) == (((3,), (4,)), 7), "what the dice show is seen by all"
        assert sum(term.count for term in roll.plan.terms) == 2, "and how many there are"
        assert guard.against == "ann"
    assert session.verify().is_clean


def test_a_defence_against_nobody_is_the_defenders_alone() -> None:
    session = played(attacker=True, against="")
    assert seen(session, Defend, PUBLIC).value == 7


def test_a_roll_without_a_trace_keeps_nothing() -> None:
    session = played(attacker=True, trace=())
    assert seen(session, Roll, PUBLIC).trace == ()
    assert "kept" not in msgspec.to_builtins(seen(session, Roll, PUBLIC))


def test_rows_that_are_not_the_number_of_dice_are_a_breach() -> None:
    with pytest.raises(Breach, match="adds up to 3, not to the number of dice of 2"):
        played(trace=(Row("three", 3, "sheet"),))


def test_what_is_given_to_a_secret_attackers_action_is_kept() -> None:
    session = session_of(Tiny(), people=0, begun=False, dice="scripted", script=(1, 2, 5))
    for who in ("ann", "bob"):
        must(session.join(who, who.title(), side=who, controller=who, sheet={"hp": 12, "init": 9 if who == "ann" else 1}, secret=who == "ann"))
    must(session.begin())
    must(session.declare("ann", "attack", "bob"))
    assert give(session, declared(session)[0]) is None
    for reader, is_told in ((PUBLIC, False), ("bob", False), ("ann", True), (GM, True)):
        (word,) = [event for event in events(session, reader) if isinstance(event, Overrule)]
        assert (word.effect is not None) == is_told, reader


@pytest.mark.parametrize(("amount", "is_false"), [(2, False), (3, True)])
def test_a_log_that_tells_other_dice_than_were_thrown_is_found(amount: int, is_false: bool) -> None:
    claims = [*roll_claims(Roll("x", plan=dice(2, 6), by="ann", faces=((1,), (2,)), dropped=(), total=3, trace=(Row("a", amount, "x"),)))]
    assert ("dice" in str(claims)) == is_false, claims
