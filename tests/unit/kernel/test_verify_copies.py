"""What `verify` says of a copy: nothing false, what is not known, and what is proven once it was opened."""

from __future__ import annotations

import json

import pytest

from affray.kernel import (
    GM,
    PUBLIC,
    Modifier,
    Note,
    Request,
    Roll,
    SetOrder,
    SetPool,
    SetStep,
    commands,
    redact,
    verify,
)
from affray.sessions import Session

from ... import standalone_verify
from ...support.forged import (
    ann_attacks,
    attacks,
    changed,
    closed,
    codes,
    copy_of,
    dicey,
    log,
    say,
    versions,
)
from ...support.reseal import reseal
from ...support.table import answer_all, must, play, tiny_session


def with_secret_action(session: Session) -> Session:
    """Ann acts in secret, then Bob openly; closed, both chains opened."""
    say(session, "ann", "first")
    must(session.declare("ann", "attack", "bob", secret=True, caller="ann", nonce="x", id="s1"))
    answer_all(session, 1)
    if not session.state().over:
        must(session.declare("bob", "attack", "ann", caller="bob", nonce="y"))
        answer_all(session, 1)
    closed(session)
    must(session.reveal_dice("kept"))
    return session


@pytest.mark.parametrize("reader", [PUBLIC, "ann", "bob"])
def test_a_copy_of_a_fight_with_a_secret_action_proves_the_open_dice(reader: str) -> None:
    session = with_secret_action(dicey())
    verdict = verify(copy_of(session, reader))
    secret = len([roll for roll in attacks(session) if roll.action == "s1"]) + len(attacks(session, key="damage"))

    assert session.verify().is_clean
    assert (session.digest, ()) == (verdict.digest, verdict.findings)
    assert verdict.dice.unrevealed == 0
    assert session.verify().dice.proven - (0 if reader == "ann" else secret) == verdict.dice.proven > 3


def test_secret_runs_behind_one_that_a_copy_lacks_are_not_numbered() -> None:
    """Ann can prove her first secret action; behind Bob's, she does not know which number hers has."""
    session = dicey()
    for who, foe in (("ann", "bob"), ("bob", "ann"), ("ann", "bob")):
        if not session.state(reader=GM).over:
            must(session.declare(who, "attack", foe, secret=True, caller=who, nonce=f"{who} {session.head}"))
            answer_all(session, 0)
    closed(session)
    must(session.reveal_dice("kept"))
    copy = verify(copy_of(session, "ann"))

    assert session.verify().is_clean
    assert copy.findings == ()
    assert (copy.dice.unrevealed, copy.dice.unknown > 0) == (0, True)


def test_who_is_asked_in_a_secret_action_reads_a_part_of_it_and_finds_nothing_wrong() -> None:
    session = dicey(dice={"bob": "reported"}, begun=False)
    must(session.begin())
    answer_all(session)
    must(session.declare("ann", "attack", "bob", secret=True, rows=(Modifier("attack.skill", 10, "sure"),)))
    answer_all(session, 0)
    closed(session)
    shown = [found.event for found in session.history(reader="bob") if isinstance(found.event, Roll)]

    assert "dodge" in {roll.key for roll in shown}
    assert codes(copy_of(session, "bob")) == []


def test_a_blind_roll_is_proven_in_a_copy_once_its_part_and_its_epoch_are_opened() -> None:
    for part_first in (True, False):
        session = dicey()
        must(session.declare("ann", "peek", caller="ann", nonce="x"))
        (at,) = versions(log(session), kind="roll", key="peek")
        assert (verify(copy_of(session)).dice.unknown, verify(copy_of(session)).dice.proven) == (1, 0)
        must(session.reveal(at) if part_first else session.reveal_dice("kept"))
        must(session.reveal_dice("kept") if part_first else session.reveal(at))
        must(session.close())
        verdict = verify(copy_of(session))

        assert (verdict.dice.unknown, verdict.dice.proven, verdict.findings) == (0, 4, ())


def test_a_blind_roll_that_turns_out_false_is_found_when_it_is_opened() -> None:
    """The host seals whatever it likes; when the part is opened, the faces are not those of the secret."""
    session = dicey()
    must(session.declare("ann", "peek", caller="ann", nonce="x"))
    (at,) = versions(log(session), kind="roll", key="peek")
    must(session.reveal(at))
    must(session.reveal_dice("kept"))
    lines = changed(copy_of(session), "roll", lambda event: event.update(occurrence=3), key="peek")

    assert [(at, "dice")] == codes(lines)


