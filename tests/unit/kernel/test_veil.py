"""Who may read which fields of an event, kind by kind, from the state it happens in."""

from __future__ import annotations

from typing import Any

import pytest

from affray.kernel import (
    GM,
    KINDS,
    ApplyDamage,
    Ask,
    Change,
    Choose,
    CloseAction,
    Combatant,
    Condition,
    Declare,
    Defend,
    Done,
    Entry,
    GiveModifier,
    Held,
    Join,
    Judge,
    Leave,
    Modifier,
    Note,
    OpenAction,
    Option,
    Order,
    Overrule,
    Prompt,
    Roll,
    Save,
    SetCondition,
    SetOrder,
    SetPool,
    SetStep,
    State,
    Turn,
    Veil,
    Wait,
    dice,
)
from affray.kernel.veil import veil

D6 = dice(1, 6)
OPTIONS = (Option(code="y"),)


def someone(who: str, *, secret: bool, controller: str = GM) -> Combatant:
    return Combatant(
        id=who, name=who, side=who, controller=controller, secret=secret, number=1, sheet={}, pools={}, ranges={}, conditions={}
    )


def opened(action: str, actor: str, *, secret: bool = False) -> OpenAction:
    return OpenAction(id=action, what="x", actor=actor, since=1, secret=secret)


STATE = State(
    combatants={
        "ann": someone("ann", secret=False, controller="alice"),
        "bob": someone("bob", secret=False, controller="bert"),
        "ghost": someone("ghost", secret=True),
        "spy": someone("spy", secret=True, controller="carl"),
        "mole": someone("mole", secret=True, controller="dora"),
    },
    open={"a1": opened("a1", "ann"), "g1": opened("g1", "ghost"), "s1": opened("s1", "ann", secret=True)},
    prompts={
        "s1|ask.q.0": Prompt(ask=Ask("q", action="s1", who=("bob", "spy"), options=OPTIONS), answers={}),
        "s1>x.0|roll.r.bob.0": Prompt(ask=Ask("r", action="s1>x.0", who=("bob",), plan=D6), answers={}),
    },
    has_secrets=True,
)


def seen(event: Any, state: State = STATE, actor: str = "") -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    """Audience and fields of an event's veil, or None."""
    found = veil(state, event, actor).veil
    return (found.audience, found.fields) if isinstance(found, Veil) else None


def both(*names: str) -> tuple[str, ...]:
    return tuple(sorted({GM, *names}))


PUBLIC_EVENTS = [
    Roll("x", action="a1", by="ann", plan=D6),
    Roll("x", action="g1", by="ghost", plan=D6),
    Judge("x", action="a1", by="ann", against="bob", code="hit"),
    Judge("x", action="a1", by="ann", code="hit"),
    ApplyDamage("x", action="a1", target="bob", pools=("hp",), value=3),
    Change("x", action="a1", target="ann", pool="hp", value=3),
    Condition("x", action="a1", target="ann", id="c"),
    Save("x", action="a1", who="ann", name="s", code="made"),
    Defend("x", action="g1", who="ann", code="d", value=3),
    Order("x", action="a1", entries=(Entry(key="ann", when=(1,), who="ann"),)),
    Ask("x", action="a1", who=("ann",), options=OPTIONS),
    Ask("x", action="g1", who=("ghost",), plan=D6),
    Choose(action="g1", key="x", occurrence=0, who="ghost", value="y"),
    Wait("x", action="g1", when=(1,)),
    Done(action="g1", code="x", cause=""),
    Leave(id="ghost"),
    Turn(action="start:ghost.1", moment="start", who="ghost", when=(1,), entry="ghost"),
    Declare(action="g2", actor="ghost", name="x", targets=(), params={}, rows=(), parent="", secret=False),
    Note(text="hm"),
    Overrule(reason="so", effect=SetPool(target="ann", pool="hp", value=3)),
    Overrule(reason="so", effect=GiveModifier(action="a1", rows=())),
    Overrule(reason="so", effect=SetOrder()),
    Overrule(reason="so", effect=SetStep(slot="a1|judge.x.ann.0", fields={})),
]


