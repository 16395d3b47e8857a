"""Amends of whole sessions: turns that move, the dead who live, dice of every policy, secrets, and stores that fail."""

from __future__ import annotations

import json
from typing import Any

import pytest
from msgspec import UNSET

from affray.kernel import (
    GM,
    Action,
    ApplyDamage,
    Ask,
    Choose,
    Close,
    CloseAction,
    Condition,
    Declare,
    Drawn,
    EndTurn,
    Fight,
    GiveModifier,
    Held,
    Join,
    Modifier,
    Note,
    Overrule,
    Refused,
    Rewind,
    Roll,
    SetCondition,
    SetPool,
    SetStep,
    Steps,
    Turn,
    canonical,
    commands,
    hookimpl,
    redact,
    slot,
    verify,
)
from affray.kernel import Chain as Reader
from affray.plugins.nyra import make as nyra
from affray.sessions import Catalog, Engine, MemoryStore, Session

from ...support.amends import (
    PLAIN,
    SURE,
    WHY,
    Plain,
    amended,
    check,
    faces,
    fight,
    find,
    hp,
    last,
    line,
    luck,
    planned,
    stands,
    undone_and_redone,
    word,
)
from ...support.dicey import Dicey
from ...support.fights import prompt_for
from ...support.table import Fixed, answer_all, engine, must, tiny_catalog, tiny_session


def zero(session: Session, **fields: Any) -> commands.Word:
    """The last damage like this does nothing."""
    at, damage = last(session, ApplyDamage, **fields)
    return word(at, SetStep(slot=slot(damage), fields={"value": 0}))


# -- turns


def test_the_dead_live_again_and_all_that_followed_is_done() -> None:
    """Tiny: Bob goes down, Cy and Ann fight on; then the blow never fell, and Bob has his turn."""
    session = tiny_session(people=3, dice="scripted-then-fair", script=(1, 1, 1, 3, 1, 2, 3, 1, 1, 3, 1, 1))
    must(session.overrule("weak", SetPool(target="bob", pool="hp", value=3)))
    for who, whom, name in (("ann", "bob", "a1"), ("cy", "ann", "c1"), ("ann", "cy", "a2")):
        must(session.declare(who, "attack", whom, rows=SURE, id=name))
        answer_all(session, 1)
    assert "down" in session.state().combatants["bob"].conditions
    before = stands(session)

    did = amended(session, zero(session, action="a1"))
    assert "down" not in session.state().combatants["bob"].conditions
    assert did.stopped is not None
    assert ("turn", "start:bob.1", ("bob",)) == (did.stopped.why, did.stopped.what, did.stopped.who)
    undone_and_redone(session, before)
    must(session.end_turn("bob"))
    did = amended(session, go_on=True)
    assert (None, ()) == (did.stopped, did.drawn)
    assert (3, 10, 10, "bob") == (hp(session), hp(session, "ann"), hp(session, "cy"), session.state().turn)
    assert ["a1", "c1", "a2"] == [event.action for _, event in line(session) if isinstance(event, Declare) and event.name == "attack"]
    check(session)


def test_an_end_that_did_not_come_is_not_the_end() -> None:
    """Nyra: a duel to the death, whose last blow missed."""
    sheet = {"STR": 7, "AGI": 6, "CON": 7, "sequence": 5, "skills": {"Swords": 7, "Dodge": 2}, "weapons": [{"key": "sword", "base": "short-sword"}]}
    session = Engine(MemoryStore(), Catalog(systems={"nyra": nyra}, points=()), Fixed("nyra")).start("nyra", session="n")
    for who in ("ada", "bram"):
        must(session.join(who, side=who, sheet=sheet, controller=who, secret=False))
    must(session.begin())
    for number in range(60):
        state = session.state(reader=GM)
        if state.over:
            break
        foe = "bram" if state.turn == "ada" else "ada"
        must(session.declare(state.turn, "strike", foe, weapon="sword", strike="wild", type="C", id=f"s{number}"))
        for name in session.prompts(foe, reader=GM):
            must(session.answer(name, foe, "none"))
    assert session.state().over.startswith("won-by")
    loser = last(session, Condition, id="dead")[1].target
    before = stands(session)

    did = amended(session, zero(session, target=loser))
    state = session.state(reader=GM)
    assert ("", None) == (state.over, did.stopped)
    assert "dead" not in state.combatants[loser].conditions
    assert state.turn
    undone_and_redone(session, before)
    check(session, readers=("public", "ada"))


