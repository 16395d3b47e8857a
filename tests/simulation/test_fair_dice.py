"""Fair dice in whole sessions: an attacker who holds the secret, epochs, blind rolls, failing stores, undo.

Faces are computed again by `tests/standalone_verify.py`, which shares no code with the kernel.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest

from affray.kernel import (
    GM,
    Commit,
    Entry,
    GiveModifier,
    Held,
    Modifier,
    Refused,
    Request,
    Roll,
    SetCondition,
    SetOrder,
    SetPool,
    StoreError,
    chain_secret,
    commands,
    limits,
    redact,
)
from affray.sessions import Answer, Engine, JsonlStore, MemoryStore, Session

from .. import standalone_verify
from ..support.dicey import Dicey
from ..support.table import Fixed, answer_all, engine, must, play, tiny_catalog, tiny_session

SEEDS = tuple(sha256(f"chain {number}".encode()).digest() for number in (1, 2))
"""The last elements of the open and of the kept chain."""

CATALOG = tiny_catalog(Dicey)


def secret(chain: str, epoch: int) -> str:
    """s[epoch] in hex."""
    return chain_secret(SEEDS[("open", "kept").index(chain)], limits.DICE_EPOCHS, epoch).hex()


def nonces(*sent: str) -> str:
    """The digest of players' nonces so far."""
    found = ""
    for nonce in sent:
        found = standalone_verify.digest([found, nonce])
    return found


def faces(chain: str, epoch: int, sent: Sequence[str], run: int, slot: str, *sides: int) -> tuple[tuple[int], ...]:
    """The faces of plain dice in session "s"."""
    inputs = [secret(chain, epoch), "s", epoch, nonces(*sent), run, slot]
    return tuple((standalone_verify.face(inputs, die, 0, top),) for die, top in enumerate(sides))


class KnownSecret(Fixed):
    """Entropy whose chains are known, and whose salts, times and names differ with every attempt."""

    def __init__(self, attempt: str = "") -> None:
        super().__init__(attempt)
        self.seeds = iter(SEEDS)

    def seed(self) -> bytes:
        return next(self.seeds)


def start(store: Any = None, attempt: str = "", **options: Any) -> Session:
    made = Engine(store or MemoryStore(), CATALOG, KnownSecret(attempt))
    return made.start("tiny", session="s", **options)


def rolls(session: Session, key: str, by: str = "") -> list[Roll]:
    """Every roll of a key in the whole log, undone ones too."""
    events = [found.event for found in session.history(reader=GM)]
    return [event for event in events if isinstance(event, Roll) and event.key == key and by in ("", event.by)]


def player(session: Session, command: commands.Command, nonce: str, who: str = "ann", id: str = "") -> Answer:
    """What a player's client sends: a nonce, and the head it has seen."""
    name = id or f"{who}-{session.head}"
    return session.do(Request(id=name, command=command, caller=who, nonce=nonce, seen=session.head))


# -- an attacker

ATTEMPTS = 1000
MONSTERS = ("attack", "0", "roll", "1", "strike", "damage", "ann2", "Ann", "zz", "A", "tiny", "judge", "-b"[1:], "x_y")


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

    def ann_flurries(self) -> None:
        """Ann's client sends its nonce with the declaration; her two strikes ask the monsters in between."""
        command = commands.Declare(actor="ann", name="flurry", targets=tuple(self.monsters[:2]))
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


