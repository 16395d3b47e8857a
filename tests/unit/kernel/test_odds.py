"""Odds: renewals, policies, who may ask, what is refused, bounds and estimates. `tests/golden/test_odds.py` has brute force."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import partial
from typing import Any

import pytest

from affray.kernel import (
    GM,
    Action,
    Answers,
    ApplyDamage,
    Ask,
    Breach,
    Condition,
    Fight,
    InputError,
    Judge,
    Odds,
    Option,
    Refused,
    Request,
    Roll,
    SetStep,
    Step,
    Steps,
    best_option,
    commands,
    dice,
    hookimpl,
    limits,
    odds,
    odds_each,
    odds_from,
)
from affray.kernel.playout import DAMAGED, UNRESOLVED
from affray.sessions import Session

from ...golden.odds_cases import Case, all_cases, declare, nyra, sparring, strike
from ...support.broken import Told, session_of
from ...support.table import must

HALF = Fraction(1, 2)


def asked(session: Session, command: commands.Command, *, caller: str = GM, each: bool = False, **how: Any) -> Any:
    request = Request(id="x", command=command, caller=caller)
    return (odds_each if each else odds)(session._deciding.ready(), session._record.log, request, **how)


def found(session: Session, command: commands.Command, **how: Any) -> Odds:
    answer = asked(session, command, **how)
    assert isinstance(answer, Odds), answer
    assert answer.is_exact
    assert sum(one.probability for one in answer.chances) == 1
    return answer


def codes(answer: Odds) -> dict[str, Fraction]:
    return {code: one.value for code, one in answer.codes().items()}


# -- what repeats itself


def test_a_repeated_contest_is_solved_and_not_followed() -> None:
    """Law 6 and law 7: a d6 against a d4 wins 14 of 24, loses 6 and begins again on 4."""
    answer = found(sparring(), declare("ann", "contest", "bob", mine=6, theirs=4))
    assert {"won": Fraction(14, 20), "lost": Fraction(6, 20)} == codes(answer)
    assert {"ann": Fraction(9, 20), "bob": Fraction(21, 20)} == {who: answer.damage(who).value for who in answer.targets()}
    assert answer.executions < 60


def test_a_contest_between_equals_is_even() -> None:
    assert {"won": HALF, "lost": HALF} == codes(found(sparring(), declare("ann", "contest", "bob", mine=9, theirs=9)))


@pytest.mark.parametrize(
    ("tie", "strikes", "hit", "defended"),
    [
        ("reroll", "wild", "269/460", "53/460"),
        ("defender", "wild", "11/20", "3/20"),
        ("attacker", "wild", "3/5", "1/10"),
        ("reroll", "aimed", "87/460", "51/460"),
        ("defender", "aimed", "9/50", "3/25"),
        ("attacker", "aimed", "21/100", "9/100"),
    ],
)
def test_the_table_of_the_rules(tie: str, strikes: str, hit: str, defended: str) -> None:
    """Law 7: nyra.md, 1.9, skill 7 against Defense 5."""
    aim = {"aim": "head"} if strikes == "aimed" else {}
    answer = found(nyra(tie=tie), strike(strike=strikes, **aim), reply=Answers({"defence": "defense"}))
    assert (Fraction(hit), Fraction(defended)) == (codes(answer)["hit"], codes(answer)["blocked"])


def test_what_never_ends_is_an_outcome() -> None:
    answer = found(sparring(), declare("ann", "forever", "bob", mine=1, theirs=2))
    assert {UNRESOLVED: Fraction(1)} == codes(answer)
    assert {"won": Fraction(1)} == codes(found(sparring(), declare("ann", "forever", "bob", mine=2, theirs=2)))


def test_contests_inside_an_action_are_apart() -> None:
    """Law 6: a nested verdict answers for its own run; what the outer action remembers of the first stays apart."""
    answer = found(sparring(people=3), declare("ann", "greedy", "bob", "cy"))
    assert {"lost-0": Fraction(1, 4), "lost-1": HALF, "lost-2": Fraction(1, 4)} == codes(answer)


def test_several_targets_are_told_together() -> None:
    answer = found(sparring(people=4), declare("ann", "volley", "bob", "cy", "dee", damage=1))
    everybody = [one for one in answer.chances if len([who for who, _ in one.outcome.damage if who != "ann"]) == 3]
    assert Fraction(1, 8) == sum(one.probability for one in everybody)
    assert all(HALF == answer.damage(who).value for who in ("bob", "cy", "dee"))


def test_a_repetition_that_changes_something_is_another_node() -> None:
    """Law 6: equal renewals meet in equal states only; each tie costs a point here, and there is one."""
    answer = found(sparring(temp=1), declare("ann", "grind", "bob"))
    assert {"won": Fraction(15, 32), "lost": Fraction(15, 32), "spent": Fraction(1, 16)} == codes(answer)


def test_damage_that_no_pool_took_is_not_forgotten() -> None:
    """Law 6: what was done so far belongs to the outcome, even where the state does not tell it."""

    def overkill(fight: Fight, action: Action) -> Any:
        die = yield from Roll("dice", by=action.actor, plan=dice(1, 2))
        yield ApplyDamage("damage", target=action.target, pools=("temp",), value=die.total or 0)
        yield Judge("after", by=action.actor, code="after", renews="after")

    answer = found(session_of(Told(overkill)), declare("ann", "attack", "bob"))
    assert {(("bob", 1),): HALF, (("bob", 2),): HALF} == {one.outcome.damage: one.probability for one in answer.chances}


class Crow:
    """A house rule: who wins by two or more crows about it."""

    @hookimpl
    def follow(self, fight: Fight, action: Action, step: Step) -> Steps | None:
        is_clear = isinstance(step, Judge) and step.code == "won" and int(step.margin or 0) > 1
        return crow(action) if is_clear else None


def crow(action: Action) -> Steps:
    yield Condition("crow", target=action.actor, id="proud")


def test_a_follow_up_knows_more_than_the_renewal_says() -> None:
    """Law 6: verdicts of one renewal are not merged where a house rule follows them by their margin."""
    session = sparring(house={"crow": Crow()})
    answer = found(session, declare("ann", "contest", "bob", mine=4, theirs=4, damage=1))
    assert Fraction(3, 12) == answer.of(lambda outcome: bool(outcome.gained)).value
    assert {"won": HALF, "lost": HALF} == codes(answer)


def test_steps_that_the_game_master_set_count() -> None:
    """Law 6: faces that are set for a coming roll are no chance, and the tie they make is not merged with others."""
    session = sparring()
    for who, faces in (("ann", ((2,),)), ("bob", ((2,),))):
        must(session.overrule("so", SetStep(slot=f"x|roll.contest.{who}.0", fields={"faces": faces})))
    command = declare("ann", "contest", "bob", mine=4, theirs=4)
    assert "too-many-branches" == asked(session, command, samples=0).code, "what comes is not alike, so nothing is merged"
    must(session.overrule("so", SetStep(slot="x|roll.contest.ann.0", fields={"faces": ((3,),)})))
    assert {"won": Fraction(1)} == codes(found(session, command))


# -- answers


def test_an_action_may_go_on_or_not_after_every_tie() -> None:
    command = declare("ann", "press", "bob")
    assert {"won": HALF, "lost": HALF} == codes(found(sparring(), command, reply=Answers({"press": "on"})))
    given_up = found(sparring(), command, reply=Answers({"ann.press": "off"}))
    assert {"won": Fraction(3, 8), "lost": Fraction(3, 8), "broken-off": Fraction(1, 4)} == codes(given_up)


def test_each_way_to_answer_is_told() -> None:
    on, off = asked(sparring(), declare("ann", "press", "bob"), each=True)
    assert [("ann", "press", ("on",), ("on", "off"))] == [(t.who, t.key, t.codes, t.offered) for t in on.choices]
    assert {"won": HALF, "lost": HALF} == codes(on)
    assert Fraction(1, 4) == codes(off)["broken-off"]


def test_each_asks_everybody_and_leaves_what_is_settled() -> None:
    session = sparring(people=3)
    command = declare("ann", "ask", "bob", "cy")
    assert ["red-blue-blue", "red-blue-green", "red-green-blue", "red-green-green"] == [
        *[next(iter(codes(one))) for one in asked(session, command, each=True, answers={"ann.colour": "red"})]
    ]
    assert ["blue-blue-blue"] == [next(iter(codes(one))) for one in asked(session, command, each=True, answers={"colour": "blue"})]
    assert 12 == len(asked(session, command, each=True))


def test_the_best_option_has_the_highest_value() -> None:
    assert {"blue-blue": Fraction(1)} == codes(found(sparring(), declare("ann", "ask", "bob"), reply=best_option))
    assert {"red-blue": Fraction(1)} == codes(found(sparring(), declare("ann", "ask", "bob")))


def test_a_policy_may_be_any_function() -> None:
    def last(ask: Ask, who: str, state: Any) -> str:
        return (ask.options or ())[-1].code

    assert {"green-green": Fraction(1)} == codes(found(sparring(), declare("ann", "ask", "bob"), reply=last))
    with pytest.raises(InputError, match=r"answers\.ann\.colour: no such option; there are red, blue, green"):
        asked(sparring(), declare("ann", "ask", "bob"), reply=lambda ask, who, state: "black")


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"color": "red"}, r"answers\.color: this is not asked; what is: colour"),
        ({"bob.colour": "red"}, r"answers\.bob\.colour: no such option; there are blue, green"),
        ({"cy.colour": "red"}, r"answers\.cy\.colour: this is not asked"),
    ],
)
def test_an_answer_that_fits_nothing_is_told(table: Mapping[str, str], message: str) -> None:
    with pytest.raises(InputError, match=message):
        asked(sparring(people=3), declare("ann", "ask", "bob"), reply=Answers(table))
    with pytest.raises(InputError, match=message):
        asked(sparring(people=3), declare("ann", "ask", "bob"), each=True, answers=table)


# -- the live fight


def test_odds_touch_nothing_live() -> None:
    """Law 6: the next dice are those that would have come without asking, and nothing was appended."""
    curious, other = sparring(dice="fair"), sparring(dice="fair")
    before = (curious.head, curious.digest, curious.state(reader=GM))
    for name, params in (("contest", {}), ("attack", {}), ("smash", {"notation": "3d6"})):
        found(curious, declare("ann", name, "bob", **params))
    assert isinstance(asked(curious, declare("ann", "smash", "bob", notation="9d20"), samples=5), Odds)
    assert before == (curious.head, curious.digest, curious.state(reader=GM))
    for session in (curious, other):
        must(session.declare("ann", "contest", "bob", id="c1"))
    assert curious.digest == other.digest


@pytest.mark.parametrize("how", [{"dice": "reported"}, {"dice": "scripted"}, {"witness": True}, {"undo_dice": "keep"}])
def test_dice_are_enumerated_whatever_the_policy(how: dict[str, Any]) -> None:
    session = sparring(**how) if how.get("dice") not in ("reported", "scripted") else begun_by_hand(**how)
    assert {"won": Fraction(14, 20), "lost": Fraction(6, 20)} == codes(
        found(session, declare("ann", "contest", "bob", mine=6, theirs=4))
    )


def begun_by_hand(dice: str) -> Session:
    """A fight whose first dice are given."""
    if dice == "scripted":
        return sparring(dice=dice, script=(3, 4))
    session = sparring(dice=dice)
    for face in (3, 4):
        slot, prompt = next(iter(session.prompts(reader=GM).items()))
        must(session.report(slot, prompt.ask.who[0], ((face,),)))
    return session


def test_a_declaration_that_may_not_be_made_is_refused_alike() -> None:
    session = sparring()
    for command, caller in (
        (declare("bob", "attack", "ann"), GM),
        (declare("ann", "attack", "ann"), GM),
        (declare("ann", "attack", "bob"), "bob"),
        (declare("nobody", "attack", "bob"), GM),
        (declare("ann", "attack", "bob", power=10), GM),
    ):
        refused = session.request(command, caller=caller).refused
        assert refused is not None
        assert refused == asked(session, command, caller=caller)
    must(session.declare("ann", "attack", "bob", id="a"))
    while not session.prompts(reader=GM):
        must(session.declare(session.state(reader=GM).turn, "attack", "bob" if session.state(reader=GM).turn == "ann" else "ann"))
    assert "prompt-open" == asked(session, declare("ann", "attack", "bob")).code


def test_only_what_is_declared_has_odds() -> None:
    with pytest.raises(InputError, match="only a declaration and the begin have odds"):
        asked(sparring(), commands.Note(text="hello"))


def test_dice_that_cannot_be_thrown_are_a_refusal() -> None:
    assert "bad-dice" == asked(sparring(), declare("ann", "smash", "bob", notation="1d6!>=1")).code


def test_dice_that_go_on_for_too_long_are_an_outcome() -> None:
    answer = found(sparring(), declare("ann", "smash", "bob", notation="1d2!"))
    assert Fraction(1, 2**limits.CHAIN_LINKS) == codes(answer)["refused-dice-capped"]


def test_a_resolver_cannot_reach_the_faces() -> None:
    """Law 10: rules that go by faces break their contract, and are named."""
    session = sparring()
    with pytest.raises(Breach, match="'tiny', hook resolve"):
        asked(session, declare("ann", "read", "bob"))
    must(session.declare("ann", "read", "bob"))


def test_an_action_may_be_left_where_its_damage_is_done() -> None:
    command = declare("ann", "topple", "bob", notation="2d4")
    whole, short = found(sparring(), command), found(sparring(), command, until_damage=True)
    assert {DAMAGED: Fraction(1)} == codes(short)
    assert (7, 42) == (short.executions, whole.executions)
    assert whole.damage("bob") == short.damage("bob")


# -- who may ask


def test_a_player_asks_for_the_own_where_nothing_is_kept() -> None:
    session = sparring()
    command = declare("ann", "contest", "bob")
    assert asked(session, command) == asked(session, command, caller="ann")
    assert Refused("not-yours", ("ann",)) == asked(session, command, caller="bob")
    assert Refused("gm-only", ("ann",)) == asked(session, commands.Begin(), caller="ann")


def test_odds_about_a_secret_are_the_game_masters() -> None:
    """Odds would tell the number: whoever may not read what enters is refused."""
    session = nyra(tie="defender", secret=True)
    assert Refused("gm-only", ("ada",)) == asked(session, strike(), caller="ada")
    assert isinstance(asked(session, strike()), Odds)
    open_one = nyra(tie="defender")
    assert asked(open_one, strike(), caller="ada") == asked(open_one, strike())


def test_a_blind_roll_is_the_game_masters() -> None:
    def blind(fight: Fight, action: Action) -> Any:
        roll = yield from Roll("peek", by=action.actor, plan=dice(1, 4), blind=True)
        return f"saw-{roll.total}"

    session = session_of(Told(blind))
    assert Refused("gm-only", ("ann",)) == asked(session, declare("ann", "attack", "bob"), caller="ann")
    assert 4 == len(found(session, declare("ann", "attack", "bob")).chances)


def test_options_that_are_kept_are_the_game_masters() -> None:
    def private(fight: Fight, action: Action) -> Any:
        return (yield from Ask("secret", who=(action.target,), options=(Option(code="a"), Option(code="b")), private=True))

    session = session_of(Told(private))
    assert Refused("gm-only", ("ann",)) == asked(session, declare("ann", "attack", "bob"), caller="ann")
    assert isinstance(asked(session, declare("ann", "attack", "bob")), Odds)


# -- bounds


def test_odds_branches() -> None:
    """Law 9: as many executions as the bound are exact, one past it is estimated."""
    session = sparring()
    at = asked(session, declare("ann", "roll", notation=f"1d{limits.ODDS_BRANCHES}"))
    assert (limits.ODDS_BRANCHES, True) == (at.executions, at.is_exact)
    past = asked(session, declare("ann", "roll", notation=f"1d{limits.ODDS_BRANCHES + 1}"), samples=20)
    assert (20, False) == (past.samples, past.is_exact)
    refused = asked(session, declare("ann", "roll", notation=f"1d{limits.ODDS_BRANCHES + 1}"), samples=0)
    assert Refused("too-many-branches", (limits.ODDS_BRANCHES,)) == refused


def test_odds_rolls() -> None:
    """Law 9: so many rolls in a row are gone through, one more is not."""
    for past in (0, 1):
        session = session_of(Told(partial(rolling, limits.ODDS_ROLLS + past)))
        answer = asked(session, declare("ann", "attack", "bob"), samples=7)
        assert (not past, 7 if past else 1) == (answer.is_exact, answer.executions)


def rolling(count: int, fight: Fight, action: Action) -> Any:
    for _ in range(count):
        yield from Roll("again", by=action.actor, plan=dice(1, 1))


def test_a_repetition_that_says_nothing_is_estimated() -> None:
    """Law 9: an endless tree ends at its bound, not in a breach of its deepest branch."""

    def silent(fight: Fight, action: Action) -> Any:
        die = yield from Roll("again", by=action.actor, plan=dice(1, 2))
        while die.total == 1:
            die = yield from Roll("again", by=action.actor, plan=dice(1, 2))

    assert 50 == asked(session_of(Told(silent)), declare("ann", "attack", "bob"), samples=50).samples


def test_odds_samples() -> None:
    """Law 9: ODDS_SAMPLES at most."""
    command = declare("ann", "heal", "bob")
    assert isinstance(asked(sparring(), command, samples=limits.ODDS_SAMPLES), Odds)
    for samples in (limits.ODDS_SAMPLES + 1, 1, -1, True):
        with pytest.raises(InputError, match=f"samples: must be a whole number from 2 to {limits.ODDS_SAMPLES}, or 0"):
            asked(sparring(), command, samples=samples)


@pytest.mark.parametrize("past", [0, 1])
def test_odds_strategies(past: int) -> None:
    """Law 9: so many ways to answer are told one by one, one more has to be settled."""

    def many(fight: Fight, action: Action) -> Any:
        options = tuple([Option(code=f"o{number}") for number in range(limits.ODDS_STRATEGIES + past)])
        return (yield from Ask("many", who=(action.target,), options=options))

    session = session_of(Told(many))
    if past:
        with pytest.raises(InputError, match=rf"more than {limits.ODDS_STRATEGIES} ways to answer; settle some, as bob\.many"):
            asked(session, declare("ann", "attack", "bob"), each=True)
    else:
        assert limits.ODDS_STRATEGIES == len(asked(session, declare("ann", "attack", "bob"), each=True))


# -- estimates


def estimate(samples: int = 400, seed: str = "", case: str = "tiny: topple") -> Odds:
    one: Case = dict(all_cases())[case]
    session = one.session()
    start = partial(asked, session, one.command)
    exactly = start()
    assert isinstance(exactly, Odds)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(odds_from, "__kwdefaults__", {**(odds_from.__kwdefaults__ or {}), "branches": 3})
        found = start(samples=samples, seed=seed)
    assert isinstance(found, Odds)
    return found


def test_an_estimate_tells_how_far_it_may_be_off() -> None:
    exactly = found(dict(all_cases())["tiny: topple"].session(), dict(all_cases())["tiny: topple"].command)
    rough = estimate()
    assert (400, False) == (rough.samples, rough.is_exact)
    assert sum(one.probability for one in rough.chances) == 1
    truth = {one.outcome: one.probability for one in exactly.chances}
    held = [one.interval.low <= truth[one.outcome] <= one.interval.high for one in rough.chances]
    assert held.count(True) >= len(held) - 1
    assert rough.damage("bob").low < exactly.damage("bob").value < rough.damage("bob").high
    for code, interval in rough.codes().items():
        assert interval.low < exactly.codes()[code].value < interval.high


def test_an_estimate_can_be_repeated() -> None:
    """Law 3: no chance in it but a key; another seed, other samples."""
    assert estimate() == estimate()
    assert estimate() != estimate(seed="other")


def test_more_samples_are_surer() -> None:
    few, many = estimate(100), estimate(900)
    width = [one.codes()["made"].high - one.codes()["made"].low for one in (few, many)]
    assert 2 < width[0] / width[1] < 4


def test_a_roll_with_too_many_readings_is_estimated() -> None:
    """Law 9: SPREAD_WORK ends in an estimate, not in an endless wait."""
    rough = asked(sparring(), declare("ann", "smash", "bob", notation="400d6"), samples=10)
    assert 10 == rough.samples
    capped = asked(sparring(), declare("ann", "smash", "bob", notation="40d20!>=2-39d1+1d1"), samples=10)
    assert isinstance(capped, Odds)


def test_progress_is_told() -> None:
    heard: list[int] = []
    found(sparring(), declare("ann", "roll", notation="1d250"), told=heard.append)
    assert [100, 200] == heard
