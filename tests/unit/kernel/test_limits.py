"""Law 9: every bound at the bound and one past it.

Those of dice, notation, lines and points stand beside dice, notation, lines and points.
"""

from __future__ import annotations

from typing import Any

import pytest

from affray.kernel import (
    GM,
    Act,
    Action,
    Ask,
    Breach,
    Combatant,
    Condition,
    Declare,
    Done,
    Entry,
    Fight,
    Form,
    Held,
    InputError,
    Judge,
    Modifier,
    Note,
    Option,
    Order,
    Refused,
    RevealDice,
    Row,
    SetCondition,
    SetOrder,
    State,
    Wait,
    check_json,
    check_text,
    commands,
    hookimpl,
    limits,
)
from affray.kernel.names import check_id
from affray.kernel.settle import CHECK, Contradiction, settle_effect
from affray.sessions import Session

from ...support.broken import Told, session_of
from ...support.loose import Loose
from ...support.table import bare_request, engine, must, tiny_catalog, tiny_session
from ...support.tiny import Tiny


def combatant(who: str) -> Combatant:
    return Combatant(
        id=who, name=who, side=who, controller=who, secret=False, number=1, sheet={}, pools={}, ranges={}, conditions={}
    )


def crowd(people: int = 1, agenda: int = 0) -> State:
    entries = {f"e{n}": Entry(key=f"e{n}", when=(9,)) for n in range(agenda)}
    return State(combatants={f"p{n}": combatant(f"p{n}") for n in range(people)}, agenda=entries, at=(1,))


def check(state: State, step: Any) -> None:
    CHECK[type(step)](state, step)


def declared(session: Session) -> None:
    must(session.declare("ann", "attack", "bob", id="a1"))


# -- runs


def judges(count: int) -> Any:
    def resolver(fight: Fight, action: Action) -> Any:
        for _ in range(count):
            yield Judge("x", by=action.actor, code="x")

    return resolver


def test_steps_per_action() -> None:
    declared(session_of(Told(judges(limits.STEPS_PER_ACTION))))
    session = session_of(Told(judges(limits.STEPS_PER_ACTION + 1)))
    head = session.head
    with pytest.raises(Breach, match=f"a1: more than {limits.STEPS_PER_ACTION} steps"):
        declared(session)
    assert head == session.head


def test_steps_per_action_count_all_that_hangs_below_it() -> None:
    half = limits.STEPS_PER_ACTION // 2

    def nested(fight: Fight, action: Action) -> Any:
        yield from judges(half - (not action.is_nested))(fight, action)
        if not action.is_nested:
            yield Act("x", actor="ann", name="attack", targets=("bob",))

    plugin = Told(nested)
    declared(session_of(plugin))
    half += 1
    with pytest.raises(Breach, match=f"a1>x.bob.0: more than {limits.STEPS_PER_ACTION} steps"):
        declared(session_of(plugin))


def nests(depth: int, key: str = "x", last: str = "") -> Any:
    """Acts within acts: so many runs in all; the last one under a key of its own."""

    def resolver(fight: Fight, action: Action) -> Any:
        below = action.id.count(">") + 1
        if below < depth:
            yield Act(last if last and below == depth - 1 else key, actor="ann", name="attack", targets=("bob",))

    return resolver


def test_nesting() -> None:
    declared(session_of(Told(nests(limits.NESTING))))
    with pytest.raises(Breach, match=f"more than {limits.NESTING} runs inside one another"):
        declared(session_of(Told(nests(limits.NESTING + 1))))


def test_run_id_length() -> None:
    key = "k" * limits.ID_LENGTH
    each = len(f">{key}.bob.0")
    for past in (0, 1):
        last = "k" * (limits.RUN_ID_LENGTH - len("a1") - 7 * each - len(">.bob.0") + past)
        session = session_of(Told(nests(9, key, last)))
        if past:
            with pytest.raises(Breach):
                declared(session)
        else:
            declared(session)
            ids = [len(r.event.action) for r in session.history() if isinstance(r.event, Declare)]
            assert max(ids) == limits.RUN_ID_LENGTH


