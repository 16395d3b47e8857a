"""The game master's client of one who holds the dice secret, and everything it may say, name and repeat."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from random import Random

import msgspec
import pytest

from affray.kernel import (
    GM,
    Commit,
    Entry,
    GiveModifier,
    Held,
    Modifier,
    Request,
    SetCondition,
    SetOrder,
    SetPool,
    StoreError,
    commands,
)
from affray.sessions import Answer, Engine, MemoryStore

from ..support.table import must
from .known_secret import CATALOG, KnownSecret, player, start

MONSTERS = ("attack", "0", "roll", "1", "strike", "damage", "ann2", "Ann", "zz", "A", "tiny", "judge", "b", "x_y")


class Attacker:
    """The game master's client of one attempt, which knows the secret. It may say and name whatever it likes."""

    def __init__(self, attempt: int) -> None:
        self.random = Random(attempt)
        self.words = 0
        self.store = FlakyStore()
        self.sent: list[Request] = []
        self.moves: Counter[str] = Counter()
        self.session = start(self.store, f"attempt {attempt}", title=self.word())
        self.monsters = self.random.sample(MONSTERS, 3)

    def word(self) -> str:
        """Any id or text that was not used before in this attempt."""
        self.words += 1
        return "".join(self.random.choices("abcdefghijklmnop0123456789", k=self.random.randint(1, 12))) + f"_{self.words}"

    def send(self, command: commands.Command, caller: str = GM) -> Answer:
        request = Request(
            id=self.word(),
            command=command,
            caller=caller,
            on_behalf=self.random.choice(["", "ann", self.word()]),
            seen=self.random.randint(-1, self.session.head),
            nonce=self.word(),
        )
        if caller == GM:
            self.sent.append(request)
        return self.session.do(request)

    def set_up(self) -> None:
        """Ann joins first, with her nonce; three monsters of the same numbers follow under any name."""
        ann = commands.Join(
            id="ann", name="Ann", side="heroes", controller="ann", sheet={"hp": 90, "init": 9, "skill": 20}
        )
        must(player(self.session, ann, "ann 1"))
        for number, name in enumerate(self.monsters):
            sheet = {"hp": 60, "init": 5 - number}
            must(self.send(commands.Join(id=name, name=self.word(), side="foes", sheet=sheet)))
        must(self.send(commands.Begin()))

    def make(self, count: int) -> None:
        """So many moves, whatever comes of them."""
        for _ in range(count):
            name = self.random.choice(list(MOVES))
            answer = MOVES[name](self)
            refused = answer.refused.code if answer is not None and answer.refused else "accepted"
            self.moves[f"{name}: {refused}"] += 1

    def ann_acts(self, name: str) -> None:
        """Ann's client sends its nonce with the declaration; the monsters are asked in the middle of it."""
        targets = self.monsters[: 2 if name == "flurry" else 1]
        command = commands.Declare(actor="ann", name=name, targets=tuple(targets))
        request = Request(id=self.word(), command=command, caller="ann", nonce="ann 2", seen=self.session.head)
        self.insist(request)
        while prompts := self.session.prompts(reader=GM):
            self.make(self.random.randint(0, 3))
            slot, prompt = next(iter(self.session.prompts(reader=GM).items()), ("", None))
            assert prompts.keys() == {slot}
            assert prompt is not None
            value = self.random.choice(["dodge", "stand"])
            nonce = self.word()
            self.insist(
                Request(id=self.word(), command=commands.Answer(slot=slot, who=prompt.ask.who[0], value=value), nonce=nonce)
            )

    def insist(self, request: Request) -> None:
        """Send a command, again where the store fails."""
        self.store.fails = self.random.choice([0, 0, 1, 2])
        while self.store.fails:
            with pytest.raises(StoreError):
                self.session.do(request)
        must(self.session.do(request))

    def note(self) -> Answer:
        return self.send(commands.Note(text=self.word(), secret=self.random.random() < 0.5))

    def overrule(self) -> Answer:
        target = self.random.choice(self.monsters)
        effects: list[SetPool | SetCondition | SetOrder] = [
            SetPool(target=target, pool="hp", value=self.random.randint(40, 60)),
            SetCondition(target=target, held=Held(id=self.word())),
            SetOrder(entries=(Entry(key=self.word(), when=(9, 0, 0), who=target),)),
        ]
        return self.send(commands.Overrule(reason=self.word(), effect=self.random.choice(effects)))

    def overrule_and_undo(self) -> Answer:
        must(self.overrule())
        undone = must(self.send(commands.Undo()))
        return must(self.send(commands.Redo())) if self.random.random() < 0.5 else undone

    def give(self) -> Answer | None:
        action = next((run.id for run in self.session.state(reader=GM).open.values()), "")
        rows = (Modifier("damage.flat", self.random.randint(1, 9), "spite"),)
        return self.send(commands.Overrule(reason="spite", effect=GiveModifier(action=action, rows=rows)))

    def join_another(self) -> Answer:
        return self.send(commands.Join(id="n" + self.word(), name="N", side="foes", sheet={"hp": 9}))

    def leave(self) -> Answer:
        return self.send(commands.Leave(id=self.monsters[2]))

    def reveal(self) -> Answer:
        return self.send(commands.Reveal(version=self.random.randint(1, self.session.head)))

    def end_kept_epoch(self) -> Answer:
        return self.send(commands.RevealDice(chain="kept"))

    def set_rules(self) -> Answer:
        return self.send(commands.SetRules(manifest=self.session.manifest, reason=self.word()))

    def repeat(self) -> Answer:
        return self.session.do(self.random.choice(self.sent))

    def reuse_an_id(self) -> Answer:
        before = self.random.choice(self.sent)
        return self.session.do(msgspec.structs.replace(before, command=commands.Note(text=self.word()), nonce=self.word()))

    def pretend(self) -> Answer:
        """Commands of somebody who has no business here, with nonces of a free choice."""
        slot = next(iter(self.session.prompts(reader=GM)), "")
        choices: list[commands.Command] = [
            commands.Declare(actor="ann", name="attack", targets=(self.monsters[0],)),
            commands.Declare(actor=self.monsters[0], name="attack", targets=("ann",)),
            commands.Answer(slot=slot, who=self.monsters[0], value="stand"),
            commands.Report(slot=slot, who="ann", faces=((20,),)),
            commands.Join(id="ann", name="Ann", side="foes", controller="puppet"),
            commands.RevealDice(),
            commands.Undo(),
            commands.Close(),
            commands.Begin(),
            commands.Reveal(version=1),
        ]
        return self.send(self.random.choice(choices), caller="puppet")

    def speak_as_a_puppet(self) -> Answer:
        """A word, with a nonce of a free choice, of a client that the game master made up."""
        return self.send(commands.Note(text=self.word()), caller=self.random.choice(["puppet", "Ann", self.word()]))

    def declare_too_early(self) -> Answer:
        """An action of a monster that does not have the turn."""
        secret = self.random.random() < 0.5
        return self.send(
            commands.Declare(actor=self.monsters[0], name="attack", targets=("ann",), secret=secret)
        )

    def restart(self) -> None:
        self.session = Engine(self.store, CATALOG, KnownSecret(self.word())).load("s")


MOVES: dict[str, Callable[[Attacker], Answer | None]] = {
    "note": Attacker.note,
    "overrule": Attacker.overrule,
    "overrule and undo": Attacker.overrule_and_undo,
    "give": Attacker.give,
    "join another": Attacker.join_another,
    "leave": Attacker.leave,
    "reveal": Attacker.reveal,
    "end the kept epoch": Attacker.end_kept_epoch,
    "set rules": Attacker.set_rules,
    "repeat": Attacker.repeat,
    "reuse an id": Attacker.reuse_an_id,
    "pretend": Attacker.pretend,
    "speak as a puppet": Attacker.speak_as_a_puppet,
    "declare too early": Attacker.declare_too_early,
    "restart": Attacker.restart,
}


class FlakyStore(MemoryStore):
    """A store that fails as often as it is told, before anything is stored."""

    fails = 0

    def append(self, session: str, commits: Sequence[Commit], expected_version: int) -> tuple[Commit, ...]:
        if self.fails:
            self.fails -= 1
            raise StoreError("the disk is full")
        return super().append(session, commits, expected_version)


__all__ = ["MOVES", "Attacker"]
