"""A process that is killed anywhere in a fight and started again goes on to the same bytes.

Every fight is played warm (one process), cold (a new process for every command) and mortal (a process that dies at one
append, before or after it was stored), and must leave the same lines behind.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from affray.kernel import (
    Action,
    Ask,
    Change,
    CloseAction,
    Condition,
    EndTurn,
    Fight,
    GiveModifier,
    Held,
    Judge,
    Modifier,
    Moment,
    Note,
    Option,
    Roll,
    SetOrder,
    SetPool,
    SetStep,
    Step,
    Steps,
    commands,
    dice,
    hookimpl,
)
from affray.sessions import Catalog, JsonlStore

from ..support.fights import (
    Mortal,
    Move,
    Table,
    answer,
    ask,
    declare,
    end_condition,
    join,
    leave,
    note,
    overrule,
    pass_on,
    redo,
    report,
    seats,
    undo,
)
from ..support.table import tiny_catalog


class TwiceAsHard:
    """Ruling, contribution, follow-up, upkeep and a resolver of its own: every rung of the ladder."""

    @hookimpl
    def ruling(self, fight: Fight, action: Action, step: Step) -> Step | None:
        if isinstance(step, Roll) and step.key == "damage":
            return Roll(step.key, action=step.action, by=step.by, plan=dice(4, 4))
        return None

    @hookimpl
    def contribute(self, fight: Fight, action: Action, place: str) -> list[Modifier]:
        return [Modifier(place, 3, "house")] if place == "damage.flat" else []

    @hookimpl
    def follow(self, fight: Fight, action: Action, step: Step) -> Steps | None:
        return fumble(action) if isinstance(step, Judge) and step.key == "attack" else None

    @hookimpl
    def upkeep(self, fight: Fight, moment: Moment) -> Steps | None:
        return gasp(moment) if moment.name == "start" else None

    @hookimpl
    def resolve(self, fight: Fight, action: Action) -> Steps | None:
        return slow_heal(action) if action.name == "heal" else None


def fumble(action: Action) -> Any:
    choice = yield from Ask("fumble", who=(action.actor,), options=(Option(code="laugh"), Option(code="swear")))
    luck = yield from Roll("fumble", by=action.actor, plan=dice(1, 6))
    if choice == "swear" and int(luck.total or 0) > 1:
        yield Condition("shame", target=action.actor, id="ashamed", source="house")


def gasp(moment: Moment) -> Any:
    luck = yield from Roll("gasp", by=moment.who, plan=dice(1, 6))
    yield Change("gasp", target=moment.who, pool="wounds", value=int(luck.total or 0))


def slow_heal(action: Action) -> Any:
    luck = yield from Roll("heal", by=action.actor, plan=dice(1, 6))
    yield Change("heal", target=action.target, pool="hp", value=int(luck.total or 0))
    yield EndTurn("turn", who=action.actor)
    return "healed"


HOUSE = tiny_catalog(**{"twice-as-hard": TwiceAsHard})


def nonce(move: Move) -> Move:
    """The same with a nonce of the client's, which has seen all there is."""
    return lambda session: replace(move(session), nonce=f"nonce-{session.head}", seen=session.head)


class Fought:
    """A fight: how it is set up, and its moves after everybody has sat down."""

    def __init__(
        self, *moves: Move, people: str = "ann bob", catalog: Callable[[], Catalog] = tiny_catalog, **start: Any
    ) -> None:
        self.moves = [*seats(*people.split()), *moves]
        self.catalog = catalog()
        self.start = start


