"""Who may read what: a player's copy verifies to the same head, plays back, and holds no secret in any of its bytes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
import pytest

from affray.kernel import (
    GM,
    PUBLIC,
    Act,
    Action,
    ApplyDamage,
    Ask,
    Chain,
    Change,
    Condition,
    Declare,
    Done,
    Fight,
    GiveModifier,
    Held,
    InputError,
    Join,
    Judge,
    Log,
    Modifier,
    Note,
    Overrule,
    Refused,
    Roll,
    Row,
    Save,
    SetPool,
    SetStep,
    Steps,
    Turn,
    commands,
    dice,
    fold_all,
    hookimpl,
    redact,
    verify,
)
from affray.sessions import Answer, Engine, MemoryStore, Session

from ...support.fights import prompt_for
from ...support.table import Fixed, answer_all, bare_request, engine, must, tiny_catalog, tiny_session
from ...support.tiny import Tiny

HP, SKILL, POWER, BONUS = 73737, 92929, 85858, 61616
"""Numbers that stand nowhere by chance."""


class Monsters(Tiny):
    """Attacks that carry the attacker's numbers into damage, saves and drained pools."""

    @hookimpl
    def resolve(self, fight: Fight, action: Action) -> Steps:
        steps: Steps = gaze(fight, action) if action.name == "curse" else super().resolve(fight, action)
        return steps


def gaze(fight: Fight, action: Action) -> Any:
    """A save against the monster's number, then damage and a drain that its numbers explain."""
    skill = fight.sheet(action.actor).skill
    blind = yield from Roll("gaze", by=action.actor, plan=dice(1, 20), blind=True)
    goal = (Row("skill", skill, "sheet"),)
    yield Save("gaze", who=action.target, name="will", code="failed", goal=skill, margin=-skill, trace=goal)
    rows = (Row("skill", skill, "sheet"), Row("armour", 3 - skill, "rule"))
    yield ApplyDamage("gaze", target=action.target, pools=("hp",), value=3, trace=rows)
    yield Change("drain", target=action.target, pool="wounds", value=3, trace=rows)
    return "stared" if blind.total else ""


def haunted(**start: Any) -> Session:
    """Ann and bob against a secret monster of the game master's, with everything that could give it away."""
    session = tiny_session(engine(catalog=tiny_catalog(Monsters)), **start)
    sheet = {"hp": HP, "skill": SKILL, "init": 10}
    held = Held(id="armed", value=POWER, rows=(Modifier("damage.flat", BONUS, "armed"),))
    must(session.join("ghost", "Ghost", side="ghost", sheet=sheet, conditions=(held,)))
    must(session.declare("ann", "attack", "ghost", caller="ann", rows=()))
    while session.state().turn != "ghost" and not session.state().over:
        answer_all(session)
        if session.state().turn == "ghost":
            break
        must(session.declare(session.state().turn, "attack", "ghost"))
    answer_all(session)
    must(session.declare("ghost", "curse", "ann"))
    must(session.overrule("weakened", SetPool(target="ghost", pool="hp", value=HP - 1)))
    must(session.overrule("lucky", SetStep(slot="x|judge.attack.ghost.0", fields={"goal": SKILL, "margin": SKILL})))
    must(session.note(f"it has {HP} left", secret=True))
    return session


def copy_for(session: Session, reader: str) -> list[bytes]:
    return [session.header, *[redact(line, reader) for line in session.lines]]


def secrets_in(lines: Sequence[bytes]) -> set[int]:
    text = b"\n".join(lines).decode()
    return {number for number in (HP, HP - 1, SKILL, POWER, BONUS) if str(number) in text}


def read_back(lines: Sequence[bytes]) -> Log:
    chain, log = Chain(lines[0]), Log()
    for line in lines[1:]:
        log.add(chain.accept(line))
    return log


def test_the_numbers_are_in_the_full_log() -> None:
    """Without this the next test could not fail."""
    session = haunted()
    assert secrets_in(copy_for(session, GM)) == {HP, HP - 1, SKILL, POWER, BONUS}


