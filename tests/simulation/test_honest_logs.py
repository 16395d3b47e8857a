"""Whatever happens in a fight that nobody tampers with, `verify` finds nothing: not in its log, and in nobody's copy."""

from __future__ import annotations

from functools import cache
from itertools import product
from typing import Any

import pytest

from affray.kernel import GM, InputError, Request, Roll, commands, redact, verify
from affray.sessions import Session

from ..support.dicey import Dicey
from ..support.fights import Table, seats
from ..support.table import tiny_catalog
from .test_lineage import Player

POLICIES = ("fair", {"ann": "reported"}, "scripted-then-fair")
OPTIONS = tuple(product(POLICIES, ("redraw", "keep", "forbid"), (False, True)))
READERS = ("public", "ann", "bob")


class Knowing(Player):
    """Players whose clients send a nonce with whatever they say and know what stands, and who witness when they are asked."""

    def request(self) -> Request:
        self.count += 1
        caller, command = self.command()
        for slot, prompt in self.session.prompts(reader=GM).items():
            if "|ask.witness-" in slot and self.dice.random() < 0.8:
                who = prompt.ask.who[0]
                command = commands.Answer(slot=slot, who=who, value="witness")
                caller = self.session.state(reader=GM).combatants[who].controller
        if isinstance(command, commands.RevealDice) and self.dice.random() < 0.5:
            caller, command = "ann", commands.Note(text="Here is a nonce.")
        nonce = f"nonce-{self.count}" if caller != GM else ""
        return Request(id=f"q{self.count}", command=command, caller=caller, nonce=nonce, seen=self.session.head)


@cache
def played(index: int) -> Session:
    dice, undo_dice, witness = OPTIONS[index % len(OPTIONS)]
    start: dict[str, Any] = {"dice": dice, "undo_dice": undo_dice, "witness": witness}
    table = Table(catalog=tiny_catalog(Dicey), script=(3,) * 9, **start)
    player = Knowing(index, table.session)
    table.play(seats("ann", "bob", "cy"))
    for _ in range(70):
        if all(one.gone for one in table.session.state().combatants.values()):
            break
        request = player.request()
        table.entropy.tell(request.id)
        if player.dice.random() < 0.1:
            player.session = table.restart()
        try:
            table.session.do(request)
        except InputError:
            continue
    if not table.session.state().over and player.dice.random() < 0.7:
        table.session.close()
        table.session.reveal_dice("kept")
    return table.session


@pytest.mark.parametrize("index", range(3 * len(OPTIONS)))
def test_an_honest_log_and_every_copy_of_it_verify(index: int) -> None:
    session = played(index)
    print(f"fight {index}: {OPTIONS[index % len(OPTIONS)]}, {session.head} versions")

    assert session.verify().findings == ()
    for reader in READERS:
        verdict = verify([session.header, *(redact(line, reader) for line in session.lines)])
        assert (session.head, session.digest, ()) == (verdict.version, verdict.digest, verdict.findings), reader


def test_the_fights_hold_what_they_are_to_test() -> None:
    sessions = [played(index) for index in range(3 * len(OPTIONS))]
    rolls = [r.event for s in sessions for r in s.history(reader=GM) if isinstance(r.event, Roll)]
    reports = [s.verify().dice for s in sessions]
    slots = [slot for s in sessions for r in s.history(reader=GM) if "witness-" in (slot := getattr(r.event, "key", ""))]

    assert {"engine", "reported", "scripted"} == {roll.source for roll in rolls}
    assert all(any(getattr(roll, name) for roll in rolls) for name in ("reused", "blind"))
    assert sum(report.proven for report in reports) > 300
    assert sum(report.unrevealed for report in reports) > 50
    assert len(slots) > 50
    assert any(session._log.epochs["open"] > 2 for session in sessions)
