"""Random fights with undo and redo: the state of a version is the same however it is reached.

The player here knows no rules: it tries what it can think of and takes refusals. The auditor remembers what stood at every
version when it was the newest, and knows of rewinds only that they name a version.
"""

from __future__ import annotations

import random
from functools import cache
from typing import Any

import pytest

from affray.kernel import (
    GM,
    PUBLIC,
    Chain,
    Close,
    Declare,
    GiveModifier,
    InputError,
    Leave,
    Log,
    Modifier,
    Request,
    Reveal,
    RevealDice,
    Rewind,
    Roll,
    SetPool,
    Turn,
    Wait,
    canonical,
    commands,
    fold_all,
    opens_run,
)
from affray.sessions import Answer, Session

from ..support.fights import Table, prompt_for, seats
from ..support.table import must

SEEDS = range(24)
READERS = (GM, PUBLIC, "ann")


class Player:
    """Sends one random request after the other."""

    def __init__(self, seed: int, session: Session) -> None:
        self.dice = random.Random(seed)
        self.session = session
        self.count = 0

    def request(self) -> Request:
        self.count += 1
        caller, command = self.command()
        nonce = f"nonce-{self.count}" if caller != GM and self.dice.random() < 0.5 else ""
        return Request(id=f"q{self.count}", command=command, caller=caller, nonce=nonce, seen=self.session.head)

    def command(self) -> tuple[str, Any]:
        state = self.session.state(reader=GM)
        people = [who for who, one in state.combatants.items() if not one.gone]
        who = self.dice.choice(people)
        kind = self.dice.choices(
            ["play", "undo", "undo-named", "redo", "note", "set", "join", "leave", "reveal", "reveal-dice", "give"],
            [40, 10, 5, 10, 4, 4, 2, 1, 3, 2, 2],
        )[0]
        if kind == "play":
            return self.play(state, people)
        if kind == "undo":
            return self.dice.choice([GM, GM, who]), commands.Undo()
        if kind == "undo-named":
            return GM, commands.Undo(action=f"q{self.dice.randint(1, self.count)}")
        if kind == "redo":
            return self.dice.choice([GM, GM, who]), commands.Redo()
        if kind == "note":
            return self.dice.choice([GM, who]), commands.Note(text="hm", secret=self.dice.random() < 0.5)
        if kind == "set":
            return GM, commands.Overrule(
                reason="so", effect=SetPool(target=who, pool="hp", value=self.dice.randint(1, 12))
            )
        if kind == "give":
            rows = (Modifier("damage.flat", 1, "luck"),)
            name = self.dice.choice([*state.open, "nothing"])
            return GM, commands.Overrule(reason="so", effect=GiveModifier(action=name, rows=rows))
        if kind == "join":
            new = f"n{self.count}"
            return GM, commands.Join(id=new, name=new, side=new, sheet={"hp": 9, "init": self.dice.randint(0, 9)})
        if kind == "leave":
            return GM, commands.Leave(id=who)
        if kind == "reveal":
            return GM, commands.Reveal(version=self.dice.randint(1, self.session.head))
        return GM, commands.RevealDice(chain=self.dice.choice(["open", "kept"]))

    def play(self, state: Any, people: list[str]) -> tuple[str, Any]:
        for name, prompt in state.prompts.items():
            who = self.dice.choice([who for who in prompt.ask.who if who not in prompt.answers])
            if prompt.ask.plan is not None:
                faces = tuple(
                    (self.dice.randint(1, term.sides),) for term in prompt.ask.plan.terms for _ in range(term.count)
                )
                return GM, commands.Report(slot=name, who=who, faces=faces)
            return GM, commands.Answer(slot=name, who=who, value=self.dice.choice(prompt.ask.options).code)
        forms = self.session.actions(state.turn) if state.turn else ()
        if not forms:
            return GM, commands.Begin()
        form = self.dice.choice([form for form in forms if form.name != "roll" and len(form.targets) >= form.least])
        count = self.dice.randint(form.least, min(form.most, len(form.targets)))
        params = {"power": 1} if form.name == "heal" else {}
        return self.dice.choice([GM, state.combatants[state.turn].controller]), commands.Declare(
            actor=state.turn,
            name=form.name,
            targets=tuple(self.dice.sample(form.targets, count)),
            params=params,
            secret=self.dice.random() < 0.1,
        )


class Auditor:
    """Remembers what every reader saw at every version while it was the newest."""

    def __init__(self, session: Session) -> None:
        self.seen: dict[int, dict[str, bytes]] = {}
        self.note(session)

    def note(self, session: Session) -> None:
        self.seen[session.head] = {reader: canonical(session.state(reader=reader)) for reader in READERS}

    def check_rewind(self, session: Session, event: Rewind) -> None:
        assert self.seen[event.to][GM] == self.seen[session.head][GM], f"rewind to {event.to}"

    def check(self, session: Session) -> None:
        for version, seen in self.seen.items():
            for reader, state in seen.items():
                assert state == canonical(session.state(version, reader=reader)), f"version {version} for {reader}"


def sent(session: Session, request: Request) -> Answer | None:
    """The answer, None when the request made no sense at all. Whatever is not accepted changes nothing."""
    before = (session.head, session.digest, canonical(session.state(reader=GM)))
    try:
        answer = session.do(request)
    except InputError:
        answer = None
    if not answer:
        assert before == (session.head, session.digest, canonical(session.state(reader=GM)))
    return answer


