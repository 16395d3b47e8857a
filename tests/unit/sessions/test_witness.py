"""Option `witness`: dice wait for a nonce of another player than the one who chose."""

from __future__ import annotations

from affray.kernel import GM, Refused, Request, Roll, commands
from affray.sessions import Session

from ...support.dicey import Dicey
from ...support.forged import copy_of, findings, say
from ...support.table import engine, must, tiny_catalog, tiny_session


def witnessed(people: int = 2) -> Session:
    return tiny_session(people=people, witness=True)


def slot_of_prompt(session: Session) -> str:
    return next(iter(session.state(reader=GM).prompts))


def rolls(session: Session) -> list[str]:
    return [r.event.key for r in session.history(reader=GM) if isinstance(r.event, Roll) and r.event.key != "initiative"]


def test_a_declaration_is_committed_before_any_of_its_dice() -> None:
    session = witnessed()
    must(session.declare("ann", "attack", "bob", id="a1", caller="ann", nonce="n1"))
    assert rolls(session) == []
    assert slot_of_prompt(session) == "a1|ask.witness-attack.0"
    assert session.state(reader=GM).prompts["a1|ask.witness-attack.0"].ask.who == ("bob",)


def test_the_dice_fall_when_another_player_sends_a_nonce() -> None:
    session = witnessed()
    must(session.declare("ann", "attack", "bob", id="a1", caller="ann", nonce="n1"))
    must(session.answer("a1|ask.witness-attack.0", "bob", "witness", caller="bob", nonce="n2"))
    assert rolls(session) == ["attack"]


def test_an_answer_is_a_choice_too_and_the_other_side_witnesses_what_follows() -> None:
    for attempt in range(20):
        session = tiny_session(engine(seed=f"w{attempt}"), witness=True)
        must(session.declare("ann", "attack", "bob", id="a1", caller="ann", nonce="n1"))
        must(session.answer("a1|ask.witness-attack.0", "bob", "witness", caller="bob", nonce="n2"))
        if "a1|ask.guard.0" not in session.state(reader=GM).prompts:
            continue
        must(session.answer("a1|ask.guard.0", "bob", "dodge", caller="bob", nonce="n3"))
        assert session.state(reader=GM).prompts["a1|ask.witness-dodge.0"].ask.who == ("ann",)
        must(session.answer("a1|ask.witness-dodge.0", "ann", "witness", caller="ann", nonce="n4"))
        assert rolls(session)[:2] == ["attack", "dodge"]
        assert session.verify().is_clean
        return
    raise AssertionError("no attack hit in twenty fights")


def test_a_witness_needs_a_nonce_and_nobody_can_witness_for_another() -> None:
    session = witnessed()
    must(session.declare("ann", "attack", "bob", id="a1", caller="ann", nonce="n1"))
    slot = slot_of_prompt(session)
    assert session.answer(slot, "bob", "witness", caller="bob").refused == Refused("nonce-wanted", (slot,))
    assert session.answer(slot, "bob", "witness", caller=GM).refused == Refused("not-yours", ("bob",))
    assert session.answer(slot, "bob", "witness", caller="ann", nonce="x").refused == Refused("not-yours", ("bob",))


def test_a_choice_of_the_game_master_is_witnessed_by_a_player() -> None:
    session = engine().start("tiny", session="s", witness=True)
    must(session.join("orc", side="o", sheet={"hp": 9, "init": 9}))
    must(session.join("ann", side="a", controller="ann", sheet={"hp": 9}))
    must(session.begin())
    must(session.declare("orc", "attack", "ann", id="a1"))
    assert session.state(reader=GM).prompts["a1|ask.witness-attack.0"].ask.who == ("ann",)


def test_where_there_is_nobody_else_the_dice_do_not_wait() -> None:
    session = engine().start("tiny", session="s", witness=True)
    must(session.join("orc", side="o", sheet={"hp": 9}))
    must(session.join("ann", side="a", controller="ann", sheet={"hp": 9, "init": 9}))
    must(session.begin())
    must(session.declare("ann", "attack", "orc", id="a1", caller="ann", nonce="n"))
    assert rolls(session)[0] == "attack"


def test_a_witness_who_leaves_is_followed_by_the_next() -> None:
    session = witnessed(people=3)
    must(session.declare("ann", "attack", "cy", id="a1", caller="ann", nonce="n1"))
    assert session.state(reader=GM).prompts["a1|ask.witness-attack.0"].ask.who == ("bob",)
    must(session.leave("bob"))
    assert session.state(reader=GM).prompts["a1|ask.witness-attack.0"].ask.who == ("cy",)
    must(session.answer("a1|ask.witness-attack.0", "cy", "witness", caller="cy", nonce="n2"))
    assert rolls(session)[0] == "attack"