FIGHTS = {
    "attack": Fought(
        declare("a1", "ann", "attack", "bob"),
        answer("c1", "bob", "dodge"),
        declare("a2", "bob", "attack", "ann"),
        answer("c2", "ann", "stand"),
    ),
    "attack-with-everything-between": Fought(
        declare("a1", "ann", "attack", "bob"),
        note("n1", "bob thinks"),
        note("n2", "ann hopes", secret=True, caller="ann"),
        overrule("o1", SetPool(target="bob", pool="hp", value=11)),
        overrule("o2", GiveModifier(action="a1", rows=(Modifier("damage.flat", 2, "high-ground"),))),
        join("cy", controller="gm", init=20),
        overrule("o3", SetStep(slot="a1|roll.damage.ann.0", fields={"faces": [[4], [3]]})),
        answer("c1", "bob", "stand"),
        declare("a2", "bob", "attack", "cy"),
        leave("l1", "ann"),
        answer("c2", "cy", "dodge", caller="gm"),
    ),
    "sweep-answered-in-another-order": Fought(
        declare("a1", "ann", "sweep", "bob", "cy", "dee"),
        answer("c1", "dee", "stand"),
        note("n1"),
        answer("c2", "bob", "duck"),
        answer("c3", "cy", "stand"),
        declare("a2", "bob", "end-turn"),
        people="ann bob cy dee",
    ),
    "leave-while-asked": Fought(
        declare("a1", "ann", "sweep", "bob", "cy"),
        leave("l1", "bob"),
        answer("c1", "cy", "stand"),
        declare("a2", "cy", "attack", "ann"),
        people="ann bob cy",
    ),
    "leave-while-acting": Fought(
        declare("a1", "ann", "sweep", "bob", "cy"),
        answer("c1", "cy", "duck"),
        leave("l1", "ann"),
        declare("a2", "bob", "attack", "cy"),
        answer("c2", "cy", "stand"),
        people="ann bob cy",
    ),
    "flurry": Fought(
        declare("a1", "ann", "flurry", "bob", "cy"),
        answer("c1", "bob", "stand"),
        answer("c2", "cy", "dodge"),
        declare("a2", "bob", "attack", "cy"),
        people="ann bob cy",
    ),
    "leave-in-a-flurry": Fought(
        declare("a1", "ann", "flurry", "bob", "cy"),
        leave("l1", "bob"),
        answer("c2", "cy", "stand"),
        people="ann bob cy",
    ),
    "several-blows-at-once": Fought(
        declare("a1", "ann", "blow", "bob"),
        declare("a2", "bob", "blow", "cy"),
        declare("a3", "cy", "curse", "ann"),
        declare("b1", "ann", "break-off"),
        *[pass_on(f"e{n}") for n in range(9)],
        people="ann bob cy",
        options={"counts": 3},
    ),
    "a-blow-at-somebody-who-left": Fought(
        declare("a1", "ann", "blow", "bob"),
        leave("l1", "bob"),
        *[pass_on(f"e{n}") for n in range(4)],
        people="ann bob cy",
        options={"counts": 2},
    ),
    "break-off-out-of-turn": Fought(
        declare("a1", "ann", "blow", "bob"),
        declare("b1", "ann", "break-off"),
        declare("a2", "bob", "attack", "ann"),
    ),
    "the-game-master-closes-what-waits": Fought(
        declare("a1", "ann", "blow", "bob"),
        declare("a2", "bob", "attack", "ann"),
        overrule("o1", CloseAction(action="a2")),
        overrule("o2", CloseAction(action="a1")),
        declare("a3", "bob", "end-turn"),
    ),
    "curse": Fought(
        declare("a1", "ann", "curse", "bob"),
        declare("a2", "bob", "curse", "ann"),
        overrule("o1", SetOrder(drop=("bob",))),
        end_condition("o2", "ann", "cursed"),
        *[pass_on(f"e{n}") for n in range(3)],
    ),
    "conditions-brought-along": Fought(
        join("cy", init=5, conditions=(Held(id="blessed", until=(3,), rows=(Modifier("attack.skill", 2, "bless"),)),)),
        declare("a1", "ann", "attack", "cy"),
        answer("c1", "cy", "dodge"),
        declare("a2", "bob", "end-turn"),
        declare("a3", "cy", "end-turn"),
        declare("a4", "ann", "end-turn"),
        declare("a5", "bob", "end-turn"),
    ),
    "one-throws-real-dice": Fought(
        report("r0", "bob", (4,)),
        declare("a1", "ann", "attack", "bob"),
        answer("c1", "bob", "dodge"),
        note("n1"),
        overrule("o1", SetPool(target="bob", pool="hp", value=9)),
        report("r1", "bob", (19,)),
        declare("a2", "bob", "attack", "ann"),
        report("r2", "bob", (3,)),
        answer("c2", "ann", "stand"),
        report("r3", "bob", (4,), (4,)),
        dice={"bob": "reported"},
    ),
    "leave-instead-of-throwing": Fought(
        report("r0", "bob", (4,)),
        declare("a1", "ann", "attack", "bob"),
        answer("c1", "bob", "dodge"),
        leave("l1", "bob"),
        declare("a2", "cy", "attack", "ann"),
        people="ann bob cy",
        dice={"bob": "reported"},
    ),
    "closed-while-dice-are-awaited": Fought(
        report("r0", "ann", (4,)),
        report("r1", "bob", (4,)),
        declare("a1", "ann", "attack", "bob"),
        overrule("o1", CloseAction(action="a1")),
        declare("a2", "ann", "attack", "bob"),
        report("r2", "ann", (2,)),
        dice="reported",
    ),
    "house-rules": Fought(
        declare("a1", "ann", "attack", "bob"),
        answer("c1", "ann", "swear"),
        answer("c2", "bob", "stand"),
        declare("a2", "bob", "heal", "bob", power=1),
        declare("a3", "ann", "flurry", "bob"),
        answer("c3", "ann", "laugh"),
        answer("c4", "bob", "dodge"),
        catalog=lambda: HOUSE,
        house=["twice-as-hard"],
    ),
    "rules-changed-in-the-middle": Fought(
        declare("a1", "ann", "attack", "bob"),
        ask("s1", commands.SetRules(manifest=HOUSE.manifest("tiny", {}, ["twice-as-hard"]))),
        answer("c1", "bob", "stand"),
        declare("a2", "bob", "attack", "ann"),
        answer("c2", "bob", "laugh"),
        answer("c3", "ann", "stand"),
        catalog=lambda: HOUSE,
    ),
    "undo-and-redo": Fought(
        declare("a1", "ann", "attack", "bob"),
        answer("c1", "bob", "stand"),
        undo("u1"),
        redo("u2"),
        undo("u3"),
        declare("a2", "ann", "blow", "bob"),
        declare("a3", "bob", "attack", "ann"),
        overrule("o1", SetPool(target="bob", pool="hp", value=9)),
        answer("c2", "ann", "stand"),
        undo("u4"),
        answer("c3", "ann", "dodge"),
        declare("a4", "ann", "end-turn"),
    ),
    "reported-dice-undone": Fought(
        report("r0", "ann", (4,)),
        report("r1", "bob", (4,)),
        declare("a1", "ann", "attack", "bob"),
        report("r2", "ann", (1,)),
        undo("u1"),
        redo("u2"),
        answer("c1", "bob", "stand"),
        undo("u3"),
        declare("a2", "ann", "attack", "bob"),
        report("r3", "ann", (2,)),
        answer("c2", "bob", "stand"),
        report("r4", "ann", (4,), (4,)),
        dice="reported",
    ),
    "secret": Fought(
        declare("a1", "ann", "flurry", "bob", secret=True),
        note("n1", "was that a noise?", caller="bob"),
        answer("c1", "bob", "dodge"),
        join("ghost", controller="gm", init=1),
        declare("a2", "bob", "attack", "ghost"),
        overrule("o1", GiveModifier(action="a2", rows=(Modifier("damage.flat", 1, "aim"),))),
        answer("c2", "ghost", "stand", caller="gm"),
        declare("a3", "ghost", "sweep", "ann", "bob", caller="gm"),
        answer("c3", "bob", "stand"),
        answer("c4", "ann", "duck"),
        ask("x1", commands.Reveal(version=14)),
        ask("x2", commands.RevealDice()),
    ),
    "witnessed": Fought(
        nonce(declare("a1", "ann", "attack", "bob")),
        nonce(answer("w1", "bob", "witness")),
        note("n1", caller="bob"),
        nonce(answer("c1", "bob", "stand")),
        nonce(answer("w2", "ann", "witness")),
        ask("x1", commands.RevealDice()),
        nonce(declare("a2", "bob", "sweep", "ann")),
        leave("l1", "ann"),
        people="ann bob cy",
        witness=True,
    ),
    "scripted-dice": Fought(
        declare("a1", "ann", "attack", "bob"),
        answer("c1", "bob", "stand"),
        declare("a2", "bob", "attack", "ann"),
        undo("u1"),
        declare("a3", "bob", "attack", "ann"),
        dice="scripted-then-fair",
        script=(1, 2, 5, 4, 4, 20, 20),
    ),
}


