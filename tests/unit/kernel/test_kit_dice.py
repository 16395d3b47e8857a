"""Dice of the kit: scripted, seeded, recorded, and every way in which they may fall."""

from __future__ import annotations

from fractions import Fraction

import pytest

from affray.kernel import DiceError, Entry, Fight, Order, Refused, Roll, Steps, commands, hookimpl, verify
from affray.kernel import dice as plan
from affray.kernel.testing import (
    EnumeratedDice,
    Given,
    RecordedDice,
    ScriptedDice,
    SeededDice,
    combatant,
    declare,
    every_roll,
    given,
    refused,
    unchanged,
)
from affray.kernel.testing import dice as kit_dice
from affray.kernel.testing.bounds import ENUMERATIONS
from affray.kernel.testing.table import EPOCHS

from ...support.tiny import Tiny

PEOPLE = (combatant("ann", {"hp": 12, "init": 9}), combatant("bob", {"hp": 9}))


def rolls(fight: Given) -> list[object]:
    return [one.faces for one in fight.table.events() if isinstance(one, Roll)]


class Still(Tiny):
    """Who comes first is not rolled for."""

    @hookimpl
    def begin(self, fight: Fight) -> Steps:
        return self.order(fight)

    def order(self, fight: Fight) -> Steps:
        yield Order("order", entries=tuple([Entry(key=who, when=(1, index), who=who) for index, who in enumerate(fight.ids)]))


def thrown(notation: str, dice: EnumeratedDice) -> int | str | None:
    """What a roll of typed dice reads as."""
    fight = given(Still, *PEOPLE, dice=dice)
    fight.when(declare("ann", "roll", notation=notation)).then()
    (roll,) = [one for one in fight.new if isinstance(one, Roll)]
    return roll.total


def test_a_script_is_handed_out_in_the_order_asked() -> None:
    dice = ScriptedDice(1, 2, 20)
    fight = given(Tiny, *PEOPLE, dice=dice)
    assert (rolls(fight), dice.left) == ([((1,),), ((2,),)], (20,))


def test_a_script_that_runs_out_refuses_and_hands_nothing_out() -> None:
    """Law 10: a refused command used nothing up."""
    fight = given(Tiny, *PEOPLE, dice=[1, 2, 3])
    fight.when(declare("ann", "roll", notation="2d6")).then(refused("script-exhausted", "roll.typed.ann.0"), unchanged())
    fight.when(declare("ann", "roll", notation="1d6")).then()
    fight.finish()


def test_a_face_that_a_die_does_not_have_is_refused() -> None:
    fight = given(Tiny, *PEOPLE, dice=[1, 2, 7])
    fight.when(declare("ann", "roll", notation="1d6")).then(refused("bad-dice"))
    with pytest.raises(DiceError):
        ScriptedDice(7).faces(Roll("x", by="ann", plan=plan(1, 6)), (), lambda die, link, sides: 1)


def test_seeded_dice_are_fair_dice_of_a_known_secret() -> None:
    """The same seed gives the same faces, another one others; the log proves its dice when it is over."""
    def played(seed: str) -> Given:
        fight = given(Tiny, *PEOPLE, dice=SeededDice(seed))
        return fight.when(declare("ann", "roll", notation="20d20"), commands.Close(code="enough")).then()

    one, same, other = played("a"), played("a"), played("b")
    assert rolls(one) == rolls(same) != rolls(other)
    verdict = verify([one.table.header, *one.table.lines])
    assert verdict.is_clean
    assert verdict.dice.proven == 3


def test_recorded_dice_are_those_of_a_log() -> None:
    first = given(Tiny, *PEOPLE, dice=SeededDice("x")).when(declare("ann", "roll", notation="3d6"), id="r").then()
    again = given(Tiny, *PEOPLE, dice=RecordedDice(first.table.log)).when(declare("ann", "roll", notation="3d6"), id="r").then()
    assert rolls(first) == rolls(again)
    again.when(declare("ann", "roll", notation="4d6"), id="other").then(refused("not-recorded", "other|roll.typed.ann.0"))


def test_every_way_is_gone_through_once_and_the_shares_add_up() -> None:
    ways = list(every_roll(lambda dice: thrown("2d3", dice)))
    assert len(ways) == 9
    assert sum(way.share for way in ways) == 1
    chances: dict[object, Fraction] = {}
    for way in ways:
        chances[way.made] = chances.get(way.made, Fraction(0)) + way.share
    assert chances == {2: Fraction(1, 9), 3: Fraction(2, 9), 4: Fraction(3, 9), 5: Fraction(2, 9), 6: Fraction(1, 9)}


def test_dice_that_bring_more_dice_are_gone_through_as_well() -> None:
    """A die that is thrown once more on a 1, once."""
    ways = list(every_roll(lambda dice: thrown("1d3ro=1", dice)))
    assert sorted((way.made, way.share) for way in ways) == [
        (1, Fraction(1, 9)),
        (2, Fraction(1, 9)),
        (2, Fraction(1, 3)),
        (3, Fraction(1, 9)),
        (3, Fraction(1, 3)),
    ]


def test_so_many_ways_are_gone_through_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    """Law 9: at the bound and one past it."""
    assert ENUMERATIONS == 20_000
    monkeypatch.setattr(kit_dice, "ENUMERATIONS", 6)
    assert len(list(every_roll(lambda dice: thrown("1d6", dice)))) == 6
    with pytest.raises(ValueError, match="more than 6 ways"):
        list(every_roll(lambda dice: thrown("1d7", dice)))


def test_a_table_has_so_many_dice_epochs() -> None:
    """Law 9: at the bound and one past it."""
    fight = given(Tiny, *PEOPLE)
    for _ in range(EPOCHS):
        fight.when(commands.RevealDice()).then()
    fight.when(commands.RevealDice()).then(refused("dice-epochs-used-up", EPOCHS), unchanged())
    fight.when(commands.RevealDice(chain="other")).then(refused("no-such-chain", "other"))


def test_a_refusal_inside_is_a_value() -> None:
    fight = given(Tiny, *PEOPLE, dice=[1, 2])
    assert fight.table.do(declare("ann", "roll", notation="1d6")) == Refused("script-exhausted", ("roll.typed.ann.0",))
