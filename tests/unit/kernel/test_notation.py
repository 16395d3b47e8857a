"""The spelling of dice plans (affray.kernel.notation)."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from affray.kernel.dice import (
    Bands,
    Condition,
    DicePlan,
    Successes,
    Sum,
    Term,
    banded,
    check_plan,
    dice,
    pool,
    read,
)
from affray.kernel.errors import DiceError
from affray.kernel.limits import DICE_PER_PLAN, DIE_SIDES, NOTATION_DEPTH, NOTATION_LENGTH, NUMBER_MAX
from affray.kernel.notation import notation, parse


def d6(count: int = 1, **changes: object) -> DicePlan:
    return DicePlan(terms=(msgspec.structs.replace(Term(count=count, sides=6), **changes),))


def value(text: str, *faces: int) -> object:
    return read(parse(text), tuple((face,) for face in faces)).total


def problem(text: str) -> DiceError:
    with pytest.raises(DiceError) as caught:
        parse(text)
    assert caught.value.text == text
    return caught.value


# -- what can be said


@pytest.mark.parametrize(
    ("text", "plan"),
    [
        ("3d6", dice(3, 6)),
        ("3d6+2", dice(3, 6, 2)),
        ("3d6-2", dice(3, 6, -2)),
        ("1d20", dice(1, 20)),
        ("4d6kh3", d6(4, keep="kh", keep_count=3)),
        ("4d6kl3", d6(4, keep="kl", keep_count=3)),
        ("4d6dh1", d6(4, keep="dh", keep_count=1)),
        ("4d6dl1", d6(4, keep="dl", keep_count=1)),
        ("2d6r<3", d6(2, reroll=Condition("<", 3))),
        ("2d6ro<3", d6(2, reroll=Condition("<", 3), reroll_once=True)),
        ("2d6ro<=2", d6(2, reroll=Condition("<=", 2), reroll_once=True)),
        ("3d6!", d6(3, explode=Condition("=", 6))),
        ("3d6!>=5", d6(3, explode=Condition(">=", 5))),
        ("3d6!=1", d6(3, explode=Condition("=", 1))),
        ("3d6!>7", d6(3, explode=Condition(">", 7))),
        (
            "4d6ro<2!>=5kh3",
            d6(4, reroll=Condition("<", 2), reroll_once=True, explode=Condition(">=", 5), keep="kh", keep_count=3),
        ),
        ("8d10>=7", pool(8, 10, 7)),
        ("8d10>=7 double 10", pool(8, 10, 7, 10)),
        ("1d100 bands 5,20,95", banded(1, 100, (5, 20, 95))),
        ("2d6 bands -5", banded(2, 6, (-5,))),
        ("0d20", dice(0, 20)),
        ("7", DicePlan(terms=(), formula=("7",))),
    ],
)
def test_the_spelling_of_a_plan(text: str, plan: DicePlan) -> None:
    assert parse(text) == plan
    assert notation(plan) == text
    assert msgspec.json.encode(parse(text)) == msgspec.json.encode(plan)


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("d6", "1d6"),
        ("d%", "1d100"),
        ("2D%KH1", "2d100kh1"),
        ("2d6RO<3", "2d6ro<3"),
        ("007d06", "7d6"),
        ("3d6!=6", "3d6!"),
        ("4d6kh3!>=5ro<2", "4d6ro<2!>=5kh3"),
        (" 3 d 6\t! >= 5 kh 2 + 1 ", "3d6!>=5kh2+1"),
        ("3d6\u00a0+\u20092", "3d6+2"),
        ("8d10>=7double10+1", "8d10>=7 double 10+1"),
        ("8D10 >= 7 DOUBLE 10", "8d10>=7 double 10"),
        ("8d10>=7!", "8d10!=10>=7"),
        ("5d10>=7kh2", "5d10kh2>=7"),
        ("2d6Bands - 3 , 1", "2d6 bands -3,1"),
        ("((3d6))", "3d6"),
        ("3d6 # 2d6 with (( anything \ud800", "3d6"),
        ("3d6#", "3d6"),
    ],
)
def test_other_spellings_of_the_same(text: str, canonical: str) -> None:
    assert notation(parse(text)) == canonical


@pytest.mark.parametrize("text", ["1d4 − 1", "1d4 – 1", "1d4‐1", "1d4\u20111"])
def test_dice_3_a_typographic_minus_is_a_minus(text: str) -> None:
    """Case DICE-3: `1d4 − 1` with 3 is 2."""
    assert parse(text) == parse("1d4 - 1")
    assert value(text, 3) == 2


@pytest.mark.parametrize(
    ("text", "ascii_text"),
    [("1d4×3", "1d4*3"), ("1d4⋅3", "1d4*3"), ("1d4∗3", "1d4*3"), ("1d4÷3", "1d4/3"), ("1d4∕3", "1d4/3"),
     ("2d6ro≤2", "2d6ro<=2"), ("5d10≥7", "5d10>=7"), ("2d6 bands −3", "2d6 bands -3")],
)
def test_other_typeset_signs_mean_the_ascii_ones(text: str, ascii_text: str) -> None:
    assert parse(text) == parse(ascii_text)


# -- arithmetic


@pytest.mark.parametrize(
    ("text", "formula"),
    [
        ("1+2*3", ("1", "2", "3", "*", "+")),
        ("(1+2)*3", ("1", "2", "+", "3", "*")),
        ("1-2-3", ("1", "2", "-", "3", "-")),
        ("1-(2-3)", ("1", "2", "3", "-", "-")),
        ("8/4/2", ("8", "4", "/", "2", "/")),
        ("8/(4/2)", ("8", "4", "2", "/", "/")),
        ("-7/2", ("7", "neg", "2", "/")),
        ("-(7/2)", ("7", "2", "/", "neg")),
        ("2--3", ("2", "3", "neg", "-")),
        ("2*-3", ("2", "3", "neg", "*")),
        ("--3", ("3", "neg", "neg")),
        ("1*2+3*4", ("1", "2", "*", "3", "4", "*", "+")),
    ],
)
def test_operations_bind_as_at_school(text: str, formula: tuple[str, ...]) -> None:
    assert parse(text) == DicePlan(terms=(), formula=formula)
    assert notation(parse(text)) == text


def test_brackets_that_change_nothing_are_not_written() -> None:
    assert notation(parse("((1)+(2*3))+(-(4))")) == "1+2*3+-4"


@pytest.mark.parametrize(
    ("text", "faces", "total"),
    [
        ("4d20/4", (17, 4, 18, 16), "55/4"),
        ("7/2", (), "7/2"),
        ("-7/2", (), "-7/2"),
        ("(1d6-10)/2", (3,), "-7/2"),
        ("(1d6-10)/2", (4,), -3),
        ("2d6*2+1d4", (3, 4, 2), 16),
        ("-1d6", (4,), -4),
        ("10-2d6", (4, 3), 3),
    ],
)
def test_dice_5_what_is_typed_is_read_exactly(text: str, faces: tuple[int, ...], total: int | str) -> None:
    """Case DICE-5: a fraction is kept, below zero as above; rounding is a rule's business."""
    assert value(text, *faces) == total


