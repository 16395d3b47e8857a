"""Explanations in words: sums and trees, with and without the plugin, for every reader."""

from __future__ import annotations

import re
from typing import Any

import pytest
from msgspec.structs import replace

from affray.kernel import (
    GM,
    PUBLIC,
    ApplyDamage,
    Choose,
    Condition,
    Declare,
    Defend,
    GiveModifier,
    Join,
    Judge,
    Log,
    Modifier,
    Order,
    Overrule,
    Rewind,
    Roll,
    Row,
    SetPool,
    SetStep,
    explain,
    explain_pool,
    fold,
    parse,
    read,
)
from affray.plugins.exalted import make as exalted
from affray.sessions.views import transcript
from affray.sessions.views.sums import FACES_SHOWN
from affray.sessions.views.texts import Texts
from affray.sessions.views.why import TERMS_SHOWN, Branch, explanation, lines, refusal

from ...golden.samples import fight
from ...support.explained import (
    HP,
    SKILL,
    hit,
    hunt,
    log_of,
    log_with,
    nyra_duel,
    pool,
    scripted,
    told,
    tree,
    where,
)
from ...support.table import answer_all, must, tiny_session
from ..exalted.table import duel

PLAIN = Texts()


def told_pool(log: Log, who: str, name: str, at: int | None = None, *, opened: bool = False) -> list[str]:
    found = explanation(log, pool(log, who, name, at, opened=opened), PLAIN)
    return ["  " * line.depth + line.text for line in lines(found)]


def sentence(log: Log, version: int, texts: Texts = PLAIN) -> str:
    return explanation(log, tree(log, version), texts).sentence


# -- the sum


def test_the_damage_of_the_duel_is_one_sum() -> None:
    session, texts = nyra_duel()
    log = log_of(session)
    version = where(log, ApplyDamage, nth=0)
    assert sentence(log, version, texts) == "12 = 3 + 4 + 2 (3d6 cleaving) + 3 (STR 7)"
    found = told(log, version, texts)
    assert found[1:5] == [
        f"version {version}: Bram takes 12 cleaving damage to the left arm.",
        "  9: 3d6",
        f"    version {where(log, Roll, 'damage', 0)}: Ada rolls damage: 3d6 shows 3, 4, 2 = 9.",
        f"  3: STR 7, on Ada's sheet (version {where(log, Join, nth=0)})",
    ]
    assert any(line.endswith("Ada attacks: d10 shows 3 against 7, margin 4.") for line in found)
    aimed = where(log, Judge, "attack", 1)
    assert sentence(log, aimed, texts) == "3 = 7 (Swords) - 4 (aimed)"


def test_a_missing_plugin_costs_style_and_no_content() -> None:
    """Law 2 and law 11: the same tree, the same numbers, plainer words."""
    session, texts = nyra_duel()
    log = log_of(session)
    version = where(log, ApplyDamage, nth=0)
    assert sentence(log, version) == "12 = 3 + 4 + 2 (3d6 C) + 3 (STR 7)"
    plain, nice = [explanation(log, tree(log, version), words) for words in (PLAIN, texts)]
    assert wordless(plain.tree) == wordless(nice.tree)
    assert (plain.number, plain.at) == (nice.number, nice.at) == (12, version)
    assert told(log, version)[1] == f"version {version}: Bram takes 12 C damage to left arm."


def wordless(branch: Branch) -> Branch:
    """A tree without its words."""
    return replace(
        branch,
        text="",
        terms=tuple([wordless(one) for one in branch.terms]),
        because=tuple([wordless(one) for one in branch.because]),
    )