@pytest.mark.parametrize("reader", [PUBLIC, "ann", "bob", "nobody"])
def test_no_secret_stands_in_a_player_s_copy(reader: str) -> None:
    """Hit points, sheet, conditions, target numbers, margins, traces, overrules and notes: none of their bytes."""
    lines = copy_for(haunted(), reader)
    assert secrets_in(lines) == set()


@pytest.mark.parametrize("reader", [PUBLIC, "ann", GM])
def test_every_copy_verifies_to_the_same_head(reader: str) -> None:
    session = haunted()
    verdict = verify(copy_for(session, reader), (session.head, session.digest))
    assert verdict.is_clean
    assert (session.head, session.digest) == (verdict.version, verdict.digest)
    assert (verdict.hidden == 0) is (reader == GM)


def test_a_copy_folds_and_shows_what_everybody_saw() -> None:
    """Law 2: damage dealt is there for all to read; what is not there is None, which is unknown and never a guess."""
    session = haunted()
    log = read_back(copy_for(session, PUBLIC))
    state, full = fold_all(log.line()), session.state(reader=GM)
    ghost = state.combatants["ghost"]
    assert (ghost.name, ghost.side, ghost.secret) == ("Ghost", "ghost", True)
    assert (ghost.sheet, ghost.ranges) == (None, None)
    assert set(ghost.pools.values()) <= {None}
    assert full.combatants["ghost"].pools["hp"] is not None
    assert full.combatants["ann"].pools == state.combatants["ann"].pools
    assert (full.turn, full.at, full.turns, full.open.keys()) == (state.turn, state.at, state.turns, state.open.keys())
    damage = [event for event in log.events if isinstance(event, ApplyDamage)]
    assert [event.value for event in damage if event.target == "ann"]
    assert {event.touched for event in damage if event.target == "ghost"} <= {None}
    assert session.state() == state


def test_the_wounded_player_reads_the_own_wounds_not_where_they_came_from() -> None:
    session = haunted()
    events = [r.event for r in session.history(reader="ann")]
    (hit,) = [event for event in events if isinstance(event, ApplyDamage) and event.key == "gaze"]
    assert (hit.value, hit.trace, hit.parts) == (3, None, None)
    assert hit.touched is not None
    assert hit.touched[0].pool == "hp"
    (drain,) = [event for event in events if isinstance(event, Change)]
    assert (drain.value, drain.after, drain.trace) == (3, 3, None)
    (save,) = [event for event in events if isinstance(event, Save)]
    assert (save.code, save.goal, save.margin, save.trace) == ("failed", None, None, None)


class Counters(Tiny):
    """Whoever is attacked strikes back within the attack, explained by the own skill."""

    @hookimpl
    def resolve(self, fight: Fight, action: Action) -> Steps:
        steps: Steps = back(fight, action) if action.is_nested else counter(action)
        return steps


def counter(action: Action) -> Any:
    yield Act("counter", actor=action.target, name="attack", targets=(action.actor,))


def back(fight: Fight, action: Action) -> Any:
    skill = fight.sheet(action.actor).skill
    rows = (Row("skill", skill, "sheet"), Row("armour", 3 - skill, "rule"))
    yield ApplyDamage("back", target=action.target, pools=("hp",), value=3, trace=rows)


def test_a_monster_s_counterattack_within_a_player_s_action_keeps_its_numbers() -> None:
    session = tiny_session(engine(catalog=tiny_catalog(Counters)))
    must(session.join("ghost", side="ghost", sheet={"hp": 9, "skill": SKILL}))
    must(session.declare("ann", "attack", "ghost", caller="ann"))
    assert secrets_in(copy_for(session, "ann")) == set()
    (hit,) = [r.event for r in session.history(reader="ann") if isinstance(r.event, ApplyDamage)]
    assert (hit.target, hit.value, hit.trace, hit.touched is None) == ("ann", 3, None, False)


def test_a_blind_roll_is_nobody_s_but_the_game_master_s() -> None:
    session = haunted()
    for reader, known in {PUBLIC: False, "ann": False, GM: True}.items():
        rolls = [r.event for r in session.history(reader=reader) if isinstance(r.event, Roll) and r.event.blind]
        assert [known] == [roll.faces is not None and roll.total is not None for roll in rolls]


