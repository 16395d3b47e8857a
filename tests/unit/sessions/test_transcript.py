"""Sentences and transcripts: every kind has words without a plugin, and nothing is said that a reader may not know."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec import UNSET
from msgspec.structs import replace

from affray.kernel import (
    GM,
    KIND_OF,
    KINDS,
    PUBLIC,
    ApplyDamage,
    Bands,
    Condition,
    DicePlan,
    Judge,
    Modifier,
    Note,
    Part,
    Refused,
    Roll,
    Row,
    State,
    Successes,
    Term,
    dice,
    pool,
)
from affray.plugins.nyra import make
from affray.sessions import Catalog, Engine, MemoryStore, Session
from affray.sessions.cli.demo import find_demo
from affray.sessions.encounter import run_encounter
from affray.sessions.reading import ReaderLog
from affray.sessions.views.scene import Scene
from affray.sessions.views.sentences import DRAFTS, refusal, sentence
from affray.sessions.views.sums import dice_text, plan_text, trace_text
from affray.sessions.views.texts import Texts
from affray.sessions.views.transcript import Line, Teller, sentences, transcript

from ...golden.samples import fight
from ...support.table import Fixed, answer_all, must, tiny_session

PLAIN = Texts()


@pytest.fixture(scope="module")
def everything() -> Session:
    """A fight that has every kind of event."""
    return fight()


def read(session: Session, reader: str) -> ReaderLog:
    log = ReaderLog(reader, session.header)
    log.catch_up(session.lines)
    return log


def whole(log: ReaderLog) -> list[tuple[int, Any]]:
    return [(version, log.log.event(version)) for version in range(1, log.log.head + 1)]


def told(session: Session, texts: Texts = PLAIN, reader: str = PUBLIC) -> list[str]:
    return ["  " * line.depth + line.text for line in lines(session, texts, reader)]


def lines(session: Session, texts: Texts = PLAIN, reader: str = PUBLIC) -> list[Line]:
    return list(transcript(read(session, reader).log.line(), texts))


def scene(**more: Any) -> Scene:
    return Scene(version=1, before=State(), after=State(), texts=more.pop("texts", PLAIN), **more)


# -- every kind


def test_every_kind_has_a_draft() -> None:
    """Law 11: the kernel has a plain sentence for every kind."""
    assert set(KINDS.values()) == set(DRAFTS)


@pytest.mark.parametrize("reader", [PUBLIC, "ann", GM])
def test_every_event_of_a_fight_is_a_sentence(everything: Session, reader: str) -> None:
    """Law 11: without any plugin, for each reader."""
    said = list(sentences(whole(read(everything, reader)), PLAIN))
    assert [one.version for one in said] == list(range(1, everything.head + 1))
    for one in said:
        assert one.text.strip(), one
        assert one.text.endswith((".", "!", "?", ":")), one
        assert "None" not in one.text, one
        assert "UNSET" not in one.text, one
    kinds = {KIND_OF[type(one.event)] for one in said}
    assert kinds == set(KIND_OF.values()) if reader == PUBLIC else kinds >= set(KIND_OF.values()) - {"sealed"}


def test_an_event_without_its_kept_fields_never_breaks(everything: Session) -> None:
    """Whatever may be kept is None here, whether or not it was in that fight."""
    for version, event in whole(read(everything, GM)):
        bare = replace(event, **dict.fromkeys(type(event).KEPT), kept="0" * 64, veil=UNSET)
        made = Scene(version=version, before=State(), after=State(), texts=PLAIN)
        text = sentence(made, bare).text
        assert text.strip()
        assert "None" not in text, text


def test_a_plugin_that_asks_for_what_is_kept_gets_the_plain_sentence() -> None:
    texts = Texts({"judge.attack.hit": "{by} needs {goal}.", "apply-damage.damage": "{target} has {after} left."})
    hit = Judge("attack", by="ann", code="hit", goal=7, margin=4)
    kept = replace(hit, goal=None, margin=None, trace=None, kept="0" * 64)
    assert sentence(scene(texts=texts), hit).text == "ann needs 7."
    assert sentence(scene(texts=texts), kept).text == "ann, attack: hit."
    damage = ApplyDamage("damage", target="bob", pools=("hp",), value=5, parts=None, trace=None)
    assert sentence(scene(texts=texts), damage).text == "bob takes 5 damage to hp."


def test_house_rules_that_changed_a_step_are_named() -> None:
    event = Condition("bleeding", target="bob", id="bleeding", after=1, by_rules=("grim-wounds", "no-mercy"))
    assert sentence(scene(), event).text == "bob: bleeding (by grim wounds and no mercy)."


# -- dice and sums


@pytest.mark.parametrize(
    ("roll", "text"),
    [
        (Roll("a", by="x", plan=dice(1, 10), faces=((3,),), dropped=(), total=3), "d10 shows 3"),
        (Roll("a", by="x", plan=dice(3, 6), faces=((3,), (4,), (2,)), dropped=(), total=9), "3d6 shows 3, 4, 2 = 9"),
        (Roll("a", by="x", plan=dice(2, 6, 2), faces=((3,), (4,)), dropped=(), total=9), "2d6+2 shows 3, 4 = 9"),
        (
            Roll(
                "a",
                by="x",
                plan=DicePlan(terms=(Term(count=2, sides=6, keep="kh", keep_count=1),)),
                faces=((3,), (5,)),
                dropped=((0, 0),),
                total=5,
            ),
            "2d6kh1 shows (3), 5 = 5",
        ),
        (Roll("a", by="x", plan=pool(2, 10, 7), faces=((1,), (7,)), dropped=(), total=1), "2d10>=7 shows 1, 7 = 1 success"),
        (
            Roll("a", by="x", plan=pool(1, 10, 7), faces=((1,),), dropped=(), total=0, botch=True),
            "d10>=7 shows 1 = a botch",
        ),
        (
            Roll("a", by="x", plan=DicePlan(terms=(Term(count=1, sides=100),), reading=Bands(ends=(5, 20))), faces=((9,),), total=1),
            "d100 shows 9 = band 1",
        ),
        (
            Roll("a", by="x", plan=dice(1, 6), notation="1d6/0", faces=((2,),), total=0, fault="division-by-zero"),
            "1d6/0: division by zero",
        ),
        (Roll("a", by="x", plan=dice(1, 6)), None),
    ],
)
def test_dice_are_written_as_people_do(roll: Roll, text: str | None) -> None:
    assert text == dice_text(roll)


def test_many_dice_are_told_by_their_sum() -> None:
    faces = ((1,),) * 25
    assert dice_text(Roll("a", by="x", plan=dice(25, 6), faces=faces, dropped=(), total=25)) == "25d6 shows 25"
    assert plan_text(DicePlan(terms=(Term(count=1, sides=8),), reading=Successes(target=5))) == "d8>=5"


def test_a_sum_names_its_rows_and_shows_the_faces() -> None:
    roll = Roll("damage", by="ada", plan=dice(3, 6), faces=((3,), (4,), (2,)), dropped=(), total=9)
    rows = (Row("dice", 9, "roll"), Row("STR", 3, "sheet"), Row("armor", -2, "sheet"), Row("nothing", 0, "x"))
    text = trace_text(rows, PLAIN, {"STR": 7, "armor": 2}, roll)
    assert text == "3 + 4 + 2 (3d6) + 3 (STR 7) - 2 (armor 2)"
    assert trace_text(rows[1:3], PLAIN) == "3 (STR) - 2 (armor)"
    assert trace_text((Row("half", "-7/2", "rule"),), PLAIN) == "-7/2 (half)"


def test_parts_of_several_types_are_told_apart() -> None:
    parts = (
        Part(type="fire", rolled=4, rows=(), value=4),
        Part(type="cold", rolled=3, rows=(Row("ward", -1, "rule"),), value=2),
    )
    event = ApplyDamage("burst", target="bob", pools=("hp",), value=6, parts=parts)
    text = sentence(scene(), event).text
    assert text == "bob takes 6 damage to hp from burst: 6 = 4 (rolled) fire + 3 (rolled) - 1 (ward) cold."


# -- transcripts


def test_a_transcript_puts_together_what_belongs_together() -> None:
    session = tiny_session(dice="scripted", script=(1, 2, 7, 3, 4))
    must(session.declare("ann", "attack", "bob", rows=(Modifier("damage.flat", 2, "bless"),), id="a1"))
    answer_all(session, 1)
    assert told(session)[3:] == [
        "The fight begins",
        "  ann, initiative: d6 shows 1.".replace("ann", "Ann"),
        "  Bob, initiative: d6 shows 2.",
        "  On the clock: Ann (1, -9, -1) and Bob (1, -8, -2).",
        "1: Ann's turn",
        "  Ann: attack at Bob, with 2 (bless).",
        "    Ann, attack: d20 shows 7 against 10 — hit by 3.",
        "    Bob chooses stand.",
        "    Bob takes 9 blunt damage to temp and hp: 9 = 3 + 4 (2d4) + 2 (bless); hp 12 → 3.",
        "    Bob: bleeding.",
        "    Ann's turn ends: turn.",
        "1: Bob's turn",
        "  Bob takes 1 damage to hp from bleeding; hp 3 → 2.",
    ]


def test_a_roll_that_nothing_reads_stands_alone() -> None:
    session = tiny_session()
    must(session.declare("ann", "roll", notation="2d6+1"))
    assert [line for line in told(session) if "typed" in line and "2d6+1 shows" in line]


def test_the_prompt_that_is_open_is_told_at_the_end() -> None:
    session = tiny_session(dice="scripted", script=(1, 2, 7))
    must(session.declare("ann", "attack", "bob"))
    assert told(session)[-2:] == [
        "    Ann, attack: d20 shows 7 against 10 — hit by 3.",
        "    Bob is to choose, guard: dodge or stand.",
    ]


def test_nested_actions_stand_deeper() -> None:
    session = tiny_session(people=3, dice="scripted", script=(1, 2, 3, 19, 19))
    must(session.declare("ann", "flurry", "bob", "cy"))
    text = told(session)
    at = text.index("  Ann: flurry at Bob and Cy.")
    assert text[at + 1 : at + 3] == [
        "    Ann: attack at Bob (power 1).",
        "      Ann, attack: d20 shows 19 against 10 — miss by 9.",
    ]


def test_a_waiting_action_is_told_when_it_goes_on() -> None:
    session = tiny_session(dice="scripted", script=(1, 2, 3, 3, 3))
    must(session.declare("ann", "blow", "bob", secret=False))
    must(session.end_turn("bob"))
    for _ in range(12):
        if any("goes on" in line and not line.startswith(" ") for line in told(session)):
            break
        must(session.end_turn(session.state().turn))
    text = told(session)
    assert "    Ann's blow goes on at 6." in text
    at = text.index("6: Ann's blow goes on")
    assert text[at + 1].startswith("    Bob takes 9 blunt damage")


def test_a_teller_gives_the_same_lines_as_they_come() -> None:
    session = fight()
    pairs = read(session, PUBLIC).log.line()
    teller = Teller(PLAIN)
    heard: list[Line] = []
    for version, event in pairs:
        heard += teller.tell(version, event)
    heard += teller.rest()
    assert heard == list(transcript(pairs, PLAIN))
    assert teller.state == read(session, PUBLIC).state()


def test_what_was_undone_is_left_out_of_a_transcript_and_told_as_it_was_in_a_list() -> None:
    session = tiny_session(dice="scripted", script=(1, 2, 19, 18))
    must(session.declare("ann", "attack", "bob"))
    must(session.undo())
    must(session.declare("ann", "attack", "bob"))
    assert not [line for line in told(session) if "shows 19" in line]
    assert [line for line in told(session) if "shows 18" in line]
    said = [one.text for one in sentences(whole(read(session, PUBLIC)), PLAIN)]
    assert "Ann, attack: d20 shows 19 against 10 — miss by 9." in said
    assert any(text.startswith("Undo: back to version ") for text in said)
    assert said.count("1: Ann's turn.") == 1


def test_every_sentence_stands_in_the_state_of_its_own_branch() -> None:
    session = tiny_session(dice="scripted", script=(1, 2, 7, 3, 4, 19))
    must(session.declare("ann", "attack", "bob"))
    answer_all(session, 1)
    must(session.undo())
    must(session.declare("ann", "attack", "bob"))
    must(session.undo())
    must(session.redo())
    log = read(session, PUBLIC)
    for one in sentences(whole(log), PLAIN):
        assert one.state == log.state(one.version)


def test_a_name_cannot_forge_a_line() -> None:
    session = tiny_session(begun=False)
    must(session.note("first\n  2: Bob's turn\x1b[2J"))
    assert told(session)[-1] == "Note: first / 2: Bob's turn\\x1b[2J."
    assert sentence(scene(), Note(text=None)).text == "A note is kept from you."


def test_silent_templates_leave_a_line_out_and_only_of_transcripts() -> None:
    texts = Texts({"choose.guard": "", "done.attack.hit": "A hit.", "turn.start": "Round {at}: {who}."})
    session = tiny_session(dice="scripted", script=(1, 2, 7, 3, 4))
    must(session.declare("ann", "attack", "bob"))
    answer_all(session, 1)
    text = told(session, texts)
    assert not [line for line in text if "chooses" in line]
    assert "    A hit." in text
    assert "Round 1: Ann" in text
    said = [one.text for one in sentences(read(session, PUBLIC).log.line(), texts)]
    assert "Bob chooses stand." in said


@pytest.mark.parametrize(
    ("refused", "text"),
    [
        (Refused("not-your-turn", ("ada", "strike")), "It is not ada's turn."),
        (Refused("not-enough-delay", ("Short Sword", 3, 1)), "Not enough delay (Short Sword, 3, 1)."),
        (Refused("over"), "Over."),
    ],
)
def test_refusals_are_sentences(refused: Refused, text: str) -> None:
    assert text == refusal(Texts({"refused.not-your-turn": "It is not {0}'s turn."}), refused)


# -- the seed's own duel


def test_the_demo_tells_the_duel_of_the_source() -> None:
    """Attack 3, defence 4, left arm, 3 + 4 + 2 + 3 = 12 cleaving; then the aimed strike that is blocked and ends the turn."""
    catalog = Catalog(systems={"nyra": make}, points=())
    _, encounter = find_demo("duel")
    session = run_encounter(Engine(MemoryStore(), catalog, Fixed()), encounter)
    text = "\n".join(told(session, Texts(catalog.rules(session.manifest).texts("en"))))
    first = text[: text.index("Bram's turn")]
    for needle in (
        "d10 shows 3 against 7, margin 4",
        "d10 shows 4 against 5, margin 1",
        "Bram takes 12 cleaving damage to the left arm: 12 = 3 + 4 + 2 (3d6) + 3 (STR 7).",
        "d10 shows 2 against 3, margin 1 (3 = 7 (Swords) - 4 (aimed))",
        "d10 shows 2 against 5, margin 3",
        "block ends Ada's turn",
    ):
        assert needle in first, needle
    assert session.state().over
    plain = "\n".join(told(session))
    assert "12 = 3 + 4 + 2 (3d6) + 3 (STR 7)" in plain, "the numbers need no plugin"
    assert "    Ada, contest: against 1 — hit by 3." in plain, "the dice were told with the verdict before"


def test_no_roll_is_lost_between_verdicts() -> None:
    """A tie: both roll again before the verdict, and both dice are told."""
    catalog = Catalog(systems={"nyra": make}, points=())
    _, encounter = find_demo("duel")
    tied = replace(encounter, dice="scripted", faces=(4, 2, 9, 1), script=encounter.script[:2], auto=None)
    session = run_encounter(Engine(MemoryStore(), catalog, Fixed()), tied)
    text = told(session, Texts(catalog.rules(session.manifest).texts("en")))
    at = text.index("    Equal margins: both roll again.")
    assert text[at + 1 : at + 4] == [
        "    Ada rolls again: d10 shows 9.",
        "    Bram rolls again: d10 shows 1.",
        "    The defence holds.",
    ]
    assert [line for line in told(session) if "d10 shows 1" in line]


def test_a_verdict_that_does_not_tell_its_dice_follows_them() -> None:
    texts = Texts({"judge.attack": "So be it."})
    session = tiny_session(dice="scripted", script=(1, 2, 19))
    must(session.declare("ann", "attack", "bob"))
    assert "    Ann, attack: d20 shows 19. So be it." in told(session, texts)
