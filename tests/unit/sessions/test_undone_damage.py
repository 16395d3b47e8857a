"""DMG-4: what an undo gives back is what was really lost, side effects included, and nothing is given back twice."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from affray.kernel import (
    GM,
    Action,
    ApplyDamage,
    Change,
    Condition,
    Fight,
    Form,
    Held,
    Refused,
    Steps,
    System,
    canonical,
    commands,
    hookimpl,
)
from affray.sessions import Session

from ...support.amends import check, find
from ...support.table import engine, must, tiny_catalog
from ...support.tiny import Tiny


class Strength(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    power: int = 0


class Bare(Tiny):
    """Hits and healing of a given strength, whoever's turn it is. Some are healed by what should hurt them; at 0 somebody is dying."""

    @hookimpl
    def describe(self) -> System:
        return replace(super().describe(), actions={"hit": Strength, "heal": Strength})

    @hookimpl
    def actions(self, fight: Fight, who: str) -> list[Form]:
        return [Form(name=name, targets=fight.ids, least=1, most=1) for name in ("hit", "heal")]

    @hookimpl
    def check(self, fight: Fight, action: Action) -> Refused | None:
        return None

    @hookimpl
    def resolve(self, fight: Fight, action: Action) -> Steps:
        return hit(fight, action) if action.name == "hit" else heal(fight, action)

    @hookimpl
    def is_over(self, fight: Fight) -> str | None:
        return None


def hit(fight: Fight, action: Action) -> Steps:
    who = action.target
    if fight.has(who, "absorbs"):
        yield Change("absorbed", target=who, pool="hp", value=action.params.power)
        return "absorbed"
    yield ApplyDamage("hit", target=who, pools=("hp",), value=action.params.power)
    if fight.pool(who, "hp") == 0 and not fight.has(who, "dying"):
        if fight.has(who, "concentrating"):
            yield Condition("ended", target=who, id="concentrating", code="ended")
        yield Condition("dying", target=who, id="dying", value=3)
    return "hit"


def heal(fight: Fight, action: Action) -> Steps:
    yield Change("heal", target=action.target, pool="hp", value=action.params.power)
    return "healed"


def duel(now: int, most: int, *conditions: str) -> Session:
    """Ann against Bob, who has so many of his hit points, and these conditions."""
    session = engine(catalog=tiny_catalog(Bare)).start("tiny", session="s", dice="scripted", script=(1, 1))
    must(session.join("ann", side="a", controller="ann", sheet={"hp": 12, "init": 9}))
    held = tuple([Held(id=name, value=1) for name in conditions])
    must(session.join("bob", side="b", controller="bob", sheet={"hp": most}, pools={"hp": now}, conditions=held))
    must(session.begin())
    return session


def state_of(session: Session) -> bytes:
    return canonical(session.state(reader=GM))


def hp(session: Session) -> Any:
    return session.state(reader=GM).combatants["bob"].pools["hp"]


def do(session: Session, name: str, power: int, id: str) -> None:
    must(session.declare("ann", name, "bob", id=id, power=power))


@pytest.mark.parametrize("name", ["", "a1"])
def test_a_what_is_given_back_is_what_was_lost_and_not_what_was_rolled(name: str) -> None:
    """DMG-4 (a): 30 of 80, a hit of 50, undone: 30."""
    session = duel(30, 80)
    before = state_of(session)
    do(session, "hit", 50, "a1")
    assert (0, 20) == (hp(session), find(session, ApplyDamage)[1].overflow)
    must(session.undo(name))
    assert (30, before) == (hp(session), state_of(session))
    check(session)


def test_b_undoing_a_hit_that_changed_nothing_revives_nobody() -> None:
    """DMG-4 (b): 0, a hit of 12, undone: 0."""
    session = duel(0, 80, "dying")
    before = state_of(session)
    do(session, "hit", 12, "a1")
    must(session.undo("a1"))
    assert (0, before) == (hp(session), state_of(session))
    assert "dying" in session.state().combatants["bob"].conditions


def test_c_what_was_absorbed_is_taken_back_once() -> None:
    """DMG-4 (c): 20 of 40, 10 absorbed, undone twice: 20, and the second is refused."""
    session = duel(20, 40, "absorbs")
    do(session, "hit", 10, "a1")
    assert 30 == hp(session)
    must(session.undo("a1"))
    assert 20 == hp(session)
    assert Refused("already-undone", ("a1",)) == session.undo("a1").refused
    assert 20 == hp(session)


def test_d_the_side_effects_of_a_hit_go_with_it() -> None:
    """DMG-4 (d): hit points, concentration and dying all as before."""
    session = duel(7, 30, "concentrating")
    before = state_of(session)
    do(session, "hit", 9, "a1")
    assert {"dying"} == session.state().combatants["bob"].conditions.keys()
    must(session.undo("a1"))
    assert (7, ["concentrating"]) == (hp(session), list(session.state().combatants["bob"].conditions))
    assert before == state_of(session)


@pytest.mark.parametrize(("start", "most", "after"), [(20, 40, 23), (40, 40, 40), (39, 40, 40), (3, 40, 6)])
def test_e_one_hit_of_several_is_taken_back_and_the_rest_worked_out_again(start: int, most: int, after: int) -> None:
    """DMG-4 (e): hit 5, heal 3, only the hit undone: the start and 3, at most all there is; never a guess."""
    session = duel(start, most, "concentrating")
    do(session, "hit", 5, "a1")
    do(session, "heal", 3, "a2")
    assert max(0, start - 5) + 3 == hp(session)
    refused = session.undo("a1").refused
    at, change = find(session, ApplyDamage)[0], find(session, Change)[1]
    assert refused == Refused("needs-amend", ("a1", at - 1))
    must(session.amend(commands.Drop(at=at), reason="It never happened."))
    assert after == hp(session)
    assert (start, after) == (find(session, Change)[1].before, find(session, Change)[1].after)
    assert "concentrating" in session.state().combatants["bob"].conditions
    assert change.value == find(session, Change)[1].value
    must(session.undo())
    assert max(0, start - 5) + 3 == hp(session)
    check(session)


def test_healing_can_be_taken_back_too() -> None:
    session = duel(20, 40)
    do(session, "heal", 30, "a1")
    do(session, "hit", 1, "a2")
    must(session.amend(commands.Drop(at=find(session, Change)[0]), reason="A potion of water."))
    assert 19 == hp(session)
    check(session)
