"""Resolvers that break the contract, that drift from their record, and that nest, follow and fail as they may."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from affray.kernel import (
    GM,
    Act,
    Action,
    ApplyDamage,
    Ask,
    Breach,
    Change,
    Choose,
    Condition,
    Declare,
    Defend,
    DicePlan,
    Done,
    EndTurn,
    Entry,
    Fight,
    Judge,
    Modifier,
    Moment,
    Note,
    Option,
    Order,
    Part,
    Refused,
    Roll,
    Row,
    Save,
    Steps,
    Stop,
    Sum,
    Term,
    Wait,
    dice,
    hookimpl,
    number,
    parse,
)
from affray.sessions import MemoryStore, Session

from ...support.broken import Told, assert_breach, faces, session_of
from ...support.fights import prompt_for
from ...support.table import engine, must, tiny_catalog, tiny_session
from ...support.tiny import Tiny

D6 = dice(1, 6)
ROWS = (Row("a", 2, "x"), Row("b", 2, "x"))
STAND = (Option(code="stand"),)


class SpecialRoll(Roll, frozen=True, kw_only=True, gc=False):
    """A subclass is no step: the kernel knows its own."""


def later(fight: Fight, add: int) -> tuple[Any, ...]:
    return (number(fight.at[0] + add), *fight.state.at[1:])


# -- what a resolver may not yield

Made = Callable[[Fight, Action], Any]

WRONG: dict[str, tuple[Made, str]] = {
    "nothing": (lambda f, a: None, "which is no step"),
    "a number": (lambda f, a: 5, "which is no step"),
    "a text": (lambda f, a: "roll", "which is no step"),
    "a class": (lambda f, a: Roll, "which is no step"),
    "a subclass": (lambda f, a: SpecialRoll("x", by=a.actor, plan=D6), "which is no step"),
    "an event that is no step": (lambda f, a: Note(text="hm"), "which is no step"),
    "the answer to a prompt": (lambda f, a: Choose(action=a.id, key="x", occurrence=0, who="bob", value="x"), "no step"),
    "its own end": (lambda f, a: Done(action=a.id, code="x", cause=""), "which is no step"),
    "a key with a bar": (lambda f, a: Roll("a|b", by=a.actor, plan=D6), "a step's key"),
    "a key with a dot": (lambda f, a: Roll("a.b", by=a.actor, plan=D6), "a step's key"),
    "no key": (lambda f, a: Roll("", by=a.actor, plan=D6), "a step's key"),
    "a key that is a number": (lambda f, a: Roll(5, by=a.actor, plan=D6), ""),  # type: ignore[arg-type]
    "a roll by nobody known": (lambda f, a: Roll("x", by="zed", plan=D6), "'zed' rolls, who never joined"),
    "a roll by a number": (lambda f, a: Roll("x", by=5, plan=D6), ""),  # type: ignore[arg-type]
    "a roll without a plan": (lambda f, a: Roll("x", by=a.actor, plan=None), ""),  # type: ignore[arg-type]
    "too many dice": (lambda f, a: Roll("x", by=a.actor, plan=DicePlan(terms=(Term(count=1001, sides=6),), formula=("#0",), reading=Sum())), ""),
    "a goal beside its trace": (lambda f, a: Judge("x", by=a.actor, code="hit", goal=5, trace=ROWS), "adds up to 4, not to the goal of 5"),
    "a save beside its trace": (lambda f, a: Save("x", who="bob", name="s", code="made", goal=5, trace=ROWS), "adds up to 4"),
    "a defence beside its trace": (lambda f, a: Defend("x", who="bob", code="d", value=5, trace=ROWS), "adds up to 4"),
    "a change beside its trace": (lambda f, a: Change("x", target="bob", pool="hp", value=5, trace=ROWS), "adds up to 4"),
    "damage beside its trace": (lambda f, a: ApplyDamage("x", target="bob", pools=("hp",), value=5, trace=ROWS), "adds up to 4"),
    "damage beside its parts": (
        lambda f, a: ApplyDamage("x", target="bob", pools=("hp",), value=5, parts=(Part(type="fire", rolled=4, rows=(), value=4),)), "do not add up to the damage of 5",
    ),
    "a part beside its rows": (
        lambda f, a: ApplyDamage("x", target="bob", pools=("hp",), value=5, parts=(Part(type="fire", rolled=4, rows=(), value=5),)), "'fire' do not add up to 5",
    ),
    "a float": (lambda f, a: Judge("x", by=a.actor, code="hit", goal=0.5), "not an exact number"),  # type: ignore[arg-type]
    "minus zero": (lambda f, a: Judge("x", by=a.actor, code="hit", margin=-0.0), "not an exact number"),  # type: ignore[arg-type]
    "no number": (lambda f, a: Change("x", target="bob", pool="hp", value=float("nan")), ""),  # type: ignore[arg-type]
    "a truth": (lambda f, a: Change("x", target="bob", pool="hp", value=True), "not an exact number"),
    "2^53": (lambda f, a: Judge("x", by=a.actor, code="hit", margin=2**53), "not an exact number"),
    "a fraction that is not in lowest terms": (lambda f, a: Judge("x", by=a.actor, code="hit", margin="2/4"), "not an exact number"),
    "a float in a trace": (lambda f, a: Judge("x", by=a.actor, code="hit", goal=1, trace=(Row("x", 1.0, "y"),)), ""),  # type: ignore[arg-type]
    "negative damage": (lambda f, a: ApplyDamage("x", target="bob", pools=("hp",), value=-1), "healing is a change"),
    "damage to no pool": (lambda f, a: ApplyDamage("x", target="bob", pools=(), value=1), "damage to no pool"),
    "damage to an unknown pool": (lambda f, a: ApplyDamage("x", target="bob", pools=("mana",), value=1), "bob has no pool 'mana'"),
    "damage to nobody known": (lambda f, a: ApplyDamage("x", target="zed", pools=("hp",), value=1), "no combatant 'zed'"),
    "a change of nothing": (lambda f, a: Change("x", target="bob", pool="hp", value=None), "a change without a value"),
    "an entry in the past": (lambda f, a: Order("x", entries=(Entry(key="bob", when=(0,), who="bob"),)), "before the present moment"),
    "an entry without a moment": (lambda f, a: Order("x", entries=(Entry(key="bob", when=(), who="bob"),)), "is not a moment"),
    "an entry at a float": (lambda f, a: Order("x", entries=(Entry(key="bob", when=(9.5,), who="bob"),)), "is not a moment"),  # type: ignore[arg-type]
    "an entry of nobody known": (lambda f, a: Order("x", entries=(Entry(key="z", when=(9,), who="zed"),)), "'zed', who never joined"),
    "an entry the kernel makes": (lambda f, a: Order("x", entries=(Entry(key="a1", when=(9,), moment="resume"),)), "'resume' is not a moment"),
    "an entry with an odd key": (lambda f, a: Order("x", entries=(Entry(key="a|b", when=(9,)),)), "not a key of the agenda"),
    "waiting for the past": (lambda f, a: Wait("x", when=(0, 0)), "before the present moment"),
    "a condition until the past": (lambda f, a: Condition("x", target="bob", id="c", until=(0,)), "before the present moment"),
    "the end of a condition nobody has": (lambda f, a: Condition("x", target="bob", id="c", code="ended"), "does not have 'c'"),
    "an odd code of a condition": (lambda f, a: Condition("x", target="bob", id="c", code="lost"), "gained, renewed or ended"),
    "a condition with an odd id": (lambda f, a: Condition("x", target="bob", id="c:d"), "a condition's id"),
    "asking nobody": (lambda f, a: Ask("x", who=(), options=STAND), "asks nobody"),
    "asking one twice": (lambda f, a: Ask("x", who=("bob", "bob"), options=STAND), "somebody twice"),
    "asking nobody known": (lambda f, a: Ask("x", who=("zed",), options=STAND), "'zed', who never joined"),
    "asking without options": (lambda f, a: Ask("x", who=("bob",)), "options with different codes"),
    "asking with equal options": (lambda f, a: Ask("x", who=("bob",), options=STAND * 2), "options with different codes"),
    "asking for dice": (lambda f, a: Ask("x", who=("bob",), plan=D6), "yield a roll instead"),
    "stopping what is not open": (lambda f, a: Stop("x", target="a0", code="x"), "'a0', which is not open"),
    "an act of nobody known": (lambda f, a: Act("x", actor="zed", name="attack", targets=("bob",)), "'zed', who never joined"),
    "an act against nobody known": (lambda f, a: Act("x", actor=a.actor, name="attack", targets=("zed",)), "'zed', who never"),
    "an act there is not": (lambda f, a: Act("x", actor=a.actor, name="fly"), "no such action"),
    "an act with odd parameters": (lambda f, a: Act("x", actor=a.actor, name="attack", targets=("bob",), params={"power": "much"}), ""),
    "an act with a float": (lambda f, a: Act("x", actor=a.actor, name="attack", targets=("bob",), params={"power": 1.5}), ""),
    "a code that is no text": (lambda f, a: Judge("x", by=a.actor, code=5), ""),  # type: ignore[arg-type]
    "text with half a character": (lambda f, a: Judge("x", by=a.actor, code="\ud800"), ""),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_a_step_that_cannot_be_is_a_breach(name: str) -> None:
    """Law 10: it names plugin and hook, nothing is appended, and the dice thrown before it are the same again."""
    make, problem = WRONG[name]

    def resolver(fight: Fight, action: Action) -> Any:
        yield Roll("first", by=action.actor, plan=dice(1, 20))
        yield make(fight, action)

    plugin = Told(resolver)

    def mend() -> None:
        plugin.resolver = None

    session = session_of(plugin)
    assert_breach(session, lambda: session.declare("ann", "attack", "bob"), "tiny", "resolve", problem, mend=mend)


# -- what a resolver may not do


def raises_at_once(fight: Fight, action: Action) -> Any:
    raise LookupError("no such page")


def raises_before_its_first_step(fight: Fight, action: Action) -> Any:
    raise LookupError("no such page")
    yield


def raises_after_a_die(fight: Fight, action: Action) -> Any:
    yield Roll("x", by=action.actor, plan=D6)
    raise LookupError("no such page")


def asks_for_an_unknown_place(fight: Fight, action: Action) -> Any:
    yield Roll("x", by=action.actor, plan=D6)
    action.rows("nowhere")


def never_ends(fight: Fight, action: Action) -> Any:
    while True:
        yield Judge("x", by=action.actor, code="again")


def nests_for_ever(fight: Fight, action: Action) -> Any:
    yield Act("x", actor=action.actor, name="attack", targets=action.targets)


def refuses_after_a_die(fight: Fight, action: Action) -> Any:
    yield Roll("x", by=action.actor, plan=D6)
    return Refused("too-late")


def refuses_after_ending_the_turn(fight: Fight, action: Action) -> Any:
    yield EndTurn("x", who=action.actor)
    return Refused("too-late")


def returns_a_number(fight: Fight, action: Action) -> Any:
    yield Roll("x", by=action.actor, plan=D6)
    return 5


def reads_a_pool_nobody_has(fight: Fight, action: Action) -> Any:
    yield Roll("x", by=action.actor, plan=D6)
    fight.pool(action.actor, "mana")


def goes_on_when_it_is_closed(fight: Fight, action: Action) -> Any:
    try:
        yield Roll("x", by=action.actor, plan=D6)
        yield Stop("x", target=action.id, code="stopped")
    finally:
        yield Roll("y", by=action.actor, plan=D6)


async def is_an_async_generator(fight: Fight, action: Action) -> Any:
    yield Roll("x", by=action.actor, plan=D6)


BAD: dict[str, tuple[Any, str]] = {
    "raises at once": (raises_at_once, "raised LookupError"),
    "raises before its first step": (raises_before_its_first_step, "raised LookupError"),
    "raises after a die": (raises_after_a_die, "raised LookupError"),
    "asks for rows at an unknown place": (asks_for_an_unknown_place, "'nowhere', a place it does not publish"),
    "never ends": (never_ends, "more than 2000 steps"),
    "nests for ever": (nests_for_ever, "more than 16 runs"),
    "refuses after a die": (refuses_after_a_die, "refused (too-late) after its first step"),
    "refuses after ending the turn": (refuses_after_ending_the_turn, "after its first step"),
    "returns a number": (returns_a_number, "returned 5, not an outcome code"),
    "reads a pool nobody has": (reads_a_pool_nobody_has, "no pool of that name"),
    "goes on when it is closed": (goes_on_when_it_is_closed, "when it was closed"),
    "gives a list": (lambda f, a: [Roll("x", by=a.actor, plan=D6)], "not a generator or None"),
    "gives an iterator": (lambda f, a: iter([Roll("x", by=a.actor, plan=D6)]), "not a generator or None"),
    "gives a step": (lambda f, a: Roll("x", by=a.actor, plan=D6), "not a generator or None"),
    "gives nothing": (lambda f, a: None, "nobody resolves 'attack'"),
    "is an async generator": (is_an_async_generator, "not a generator or None"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_resolver_that_misbehaves_is_a_breach(name: str) -> None:
    resolver, problem = BAD[name]
    plugin = Told(resolver)

    def mend() -> None:
        plugin.resolver = None

    session = session_of(plugin)
    assert_breach(session, lambda: session.declare("ann", "attack", "bob"), "tiny", "resolve", problem, mend=mend)


# -- what resolvers may do


def events(session: Session) -> list[Any]:
    return [recorded.event for recorded in session.history(reader=GM)]


def told(resolver: Any, people: int = 2, **start: Any) -> Session:
    session = session_of(Told(resolver), people=people, **start)
    must(session.declare("ann", "attack", "bob", id="a1"))
    return session


def test_a_refusal_before_the_first_step_appends_nothing() -> None:
    def refuses(fight: Fight, action: Action) -> Any:
        return Refused("not-today", (action.actor,))
        yield

    session = session_of(Told(refuses))
    head = session.head
    answer = session.declare("ann", "attack", "bob")
    assert (answer.refused, head) == (Refused("not-today", ("ann",)), session.head)


def test_a_resolver_sees_its_steps_as_they_were_recorded() -> None:
    """Law 5: plan, then roll, then settle; law 4: the order of steps is the resolver's, their words the kernel's."""
    seen: list[Any] = []

    def looks(fight: Fight, action: Action) -> Any:
        roll = yield from Roll("x", by="bob", plan=dice(2, 6))
        seen.append(roll)
        hit = yield from ApplyDamage("x", target="bob", pools=("temp", "hp"), value=5)
        seen.extend([hit, fight.pool("bob", "hp")])
        yield EndTurn("x", who="ann")
        return "done"

    session = told(looks)
    recorded = [event for event in events(session) if isinstance(event, Roll | ApplyDamage) and event.key == "x"]
    assert seen[:2] == recorded
    assert (seen[0].total, seen[1].after, seen[2]) == (sum(f[0] for f in seen[0].faces), 0, 7)
    assert [touch.pool for touch in seen[1].touched] == ["temp", "hp"]


def test_occurrences_count_steps_of_one_kind_key_and_person() -> None:
    def many(fight: Fight, action: Action) -> Any:
        for who in ("ann", "bob", "ann"):
            yield Roll("x", by=who, plan=D6)
        yield Judge("x", by="ann", code="a")
        yield Judge("x", by="ann", code="b")
        yield EndTurn("x", who="ann")

    counted = [(type(e).__name__, getattr(e, "by", ""), e.occurrence) for e in events(told(many)) if getattr(e, "key", "") == "x"]
    assert counted == [("Roll", "ann", 0), ("Roll", "bob", 0), ("Roll", "ann", 1), ("Judge", "ann", 0), ("Judge", "ann", 1)]


def test_answers_come_in_the_order_asked_whatever_the_order_given() -> None:
    """Law 8."""
    seen: list[Any] = []

    def asks(fight: Fight, action: Action) -> Any:
        answers = yield from Ask("x", who=("cy", "ann", "bob"), options=(Option(code="yes"), Option(code="no")))
        seen.append(list(answers.items()))
        yield EndTurn("x", who="ann")

    session = told(asks, people=3)
    for who, value in (("bob", "no"), ("cy", "yes"), ("ann", "no")):
        must(session.answer(prompt_for(session, who), who, value))
    assert seen == [[("cy", "yes"), ("ann", "no"), ("bob", "no")]]


def test_who_has_left_answers_null_also_when_asked_afterwards() -> None:
    seen: list[Any] = []

    def asks(fight: Fight, action: Action) -> Any:
        answers = yield from Ask("x", who=("bob", "cy"), options=STAND)
        again = yield from Ask("y", who=("bob",), options=STAND)
        seen.extend([answers, again])
        yield EndTurn("x", who="ann")

    session = told(asks, people=3)
    must(session.leave("bob"))
    assert session.prompts("bob", reader=GM) == {}
    must(session.answer(prompt_for(session, "cy"), "cy", "stand"))
    assert seen == [{"bob": None, "cy": "stand"}, None]
    assert session.state().turn == "cy"


def test_a_nested_action_is_asked_for_and_its_refusal_reaches_the_parent() -> None:
    seen: list[str] = []

    def acts(fight: Fight, action: Action) -> Any:
        if action.is_nested:
            yield Roll("x", by=action.actor, plan=D6)
            return "nested"
        for power in (1, 10):
            done = yield from Act("x", actor="ann", name="attack", targets=("bob",), params={"power": power})
            seen.append(done.code)
        yield EndTurn("x", who="ann")

    session = told(acts)
    assert seen == ["nested", "refused-too-much-power"]
    nested = [(e.action, e.parent) for e in events(session) if isinstance(e, Declare) and e.parent]
    assert nested == [("a1>x.bob.0", "a1"), ("a1>x.bob.1", "a1")]


def test_a_resolver_that_refuses_within_another_action_is_heard_by_it() -> None:
    def acts(fight: Fight, action: Action) -> Any:
        if action.is_nested:
            return Refused("no-arrows")
        done = yield from Act("x", actor="ann", name="attack", targets=("bob",))
        yield EndTurn("x", who="ann")
        return done.code

    session = told(acts)
    assert [e.code for e in events(session) if isinstance(e, Done) and e.action == "a1"] == ["refused-no-arrows"]


def test_who_leaves_in_the_middle_of_a_nested_action_ends_that_and_no_more() -> None:
    heard: list[Any] = []

    def acts(fight: Fight, action: Action) -> Any:
        if action.is_nested:
            yield Act("y", actor="cy", name="heal", targets=("cy",), params={"power": 1})
            heard.append((yield from Ask("x", who=("cy",), options=STAND)))
        else:
            done = yield from Act("x", actor="bob", name="attack", targets=("cy",))
            heard.append((done.code, done.cause))
            yield EndTurn("x", who="ann")

    store = MemoryStore()
    session = tiny_session(engine(store, tiny_catalog(lambda: Told(acts))), people=3)
    must(session.declare("ann", "attack", "bob", id="a1"))
    must(session.leave("bob"))
    assert heard == [("left", "leave")]
    assert (session.state().turn, session.state().open, session.prompts(reader=GM)) == ("cy", {}, {})
    assert engine(store, tiny_catalog(lambda: Told(acts)), seed="x").load("s").state(reader=GM) == session.state(reader=GM)


def test_end_of_turn_upkeep_runs_within_the_action_that_ended_the_turn() -> None:
    class Gasping(Told):
        @hookimpl
        def upkeep(self, fight: Fight, moment: Moment) -> Steps | None:
            steps: Steps | None = self.gasp(moment) if moment.name == "end" else super().upkeep(fight, moment)
            return steps

        def gasp(self, moment: Moment) -> Any:
            yield Change("gasp", target=moment.who, pool="wounds", value=1)

    def ends(fight: Fight, action: Action) -> Any:
        yield EndTurn("x", who="ann")
        yield Judge("after", by="ann", code=str(fight.pool("ann", "wounds")))

    session = session_of(Gasping(ends))
    must(session.declare("ann", "attack", "bob", id="a1"))
    (gasp,) = [e for e in events(session) if isinstance(e, Change)]
    (after,) = [e for e in events(session) if isinstance(e, Judge)]
    assert (gasp.action, after.code) == ("a1>x.0>tiny", "1")


def test_a_division_by_zero_is_an_outcome_recorded_with_its_roll() -> None:
    """Law 10: what goes wrong in a table's own numbers after a die is no breach."""
    session = tiny_session()
    must(session.declare("ann", "roll", notation="1d6/0", id="a1"))
    (roll,) = [e for e in events(session) if isinstance(e, Roll) and e.key == "typed"]
    assert (roll.fault, roll.total, len(roll.faces or ())) == ("division-by-zero", 0, 1)
    (done,) = [e for e in events(session) if isinstance(e, Done) and e.action == "a1"]
    assert (done.code, session.state().open, session.state().turn) == ("failed", {}, "ann")


