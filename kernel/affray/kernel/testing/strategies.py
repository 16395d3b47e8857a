"""Hypothesis strategies for what a system takes: sheets by their type, declarations by what its forms offer.

Import this module by name; the rest of the kit needs no Hypothesis.
"""

from __future__ import annotations

from typing import Any

from hypothesis import assume
from hypothesis import strategies as st

from .. import commands as c
from ..errors import InputError
from ..inputs import check_json
from ..rules import Rules
from ..values import Json
from .given import Given
from .sheets import WORDS, value_of


class _Drawn:
    """Chooses by what Hypothesis draws, so that it can make a failing example smaller."""

    def __init__(self, draw: Any) -> None:
        self._draw = draw

    def below(self, count: int) -> int:
        """A whole number from 0, below `count`."""
        return int(self._draw(st.integers(0, count - 1)))


@st.composite
def sheets(draw: Any, rules: Rules) -> dict[str, Json]:
    """Sheets that a system takes: made of their type, and filtered by `check_sheet` and `pools`."""
    try:
        raw = value_of(rules.sheet_type, _Drawn(draw))
        check_json(raw)
        rules.pools(rules.read_sheet(raw))
    except InputError:
        assume(False)
    return dict(raw)


@st.composite
def params(draw: Any, rules: Rules, action: str) -> dict[str, Json]:
    """Parameters of an action, made of their type; whether it may be declared with them is the rules' to say."""
    raw = value_of(rules.system.actions[action], _Drawn(draw))
    return dict(raw) if isinstance(raw, dict) else {}


@st.composite
def declarations(draw: Any, fight: Given, who: str) -> c.Declare:
    """Declarations that somebody's forms offer now. Where nothing is offered there is no example."""
    table = fight.table
    forms = [form for form in table.rules.actions(table.exchange.window(table.rules), who) if len(form.targets) >= form.least]
    assume(forms)
    form = draw(st.sampled_from(forms))
    most = min(form.most, len(form.targets))
    targets = tuple(draw(st.lists(st.sampled_from(form.targets), min_size=form.least, max_size=most, unique=True))) if most else ()
    chosen = {name: draw(st.sampled_from(values)) for name, values in form.choices.items() if values}
    words = [*table.state.combatants, *WORDS]
    rest = value_of(table.rules.system.actions[form.name], _Drawn(draw), words=words)
    return c.Declare(actor=who, name=form.name, targets=targets, params={**(rest if isinstance(rest, dict) else {}), **chosen})


__all__ = ["declarations", "params", "sheets"]
