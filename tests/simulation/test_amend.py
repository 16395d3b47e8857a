"""Random amends of random fights: whatever is changed, the log stays whole, and one rewind undoes it.

The fights are those of `test_honest_logs`: every dice policy, undone and witnessed dice, secret people and actions, people
who come and go. The one who amends knows no rules: it tries what it can think of and takes refusals.
"""

from __future__ import annotations

import random
from typing import Any

import pytest

from affray.kernel import (
    GM,
    AmendPlan,
    ApplyDamage,
    Choose,
    Declare,
    GiveModifier,
    Held,
    InputError,
    Join,
    Modifier,
    Overrule,
    Refused,
    Request,
    Rewind,
    Roll,
    SetCondition,
    SetPool,
    SetStep,
    canonical,
    commands,
    slot,
)
from affray.sessions import Session

from ..support.amends import check, line, plain, stands
from ..support.table import must
from .test_honest_logs import OPTIONS, played

FIGHTS = range(len(OPTIONS))
OTHERS = range(len(OPTIONS), 2 * len(OPTIONS))


def fresh(index: int) -> Session:
    """A fight of one's own, which nobody else goes on with."""
    session: Session = played.__wrapped__(index)
    return session


class Changer:
    """Thinks of one edit after the other."""

    def __init__(self, seed: int, session: Session) -> None:
        self.dice = random.Random(seed)
        self.session = session

    def amend(self) -> commands.Amend:
        """One or two edits at random places of the present line."""
        pairs = [pair for pair in line(self.session) if pair[0] > 1]
        edits = tuple([self.edit(*self.dice.choice(pairs)) for _ in range(self.dice.choice((1, 1, 2)))])
        return commands.Amend(edits=edits, reason="It was otherwise.")

    def edit(self, version: int, event: Any) -> commands.Edit:
        """An edit at an event, of a kind that it suggests."""
        word = self.word(event)
        if isinstance(event, Choose) and not event.key.startswith("witness"):
            return commands.Reanswer(at=version, value=self.dice.choice(("dodge", "stand", "duck")))
        if isinstance(event, Join) and self.dice.random() < 0.8:
            return commands.Resheet(at=version, sheet={**(event.sheet or {}), "hp": self.dice.choice((5, 30))})
        if isinstance(event, Declare) and not event.parent and self.dice.random() < 0.5:
            targets = (self.dice.choice(("ann", "bob", "cy")),)
            return self.dice.choice((commands.Drop(at=version), commands.Redeclare(at=version, targets=targets)))
        return commands.Word(at=version, effect=word, after=self.dice.random() < 0.3)

    def word(self, event: Any) -> Any:
        """The game master's word on what an event is about."""
        who = self.dice.choice(("ann", "bob", "cy"))
        if isinstance(event, Roll):
            return SetStep(slot=slot(event), fields={"faces": [[1] * len(chain) for chain in event.faces or ()]})
        if isinstance(event, ApplyDamage):
            return SetStep(slot=slot(event), fields={"value": 0})
        if isinstance(event, Declare):
            return GiveModifier(action=event.action, rows=(Modifier("attack.skill", self.dice.choice((-15, 15)), "luck"),))
        if self.dice.random() < 0.3:
            return SetCondition(target=who, held=Held(id="bleeding", value=1))
        return SetPool(target=who, pool="hp", value=self.dice.randint(0, 12))


def sent(session: Session, amend: commands.Amend) -> tuple[AmendPlan | Refused, bool] | None:
    """The plan of an amend and whether it was appended; None for one that makes no sense."""
    before = (session.head, session.digest, stands(session))
    try:
        plan = session.amend_plan(amend)
        assert before == (session.head, session.digest, stands(session)), "a plan changes nothing"
        answer = session.do(Request(id=f"amend-{session.head}", command=amend))
    except InputError:
        assert before == (session.head, session.digest, stands(session))
        return None
    if answer.refused is not None:
        assert before == (session.head, session.digest, stands(session))
    else:
        again = session.do(Request(id=f"amend-{before[0]}", command=amend))
        assert (again.repeated, again.first, again.last) == (True, answer.first, answer.last)
    return plan, bool(answer)


