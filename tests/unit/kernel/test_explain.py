"""Explanations as trees: what every kind of event came from, and that the leaves of a number add up to it."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec import UNSET
from msgspec.structs import replace

from affray.kernel import (
    GM,
    KIND_OF,
    PUBLIC,
    ApplyDamage,
    Ask,
    Choose,
    Condition,
    Declare,
    Defend,
    Judge,
    Log,
    Node,
    Num,
    Order,
    Reveal,
    Rewind,
    Roll,
    Row,
    Save,
    Turn,
    dice,
    exact,
    total,
)
from affray.kernel.explain import DEPTH, EARLIER, OPENED
from affray.sessions import Engine, Session

from ...golden import exalted_vectors, nyra_vectors
from ...golden.samples import fight
from ...golden.test_nyra_sessions import SessionDriver
from ...support.explained import (
    check_sums,
    codes,
    hit,
    log_of,
    log_with,
    pool,
    scripted,
    tree,
    versions,
    where,
)
from ...support.table import answer_all, must, play, tiny_session

READERS = (PUBLIC, "ann", GM)


@pytest.fixture(scope="module")
def everything() -> Session:
    """A fight that has every kind of event."""
    return fight()


@pytest.mark.parametrize("reader", READERS)
def test_every_event_is_explained_and_its_leaves_add_up(everything: Session, reader: str) -> None:
    """Law 2: from the log alone, whatever the kind and whoever reads."""
    log = log_of(everything, reader)
    kinds = set()
    checked = 0
    for version in range(1, log.head + 1):
        node = tree(log, version)
        kinds.add(node.code)
        assert (node.version, node.code) == (version, KIND_OF[type(log.event(version))])
        checked += check_sums(node)
    assert kinds >= set(KIND_OF.values()) - {"sealed"}
    assert checked > 100


def check_traces(log: Log) -> int:
    """Every number that has a trace is the sum of the leaves of its tree, row by row; how many there were."""
    traced = 0
    for version in range(1, log.head + 1):
        event = log.event(version)
        node = tree(log, version)
        check_sums(node)
        if getattr(event, "trace", ()) and not isinstance(event, Order | Roll):
            assert [row.amount for row in event.trace] == [term.amount for term in node.terms]
            assert total([leaf.amount or 0 for leaf in node.leaves()]) == exact(node.amount or 0)
            traced += 1
    return traced


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[Session]:
    """Every session that a test starts."""
    sessions: list[Session] = []
    start = Engine.start

    def kept(engine: Engine, *args: Any, **how: Any) -> Session:
        sessions.append(start(engine, *args, **how))
        return sessions[-1]

    monkeypatch.setattr(Engine, "start", kept)
    return sessions


def test_the_leaves_of_every_trace_of_the_nyra_vectors_add_up(started: list[Session]) -> None:
    for vector in nyra_vectors.vectors(*nyra_vectors.RUNS):
        nyra_vectors.RUNS[vector["kind"]](SessionDriver(cold=False), vector)
    assert not started or sum(check_traces(log_of(session)) for session in started) > 50


def test_the_leaves_of_every_trace_of_the_exalted_vectors_add_up(started: list[Session]) -> None:
    for vector in exalted_vectors.vectors("attack_flow"):
        exalted_vectors.run_attack(vector, cold=False)
    for vector in exalted_vectors.vectors("variants"):
        exalted_vectors.run_defence(vector, cold=False)
    assert not started or sum(check_traces(log_of(session)) for session in started) > 50


def test_the_leaves_of_every_trace_of_a_long_fight_add_up() -> None:
    session = tiny_session(people=3)
    play(session, rounds=30)
    assert check_traces(log_of(session)) > 20


def test_an_event_without_its_kept_fields_never_breaks(everything: Session) -> None:
    log = log_of(everything)
    log.reveals.clear()
    for version, event in enumerate(tuple(log.events), 1):
        log.events[version - 1] = replace(event, **dict.fromkeys(type(event).KEPT), kept="0" * 64, veil=UNSET)
        assert tree(log, version).is_kept == bool(type(event).KEPT)
        log.events[version - 1] = event


def test_the_declaration_and_all_that_was_decided_led_to_damage() -> None:
    log = log_of(hit())
    damage = tree(log, where(log, ApplyDamage))
    assert damage.args["target"] == "bob"
    (row,) = damage.terms
    assert (row.code, row.amount, row.origin) == ("row", 3, "roll")
    (roll,) = row.terms
    assert (roll.code, roll.version, [die.amount for die in roll.terms]) == ("roll", where(log, Roll, "damage"), [1, 2])
    assert codes(damage.because) == ["declare", "judge", "choose"]
    assert versions(damage.because) == [where(log, Declare), where(log, Judge), where(log, Choose)]
    assert damage.because[2].has_more
    verdict = damage.because[1]
    assert versions(verdict.because) == [where(log, Roll, "attack")]
    assert (verdict.amount, verdict.args["margin"], verdict.args["code"]) == (10, 3, "hit")


def test_what_a_kind_came_from() -> None:
    """The answer behind a defence, the question behind the answer, the damage behind a wound, the order behind a turn."""
    session = scripted(7, 19, 4, 4)
    must(session.declare("ann", "attack", "bob", id="a1"))
    answer_all(session, 0)
    log = log_of(session)
    guard = tree(log, where(log, Defend))
    assert where(log, Choose) in versions(guard.because)
    answer = tree(log, where(log, Choose))
    assert (answer.amount, versions(answer.because)) == (5, [where(log, Declare), where(log, Ask)])
    assert [(one.args["code"], one.amount) for one in tree(log, where(log, Ask)).because if one.code == "option"] == [
        ("dodge", 5),
        ("stand", None),
    ]
    wound = tree(log, where(log, Condition))
    assert where(log, ApplyDamage, "damage") in versions(wound.because)
    started = next(v for v in range(1, log.head) if isinstance(e := log.event(v), Turn) and (e.moment, e.who) == ("start", "bob"))
    assert versions(tree(log, started).because) == [where(log, Order, "order")]
    assert [one.args["key"] for one in tree(log, started).because[0].because if one.code == "entry"] == ["ann", "bob"]
    assert tree(log, started).because[0].because[0].has_more, "the moment behind the order, which is named only"
    order = tree(log, where(log, Order, "order"))
    assert [one.args["key"] for one in order.because if one.code == "entry"] == ["ann", "bob"]


def test_a_save_points_to_the_roll_of_its_own() -> None:
    session = scripted(6, 12)
    must(session.declare("ann", "sweep", "bob"))
    answer_all(session, 0)
    log = log_of(session)
    node = tree(log, where(log, Save))
    assert (node.amount, node.args["margin"]) == (10, -2)
    assert where(log, Roll, "save") in versions(node.because)


def test_one_roll_may_serve_several_and_each_hears_of_its_own_answers() -> None:
    session = scripted(3, 1, 6, people=3)
    must(session.declare("ann", "sweep", "bob", "cy", id="a1"))
    must(session.answer("a1|ask.sweep.0", "bob", "stand"))
    must(session.answer("a1|ask.sweep.0", "cy", "stand"))
    log = log_of(session)
    for who, nth in (("bob", 0), ("cy", 1)):
        node = tree(log, where(log, ApplyDamage, nth=nth))
        assert [one.args["who"] for one in node.because if one.code == "choose"] == [who]
        assert node.terms[0].terms[0].version == where(log, Roll, "sweep")


def test_an_undo_tells_what_left_the_line_and_a_redo_what_came_back() -> None:
    session = hit()
    before = session.head
    must(session.undo())
    must(session.redo())
    log = log_of(session)
    undo, redo = tree(log, before + 1), tree(log, before + 2)
    gone = before - where(log, Declare) + 1
    assert [(one.code, one.args["count"]) for one in undo.because if not one.version] == [("undone", gone)]
    assert versions(undo.because) == [where(log, Declare)]
    assert [(one.code, one.args["count"]) for one in redo.because] == [("undone", 0), ("restored", gone)]


def test_what_stands_for_itself_has_nothing_behind_it(everything: Session) -> None:
    log = log_of(everything)
    bare = {KIND_OF[type(log.event(v))] for v in range(1, log.head + 1) if tree(log, v).is_bare}
    assert bare >= {"open", "leave", "rules", "note", "close", "reveal-dice"}
    assert bare.isdisjoint({"roll", "judge", "defend", "save", "apply-damage", "change", "condition", "join", "overrule"})
    assert tree(log_of(everything, PUBLIC), where(log_of(everything, PUBLIC), Reveal)).because[0].code == "note"


def test_what_was_revealed_since_is_told(everything: Session) -> None:
    log = log_of(everything, PUBLIC)
    version = where(log, Reveal)
    kept = log.event(version).version
    assert not tree(log, kept).is_kept
    log.reveals.clear()
    assert tree(log, kept).is_kept


@pytest.mark.parametrize("more", [0, 1])
def test_events_are_opened_to_a_depth_and_named_beyond_it(more: int) -> None:
    """A condition renewed again and again rests on the one before: the bound, and one past it."""
    count = DEPTH + 1 + more
    renewals = [
        Condition("curse", action=f"a{index}", target="ann", id="cursed", code="renewed", value=index, before=index, after=index)
        for index in range(count)
    ]
    node = tree(log_with(*renewals), count)
    assert [one.has_more for one in node.all()] == [False] * (DEPTH + 1) + [True] * more


@pytest.mark.parametrize("more", [0, 1])
def test_so_many_events_are_opened_and_no_more(more: int) -> None:
    count = OPENED - 1 + more
    steps = [Judge(f"k{index}", action="a1", by="ann", code="so", goal=1, margin=0) for index in range(count)]
    rows = tuple([Row("row", 1, f"k{index}") for index in range(count)])
    damage = ApplyDamage("damage", action="a1", target="bob", pools=("hp",), value=count, trace=rows, touched=())
    node = tree(log_with(*steps, damage), count + 1)
    assert sum(one.has_more for one in node.all()) == more
    assert node.amount == total([leaf.amount or 0 for leaf in node.leaves()])


DECLARED = Declare(action="a1", actor="ann", name="attack", targets=("bob",), params={}, rows=(), parent="", secret=False)


@pytest.mark.parametrize("more", [0, 1])
def test_so_many_earlier_steps_are_listed_and_the_others_counted(more: int) -> None:
    count = EARLIER + more
    steps = [Judge(f"k{index}", action="a1", by="ann", code="so") for index in range(count)]
    damage = ApplyDamage("damage", action="a1", target="bob", pools=("hp",), value=0, touched=())
    node = tree(log_with(DECLARED, *steps, damage), count + 2)
    assert [one.args["count"] for one in node.because if one.code == "earlier"] == [1] * more
    assert versions(node.because) == [1, *range(2 + more, count + 2)]


NUMBERS = ("value", "goal", "margin", "total", "before", "after", "overflow")

NONSENSE: tuple[Num, ...] = ("abc", "1/0", "4/2", 2**53, -(2**60), "")


@pytest.mark.parametrize("wrong", NONSENSE)
def test_numbers_that_are_none_break_nothing(everything: Session, wrong: Num) -> None:
    """What a host wrote may be anything that decodes; verifying finds it, explaining goes on."""
    log = log_of(everything)
    for version, event in enumerate(tuple(log.events), 1):
        fields: dict[str, Any] = {name: wrong for name in NUMBERS if name in type(event).__struct_fields__}
        if getattr(event, "trace", ()):
            fields["trace"] = tuple([replace(row, amount=wrong) for row in event.trace])
        if getattr(event, "touched", ()):
            fields["touched"] = tuple([replace(touch, before=wrong, after=wrong) for touch in event.touched])
        if fields and not isinstance(event, Choose):
            log.events[version - 1] = replace(event, **fields)
            tree(log, version)
            pool(log, "bob", "hp", min(version + 20, log.head))
            log.events[version - 1] = event


def test_rows_that_do_not_add_up_are_told_with_what_is_missing() -> None:
    judge = Judge("attack", by="ann", code="hit", goal=9, trace=(Row("skill", 7, "sheet"),))
    node = tree(log_with(judge), 1)
    assert [(term.code, term.amount) for term in node.terms] == [("row", 7), ("rest", 2)]
    far = replace(judge, goal=2**53 - 1, trace=(Row("skill", -(2**53 - 1), "sheet"),))
    assert tree(log_with(far), 1).terms[1] == Node(code="rest")


def test_slots_and_versions_that_lead_nowhere_are_left_out() -> None:
    damage = ApplyDamage("damage", action="a1", target="bob", pools=("hp",), value=1, roll="nowhere|roll.x.y.0", touched=())
    roll = Roll("attack", action="a1", by="ann", plan=dice(1, 6), faces=((1,),), dropped=(), total=1, reused=99)
    assert tree(log_with(damage), 1).because == ()
    assert tree(log_with(roll), 1).because == ()
    assert tree(log_with(Rewind(to=0, why="undo")), 1).because == (Node(code="undone", args={"count": 0}),)
