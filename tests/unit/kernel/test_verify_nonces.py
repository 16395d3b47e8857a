"""What `verify` finds of nonces, epochs and witnesses: dice that the host could choose, or knew when it chose."""

from __future__ import annotations

from typing import Any

import pytest

from affray.kernel import GM, Choose, chain_secret, verify
from affray.kernel.log import Log
from affray.sessions import Session

from ...support.forged import (
    ann_attacks,
    attacks,
    before_ann,
    changed,
    codes,
    commit_of,
    dicey,
    fight,
    findings,
    log,
    say,
    versions,
)
from ...support.table import answer_all, must

# -- nonces


@pytest.mark.parametrize(
    ("caller", "nonce", "code"),
    [("puppet", "ground", "nonce-of-nobody"), (GM, "ground", "nonce-of-the-gm"), ("ann", "first", "nonce-repeated")],
)
def test_a_nonce_that_does_not_count_is_found(caller: str, nonce: str, code: str) -> None:
    lines = fight()
    commit = commit_of(lines, "note")
    commit["envelope"]["sender"].update(caller=caller, command="p1")
    commit["envelope"]["nonce"] = nonce
    forged, at = before_ann(lines, commit)

    assert (at, code) in codes(forged)
    assert verify(lines).dice.nonces == verify(forged).dice.nonces == 3


def test_a_nonce_counts_with_the_join_that_makes_its_sender_a_player() -> None:
    session = dicey(begun=False)
    must(session.join("cy", side="c", controller="cy", sheet={"hp": 9}, caller="cy", nonce="cy's first"))

    assert (session.verify().findings, session.verify().dice.nonces) == ((), 1)


def test_a_nonce_of_one_whose_last_combatant_has_left_is_found() -> None:
    session = dicey(people=3)
    say(session, "cy", "while here")
    must(session.leave("cy", caller="cy"))
    must(say(session, "cy", "when gone"))
    lines = log(session)
    forged = [line.replace(b'"nonce":""', b'"nonce":"when gone"') if line == lines[-1] else line for line in lines]

    assert verify(lines).dice.nonces == 1
    assert "nonce-of-nobody" in {code for _, code in codes(changed(forged, "note", lambda event: None))}


# -- epochs


@pytest.mark.parametrize("chain", ["open", "kept"])
def test_dice_that_did_not_wait_for_a_nonce_are_found(monkeypatch: pytest.MonkeyPatch, chain: str) -> None:
    """Whoever holds the secret ends epochs until it likes what comes next; the log has every one of them."""
    session = dicey()
    say(session, "ann", "first")
    for _ in range(3):
        must(session.reveal_dice(chain))
    monkeypatch.setattr(Log, "waits_for_nonce", lambda *how: False)
    must(session.declare("ann", "peek") if chain == "kept" else session.declare("ann", "attack", "bob"))
    monkeypatch.undo()
    must(session.reveal_dice(chain))

    assert [(versions(log(session), kind="roll")[-1], "dice-nonce")] == codes(log(session))


def stale(session: Session, chain: str, seen: int) -> list[tuple[int, str]]:
    """What is found when the epoch ended before Ann's command, which had seen so much."""
    say(session, "ann", "first")
    must(session.reveal_dice(chain))
    must(ann_attacks(session))
    answer_all(session, 1)
    (at,) = versions(log(session), kind="declare", action="a1")
    forged = []
    for line in log(session):
        old = b'"seen":%d' % (at - 1)
        forged.append(line.replace(old, b'"seen":%d' % seen) if b'"command":"a1"' in line else line)
    return codes(changed(forged, "note", lambda event: None))


def test_a_nonce_whose_sender_did_not_know_of_the_epochs_end_is_not_enough() -> None:
    ended = dicey().head + 2
    assert stale(dicey(), "open", ended) == []
    assert {"dice-nonce"} == {code for _, code in stale(dicey(), "open", ended - 1)}
    assert {"dice-nonce"} == {code for _, code in stale(dicey(), "open", -1)}