@pytest.mark.parametrize("event", PUBLIC_EVENTS, ids=lambda event: type(event).__name__)
def test_what_everybody_may_read_has_no_veil(event: Any) -> None:
    assert seen(event) is None


KEPT = {
    "own check": (Judge("x", action="g1", by="ghost", code="hit"), both(), Judge.KEPT),
    "check against": (Judge("x", action="a1", by="ann", against="ghost", code="hit"), both(), Judge.KEPT),
    "check of a player's secret": (Judge("x", action="a1", by="spy", against="ann", code="hit"), both("carl"), Judge.KEPT),
    "check between two secrets": (Judge("x", action="a1", by="spy", against="mole", code="hit"), both(), Judge.KEPT),
    "own save": (Save("x", action="a1", who="spy", name="s", code="made"), both("carl"), Save.KEPT),
    "save against a secret's number": (Save("x", action="g1", who="ann", name="s", code="made"), both(), Save.KEPT),
    "own defence": (Defend("x", action="a1", who="ghost", code="d", value=3), both(), Defend.KEPT),
    "damage to": (ApplyDamage("x", action="a1", target="ghost", pools=("hp",), value=3), both(), ApplyDamage.KEPT),
    "damage by": (ApplyDamage("x", action="g1", target="ann", pools=("hp",), value=3), both(), ("parts", "trace")),
    "change of": (Change("x", action="a1", target="spy", pool="hp", value=3), both("carl"), Change.KEPT),
    "change by": (Change("x", action="g1", target="ann", pool="hp", value=3), both(), ("trace",)),
    "condition of": (Condition("x", action="a1", target="ghost", id="c"), both(), Condition.KEPT),
    "order of": (Order("x", action="a", entries=(Entry(key="g", when=(1,), who="ghost"),)), both(), Order.KEPT),
    "question to": (Ask("x", action="a1", who=("ann", "spy"), options=OPTIONS), both("alice", "carl"), Ask.KEPT),
    "private question": (Ask("x", action="a1", who=("ann",), options=OPTIONS, private=True), both("alice"), Ask.KEPT),
    "blind roll": (Roll("x", action="a1", by="ann", plan=D6, blind=True), both(), Roll.KEPT),
    "pool set": (Overrule(reason="so", effect=SetPool(target="spy", pool="hp", value=3)), both("carl"), ("effect",)),
    "condition given": (Overrule(reason="so", effect=SetCondition(target="ghost", held=Held(id="c"))), both(), ("effect",)),
    "modifier given": (Overrule(reason="so", effect=GiveModifier(action="g1", rows=())), both(), ("effect",)),
    "step set": (Overrule(reason="so", effect=SetStep(slot="a1|judge.x.ghost.0", fields={})), both(), ("effect",)),
    "step of its action set": (Overrule(reason="so", effect=SetStep(slot="g1|judge.x.ann.0", fields={})), both(), ("effect",)),
    "step about several set": (
        Overrule(reason="so", effect=SetStep(slot="a1>x.ann+spy.0|judge.y.bob.0", fields={})), both("carl"), ("effect",),
    ),
    "secret action closed": (Overrule(reason="so", effect=CloseAction(action="s1")), both("alice"), ("effect",)),
}  # fmt: skip


@pytest.mark.parametrize("name", KEPT)
def test_the_numbers_of_a_secret_are_kept_wherever_they_went(name: str) -> None:
    event, audience, fields = KEPT[name]
    assert seen(event) == (audience, tuple(sorted(fields)))


