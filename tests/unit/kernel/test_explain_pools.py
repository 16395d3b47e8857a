"""A pool's value at any version: its start, every change of the present line, and what a copy does not show."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from affray.kernel import (
    GM,
    PUBLIC,
    ApplyDamage,
    Change,
    Declare,
    Done,
    Join,
    Judge,
    Log,
    Node,
    Overrule,
    Pool,
    Refused,
    Roll,
    SetPool,
    explain,
    explain_pool,
    total,
)
from affray.kernel.explain_past import Past
from affray.sessions import Session

from ...golden.samples import fight
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
from ...support.table import answer_all, must, tiny_session


@pytest.fixture(scope="module")
def everything() -> Session:
    """A fight that has every kind of event."""
    return fight()


@pytest.mark.parametrize("reader", [PUBLIC, "ann", GM])
def test_what_a_pool_holds_is_what_folding_says(everything: Session, reader: str) -> None:
    log = log_of(everything, reader)
    for at in (*range(0, log.head + 1, 7), log.head):
        state = everything.state(at, reader=reader)
        for who, one in state.combatants.items():
            for name, value in one.pools.items():
                node = pool(log, who, name, at)
                assert (node.amount, node.is_kept, node.version) == (value, value is None, at), (who, name, at)
                check_sums(node)


def test_a_pool_is_its_start_and_every_change_of_the_present_line() -> None:
    session = hit()
    must(session.declare("bob", "heal", "bob", power=1, id="h1"))
    must(session.overrule("a curse", SetPool(target="bob", pool="hp", value=3)))
    log = log_of(session)
    node = pool(log, "bob", "hp")
    assert (node.amount, node.args) == (3, {"who": "bob", "pool": "hp", "undone": 0, "sealed": 0})
    assert [(term.code, term.amount, term.args.get("before"), term.args.get("after")) for term in node.terms] == [
        ("start", 12, None, None),
        ("touch", -3, 12, 9),
        ("touch", 1, 9, 10),
        ("touch", -7, 10, 3),
    ]
    assert versions(node.terms)[1:] == [where(log, ApplyDamage), where(log, Change), where(log, Overrule)]
    assert codes(pool(log, "bob", "temp").terms) == ["start"], "that damage took nothing of it"
    damage = node.terms[1].because[0]
    assert (damage.code, damage.has_more, damage.terms) == ("apply-damage", True, ())


def test_a_pool_can_be_opened_down_to_the_dice() -> None:
    log = log_of(hit())
    node = pool(log, "bob", "hp", opened=True)
    (touch,) = [term for term in node.terms if term.code == "touch"]
    assert touch.because == (tree(log, where(log, ApplyDamage)),)


def test_a_pool_is_told_at_any_version_even_inside_a_commit() -> None:
    log = log_of(hit())
    damaged = where(log, ApplyDamage)
    assert not log.is_end(damaged)
    assert [pool(log, "bob", "hp", at).amount for at in (damaged - 1, damaged, log.head)] == [12, 9, 9]


def test_what_was_undone_is_counted_and_not_told() -> None:
    session = hit(1, 2, 7, 1, 1)
    must(session.undo())
    hit(session=session, action="a2")
    log = log_of(session)
    node = pool(log, "bob", "hp")
    assert (node.amount, node.args["undone"], versions(node.terms)[1:]) == (10, 1, [where(log, ApplyDamage)])
    undone = where(log, ApplyDamage, nth=0)
    assert pool(log, "bob", "hp", undone).amount == 9, "as it stood there"
    assert tree(log, undone).terms[0].terms[0].version == where(log, Roll, "damage", 0), "on the line that led to it"


def test_what_changed_nothing_is_left_out() -> None:
    session = scripted()
    must(session.declare("ann", "heal", "bob", power=3))
    log = log_of(session)
    assert codes(pool(log, "bob", "hp").terms) == ["start"]
    assert codes(pool(log, "bob", "temp").terms) == ["start"]


def test_a_player_sees_of_a_secret_monster_that_its_numbers_are_kept() -> None:
    session = tiny_session(people=1, begun=False, dice="scripted", script=(1, 2, 3, 1, 2, 5))
    must(session.join("gob", "Goblin", side="goblins", secret=True, sheet={"hp": 30, "skill": 14}))
    must(session.begin())
    must(session.declare("ann", "attack", "gob"))
    answer_all(session, 1)
    must(session.declare("gob", "attack", "ann"))
    log = log_of(session, "ann")
    strike = tree(log, where(log, ApplyDamage))
    assert (strike.amount, strike.is_kept, strike.terms) == (3, True, (Node(code="kept", is_kept=True),))
    verdict = tree(log, where(log, Judge))
    assert (verdict.args["by"], verdict.amount, verdict.args["margin"], verdict.is_kept) == ("gob", None, None, True)
    assert where(log, Roll, "attack") in versions(verdict.because)
    points = pool(log, "gob", "hp")
    assert (points.amount, points.is_kept, [term.is_kept for term in points.terms]) == (None, True, [True, True])
    assert pool(log, "gob", "no-such-pool-as-far-as-anybody-knows").is_kept
    assert pool(log_of(session), "gob", "hp").amount == 27
    assert isinstance(explain_pool(log_of(session), "gob", "mana"), Refused)


def test_a_change_that_a_copy_does_not_show_is_a_gap() -> None:
    session = scripted(7, 1, 2)
    must(session.declare("ann", "attack", "bob", secret=True))
    answer_all(session, 1)
    must(session.declare("bob", "heal", "bob", power=2))
    log = log_of(session, PUBLIC)
    node = pool(log, "bob", "hp")
    assert (node.amount, codes(node.terms)) == (11, ["start", "gap", "touch"])
    gap = node.terms[1]
    assert (gap.args, gap.amount, gap.is_kept) == ({"before": 12, "after": 9}, -3, True)
    assert pool(log, "bob", "hp", session.head - 3).args["sealed"] > 0
    whole = log_of(session)
    assert codes(pool(whole, "bob", "hp").terms) == ["start", "touch", "touch"]


def test_a_leap_that_no_event_tells_is_a_gap() -> None:
    session = hit()
    log = log_of(session)
    version = where(log, ApplyDamage)
    event = log.events[version - 1]
    log.events[version - 1] = replace(event, touched=(replace(event.touched[1], before=11),))
    node = pool(log, "bob", "hp")
    assert [(term.code, term.amount, term.is_kept) for term in node.terms[1:]] == [("gap", -1, False), ("touch", -2, False)]
    assert total([leaf.amount or 0 for leaf in node.leaves()]) == node.amount


def test_what_is_not_there_is_refused_with_what_there_is() -> None:
    log = log_of(hit())
    assert explain(log, 1)
    assert explain(log, log.head)
    for version in (0, log.head + 1, -1):
        assert explain(log, version) == Refused("no-such-version", (version, log.head))
    assert explain_pool(log, "bob", "hp", 0) == Refused("no-such-combatant", ("bob",))
    assert explain_pool(log, "bob", "hp", log.head + 1) == Refused("no-such-version", (log.head + 1, log.head))
    assert explain_pool(log, "cy", "hp") == Refused("no-such-combatant", ("cy", "ann", "bob"))
    assert explain_pool(log, "bob", "mana") == Refused("no-such-pool", ("bob", "mana", "hp", "temp", "wounds"))


def long_log(count: int) -> Log:
    """A log in which one pool is changed until so many events are there, each by an action of its own."""
    opening = Join(
        id="ann", name="Ann", side="a", controller="ann", secret=False, sheet={}, pools={"hp": Pool(start=0)}, conditions=(), player=""
    )
    log = log_with(opening)
    while log.head < count:
        action, before = f"a{log.head}", (log.head - 1) // 3
        log.take(Declare(action=action, actor="ann", name="heal", targets=("ann",), params={}, rows=(), parent="", secret=False))
        log.take(Change("heal", action=action, target="ann", pool="hp", value=1, before=before, after=before + 1, overflow=0))
        log.take(Done(action=action, code="healed", cause=""))
    return log


def test_a_long_log_is_gone_through_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """One number, and a pool of 3,333 changes, in a log of 10,000 events: every event is taken in once, none is folded."""
    log = long_log(10_000)
    taken: list[int] = []
    take, line, lines = Past.take, Log.line, []

    def counted(past: Past, version: int, event: Any) -> None:
        taken.append(version)
        take(past, version, event)

    def counted_line(log: Log, head: int | None = None) -> Any:
        lines.append(head)
        return line(log, head)

    monkeypatch.setattr(Past, "take", counted)
    monkeypatch.setattr(Log, "line", counted_line)
    node = tree(log, log.head - 1)
    assert (taken, lines) == (list(range(1, log.head)), [log.head - 1])
    assert versions(node.because) == [log.head - 2]
    taken.clear()
    whole = pool(log, "ann", "hp", opened=True)
    assert (whole.amount, len(whole.terms)) == (3333, 3334)
    assert taken == list(range(1, log.head + 1))