@pytest.mark.parametrize(("text", "faces"), [("1/0", ()), ("1d6/0", (4,)), ("1d6/(1d6-1)", (4, 1))])
def test_dice_5_division_by_zero_is_a_fault_of_the_reading_and_not_of_the_text(
    text: str, faces: tuple[int, ...]
) -> None:
    """Case DICE-5: one rule for all of them, so the dice that were thrown can be recorded."""
    assert read(parse(text), tuple((face,) for face in faces)).fault == "division-by-zero"


# -- pools and bands


def test_a_comparison_after_an_explosion_belongs_to_it() -> None:
    assert parse("8d10!>=9") == DicePlan(terms=(Term(count=8, sides=10, explode=Condition(">=", 9)),))
    assert parse("8d10!=10>=7") == DicePlan(
        terms=(Term(count=8, sides=10, explode=Condition("=", 10)),), reading=Successes(target=7)
    )


def test_all_dice_of_a_plan_are_read_alike() -> None:
    assert parse("5d10>=7+3d10>=7").reading == Successes(target=7)
    for text in ("5d10>=7+3d10>=8", "5d10>=7+3d10 >=7 double 10", "5d10>=7+3d10", "5d10   +3d10>=7"):
        assert problem(text).position == 8
        assert "read alike" in problem(text).problem


