"""Encounter files: what is refused and where, and how a fight that was written down is played."""

from __future__ import annotations

from pathlib import Path

import pytest

from affray.kernel import GM, PUBLIC, Ask, InputError, Note, PluginUnavailable, Roll, SessionExists
from affray.sessions import MemoryStore, Session
from affray.sessions.encounter import ScriptRefused, parse_encounter, read_encounter, run_encounter
from affray.sessions.encounter_file import COMMANDS_MAX, FILE_BYTES

from ...support.table import engine

TWO = """
[[combatants]]
id = "ann"
side = "red"
controller = "ann"
sheet = { hp = 12, init = 9 }

[[combatants]]
id = "bob"
side = "blue"
controller = "bob"
sheet = { hp = 12, init = 8 }
"""

TINY = f'system = "tiny"\n{TWO}'

def scripted(*faces: int) -> str:
    return f'dice = "scripted"\nfaces = {list(faces)}\n{TINY}'


ATTACK = '[[script]]\ndo = "declare"\nactor = "ann"\naction = "attack"\ntargets = ["bob"]\n'


def run(text: str, store: MemoryStore | None = None) -> Session:
    return run_encounter(engine(store), parse_encounter(text.encode(), "e.toml"), where="e.toml", session="s")


# -- what is refused


@pytest.mark.parametrize(
    ("text", "path", "problem"),
    [
        ("x = [", "e.toml:", "is not TOML"),
        ('system = "tiny"', "e.toml, $:", "missing required field `combatants`"),
        ('system = "tiny"\ncombatants = []', "e.toml, $.combatants:", "nobody takes part"),
        (f"system = 3\n{TWO}", "e.toml, $.system:", "Expected `str`"),
        (f'sytem = "x"\n{TINY}', "e.toml, $:", "no 'sytem' here; there are system, combatants"),
        (TINY.replace("side =", "sied =", 1), "e.toml, $.combatants[0]:", "no 'sied' here; there are id, side"),
        (TINY.replace("hp = 12", "hp = 12.5", 1), "e.toml, $.combatants[0].sheet.hp:", "float; write it as text"),
        (TINY.replace("hp = 12", "hp = 1e3", 1), "e.toml, $.combatants[0].sheet.hp:", "float"),
        (TINY.replace("hp = 12", "hp = nan", 1), "e.toml, $.combatants[0].sheet.hp:", "float"),
        (TINY.replace("hp = 12", "hp = 1979-05-27", 1), "e.toml, $.combatants[0].sheet.hp:", "not a JSON value"),
        (TINY.replace("hp = 12", f"hp = {2**53}", 1), "e.toml, $.combatants[0].sheet.hp:", "beyond 2^53 - 1"),
        (TINY.replace('"bob"', '"ann"', 1), "e.toml, $.combatants[1].id:", "has this id already (got 'ann')"),
        (TINY.replace('"bob"', '"b.b"', 1), "e.toml, $.combatants[1].id:", "ASCII letters, digits"),
        (TINY.replace('"blue"', '"b>e"', 1), "e.toml, $.combatants[1].side:", "ASCII letters, digits"),
        (f'{TINY}pools = {{ hp = true }}', "e.toml, $.combatants[1].pools.hp:", "Expected `int | str`, got `bool`"),
        (f'{TINY}conditions = [{{ id = "a b" }}]', "e.toml, $.combatants[1].conditions[0].id:", "condition's id"),
        (f'{TINY}conditions = [{{ di = "a" }}]', "e.toml, $.combatants[1].conditions[0]:", "there are id, value"),
        (f'dice = "loaded"\n{TINY}', "e.toml, $.dice:", "there are fair, reported, scripted"),
        (f'{TINY}[dice]\ncy = "fair"', "e.toml, $.dice.cy:", "nobody of that name; there are *, ann, bob, gm"),
        (f"{TINY}[dice]\nann = 3", "e.toml, $.dice.ann:", "Expected `str`"),
        (f'dice = "scripted"\n{TINY}', "e.toml, $.faces:", "need their faces"),
        (f"faces = [3]\n{TINY}", "e.toml, $.faces:", "`dice` names none"),
        (scripted(3, 0), "e.toml, $.faces[1]:", "a whole number from 1 (got 0)"),
        (f'undo_dice = "never"\n{TINY}', "e.toml, $.undo_dice:", "redraw, keep, forbid (got 'never')"),
        (f'auto = "frist"\n{TINY}', "e.toml, $.auto:", "there are first, last or a table a controller"),
        (f'{TINY}[auto.cy]\n', "e.toml, $.auto.cy:", "nobody of that name"),
        (f'{TINY}[auto.ann]\notherwise = "x"', "e.toml, $.auto.ann.otherwise:", "there are first, last"),
        (f'{TINY}[auto."*"]\nmovse = []', "e.toml, $.auto.*:", "there are moves, answers, otherwise"),
        (f'{TINY}[auto."a.b"]\nanswers = {{ "x" = 3 }}', "e.toml, $.auto.a.b.answers", "Expected `str`"),
        (f'{TINY}[[auto.ann.moves]]\nact = "x"', "e.toml, $.auto.ann.moves[0]:", "there are action, targets, params"),
        (f"commands = 0\n{TINY}", "e.toml, $.commands:", f"1 to {COMMANDS_MAX} (got 0)"),
        (f'{TINY}[[script]]\nactor = "ann"', "e.toml, $.script[0]:", "missing required field `do`"),
        (f'{TINY}[[script]]\ndo = "dance"', "e.toml, $.script[0].do:", "there are declare, answer, report, note, end-turn"),
        (f'{TINY}[[script]]\ndo = "end-turn"\nactr = "ann"', "e.toml, $.script[0]:", "there are do, actor"),
        (f'{TINY}[[script]]\ndo = "end-turn"\nactor = "cy"', "e.toml, $.script[0].actor:", "there are ann, bob (got 'cy')"),
        (f'{TINY}{ATTACK.replace("bob", "cy")}', "e.toml, $.script[0].targets[0]:", "there are ann, bob"),
        (f'{TINY}[[script]]\ndo = "answer"\nwho = "cy"\nvalue = "x"', "e.toml, $.script[0].who:", "nobody of that name"),
        (f'{TINY}[[script]]\ndo = "note"\ntext = ""', "e.toml, $.script[0].text:", "must not be empty"),
    ],
)
def test_a_bad_file_is_refused_with_its_path_and_what_would_be_right(text: str, path: str, problem: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_encounter(text.encode(), "e.toml")
    message = str(caught.value)
    assert message.startswith(path)
    assert problem in message
    assert "\n" not in message


@pytest.mark.parametrize(
    ("text", "path", "problem"),
    [
        (TINY.replace("hp = 12", "ph = 12", 1), "e.toml, $.combatants[0].sheet:", "unknown field `ph`"),
        (TINY.replace("hp = 12", 'hp = "x"', 1), "e.toml, $.combatants[0].sheet.hp:", "Expected `int`"),
        (TINY.replace("hp = 12", "hp = 0", 1), "e.toml, $.combatants[0].sheet.hp:", "must be above 0"),
        (f"{TINY}pools = {{ luck = 3 }}", "e.toml, $.combatants[1].pools.luck:", "there are hp, temp, wounds"),
        (f"options = {{ count = 3 }}\n{TINY}", "e.toml, $.options", "unknown field `count`"),
        (f'{TINY}{ATTACK.replace("attack", "sing")}', "e.toml, $.script[0].action:", "there are attack, sweep"),
        (f"{TINY}{ATTACK}params = {{ pwr = 3 }}", "e.toml, $.script[0].params:", "unknown field `pwr`"),
        (f'{TINY}[[auto.ann.moves]]\naction = "sing"', "e.toml, $.auto.ann.moves[0].action:", "no such action"),
    ],
)
def test_what_the_rules_refuse_is_refused_before_anything_is_stored(text: str, path: str, problem: str) -> None:
    store = MemoryStore()
    with pytest.raises(InputError) as caught:
        run(text, store)
    assert str(caught.value).startswith(path)
    assert problem in str(caught.value)
    assert store.sessions() == ()


def test_a_plugin_that_is_not_installed_is_named_and_nothing_is_stored() -> None:
    store = MemoryStore()
    for text, name in ((TINY.replace("tiny", "chess"), "chess"), (f'house = ["luck"]\n{TINY}', "luck")):
        with pytest.raises(PluginUnavailable, match=name):
            run(text, store)
    assert store.sessions() == ()


def test_a_file_has_bounds(tmp_path: Path) -> None:
    """Law 9: at the bound and one past it."""
    at = (f"{TINY}#".ljust(FILE_BYTES)).encode()
    assert parse_encounter(at, "e.toml").system == "tiny"
    with pytest.raises(InputError, match=f"more than {FILE_BYTES} bytes"):
        parse_encounter(at + b" ", "e.toml")
    (tmp_path / "e.toml").write_bytes(at + b" ")
    with pytest.raises(InputError, match=f"e.toml: has more than {FILE_BYTES} bytes"):
        read_encounter(tmp_path / "e.toml")
    with pytest.raises(InputError, match=f"1 to {COMMANDS_MAX}"):
        parse_encounter(f"commands = {COMMANDS_MAX + 1}\n{TINY}".encode())
    assert parse_encounter(f"commands = {COMMANDS_MAX}\n{TINY}".encode()).commands == COMMANDS_MAX


@pytest.mark.parametrize("data", [b"\xff\xfe", b"a = " + b"[" * 5000, b"\x00"])
def test_rubbish_is_refused_in_a_sentence(data: bytes) -> None:
    with pytest.raises(InputError, match=r"^e\.toml: "):
        parse_encounter(data, "e.toml")


# -- how it is played


def test_people_join_as_they_are_written_down() -> None:
    text = TINY + 'name = "Bob"\nplayer = "B. Person"\nsecret = true\npools = { hp = 5 }\nconditions = [{ id = "blessed", value = 2 }]\n'
    state = run(text).state(reader=GM)
    ann, bob = state.combatants.values()
    assert (ann.name, ann.secret, ann.pools["hp"]) == ("ann", False, 12)
    assert (bob.name, bob.secret, bob.pools["hp"], bob.conditions["blessed"].value) == ("Bob", True, 5, 2)
    assert state.began


def test_a_script_is_played_in_order() -> None:
    text = scripted(1, 2, 7, 3, 4) + (
        '[[script]]\ndo = "note"\ntext = "first"\n'
        f"{ATTACK}"
        '[[script]]\ndo = "answer"\nwho = "bob"\nkey = "guard"\nvalue = "stand"\n'
        '[[script]]\ndo = "note"\ntext = "kept"\nsecret = true\n'
        '[[script]]\ndo = "end-turn"\nactor = "bob"\n'
    )
    session = run(text)
    state = session.state(reader=GM)
    assert state.combatants["bob"].pools["hp"] == 4, "12, 3 + 4 of the strike, 1 of bleeding"
    assert state.turn == "ann"
    notes = [one.event.text for one in session.history(reader=PUBLIC) if isinstance(one.event, Note)]
    assert notes == ["first", None]
    assert session.verify().is_clean


def test_dice_of_the_table_are_reported() -> None:
    text = (
        TINY
        + '[dice]\nann = "reported"\n'
        + '[[script]]\ndo = "report"\nwho = "ann"\nfaces = [4]\n'
        + ATTACK
        + '[[script]]\ndo = "report"\nwho = "ann"\nkey = "attack"\nfaces = [[7]]\n'
    )
    session = run(text)
    rolls = [one.event for one in session.history(reader=GM) if isinstance(one.event, Roll)]
    assert [(roll.key, roll.faces) for roll in rolls if roll.source == "reported"] == [("initiative", ((4,),)), ("attack", ((7,),))]


@pytest.mark.parametrize(
    ("script", "path", "problem"),
    [
        (ATTACK.replace('"ann"', '"bob"').replace('["bob"]', '["ann"]'), "$.script[0]", "not-your-turn"),
        (f"{ATTACK}params = {{ power = 10 }}\n", "$.script[0]", "too-much-power (10)"),
        (f"{ATTACK}{ATTACK}", "$.script[1]", "prompt-open"),
        (f'{ATTACK}[[script]]\ndo = "answer"\nwho = "bob"\nvalue = "run"\n', "$.script[1]", "no-such-option (run, dodge, stand)"),
        (f'{ATTACK}[[script]]\ndo = "answer"\nwho = "ann"\nvalue = "x"\n', "$.script[1]", "nothing is asked"),
        (f'{ATTACK}[[script]]\ndo = "answer"\nwho = "bob"\nkey = "luck"\nvalue = "x"\n', "$.script[1]", "asked is guard"),
        ('[[script]]\ndo = "answer"\nwho = "bob"\nvalue = "x"\n', "$.script[0]", "nothing is asked"),
        (f'{ATTACK}[[script]]\ndo = "report"\nwho = "bob"\nfaces = [3]\n', "$.script[1]", "no-dice-wanted"),
    ],
)
def test_a_line_that_does_not_fit_stops_the_run_and_keeps_the_session(script: str, path: str, problem: str) -> None:
    store = MemoryStore()
    with pytest.raises(ScriptRefused) as caught:
        run(scripted(1, 2, 7, 3, 4) + script, store)
    assert caught.value.path == path
    assert problem in str(caught.value)
    assert engine(store).load("s").verify().is_clean


def test_scripted_dice_that_run_out_are_a_refusal() -> None:
    with pytest.raises(ScriptRefused, match=r"\$\.script\[0\]: refused, script-exhausted"):
        run(scripted(1, 2) + ATTACK)


# -- by itself


def test_without_auto_nobody_acts() -> None:
    session = run(TINY)
    assert session.state().turn
    assert not [one for one in session.history() if isinstance(one.event, Ask)]


def test_left_to_itself_a_fight_goes_on_until_it_is_over() -> None:
    session = run(f'auto = "last"\n{TINY}')
    assert session.state().over.startswith("won-by-")
    assert session.verify().is_clean


def test_auto_is_bounded() -> None:
    heal = '[auto."*"]\nmoves = [{ action = "heal", targets = ["ann"], params = { power = 1 } }]\n'
    session = run(f"commands = 7\n{TINY}{heal}")
    healed = [one for one in session.history() if type(one.event).__name__ == "Declare"]
    assert len(healed) == 7
    assert not session.state().over


def test_each_controller_plays_by_its_own_policy() -> None:
    auto = (
        '[auto.ann]\nmoves = [{ action = "attack", params = { power = 11 } }, { action = "sweep" }]\nanswers = { sweep = "stand" }\n'
        '[auto."*"]\notherwise = "last"\nmoves = [{ action = "end-turn" }]\n'
    )
    session = run(f"commands = 6\n{TINY}{auto}")
    declared = [
        (one.event.actor, one.event.name, one.event.targets)
        for one in session.history()
        if type(one.event).__name__ == "Declare"
    ]
    assert declared[:2] == [("ann", "sweep", ("bob",)), ("bob", "end-turn", ())], "11 is refused, the next is tried"
    chosen = {one.event.value for one in session.history() if type(one.event).__name__ == "Choose"}
    assert chosen == {"stand"}, "bob has no answer for sweep and takes the last"


def test_prompts_without_a_line_are_answered_before_the_script_goes_on() -> None:
    """Two by `auto`; then its bound is reached, and a third prompt stays open."""
    again = ATTACK.replace('"ann"', '"bob"').replace('["bob"]', '["ann"]')
    text = scripted(1, 2, 7, 3, 4, 7, 1, 2, 7) + f'{ATTACK}[[script]]\ndo = "note"\ntext = "between"\n{again}'
    end = '[[script]]\ndo = "end-turn"\nactor = "ann"\n'
    session = run(f'auto = "last"\ncommands = 2\n{text}{end}{again}')
    told = [type(one.event).__name__ for one in session.history() if type(one.event).__name__ in ("Note", "Choose", "Declare")]
    assert told == ["Declare", "Note", "Choose", "Declare", "Choose", "Declare", "Declare"]
    assert len(session.prompts(reader=GM)) == 1


def test_a_secret_line_is_kept_from_the_others() -> None:
    session = run(f"{TINY}{ATTACK}secret = true\n")
    assert not [one for one in session.history(reader="bob") if type(one.event).__name__ == "Declare"]
    assert [one for one in session.history(reader="ann") if type(one.event).__name__ == "Declare"]


def test_dice_that_people_must_report_are_waited_for() -> None:
    session = run(f'auto = "first"\n{TINY}[dice]\nann = "reported"\n')
    (prompt,) = session.prompts(reader=GM).values()
    assert prompt.ask.who == ("ann",)


def test_a_session_has_the_id_that_was_asked_for_once() -> None:
    store = MemoryStore()
    heard: list[str] = []
    encounter = parse_encounter(TINY.encode())
    run_encounter(engine(store), encounter, session="mine", started=lambda session: heard.append(session.id))
    assert (heard, store.sessions()) == (["mine"], ("mine",))
    with pytest.raises(SessionExists):
        run_encounter(engine(store), encounter, session="mine")


def test_auto_does_not_try_something_else_when_the_script_has_no_faces_left() -> None:
    """Else it would rest, or wait, until its bound is reached."""
    with pytest.raises(ScriptRefused, match=r"\$\.auto: refused, script-exhausted"):
        run('auto = "first"\n' + scripted(1, 2))