@cache
def told(seed: int) -> tuple[Table, Auditor, list[tuple[Request, Answer]]]:
    policy = random.Random(seed).choice(["fair", "reported", {"ann": "reported"}, "scripted-then-fair"])
    table = Table(dice=policy, script=(3,) * 9, undo_dice=random.Random(seed).choice(["redraw", "keep"]))
    auditor, player = Auditor(table.session), Player(seed, table.session)
    for move in seats("ann", "bob", "cy"):
        table.play([move])
        auditor.note(table.session)
    accepted: list[tuple[Request, Answer]] = []
    for _ in range(60):
        if table.session.state().over and player.dice.random() < 0.8:
            request = Request(id=f"u{player.count}", command=commands.Undo())
            player.count += 1
        else:
            request = player.request()
        table.entropy.tell(request.id)
        if player.dice.random() < 0.2:
            player.session = table.restart()
        answer = sent(table.session, request)
        if answer:
            accepted.append((request, answer))
            auditor.note(table.session)
            if isinstance(answer.events[0], Rewind):
                auditor.check_rewind(table.session, answer.events[0])
    return table, auditor, accepted


@pytest.mark.parametrize("seed", SEEDS)
def test_the_state_of_a_version_is_the_same_however_it_is_reached(seed: int) -> None:
    """Law 1: what was undone stays in the log, and law 2: folding the lines alone gives what was played."""
    table, auditor, accepted = told(seed)
    print(f"seed {seed}: {len(accepted)} commands, {table.session.head} versions")
    auditor.check(table.session)
    auditor.check(table.restart())
    chain, log = Chain(table.session.header), Log()
    for line in list(table.store.read("s"))[1:]:
        log.add(chain.accept(line))
    for version, seen in auditor.seen.items():
        assert seen[GM] == canonical(fold_all(log.line(version)))
    assert table.session.verify().findings == ()


@pytest.mark.parametrize("seed", SEEDS)
def test_every_version_can_be_shown_also_within_a_commit(seed: int) -> None:
    table, _, _ = told(seed)
    for version in range(0, table.session.head + 1, 3):
        for reader in READERS:
            table.session.state(version, reader=reader)
    with pytest.raises(InputError, match=f"the log ends at {table.session.head}"):
        table.session.state(table.session.head + 1)
    with pytest.raises(InputError):
        table.session.state(-1)


def counts(session: Session, request: Request, answer: Answer) -> bool:
    """Whether a request brought a nonce of one who controlled somebody in the fight."""
    people = session.state(answer.first - 1, reader=GM).combatants.values()
    return bool(request.nonce) and any(one.controller == request.caller and not one.gone for one in people)


@pytest.mark.parametrize("seed", SEEDS)
def test_what_belongs_to_the_log_is_never_rewound(seed: int) -> None:
    """Reveals, epochs, nonces, command ids and numbers of runs."""
    table, _, accepted = told(seed)
    session = table.restart()
    events = [recorded.event for recorded in session.history(reader=GM)]
    log = session._log
    for chain in ("open", "kept"):
        ended = [event.epoch for event in events if isinstance(event, RevealDice) and event.chain == chain]
        assert list(range(1, len(ended) + 1)) == ended
        assert len(ended) + 1 == log.epochs[chain]
    assert {event.version for event in events if isinstance(event, Reveal)} == set(log.reveals)
    sent = [(request.caller, request.nonce) for request, answer in accepted if counts(session, request, answer)]
    assert sent == [(caller, nonce) for caller, nonce in sent if (caller, nonce) in log.nonces_used]
    assert len(sent) == log.nonces == len(log.nonces_used)
    openings = [n for n, event in enumerate(events, 1) if isinstance(event, Declare | Turn) and opens_run(event)]
    assert openings == sorted(log.openings + log.secret_openings)
    assert all(getattr(events[version - 1], "secret", False) for version in log.secret_openings)
    assert not any(getattr(events[version - 1], "secret", False) for version in log.openings)
    for request, answer in accepted:
        again = session.do(request)
        assert again.repeated
        assert (answer.first, answer.last) == (again.first, again.last)
    assert log.head == session.head == len(events)


def test_the_random_fights_reach_what_they_are_to_test() -> None:
    events = [recorded.event for seed in SEEDS for recorded in told(seed)[0].session.history(reader=GM)]
    assert {"undo", "redo"} == {event.why for event in events if isinstance(event, Rewind)}
    assert sum(isinstance(event, Rewind) for event in events) > 5 * len(SEEDS)
    assert {"engine", "reported", "scripted"} == {event.source for event in events if isinstance(event, Roll)}
    assert any(isinstance(event, Roll) and event.reused for event in events)
    assert {Leave, Reveal, RevealDice, Close, Wait} <= {type(event) for event in events}
    assert any(isinstance(event, Declare) and event.secret for event in events)


def test_a_player_goes_on_from_an_open_prompt_that_was_returned_to() -> None:
    table = Table()
    table.play(seats("ann", "bob"))
    session = table.session
    must(session.declare("ann", "attack", "bob", id="a1"))
    must(session.overrule("so", SetPool(target="bob", pool="hp", value=12)))
    asked = canonical(session.state(reader=GM))
    slot = prompt_for(session, "bob")
    must(session.answer(slot, "bob", "stand", id="c1"))
    must(session.undo())
    assert asked == canonical(session.state(reader=GM)) == canonical(table.restart().state(reader=GM))
    must(table.session.answer(slot, "bob", "dodge", id="c2"))
    assert table.session.verify().is_clean
