"""Where the rows of a trace come from: rolls, sheets, conditions, declarations, house rules, the game master, earlier steps."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from affray.kernel import (
    Action,
    ApplyDamage,
    Change,
    Condition,
    Declare,
    Defend,
    Fight,
    GiveModifier,
    Held,
    Join,
    Judge,
    Modifier,
    Node,
    Part,
    Roll,
    Row,
    SetCondition,
    SetStep,
    Step,
    dice,
    hookimpl,
    slot,
)
from affray.sessions import Session

from ...support.explained import (
    check_sums,
    codes,
    hit,
    log_of,
    log_with,
    only,
    scripted,
    tree,
    versions,
    where,
)
from ...support.table import answer_all, engine, must, tiny_catalog, tiny_session
from ..exalted.table import duel


def row_of(session: Session, kind: type[Any], code: str) -> Node:
    """The row of a code in the last damage of a blow, or the last event of another kind."""
    log = log_of(session)
    version = where(log, kind, "damage" if kind is ApplyDamage else "")
    (found,) = [term for term in tree(log, version).terms if term.args.get("code") == code]
    return found


def test_a_row_of_the_declaration_points_to_it() -> None:
    session = hit(1, 2, rows=(Modifier("damage.flat", 2, "rage"), Modifier("attack.skill", 1, "bless")))
    for kind, code, amount in ((ApplyDamage, "rage", 2), (Judge, "bless", 1)):
        row = row_of(session, kind, code)
        assert (row.amount, row.origin, codes(row.because)) == (amount, "declaration", ["declare"])
    log = log_of(session)
    assert [(one.code, one.amount) for one in tree(log, where(log, Declare)).because] == [("modifier", 2), ("modifier", 1)]


def test_a_row_of_the_declaration_may_name_a_source_of_its_own() -> None:
    row = row_of(hit(rows=(Modifier("damage.flat", 2, "rage", "spell"),)), ApplyDamage, "rage")
    assert (row.source, row.origin, codes(row.because)) == ("spell", "declaration", ["declare"])


def test_a_row_of_a_condition_points_to_the_event_that_gave_it() -> None:
    session = scripted(7, 1, 2)
    for reason, amount in (("old", 1), ("stronger", 2)):
        rows = (Modifier("damage.flat", amount, "rage"),)
        must(session.overrule(reason, SetCondition(target="ann", held=Held(id="raging", rows=rows))))
    given = session.head
    hit(session=session)
    row = row_of(session, ApplyDamage, "rage")
    assert (row.origin, versions(row.because)) == ("condition", [given])
    assert [one.args for one in row.because[0].because if one.code == "reason"] == [{"text": "stronger"}]


def test_a_row_of_a_condition_somebody_came_with_points_to_the_join() -> None:
    session = tiny_session(people=1, begun=False, dice="scripted", script=(1, 2, 7, 1, 2))
    held = Held(id="raging", rows=(Modifier("damage.flat", 2, "rage"),))
    must(session.join("kim", "Kim", side="k", controller="kim", sheet={"hp": 12, "init": 20}, conditions=(held,)))
    joined = session.head
    must(session.begin())
    must(session.declare("kim", "attack", "ann"))
    answer_all(session, 1)
    row = row_of(session, ApplyDamage, "rage")
    assert (row.origin, versions(row.because)) == ("condition", [joined])
    assert [one.args for one in row.because[0].because if one.code == "held"] == [{"id": "raging", "value": None}]


def test_a_row_that_the_game_master_gave_an_open_action_points_to_the_word() -> None:
    session = scripted(7, 1, 2)
    must(session.declare("ann", "attack", "bob", id="a1"))
    must(session.overrule("fury", GiveModifier(action="a1", rows=(Modifier("damage.flat", 3, "fury"),))))
    given = session.head
    must(session.answer("a1|ask.guard.0", "bob", "stand"))
    row = row_of(session, ApplyDamage, "fury")
    assert (row.amount, row.origin, versions(row.because)) == (3, "game-master", [given])


def test_what_was_given_to_an_action_reaches_what_is_nested_in_it() -> None:
    session = scripted(7, 1, 2)
    must(session.declare("ann", "flurry", "bob", id="f1"))
    must(session.overrule("fury", GiveModifier(action="f1", rows=(Modifier("damage.flat", 1, "fury"),))))
    given = session.head
    answer_all(session, 1)
    row = row_of(session, ApplyDamage, "fury")
    assert (row.origin, versions(row.because)) == ("game-master", [given])
    log = log_of(session)
    nested = tree(log, where(log, Declare))
    assert [(one.code, one.args["name"]) for one in nested.because] == [("declare", "flurry")]


def test_a_row_of_the_sheet_says_what_the_sheet_says() -> None:
    session = tiny_session(begun=False, people=1, dice="scripted", script=(1, 2, 7))
    must(session.join("bob", "Bob", side="b", controller="bob", sheet={"hp": 12, "skill": 8, "init": 10}))
    must(session.begin())
    must(session.declare("bob", "attack", "ann"))
    row = row_of(session, Judge, "skill")
    assert (row.amount, row.origin) == (8, "sheet")
    sheet = only(row, "sheet")
    assert (sheet.args, sheet.version) == ({"who": "bob", "name": "skill", "value": 8}, where(log_of(session), Join))


def test_a_row_named_after_a_condition_points_to_it() -> None:
    session = hit(4, 4)
    must(session.declare("bob", "end-turn"))
    must(session.declare("ann", "end-turn"))
    log = log_of(session)
    row = tree(log, where(log, ApplyDamage, "bleeding")).terms[0]
    assert (row.origin, versions(row.because)) == ("condition", [where(log, Condition)])


def test_of_several_conditions_that_a_row_might_name_it_is_that_of_the_pool() -> None:
    given = [Condition("bleeding", target="bob", id=f"bleeding-{pool}", value=2, after=2) for pool in ("arm", "leg", "head")]
    rows = (Row("bleeding", 2, "tiny"),)
    for pool, version in (("leg", 2), ("chest", 1)):
        damage = ApplyDamage("bleeding", target="bob", pools=(pool,), value=2, trace=rows, touched=())
        assert versions(tree(log_with(*given, damage), 4).terms[0].because) == [version], pool
    other = ApplyDamage("bleeding", target="bob", pools=("leg",), value=3, trace=(Row("bleeding", 3, "tiny"),), touched=())
    assert tree(log_with(*given, other), 4).terms[0].because == ()


def test_a_row_of_an_earlier_step_points_to_the_one_that_came_to_its_amount() -> None:
    first, second = [Judge("attack", by="ann", code="hit", goal=9, margin=margin) for margin in (2, 3)]
    damage = ApplyDamage("damage", target="bob", pools=("hp",), value=2, trace=(Row("net", 2, "attack"),), touched=())
    row = tree(log_with(first, second, damage), 3).terms[0]
    assert (row.origin, versions(row.because)) == ("step", [1])


def verdict(key: str, goal: int, margin: int) -> Judge:
    return Judge(key, by="ann", code="so", goal=goal, margin=margin)


def thrown(key: str, total: int) -> Roll:
    return Roll(key, by="ann", plan=dice(1, 20), faces=((total,),), dropped=(), total=total)


def test_a_verdict_is_about_the_roll_that_its_margin_fits_and_no_other_has_read() -> None:
    """Thrown again, the better roll stands; judged again, it is still that roll; a comparison of margins reads none."""
    log = log_with(
        thrown("attack", 7),
        thrown("attack-reroll", 9),
        verdict("attack", 5, 4),
        verdict("attack", 6, 3),
        verdict("contest", 8, 1),
        thrown("tie", 3),
        verdict("contest", 1, 9),
    )
    assert [[one.version for one in tree(log, version).because if one.code == "roll"] for version in (3, 4, 5, 7)] == [[2], [2], [], [6]]


def test_an_exalted_attack_is_told_down_to_every_step_of_the_defense_value() -> None:
    """The verdict's goal is the Defense Value, whose rows are its terms; the damage pool takes the verdict's margin."""
    table = duel(*(9,) * 7, *(2,) * 6, *(9,) * 6)
    table.attack("ann", "bob", "dodge")
    log = log_of(table.session)
    verdict = tree(log, where(log, Judge, "attack"))
    value = verdict.terms[0]
    assert (value.args["code"], value.amount, value.origin, codes(value.terms)) == ("defense-value", 5, "step", ["defend"])
    recorded = log.event(where(log, Defend)).trace
    assert [(row.code, row.amount) for row in recorded] == [(one.args["code"], one.amount) for one in value.terms[0].terms]
    assert {"A-dexterity", "A-ability", "A-essence", "B-unchanged"} <= {row.code for row in recorded}
    assert value.terms[0].terms[0].because[0].args == {"who": "bob", "name": "dexterity", "value": 4}
    assert where(log, Roll, "attack") in versions(verdict.because)
    judged = tree(log, where(log, Judge, "damage"))
    (successes,) = [term for term in judged.terms if term.args["code"] == "successes"]
    assert (successes.origin, versions(successes.because)) == ("step", [where(log, Judge, "attack")])
    assert [term.because[0].args["who"] for term in judged.terms if term.args["code"] == "stamina"] == ["bob"]


def test_parts_of_damage_each_have_their_rows() -> None:
    roll = Roll("damage", by="ann", plan=dice(2, 6), faces=((3,), (4,)), dropped=(), total=7, action="a1")
    parts = (
        Part(type="fire", rolled=7, rows=(Row("halved", "-7/2", "tiny"),), value="7/2"),
        Part(type="cold", rolled=0, rows=(Row("frost", "1/2", "tiny"),), value="1/2"),
    )
    damage = ApplyDamage("damage", target="bob", pools=("hp",), value=4, roll=slot(roll), parts=parts, action="a1", touched=())
    node = tree(log_with(roll, damage), 2)
    assert [(term.args["type"], term.amount) for term in node.terms] == [("fire", "7/2"), ("cold", "1/2")]
    assert [leaf.amount for leaf in node.terms[0].leaves()] == [3, 4, "-7/2"]
    check_sums(node)


class Harder:
    """A house rule: one more damage, by a row and by its word on the step."""

    @hookimpl
    def contribute(self, fight: Fight, action: Action, place: str) -> list[Modifier]:
        return [Modifier("damage.flat", 1, "harder")]

    @hookimpl
    def ruling(self, fight: Fight, action: Action, step: Step) -> Step | None:
        if not isinstance(step, ApplyDamage) or step.key != "damage":
            return None
        return replace(step, value=int(step.value) + 1, trace=(*(step.trace or ()), Row("cruel", 1, "harder")))

    @hookimpl
    def follow(self, fight: Fight, action: Action, step: Step) -> Any:
        return self.gloat(action) if isinstance(step, ApplyDamage) else None

    def gloat(self, action: Action) -> Any:
        yield Change("gloat", target=action.actor, pool="temp", value=1)


def test_a_house_rule_that_changed_a_step_is_named_as_are_its_rows_and_its_own_steps() -> None:
    made = engine(catalog=tiny_catalog(harder=Harder))
    session = hit(session=tiny_session(made, dice="scripted", script=(1, 2, 7, 1, 2), house=("harder",)))
    log = log_of(session)
    damage = tree(log, where(log, ApplyDamage, "damage"))
    assert [(term.args["code"], term.amount, term.origin) for term in damage.terms] == [
        ("dice", 3, "roll"),
        ("harder", 1, "house-rule"),
        ("cruel", 1, "house-rule"),
    ]
    assert [one.args["rule"] for one in damage.because if one.code == "house-rule"] == ["harder"]
    gloat = tree(log, where(log, Change, "gloat", 0))
    assert versions(gloat.because)[:2] == [where(log, Declare), where(log, ApplyDamage, "damage")]
    check_sums(damage)


def test_an_overrule_that_set_a_number_is_a_row_and_a_reason() -> None:
    session = scripted(7, 1, 2)
    must(session.overrule("mercy", SetStep(slot="a1|apply-damage.damage.bob.0", fields={"value": 2})))
    word = session.head
    hit(session=session)
    log = log_of(session)
    damage = tree(log, where(log, ApplyDamage, "damage"))
    assert [(term.args["code"], term.amount, term.origin) for term in damage.terms] == [
        ("dice", 3, "roll"),
        ("overrule", -1, "game-master"),
    ]
    assert versions(damage.terms[1].because) == [word]
    check_sums(damage)


def test_an_overrule_of_a_verdict_is_told_even_without_a_row() -> None:
    session = scripted(19, 1, 2)
    must(session.overrule("fate", SetStep(slot="a1|judge.attack.ann.0", fields={"code": "hit"})))
    word = session.head
    hit(session=session)
    log = log_of(session)
    assert word in versions(tree(log, where(log, Judge)).because)