# -- what is refused


@pytest.mark.parametrize(
    ("text", "position", "says"),
    [
        ("", 0, "found the end"),
        ("   ", 3, "found the end"),
        ("# only a comment", 0, "found the end"),
        ("3d", 2, "number of sides or '%', found the end"),
        ("d", 1, "number of sides"),
        ("3d6+", 4, "found the end"),
        ("+3", 0, "found '+'"),
        ("3+*4", 2, "found '*'"),
        ("3 4", 2, "found '4'"),
        ("3d6 6", 4, "found '6'"),
        ("2(3)", 1, "found '('"),
        ("(3", 2, "')', found the end"),
        ("(3))", 3, "found ')'"),
        ("()", 1, "found ')'"),
        ("3)", 1, "found ')'"),
        ("1.5", 1, "found '.'"),
        ("1d6,2", 3, "found ','"),
        ("1d6\n", 3, "found '\\n'"),
        ("1d6\u200b", 3, "found '\\u200b'"),
        ("1d6+\ud800", 4, "found '\\ud800'"),
        ("3d6x", 3, "found 'x'"),
        ("3d6pl1", 3, "found 'pl'"),
        ("3d6k1", 3, "found 'k'"),
        ("3d6\u212ah1", 3, "found '\u212a'"),
        ("３d6", 0, "found '３'"),
        ("4d6kh", 5, "dice to keep or drop, found the end"),
        ("4d6r3", 4, "comparison after 'r', found '3'"),
        ("4d6ro", 5, "comparison after 'ro'"),
        ("4d6r<", 5, "number to compare with"),
        ("4d6!>", 5, "number to compare with"),
        ("4d6kh1dl1", 6, "a second keep or drop"),
        ("4d6!!", 4, "a second explosion"),
        ("4d6r<2ro<3", 6, "a second reroll"),
        ("4d6>=5>=6", 6, "a second success"),
        ("4d6>5", 3, "found '>'"),
        ("4d6>=", 5, "lowest face that is a success"),
        ("4d6>=5double", 12, "lowest face that counts twice"),
        ("4d6double6", 3, "found 'double'"),
        ("2+4d6>=0", 5, "target of a success"),
        ("2+4d6>=5double4", 5, "face that counts twice must be a whole number from 5"),
        ("1+4d6kh5", 2, "from 1 to 4, got 5"),
        ("1+4d6dl0", 2, "from 1 to 4, got 0"),
        ("1+0d6kh1", 2, "keep or drop"),
        ("1+4d0", 2, "number of sides must be a whole number from 1"),
        ("2d6 bands", 9, "upper end of a band"),
        ("2d6 bands 3,", 12, "upper end of a band"),
        ("2d6 bands 3,3", 4, "3 follows 3"),
        ("2d6 bands 3 4", 12, "found '4'"),
        ("2d6 bands 3+4", 11, "found '+'"),
        ("(2d6 bands 3)", 5, "found 'bands'"),
        ("4d6>=5 bands 3", 7, "only a sum"),
    ],
)
def test_what_cannot_be_read_is_refused_where_it_stands(text: str, position: int, says: str) -> None:
    error = problem(text)

    assert error.position == position
    assert says in error.problem


@pytest.mark.parametrize("text", ["1d1!", "1d6!>=1", "1d6r<7", "d6r>0", "d6!<=6"])
def test_dice_1_what_never_stops_is_refused(text: str) -> None:
    """Case DICE-1, at parse. A condition that some face does not meet is capped when it is thrown."""
    assert "never stops" in problem(text).problem
    parse("1d10000r>1")


