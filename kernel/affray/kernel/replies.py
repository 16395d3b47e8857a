"""What somebody answers in an action that is only thought through: policies for the prompts of `odds.py`.

A policy is any function of the question, of who is asked and of the state, that always says the same of the same three.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from .errors import InputError
from .numbers import exact
from .state import State
from .steps import Ask
from .values import Option

Reply = Callable[[Ask, str, State], str]
"""Gives the code of the option that somebody takes: `reply(ask, who, state)`."""


def first_option(ask: Ask, who: str, state: State) -> str:
    """Take the first option: systems put there what they suggest."""
    return _options(ask)[0].code


def best_option(ask: Ask, who: str, state: State) -> str:
    """Take the option with the highest value, of equals the first; one without a value counts less than any."""
    options = _options(ask)
    values = [(option.value is not None, exact(option.value or 0)) for option in options]
    return options[values.index(max(values))].code


class Answers:
    """Answers by the key of the question, or by `WHO.KEY` where that is told apart; everything else is left to a policy.

    An answer that is not on offer is left to the policy too: whoever has used a charm cannot use it again.
    """

    def __init__(self, table: Mapping[str, str], otherwise: Reply = first_option) -> None:
        self.table = dict(table)
        self.otherwise = otherwise
        self._offered: dict[str, dict[str, None]] = {}

    def __call__(self, ask: Ask, who: str, state: State) -> str:
        """What the table says, else what the policy does."""
        codes = [option.code for option in _options(ask)]
        for key in (f"{who}.{ask.key}", ask.key):
            self._offered.setdefault(key, {}).update(dict.fromkeys(codes))
        for key in (f"{who}.{ask.key}", ask.key):
            if self.table.get(key) in codes:
                return self.table[key]
        return self.otherwise(ask, who, state)

    def check(self) -> None:
        """Raise InputError for an answer that nobody could give so far: of a question not asked, or never on offer."""
        for key, code in self.table.items():
            if key not in self._offered:
                asked = ", ".join(key for key in self._offered if "." not in key) or "nothing"
                raise InputError(f"this is not asked; what is: {asked}", path=f"answers.{key}", value=code)
            if code not in self._offered[key]:
                there = ", ".join(self._offered[key])
                raise InputError(f"no such option; there are {there}", path=f"answers.{key}", value=code)


def _options(ask: Ask) -> tuple[Option, ...]:
    assert ask.options, "who thinks an action through knows every option"
    return ask.options


__all__ = ["Answers", "Reply", "best_option", "first_option"]
