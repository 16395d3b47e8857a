"""House rules beside each other: every ordered pair that fits a system is played, and whatever comes out otherwise was reported."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from itertools import combinations, permutations
from typing import Any

import msgspec
import pytest

from affray.kernel import GM, ApplyDamage, Defend, Event, Json, Roll, canonical
from affray.sessions import Session

from .table import OPTIONS, RULES, SYSTEMS, Table, catalog, duel, fitting

PART_WAYS = {
    "nyra": {
        ("minimum-damage", "thick-skin"): "ruling",
        ("popcorn-initiative", "side-initiative"): "begin",
        ("fumble-table", "riposte"): "follow",
    },
    "exalted": {("fumble-table", "riposte"): "follow"},
    "primer": {("minimum-damage", "thick-skin"): "ruling", ("last-stand", "thick-skin"): "ruling"},
    "bank": {},
}
"""Pairs of which something is known to come out otherwise, and the hook that lets it; README.md says what."""


class Fight(msgspec.Struct, frozen=True):
    """Who fights with what, and how: the parameters of a blow, and what is done where no blow is allowed.

    The seed is one with which nearly every rule has something to do.
    """

    system: str
    people: Mapping[str, tuple[str, dict[str, Any]]]
    blow: str
    params: dict[str, Json]
    instead: str
    seed: str
    instead_params: dict[str, Json] = {}
    options: dict[str, Json] = {}
    between: tuple[str, dict[str, Json]] = ("", {})
    turns: int = 8


ARMOR: dict[str, Json] = {place: {"C": 10} for place in ("head", "chest", "left-arm", "right-arm", "left-leg", "right-leg")}
DUELIST: dict[str, Any] = {"CON": 9, "armor": ARMOR, "skills": {"Swords": 7, "Dodge": 6, "Defense": 7}}
SOLAR: dict[str, Any] = {"armor": {"soak": {"lethal": 3}}, "abilities": {"Melee": 2, "Dodge": 3, "Resistance": 2}}
MORTAL: dict[str, Any] = {"being": "mortal", "dexterity": 1, "essence": 1, "abilities": {"Melee": 1, "Dodge": 1}}
SWINGER: dict[str, Any] = {
    **DUELIST,
    "energy": 60,
    "shield": True,
    "skills": {"Swords": 8, "Defense": 8},
    "weapons": [{"key": "sword", "base": "claymore", "durability": 99}],
}
WARRIOR: dict[str, Any] = {"HTK": 18, "pinned": {name: {"value": value, "reason": "a test"} for name, value in (("DEF", 5), ("PAB", 8))}}

FIGHTS: Mapping[str, Fight] = {
    "nyra": Fight(
        "nyra",
        {
            "ann": ("red", {**DUELIST, "conditions": ["high-ground"]}),
            "bob": ("blue", DUELIST),
            "cy": ("red", {**DUELIST, "conditions": ["breaking-away"]}),
        },
        "strike",
        {"weapon": "sword", "strike": "wild", "type": "C"},
        "end-turn",
        "4",
        turns=12,
    ),
    "exalted": Fight(
        "exalted",
        {"ann": ("red", {**SOLAR, "conditions": ["high-ground"]}), "bob": ("blue", MORTAL), "cy": ("red", MORTAL)},
        "attack",
        {"weapon": "sword"},
        "guard",
        "8",
    ),
    "primer": Fight(
        "primer",
        {"ann": ("red", {**WARRIOR, "conditions": ["high-ground"]}), "bob": ("blue", WARRIOR), "cy": ("red", WARRIOR)},
        "attack",
        {"weapon": "sword", "difficulty": "challenging"},
        "wait",
        "6",
        {"counts": 3},
        {"bleed_basis": "none"},
        ("heal", {"points": 2}),
    ),
    "bank": Fight(
        "nyra",
        {"ann": ("red", SWINGER), "bob": ("blue", SWINGER)},
        "strike",
        {"weapon": "sword", "strike": "wild", "type": "C"},
        "end-turn",
        "2",
        options={"variant": "bank"},
    ),
}

PAIRS = {
    name: [pair for pair in combinations(fitting(fight.system), 2) if name != "bank" or "catch-breath" in pair]
    for name, fight in FIGHTS.items()
}
"""All pairs that fit a system; in the bank those of the one rule that means nothing to the duel."""


@cache
def played(name: str, *house: str) -> tuple[bytes, ...]:
    """What came of a fight: every event without who had a hand in it, then what was refused, then how everybody ended."""
    fight = FIGHTS[name]
    options = {**OPTIONS.get(fight.system, {}), **fight.options}
    table = Table(fight.system, house=house, dice="fair", options=options, seed=fight.seed)
    for who, (side, fields) in fight.people.items():
        table.join(who, side, **fields)
    table.begin()
    refused = list(_blows(table.session, fight))
    state = table.state
    events = [_told(event) for event in table.events[1:]]
    return tuple([canonical(one) for one in (*events, refused, state.combatants, state.agenda, state.over)])


def _blows(session: Session | Cold, fight: Fight) -> Iterator[str]:
    """Everybody strikes at the next one in turn, a friend too; now and then somebody strikes out of turn."""
    people = list(fight.people)
    for number in range(fight.turns):
        _answer(session, number)
        state = session.state(reader=GM)
        if state.over or not state.turn:
            return
        actor = state.turn
        if number % 5 == 4:
            actor = people[(people.index(actor) + 1) % len(people)]
        target = people[(people.index(actor) + 1 + number % 2) % len(people)]
        name, params = fight.between
        if name and number % 4 == 3:
            session.declare(actor, name, actor, id=f"b{number}", **params)
        answer = session.declare(actor, fight.blow, target, id=f"d{number}", **fight.params)
        if answer.refused is not None:
            yield f"{number}: {answer.refused.code}"
            session.declare(state.turn, fight.instead, id=f"e{number}", **fight.instead_params)
    _answer(session, fight.turns)


def _answer(session: Session | Cold, number: int) -> None:
    """Everybody answers; who defends does so in one way or another."""
    count = 0
    while prompts := session.prompts(reader=GM):
        slot, prompt = next(iter(prompts.items()))
        options = prompt.ask.options or ()
        count += 1
        session.answer(slot, prompt.ask.who[0], options[(number + count) % min(len(options), 2)].code, id=f"n{number}-{count}")


def _told(event: Event) -> Json:
    """An event without the names of rules on it, its rows in an order of their own: who adds first changes no sum."""
    told: dict[str, Any] = msgspec.json.decode(canonical(event))
    told.pop("by_rules", None)
    for rows in (told.get("trace"), *[part["rows"] for part in told.get("parts") or ()]):
        if rows:
            rows.sort(key=repr)
    return told


def reported(system: str, *house: str) -> dict[str, tuple[str, ...]]:
    books = catalog()
    return books.rules(books.manifest(system, {}, house)).overlaps()


@pytest.mark.parametrize("name", FIGHTS)
def test_a_rule_acts_in_the_fight_that_is_played(name: str) -> None:
    """Else nothing below could fail: but for those whose test is of another kind, every rule changes something of it."""
    idle = {rule for rule in fitting(FIGHTS[name].system) if played(name, rule) == played(name)}
    elsewhere = {"nyra": {"catch-breath"}, "primer": {"minimum-damage"}}.get(name, set())
    assert name == "bank" or idle == {"starting-characters"} | elsewhere
    assert name != "bank" or "catch-breath" not in idle


@pytest.mark.parametrize("name", FIGHTS)
def test_what_comes_out_otherwise_the_other_way_round_was_reported_when_the_rules_were_built(name: str) -> None:
    """Law 8: the order of house rules is the manifest's, and where it counts the facade says so."""
    parted: dict[tuple[str, str], str] = {}
    for pair in PAIRS[name]:
        if played(name, *pair) != played(name, *reversed(pair)):
            overlap = reported(FIGHTS[name].system, *pair)
            assert overlap, f"{pair} part ways, and nobody said so"
            assert set(overlap.values()) == {pair}
            parted[pair] = next(iter(overlap))
    assert parted == PART_WAYS[name]


