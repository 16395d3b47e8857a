"""`affray play` on a pipe: what is asked, what may be typed, and what becomes of it."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from msgspec.structs import replace

from affray.kernel import (
    GM,
    Action,
    Declare,
    Fight,
    Form,
    NoParams,
    Note,
    Roll,
    Steps,
    System,
    hookimpl,
)
from affray.sessions import Catalog, Engine, Session
from affray.sessions.cli import app
from affray.sessions.cli.table.keyboard import Keyboard
from affray.sessions.stores.sqlite import SqliteStore

from ...support.cli import NYRA, TINY, affray, find_plugins
from ...support.ram import ram_folder
from ...support.table import Fixed, must, tiny_session
from ...support.tiny import Tiny, end_turn

SHEET = (
    "sheet = { STR = 7, AGI = 6, CON = 1, sequence = 5, skills = { Swords = 7, Dodge = 5 },"
    ' weapons = [{ key = "sword", base = "short-sword" }] }'
)

ENCOUNTER = f"""
system = "nyra"
dice = "scripted"
faces = [3, 9, 3, 1, 1, 1]
auto = "first"

[[combatants]]
id = "ada"
side = "red"
controller = "ada"
{SHEET}

[[combatants]]
id = "bram"
side = "blue"
controller = "bram"
{SHEET.replace("sequence = 5", "sequence = 4").replace("CON = 1", "CON = 50")}