def test_a_turn_that_moves_takes_its_declarations_along() -> None:
    session = engine(catalog=PLAIN).start("tiny", session="s", dice="scripted-then-fair", script=(2, 1, 3, 2, 2, 4, 1, 1))
    for who in ("ann", "bob"):
        must(session.join(who, side=who, controller=who, sheet={"hp": 12, "init": 5}))
    must(session.begin())
    for who, whom in (("ann", "bob"), ("bob", "ann")):
        must(session.declare(who, "attack", whom, id=f"by-{who}"))
        answer_all(session, 1)
    at, roll = find(session, Roll, key="initiative", by="bob")
    before = faces(session)

    did = amended(session, word(at, SetStep(slot=slot(roll), fields={"faces": [[6]]})))
    assert ["start:bob.1", "start:ann.1"] == [e.action for _, e in line(session) if type(e) is Turn and e.moment == "start"][:2]
    assert ["by-bob", "by-ann"] == [event.action for _, event in line(session) if isinstance(event, Declare)]
    assert ({"done"}, (), None) == ({one.code for one in did.outcomes}, did.drawn, did.stopped)
    assert {**before, slot(roll): ((6,),)} == faces(session)
    check(session)


def test_a_word_moves_with_the_command_that_it_is_put_before_or_behind() -> None:
    session = engine(catalog=PLAIN).start("tiny", session="s", dice="scripted", script=(2, 1))
    for who in ("ann", "bob"):
        must(session.join(who, side=who, controller=who, sheet={"hp": 12, "init": 5}))
    must(session.begin())
    for who in ("ann", "bob"):
        must(session.end_turn(who))
    at, roll = find(session, Roll, key="initiative", by="bob")
    first = find(session, Declare, actor="ann")[0]
    pools = [word(first, SetPool(target="bob", pool="temp", value=n), after=n > 1) for n in (1, 2)]
    amended(session, word(at, SetStep(slot=slot(roll), fields={"faces": [[6]]})), *pools)
    there = [event.actor if isinstance(event, Declare) else event.effect for _, event in line(session) if isinstance(event, Declare | Overrule)]
    assert ["bob", 1, "ann", 2] == [one if isinstance(one, str) else one.value for one in there if isinstance(one, str | SetPool)]
    check(session)


class Hasty(Plain):
    """Healing with all one's power ends the turn."""

    @hookimpl
    def resolve(self, fight: Fight, action: Action) -> Steps:
        return hasty(fight, action) if action.name == "heal" else super().resolve(fight, action)


def hasty(fight: Fight, action: Action) -> Steps:
    if action.params.power == 9:
        yield EndTurn("turn", who=action.actor)
    return "healed"


def test_a_declaration_whose_turn_is_over_is_left_out_and_told() -> None:
    session = tiny_session(engine(catalog=tiny_catalog(Hasty)))
    must(session.declare("ann", "heal", "ann", id="h1"))
    must(session.declare("ann", "attack", "bob", id="a1"))
    answer_all(session)
    must(session.end_turn("bob", caller="bob"))
    did = amended(session, commands.Redeclare(at=find(session, Declare, action="h1")[0], params={"power": 9}))
    there = {getattr(one.event, "action", ""): one.code for one in did.outcomes}
    assert ("turn-over", "done", None) == (there["a1"], there["h1"], did.stopped)
    check(session)


def test_a_turn_that_never_comes_drops_what_was_done_in_it() -> None:
    session = fight()
    did = amended(session, commands.Drop(at=find(session, Join, id="bob")[0]))
    there = {one.event.action: one.code for one in did.outcomes if isinstance(one.event, Declare)}
    assert {"a1": "no-such-combatant"} == there
    assert did.stopped is not None
    assert "turn" == did.stopped.why
    check(session)


def test_what_was_skipped_is_put_in_behind_its_cause() -> None:
    """A condition that the hit should have brought counts from there on."""
    session = fight()
    at, _ = find(session, ApplyDamage, action="a1")
    shaken = Held(id="shaken", rows=(Modifier("damage.flat", -2, "shaken"),))
    did = amended(session, word(at, SetCondition(target="bob", held=shaken), after=True))
    assert (12, {"b1|apply-damage.damage.ann.0"}) == (hp(session, "ann"), {one.slot for one in did.changed})
    check(session)


# -- undoing around it