# -- pairs that part ways, told


WEAK = {"armor": {"left-arm": {"C": 9}}}


@pytest.mark.parametrize(("house", "value"), [(("thick-skin", "minimum-damage"), 1), (("minimum-damage", "thick-skin"), 0)])
def test_thick_skin_and_minimum_damage(house: tuple[str, ...], value: int) -> None:
    """The later one has the last word: at least 1, or too little to hurt."""
    table = duel("nyra", 3, 9, 3, 1, 1, 1, second=WEAK, house=house)
    table.strike("ann", "bob", "defense")
    (hit,) = table.found(ApplyDamage)
    assert hit.value == value
    assert hit.by_rules == (("minimum-damage",) if value else house)
    table.verify()


@pytest.mark.parametrize("installed", [RULES, dict(list(RULES.items())[::-1])], ids=["by name", "backwards"])
def test_the_order_is_the_manifest_s_and_not_that_of_what_is_installed(installed: Mapping[str, Any]) -> None:
    """Law 8."""
    for house, value in ((("thick-skin", "minimum-damage"), 1), (("minimum-damage", "thick-skin"), 0)):
        table = duel("nyra", 3, 9, 3, 1, 1, 1, second=WEAK, house=house, books=catalog(installed))
        table.strike("ann", "bob", "defense")
        assert [hit.value for hit in table.found(ApplyDamage)] == [value]