def test_a_thousand_attempts_of_one_who_holds_the_secret_change_no_face() -> None:
    """After Ann's last nonce nothing that the game master's client says, names or repeats changes a face of her action.

    Left out, because each changes dice by design and stands in the log for everybody to see: declaring another action
    first, and undoing one (the number of the run); joining the same combatants in another order, or others before them
    (the number of a join); overruling a coming step (its faces, or whom it is about); other rules; closing the action;
    ending the open chain's epoch, which is told below, as dice then wait for Ann; a nonce sent by another player.
    """
    sent, run = ("ann 1", "ann 2"), 3  # begin, Ann's turn, her flurry
    expected = {
        f"{strike}|roll.{key}.1.0": faces("open", 1, sent, run, f"{strike}|roll.{key}.1.0", *sides)
        for strike in ("strike.2.0", "strike.3.0")
        for key, sides in (("attack", (20,)), ("damage", (4, 4)))
    }
    moves: Counter[str] = Counter()
    met: Counter[str] = Counter()
    for attempt in range(ATTEMPTS):
        attacker = Attacker(attempt)
        attacker.set_up()
        attacker.make(attacker.random.randint(0, 3))
        attacker.ann_flurries()
        numbers = {who: one.number for who, one in attacker.session.state(reader=GM).combatants.items()}
        for roll in rolls(attacker.session, "attack", "ann") + rolls(attacker.session, "damage", "ann"):
            slot = standalone_verify.slot_within(roll.action, f"roll.{roll.key}.ann.{roll.occurrence}", numbers)
            assert expected[slot] == roll.faces, f"attempt {attempt}, {slot}: {dict(attacker.moves)}"
            met[slot] += 1
        moves += attacker.moves

    assert (met["strike.2.0|roll.attack.1.0"], met["strike.3.0|roll.attack.1.0"]) == (ATTEMPTS, ATTEMPTS)
    assert min(met.values()) > ATTEMPTS // 3, "damage is rolled where the monster did not dodge"
    assert set(MOVES) == {name.partition(":")[0] for name in moves}, moves
    assert {
        "note: accepted",
        "overrule: accepted",
        "overrule and undo: accepted",
        "give: accepted",
        "join another: accepted",
        "leave: accepted",
        "reveal: accepted",
        "end the kept epoch: accepted",
        "set rules: accepted",
        "repeat: accepted",
        "restart: accepted",
        "reuse an id: command-id-used",
        "pretend: gm-only",
        "pretend: not-yours",
        "declare too early: prompt-open",
        "declare too early: not-your-turn",
    } <= set(moves)


# -- epochs


@pytest.fixture
def ready() -> Session:
    """Ann's turn, with her nonce in the log, against a monster."""
    session = start()
    ann = commands.Join(id="ann", name="Ann", side="heroes", controller="ann", sheet={"hp": 60, "init": 9, "skill": 20})
    must(player(session, ann, "ann 1"))
    must(session.join("orc", side="foes", sheet={"hp": 60, "init": 5}))
    must(session.begin())
    return session


def drawing(chain: str) -> commands.Declare:
    """An action of Ann's that the game master sends for her, without a nonce."""
    if chain == "kept":
        return commands.Declare(actor="ann", name="peek")
    return commands.Declare(actor="ann", name="attack", targets=("orc",))


CHAINS = ("open", "kept")


@pytest.mark.parametrize("chain", CHAINS)
def test_dice_of_a_new_epoch_wait_for_a_players_next_nonce(ready: Session, chain: str) -> None:
    for epoch in (1, 2, 3):  # ending more epochs gives no more choice
        must(ready.reveal_dice(chain))
        head = ready.head
        assert Refused("dice-wait-for-nonce", (epoch + 1,)) == ready.request(drawing(chain)).refused
        assert head == ready.head
        must(ready.request(commands.Note(text="A nonce of the game master's."), nonce="free choice"))
        assert Refused("dice-wait-for-nonce", (epoch + 1,)) == ready.request(drawing(chain)).refused
    must(player(ready, commands.Note(text="Go on."), "ann 2"))
    must(ready.request(drawing(chain)))
    key, sides = ("peek", (100,) * 5) if chain == "kept" else ("attack", (20,))

    assert [faces(chain, 4, ("ann 1", "ann 2"), 3, f"|roll.{key}.1.0", *sides)] == [
        roll.faces for roll in rolls(ready, key)
    ]


@pytest.mark.parametrize("chain", CHAINS)
def test_the_other_chain_does_not_wait(ready: Session, chain: str) -> None:
    other = CHAINS[1 - CHAINS.index(chain)]
    must(ready.reveal_dice(other))

    must(ready.request(drawing(chain)))