def test_one_action_inside_an_amend_is_undone_by_its_name_or_by_another_amend() -> None:
    session = fight()
    amended(session, word(find(session, Declare, action="a1")[0], luck("a1", 1)))
    at = find(session, Declare, action="a1")[0]
    assert Refused("needs-amend", ("a1", at)) == session.undo("a1").refused
    must(session.undo("a2"))
    assert 12 - 5 == hp(session)
    must(session.redo())
    assert 12 - 5 - 6 == hp(session)
    amended(session, commands.Drop(at=at))
    must(session.undo())
    assert 12 - 5 - 6 == hp(session)
    check(session)


def test_what_was_done_since_is_undone_before_the_amend() -> None:
    session = fight()
    before = stands(session)
    amended(session, since=2)
    must(session.note("x"))
    must(session.undo())
    must(session.undo())
    assert before == stands(session)
    must(session.redo())
    assert Refused("not-yours", ("ann",)) == session.undo(caller="ann").refused


# -- dice


def test_dice_from_the_table_are_put_in_again_and_asked_for_where_there_are_more() -> None:
    session = tiny_session(engine(catalog=PLAIN), dice={"ann": "reported"}, begun=False)
    must(session.begin())
    must(session.report(prompt_for(session, "ann"), "ann", [[3]]))
    must(session.declare("ann", "attack", "bob", id="a1"))
    must(session.report(prompt_for(session, "ann"), "ann", [[4]]))
    must(session.answer("a1|ask.guard.0", "bob", "stand"))
    must(session.report(prompt_for(session, "ann"), "ann", [[2], [3]]))
    must(session.end_turn("bob"))
    before, thrown = stands(session), faces(session)

    amended(session, word(find(session, Declare, action="a1")[0], luck("a1")))
    assert (thrown, 5) == (faces(session), hp(session))
    undone_and_redone(session, before)
    at, roll = find(session, Roll, action="a1", key="attack")
    did = amended(session, word(at, SetStep(slot=slot(roll), fields={"faces": [[19]]})))
    assert (None, 12) == (did.stopped, hp(session))
    amended(session, commands.Drop(at=find(session, Roll, action="a1", key="attack")[0]), since=find(session, Declare, action="a1")[0])
    check(session)


def test_dice_that_are_asked_for_anew_stop_it() -> None:
    session = tiny_session(engine(catalog=PLAIN), dice={"bob": "reported"}, begun=False)
    must(session.begin())
    must(session.report(prompt_for(session, "bob"), "bob", [[3]]))
    must(session.declare("ann", "attack", "bob", rows=SURE, id="a1"))
    must(session.answer("a1|ask.guard.0", "bob", "stand"))
    must(session.end_turn("bob"))
    did = amended(session, commands.Reanswer(at=find(session, Choose)[0], value="dodge"))
    assert did.stopped is not None
    assert ("prompt", "a1|roll.dodge.bob.0") == (did.stopped.why, did.stopped.what)
    must(session.report("a1|roll.dodge.bob.0", "bob", [[20]]))
    assert None is amended(session, go_on=True).stopped
    check(session)


def test_a_script_that_has_no_more_faces_refuses_what_needs_them() -> None:
    session = tiny_session(engine(catalog=PLAIN), dice="scripted", script=(1, 1, 3, 2, 2))
    must(session.declare("ann", "attack", "bob", id="a1"))
    answer_all(session, 1)
    before = stands(session)
    edit = commands.Reanswer(at=find(session, Choose)[0], value="dodge")
    did = amended(session, edit)
    assert did.stopped is not None
    assert ("dice", "script-exhausted roll.dodge.bob.0") == (did.stopped.why, did.stopped.text)
    undone_and_redone(session, before)
    assert Refused("script-exhausted", ("roll.dodge.bob.0",)) == session.amend(go_on=True).refused
    check(session)


def test_faces_of_a_script_that_no_command_could_use_are_still_there() -> None:
    session = tiny_session(people=3, dice="scripted", script=(1, 1, 1, 3, 17))
    must(session.declare("ann", "sweep", "bob", "cy", id="s1"))
    answer_all(session, 1)
    at = [version for version, event in line(session) if isinstance(event, Choose)]
    did = amended(session, *[commands.Reanswer(at=version, value="duck") for version in at])
    assert did.stopped is not None
    assert ("dice", "script-exhausted roll.save.cy.0") == (did.stopped.why, did.stopped.text)
    must(session.overrule("stuck", CloseAction(action="s1")))
    must(session.declare("ann", "roll", notation="1d20"))
    assert ((17,),) == last(session, Roll)[1].faces
    check(session)