@pytest.mark.parametrize(
    ("text", "position"),
    [
        pytest.param("9999999d999999999", 0, id="9999999d999999999"),
        pytest.param("2147483647d2147483647", 0, id="2147483647d2147483647"),
        pytest.param("+".join(["999d20"] * 600), NOTATION_LENGTH, id="999d20 600 times"),
        pytest.param("+".join(["999d20"] * 60), 7, id="999d20 60 times"),
        pytest.param("(" * 5000, NOTATION_LENGTH, id="5000 brackets"),
        pytest.param("(" * 500, NOTATION_DEPTH, id="500 brackets"),
        pytest.param("1d" + "9" * 5000, NOTATION_LENGTH, id="5000 nines"),
        pytest.param("1d" + "9" * 400, 2, id="400 nines"),
        pytest.param("9" * 400 + "d6", 0, id="400 nines before the d"),
        pytest.param("1d6+" + "9" * 400, 4, id="400 nines added"),
        pytest.param("4d6kh" + "9" * 400, 5, id="400 nines kept"),
        pytest.param("4d6r<" + "9" * 400, 5, id="400 nines compared"),
        pytest.param("4d6 bands " + "9" * 400, 10, id="400 nines in a band"),
    ],
)
def test_dice_2_what_is_too_much_is_refused_by_one_family_of_errors(text: str, position: int) -> None:
    """Case DICE-2. Parsing takes no source of dice, so none can have been drawn."""
    assert problem(text).position == position


@pytest.mark.parametrize(
    ("text", "position"),
    [("²d6", 0), ("١d6", 0), ("１d6", 0), ("1d²", 2), ("1d6+١", 4), ("1²d6", 1), ("4d6kh３", 5)],
)
def test_dice_3_digits_are_ascii(text: str, position: int) -> None:
    """Case DICE-3: a syntax error with its position, never ValueError and never a quiet reading."""
    assert problem(text).position == position


def test_dice_3_a_trailing_operator_is_an_error() -> None:
    """Case DICE-3. Counts are numbers, so what stands in brackets is no count."""
    assert problem("((0+1)d6 + 3 + )").position == 6
    assert problem("((0+1)*1d6 + 3 + )").position == 17


def test_dice_3_trailing_words_are_refused_and_never_a_modifier() -> None:
    """Case DICE-3: only what follows # is a comment."""
    error = problem("1d20 please don't break")

    assert error.position == 5
    assert "'please'" in error.problem
    assert parse("1d20 # please don't break") == dice(1, 20)


def test_an_error_shows_the_text_and_the_place() -> None:
    assert str(problem("3d6 + x")) == (
        "dice: expected a number, dice, '(' or '-', found 'x' at character 6 (got '3d6 + x')"
    )


# -- bounds, each met and passed by one


@pytest.mark.parametrize(
    ("most", "beyond"),
    [
        pytest.param("1d6".ljust(NOTATION_LENGTH), "1d6".ljust(NOTATION_LENGTH + 1), id="length"),
        pytest.param(
            "1d6#".ljust(NOTATION_LENGTH, "!"), "1d6#".ljust(NOTATION_LENGTH + 1, "!"), id="length with a comment"
        ),
        pytest.param(
            "(" * NOTATION_DEPTH + "1" + ")" * NOTATION_DEPTH,
            "(" * (NOTATION_DEPTH + 1) + "1" + ")" * (NOTATION_DEPTH + 1),
            id="depth",
        ),
        pytest.param(f"{DICE_PER_PLAN}d6", f"{DICE_PER_PLAN + 1}d6", id="dice of a term"),
        pytest.param(f"400d6+{DICE_PER_PLAN - 400}d8", f"400d6+{DICE_PER_PLAN - 399}d8", id="dice of a plan"),
        pytest.param(f"1d{DIE_SIDES}", f"1d{DIE_SIDES + 1}", id="sides"),
        pytest.param(f"{NUMBER_MAX}", f"{NUMBER_MAX + 1}", id="number"),
        pytest.param(f"1d6!>{NUMBER_MAX}", f"1d6!>{NUMBER_MAX + 1}", id="number compared with"),
        pytest.param(f"4d6>={DIE_SIDES}", f"4d6>={DIE_SIDES + 1}", id="target"),
        pytest.param("0" * 15 + "1", "0" * 16 + "1", id="digits"),
    ],
)
def test_a_bound_may_be_met_and_not_passed(most: str, beyond: str) -> None:
    parse(most)
    problem(beyond)