def test_the_controller_reads_the_own_secret_combatant() -> None:
    session = tiny_session()
    must(session.join("spy", side="spy", controller="carl", sheet={"hp": HP, "skill": SKILL}, secret=True))
    must(session.declare("ann", "attack", "spy", rows=(Modifier("attack.skill", 20, "sure"),)))
    must(session.answer(prompt_for(session, "spy"), "spy", "stand", caller="carl"))
    carl, public = session.state(reader="carl"), session.state()
    assert carl.combatants["spy"] == session.state(reader=GM).combatants["spy"]
    assert public.combatants["spy"].pools in ({}, {"temp": None, "hp": None})
    assert secrets_in(copy_for(session, "carl")) == {HP, SKILL}
    assert secrets_in(copy_for(session, "ann")) == set()


def test_a_player_s_combatant_is_open_unless_it_says_otherwise_and_a_monster_secret() -> None:
    session = tiny_session()
    must(session.join("rat", side="rat", sheet={"hp": HP}, secret=False))
    assert session.state().combatants["rat"].pools["hp"] == HP
    assert session.state().combatants["ann"].pools["hp"] == 12


def test_options_of_a_secret_combatant_are_its_own() -> None:
    session = tiny_session()
    must(session.join("ghost", side="ghost", sheet={"hp": 9}))
    must(session.declare("ann", "attack", "ghost", rows=(Modifier("attack.skill", 20, "sure"),)))
    (public,) = session.prompts().values()
    (full,) = session.prompts(reader=GM).values()
    assert (public.ask.who, public.ask.options) == (("ghost",), None)
    assert full.ask.options is not None


# -- secret actions


def hidden_flurry(**start: Any) -> Session:
    session = tiny_session(people=3, **start)
    answer_all(session)
    command = commands.Declare(actor="ann", name="flurry", targets=("bob", "cy"), secret=True)
    must(session.do(bare_request("plot-7", command, "ann")))
    return session


def test_a_secret_action_and_all_that_hangs_below_it_is_sealed() -> None:
    session = hidden_flurry()
    first = session.head
    answer_all(session)
    below = [r for r in session.history(reader=GM) if str(getattr(r.event, "action", "")).partition(">")[0] == "plot-7"]
    kinds = {type(r.event) for r in below}
    assert {Declare, Roll, Judge, Ask, Done, Turn} <= kinds
    public = {r.version: r.event for r in session.history()}
    assert {"sealed"} == {msgspec.to_builtins(public[r.version])["kind"] for r in below}
    assert first < session.head
    for name in (b"plot-7", b"flurry", b"strike", b"dodge"):
        assert name not in b"\n".join(copy_for(session, PUBLIC))


@pytest.mark.parametrize("policy", ["fair", "reported"])
def test_who_is_asked_within_a_secret_action_reads_question_and_answer(policy: str) -> None:
    session = hidden_flurry(dice={"bob": policy, "cy": policy})
    while prompts := session.prompts(reader=GM):
        (slot, prompt), = prompts.items()
        (who,) = prompt.ask.who
        assert (set(session.prompts(reader=who)), set(session.prompts())) == ({slot}, set())
        before = session.head
        if prompt.ask.plan is None:
            must(session.answer(slot, who, "dodge", caller=who))
        else:
            must(session.report(slot, who, [[1] for term in prompt.ask.plan.terms for _ in range(term.count)], caller=who))
        assert slot not in session.prompts(reader=who)
        assert before < session.head
    assert {reader: len(session.prompts(reader=reader)) for reader in ("ann", "bob", "cy", PUBLIC)} == {
        "ann": 0, "bob": 0, "cy": 0, PUBLIC: 0,
    }  # fmt: skip


def test_a_prompt_of_a_secret_action_ends_for_who_was_asked_when_the_action_does() -> None:
    session = hidden_flurry()
    assert session.prompts(reader="bob")
    must(session.leave("ann"))
    assert session.prompts(reader="bob") == session.prompts(reader=GM) == {}