@pytest.mark.parametrize(("house", "value"), [(("last-stand", "thick-skin"), 0), (("thick-skin", "last-stand"), 4)])
def test_last_stand_and_thick_skin(house: tuple[str, ...], value: int) -> None:
    """Of a blow of 12 the last stand leaves 4, which is less than half of CON 10."""
    table = duel("primer", 20, 3, 3, 30, 1, 1, house=house)
    table.set_pool("bob", "htk", 5)
    table.attack("ann", "bob")
    table.answer("aware-defending")
    assert table.one(ApplyDamage, "damage").value == value
    table.verify()


@pytest.mark.parametrize(("house", "first"), [(("popcorn-initiative", "side-initiative"), "bob"), (("side-initiative", "popcorn-initiative"), "ann")])
def test_popcorn_initiative_and_side_initiative(house: tuple[str, ...], first: str) -> None:
    """The last one that has a beginning is heard."""
    table = duel("nyra", *((3, 8) if first == "bob" else ()), house=house)
    assert table.state.turn == first
    table.verify()


@pytest.mark.parametrize(("house", "value"), [(("fumble-table", "riposte"), 4), (("riposte", "fumble-table"), 5)])
def test_fumble_table_and_riposte(house: tuple[str, ...], value: int) -> None:
    """Whether the riposte already finds the fumbler wide open."""
    table = duel("exalted", 1, *[2] * 6, *((6, *[2] * 7) if value == 4 else (*[2] * 7, 6)), house=house)
    table.attack("ann", "bob", "dodge", "dodge")
    assert table.found(Defend, "defence")[-1].value == value - 1, "an action of hers costs 1 already"
    table.verify()


@pytest.mark.parametrize("house", list(permutations(("no-friendly-fire", "no-hit-locations"))))
def test_two_vetoes(house: tuple[str, ...]) -> None:
    """Both refuse; the first says why."""
    table = duel("nyra", house=house)
    table.join("cy", "red")
    refused = table.strike("ann", "cy", strike="aimed", aim="head")
    assert refused is not None
    assert refused.code == house[0]


@pytest.mark.parametrize("house", list(permutations(("exploding-damage", "maximum-damage"))))
def test_dice_that_are_not_thrown_do_not_explode_in_either_order(house: tuple[str, ...]) -> None:
    table = duel("nyra", 1, 9, 3, house=house)
    table.strike("ann", "bob", "defense")
    assert table.found(ApplyDamage)[0].value == 39
    table.verify()


class Cold:
    """A session that is read from the store again for whatever is asked of it."""

    def __init__(self, table: Table) -> None:
        self.table = table

    def __getattr__(self, name: str) -> Any:
        self.table.session = self.table.engine.load("s")
        return getattr(self.table.session, name)


@pytest.mark.parametrize("system", SYSTEMS)
def test_all_that_fit_at_once(system: str) -> None:
    """Every house rule of a system in one fight: played, verified, audited and folded with no rules.

    The second time it is read from the store before every command: no rule remembers anything but what stands in the fight.
    """
    fight = FIGHTS[system]
    rules = [rule for rule in fitting(system) if rule != "first-blood"]  # which would end it at once
    options = {**OPTIONS.get(system, {}), **fight.options}
    found: list[list[Json]] = []
    for is_cold in (False, True):
        table = Table(system, house=rules, dice="fair", options=options, seed=fight.seed)
        for who, (side, fields) in fight.people.items():
            table.join(who, side, **fields)
        table.begin()
        list(_blows(Cold(table) if is_cold else table.session, fight))
        found.append([_told(event) for event in table.events])
        assert table.ruled
        table.faces = sum(len(chain) for roll in table.found(Roll) for chain in roll.faces)
        table.verify()
    assert found[0] == found[1]