def test_a_fault_in_a_follow_up_fails_the_action_it_hangs_below() -> None:
    class Unlucky:
        @hookimpl
        def follow(self, fight: Fight, action: Action, step: Any) -> Steps | None:
            steps: Steps = self.curse(action)
            return steps if isinstance(step, Judge) else None

        def curse(self, action: Action) -> Any:
            yield Roll("curse", by=action.actor, plan=parse("1d6/0"))
            raise AssertionError("nobody goes on after a fault")

    session = session_of(Tiny(), house={"unlucky": Unlucky()})
    must(session.declare("ann", "attack", "bob", id="a1", rows=(Modifier("attack.skill", 20, "sure"),)))
    assert [e.code for e in events(session) if isinstance(e, Done) and e.action == "a1"] == ["failed"]
    assert session.state().turn == "ann", "the game master decides what becomes of the turn"
    must(session.declare("ann", "end-turn"))
    assert session.verify().is_clean


def test_a_die_that_never_stops_is_refused_and_the_session_is_still_usable() -> None:
    """DICE-1: no roll stands in the log, and the script is where it was."""
    session = tiny_session(dice="scripted", script=(1, 1, *[20] * 200))
    head = session.head
    refused = session.declare("ann", "roll", notation="1d20!").refused
    assert refused is not None
    assert (refused.code, head) == ("dice-capped", session.head)
    must(session.declare("ann", "roll", notation="2d20"))


