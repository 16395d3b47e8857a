"""What secret numbers leak: nothing but when somebody acts, before whom, what is declared openly, and how many dice it throws."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from affray.kernel import (
    PUBLIC,
    Ask,
    Declare,
    Defend,
    Event,
    GiveModifier,
    Held,
    Judge,
    Modifier,
    Option,
    Roll,
    Row,
    Sealed,
    SetCondition,
)

from .table import Sheet, Table, dice_of

NUMBERS: dict[str, Any] = {"dexterity": 41, "stamina": 43, "strength": 47}
OWN = {41, 43, 47, "41/2", "43/2"}


def ambush() -> Table:
    """A secret ogre and Ann attack one another; the ogre dodges with 41 halves, and Ann cannot be missed."""
    table = Table(9, 2, *[2] * 7, *[9] * 40, 2, *[2] * 85, *[9] * 12)
    table.join("ann", "red", health=[0] * 20)
    table.join("ogre", "blue", secret=True, abilities={}, **NUMBERS)
    table.begin()
    table.attack("ann", "ogre", "dodge")
    table.attack("ogre", "ann", "dodge")
    return table


def open_values(event: Any) -> Iterator[object]:
    """Every number and text of an event that stands in its open bytes; dice aside."""
    fields = msgspec.to_builtins(event)
    veil = fields.pop("veil", None)
    fields.pop("plan", None)
    if veil is not None:
        if not veil["fields"]:
            return
        for field in veil["fields"]:
            del fields[field]
    work: list[Any] = [fields]
    while work:
        item = work.pop()
        if isinstance(item, dict):
            work += item.values()
        elif isinstance(item, list | tuple):
            work += item
        else:
            yield item


def test_no_number_of_a_secret_sheet_stands_in_the_open() -> None:
    leaks = [(event, value) for event in ambush().events for value in open_values(event) if value in OWN]
    assert leaks == []


def test_the_agenda_says_no_more_than_ticks_and_ranks() -> None:
    assert {entry.when[1:] for entry in ambush().state.agenda.values()} <= {(0, 1), (0, 2)}


# -- an attacker whose numbers are secret

VENOM: Sheet = {
    "key": "venom",
    "use": "attack",
    "effects": [
        {"op": "add", "value": -2},
        {"op": "div", "value": 2},
        {"op": "add", "on": "attack", "value": 3},
        {"op": "add", "on": "successes", "value": 1},
        {"op": "add", "on": "damage", "value": 4},
    ],
}
LEAF: Sheet = {"key": "leaf", "use": "defence", "effects": [{"op": "add", "value": 1}], "motes": 1}
LATE: Sheet = {"key": "late", "use": "after-roll", "effects": [{"op": "add", "value": 1}], "motes": 1}


def venom(*, secret: bool = True, hidden: bool = False, pool: int = 16) -> Table:
    """An ogre (`secret`, or acting in secret) attacks Ann with a charm; she dodges with 5, puts leaf into it, then late.

    It throws 7 + 3 dice and hits by 8: 2 + 3 + 4 + 8 are raw damage, 1 is soaked, nothing wounds, and Ann stands.
    """
    table = Table(9, 2, *[9] * 10, *[2] * pool, *[9] * 6)
    table.join("ogre", "blue", secret=secret, charms=[VENOM])
    table.join("ann", "red", charms=[LEAF, LATE], motes=2)
    table.begin()
    params: dict[str, Any] = {"weapon": "sword", "charms": ["venom"], "secret": hidden}
    assert table.declare("ogre", "attack", "ann", **params) is None
    return table


def as_read(table: Table, reader: str) -> list[Event]:
    return [recorded.event for recorded in table.session.history(reader=reader)]


def codes(event: Any) -> set[str]:
    """The codes of every row that a reader sees in an event."""
    options: tuple[Option, ...] = getattr(event, "options", None) or ()
    rows: tuple[Row, ...] = (*(getattr(event, "trace", None) or ()), *[row for option in options for row in option.trace])
    return {row.code for row in rows}


def test_the_defender_of_a_secret_attack_is_told_what_the_own_defence_is_worth() -> None:
    table = venom()
    assert table.options() == {"parry-sword": 5, "dodge": 5}
    table.answer("dodge")
    assert table.options() == {"ready": 5, "charm-leaf": 6}
    table.answer("charm-leaf")
    assert table.options() == {"stand": 6, "charm-late": 7}
    table.answer("charm-late")
    assert [guard.value for guard in table.found(Defend)] == [2, 3], "(5 + 1 - 2) / 2, (5 + 2 - 2) / 2"
    table.verify()


def test_the_defender_of_an_open_attack_sees_it_all() -> None:
    table = venom(secret=False)
    assert table.options() == {"parry-sword": 2, "dodge": 2}
    assert "E-enemy-venom" in codes(table.found(Ask)[0])


@pytest.mark.parametrize("reader", [PUBLIC, "ann"])
def test_no_reader_of_the_log_learns_what_a_secret_attackers_charm_does(reader: str) -> None:
    table = venom()
    table.answer("dodge", "charm-leaf", "charm-late")
    seen = as_read(table, reader)
    assert {type(event) for event in seen if "venom" in repr(event)} == {Declare}, "its name was declared openly"
    for event in seen:
        assert not any("enemy" in code or "venom" in code for code in codes(event)), event
    for guard in (event for event in seen if isinstance(event, Defend)):
        assert (guard.value, guard.trace, guard.against) == (None, None, "ogre")
    for roll in (event for event in seen if isinstance(event, Roll) and event.by == "ogre"):
        assert roll.trace is None
        assert roll.faces is not None
    assert all(event.goal is None and event.margin is None for event in seen if isinstance(event, Judge))
    assert "E-enemy-venom" in codes(table.found(Defend)[0]), "the game master reads it"
    assert [row.code for row in table.found(Roll, "attack")[0].trace] == ["dexterity", "Melee", "venom"]


def test_what_the_game_master_gives_to_a_secret_attack_is_no_part_of_the_question() -> None:
    """A poisoned floor that costs 2: counted in the defence, not told. Cover and a stunt everybody sees."""
    table = venom()
    (action,) = table.state.open
    rows = (
        Modifier("dv.other", -1, "floor"),
        Modifier("dv.charm.enemy", -1, "curse"),
        Modifier("dv.inapplicable", 1, "unseen"),
        Modifier("dv.cover", 1, "wall"),
        Modifier("dv.stunt", 2, "stunt"),
        Modifier("save.dice", 3, "luck"),
    )
    table.session.overrule("so", GiveModifier(action=action, rows=rows))
    table.session.overrule("hers", SetCondition(target="ann", held=Held(id="mud", rows=(Modifier("dv.other", -2, "mud"),))))
    table.answer("dodge")
    assert table.options() == {"ready": 5, "charm-leaf": 6}, "(10 + 2) / 2 + 1 - 2"
    for event in as_read(table, "ann"):
        assert not {"C-unseen", "E-enemy-curse", "E-enemy-venom", "B-inapplicable"} & codes(event), event
    table.answer("ready")
    assert table.found(Defend)[0].value == 0, "0 + 1 - 3, then charms"


def test_a_save_against_a_secret_attack_names_the_own_rows_alone() -> None:
    table = Table(9, 2, *[9] * 10, *[2] * 17, *[9] * 8)
    table.join("ogre", "blue", secret=True, charms=[VENOM])
    table.join("ann", "red", charms=[], conditions=(Held(id="charm", rows=(Modifier("save.dice", 1, "luck"),)),))
    table.begin()
    assert table.declare("ogre", "attack", "ann", weapon="sword", charms=["venom"]) is None
    (action,) = table.state.open
    table.session.overrule("so", GiveModifier(action=action, rows=(Modifier("save.dice", 1, "oil"),)))
    table.answer("dodge")
    (roll,) = table.found(Roll, "knockdown")
    assert [(row.code, row.amount) for row in roll.trace] == [("dexterity", 4), ("Resistance", 2), ("luck", 1), ("others", 1)]
    assert dice_of(roll) == 8
    table.verify()


# -- an attack declared in secret


def test_who_is_attacked_in_secret_is_asked_about_the_own_defence_alone() -> None:
    table = venom(secret=False, hidden=True, pool=17)
    (ask,) = [event for event in as_read(table, "ann") if isinstance(event, Ask)]
    assert [(option.code, option.value) for option in ask.options or ()] == [("parry-sword", 5), ("dodge", 5)]
    assert not any("enemy" in code for code in codes(ask))
    table.answer("dodge", "ready", "stand")
    assert [guard.value for guard in table.found(Defend)] == [2]
    assert not [event for event in as_read(table, "ann") if isinstance(event, Defend | Judge | Declare)]
    assert not [event for event in as_read(table, PUBLIC) if isinstance(event, Ask)]
    assert [event for event in as_read(table, PUBLIC) if isinstance(event, Sealed)]
    table.verify()


def test_how_a_secret_attack_was_declared_is_not_told_by_the_question() -> None:
    table = Table(9, 2, *[2] * 7)
    table.join("ogre", "blue")
    table.join("ann", "red")
    table.begin()
    table.declare("ogre", "attack", "ann", weapon="sword", unexpected=True, secret=True)
    assert table.options() == {"parry-sword": 5, "dodge": 5}
    table.answer("dodge")
    assert table.found(Defend)[0].value == 0
    table.verify()