def test_with_no_players_nonce_nothing_waits() -> None:
    """Then nothing is proven against the host anyway, and the report says so."""
    session = tiny_session(engine(catalog=CATALOG))
    must(session.reveal_dice())

    must(session.declare("ann", "attack", "bob"))
    assert session.verify().dice.nonces == 0


def test_dice_that_wait_leave_an_answer_open(ready: Session) -> None:
    """In the middle of an action: nothing is appended, and the same answer is taken once a nonce has come."""
    must(player(ready, commands.Declare(actor="ann", name="attack", targets=("orc",)), "ann 2"))
    (slot,) = ready.prompts(reader=GM)
    must(ready.reveal_dice())

    assert Refused("dice-wait-for-nonce", (2,)) == ready.answer(slot, "orc", "dodge").refused
    must(player(ready, commands.Note(text="Here."), "ann 3"))
    must(ready.answer(slot, "orc", "dodge"))
    assert faces("open", 2, ("ann 1", "ann 2", "ann 3"), 3, "|roll.dodge.2.0", 20) == rolls(ready, "dodge")[0].faces


def test_an_epoch_is_never_returned_to(ready: Session) -> None:
    must(player(ready, drawing("open"), "ann 2"))
    answer_all(ready, 1)
    must(ready.reveal_dice())
    must(ready.undo())
    assert ready.state().turn == "ann"
    must(player(ready, drawing("open"), "ann 3"))

    run = 5  # begin, Ann's turn, her attack, the orc's turn that was undone with it
    assert faces("open", 2, ("ann 1", "ann 2", "ann 3"), run, "|roll.attack.1.0", 20) == rolls(ready, "attack")[-1].faces


def test_a_chain_that_is_used_up_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "DICE_EPOCHS", 2)
    session = start()
    must(session.join("ann", side="a", sheet={"hp": 9}))
    must(session.join("bob", side="b", sheet={"hp": 9}))
    must(session.begin())
    must(session.reveal_dice())
    must(session.reveal_dice())

    assert Refused("dice-epochs-used-up", (2,)) == session.reveal_dice().refused
    assert Refused("dice-epochs-used-up", (2,)) == session.declare("ann", "attack", "bob").refused
    must(session.reveal_dice("kept"))
    assert session.verify().is_clean


def test_a_revealed_epoch_tells_nothing_of_the_next(tmp_path: Path) -> None:
    """What is in the log hashes to what was there before; nothing in the log, or in a copy, hashes to it."""
    store = JsonlStore(tmp_path)
    session = start(store)
    must(session.join("ann", side="a", controller="ann", sheet={"hp": 60, "init": 9}))
    must(session.join("bob", side="b", sheet={"hp": 60}))
    must(session.begin())
    for _ in range(3):
        must(session.reveal_dice())
    must(session.declare("ann", "peek"))
    must(session.close())
    store.close()
    text = (tmp_path / "s.affray").read_text()
    told = {chain: [epoch for epoch in range(limits.DICE_EPOCHS + 1) if secret(chain, epoch) in text] for chain in CHAINS}

    assert told == {"open": [0, 1, 2, 3, 4], "kept": [0]}
    for epoch in range(4):
        after, before = bytes.fromhex(secret("open", epoch + 1)), secret("open", epoch)
        assert before == sha256(after).hexdigest()
    assert not any(seed.hex() in text for seed in SEEDS)
    assert [seed.hex() in (tmp_path / "s.secret").read_text() for seed in SEEDS] == [True, True]
    for reader in (GM, "ann", "public"):
        shown = b"".join(redact(line, reader) for line in session.lines).decode()
        assert not any(secret(chain, told[chain][-1] + 1) in shown for chain in CHAINS)


# -- blind rolls


def test_a_blind_roll_cannot_be_computed_from_any_opened_open_epoch(ready: Session) -> None:
    must(player(ready, drawing("kept"), "ann 2"))
    must(ready.reveal_dice())
    must(ready.reveal_dice())
    shown = [redact(line, "ann").decode() for line in ready.lines]
    told = [secret("open", epoch) for epoch in range(3)]
    (blind,) = rolls(ready, "peek")

    assert all(any(known in line for line in shown) for known in told)
    for known in told:
        for epoch in (1, 2, 3):
            inputs = [known, "s", epoch, nonces("ann 1", "ann 2"), 3, "|roll.peek.1.0"]
            assert blind.faces != tuple((standalone_verify.face(inputs, die, 0, 100),) for die in range(5))
    assert blind.faces == faces("kept", 1, ("ann 1", "ann 2"), 3, "|roll.peek.1.0", *(100,) * 5)


