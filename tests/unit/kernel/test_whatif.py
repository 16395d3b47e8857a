"""The same people, dice and answers under other rules."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from affray.kernel import (
    GM,
    Action,
    Chain,
    Fight,
    InputError,
    Judge,
    Log,
    Refused,
    Roll,
    SetPool,
    Step,
    commands,
    dice,
    hookimpl,
    redact,
    what_if,
)
from affray.sessions import Catalog, Session

from ...simulation.test_honest_logs import OPTIONS, played
from ...support.dicey import Dicey
from ...support.table import answer_all, must, play, tiny_catalog, tiny_session


class Mercy:
    """Whatever would hit, misses."""

    @hookimpl
    def ruling(self, fight: Fight, action: Action, step: Step) -> Step | None:
        return replace(step, code="miss") if isinstance(step, Judge) and step.code == "hit" else None


class Heavy:
    """One more die of damage."""

    @hookimpl
    def ruling(self, fight: Fight, action: Action, step: Step) -> Step | None:
        return replace(step, plan=dice(3, 4)) if isinstance(step, Roll) and step.key == "damage" else None


CATALOG = tiny_catalog(Dicey, mercy=Mercy, heavy=Heavy)


def log_of(session: Session) -> Log:
    log, chain = Log(), Chain(session.header)
    for line in session.lines:
        log.add(chain.accept(line))
    return log


def fight(rounds: int = 6) -> Session:
    session = tiny_session(people=2)
    play(session, rounds)
    return session


@pytest.mark.parametrize("index", range(len(OPTIONS)))
def test_the_same_rules_change_nothing(index: int) -> None:
    """Law 6: what was reported, witnessed, undone, overruled, kept or left is put in again as it was."""
    session = played(index)
    before = session.head

    found = what_if(log_of(session), CATALOG.rules, session.manifest)

    assert (True, ()) == (found.is_same or session.prompts(reader=GM) == {}, found.dropped)
    assert found.stopped is None
    assert before == session.head


def test_a_ruling_changes_the_first_step_it_is_about_and_what_follows() -> None:
    catalog = tiny_catalog(mercy=Mercy)
    session = fight()
    found = what_if(log_of(session), catalog.rules, catalog.manifest("tiny", {}, ["mercy"]))

    first = found.changed[0]
    assert ("hit", "miss") == (first.before["code"], first.after["code"])
    assert {"kind": "judge", "by_rules": ["mercy"]} == {name: first.after[name] for name in ("kind", "by_rules")}
    assert all("apply-damage" not in step.slot or step.after is None for step in found.changed)
    assert any(one.where.endswith(".hp") for one in found.differences)
    assert session.verify().is_clean


def test_recorded_faces_stay_and_a_die_more_is_thrown_from_a_source_of_its_own() -> None:
    catalog = tiny_catalog(heavy=Heavy)
    log = log_of(fight())
    manifest = catalog.manifest("tiny", {}, ["heavy"])
    found, again = what_if(log, catalog.rules, manifest), what_if(log, catalog.rules, manifest)
    other = what_if(log, catalog.rules, manifest, seed="other")

    rolls = [step for step in found.changed if "roll.damage" in step.slot and step.before and step.after]
    assert rolls
    assert all(step.before["faces"] == step.after["faces"][: len(step.before["faces"])] for step in rolls)
    assert found == again
    assert found.drawn
    assert [step.after["faces"] for step in rolls] != [
        step.after["faces"] for step in other.changed if "roll.damage" in step.slot and step.before and step.after
    ]


def test_who_would_still_stand_and_declared_nothing_ends_it() -> None:
    """A death that does not happen leaves a turn nobody recorded."""
    catalog = tiny_catalog(mercy=Mercy)
    session = tiny_session(people=3)
    must(session.overrule("wounded", SetPool(target="ann", pool="hp", value=1)))
    while session.state().combatants["ann"].pools["hp"]:
        turn = session.state().turn
        must(session.end_turn("ann") if turn == "ann" else session.declare(turn, "attack", "ann"))
        answer_all(session, 1)
    play(session, 3)
    found = what_if(log_of(session), catalog.rules, catalog.manifest("tiny", {}, ["mercy"]))

    assert found.stopped is not None
    assert "turn" == found.stopped.why
    assert ("ann",) == found.stopped.who
    assert all(step.version <= session.head for step in found.changed)


def test_what_is_not_possible_any_more_is_dropped_with_its_reason() -> None:
    class Pacifist:
        @hookimpl
        def check(self, fight: Fight, action: Action) -> Any:
            return Refused("no-violence") if action.name == "attack" else None

    catalog = tiny_catalog(pacifist=Pacifist)
    session = fight(2)
    found = what_if(log_of(session), catalog.rules, catalog.manifest("tiny", {}, ["pacifist"]))

    assert "no-violence" == found.dropped[0].code


def test_a_change_of_rules_in_the_record_does_not_bring_the_old_ones_back() -> None:
    catalog: Catalog = tiny_catalog(mercy=Mercy)
    session = fight(1)
    must(session.request(commands.SetRules(manifest=replace(session.manifest, options={"counts": 2}), reason="x")))
    must(session.declare(session.state().turn, "attack", "bob" if session.state().turn == "ann" else "ann"))
    answer_all(session)
    found = what_if(log_of(session), catalog.rules, catalog.manifest("tiny", {}, ["mercy"]))

    assert not any(one.where.endswith(".hp") and one.after != 12 for one in found.differences)


def test_a_copy_without_its_kept_parts_cannot_be_played_again() -> None:
    session = tiny_session()
    must(session.join("gob", "Gob", side="goblins", sheet={"hp": 5}))
    log, chain = Log(), Chain(session.header)
    for line in session.lines:
        log.add(chain.accept(redact(line, "ann")))

    with pytest.raises(InputError, match="kept parts"):
        what_if(log, CATALOG.rules, session.manifest)
