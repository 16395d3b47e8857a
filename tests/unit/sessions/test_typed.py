"""What people type at a table: picking, declaring, dice; what is not clear is told with what comes close."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from affray.kernel import DicePlan, Form, NoParams, dice, parse
from affray.sessions.cli.table.choices import Choice, Unclear, leading, lines, pick
from affray.sessions.cli.table.drafts import Draft, draft_of, in_one_line, split, summary
from affray.sessions.cli.table.faces import explained, faces_of, read_faces, wanted
from affray.sessions.views.texts import Texts

from ...support.table import tiny_session

GUARDS = (
    Choice("dodge", "Dodge, 5", ("Dodge", "dodge")),
    Choice("defense", "Defense, 6", ("Defense", "defense")),
    Choice("none", "no defence (none)", ("no defence", "none")),
    Choice("dive-roll", "dive roll", ("dive roll", "dive-roll")),
)


@pytest.mark.parametrize(
    ("typed", "value"),
    [
        ("1", "dodge"),
        ("4", "dive-roll"),
        ("DODGE", "dodge"),
        ("do", "dodge"),
        ("no", "none"),
        ("no def", "none"),
        ("non", "none"),
        ("dive_roll", "dive-roll"),
        ("dive-r", "dive-roll"),
    ],
)
def test_a_number_a_name_or_the_beginning_of_one_picks(typed: str, value: str) -> None:
    assert value == pick(typed, GUARDS).value


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        ("d", "'d' could be Dodge, Defense or dive roll."),
        ("dogde", "'dogde' is nothing that can be said here; did you mean Dodge?"),
        ("und0", "'und0' is nothing that can be said here; did you mean undo?"),
        ("xyzzy", "'xyzzy' is nothing that can be said here; ? shows what can be said here."),
        ("0", "There is no number 0; there are 1 to 4."),
        ("5", "There is no number 5; there are 1 to 4."),
        ("9" * 5000, "There is no number 999999999; there are 1 to 4."),
        ("\x1b[2J", "'\\x1b[2J' is nothing"),
    ],
)
def test_what_is_not_clear_is_told(typed: str, told: str) -> None:
    with pytest.raises(Unclear) as caught:
        pick(typed, GUARDS, ("undo", "redo"))
    assert str(caught.value).startswith(told)


def test_a_whole_name_goes_before_the_beginning_of_another() -> None:
    choices = (Choice("hit-hard", "hit hard"), Choice("hit", "hit"))
    assert pick("hit", choices).value == "hit"


def test_what_is_called_by_numbers_is_picked_by_them() -> None:
    powers = tuple([Choice(power, str(power)) for power in (3, 1, 2)])
    assert pick("3", powers).value == 3
    assert list(lines(powers)) == ["3", "1", "2"]
    assert next(lines(GUARDS)) == "1  Dodge, 5"


@pytest.mark.parametrize(
    ("typed", "value", "rest"),
    [
        ("dive roll left", "dive-roll", "left"),
        ("dive left", "dive-roll", "left"),
        ("2   at  once", "defense", "at  once"),
        ("none", "none", ""),
        ("no defence at all", "none", "at all"),
    ],
)
def test_a_line_begins_with_a_choice(typed: str, value: str, rest: str) -> None:
    choice, left = leading(typed, GUARDS)
    assert (choice.value, left) == (value, rest)


# -- declaring


class Params(msgspec.Struct, frozen=True):
    weapon: str
    strike: str
    aim: str | None = None
    power: int = 0


class Spell(msgspec.Struct, frozen=True):
    words: str


STATE = tiny_session(people=3).state()
STRIKE = Form(
    name="strike",
    targets=("bob", "cy"),
    least=1,
    most=1,
    choices={"weapon": ("short-sword", "axe"), "strike": ("wild", "aimed"), "aim": (None, "head", "left-arm")},
)
SWEEP = Form(name="sweep", targets=("bob", "cy"), least=1, most=2)


def drafted(form: Form, text: str, params: type = Params) -> Draft:
    draft = draft_of(form, params, STATE, Texts({"code.short-sword": "the old blade"}))
    draft.say(text)
    return draft


@pytest.mark.parametrize(
    ("text", "targets", "params"),
    [
        ("bob axe wild", ["bob"], {"weapon": "axe", "strike": "wild", "aim": None}),
        ("at Bob with the axe, wild", ["bob"], {"weapon": "axe", "strike": "wild", "aim": None}),
        ("cy the old blade aimed left arm", ["cy"], {"weapon": "short-sword", "strike": "aimed", "aim": "left-arm"}),
        ("c short-sword ai h", ["cy"], {"weapon": "short-sword", "strike": "aimed", "aim": "head"}),
        ("weapon=axe strike=wild target=bob", ["bob"], {"weapon": "axe", "strike": "wild", "aim": None}),
        ("bob axe wild power=3", ["bob"], {"weapon": "axe", "strike": "wild", "aim": None, "power": 3}),
        ("bob weapon=1 strike=aimed aim=tail", ["bob"], {"weapon": "short-sword", "strike": "aimed", "aim": "tail"}),
    ],
)
def test_one_line_says_a_whole_declaration(text: str, targets: list[str], params: dict[str, Any]) -> None:
    draft = drafted(STRIKE, text)
    assert (draft.targets, draft.params, draft.open()) == (targets, params, [])


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("bob axx", "'axx': did you mean axe?"),
        ("bob xyzzy", "'xyzzy': that is nothing 'strike' takes."),
        ("bob wepon=axe", "'wepon': did you mean weapon?"),
        ("bob colour=red", "'colour': it has no such parameter."),
        ("bob weapon=axx", "'axx' is nothing that can be said here; did you mean axe?"),
        ("bob a", "'a' could be the weapon or the strike; write weapon=a."),
        ("bob bob", "'bob': that is nothing 'strike' takes."),
    ],
)
def test_a_line_that_is_not_clear_says_why(text: str, told: str) -> None:
    with pytest.raises(Unclear) as caught:
        drafted(STRIKE, text)
    assert str(caught.value) == told


def test_what_a_line_leaves_open_is_asked_for() -> None:
    draft = drafted(STRIKE, "bob")
    assert [blank.label for blank in draft.open()] == ["weapon", "strike"]
    draft = drafted(STRIKE, "")
    assert [blank.label for blank in draft.open()] == ["target", "weapon", "strike", "aim"]
    aim = draft.open()[3]
    draft.close(aim)
    assert draft.params == {"aim": None}
    with pytest.raises(Unclear, match="The weapon must be said"):
        draft.close(draft.open()[1])


def test_several_targets_are_named_once_each() -> None:
    draft = drafted(SWEEP, "bob,cy", NoParams)
    assert draft.targets == ["bob", "cy"]
    assert drafted(SWEEP, "bob, c", NoParams).targets == ["bob", "cy"]
    assert drafted(Form(name="sweep", least=1, most=9), "", NoParams).open() == [], "nobody can be named"
    assert drafted(SWEEP, "bob", NoParams).targets == ["bob"]
    draft = drafted(SWEEP, "", NoParams)
    (blank,) = draft.open()
    with pytest.raises(Unclear, match="At least 1"):
        draft.close(blank)
    draft.put(blank, "bob")
    with pytest.raises(Unclear, match="named twice"):
        draft.put(blank, "bob")


def test_what_only_one_thing_fits_is_filled_by_itself() -> None:
    form = Form(name="strike", targets=("bob",), least=1, most=1, choices={"weapon": ("axe",)})
    draft = drafted(form, "", NoParams)
    assert (draft.targets, draft.params, draft.open()) == (["bob"], {"weapon": "axe"}, [])
    assert in_one_line(draft, STATE) == "strike bob weapon=axe"
    assert summary(form, STATE) == "strike at Bob"
    assert summary(STRIKE, STATE) == "strike at Bob or Cy: weapon, strike and aim"


def test_a_parameter_without_choices_is_typed_freely() -> None:
    cast = Form(name="cast")
    assert drafted(cast, "open the gates", Spell).params == {"words": "open the gates"}
    assert drafted(cast, "1d100 bands 5,20,95", Spell).params == {"words": "1d100 bands 5,20,95"}
    assert drafted(cast, "words='open sesame'", Spell).params == {"words": "open sesame"}
    assert [blank.name for blank in drafted(cast, "", Spell).open()] == ["words"]


def test_words_in_quotes_are_one_and_an_apostrophe_is_none() -> None:
    assert split('a "b c" d,e') == ["a", "b c", "d,e"]
    assert split("it's") == ["it's"]
    assert split("rows=[1,2]") == ["rows=[1,2]"]


# -- dice


def no_more(why: str, die: int) -> int:
    raise AssertionError(f"asked for more: {why}")


def more(*faces: int) -> tuple[Callable[[str, int], int], list[str]]:
    """Somebody who is asked for more faces, and what was said to them."""
    left, asked = list(faces), list[str]()

    def give(why: str, die: int) -> int:
        asked.append(why)
        return left.pop(0)

    return give, asked


@pytest.mark.parametrize(
    ("plan", "typed", "faces"),
    [
        (dice(1, 10), "7", ((7,),)),
        (dice(3, 6), "3 4 2", ((3,), (4,), (2,))),
        (dice(3, 6), " 3,4, 2 ", ((3,), (4,), (2,))),
        (parse("2d6!"), "6+6+1 3", ((6, 6, 1), (3,))),
        (parse("4d6kh3"), "1 2 3 4", ((1,), (2,), (3,), (4,))),
        (parse("2d6ro<3+1"), "1+1 5", ((1, 1), (5,))),
        (parse("1d6+1d8"), "6 8", ((6,), (8,))),
        (parse("3+4"), "", ()),
    ],
)
def test_dice_are_typed_one_number_a_die(plan: DicePlan, typed: str, faces: tuple[tuple[int, ...], ...]) -> None:
    assert faces == read_faces(plan, typed, no_more)


def test_a_die_that_goes_on_is_asked_for_its_next_face() -> None:
    give, asked = more(6, 2, 4)
    assert read_faces(parse("2d6!"), "6 6", give) == ((6, 6, 2), (6, 4))
    assert asked == ["die 1 shows 6 and explodes", "die 1 shows 6 and explodes", "die 2 shows 6 and explodes"]
    give, asked = more(1, 6, 3)
    assert read_faces(parse("1d6r=1!"), "1", give) == ((1, 1, 6, 3),)
    assert asked == ["the die shows 1 and is thrown again"] * 2 + ["the die shows 6 and explodes"]


@pytest.mark.parametrize(
    ("plan", "typed", "told"),
    [
        (dice(1, 10), "11", "11 is on no face of a d10."),
        (dice(1, 10), "0", "0 is on no face of a d10."),
        (parse("1d6+1d8"), "7 8", "7 is on no face of die 1, a d6."),
        (dice(1, 10), "3 4", "1 die is asked for, 2 came."),
        (dice(3, 6), "3", "3 dice are asked for, 1 came."),
        (dice(1, 10), "seven", "'seven' is no die; type 5, or 6+6+2 for one that went on."),
        (dice(1, 10), "-3", "'-3' is no die"),
        (dice(1, 10), "3+", "'3+' is no die"),
        (dice(1, 10), "٣", "'٣' is no die"),
        (dice(1, 10), "3+4", "Die 1 has 2 faces, where the plan stops after 1."),
        (parse("1d6!"), "6+1+1", "Die 1 has 3 faces, where the plan stops after 2."),
    ],
)
def test_dice_that_do_not_fit_are_told(plan: DicePlan, typed: str, told: str) -> None:
    with pytest.raises(Unclear) as caught:
        read_faces(plan, typed, no_more)
    assert str(caught.value).startswith(told)


def test_what_is_to_be_done_with_dice_is_said() -> None:
    assert wanted(dice(1, 10)) == "type what it shows"
    assert wanted(dice(3, 6)) == "type what they show, one number a die"
    assert list(explained(dice(3, 6))) == []
    goes_on = "a die that goes on is typed with all its faces, 6+6+2, or its next face is asked for"
    assert list(explained(parse("3d6!>=5"))) == [
        "a d6 that shows 5 or more explodes: throw one more and add it",
        goes_on,
    ]
    assert list(explained(parse("2d6ro<3"))) == [
        "a d6 that shows less than 3 is thrown once more, and that stays",
        goes_on,
    ]
    assert list(explained(parse("1d6r=1"))) == ["a d6 that shows 1 is thrown again until it shows something else", goes_on]
    assert list(explained(parse("4d6kh3"))) == ["the highest 3 count; type all of them"]
    assert list(explained(parse("4d6dl1"))) == ["the lowest 1 do not count; type all of them"]


def test_faces_of_one_die_are_joined_by_plus() -> None:
    assert faces_of("6+6+2") == (6, 6, 2)