def test_a_blind_roll_is_proven_by_its_part_and_the_kept_epoch(ready: Session) -> None:
    must(player(ready, drawing("kept"), "ann 2"))
    version = next(v for v, event in enumerate(ready.history(reader=GM), 1) if getattr(event.event, "key", "") == "peek")

    assert ready.history(version - 1)[0].event.faces is None
    must(ready.reveal(version))
    assert ready.history(version - 1)[0].event.faces == rolls(ready, "peek")[0].faces
    assert ready.verify().dice.unrevealed == len(rolls(ready, "initiative") + rolls(ready, "grit")) + 1
    must(ready.reveal_dice("kept"))
    must(ready.reveal_dice())
    assert ready.verify().is_clean
    assert (ready.verify().dice.proven, ready.verify().dice.unrevealed) == (4, 0)


def test_dice_of_a_secret_action_stand_in_the_kept_chain(ready: Session) -> None:
    must(player(ready, msgspec.structs.replace(drawing("open"), secret=True), "ann 2"))

    assert [faces("kept", 1, ("ann 1", "ann 2"), 3, "|roll.attack.1.0", 20)] == [
        roll.faces for roll in rolls(ready, "attack")
    ]


# -- names


def whole_fight(*names: str, **options: Any) -> list[Any]:
    """Every face of a fight to the end of three, each with a nonce of the same content, under these names."""
    session = start(attempt=names[0], **options)
    for number, name in enumerate(names):
        sheet = {"hp": 25, "init": 9 - number}
        join = commands.Join(id=name, name=name.upper(), side=f"side{number}", controller=name, sheet=sheet)
        must(player(session, join, f"nonce {number}", name))
    must(session.begin())
    for turn in range(100):
        state = session.state(reader=GM)
        if state.over:
            break
        up = [one for one in names if one != state.turn and state.combatants[one].pools["hp"]]
        must(session.declare(state.turn, "flurry", *up, caller=state.turn, nonce=f"turn {turn}"))
        answer_all(session, turn)
    assert session.state().over
    assert session.verify().is_clean
    return [(roll.key, roll.faces) for found in session.history() if isinstance(roll := found.event, Roll)]


def test_people_named_like_keys_and_numbers_get_the_same_faces() -> None:
    plain = whole_fight("ann", "bob", "cy")

    assert len(plain) > 30
    for names in (("attack", "0", "roll"), ("strike", "damage", "1"), ("2", "3", "1"), ("tiny", "grit", "start")):
        assert plain == whole_fight(*names)


# -- what fails and is sent again


class Store(MemoryStore):
    """Fails once at the append it is told, before it stores or after (when the answer is lost)."""

    when = ""

    def append(self, session: str, commits: Sequence[Commit], expected_version: int) -> tuple[Commit, ...]:
        when, self.when = self.when, ""
        if when == "before":
            raise StoreError("the disk is full")
        stored = super().append(session, commits, expected_version)
        if when == "after":
            raise StoreError("the connection was lost")
        return stored


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("restarts", [False, True])
def test_a_command_sent_again_after_a_failed_append_meets_the_same_faces(when: str, restarts: bool) -> None:
    store = Store()
    session = tiny_session(Engine(store, CATALOG, KnownSecret()))
    store.when = when
    request = Request(
        id="a1", command=commands.Declare(actor="ann", name="attack", targets=("bob",)), caller="ann", nonce="n"
    )
    with pytest.raises(StoreError):
        session.do(request)
    if restarts:
        session = Engine(store, CATALOG, KnownSecret("again")).load("s")
    answer = must(session.do(request))

    assert (when == "after") == answer.repeated
    assert [faces("open", 1, ("n",), 3, "|roll.attack.1.0", 20)] == [roll.faces for roll in rolls(session, "attack")]
    assert session.verify().is_clean


