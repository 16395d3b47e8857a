"""Fair dice in whole sessions: an attacker who holds the secret, epochs, blind rolls, names, failing stores.

Faces are computed again by `tests/standalone_verify.py`, which shares no code with the kernel.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec
import pytest

from affray.kernel import GM, Commit, Refused, Request, Roll, StoreError, commands, limits, redact
from affray.sessions import Engine, JsonlStore, MemoryStore, Session

from .. import standalone_verify
from ..support.table import answer_all, engine, must, tiny_session
from .attacker import MOVES, Attacker
from .known_secret import CATALOG, SEEDS, KnownSecret, faces, nonces, player, rolls, secret, start

ATTEMPTS = 1000


def test_a_thousand_attempts_of_one_who_holds_the_secret_change_no_face() -> None:
    """After Ann's last nonce nothing that the game master's client says, names or repeats changes a face of her action.

    Left out, because each changes dice by design and stands in the log for everybody to see: declaring another action
    first, and undoing one (the number of the run); joining the same combatants in another order, or others before them
    (the number of a join); overruling a coming step (its faces, or whom it is about); other rules; closing the action;
    ending the open chain's epoch, which is told below, as dice then wait for Ann; a nonce of another player, who controls
    somebody in the fight.
    """
    sent, run = ("ann 1", "ann 2"), 3  # begin, Ann's turn, her action
    strikes = {"attack": ("",), "flurry": ("strike.2.0", "strike.3.0")}
    expected = {
        f"{strike}|roll.{key}.1.0": faces("open", 1, sent, run, f"{strike}|roll.{key}.1.0", *sides)
        for strike in sum(strikes.values(), ())
        for key, sides in (("attack", (20,)), ("damage", (4, 4)))
    }
    moves: Counter[str] = Counter()
    met: Counter[str] = Counter()
    for attempt in range(ATTEMPTS):
        attacker = Attacker(attempt)
        attacker.set_up()
        attacker.make(attacker.random.randint(0, 3))
        attacker.ann_acts("flurry" if attempt % 2 else "attack")
        numbers = {who: one.number for who, one in attacker.session.state(reader=GM).combatants.items()}
        for roll in rolls(attacker.session, "", "ann"):
            if roll.key in ("attack", "damage"):
                slot = standalone_verify.slot_within(roll.action, f"roll.{roll.key}.ann.{roll.occurrence}", numbers)
                assert expected[slot] == roll.faces, f"attempt {attempt}, {slot}: {dict(attacker.moves)}"
                met[slot] += 1
        moves += attacker.moves

    assert [met[slot] for slot in expected if "attack" in slot] == [ATTEMPTS // 2] * 3
    assert min(met[slot] for slot in expected) > ATTEMPTS // 6, "damage is rolled where a monster did not dodge"
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
        "speak as a puppet: accepted",
        "declare too early: prompt-open",
        "declare too early: not-your-turn",
    } <= set(moves)


@pytest.mark.parametrize("attempt", range(40))
def test_who_holds_back_a_players_command_and_ends_the_epochs_that_it_likes_gets_no_dice_for_it(attempt: int) -> None:
    """The host knows the secret and Ann's nonce, and would have Ann's client meet the lowest face there is."""
    session = start()
    ann = commands.Join(id="ann", name="Ann", side="heroes", controller="ann", sheet={"hp": 90, "init": 9, "skill": 20})
    must(player(session, ann, "ann 1"))
    must(session.join("orc", side="foes", sheet={"hp": 90, "init": 5}))
    must(session.begin())
    held = Request(id="a1", command=drawing("open"), caller="ann", nonce=f"held {attempt}", seen=session.head)

    def meets(epoch: int, nonce: str) -> Any:
        return faces("open", epoch, ("ann 1", nonce), 3, "|roll.attack.1.0", 20)

    best = min(range(1, 30), key=lambda epoch: meets(epoch, held.nonce)[0])
    for _ in range(1, best):
        must(session.reveal_dice())
    refused = None if best == 1 else Refused("dice-wait-for-nonce", (best,))
    assert refused == session.do(held).refused
    if refused:  # Ann's client is told, and sends what it makes up now
        again = msgspec.structs.replace(held, nonce=f"fresh {attempt}", seen=session.head)
        must(session.do(again))

    assert [meets(best, f"{'fresh' if refused else 'held'} {attempt}")] == [roll.faces for roll in rolls(session, "attack")]
    assert session.verify().is_clean


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

    assert [faces("kept", 1, ("ann 1", "ann 2"), -1, "|roll.attack.1.0", 20)] == [
        roll.faces for roll in rolls(ready, "attack")
    ]


def test_secret_and_open_runs_are_counted_apart(ready: Session) -> None:
    """Else a secret declaration would give every open roll behind it other faces, unseen."""
    hidden = msgspec.structs.replace(drawing("open"), secret=True)
    for nonce in ("ann 2", "ann 3"):
        must(player(ready, hidden, nonce))
        answer_all(ready, 1)
        must(ready.undo())
    must(player(ready, drawing("open"), "ann 4"))
    sent, run = ("ann 1", "ann 2", "ann 3", "ann 4"), 5  # begin, Ann's turn, the orc's after each secret attack, her own
    secret_ones = [faces("kept", 1, sent[: 1 + nth], -nth, "|roll.attack.1.0", 20) for nth in (1, 2)]

    assert [*secret_ones, faces("open", 1, sent, run, "|roll.attack.1.0", 20)] == [
        roll.faces for roll in rolls(ready, "attack")
    ]
    assert ready.verify().is_clean


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
