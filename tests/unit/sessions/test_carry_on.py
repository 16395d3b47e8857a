"""A new fight with everybody who is still there, as they ended the old one."""

from __future__ import annotations

from typing import Any

import pytest

from affray.kernel import (
    GM,
    PUBLIC,
    Breach,
    Chain,
    Combatant,
    Held,
    InputError,
    Modifier,
    Origin,
    SessionExists,
    SetCondition,
    SetPool,
    redact,
)
from affray.sessions import Engine, MemoryStore, Session

from ...support.table import answer_all, engine, must, play, tiny_catalog, tiny_session
from ...support.tiny import Tiny


def fought(made: Engine) -> Session:
    """Ann is wounded and cursed for a while, bob is blessed for good, cy has left, a secret ghost is there."""
    session = tiny_session(made, people=3, options={"counts": 4}, title="The bridge", undo_dice="keep")
    must(session.join("ghost", "Ghost", side="ghost", sheet={"hp": 7, "skill": 3, "temp": 2}, player="Zoë"))
    must(session.overrule("hurt", SetPool(target="ann", pool="hp", value=5)))
    must(session.overrule("hurt", SetPool(target="ghost", pool="hp", value=4)))
    blessed = Held(id="blessed", value=2, rows=(Modifier("attack.skill", 2, "bless"),), source="shrine")
    must(session.overrule("blessed", SetCondition(target="bob", held=blessed)))
    must(session.overrule("cursed", SetCondition(target="ann", held=Held(id="cursed", until=(9,)))))
    must(session.leave("cy"))
    return session


def test_everybody_who_is_still_there_joins_as_they_ended() -> None:
    made = engine()
    old = fought(made)
    new = made.carry_on(old, session="s2")
    then, now = old.state(reader=GM), new.state(reader=GM)
    assert list(now.combatants) == ["ann", "bob", "ghost"]
    for who, one in now.combatants.items():
        before = then.combatants[who]
        assert (before.pools, bounds(before)) == (one.pools, bounds(one))
        assert (before.name, before.side, before.controller, before.sheet, before.secret) == (
            one.name, one.side, one.controller, one.sheet, one.secret,
        )  # fmt: skip
    assert now.combatants["bob"].conditions == then.combatants["bob"].conditions
    assert now.combatants["ann"].conditions == {}, "a moment of the old clock means nothing to the new one"
    assert (now.began, now.at, now.turns, now.agenda) == (False, (), {}, {})


def bounds(someone: Combatant) -> dict[str, Any]:
    """The pools' ranges but for where they start."""
    return {name: (pool.low, pool.high, pool.damage) for name, pool in (someone.ranges or {}).items()}


def test_where_it_comes_from_stands_in_the_log() -> None:
    made = engine()
    old = fought(made)
    new = made.carry_on(old, session="s2")
    assert new.state().origin == Origin(how="carry-on", session="s", version=old.head, digest=old.digest)
    assert (new.state().title, new.manifest, new.state().undo_dice) == ("The bridge", old.manifest, "keep")
    assert made.carry_on(old, title="The mill", session="s3").state().title == "The mill"


def test_the_old_fight_stays_as_it_is_and_the_new_one_is_fought_with_dice_of_its_own() -> None:
    made = engine()
    old = fought(made)
    before = (old.head, old.digest, old.lines)
    new = made.carry_on(old, session="s2")
    must(new.begin())
    answer_all(new)
    play(new)
    assert before == (old.head, old.digest, old.lines)
    assert new.verify().is_clean
    first, second = (session.history()[0].event for session in (old, new))
    assert {first.chain, first.kept_chain}.isdisjoint({second.chain, second.kept_chain})


def test_a_secret_stays_one() -> None:
    made = engine()
    new = made.carry_on(fought(made), session="s2")
    assert new.state(reader=PUBLIC).combatants["ghost"].sheet is None
    assert new.state(reader=GM).combatants["ghost"].pools["hp"] == 4


def test_fights_may_be_carried_on_again_and_again() -> None:
    made = engine()
    session = fought(made)
    for number in range(3):
        session = made.carry_on(session, session=f"s{number}")
        must(session.begin())
        play(session, 2)
        must(session.close())
    origin = session.state().origin
    assert origin is not None
    assert (origin.how, origin.session, session.verify().is_clean) == ("carry-on", "s1", True)


def test_the_longest_name_can_be_carried_on() -> None:
    made = engine()
    old = tiny_session(made, begun=False)
    must(old.join("x" * 64, side="x", sheet={"hp": 3}))
    assert "x" * 64 in made.carry_on(old, session="s2").state().combatants


@pytest.mark.parametrize(
    ("policy", "carried"),
    [
        ("fair", {"*": "fair"}),
        ("reported", {"*": "reported"}),
        ("scripted-then-fair", {"*": "fair"}),
        ({"ann": "reported", "bob": "scripted-then-fair"}, {"*": "fair", "ann": "reported", "bob": "fair"}),
    ],
)
def test_dice_policies_are_carried_and_a_script_is_not(policy: Any, carried: dict[str, str]) -> None:
    made = engine()
    old = tiny_session(made, begun=False, dice=policy, script=(1, 2))
    assert carried == made.carry_on(old, session="s2").state().dice


def test_a_script_without_faces_is_exhausted_and_not_the_engine_s_to_fill() -> None:
    made = engine()
    old = tiny_session(made, begun=False, dice="scripted", script=(1, 2))
    new = made.carry_on(old, session="s2")
    refused = new.begin().refused
    assert refused is not None
    assert refused.code == "script-exhausted"


def test_a_copy_cannot_be_carried_on() -> None:
    made = engine()
    old = fought(made)
    store = MemoryStore()
    chain = Chain(old.header)
    store.create(old.header, [chain.accept(redact(line, PUBLIC)) for line in old.lines])
    with pytest.raises(InputError, match="cannot be carried on"):
        engine(store).carry_on(engine(store).load("s"))
    assert store.sessions() == ("s",)


def test_two_fights_have_two_names() -> None:
    made = engine()
    old = fought(made)
    with pytest.raises(SessionExists):
        made.carry_on(old, session="s")


def test_rules_that_cannot_be_built_start_nothing() -> None:
    class Broken(Tiny):
        def pools(self) -> None:  # type: ignore[override]
            """No hook any more."""

    store = MemoryStore()
    old = fought(engine(store))
    with pytest.raises(Breach, match="hook pools: is missing"):
        engine(store, tiny_catalog(Broken)).carry_on(old, session="s2")
    assert store.sessions() == ("s",)