@cache
def warm(name: str) -> list[bytes]:
    """The lines of a fight played by one process."""
    fought = FIGHTS[name]
    return Table(catalog=fought.catalog, **fought.start).play(fought.moves)


@pytest.mark.parametrize("name", FIGHTS)
def test_a_new_process_for_every_command_writes_the_same_bytes(name: str) -> None:
    """Law 6: resuming is running the resolvers again on the recorded outcomes, and nothing lives in memory only."""
    fought = FIGHTS[name]
    assert warm(name) == Table(catalog=fought.catalog, **fought.start).play(fought.moves, cold=True)


@pytest.mark.parametrize("name", FIGHTS)
def test_the_fight_verifies(name: str) -> None:
    fought = FIGHTS[name]
    table = Table(catalog=fought.catalog, **fought.start)
    table.play(fought.moves)
    if not table.session.state().over:
        table.play([ask("end", commands.Close())])
    verdict = table.session.verify()
    assert verdict.findings == ()
    assert verdict.dice.unrevealed == 0 or name == "secret"


@pytest.mark.parametrize("stored", [False, True], ids=["before-it-is-stored", "after-it-is-stored"])
@pytest.mark.parametrize("name", FIGHTS)
def test_a_process_that_dies_at_any_append_is_followed_by_the_same_bytes(
    name: str, stored: bool
) -> None:
    """Law 10: also between the two commits of a report of dice; the command sent again meets the same dice."""
    fought = FIGHTS[name]
    appends = len(warm(name)) - 2
    for at in range(1, appends + 1):
        store = Mortal(at, stored=stored)
        lines = Table(store, fought.catalog, **fought.start).play(fought.moves)
        assert store.deaths == 1
        assert warm(name) == lines, f"died at append {at}"


@pytest.mark.parametrize("name", ["one-throws-real-dice", "flurry", "undo-and-redo"])
def test_files_that_are_opened_anew_hold_the_same_bytes(name: str, tmp_path: Path) -> None:
    fought = FIGHTS[name]
    table = Table(JsonlStore(tmp_path), fought.catalog, **fought.start)
    for move in fought.moves:
        table.store.close()
        table.store = JsonlStore(tmp_path)
        table.play([move], cold=True)
    table.store.close()
    assert warm(name) == (tmp_path / "s.affray").read_bytes().removesuffix(b"\n").split(b"\n")


def test_the_comparison_can_fail() -> None:
    """A fight with one more note, in another order, or under other rules has other bytes."""
    fought = FIGHTS["attack"]
    table = Table(catalog=fought.catalog)
    assert warm("attack") != table.play([*fought.moves, note("n1")])
    assert any(isinstance(recorded.event, Note) for recorded in table.session.history())