def test_a_restart_at_a_witness_prompt_goes_on_with_the_same_dice() -> None:
    faces = []
    for restart in (False, True):
        made = engine()
        session = tiny_session(made, witness=True)
        must(session.declare("ann", "attack", "bob", id="a1", caller="ann", nonce="n1"))
        if restart:
            session = made.load("s")
        must(session.answer("a1|ask.witness-attack.0", "bob", "witness", caller="bob", nonce="n2"))
        faces.append([r.event.faces for r in session.history(reader=GM) if isinstance(r.event, Roll)])
    assert faces[0] == faces[1]


# -- who may witness


def test_a_witness_is_one_who_controls_somebody() -> None:
    session = witnessed()
    must(session.declare("ann", "attack", "bob", id="a1"))
    must(say(session, "puppet", "ground"))
    slot = slot_of_prompt(session)
    for caller in (GM, "ann", "puppet"):
        answer = commands.Answer(slot=slot, who="bob", value="witness")
        assert session.do(Request(id=f"w-{caller}", command=answer, caller=caller, nonce="x", seen=session.head)).refused
    assert rolls(session) == []


def test_a_nonce_that_was_used_before_witnesses_nothing() -> None:
    session = witnessed()
    must(say(session, "bob", "same"))
    must(session.declare("ann", "attack", "bob", id="a1", caller="ann", nonce="n1"))
    slot = slot_of_prompt(session)

    assert Refused("nonce-wanted", (slot,)) == session.answer(slot, "bob", "witness", caller="bob", nonce="same").refused
    must(session.answer(slot, "bob", "witness", caller="bob", nonce="new"))
    assert rolls(session) == ["attack"]


def test_when_the_game_master_chooses_for_a_player_that_player_may_witness() -> None:
    """One player: nobody else could, and without a witness the game master would know the face it chose by."""
    session = engine().start("tiny", session="s", witness=True)
    must(session.join("ann", side="a", controller="ann", sheet={"hp": 60, "init": 9}))
    must(session.join("orc", side="b", sheet={"hp": 60}))
    must(session.begin())
    must(session.declare("ann", "attack", "orc", id="a1"))

    assert rolls(session) == []
    must(session.answer("a1|ask.witness-attack.0", "ann", "witness", caller="ann", nonce="n"))
    assert rolls(session) == ["attack"]


# -- which dice wait


def test_the_dice_of_a_moment_wait_too_when_a_choice_brought_it_about() -> None:
    """The game master ends an orc's turn, or does not, and would know what the next one rolls."""
    session = tiny_session(engine(catalog=tiny_catalog(Dicey)), witness=True, begun=False)
    must(session.begin())
    assert rolls(session) == ["grit"], "nobody has chosen anything yet"
    must(session.declare("ann", "end-turn", caller="ann", nonce="n1"))
    assert rolls(session) == ["grit"]
    assert session.state(reader=GM).prompts["start:bob.1>tiny|ask.witness-grit.0"].ask.who == ("bob",)
    must(session.answer("start:bob.1>tiny|ask.witness-grit.0", "bob", "witness", caller="bob", nonce="n2"))
    assert rolls(session) == ["grit", "grit"]


def test_the_dice_of_an_action_wait_for_a_witness_of_the_last_choice_whoever_acts() -> None:
    """Ann's blow was witnessed long ago; before Bob's next choice its damage would be known."""
    session = witnessed()
    must(session.declare("ann", "blow", "bob", id="a1", caller="ann", nonce="n1"))
    must(say(session, "bob", "n2"))
    while "a1|ask.witness-damage.0" not in session.state(reader=GM).prompts:
        must(session.declare(session.state().turn, "end-turn", caller=GM))
    must(session.answer("a1|ask.witness-damage.0", "ann", "witness", caller="ann", nonce="n3"))

    assert rolls(session) == ["damage"]
    assert session.verify().is_clean


def test_a_prompt_for_a_witness_of_a_secret_action_is_as_secret() -> None:
    session = witnessed(people=3)
    must(session.declare("ann", "attack", "cy", id="a1", caller="ann", nonce="n1", secret=True))
    slot = slot_of_prompt(session)

    assert "witness-" not in str(session.history())
    assert {} == session.prompts() == session.prompts(reader="cy")
    assert slot in session.prompts(reader="bob"), "who is asked"
    must(session.answer(slot, "bob", "witness", caller="bob", nonce="n2"))
    assert session.state().prompts == {}
    assert () == findings(copy_of(session)) == session.verify().findings


def test_kept_faces_wait_for_a_witness_as_drawn_ones_do() -> None:
    """A plan may have grown since, and nobody may know the rest."""
    session = tiny_session(witness=True, undo_dice="keep")
    for attempt in ("1", "2"):
        must(session.declare("ann", "attack", "bob", id=f"a{attempt}", caller="ann", nonce=f"a{attempt}"))
        must(session.answer(slot_of_prompt(session), "bob", "witness", caller="bob", nonce=f"b{attempt}"))
        must(session.undo())

    assert rolls(session) == ["attack", "attack"]
    assert session.verify().is_clean
