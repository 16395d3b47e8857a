"""Whose nonce changes a face, and which ends the wait of a new epoch: the host holds the secret and tries them all."""

from __future__ import annotations

import json

import pytest
from msgspec.structs import replace

from affray.kernel import (
    GM,
    Action,
    Fight,
    Form,
    NoParams,
    Refused,
    Request,
    Roll,
    Steps,
    System,
    commands,
    dice,
    hookimpl,
)
from affray.sessions import Session

from ..support.dicey import Dicey
from ..support.forged import ann_attacks, attacks, dicey, say
from ..support.table import answer_all, must
from .known_secret import faces, player, rolls, start

WAIT = "dice-wait-for-nonce"


def nonces(session: Session) -> list[str]:
    """The nonces that stand in the log."""
    return [nonce for line in session.lines if (nonce := json.loads(line)["envelope"]["nonce"])]


def joined(*people: str) -> Session:
    session = start()
    for number, who in enumerate(people):
        sheet = {"hp": 60, "init": 9 - number, "skill": 20}
        must(player(session, commands.Join(id=who, name=who, side=who, controller=who, sheet=sheet), f"{who} 1", who))
    must(session.begin())
    return session


# -- whose nonces count


def test_a_nonce_of_one_who_controls_nobody_changes_no_face() -> None:
    shown = set()
    for attempt in range(8):
        session = dicey()
        assert say(session, "puppet", f"ground {attempt}"), "anybody may speak"
        must(ann_attacks(session))
        shown.add(attacks(session)[0].faces)

    assert len(shown) == 1


def test_a_nonce_of_one_whose_combatant_has_left_changes_no_face() -> None:
    shown = set()
    for attempt in range(4):
        session = joined("ann", "bob", "cy")
        must(session.leave("cy", caller="cy"))
        must(say(session, "cy", f"ground {attempt}"))
        must(ann_attacks(session))
        shown.add(attacks(session)[0].faces)

    assert shown == {faces("open", 1, ("ann 1", "bob 1", "cy 1", "ann's"), 3, "|roll.attack.1.0", 20)}


def test_the_game_masters_nonce_changes_no_face_and_is_not_written() -> None:
    session = dicey()
    must(session.note("x", nonce="ground"))
    must(session.join("orc", side="o", sheet={"hp": 9}, nonce="ground"))

    assert nonces(session) == []


def test_a_nonce_sent_again_is_left_out_and_another_callers_is_not() -> None:
    session = dicey()
    for who, nonce in (("ann", "same"), ("ann", "same"), ("bob", "same"), ("ann", "other"), ("bob", "same")):
        must(say(session, who, nonce))

    assert nonces(session) == ["same", "same", "other"]
    assert session.verify().is_clean


def test_a_command_that_was_refused_may_bring_its_nonce_again() -> None:
    session = dicey()
    request = Request(id="a1", command=commands.Declare(actor="bob", name="end-turn"), caller="bob", nonce="n")
    assert session.do(request).refused
    must(session.declare("ann", "end-turn"))
    must(session.do(request))
    assert session.do(request).repeated

    assert nonces(session) == ["n"]


# -- which nonce ends the wait


@pytest.mark.parametrize("ended", range(6))
def test_ending_epochs_with_a_players_command_in_hand_gives_it_no_dice(ended: int) -> None:
    """The host reads Ann's nonce, and would end epochs until it likes what she rolls."""
    session = dicey()
    must(say(session, "ann", "first"))
    known = session.head  # where Ann's client saw the log when it sent what the host holds back
    for _ in range(ended):
        must(session.reveal_dice())
    answer = ann_attacks(session, seen=known)

    assert (None if not ended else Refused(WAIT, (1 + ended,))) == answer.refused
    assert len(attacks(session)) == (not ended)


def test_a_held_back_nonce_may_stand_in_the_log_but_ends_no_wait() -> None:
    session = joined("ann", "bob")
    known = session.head
    must(session.reveal_dice())
    must(say(session, "ann", "held back", seen=known))
    assert Refused(WAIT, (2,)) == session.declare("ann", "attack", "bob", id="x").refused
    must(ann_attacks(session, "ann 3"))

    sent = ("ann 1", "bob 1", "held back", "ann 3")
    assert faces("open", 2, sent, 3, "|roll.attack.1.0", 20) == rolls(session, "attack")[0].faces
    assert session.verify().is_clean