class Ends(Told):
    """Says that the fight is over when it is told so."""

    over: str | None = None

    @hookimpl
    def is_over(self, fight: Fight) -> str | None:
        return self.over


def acts(count: int, extra: int) -> Any:
    """Two events for every act, one for every judge."""

    def resolver(fight: Fight, action: Action) -> Any:
        if action.is_nested:
            return
        for _ in range(count):
            yield Act("x", actor="ann", name="attack", targets=("bob",))
        yield from judges(extra)(fight, action)

    return resolver


@pytest.mark.parametrize("closing", [False, True])
def test_events_per_commit(closing: bool) -> None:
    """One event of a commit is left for the dice that a close reveals."""
    count = (limits.EVENTS_PER_COMMIT - 4) // 2
    plugin = Ends(acts(count, 1 - closing))
    session = session_of(plugin)
    plugin.over = "enough" if closing else None
    head = session.head
    declared(session)
    assert session.head - head == limits.EVENTS_PER_COMMIT - 1 + closing
    assert isinstance(session.history()[-1].event, RevealDice if closing else Done)
    plugin = Ends(acts(count, 2 - closing))
    session = session_of(plugin)
    plugin.over = "enough" if closing else None
    head = session.head
    with pytest.raises(Breach, match="more than 3999 events of one command"):
        declared(session)
    assert head == session.head
    must(session.note("still here"))


