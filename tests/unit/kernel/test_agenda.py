"""Whose moment comes first (law 8: every order is total): no name that somebody chose decides between two people."""

from __future__ import annotations

from typing import Any

import pytest

from affray.kernel import (
    GM,
    Action,
    EndTurn,
    Entry,
    Fight,
    Roll,
    SetOrder,
    State,
    Steps,
    Turn,
    Wait,
    by_time,
    dice,
    hookimpl,
)
from affray.kernel.state import OpenAction
from affray.sessions import Session

from ...support.dicey import Dicey
from ...support.forged import attacks, dicey
from ...support.table import engine, must, tiny_catalog, tiny_session
from .test_witness import someone


def entries(*found: Entry, people: tuple[str, ...] = (), runs: dict[str, int] | None = None) -> list[str]:
    """The keys of an agenda in their order, with these people joined and these actions open since a version."""
    open_ = {
        name: OpenAction(id=name, what="blow", actor="ann", since=since, secret=False)
        for name, since in (runs or {}).items()
    }
    state = State(
        combatants={who: someone(number, who, who) for number, who in enumerate(people, 1)},
        agenda={entry.key: entry for entry in found},
        open=open_,
    )
    return [entry.key for entry in by_time(state)]


def entry(key: str, *when: Any, who: str = "", moment: str = "start") -> Entry:
    return Entry(key=key, when=when, who=who, moment=moment)


@pytest.mark.parametrize("names", [("a", "b", "c"), ("c", "b", "a"), ("b", "zed", "start")])
def test_moments_come_part_by_part_and_then_by_who_joined_first(names: tuple[str, ...]) -> None:
    first, second, third = names
    found = [
        entry(third, 1, 0, who=third),
        entry(second, 1, 0, who=second),
        entry(first, 1, 0, who=first),
        entry("late", 1, 1, who=first),
        entry("half", "1/2", 9, who=third),
        entry("short", 1, who=third),
    ]

    assert ["half", "short", first, second, third, "late"] == entries(*found, people=names)


def test_nobodys_moments_come_last_by_their_keys() -> None:
    found = [entry("wind", 1), entry("dawn", 1), entry("x", 1, who="zed"), entry("a-ghost", 1, who="ghost")]

    assert entries(*found, people=("zed",)) == ["x", "a-ghost", "dawn", "wind"]


@pytest.mark.parametrize("who", ["ann", "zed"])
def test_moments_of_one_person_come_by_their_kind_whatever_the_person_is_called(who: str) -> None:
    found = [
        entry(who, 1, who=who),
        entry("resume:a1", 1, who=who, moment="resume"),
        entry(f"join:{who}", 1, who=who, moment="join"),
        entry(f"condition:{who}:luck", 1, who=who, moment="expiry"),
    ]

    assert [f"condition:{who}:luck", f"join:{who}", "resume:a1", who] == entries(*found, people=(who,), runs={"a1": 1})


@pytest.mark.parametrize("ids", [("a", "z"), ("z", "a")])
def test_actions_of_one_person_go_on_in_the_order_of_their_declarations(ids: tuple[str, str]) -> None:
    found = [entry(f"resume:{name}", 1, who="ann", moment="resume") for name in ("a", "z")]
    runs = dict(zip(ids, (5, 9), strict=True))

    assert [f"resume:{name}" for name in ids] == entries(*found, people=("ann",), runs=runs)


# -- in sessions


class Simultaneous(Dicey):
    """Blows that land at the same moment, whoever struck first."""

    @hookimpl
    def resolve(self, fight: Fight, action: Action) -> Steps:
        return blow(fight, action) if action.name == "blow" else super().resolve(fight, action)


def blow(fight: Fight, action: Action) -> Steps:
    yield EndTurn("turn", who=action.actor)
    yield Wait("swing", when=(50, 0, 0))
    yield from Roll("damage", by=action.actor, plan=dice(3, 6))
    return "landed"


@pytest.mark.parametrize("ids", [("a", "z"), ("z", "a")])
def test_whose_blow_lands_first_does_not_depend_on_the_name_of_a_command(ids: tuple[str, str]) -> None:
    session = dicey(Simultaneous)
    must(session.declare("ann", "blow", "bob", id=ids[0]))
    must(session.declare("bob", "blow", "ann", id=ids[1]))
    while not (attacks(session, "ann", "damage") and attacks(session, "bob", "damage")):
        must(session.declare(session.state().turn, "end-turn"))
    events = [found.event for found in session.history(reader=GM)]

    assert [event.by for event in events if isinstance(event, Roll) and event.key == "damage"] == ["ann", "bob"]
    assert session.verify().is_clean


@pytest.mark.parametrize("names", [("ann", "orc"), ("ann", "aaa")])
def test_who_goes_first_on_a_tie_does_not_depend_on_a_name(names: tuple[str, str]) -> None:
    tied = [session for seed in range(40) if is_tied(session := two(names, seed))]

    assert tied
    assert {names[0]} == {session.state().turn for session in tied}


def two(names: tuple[str, str], seed: int) -> Session:
    """Two of the same initiative, begun."""
    session = engine(catalog=tiny_catalog(Dicey), seed=f"{seed}").start("tiny", session="s")
    for who in names:
        must(session.join(who, side=who, controller=who, sheet={"hp": 9, "init": 1}))
    must(session.begin())
    return session


def is_tied(session: Session) -> bool:
    events = [found.event for found in session.history(reader=GM)]
    return len({event.faces for event in events if isinstance(event, Roll) and event.key == "initiative"}) == 1


def test_a_moment_of_nobodys_comes_behind_everybodys_of_that_time() -> None:
    session = tiny_session()
    when = session.state().agenda["bob"].when
    must(session.overrule("wind", SetOrder(entries=(Entry(key="a-wind", when=when, moment="wind"),))))
    must(session.declare("ann", "end-turn"))
    assert session.state().turn == "bob"
    must(session.declare("bob", "end-turn"))
    turns = [found.event.moment for found in session.history() if isinstance(found.event, Turn)]

    assert turns == ["begin", "start", "end", "start", "end", "wind", "start"]