def test_an_exalted_verdict_is_told_down_to_the_defense_value() -> None:
    table = duel(*(9,) * 7, *(2,) * 6, *(9,) * 6, second={"abilities": {"Dodge": 3, "Melee": 3, "Resistance": 2}})
    table.attack("ann", "bob", "dodge")
    log = log_of(table.session)
    guard = where(log, Defend)
    texts = Texts(exalted().texts("en"))
    assert sentence(log, guard, texts) == "5 = 2 (A dexterity 4) + 3/2 (A ability) + 1 (A essence 2) + 1/2 (F rounded up)"
    found = told(log, where(log, Judge, "attack"), texts)
    assert found[0] == "5 = 5 (defense value)"
    assert f"    version {guard}: Bob defends with a Defense Value of 5." in found
    assert "      2: A dexterity 4, on Bob's sheet (version 3)" in found
    assert "      1/2: F rounded up, by the rules" in found
    assert "      0: C unchanged, by the rules" in found
    judged = where(log, Judge, "damage")
    assert sentence(log, judged, texts) == "6 = 2 (strength) + 3 (weapon) + 2 (successes) - 1 (stamina 3)"


@pytest.mark.parametrize(
    ("notation", "faces", "expected"),
    [
        ("3d6+2", ((3,), (4,), (2,)), "11 = 3 + 4 + 2 + 2 (3d6+2)"),
        ("2d6-2", ((1,), (4,)), "3 = 1 + 4 - 2 (2d6-2)"),
        ("4d6kh3", ((3,), (1,), (6,), (2,)), "11 = 3 + 6 + 2 (4d6kh3)"),
        ("2*1d6", ((3,),), "6 = 6 (2*1d6)"),
        ("1d4-9", ((3,),), "-6 = -6 (1d4-9)"),
        (f"{FACES_SHOWN}d6", ((1,),) * FACES_SHOWN, f"24 = {' + '.join(['1'] * FACES_SHOWN)} ({FACES_SHOWN}d6)"),
        (f"{FACES_SHOWN + 1}d6", ((1,),) * (FACES_SHOWN + 1), "25 = 25 (25d6)"),
    ],
)
def test_a_roll_as_a_sum(notation: str, faces: Any, expected: str) -> None:
    plan = parse(notation)
    reading = read(plan, faces)
    roll = Roll("typed", by="ann", plan=plan, notation=notation, faces=faces, dropped=reading.dropped, total=reading.total)
    assert expected == sentence(log_with(roll), 1)


def test_a_long_sum_ends_with_what_the_rest_comes_to() -> None:
    for count in (TERMS_SHOWN, TERMS_SHOWN + 1):
        rows = tuple([Row(f"row-{index}", 1 if index else "1/2", "tiny") for index in range(count)])
        log = log_with(Judge("attack", by="ann", code="hit", goal=f"{2 * count - 1}/2", trace=rows))
        found = sentence(log, 1)
        assert found.startswith(f"{2 * count - 1}/2 = 1/2 (row 0) + 1 (row 1) + ")
        assert found.endswith("1 (row 23)" if count == TERMS_SHOWN else "1 (row 23) + 1 (1 more)")


def test_a_number_without_rows_is_its_event() -> None:
    log = log_of(scripted())
    version = where(log, Order)
    assert told(log, version)[0].startswith(f"version {version}: ")
    assert not explanation(log, tree(log, version), PLAIN).sentence.startswith("version")


# -- the tree


def test_chains_are_told_with_what_became_of_every_face() -> None:
    plan = parse("3d6r<2!kh2")
    faces = ((1, 6, 2), (3,), (2,))
    reading = read(plan, faces)
    log = log_with(Roll("typed", by="ann", plan=plan, faces=faces, dropped=reading.dropped, total=reading.total))
    assert told(log, 1)[2:] == [
        "  8: d6 shows 1 (rerolled), 6, 2 (exploded)",
        "  3: d6 shows 3",
        "  0: d6 shows 2 (dropped)",
    ]


def test_of_many_dice_some_are_told() -> None:
    count = FACES_SHOWN + 2
    faces = ((1,),) * count
    log = log_with(Roll("typed", by="ann", plan=parse(f"{count}d6"), faces=faces, dropped=(), total=count))
    assert told(log, 1)[-2:] == ["  1: d6 shows 1", "  and 2 more dice"]
    assert len(told(log, 1)) == 2 + FACES_SHOWN + 1


