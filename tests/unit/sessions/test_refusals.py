"""Why a command was refused: a sentence for every code there is, the system's own before the plain one."""

from __future__ import annotations

import ast
import re

import pytest

from affray.kernel import Refused
from affray.sessions.views.refusals import AS_TYPED, REFUSED, why
from affray.sessions.views.texts import Texts

from ...arch.source import sources
from ...support.table import must, tiny_session


def codes() -> set[str]:
    """Every code with which the kernel or a session refuses."""
    calls = [
        node
        for source in sources("kernel", "sessions")
        for node in ast.walk(source.tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Refused" and node.args
    ]
    return {text for call in calls for text in said(call.args[0])}


def said(node: ast.expr) -> list[str]:
    """The text an expression is, or may be."""
    if isinstance(node, ast.IfExp):
        return said(node.body) + said(node.orelse)
    return [node.value] if isinstance(node, ast.Constant) and isinstance(node.value, str) else []


def test_every_code_has_a_sentence_and_every_sentence_a_code() -> None:
    told_elsewhere = {"failed", "not-recorded"}  # at the keyboard, and to those who test with recorded dice
    found = codes() - told_elsewhere
    assert len(found) > 30
    assert found - REFUSED.keys() == set()
    assert REFUSED.keys() - found == set()
    assert AS_TYPED - REFUSED.keys() == set()


@pytest.mark.parametrize("code", REFUSED)
def test_sentences_end_and_fill_what_they_name(code: str) -> None:
    text = why(Texts(), Refused(code, ("x-1", "y-2", 3)))
    assert re.fullmatch(r"[A-Z0-9x].*\.", text), text
    assert "{" not in text


@pytest.mark.parametrize(
    ("refused", "told"),
    [
        (Refused("not-your-turn", ("bob", "attack")), "It is not Bob's turn."),
        (Refused("not-allowed", ("ann", "break-off")), "Ann cannot do that now: break off."),
        (Refused("no-such-option", ("jump", "dodge", "stand")), "jump is not among the answers; there are dodge and stand."),
        (Refused("wrong-dice", ("die 1 has 2 faces, where the plan stops after 1",)), "These dice do not fit: die 1 has 2 faces, where the plan stops after 1."),
        (Refused("bad-dice", ("dice: at 2^53 - 1.",)), "These dice cannot be thrown: at 2^53 - 1."),
        (Refused("no-such-action", ("c-1f-00",)), "There is no such action: c-1f-00."),
        (Refused("too-much-power", (12,)), "Too much power (12)."),
    ],
)
def test_arguments_are_told(refused: Refused, told: str) -> None:
    assert told == why(Texts(), refused, tiny_session().state())


def test_a_system_s_own_sentence_goes_first() -> None:
    texts = Texts({"refused.over": "Done: {0}."})
    assert why(texts, Refused("over", ("won-by-red",))) == "Done: won by red."


def test_whom_everybody_waits_for_is_named() -> None:
    session = tiny_session(people=3)
    must(session.declare("ann", "sweep", "bob", "cy", id="a"))
    refused = session.end_turn("ann").refused
    assert refused is not None
    assert why(Texts(), refused, session.state()) == "First Bob and Cy have to answer."
    assert why(Texts(), refused) == "First somebody has to answer."
    session = tiny_session(dice="reported", begun=False)
    must(session.begin())
    refused = session.declare("ann", "attack", "bob").refused
    assert refused is not None
    assert why(Texts(), refused, session.state()) == "First Ann has to roll."