def test_brackets_beside_each_other_are_not_nested() -> None:
    parse("+".join(["(1)"] * (NOTATION_DEPTH + 1)))


def test_many_signs_in_a_row_need_no_recursion() -> None:
    assert value("-" * (NOTATION_LENGTH - 1) + "1") == -1
    assert notation(parse("-" * (NOTATION_LENGTH - 1) + "1")) == "-" * (NOTATION_LENGTH - 1) + "1"


def test_a_plan_that_is_none_has_no_notation() -> None:
    with pytest.raises(DiceError, match="number of dice"):
        notation(dice(-1, 6))


# -- properties


@st.composite
def any_terms(draw: st.DrawFn) -> Term:
    sides = draw(st.integers(1, 20) | st.just(100))
    count = draw(st.integers(0, 6))
    keep = draw(st.sampled_from(["", "kh", "kl", "dh", "dl"])) if count else ""
    reroll, explode = (
        draw(st.none() | st.builds(Condition, st.sampled_from(["<", "<=", "=", ">=", ">"]), st.integers(0, 21)))
        for _ in range(2)
    )
    return Term(
        count=count,
        sides=sides,
        keep=keep,  # type: ignore[arg-type]
        keep_count=draw(st.integers(1, count)) if keep else 0,
        reroll=reroll,
        reroll_once=reroll is not None and draw(st.booleans()),
        explode=explode,
    )


@st.composite
def any_plans(draw: st.DrawFn) -> DicePlan:
    """Build plans with any formula: terms and numbers pushed in order, operations wherever the stack allows."""
    terms: list[Term] = []
    formula: list[str] = []
    height = 0
    operands = draw(st.integers(1, 8))
    while operands or height > 1:
        choices = (["number", "dice"] if operands else []) + (["binary"] if height > 1 else [])
        choice = draw(st.sampled_from(choices + (["neg"] if height and len(formula) < 30 else [])))
        if choice in ("number", "dice"):
            operands, height = operands - 1, height + 1
        if choice == "number":
            formula.append(str(draw(st.integers(0, NUMBER_MAX))))
        elif choice == "dice":
            formula.append(f"#{len(terms)}")
            terms.append(draw(any_terms()))
        elif choice == "neg":
            formula.append("neg")
        else:
            height -= 1
            formula.append(draw(st.sampled_from(["+", "-", "*", "/"])))
    reading = draw(
        st.just(Sum())
        | st.builds(Successes, target=st.integers(1, 9), double=st.just(0) | st.integers(9, 12))
        | st.builds(Bands, ends=st.sets(st.integers(-50, 50), min_size=1, max_size=5).map(lambda s: tuple(sorted(s))))
    )
    return DicePlan(terms=tuple(terms), formula=tuple(formula), reading=reading)


@given(any_plans())
def test_what_is_written_is_read_back(plan: DicePlan) -> None:
    try:
        check_plan(plan)
    except DiceError:
        assume(False)
    text = notation(plan)
    assume(len(text) <= NOTATION_LENGTH)

    assert parse(text) == plan
    assert text.isascii()


PIECES = [
    "d", "kh", "kl", "dh", "dl", "r", "ro", "!", "<", "<=", "=", ">=", ">", "double", "bands", ",", "+", "-", "*", "/",
    "(", ")", "%", " ", "#", "0", "1", "2", "3", "6", "10", "d6", "2d6", "1000", "9" * 20, "−", "×", "٣", "pl", "\n",
]  # fmt: skip


@given(st.text(max_size=20) | st.lists(st.sampled_from(PIECES), max_size=25).map("".join))
def test_any_text_is_a_plan_or_an_error_with_a_place(text: str) -> None:
    outcome: DicePlan | DiceError
    try:
        outcome = parse(text)
    except DiceError as error:
        outcome = error
    if isinstance(outcome, DiceError):
        assert 0 <= outcome.position <= len(text)
        assert outcome.text == text
        assert str(outcome)
    else:
        assert parse(notation(outcome)) == outcome