def test_rules_words_and_modifiers_are_told() -> None:
    session = scripted(7, 1, 2)
    must(session.overrule("mercy", SetStep(slot="a1|apply-damage.damage.bob.0", fields={"value": 2})))
    must(session.declare("ann", "attack", "bob", id="a1", rows=(Modifier("attack.skill", 1, "bless"),)))
    must(session.overrule("fury", GiveModifier(action="a1", rows=(Modifier("damage.flat", 3, "fury"),))))
    must(session.answer("a1|ask.guard.0", "bob", "stand"))
    log = log_of(session)
    damage = where(log, ApplyDamage, "damage")
    assert sentence(log, damage) == "2 = 1 + 2 (2d4 blunt) + 3 (fury) - 4 (overrule)"
    found = "\n".join(told(log, damage))
    assert "  3: fury, by the game master\n    version " in found
    assert "  -4: overrule, by the game master\n" in found
    assert "      reason: mercy\n" in found
    assert "    1: bless, declared with the action\n" in found
    assert "1: bless at attack.skill" in "\n".join(told(log, where(log, Declare)))


def test_an_answer_tells_what_it_was_worth_and_what_else_was_on_offer() -> None:
    log = log_of(hit())
    assert told(log, where(log, Choose))[-2:] == ["    dodge: 5", "    stand"]


def test_an_undo_tells_what_it_took_back() -> None:
    session = hit()
    must(session.undo())
    log = log_of(session)
    found = told(log, where(log, Rewind))
    assert re.fullmatch(r"  \d+ events undone", found[1])
    assert found[2].endswith(": Ann: attack at Bob.")


def test_an_event_that_was_undone_is_explained_and_said_to_be() -> None:
    session = hit()
    must(session.undo())
    log = log_of(session)
    found = explanation(log, tree(log, where(log, ApplyDamage)), PLAIN)
    assert (found.undone, found.sentence) == (True, "3 = 1 + 2 (2d4 blunt)")
    assert [line.text for line in lines(found)][1].startswith("undone, version ")
    assert not explanation(log, tree(log, where(log, Rewind)), PLAIN).undone


def test_no_event_is_told_twice() -> None:
    session, texts = nyra_duel()
    log = log_of(session)
    for version in (where(log, ApplyDamage, nth=0), where(log, Condition, nth=0)):
        found = [line.strip().partition(":")[0] for line in told(log, version, texts) if line.strip().startswith("version ")]
        assert len(found) == len(set(found))


# -- pools


def test_a_pool_is_told_change_by_change() -> None:
    session = hit()
    must(session.undo())
    must(session.overrule("a curse", SetPool(target="bob", pool="hp", value=5)))
    log = log_of(session)
    joined, word = where(log, Join), where(log, Overrule)
    assert told_pool(log, "bob", "hp") == [
        f"5 = 12 (at the start) - 7 (version {word})",
        f"Bob's hp at version {log.head}: 5; 1 change undone and not counted",
        f"  12: hp at the start, version {joined}",
        f"  12 → 5, version {word}: The game master rules: Bob's hp is set from 12 to 5 (a curse).",
    ]
    assert told_pool(log, "bob", "wounds") == [
        f"Bob's wounds at version {log.head}: 0",
        f"  0: wounds at the start, version {joined}",
    ]


def test_a_pool_is_opened_down_to_the_dice() -> None:
    log = log_of(hit())
    found = told_pool(log, "bob", "hp", opened=True)
    version = where(log, ApplyDamage)
    assert f"  12 → 9, version {version}: Bob takes 3 blunt damage to temp and hp." in found
    assert "    3: 2d4" in found
    assert len(found) > len(told_pool(log, "bob", "hp"))