def test_a_blind_roll_whose_total_turns_out_false_is_found_too() -> None:
    session = dicey()
    must(session.declare("ann", "peek", caller="ann", nonce="x"))
    (at,) = versions(log(session), kind="roll", key="peek")
    must(session.reveal(at))
    lines, hashes = [session.header], {}
    for line in session.lines:
        commit = json.loads(line)
        for part in commit["kept"]:
            old = standalone_verify.digest(part)
            part.get("fields", {}).update(total=7)
            hashes[old] = standalone_verify.digest(part), standalone_verify.canonical(part).decode()
        for event in commit["events"]:
            if event.get("kept") in hashes:
                event["kept"] = hashes[event["kept"]][0]
            elif event["kind"] == "reveal":
                ((_, event["part"]),) = hashes.values()
        lines.append(standalone_verify.canonical(commit))
    forged = reseal(lines, lambda version, event: None)
    shown = [forged[0], *(redact(line, PUBLIC) for line in forged[1:])]

    assert [(at, "reading")] == codes(forged) == codes(shown)


def test_a_choice_that_a_copy_does_not_show_may_have_had_another_witness() -> None:
    """The orc's secret end of its turn is the last choice; Ann witnesses, who chose last in the public's eyes."""
    session = tiny_session(witness=True, begun=False)
    must(session.join("orc", side="o", sheet={"hp": 30, "init": 8}))
    must(session.begin())
    must(session.overrule("Bob sleeps", SetOrder(drop=("bob",))))
    must(session.declare("ann", "blow", "orc", id="b1", caller="ann", nonce="n1"))
    while not session.prompts(reader=GM):
        who = session.state(reader=GM).turn
        hidden = {"secret": True} if who == "orc" else {"caller": "ann", "nonce": f"n {session.head}"}
        must(session.declare(who, "end-turn", **hidden))
    must(session.answer("b1|ask.witness-damage.0", "ann", "witness", caller="ann", nonce="last"))

    assert attacks(session, key="damage")
    assert session.verify().is_clean
    assert [] == codes(copy_of(session))


def test_a_nonce_whose_sender_is_kept_is_told() -> None:
    """Nobody who reads the copy can say that it was a player's."""
    session = dicey()
    note = commands.Note(text="x", secret=True)
    must(session.do(Request(id="n", command=note, caller="ann", nonce="ground")))
    verdict = verify(copy_of(session))

    assert (verdict.dice.nonces, verdict.dice.unknown_nonces) == (0, 1)
    assert verdict.findings == ()
    assert list(verdict.notes) == ["1 nonces have a sender that is kept here: whether players sent them is not known"]
    assert (session.verify().dice.nonces, session.verify().dice.unknown_nonces, session.verify().notes) == (1, 0, ())


def test_what_the_game_master_did_in_secret_is_held_against_nobody() -> None:
    """A pool, and the faces of a monster's roll, that only the full log shows to have been set."""
    session = dicey(begun=False)
    must(session.join("orc", side="o", sheet={"hp": 30, "init": 5}))
    must(session.begin())
    must(session.overrule("tougher", SetPool(target="orc", pool="hp", value=29)))
    must(session.overrule("luck", SetStep(slot="o1|roll.attack.orc.0", fields={"faces": [[1]]})))
    for who in ("ann", "bob"):
        must(session.declare(who, "end-turn"))
    must(session.declare("orc", "attack", "ann", id="o1"))
    answer_all(session, 1)
    play(session, 6)
    kept = [found for found in session.history() if found.event.kept]

    assert {"overrule", "join"} <= {type(found.event).__name__.lower() for found in kept}
    assert "overruled" in {found.event.source for found in session.history() if isinstance(found.event, Roll)}
    assert session.verify().is_clean
    assert codes(copy_of(session)) == []


def test_damage_to_pools_of_which_nothing_is_known_is_not_counted() -> None:
    """In a copy that shows a secret action's damage to a monster whose sheet it does not show."""
    session = dicey(begun=False)
    must(session.join("orc", side="o", sheet={"hp": 30, "init": 5}))
    must(session.begin())
    must(session.declare("ann", "attack", "orc", secret=True, caller="ann", nonce="x"))
    answer_all(session, 1)
    play(session, 4)

    assert session.verify().is_clean
    for reader in (PUBLIC, "ann", "bob"):
        assert codes(copy_of(session, reader)) == []


def test_redacted_lines_are_the_same_to_the_last_seal() -> None:
    session = dicey()
    must(ann_attacks(session))
    must(session.note("psst", secret=True))

    assert session.digest == verify([session.header, *(redact(line, PUBLIC) for line in session.lines)]).digest
    assert session.history()[-1].event == Note(text=None, kept=session.history()[-1].event.kept)