def kept(before: list[tuple[int, Any]], after: list[tuple[int, Any]], named: set[str]) -> None:
    """A recorded face never changes unless the amend names it."""
    old = {slot(event): event for _, event in before if isinstance(event, Roll)}
    for version, event in after:
        if not isinstance(event, Roll) or (earlier := old.get(slot(event))) is None:
            continue
        if slot(event) in named or {"overruled", "reported"} & {event.source, earlier.source}:
            continue
        for was, now in zip(earlier.faces or (), event.faces or (), strict=False):
            assert was[: len(now)] == now[: len(was)], (version, slot(event))


def go_on(session: Session, dice: random.Random) -> None:
    """Do what an amend stopped for, as people would, and let it go on."""
    state = session.state(reader=GM)
    for count, (name, prompt) in enumerate(state.prompts.items()):
        for who in prompt.ask.who:
            if who in prompt.answers:
                continue
            caller = state.combatants[who].controller if "|ask.witness-" in name else GM
            nonce = f"late-{session.head}-{count}" if caller != GM else ""
            if prompt.ask.plan is not None:
                faces = tuple([(1,) for term in prompt.ask.plan.terms for _ in range(term.count)])
                session.report(name, who, faces)
            else:
                options = prompt.ask.options or ()
                session.answer(name, who, dice.choice(options).code, caller=caller, nonce=nonce, seen=session.head)
    if not state.prompts and state.turn:
        session.end_turn(state.turn)


@pytest.mark.parametrize("index", FIGHTS)
def test_amending_nothing_changes_nothing(index: int) -> None:
    """Law 6: what was recorded is made again, dice and answers included."""
    session = fresh(index)
    for since in (2, session.head * 2 // 3):
        before = stands(session)
        plan = session.amend_plan(commands.Amend(since=since, reason="Nothing."))
        if isinstance(plan, Refused):
            assert plan.code in ("not-present", "not-amendable", "dice-thrown", "half-done")
            continue
        assert (plan.changed, plan.differences, plan.stopped, plan.left) == ((), (), None, 0), since
        assert {one.code for one in plan.outcomes} <= {"done"}, since
        must(session.request(commands.Amend(since=since, reason="Nothing.")))
        assert plain(session.state(reader=GM)) == plain(session.state(plan.head, reader=GM))
        must(session.undo())
        assert before == stands(session)
    check(session, f"fight {index}")


@pytest.mark.parametrize("index", OTHERS)
def test_whatever_is_changed_the_log_stays_whole(index: int) -> None:
    """Law 1: nothing is lost, one rewind undoes it, and every reader's copy verifies."""
    session = fresh(index)
    changer = Changer(index, session)
    for count in range(3):
        amend, before, old = changer.amend(), stands(session), line(session)
        where = f"fight {index}, {count}: {amend.edits}"
        print(where)
        made = sent(session, amend)
        if made is None or not made[1]:
            continue
        plan = made[0]
        assert isinstance(plan, AmendPlan), where
        named = {edit.effect.slot for edit in amend.edits if isinstance(edit, commands.Word) and isinstance(edit.effect, SetStep)}
        kept(old, line(session), named)
        now = stands(session)
        if plan.stopped is None:
            assert [canonical(one) for one in plan.events] == [canonical(e) for v, e in line(session) if v > plan.head], where
        must(session.undo())
        assert before == stands(session), where
        must(session.redo())
        assert now == stands(session), where
        for _ in range(3):
            go_on(session, changer.dice)
            session.request(commands.Amend(reason="", go_on=True))
        kept(old, line(session), named)
    check(session, f"fight {index}")
    reloaded = session.__class__(session._store, session._books, session._entropy, session.id)
    assert stands(session) == stands(reloaded)


def test_the_random_amends_reach_what_they_are_to_test() -> None:
    events: list[Any] = []
    stops: set[str] = set()
    for index in OTHERS[::2]:
        session = fresh(index)
        changer = Changer(index, session)
        for _ in range(3):
            made = sent(session, changer.amend())
            if made is not None and isinstance(made[0], AmendPlan) and made[0].stopped is not None:
                stops.add(made[0].stopped.why)
        events += [one.event for one in session.history(reader=GM)]
    assert sum(isinstance(event, Rewind) and event.why == "amend" for event in events) > 10
    assert {"die", "turn"} <= stops
    effects = {type(event.effect) for event in events if isinstance(event, Overrule)}
    assert {GiveModifier, SetCondition, SetPool, SetStep} <= effects
    assert any(isinstance(event, Roll) and event.reused for event in events)
