"""Whose nonce lets dice be thrown under option `witness` (affray.kernel.witness)."""

from __future__ import annotations

import pytest

from affray.kernel import GM, Combatant, Command, Log, Now, Request, State, brought, commands, witness_for


def someone(number: int, who: str, controller: str, *, gone: bool = False) -> Combatant:
    return Combatant(
        id=who,
        name=who,
        side=who,
        controller=controller,
        secret=False,
        number=number,
        sheet=None,
        pools={},
        ranges=None,
        conditions={},
        gone=gone,
    )


def fight(*controllers: str) -> State:
    people = [someone(number, f"{who}{number}", who) for number, who in enumerate(controllers, 1)]
    return State(combatants={one.id: one for one in people})


def log(choice: tuple[int, str], *trail: tuple[int, str, int]) -> Log:
    """A log of 20 versions with this choice and these nonces: version, sender, newest version the sender knew of."""
    made = Log()
    made.events = [None] * 20
    made.choice = choice
    made.nonce_trail = list(trail)
    return made


THREE = fight("ann", GM, "bob")


@pytest.mark.parametrize(
    ("choice", "trail", "expected"),
    [
        ((0, ""), (), ""),  # nobody chose anything
        ((10, "ann"), (), "bob3"),
        ((10, GM), (), "ann1"),
        ((10, "ann"), ((11, "bob", 10),), ""),
        ((10, "ann"), ((11, "bob", 10), (12, "ann", 11)), ""),
        ((10, "ann"), ((11, "ann", 10),), "bob3"),  # the own one
        ((10, "ann"), ((11, "bob", 9),), "bob3"),  # on its way while there was a choice
        ((10, "ann"), ((11, "bob", -1),), "bob3"),  # perhaps
        ((10, "ann"), ((10, "bob", 9),), "bob3"),  # with the choice
        ((10, "ann"), ((9, "bob", 8),), "bob3"),  # before it
        ((10, "ann"), ((11, "", 10),), ""),  # kept from this copy
    ],
)
def test_a_witness_sends_a_nonce_behind_the_choice_of_another_and_knows_of_it(
    choice: tuple[int, str], trail: tuple[tuple[int, str, int], ...], expected: str
) -> None:
    assert expected == witness_for(log(choice, *trail), THREE)


@pytest.mark.parametrize(
    ("now", "expected"),
    [
        (Now(caller="bob", nonce="x", seen=10), ""),
        (Now(caller="bob", nonce="x", seen=20), ""),
        (Now(caller="bob", nonce="x", seen=9), "bob3"),
        (Now(caller="bob", nonce="x", seen=21), "bob3"),
        (Now(caller="bob", nonce="x", is_witness=True), ""),
        (Now(caller="bob", is_witness=True), "bob3"),
        (Now(caller="ann", nonce="x", seen=20), "bob3"),
        (Now(caller="bob", nonce="x", seen=20, is_choice=True), "ann1"),
        (Now(caller=GM, is_choice=True), "ann1"),
    ],
)
def test_the_command_at_hand_may_be_the_choice_or_the_witness(now: Now, expected: str) -> None:
    assert expected == witness_for(log((10, "ann")), THREE, now)


def test_the_first_to_join_who_is_there_and_is_another_player_is_asked() -> None:
    gone = State(combatants={"b": someone(1, "b", "bob", gone=True), "c": someone(2, "c", "cy")})

    assert witness_for(log((10, "ann")), gone) == "c"
    assert witness_for(log((10, "ann")), fight("ann", "ann", GM)) == "", "nobody could"
    assert witness_for(log((10, GM)), fight("ann", "ann", GM)) == "ann1"


@pytest.mark.parametrize(
    ("command", "is_choice", "is_witness"),
    [
        (commands.Declare(actor="ann", name="attack"), True, False),
        (commands.Answer(slot="a1|ask.guard.0", who="bob", value="dodge"), True, False),
        (commands.Answer(slot="a1|ask.witness-attack.0", who="bob", value="witness"), False, True),
        (commands.Report(slot="a1|roll.attack.ann.0", who="ann", faces=((1,),)), False, False),
        (commands.Leave(id="ann"), False, False),
        (commands.Note(text="x"), False, False),
    ],
)
def test_what_a_request_brings(command: Command, is_choice: bool, is_witness: bool) -> None:
    expected = Now(caller="ann", nonce="n", seen=7, is_choice=is_choice, is_witness=is_witness)

    assert expected == brought(Request(id="x", command=command, caller="ann", nonce="n", seen=7))
