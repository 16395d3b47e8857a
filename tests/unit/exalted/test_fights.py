"""Whole fights by chance, and an auditor that knows the page but none of the system's code.

A failure prints its seed. What is recorded can be derived again, live or after a restart.
"""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any

import pytest

from affray.kernel import (
    GM,
    ApplyDamage,
    Close,
    Condition,
    Declare,
    Defend,
    Exchange,
    Judge,
    Roll,
    State,
    Step,
    Successes,
    Turn,
    exact,
    fold,
    total,
)
from affray.plugins.exalted import make
from affray.sessions import Engine, MemoryStore, Session

from ...support.table import Fixed, must
from .table import BOW, HANDS, SWORD, catalog, sheet

SEEDS = range(10)
OPTIONS: tuple[dict[str, Any], ...] = (
    {},
    {"same_tick": "together", "stunt_mode": "rolled", "virtue_mode": "rolled"},
    {"wound_mode": "direct", "mobility_mode": "direct", "cap_model": "dice", "inapplicable_is_final": True},
)
CHARMS: list[dict[str, Any]] = [
    {"key": "leaf", "use": "defence", "effects": [{"op": "add", "value": 2}], "motes": 2},
    {"key": "first", "use": "defence", "effects": [{"op": "dice", "value": 3}], "motes": 3},
    {"key": "late", "use": "after-roll", "effects": [{"op": "mul", "value": 2}], "motes": 3},
    {"key": "again", "use": "reroll", "motes": 2},
    {"key": "riposte", "use": "counterattack", "motes": 3},
    {"key": "fire", "use": "attack", "effects": [{"op": "add", "on": "damage", "value": 2}, {"op": "add", "value": -1}]},
    {"key": "calm", "effects": [{"op": "ignore", "penalties": ["onslaught", "wound"]}]},
]


def brawl(seed: int, options: dict[str, Any], *, cold: bool = False) -> Session:
    """Four people on two sides, a fifth who comes late, until it is over."""
    random = Random(seed)
    engine = Engine(MemoryStore(), catalog(), Fixed(f"brawl-{seed}"))
    session = engine.start("exalted", options=options, session="s")
    for who in ("ann", "bob", "cy", "dee"):
        must(session.join(who, side="red" if who in ("ann", "cy") else "blue", sheet=fighter(random), controller=who))
    must(session.begin())
    for number in range(400):
        if cold:
            session = engine.load("s")
        if session.state(reader=GM).over:
            return session
        if number == 4:
            must(session.join("eve", side="blue", sheet=fighter(random), controller="eve"))
        act(session, random, number)
    raise AssertionError(f"seed {seed}: not over after 400 commands")


def fighter(random: Random) -> dict[str, Any]:
    return sheet(
        being=random.choice(["solar", "lunar", "sidereal", "dragon-blooded"]),
        dexterity=random.randint(2, 5),
        stamina=random.randint(1, 3),
        abilities={name: random.randint(0, 5) for name in ("Dodge", "Melee", "MartialArts", "Archery", "Awareness")},
        weapons=[{**SWORD, "damage": 8}, random.choice([BOW, HANDS])],
        virtues={"valor": 2},
        willpower=random.randint(0, 5),
        motes=random.choice([0, 10]),
        charms=random.sample(CHARMS, 4),
        armor=random.choice([{}, {"soak": {"lethal": 4, "bashing": 4}, "hardness": {"lethal": 3}, "mobility": -2}]),
        is_extra=random.random() < 0.1,
    )


def act(session: Session, random: Random, number: int) -> None:
    """Answer what is asked, or let the holder of the turn (sometimes somebody else) do something."""
    state = session.state(reader=GM)
    if state.prompts:
        slot, prompt = next(iter(state.prompts.items()))
        answer = random.choice([option.code for option in prompt.ask.options or ()])
        must(session.answer(slot, prompt.ask.who[0], answer))
        return
    who = state.turn
    others = [other for other in state.combatants if other != who and session.actions(other)]
    if others and random.random() < 0.3:
        must(session.declare(others[0], "break-off"))
        return
    foes = [c.id for c in state.combatants.values() if c.side != state.combatants[who].side and "dead" not in c.conditions]
    arms: Any = next(form.choices["weapon"] for form in session.actions(who) if form.name == "attack")
    name = random.choice(["attack"] * 4 + ["flurry"] * 2 + ["guard", "aim", "dash", "coordinate", "misc"])
    foe = random.choice(foes)
    if name == "flurry":
        attacks = [{"weapon": "sword"}, {"weapon": "sword", "unexpected": random.random() < 0.1}]
        must(session.declare(who, name, foe, random.choice(foes), attacks=attacks))
    elif name == "attack":
        must(session.declare(who, name, foe, weapon=random.choice(arms)))
    elif name == "aim":
        must(session.declare(who, name, foe))
    elif name == "coordinate":
        side = state.combatants[who].side
        mates = [c.id for c in state.combatants.values() if c.side == side and c.id != who]
        if not session.declare(who, name, foe, helpers=mates):
            must(session.declare(who, "misc"))
    else:
        must(session.declare(who, name))