def test_what_a_copy_does_not_show_is_said() -> None:
    session = scripted(7, 1, 2)
    must(session.declare("ann", "attack", "bob", secret=True))
    answer_all(session, 1)
    hit_at = session.head
    must(session.declare("bob", "heal", "bob", power=2))
    log = log_of(session, PUBLIC)
    assert "  12 → 9: kept from you" in told_pool(log, "bob", "hp")
    before = told_pool(log, "bob", "hp", hit_at)[0]
    assert re.fullmatch(rf"Bob's hp at version {hit_at}: 12; \d+ events kept from you may have changed it since", before)


def test_of_what_is_kept_nothing_is_said_to_have_changed() -> None:
    session = tiny_session(people=1, begun=False, dice="scripted", script=(1, 2, 7, 1, 2))
    must(session.join("gob", "Goblin", side="goblins", secret=True, sheet={"hp": 30}))
    must(session.begin())
    must(session.declare("ann", "attack", "gob", secret=True))
    answer_all(session, 1)
    log = log_of(session, PUBLIC)
    assert told_pool(log, "gob", "hp") == [f"Goblin's hp at version {log.head}: kept from you", "  kept from you: hp at the start, version 3"]


# -- readers


def everything_told(log: Log) -> str:
    text: list[str] = []
    for version in range(1, log.head + 1):
        text += told(log, version)
    for who in ("ann", "gob"):
        for name in ("hp", "temp", "wounds"):
            text += told_pool(log, who, name, opened=True)
    return "\n".join(text)


def test_a_monsters_numbers_are_nowhere_in_a_players_explanations() -> None:
    session = hunt()
    mine, whole = everything_told(log_of(session, "ann")), everything_told(log_of(session))
    goals = {str(number) for e in log_of(session).events if isinstance(e, Judge) and e.by == "gob" for number in (e.goal, e.margin)}
    secrets = {str(HP), str(SKILL), *[goal for goal in goals if len(goal) > 4]}
    assert len(secrets) > 2
    assert [secret for secret in sorted(secrets) if secret in mine] == []
    assert [secret for secret in sorted(secrets) if secret not in whole] == [], "the check above can fail"
    assert "kept from you" in mine
    assert "kept from you" not in whole


@pytest.mark.parametrize("reader", [PUBLIC, "ann", GM])
def test_every_event_is_told_in_words(reader: str) -> None:
    """Law 11: whatever the kind, without any plugin."""
    log = log_of(fight(), reader)
    for version in range(1, log.head + 1):
        text = "\n".join(told(log, version))
        assert text.strip()
        assert "None" not in text, text
        assert "UNSET" not in text, text


def test_nothing_can_be_forged_by_a_name() -> None:
    session = tiny_session(people=1, begun=False)
    must(session.join("bob", "Bob\nversion 1: \x1b[2Jme", side="b", controller="bob", sheet={"hp": 12}))
    log = log_of(session)
    assert all(line.isprintable() for line in told_pool(log, "bob", "hp") + told(log, log.head))


def test_the_log_is_folded_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many events are told, each event of the line is folded once for all of them."""
    session = hunt()
    log = log_of(session)
    folded: list[int] = []

    def counted(state: Any, event: Any, version: int) -> Any:
        folded.append(version)
        return fold(state, event, version)

    monkeypatch.setattr(transcript, "fold", counted)
    told_pool(log, "ann", "hp", opened=True)
    assert folded == [version for version, _ in log.line()]


def test_a_refusal_says_what_there_is() -> None:
    log = log_of(hit())
    for found, expected in (
        (explain(log, 99), f"There is no version 99; the log ends at {log.head}."),
        (explain_pool(log, "cy", "hp"), "Nobody in this fight has the id cy; there are ann and bob."),
        (explain_pool(log, "cy", "hp", 0), "Nobody in this fight has the id cy; there is nobody."),
        (explain_pool(log, "bob", "mana"), "bob has no pool mana; there are hp, temp and wounds."),
    ):
        assert refusal(found, PLAIN) == expected  # type: ignore[arg-type]  # each is one