[[script]]
do = "declare"
actor = "ada"
action = "strike"
targets = ["bram"]
params = {{ weapon = "sword", strike = "wild", type = "C" }}
"""


@pytest.fixture
def home(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    with ram_folder() as folder:
        monkeypatch.setenv("AFFRAY_HOME", str(folder))
        monkeypatch.delenv("AFFRAY_DEBUG", raising=False)
        find_plugins(monkeypatch, TINY, NYRA)
        yield folder


def begun(home: Path, **start: Any) -> None:
    """A stored fight of the tiny system, session `s`: Ann, Bob, perhaps Cy."""
    store = SqliteStore(home / "sessions")
    tiny_session(Engine(store, Catalog(), Fixed()), **start)
    store.close()


def stored(home: Path, name: str = "s") -> Session:
    store = SqliteStore(home / "sessions")
    try:
        return Engine(store, Catalog()).load(name)
    finally:
        store.close()


def play(*typed: str, args: tuple[str | Path, ...] = ("s",)) -> Result:
    """Play with these lines as what people type; they leave when there is no more."""
    lines = "".join([f"{line}\n" for line in typed])
    return CliRunner().invoke(app, ["play", *map(str, args)], input=lines, prog_name="affray")


def last(session: Session, kind: type) -> Any:
    return next(one.event for one in reversed(session.history(reader=GM)) if isinstance(one.event, kind))


# -- beginning and going on


def test_an_encounters_script_is_played_and_people_play_the_rest(home: Path, tmp_path: Path) -> None:
    path = tmp_path / "fight.toml"
    path.write_text(ENCOUNTER)
    result = play("dodge", args=(path, "--session", "f"))
    assert result.exit_code == 0, result.stderr
    assert "What does ada do?\n  1  strike at bram: strike, type and aim\n  2  end turn\nada> " in result.stdout
    assert f"affray: session f stays at version {stored(home, 'f').head}; go on with: " in result.stderr
    assert result.stdout.count("The fight begins") == 1
    again = play(args=("f",))
    assert "bram tries to dodge." in again.stdout
    assert again.stdout.endswith("  2  end turn\nada> \n")


def test_without_an_argument_you_choose_and_with_nothing_stored_a_duel_begins(home: Path) -> None:
    result = play(args=())
    assert "A friendly duel" in result.stdout
    assert result.stdout.endswith("Ada> \n")
    begun(home)
    (duel,) = [name for name in SqliteStore(home / "sessions").sessions() if name != "s"]
    result = play("x", "s", args=())
    assert f"Which fight?\n  1  {duel}: A friendly duel, ada's turn\n  2  s: tiny, ann's turn\n  3  a new duel\n" in result.stdout
    assert "'x' is nothing" in result.stdout
    assert "What does Ann do?" in result.stdout
    assert play(args=()).exit_code == 0
    assert "A friendly duel" in play("new", args=()).stdout
    assert len(SqliteStore(home / "sessions").sessions()) == 3


def test_a_fight_that_has_not_begun_is_begun_by_whoever_says_so(home: Path) -> None:
    begun(home, begun=False)
    result = play("start", "beg")
    assert "The fight has not begun.\n  1  begin\ngm> start\n'start' is nothing" in result.stdout
    assert "What does Ann do?" in result.stdout
    assert stored(home).state().began


def test_a_fight_that_is_over_is_told_and_left(home: Path) -> None:
    begun(home)
    session = stored(home)
    must(session.close())
    result = play()
    assert result.exit_code == 0
    assert result.stdout.endswith(f"The fight is over: closed.\nEverybody can check the open dice of epoch 1 now.\n\ns: over at version {session.head}, in {home / 'sessions' / 's.sqlite'}\n")


def test_with_json_the_document_alone_is_on_standard_output(home: Path) -> None:
    begun(home)
    result = play("end", args=("s", "--json"))
    told = json.loads(result.stdout)
    assert told == {**document_of(home), "waiting": 0}
    assert "What does Bob do?" in result.stderr


def document_of(home: Path) -> dict[str, Any]:
    session = stored(home)
    return {
        "session": "s",
        "file": str(home / "sessions" / "s.sqlite"),
        "version": session.head,
        "digest": session.digest,
        "over": "",
        "turn": session.state().turn,
    }


@pytest.mark.parametrize(
    ("args", "code", "told"),
    [
        (("nope",), 2, "no session 'nope' in"),
        (("nope.toml",), 2, "nope.toml: No such file"),
        (("./s.affray",), 2, "only a stored session can be played on"),
        (("s", "--for", "zed"), 2, "--for: nobody of that name reads here; there are ann, bob, gm, public (got 'zed')"),
        (("s", "--session", "x"), 2, "--session: is for a new session"),
    ],
)
def test_misuse_is_one_sentence(home: Path, args: tuple[str, ...], code: int, told: str) -> None:
    begun(home)
    result = play(args=args)
    assert (result.exit_code, result.stdout) == (code, "")
    assert told in result.stderr
    assert result.stderr.count("\n") == 1


def test_a_copy_and_rules_that_are_gone_are_not_played_on(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    begun(home)
    assert affray("copy", "s", "--to", tmp_path / "copies").exit_code == 0
    result = play(args=("s", "--db", tmp_path / "copies"))
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == "affray: This is a copy without its kept parts or the secret of its dice: it can be read, not played on\n"
    find_plugins(monkeypatch)
    result = play()
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == "affray: plugin 'tiny': is not installed; there are none ('affray plugins' lists what is)\n"


# -- declaring


def test_what_one_line_leaves_open_is_asked_and_a_blank_says_nothing(home: Path) -> None:
    begun(home, people=3, dice="scripted", script=(1, 1, 1, 20))
    result = play("", "attack", "", "3", "bo")
    assert "Ann> \n? shows what can be said here.\n" in result.stdout
    assert "Target?\n  1  Bob\n  2  Cy\nAnn, target> \n? shows" in result.stdout
    assert "There is no number 3; there are 1 to 2." in result.stdout
    assert "(in one line: attack bob)\n  Ann attacks Bob.\n" in result.stdout
    assert stored(home).state().turn == "bob"


def test_several_targets_are_named_until_enter(home: Path) -> None:
    begun(home, people=3)
    result = play("sweep", "bob", "b", "cy", "")
    assert "1 to 2 may be named, 1 is; Enter goes on" in result.stdout
    assert "'bob' is named twice." in result.stdout
    assert "Ann: sweep at Bob and Cy." in result.stdout


def test_a_refusal_says_why_and_the_question_stands(home: Path) -> None:
    begun(home)
    before = stored(home).digest
    result = play("attack power=12", "attack power=x", "atack", "heal cy")
    assert "Ann> attack power=12\nRefused: Too much power (12).\nAnn> " in result.stdout
    assert "That did not work: $.params.power: Expected `int`, got `str`" in result.stdout
    assert "'atack' is nothing that can be said here; did you mean attack" in result.stdout
    assert "'cy': that is nothing 'heal' takes." in result.stdout
    assert stored(home).digest == before


def test_commands_are_sent_in_the_name_of_whoever_was_asked(home: Path) -> None:
    begun(home)
    play("end turn", "note mine", "end")
    senders = [one.sender for one in stored(home).history(reader=GM)]
    sent = list(dict.fromkeys([(one.caller, one.seen >= 0) for one in senders if one]))
    assert sent == [(GM, False), ("ann", True), ("bob", True)]
    assert all(one.seen < version for version, one in enumerate(senders, 1) if one)


def test_a_word_in_the_middle_of_a_declaration_does_not_lose_it(home: Path) -> None:
    begun(home, people=3)
    result = play("curse", "note a word", "show", "cy")
    assert "Note: a word." in result.stdout
    assert "Ann: curse at Cy." in result.stdout
    result = play("attack", "back", "end")
    assert result.stdout.count("What does Bob do?") == 2
    assert stored(home).state().turn == "cy"


# -- answering


def test_several_people_are_asked_by_name_and_may_answer_in_any_order(home: Path) -> None:
    begun(home, people=3)
    result = play("sweep bob cy", "as ann", "as c", "stand", "duck")
    text = result.stdout
    assert "Bob answers:\n  1  duck\n  2  stand\nBob> as ann\n" in text
    assert "Ann has nothing to answer; first these have to." in text
    assert text.count("has nothing to answer") == 1, "to speak for somebody is for once"
    assert "Bob> as c\n" in text
    assert "Cy answers:\n  1  duck\n  2  stand\nCy> stand\n" in text
    assert text.index("Cy> stand") < text.index("Bob> duck")
    assert stored(home).state().turn == "bob"


def test_somebody_out_of_turn_speaks_by_name(home: Path) -> None:
    begun(home)
    result = play("blow", "as nobody", "as", "as ann", "break-off")
    assert "'nobody' is nothing that can be said here" in result.stdout
    assert "as takes a name; here are Ann, Bob." in result.stdout
    assert "What does Ann do?\n  1  break off\n" in result.stdout
    assert "Ann: break off." in result.stdout
    begun_again = play("as ann", "show")
    assert "There is nothing that Ann can do now.\nWhat does Bob do?" in begun_again.stdout


HIDDEN = """
system = "tiny"
dice = "scripted"
faces = [1, 1, 3, 1, 1]