# -- undo


def attack_twice(undo_dice: str, between: Callable[[Session], object] = lambda session: None) -> Session:
    """Ann attacks, it is undone, and she attacks again with another command and another nonce."""
    session = tiny_session(Engine(MemoryStore(), CATALOG, KnownSecret()), undo_dice=undo_dice)
    must(session.declare("ann", "attack", "bob", caller="ann", nonce="1", id="first"))
    answer_all(session, 1)
    must(session.undo())
    between(session)
    must(session.declare("ann", "attack", "bob", caller="ann", nonce="2", id="second"))
    answer_all(session, 1)
    return session


def shown(session: Session, key: str, by: str = "ann") -> list[tuple[Any, bool]]:
    """Faces of every roll of a key, and whether they were kept from an earlier one."""
    return [(roll.faces, roll.reused > 0) for roll in rolls(session, key, by)]


def close(session: Session) -> None:
    if not session.state().over:
        must(session.close())


def test_redraw_throws_new_dice_under_the_next_number() -> None:
    session = attack_twice("redraw")
    first, second = (faces("open", 1, sent, run, "|roll.attack.1.0", 20) for sent, run in ((("1",), 3), (("1", "2"), 5)))

    assert first != second
    assert [(first, False), (second, False)] == shown(session, "attack")
    assert session.verify().is_clean


def test_keep_gives_the_actors_nth_action_its_recorded_faces() -> None:
    session = attack_twice("keep")
    first = faces("open", 1, ("1",), 3, "|roll.attack.1.0", 20)
    close(session)
    report = session.verify()

    assert [(first, False), (first, True)] == shown(session, "attack")
    assert report.is_clean
    assert report.dice.unrevealed == 0


def test_keep_knows_an_action_whatever_was_undone_before_it() -> None:
    session = attack_twice("keep")
    must(session.undo())
    must(session.declare("ann", "attack", "bob", caller="ann", nonce="3"))

    assert [face for face, _ in shown(session, "attack")] == [rolls(session, "attack")[0].faces] * 3
    assert session.verify().is_clean


def test_keep_throws_new_dice_for_the_actors_next_action() -> None:
    session = tiny_session(Engine(MemoryStore(), CATALOG, KnownSecret()), undo_dice="keep")
    play(session, 6)

    assert not any(roll.reused for key in ("attack", "damage", "grit") for roll in rolls(session, key))


def test_forbid_refuses_an_undo_past_a_roll() -> None:
    session = tiny_session(Engine(MemoryStore(), CATALOG, KnownSecret()), undo_dice="forbid")
    must(session.note("Words can be taken back."))
    must(session.undo())
    must(session.declare("ann", "attack", "bob", caller="ann", nonce="1"))
    answer_all(session, 1)
    head = session.head

    assert Refused("dice-thrown") == session.undo().refused
    assert head == session.head


@pytest.mark.parametrize(("undo_dice", "same"), [("redraw", False), ("keep", True)])
def test_upkeep_dice_after_a_rewind(undo_dice: str, same: bool) -> None:
    """Bob's first turn begins twice: after Ann's action, and after it was undone and declared again."""
    session = attack_twice(undo_dice)
    (first, was_kept), (second, is_kept) = shown(session, "grit", "bob")

    assert (False, same) == (was_kept, is_kept)
    assert same == (first == second)
    close(session)
    assert session.verify().is_clean


def test_an_undo_that_is_redone_throws_no_dice() -> None:
    session = tiny_session(Engine(MemoryStore(), CATALOG, KnownSecret()))
    must(session.declare("ann", "attack", "bob", caller="ann", nonce="1"))
    answer_all(session, 1)
    before = session.state(reader=GM)
    for _ in range(3):
        must(session.undo())
        must(session.redo())

    assert before == session.state(reader=GM)
    assert len(rolls(session, "attack")) == 1
    must(session.declare("bob", "attack", "ann"))
    assert faces("open", 1, ("1",), 5, "|roll.attack.2.0", 20) == rolls(session, "attack")[-1].faces

