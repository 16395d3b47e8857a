"""Sentences: every key can occur, every placeholder has a value, every refusal has words."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from affray.kernel import KIND_OF, Step
from affray.plugins import exalted
from affray.plugins.exalted.actions import PARAMS
from affray.plugins.exalted.texts import EN

FOLDER = Path(exalted.__file__).parent

PLACEHOLDERS = {
    "declare": {"actor", "target", "weapon"},
    "ask": {"who"},
    "choose": {"who", "value"},
    "defend": {"who", "value", "code"},
    "roll": {"by", "dice", "total"},
    "judge": {"by", "against", "goal", "margin"},
    "save": {"who", "goal", "margin"},
    "apply-damage": {"target", "value", "type"},
    "change": {"target", "value", "before", "after", "pool"},
    "condition": {"target", "id", "value", "before", "after"},
    "order": {"who"},
    "wait": set(),
    "turn": {"who", "at"},
    "close": {"side"},
    "refused": {"0", "1", "2", "3"},
    "code": set(),
    "row": set(),
}


def refusals() -> set[str]:
    """The codes of every `Refused(...)` in the system."""
    return {
        str(node.args[0].value)
        for path in sorted(FOLDER.glob("*.py"))
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "Refused"
        and isinstance(node.args[0], ast.Constant)
    }


@pytest.mark.parametrize("key", EN)
def test_a_sentence_shows_what_its_kind_has(key: str) -> None:
    assert set(re.findall(r"\{(\w+)\}", EN[key])) <= PLACEHOLDERS[key.partition(".")[0]]


def test_a_step_that_is_worded_is_described() -> None:
    kinds = {KIND_OF[kind] for kind in KIND_OF if issubclass(kind, Step)}
    worded = {key.split(".")[1] for key in EN if key.partition(".")[0] in kinds}
    assert worded <= set(exalted.make().describe().steps)


def test_every_action_is_worded() -> None:
    assert {key.removeprefix("declare.") for key in EN if key.startswith("declare.")} == set(PARAMS)


def test_every_refusal_is_worded() -> None:
    assert {key.removeprefix("refused.") for key in EN if key.startswith("refused.")} == refusals()


def test_another_locale_has_no_sentences() -> None:
    assert exalted.make().texts("tlh") is None
    assert exalted.make().texts("en") == EN