def test_undone_dice_that_are_kept_are_kept_by_an_amend() -> None:
    """Under `keep` the actor's n-th action keeps the faces that it had before an undo, in an amend too."""
    session = tiny_session(engine(catalog=PLAIN), undo_dice="keep")
    must(session.declare("ann", "attack", "bob", rows=SURE, id="a1"))
    must(session.answer("a1|ask.guard.0", "bob", "dodge"))
    dodge = faces(session)["a1|roll.dodge.bob.0"]
    must(session.undo())
    must(session.declare("ann", "attack", "bob", rows=SURE, id="a2"))
    must(session.answer("a2|ask.guard.0", "bob", "stand"))
    edit = commands.Reanswer(at=last(session, Choose)[0], value="dodge")
    plan = planned(session, edit)
    assert dodge in [event.faces for event in plan.events if isinstance(event, Roll)], "they exist, so the plan knows them"
    amended(session, edit)
    assert dodge == faces(session)["a2|roll.dodge.bob.0"]
    check(session)


@pytest.mark.parametrize("is_over", [False, True])
def test_dice_of_an_amend_wait_for_a_witness_who_did_not_amend(is_over: bool) -> None:
    """Whatever was witnessed before: who amends has chosen anew."""
    session = tiny_session(engine(catalog=PLAIN), witness=True, begun=False)
    must(session.begin())
    go(session)
    must(session.declare("ann", "attack", "bob", rows=SURE, id="a1", caller=GM, seen=session.head))
    go(session)
    must(session.answer("a1|ask.guard.0", "bob", "stand", caller="bob", nonce="n-stand", seen=session.head))
    go(session)
    if is_over:
        must(session.end_turn("bob"))
    before = stands(session)
    did = amended(session, commands.Reanswer(at=find(session, Choose, key="guard")[0], value="dodge"))
    assert ["a1|ask.witness-dodge.0"] == list(session.prompts(reader=GM))
    assert is_over == (did.stopped is not None and did.stopped.why == "witness"), "else the record ends there"
    undone_and_redone(session, before)
    go(session)
    if is_over:
        amended(session, go_on=True)
    must(session.close())
    report = session.verify().dice
    assert (report.engine, 0) == (report.proven, report.unrevealed)
    check(session)


def go(session: Session) -> None:
    """Witness whatever dice wait."""
    while waits := [(name, prompt) for name, prompt in session.prompts(reader=GM).items() if "witness-" in name]:
        for name, prompt in waits:
            who = prompt.ask.who[0]
            must(session.answer(name, who, "witness", caller=who, nonce=f"w-{session.head}", seen=session.head))


def test_dice_that_wait_for_a_nonce_stop_it_before_their_command() -> None:
    session = tiny_session(engine(catalog=PLAIN))
    must(session.declare("ann", "attack", "bob", rows=SURE, id="a1", caller=GM))
    must(session.note("x", caller="ann", nonce="n1"))
    must(session.answer("a1|ask.guard.0", "bob", "stand", caller="bob", nonce="n2"))
    must(session.reveal_dice())
    did = amended(session, commands.Reanswer(at=find(session, Choose)[0], value="dodge"))
    assert did.stopped is not None
    assert ("dice", "dice-wait-for-nonce 2", 1) == (did.stopped.why, did.stopped.text, did.left)
    assert Refused("dice-wait-for-nonce", (2,)) == session.amend(go_on=True).refused
    must(session.note("Here.", caller="ann", nonce="n3", seen=session.head))
    did = amended(session, go_on=True)
    assert "dodge" == last(session, Choose)[1].value
    must(session.close())
    assert 0 == session.verify().dice.unrevealed
    check(session)


def test_new_dice_are_those_of_the_hosts_chain(monkeypatch: pytest.MonkeyPatch) -> None:
    """Everybody can check them when the secret is opened: changed by the host, they are found."""
    for change, findings in ((False, set()), (True, {"dice"})):
        session = tiny_session(engine(catalog=PLAIN))
        must(session.declare("ann", "attack", "bob", rows=SURE, id="a1"))
        must(session.answer("a1|ask.guard.0", "bob", "stand", caller="bob", nonce="n1"))
        with monkeypatch.context() as patch:
            if change:
                patch.setattr("affray.sessions.entropy.HostDice.again", cheat)
            did = amended(session, commands.Reanswer(at=find(session, Choose)[0], value="dodge"))
        assert "a1|roll.dodge.bob.0" in did.drawn
        must(session.close())
        assert findings == {one.code for one in session.verify().findings}


