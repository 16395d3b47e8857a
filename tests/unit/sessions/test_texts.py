"""Words and templates: what a plugin may say, and that it can say nothing else."""

from __future__ import annotations

import pytest

from affray.sessions.views.texts import Texts, columns, fill, listed, printable, words

VALUES = {"actor": "Ada", "target": "Bram", "goal": None, "aim": ""}


@pytest.mark.parametrize(
    ("code", "said"), [("left-arm", "left arm"), ("prone", "prone"), ("half_cover", "half cover"), ("--", "--"), ("", "")]
)
def test_an_unknown_code_is_read_as_words(code: str, said: str) -> None:
    """Law 11: a missing plugin costs style, not content."""
    assert said == Texts().word(code)


def test_a_plugin_words_codes_by_kind_and_at_large() -> None:
    texts = Texts({"code.C": "cleaving", "row.C": "the cleave", "code.D": "{actor}"})
    assert texts.word("C") == "cleaving"
    assert texts.word("C", "row") == "the cleave"
    assert texts.word("C", "type") == "cleaving"
    assert texts.word("D") == "D", "a sentence is no word"


@pytest.mark.parametrize(
    ("template", "text"),
    [
        ("{actor} hits {target}.", "Ada hits Bram."),
        ("{actor} hits{aim}.", "Ada hitsaim."),
        ("{actor} swings the {long_sword}.", "Ada swings the long sword."),
        ("{actor}[ at the {aim}] hits[ {target}].", "Ada hits Bram."),
        ("[as agreed] {actor}", "[as agreed] Ada"),
        ("{actor.__class__}", "{actor.__class__}"),
        ("{actor!r}", "{actor!r}"),
        ("{actor:>1000000000}", "{actor:>1000000000}"),
        ("{actor[0]}{}{ actor }", "{actor[0]}{}{ actor }"),
        ("{{actor}}", "{Ada}"),
    ],
)
def test_a_template_puts_in_names_and_nothing_else(template: str, text: str) -> None:
    said = fill(template, VALUES)
    assert said is not None
    assert text == said.text


def test_values_are_not_read_as_templates() -> None:
    said = fill("{actor}: {target}", {"actor": "{target}", "target": "[{actor}]"})
    assert said is not None
    assert said.text == "{target}: [{actor}]"


def test_a_template_that_needs_what_the_reader_may_not_know_is_not_used() -> None:
    assert fill("against {goal}", VALUES) is None
    texts = Texts({"a.b": "against {goal}", "a": "somehow"})
    said = texts.say(("a.b", "a"), VALUES)
    assert said is not None
    assert said.text == "somehow"
    assert texts.say(("a.b",), VALUES) is None


def test_an_optional_part_goes_when_its_name_is_unknown() -> None:
    said = fill("{actor} rolls[ against {goal}].", VALUES)
    assert said is not None
    assert (said.text, said.used) == ("Ada rolls.", frozenset({"actor"}))


def test_the_empty_template_is_silent_and_only_it() -> None:
    texts = Texts({"a.b": "", "a": "said"})
    assert texts.is_silent("a.b", "a")
    assert not texts.is_silent("a", "a.b")
    assert not texts.is_silent("c")


def test_templates_that_are_no_texts_are_left_out() -> None:
    bad: dict[str, str] = {"a": 3, 4: "b"}  # type: ignore[dict-item]
    assert Texts(bad).say(("a",), {}) is None


@pytest.mark.parametrize(
    ("text", "safe"),
    [
        ("Ada", "Ada"),
        ("Änne 李 O'Neil", "Änne 李 O'Neil"),
        ("a\nVersion 9: forged", "a / Version 9: forged"),
        ("a\r\n\nb", "a /  / b"),
        ("\x1b[2Jgone", "\\x1b[2Jgone"),
        ("\x9b31m", "\\x9b31m"),
        ("\u202eevil", "\\u202eevil"),
        ("\ud800", "\\ud800"),
        ("a\u2028b", "a / b"),
        ("tab\there", "tab\\x09here"),
        ("\u00a0", "\u00a0"),
        ("end\n", "end"),
    ],
)
def test_what_is_printed_can_do_nothing_to_a_terminal(text: str, safe: str) -> None:
    assert safe == printable(text)


def test_width_counts_columns_not_characters() -> None:
    assert [columns(text) for text in ("ab", "李", "e\u0301")] == [2, 2, 1]


def test_lists_read_as_english() -> None:
    assert [listed(items) for items in ([], ["a"], ["a", "b"], ["a", "b", "c"])] == ["", "a", "a and b", "a, b and c"]
    assert listed(["a", "b"], "or") == "a or b"
    assert words("a-b_c") == "a b c"