def test_who_sent_a_secret_command_is_kept_with_it() -> None:
    session = hidden_flurry()
    must(session.note("psst", secret=True, caller="bob"))
    must(session.note("hello", caller="bob"))
    by = {reader: [r.sender.caller if r.sender else "?" for r in session.history(reader=reader)][-2:] for reader in
          (PUBLIC, "ann", "bob", GM)}  # fmt: skip
    assert by == {PUBLIC: ["?", "bob"], "ann": ["?", "bob"], "bob": ["bob", "bob"], GM: ["bob", "bob"]}
    notes = [r.event.text for r in session.history(reader="ann") if isinstance(r.event, Note)]
    assert notes == [None, "hello"]


GUESSES: dict[str, commands.Command] = {
    "join": commands.Join(id="ghost", name="Ghost", side="ghost", sheet={"hp": 7}),
    "player": commands.Join(id="zed", name="Zed", side="zed", controller="zed", sheet={"hp": 7}, player="Zoë Real"),
    "overrule": commands.Overrule(reason="so", effect=SetPool(target="ghost", pool="hp", value=5)),
    "step": commands.Overrule(reason="so", effect=SetStep(slot="a|judge.hit.ghost.0", fields={"goal": 5})),
    "note": commands.Note(text="psst", secret=True),
    "declare": commands.Declare(actor="ghost", name="attack", targets=("ann",), secret=True),
}


@pytest.mark.parametrize("name", GUESSES)
def test_nobody_can_guess_what_is_kept_from_the_digest_of_a_command(name: str) -> None:
    """A digest holds no salt: whoever tries all hit points would find the one."""
    session = tiny_session()
    if name not in ("join", "player"):
        must(session.do(bare_request("j", GUESSES["join"])))
        must(session.declare("ann", "end-turn"))
        must(session.declare("bob", "end-turn"))
        while session.state().turn != "ghost":
            must(session.declare(session.state().turn, "end-turn"))
    request = bare_request("q", GUESSES[name])
    must(session.do(request))
    assert request.digest().encode() in b"".join(copy_for(session, GM))
    assert request.digest().encode() not in b"".join(copy_for(session, PUBLIC))


# -- revealing


def test_a_revealed_part_is_open_to_all_from_then_on() -> None:
    session = haunted()
    (joined,) = [r.version for r in session.history() if isinstance(r.event, Join) and r.event.id == "ghost"]
    before = session.head
    must(session.reveal(joined))
    assert session.state(before).combatants["ghost"].sheet is None
    sheet = session.state().combatants["ghost"].sheet
    assert sheet is not None
    assert sheet["hp"] == HP
    assert secrets_in(copy_for(session, PUBLIC)) >= {HP, SKILL, POWER, BONUS}
    assert verify(copy_for(session, PUBLIC)).is_clean
    assert fold_all(read_back(copy_for(session, PUBLIC)).line()) == session.state()


def test_a_sealed_event_can_be_revealed() -> None:
    session = hidden_flurry()
    (sealed,) = [r.version for r in session.history(reader=GM) if isinstance(r.event, Declare) and r.event.parent == ""]
    must(session.reveal(sealed))
    event = session.history(sealed - 1)[0].event
    assert isinstance(event, Declare)
    assert event.name == "flurry"
    assert set(session.state().open) == {"plot-7"}


@pytest.mark.parametrize(
    ("version", "code"), [(0, "no-such-version"), (999, "no-such-version"), (1, "nothing-kept"), (5, "nothing-kept")]
)
def test_what_cannot_be_revealed(version: int, code: str) -> None:
    session = tiny_session()
    refused = session.reveal(version).refused
    assert refused is not None
    assert code == refused.code


def test_nothing_is_revealed_twice_and_only_by_the_game_master() -> None:
    session = tiny_session()
    must(session.note("psst", secret=True))
    version = session.head
    refused = session.request(commands.Reveal(version=version), caller="ann").refused
    assert refused == Refused("gm-only", ("ann",))
    must(session.reveal(version))
    assert session.reveal(version).refused == Refused("already-revealed", (version,))


# -- names