def test_nobody_has_seen_what_was_not_there_yet() -> None:
    assert {"dice-nonce"} == {code for _, code in stale(dicey(), "open", 2**53 - 1)}


def test_the_other_chains_epoch_asks_for_nothing() -> None:
    assert stale(dicey(), "kept", -1) == []


@pytest.mark.parametrize("epoch", [0, 2, 700])
def test_an_epoch_number_of_the_hosts_choice_is_found(epoch: int) -> None:
    session = dicey()
    say(session, "ann", "first")
    must(session.reveal_dice())
    lines = changed(log(session), "reveal-dice", lambda event: event.update(epoch=epoch))

    assert [(session.head, "dice-epoch")] == codes(lines)
    assert verify(lines).dice.proven == 3, "the secret is the right one"


def test_a_chain_that_there_is_not_is_found() -> None:
    session = dicey()
    must(session.reveal_dice())
    lines = changed(log(session), "reveal-dice", lambda event: event.update(chain="gold"))

    assert [(session.head, "dice-secret")] == codes(lines)


# -- witnesses


def witness(event: dict[str, Any]) -> None:
    event["witness"] = True


def test_dice_that_did_not_wait_for_a_witness_are_found() -> None:
    lines = changed(fight(), "open", witness)
    known = versions(lines, kind="roll", key="attack") + versions(lines, kind="roll", key="damage")

    assert {"dice-witness"} == {code for _, code in codes(lines)}
    assert set(known) <= {version for version, _ in codes(lines)}
    assert versions(lines, kind="roll", key="initiative")[0] not in {version for version, _ in codes(lines)}


def test_where_nobody_could_witness_nothing_is_found() -> None:
    session = dicey(people=1, begun=False)
    must(session.join("orc", side="o", sheet={"hp": 60}))
    must(session.begin())
    must(session.declare("ann", "attack", "orc", caller="ann", nonce="x"))

    assert codes(changed(log(session), "open", witness)) == []


def test_nobody_chose_what_one_who_left_was_asked() -> None:
    """A null answer is no choice: else dice behind it would want another witness than the engine waited for."""
    session = dicey(people=3)
    must(session.declare("ann", "sweep", "bob", "cy", caller="ann", nonce="n1"))
    slot = next(iter(session.state().prompts))
    must(session.answer(slot, "bob", "stand", caller="bob", nonce="n2"))
    chosen = session._log.choice
    must(session.leave("cy", caller="cy"))

    assert ["stand", None] == [found.event.value for found in session.history() if isinstance(found.event, Choose)]
    assert "bob" == chosen[1]
    assert chosen == session._log.choice


def test_a_nonce_of_the_chooser_or_from_before_the_choice_is_no_witness() -> None:
    session = dicey()
    say(session, "bob", "before")
    must(ann_attacks(session))

    assert attacks(session)
    assert {"dice-witness"} == {code for _, code in codes(changed(log(session), "open", witness))}


def test_what_the_game_master_chose_for_a_player_needs_a_witness_too() -> None:
    session = dicey()
    say(session, "ann", "first")
    must(session.declare("ann", "attack", "bob"))

    assert {"dice-witness"} == {finding.code for finding in findings(changed(log(session), "open", witness))}


def test_another_commitment_than_the_first_is_never_drawn_from() -> None:
    """A second `open` changes nothing of what the first one promised."""
    lines = fight()
    commit = commit_of(lines, "open")
    commit["envelope"]["sender"]["command"] = "open2"
    commit["events"][0].update(chain=chain_secret(b"z" * 32, 1024, 0).hex(), witness=True, undo_dice="forbid")
    forged, at = before_ann(lines, commit)

    assert [(at, "open")] == codes(forged)
    assert verify(lines).dice.proven == verify(forged).dice.proven > 3