def events_of(session: Session) -> list[Any]:
    return [recorded.event for recorded in session.history(reader=GM)]


@pytest.mark.parametrize("options", OPTIONS, ids=["defaults", "together", "direct"])
@pytest.mark.parametrize("seed", SEEDS)
def test_the_page_is_kept(seed: int, options: dict[str, Any]) -> None:
    session = brawl(seed, options)
    assert session.verify().is_clean
    Auditor(events_of(session)).check()
    assert session.state(reader=GM).over in ("won-by-red", "won-by-blue", "nobody-left")


@pytest.mark.parametrize("options", OPTIONS, ids=["defaults", "together", "direct"])
@pytest.mark.parametrize("seed", SEEDS)
def test_the_record_can_be_derived_again(seed: int, options: dict[str, Any]) -> None:
    """Law 6: fed with its own record, the system makes every step again, or the exchange says where it drifts."""
    session = brawl(seed, options)
    books = catalog()
    again = Exchange(books.rules, State())
    for version, event in enumerate(events_of(session), 1):
        again.feed(event, version)
    assert again.state == session.state(reader=GM)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_fight_is_the_same_after_any_restart(seed: int) -> None:
    options = OPTIONS[seed % len(OPTIONS)]
    assert events_of(brawl(seed, options)) == events_of(brawl(seed, options, cold=True))


def test_chance_meets_every_step_but_the_rare_ones() -> None:
    described = set(make().describe().steps)
    events = [event for seed in SEEDS for options in OPTIONS for event in events_of(brawl(seed, options))]
    keys = {event.key for event in events if isinstance(event, Step)}
    ends = {e.action.rpartition(">")[2].partition(".")[0] for e in events if isinstance(e, Turn) and e.moment == "end"}
    assert keys | ends <= described
    assert described - keys - ends <= {"stunt", "stunt-reward", "rise", "flurry", "resolve", "declared"}


class Auditor:
    """Reads a log as a person with the page would."""

    def __init__(self, events: list[Any]) -> None:
        self.events = events
        self.state = State()
        self.rolled: dict[str, Roll] = {}
        self.seen: Counter[str] = Counter()

    def check(self) -> None:
        for version, event in enumerate(self.events, 1):
            before = self.state
            self.state = fold(before, event, version)
            self.look(before, event)
        assert self.seen["defend"] > 3

    def look(self, before: State, event: Any) -> None:
        match event:
            case Roll(key=key, by=by, action=action):
                self.rolled[f"{action}/{key}/{by}"] = event
                assert isinstance(event.plan.reading, Successes)
                hits = [face for chain in event.faces or () for face in chain if face >= 7]
                doubles = event.plan.reading.double == 10
                assert event.total == len(hits) + (hits.count(10) if doubles else 0)
                assert doubles != (key == "damage" or self.is_extra(by))
                assert total(row.amount for row in event.trace or ()) == sum(term.count for term in event.plan.terms)
                assert event.trace or not event.faces
            case Defend(value=value, trace=trace):
                self.seen["defend"] += 1
                assert exact(value or 0) >= 0
                assert {row.code[0] for row in trace or ()} == set("ABCDEF")
                assert total(row.amount for row in trace or ()) == value
            case Judge(key="attack", code=code, margin=margin):
                assert (code == "hit") == (exact(margin or 0) >= 1)
            case ApplyDamage(touched=touched, value=value):
                assert touched
                assert exact(touched[0].after) == exact(touched[0].before) + exact(value)
            case Condition(id="incapacitated", target=who):
                assert self.levels(who) >= self.track(who)
            case Turn(moment="start", who=who):
                down = {"incapacitated", "dead"} & before.combatants[who].conditions.keys()
                assert not down
            case Declare(parent="", actor=who, name=name):
                assert name == "break-off" or before.turn == who
            case Close(code=code):
                up = {c.side for c in before.combatants.values() if not {"incapacitated", "dead"} & c.conditions.keys()}
                assert code in {f"won-by-{side}" for side in up} or (not up and code == "nobody-left")

    def is_extra(self, who: str) -> bool:
        return bool((self.state.combatants[who].sheet or {}).get("is_extra"))

    def levels(self, who: str) -> int:
        pools = self.state.combatants[who].pools
        return sum(int(pools[kind] or 0) for kind in ("bashing", "lethal", "aggravated"))

    def track(self, who: str) -> int:
        """Seven levels, Incapacitated included; three of an extra (3.4)."""
        return 3 if (self.state.combatants[who].sheet or {}).get("is_extra") else 7