def test_a_real_name_is_its_owner_s_and_can_be_erased() -> None:
    """The kept part is taken out of the stored line; every seal and digest stays, and the chain still verifies."""
    session = tiny_session()
    must(session.join("zed", "Zed", side="zed", controller="zed", sheet={"hp": 3}, player="Zoë Real", caller="zed"))
    joined = session.head
    for reader, name in {PUBLIC: None, "ann": None, "zed": "Zoë Real", GM: "Zoë Real"}.items():
        event = session.history(joined - 1, reader=reader)[0].event
        assert (event.player, event.sheet) == (name, {"hp": 3})
    assert "Zoë".encode() not in b"".join(copy_for(session, "ann"))
    erased = [session.header, *[redact(line, "ann") if "Zoë".encode() in line else line for line in session.lines]]
    assert "Zoë".encode() not in b"".join(erased)
    verdict = verify(erased, (session.head, session.digest))
    assert verdict.is_clean
    assert read_back(erased).events[joined - 1].player is None


# -- copies


def test_deciding_on_a_copy_is_refused_and_reading_works() -> None:
    session = haunted()
    store = MemoryStore()
    lines = copy_for(session, "ann")
    chain = Chain(lines[0])
    store.create(lines[0], [chain.accept(line) for line in lines[1:]])
    copy = Engine(store, tiny_catalog(Monsters), Fixed()).load("s")
    assert copy.is_copy
    before = (copy.head, copy.digest)
    tried: list[Answer] = [
        copy.note("hm"),
        copy.undo(),
        copy.declare("ann", "end-turn"),
        copy.overrule("so", SetPool(target="ann", pool="hp", value=1)),
        copy.reveal(3),
        copy.close(),
    ]
    assert {answer.refused for answer in tried} == {Refused("partial-copy")}
    with pytest.raises(InputError, match="can only be read"):
        copy.actions("ann")
    assert before == (copy.head, copy.digest) == (session.head, session.digest)
    assert copy.state() == session.state()
    assert copy.state(reader="ann") == session.state(reader="ann")
    assert copy.verify().is_clean


def test_a_full_copy_without_the_dice_secret_can_only_be_read_too() -> None:
    session = tiny_session()
    store = MemoryStore()
    lines = copy_for(session, GM)
    chain = Chain(lines[0])
    store.create(lines[0], [chain.accept(line) for line in lines[1:]])
    copy = engine(store).load("s")
    assert copy.note("hm").refused == Refused("partial-copy")
    assert copy.state(reader=GM) == session.state(reader=GM)


# -- the game master's word


def test_a_word_on_a_secret_is_kept_and_one_on_the_open_is_open() -> None:
    session = tiny_session()
    must(session.join("ghost", side="ghost", sheet={"hp": 9, "init": 9}))
    must(session.overrule("a", SetPool(target="ann", pool="hp", value=5)))
    must(session.overrule("b", SetPool(target="ghost", pool="hp", value=5)))
    must(session.declare("ann", "blow", "bob", id="a1"))
    must(session.overrule("c", GiveModifier(action="a1", rows=(Modifier("damage.flat", 1, "x"),))))
    must(session.overrule("d", SetStep(slot="a1|roll.damage.ann.0", fields={"faces": [[1], [1], [1]]})))
    must(session.overrule("e", SetStep(slot="x|judge.hit.ghost.0", fields={"goal": 5})))
    seen = {r.event.reason: r.event.effect is not None for r in session.history() if isinstance(r.event, Overrule)}
    assert seen == {"a": True, "b": False, "c": True, "d": True, "e": False}


def test_a_curse_on_a_secret_keeps_its_value() -> None:
    session = tiny_session()
    must(session.join("ghost", side="ghost", sheet={"hp": 9}))
    must(session.declare("ann", "curse", "ghost"))
    (public,) = [r.event for r in session.history() if isinstance(r.event, Condition)]
    assert (public.target, public.id, public.value, public.after) == ("ghost", "cursed", None, None)
    assert session.state().combatants["ghost"].conditions["cursed"].value is None
    assert "cursed" in session.state().combatants["ghost"].conditions


def test_the_public_controls_nobody_and_nobody_is_the_public() -> None:
    session = tiny_session()
    with pytest.raises(InputError, match=r"^\$\.controller: the public controls nobody"):
        session.join("x", side="x", controller=PUBLIC, sheet={"hp": HP}, secret=True)
    with pytest.raises(InputError, match=r"^\$\.caller: nobody is the public"):
        session.note("psst", secret=True, caller=PUBLIC)
