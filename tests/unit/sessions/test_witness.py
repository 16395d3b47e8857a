"""Option `witness`: dice wait for a nonce of another player than the one who chose."""

from __future__ import annotations

from affray.kernel import GM, Refused, Roll
from affray.sessions import Session

from ...support.table import engine, must, tiny_session


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
