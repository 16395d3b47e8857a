"""Dice that people throw: asked for once, recorded before anything is made of them, never asked for again."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import pytest

from affray.kernel import (
    GM,
    Action,
    ApplyDamage,
    Breach,
    CloseAction,
    Declare,
    EndTurn,
    Fight,
    GiveModifier,
    InputError,
    Judge,
    Modifier,
    PluginUnavailable,
    Roll,
    SetPool,
    Step,
    Steps,
    Turn,
    commands,
    dice,
    hookimpl,
    redact,
)
from affray.sessions import Catalog, Engine, MemoryStore, Session

from ...support.fights import Died, Mortal, prompt_for
from ...support.table import Fixed, bare_request, engine, must, tiny_catalog, tiny_session
from ...support.tiny import Tiny


class Fails(Tiny):
    """Raises so many steps after its die, until it is mended."""

    after = 0
    is_mended = False

    @hookimpl
    def resolve(self, fight: Fight, action: Action) -> Steps:
        steps: Steps = self.swing(action) if action.name == "attack" else super().resolve(fight, action)
        return steps

    def swing(self, action: Action) -> Any:
        swing = yield from Roll("attack", by=action.actor, plan=dice(1, 20))
        for count in range(self.after):
            yield from Judge("step", by=action.actor, code=f"step-{count}")
        if not self.is_mended:
            raise RuntimeError(f"cannot bear {swing.total}")
        yield EndTurn("turn", who=action.actor)
        return "mended"


def failing(steps: int, *, mended: bool = False) -> Callable[[], Tiny]:
    def make() -> Tiny:
        plugin = Fails()
        plugin.after, plugin.is_mended = steps, mended
        return plugin

    return make


def reported(session: Session) -> list[tuple[str, Any, str]]:
    rolls = [recorded.event for recorded in session.history(reader=GM) if isinstance(recorded.event, Roll)]
    return [(roll.key, roll.faces, roll.source) for roll in rolls if roll.key != "initiative"]


def started(store: MemoryStore | None = None, catalog: Catalog | None = None, **start: Any) -> Session:
    """A fight in which ann throws her own dice and has declared an attack."""
    session = tiny_session(engine(store, catalog), dice={"ann": "reported"}, **start)
    must(session.report(prompt_for(session, "ann"), "ann", [[1]], caller="ann"))
    must(session.declare("ann", "attack", "bob", id="a1", caller="ann"))
    return session


REPORT = commands.Report(slot="a1|roll.attack.ann.0", who="ann", faces=((7,),))


def test_a_roll_becomes_a_prompt_with_its_plan() -> None:
    session = started()
    prompt = session.state().prompts["a1|roll.attack.ann.0"]
    assert (prompt.ask.who, prompt.ask.plan) == (("ann",), dice(1, 20))
    assert reported(session) == []


def test_what_was_reported_is_recorded_with_its_source_and_read_by_the_plan() -> None:
    session = started()
    answer = must(session.report("a1|roll.attack.ann.0", "ann", [[7]], caller="ann"))
    roll = answer.events[0]
    assert (roll.faces, roll.total, roll.source) == (((7,),), 7, "reported")
    assert isinstance(answer.events[1], Judge)
    assert session.verify().dice.reported == 2


@pytest.mark.parametrize(
    ("faces", "problem"),
    [
        ([[21]], "21"),
        ([[0]], "0"),
        ([[7], [7]], "2"),
        ([], "0"),
        ([[7, 7]], ""),
        ([[]], ""),
    ],
)
def test_wrong_dice_are_refused_with_the_reason(faces: list[list[int]], problem: str) -> None:
    session = started()
    before = session.head
    refused = session.report("a1|roll.attack.ann.0", "ann", faces, caller="ann").refused
    assert refused is not None
    assert refused.code == "wrong-dice"
    assert problem in str(refused.args[0])
    assert before == session.head
    must(session.report("a1|roll.attack.ann.0", "ann", [[7]], caller="ann"))


@pytest.mark.parametrize("face", [7.0, "7", True, None, 2**70])
def test_faces_that_are_no_whole_numbers_are_refused(face: Any) -> None:
    session = started()
    before = session.head
    with pytest.raises(InputError, match=r"^\$\.faces\[0\]\[0\]: ") if type(face) is not int else nullcontext():
        assert session.report("a1|roll.attack.ann.0", "ann", [[face]], caller="ann").refused is not None
    assert before == session.head


@pytest.mark.parametrize(
    ("slot", "who", "caller", "code"),
    [
        ("a1|roll.attack.ann.0", "ann", "bob", "not-yours"),
        ("a1|roll.attack.ann.0", "bob", "bob", "not-asked"),
        ("a1|roll.attack.ann.1", "ann", "ann", "no-such-prompt"),
    ],
)
def test_who_may_report(slot: str, who: str, caller: str, code: str) -> None:
    session = started()
    refused = session.report(slot, who, [[7]], caller=caller).refused
    assert refused is not None
    assert code == refused.code
    must(session.report("a1|roll.attack.ann.0", "ann", [[7]], caller=GM))


def test_dice_are_no_answer_and_an_answer_is_no_dice() -> None:
    session = started()
    refused = session.answer("a1|roll.attack.ann.0", "ann", "stand", caller="ann").refused
    assert refused is not None
    assert refused.code == "dice-wanted"
    must(session.report("a1|roll.attack.ann.0", "ann", [[1]], caller="ann"))
    refused = session.report(prompt_for(session, "bob"), "bob", [[1]], caller="bob").refused
    assert refused is not None
    assert refused.code == "no-dice-wanted"


def test_the_person_may_leave_instead_and_the_engine_throws_for_a_leaver() -> None:
    session = tiny_session(dice={"bob": "reported"})
    must(session.report(prompt_for(session, "bob"), "bob", [[1]]))
    session.declare("ann", "attack", "bob", id="a1", rows=(Modifier("attack.skill", 10, "sure"),))
    must(session.answer(prompt_for(session, "bob"), "bob", "dodge"))
    assert "a1|roll.dodge.bob.0" in session.state().prompts
    must(session.leave("bob", caller="bob"))
    assert session.state().prompts == {}
    assert [(key, source) for key, _, source in reported(session)][:2] == [("attack", "engine"), ("dodge", "engine")]


def test_a_report_is_two_commits_under_one_command() -> None:
    session = started()
    first = session.head + 1
    answer = must(session.do(bare_request("r1", REPORT, "ann")))
    parts = [recorded.sender for recorded in session.history(first - 1, reader=GM)]
    assert [sender.part for sender in parts if sender][:2] == [1, 2]
    assert {(sender.caller, sender.command) for sender in parts if sender} == {("ann", "r1")}
    assert (first, session.head) == (answer.first, answer.last)
    again = session.do(bare_request("r1", REPORT, "ann"))
    assert (answer.events, True) == (again.events, again.repeated)


def test_a_process_that_dies_between_the_two_commits_is_completed_by_the_next() -> None:
    """Law 10: reported dice are recorded as a commit of their own before they are used."""
    store = Mortal(8, stored=False)  # join twice, begin, report (2), declare, and the first of the next report
    session = started(store)
    with pytest.raises(Died):
        session.do(bare_request("r1", REPORT, "ann"))
    restarted = engine(store, seed="another process").load("s")
    assert reported(restarted) == [("attack", ((7,),), "reported")]
    assert "a1|ask.guard.0" in restarted.state().prompts
    assert restarted.do(bare_request("r1", REPORT, "ann")).repeated
    assert restarted.verify().is_clean


def test_the_roll_is_in_the_log_before_its_resolver_goes_on() -> None:
    store = MemoryStore()
    session = started(store, tiny_catalog(failing(0)))
    with pytest.raises(Breach, match="plugin 'tiny', hook resolve: a1: raised RuntimeError"):
        session.do(bare_request("r1", REPORT, "ann"))
    assert reported(session) == [("attack", ((7,),), "reported")]
    assert session.state(reader=GM).prompts == {}
    assert [line for line in store.read("s")][1:] == list(session.lines)


@pytest.mark.parametrize("steps", [0, 1, 3])
def test_dice_are_never_asked_for_again_when_the_resolver_raises(steps: int) -> None:
    store = MemoryStore()
    session = started(store, tiny_catalog(failing(steps)))
    with pytest.raises(Breach):
        session.do(bare_request("r1", REPORT, "ann"))
    again = session.do(bare_request("r1", REPORT, "ann"))
    assert (again.repeated, again.first, again.last) == (True, session.head, session.head)
    for process in (session, engine(store, tiny_catalog(failing(steps))).load("s")):
        assert isinstance(process.problem, Breach)
        assert process.state(reader=GM).prompts == {}
        before = process.head
        with pytest.raises(Breach):
            process.declare("ann", "end-turn", id="a2", caller="ann")
        with pytest.raises(Breach):
            process.overrule("so", SetPool(target="bob", pool="hp", value=3))
        assert before == process.head
    assert reported(session) == [("attack", ((7,),), "reported")]


@pytest.mark.parametrize("steps", [0, 1, 3])
@pytest.mark.parametrize("notes", [0, 1])
def test_a_mended_plugin_goes_on_from_the_recorded_dice(steps: int, notes: int) -> None:
    """Whatever was said meanwhile: loading with the mended plugin runs the second part."""
    store = MemoryStore()
    session = started(store, tiny_catalog(failing(steps)))
    with pytest.raises(Breach):
        session.do(bare_request("r1", REPORT, "ann"))
    for _ in range(notes):
        must(session.note("what now?"))
    mended = engine(store, tiny_catalog(failing(steps, mended=True)), seed="another process").load("s")
    assert mended.problem is None
    assert reported(mended) == [("attack", ((7,),), "reported")]
    assert "a1" not in mended.state().open
    assert mended.state().turn == "bob"
    answer = mended.do(bare_request("r1", REPORT, "ann"))
    assert (answer.repeated, answer.last) == (True, mended.head)
    assert mended.verify().is_clean


@pytest.mark.parametrize("steps", [0, 3])
def test_the_game_master_may_undo_what_cannot_go_on(steps: int) -> None:
    session = started(catalog=tiny_catalog(failing(steps)))
    with pytest.raises(Breach):
        session.do(bare_request("r1", REPORT, "ann"))
    must(session.note("never mind"))
    must(session.undo("a1"))
    assert session.state().open == {}
    must(session.declare("ann", "end-turn"))
    assert session.state().turn == "bob"


@pytest.mark.parametrize("steps", [0, 3])
def test_the_game_master_may_close_what_cannot_go_on(steps: int) -> None:
    session = started(catalog=tiny_catalog(failing(steps)))
    with pytest.raises(Breach):
        session.do(bare_request("r1", REPORT, "ann"))
    must(session.overrule("a bug", CloseAction(action="a1")))
    assert session.state().open == {}
    must(session.declare("ann", "end-turn"))
    assert session.state().turn == "bob"


def test_an_undone_report_is_whole_also_with_a_note_between_its_parts() -> None:
    store = MemoryStore()
    session = started(store, tiny_catalog(failing(1)))
    with pytest.raises(Breach):
        session.do(bare_request("r1", REPORT, "ann"))
    must(session.note("what now?", caller="bob"))
    mended = engine(store, tiny_catalog(failing(1, mended=True)), seed="another process").load("s")
    declared = [r.version for r in mended.history() if isinstance(r.event, Declare)]
    answer = must(mended.undo())
    assert answer.events[0].to == declared[0] - 1
    must(mended.redo())
    assert mended.state().turn == "bob"


def test_redo_of_a_report_that_was_cut_off_goes_on_with_the_next_command() -> None:
    store = MemoryStore()
    session = started(store, tiny_catalog(failing(1)))
    with pytest.raises(Breach):
        session.do(bare_request("r1", REPORT, "ann"))
    must(session.undo())
    mended = engine(store, tiny_catalog(failing(1, mended=True)), seed="another process").load("s")
    assert mended.state().turn == "ann"
    must(mended.redo())
    must(mended.declare("bob", "end-turn"))
    ends = [r.event.who for r in mended.history() if isinstance(r.event, Turn) and r.event.moment == "end"]
    assert ends == ["ann", "bob"]
    assert mended.verify().is_clean


def test_without_the_plugin_the_report_waits_for_it() -> None:
    store = Mortal(8, stored=False)
    session = started(store)
    with pytest.raises(Died):
        session.do(bare_request("r1", REPORT, "ann"))
    without = Engine(store, Catalog(points=()), Fixed("nothing")).load("s")
    assert isinstance(without.problem, PluginUnavailable)
    assert reported(without) == [("attack", ((7,),), "reported")]
    must(without.note("the plugin is missing"))
    again = engine(store, seed="back").load("s")
    assert "a1|ask.guard.0" in again.state().prompts


class Doubled:
    @hookimpl
    def ruling(self, fight: Fight, action: Action, step: Step) -> Step | None:
        return Roll(step.key, action=step.action, by=step.by, plan=dice(2, 20)) if isinstance(step, Roll) else None


def test_people_are_asked_for_the_dice_that_the_house_rules_leave() -> None:
    session = tiny_session(engine(catalog=tiny_catalog(doubled=Doubled)), dice={"ann": "reported"}, house=["doubled"])
    prompt = session.state().prompts["begin>tiny|roll.initiative.ann.0"]
    assert dice(2, 20) == prompt.ask.plan
    refused = session.report("begin>tiny|roll.initiative.ann.0", "ann", [[1]]).refused
    assert refused is not None
    must(session.report("begin>tiny|roll.initiative.ann.0", "ann", [[1], [2]]))
    assert any(r.event.by_rules == ("doubled",) for r in session.history() if isinstance(r.event, Roll))


class Blind(Tiny):
    @hookimpl
    def resolve(self, fight: Fight, action: Action) -> Steps:
        steps: Steps = self.sneak(action)
        return steps

    def sneak(self, action: Action) -> Any:
        yield Roll("sneak", by=action.actor, plan=dice(1, 20), blind=True)
        return "done"


@pytest.mark.parametrize("dies", [False, True])
def test_nobody_can_guess_a_blind_report_from_the_digest_of_its_command(dies: bool) -> None:
    """A digest without a salt over twenty possible faces would be no secret at all, in either of the two commits."""
    store = Mortal(8 if dies else 99, stored=False)
    session = started(store, tiny_catalog(Blind))
    slot = "a1|roll.sneak.ann.0"
    if dies:
        with pytest.raises(Died):
            session.report(slot, "ann", [[13]], caller="ann", id="r1")
        session = engine(store, tiny_catalog(Blind), seed="x").load("s")
    else:
        must(session.report(slot, "ann", [[13]], caller="ann", id="r1"))
    assert session.state(reader=GM).open == {}
    guess = bare_request("r1", commands.Report(slot=slot, who="ann", faces=((13,),))).digest()
    for reader, finds in {"public": False, "bob": False, "ann": True, "gm": True}.items():
        senders = [recorded.sender for recorded in session.history(reader=reader)]
        assert finds is any(sender is not None and guess == sender.digest for sender in senders), reader
    public = b"\n".join([redact(line, "public") for line in session.lines])
    assert guess.encode() not in public


def test_a_modifier_given_while_dice_are_thrown_counts_from_then_on() -> None:
    session = started()
    must(session.overrule("so", GiveModifier(action="a1", rows=(Modifier("damage.flat", 5, "aim"),))))
    must(session.report("a1|roll.attack.ann.0", "ann", [[1]]))
    must(session.answer("a1|ask.guard.0", "bob", "stand"))
    must(session.report("a1|roll.damage.ann.0", "ann", [[1], [1]]))
    assert next(r.event.value for r in session.history() if isinstance(r.event, ApplyDamage)) == 1 + 1 + 5