def test_whose_numbers_they_are_goes_by_who_acts_in_the_run() -> None:
    """A monster's counterattack within a hero's action carries the monster's numbers, a hero's within a monster's does not."""
    counter = ApplyDamage("x", action="a1>counter.ann.0", target="ann", pools=("hp",), value=3)
    assert seen(counter) is None
    assert seen(counter, actor="ghost") == (both(), ("parts", "trace"))
    assert seen(ApplyDamage("x", action="g1>counter.ghost.0", target="bob", pools=("hp",), value=3), actor="ann") is None


SECRETLY = [
    Roll("x", action="s1", by="ann", plan=D6),
    Judge("x", action="s1>a.b.0", by="ann", code="hit"),
    Turn(action="s1>x.0", moment="end", who="ann", when=(1,), entry=""),
    Turn(action="s1", moment="resume", who="ann", when=(1,), entry="resume:s1"),
    Declare(action="s1>x.0", actor="ann", name="x", targets=(), params={}, rows=(), parent="s1", secret=False),
    Wait("x", action="s1", when=(1,)),
    Done(action="s1>z.0", code="x", cause=""),
]


@pytest.mark.parametrize("event", SECRETLY, ids=lambda event: type(event).__name__)
def test_a_secret_action_is_kept_whole(event: Any) -> None:
    assert seen(event) == (both("alice"), ())


def test_a_secret_declaration_is_kept_before_it_is_open() -> None:
    event = Declare(action="n1", actor="spy", name="x", targets=(), params={}, rows=(), parent="", secret=True)
    assert seen(event) == (both("carl"), ())
    assert seen(event, State(combatants=STATE.combatants)) == (both("carl"), ()), "also where nobody had a secret yet"


def test_who_is_asked_within_a_secret_action_reads_that() -> None:
    assert seen(Ask("q", action="s1", who=("bob", "spy"), options=OPTIONS)) == (both("alice", "bert", "carl"), ())
    assert seen(Choose(action="s1", key="q", occurrence=0, who="bob", value="y")) == (both("alice", "bert", "carl"), ())
    assert seen(Choose(action="s1", key="other", occurrence=0, who="bob", value="y")) == (both("alice"), ())
    assert seen(Roll("r", action="s1>x.0", by="bob", plan=D6)) == (both("alice", "bert"), ())
    assert seen(Done(action="s1>x.0", code="x", cause="")) == (both("alice", "bert"), ())
    assert seen(Done(action="s1", code="x", cause="close")) == (both("alice", "bert", "carl"), ())


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"secret": True}, (both("carl"), ("conditions", "player", "pools", "sheet"))),
        ({"secret": False, "player": "Zoë"}, (both("carl"), ("player",))),
        ({"secret": False}, None),
    ],
)
def test_what_is_kept_of_who_joins(fields: dict[str, Any], expected: Any) -> None:
    whole = {"id": "z", "name": "Z", "side": "z", "controller": "carl", "sheet": {}, "pools": {}, "conditions": (), "player": ""}
    assert expected == seen(Join(**{**whole, **fields}), State())


def test_nothing_is_kept_where_nobody_has_a_secret() -> None:
    plain = State(combatants={who: someone(who, secret=False, controller=who) for who in ("ann", "bob")}, open=STATE.open)
    for event, _, _ in KEPT.values():
        if not (isinstance(event, Roll) and event.blind) and not (isinstance(event, Ask) and event.private):
            assert seen(event, plain) is None
    assert seen(KEPT["blind roll"][0], plain) == (both(), tuple(sorted(Roll.KEPT)))


def test_only_fields_that_may_be_kept_ever_are() -> None:
    """What is in KEPT may be None, and nothing else may: a copy without it must still be read."""
    for event, _, _ in KEPT.values():
        found = veil(STATE, event).veil
        assert isinstance(found, Veil)
        assert set(found.fields) <= set(type(event).KEPT)
    for kind in KINDS.values():
        assert set(kind.KEPT) <= set(kind.__struct_fields__)
    assert Modifier("p", 1, "c").source == ""
