"""What may be declared, and what is refused before any cost or die (nyra.md, 1.3 step 1)."""

from __future__ import annotations

import pytest

from affray.kernel import (
    Held,
    Refused,
    SetCondition,
    SetPool,
)

from .table import duel


@pytest.mark.parametrize(
    ("params", "refused"),
    [
        ({"weapon": "spoon"}, Refused("no-such-weapon", ("spoon", "sword"))),
        ({"type": "B"}, Refused("damage-type-not-available", ("Short Sword", "B", "P", "S", "C"))),
        ({"strike": "aimed"}, Refused("aim-missing", ("head", "chest", "left-arm", "right-arm", "left-leg", "right-leg"))),
        ({"aim": "head"}, Refused("aim-not-allowed", ("head",))),
        (
            {"strike": "aimed", "aim": "tail"},
            Refused("no-such-location", ("tail", "head", "chest", "left-arm", "right-arm", "left-leg", "right-leg")),
        ),
    ],
)
def test_a_refusal_changes_nothing(params: dict[str, str], refused: Refused) -> None:
    """NY26, NY30: no die, no delay, and the turn stays open."""
    table = duel()
    before, events = table.state, list(table.events)
    assert refused == table.strike("ann", "bob", **params)
    assert (before, events) == (table.state, table.events)
    assert table.end_turn("ann") is None


def test_delay_that_is_not_enough_is_refused_and_a_wrong_type_comes_first() -> None:
    table = duel()
    table.overrule(SetPool(target="ann", pool="delay", value=2))
    assert Refused("not-enough-delay", ("Short Sword", 3, 2)) == table.strike("ann", "bob")
    assert Refused("damage-type-not-available", ("Short Sword", "B", "P", "S", "C")) == table.strike(
        "ann", "bob", type="B"
    )
    assert table.state.turn == "ann"


def test_only_the_holder_of_the_turn_acts() -> None:
    table = duel()
    for refused in (table.strike("bob", "ann"), table.end_turn("bob")):
        assert refused is not None
        assert refused.code == "not-your-turn"


def test_nobody_strikes_the_dead_or_the_own_flesh() -> None:
    table = duel()
    table.join("cy", "green", sequence=1)
    table.overrule(SetCondition(target="cy", held=Held(id="dead")))
    for target in ("cy", "ann"):
        assert Refused("not-a-target", (target,)) == table.strike("ann", target)


def test_a_form_offers_everybody_else_alive_and_what_can_be_said() -> None:
    table = duel()
    table.join("cy", "red", sequence=1)
    strike, end = table.forms("ann")
    assert (strike.name, strike.targets, strike.least, strike.most) == ("strike", ("bob", "cy"), 1, 1)
    assert strike.choices == {
        "weapon": ("sword",),
        "strike": ("wild", "aimed"),
        "type": ("P", "S", "C"),
        "aim": (None, "head", "chest", "left-arm", "right-arm", "left-leg", "right-leg"),
    }
    assert end.name == "end-turn"
    assert table.forms("bob") == ()


def test_without_a_weapon_there_is_only_the_end_of_the_turn() -> None:
    table = duel(first={"weapons": []})
    assert [form.name for form in table.forms("ann")] == ["end-turn"]
    assert table.end_turn("ann") is None