def test_line_bytes() -> None:
    """A commit that would not fit into a line is refused, and the session stands where it stood."""
    session = tiny_session(engine(catalog=tiny_catalog(Loose)), people=0, begun=False)

    def join(size: int, id: str) -> Any:
        pages = ["x" * limits.TEXT_LENGTH] * (size // limits.TEXT_LENGTH)
        pages.append("x" * (size % limits.TEXT_LENGTH))
        command = commands.Join(id=id, name="Z", side="z", sheet={"more": pages}, secret=False)
        return session.do(bare_request(id, command))

    must(join(limits.LINE_BYTES // 2, "a"))
    line = len(session.lines[-1])
    size = limits.LINE_BYTES - (line - limits.LINE_BYTES // 2) - 3 * 210
    must(join(size, "b"))
    assert limits.LINE_BYTES - 2000 < len(session.lines[-1]) <= limits.LINE_BYTES
    before = (session.head, session.digest, session.state(reader=GM))
    with pytest.raises(InputError, match=f"more than {limits.LINE_BYTES}"):
        join(size + 2000, "c")
    assert before == (session.head, session.digest, session.state(reader=GM))
    must(session.note("still here"))
    assert session.verify().is_clean
    assert session.state(reader=GM) == engine(session._store, tiny_catalog(Loose)).load("s").state(reader=GM)


# -- people, options, rows


def test_combatants() -> None:
    session = tiny_session(engine(catalog=tiny_catalog(Loose)), people=0, begun=False)
    for number in range(limits.COMBATANTS):
        must(session.join(f"p{number}", side="p", sheet={}, secret=False))
    refused = session.join("one-more", side="p", sheet={}).refused
    assert refused == Refused("too-many-combatants", (limits.COMBATANTS,))
    must(session.leave("p0"))
    assert session.join("one-more", side="p", sheet={}).refused == refused, "who left has joined all the same"


def test_targets() -> None:
    state = crowd(limits.TARGETS + 1)
    everybody = tuple(state.combatants)
    options = (Option(code="y"),)
    check(state, Ask("x", who=everybody[:-1], options=options))
    check(state, Act("x", actor="p0", name="n", targets=everybody[:-1]))
    for step in (Ask("x", who=everybody, options=options), Act("x", actor="p0", name="n", targets=everybody)):
        with pytest.raises(Contradiction, match=str(limits.TARGETS)):
            check(state, step)
    session = tiny_session()
    assert session.declare("ann", "sweep", *["bob"] * limits.TARGETS).refused is not None
    with pytest.raises(InputError, match=rf"^\$\.targets: more than {limits.TARGETS}"):
        session.declare("ann", "sweep", *["bob"] * (limits.TARGETS + 1))


def test_options_of_a_question() -> None:
    options = tuple(Option(code=f"o{n}") for n in range(limits.OPTIONS + 1))
    check(crowd(), Ask("x", who=("p0",), options=options[:-1]))
    with pytest.raises(Contradiction, match=f"more than {limits.OPTIONS}"):
        check(crowd(), Ask("x", who=("p0",), options=options))


@pytest.mark.parametrize("past", [0, 1])
def test_forms_of_a_combatant(past: int) -> None:
    class Many(Tiny):
        @hookimpl
        def actions(self, fight: Fight, who: str) -> list[Form]:
            return [Form(name="end-turn")] * (limits.OPTIONS + past)

    session = session_of(Many())
    if past:
        with pytest.raises(Breach, match=f"hook actions: offers {limits.OPTIONS + 1} forms"):
            session.actions("ann")
    else:
        assert len(session.actions("ann")) == limits.OPTIONS


ROWS = tuple(Row("x", 1, "y") for _ in range(limits.ROWS + 1))
MODIFIERS = tuple(Modifier("attack.skill", 1, "x") for _ in range(limits.ROWS + 1))
ENTRIES = tuple(Entry(key=f"k{n}", when=(9,)) for n in range(limits.ROWS + 1))


@pytest.mark.parametrize(
    ("at", "past"),
    [
        (Judge("x", by="p0", code="x", goal=limits.ROWS, trace=ROWS[1:]), Judge("x", by="p0", code="x", goal=limits.ROWS + 1, trace=ROWS)),
        (Condition("x", target="p0", id="c", rows=MODIFIERS[1:]), Condition("x", target="p0", id="c", rows=MODIFIERS)),
        (Order("x", entries=ENTRIES[1:]), Order("x", entries=ENTRIES)),
        (Act("x", actor="p0", name="n", rows=MODIFIERS[1:]), Act("x", actor="p0", name="n", rows=MODIFIERS)),
    ],
    ids=["trace", "condition", "order", "act"],
)  # fmt: skip
def test_rows_of_a_step(at: Any, past: Any) -> None:
    check(crowd(), at)
    with pytest.raises(Contradiction, match=str(limits.ROWS)):
        check(crowd(), past)


def test_rows_from_outside() -> None:
    session = tiny_session()
    held = tuple(Held(id=f"c{n}") for n in range(limits.ROWS + 1))
    must(session.join("z", side="z", sheet={"hp": 1}, conditions=held[1:]))
    with pytest.raises(InputError, match=rf"^\$\.conditions: more than {limits.ROWS}"):
        session.join("y", side="y", sheet={"hp": 1}, conditions=held)
    must(session.overrule("so", SetCondition(target="z", held=Held(id="many", rows=MODIFIERS[1:]))))
    with pytest.raises(InputError, match=rf"rows: more than {limits.ROWS}"):
        session.overrule("so", SetCondition(target="z", held=Held(id="many", rows=MODIFIERS)))
    with pytest.raises(InputError, match=rf"^\$\.rows: more than {limits.ROWS}"):
        session.declare("ann", "attack", "bob", rows=MODIFIERS)
    settle_effect(crowd(), SetOrder(entries=ENTRIES[1:]))
    with pytest.raises(InputError):
        settle_effect(crowd(), SetOrder(entries=ENTRIES))
    must(session.declare("ann", "end-turn", rows=MODIFIERS[1:]))


@pytest.mark.parametrize("past", [0, 1])
def test_rows_of_a_house_rule(past: int) -> None:
    class Generous:
        @hookimpl
        def contribute(self, fight: Fight, action: Action, place: str) -> list[Modifier]:
            return [*MODIFIERS[1:], *MODIFIERS[:past]] if place == "attack.skill" else []

    def asks(fight: Fight, action: Action) -> Any:
        yield Judge("x", by="ann", code=str(len(action.rows("attack.skill"))))

    session = session_of(Told(asks), house={"generous": Generous()})
    if past:
        with pytest.raises(Breach, match="hook contribute: "):
            declared(session)
    else:
        declared(session)


def test_agenda_entries() -> None:
    step = Order("x", entries=(Entry(key="one-more", when=(9,)),))
    again = Order("x", entries=(Entry(key="e0", when=(9,)),))
    almost, full = crowd(agenda=limits.AGENDA_ENTRIES - 1), crowd(agenda=limits.AGENDA_ENTRIES)
    check(full, again)
    for grows in (step, Condition("x", target="p0", id="c", until=(9,)), Wait("x", action="a1", when=(9,))):
        check(almost, grows)
        with pytest.raises(Contradiction, match=f"more than {limits.AGENDA_ENTRIES} entries"):
            check(full, grows)
    for effect in (SetOrder(entries=step.entries), SetCondition(target="p0", held=Held(id="c", until=(9,)))):
        settle_effect(almost, effect)
        with pytest.raises(InputError, match=f"more than {limits.AGENDA_ENTRIES} entries"):
            settle_effect(full, effect)


# -- text and values


def test_id_length() -> None:
    assert check_id("x" * limits.ID_LENGTH, "an id")
    with pytest.raises(InputError, match=f"1 to {limits.ID_LENGTH}"):
        check_id("x" * (limits.ID_LENGTH + 1), "an id")


def test_name_length() -> None:
    check_text("é" * limits.NAME_LENGTH, "$")
    with pytest.raises(InputError, match=f"has {limits.NAME_LENGTH + 1} characters, more than {limits.NAME_LENGTH}"):
        check_text("é" * (limits.NAME_LENGTH + 1), "$")
    session = tiny_session(begun=False)
    must(session.join("z", "x" * limits.NAME_LENGTH, side="z", sheet={"hp": 1}))
    with pytest.raises(InputError, match=r"^\$\.name: "):
        session.join("y", "x" * (limits.NAME_LENGTH + 1), side="y", sheet={"hp": 1})


def test_text_length() -> None:
    session = tiny_session(begun=False)
    must(session.note("é" * limits.TEXT_LENGTH))
    with pytest.raises(InputError, match=r"^\$\.text: "):
        session.note("é" * (limits.TEXT_LENGTH + 1))
    check_json(["x" * limits.TEXT_LENGTH])
    with pytest.raises(InputError, match=r"^\$\[0\]: "):
        check_json(["x" * (limits.TEXT_LENGTH + 1)])
    check(crowd(), Ask("x", who=("p0",), options=(Option(code="x" * limits.TEXT_LENGTH),)))
    with pytest.raises(Contradiction):
        check(crowd(), Ask("x", who=("p0",), options=(Option(code="x" * (limits.TEXT_LENGTH + 1)),)))
    assert [len(r.event.text or "") for r in session.history() if isinstance(r.event, Note)] == [limits.TEXT_LENGTH]


def nested(depth: int) -> Any:
    value: Any = 0
    for _ in range(depth):
        value = {"a": value}
    return value


def test_json_depth() -> None:
    check_json(nested(limits.JSON_DEPTH))
    with pytest.raises(InputError, match=f"nested deeper than {limits.JSON_DEPTH}"):
        check_json(nested(limits.JSON_DEPTH + 1))


def test_json_items() -> None:
    check_json([0] * (limits.JSON_ITEMS - 1))
    with pytest.raises(InputError, match=f"more than {limits.JSON_ITEMS} values"):
        check_json([0] * limits.JSON_ITEMS)


@pytest.mark.parametrize("value", [limits.NUMBER_MAX, -limits.NUMBER_MAX])
def test_number_max(value: int) -> None:
    check_json(value)
    with pytest.raises(InputError, match=r"beyond 2\^53 - 1"):
        check_json(value + (1 if value > 0 else -1))


def test_dice_epochs() -> None:
    session = tiny_session(begun=False)
    for epoch in range(1, limits.DICE_EPOCHS + 1):
        (event,) = must(session.reveal_dice()).events
        assert event.epoch == epoch
    assert session.reveal_dice().refused == Refused("dice-epochs-used-up", (limits.DICE_EPOCHS,))
    assert session.begin().refused == Refused("dice-epochs-used-up", (limits.DICE_EPOCHS,))
    assert session.verify().is_clean