@pytest.mark.parametrize(("behind", "waits"), [(-2, True), (-1, True), (0, False), (1, True), (2**40, True)])
def test_a_client_knows_of_the_end_of_an_epoch_from_its_version_to_the_head(behind: int, waits: bool) -> None:
    session = dicey()
    must(say(session, "ann", "first"))
    must(session.reveal_dice())

    assert waits == (ann_attacks(session, seen=session.head + behind).refused is not None)


def test_the_first_nonce_of_all_has_to_know_of_ended_epochs_too() -> None:
    session = dicey()
    known = session.head
    must(session.reveal_dice())
    assert Refused(WAIT, (2,)) == ann_attacks(session, seen=known).refused
    must(ann_attacks(session))


def test_a_nonce_that_was_used_before_ends_no_wait() -> None:
    session = dicey()
    must(say(session, "ann", "same"))
    must(session.reveal_dice())
    must(say(session, "ann", "same"))

    assert Refused(WAIT, (2,)) == session.declare("ann", "attack", "bob").refused


def test_a_puppets_nonce_ends_no_wait() -> None:
    session = dicey()
    must(say(session, "ann", "first"))
    must(session.reveal_dice())
    must(say(session, "puppet", "ground"))

    assert Refused(WAIT, (2,)) == session.declare("ann", "attack", "bob").refused


# -- what a session's own methods say


def test_every_verb_tells_what_its_caller_has_seen() -> None:
    session = start(dice={"bob": "reported"})
    for who in ("ann", "bob"):
        sheet = {"hp": 60, "init": 9, "skill": 20}
        must(session.join(who, side=who, controller=who, sheet=sheet, caller=who, nonce=who, seen=1))
    must(session.begin())
    (slot,) = session.prompts("bob")
    must(session.report(slot, "bob", [[1]], caller="bob", nonce="1", seen=2))
    must(session.declare("ann", "attack", "bob", caller="ann", nonce="2", seen=3))
    (slot,) = session.prompts("bob")
    must(session.answer(slot, "bob", "stand", caller="bob", nonce="3", seen=4))
    must(session.note("x", caller="ann", nonce="4", seen=5))
    must(session.request(commands.Note(text="y"), caller="ann", nonce="5", seen=6))
    (slot,) = session.prompts("bob")
    must(session.report(slot, "bob", [[20]], caller="bob", nonce="6", seen=7))
    must(session.end_turn("bob", caller="bob", nonce="7", seen=8))
    envelopes = [json.loads(line)["envelope"] for line in session.lines]

    assert [one["sender"]["seen"] for one in envelopes if one["nonce"]] == [1, 1, 2, 3, 4, 5, 6, 7, 8]


class TwoDice(Dicey):
    """An action with a die of the actor's and one of an opponent's."""

    @hookimpl
    def describe(self) -> System:
        dicey = super().describe()
        return replace(dicey, actions={**dicey.actions, "both": NoParams})

    @hookimpl
    def actions(self, fight: Fight, who: str) -> list[Form]:
        return [*super().actions(fight, who), Form(name="both")]

    @hookimpl
    def resolve(self, fight: Fight, action: Action) -> Steps:
        return both(fight, action) if action.name == "both" else super().resolve(fight, action)


def both(fight: Fight, action: Action) -> Steps:
    yield from Roll("first", by=action.actor, plan=dice(1, 6))
    yield from Roll("second", by=fight.opponents(action.actor)[0], plan=dice(1, 6))
    return "both"


def test_a_report_whose_second_part_waits_goes_on_when_a_nonce_comes() -> None:
    session = dicey(TwoDice, dice={"ann": "reported"}, begun=False)
    must(session.begin())
    answer_all(session)
    must(say(session, "bob", "first"))
    must(session.declare("ann", "both", id="b1"))
    must(session.reveal_dice())
    (slot,) = session.prompts(reader=GM)
    must(session.report(slot, "ann", [[3]]))
    assert Refused(WAIT, (2,)) == session.declare("ann", "end-turn").refused
    must(say(session, "bob", "second"))
    must(session.declare("ann", "end-turn"))

    assert [roll.key for roll in rolls(session, "") if roll.action == "b1"] == ["first", "second"]
    assert "b1" not in session.state(reader=GM).open
    assert session.verify().is_clean