[[combatants]]
id = "ann"
name = "Ann"
side = "heroes"
controller = "kim"
sheet = { hp = 12, init = 9 }

[[combatants]]
id = "gob"
name = "Goblin"
side = "goblins"
sheet = { hp = 12 }
"""


def test_what_is_not_for_everybody_is_shown_when_it_is_asked_for(home: Path, tmp_path: Path) -> None:
    path = tmp_path / "hidden.toml"
    path.write_text(HIDDEN)
    result = play("attack", "dogde", "?", "look", "stand", "look", args=(path, "--session", "h"))
    before, _, after = result.stdout.partition("Goblin (gm)> look\n")
    assert "Goblin answers:\n  (for Goblin alone: look shows what there is to choose)\nGoblin (gm)> " in before
    assert "Goblin (gm)> dogde\nThat is not clear; look shows what there is to choose.\n" in before
    assert "2  stand" not in before
    assert after.startswith("Goblin answers:\n  1  dodge, 5\n  2  stand\nGoblin (gm)> stand\n")
    asked = after.partition("What does Goblin do?\n")[2]
    assert asked.startswith("  (for Goblin alone: look shows what there is to choose)\nGoblin (gm)> look\n")
    assert "attack at Ann" in asked


def test_the_game_master_s_screen_shows_everything(home: Path, tmp_path: Path) -> None:
    path = tmp_path / "hidden.toml"
    path.write_text(HIDDEN)
    result = play("attack", args=(path, "--session", "h", "--for", "gm"))
    assert "Goblin answers:\n  1  dodge, 5\n  2  stand\nGoblin (gm)> " in result.stdout


# -- dice


def test_dice_of_the_table_are_asked_for_checked_and_chained(home: Path) -> None:
    begun(home, begun=False, dice="reported")
    result = play("begin", "7", "1", "6", "roll 2d6!+1", "6", "6 7", "6 3", "6+2", "9", "6", "2", "quit")
    assert "Ann rolls d6 for initiative: type what it shows.\nAnn> 7\n7 is on no face of a d6.\nAnn> 1\n" in result.stdout
    assert "Ann rolls 2d6!+1 for typed: type what they show, one number a die.\n  a d6 that shows 6 explodes: " in result.stdout
    assert "2 dice are asked for, 1 came." in result.stdout
    assert "7 is on no face of die 2, a d6." in result.stdout
    assert "Die 1 shows 6 and explodes: what does it show next?\nAnn> 6+2\nOne face is asked for.\nAnn> 9\n9 is on no face of a d6.\n" in result.stdout
    rolled = last(stored(home), Roll)
    assert (rolled.faces, rolled.total, rolled.source) == (((6, 6, 2), (3,)), 18, "reported")


def test_a_word_is_understood_where_dice_are_asked_for(home: Path) -> None:
    begun(home, begun=False, dice="reported")
    result = play("begin", "ndo", "undo", "quit")
    assert "'ndo' is nothing that can be said here; did you mean undo?" in result.stdout
    assert result.stdout.endswith("The fight has not begun.\n  1  begin\ngm> quit\n")


def test_a_witness_types_what_goes_into_the_dice(home: Path) -> None:
    begun(home, witness=True)
    result = play("attack", "back", "any old words")
    assert "Bob bears witness: type anything random" in result.stdout
    session = stored(home)
    assert b'"nonce":"any old words"' in b"".join(session.lines)
    assert last(session, Roll).key in ("attack", "dodge", "damage")
    assert session.verify().dice.nonces == 2, "and one came with the attack"


# -- words


def test_every_prompt_helps(home: Path) -> None:
    begun(home)
    result = play("?", "help")
    assert result.stdout.count("At any time:\n") == 2
    for word in ("undo [ACTION]", "redo", "note TEXT", "show", "log [N]", "why-not? [...]", "as NAME", "back", "look", "quit"):
        assert f"\n  {word} " in result.stdout
    assert result.stdout.count("What does Ann do?") == 3


def test_undo_and_redo(home: Path) -> None:
    begun(home)
    result = play("undo zzz", "redo", "end", "undo", "redo", "quit")
    assert "Refused: There is no such action: zzz." in result.stdout
    assert "Refused: There is no undo to go back on." in result.stdout
    assert "Undo: back to version" in result.stdout
    assert "Redo: back to version" in result.stdout
    assert stored(home).state().turn == "bob"


def test_show_and_log_are_as_the_reader_may_see_it(home: Path) -> None:
    begun(home)
    result = play("show", "log 2", "log x", "log", "note")
    board = affray("show", "s").stdout
    assert f"Ann> show\n{board}Ann> log 2\n" in result.stdout
    events = affray("log", "s").stdout.splitlines()
    assert f"log 2\n{events[-2].split(maxsplit=1)[0]}  " in result.stdout
    assert "log takes a number" in result.stdout
    assert "note takes what is to be written" in result.stdout


def test_why_not_says_why_and_does_nothing(home: Path) -> None:
    begun(home)
    before = stored(home).digest
    result = play("why-not?", "why not break off", "why-not? attack power=12", "why-not? attack", "why-not? attack power=x", "why-not? ata")
    lines = result.stdout.splitlines()
    assert lines[lines.index("Ann> why-not?") + 1] == "break off: Ann cannot do that now: break off."
    assert lines[lines.index("Ann> why not break off") + 1] == "break off: Ann cannot do that now: break off."
    assert lines[lines.index("Ann> why-not? attack power=12") + 1] == "Too much power (12)."
    assert lines[lines.index("Ann> why-not? attack") + 1] == "Nothing stands against it."
    assert lines[lines.index("Ann> why-not? attack power=x") + 1].startswith("$.params.power: Expected `int`")
    assert "did you mean attack" in lines[lines.index("Ann> why-not? ata") + 1]
    assert stored(home).digest == before
    waiting = play("sweep", "why-not?")
    assert "Nobody acts until Bob has answered" in waiting.stdout


def test_why_not_wants_a_whole_declaration(home: Path) -> None:
    begun(home, people=3)
    assert "Say it whole; still open: target." in play("why-not? attack").stdout


class Wordy(Tiny):
    """Has an action that is called like a word of every prompt."""

    @hookimpl
    def describe(self) -> System:
        tiny = super().describe()
        return replace(tiny, id="wordy", actions={**tiny.actions, "quit": NoParams})

    @hookimpl
    def actions(self, fight: Fight, who: str) -> list[Form]:
        return [*super().actions(fight, who), Form(name="quit")] if fight.state.turn == who else []

    @hookimpl
    def resolve(self, fight: Fight, action: Action) -> Steps:
        return end_turn(fight, action) if action.name == "quit" else super().resolve(fight, action)


def test_what_is_asked_for_goes_before_a_word(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    find_plugins(monkeypatch, EntryPoint("wordy", f"{__name__}:Wordy", "affray.systems"))
    path = tmp_path / "wordy.toml"
    path.write_text(HIDDEN.replace('"tiny"', '"wordy"'))
    assert "What does Goblin do?" in play("quit", args=(path, "--session", "w")).stdout
    assert stored(home, "w").state().turn == "gob"


def test_words_are_typed_whole_and_what_follows_is_theirs(home: Path) -> None:
    begun(home)
    assert "'sho' is nothing" in play("sho").stdout
    assert "Note: undo this." in play("note undo this").stdout
    assert isinstance(last(stored(home), Note), Note)


def test_leaving_is_good_and_says_how_to_go_on(home: Path, tmp_path: Path) -> None:
    begun(home)
    for typed in (("quit",), ("exit",), ("q",), ()):
        result = play(*typed)
        assert result.exit_code == 0
        assert result.stderr.endswith(" play s\n")
    shutil.move(home / "sessions", tmp_path / "a b")
    result = play(args=("s", "--db", tmp_path / "a b"))
    assert result.stderr.endswith(f" play s --db '{tmp_path / 'a b'}'\n")


# -- others at the same session


def test_somebody_who_was_faster_is_told_and_nothing_is_lost(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    begun(home)
    other, line = stored(home), Keyboard.line
    head = other.head

    def slow(keyboard: Keyboard, prompt: str) -> str:
        typed = line(keyboard, prompt)
        if typed == "curse" and other.head == head:
            must(other.note("I was here first"))
        return typed

    monkeypatch.setattr(Keyboard, "line", slow)
    result = play("curse", "curse")
    assert "Somebody else was faster; this is how it stands now.\n" in result.stdout
    assert "Note: I was here first." in result.stdout
    session = stored(home)
    assert (session.state().turn, session.verify().is_clean) == ("bob", True)
    assert [one.event.name for one in session.history(reader=GM) if isinstance(one.event, Declare)] == ["curse"]


def test_an_interrupt_is_130_and_says_how_to_go_on(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    begun(home)

    def interrupted(keyboard: Keyboard, prompt: str) -> str:
        raise KeyboardInterrupt

    monkeypatch.setattr(Keyboard, "line", interrupted)
    result = play()
    assert result.exit_code == 130
    assert f"affray: session s was interrupted and stays at version {stored(home).head}; go on with: " in result.stderr