@pytest.mark.parametrize(("notation", "code"), [("1d6+", "bad-dice"), ("1d1!", "bad-dice"), ("9999d9999", "bad-dice")])
def test_dice_that_cannot_be_thrown_are_refused_and_nothing_is_appended(notation: str, code: str) -> None:
    session = tiny_session()
    head = session.head
    refused = session.declare("ann", "roll", notation=notation).refused
    assert refused is not None
    assert (code, head) == (refused.code, session.head)
    must(session.declare("ann", "roll", notation="1d6"))


# -- resuming


def test_a_breach_in_the_second_command_of_an_action_keeps_the_first() -> None:
    def asks_and_raises(fight: Fight, action: Action) -> Any:
        yield Roll("x", by=action.actor, plan=D6)
        yield Ask("x", who=("bob",), options=STAND)
        raise LookupError("no such page")

    session = told(asks_and_raises)
    before = (session.head, faces(session))
    for _ in range(2):
        with pytest.raises(Breach, match="raised LookupError"):
            session.answer("a1|ask.x.0", "bob", "stand")
    assert before == (session.head, faces(session))
    assert "a1|ask.x.0" in session.state().prompts
    assert isinstance(events(session)[-1], Ask)


def test_steps_after_a_turn_s_end_are_the_action_s_still() -> None:
    def goes_on(fight: Fight, action: Action) -> Any:
        yield EndTurn("x", who="ann")
        yield Roll("x", by="ann", plan=D6)
        yield Ask("x", who=("bob",), options=STAND)
        return "late"

    session = told(goes_on)
    must(session.answer("a1|ask.x.0", "bob", "stand"))
    kinds = [type(e).__name__ for e in events(session) if str(getattr(e, "action", "")).startswith("a1")]
    assert kinds == ["Declare", "Turn", "Done", "Roll", "Ask", "Choose", "Done"]
