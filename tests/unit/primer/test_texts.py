"""Sentences: every key can occur, every placeholder has a value, every refusal has words."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from affray.kernel import KIND_OF, Step
from affray.plugins import primer
from affray.plugins.primer.actions import PARAMS
from affray.plugins.primer.places import PLACES
from affray.plugins.primer.texts import EN

FOLDER = Path(primer.__file__).parent

PLACEHOLDERS = {
    "declare": {"actor", "target", "weapon"},
    "ask": {"who"},
    "choose": {"who", "value"},
    "defend": {"who", "value", "code"},
    "roll": {"by", "dice", "total"},
    "judge": {"by", "against", "goal", "margin", "dice", "code"},
    "save": {"who", "goal", "margin", "dice", "code", "consequences"},
    "apply-damage": {"target", "value", "type"},
    "change": {"target", "value", "before", "after"},
    "condition": {"target", "id", "value", "before", "after", "source", "until"},
    "order": {"who"},
    "wait": {"at"},
    "turn": {"who", "at"},
    "done": {"actor", "code"},
    "close": {"side"},
    "refused": {"0", "1", "2"},
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


def described() -> set[str]:
    return set(primer.make().describe().steps)


def written() -> set[str]:
    """The keys of every step the system makes, where they are written in the code."""
    kinds = {kind.__name__ for kind in KIND_OF if issubclass(kind, Step)} | {"EndTurn", "Stop"}
    keys = set()
    for path in sorted(FOLDER.glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in kinds and node.args:
                keys |= {str(node.args[0].value)} if isinstance(node.args[0], ast.Constant) else set()
    return keys


@pytest.mark.parametrize("key", EN)
def test_a_sentence_shows_what_its_kind_has(key: str) -> None:
    assert set(re.findall(r"\{(\w+)\}", EN[key])) <= PLACEHOLDERS[key.partition(".")[0]]


def test_every_step_that_is_made_is_described() -> None:
    assert written() <= described()
    assert len(written()) > 20


def test_a_step_that_is_worded_is_described() -> None:
    kinds = {KIND_OF[kind] for kind in KIND_OF if issubclass(kind, Step)} - {"save"}
    worded = {key.split(".")[1] for key in EN if key.partition(".")[0] in kinds}
    assert worded <= described()


def test_every_save_is_described() -> None:
    saves = set(primer.make().describe().saves)
    assert len(saves) == 9
    assert {key.split(".")[1] for key in EN if key.startswith("save.")} <= saves


def test_every_action_is_worded() -> None:
    assert {key.removeprefix("declare.") for key in EN if key.startswith("declare.")} == set(PARAMS)


def test_every_refusal_is_worded() -> None:
    assert {key.removeprefix("refused.") for key in EN if key.startswith("refused.")} == refusals()


def test_another_locale_has_no_sentences() -> None:
    assert primer.make().texts("tlh") is None
    assert primer.make().texts("en") == EN


def test_the_places_are_published() -> None:
    assert primer.make().describe().places == PLACES