def cheat(self: Any, roll: Roll, run: int, state: Any, recorded: Any) -> Drawn:
    return Drawn(tuple([(term.sides,) for term in roll.plan.terms for _ in range(term.count)]), "engine", recorded[0])


# -- secrets


def ogre() -> Session:
    """Ann and Bob against a hidden ogre, which acts; Ann acts in secret, too."""
    session = tiny_session(engine(catalog=tiny_catalog(Dicey)))
    must(session.join("ogre", "Ogre", side="c", sheet={"hp": 17, "init": 8}))
    must(session.note("a potion", secret=True, caller="ann"))
    must(session.declare("ann", "heal", "bob", id="h1", secret=True, caller="ann", power=1))
    must(session.end_turn("ann"))
    while session.state(reader=GM).turn != "ogre":
        must(session.end_turn(session.state(reader=GM).turn))
    must(session.declare("ogre", "attack", "ann", id="o1", rows=SURE))
    answer_all(session, 1)
    return session


def test_what_is_kept_stays_kept_from_the_same_people() -> None:
    session = ogre()
    old = {version: event for version, event in line(session)}
    at = find(session, Join, id="bob")[0]
    head = session.head
    amended(session, since=at)
    new = [event for version, event in line(session) if version > head]
    behind = [event for version, event in sorted(old.items()) if version >= at]
    assert [event.veil for event in behind] == [event.veil for event in new]
    assert any(event.veil is not UNSET for event in new)
    for reader in ("public", "ann", "bob"):
        shown = {one.version: one.event for one in session.history(reader=reader)}
        places = sorted(version for version, _ in line(session) if version > head)
        assert [plainly(shown[v]) for v in sorted(old) if v >= at] == [plainly(shown[v]) for v in places], reader
    check(session)


def plainly(event: Any) -> Any:
    """What of an event a reader may see, without the salted hash of the rest."""
    return {k: v for k, v in json.loads(canonical(event)).items() if k not in ("kept", "reused", "veil")}


@pytest.mark.parametrize("what", ["modifier", "number", "pool", "secret action"])
def test_an_edit_on_what_is_kept_is_kept(what: str) -> None:
    """Neither the word nor the digest of the command tells it: whoever guesses, learns nothing."""
    session = ogre()
    at, damage = find(session, ApplyDamage, action="o1")
    declared = find(session, Declare, action="o1")[0]
    edit = {
        "modifier": word(declared, luck("o1", 3)),
        "number": word(at, SetStep(slot="o1|judge.attack.ogre.0", fields={"goal": 19})),
        "pool": word(at, SetPool(target="ogre", pool="hp", value=11)),
        "secret action": word(find(session, Declare, action="h1")[0], GiveModifier(action="h1", rows=SURE)),
    }[what]
    head = session.head
    answer = must(session.amend(edit, reason=WHY, id="m1"))
    digest = next(one.sender.digest for one in session.history(reader=GM) if one.version == head + 1 and one.sender)
    for reader in ("public", "bob"):
        for one in session.history(reader=reader):
            if one.version > head and isinstance(one.event, Overrule):
                assert (None, WHY) == (one.event.effect, one.event.reason), reader
        assert None is session.history(reader=reader)[head].sender, reader
    assert not any(digest.encode() in redact(one, "bob") for one in session.lines)
    assert (True, answer.first) == ((again := session.amend(edit, reason=WHY, id="m1")).repeated, again.first)
    assert damage is not None
    check(session)


def test_an_edit_on_what_is_open_is_open() -> None:
    session = fight()
    amended(session, word(find(session, Declare, action="a1")[0], luck("a1")))
    public = [one for one in session.history() if not one.undone]
    assert [luck("a1")] == [one.event.effect for one in public if isinstance(one.event, Overrule)]
    assert all(one.sender is not None for one in session.history())


# -- what is told


def test_an_ending_by_hand_is_an_ending_again() -> None:
    session = fight()
    must(session.close("tired"))
    amended(session, word(find(session, Declare, action="a2")[0], luck("a2")))
    assert "tired" == session.state().over
    assert 1 == sum(type(event) is Close for _, event in line(session))
    assert verify([session.header, *session.lines]).is_clean
    check(session)


def test_a_log_read_from_its_bytes_is_the_same() -> None:
    session = ogre()
    amended(session, word(find(session, Declare, action="o1")[0], luck("o1")))
    reader, found = Reader(session.header), []
    for one in session.lines:
        found += list(reader.accept(one).events)
    assert [one.event for one in session.history(reader=GM)] == found
    assert {Rewind, Note, Ask} <= {type(event) for event in found}
